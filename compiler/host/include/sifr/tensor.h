/// Tensors, numbers and objects of a trace, indices and operators.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sifr/trace.h>

namespace sifr {

namespace detail {
struct Operand;
struct Subscript;
}  // namespace detail

/// Something of Python's that lives in a trace: a module, an optimizer, a list. `sifr::call` makes them.
class Object {
public:
    Object() = default;
    explicit Object(detail::Handle h) : handle_(std::move(h)) {}
    /// `object(args…)`
    template <class... A>
    Object operator()(const detail::First& first, const A&... more) const {
        return Object(detail::invoke(".__call__", {detail::Arg(*this), first.arg, detail::Arg(more)...}, first.where));
    }
    Object operator()() const { return Object(detail::invoke(".__call__", {detail::Arg(*this)}, detail::Place())); }
    /// `object.name(args…)`
    template <class... A>
    Object call(const detail::Path& name, const A&... args) const {
        return Object(detail::invoke(("." + name.text).c_str(), {detail::Arg(*this), detail::Arg(args)...}, name.where));
    }
    /// `object.name`
    [[nodiscard]] Object attr(const detail::Path& name) const { return Object(detail::invoke(".__getattribute__", {detail::Arg(*this), detail::Arg(name.text)}, name.where)); }
    [[nodiscard]] bool is_none() const { return detail::is_none(handle_); }
    [[nodiscard]] Tensor tensor() const;
    [[nodiscard]] Scalar scalar() const;
    operator Tensor() const;  // NOLINT: what most functions give
    [[nodiscard]] std::vector<Object> items() const {
        std::vector<Object> out;
        for (detail::Handle& h : detail::members(handle_)) out.emplace_back(std::move(h));
        return out;
    }
    [[nodiscard]] const detail::Handle& handle() const { return handle_; }

private:
    detail::Handle handle_;
};

/// A number of a trace: known while tracing (made from a C++ number), or known at run time (a parameter, `x.item()`). Python's rules hold:
/// ints are 64 bits and raise OverflowError past them, floats are doubles, neither raises a tensor's dtype within its category.
class Scalar {
public:
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    Scalar(N v) : arg_(v) {}                                                 // NOLINT: a number is one
    Scalar(float v) : arg_(static_cast<double>(v)) {}                        // NOLINT
    explicit Scalar(detail::Handle h) { arg_.kind = detail::Arg::Kind::Handle, arg_.handle = std::move(h); }
    [[nodiscard]] const detail::Arg& arg() const { return arg_; }
    template <class B, class = std::enable_if_t<std::is_same_v<B, bool>>>
    explicit operator B() const {
        static_assert(detail::never<B>, "a number of a trace is known when the compiled code runs, not while the C++ code is traced: use sifr::if_ or sifr::where in place of `if`");
        return false;
    }

private:
    detail::Arg arg_;
};

/// A piece of an index: `Slice(1, -1)` is Python's `1:-1`, `Slice()` and `Slice(None, None)` are `:`.
struct Slice {
    /// An int, a Scalar, or None.
    struct Bound {
        detail::Arg arg;
        Bound(std::nullptr_t = nullptr) {}                                     // NOLINT
        Bound(const std::optional<int64_t>& v) : arg(v) {}                     // NOLINT
        Bound(const Scalar& v) : arg(v.arg()) {}                               // NOLINT
        template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
        Bound(I v) : arg(v) {}                                                 // NOLINT
    };
    Bound start, stop, step;
    Slice(Bound start = {}, Bound stop = {}, Bound step = {}) : start(std::move(start)), stop(std::move(stop)), step(std::move(step)) {}
};
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis{};
/// `None` in an index: a new axis of size 1.
inline constexpr std::nullptr_t None = nullptr;

/// One member of `x.index({…})`.
class TensorIndex {
public:
    template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
    TensorIndex(I v) : arg_(v) {}             // NOLINT
    TensorIndex(const Scalar& v) : arg_(v.arg()) {}  // NOLINT
    TensorIndex(std::nullptr_t) {}            // NOLINT
    TensorIndex(EllipsisType) { arg_.kind = detail::Arg::Kind::Ellipsis; }  // NOLINT
    TensorIndex(const Slice& s) : arg_(std::vector<detail::Arg>{s.start.arg, s.stop.arg, s.step.arg}) { arg_.kind = detail::Arg::Kind::Slice; }  // NOLINT
    TensorIndex(const Tensor& t);             // NOLINT
    [[nodiscard]] const detail::Arg& arg() const { return arg_; }

private:
    detail::Arg arg_;
};

/// A tensor, or a number that stands for one.
class TensorOrNumber {
public:
    TensorOrNumber(const Tensor& t);                    // NOLINT
    TensorOrNumber(const Scalar& s) : arg_(s.arg()) {}  // NOLINT
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    TensorOrNumber(N v) : arg_(Scalar(v).arg()) {}      // NOLINT
    template <class F>
    TensorOrNumber(std::complex<F> v) : arg_(std::complex<double>(v)) {}  // NOLINT
    [[nodiscard]] const detail::Arg& arg() const { return arg_; }

private:
    detail::Arg arg_;
};

/// A tensor of a trace. Copies are other names of the same tensor, as in Python: `b = a; b.add_(1)` changes both. Views share memory with
/// what they show. The generated functions have PyTorch's names, arguments and defaults; the trailing parameter, never written, is the place.
class Tensor {
public:
    Tensor() = default;
    explicit Tensor(detail::Handle h) : handle_(std::move(h)) {}
    /// False for a default-made one, and for a gradient that is None.
    [[nodiscard]] bool defined() const { return handle_.trace != nullptr && !detail::is_none(handle_); }

