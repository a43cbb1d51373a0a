#include "ir/op/rules/pointwise_rules.h"

#include "ir/base/diagnostic.h"
#include "ir/op/rules/rules.h"

namespace sifr::rules {
namespace {

bool is_bool(const Type& t) { return t.is_tensor() ? t.dtype == DType::Bool : t.kind == Type::Kind::Bool; }

void check_alpha(const OpCall& call) {
    if (call.types.size() < 3) return;
    DType t = result_dtype(call.types.first(2), call.default_dtype);
    if (is_integral(t, true) && call.types[2].kind == Type::Kind::F64)
        raise("RuntimeError", "For integral input tensors, argument alpha must not be a floating point number.");
    if (t != DType::Bool && call.types[2].kind == Type::Kind::Bool)
        raise("RuntimeError", "Boolean alpha only supported for Boolean results.");
}

}  // namespace

std::vector<Type> pointwise_result(const OpCall& call) {
    DTypeRule rule = def(call.op).dtype;
    DType dtype = rule == DTypeRule::Compare || rule == DTypeRule::Logical ? DType::Bool : compute_dtype(call);
    return {broadcast_types(call.types, dtype)};
}

std::vector<Type> add_result(const OpCall& call) {
    check_alpha(call);
    return pointwise_result(call);
}

std::vector<Type> sub_result(const OpCall& call) {
    bool a = is_bool(call.types[0]), b = is_bool(call.types[1]);
    if (a && b)
        raise("NotImplementedError",
              "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.");
    if (a || b)
        raise("NotImplementedError",
              "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
              "`logical_not()` operator instead.");
    check_alpha(call);
    return pointwise_result(call);
}

std::vector<Type> neg_result(const OpCall& call) {
    if (is_bool(call.types[0]))
        raise("NotImplementedError",
              "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
              "`logical_not()` operator instead.");
    return pointwise_result(call);
}

}  // namespace sifr::rules
