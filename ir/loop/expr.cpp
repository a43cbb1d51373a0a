#include "ir/loop/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ir/base/check.h"

namespace sifr {
namespace {

struct OpRow {
    std::string_view name;
    int arity;
};

/// One row per ScalarOp, in the order of the enum.
constexpr OpRow op_rows[] = {
    {"input", 0},  {"const", 0}, {"var", 0},   {"load", 0},     {"add", 2},   {"sub", 2},    {"mul", 2},    {"div", 2},   {"rem", 2},
    {"floordiv", 2}, {"mod", 2}, {"fma", 3},   {"neg", 1},      {"abs", 1},   {"min", 2},    {"max", 2},    {"sqrt", 1},  {"floor", 1},
    {"ceil", 1},   {"trunc", 1}, {"round", 1}, {"and", 2},      {"or", 2},    {"xor", 2},    {"not", 1},    {"shl", 2},   {"shr", 2},
    {"eq", 2},     {"ne", 2},    {"lt", 2},    {"le", 2},       {"gt", 2},    {"ge", 2},     {"select", 3}, {"cast", 1},  {"bitcast", 1},
    {"exp", 1},    {"exp2", 1},  {"expm1", 1}, {"log", 1},      {"log2", 1},  {"log10", 1},  {"log1p", 1},  {"sin", 1},   {"cos", 1},
    {"tan", 1},    {"asin", 1},  {"acos", 1},  {"atan", 1},     {"sinh", 1},  {"cosh", 1},   {"tanh", 1},   {"asinh", 1}, {"acosh", 1},
    {"atanh", 1},  {"erf", 1},   {"erfc", 1},  {"erfinv", 1},   {"lgamma", 1}, {"digamma", 1}, {"pow", 2},  {"atan2", 2},
};
static_assert(std::size(op_rows) == static_cast<size_t>(ScalarOp::Atan2) + 1);

bool is_comparison(ScalarOp op) { return op >= ScalarOp::Eq && op <= ScalarOp::Ge; }

size_t hash_of(const Expr& e) {
    size_t h = static_cast<size_t>(e.op) * 31 + static_cast<size_t>(e.type);
    auto mix = [&h](size_t v) { h = (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 7); };
    for (ExprId a : e.args) mix(a.index);
    mix(e.payload);
    mix(e.var.index);
    return h;
}

bool same(const Expr& a, const Expr& b) {
    return a.op == b.op && a.type == b.type && a.args == b.args && a.payload == b.payload && a.var == b.var;
}

float to_f32(uint64_t bits) { return static_cast<float>(std::bit_cast<double>(bits)); }

/// The bits of a constant after a cast, where that needs no rounding rule of another file; nothing otherwise.
std::optional<uint64_t> cast_constant(DType from, uint64_t bits, DType to) {
    bool from_float = is_float(from), to_float = is_float(to);
    if (is_complex(from) || is_complex(to)) return std::nullopt;
    if (to == DType::F16 || to == DType::BF16) return std::nullopt;
    if (from_float && to_float) {
        if (to == DType::F32 && from == DType::F64) return std::bit_cast<uint64_t>(static_cast<double>(to_f32(bits)));
        return bits;
    }
    if (from_float) {
        double v = std::bit_cast<double>(bits);
        if (to == DType::Bool) return v != 0;
        if (!(std::fabs(v) < 2147483648.0)) return std::nullopt;
        auto i = static_cast<int64_t>(v);
        if (to == DType::I64 || to == DType::I32) return static_cast<uint64_t>(i);
        return std::nullopt;
    }
    auto i = static_cast<int64_t>(bits);
    if (to == DType::Bool) return i != 0;
    if (to == DType::F64) return std::bit_cast<uint64_t>(static_cast<double>(i));
    if (to == DType::F32) return std::bit_cast<uint64_t>(static_cast<double>(static_cast<float>(i)));
    switch (to) {
        case DType::I64: return bits;
        case DType::I32: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(i)));
        case DType::I16: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(i)));
        case DType::I8: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(i)));
        case DType::U8: return static_cast<uint64_t>(static_cast<uint8_t>(i));
        default: return std::nullopt;
    }
}

}  // namespace

std::string_view name_of(ScalarOp op) { return op_rows[static_cast<size_t>(op)].name; }

std::optional<ScalarOp> scalar_op_named(std::string_view name) {
    for (size_t i = 0; i < std::size(op_rows); ++i)
        if (op_rows[i].name == name) return static_cast<ScalarOp>(i);
    return std::nullopt;
}

int arity(ScalarOp op) { return op_rows[static_cast<size_t>(op)].arity; }

Affine Affine::of(VarId v, int64_t scale) {
    Affine a;
    if (scale != 0) a.terms.push_back({scale, v});
    return a;
}

int64_t Affine::scale_of(VarId v) const {
    for (const Term& t : terms)
        if (t.var == v) return t.scale;
    return 0;
}

Affine& Affine::add(const Affine& other, int64_t factor) {
    base += other.base * factor;
    for (const Term& t : other.terms) {
        auto it = std::lower_bound(terms.begin(), terms.end(), t.var, [](const Term& a, VarId v) { return a.var < v; });
        if (it != terms.end() && it->var == t.var) {
            it->scale += t.scale * factor;
            if (it->scale == 0) terms.erase(it);
        } else if (t.scale * factor != 0) {
            terms.insert(it, {t.scale * factor, t.var});
        }
    }
    return *this;
}

