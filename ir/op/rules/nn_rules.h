#pragma once

#include "ir/op/rules/gradient.h"

namespace sifr::rules {

/// A loss's type: broadcast for 'none', a 0-d tensor for 'mean' and 'sum'; integers are refused in the name of `kernel`.
std::vector<Type> loss_result(const OpCall& call, const char* kernel);
std::vector<Type> binary_cross_entropy_result(const OpCall& call);
std::vector<Type> nll_loss_result(const OpCall& call);
std::vector<Type> layer_norm_result(const OpCall& call);
std::vector<Type> batch_norm_train_result(const OpCall& call);  ///< output, mean, biased variance
std::vector<Type> batch_norm_result(const OpCall& call);
std::vector<Type> group_norm_result(const OpCall& call);
std::vector<Type> cdist_result(const OpCall& call);

/// How many axes a row works on: `conv2d`, `max_pool1d_with_indices`.
int64_t spatial_rank(std::string_view row);

/// Sliding windows over the last axes: attributes `kernel_size`, `stride`, `padding`, `dilation`.
struct Windows {
    std::vector<int64_t> kernel, stride, padding, dilation;
    Sizes input;   ///< sizes of the windowed axes, without padding
    Sizes output;  ///< numbers of windows
    std::vector<int64_t> extra;  ///< places behind the padding that the last windows reach (ceil_mode)
    [[nodiscard]] int64_t rank() const { return static_cast<int64_t>(kernel.size()); }
    [[nodiscard]] int64_t count() const { return element_count(output); }
    [[nodiscard]] int64_t kernel_count() const { return element_count(kernel); }
    [[nodiscard]] bool padded() const;  ///< is there anything but input under the windows?
    [[nodiscard]] bool beyond() const;  ///< do windows reach behind the padding?
    [[nodiscard]] Sizes padded_input() const;
    /// Over a value of `lead` + padded_input(): lead, output, kernel.
    [[nodiscard]] Layout layout(const Sizes& lead) const;
};
/// Of `rank` axes of operand `self`, kernel from the attributes.
Windows windows_of(const Attrs& attrs, const Sizes& input);
std::vector<Type> convolution_result(const OpCall& call);
std::vector<Type> transposed_convolution_result(const OpCall& call);
std::vector<Type> pool_result(const OpCall& call);
std::vector<Type> adaptive_pool_result(const OpCall& call);
/// The same, and the places in the plane.
std::vector<Type> pool_indices_result(const OpCall& call);
std::vector<Type> adaptive_pool_indices_result(const OpCall& call);
std::vector<Type> im2col_result(const OpCall& call);
std::vector<Type> col2im_result(const OpCall& call);
std::vector<Type> upsample_result(const OpCall& call);

}  // namespace sifr::rules
