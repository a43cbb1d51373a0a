// Rules for rows that compute: identities that hold bit for bit, and fills that need not be in memory.

#include <cmath>

#include "ir/op/op_def.h"
#include "ir/op/rules/reduction_rules.h"
#include "passes/functional/simplify/rules.h"

namespace sifr::simplify_rules {
namespace {

/// A number that an operand is known to be everywhere: a literal, or a fill with one.
std::optional<double> known(const Function& f, ValueId v) {
    if (auto c = f.constant_float(v)) return c;
    const Inst* p = f.producer(v);
    if (p && p->op == "full"_op) return f.constant_float(p->operands[0]);
    return std::nullopt;
}

bool same_type(const Function& f, ValueId v, const Inst& inst) { return f.type(v) == f.type(inst.results[0]); }

/// The operand that the result is equal to, for rows with a neutral element on one side.
/// `x + 0` is none: -0 + 0 is +0. `x * 1`, `x / 1`, `x - 0` and `x ** 1` are exact for every value, NaN included.
std::optional<ValueId> neutral(const Context& c) {
    const Inst& inst = c.inst;
    if (inst.operands.size() < 2) return std::nullopt;
    auto is = [&](size_t k, double v) {
        auto n = known(c.f, inst.operands[k]);
        return n && *n == v && !std::signbit(*n);
    };
    bool plain_alpha = !inst.attrs.has("alpha");
    size_t keep;
    if (inst.op == "mul"_op && is(1, 1)) keep = 0;
    else if (inst.op == "mul"_op && is(0, 1)) keep = 1;
    else if (inst.op == "div"_op && is(1, 1) && is_float(c.f.type(inst.results[0]).dtype)) keep = 0;
    else if (inst.op == "sub"_op && is(1, 0) && plain_alpha) keep = 0;
    else return std::nullopt;
    ValueId v = inst.operands[keep];
    if (same_type(c.f, v, inst)) return v;
    return std::nullopt;
}

/// a op b is b op a, bit for bit.
bool commutes(const Inst& inst) {
    if (inst.op == "add"_op) return inst.operands.size() == 2 || !inst.attrs.has("alpha");
    return inst.op == "mul"_op;
}

/// `mul %x, (full 2.0)` -> `mul %x, 2.0`: where the number gives the same types, the fill is read from no memory.
std::optional<ValueId> fold_fill(Context& c) {
    const Inst& inst = c.inst;
    const std::vector<Param>& params = signature(inst.op).params;
    for (size_t k = 0; k < inst.operands.size() && k < params.size(); ++k) {
        bool takes_number = params[k].kind == Param::Kind::TensorOrNumber || (k == 0 && commutes(inst));
        if (!takes_number) continue;
        const Inst* fill = c.made_by(inst.operands[k], "full"_op);
        if (!fill || !c.f.type(fill->operands[0]).is_number()) continue;
        ValueId number = fill->operands[0];
        DType type = c.f.type(inst.operands[k]).dtype;
        // A fill of floats may be written with an integer.
        if (auto i = c.f.constant_int(number); i && is_float(type) && std::abs(*i) <= int64_t{1} << 53) number = c.b.constant(static_cast<double>(*i));
        Inst other = inst;
        other.operands[k] = number;
        if (k == 0 && params.size() > 1 && params[1].kind == Param::Kind::TensorOrNumber && commutes(inst)) std::swap(other.operands[0], other.operands[1]);
        bool tensor_left = false;
        for (ValueId v : other.operands) tensor_left |= c.f.type(v).is_tensor();
        if (!tensor_left) continue;
        InstCall before(c.f, inst), after(c.f, other);
        // An integer fill of a fraction has been truncated; the number has not.
        if (category_of(type) != category_of(dtype_of_number(c.f.type(number).kind))) continue;
        if (infer_types(after) != std::vector<Type>{c.f.type(inst.results[0])} || compute_dtype(before) != compute_dtype(after)) continue;
        // (The builder does not know the script's default dtype; the result does.)
        return c.f[c.b.emit_typed(inst.op, other.operands, inst.attrs, {c.f.type(inst.results[0])})].results[0];
    }
    return std::nullopt;
}

bool is_zero(const Function& f, ValueId v) {
    auto number = known(f, v);
    return number && *number == 0 && !std::signbit(*number);
}

/// The sum of zeros into which whole rows were put is made of the sums of these rows: axes are summed one after the other, the inner
/// one first, and a row of zeros sums to zero.
///
///   %x = insert (full 0.0) +8 (1), %row : f32[4,8]     =>   %t = insert (full 0.0) +1, (sum.dim %row) : f32[4]
///   %s = sum %x                                             %s = sum %t
std::optional<ValueId> sum_of_rows(Context& c) {
    const Inst* insert = c.made_by(c.inst.operands[0], "insert"_op);
    if ((c.inst.op != "sum"_op && c.inst.op != "sum.dim"_op) || !insert || insert->operands.size() != 2 || !is_zero(c.f, insert->operands[0])) return std::nullopt;
    const Type type = c.f.type(c.inst.operands[0]), result = c.f.type(c.inst.results[0]);
    const Layout& layout = insert->attrs.get<Layout>("layout");
    const std::optional<Box> box = box_in_frame(layout, type.sizes);
    std::vector<int64_t> dims = rules::reduced_dims(InstCall(c.f, c.inst));
    if (!box || dims.empty() || !type.run_time_sizes.empty()) return std::nullopt;
    const size_t row = static_cast<size_t>(dims.back());
    // Along another axis than the innermost one, the order of a sum depends on the sizes further in.
    if (row + 1 != type.sizes.size() || box->extents[row] != type.sizes[row] || box->steps[row] != 1) return std::nullopt;
    int last = -1;
    for (size_t d = 0; d < layout.sizes.size(); ++d) {
        if (layout.sizes[d] == 1) continue;
        if (box->axis_of[d] <= last) return std::nullopt;  // the rows do not stand in the order of the frame
        last = box->axis_of[d];
    }
    const ValueId zeros = insert->operands[0], rows = insert->operands[1];
    const std::vector<ClearId> clears = c.f.producer(zeros) ? c.f.producer(zeros)->clears : std::vector<ClearId>{};

    auto without_row = [&](Sizes sizes) {
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(row));
        return sizes;
    };
    const Sizes left = without_row(type.sizes);
    const Strides strides = contiguous_strides(left);
    Layout place{0, without_row(box->extents), without_row(box->steps), {}, {}};
    for (size_t d = 0, axis = 0; axis < type.sizes.size(); ++axis) {
        if (axis == row) continue;
        place.offset += box->starts[axis] * strides[d];
        place.strides[d] *= strides[d];
        ++d;
    }
    auto sum_over = [&](ValueId v, std::vector<int64_t> axes) {
        return c.b.emit("sum.dim"_op, {v}, attrs({{"dim", std::move(axes)}, {"keepdim", false}, {"dtype", result.dtype}}));
    };
    ValueId sums = sum_over(c.b.reshape(rows, box->extents), {static_cast<int64_t>(row)});
    const ValueId background = c.b.full(result.dtype, left, 0.0);
    c.f[c.f[background].inst].clears = clears;
    ValueId out = c.b.insert(background, place, sums, {});
    dims.pop_back();
    if (!dims.empty()) out = sum_over(out, dims);
    return c.f.type(out).sizes == result.sizes ? out : c.b.reshape(out, result.sizes);
}

}  // namespace

