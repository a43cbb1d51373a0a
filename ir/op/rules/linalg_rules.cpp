#include "ir/op/rules/linalg_rules.h"

#include <algorithm>

#include "ir/base/diagnostic.h"

namespace sifr::rules {
namespace {

void check_matrix_kernel(DType t) {
    if (t == DType::Bool) raise("NotImplementedError", "\"addmm_impl_cpu_\" not implemented for 'Bool'");
}

void check_product_sizes(const Type& a, const Type& b, const char* name) {
    if (a.sizes[1] != b.sizes[0])
        raise("RuntimeError", "{}: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", name, a.sizes[0], a.sizes[1], b.sizes[0],
              b.sizes[1]);
}

void check_product(const Type& a, const Type& b, const char* name) {
    check_product_sizes(a, b, name);
    if (a.dtype != b.dtype)
        raise("RuntimeError", "expected m1 and m2 to have the same dtype, but got: {} != {}", c_name(a.dtype), c_name(b.dtype));
    check_matrix_kernel(a.dtype);
}

/// The product's type; an outer axis of run-time extent stays one.
Type product(const Type& a, const Type& b) {
    Type out = Type::tensor(a.dtype, {a.sizes[0], b.sizes[1]});
    for (const RunTimeSize& r : a.run_time_sizes)
        if (r.axis == 0) out.run_time_sizes.push_back({0, r.size});
    for (const RunTimeSize& r : b.run_time_sizes)
        if (r.axis == 1) out.run_time_sizes.push_back({1, r.size});
    return out;
}

/// `self` of addmm and its like must expand to the product's sizes.
void check_expands(const Type& self, const Sizes& target) {
    for (size_t i = 0; i < self.sizes.size() && self.sizes.size() <= target.size(); ++i) {
        size_t d = target.size() - 1 - i, own = self.sizes.size() - 1 - i;
        if (self.sizes[own] != target[d] && self.sizes[own] != 1)
            raise("RuntimeError",
                  "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target sizes: "
                  "[{}].  Tensor sizes: [{}]",
                  target[d], self.sizes[own], d, fmt::join(target, ", "), fmt::join(self.sizes, ", "));
    }
    if (self.sizes.size() > target.size())
        raise("RuntimeError", "expand({}{{[{}]}}, size=[{}]): the number of sizes provided ({}) must be greater or equal to the number of "
              "dimensions in the tensor ({})",
              tensor_type_name(self.dtype), fmt::join(self.sizes, ", "), fmt::join(target, ", "), target.size(), self.sizes.size());
}

void check_self_dtype(const Type& self, const Type& product) {
    if (self.dtype != product.dtype)
        raise("RuntimeError", "self and mat2 must have the same dtype, but got {} and {}", scalar_name(self.dtype), scalar_name(product.dtype));
}

/// mv is addmv with a `self` of the vector's dtype.
void check_vector_dtypes(const Type& self, const Type& matrix, const Type& vector) {
    if (self.dtype != matrix.dtype || matrix.dtype != vector.dtype)
        raise("RuntimeError", "addmv input tensors must have the same dtype, but got {}, {}, and {}", scalar_name(self.dtype),
              scalar_name(matrix.dtype), scalar_name(vector.dtype));
}

/// Rows whose refusal of half precision comes from the kernel.
struct LowPrecisionKernel {
    std::string_view row, kernel;
};
constexpr LowPrecisionKernel low_precision_kernels[] = {
    {"linalg_det", "lu_cpu"},           {"linalg_solve", "lu_cpu"},     {"linalg_lu", "lu_cpu"},
    {"linalg_lu_factor_ex", "lu_cpu"},  {"linalg_qr", "geqrf_cpu"},     {"linalg_cholesky", "cholesky_cpu"},
    {"linalg_svd", "linalg_svd_cpu"},   {"linalg_eigh", "linalg_eigh_cpu"}, {"linalg_solve_triangular", "triangular_solve_cpu"},
};

std::string linalg_name(const OpCall& call) {
    std::string name(name_of(call.op));
    return "linalg." + name.substr(std::string("linalg_").size());
}

void check_floating(const OpCall& call) {
    const Type& a = call.types[0];
    std::string name = linalg_name(call);
    if (!is_float(a.dtype))
        raise("NotImplementedError", "{}: Expected a floating point or complex tensor as input. Got {}", name, scalar_name(a.dtype));
    if (a.dtype == DType::F32 || a.dtype == DType::F64) return;
    for (const LowPrecisionKernel& k : low_precision_kernels)
        if (name_of(call.op) == k.row) raise("NotImplementedError", "\"{}\" not implemented for '{}'", k.kernel, scalar_name(a.dtype));
    raise("NotImplementedError", "{}: Low precision dtypes not supported. Got {}", name, scalar_name(a.dtype));
}

void check_square(const OpCall& call) {
    const Type& a = call.types[0];
    std::string name = linalg_name(call);
    if (a.rank() < 2) raise("RuntimeError", "{}: The input tensor A must have at least 2 dimensions.", name);
    int64_t m = a.sizes[a.sizes.size() - 2], n = a.sizes.back();
    if (m != n) raise("RuntimeError", "{}: A must be batches of square matrices, but they are {} by {} matrices", name, m, n);
    check_floating(call);
}

Sizes batch_of(const Type& t) { return {t.sizes.begin(), t.sizes.end() - 2}; }

Sizes with(Sizes s, std::initializer_list<int64_t> tail) {
    s.insert(s.end(), tail);
    return s;
}

}  // namespace

std::vector<Type> mm_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.rank() != 2) raise("RuntimeError", "mm: self must be a matrix, got {}-D tensor", a.rank());
    if (b.rank() != 2) raise("RuntimeError", "mm: mat2 must be a matrix, got {}-D tensor", b.rank());
    check_product(a, b, "mm");
    return {product(a, b)};
}

