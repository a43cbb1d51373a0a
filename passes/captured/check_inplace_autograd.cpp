// check-inplace-autograd: refuses what PyTorch's engine refuses, before anything runs.
//
//   %y = mul %x, %w     saves %x@0                 t.py:3:1: error: backward needs a value that line 1 saved at version 0 …
//   %x <- full 0.0                         =>        3 | y.backward()      needed here
//   %d = backward %y wrt %w                          1 | y = x * w         saved here by 'mul'
//                                                    2 | x.zero_()         overwritten here
//
// Drives the autograd state over the finished function, as capture does while it builds one, so text that was written or
// changed by hand is judged the same way. A loop body runs three times (what one iteration overwrites for the next shows
// in the second), and the trips that are left move the version counters as the third one did; of an `if` one walk takes all first arms and another all second ones: a hazard that only one of them
// meets is a warning, because it depends on the path.
//
// It stands first and removes nothing: every later pass may reorder or drop writes, and would hide what the script did.

#include "passes/captured/check_inplace_autograd.h"

#include <algorithm>

#include "ir/analysis/autograd_state.h"

namespace sifr {
namespace {

constexpr int rounds_of_a_loop = 3;

class Walk {
public:
    Walk(const Function& f, size_t arm, HazardMode hazards) : f_(f), arm_(arm), keep_saved_(hazards == HazardMode::Repair), variables_(f.values.size()) {}

    std::vector<Diagnostic> run() {
        for (ValueId p : f_[f_.body].params)
            if (f_.type(p).is_tensor()) variables_[p.index] = state_.fresh(f_.type(p), f_[p].leaf, {});
        region(f_.body);
        return std::move(found_);
    }

private:
    static Span span_of(const Inst& inst) { return inst.location.empty() ? Span() : inst.location.front(); }

    void region(RegionId r) {
        for (InstId id : f_[r].insts)
            if (!f_[id].erased && found_.empty()) instruction(f_[id]);
    }

    std::vector<VariableId> of(const std::vector<ValueId>& values) const {
        std::vector<VariableId> out;
        for (ValueId v : values) out.push_back(variables_[v.index]);
        return out;
    }

    void bind(const std::vector<ValueId>& to, size_t first, const std::vector<VariableId>& from) {
        for (size_t k = 0; k < from.size(); ++k) variables_[to[first + k].index] = from[k];
    }

    void instruction(const Inst& inst) {
        try {
            execute(inst);
        } catch (const ScriptError& e) {
            Diagnostic d;
            d.span = span_of(inst);
            d.exception = e.type;
            d.exception_text = e.text;
            found_.push_back(std::move(d));
        }
    }

    void execute(const Inst& inst) {
        if (inst.op == "for"_op || inst.op == "while"_op) return loop(inst);
        if (inst.op == "if"_op) {
            RegionId r = inst.regions.at(arm_);
            region(r);
            bind(inst.results, 0, of(f_[r].results));
            return;
        }
        if (inst.op == "backward"_op) return backward(inst);
        Span span = span_of(inst);
        bool grad = state_.grad_enabled();
        if (inst.untracked) state_.set_grad_enabled(false);
        InstCall call(f_, inst);
        AutogradState::Event event{call, of(inst.operands), span};
        if (inst.op == "leaf"_op || inst.op == "detach"_op) {
            VariableId v = inst.uncounted ? state_.data(event.operands[0], span) : state_.detach(event.operands[0], span);
            if (inst.op == "leaf"_op) state_.set_requires_grad(v, true);
            variables_[inst.results[0].index] = v;
        } else if (inst.dest.valid()) {
            if (!inst.uncounted) state_.record_write(variables_[inst.dest.index], event);
        } else {
            std::vector<Type> types;
            for (ValueId r : inst.results) types.push_back(f_.type(r));
            bool view = def(inst.op).lower == Lower::View;
            bind(inst.results, 0, view ? state_.record_view(event, types, def(inst.op).multi_view) : state_.record(event, types));
        }
        if (inst.untracked) state_.set_grad_enabled(grad);
    }

