#include "tests/differential/statements.h"

namespace sifr::test {

const Variable* Statements::float_variable() {
    std::vector<const Variable*> found;
    for (const Variable& v : w_.variables)
        if (v.dtype == 'f') found.push_back(&v);
    return found.empty() ? nullptr : w_.one_of(found);
}

/// A tensor that a write is not expected to be refused on.
const Variable* Statements::writable() {
    std::vector<const Variable*> found;
    for (const Variable& v : w_.variables)
        if (v.is_float() && v.writable && !v.expanded && (!v.leaf || w_.no_grad)) found.push_back(&v);
    return found.empty() ? nullptr : w_.one_of(found);
}

std::string Statements::index(int64_t extent) {
    if (extent >= 3 && !w_.indices.empty() && w_.chance(60)) {
        w_.note("index: of a loop");
        return w_.one_of(w_.indices);
    }
    int64_t k = w_.pick(static_cast<int>(extent));
    return std::to_string(w_.chance(30) ? k - extent : k);
}

void Statements::tensor() {
    static const std::vector<Extents> shapes = {{3, 4}, {3, 4}, {4, 3}, {3}, {4}, {3, 3}, {2, 3, 4}, {4, 4}, {1, 4}, {5, 5}, {6}, {3, 1}, {}};
    Variable v{.name = w_.fresh("t"), .sizes = w_.one_of(shapes)};
    std::string n = v.name, s = tuple_text(v.sizes);
    switch (w_.pick(9)) {
        case 0: w_.line({"{} = torch.empty({}).fill_({})", n, s, e_.number()}); break;
        case 1: w_.line({"{} = torch.rand({})", n, s}), w_.note("random: rand"); break;
        case 2: w_.line({"{} = torch.zeros({})", n, s}); break;
        case 3: w_.line({"{} = torch.zeros({}, dtype=torch.float64)", n, s}), v.dtype = 'd'; break;
        case 4: w_.line({"{} = torch.arange({}).reshape({})", n, v.count(), s}), v.dtype = 'i'; break;
        case 5: w_.line({"{} = torch.randn({})", n, s}), w_.note("random: randn"); break;
        default: w_.line({"{} = {}", n, e_.constant(v.sizes)}); break;
    }
    add(v);
}

void Statements::leaf() {
    Variable v{.name = w_.fresh("w"), .sizes = w_.chance(70) ? Extents{3, 4} : w_.chance(50) ? Extents{4} : Extents{3, 3}, .leaf = true, .tracked = true};
    if (w_.chance(50)) w_.line({"{} = torch.full({}, {}, requires_grad=True)", v.name, tuple_text(v.sizes), w_.word({"0.5", "1.0", "-0.5"})});
    else w_.line({"{} = (torch.arange({}.).reshape({}) / 4).requires_grad_()", v.name, v.count(), tuple_text(v.sizes)});
    add(v);
}

void Statements::view() {
    std::vector<const Variable*> found;
    for (const Variable& v : w_.variables)
        if (v.is_float() && !v.sizes.empty() && v.count() > 0) found.push_back(&v);
    if (found.empty()) return tensor();
    const Variable& x = *w_.one_of(found);
    Variable v = x;
    v.name = w_.fresh("v");
    // A view of a leaf is refused on writes; under no_grad it is not tracked.
    if (x.leaf) v.leaf = false, v.tracked = true, v.writable = false;
    if (x.tracked && w_.no_grad) v.writable = false;
    size_t d = static_cast<size_t>(w_.pick(static_cast<int>(x.sizes.size())));
    std::string text;
    switch (w_.pick(14)) {
        case 0: case 1: case 2: {  // slices, some with steps
            std::vector<std::string> parts;
            for (size_t k = 0; k < x.sizes.size(); ++k) {
                int64_t n = x.sizes[k];
                if (n < 2 || w_.chance(35)) {
                    parts.push_back(":");
                    continue;
                }
                int64_t begin = w_.pick(static_cast<int>(n)), end = begin + 1 + w_.pick(static_cast<int>(n - begin)), step = 1 + (w_.chance(35) ? 1 : 0);
                v.sizes[k] = (end - begin + step - 1) / step;
                if (step > 1) w_.note("view: slice with step");
                std::string from = begin == 0 && w_.chance(50) ? "" : std::to_string(begin), to = end == n && w_.chance(50) ? "" : std::to_string(end);
                parts.push_back(step > 1 ? Text{"{}:{}:{}", from, to, step}.text : Text{"{}:{}", from, to}.text);
            }
            text = Text{"{}[{}]", x.name, fmt::join(parts, ", ")}.text;
            w_.note("view: slice");
            break;
        }
        case 3: {  // one row or column
            std::string i = index(x.sizes[d]);
            v.sizes.erase(v.sizes.begin() + static_cast<ptrdiff_t>(d));
            text = d == 0 ? Text{"{}[{}]", x.name, i}.text : Text{"{}.select({}, {})", x.name, d, i}.text;
            w_.note("view: select");
            break;
        }
        case 4:
            if (x.sizes.size() != 2) return alias();
            std::swap(v.sizes[0], v.sizes[1]);
            text = x.name + w_.word({".t()", ".T", ".transpose(0, 1)", ".permute(1, 0)"});
            w_.note("view: transpose");
            break;
        case 5: {
            v.sizes.insert(v.sizes.begin() + static_cast<ptrdiff_t>(d), 1);
            text = Text{"{}.unsqueeze({})", x.name, d}.text;
            w_.note("view: unsqueeze");
            break;
        }
        case 6:
            // A reshape of what is not contiguous is a copy; both are legal.
            v.sizes = {x.count()};
            text = Text{"{}.{}", x.name, w_.word({"reshape(-1)", "flatten()"})}.text;
            w_.note("view: reshape");
            break;
        case 7: {
            Extents wide = x.sizes;
            wide.insert(wide.begin(), 2);
            v.sizes = wide;
            v.expanded = true;
            text = Text{"{}.expand({})", x.name, fmt::join(wide, ", ")}.text;
            w_.note("view: expand");
            break;
        }
        case 8:
            if (x.sizes.size() != 2) return alias();
            v.sizes = {std::min(x.sizes[0], x.sizes[1])};
            text = x.name + ".diagonal()";
            w_.note("view: diagonal");
            break;
        case 9:
            v.leaf = v.tracked = false;
            v.writable = true;
            text = x.name + ".detach()";
            w_.note("view: detach");
            break;
        case 10:
            v.leaf = v.tracked = false;
            v.writable = true;
            text = x.name + ".data";
            w_.note("view: .data");
            break;
        case 11: {
            if (x.sizes[d] < 2) return alias();
            std::string other = w_.fresh("v");
            v.sizes[d] = (x.sizes[d] + 1) / 2;
            w_.line({"{}, {} = {}.chunk(2, dim={})", v.name, other, x.name, d});
            Variable second = v;
            second.name = other;
            second.sizes[d] = x.sizes[d] - v.sizes[d];
            if (x.tracked) v.writable = second.writable = false;
            w_.note("view: chunk");
            add(second);
            return add(v);
        }
        case 12: {
            if (x.sizes[d] < 2) return alias();
            int64_t begin = w_.pick(static_cast<int>(x.sizes[d])), n = 1 + w_.pick(static_cast<int>(x.sizes[d] - begin));
            v.sizes[d] = n;
            text = Text{"{}.narrow({}, {}, {})", x.name, d, begin, n}.text;
            w_.note("view: narrow");
            break;
        }
        default: {
            if (x.sizes[d] < 3 || x.expanded) return alias();
            v.sizes[d] = x.sizes[d] - 1;
            v.sizes.push_back(2);
            v.expanded = true;
            text = Text{"{}.unfold({}, 2, 1)", x.name, d}.text;
            w_.note("view: unfold");
            break;
        }
    }
    w_.line({"{} = {}", v.name, text});
    add(v);
}

void Statements::alias() {
    if (w_.variables.empty()) return tensor();
    Variable v = w_.one_of(w_.variables);
    std::string name = w_.fresh("a");
    w_.line({"{} = {}", name, v.name});
    v.name = name;
    w_.note("alias");
    add(v);
}

void Statements::compute() {
    Variable v{.name = w_.fresh("c"), .sizes = {3, 4}};
    if (const Variable* x = float_variable()) v.sizes = x->sizes;
    if (v.count() > 200) return tensor();
    w_.line({"{} = {}", v.name, e_.of(v.sizes)});
    // Whether it has a history depends on what was drawn.
    v.tracked = !w_.no_grad;
    add(v);
}

void Statements::rebind() {
    std::vector<Variable*> found;
    for (Variable& v : w_.variables)
        if (v.dtype == 'f' && !v.leaf && v.count() < 100) found.push_back(&v);
    if (found.empty()) return compute();
    Variable& v = *w_.one_of(found);
    w_.line({"{} = {}", v.name, e_.of(v.sizes)});
    w_.note(w_.depth > 0 ? "rebind: in a block" : "rebind");
    v.tracked = v.tracked || !w_.no_grad;
    if (w_.depth == 0) v.expanded = false, v.writable = true;
}

void Statements::write() {
    const Variable* v = writable();
    if (!v) return tensor();
    Variable copy = *v;  // the expressions below may add names
    if (w_.chance(45) && !copy.sizes.empty()) set_item(copy);
    else write_method(copy);
}

void Statements::set_item(const Variable& v) {
    if (v.count() == 0) return;
    std::vector<std::string> parts;
    Extents sizes;
    switch (w_.pick(5)) {
        case 0: {
            std::string mask = Text{"{} {} {}", v.name, w_.word({">", "<", "=="}), e_.number()}.text;
            w_.line({"{}[{}] {} {}", v.name, mask, w_.word({"=", "="}), e_.number()});
            w_.note("write: mask");
            return;
        }
        case 1: {
            int64_t n = v.sizes[0];
            w_.line({"{}[torch.tensor([{}, {}])] = {}", v.name, w_.pick(static_cast<int>(n)), w_.pick(static_cast<int>(n)), e_.number()});
            w_.note("write: index tensor");
            return;
        }
        default: break;
    }
    for (int64_t n : v.sizes) {
        if (w_.chance(30)) {
            parts.push_back(index(n));
        } else if (n < 2 || w_.chance(40)) {
            parts.push_back(":");
            sizes.push_back(n);
        } else {
            int64_t begin = w_.pick(static_cast<int>(n)), end = begin + 1 + w_.pick(static_cast<int>(n - begin)), step = 1 + (w_.chance(30) ? 1 : 0);
            sizes.push_back((end - begin + step - 1) / step);
            parts.push_back(Text{"{}:{}{}", begin, end, step > 1 ? ":2" : ""}.text);
        }
    }
    w_.note("write: set item");
    std::string at = Text{"{}[{}]", v.name, fmt::join(parts, ", ")}.text;
    switch (w_.pick(4)) {
        case 0: w_.line({"{} = {}", at, e_.number()}); break;
        case 1: w_.line({"{} {} {}", at, w_.word({"+=", "*=", "-="}), w_.chance(50) ? e_.number() : e_.of(sizes, 1)}); break;
        case 2: w_.line({"{} = 0", at}); w_.note("clear: set item"); break;
        default: w_.line({"{} = {}", at, e_.of(sizes, 1)}); break;
    }
}

void Statements::write_method(const Variable& v) {
    const std::string& n = v.name;
    switch (w_.pick(16)) {
        case 0: case 1: case 2: w_.line({"{}.zero_()", n}), w_.note("clear: zero_"); break;
        case 3: w_.line({"{}.fill_({})", n, e_.number()}), w_.note("write: fill_"); break;
        case 4: case 5: w_.line({"{}.copy_({})", n, e_.of(v.sizes, 1)}), w_.note("write: copy_"); break;
        case 6: case 7: w_.line({"{}.add_({})", n, e_.of(v.sizes, 1)}), w_.note("write: add_"); break;
        case 8: w_.line({"{}.mul_({})", n, w_.chance(60) ? e_.number() : e_.of(v.sizes, 1)}), w_.note("write: mul_"); break;
        case 9: w_.line({"{} {} {}", n, w_.word({"+=", "*=", "-="}), e_.of(v.sizes, 1)}), w_.note("write: augmented"); break;
        case 10: w_.line({"{}.clamp_(-2, 3)", n}), w_.note("write: clamp_"); break;
        case 11: w_.line({"{}.sub_({}, alpha=2)", n, e_.of(v.sizes, 1)}), w_.note("write: sub_"); break;
        case 12: w_.line({"{}.masked_fill_({} > 1, {})", n, n, e_.number()}), w_.note("write: masked_fill_"); break;
        case 13: {
            if (v.dtype != 'f' || v.tracked) return;
            w_.line({"torch.{}({}, {}, out={})", w_.word({"add", "mul", "sub"}), e_.of(v.sizes, 1), e_.constant(v.sizes), n}), w_.note("write: out=");
            break;
        }
        case 14: {
            if (v.sizes.empty() || v.dtype != 'f') return;
            Extents rows = v.sizes;
            rows[0] = 2;
            w_.line({"{}.index_add_(0, torch.tensor([{}, {}]), {})", n, w_.pick(static_cast<int>(v.sizes[0])), w_.pick(static_cast<int>(v.sizes[0])), e_.of(rows, 1)});
            w_.note("write: index_add_");
            break;
        }
        default: w_.line({"{}.neg_()", n}), w_.note("write: neg_"); break;
    }
}

void Statements::loop() {
    if (w_.loops >= 2) return write();
    std::string i = w_.fresh("i");
    w_.note(w_.loops > 0 ? "loop: nested" : "loop: for");
    // Three passes and more show what only the second one gets wrong; none and one are edges.
    w_.line({"for {} in range({}):", i, w_.word({"3", "3", "3", "2", "0", "1"})});
    w_.indices.push_back(i);
    ++w_.depth, ++w_.loops;
    w_.block([&] {
        some(1 + w_.pick(4));
        if (w_.chance(25)) w_.line({"print({}, {}.sum().item())", i, e_.of({3}, 1)}), w_.note("print: in a loop");
    });
    --w_.depth, --w_.loops;
    w_.indices.pop_back();
}

void Statements::while_loop() {
    if (w_.loops >= 2) return branch();
    std::string k = w_.fresh("k");
    w_.line({"{} = 0", k});
    w_.line({"while {} < {} and bool({}):", k, 1 + w_.pick(4), e_.condition()});
    w_.note("loop: while");
    ++w_.depth, ++w_.loops;
    w_.block([&] {
        w_.line({"{} += 1", k});
        some(1 + w_.pick(3));
        if (w_.chance(20)) {
            w_.line({"if {}:", e_.condition()});
            w_.block([&] { w_.line({"break"}); });
            w_.note("loop: break");
        }
    });
    --w_.depth, --w_.loops;
    w_.line({"print('{}', {})", k, k});
}

void Statements::branch() {
    bool by_index = !w_.indices.empty() && w_.chance(35);
    w_.note(by_index ? "if: loop index" : "if: run-time value");
    if (by_index) w_.line({"if {} % 2 == {}:", w_.one_of(w_.indices), w_.pick(2)});
    else w_.line({"if {}:", e_.condition()});
    ++w_.depth;
    w_.block([&] { some(1 + w_.pick(3)); });
    if (w_.chance(40)) {
        w_.line({"else:"});
        w_.block([&] { some(1 + w_.pick(2)); });
    }
    --w_.depth;
}

void Statements::no_grad() {
    w_.line({"with torch.no_grad():"});
    w_.note("no_grad");
    bool before = w_.no_grad;
    w_.no_grad = true;
    w_.block([&] { some(1 + w_.pick(2)); });
    w_.no_grad = before;
}

void Statements::show(const Variable& v) {
    switch (w_.pick(8)) {
        case 0: w_.line({"print('{0}', {0}.shape, {0}.stride(), {0}.dtype)", v.name}), w_.note("print: shape"); break;
        case 1:
            if (v.is_float()) w_.line({"print('{0}', {0}.sum().item(), {0}.requires_grad)", v.name}), w_.note("print: item");
            break;
        case 2: w_.line({"print('{0}', {0}._version, {0}.is_leaf)", v.name}), w_.note("print: version"); break;
        default: w_.line({"print('{0}', {0})", v.name}), w_.note("print: tensor"); break;
    }
}

void Statements::print() {
    if (w_.variables.empty()) return tensor();
    show(w_.one_of(w_.variables));
}

void Statements::some(int count) {
    for (; count > 0; --count) {
        switch (w_.pick(24)) {
            case 0: case 1: tensor(); break;
            case 2: case 3: case 4: view(); break;
            case 5: alias(); break;
            case 6: case 7: case 8: case 9: case 10: write(); break;
            case 11: case 12: compute(); break;
            case 13: case 14: rebind(); break;
            case 15: case 16: if (w_.depth < 3) { loop(); } else { write(); } break;
            case 17: if (w_.depth < 3) { branch(); } else { write(); } break;
            case 18: if (w_.depth < 2) { while_loop(); } else { write(); } break;
            case 19: if (w_.depth < 2 && !w_.no_grad) { no_grad(); } else { rebind(); } break;
            case 20: if (w_.depth < 2 && !w_.no_grad && w_.chance(50)) { hazard(); } else { print(); } break;
            case 21: if (w_.depth < 1 && !w_.no_grad && w_.chance(50)) { backward(); } else { print(); } break;
            default: print(); break;
        }
    }
}

}  // namespace sifr::test
