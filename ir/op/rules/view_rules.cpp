#include "ir/op/rules/view_rules.h"

#include <algorithm>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/rules/rules.h"

namespace sifr::rules {
namespace {

int64_t int_attr(const OpCall& call, std::string_view name, int64_t otherwise) { return call.attrs.get_or<int64_t>(name, otherwise); }

/// `start` and `length` of axis `dim` of `l`, with a step.
Layout sliced(Layout l, int64_t dim, int64_t start, int64_t length, int64_t step = 1) {
    l.offset += start * l.strides[dim];
    l.sizes[dim] = length;
    l.strides[dim] *= step;
    return l;
}

Layout without_axis(Layout l, int64_t dim) {
    l.sizes.erase(l.sizes.begin() + dim);
    l.strides.erase(l.strides.begin() + dim);
    return l;
}

Layout permuted(const Layout& l, const std::vector<int64_t>& dims) {
    Layout out = l;
    for (size_t i = 0; i < dims.size(); ++i) {
        out.sizes[i] = l.sizes[dims[i]];
        out.strides[i] = l.strides[dims[i]];
    }
    return out;
}

/// A dim argument may be one int or a list; both come as a list.
std::vector<int64_t> dims_attr(const OpCall& call, std::string_view name, int64_t rank) {
    std::vector<int64_t> dims;
    const AttrValue* v = call.attrs.find(name);
    if (v && std::holds_alternative<int64_t>(*v)) dims = {std::get<int64_t>(*v)};
    else if (v && std::holds_alternative<std::vector<int64_t>>(*v)) dims = std::get<std::vector<int64_t>>(*v);
    for (int64_t& d : dims) d = normalize_dim(d, rank);
    return dims;
}

int64_t rank_of(const Layout& l) { return static_cast<int64_t>(l.sizes.size()); }

/// Adds a run-time index in 0 … extent-1.
void add_index(Layout& l, int64_t scale, int64_t extent) {
    bool known = l.index_extents.size() == l.index_scales.size();
    l.index_scales.push_back(scale);
    if (known) l.index_extents.push_back(extent);
    else l.index_extents.clear();
}

std::string list(const std::vector<int64_t>& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }

}  // namespace

Layout layout_of(const OpCall& call, size_t k) {
    if (k < call.layouts.size() && call.layouts[k]) return *call.layouts[k];
    return Layout::contiguous(call.types[k].sizes);
}

int kept_axis(const OpCall& call, size_t result, int axis) {
    // Seen with a stride of its own, the axis is known again where the view has it whole.
    const Layout from = layout_of(call, 0);
    constexpr int64_t own_stride = int64_t{1} << 40;
    auto find = [&](const Layout& to, int64_t stride) {
        for (size_t d = 0; d < to.sizes.size(); ++d)
            if (to.strides[d] == stride && to.sizes[d] == from.sizes[static_cast<size_t>(axis)]) return static_cast<int>(d);
        return -1;
    };
    Layout marked = from;
    marked.strides[static_cast<size_t>(axis)] = own_stride;
    std::vector<const Layout*> layouts(call.types.size(), nullptr);
    layouts[0] = &marked;
    OpCall again = call;
    again.layouts = layouts;
    try {
        return find(def(call.op).view(again).at(result).layout, own_stride);
    } catch (const ScriptError&) {
        return -1;  // other sizes of the same memory
    }
}

Views view_slice(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty()) raise("IndexError", "slice() cannot be applied to a 0-dim tensor.");
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t size = l.sizes[dim];
    int64_t step = int_attr(call, "step", 1);
    if (step <= 0) raise("ValueError", "step must be greater than zero");
    auto clamp = [size](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + size : v, 0, size); };
    int64_t start = clamp(int_attr(call, "start", 0));
    int64_t end = clamp(int_attr(call, "end", size));
    int64_t length = end > start ? (end - start + step - 1) / step : 0;
    return {{sliced(l, dim, start, length, step), {}}};
}

Views view_slice_at(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t stride = l.strides[dim], size = l.sizes[dim], length = call.attrs.get<int64_t>("length"), step = int_attr(call, "step", 1);
    l = sliced(l, dim, 0, length, step);
    add_index(l, stride, size - (length - 1) * step);
    return {{std::move(l), {1}}};
}

