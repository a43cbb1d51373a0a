#include "ir/op/rules/creation_rules.h"

#include <cmath>

#include "ir/base/diagnostic.h"
#include "ir/op/rules/rules.h"

namespace sifr::rules {
namespace {

void check_sizes(const Sizes& sizes) {
    for (int64_t s : sizes)
        if (s < 0)
            raise("RuntimeError", "Trying to create tensor with negative dimension {}: [{}]", s, fmt::join(sizes, ", "));
}

Type sized(const OpCall& call, DType otherwise) {
    auto sizes = call.attrs.get_or("sizes", Sizes{});
    check_sizes(sizes);
    return Type::tensor(call.attrs.get_or("dtype", otherwise), std::move(sizes));
}

bool is_integer(const OpCall& call, size_t k) { return call.types[k].kind != Type::Kind::F64; }

}  // namespace

double known_number(const OpCall& call, size_t operand, const char* what) {
    const ScalarConstant& c = call.constants[operand];
    if (auto* i = std::get_if<int64_t>(&c)) return static_cast<double>(*i);
    if (auto* d = std::get_if<double>(&c)) return *d;
    if (auto* b = std::get_if<bool>(&c)) return *b ? 1.0 : 0.0;
    throw NotSupported(fmt::format("'{}' with a {} that is known only at run time", name_of(call.op), what));
}

std::vector<Type> sized_result(const OpCall& call) { return {sized(call, call.default_dtype)}; }

std::vector<Type> full_result(const OpCall& call) {
    const Type& v = call.types[0];
    if (v.is_tensor() && v.rank() > 0)
        raise("RuntimeError", "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.", v.rank());
    DType own = v.is_tensor() ? v.dtype : v.kind == Type::Kind::F64 ? call.default_dtype : dtype_of_number(v.kind);
    return {sized(call, own)};
}

std::vector<Type> arange_result(const OpCall& call) {
    double start = known_number(call, 0, "start"), end = known_number(call, 1, "end"), step = known_number(call, 2, "step");
    bool integers = is_integer(call, 0) && is_integer(call, 1) && is_integer(call, 2);
    DType dtype = call.attrs.get_or("dtype", integers ? DType::I64 : call.default_dtype);
    if (step == 0) raise("RuntimeError", "step must be nonzero");
    if (!std::isfinite(start) || !std::isfinite(end)) raise("RuntimeError", "unsupported range: {} -> {}", start, end);
    if ((step > 0 && end < start) || (step < 0 && end > start))
        raise("RuntimeError", "upper bound and lower bound inconsistent with step sign");
    double count = std::ceil((end - start) / step);
    if (is_integral(dtype) && integers) {
        // Exact in 64 bits where doubles are not.
        int64_t s = std::get<int64_t>(call.constants[0]), e = std::get<int64_t>(call.constants[1]), d = std::get<int64_t>(call.constants[2]);
        int64_t span = e - s, n = span / d;
        if (n * d != span) ++n;
        return {Type::tensor(dtype, {n})};
    }
    return {Type::tensor(dtype, {static_cast<int64_t>(count)})};
}

std::vector<Type> linspace_result(const OpCall& call) {
    auto steps = call.attrs.get<int64_t>("steps");
    if (steps < 0) raise("RuntimeError", "number of steps must be non-negative");
    return {Type::tensor(call.attrs.get_or("dtype", call.default_dtype), {steps})};
}

std::vector<Type> eye_result(const OpCall& call) {
    auto n = call.attrs.get<int64_t>("n");
    auto m = call.attrs.get_or<int64_t>("m", n);
    if (n < 0) raise("RuntimeError", "n must be greater or equal to 0, got {}", n);
    if (m < 0) raise("RuntimeError", "m must be greater or equal to 0, got {}", m);
    return {Type::tensor(call.attrs.get_or("dtype", call.default_dtype), {n, m})};
}

std::vector<Type> scalar_tensor_result(const OpCall& call) {
    DType own = result_dtype(call.types, call.default_dtype);
    return {sized(call, own)};
}

std::vector<Type> triangle_indices_result(const OpCall& call) {
    auto row = call.attrs.get<int64_t>("row"), col = call.attrs.get<int64_t>("col");
    auto offset = call.attrs.get_or<int64_t>("offset", 0);
    if (row < 0) raise("RuntimeError", "row must be non-negative, got{}", row);
    if (col < 0) raise("RuntimeError", "col must be non-negative, got{}", col);
    bool upper = name_of(call.op) == "triu_indices";
    int64_t count = 0;
    for (int64_t i = 0; i < row; ++i) {
        int64_t lower = std::clamp<int64_t>(i + offset + 1, 0, col);  // elements of row i at or below the diagonal
        count += upper ? col - std::clamp<int64_t>(i + offset, 0, col) : lower;
    }
    return {Type::tensor(call.attrs.get_or("dtype", DType::I64), {2, count})};
}

std::vector<Type> broadcast_float_result(const OpCall& call) {
    DType t = result_dtype(call.types, call.default_dtype);
    return {broadcast_types(call.types, is_float(t) ? t : call.default_dtype)};
}

const char* full_node(const OpCall& call) {
    if (call.types[0].is_tensor()) return "FillBackward3";
    bool zero = !call.attrs.get_or("fill", false);
    return zero ? "ZeroBackward0" : "FillBackward2";
}

}  // namespace sifr::rules
