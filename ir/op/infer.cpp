#include <algorithm>
#include <numeric>

#include "ir/base/diagnostic.h"
#include "ir/op/op_def.h"
#include "ir/op/rules/rules.h"

namespace sifr {
namespace {

/// Operands that take part in a pointwise row's promotion.
std::vector<Type> promoted_types(const OpCall& call) {
    uint32_t own = def(call.op).own_dtype;
    std::vector<Type> types;
    for (size_t k = 0; k < call.types.size(); ++k) {
        const Type& t = call.types[k];
        if ((t.is_tensor() || t.is_number()) && !(own >> k & 1)) types.push_back(t);
    }
    return types;
}

DType result_dtype_of(const OpCall& call) {
    DTypeRule rule = def(call.op).dtype;
    return rule == DTypeRule::Compare || rule == DTypeRule::Logical ? DType::Bool : compute_dtype(call);
}

Type type_of_kind(Param::Kind kind, const OpCall& call) {
    switch (kind) {
        case Param::Kind::RunI64: return Type::i64();
        case Param::Kind::RunF64: return Type::f64();
        case Param::Kind::RunBool: return Type::boolean();
        case Param::Kind::RunStr: return Type::str();
        default: SIFR_UNREACHABLE("row '{}' needs a rule for its result types", name_of(call.op));
    }
}

}  // namespace

Sizes broadcast(const Sizes& a, const Sizes& b) {
    size_t rank = std::max(a.size(), b.size());
    Sizes out(rank);
    for (size_t i = 0; i < rank; ++i) {  // from the innermost axis, as PyTorch reports
        size_t d = rank - 1 - i;
        int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            raise("RuntimeError", "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", x, y, d);
        out[d] = x == 1 ? y : x;
    }
    return out;
}

int64_t normalize_dim(int64_t dim, int64_t rank) {
    int64_t n = std::max<int64_t>(rank, 1);
    if (dim < -n || dim >= n)
        raise("IndexError", "Dimension out of range (expected to be in range of [{}, {}], but got {})", -n, n - 1, dim);
    return dim < 0 ? dim + n : dim;
}

DType result_dtype(std::span<const Type> types, DType default_dtype) {
    // PyTorch's three ranks: tensors with axes, 0-d tensors, numbers. A lower rank counts only by its category.
    std::optional<DType> dims, zero_dims, numbers;
    auto join = [](std::optional<DType>& into, DType t) { into = into ? promote(*into, t) : t; };
    for (const Type& t : types) {
        if (t.is_tensor()) {
            join(t.sizes.empty() ? zero_dims : dims, t.dtype);
        } else if (t.is_number()) {
            DType d = dtype_of_number(t.kind);
            join(numbers, d == DType::F64 ? default_dtype : d);
        }
    }
    auto combine = [](std::optional<DType> higher, std::optional<DType> lower) -> std::optional<DType> {
        if (!higher) return lower;
        if (!lower || category_of(*higher) >= category_of(*lower)) return higher;
        return promote(*higher, *lower);
    };
    auto result = combine(dims, combine(zero_dims, numbers));
    SIFR_CHECK(result, "no operand with a dtype");
    return *result;
}

DType compute_dtype(const OpCall& call) {
    const OpDef& row = def(call.op);
    if (row.compute_dtype) return row.compute_dtype(call);
    switch (row.dtype) {
        case DTypeRule::Promote:
        case DTypeRule::Compare: return result_dtype(promoted_types(call), call.default_dtype);
        case DTypeRule::PromoteFloat: {
            DType t = result_dtype(promoted_types(call), call.default_dtype);
            return is_float(t) || is_complex(t) ? t : call.default_dtype;
        }
        case DTypeRule::Logical: return DType::Bool;
        case DTypeRule::First: return call.types[0].is_tensor() ? call.types[0].dtype : dtype_of_number(call.types[0].kind);
        case DTypeRule::Attribute: return call.attrs.get<DType>("dtype");
        case DTypeRule::Special: break;
    }
    SIFR_UNREACHABLE("row '{}' has no rule for its compute dtype", row.name);
}

Type rules::broadcast_types(std::span<const Type> types, DType dtype) {
    Type out = Type::tensor(dtype, {});
    for (const Type& t : types)
        if (t.is_tensor()) out.sizes = rules::broadcast_bounds(out, t);
    // Axes of run-time extent: an operand with a static extent other than 1 decides (a check proves the equality).
    for (const Type& t : types) {
        if (!t.is_tensor()) continue;
        for (const RunTimeSize& r : t.run_time_sizes) {
            int axis = out.rank() - t.rank() + r.axis;
            bool known = std::any_of(out.run_time_sizes.begin(), out.run_time_sizes.end(), [&](auto& o) { return o.axis == axis; });
            bool fixed = std::any_of(types.begin(), types.end(), [&](const Type& o) {
                int d = axis - (out.rank() - o.rank());
                if (!o.is_tensor() || d < 0 || o.sizes[d] == 1) return false;
                return std::none_of(o.run_time_sizes.begin(), o.run_time_sizes.end(), [&](auto& q) { return q.axis == d; });
            });
            if (!known && !fixed) out.run_time_sizes.push_back({axis, r.size});
        }
    }
    std::sort(out.run_time_sizes.begin(), out.run_time_sizes.end(), [](auto& a, auto& b) { return a.axis < b.axis; });
    return out;
}

Sizes rules::broadcast_bounds(const Type& a, const Type& b) {
    // A bound yields to the other side's extent: only static extents are compared.
    Sizes x = a.sizes, y = b.sizes;
    auto yield = [](Sizes& mine, const std::vector<RunTimeSize>& run_time, const Sizes& other) {
        for (const RunTimeSize& r : run_time) {
            int64_t from_end = static_cast<int64_t>(mine.size()) - r.axis;
            if (from_end > static_cast<int64_t>(other.size())) continue;
            int64_t there = other[other.size() - from_end];
            if (there != 1) mine[r.axis] = there;
        }
    };
    yield(x, a.run_time_sizes, b.sizes);
    yield(y, b.run_time_sizes, x);
    return broadcast(x, y);
}

namespace {

std::vector<Type> inferred(const OpCall& call) {
    const OpDef& row = def(call.op);
    if (row.infer) return row.infer(call);
    if (row.lower == Lower::View && row.view) {
        std::vector<Type> out;
        for (const ViewLayout& v : row.view(call)) {
            Type t = Type::tensor(call.types[0].dtype, v.layout.sizes);
            // An axis of run-time extent survives where the view kept its place and bound.
            for (const RunTimeSize& r : call.types[0].run_time_sizes) {
                int axis = rules::kept_axis(call, out.size(), r.axis);
                if (axis < 0) throw NotSupported(fmt::format("'{}' on an axis whose size is known only at run time", name_of(call.op)));
                t.run_time_sizes.push_back({axis, r.size});
            }
            out.push_back(std::move(t));
        }
        return out;
    }
    if (row.lower == Lower::Pointwise) return {rules::broadcast_types(call.types, result_dtype_of(call))};
    const Signature& s = signature(call.op);
    std::vector<Type> out;
    for (Param::Kind kind : s.result_kinds) out.push_back(type_of_kind(kind, call));
    return out;
}

}  // namespace

std::vector<Type> infer_types(const OpCall& call) {
    const OpDef& row = def(call.op);
    if (row.lower != Lower::Pointwise && row.lower != Lower::View && row.lower != Lower::Structural && !row.run_time_sizes) {
        for (const Type& t : call.types)
            if (t.is_tensor() && !t.run_time_sizes.empty()) throw NotSupported(fmt::format("'{}' of a tensor whose size is known only at run time", name_of(call.op)));
    }
    std::vector<Type> types = inferred(call);
    for (const Type& t : types) {
        int64_t bytes = 0;  // a view that repeats elements counts them all, as PyTorch's numel() does
        if (t.is_tensor() && __builtin_mul_overflow(element_count(t.sizes), size_of(t.dtype), &bytes))
            raise("RuntimeError", "Storage size calculation overflowed with sizes=[{}]", fmt::join(t.sizes, ", "));
    }
    return types;
}

const char* node_name(const OpCall& call) {
    const OpDef& row = def(call.op);
    return row.node_of ? row.node_of(call) : row.node;
}

namespace {

/// TensorIterator's order of axes, innermost first: an insertion sort by the operands' strides, which leaves ambiguous axes
/// where they are.
std::vector<int> iteration_order(const Sizes& shape, const std::vector<Strides>& operands) {
    int rank = static_cast<int>(shape.size());
    std::vector<int> perm(rank);
    for (int i = 0; i < rank; ++i) perm[i] = rank - 1 - i;
    auto should_swap = [&](int dim0, int dim1) {
        for (const Strides& s : operands) {
            int64_t s0 = s[dim0], s1 = s[dim1];
            if (s0 == 0 || s1 == 0) continue;
            if (s0 < s1) return -1;
            if (s0 > s1) return 1;
            if (shape[dim0] > shape[dim1]) return 1;
        }
        return 0;
    };
    for (int i = 1; i < rank; ++i) {
        int dim1 = i;
        for (int dim0 = i - 1; dim0 >= 0; --dim0) {
            int c = should_swap(perm[dim0], perm[dim1]);
            if (c > 0) {
                std::swap(perm[dim0], perm[dim1]);
                dim1 = dim0;
            } else if (c < 0) {
                break;
            }
        }
    }
    return perm;
}

Layout dense_in_order(const Sizes& sizes, const std::vector<int>& innermost_first) {
    bool in_order = true;
    for (size_t i = 0; i < innermost_first.size(); ++i) in_order &= innermost_first[i] == static_cast<int>(sizes.size() - 1 - i);
    Layout out = Layout::contiguous(sizes);
    if (in_order) return out;
    int64_t stride = 1;
    for (int d : innermost_first) {
        out.strides[d] = stride;
        stride *= std::max<int64_t>(sizes[d], 1);
    }
    return out;
}

Layout elementwise_layout(const OpCall& call, const Type& result) {
    std::vector<const Layout*> layouts;
    bool same_shape = true, contiguous = true, same_strides = true, dense = true;
    for (size_t k = 0; k < call.types.size(); ++k) {
        if (call.types[k].is_number()) same_shape &= result.sizes.empty();
        if (!call.types[k].is_tensor() || !call.layouts[k]) continue;
        const Layout* l = call.layouts[k];
        same_shape &= l->sizes == result.sizes;
        contiguous &= l->is_contiguous();
        dense &= l->is_dense();
        if (!layouts.empty()) same_strides &= l->strides == layouts[0]->strides;
        layouts.push_back(l);
    }
    if (layouts.empty() || (same_shape && contiguous)) return Layout::contiguous(result.sizes);
    if (same_shape && dense && same_strides) {
        Layout out{0, result.sizes, layouts[0]->strides, {}};
        return out;
    }
    std::vector<Strides> operands;
    for (const Layout* l : layouts) {
        Strides s(result.sizes.size(), 0);
        size_t lead = result.sizes.size() - l->sizes.size();
        for (size_t d = 0; d < l->sizes.size(); ++d)
            s[lead + d] = l->sizes[d] == 1 && result.sizes[lead + d] != 1 ? 0 : l->strides[d];
        operands.push_back(std::move(s));
    }
    return dense_in_order(result.sizes, iteration_order(result.sizes, operands));
}

/// PyTorch's infer_dense_strides: the order of the strides is kept, gaps close, repeated axes get a place.
Layout like_layout(const Layout& from, const Sizes& sizes) {
    if (from.sizes != sizes || from.is_contiguous()) return Layout::contiguous(sizes);
    if (from.is_dense()) return Layout{0, sizes, from.strides, {}};
    return dense_in_order(sizes, iteration_order(sizes, {from.strides}));
}

}  // namespace

Layout fresh_layout(const OpCall& call, const Type& result) {
    if (!call.layouts.empty()) {
        switch (def(call.op).layout) {
            case LayoutRule::Contiguous: break;
            case LayoutRule::Elementwise: return elementwise_layout(call, result);
            case LayoutRule::Like:
                if (call.attrs.has("memory_format") && call.attrs.get_or<std::string>("memory_format", "preserve") == "contiguous") break;
                if (call.layouts[0]) return like_layout(*call.layouts[0], result.sizes);
                break;
        }
    }
    return Layout::contiguous(result.sizes);
}

}  // namespace sifr