std::vector<Type> mv_result(const OpCall& call) {
    const Type &a = call.types[0], &v = call.types[1];
    if (a.rank() != 2 || v.rank() != 1)
        raise("RuntimeError", "vector + matrix @ vector expected, got {}, {}, {}", 1, a.rank(), v.rank());
    if (a.sizes[1] != v.sizes[0])
        raise("RuntimeError", "size mismatch, got input ({}), mat ({}x{}), vec ({})", a.sizes[0], a.sizes[0], a.sizes[1], v.sizes[0]);
    check_vector_dtypes(v, a, v);
    check_matrix_kernel(a.dtype);
    Type out = Type::tensor(a.dtype, {a.sizes[0]});
    for (const RunTimeSize& r : a.run_time_sizes)
        if (r.axis == 0) out.run_time_sizes.push_back({0, r.size});
    return {out};
}

std::vector<Type> dot_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.rank() != 1 || b.rank() != 1) raise("RuntimeError", "1D tensors expected, but got {}D and {}D tensors", a.rank(), b.rank());
    if (a.dtype != b.dtype)
        raise("RuntimeError", "dot : expected both vectors to have same dtype, but found {} and {}", scalar_name(a.dtype), scalar_name(b.dtype));
    if (a.sizes != b.sizes)
        raise("RuntimeError",
              "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, but got {} and {} elements "
              "respectively",
              a.sizes[0], b.sizes[0], a.sizes[0], b.sizes[0]);
    if (a.dtype == DType::Bool) raise("NotImplementedError", "\"dot\" not implemented for 'Bool'");
    return {Type::tensor(a.dtype, {})};
}

std::vector<Type> bmm_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.rank() != 3) raise("RuntimeError", "batch1 must be a 3D tensor");
    if (b.rank() != 3) raise("RuntimeError", "batch2 must be a 3D tensor");
    if (b.sizes[0] != a.sizes[0] || b.sizes[1] != a.sizes[2])
        raise("RuntimeError", "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].", a.sizes[0],
              a.sizes[2], b.sizes[0], b.sizes[1]);
    if (a.dtype != b.dtype) raise("RuntimeError", "expected scalar type {} but found {}", scalar_name(a.dtype), scalar_name(b.dtype));
    if (a.dtype == DType::Bool) raise("NotImplementedError", "\"baddbmm_with_gemm\" not implemented for 'Bool'");
    return {Type::tensor(a.dtype, {a.sizes[0], a.sizes[1], b.sizes[2]})};
}

