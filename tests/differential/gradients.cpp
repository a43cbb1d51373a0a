// Statements about gradients: training loops, accumulation, loops that are differentiated, hazards.

#include "tests/differential/statements.h"

namespace sifr::test {

/// One of the ways in which scripts clear a gradient. `first`: it may not be there yet.
void Statements::clear_grad(const std::string& w, const std::string& optimizer, bool first) {
    switch (w_.pick(optimizer.empty() ? 3 : 5)) {
        case 0: w_.line({"{}.grad = None", w}), w_.note("grad: set to None"); break;
        case 1:
            w_.line({"if {}.grad is not None:", w});
            w_.block([&] { w_.line({"{}.grad.zero_()", w}); });
            w_.note("clear: grad.zero_ if there");
            break;
        case 2:
            if (first) return clear_grad(w, optimizer, first);
            w_.line({"{}.grad.zero_()", w}), w_.note("clear: grad.zero_");
            break;
        case 3: w_.line({"{}.zero_grad()", optimizer}), w_.note("grad: zero_grad"); break;
        default: w_.line({"{}.zero_grad(set_to_none=False)", optimizer}), w_.note("clear: zero_grad"); break;
    }
}

void Statements::step(const std::string& w, const std::string& optimizer) {
    switch (w_.pick(optimizer.empty() ? 4 : 7)) {
        case 0:
            w_.line({"with torch.no_grad():"});
            w_.block([&] { w_.line({"{0} -= 0.125 * {0}.grad", w}); });
            break;
        case 1: w_.line({"{0}.data.sub_(0.125 * {0}.grad)", w}), w_.note("step: .data"); break;
        case 2: w_.line({"{0}.data = {0}.data - 0.125 * {0}.grad", w}), w_.note("step: .data ="); break;
        case 3:
            w_.line({"with torch.no_grad():"});
            w_.block([&] { w_.line({"{0}.add_({0}.grad, alpha=-0.125)", w}); });
            break;
        default: w_.line({"{}.step()", optimizer}), w_.note("step: optimizer"); break;
    }
    w_.note("step");
}

void Statements::training() {
    std::vector<const Variable*> leaves;
    for (const Variable& v : w_.variables)
        if (v.leaf) leaves.push_back(&v);
    if (leaves.empty()) {
        leaf();
        leaves = {&w_.variables.back()};
    }
    Variable p = *w_.one_of(leaves);
    std::string w = p.name, optimizer;
    if (w_.chance(45)) {
        optimizer = w_.fresh("opt");
        w_.line({"{} = torch.optim.{}([{}], lr=0.125{})", optimizer, w_.chance(75) ? "SGD" : "Adam", w, ""});
    }
    bool at_start = w_.chance(50), kept = w_.chance(25), conditional = w_.chance(15), micro = w_.chance(20);
    std::string i = w_.fresh("i"), old = w_.fresh("g");
    if (kept) w_.line({"{} = []", old});
    w_.line({"for {} in range({}):", i, w_.word({"3", "4", "2", "5"})});
    w_.note("training loop");
    w_.note("backward");
    ++w_.depth, ++w_.loops;
    w_.indices.push_back("0");
    w_.block([&] {
        if (at_start) clear_grad(w, optimizer, true);
        std::string y = w_.fresh("y"), inner = w_.fresh("m");
        auto once = [&] {
            w_.line({"{} = {} * {}", y, w, e_.of(p.sizes, 1)});
            if (w_.chance(30)) {
                w_.line({"{}[{}] {} {}", y, w_.word({"0", "1:", "::2"}), w_.word({"=", "*=", "+="}), w_.word({"0", "2", "0.5"})});
                w_.note("backward: through a write");
            }
            w_.line({"{}.backward()", e_.loss_of(y)});
        };
        if (micro) {
            w_.line({"for {} in range({}):", inner, 2 + w_.pick(2)});
            w_.note("training: micro-batches");
            w_.block(once);
        } else {
            once();
        }
        if (kept) w_.line({"{}.append({}.grad)", old, w}), w_.note("grad: kept in a list");
        step(w, optimizer);
        if (w_.chance(30)) w_.line({"print({}, {}.grad.sum().item(), {}.sum().item())", i, w, w});
        if (conditional) {
            w_.line({"if {} % 2 == 1:", i});
            w_.block([&] { clear_grad(w, optimizer, false); });
            w_.note("grad: cleared on some passes");
        } else if (!at_start && w_.chance(80)) {
            clear_grad(w, optimizer, false);
        }
        if (w_.chance(20)) some(1);
    });
    --w_.depth, --w_.loops;
    w_.indices.pop_back();
    if (kept) w_.line({"print({})", old});
    w_.line({"print({0}, {0}.grad)", w});
}

void Statements::history_loop() {
    Variable w{.name = w_.fresh("w"), .sizes = {3}, .leaf = true, .tracked = true};
    std::string h = w_.fresh("h"), i = w_.fresh("i"), out = w_.fresh("o");
    w_.line({"{} = torch.tensor([0.5, 1.0, -0.5], requires_grad=True)", w.name});
    w_.line({"{} = torch.ones(3)", h});
    bool buffer = w_.chance(50);
    if (buffer) w_.line({"{} = torch.zeros(3, 3)", out});
    w_.line({"for {} in range(3):", i});
    w_.note("backward: through a loop");
    w_.note("backward");
    w_.block([&] {
        w_.line({"{0} = {1}", h, w_.chance(50) ? Text{"{} * {}", h, w.name}.text : Text{"torch.tanh({} * {}) + 0.5", h, w.name}.text});
        if (w_.chance(25)) w_.line({"{} = {} + {}", h, h, e_.of({3}, 1)});
        if (buffer) w_.line({"{}[{}] = {}", out, i, h});
        if (w_.chance(20)) {
            w_.line({"if {}.sum() > {}:", h, e_.number()});
            w_.block([&] { w_.line({"{} = {} * 0.5", h, h}); });
            w_.note("backward: through a branch");
        }
    });
    w_.line({"({} * {}).sum().backward()", buffer ? out : h, w_.word({"2", "1"})});
    w_.line({"print({}.grad)", w.name});
    add(w);
}

void Statements::backward() {
    if (w_.chance(35)) return history_loop();
    if (w_.chance(40)) return training();
    std::vector<const Variable*> leaves;
    for (const Variable& v : w_.variables)
        if (v.leaf) leaves.push_back(&v);
    if (leaves.empty()) {
        leaf();
        leaves = {&w_.variables.back()};
    }
    Variable p = *w_.one_of(leaves);
    std::string y = w_.fresh("y");
    w_.note("backward");
    w_.line({"{} = {} * {}", y, p.name, e_.of(p.sizes)});
    // In-place writes into what has a history; whatever they spoil is caught.
    w_.line({"try:"});
    w_.block([&] {
        switch (w_.pick(6)) {
            case 0: w_.line({"{}[1:] = 0", y}), w_.note("backward: through a write"); break;
            case 1: w_.line({"{}.mul_({})", y, e_.of(p.sizes, 1)}), w_.note("backward: through a write"); break;
            case 2: w_.line({"{}[::2] += {}[::2] * 2", y, y}), w_.note("backward: through a write"); break;
            case 3: w_.line({"{0} = torch.cat([{0}, {0} * 2])", y}); break;
            default: break;
        }
        if (w_.chance(25)) {
            w_.line({"print(torch.autograd.grad({}, {}, retain_graph=True)[0])", e_.loss_of(y), p.name});
            w_.note("autograd.grad");
        }
        w_.line({"{}.backward()", e_.loss_of(y)});
        if (w_.chance(30)) {
            w_.line({"({} * 2).sum().backward()", p.name});
            w_.note("grad: accumulated");
        }
    });
    w_.line({"except RuntimeError as e:"});
    w_.block([&] { w_.line({"print('caught', e)"}); });
    w_.line({"print({}.grad)", p.name});
}

void Statements::hazard() {
    Variable w{.name = w_.fresh("w"), .sizes = {3, 4}, .leaf = true, .tracked = true};
    std::string x = w_.fresh("x"), y = w_.fresh("y"), n = w.name;
    w_.line({"{} = torch.ones(3, 4, requires_grad=True)", n});
    w_.line({"{} = {}", x, e_.of({3, 4}, 1)});
    w_.note("hazard");
    w_.line({"try:"});
    w_.block([&] {
        switch (w_.pick(10)) {
            case 0: w_.line({"{}.zero_()", n}); break;
            case 1: w_.line({"{}[0] = 1", n}); break;
            case 2:
                w_.line({"{} = {} * {}.exp()", y, x, n});
                w_.line({"{}.{}", x, w_.word({"zero_()", "add_(1)", "mul_(2)", "data.zero_()"})});
                w_.line({"{}.sum().backward()", y});
                break;
            case 3:
                w_.line({"{} = torch.{}({})", y, w_.word({"exp", "tanh", "sigmoid", "relu"}), n});
                w_.line({"{}{}", y, w_.word({".add_(1)", "[1:].zero_()", ".mul_(2)", "[0] = 5"})});
                w_.line({"{}.sum().backward()", y});
                break;
            case 4:
                w_.line({"{} = {} * 2", y, n});
                w_.line({"{}.sum().backward()", y});
                w_.line({"{}.sum().backward()", y});
                break;
            case 5: w_.line({"({} * 2).backward()", n}); break;
            case 6: w_.line({"{}.expand(2, 3, 4).add_(1)", x}); break;
            case 7: w_.line({"print({} + torch.ones(5))", x}); break;
            case 8:
                w_.line({"for i in range(3):"});
                w_.block([&] {
                    w_.line({"{} = {} * {}", y, x, n});
                    w_.line({"{}.sum().backward()", y});
                    w_.line({"{}.{}", w_.word({x.c_str(), y.c_str()}), w_.word({"add_(1)", "zero_()", "mul_(0.5)"})});
                });
                break;
            default:
                w_.line({"with torch.no_grad():"});
                w_.block([&] { w_.line({"{} = {}[0]", y, n}); });
                w_.line({"{}.{}", y, w_.word({"zero_()", "add_(1)"})});
                w_.line({"({} * {}).sum().backward()", n, x});
                break;
        }
        w_.line({"print('no error')"});
    });
    w_.line({"except RuntimeError as e:"});
    w_.block([&] { w_.line({"print('caught', e)"}); });
    w_.line({"print({}.grad)", n});
    add(w);
}

}  // namespace sifr::test
