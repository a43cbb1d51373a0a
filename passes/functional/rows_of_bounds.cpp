// What bound-sizes does to each row: see bound_sizes.cpp.

#include <algorithm>
#include <limits>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/rules/reduction_rules.h"
#include "ir/op/rules/rules.h"
#include "ir/op/rules/shape_rules.h"
#include "passes/functional/size_bounds.h"

namespace sifr {

using namespace rules;

namespace {

/// What changes no reduction that combines so.
ValueId identity(Builder& b, DType t, std::string_view combiner) {
    bool low = combiner == "max" || combiner == "argmax", high = combiner == "min" || combiner == "argmin";
    if (!low && !high) {
        double v = combiner == "prod" || combiner == "all" ? 1 : 0;
        return t == DType::Bool ? b.constant_bool(v != 0) : is_float(t) ? b.constant(v) : b.constant_int(static_cast<int64_t>(v));
    }
    if (t == DType::Bool) return b.constant_bool(high);
    if (is_float(t)) return b.constant(low ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
    int64_t bits = size_of(t) * 8, most = t == DType::U8 ? 255 : static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return b.constant_int(high ? most : t == DType::U8 ? 0 : -most - 1);
}

bool has_run(const SizeBounds::Runs& runs, int64_t axis) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunTimeSize& r) { return r.axis == axis; });
}
ValueId run_of(const SizeBounds::Runs& runs, int64_t axis) {
    for (const RunTimeSize& r : runs) {
        if (r.axis == axis) return r.size;
    }
    return {};
}

bool one_of(Op op, std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), name_of(op)) != names.end(); }

/// A place `at` of `x` along its axis 0 or `dim`, as a slice of size 1.
V place(V x, int64_t dim, ValueId at) {
    V index = reshape(emit(x, "full"_op, {at}, attrs({{"sizes", Sizes{1}}, {"dtype", DType::I64}})), {1});
    return emit(x, "index_select"_op, {x, index}, attrs({{"dim", dim}}));
}

}  // namespace

bool SizeBounds::rewrite(Builder& b, InstId id) {
    const Inst inst = f_[id];
    if (!inst.regions.empty() || one_of(inst.op, {"extract", "leaf", "detach", "untracked", "item"})) {
        if (inst.op == "backward"_op && inst.attrs.get_or("from", false)) {
            auto losses = static_cast<size_t>(inst.attrs.get_or<int64_t>("losses", 1));
            for (size_t k = losses; k < 2 * losses; ++k) f_[id].operands[k] = masked(b, inst.operands[k], 0.0);
        }
        return false;
    }
    if (inst.op == "backward"_op) return false;
    std::vector<ValueId> made = rewritten(b, inst);
    SIFR_CHECK(made.size() == inst.results.size(), "'{}' becomes {} values of its bounds", name_of(inst.op), made.size());
    for (size_t k = 0; k < made.size(); ++k) {
        const Runs own = runs(inst.results[k]);
        if (f_.type(made[k]).is_tensor()) SIFR_CHECK(f_.type(made[k]) == f_.type(inst.results[k]), "'{}' becomes {}, not {}", name_of(inst.op), f_.type(made[k]).text(), f_.type(inst.results[k]).text());
        if (f_[made[k]].name.empty()) f_[made[k]].name = f_[inst.results[k]].name;
        set_runs(made[k], own);
        replaced.set(inst.results[k], made[k]);
    }
    return true;
}

std::vector<ValueId> SizeBounds::rewritten(Builder& b, const Inst& inst) {
    const OpDef& row = def(inst.op);
    if (inst.op == "to_size"_op) {
        set_runs(inst.operands[0], runs(inst.results[0]));
        ValueId out = masked(b, inst.operands[0], 0.0);
        set_runs(inst.operands[0], {});
        return {out};
    }
    if (inst.op == "to_bound"_op) {
        V out = masked(b, inst.operands[0], 0.0);
        set_runs(out, {});
        return {out};
    }
    if (inst.op == "insert"_op) {
        // What lies behind the piece's sizes stays what it was.
        Inst copy = inst;
        const Runs own = runs(inst.operands[1]);
        if (!own.empty()) {
            std::vector<ValueId> operands{inst.operands[0]};
            operands.insert(operands.end(), inst.operands.begin() + 2, inst.operands.end());
            V old{&b, b.extract(inst.operands[0], inst.attrs.get<Layout>("layout"), std::span(operands).subspan(1))};
            copy.operands[1] = where(valid(b, sizes_of(old), own), V{&b, inst.operands[1]}, old);
        }
        if (inst.attrs.get<Layout>("layout").is_whole(f_.type(inst.operands[0]).sizes)) return {copy.operands[1]};
        return {b.emit(copy.op, copy.operands, copy.attrs)};
    }
    if (inst.op == "argsort"_op) {
        Inst order = inst;
        order.op = "sort"_op;
        Type values = f_.type(inst.operands[0]);
        ValueId unused = f_.add_value(Value{.type = values, .name = {}, .view = {}});
        set_runs(unused, runs(inst.operands[0]));
        order.results = {unused, inst.results[0]};
        return {library(b, order)[1]};
    }
    switch (row.lower) {
        case Lower::Pointwise: return pointwise(b, inst);
        case Lower::Reduction: return reduction(b, inst);
        case Lower::Library: case Lower::Host: return library(b, inst);
        default: break;
    }
    if (inst.op == "index_put"_op) return index_put(b, inst);
    return by_place(b, inst);
}