std::vector<Type> outer_result(const OpCall& call) {
    const Type &a = call.types[0], &b = call.types[1];
    if (a.rank() != 1) raise("RuntimeError", "outer: Expected 1-D argument self, but got {}-D", a.rank());
    if (b.rank() != 1) raise("RuntimeError", "outer: Expected 1-D argument vec2, but got {}-D", b.rank());
    return {Type::tensor(result_dtype(call.types, call.default_dtype), {a.sizes[0], b.sizes[0]})};
}

std::vector<Type> addmm_result(const OpCall& call) {
    const Type &self = call.types[0], &a = call.types[1], &b = call.types[2];
    if (a.rank() != 2) raise("RuntimeError", "mat1 must be a matrix, got {}-D tensor", a.rank());
    if (b.rank() != 2) raise("RuntimeError", "mat2 must be a matrix, got {}-D tensor", b.rank());
    check_product_sizes(a, b, "addmm");
    check_expands(self, {a.sizes[0], b.sizes[1]});
    check_self_dtype(self, b);
    if (a.dtype != b.dtype)
        raise("RuntimeError", "mat1 and mat2 must have the same dtype, but got {} and {}", scalar_name(a.dtype), scalar_name(b.dtype));
    check_matrix_kernel(a.dtype);
    return {product(a, b)};
}

std::vector<Type> addmv_result(const OpCall& call) {
    const Type &self = call.types[0], &a = call.types[1], &v = call.types[2];
    if (a.rank() != 2 || v.rank() != 1 || self.rank() > 1)
        raise("RuntimeError", "vector + matrix @ vector expected, got {}, {}, {}", self.rank(), a.rank(), v.rank());
    if (a.sizes[1] != v.sizes[0] || (self.numel() != 1 && self.sizes[0] != a.sizes[0]))
        raise("RuntimeError", "size mismatch, got input ({}), mat ({}x{}), vec ({})", self.numel(), a.sizes[0], a.sizes[1], v.sizes[0]);
    check_vector_dtypes(self, a, v);
    return {Type::tensor(a.dtype, {a.sizes[0]})};
}

std::vector<Type> baddbmm_result(const OpCall& call) {
    OpCall of_product = call;
    of_product.types = call.types.subspan(1, 2);
    Type out = bmm_result(of_product)[0];
    check_expands(call.types[0], out.sizes);
    if (call.types[0].dtype != out.dtype)
        raise("RuntimeError", "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}", c_name(call.types[0].dtype),
              c_name(call.types[1].dtype), c_name(call.types[2].dtype));
    return {out};
}

std::vector<Type> addr_result(const OpCall& call) {
    const Type &a = call.types[1], &b = call.types[2];
    if (a.rank() != 1) raise("RuntimeError", "addr: Expected 1-D argument vec1, but got {}-D", a.rank());
    if (b.rank() != 1) raise("RuntimeError", "addr: Expected 1-D argument vec2, but got {}-D", b.rank());
    Sizes sizes = {a.sizes[0], b.sizes[0]};
    check_expands(call.types[0], sizes);
    return {Type::tensor(result_dtype(call.types.first(3), call.default_dtype), sizes)};
}

std::vector<Type> square_result(const OpCall& call) {
    check_square(call);
    return {call.types[0]};
}

std::vector<Type> det_result(const OpCall& call) {
    check_square(call);
    return {Type::tensor(call.types[0].dtype, batch_of(call.types[0]))};
}

std::vector<Type> slogdet_result(const OpCall& call) {
    Type t = det_result(call)[0];
    return {t, t};
}

std::vector<Type> solve_result(const OpCall& call) {
    check_square(call);
    const Type &a = call.types[0], &b = call.types[1];
    if (a.dtype != b.dtype)
        raise("RuntimeError", "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
              scalar_name(a.dtype), scalar_name(b.dtype));
    Sizes batch = batch_of(a);
    int64_t n = a.sizes.back();
    // A vector right-hand side: 1-d, or the batch's sizes and n.
    bool vector = b.rank() == 1 || (a.rank() - 1 == b.rank() && std::equal(b.sizes.begin(), b.sizes.end() - 1, batch.begin(), batch.end()) &&
                                    b.sizes.back() == n);
    if (vector) {
        if (b.sizes.back() != n)
            raise("RuntimeError", "linalg.solve: Incompatible shapes of A and B for the equation AX = B ({}x{} and {}x1)", n, n, b.sizes.back());
        return {Type::tensor(a.dtype, with(batch, {n}))};
    }
    if (b.sizes[b.sizes.size() - 2] != n)
        raise("RuntimeError", "linalg.solve: Incompatible shapes of A and B for the equation AX = B ({}x{} and {}x{})", n, n,
              b.sizes[b.sizes.size() - 2], b.sizes.back());
    return {Type::tensor(a.dtype, with(broadcast(batch, batch_of(b)), {n, b.sizes.back()}))};
}