Views view_select(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty()) raise("IndexError", "select() cannot be applied to a 0-dim tensor.");
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t size = l.sizes[dim], index = call.attrs.get<int64_t>("index");
    if (index < -size || index >= size)
        raise("IndexError", "select(): index {} out of range for tensor of size {} at dimension {}", index, list(l.sizes), dim);
    if (index < 0) index += size;
    return {{without_axis(sliced(l, dim, index, 1), dim), {}}};
}

Views view_select_at(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t stride = l.strides[dim], size = l.sizes[dim];
    l = without_axis(l, dim);
    add_index(l, stride, size);
    return {{std::move(l), {1}}};
}

Views view_narrow(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty()) raise("RuntimeError", "narrow() cannot be applied to a 0-dim tensor.");
    int64_t length = call.attrs.get<int64_t>("length");
    if (length < 0) raise("RuntimeError", "narrow(): length must be non-negative.");
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t size = l.sizes[dim], start = call.attrs.get<int64_t>("start");
    if (start < -size || start > size)
        raise("IndexError", "start out of range (expected to be in range of [{}, {}], but got {})", -size, size, start);
    if (start < 0) start += size;
    if (start > size - length)
        raise("RuntimeError", "start ({}) + length ({}) exceeds dimension size ({}).", start, length, size);
    return {{sliced(l, dim, start, length), {}}};
}

Sizes resolve_sizes(const Sizes& sizes, int64_t count) {
    Sizes out = sizes;
    int64_t known = 1;
    std::optional<size_t> inferred;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == -1) {
            if (inferred) raise("RuntimeError", "only one dimension can be inferred");
            inferred = i;
        } else if (sizes[i] < 0) {
            raise("RuntimeError", "invalid shape dimension {} at index {} of shape {}", sizes[i], i, list(sizes));
        } else {
            known *= sizes[i];
        }
    }
    if (count == known || (inferred && known > 0 && count % known == 0)) {
        if (inferred) {
            if (known == 0)
                raise("RuntimeError",
                      "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value and is "
                      "ambiguous",
                      list(sizes));
            out[*inferred] = count / known;
        }
        return out;
    }
    raise("RuntimeError", "shape '{}' is invalid for input of size {}", list(sizes), count);
}

namespace {

Layout viewed(const Layout& l, const Sizes& sizes) {
    auto strides = view_strides(l, sizes);
    if (!strides)
        raise("RuntimeError",
              "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
              "subspaces). Use .reshape(...) instead.");
    Layout out = l;
    out.sizes = sizes;
    out.strides = *strides;
    return out;
}

}  // namespace

Views view_view(const OpCall& call) {
    Layout l = layout_of(call, 0);
    return {{viewed(l, resolve_sizes(call.attrs.get<std::vector<int64_t>>("size"), l.numel())), {}}};
}

Views view_transpose(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t a = normalize_dim(call.attrs.get<int64_t>("dim0"), rank_of(l)), b = normalize_dim(call.attrs.get<int64_t>("dim1"), rank_of(l));
    if (!l.sizes.empty()) {
        std::swap(l.sizes[a], l.sizes[b]);
        std::swap(l.strides[a], l.strides[b]);
    }
    return {{std::move(l), {}}};
}

Views view_swapaxes(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t a = normalize_dim(call.attrs.get<int64_t>("axis0"), rank_of(l)), b = normalize_dim(call.attrs.get<int64_t>("axis1"), rank_of(l));
    if (!l.sizes.empty()) {
        std::swap(l.sizes[a], l.sizes[b]);
        std::swap(l.strides[a], l.strides[b]);
    }
    return {{std::move(l), {}}};
}

Views view_alias(const OpCall& call) { return {{layout_of(call, 0), {}}}; }

Views view_t(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (rank_of(l) > 2) raise("RuntimeError", "t() expects a tensor with <= 2 dimensions, but self is {}D", rank_of(l));
    if (rank_of(l) == 2) {
        std::swap(l.sizes[0], l.sizes[1]);
        std::swap(l.strides[0], l.strides[1]);
    }
    return {{std::move(l), {}}};
}