std::vector<ValueId> SizeBounds::again(Builder& b, const Inst& inst) {
    std::vector<ValueId> made = b.emit_all(inst.op, inst.operands, inst.attrs);
    if (!gradients_) return made;
    for (size_t k = 0; k < made.size(); ++k) {
        const Runs own = runs(inst.results[k]);
        if (own.empty() || !is_float(f_.type(made[k]).dtype)) continue;
        set_runs(made[k], own);
        made[k] = masked(b, made[k], 0.0);
    }
    return made;
}

/// Element by element. An operand that is repeated along a run-time axis is given its gradient by the places that count.
std::vector<ValueId> SizeBounds::pointwise(Builder& b, Inst inst) {
    const Type result = f_.type(inst.results[0]);
    const Runs own = runs(inst.results[0]);
    for (ValueId& v : inst.operands) {
        const Type t = f_.type(v);
        if (!t.is_tensor()) continue;
        auto added = static_cast<size_t>(result.rank() - t.rank());
        v = with_bounds(b, v, Sizes(result.sizes.begin() + static_cast<ptrdiff_t>(added), result.sizes.end()));
        if (def(inst.op).effect == Effect::Check && is_integral(t.dtype)) v = masked(b, v, 1.0);
        if (!gradients_ || !is_float(t.dtype)) continue;
        Runs repeated;
        for (const RunTimeSize& r : own) {
            int axis = r.axis - static_cast<int>(added);
            if (axis < 0 || !has_run(runs(v), axis)) repeated.push_back(r);
        }
        if (!repeated.empty()) v = where(valid(b, result.sizes, repeated), V{&b, v}, is_float(t.dtype) ? 1.0 : 0.0);
    }
    return b.emit_all(inst.op, inst.operands, inst.attrs);
}

std::vector<ValueId> SizeBounds::reduction(Builder& b, Inst inst) {
    std::string_view combiner = def(inst.op).reduction;
    ValueId x = inst.operands[0];
    std::vector<int64_t> dims = reduced_dims(InstCall(f_, inst));
    bool position = combiner == "argmax" || combiner == "argmin";
    if (position && dims.size() > 1) {
        for (const RunTimeSize& r : runs(x)) {
            if (r.axis > 0) throw NotSupported(fmt::format("'{}' of all elements of a tensor whose inner size is known only at run time", name_of(inst.op)), "say along which axis");
        }
    }
    inst.operands[0] = masked(b, x, identity(b, f_.type(x).dtype, combiner));
    return again(b, inst);
}

/// The tensor by its sizes, for a function of the runtime.
ValueId SizeBounds::sized(Builder& b, ValueId v) {
    const Runs own = runs(v);
    if (own.empty()) return v;
    Type t = f_.type(v);
    t.run_time_sizes = own;
    std::vector<ValueId> operands{v};
    std::vector<int64_t> axes;
    for (const RunTimeSize& r : own) {
        operands.push_back(r.size);
        axes.push_back(r.axis);
    }
    ValueId out = f_[b.emit_typed("to_size"_op, operands, attrs({{"axes", axes}}), {t})].results[0];
    f_[out].name = f_[v].name;
    return out;
}

