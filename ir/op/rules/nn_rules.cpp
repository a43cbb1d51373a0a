#include "ir/op/rules/nn_rules.h"

#include <algorithm>

#include "ir/base/diagnostic.h"
#include "ir/op/rules/rules.h"
#include "ir/op/rules/shape_rules.h"

namespace sifr::rules {
namespace {

std::string list(const std::vector<int64_t>& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }
std::string size_text(const Sizes& s) { return fmt::format("torch.Size([{}])", fmt::join(s, ", ")); }

std::string reduction_of(const OpCall& call) {
    auto how = call.attrs.get<std::string>("reduction");
    if (how != "none" && how != "mean" && how != "sum") raise("ValueError", "{} is not a valid value for reduction", how);
    return how;
}

void check_weight(const OpCall& call, size_t k, const Sizes& shape, const char* what) {
    const Type& t = call.types[k];
    if (!is_none(t) && t.sizes != shape)
        raise("RuntimeError", "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and normalized_shape = {}", what,
              what, list(t.sizes), list(shape));
}

/// One int stands for all axes.
std::vector<int64_t> per_axis(const Attrs& a, std::string_view name, size_t rank, std::vector<int64_t> otherwise) {
    auto v = ints(a, name);
    if (v.empty()) v = std::move(otherwise);
    if (v.size() == 1) v.assign(rank, v[0]);
    return v;
}

int64_t spatial_rank(const OpCall& call) { return rules::spatial_rank(name_of(call.op)); }

}  // namespace

int64_t spatial_rank(std::string_view row) {
    if (row.find("1d") != std::string_view::npos) return 1;
    return row.find("3d") != std::string_view::npos ? 3 : 2;
}

std::vector<Type> loss_result(const OpCall& call, const char* kernel) {
    std::string how = reduction_of(call);
    DType t = result_dtype(call.types.first(2), call.default_dtype);
    if (is_integral(t, true)) raise("NotImplementedError", "\"{}\" not implemented for '{}'", kernel, scalar_name(t));
    Type full = broadcast_types(call.types.first(2), t);
    return {how == "none" ? full : Type::tensor(t, {})};
}

std::vector<Type> binary_cross_entropy_result(const OpCall& call) {
    const Type &self = call.types[0], &target = call.types[1];
    if (self.sizes != target.sizes) {
        if (name_of(call.op) == "binary_cross_entropy")
            raise("ValueError",
                  "Using a target size ({}) that is different to the input size ({}) is deprecated. Please ensure they have the same size.",
                  size_text(target.sizes), size_text(self.sizes));
        raise("ValueError", "Target size ({}) must be the same as input size ({})", size_text(target.sizes), size_text(self.sizes));
    }
    // The weight of positives, then the weight of elements, are spread over the losses.
    for (size_t k = call.types.size(); k-- > 2;)
        if (!is_none(call.types[k])) broadcast(call.types[k].sizes, self.sizes);
    return loss_result(call, "binary_cross_entropy");
}

std::vector<Type> nll_loss_result(const OpCall& call) {
    const Type &self = call.types[0], &target = call.types[1];
    std::string how = reduction_of(call);
    if (self.rank() == 0) raise("ValueError", "Expected 1 or more dimensions (got {})", self.rank());
    int64_t batch = self.rank() == 1 ? 1 : self.sizes[0];
    int64_t target_batch = target.rank() == 0 ? 1 : target.sizes[0];
    bool single = self.rank() == 1 && target.rank() == 0;
    if (!single && batch != target_batch)
        raise("ValueError", "Expected input batch_size ({}) to match target batch_size ({}).", batch, target_batch);
    if (target.dtype != DType::I64 && target.dtype != DType::U8)
        raise("RuntimeError", "expected target dtype to be Long or Byte, but got {}", scalar_name(target.dtype));
    if (self.rank() > 2) {
        Sizes expected = self.sizes;
        expected.erase(expected.begin() + 1);
        if (target.sizes != expected)
            raise("RuntimeError", "size mismatch (got input: {} , target: {}", list(self.sizes), list(target.sizes));
    }
    int64_t classes = self.rank() == 1 ? self.sizes[0] : self.sizes[1];
    if (!is_none(call.types[2]) && call.types[2].sizes != Sizes{classes})
        raise("RuntimeError", "weight tensor should be defined either for all {} classes or no classes but got weight tensor of shape: {}",
              classes, list(call.types[2].sizes));
    if (!is_float(self.dtype)) raise("NotImplementedError", "\"nll_loss_out_frame\" not implemented for '{}'", scalar_name(self.dtype));
    Type out = target;
    out.dtype = self.dtype;
    return {how == "none" ? out : Type::tensor(self.dtype, {})};
}

std::vector<Type> layer_norm_result(const OpCall& call) {
    const Type& x = call.types[0];
    auto shape = ints(call.attrs, "normalized_shape");
    if (shape.empty())
        raise("RuntimeError", "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []");
    check_weight(call, 1, shape, "weight");
    check_weight(call, 2, shape, "bias");
    bool fits = x.sizes.size() >= shape.size() && std::equal(shape.rbegin(), shape.rend(), x.sizes.rbegin());
    if (!fits) {
        std::string expected;
        for (int64_t s : shape) expected += fmt::format(", {}", s);
        raise("RuntimeError", "Given normalized_shape={}, expected input with shape [*{}], but got input of size{}", list(shape), expected,
              list(x.sizes));
    }
    if (!is_float(x.dtype)) raise("NotImplementedError", "\"LayerNormKernelImpl\" not implemented for '{}'", scalar_name(x.dtype));
    return {x};
}

namespace {

int64_t channels_of(const OpCall& call) {
    const Type& x = call.types[0];
    normalize_dim(1, x.rank());
    int64_t c = x.sizes[1];
    for (const char* name : {"running_mean", "running_var", "weight", "bias"}) {
        const Type& t = call.types[operand_index(call.op, name, call.types.size())];
        if (t.is_tensor() && t.numel() != c) raise("RuntimeError", "{} should contain {} elements not {}", name, c, t.numel());
    }
    return c;
}

}  // namespace

std::vector<Type> batch_norm_train_result(const OpCall& call) {
    const Type& x = call.types[0];
    int64_t c = channels_of(call);
    if (c > 0 && x.numel() / c == 1)
        raise("ValueError", "Expected more than 1 value per channel when training, got input size {}", size_text(x.sizes));
    Type stat = Type::tensor(x.dtype, {c});
    return {x, stat, stat};
}

std::vector<Type> batch_norm_result(const OpCall& call) {
    if (is_none(call.types[1])) raise("RuntimeError", "running_mean must be defined in evaluation mode");
    channels_of(call);
    return {call.types[0]};
}

std::vector<Type> group_norm_result(const OpCall& call) {
    const Type& x = call.types[0];
    int64_t groups = call.attrs.get<int64_t>("num_groups");
    if (groups <= 0) raise("RuntimeError", "Expected num groups to be greater than 0, got {}", groups);
    if (x.rank() < 2) raise("RuntimeError", "Expected at least 2 dimensions for input tensor but received {}", x.rank());
    if (x.sizes[1] % groups != 0)
        raise("RuntimeError", "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and num_groups={}",
              list(x.sizes), groups);
    return {x};
}

std::vector<Type> cdist_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.rank() < 2) raise("RuntimeError", "cdist only supports at least 2D tensors, X1 got: {}D", a.rank());
    if (b.rank() < 2) raise("RuntimeError", "cdist only supports at least 2D tensors, X2 got: {}D", b.rank());
    if (a.sizes.back() != b.sizes.back())
        raise("RuntimeError", "X1 and X2 must have the same number of columns. X1: {} X2: {}", a.sizes.back(), b.sizes.back());
    double p = call.attrs.get_or("p", 2.0);
    if (p < 0) raise("RuntimeError", "cdist only supports non-negative p values");
    Sizes batch = broadcast(Sizes(a.sizes.begin(), a.sizes.end() - 2), Sizes(b.sizes.begin(), b.sizes.end() - 2));
    batch.push_back(a.sizes[a.sizes.size() - 2]);
    batch.push_back(b.sizes[b.sizes.size() - 2]);
    return {Type::tensor(result_dtype(call.types.first(2), call.default_dtype), batch)};
}