    // What is known while tracing.
    [[nodiscard]] Dtype dtype() const { return detail::dtype_of(handle_); }
    [[nodiscard]] std::vector<int64_t> sizes() const { return detail::sizes_of(handle_); }
    [[nodiscard]] std::vector<int64_t> strides() const { return detail::strides_of(handle_); }
    [[nodiscard]] int64_t size(int64_t axis, detail::Where where = detail::Where::current()) const { return detail::known_int(detail::invoke(".size", {*this, axis}, where)); }
    [[nodiscard]] int64_t dim() const { return static_cast<int64_t>(sizes().size()); }
    [[nodiscard]] int64_t numel() const {
        int64_t n = 1;
        for (int64_t s : sizes()) n *= s;
        return n;
    }
    [[nodiscard]] bool requires_grad() const { return detail::flag_of(handle_, "requires_grad"); }
    [[nodiscard]] bool is_leaf() const { return detail::flag_of(handle_, "is_leaf"); }

    // Gradients.
    Tensor requires_grad_(bool on = true, detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".requires_grad_", {*this, on}, where)); }
    /// Adds the gradients of the leaves into their `.grad`. `gradient` may be left out for a tensor of one element.
    void backward(const std::optional<Tensor>& gradient = {}, bool retain_graph = false, bool create_graph = false, detail::Where where = detail::Where::current()) const {
        detail::invoke(".backward", {*this, gradient, detail::Arg(retain_graph).named("retain_graph"), detail::Arg(create_graph).named("create_graph")}, where);
    }
    /// Not defined() until the first backward.
    [[nodiscard]] Tensor grad(detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".grad", {*this}, where)); }
    Tensor set_grad(const std::optional<Tensor>& grad, detail::Where where = detail::Where::current()) const {
        detail::invoke(".grad=", {*this, grad}, where);
        return *this;
    }

    /// The only element as a number of the trace.
    [[nodiscard]] Scalar item(detail::Where where = detail::Where::current()) const { return Scalar(detail::invoke(".item", {*this}, where)); }

    // Indices: views for ints and slices, copies for tensors.
    [[nodiscard]] Tensor index(std::initializer_list<TensorIndex> index, detail::Where where = detail::Where::current()) const {
        return Tensor(detail::invoke(".__getitem__", {*this, index_arg(index)}, where));
    }
    Tensor index_put_(std::initializer_list<TensorIndex> index, const TensorOrNumber& value, detail::Where where = detail::Where::current()) const {
        detail::invoke(".__setitem__", {*this, index_arg(index), value.arg()}, where);
        return *this;
    }
    /// `x[i]`: an int, a Scalar, or a tensor of indices or bools.
    Tensor operator[](const detail::Subscript& i) const;

    // Methods that no row of the op table is.
    [[nodiscard]] Tensor to(Dtype dtype, detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".to", {*this, dtype}, where)); }
    [[nodiscard]] Tensor detach(detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".detach", {*this}, where)); }
    [[nodiscard]] Tensor contiguous(detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".contiguous", {*this}, where)); }
    [[nodiscard]] Tensor reshape(const Ints& sizes, detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".reshape", {*this, sizes}, where)); }
    [[nodiscard]] Tensor matmul(const Tensor& other, detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".matmul", {*this, other}, where)); }
    Tensor zero_(detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".zero_", {*this}, where)); }
    Tensor fill_(const TensorOrNumber& value, detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".fill_", {*this, value.arg()}, where)); }
    Tensor copy_(const Tensor& source, detail::Where where = detail::Where::current()) const { return Tensor(detail::invoke(".copy_", {*this, source}, where)); }
    /// Any method of PyTorch's by its name.
    template <class... A>
    Object call(const detail::Path& name, const A&... args) const {
        return Object(detail::invoke(("." + name.text).c_str(), {detail::Arg(*this), detail::Arg(args)...}, name.where));
    }

