/// PyTorch's functions for tensors of a trace.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sifr/tensor.h>

namespace sifr {

#define SIFR_FUNCTIONS
#include <sifr/ops.inc>
#undef SIFR_FUNCTIONS

/// How a factory makes its tensor: `zeros({2, 3}, {.dtype = kFloat64})`. Without a dtype: PyTorch's default.
struct TensorOptions {
    std::optional<Dtype> dtype{};
    bool requires_grad = false;
};
namespace detail {
template <class D>
using IfDtype = std::enable_if_t<std::is_same_v<D, Dtype>>;
inline Tensor make(const char* path, std::vector<Arg> args, const TensorOptions& o, Place where) {
    args.push_back(Arg(o.dtype).named("dtype"));
    args.push_back(Arg(o.requires_grad).named("requires_grad"));
    return Tensor(invoke(path, std::move(args), where));
}
}  // namespace detail
inline Tensor zeros(const Ints& sizes, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.zeros", {sizes}, o, where); }
inline Tensor ones(const Ints& sizes, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.ones", {sizes}, o, where); }
inline Tensor empty(const Ints& sizes, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.empty", {sizes}, o, where); }
inline Tensor full(const Ints& sizes, const Scalar& value, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) {
    return detail::make("torch.full", {sizes, value}, o, where);
}
inline Tensor rand(const Ints& sizes, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.rand", {sizes}, o, where); }
inline Tensor randn(const Ints& sizes, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.randn", {sizes}, o, where); }
inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) {
    return detail::make("torch.arange", {start, end, step}, o, where);
}
// With a dtype alone: `zeros({2, 3}, kFloat64)`. Templates, so that braces are options: `zeros({2, 3}, {kFloat64})`.
template <class D, class = detail::IfDtype<D>>
Tensor zeros(const Ints& sizes, D dtype, detail::Where where = detail::Where::current()) { return detail::make("torch.zeros", {sizes}, {dtype}, where); }
template <class D, class = detail::IfDtype<D>>
Tensor ones(const Ints& sizes, D dtype, detail::Where where = detail::Where::current()) { return detail::make("torch.ones", {sizes}, {dtype}, where); }
template <class D, class = detail::IfDtype<D>>
Tensor empty(const Ints& sizes, D dtype, detail::Where where = detail::Where::current()) { return detail::make("torch.empty", {sizes}, {dtype}, where); }
template <class D, class = detail::IfDtype<D>>
Tensor full(const Ints& sizes, const Scalar& value, D dtype, detail::Where where = detail::Where::current()) {
    return detail::make("torch.full", {sizes, value}, {dtype}, where);
}
template <class D, class = detail::IfDtype<D>>
Tensor rand(const Ints& sizes, D dtype, detail::Where where = detail::Where::current()) { return detail::make("torch.rand", {sizes}, {dtype}, where); }
template <class D, class = detail::IfDtype<D>>
Tensor randn(const Ints& sizes, D dtype, detail::Where where = detail::Where::current()) { return detail::make("torch.randn", {sizes}, {dtype}, where); }
template <class D, class = detail::IfDtype<D>>
Tensor eye(int64_t n, D dtype, detail::Where where = detail::Where::current()) { return detail::make("torch.eye", {n}, {dtype}, where); }
inline Tensor arange(const Scalar& end, detail::Where where = detail::Where::current()) { return detail::make("torch.arange", {end}, {}, where); }
/// A tensor of numbers that are known while tracing: `tensor({0.25, 0.5})`. Ints give int64, floating numbers PyTorch's default.
template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
Tensor tensor(const std::vector<N>& values, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) {
    std::vector<detail::Arg> numbers;
    for (const N v : values) numbers.push_back(Scalar(v).arg());
    return detail::make("torch.tensor", {detail::Arg(std::move(numbers))}, o, where);
}
inline Tensor tensor(std::initializer_list<Scalar> values, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) {
    std::vector<detail::Arg> numbers;
    for (const Scalar& v : values) numbers.push_back(v.arg());
    return detail::make("torch.tensor", {detail::Arg(std::move(numbers))}, o, where);
}
inline Tensor tensor(const Scalar& value, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.tensor", {value}, o, where); }
inline Tensor eye(int64_t n, const TensorOptions& o = {}, detail::Where where = detail::Where::current()) { return detail::make("torch.eye", {n}, o, where); }
inline Tensor zeros_like(const Tensor& x, detail::Where where = detail::Where::current()) { return Tensor(detail::invoke("torch.zeros_like", {x}, where)); }
inline Tensor ones_like(const Tensor& x, detail::Where where = detail::Where::current()) { return Tensor(detail::invoke("torch.ones_like", {x}, where)); }
inline Tensor matmul(const Tensor& a, const Tensor& b, detail::Where where = detail::Where::current()) { return Tensor(detail::invoke("torch.matmul", {a, b}, where)); }

/// A number with a keyword in front, for `call`: `sifr::call("torch.nn.Linear", 3, 4, sifr::keyword("bias", false))`.
template <class T>
detail::Arg keyword(const char* name, const T& value) {
    return detail::Arg(value).named(name);
}
/// Whatever PyTorch has and sifr compiles, by its full name: `call("torch.nn.functional.cross_entropy", x, target)`.
template <class... A>
Object call(const detail::Path& path, const A&... args) {
    return Object(detail::invoke(path.text.c_str(), {detail::Arg(args)...}, path.where));
}

/// The functions of torch.nn.functional, made from the prelude: `nn::functional::cross_entropy(x, target, keyword("reduction", "sum"))`.
namespace nn::functional {
#define SIFR_NN_FUNCTIONAL
#include <sifr/ops.inc>
#undef SIFR_NN_FUNCTIONAL
}  // namespace nn::functional

/// Prints when the compiled code runs, as Python's print.
template <class... A>
void print(const detail::First& first, const A&... more) {
    detail::invoke("print", {first.arg, detail::Arg(more)...}, first.where);
}

namespace autograd {
/// `torch.autograd.grad`: gradients of the outputs, one per input; not defined() where nothing flows and `allow_unused`.
inline std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs, const std::vector<Tensor>& grad_outputs = {},
                                bool create_graph = false, bool allow_unused = false, detail::Where where = detail::Where::current()) {
    detail::Arg given = grad_outputs.empty() ? detail::Arg() : detail::Arg(grad_outputs);
    return detail::tensors(detail::invoke("torch.autograd.grad", {outputs, inputs, std::move(given).named("grad_outputs"), detail::Arg(create_graph).named("create_graph"),
                                                                  detail::Arg(allow_unused).named("allow_unused")}, where));
}
}  // namespace autograd

/// As long as it lives, nothing that is traced has a history: `with torch.no_grad():`.
class SIFR_API NoGradGuard {
public:
    NoGradGuard();
    ~NoGradGuard();
    NoGradGuard(const NoGradGuard&) = delete;
    NoGradGuard& operator=(const NoGradGuard&) = delete;

private:
    bool before_;
};

}  // namespace sifr