// ---- windows

bool Windows::padded() const {
    return beyond() || std::any_of(padding.begin(), padding.end(), [](int64_t p) { return p != 0; });
}

bool Windows::beyond() const {
    return std::any_of(extra.begin(), extra.end(), [](int64_t e) { return e != 0; });
}

Sizes Windows::padded_input() const {
    Sizes s = input;
    for (size_t d = 0; d < s.size(); ++d) s[d] += 2 * padding[d] + extra[d];
    return s;
}

Layout Windows::layout(const Sizes& lead) const {
    Sizes frame = lead;
    for (int64_t s : padded_input()) frame.push_back(s);
    Strides strides = contiguous_strides(frame);
    Layout l;
    l.sizes = lead;
    l.strides.assign(strides.begin(), strides.begin() + static_cast<ptrdiff_t>(lead.size()));
    for (size_t d = 0; d < kernel.size(); ++d) {
        l.sizes.push_back(output[d]);
        l.strides.push_back(strides[lead.size() + d] * stride[d]);
    }
    for (size_t d = 0; d < kernel.size(); ++d) {
        l.sizes.push_back(kernel[d]);
        l.strides.push_back(strides[lead.size() + d] * dilation[d]);
    }
    return l;
}

Windows windows_of(const Attrs& attrs, const Sizes& input) {
    size_t rank = input.size();
    Windows w;
    w.input = input;
    w.kernel = per_axis(attrs, "kernel_size", rank, {1});
    w.stride = per_axis(attrs, "stride", rank, w.kernel);  // a pool's default
    w.padding = per_axis(attrs, "padding", rank, {0});
    w.dilation = per_axis(attrs, "dilation", rank, {1});
    for (size_t d = 0; d < rank; ++d) {
        if (w.stride[d] <= 0) raise("RuntimeError", "non-positive stride is not supported");
        int64_t span = w.dilation[d] * (w.kernel[d] - 1) + 1, room = input[d] + 2 * w.padding[d];
        int64_t count = room < span ? 0 : (room - span) / w.stride[d] + 1;
        if (attrs.get_or("ceil_mode", false) && room >= span) {
            // One more window for what is left, if it starts inside the input or in front of it.
            count = (room - span + w.stride[d] - 1) / w.stride[d] + 1;
            if ((count - 1) * w.stride[d] >= input[d] + w.padding[d]) --count;
        }
        w.output.push_back(count);
        w.extra.push_back(count == 0 ? 0 : std::max<int64_t>(0, (count - 1) * w.stride[d] + span - room));
    }
    return w;
}