#define SIFR_TENSOR_METHODS
#include <sifr/ops.inc>
#undef SIFR_TENSOR_METHODS

    Tensor operator-() const { return neg(); }
    Tensor operator~() const { return bitwise_not(); }
    Tensor operator!() const { return logical_not(); }
    Tensor operator+=(const detail::Operand& o) const;
    Tensor operator-=(const detail::Operand& o) const;
    Tensor operator*=(const detail::Operand& o) const;
    Tensor operator/=(const detail::Operand& o) const;

    /// A host `if` cannot look at a tensor of a trace.
    template <class B, class = std::enable_if_t<std::is_same_v<B, bool>>>
    explicit operator B() const {
        static_assert(detail::never<B>, "a tensor of a trace has no value while the C++ code is traced: use sifr::if_ or sifr::where in place of `if`");
        return false;
    }
    [[nodiscard]] const detail::Handle& handle() const { return handle_; }

private:
    static detail::Arg index_arg(std::initializer_list<TensorIndex> index) {
        std::vector<detail::Arg> items;
        for (const TensorIndex& i : index) items.push_back(i.arg());
        return items.size() == 1 ? items[0] : detail::Arg(std::move(items));
    }
    detail::Handle handle_;
};

inline Tensor Object::tensor() const { return Tensor(handle_); }
inline Object::operator Tensor() const { return tensor(); }
inline TensorIndex::TensorIndex(const Tensor& t) : arg_(t) {}
inline TensorOrNumber::TensorOrNumber(const Tensor& t) : arg_(t) {}
namespace detail {
inline Arg::Arg(const Tensor& v) : kind(v.handle().trace ? Kind::Handle : Kind::None), handle(v.handle()) {}
inline Arg::Arg(const Scalar& v) : Arg(v.arg()) {}
inline Arg::Arg(const Object& v) : kind(v.handle().trace ? Kind::Handle : Kind::None), handle(v.handle()) {}
inline Arg::Arg(const std::vector<Tensor>& v) : kind(Kind::List) {
    for (const Tensor& t : v) items.emplace_back(t);
}
inline std::vector<Tensor> tensors(const Handle& of) {
    std::vector<Tensor> out;
    for (Handle& h : members(of)) out.emplace_back(std::move(h));
    return out;
}

/// An operand of an operator: remembers where the operator stands.
struct Operand {
    Arg arg;
    Place where;
    Operand(const Tensor& t, Where where = Where::current()) : arg(t), where(where) {}      // NOLINT
    Operand(const Scalar& s, Where where = Where::current()) : arg(s.arg()), where(where) {}  // NOLINT
    template <class F>
    Operand(std::complex<F> v, Where where = Where::current()) : arg(std::complex<double>(v)), where(where) {}              // NOLINT
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    Operand(N v, Where where = Where::current()) : arg(Scalar(v).arg()), where(where) {}    // NOLINT
};
struct Subscript {
    TensorIndex index;
    Where where;
    template <class T, class = std::enable_if_t<std::is_convertible_v<const T&, TensorIndex>>>
    Subscript(const T& i, Where where = Where::current()) : index(i), where(where) {}       // NOLINT
};
template <class A, class B>
inline constexpr bool is_operator_pair = (std::is_same_v<A, Tensor> && (std::is_same_v<B, Tensor> || std::is_same_v<B, Scalar> || std::is_arithmetic_v<B>)) ||
                                         (std::is_same_v<B, Tensor> && (std::is_same_v<A, Scalar> || std::is_arithmetic_v<A>));
template <class A, class B>
inline constexpr bool is_scalar_pair = (std::is_same_v<A, Scalar> && (std::is_same_v<B, Scalar> || std::is_arithmetic_v<B>)) || (std::is_same_v<B, Scalar> && std::is_arithmetic_v<A>);
}  // namespace detail