Views view_permute(const OpCall& call) {
    Layout l = layout_of(call, 0);
    auto dims = call.attrs.get<std::vector<int64_t>>("dims");
    if (dims.size() != l.sizes.size())
        raise("RuntimeError",
              "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of "
              "dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
              l.sizes.size(), dims.size());
    std::vector<bool> seen(dims.size());
    for (int64_t& d : dims) {
        d = normalize_dim(d, rank_of(l));
        if (seen[d]) raise("RuntimeError", "permute(): duplicate dims are not allowed.");
        seen[d] = true;
    }
    return {{permuted(l, dims), {}}};
}

Views view_movedim(const OpCall& call) {
    Layout l = layout_of(call, 0);
    auto given = [&](std::string_view name) {
        const AttrValue* v = call.attrs.find(name);
        SIFR_CHECK(v, "movedim without {}", name);
        if (auto* i = std::get_if<int64_t>(v)) return std::vector<int64_t>{*i};
        return std::get<std::vector<int64_t>>(*v);
    };
    auto source = given("source"), destination = given("destination");
    if (source.size() != destination.size())
        raise("RuntimeError",
              "movedim: Invalid source or destination dims: source ({} dims) should contain the same number of dims as destination ({} "
              "dims)",
              list(source), list(destination));
    auto normalized = [&](std::vector<int64_t> dims, const char* name) {
        std::vector<int64_t> out;
        for (int64_t d : dims) {
            int64_t n = normalize_dim(d, rank_of(l));
            if (std::find(out.begin(), out.end(), n) != out.end())
                raise("RuntimeError", "movedim: repeated dim in `{}` ({})", name, list(dims));
            out.push_back(n);
        }
        return out;
    };
    source = normalized(source, "source");
    destination = normalized(destination, "destination");
    if (l.sizes.empty()) return {{std::move(l), {}}};
    std::vector<int64_t> order(l.sizes.size(), -1);
    for (size_t i = 0; i < source.size(); ++i) order[destination[i]] = source[i];
    int64_t next = 0;
    for (int64_t& o : order) {
        if (o >= 0) continue;
        while (std::find(source.begin(), source.end(), next) != source.end()) ++next;
        o = next++;
    }
    return {{permuted(l, order), {}}};
}

Views view_expand(const OpCall& call) {
    Layout l = layout_of(call, 0);
    auto sizes = call.attrs.get<std::vector<int64_t>>("size");
    if (sizes.size() < l.sizes.size())
        raise("RuntimeError",
              "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the "
              "tensor ({})",
              tensor_type_name(call.types[0].dtype), list(l.sizes), list(sizes), sizes.size(), l.sizes.size());
    size_t lead = sizes.size() - l.sizes.size();
    Layout out = l;
    out.sizes = sizes;
    out.strides.assign(sizes.size(), 0);
    for (size_t i = sizes.size(); i-- > 0;) {
        if (i < lead) {
            if (sizes[i] < 0)
                raise("RuntimeError", "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing dimension {}",
                      sizes[i], i);
            continue;
        }
        int64_t size = l.sizes[i - lead];
        out.strides[i] = l.strides[i - lead];
        if (sizes[i] == -1) {
            out.sizes[i] = size;
        } else if (sizes[i] != size) {
            if (size != 1 || sizes[i] < 0)
                raise("RuntimeError",
                      "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target sizes: "
                      "{}.  Tensor sizes: {}",
                      sizes[i], size, i, list(sizes), list(l.sizes));
            out.strides[i] = 0;
        }
    }
    return {{std::move(out), {}}};
}

Views view_squeeze(const OpCall& call) {
    Layout l = layout_of(call, 0);
    Layout out = l;
    out.sizes.clear();
    out.strides.clear();
    for (size_t d = 0; d < l.sizes.size(); ++d) {
        if (l.sizes[d] == 1) continue;
        out.sizes.push_back(l.sizes[d]);
        out.strides.push_back(l.strides[d]);
    }
    return {{std::move(out), {}}};
}

Views view_squeeze_dims(const OpCall& call) {
    Layout l = layout_of(call, 0);
    auto dims = dims_attr(call, "dim", rank_of(l));
    std::sort(dims.begin(), dims.end());
    for (size_t i = 1; i < dims.size(); ++i)
        if (dims[i] == dims[i - 1]) raise("RuntimeError", "dim {} appears multiple times in the list of dims", dims[i]);
    for (size_t i = dims.size(); i-- > 0;)
        if (!l.sizes.empty() && l.sizes[dims[i]] == 1) l = without_axis(l, dims[i]);
    return {{std::move(l), {}}};
}

