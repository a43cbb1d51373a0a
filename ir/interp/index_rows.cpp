// Products, joins, scans, and reads and writes at run-time indices.

#include <algorithm>

#include "ir/base/diagnostic.h"
#include "ir/interp/machine.h"
#include "ir/loop/reduce_value.h"
#include "ir/op/reduce_order.h"

namespace sifr {
namespace {

bool is_half(DType t) { return t == DType::F16 || t == DType::BF16; }
DType wide_of(DType t) { return is_half(t) ? DType::F32 : t; }

ScalarValue combined(ScalarOp op, DType dtype, ScalarValue a, ScalarValue b) {
    DType wide = wide_of(dtype);
    return cast_value(apply(op, wide, a, b, {}), wide, dtype);
}
ScalarValue sum_of(DType dtype, ScalarValue a, ScalarValue b) { return combined(dtype == DType::Bool ? ScalarOp::Or : ScalarOp::Add, dtype, a, b); }

size_t axis_of(const Execution& x, size_t rank) {
    int64_t dim = x.inst.attrs.get_or<int64_t>("dim", 0);
    return rank == 0 ? 0 : static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

/// A 0-d tensor as one of one element.
RunTensor at_least_1d(const RunTensor& t) {
    if (!t.sizes().empty()) return t;
    return t.with(Layout{t.layout.offset, {1}, {1}, {}, {}});
}

RunTensor reshaped(const RunTensor& t, const Sizes& sizes) { return t.packed().with(Layout::contiguous(sizes)); }

// ---------------------------------------------------------------------------------------------- contractions

/// The order of reduce_order.h: one chain of fused multiply-adds, in chunks; thin products by lanes.
void product(const RunTensor& a, const RunTensor& b, const RunTensor& out) {
    int64_t m = a.sizes()[0], k = a.sizes()[1], n = b.sizes()[1];
    DType dtype = out.dtype, wide = wide_of(dtype);
    bool thin = std::min(m, n) < contract_thin;
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            auto left = [&](int64_t p) { return cast_value(a.load(a.layout.offset + i * a.layout.strides[0] + p * a.layout.strides[1]), a.dtype, wide); };
            auto right = [&](int64_t p) { return cast_value(b.load(b.layout.offset + p * b.layout.strides[0] + j * b.layout.strides[1]), b.dtype, wide); };
            ScalarValue total = identity_value(Combine::Sum, wide);
            if (thin) {
                OrderedReduction sum(Combine::Sum, wide, true);
                for (int64_t p = 0; p < k; ++p) sum.add_product(left(p), right(p));
                total = sum.finish();
            } else {
                for (int64_t begin = 0; begin < k; begin += contract_chunk) {
                    ScalarValue chunk = identity_value(Combine::Sum, wide);
                    for (int64_t p = begin; p < std::min(k, begin + contract_chunk); ++p) chunk = apply(ScalarOp::Fma, wide, left(p), right(p), chunk);
                    total = begin == 0 ? chunk : apply(ScalarOp::Add, wide, total, chunk, {});
                }
            }
            out.store(out.layout.offset + i * out.layout.strides[0] + j * out.layout.strides[1], cast_value(total, wide, dtype));
        }
}

Results mm(const Execution& x) {
    const RunTensor &a = x.tensor(0), &b = x.tensor(1);
    const int64_t m = a.sizes()[0], n = b.sizes()[1];
    RunTensor out = RunTensor::make(x.target.dtype, {m, n});
    if (!is_outer_product(m, a.sizes()[1], n)) {
        product(a, b, out);
        return {std::move(out)};
    }
    const DType wide = wide_of(out.dtype);
    const RunTensor left = a.expanded({m, n}), right = b.expanded({m, n});
    for (Walk w({&left.layout, &right.layout, &out.layout}); !w.done(); w.next()) {
        ScalarValue l = cast_value(left.load(w.offset(0)), a.dtype, wide), r = cast_value(right.load(w.offset(1)), b.dtype, wide);
        out.store(w.offset(2), cast_value(apply(ScalarOp::Mul, wide, l, r, {}), wide, out.dtype));
    }
    return {std::move(out)};
}

/// Matrix `batch` of a batch.
RunTensor matrix(const RunTensor& t, int64_t batch) {
    const Layout& l = t.layout;
    return t.with(Layout{l.offset + batch * l.strides[0], {l.sizes[1], l.sizes[2]}, {l.strides[1], l.strides[2]}, {}, {}});
}

Results bmm(const Execution& x) {
    const RunTensor &a = x.tensor(0), &b = x.tensor(1);
    RunTensor out = RunTensor::make(x.target.dtype, {a.sizes()[0], a.sizes()[1], b.sizes()[2]});
    for (int64_t k = 0; k < a.sizes()[0]; ++k) product(matrix(a, k), matrix(b, k), matrix(out, k));
    return {std::move(out)};
}

// ---------------------------------------------------------------------------------------------- joins and scans

Results cat(const Execution& x) {
    std::vector<RunTensor> parts;
    for (size_t k = 0; k < x.in.size(); ++k)
        if (const RunTensor& t = x.tensor(k); t.sizes() != Sizes{0}) parts.push_back(t.cast(x.target.dtype));
    if (parts.empty()) return {RunTensor::make(x.target.dtype, {0})};
    size_t axis = axis_of(x, parts[0].sizes().size());
    Sizes sizes = parts[0].sizes();
    sizes[axis] = 0;
    for (const RunTensor& t : parts) sizes[axis] += t.sizes()[axis];
    RunTensor out = RunTensor::make(x.target.dtype, sizes);
    int64_t begin = 0;
    for (const RunTensor& t : parts) {
        Layout at = out.layout;
        at.offset += begin * at.strides[axis];
        at.sizes = t.sizes();
        for (Walk w({&t.layout, &at}); !w.done(); w.next()) out.store(w.offset(1), t.load(w.offset(0)));
        begin += t.sizes()[axis];
    }
    return {std::move(out)};
}

/// Calls `line(offset in `in`, offset in `out`, length, strides)` for each line along the axis.
template <class F>
void each_line(const RunTensor& in, const RunTensor& out, size_t axis, const F& line) {
    Layout from = in.layout, to = out.layout;
    int64_t length = from.sizes[axis];
    from.sizes[axis] = to.sizes[axis] = length == 0 ? 0 : 1;
    for (Walk w({&from, &to}); !w.done(); w.next()) line(w.offset(0), w.offset(1), length, in.layout.strides[axis], out.layout.strides[axis]);
}

/// In order along the axis. Half precision is accumulated in F32, and each result rounded.
Results accumulate(const Execution& x, ScalarOp op) {
    RunTensor in = at_least_1d(x.tensor(0)).cast(x.target.dtype);
    RunTensor out = RunTensor::make(x.target.dtype, in.sizes());
    DType wide = wide_of(in.dtype);
    each_line(in, out, axis_of(x, x.tensor(0).sizes().size()), [&](int64_t from, int64_t to, int64_t length, int64_t from_step, int64_t to_step) {
        ScalarValue acc = identity_value(op == ScalarOp::Add ? Combine::Sum : Combine::Prod, wide);
        for (int64_t k = 0; k < length; ++k) {
            acc = apply(op, wide, acc, cast_value(in.load(from + k * from_step), in.dtype, wide), {});
            out.store(to + k * to_step, cast_value(acc, wide, in.dtype));
        }
    });
    return {reshaped(out, x.tensor(0).sizes())};
}

/// The last of equal extremes is the one that is named; a NaN stays.
Results running_extreme(const Execution& x, bool max) {
    RunTensor in = at_least_1d(x.tensor(0));
    RunTensor values = RunTensor::make(in.dtype, in.sizes()), indices = RunTensor::make(DType::I64, in.sizes());
    DType wide = wide_of(in.dtype);
    auto is_nan = [&](ScalarValue v) { return is_float(in.dtype) && apply(ScalarOp::Ne, wide, v, v, {}).i64 != 0; };
    each_line(in, values, axis_of(x, x.tensor(0).sizes().size()), [&](int64_t from, int64_t to, int64_t length, int64_t from_step, int64_t to_step) {
        ScalarValue best = in.load(from), at;
        at.i64 = 0;
        for (int64_t k = 0; k < length; ++k) {
            ScalarValue v = in.load(from + k * from_step);
            if (is_nan(v) || (!is_nan(best) && apply(max ? ScalarOp::Ge : ScalarOp::Le, wide, v, best, {}).i64 != 0)) {
                best = v;
                at.i64 = k;
            }
            values.store(to + k * to_step, best);
            indices.store(to + k * to_step, at);
        }
    });
    return {reshaped(values, x.tensor(0).sizes()), reshaped(indices, x.tensor(0).sizes())};
}

// ---------------------------------------------------------------------------------------------- indices

/// An index as a position, or the row's exception with its value, axis and size.
int64_t checked(const Execution& x, int64_t index, size_t axis, int64_t size) {
    const OpDef& row = def(x.inst.op);
    int64_t at = index < 0 && row.negative_index ? index + size : index;
    if (at >= 0 && at < size) return at;
    std::string error = x.inst.attrs.get_or<std::string>("error", row.index_error ? row.index_error : "IndexError: index out of range");
    for (int64_t part : {index, static_cast<int64_t>(axis), size})
        if (size_t field = error.find("{}"); field != std::string::npos) error.replace(field, 2, std::to_string(part));
    size_t colon = error.find(": ");
    x.raise(error.substr(0, colon), error.substr(colon + 2));
}

int64_t load_index(const RunTensor& t, int64_t offset) { return cast_value(t.load(offset), t.dtype, DType::I64).i64; }

/// Visits the elements of `index` in row-major order: where each lies in `self` (its own position, but along `axis`), and where
/// in `other`, which is at least as large.
template <class F>
void along_axis(const Execution& x, const RunTensor& self, const RunTensor& index, const Layout& other, size_t axis, const F& visit) {
    Layout second = other;
    second.sizes = index.sizes();
    for (Walk w({&index.layout, &second}); !w.done(); w.next()) {
        int64_t at = self.layout.offset;
        for (size_t d = 0; d < self.sizes().size(); ++d) {
            int64_t i = d == axis ? checked(x, load_index(index, w.offset(0)), axis, self.sizes()[axis]) : w.index()[d];
            at += i * self.layout.strides[d];
        }
        visit(at, w.offset(1));
    }
}

Results gather(const Execution& x) {
    RunTensor self = at_least_1d(x.tensor(0)), index = at_least_1d(x.tensor(1));
    RunTensor out = RunTensor::make(self.dtype, index.sizes());
    along_axis(x, self, index, out.layout, axis_of(x, self.sizes().size()), [&](int64_t at, int64_t to) { out.store(to, self.load(at)); });
    return {reshaped(out, x.tensor(1).sizes())};
}

/// `self` copied, and `put(out, position, value)` for each element of the index.
template <class F>
Results scattered(const Execution& x, const F& put) {
    RunTensor out = at_least_1d(x.tensor(0)).copied(), index = at_least_1d(x.tensor(1)), source = at_least_1d(x.tensor(2));
    along_axis(x, out, index, source.layout, axis_of(x, out.sizes().size()), [&](int64_t at, int64_t from) { put(out, at, source.load(from)); });
    return {reshaped(out, x.tensor(0).sizes())};
}

Results scatter_reduce(const Execution& x) {
    auto how = x.attr<std::string>("reduce");
    how = how == "max" ? "amax" : how == "min" ? "amin" : how;
    bool with_self = x.inst.attrs.get_or("include_self", true);
    std::vector<int64_t> touched(static_cast<size_t>(x.tensor(0).numel()), 0);
    ScalarOp op = how == "prod" ? ScalarOp::Mul : how == "amax" ? ScalarOp::Max : how == "amin" ? ScalarOp::Min : ScalarOp::Add;
    Results results = scattered(x, [&](const RunTensor& out, int64_t at, ScalarValue v) {
        bool first = touched[static_cast<size_t>(at)]++ == 0 && !with_self;
        out.store(at, first ? v : combined(op, out.dtype, out.load(at), v));
    });
    if (how != "mean") return results;
    const RunTensor& out = std::get<RunTensor>(results[0]);
    for (size_t k = 0; k < touched.size(); ++k) {
        if (touched[k] == 0) continue;
        ScalarValue count;
        count.i64 = touched[k] + (with_self ? 1 : 0);
        ScalarOp divide = is_float(out.dtype) ? ScalarOp::Div : ScalarOp::FloorDiv;
        out.store(static_cast<int64_t>(k), combined(divide, out.dtype, out.load(static_cast<int64_t>(k)), cast_value(count, DType::I64, wide_of(out.dtype))));
    }
    return results;
}

/// Whole slices along the axis: `take(slice of self, slice of other)` for each index in order.
template <class F>
void each_slice(const Execution& x, const RunTensor& self, const RunTensor& index, const RunTensor& other, size_t axis, const F& take) {
    RunTensor flat = reshaped(index, {index.numel()});
    Layout own = self.layout, theirs = other.layout;
    own.sizes[axis] = theirs.sizes[axis] = 1;
    for (int64_t k = 0; k < flat.numel(); ++k) {
        Layout a = own, b = theirs;
        a.offset += checked(x, load_index(flat, k), axis, self.sizes()[axis]) * own.strides[axis];
        b.offset += k * theirs.strides[axis];
        for (Walk w({&a, &b}); !w.done(); w.next()) take(w.offset(0), w.offset(1));
    }
}

Results index_select(const Execution& x) {
    RunTensor self = at_least_1d(x.tensor(0));
    size_t axis = axis_of(x, x.tensor(0).sizes().size());
    Sizes sizes = self.sizes();
    sizes[axis] = x.tensor(1).numel();
    RunTensor out = RunTensor::make(self.dtype, sizes);
    each_slice(x, self, x.tensor(1), out, axis, [&](int64_t from, int64_t to) { out.store(to, self.load(from)); });
    return {x.tensor(0).sizes().empty() ? reshaped(out, {}) : std::move(out)};
}

template <class F>
Results indexed_slices(const Execution& x, const F& put) {
    RunTensor out = at_least_1d(x.tensor(0)).copied(), source = at_least_1d(x.tensor(2));
    each_slice(x, out, x.tensor(1), source, axis_of(x, x.tensor(0).sizes().size()), [&](int64_t to, int64_t from) { put(out, to, source.load(from)); });
    return {reshaped(out, x.tensor(0).sizes())};
}

/// The index tensors of `x[i, :, j]`, broadcast together; None keeps an axis. Where they stand next to each other the result has
/// their axes in their place, else in front.
struct Advanced {
    Advanced(const Execution& x, const RunTensor& self, size_t first, size_t last) : self(self) {
        for (size_t k = first; k < last; ++k) {
            if (x.is_none(k)) continue;
            axes.push_back(k - first);
            indices.push_back(x.tensor(k));
            joined = broadcast(joined, x.tensor(k).sizes());
        }
        for (RunTensor& i : indices) i = i.expanded(joined);
        bool adjacent = !axes.empty() && axes.back() - axes.front() + 1 == axes.size();
        place = adjacent ? axes.front() : 0;
        for (size_t d = 0; d < self.sizes().size(); ++d)
            if (std::find(axes.begin(), axes.end(), d) == axes.end()) kept.push_back(d);
        for (size_t d : kept) sizes.push_back(self.sizes()[d]);
        sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(place), joined.begin(), joined.end());
    }