std::vector<ValueId> SizeBounds::library(Builder& b, Inst inst) {
    bool host = def(inst.op).lower == Lower::Host;
    if (inst.op == "masked_select"_op) {
        Sizes both = broadcast(f_.type(inst.operands[0]).sizes, f_.type(inst.operands[1]).sizes);
        for (size_t k = 0; k < 2; ++k) {
            V v{&b, inst.operands[k]};
            Runs own = runs(v);
            for (RunTimeSize& r : own) r.axis += static_cast<int>(both.size()) - f_.type(v).rank();
            V whole = expand(v, both);
            set_runs(whole, own);
            // The mask alone says what is chosen.
            if (k == 1) whole = masked(b, whole, 0.0);
            set_runs(whole, {});
            inst.operands[k] = whole;
        }
    }
    for (ValueId& v : inst.operands) {
        if (!f_.type(v).is_tensor()) continue;
        // The runtime's functions take row-major memory.
        const Sizes sizes = f_.type(v).sizes;
        for (const RunTimeSize& r : runs(v)) {
            for (int d = 0; d < r.axis && !host; ++d)
                if (sizes[static_cast<size_t>(d)] != 1)
                    throw NotSupported(fmt::format("'{}' of a tensor whose inner size is known only at run time", name_of(inst.op)));
        }
        v = sized(b, v);
    }
    std::vector<Type> types;
    for (ValueId r : inst.results) {
        types.push_back(f_.type(r));
        types.back().run_time_sizes = runs(r);
        for (RunTimeSize& s : types.back().run_time_sizes)
            if (s.size == inst.results[0]) s.size = ValueId();
    }
    // Of an order, the values are read at the positions: their gradient is that of the read.
    std::vector<ValueId> made = f_[b.emit_typed(inst.op, inst.operands, inst.attrs, types)].results;
    for (size_t k = 0; k < made.size(); ++k) {
        const Runs own = runs(inst.results[k]);
        if (!f_.type(made[k]).is_tensor()) {
            // The size that others name is there from now on.
            replaced.set(inst.results[k], made[k]);
            for (Runs& all : runs_)
                for (RunTimeSize& r : all)
                    if (r.size == inst.results[k]) r.size = made[k];
            continue;
        }
        if (!own.empty()) made[k] = b.emit("to_bound"_op, {made[k]});
    }
    if (gradients_ && one_of(inst.op, {"sort", "topk"}) && is_float(f_.type(made[0]).dtype)) {
        V in{&b, f_.producer(inst.operands[0])->operands[0]};
        made[0] = emit(in, "gather"_op, {in, made[1]}, attrs({{"dim", normalize_dim(inst.attrs.get_or<int64_t>("dim", -1), f_.type(in).rank())}}));
        set_runs(made[0], runs(inst.results[0]));
        made[0] = masked(b, made[0], 0.0);
    }
    return made;
}

/// An index with 0 behind its sizes. Where the axis that it points into has a run-time size itself, it is checked against that.
V SizeBounds::masked_index(Builder& b, ValueId index, const Inst& inst, size_t axis) {
    V out = masked(b, index, 0.0);
    ValueId size = run_of(runs(inst.operands[0]), static_cast<int64_t>(axis));
    if (!size.valid()) return out;
    const Runs own = runs(out);
    V wide = cast(out, DType::I64);
    bool negative = def(inst.op).negative_index;
    V inside = emit(wide, "lt"_op, {wide, size});
    inside = logical_and(inside, negative ? emit(wide, "ge"_op, {wide, b.emit("ineg"_op, {size})}) : ge(wide, 0));
    set_runs(inside, own);
    inside = masked(b, inside, 1.0);
    ValueId fine = b.emit("item"_op, {b.emit("all"_op, {inside})});
    b.emit_typed("check"_op, {fine, size}, attrs({{"type", std::string("IndexError")}, {"text", fmt::format("an index is out of bounds for dimension {} with size {{}}", axis)}}), {});
    if (negative) wide = where(lt(wide, 0), emit(wide, "add"_op, {wide, size}), wide);
    wide = emit(wide, "clamp"_op, {wide, b.constant_int(0), b.constant_int(std::max<int64_t>(f_.type(inst.operands[0]).sizes[axis] - 1, 0))});
    set_runs(wide, own);
    return wide;
}