Views view_unsqueeze(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t dim = normalize_dim(call.attrs.get<int64_t>("dim"), rank_of(l) + 1);
    int64_t stride = dim < rank_of(l) ? l.sizes[dim] * l.strides[dim] : 1;
    l.sizes.insert(l.sizes.begin() + dim, 1);
    l.strides.insert(l.strides.begin() + dim, stride);
    return {{std::move(l), {}}};
}

Views view_diagonal(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t d1 = normalize_dim(int_attr(call, "dim1", 0), rank_of(l)), d2 = normalize_dim(int_attr(call, "dim2", 1), rank_of(l));
    if (d1 == d2)
        raise("RuntimeError", "diagonal dimensions cannot be identical {}, {}", int_attr(call, "dim1", 0), int_attr(call, "dim2", 1));
    int64_t k = int_attr(call, "offset", 0);
    int64_t length = k >= 0 ? std::min(l.sizes[d1], l.sizes[d2] - k) : std::min(l.sizes[d1] + k, l.sizes[d2]);
    length = std::max<int64_t>(length, 0);
    if (length > 0) l.offset += k >= 0 ? k * l.strides[d2] : -k * l.strides[d1];
    int64_t stride = l.strides[d1] + l.strides[d2];
    l = without_axis(l, std::max(d1, d2));
    l = without_axis(l, std::min(d1, d2));
    l.sizes.push_back(length);
    l.strides.push_back(stride);
    return {{std::move(l), {}}};
}

Views view_unfold(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t dim = normalize_dim(call.attrs.get<int64_t>("dimension"), rank_of(l));
    int64_t size = call.attrs.get<int64_t>("size"), step = call.attrs.get<int64_t>("step");
    int64_t extent = l.sizes.empty() ? 1 : l.sizes[dim];
    if (size < 0) raise("RuntimeError", "size is {} but must be >= 0", size);
    if (size > extent) raise("RuntimeError", "maximum size for tensor at dimension {} is {} but size is {}", dim, extent, size);
    if (step <= 0) raise("RuntimeError", "step is {} but must be > 0", step);
    if (l.sizes.empty()) {
        l.sizes = {size};
        l.strides = {1};
        return {{std::move(l), {}}};
    }
    int64_t stride = l.strides[dim];
    l.sizes[dim] = (extent - size) / step + 1;
    l.strides[dim] = step * stride;
    l.sizes.push_back(size);
    l.strides.push_back(stride);
    return {{std::move(l), {}}};
}

Views view_as_strided(const OpCall& call) {
    Layout l = layout_of(call, 0);
    Layout out = l;
    out.sizes = call.attrs.get<std::vector<int64_t>>("size");
    out.strides = call.attrs.get<std::vector<int64_t>>("stride");
    out.offset = int_attr(call, "storage_offset", l.offset);
    if (out.sizes.size() != out.strides.size()) raise("RuntimeError", "mismatch in length of strides and shape");
    for (int64_t s : out.strides)
        if (s < 0)
            raise("RuntimeError", "as_strided: Negative strides are not supported at the moment, got strides: {}", list(out.strides));
    return {{std::move(out), {}}};
}

namespace {

Views pieces(const Layout& l, int64_t dim, const std::vector<int64_t>& lengths) {
    Views out;
    int64_t at = 0;
    for (int64_t n : lengths) {
        out.push_back({sliced(l, dim, at, n), {}});
        at += n;
    }
    return out;
}

std::vector<int64_t> equal_pieces(int64_t size, int64_t length) {
    std::vector<int64_t> out;
    if (size == 0) return {0};
    for (int64_t at = 0; at < size; at += length) out.push_back(std::min(length, size - at));
    return out;
}

}  // namespace

Views view_split(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty()) raise("RuntimeError", "split expects at least a 1-dimensional tensor");
    int64_t length = call.attrs.get<int64_t>("split_size");
    if (length < 0) raise("RuntimeError", "split expects split_size be non-negative, but got split_size={}", length);
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    if (length == 0 && l.sizes[dim] != 0)
        raise("RuntimeError", "split_size can only be 0 if dimension size is 0, but got dimension size of {}", l.sizes[dim]);
    return pieces(l, dim, equal_pieces(l.sizes[dim], length));
}