namespace {

void check_convolved_dtypes(const Type& x, const Type& weight, const Type& bias) {
    if (!is_none(bias) && bias.dtype != x.dtype)
        raise("RuntimeError", "Input type ({}) and bias type ({}) should be the same", c_name(x.dtype), c_name(bias.dtype));
    if (x.dtype != weight.dtype)
        raise("RuntimeError", "expected scalar type {} but found {}", scalar_name(x.dtype), scalar_name(weight.dtype));
}

}  // namespace

std::vector<Type> convolution_result(const OpCall& call) {
    const Type &x = call.types[0], &weight = call.types[1], &bias = call.types[2];
    int64_t rank = spatial_rank(call);
    std::string name(name_of(call.op));
    if (x.rank() != rank + 1 && x.rank() != rank + 2)
        raise("RuntimeError", "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}", rank + 1, rank + 2, name,
              list(x.sizes));
    Sizes batched = x.sizes;
    if (x.rank() == rank + 1) batched.insert(batched.begin(), 1);
    int64_t groups = call.attrs.get_or<int64_t>("groups", 1);
    if (weight.rank() != rank + 2)
        raise("RuntimeError", "weight should have at least three dimensions");
    if (groups <= 0) raise("RuntimeError", "non-positive groups is not supported");
    if (batched[1] != weight.sizes[1] * groups)
        raise("RuntimeError", "Given groups={}, weight of size {}, expected input{} to have {} channels, but got {} channels instead", groups,
              list(weight.sizes), list(x.sizes), weight.sizes[1] * groups, batched[1]);
    if (weight.sizes[0] % groups != 0)
        raise("RuntimeError", "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight of size {} instead", groups,
              groups, list(weight.sizes));
    if (!is_none(bias) && bias.sizes != Sizes{weight.sizes[0]})
        raise("RuntimeError", "Given weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} instead",
              list(weight.sizes), weight.sizes[0], list(bias.sizes));
    check_convolved_dtypes(x, weight, bias);
    Attrs a = call.attrs;
    a.set("kernel_size", std::vector<int64_t>(weight.sizes.begin() + 2, weight.sizes.end()));
    Windows w = windows_of(a, Sizes(batched.begin() + 2, batched.end()));
    for (size_t d = 0; d < w.kernel.size(); ++d)
        if (w.output[d] <= 0)
            raise("RuntimeError",
                  "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be greater than actual input size",
                  fmt::join(w.padded_input(), " x "), fmt::join(w.kernel, " x "));
    Sizes out = {batched[0], weight.sizes[0]};
    out.insert(out.end(), w.output.begin(), w.output.end());
    if (x.rank() == rank + 1) out.erase(out.begin());
    return {Type::tensor(x.dtype, out)};
}

