#pragma once

#include "ir/op/op_def.h"

// Result types of pointwise rows with errors of their own.

namespace sifr::rules {

/// The rule of rows without one: broadcast, dtype by the row's DTypeRule.
std::vector<Type> pointwise_result(const OpCall& call);
std::vector<Type> add_result(const OpCall& call);  ///< checks `alpha`
std::vector<Type> sub_result(const OpCall& call);
std::vector<Type> neg_result(const OpCall& call);
std::vector<Type> round_mode_div_result(const OpCall& call);
std::vector<Type> pow_result(const OpCall& call);
std::vector<Type> where_result(const OpCall& call);
std::vector<Type> masked_fill_result(const OpCall& call);
std::vector<Type> clamp_result(const OpCall& call);
std::vector<Type> lerp_result(const OpCall& call);
std::vector<Type> addcdiv_result(const OpCall& call);
std::vector<Type> same_dtype_result(const OpCall& call);  ///< isclose, heaviside
std::vector<Type> bitwise_not_result(const OpCall& call);
std::vector<Type> relu_result(const OpCall& call);
std::vector<Type> gelu_result(const OpCall& call);

/// Which dtypes a kernel of PyTorch's refuses.
enum Refused : unsigned { Bools = 1, Integers = 2, Floats = 4 };
/// Throws `"silu_cpu" not implemented for 'Long'` where the compute dtype is of a refused kind.
void refuse(const OpCall& call, const char* kernel, unsigned kinds);

template <size_t n>
struct KernelName {
    char text[n];
    constexpr KernelName(const char (&s)[n]) {
        for (size_t i = 0; i < n; ++i) text[i] = s[i];
    }
};
/// A pointwise result that refuses some dtypes: `.infer = refusing<"silu_cpu", Bools | Integers>`.
template <KernelName kernel, unsigned kinds>
std::vector<Type> refusing(const OpCall& call) {
    refuse(call, kernel.text, kinds);
    return pointwise_result(call);
}

}  // namespace sifr::rules
