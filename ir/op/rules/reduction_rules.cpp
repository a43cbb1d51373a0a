#include "ir/op/rules/reduction_rules.h"

#include <algorithm>

#include "ir/base/diagnostic.h"

namespace sifr::rules {

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

V expand_reduced(Vjp& v, V g) {
    InstCall call(v.b.function(), v.inst);
    const Type self = v.type(v.in(0));
    Sizes kept = self.sizes;
    for (int64_t d : reduced_dims(call)) kept[d] = 1;
    return {&v.b, v.b.expand(v.b.reshape(g, kept), self.sizes)};
}

Grads sum_vjp(Vjp& v) { return {v.to(0, expand_reduced(v, V{&v.b, v.grad()}))}; }

}  // namespace sifr::rules