std::vector<Type> pool_result(const OpCall& call) {
    const Type& x = call.types[0];
    auto rank = static_cast<size_t>(spatial_rank(call));
    if (x.sizes.size() != rank + 1 && x.sizes.size() != rank + 2)
        raise("RuntimeError", "non-empty {}D or {}D (batch mode) tensor expected for input", rank + 1, rank + 2);
    Sizes input(x.sizes.end() - static_cast<ptrdiff_t>(rank), x.sizes.end());
    Windows w = windows_of(call.attrs, input);
    for (size_t d = 0; d < rank; ++d) {
        if (2 * w.padding[d] > w.dilation[d] * (w.kernel[d] - 1) + 1)
            raise("RuntimeError", "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}",
                  w.padding[d], w.kernel[d], w.dilation[d]);
    }
    Sizes out(x.sizes.begin(), x.sizes.end() - static_cast<ptrdiff_t>(rank));
    if (std::any_of(w.output.begin(), w.output.end(), [](int64_t o) { return o <= 0; }))
        raise("RuntimeError", "Given input size: ({}x{}). Calculated output size: ({}x{}). Output size is too small", out.back(),
              fmt::join(input, "x"), out.back(), fmt::join(w.output, "x"));
    out.insert(out.end(), w.output.begin(), w.output.end());
    return {Type::tensor(x.dtype, out)};
}

std::vector<Type> adaptive_pool_result(const OpCall& call) {
    const Type& x = call.types[0];
    auto rank = static_cast<size_t>(spatial_rank(call));
    if (x.sizes.size() != rank + 1 && x.sizes.size() != rank + 2)
        raise("RuntimeError", "{}(): Expected {}D or {}D tensor, but got {}", name_of(call.op), rank + 1, rank + 2, list(x.sizes));
    auto wanted = per_axis(call.attrs, "output_size", rank, {1});
    Sizes out = x.sizes;
    for (size_t d = 0; d < rank; ++d) {
        size_t axis = out.size() - rank + d;
        if (wanted[d] < 0) raise("RuntimeError", "elements of output_size must be greater than or equal to 0 but received [{}]", fmt::join(wanted, ", "));
        out[axis] = wanted[d];
    }
    return {Type::tensor(x.dtype, out)};
}

std::vector<Type> pool_indices_result(const OpCall& call) {
    Type values = pool_result(call)[0], indices = values;
    indices.dtype = DType::I64;
    return {values, indices};
}

std::vector<Type> adaptive_pool_indices_result(const OpCall& call) {
    Type values = adaptive_pool_result(call)[0], indices = values;
    indices.dtype = DType::I64;
    return {values, indices};
}