ExprId ExprArena::add(Expr e) {
    if (e.op == ScalarOp::Load) {
        nodes.push_back(std::move(e));
        return ExprId(nodes.size() - 1);
    }
    size_t h = hash_of(e);
    auto [first, last] = by_hash_.equal_range(h);
    for (auto it = first; it != last; ++it)
        if (same(nodes[it->second], e)) return ExprId(it->second);
    nodes.push_back(std::move(e));
    by_hash_.emplace(h, static_cast<uint32_t>(nodes.size() - 1));
    return ExprId(nodes.size() - 1);
}

ExprId ExprArena::input(uint32_t operand, DType type) { return add({.op = ScalarOp::Input, .type = type, .payload = operand}); }

ExprId ExprArena::constant_bits(DType type, uint64_t bits) { return add({.op = ScalarOp::Const, .type = type, .payload = bits}); }

ExprId ExprArena::constant(DType type, double value) {
    if (type == DType::Bool) return constant_bits(type, value != 0);
    if (is_integral(type)) return constant_int(type, static_cast<int64_t>(value));
    SIFR_CHECK(type == DType::F32 || type == DType::F64, "a constant of type {} in scalar code", name_of(type));
    if (type == DType::F32) value = static_cast<double>(static_cast<float>(value));
    return constant_bits(type, std::bit_cast<uint64_t>(value));
}

ExprId ExprArena::constant_int(DType type, int64_t value) {
    if (is_float(type)) return constant(type, static_cast<double>(value));
    auto bits = cast_constant(DType::I64, static_cast<uint64_t>(value), type);
    SIFR_CHECK(bits, "a constant of type {} in scalar code", name_of(type));
    return constant_bits(type, *bits);
}

ExprId ExprArena::var(VarId v, DType type) { return add({.op = ScalarOp::Var, .type = type, .var = v}); }

ExprId ExprArena::load(BufferId buffer, DType type, Affine index) {
    return add({.op = ScalarOp::Load, .type = type, .buffer = buffer, .index = std::move(index)});
}

ExprId ExprArena::unary(ScalarOp op, ExprId a) {
    SIFR_CHECK(arity(op) == 1 && op != ScalarOp::Cast && op != ScalarOp::Bitcast, "'{}' is not unary", name_of(op));
    return add({.op = op, .type = type(a), .args = {a}});
}

ExprId ExprArena::binary(ScalarOp op, ExprId a, ExprId b) {
    SIFR_CHECK(arity(op) == 2, "'{}' is not binary", name_of(op));
    SIFR_CHECK(type(a) == type(b), "'{}' of {} and {}", name_of(op), name_of(type(a)), name_of(type(b)));
    return add({.op = op, .type = is_comparison(op) ? DType::Bool : type(a), .args = {a, b}});
}

ExprId ExprArena::ternary(ScalarOp op, ExprId a, ExprId b, ExprId c) {
    SIFR_CHECK(arity(op) == 3, "'{}' is not ternary", name_of(op));
    SIFR_CHECK(type(b) == type(c) && type(a) == (op == ScalarOp::Select ? DType::Bool : type(b)), "'{}' of {}, {} and {}", name_of(op),
               name_of(type(a)), name_of(type(b)), name_of(type(c)));
    return add({.op = op, .type = type(b), .args = {a, b, c}});
}

ExprId ExprArena::cast(ExprId a, DType to) {
    const Expr e = nodes[a.index];
    if (e.type == to) return a;
    if (e.op == ScalarOp::Const)
        if (auto bits = cast_constant(e.type, e.payload, to)) return constant_bits(to, *bits);
    return add({.op = ScalarOp::Cast, .type = to, .args = {a}});
}

ExprId ExprArena::bitcast(ExprId a, DType to) {
    SIFR_CHECK(size_of(type(a)) == size_of(to), "bitcast of {} to {}", name_of(type(a)), name_of(to));
    if (type(a) == to) return a;
    return add({.op = ScalarOp::Bitcast, .type = to, .args = {a}});
}

ExprId ExprArena::splice(const ExprArena& from, ExprId root, std::span<const ExprId> inputs) {
    // Nodes stand behind their operands, so one forward pass over what `root` reaches suffices.
    std::vector<bool> reached(root.index + 1, false);
    reached[root.index] = true;
    for (size_t i = root.index + 1; i-- > 0;)
        if (reached[i])
            for (ExprId a : from.nodes[i].args)
                if (a.valid()) reached[a.index] = true;
    std::vector<ExprId> here(root.index + 1);
    for (size_t i = 0; i <= root.index; ++i) {
        if (!reached[i]) continue;
        Expr e = from.nodes[i];
        if (e.op == ScalarOp::Input) {
            SIFR_CHECK(e.payload < inputs.size() && type(inputs[e.payload]) == e.type, "input {} of a scalar body has another type", e.payload);
            here[i] = inputs[e.payload];
            continue;
        }
        for (ExprId& a : e.args)
            if (a.valid()) a = here[a.index];
        here[i] = e.op == ScalarOp::Cast ? cast(e.args[0], e.type) : add(std::move(e));
    }
    return here[root.index];
}

}  // namespace sifr