/// Behind its sizes, the last place that counts is written once more. Without such a place nothing is written.
std::vector<ValueId> SizeBounds::index_put(Builder& b, Inst inst) {
    bool adds = inst.attrs.get_or("accumulate", false);
    size_t last = inst.operands.size() - 1;
    const Type self = f_.type(inst.operands[0]);
    IndexPlan plan = plan_index(InstCall(f_, inst), 1, last - 1);
    Runs picked;  // of the index's own sizes
    for (size_t k = 1; k < last; ++k) {
        ValueId v = inst.operands[k];
        if (is_none(f_.type(v))) continue;
        for (RunTimeSize r : runs(v)) {
            r.axis += static_cast<int>(plan.index_sizes.size()) - f_.type(v).rank();
            if (!has_run(picked, r.axis)) picked.push_back(r);
        }
    }
    for (size_t k = 1; k < last; ++k)
        if (!is_none(f_.type(inst.operands[k]))) inst.operands[k] = masked_index(b, inst.operands[k], inst, k - 1);
    V value{&b, inst.operands[last]};
    Sizes bounds(plan.result.end() - f_.type(value).rank(), plan.result.end());
    value = with_bounds(b, value, bounds);
    for (size_t d = 0; d < bounds.size(); ++d) {
        // A known size that a check has found equal to the run-time one.
        int64_t have = sizes_of(value)[d];
        if (have == bounds[d] || have == 1) continue;
        Runs as_run{{static_cast<int>(d), b.constant_int(have)}};
        set_runs(value, as_run);
        value = with_bounds(b, value, [&] {
            Sizes wanted = sizes_of(value);
            wanted[d] = bounds[d];
            return wanted;
        }());
        set_runs(value, {});
    }
    if (picked.empty()) {
        inst.operands[last] = value;
        return again(b, inst);
    }
    // How the picked axes lie in what is written, seen from its end.
    auto behind = static_cast<int>(plan.result.size()) - static_cast<int>(plan.at);
    if (adds) {
        V whole = expand(value, plan.result);
        Runs there;
        for (RunTimeSize r : picked) there.push_back({static_cast<int>(plan.at) + r.axis, r.size});
        set_runs(whole, there);
        inst.operands[last] = masked(b, whole, 0.0);
        return again(b, inst);
    }
    if (picked.size() > 1) throw NotSupported("writing at indices that have several run-time sizes");
    const RunTimeSize run = picked[0];
    ValueId before = b.emit("imax"_op, {b.emit("isub"_op, {run.size, b.constant_int(1)}), b.constant_int(0)});
    for (size_t k = 1; k < last; ++k) {
        ValueId v = inst.operands[k];
        if (is_none(f_.type(v))) continue;
        int axis = run.axis - (static_cast<int>(plan.index_sizes.size()) - f_.type(v).rank());
        if (axis < 0 || f_.type(v).sizes[static_cast<size_t>(axis)] == 1) continue;
        const Sizes sizes = f_.type(v).sizes;
        inst.operands[k] = where(valid(b, sizes, {{axis, run.size}}), V{&b, v}, place({&b, v}, axis, before));
    }
    int axis = f_.type(value).rank() - behind + run.axis;
    if (axis >= 0 && sizes_of(value)[static_cast<size_t>(axis)] != 1) {
        V end = place(value, axis, before);
        if (gradients_) end = {&b, b.emit("detach"_op, {end})};
        value = where(valid(b, sizes_of(value), {{axis, run.size}}), value, end);
    }
    inst.operands[last] = value;
    V written{&b, b.emit(inst.op, inst.operands, inst.attrs)};
    V any = emit(written, "full"_op, {b.emit("igt"_op, {run.size, b.constant_int(0)})}, attrs({{"sizes", Sizes{}}, {"dtype", DType::Bool}}));
    (void)self;
    return {where(any, written, V{&b, inst.operands[0]})};
}