inline Scalar Object::scalar() const { return Scalar(handle_); }
inline Tensor Tensor::operator[](const detail::Subscript& i) const { return index({i.index}, i.where); }
inline Tensor Tensor::operator+=(const detail::Operand& o) const { return Tensor(detail::invoke(".__iadd__", {*this, o.arg}, o.where)); }
inline Tensor Tensor::operator-=(const detail::Operand& o) const { return Tensor(detail::invoke(".__isub__", {*this, o.arg}, o.where)); }
inline Tensor Tensor::operator*=(const detail::Operand& o) const { return Tensor(detail::invoke(".__imul__", {*this, o.arg}, o.where)); }
inline Tensor Tensor::operator/=(const detail::Operand& o) const { return Tensor(detail::invoke(".__itruediv__", {*this, o.arg}, o.where)); }

#define SIFR_OPERATOR(symbol, path)                                                                                                             \
    inline Tensor operator symbol(const Tensor& a, const detail::Operand& b) { return Tensor(detail::invoke(path, {detail::Arg(a), b.arg}, b.where)); } \
    template <class N, class = std::enable_if_t<detail::is_operator_pair<N, Tensor> && !std::is_same_v<N, Tensor>>>                               \
    Tensor operator symbol(const N& a, const detail::Operand& b) {                                                                                \
        return Tensor(detail::invoke(path, {detail::Arg(Scalar(a)), b.arg}, b.where));                                                            \
    }                                                                                                                                             \
    template <class F>                                                                                                                            \
    Tensor operator symbol(const std::complex<F>& a, const detail::Operand& b) {                                                                  \
        return Tensor(detail::invoke(path, {detail::Arg(std::complex<double>(a)), b.arg}, b.where));                                              \
    }                                                                                                                                             \
    template <class A, class B, class = std::enable_if_t<detail::is_scalar_pair<A, B>>, class = void>                                             \
    Scalar operator symbol(const A& a, const B& b) {                                                                                              \
        return Scalar(detail::invoke(path, {Scalar(a).arg(), Scalar(b).arg()}, detail::Place()));                                                 \
    }
SIFR_OPERATOR(+, "operator.add")
SIFR_OPERATOR(-, "operator.sub")
SIFR_OPERATOR(*, "operator.mul")
SIFR_OPERATOR(/, "operator.truediv")
SIFR_OPERATOR(%, "operator.mod")
SIFR_OPERATOR(<, "operator.lt")
SIFR_OPERATOR(<=, "operator.le")
SIFR_OPERATOR(>, "operator.gt")
SIFR_OPERATOR(>=, "operator.ge")
SIFR_OPERATOR(==, "operator.eq")
SIFR_OPERATOR(!=, "operator.ne")
SIFR_OPERATOR(&, "operator.and_")
SIFR_OPERATOR(|, "operator.or_")
SIFR_OPERATOR(^, "operator.xor")
#undef SIFR_OPERATOR

}  // namespace sifr
