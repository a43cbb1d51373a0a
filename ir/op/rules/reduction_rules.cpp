#include "ir/op/rules/reduction_rules.h"

#include <algorithm>

#include "ir/base/diagnostic.h"

namespace sifr::rules {
namespace {

std::string name_without_overload(const OpCall& call) {
    std::string_view name = name_of(call.op);
    return std::string(name.substr(0, name.find('.')));
}

bool is_given(const OpCall& call, std::string_view name) {
    const AttrValue* v = call.attrs.find(name);
    return v && !std::holds_alternative<std::monostate>(*v);
}

bool floating(DType t) { return is_float(t) || is_complex(t); }

/// One axis, of a rule whose `dim` is an int.
int64_t one_dim(const OpCall& call, int64_t otherwise = 0) {
    return normalize_dim(call.attrs.get_or<int64_t>("dim", otherwise), call.types[0].rank());
}

void refuse_kernel(DType t, bool refused, const char* kernel) {
    if (refused) raise("NotImplementedError", "\"{}\" not implemented for '{}'", kernel, scalar_name(t));
}

void require_elements(const OpCall& call, const std::vector<int64_t>& dims) {
    const Type& t = call.types[0];
    if (t.numel() != 0) return;
    std::string name = name_without_overload(call);
    if (!is_given(call, "dim")) {
        if (name.starts_with("arg")) raise("IndexError", "{}(): Expected reduction dim to be specified for input.numel() == 0.", name);
        raise("RuntimeError",
              "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.", name);
    }
    for (int64_t d : dims)
        if (t.sizes[d] == 0) raise("IndexError", "{}(): Expected reduction dim {} to have non-zero size.", name, d);
}

}  // namespace

std::vector<int64_t> reduced_dims(const OpCall& call) {
    const Type& t = call.types[0];
    std::vector<int64_t> dims;
    const AttrValue* v = call.attrs.find("dim");
    if (v && std::holds_alternative<int64_t>(*v)) dims = {std::get<int64_t>(*v)};
    else if (v && std::holds_alternative<std::vector<int64_t>>(*v)) dims = std::get<std::vector<int64_t>>(*v);
    if (dims.empty()) {
        for (int64_t d = 0; d < t.rank(); ++d) dims.push_back(d);
        return dims;
    }
    for (int64_t& d : dims) d = normalize_dim(d, t.rank());
    std::sort(dims.begin(), dims.end());
    for (size_t i = 1; i < dims.size(); ++i)
        if (dims[i] == dims[i - 1]) raise("RuntimeError", "dim {} appears multiple times in the list of dims", dims[i]);
    if (t.rank() == 0) dims.clear();
    return dims;
}

Type reduced_type(const OpCall& call, const std::vector<int64_t>& dims, DType dtype) {
    const Type& t = call.types[0];
    bool keep = call.attrs.get_or("keepdim", false);
    Type out = Type::tensor(dtype, {});
    for (int d = 0; d < t.rank(); ++d) {
        if (std::find(dims.begin(), dims.end(), d) != dims.end()) {
            if (keep) out.sizes.push_back(1);
            continue;
        }
        for (const RunTimeSize& r : t.run_time_sizes)
            if (r.axis == d) out.run_time_sizes.push_back({out.rank(), r.size});
        out.sizes.push_back(t.sizes[d]);
    }
    return out;
}

std::vector<Type> sum_result(const OpCall& call) {
    DType own = call.types[0].dtype;
    DType dtype = call.attrs.get_or("dtype", is_integral(own, true) ? DType::I64 : own);
    return {reduced_type(call, reduced_dims(call), dtype)};
}

std::vector<Type> mean_result(const OpCall& call) {
    DType own = call.types[0].dtype;
    DType dtype = call.attrs.get_or("dtype", own);
    if (!floating(dtype))
        raise("NotImplementedError",
              "mean(): could not infer output dtype. {} dtype must be either a floating point or complex dtype. Got: {}",
              is_given(call, "dtype") ? "Optional" : "Input", scalar_name(dtype));
    return {reduced_type(call, reduced_dims(call), dtype)};
}

std::vector<Type> var_result(const OpCall& call) {
    DType own = call.types[0].dtype;
    if (!floating(own)) raise("NotImplementedError", "std and var only support floating point and complex dtypes");
    return {reduced_type(call, reduced_dims(call), own)};
}

std::vector<Type> var_mean_result(const OpCall& call) {
    Type t = var_result(call)[0];
    return {t, t};
}

std::vector<Type> norm_result(const OpCall& call) {
    DType dtype = call.attrs.get_or("dtype", call.types[0].dtype);
    if (!floating(call.types[0].dtype))
        raise("NotImplementedError", "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
              scalar_name(call.types[0].dtype));
    return {reduced_type(call, reduced_dims(call), dtype)};
}

std::vector<Type> logical_result(const OpCall& call) {
    DType dtype = call.types[0].dtype == DType::U8 ? DType::U8 : DType::Bool;
    return {reduced_type(call, reduced_dims(call), dtype)};
}

std::vector<Type> extremum_result(const OpCall& call) {
    auto dims = reduced_dims(call);
    require_elements(call, dims);
    return {reduced_type(call, dims, call.types[0].dtype)};
}

std::vector<Type> extremum_dim_result(const OpCall& call) {
    std::vector<int64_t> dims = {one_dim(call)};
    require_elements(call, call.types[0].rank() == 0 ? std::vector<int64_t>{} : dims);
    return {reduced_type(call, dims, call.types[0].dtype), reduced_type(call, dims, DType::I64)};
}

std::vector<Type> arg_result(const OpCall& call) {
    if (call.types[0].dtype == DType::Bool)
        raise("NotImplementedError", "{}(): does not support bool input", name_without_overload(call));
    auto dims = reduced_dims(call);
    require_elements(call, dims);
    return {reduced_type(call, dims, DType::I64)};
}

std::vector<Type> aminmax_result(const OpCall& call) {
    Type t = extremum_result(call)[0];
    return {t, t};
}

std::vector<Type> softmax_result(const OpCall& call) {
    one_dim(call);
    Type out = call.types[0];
    out.dtype = call.attrs.get_or("dtype", out.dtype);
    bool last = one_dim(call) + 1 >= out.rank(), log = name_of(call.op) == "log_softmax";
    refuse_kernel(out.dtype, !floating(out.dtype),
                  log ? (last ? "log_softmax_lastdim_kernel_impl" : "log_softmax_kernel_impl")
                      : (last ? "softmax_lastdim_kernel_impl" : "softmax_kernel_impl"));
    return {out};
}

std::vector<Type> logsumexp_result(const OpCall& call) {
    DType own = call.types[0].dtype;
    return {reduced_type(call, reduced_dims(call), is_float(own) ? own : call.default_dtype)};
}

std::vector<Type> scan_result(const OpCall& call) {
    one_dim(call);
    Type out = call.types[0];
    out.dtype = call.attrs.get_or("dtype", is_integral(out.dtype, true) ? DType::I64 : out.dtype);
    return {out};
}

std::vector<Type> scan_extremum_result(const OpCall& call) {
    one_dim(call);
    Type indices = call.types[0];
    indices.dtype = DType::I64;
    return {call.types[0], indices};
}

std::vector<Type> count_result(const OpCall& call) { return {reduced_type(call, reduced_dims(call), DType::I64)}; }

std::vector<Type> selection_result(const OpCall& call) {
    const Type& t = call.types[0];
    std::vector<int64_t> dims = {one_dim(call, -1)};
    std::string name = name_without_overload(call);
    if (name == "median" || name == "nanmedian") refuse_kernel(t.dtype, t.dtype == DType::Bool, "median_cpu");
    if (t.rank() > 0 && name != "kthvalue") require_elements(call, dims);
    if (name == "kthvalue") {
        int64_t k = call.attrs.get<int64_t>("k"), n = t.rank() == 0 ? 1 : t.sizes[dims[0]];
        if (k < 1 || k > n) raise("RuntimeError", "kthvalue(): selected number k out of range for dimension {}", dims[0]);
    }
    return {reduced_type(call, dims, t.dtype), reduced_type(call, dims, DType::I64)};
}

std::vector<Type> median_result(const OpCall& call) {
    const Type& t = call.types[0];
    refuse_kernel(t.dtype, t.dtype == DType::Bool, "median_cpu");
    return {Type::tensor(t.dtype, {})};
}

std::vector<Type> trace_result(const OpCall& call) {
    const Type& t = call.types[0];
    if (t.rank() != 2) raise("RuntimeError", "trace: expected a matrix, but got tensor with dim {}", t.rank());
    return {Type::tensor(is_integral(t.dtype, true) ? DType::I64 : t.dtype, {})};
}

std::vector<int64_t> dims_of(Vjp& v) { return reduced_dims(InstCall(v.b.function(), v.inst)); }

int64_t reduced_count(const Type& t, const std::vector<int64_t>& dims) {
    int64_t n = 1;
    for (int64_t d : dims) n *= t.sizes[d];
    return n;
}

V keep_reduced(Vjp& v, V g) {
    Sizes kept = v.type(v.in(0)).sizes;
    for (int64_t d : dims_of(v)) kept[d] = 1;
    return reshape(g, std::move(kept));
}

V expand_reduced(Vjp& v, V g) { return expand(keep_reduced(v, g), v.type(v.in(0)).sizes); }

Grads sum_vjp(Vjp& v) { return {grad_of(v, 0, [&] { return expand_reduced(v, V{&v.b, v.grad()}); })}; }

Grads extremum_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0), y = keep_reduced(v, out(v)), g = keep_reduced(v, V{&v.b, v.grad()});
    V hit = logical_or(eq(x, y), logical_and(isnan(x), isnan(y)));
    V mask = cast(hit, dtype_of(x));
    return {v.to(0, (mask * g) / sum(mask, dims_of(v)))};
}

Grads picked_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0), g{&v.b, v.grad(0)}, index = out(v, 1);
    if (rank_of(x) == 0) return {g};
    int64_t dim = normalize_dim(v.inst.attrs.get_or<int64_t>("dim", -1), rank_of(x));
    if (!v.inst.attrs.get_or("keepdim", false)) {
        g = unsqueeze(g, dim);
        index = unsqueeze(index, dim);
    }
    return {emit(g, "scatter"_op, {zeros_like(x), index, g}, attrs({{"dim", dim}}))};
}

double correction_of(const Attrs& a) {
    const AttrValue* c = a.find("correction");
    if (c && std::holds_alternative<double>(*c)) return std::get<double>(*c);
    // `x.var(False)`: the first argument may be `unbiased` itself.
    const AttrValue* d = a.find("dim");
    if (d && std::holds_alternative<bool>(*d)) return std::get<bool>(*d) ? 1.0 : 0.0;
    return a.get_or("unbiased", true) ? 1.0 : 0.0;
}
}  // namespace sifr::rules