/// Rows that compute a place of the result from the same place along run-time axes, or to which zeros add nothing.
std::vector<ValueId> SizeBounds::by_place(Builder& b, Inst inst) {
    const Runs of_first = inst.operands.empty() ? Runs() : runs(inst.operands[0]);
    if (one_of(inst.op, {"mean", "mean.dim"})) {
        std::vector<int64_t> dims = reduced_dims(InstCall(f_, inst));
        V x = cast({&b, inst.operands[0]}, f_.type(inst.results[0]).dtype);
        set_runs(x, of_first);
        V total = sum(masked(b, x, 0.0), dims, inst.attrs.get_or("keepdim", false));
        Inst quotient = inst;
        quotient.op = "div"_op;
        quotient.operands = {total, count(b, x, dims)};
        quotient.attrs = {};
        return again(b, quotient);
    }
    if (one_of(inst.op, {"var", "std"})) {
        std::vector<int64_t> dims = reduced_dims(InstCall(f_, inst));
        V x{&b, inst.operands[0]};
        ValueId n = count(b, x, dims);
        V mean = emit(x, "div"_op, {sum(masked(b, x, 0.0), dims), n});
        V d = x - mean;
        set_runs(d, of_first);
        d = masked(b, d, 0.0);
        ValueId degrees = b.emit("fmaximum"_op, {b.emit("fsub"_op, {b.emit("itof"_op, {n}), b.constant(correction_of(inst.attrs))}), b.constant(0.0)});
        V out = emit(x, "div"_op, {sum(d * d, dims), degrees});
        if (name_of(inst.op) == "std") out = sqrt(out);
        return {reshape(out, f_.type(inst.results[0]).sizes)};
    }
    if (one_of(inst.op, {"index", "index_select", "gather"})) {
        int64_t rank = f_.type(inst.operands[0]).rank();
        if (inst.op == "index"_op) {
            for (size_t k = 1; k < inst.operands.size(); ++k)
                if (!is_none(f_.type(inst.operands[k]))) inst.operands[k] = masked_index(b, inst.operands[k], inst, k - 1);
        } else {
            inst.operands[1] = masked_index(b, inst.operands[1], inst, static_cast<size_t>(normalize_dim(inst.attrs.get_or<int64_t>("dim", 0), rank)));
        }
        return again(b, inst);
    }
    if (inst.op == "nll_loss"_op) {
        // Behind the size stands what is ignored.
        inst.operands[0] = masked(b, inst.operands[0], 0.0);
        inst.operands[1] = masked(b, inst.operands[1], static_cast<double>(inst.attrs.get_or<int64_t>("ignore_index", -100)));
        return again(b, inst);
    }
    if (one_of(inst.op, {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"})) {
        std::string how = inst.attrs.get<std::string>("reduction");
        Type each = broadcast_types(std::vector<Type>{f_.type(inst.operands[0]), f_.type(inst.operands[1])}, f_.type(inst.results[0]).dtype);
        Runs all;
        for (ValueId& v : inst.operands) {
            if (!f_.type(v).is_tensor()) continue;
            int added = each.rank() - f_.type(v).rank();
            for (RunTimeSize r : runs(v))
                if (r.axis += added; !has_run(all, r.axis)) all.push_back(r);
            v = masked(b, with_bounds(b, v, Sizes(each.sizes.begin() + added, each.sizes.end())), 0.0);
        }
        inst.attrs.set("reduction", std::string("none"));
        V losses{&b, b.emit(inst.op, inst.operands, inst.attrs)};
        set_runs(losses, all);
        losses = masked(b, losses, 0.0);
        if (how == "none") return {losses};
        std::vector<int64_t> dims;
        for (int64_t d = 0; d < rank_of(losses); ++d) dims.push_back(d);
        V total = sum(losses, dims, false);
        if (how == "mean") total = emit(total, "div"_op, {total, count(b, losses, dims)});
        return {total};
    }
    if (one_of(inst.op, {"layer_norm"})) {
        int64_t kept = f_.type(inst.operands[0]).rank() - static_cast<int64_t>(ints(inst.attrs, "normalized_shape").size());
        for (const RunTimeSize& r : of_first)
            if (r.axis >= kept) throw NotSupported("layer_norm along an axis whose size is known only at run time");
    }
    if (one_of(inst.op, {"norm", "linalg_vector_norm"})) {
        const AttrValue* p = inst.attrs.find(inst.attrs.has("ord") ? "ord" : "p");
        const double* d = p ? std::get_if<double>(p) : nullptr;
        const int64_t* i = p ? std::get_if<int64_t>(p) : nullptr;
        if ((d && *d < 0) || (i && *i < 0)) throw NotSupported("a negative norm along an axis whose size is known only at run time");
    }
    bool exponential = one_of(inst.op, {"softmax", "log_softmax", "logsumexp"});
    for (ValueId& v : inst.operands) {
        if (!f_.type(v).is_tensor()) continue;
        bool extreme = false;
        if (exponential) {
            for (int64_t d : reduced_dims(InstCall(f_, inst))) extreme |= has_run(runs(v), d);
        }
        if (one_of(inst.op, {"cat", "stack"})) {
            // Parts of one run-time size may have different bounds.
            Sizes wanted = f_.type(v).sizes;
            for (const RunTimeSize& r : runs(v)) {
                int axis = r.axis;
                if (name_of(inst.op) == "stack") axis += r.axis >= normalize_dim(inst.attrs.get_or<int64_t>("dim", 0), f_.type(v).rank() + 1);
                wanted[static_cast<size_t>(r.axis)] = f_.type(inst.results[0]).sizes[static_cast<size_t>(axis)];
            }
            v = with_bounds(b, v, wanted);
        }
        v = masked(b, v, extreme ? -std::numeric_limits<double>::infinity() : 0.0);
    }
    return again(b, inst);
}

}  // namespace sifr
