// Order, selection and linear algebra while a plan is interpreted: operands and results are row-major memory already.

#include <map>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/plan/host_value.h"

namespace sifr {

namespace {

using Values = std::vector<HostValue>;
using Call = HostCall;

int32_t dim_of(const Call& c) {
    int64_t rank = c.tensors[0].ndim, dim = c.attrs.get_or<int64_t>("dim", -1);
    return static_cast<int32_t>(rank == 0 ? 0 : dim < 0 ? dim + rank : dim);
}

/// A tensor's memory under sizes where `dim` has one element: what selections write, kept axis or not.
struct Picked {
    Picked(const sifr_tensor& in, const sifr_tensor& out, int32_t dim) : sizes(in.sizes, in.sizes + in.ndim), c(out) {
        if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = 1;
        c.ndim = static_cast<int32_t>(sizes.size());
        c.sizes = sizes.data();
        c.strides = nullptr;
    }
    Picked(const Picked&) = delete;
    Picked& operator=(const Picked&) = delete;
    std::vector<int64_t> sizes;
    sifr_tensor c;
};

template <class F>
HostRow picks(F f) {
    return [f](const Call& c) {
        int32_t dim = dim_of(c);
        Picked values(c.tensors[0], c.tensors[1], dim), indices(c.tensors[0], c.tensors[2], dim);
        f(c, &c.tensors[0], dim, &values.c, &indices.c);
        return Values{};
    };
}
template <class F>
HostRow whole(F f) {
    return [f](const Call& c) {
        f(c);
        return Values{};
    };
}

/// The last two axes are the matrix, those in front the batch.
struct Batch {
    explicit Batch(const sifr_tensor& t) : rows(t.sizes[t.ndim - 2]), columns(t.sizes[t.ndim - 1]), batched(t.ndim > 2) {
        for (int32_t d = 0; d + 2 < t.ndim; ++d) count *= t.sizes[d];
    }
    int64_t rows, columns, count = 1;
    bool batched;
};
/// Columns of the other side of a system with the matrices of `b`.
int64_t other_side(const Batch& b, const sifr_tensor& t) { return b.count * b.rows == 0 ? 0 : sifr_tensor_numel(&t) / (b.count * b.rows); }

const std::map<std::string_view, HostRow>& rows() {
    static const std::map<std::string_view, HostRow> table = {
        {"sort", whole([](const Call& c) { sifr_sort(&c.tensors[0], dim_of(c), c.attrs.get_or("descending", false), &c.tensors[1], &c.tensors[2]); })},
        {"topk", whole([](const Call& c) {
             sifr_topk(&c.tensors[0], dim_of(c), c.attrs.get<int64_t>("k"), c.attrs.get_or("largest", true), c.attrs.get_or("sorted", true),
                       &c.tensors[1], &c.tensors[2]);
         })},
        {"kthvalue", picks([](const Call& c, const sifr_tensor* in, int32_t dim, const sifr_tensor* v, const sifr_tensor* i) {
             sifr_kthvalue(in, dim, c.attrs.get<int64_t>("k"), v, i);
         })},
        {"median.dim", picks([](const Call&, const sifr_tensor* in, int32_t dim, const sifr_tensor* v, const sifr_tensor* i) { sifr_median(in, dim, v, i); })},
        {"mode", picks([](const Call&, const sifr_tensor* in, int32_t dim, const sifr_tensor* v, const sifr_tensor* i) { sifr_mode(in, dim, v, i); })},
        {"searchsorted", whole([](const Call& c) {
             if (c.tensors[0].dtype != c.tensors[1].dtype) throw NotSupported("searchsorted of two dtypes, in plans");
             sifr_searchsorted(&c.tensors[0], &c.tensors[1], c.attrs.get_or("right", false), &c.tensors[2]);
         })},
        {"histc", whole([](const Call& c) { c.done(sifr_histc(&c.tensors[0], c.attrs.get_or("min", 0.0), c.attrs.get_or("max", 0.0), &c.tensors[1])); })},
        {"linalg_cholesky", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             c.done(sifr_cholesky(c.tensors[0].dtype, b.count, b.batched, b.rows, c.tensors[0].data, c.attrs.get_or("upper", false), c.tensors[1].data));
         })},
        {"linalg_inv", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             c.done(sifr_inverse(c.tensors[0].dtype, b.count, b.batched, b.rows, c.tensors[0].data, c.tensors[1].data));
         })},
        {"linalg_det", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             sifr_det(c.tensors[0].dtype, b.count, b.rows, c.tensors[0].data, c.tensors[1].data);
         })},
        {"linalg_slogdet", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             sifr_slogdet(c.tensors[0].dtype, b.count, b.rows, c.tensors[0].data, c.tensors[1].data, c.tensors[2].data);
         })},
        {"linalg_solve", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             c.done(sifr_solve(c.tensors[0].dtype, b.count, b.batched, b.rows, other_side(b, c.tensors[1]), c.tensors[0].data, c.tensors[1].data,
                               c.tensors[2].data));
         })},
        {"linalg_solve_triangular", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             sifr_solve_triangular(c.tensors[0].dtype, b.count, b.rows, other_side(b, c.tensors[1]), c.tensors[0].data, c.tensors[1].data,
                                   c.attrs.get_or("upper", false), c.attrs.get_or("left", true), c.attrs.get_or("unitriangular", false), c.tensors[2].data);
         })},
        {"linalg_lu_factor_ex", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             sifr_lu(c.tensors[0].dtype, b.count, b.rows, b.columns, c.tensors[0].data, c.tensors[1].data, static_cast<int32_t*>(c.tensors[2].data),
                     static_cast<int32_t*>(c.tensors[3].data));
         })},
        {"linalg_lu", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             sifr_lu_matrices(c.tensors[0].dtype, b.count, b.rows, b.columns, c.tensors[0].data, c.tensors[1].data, c.tensors[2].data, c.tensors[3].data);
         })},
        {"linalg_matrix_exp", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             sifr_matrix_exp(c.tensors[0].dtype, b.count, b.rows, c.tensors[0].data, c.tensors[1].data);
         })},
        {"masked_select", [](const Call& c) -> Values { return {HostValue::of(sifr_masked_select(&c.tensors[0], &c.tensors[1], c.tensors[2].data))}; }},
        {"nonzero", [](const Call& c) -> Values { return {HostValue::of(sifr_nonzero(&c.tensors[0], static_cast<int64_t*>(c.tensors[1].data)))}; }},
        {"unique", [](const Call& c) -> Values {
             return {HostValue::of(sifr_unique(&c.tensors[0], c.tensors[1].data, &c.tensors[2], static_cast<int64_t*>(c.tensors[3].data)))};
         }},
        {"unique_consecutive", [](const Call& c) -> Values {
             return {HostValue::of(sifr_unique_consecutive(&c.tensors[0], c.tensors[1].data, &c.tensors[2], static_cast<int64_t*>(c.tensors[3].data)))};
         }},
        {"unique_dim", [](const Call& c) -> Values {
             auto numbers = [&](size_t k) { return static_cast<int64_t*>(c.tensors[k].data); };
             return {HostValue::of(sifr_unique_dim(&c.tensors[0], dim_of(c), c.attrs.get_or("consecutive", false), numbers(1), numbers(2), numbers(3)))};
         }},
        {"logcumsumexp", whole([](const Call& c) { sifr_logcumsumexp(&c.tensors[0], dim_of(c), &c.tensors[1]); })},
        {"gcd", whole([](const Call& c) { sifr_gcd(&c.tensors[0], &c.tensors[1], &c.tensors[2]); })},
        {"view_dtype", whole([](const Call& c) {
             sifr_reinterpret(c.tensors[0].data, c.tensors[1].data, sifr_tensor_numel(&c.tensors[0]) * sifr_dtype_size(c.tensors[0].dtype));
         })},
        {"linalg_qr", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             bool complete = c.attrs.get_or<std::string>("mode", "reduced") == "complete";
             sifr_qr(c.tensors[0].dtype, b.count, b.rows, b.columns, c.tensors[0].data, complete, c.tensors[1].data, c.tensors[2].data);
         })},
        {"linalg_eigh", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             c.done(sifr_eigh(c.tensors[0].dtype, b.count, b.batched, b.rows, c.tensors[0].data, c.attrs.get_or<std::string>("UPLO", "L") == "U",
                              c.tensors[1].data, c.tensors[2].data));
         })},
        {"linalg_svd", whole([](const Call& c) {
             Batch b(c.tensors[0]);
             c.done(sifr_svd(c.tensors[0].dtype, b.count, b.batched, b.rows, b.columns, c.tensors[0].data,
                             c.attrs.get_or("full_matrices", true), c.tensors[1].data, c.tensors[2].data, c.tensors[3].data));
         })},
    };
    return table;
}

}  // namespace

const HostRow* library_row(std::string_view name) {
    auto it = rows().find(name);
    return it == rows().end() ? nullptr : &it->second;
}

}  // namespace sifr