std::optional<ValueId> pointwise(Context& c) {
    if (auto v = neutral(c)) return v;
    if (c.inst.op == "neg"_op)
        if (const Inst* inner = c.made_by(c.inst.operands[0], "neg"_op)) return inner->operands[0];
    if (auto v = sum_of_pieces(c)) return v;
    if (auto v = sum_of_transposed(c)) return v;
    return fold_fill(c);
}

/// Copies and conversions are values like any other here: a copy of a value is the value.
std::optional<ValueId> conversion(Context& c) {
    ValueId v = c.inst.operands[0];
    const Type& to = c.f.type(c.inst.results[0]);
    if (!c.f.type(v).is_tensor()) return std::nullopt;
    if (c.f.type(v) == to) return v;
    if (const Inst* fill = c.made_by(v, "full"_op); fill && c.f.type(v).sizes == to.sizes && c.f.constant_float(fill->operands[0]) == 0.0 && category_of(to.dtype) <= Category::Float) {
        // Zero is zero in every dtype; the sign of a float's zero stays with floats.
        bool negative = std::signbit(*c.f.constant_float(fill->operands[0]));
        if (!negative) return c.b.full(to.dtype, to.sizes, 0.0);
    }
    return std::nullopt;
}

std::optional<ValueId> reduction(Context& c) {
    const char* combine = def(c.inst.op).reduction;
    if (!combine || std::string_view(combine) != "sum" || c.inst.results.size() != 1) return std::nullopt;
    if (!is_zero(c.f, c.inst.operands[0])) return sum_of_rows(c);
    const Type& to = c.f.type(c.inst.results[0]);
    return c.b.full(to.dtype, to.sizes, 0.0);
}

/// The number of a fill: a fill is known by rule. Only numbers that every dtype holds exactly.
std::optional<ValueId> item(Context& c) {
    const Inst* fill = c.made_by(c.inst.operands[0], "full"_op);
    auto v = fill ? c.f.constant_float(fill->operands[0]) : std::nullopt;
    if (!v || (*v != 0 && *v != 1) || std::signbit(*v)) return std::nullopt;
    switch (c.f.type(c.inst.results[0]).kind) {
        case Type::Kind::F64: return c.b.constant(*v);
        case Type::Kind::I64: return c.b.constant_int(static_cast<int64_t>(*v));
        case Type::Kind::Bool: return c.b.constant_bool(*v != 0);
        default: return std::nullopt;
    }
}

}  // namespace sifr::simplify_rules