    /// Where element `index` of the result lies in self.
    [[nodiscard]] int64_t position(const Execution& x, const std::vector<int64_t>& index) const {
        int64_t at = self.layout.offset;
        for (size_t k = 0; k < axes.size(); ++k) {
            int64_t offset = indices[k].layout.offset;
            for (size_t d = 0; d < joined.size(); ++d) offset += index[place + d] * indices[k].layout.strides[d];
            at += checked(x, load_index(indices[k], offset), axes[k], self.sizes()[axes[k]]) * self.layout.strides[axes[k]];
        }
        for (size_t k = 0; k < kept.size(); ++k) at += index[k < place ? k : k + joined.size()] * self.layout.strides[kept[k]];
        return at;
    }

    const RunTensor& self;
    std::vector<size_t> axes, kept;
    std::vector<RunTensor> indices;
    Sizes joined, sizes;
    size_t place = 0;
};

Results index(const Execution& x) {
    Advanced a(x, x.tensor(0), 1, x.in.size());
    RunTensor out = RunTensor::make(x.tensor(0).dtype, a.sizes);
    for (Walk w({&out.layout}); !w.done(); w.next()) out.store(w.offset(0), x.tensor(0).load(a.position(x, w.index())));
    return {std::move(out)};
}

Results index_put(const Execution& x) {
    RunTensor out = x.tensor(0).copied();
    Advanced a(x, out, 1, x.in.size() - 1);
    RunTensor values = x.tensor(x.in.size() - 1).cast(out.dtype).expanded(a.sizes);
    bool accumulates = x.inst.attrs.get_or("accumulate", false);
    for (Walk w({&values.layout}); !w.done(); w.next()) {
        int64_t at = a.position(x, w.index());
        ScalarValue v = values.load(w.offset(0));
        out.store(at, accumulates ? sum_of(out.dtype, out.load(at), v) : v);
    }
    return {std::move(out)};
}

const NamedEvaluator table[] = {
    {"mm", mm},
    {"bmm", bmm},
    {"cat", cat},
    {"cumsum", [](const Execution& x) { return accumulate(x, ScalarOp::Add); }},
    {"cumprod", [](const Execution& x) { return accumulate(x, ScalarOp::Mul); }},
    {"cummax", [](const Execution& x) { return running_extreme(x, true); }},
    {"cummin", [](const Execution& x) { return running_extreme(x, false); }},
    {"gather", gather},
    {"index_select", index_select},
    {"index", index},
    {"scatter", [](const Execution& x) { return scattered(x, [](const RunTensor& out, int64_t at, ScalarValue v) { out.store(at, v); }); }},
    {"scatter_add",
     [](const Execution& x) { return scattered(x, [](const RunTensor& out, int64_t at, ScalarValue v) { out.store(at, sum_of(out.dtype, out.load(at), v)); }); }},
    {"scatter_reduce", scatter_reduce},
    {"scatter_combine", scatter_reduce},
    {"index_add",
     [](const Execution& x) { return indexed_slices(x, [](const RunTensor& out, int64_t at, ScalarValue v) { out.store(at, sum_of(out.dtype, out.load(at), v)); }); }},
    {"index_copy", [](const Execution& x) { return indexed_slices(x, [](const RunTensor& out, int64_t at, ScalarValue v) { out.store(at, v); }); }},
    {"index_put", index_put},
};

}  // namespace

std::span<const NamedEvaluator> index_evaluators() { return table; }

}  // namespace sifr
