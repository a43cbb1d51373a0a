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

void refuse(const OpCall& call, const char* kernel, unsigned kinds) {
    DType t = compute_dtype(call);
    unsigned kind = t == DType::Bool ? Bools : is_integral(t) ? Integers : Floats;
    if (kinds & kind) raise("NotImplementedError", "\"{}\" not implemented for '{}'", kernel, scalar_name(t));
}

std::vector<Type> round_mode_div_result(const OpCall& call) {
    auto mode = call.attrs.get_or<std::string>("rounding_mode", "");
    if (mode != "trunc" && mode != "floor")
        raise("RuntimeError", "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", mode);
    refuse(call, mode == "floor" ? "div_floor_cpu" : "div_trunc_cpu", Bools);
    return pointwise_result(call);
}

std::vector<Type> pow_result(const OpCall& call) {
    refuse(call, "pow", Bools);
    DType t = compute_dtype(call);
    const ScalarConstant& e = call.constants[1];
    if (is_integral(t) && std::holds_alternative<int64_t>(e) && std::get<int64_t>(e) < 0)
        raise("RuntimeError", "Integers to negative integer powers are not allowed.");
    return pointwise_result(call);
}

std::vector<Type> where_result(const OpCall& call) {
    const Type& c = call.types[0];
    if (c.dtype != DType::Bool)
        raise("RuntimeError", "where expected condition to be a boolean tensor, but got a tensor with dtype {}", scalar_name(c.dtype));
    return pointwise_result(call);
}

std::vector<Type> masked_fill_result(const OpCall& call) {
    if (call.types[1].dtype != DType::Bool)
        raise("RuntimeError", "masked_fill_ only supports boolean masks, but got mask with dtype {}", c_name(call.types[1].dtype));
    if (call.types[2].is_tensor() && call.types[2].rank() > 0)
        raise("RuntimeError", "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
              call.types[2].rank());
    return {broadcast_types(call.types.first(2), call.types[0].dtype)};
}

std::vector<Type> clamp_result(const OpCall& call) {
    if (is_none(call.types[1]) && is_none(call.types[2]))
        raise("RuntimeError", "torch.clamp: At least one of 'min' or 'max' must not be None");
    return pointwise_result(call);
}

std::vector<Type> lerp_result(const OpCall& call) {
    const Type& a = call.types[0];
    if (call.types[1].dtype != a.dtype)
        raise("RuntimeError", "expected dtype {} for `end` but got dtype {}", c_name(a.dtype), c_name(call.types[1].dtype));
    if (call.types[2].is_tensor() && call.types[2].dtype != a.dtype)
        raise("RuntimeError", "expected dtype {} for `weight` but got dtype {}", c_name(a.dtype), c_name(call.types[2].dtype));
    refuse(call, call.types[2].is_tensor() ? "lerp_kernel_tensor" : "lerp_kernel_scalar", Bools | Integers);
    return pointwise_result(call);
}

std::vector<Type> addcdiv_result(const OpCall& call) {
    if (is_integral(call.types[1].dtype, true) && is_integral(call.types[2].dtype, true))
        raise("RuntimeError",
              "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 "
              "and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
              "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
              "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.");
    return pointwise_result(call);
}

std::vector<Type> same_dtype_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.dtype != b.dtype) {
        if (name_of(call.op) == "heaviside") raise("RuntimeError", "heaviside is not yet implemented for tensors with different dtypes.");
        raise("RuntimeError", "{} did not match {}", scalar_name(a.dtype), scalar_name(b.dtype));
    }
    for (const char* name : {"rtol", "atol"})
        if (call.attrs.has(name) && call.attrs.get<double>(name) < 0)
            raise("RuntimeError", "{} must be greater than or equal to zero, but got {}", name, call.attrs.get<double>(name));
    return pointwise_result(call);
}

std::vector<Type> bitwise_not_result(const OpCall& call) {
    if (!is_integral(call.types[0].dtype, true))
        raise("TypeError", "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return pointwise_result(call);
}

std::vector<Type> relu_result(const OpCall& call) {
    if (is_bool(call.types[0])) raise("NotImplementedError", "Boolean inputs not supported for {}", name_of(call.op));
    return pointwise_result(call);
}

std::vector<Type> gelu_result(const OpCall& call) {
    auto& how = call.attrs.get<std::string>("approximate");
    if (how != "none" && how != "tanh") raise("RuntimeError", "approximate argument must be either none or tanh.");
    refuse(call, "GeluKernelImpl", Bools | Integers);
    return pointwise_result(call);
}

}  // namespace sifr::rules
