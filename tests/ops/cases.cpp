#include "tests/ops/cases.h"

namespace sifr::test {
namespace {

using I = int64_t;
using L = std::vector<int64_t>;
Attrs dim(I d) { return attrs({{"dim", d}}); }
Attrs reduction(const char* how) { return attrs({{"reduction", std::string(how)}}); }

}  // namespace

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        // arithmetic
        {"add", {"s:2x3", "s:3"}, {}}, {"add.alpha", {"s:2x3", "s:3", "2.5"}, {}}, {"sub", {"s:2x3", "s:2x1"}, {}},
        {"sub.alpha", {"s:2x3", "s:3", "2.5"}, {}}, {"rsub", {"s:2x3", "s:3"}, {}}, {"mul", {"s:2x3", "s:3"}, {}},
        {"div", {"s:2x3", "f:3"}, {}}, {"div.mode", {"s:2x3", "f:3"}, attrs({{"rounding_mode", std::string("floor")}})},
        {"remainder", {"s:2x3", "f:3"}, {}}, {"fmod", {"s:2x3", "f:3"}, {}}, {"neg", {"s:2x3"}, {}}, {"pow", {"f:2x3", "2.5"}, {}},
        {"pow.tensor", {"f:2x3", "s:3"}, {}}, {"pow.scalar", {"2.0", "s:2x3"}, {}}, {"square", {"s:2x3"}, {}},
        {"lerp", {"s:2x3", "s:2x3", "0.3"}, {}}, {"lerp.tensor", {"s:2x3", "s:2x3", "s:2x3"}, {}},
        {"addcmul", {"s:2x3", "s:3", "s:2x1", "2.0"}, {}}, {"addcdiv", {"s:2x3", "s:3", "f:2x1", "2.0"}, {}},
        {"cast", {"s:2x3"}, attrs({{"dtype", DType::F64}})}, {"copy", {"s:2x3"}, {}}, {"clone", {"s:2x3"}, {}}, {"renamed", {"s:2x3"}, attrs({{"node", std::string("SliceBackward0")}})},
        {"full", {"s:"}, attrs({{"sizes", L{2, 3}}})},
        // functions of one element
        {"abs", {"s:2x3"}, {}}, {"sign", {"s:2x3"}, {}}, {"sgn", {"s:2x3"}, {}}, {"sqrt", {"f:2x3"}, {}}, {"rsqrt", {"f:2x3"}, {}},
        {"reciprocal", {"f:2x3"}, {}}, {"exp", {"s:2x3"}, {}}, {"exp2", {"s:2x3"}, {}}, {"expm1", {"s:2x3"}, {}}, {"log", {"f:2x3"}, {}},
        {"log2", {"f:2x3"}, {}}, {"log10", {"f:2x3"}, {}}, {"log1p", {"f:2x3"}, {}}, {"sin", {"s:2x3"}, {}}, {"cos", {"s:2x3"}, {}},
        {"tan", {"s:2x3"}, {}}, {"asin", {"s:2x3"}, {}}, {"acos", {"s:2x3"}, {}}, {"atan", {"s:2x3"}, {}}, {"sinh", {"s:2x3"}, {}},
        {"cosh", {"s:2x3"}, {}}, {"tanh", {"s:2x3"}, {}}, {"asinh", {"s:2x3"}, {}}, {"atanh", {"s:2x3"}, {}}, {"erf", {"s:2x3"}, {}},
        {"erfc", {"s:2x3"}, {}}, {"erfinv", {"s:2x3"}, {}}, {"lgamma", {"f:2x3"}, {}}, {"sigmoid", {"s:2x3"}, {}}, {"logit", {"f:2x3"}, attrs({{"eps", 1e-6}})}, {"deg2rad", {"s:2x3"}, {}},
        {"rad2deg", {"s:2x3"}, {}}, {"floor", {"s:2x3"}, {}}, {"ceil", {"s:2x3"}, {}}, {"trunc", {"s:2x3"}, {}}, {"round", {"s:2x3"}, {}},
        {"round.decimals", {"s:2x3"}, attrs({{"decimals", I{1}}})}, {"frac", {"s:2x3"}, {}}, {"nan_to_num", {"s:2x3"}, {}}, {"sinc", {"s:2x3"}, {}},
        // choices
        {"maximum", {"s:2x3", "s:3"}, {}}, {"minimum", {"s:2x3", "s:3"}, {}}, {"fmax", {"s:2x3", "s:3"}, {}}, {"fmin", {"s:2x3", "s:3"}, {}},
        {"clamp", {"s:2x3", "-0.3", "0.4"}, {}}, {"clamp", {"s:2x3", "none", "0.4"}, {}}, {"clamp.tensor", {"s:2x3", "s:3", "f:2x1"}, {}},
        {"clamp_min", {"s:2x3", "0.1"}, {}}, {"clamp_min", {"s:2x3", "s:3"}, {}}, {"clamp_max", {"s:2x3", "s:3"}, {}},
        {"where", {"b:2x3", "s:3", "s:2x1"}, {}}, {"masked_fill", {"s:2x3", "b:3", "s:"}, {}}, {"atan2", {"s:2x3", "s:3"}, {}},
        {"hypot", {"s:2x3", "s:3"}, {}}, {"logaddexp", {"s:2x3", "s:3"}, {}}, {"logaddexp2", {"s:2x3", "s:3"}, {}},
        {"xlogy", {"s:2x3", "f:3"}, {}}, {"xlogy.scalar", {"2.0", "f:3"}, {}}, {"copysign", {"s:2x3", "s:3"}, {}},
        // activations
        {"relu", {"s:2x3"}, {}}, {"relu6", {"s:2x3"}, {}}, {"hardtanh", {"s:2x3"}, attrs({{"min_val", -0.5}, {"max_val", 0.5}})},
        {"gelu", {"s:2x3"}, {}}, {"gelu", {"s:2x3"}, attrs({{"approximate", std::string("tanh")}})}, {"silu", {"s:2x3"}, {}},
        {"mish", {"s:2x3"}, {}}, {"leaky_relu", {"s:2x3"}, {}}, {"prelu", {"s:2x3", "f:3"}, {}}, {"elu", {"s:2x3"}, {}},
        {"selu", {"s:2x3"}, {}}, {"celu", {"s:2x3"}, attrs({{"alpha", 0.7}})}, {"softplus", {"s:2x3"}, attrs({{"beta", 2.0}})},
        {"logsigmoid", {"s:2x3"}, {}}, {"hardswish", {"s:2x3"}, {}}, {"hardsigmoid", {"s:2x3"}, {}},
        {"threshold", {"s:2x3"}, attrs({{"threshold", 0.1}, {"value", 2.0}})}, {"softshrink", {"s:2x3"}, attrs({{"lambd", 0.2}})},
        {"hardshrink", {"s:2x3"}, attrs({{"lambd", 0.2}})},
        // reductions and scans
        {"sum", {"s:2x3"}, {}}, {"sum.dim", {"s:2x3x2"}, attrs({{"dim", L{0, 2}}})}, {"prod", {"s:2x3"}, {}},
        {"prod.dim", {"s:2x3"}, attrs({{"dim", I{1}}, {"keepdim", true}})}, {"amax", {"s:2x3"}, attrs({{"dim", L{1}}})},
        {"amin", {"s:2x3"}, {}}, {"max", {"s:2x3"}, {}}, {"min", {"s:2x3"}, {}}, {"max.dim", {"s:2x3"}, dim(1)}, {"min.dim", {"s:2x3"}, dim(0)},
        {"max.other", {"s:2x3", "s:3"}, {}}, {"min.other", {"s:2x3", "s:3"}, {}}, {"aminmax", {"s:2x3"}, dim(1)},
        {"cumsum", {"s:2x3"}, dim(1)}, {"cumprod", {"s:2x3"}, dim(1)}, {"cummax", {"s:2x3"}, dim(1)}, {"cummin", {"s:2x3"}, dim(0)},
        {"logcumsumexp", {"s:2x3"}, dim(1)},
        {"mean", {"s:2x3"}, {}}, {"mean.dim", {"s:2x3"}, attrs({{"dim", L{1}}})}, {"var", {"s:2x3"}, attrs({{"dim", L{1}}})},
        {"std", {"s:2x3"}, {}}, {"var_mean", {"s:2x3"}, attrs({{"dim", L{1}}})}, {"std_mean", {"s:2x3"}, attrs({{"dim", L{0}}})},
        {"norm", {"s:2x3"}, {}}, {"norm", {"s:2x3"}, attrs({{"p", I{1}}, {"dim", L{1}}})}, {"linalg_vector_norm", {"s:2x3"}, attrs({{"ord", 3.0}})},
        {"softmax", {"s:2x3"}, dim(1)}, {"log_softmax", {"s:2x3"}, dim(0)}, {"logsumexp", {"s:2x3"}, dim(1)}, {"nansum", {"s:2x3"}, {}},
        {"trace", {"s:3x3"}, {}}, {"median", {"s:1x3"}, {}}, {"median.dim", {"s:2x3"}, dim(1)}, {"mode", {"s:2x3"}, dim(1)},
        {"kthvalue", {"s:2x3"}, attrs({{"k", I{2}}, {"dim", I{1}}})},
        // products
        {"mm", {"s:2x3", "s:3x4"}, {}}, {"bmm", {"s:2x2x3", "s:2x3x2"}, {}}, {"mv", {"s:2x3", "s:3"}, {}}, {"dot", {"s:3", "s:3"}, {}},
        {"outer", {"s:2", "s:3"}, {}}, {"addmm", {"s:3", "s:2x4", "s:4x3", "0.5", "2.0"}, {}}, {"addmv", {"s:2", "s:2x3", "s:3", "0.5", "2.0"}, {}},
        {"baddbmm", {"s:2x2", "s:2x2x3", "s:2x3x2", "1", "1"}, {}}, {"addr", {"s:2x3", "s:2", "s:3", "0.5", "2.0"}, {}},
        {"linalg_cholesky", {"spd:3"}, {}}, {"linalg_inv", {"spd:3"}, {}}, {"linalg_det", {"spd:3"}, {}}, {"linalg_slogdet", {"spd:3"}, {}},
        {"linalg_solve", {"spd:3", "s:3x2"}, {}},
        {"linalg_solve_triangular", {"spd:3", "s:3x2"}, attrs({{"upper", true}})},
        {"linalg_solve_triangular", {"spd:3", "s:2x3"}, attrs({{"upper", false}, {"left", false}, {"unitriangular", true}})},
        {"linalg_qr", {"s:4x3"}, {}}, {"linalg_qr", {"s:2x3"}, {}}, {"linalg_qr", {"s:2x3"}, attrs({{"mode", std::string("complete")}})},
        {"linalg_eigh", {"spd:3"}, {}}, {"linalg_svd", {"s:3x2"}, attrs({{"full_matrices", false}})},
        {"linalg_lu", {"spd:3"}, {}}, {"linalg_lu_factor_ex", {"spd:3"}, {}}, {"linalg_matrix_exp", {"s:3x3"}, {}},
        // shapes
        {"cat", {"s:2x3", "s:1x3"}, dim(0)}, {"stack", {"s:2x3", "s:2x3"}, dim(1)}, {"repeat", {"s:2x3"}, attrs({{"repeats", L{2, 1, 2}}})},
        {"tile", {"s:2x3"}, attrs({{"dims", L{2}}})}, {"repeat_interleave", {"s:2x3"}, attrs({{"repeats", I{2}}, {"dim", I{1}}})},
        {"flip", {"s:2x3"}, attrs({{"dims", L{0, 1}}})}, {"roll", {"s:2x3"}, attrs({{"shifts", L{1}}, {"dims", L{1}}})},
        {"rot90", {"s:2x3"}, attrs({{"k", I{1}}})}, {"rot90", {"s:2x3"}, attrs({{"k", I{3}}})}, {"tril", {"s:3x3"}, {}},
        {"triu", {"s:2x3"}, attrs({{"diagonal", I{1}}})}, {"diag", {"s:3"}, attrs({{"diagonal", I{1}}})}, {"diag", {"s:2x3"}, {}},
        {"diag_embed", {"s:2x3"}, {}}, {"diagonal_scatter", {"s:2x3", "s:2"}, {}},
        {"select_scatter", {"s:2x3", "s:3"}, attrs({{"dim", I{0}}, {"index", I{1}}})},
        {"slice_scatter", {"s:4x3", "s:2x3"}, attrs({{"dim", I{0}}, {"start", I{0}}, {"step", I{2}}})},
        {"constant_pad_nd", {"s:2x3", "1.5"}, attrs({{"pad", L{1, 2, -1, 1}}})}, {"linalg_cross", {"s:2x3", "s:2x3"}, {}},
        // indices
        {"gather", {"s:2x3", "i:2x2<3"}, dim(1)}, {"index_select", {"s:2x3", "i:4<3"}, dim(1)}, {"index", {"s:2x3", "i:4<2"}, {}},
        {"index", {"s:2x3x2", "none", "i:4<3"}, {}}, {"take", {"s:2x3", "i:4<6"}, {}}, {"embedding", {"s:4x3", "i:2x2<4"}, {}},
        {"scatter", {"s:2x3", "i:2x1<3", "s:2x3"}, dim(1)}, {"scatter.value", {"s:2x3", "i:2x1<3", "2.0"}, dim(1)},
        {"scatter_add", {"s:2x3", "i:2x3<2", "s:2x3"}, dim(0)},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("amax")}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("sum")}, {"include_self", true}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("sum")}, {"include_self", false}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("prod")}, {"include_self", true}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("prod")}, {"include_self", false}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("mean")}, {"include_self", true}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("mean")}, {"include_self", false}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("amin")}, {"include_self", true}})},
        {"scatter_reduce", {"s:2x3", "i:2x3<2", "s:2x3"}, attrs({{"dim", I{0}}, {"reduce", std::string("amin")}, {"include_self", false}})},
        {"index_add", {"s:2x3", "i:4<3", "s:2x4"}, dim(1)}, {"index_add.alpha", {"s:2x3", "i:4<3", "s:2x4", "2.0"}, dim(1)},
        {"index_copy", {"s:2x3", "i:1<2", "s:1x3"}, dim(0)}, {"index_fill", {"s:2x3", "i:1<2", "s:"}, dim(0)},
        {"index_put", {"s:2x3", "i:4<2", "s:3"}, attrs({{"accumulate", true}})}, {"index_put", {"s:2x3", "i:1<2", "s:3"}, {}},
        {"masked_scatter", {"s:2x3", "b:2x3", "s:6"}, {}}, {"sort", {"s:2x3"}, dim(1)}, {"topk", {"s:2x3"}, attrs({{"k", I{2}}})},
        // losses
        {"mse_loss", {"s:2x3", "s:2x3"}, reduction("mean")}, {"mse_loss", {"s:2x3", "s:2x3"}, reduction("none")},
        {"l1_loss", {"s:2x3", "s:2x3"}, {}}, {"smooth_l1_loss", {"s:2x3", "s:2x3"}, attrs({{"beta", 0.5}})},
        {"huber_loss", {"s:2x3", "s:2x3"}, attrs({{"delta", 0.5}})}, {"binary_cross_entropy", {"f:2x3", "f:2x3", "none"}, {}},
        {"binary_cross_entropy_with_logits", {"s:2x3", "f:2x3", "none", "n:f:3"}, {}}, {"nll_loss", {"s:3x4", "i:3<4", "none"}, {}},
        {"nll_loss", {"s:3x4", "i:3<4", "n:f:4"}, {}}, {"nll_loss", {"s:2x4x2", "i:2x2<4", "none"}, reduction("none")},
        // normalisations, windows
        {"layer_norm", {"s:2x3", "f:3", "s:3"}, attrs({{"normalized_shape", L{3}}})}, {"batch_norm_train", {"s:4x2x3", "f:2", "s:2", "n:s:2", "n:f:2"}, {}},
        {"batch_norm_eval", {"s:4x2", "n:s:2", "n:f:2", "f:2", "s:2"}, {}}, {"group_norm", {"s:2x4x3", "f:4", "s:4"}, attrs({{"num_groups", I{2}}})},
        {"cdist", {"s:2x3", "s:4x3"}, {}}, {"cdist", {"s:2x3", "s:4x3"}, attrs({{"p", 3.0}})},
        {"conv1d", {"s:2x2x5", "s:3x2x2", "s:3"}, attrs({{"stride", L{2}}, {"padding", L{1}}})},
        {"conv2d", {"s:2x2x4x4", "s:4x1x2x3", "s:4"}, attrs({{"padding", L{1, 0}}, {"groups", I{2}}})},
        {"conv3d", {"s:1x1x3x3x3", "s:2x1x2x2x2", "s:2"}, attrs({{"padding", L{1}}})},
        {"conv_transpose1d", {"s:2x2x4", "s:2x3x3", "s:3"}, attrs({{"stride", L{2}}, {"padding", L{1}}, {"output_padding", L{1}}})},
        {"conv_transpose2d", {"s:1x4x3x3", "s:4x1x2x2", "s:2"}, attrs({{"groups", I{2}}, {"dilation", L{2, 1}}})},
        {"max_pool1d", {"s:1x2x6"}, attrs({{"kernel_size", L{2}}})},
        {"max_pool2d", {"s:1x2x4x4"}, attrs({{"kernel_size", L{3, 3}}, {"stride", L{1, 1}}, {"padding", L{1, 1}}})},
        {"max_pool2d", {"s:1x2x5x5"}, attrs({{"kernel_size", L{2, 2}}, {"ceil_mode", true}})},
        {"max_pool2d_with_indices", {"s:1x2x5x5"}, attrs({{"kernel_size", L{3, 2}}, {"stride", L{2, 1}}, {"padding", L{1, 0}}})},
        {"avg_pool2d", {"s:1x2x5x5"}, attrs({{"kernel_size", L{3, 3}}, {"stride", L{2, 2}}, {"padding", L{1, 1}}, {"ceil_mode", true}})},
        {"adaptive_avg_pool3d", {"s:1x1x3x3x4"}, attrs({{"output_size", L{2, 3, 2}}})}, {"adaptive_max_pool1d", {"s:1x2x7"}, attrs({{"output_size", L{3}}})},
        {"adaptive_max_pool3d", {"s:1x1x3x3x4"}, attrs({{"output_size", L{2, 3, 2}}})}, {"avg_pool3d", {"s:1x1x3x3x4"}, attrs({{"kernel_size", L{2}}})},
        {"conv_transpose3d", {"s:1x1x2x2x2", "s:1x2x2x2x2", "s:2"}, attrs({{"stride", L{2}}})},
        {"max_pool1d_with_indices", {"s:1x2x7"}, attrs({{"kernel_size", L{2}}})}, {"max_pool3d", {"s:1x1x3x3x4"}, attrs({{"kernel_size", L{2}}})},
        {"max_pool3d_with_indices", {"s:1x1x3x3x4"}, attrs({{"kernel_size", L{2}}, {"stride", L{1}}})},
        {"adaptive_avg_pool2d", {"s:1x2x5x5"}, attrs({{"output_size", L{3, 2}}})}, {"adaptive_max_pool2d", {"s:1x2x5x5"}, attrs({{"output_size", L{3, 2}}})},
        {"avg_pool1d", {"s:1x2x6"}, attrs({{"kernel_size", L{3}}})},
        {"avg_pool2d", {"s:1x2x4x4"}, attrs({{"kernel_size", L{2, 2}}, {"padding", L{1, 1}}, {"count_include_pad", false}})},
        {"adaptive_avg_pool1d", {"s:1x2x6"}, attrs({{"output_size", L{3}}})}, {"adaptive_avg_pool2d", {"s:1x2x4x4"}, attrs({{"output_size", L{2, 1}}})},
        {"adaptive_max_pool2d", {"s:1x2x4x4"}, attrs({{"output_size", L{2, 2}}})},
        {"im2col", {"s:1x2x3x3"}, attrs({{"kernel_size", L{2, 2}}})},
        {"col2im", {"s:1x8x4"}, attrs({{"output_size", L{3, 3}}, {"kernel_size", L{2, 2}}})},
        {"upsample_nearest", {"s:1x2x2x3"}, attrs({{"output_size", L{4, 3}}})},
    };
    return all;
}

}  // namespace sifr::test