    void loop(const Inst& inst) {
        bool is_for = inst.op == "for"_op;
        std::vector<VariableId> carried = of(inst.operands);
        if (is_for) carried.erase(carried.begin(), carried.begin() + 3);
        int rounds = rounds_of_a_loop;
        int64_t trips = 0;
        if (is_for) {
            auto lo = f_.constant_int(inst.operands[0]), hi = f_.constant_int(inst.operands[1]), step = f_.constant_int(inst.operands[2]);
            if (lo && hi && step && *step != 0) trips = std::max<int64_t>((*hi - *lo + *step - (*step > 0 ? 1 : -1)) / *step, 0);
            if (lo && hi && step && *step != 0) rounds = static_cast<int>(std::min<int64_t>(trips, rounds));
        }
        std::vector<int64_t> versions;
        for (int round = 0; round < rounds && found_.empty(); ++round) {
            versions = counters();
            for (RegionId r : inst.regions) {
                bind(f_[r].params, is_for ? 1 : 0, carried);
                region(r);
                if (r == inst.regions.back()) carried = of(f_[r].results);
            }
        }
        if (found_.empty()) move_counters(versions, trips - rounds, span_of(inst));
        bind(inst.results, 0, carried);
    }

    std::vector<int64_t> counters() const {
        std::vector<int64_t> out(state_.variable_count());
        for (size_t k = 0; k < out.size(); ++k) out[k] = state_.version(VariableId(k));
        return out;
    }

    /// The trips that are left move the counters as the last one did, so that messages have the right numbers.
    void move_counters(const std::vector<int64_t>& before, int64_t trips, Span span) {
        std::vector<int64_t> after = counters();
        int64_t left = 1000000;
        for (size_t k = 0; k < before.size(); ++k) {
            // Views share a counter: it is moved through the first of them.
            int64_t goal = after[k] + std::max<int64_t>(trips, 0) * (after[k] - before[k]);
            for (int64_t v = state_.version(VariableId(k)); v < goal && left > 0; ++v, --left) state_.bump(VariableId(k), span);
        }
    }

    void backward(const Inst& inst) {
        size_t losses = static_cast<size_t>(inst.attrs.get<int64_t>("losses"));
        size_t first = inst.attrs.get_or<bool>("from", false) ? 2 * losses : losses;
        std::vector<VariableId> operands = of(inst.operands);
        AutogradState::Request request;
        request.roots.assign(operands.begin(), operands.begin() + static_cast<ptrdiff_t>(losses));
        request.inputs.assign(operands.begin() + static_cast<ptrdiff_t>(first), operands.end());
        request.retain_graph = inst.attrs.get_or<bool>("retain", false);
        request.create_graph = inst.attrs.get_or<bool>("create", false);
        request.allow_unused = true;
        request.keep_saved = keep_saved_;
        request.span = span_of(inst);
        AutogradState::Outcome outcome = state_.backward(request);
        if (outcome.hazard) {
            found_.push_back(outcome.hazard->diagnostic);
            return;
        }
        std::vector<VariableId> through = request.inputs;
        through.insert(through.end(), request.roots.begin(), request.roots.end());
        std::vector<VariableId> gradients;
        for (ValueId r : inst.results)
            gradients.push_back(state_.gradient_result(through, "MulBackward0", f_.type(r),
                                                       request.create_graph ? AutogradState::infinite : 0, request.span));
        bind(inst.results, 0, gradients);
    }

    const Function& f_;
    size_t arm_;
    bool keep_saved_;
    AutogradState state_;
    std::vector<VariableId> variables_;
    std::vector<Diagnostic> found_;
};

}  // namespace

bool check_inplace_autograd(const Captured& captured, PassContext& context) {
    const Function& f = captured.function;
    bool gradients = false, branches = false;
    walk(f, f.body, [&](InstId id) {
        gradients |= f[id].op == "backward"_op;
        branches |= f[id].op == "if"_op;
    });
    if (!gradients || context.hazards == HazardMode::Trap) return false;
    std::vector<Diagnostic> first = Walk(f, 0, context.hazards).run();
    std::vector<Diagnostic> second = branches ? Walk(f, 1, context.hazards).run() : first;
    bool always = !first.empty() && !second.empty();
    std::vector<Diagnostic>& found = first.empty() ? second : first;
    if (found.empty()) return false;
    Diagnostic d = found.front();
    if (always && context.hazards == HazardMode::Error) throw CompileError(d);
    d.severity = Severity::Warning;
    if (!always) d.text += " (on one path of a branch only)";
    context.remark(d);
    return true;
}

}  // namespace sifr