std::vector<Type> transposed_convolution_result(const OpCall& call) {
    const Type &x = call.types[0], &weight = call.types[1], &bias = call.types[2];
    auto rank = static_cast<size_t>(spatial_rank(call));
    if (x.sizes.size() != rank + 1 && x.sizes.size() != rank + 2)
        raise("RuntimeError", "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}", rank + 1, rank + 2,
              name_of(call.op), list(x.sizes));
    bool batched = x.sizes.size() == rank + 2;
    int64_t channels = x.sizes[batched ? 1 : 0], groups = call.attrs.get_or<int64_t>("groups", 1);
    if (weight.sizes.size() != rank + 2) raise("RuntimeError", "weight should have at least three dimensions");
    if (groups <= 0) raise("RuntimeError", "non-positive groups is not supported");
    if (weight.sizes[0] != channels)
        raise("RuntimeError", "Given transposed=1, weight of size {}, expected input{} to have {} channels, but got {} channels instead",
              list(weight.sizes), list(x.sizes), weight.sizes[0], channels);
    if (!is_none(bias) && bias.sizes != Sizes{weight.sizes[1] * groups})
        raise("RuntimeError", "Given transposed=1, weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} instead",
              list(weight.sizes), weight.sizes[1] * groups, list(bias.sizes));
    check_convolved_dtypes(x, weight, bias);
    auto stride = per_axis(call.attrs, "stride", rank, {1}), padding = per_axis(call.attrs, "padding", rank, {0}),
         more = per_axis(call.attrs, "output_padding", rank, {0}), dilation = per_axis(call.attrs, "dilation", rank, {1});
    Sizes out = {weight.sizes[1] * groups};
    if (batched) out.insert(out.begin(), x.sizes[0]);
    for (size_t d = 0; d < rank; ++d) {
        if (more[d] >= stride[d] && more[d] >= dilation[d])
            raise("RuntimeError", "output padding must be smaller than either stride or dilation, but got {} and {}",
                  fmt::join(more, " "), fmt::join(stride, " "));
        // Then the windows over the result would be more than the input has places.
        if (more[d] >= stride[d]) throw NotSupported("a transposed convolution with an output padding that is not below its stride");
        out.push_back((x.sizes[x.sizes.size() - rank + d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (weight.sizes[2 + d] - 1) + more[d] + 1);
    }
    return {Type::tensor(x.dtype, out)};
}

std::vector<Type> im2col_result(const OpCall& call) {
    const Type& x = call.types[0];
    if (x.rank() != 4) raise("RuntimeError", "Expected 4D (batch mode) tensor for input, but got: {}", list(x.sizes));
    Windows w = windows_of(call.attrs, {x.sizes[2], x.sizes[3]});
    return {Type::tensor(x.dtype, {x.sizes[0], x.sizes[1] * w.kernel_count(), w.count()})};
}

std::vector<Type> col2im_result(const OpCall& call) {
    const Type& x = call.types[0];
    if (x.rank() != 3) raise("RuntimeError", "Expected 3D (batch mode) tensor for input, but got: {}", list(x.sizes));
    auto size = per_axis(call.attrs, "output_size", 2, {1});
    Windows w = windows_of(call.attrs, size);
    if (x.sizes[1] % w.kernel_count() != 0)
        raise("RuntimeError",
              "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={} and kernel_size=({}, {}).",
              x.sizes[1], w.kernel[0], w.kernel[1]);
    if (x.sizes[2] != w.count())
        raise("RuntimeError",
              "Given output_size=({}, {}), kernel_size=({}, {}), dilation=({}, {}), padding=({}, {}), stride=({}, {}), expected size of input's "
              "dimension 2 to match the calculated number of sliding blocks {} * {} = {}, but got input.size(2)={}.",
              size[0], size[1], w.kernel[0], w.kernel[1], w.dilation[0], w.dilation[1], w.padding[0], w.padding[1], w.stride[0], w.stride[1],
              w.output[0], w.output[1], w.count(), x.sizes[2]);
    return {Type::tensor(x.dtype, {x.sizes[0], x.sizes[1] / w.kernel_count(), size[0], size[1]})};
}

std::vector<Type> upsample_result(const OpCall& call) {
    const Type& x = call.types[0];
    auto size = ints(call.attrs, "output_size");
    Sizes out = x.sizes;
    size_t lead = out.size() - size.size();
    for (size_t d = 0; d < size.size(); ++d) {
        if (size[d] <= 0 || size[d] % out[lead + d] != 0)
            throw NotSupported(fmt::format("nearest interpolation of {} elements to {}", out[lead + d], size[d]), "use a whole factor");
        out[lead + d] = size[d];
    }
    return {Type::tensor(x.dtype, out)};
}

}  // namespace sifr::rules