std::vector<Type> solve_triangular_result(const OpCall& call) {
    check_square(call);
    const Type &a = call.types[0], &b = call.types[1];
    if (b.rank() < 2) raise("RuntimeError", "linalg.solve_triangular: The input tensor B must have at least 2 dimensions.");
    bool left = call.attrs.get_or("left", true);
    int64_t n = a.sizes.back(), rows = b.sizes[b.sizes.size() - 2], columns = b.sizes.back();
    if ((left ? rows : columns) != n)
        raise("RuntimeError", "linalg.solve_triangular: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})", left ? "AX = B" : "XA = B", n, n, rows, columns);
    return {Type::tensor(a.dtype, with(broadcast(batch_of(a), batch_of(b)), {rows, columns}))};
}

std::vector<Type> qr_result(const OpCall& call) {
    const Type& a = call.types[0];
    if (a.rank() < 2) raise("RuntimeError", "linalg.qr: The input tensor A must have at least 2 dimensions.");
    check_floating(call);
    auto mode = call.attrs.get_or<std::string>("mode", "reduced");
    if (mode != "reduced" && mode != "complete") raise("RuntimeError", "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or 'complete'", mode);
    int64_t m = a.sizes[a.sizes.size() - 2], n = a.sizes.back(), k = mode == "complete" ? m : std::min(m, n);
    return {Type::tensor(a.dtype, with(batch_of(a), {m, k})), Type::tensor(a.dtype, with(batch_of(a), {k, n}))};
}

std::vector<Type> eigh_result(const OpCall& call) {
    check_square(call);
    if (auto triangle = call.attrs.get_or<std::string>("UPLO", "L"); triangle != "L" && triangle != "U" && triangle != "l" && triangle != "u")
        raise("RuntimeError", "Expected UPLO argument to be 'L' or 'U', but got {}", triangle);
    const Type& a = call.types[0];
    return {Type::tensor(a.dtype, with(batch_of(a), {a.sizes.back()})), a};
}

std::vector<Type> svd_result(const OpCall& call) {
    const Type& a = call.types[0];
    if (a.rank() < 2) raise("RuntimeError", "linalg.svd: The input tensor A must have at least 2 dimensions.");
    check_floating(call);
    int64_t m = a.sizes[a.sizes.size() - 2], n = a.sizes.back(), k = std::min(m, n);
    bool full = call.attrs.get_or("full_matrices", true);
    return {Type::tensor(a.dtype, with(batch_of(a), {m, full ? m : k})), Type::tensor(a.dtype, with(batch_of(a), {k})),
            Type::tensor(a.dtype, with(batch_of(a), {full ? n : k, n}))};
}

std::vector<Type> lu_result(const OpCall& call) {
    const Type& a = call.types[0];
    if (a.rank() < 2) raise("RuntimeError", "linalg.lu: The input tensor A must have at least 2 dimensions.");
    check_floating(call);
    int64_t m = a.sizes[a.sizes.size() - 2], n = a.sizes.back(), k = std::min(m, n);
    return {Type::tensor(a.dtype, with(batch_of(a), {m, m})), Type::tensor(a.dtype, with(batch_of(a), {m, k})),
            Type::tensor(a.dtype, with(batch_of(a), {k, n}))};
}

std::vector<Type> lu_factor_result(const OpCall& call) {
    const Type& a = call.types[0];
    if (a.rank() < 2) raise("RuntimeError", "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: [{}] instead", fmt::join(a.sizes, ", "));
    check_floating(call);
    int64_t k = std::min(a.sizes[a.sizes.size() - 2], a.sizes.back());
    return {a, Type::tensor(DType::I32, with(batch_of(a), {k})), Type::tensor(DType::I32, batch_of(a))};
}

}  // namespace sifr::rules