Views view_split_sizes(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty()) raise("RuntimeError", "split_with_sizes expects at least a 1-dimensional tensor");
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    auto& sizes = call.attrs.get<std::vector<int64_t>>("split_sizes");
    int64_t sum = 0;
    for (int64_t s : sizes) {
        if (s < 0)
            raise("RuntimeError", "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={}", list(sizes));
        sum += s;
    }
    if (sum != l.sizes[dim])
        raise("RuntimeError",
              "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), but got split_sizes={}",
              l.sizes[dim], dim, list(sizes));
    return pieces(l, dim, sizes);
}

Views view_chunk(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty()) raise("RuntimeError", "chunk expects at least a 1-dimensional tensor");
    int64_t chunks = call.attrs.get<int64_t>("chunks");
    if (chunks <= 0) raise("RuntimeError", "chunk expects `chunks` to be greater than 0, got: {}", chunks);
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t size = l.sizes[dim], length = (size + chunks - 1) / chunks;
    if (length == 0) return pieces(l, dim, std::vector<int64_t>(static_cast<size_t>(chunks), 0));
    return pieces(l, dim, equal_pieces(size, length));
}

Views view_tensor_split(const OpCall& call) {
    Layout l = layout_of(call, 0);
    if (l.sizes.empty())
        raise("RuntimeError", "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
    int64_t dim = normalize_dim(int_attr(call, "dim", 0), rank_of(l));
    int64_t size = l.sizes[dim];
    const AttrValue* v = call.attrs.find("indices_or_sections");
    SIFR_CHECK(v, "tensor_split without sections");
    std::vector<int64_t> bounds = {0};
    if (auto* n = std::get_if<int64_t>(v)) {
        if (*n <= 0) raise("RuntimeError", "number of sections must be larger than 0, got {}", *n);
        for (int64_t i = 0; i < *n; ++i) bounds.push_back(bounds.back() + size / *n + (i < size % *n ? 1 : 0));
    } else {
        for (int64_t i : std::get<std::vector<int64_t>>(*v)) bounds.push_back(i);
        bounds.push_back(size);
    }
    Views out;
    auto clamp = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
    for (size_t i = 0; i + 1 < bounds.size(); ++i) {
        int64_t from = clamp(bounds[i]), to = clamp(bounds[i + 1]);
        out.push_back({sliced(l, dim, from, std::max<int64_t>(to - from, 0)), {}});
    }
    return out;
}

Views view_unbind(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t given = int_attr(call, "dim", 0);
    if (l.sizes.empty()) raise("IndexError", "Dimension specified as {} but tensor has no dimensions", given);
    int64_t dim = normalize_dim(given, rank_of(l));
    Views out;
    for (int64_t i = 0; i < l.sizes[dim]; ++i) out.push_back({without_axis(sliced(l, dim, i, 1), dim), {}});
    return out;
}

Views view_unflatten(const OpCall& call) {
    Layout l = layout_of(call, 0);
    int64_t dim = normalize_dim(call.attrs.get<int64_t>("dim"), rank_of(l));
    auto sizes = call.attrs.get<std::vector<int64_t>>("sizes");
    if (sizes.empty()) raise("RuntimeError", "unflatten: sizes must be non-empty");
    int64_t known = 1;
    int64_t inferred = -1;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == -1) inferred = static_cast<int64_t>(i);
        else known *= sizes[i];
    }
    bool fits = inferred < 0 ? known == l.sizes[dim] : known > 0 && l.sizes[dim] % known == 0;
    if (!fits)
        raise("RuntimeError", "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the input tensor", list(sizes),
              dim, l.sizes[dim]);
    if (inferred >= 0) sizes[inferred] = l.sizes[dim] / known;
    Sizes out = l.sizes;
    out.erase(out.begin() + dim);
    out.insert(out.begin() + dim, sizes.begin(), sizes.end());
    return {{viewed(l, out), {}}};
}

const char* squeeze_dims_node(const OpCall& call) {
    const AttrValue* v = call.attrs.find("dim");
    return v && std::holds_alternative<int64_t>(*v) ? "SqueezeBackward1" : "SqueezeBackward2";
}

}  // namespace sifr::rules
