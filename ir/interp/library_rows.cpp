// Rows that are functions of the runtime on whole tensors: order, selection, linear algebra.

#include <algorithm>

#include "ir/base/diagnostic.h"
#include "ir/interp/machine.h"

namespace sifr {
namespace {

/// An output: memory, and the runtime's view of it.
struct Output {
    Output(DType dtype, const Sizes& sizes) : tensor(RunTensor::make(dtype, sizes)), c(c_tensor(tensor)) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    void* data() { return tensor.memory->data(); }
    RunTensor tensor;
    sifr_tensor c;
};

/// A row-major input.
struct Input {
    explicit Input(const RunTensor& t) : tensor(t.packed()), c(c_tensor(tensor)) {}
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    const void* data() const { return tensor.memory->data(); }
    RunTensor tensor;
    sifr_tensor c;
};

const Type& result_type(const Execution& x, size_t k) { return x.f.type(x.inst.results.at(k)); }
RunTensor shaped(const RunTensor& t, const Sizes& sizes) { return t.packed().with(Layout::contiguous(sizes)); }

int32_t dim_of(const Execution& x) {
    int64_t rank = static_cast<int64_t>(x.tensor(0).sizes().size()), dim = x.inst.attrs.get_or<int64_t>("dim", -1);
    return static_cast<int32_t>(rank == 0 ? 0 : dim < 0 ? dim + rank : dim);
}

Results sort(const Execution& x) {
    Input in(x.tensor(0));
    Output values(in.tensor.dtype, in.tensor.sizes()), indices(DType::I64, in.tensor.sizes());
    sifr_sort(&in.c, dim_of(x), x.inst.attrs.get_or("descending", false), &values.c, &indices.c);
    return {values.tensor, indices.tensor};
}

Results topk(const Execution& x) {
    Input in(x.tensor(0));
    Sizes sizes = in.tensor.sizes();
    int64_t k = x.attr<int64_t>("k");
    if (!sizes.empty()) sizes[static_cast<size_t>(dim_of(x))] = k;
    Output values(in.tensor.dtype, sizes), indices(DType::I64, sizes);
    sifr_topk(&in.c, dim_of(x), k, x.inst.attrs.get_or("largest", true), x.inst.attrs.get_or("sorted", true), &values.c, &indices.c);
    return {values.tensor, indices.tensor};
}

/// Values and indices of one element of each line; `run(in, dim, values, indices)`.
template <class F>
Results picked(const Execution& x, const F& run) {
    Input in(x.tensor(0));
    Sizes sizes = in.tensor.sizes();
    if (!sizes.empty()) sizes[static_cast<size_t>(dim_of(x))] = 1;
    Output values(in.tensor.dtype, sizes), indices(DType::I64, sizes);
    run(&in.c, dim_of(x), &values.c, &indices.c);
    Sizes kept = in.tensor.sizes();
    if (!kept.empty()) {
        if (x.inst.attrs.get_or("keepdim", false)) kept = sizes;
        else kept.erase(kept.begin() + dim_of(x));
    }
    return {shaped(values.tensor, kept), shaped(indices.tensor, kept)};
}

/// The first `count` elements (or rows of `columns`) of what was written.
RunTensor front(const Output& out, int64_t count, std::optional<int64_t> columns = {}) {
    Sizes sizes{count};
    if (columns) sizes.push_back(*columns);
    return out.tensor.with(Layout::contiguous(sizes)).copied();
}

Results masked_select(const Execution& x) {
    Sizes sizes = broadcast(x.tensor(0).sizes(), x.tensor(1).sizes());
    Input in(x.tensor(0).expanded(sizes)), mask(x.tensor(1).expanded(sizes));
    Output out(in.tensor.dtype, {element_count(sizes)});
    int64_t count = sifr_masked_select(&in.c, &mask.c, out.data());
    return {count, front(out, count)};
}

Results nonzero(const Execution& x) {
    Input in(x.tensor(0));
    int64_t rank = static_cast<int64_t>(in.tensor.sizes().size());
    Output out(DType::I64, {in.tensor.numel(), rank});
    int64_t count = sifr_nonzero(&in.c, static_cast<int64_t*>(out.data()));
    return {count, front(out, count, rank)};
}

template <auto function>
Results unique(const Execution& x) {
    Input in(x.tensor(0));
    Output values(in.tensor.dtype, {in.tensor.numel()}), inverse(DType::I64, in.tensor.sizes()), counts(DType::I64, {in.tensor.numel()});
    int64_t count = function(&in.c, values.data(), &inverse.c, static_cast<int64_t*>(counts.data()));
    return {count, front(values, count), inverse.tensor, front(counts, count)};
}

Results unique_dim(const Execution& x) {
    Input in(x.tensor(0));
    int64_t size = in.tensor.sizes()[static_cast<size_t>(dim_of(x))];
    Output representatives(DType::I64, {size}), inverse(DType::I64, {size}), counts(DType::I64, {size});
    auto numbers = [](Output& o) { return static_cast<int64_t*>(o.data()); };
    int64_t count = sifr_unique_dim(&in.c, dim_of(x), x.inst.attrs.get_or("consecutive", false), numbers(representatives), numbers(inverse), numbers(counts));
    return {count, front(representatives, count), inverse.tensor, front(counts, count)};
}

Results searchsorted(const Execution& x) {
    DType dtype = promote(x.tensor(0).dtype, x.tensor(1).dtype);
    Input sorted(x.tensor(0).cast(dtype)), values(x.tensor(1).cast(dtype));
    Output out(x.target.dtype, values.tensor.sizes());
    sifr_searchsorted(&sorted.c, &values.c, x.inst.attrs.get_or("right", false), &out.c);
    return {out.tensor};
}

Results bincount(const Execution& x) {
    Input in(x.tensor(0));
    int64_t bins = 0;
    x.require(sifr_bincount_size(&in.c, x.inst.attrs.get_or<int64_t>("minlength", 0), &bins));
    Output out(x.target.dtype, {bins});
    if (x.is_tensor(1)) {
        Input weights(x.tensor(1).cast(x.target.dtype));
        sifr_bincount(&in.c, &weights.c, &out.c);
    } else {
        sifr_bincount(&in.c, nullptr, &out.c);
    }
    return {out.tensor};
}

Results histc(const Execution& x) {
    Input in(x.tensor(0));
    Output out(x.target.dtype, {x.inst.attrs.get_or<int64_t>("bins", 100)});
    x.require(sifr_histc(&in.c, x.inst.attrs.get_or("min", 0.0), x.inst.attrs.get_or("max", 0.0), &out.c));
    return {out.tensor};
}

Results logcumsumexp(const Execution& x) {
    Input in(x.tensor(0));
    Output out(in.tensor.dtype, in.tensor.sizes());
    sifr_logcumsumexp(&in.c, dim_of(x), &out.c);
    return {out.tensor};
}

Results gcd(const Execution& x) {
    Input a(x.tensor(0)), b(x.tensor(1));
    Output out(a.tensor.dtype, a.tensor.sizes());
    sifr_gcd(&a.c, &b.c, &out.c);
    return {out.tensor};
}

Results view_dtype(const Execution& x) {
    Input in(x.tensor(0));
    Output out(x.target.dtype, x.target.sizes);
    sifr_reinterpret(in.data(), out.data(), in.tensor.numel() * size_of(in.tensor.dtype));
    return {out.tensor};
}

// ---------------------------------------------------------------------------------------------- linear algebra

/// The last two axes are the matrix, those in front the batch.
struct Batch {
    explicit Batch(const RunTensor& t) : rows(t.sizes()[t.sizes().size() - 2]), columns(t.sizes().back()), batched(t.sizes().size() > 2) {
        for (size_t d = 0; d + 2 < t.sizes().size(); ++d) count *= t.sizes()[d];
    }
    int64_t rows, columns, count = 1;
    bool batched;
};

int32_t c_dtype(const RunTensor& t) { return static_cast<int32_t>(t.dtype); }

Results cholesky(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output out(a.tensor.dtype, a.tensor.sizes());
    x.require(sifr_cholesky(c_dtype(a.tensor), b.count, b.batched, b.rows, a.data(), x.inst.attrs.get_or("upper", false), out.data()));
    return {out.tensor};
}

Results inverse(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output out(a.tensor.dtype, a.tensor.sizes());
    x.require(sifr_inverse(c_dtype(a.tensor), b.count, b.batched, b.rows, a.data(), out.data()));
    return {out.tensor};
}

Results det(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output out(a.tensor.dtype, x.target.sizes);
    sifr_det(c_dtype(a.tensor), b.count, b.rows, a.data(), out.data());
    return {out.tensor};
}

Results slogdet(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output sign(a.tensor.dtype, x.target.sizes), logarithm(a.tensor.dtype, x.target.sizes);
    sifr_slogdet(c_dtype(a.tensor), b.count, b.rows, a.data(), sign.data(), logarithm.data());
    return {sign.tensor, logarithm.tensor};
}

Results solve(const Execution& x) {
    Input a(x.tensor(0)), right(x.tensor(1));
    Batch b(a.tensor);
    int64_t columns = b.count * b.rows == 0 ? 0 : right.tensor.numel() / (b.count * b.rows);
    SIFR_CHECK(b.count * b.rows * columns == right.tensor.numel(), "linalg_solve: the batches of A and B differ");
    Output out(a.tensor.dtype, x.target.sizes);
    x.require(sifr_solve(c_dtype(a.tensor), b.count, b.batched, b.rows, columns, a.data(), right.data(), out.data()));
    return {out.tensor};
}

Results solve_triangular(const Execution& x) {
    Input a(x.tensor(0)), right(x.tensor(1));
    Batch b(a.tensor);
    bool left = x.inst.attrs.get_or("left", true);
    int64_t other = b.count * b.rows == 0 ? 0 : right.tensor.numel() / (b.count * b.rows);
    SIFR_CHECK(b.count * b.rows * other == right.tensor.numel(), "linalg_solve_triangular: the batches of A and B differ");
    Output out(a.tensor.dtype, x.target.sizes);
    sifr_solve_triangular(c_dtype(a.tensor), b.count, b.rows, other, a.data(), right.data(), x.inst.attrs.get_or("upper", false), left,
                          x.inst.attrs.get_or("unitriangular", false), out.data());
    return {out.tensor};
}

Results lu(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output out(a.tensor.dtype, a.tensor.sizes()), pivots(DType::I32, result_type(x, 1).sizes), info(DType::I32, result_type(x, 2).sizes);
    sifr_lu(c_dtype(a.tensor), b.count, b.rows, b.columns, a.data(), out.data(), static_cast<int32_t*>(pivots.data()), static_cast<int32_t*>(info.data()));
    return {out.tensor, pivots.tensor, info.tensor};
}

Results lu_matrices(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output p(a.tensor.dtype, result_type(x, 0).sizes), l(a.tensor.dtype, result_type(x, 1).sizes), u(a.tensor.dtype, result_type(x, 2).sizes);
    sifr_lu_matrices(c_dtype(a.tensor), b.count, b.rows, b.columns, a.data(), p.data(), l.data(), u.data());
    return {p.tensor, l.tensor, u.tensor};
}

Results matrix_exp(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output out(a.tensor.dtype, a.tensor.sizes());
    sifr_matrix_exp(c_dtype(a.tensor), b.count, b.rows, a.data(), out.data());
    return {out.tensor};
}

Results qr(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output q(a.tensor.dtype, result_type(x, 0).sizes), r(a.tensor.dtype, result_type(x, 1).sizes);
    sifr_qr(c_dtype(a.tensor), b.count, b.rows, b.columns, a.data(), x.inst.attrs.get_or<std::string>("mode", "reduced") == "complete", q.data(), r.data());
    return {q.tensor, r.tensor};
}

Results eigh(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    Output values(a.tensor.dtype, result_type(x, 0).sizes), vectors(a.tensor.dtype, result_type(x, 1).sizes);
    x.require(sifr_eigh(c_dtype(a.tensor), b.count, b.batched, b.rows, a.data(), x.inst.attrs.get_or<std::string>("UPLO", "L") == "U", values.data(), vectors.data()));
    return {values.tensor, vectors.tensor};
}

Results svd(const Execution& x) {
    Input a(x.tensor(0));
    Batch b(a.tensor);
    const Sizes &u_sizes = result_type(x, 0).sizes, &v_sizes = result_type(x, 2).sizes;
    Output u(a.tensor.dtype, u_sizes), s(a.tensor.dtype, result_type(x, 1).sizes), v(a.tensor.dtype, v_sizes);
    x.require(sifr_svd(c_dtype(a.tensor), b.count, b.batched, b.rows, b.columns, a.data(), x.inst.attrs.get_or("full_matrices", true), u.data(), s.data(), v.data()));
    return {u.tensor, s.tensor, v.tensor};
}

const NamedEvaluator table[] = {
    {"sort", sort},
    {"topk", topk},
    {"kthvalue",
     [](const Execution& x) {
         return picked(x, [&](const sifr_tensor* in, int32_t dim, const sifr_tensor* values, const sifr_tensor* indices) {
             sifr_kthvalue(in, dim, x.attr<int64_t>("k"), values, indices);
         });
     }},
    {"median.dim", [](const Execution& x) { return picked(x, sifr_median); }},
    {"mode", [](const Execution& x) { return picked(x, sifr_mode); }},
    {"masked_select", masked_select},
    {"nonzero", nonzero},
    {"unique", unique<sifr_unique>},
    {"unique_consecutive", unique<sifr_unique_consecutive>},
    {"unique_dim", unique_dim},
    {"searchsorted", searchsorted},
    {"bincount", bincount},
    {"histc", histc},
    {"linalg_cholesky", cholesky},
    {"linalg_inv", inverse},
    {"linalg_det", det},
    {"linalg_slogdet", slogdet},
    {"linalg_solve", solve},
    {"linalg_solve_triangular", solve_triangular},
    {"linalg_lu_factor_ex", lu},
    {"linalg_lu", lu_matrices},
    {"linalg_matrix_exp", matrix_exp},
    {"logcumsumexp", logcumsumexp},
    {"gcd", gcd},
    {"view_dtype", view_dtype},
    {"linalg_qr", qr},
    {"linalg_eigh", eigh},
    {"linalg_svd", svd},
};

}  // namespace

std::span<const NamedEvaluator> library_evaluators() { return table; }

}  // namespace sifr
