#include "ir/op/rules/shape_rules.h"

#include <algorithm>
#include <cmath>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/rules/rules.h"

namespace sifr::rules {
namespace {

std::string list(const std::vector<int64_t>& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }

int64_t dim_of(const OpCall& call, int64_t rank, std::string_view name = "dim", int64_t otherwise = 0) {
    return normalize_dim(call.attrs.get_or<int64_t>(name, otherwise), rank);
}

void refuse_run_time_axis(const OpCall& call, const Type& t, int64_t axis) {
    for (const RunTimeSize& r : t.run_time_sizes)
        if (r.axis == axis || axis < 0)
            throw NotSupported(fmt::format("'{}' along an axis whose size is known only at run time", name_of(call.op)));
}

bool has_run_time_axis(const Type& t, int64_t axis) {
    return std::any_of(t.run_time_sizes.begin(), t.run_time_sizes.end(), [&](const RunTimeSize& r) { return r.axis == axis; });
}

bool is_empty_vector(const Type& t) { return t.rank() == 1 && t.sizes[0] == 0; }

}  // namespace

std::vector<int64_t> ints(const Attrs& attrs, std::string_view name) {
    const AttrValue* v = attrs.find(name);
    if (!v || std::holds_alternative<std::monostate>(*v)) return {};
    if (auto* i = std::get_if<int64_t>(v)) return {*i};
    return std::get<std::vector<int64_t>>(*v);
}

std::vector<Type> cat_result(const OpCall& call) {
    if (call.types.empty()) raise("ValueError", "torch.cat(): expected a non-empty list of Tensors");
    const Type* first = nullptr;
    for (size_t k = 0; k < call.types.size(); ++k) {
        if (call.types[k].rank() == 0) raise("RuntimeError", "zero-dimensional tensor (at position {}) cannot be concatenated", k);
        if (!first && !is_empty_vector(call.types[k])) first = &call.types[k];
    }
    DType dtype = result_dtype(call.types, call.default_dtype);
    if (!first) return {Type::tensor(dtype, {0})};
    int64_t dim = dim_of(call, first->rank());
    Type out = *first;
    out.dtype = dtype;
    out.sizes[dim] = 0;
    for (size_t k = 0; k < call.types.size(); ++k) {
        const Type& t = call.types[k];
        if (is_empty_vector(t)) continue;
        if (t.rank() != first->rank())
            raise("RuntimeError", "Tensors must have same number of dimensions: got {} and {}", first->rank(), t.rank());
        refuse_run_time_axis(call, t, dim);
        for (int d = 0; d < t.rank(); ++d)
            if (d != dim && t.sizes[d] != first->sizes[d] && !has_run_time_axis(t, d) && !has_run_time_axis(*first, d))
                raise("RuntimeError",
                      "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} for tensor number {} in the list.",
                      dim, first->sizes[d], t.sizes[d], k);
        out.sizes[dim] += t.sizes[dim];
    }
    return {out};
}

std::vector<Type> stack_result(const OpCall& call) {
    if (call.types.empty()) raise("RuntimeError", "stack expects a non-empty TensorList");
    Type out = call.types[0];
    int64_t dim = dim_of(call, out.rank() + 1);
    for (size_t k = 1; k < call.types.size(); ++k)
        if (call.types[k].sizes != out.sizes && (call.types[k].run_time_sizes.empty() || out.run_time_sizes.empty()))
            raise("RuntimeError", "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}", list(out.sizes),
                  list(call.types[k].sizes), k);
    out.dtype = result_dtype(call.types, call.default_dtype);
    for (RunTimeSize& r : out.run_time_sizes)
        if (r.axis >= dim) ++r.axis;
    out.sizes.insert(out.sizes.begin() + dim, static_cast<int64_t>(call.types.size()));
    return {out};
}

std::vector<Type> repeat_result(const OpCall& call) {
    const Type& t = call.types[0];
    auto repeats = ints(call.attrs, call.attrs.has("repeats") ? "repeats" : "dims");
    refuse_run_time_axis(call, t, -1);
    if (name_of(call.op) == "tile") {
        while (repeats.size() < t.sizes.size()) repeats.insert(repeats.begin(), 1);
    } else if (repeats.size() < t.sizes.size()) {
        raise("RuntimeError", "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    }
    Sizes out = t.sizes;
    out.insert(out.begin(), repeats.size() - t.sizes.size(), 1);
    for (size_t d = 0; d < out.size(); ++d) out[d] *= repeats[d];
    for (int64_t s : out)
        if (s < 0) raise("RuntimeError", "Trying to create tensor with negative dimension {}: {}", s, list(out));
    return {Type::tensor(t.dtype, out)};
}

std::vector<Type> flip_result(const OpCall& call) {
    auto dims = ints(call.attrs, "dims");
    for (int64_t& d : dims) d = normalize_dim(d, call.types[0].rank());
    std::sort(dims.begin(), dims.end());
    for (size_t i = 1; i < dims.size(); ++i)
        if (dims[i] == dims[i - 1]) raise("RuntimeError", "dim {} appears multiple times in the list of dims", dims[i]);
    for (int64_t d : dims) refuse_run_time_axis(call, call.types[0], d);
    return {call.types[0]};
}

std::vector<Type> roll_result(const OpCall& call) {
    auto shifts = ints(call.attrs, "shifts"), dims = ints(call.attrs, "dims");
    refuse_run_time_axis(call, call.types[0], -1);
    if (shifts.empty()) raise("RuntimeError", "`shifts` required");
    if (shifts.size() != dims.size() && !(dims.empty() && shifts.size() == 1))
        raise("RuntimeError", "shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(), dims.size());
    for (int64_t d : dims) normalize_dim(d, call.types[0].rank());
    return {call.types[0]};
}

std::vector<Type> rot90_result(const OpCall& call) {
    auto dims = ints(call.attrs, "dims");
    Type out = call.types[0];
    if (dims.size() != 2) raise("RuntimeError", "expected total rotation dims == 2, but got dims = {}", dims.size());
    if (out.rank() < 2) raise("RuntimeError", "expected total dims >= 2, but got total dims = {}", out.rank());
    if (dims[0] == dims[1] || std::abs(dims[0] - dims[1]) == out.rank())
        raise("RuntimeError", "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", dims[0], dims[1]);
    int64_t a = normalize_dim(dims[0], out.rank()), b = normalize_dim(dims[1], out.rank());
    if (call.attrs.get_or<int64_t>("k", 1) % 2 != 0) std::swap(out.sizes[a], out.sizes[b]);
    return {out};
}

std::vector<Type> triangle_result(const OpCall& call) {
    if (call.types[0].rank() < 2) raise("RuntimeError", "{}: input tensor must have at least 2 dimensions", name_of(call.op));
    return {call.types[0]};
}

Layout diagonal_layout(const Sizes& frame, int64_t offset, int64_t dim1, int64_t dim2) {
    Layout l = Layout::contiguous(frame);
    int64_t length = offset >= 0 ? std::min(frame[dim1], frame[dim2] - offset) : std::min(frame[dim1] + offset, frame[dim2]);
    length = std::max<int64_t>(length, 0);
    if (length > 0) l.offset += offset >= 0 ? offset * l.strides[dim2] : -offset * l.strides[dim1];
    int64_t stride = l.strides[dim1] + l.strides[dim2];
    for (int64_t d : {std::max(dim1, dim2), std::min(dim1, dim2)}) {
        l.sizes.erase(l.sizes.begin() + d);
        l.strides.erase(l.strides.begin() + d);
    }
    l.sizes.push_back(length);
    l.strides.push_back(stride);
    return l;
}

std::vector<Type> diag_result(const OpCall& call) {
    const Type& t = call.types[0];
    int64_t k = call.attrs.get_or<int64_t>("diagonal", 0);
    if (t.rank() == 1) {
        int64_t n = t.sizes[0] + std::abs(k);
        return {Type::tensor(t.dtype, {n, n})};
    }
    if (t.rank() != 2) raise("RuntimeError", "diag(): Supports 1D or 2D tensors. Got {}D", t.rank());
    return {Type::tensor(t.dtype, diagonal_layout(t.sizes, k, 0, 1).sizes)};
}

std::vector<Type> diag_embed_result(const OpCall& call) {
    const Type& t = call.types[0];
    int64_t rank = t.rank() + 1;
    int64_t a = dim_of(call, rank, "dim1", -2), b = dim_of(call, rank, "dim2", -1);
    if (a == b)
        raise("RuntimeError", "diagonal dimensions cannot be identical {}, {}", call.attrs.get_or<int64_t>("dim1", -2),
              call.attrs.get_or<int64_t>("dim2", -1));
    Sizes out(t.sizes.begin(), t.sizes.end() - 1);
    int64_t n = t.sizes.back() + std::abs(call.attrs.get_or<int64_t>("offset", 0));
    out.insert(out.begin() + std::min(a, b), n);
    out.insert(out.begin() + std::max(a, b), n);
    return {Type::tensor(t.dtype, out)};
}

std::vector<Type> view_scatter_result(const OpCall& call) { return {call.types[0]}; }

std::vector<Type> pad_result(const OpCall& call) {
    Type out = call.types[0];
    auto pad = ints(call.attrs, "pad");
    if (pad.size() % 2 != 0) raise("RuntimeError", "Padding length must be divisible by 2");
    if (static_cast<int64_t>(pad.size()) > 2 * out.rank())
        raise("RuntimeError",
              "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of dimension {}",
              pad.size(), out.rank());
    for (size_t i = 0; i < pad.size() / 2; ++i) {
        size_t d = out.sizes.size() - 1 - i;
        refuse_run_time_axis(call, call.types[0], static_cast<int64_t>(d));
        out.sizes[d] += pad[2 * i] + pad[2 * i + 1];
        if (out.sizes[d] < 0)
            raise("RuntimeError",
                  "The input size {}, plus negative padding {} and {} resulted in a negative output size, which is invalid. Check dimension {} "
                  "of your input.",
                  call.types[0].sizes[d], pad[2 * i], pad[2 * i + 1], d);
    }
    return {out};
}

std::vector<Type> repeat_interleave_result(const OpCall& call) {
    const Type& t = call.types[0];
    int64_t n = call.attrs.get<int64_t>("repeats");
    if (n < 0) raise("RuntimeError", "Repeats must be non-negative");
    Sizes out = {t.numel()};
    const AttrValue* d = call.attrs.find("dim");
    int64_t dim = 0;
    if (d && std::holds_alternative<int64_t>(*d)) {
        out = t.sizes.empty() ? Sizes{1} : t.sizes;
        dim = dim_of(call, t.rank());
    }
    out[dim] *= n;
    return {Type::tensor(t.dtype, out)};
}

std::vector<Type> cross_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.rank() != b.rank()) raise("RuntimeError", "linalg.cross: inputs must have the same number of dimensions.");
    int64_t given = call.attrs.get_or<int64_t>("dim", -1), dim = normalize_dim(given, a.rank());
    if (a.sizes[dim] != 3 || b.sizes[dim] != 3)
        raise("RuntimeError", "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", given, a.sizes[dim], b.sizes[dim]);
    return {Type::tensor(result_dtype(call.types, call.default_dtype), broadcast(a.sizes, b.sizes))};
}

// ---- indices

namespace {

bool is_index(DType t) { return t == DType::I64 || t == DType::I32; }

}  // namespace

std::vector<Type> gather_result(const OpCall& call) {
    const Type &self = call.types[0], &index = call.types[1];
    int64_t rank = std::max(self.rank(), 1);
    int64_t dim = dim_of(call, self.rank());
    if (!is_index(index.dtype)) raise("RuntimeError", "gather(): Expected dtype int32/int64 for index");
    if (index.numel() != 0) {
        if (rank != std::max(index.rank(), 1))
            raise("RuntimeError", "Index tensor must have the same number of dimensions as input tensor");
        for (int d = 0; d < self.rank() && d < index.rank(); ++d)
            if (d != dim && index.sizes[d] > self.sizes[d])
                raise("RuntimeError", "Size does not match at dimension {} expected index {} to be no larger than self {} apart from dimension {}",
                      d, list(index.sizes), list(self.sizes), dim);
    }
    Type out = index;
    out.dtype = self.dtype;
    return {out};
}

std::vector<Type> scatter_result(const OpCall& call) {
    const Type &self = call.types[0], &index = call.types[1], &src = call.types[2];
    int64_t dim = dim_of(call, self.rank());
    if (!is_index(index.dtype)) raise("RuntimeError", "scatter(): Expected dtype int32/int64 for index");
    if (src.is_tensor() && src.dtype != self.dtype) raise("RuntimeError", "scatter(): Expected self.dtype to be equal to src.dtype");
    if (index.numel() != 0) {
        if (std::max(index.rank(), 1) != std::max(self.rank(), 1))
            raise("RuntimeError", "Index tensor must have the same number of dimensions as self tensor");
        bool fits = true;
        for (int d = 0; d < index.rank(); ++d) {
            if (d < self.rank() && d != dim && index.sizes[d] > self.sizes[d]) fits = false;
            if (src.is_tensor() && d < src.rank() && index.sizes[d] > src.sizes[d]) fits = false;
        }
        if (src.is_tensor() && std::max(index.rank(), 1) != std::max(src.rank(), 1))
            raise("RuntimeError", "Index tensor must have the same number of dimensions as src tensor");
        if (!fits && src.is_tensor())
            raise("RuntimeError", "Expected index {} to be no larger than self {} apart from dimension {} and to be no larger size than src {}",
                  list(index.sizes), list(self.sizes), dim, list(src.sizes));
        if (!fits)
            raise("RuntimeError", "Expected index {} to be no larger than self {} apart from dimension {}", list(index.sizes),
                  list(self.sizes), dim);
    }
    return {self};
}

std::vector<Type> index_select_result(const OpCall& call) {
    const Type &self = call.types[0], &index = call.types[1];
    int64_t dim = dim_of(call, self.rank());
    if (index.rank() > 1) raise("IndexError", "index_select(): Index is supposed to be a vector");
    if (!is_index(index.dtype)) raise("RuntimeError", "index_select(): Expected dtype int32 or int64 for index");
    Type out = self;
    if (self.rank() > 0) {
        std::erase_if(out.run_time_sizes, [&](auto& r) { return r.axis == dim; });
        out.sizes[dim] = index.numel();
        for (const RunTimeSize& r : index.run_time_sizes) out.run_time_sizes.push_back({static_cast<int>(dim), r.size});
    }
    return {out};
}

IndexPlan plan_index(const OpCall& call, size_t first, size_t count) {
    const Type& self = call.types[0];
    IndexPlan plan;
    if (static_cast<int64_t>(count) > self.rank()) raise("IndexError", "too many indices for tensor of dimension {}", self.rank());
    std::vector<Type> index_types;
    std::vector<std::string> shapes;
    bool failed = false;
    for (size_t k = 0; k < count; ++k) {
        const Type& t = call.types[first + k];
        if (is_none(t)) continue;
        SIFR_CHECK(t.dtype != DType::Bool, "a mask that is no index yet");
        if (t.dtype != DType::I64 && t.dtype != DType::I32 && t.dtype != DType::U8)
            raise("IndexError", "tensors used as indices must be long, int, byte or bool tensors");
        plan.indexed.push_back(static_cast<int64_t>(k));
        shapes.push_back(list(t.sizes));
        index_types.push_back(t);
        try {
            index_types = {broadcast_types(index_types, DType::I64)};
        } catch (const ScriptError&) {
            failed = true;
        }
    }
    if (failed) raise("IndexError", "shape mismatch: indexing tensors could not be broadcast together with shapes {}", fmt::join(shapes, ", "));
    const Type index = index_types.empty() ? Type::tensor(DType::I64, {}) : index_types[0];
    const Sizes& sizes = index.sizes;
    plan.index_sizes = sizes;
    bool adjacent = true;
    for (size_t i = 1; i < plan.indexed.size(); ++i) adjacent &= plan.indexed[i] == plan.indexed[i - 1] + 1;
    plan.at = adjacent && !plan.indexed.empty() ? plan.indexed[0] : 0;
    for (int64_t d = 0; d < self.rank(); ++d)
        if (std::find(plan.indexed.begin(), plan.indexed.end(), d) == plan.indexed.end()) {
            auto axis = static_cast<int64_t>(plan.result.size());
            if (axis >= plan.at) axis += index.rank();
            for (const RunTimeSize& r : self.run_time_sizes)
                if (r.axis == d) plan.run_time_sizes.push_back({static_cast<int>(axis), r.size});
            plan.result.push_back(self.sizes[d]);
        }
    for (const RunTimeSize& r : index.run_time_sizes) plan.run_time_sizes.push_back({static_cast<int>(plan.at) + r.axis, r.size});
    std::sort(plan.run_time_sizes.begin(), plan.run_time_sizes.end(), [](const RunTimeSize& a, const RunTimeSize& b) { return a.axis < b.axis; });
    plan.result.insert(plan.result.begin() + plan.at, sizes.begin(), sizes.end());
    return plan;
}

std::vector<Type> index_result(const OpCall& call) {
    IndexPlan plan = plan_index(call, 1, call.types.size() - 1);
    Type out = Type::tensor(call.types[0].dtype, plan.result);
    out.run_time_sizes = plan.run_time_sizes;
    return {out};
}

std::vector<Type> index_put_result(const OpCall& call) {
    const Type &self = call.types[0], &values = call.types.back();
    if (self.dtype != values.dtype)
        raise("RuntimeError",
              "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
              scalar_name(self.dtype), scalar_name(values.dtype));
    IndexPlan plan = plan_index(call, 1, call.types.size() - 2);
    bool fits = values.sizes.size() <= plan.result.size();
    for (size_t i = 0; fits && i < values.sizes.size(); ++i) {
        size_t own = values.sizes.size() - 1 - i, there = plan.result.size() - 1 - i;
        auto bound_only = [](const std::vector<RunTimeSize>& runs, size_t axis) {
            return std::any_of(runs.begin(), runs.end(), [&](const RunTimeSize& r) { return r.axis == static_cast<int>(axis); });
        };
        fits = values.sizes[own] == 1 || values.sizes[own] == plan.result[there] || bound_only(values.run_time_sizes, own) || bound_only(plan.run_time_sizes, there);
    }
    if (!fits)
        raise("RuntimeError", "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
              list(values.sizes), list(plan.result));
    return {self};
}

std::vector<Type> index_add_result(const OpCall& call) {
    const Type &self = call.types[0], &index = call.types[1], &source = call.types[2];
    int64_t dim = dim_of(call, self.rank());
    if (index.rank() > 1) raise("IndexError", "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}", index.rank(), scalar_name(index.dtype), list(index.sizes));
    if (!is_index(index.dtype)) raise("RuntimeError", "index_add_(): Expected dtype int32/int64 for index but got: {}", scalar_name(index.dtype));
    if (self.dtype != source.dtype)
        raise("RuntimeError", "index_add_(): self ({}) and source ({}) must have the same scalar type", scalar_name(self.dtype),
              scalar_name(source.dtype));
    if (dim != 0 && dim >= source.rank())
        raise("RuntimeError", "index_add_(): Indexing dim {} is out of bounds of the source tensor with dim {}", dim, source.rank());
    int64_t along = source.rank() == 0 ? 1 : source.sizes[static_cast<size_t>(dim)];
    if (index.numel() != along)
        raise("RuntimeError", "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", index.numel(),
              along, dim);
    auto without = [&](const Type& t) {
        Sizes rest = t.sizes;
        if (self.rank() > 0 && source.rank() > 0) rest.erase(rest.begin() + dim);
        return rest;
    };
    if (without(self) != without(source))
        raise("RuntimeError",
              "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} source.shape = {}",
              list(self.sizes), list(source.sizes));
    return {self};
}

std::vector<Type> index_copy_result(const OpCall& call) {
    const Type &self = call.types[0], &index = call.types[1], &source = call.types[2];
    int64_t dim = dim_of(call, self.rank());
    if (index.rank() > 1) raise("IndexError", "index_copy_(): Index should have dimension 1 or 0 (got {})", index.rank());
    if (index.dtype != DType::I64) raise("RuntimeError", "index_copy_(): Expected a long tensor for index, but got {}", scalar_name(index.dtype));
    if (self.dtype != source.dtype)
        raise("RuntimeError", "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
              scalar_name(self.dtype), scalar_name(source.dtype));
    int64_t along = source.rank() == 0 ? 1 : source.sizes.at(static_cast<size_t>(dim));
    if (index.numel() != along)
        raise("IndexError", "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", index.numel(), along);
    return {self};
}

std::vector<Type> index_fill_result(const OpCall& call) {
    const Type &self = call.types[0], &index = call.types[1], &value = call.types[2];
    dim_of(call, self.rank());
    if (index.dtype != DType::I64) raise("IndexError", "index_fill_(): Expected dtype int64 for index.");
    if (index.rank() > 1) raise("IndexError", "Index has to be a vector/scalar");
    if (value.is_tensor() && value.rank() > 0)
        raise("RuntimeError", "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", value.rank());
    return {self};
}

std::vector<Type> take_result(const OpCall& call) {
    const Type& index = call.types[1];
    if (index.dtype != DType::I64) raise("RuntimeError", "take(): Expected a long tensor for index, but got {}", scalar_name(index.dtype));
    Type out = index;
    out.dtype = call.types[0].dtype;
    return {out};
}

std::vector<Type> masked_select_result(const OpCall& call) {
    if (call.types[1].dtype != DType::Bool) raise("RuntimeError", "masked_select: expected BoolTensor for mask");
    Sizes sizes = broadcast_types(call.types, DType::Bool).sizes;
    Type out = Type::tensor(call.types[0].dtype, {element_count(sizes)});
    out.run_time_sizes = {{0, ValueId()}};  // result 0, put in when the instruction is made
    return {Type::i64(), out};
}

std::vector<Type> masked_scatter_result(const OpCall& call) {
    const Type &self = call.types[0], &mask = call.types[1], &source = call.types[2];
    if (self.dtype != source.dtype)
        raise("RuntimeError", "masked_scatter: expected self and source to have same dtypes but got{} and {}", scalar_name(self.dtype),
              scalar_name(source.dtype));
    if (mask.dtype != DType::Bool)
        raise("RuntimeError", "masked_scatter_ only supports boolean masks, but got mask with dtype {}", scalar_name(mask.dtype));
    return {broadcast_types(call.types.first(2), self.dtype)};
}

std::vector<Type> nonzero_result(const OpCall& call) {
    const Type& t = call.types[0];
    Type out = Type::tensor(DType::I64, {t.numel(), t.rank()});
    out.run_time_sizes = {{0, ValueId()}};
    return {Type::i64(), out};
}

std::vector<Type> embedding_result(const OpCall& call) {
    const Type &weight = call.types[0], &indices = call.types[1];
    if (weight.rank() != 2) raise("RuntimeError", "'weight' must be 2-D");
    if (!is_index(indices.dtype))
        raise("RuntimeError",
              "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got {} instead (while "
              "checking arguments for embedding)",
              tensor_type_name(indices.dtype));
    Type out = indices;
    out.dtype = weight.dtype;
    out.sizes.push_back(weight.sizes[1]);
    return {out};
}

std::vector<Type> one_hot_result(const OpCall& call) {
    if (call.types[0].dtype != DType::I64) raise("RuntimeError", "one_hot is only applicable to index tensor of type LongTensor.");
    int64_t classes = call.attrs.get_or<int64_t>("num_classes", -1);
    if (classes == -1) throw NotSupported("one_hot with a number of classes that depends on the data", "pass num_classes");
    if (classes < 1) raise("RuntimeError", "num_classes should be positive");
    Type out = call.types[0];
    out.sizes.push_back(classes);
    return {out};
}

// ---- order

std::vector<Type> sort_result(const OpCall& call) {
    dim_of(call, call.types[0].rank(), "dim", -1);
    Type indices = call.types[0];
    indices.dtype = DType::I64;
    return {call.types[0], indices};
}

std::vector<Type> argsort_result(const OpCall& call) { return {sort_result(call)[1]}; }

std::vector<Type> topk_result(const OpCall& call) {
    Type values = call.types[0];
    int64_t dim = dim_of(call, values.rank(), "dim", -1), k = call.attrs.get<int64_t>("k");
    if (k < 0 || k > (values.rank() == 0 ? 1 : values.sizes[dim])) raise("RuntimeError", "selected index k out of range");
    // (A check proves that a run-time size is at least k.)
    std::erase_if(values.run_time_sizes, [&](const RunTimeSize& r) { return r.axis == dim; });
    if (values.rank() > 0) values.sizes[dim] = k;
    Type indices = values;
    indices.dtype = DType::I64;
    return {values, indices};
}

std::vector<Type> view_dtype_result(const OpCall& call) {
    Type out = call.types[0];
    DType from = out.dtype, to = call.attrs.get<DType>("dtype");
    int64_t old_size = size_of(from), new_size = size_of(to);
    out.dtype = to;
    if (old_size == new_size) return {out};
    if (out.rank() == 0) raise("RuntimeError", "self.dim() cannot be 0 to view {} as {} (different element sizes)", scalar_name(from), scalar_name(to));
    if (const Layout* l = call.layouts.empty() ? nullptr : call.layouts[0]; l && l->sizes.back() > 1 && l->strides.back() != 1)
        raise("RuntimeError", "self.stride(-1) must be 1 to view {} as {} (different element sizes), but got {}", scalar_name(from), scalar_name(to), l->strides.back());
    if (old_size > new_size) {
        out.sizes.back() *= old_size / new_size;
    } else {
        int64_t factor = new_size / old_size;
        if (out.sizes.back() % factor != 0)
            raise("RuntimeError", "self.size(-1) must be divisible by {} to view {} as {} (different element sizes), but got {}", factor, scalar_name(from), scalar_name(to), out.sizes.back());
        out.sizes.back() /= factor;
    }
    return {out};
}

std::vector<Type> searchsorted_result(const OpCall& call) {
    const Type &sorted = call.types[0], &values = call.types[1];
    bool same = sorted.rank() == 1 ||
                (sorted.rank() == values.rank() && std::equal(sorted.sizes.begin(), sorted.sizes.end() - 1, values.sizes.begin()));
    if (sorted.rank() == 0 || !same)
        raise("RuntimeError",
              "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
              "tensor must match, but we got boundaries tensor {} and input value tensor {}",
              list(sorted.sizes), list(values.sizes));
    Type out = values.is_tensor() ? values : Type::tensor(DType::I64, {});
    out.dtype = call.attrs.get_or("out_int32", false) ? DType::I32 : DType::I64;
    return {out};
}

std::vector<Type> bucketize_result(const OpCall& call) {
    if (call.types[1].rank() != 1)
        raise("RuntimeError", "boundaries tensor must be 1 dimension, but got dim({})", call.types[1].rank());
    Type out = call.types[0].is_tensor() ? call.types[0] : Type::tensor(DType::I64, {});
    out.dtype = call.attrs.get_or("out_int32", false) ? DType::I32 : DType::I64;
    return {out};
}

std::vector<Type> bincount_result(const OpCall& call) {
    const Type& t = call.types[0];
    if (!is_integral(t.dtype)) raise("NotImplementedError", "\"bincount_cpu\" not implemented for '{}'", scalar_name(t.dtype));
    if (t.rank() != 1) raise("RuntimeError", "bincount only supports 1-d non-negative integral inputs.");
    // How many bins the data need is known at run time only; `minlength` is what the program says that it needs.
    throw NotSupported("torch.bincount, whose size depends on the data", "use one_hot(x, n).sum(0) or zeros(n).scatter_add_");
}

std::vector<Type> histc_result(const OpCall& call) {
    const Type& t = call.types[0];
    if (!is_float(t.dtype)) raise("NotImplementedError", "\"histogram_cpu\" not implemented for '{}'", scalar_name(t.dtype));
    int64_t bins = call.attrs.get_or<int64_t>("bins", 100);
    if (bins <= 0) raise("RuntimeError", "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
    return {Type::tensor(t.dtype, {bins})};
}

std::vector<Type> unique_result(const OpCall& call) {
    const Type& t = call.types[0];
    Type values = Type::tensor(t.dtype, {t.numel()}), counts = Type::tensor(DType::I64, {t.numel()});
    values.run_time_sizes = counts.run_time_sizes = {{0, ValueId()}};
    return {Type::i64(), values, Type::tensor(DType::I64, t.sizes), counts};
}

std::vector<Type> unique_dim_result(const OpCall& call) {
    const Type& t = call.types[0];
    Type inverse = Type::tensor(DType::I64, {t.sizes.at(static_cast<size_t>(dim_of(call, t.rank())))}), counted = inverse;
    counted.run_time_sizes = {{0, ValueId()}};
    return {Type::i64(), counted, inverse, counted};
}

}  // namespace sifr::rules
