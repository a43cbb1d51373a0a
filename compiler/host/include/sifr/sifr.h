/// sifr in a C++ program: tensor code in PyTorch's words, compiled in this process for this machine, on the program's own memory.
///
///     #include <sifr/sifr.h>
///
///     auto step = sifr::jit([](sifr::Tensor x, sifr::Tensor w) {
///         return (x * w).sum();
///     });
///     std::vector<float> x(6), w(6);
///     sifr::HostTensor y = step(sifr::from_blob(x.data(), {2, 3}), sifr::from_blob(w.data(), {2, 3}));
///     float loss = y.item<float>();
///
/// The lambda runs when it is called first with arguments of new dtypes, sizes, strides or aliasing: it is *traced*, and what it did to its
/// tensors is compiled. Every later call with such arguments runs the machine code, on the calling thread, with the thread's own memory for
/// intermediate values. The first float `x` and a later double `x` are two traces.
///
/// Three types say who owns what:
///   sifr::Tensor      a tensor of a trace. It has no elements, only a dtype and sizes; it means nothing behind its trace.
///   sifr::TensorView  the caller's memory: a pointer, a dtype, sizes, strides. It owns nothing; the caller keeps the memory alive.
///   sifr::HostTensor  memory that sifr has allocated, shared by all copies of the object and freed with the last one.
///
/// Everything that fails throws sifr::Error; nothing aborts. All functions may be called from any number of threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define SIFR_API __attribute__((visibility("default")))

/// Grows when a program that was compiled against an older libsifr would no longer work with this one.
#define SIFR_ABI_VERSION 1

/// Programs link one libsifr; the namespace keeps those of two ABI versions apart.
namespace sifr {

// ---------------------------------------------------------------------------------------------------- element types

/// Element types. The numbers are part of the ABI.
enum class Dtype : uint8_t { Bool, UInt8, Int8, Int16, Int32, Int64, Float16, BFloat16, Float32, Float64, Complex64, Complex128 };

inline constexpr Dtype kBool = Dtype::Bool, kUInt8 = Dtype::UInt8, kInt8 = Dtype::Int8, kInt16 = Dtype::Int16, kInt32 = Dtype::Int32, kInt64 = Dtype::Int64,
                       kFloat16 = Dtype::Float16, kBFloat16 = Dtype::BFloat16, kFloat32 = Dtype::Float32, kFloat64 = Dtype::Float64,
                       kComplex64 = Dtype::Complex64, kComplex128 = Dtype::Complex128;

/// Bytes of one element.
constexpr size_t element_size(Dtype t) {
    constexpr uint8_t sizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return sizes[static_cast<size_t>(t)];
}
/// `float32`, as PyTorch says it.
constexpr const char* name_of(Dtype t) {
    constexpr const char* names[] = {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
    return names[static_cast<size_t>(t)];
}

namespace detail {
template <class T>
constexpr Dtype dtype_for() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>) return Dtype::Bool;
    else if constexpr (std::is_same_v<U, float>) return Dtype::Float32;
    else if constexpr (std::is_same_v<U, double>) return Dtype::Float64;
    else if constexpr (std::is_integral_v<U> && std::is_unsigned_v<U> && sizeof(U) == 1) return Dtype::UInt8;
    else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) return sizeof(U) == 1 ? Dtype::Int8 : sizeof(U) == 2 ? Dtype::Int16 : sizeof(U) == 4 ? Dtype::Int32 : Dtype::Int64;
    else static_assert(!sizeof(U*), "no dtype has elements of this C++ type: give the dtype by name, sifr::from_blob(pointer, sizes, dtype)");
}
}  // namespace detail
/// The dtype whose elements are T: `dtype_of<float>` is kFloat32.
template <class T>
inline constexpr Dtype dtype_of = detail::dtype_for<T>();

/// Sizes, strides, axes: from a braced list, a vector, or one int.
class Ints {
public:
    Ints() = default;
    Ints(std::initializer_list<int64_t> v) : values_(v) {}
    Ints(std::vector<int64_t> v) : values_(std::move(v)) {}                      // NOLINT: a vector of ints is one
    template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
    Ints(I v) : values_{static_cast<int64_t>(v)} {}                              // NOLINT
    [[nodiscard]] const std::vector<int64_t>& values() const { return values_; }
    [[nodiscard]] size_t size() const { return values_.size(); }
    int64_t operator[](size_t i) const { return values_[i]; }

private:
    std::vector<int64_t> values_;
};

// ---------------------------------------------------------------------------------------------------- errors

/// A place in a source: of the C++ program for traced code, of the script for loaded code. Line and column count from 1.
struct SourcePlace {
    std::string file;
    uint32_t line = 0, column = 0;
    std::string text;  ///< what stands there: "saved here by 'mul'"
};

/// What everything here throws. `what()` is the text that the command line would print, with the places and the help.
class SIFR_API Error : public std::runtime_error {
public:
    enum class Kind : uint8_t {
        Compile,  ///< the traced code or the script is wrong, or not supported; found before anything ran
        Call,     ///< the arguments of a call do not fit
        Raise,    ///< Python's exception, raised while the compiled code ran
        Machine,  ///< memory, a file, a CPU feature, a library
        Internal, ///< a fault of sifr
    };
    struct Details {
        Kind kind = Kind::Internal;
        std::string code;            ///< `saved-overwritten`, `not-supported`, …; empty where there is none
        std::string message;         ///< one line
        std::string exception;       ///< `RuntimeError`: the type that PyTorch raises here; empty if it raises nothing
        std::string exception_text;  ///< its text, PyTorch's own
        std::vector<SourcePlace> places;  ///< where, then what else there is to see
        std::string help;                 ///< what to write instead
        std::vector<std::string> written; ///< Raise: the arguments that may have been written before the exception
    };
    Error(Details details, const std::string& text);
    ~Error() override;
    [[nodiscard]] const Details& details() const { return *details_; }
    [[nodiscard]] Kind kind() const { return details_->kind; }
    [[nodiscard]] const std::string& code() const { return details_->code; }
    [[nodiscard]] const std::string& message() const { return details_->message; }

private:
    std::shared_ptr<const Details> details_;  // copying an exception must not throw
};

// ---------------------------------------------------------------------------------------------------- memory

/// The caller's memory as a tensor. It owns nothing. Sizes and strides count elements; strides are not negative; up to 16 axes. Alignment
/// is only that of the element. Copied by value.
class TensorView {
public:
    static constexpr size_t max_dims = 16;

    TensorView() = default;
    /// Throws Error (Call) where `sizes` has more than 16 axes or a negative one, or `strides` another length.
    SIFR_API TensorView(void* data, Dtype dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides = {});

    [[nodiscard]] void* data() const { return data_; }
    /// The elements as T; throws where the dtype is another.
    template <class T>
    [[nodiscard]] T* data() const {
        require(dtype_of<T>);
        return static_cast<T*>(data_);
    }
    [[nodiscard]] Dtype dtype() const { return dtype_; }
    [[nodiscard]] size_t dim() const { return dim_; }
    [[nodiscard]] std::span<const int64_t> sizes() const { return {sizes_.data(), dim_}; }
    [[nodiscard]] std::span<const int64_t> strides() const { return {strides_.data(), dim_}; }
    [[nodiscard]] int64_t size(size_t axis) const { return sizes_.at(axis); }
    [[nodiscard]] int64_t numel() const {
        int64_t n = 1;
        for (size_t d = 0; d < dim_; ++d) n *= sizes_[d];
        return n;
    }
    /// Row-major without gaps.
    [[nodiscard]] SIFR_API bool is_contiguous() const;
    /// A call that writes this argument is refused before anything runs.
    [[nodiscard]] bool is_const() const { return const_; }
    [[nodiscard]] TensorView as_const() const {
        TensorView v = *this;
        v.const_ = true;
        return v;
    }
    /// The only element, converted to T; throws where there are more.
    template <class T>
    [[nodiscard]] T item() const {
        if constexpr (std::is_floating_point_v<T>) return static_cast<T>(item_as_double());
        else return static_cast<T>(item_as_int());
    }
    /// The element at `index`, one number per axis.
    template <class T>
    [[nodiscard]] T& at(std::initializer_list<int64_t> index) const {
        require(dtype_of<T>);
        return *static_cast<T*>(element(std::span<const int64_t>(index.begin(), index.size())));
    }
    /// As PyTorch prints it: `tensor([1., 2.])`.
    [[nodiscard]] SIFR_API std::string str() const;

protected:
    void require(Dtype t) const {
        if (t != dtype_) wrong_dtype(t);
    }
    [[noreturn]] SIFR_API void wrong_dtype(Dtype asked) const;
    [[nodiscard]] SIFR_API double item_as_double() const;
    [[nodiscard]] SIFR_API int64_t item_as_int() const;
    [[nodiscard]] SIFR_API void* element(std::span<const int64_t> index) const;

    void* data_ = nullptr;
    Dtype dtype_ = Dtype::Float32;
    bool const_ = false;
    uint8_t dim_ = 0;
    std::array<int64_t, max_dims> sizes_{}, strides_{};
};

/// Memory that sifr allocated (64-byte aligned) or that came through DLPack. Copies share it; the last one frees it. It is a TensorView and
/// is passed as one.
class HostTensor : public TensorView {
public:
    HostTensor() = default;
    HostTensor(const TensorView& view, std::shared_ptr<void> owner) : TensorView(view), owner_(std::move(owner)) {}
    /// Null where the memory is the caller's: a result that is an argument, or a view of one.
    [[nodiscard]] const std::shared_ptr<void>& owner() const { return owner_; }
    [[nodiscard]] bool owns_memory() const { return owner_ != nullptr; }

private:
    std::shared_ptr<void> owner_;
};

/// The memory at `data` as a tensor; it stays the caller's. PyTorch's from_blob without a deleter.
template <class T, class = std::enable_if_t<!std::is_void_v<T>>>
TensorView from_blob(T* data, const Ints& sizes, const Ints& strides = {}) {
    TensorView v(const_cast<std::remove_const_t<T>*>(data), dtype_of<T>, sizes.values(), strides.values());
    return std::is_const_v<T> ? v.as_const() : v;
}
inline TensorView from_blob(void* data, const Ints& sizes, Dtype dtype, const Ints& strides = {}) { return {data, dtype, sizes.values(), strides.values()}; }
/// A vector or array as a tensor of one axis. The container must not move while the tensor is used.
template <class C, class T = std::remove_reference_t<decltype(*std::data(std::declval<C&>()))>>
TensorView from_span(C& container) {
    return from_blob(std::data(container), Ints{static_cast<int64_t>(std::size(container))});
}

/// New memory outside of a trace. `empty_host` leaves its elements undefined.
SIFR_API HostTensor empty_host(const Ints& sizes, Dtype dtype = kFloat32);
SIFR_API HostTensor zeros_host(const Ints& sizes, Dtype dtype = kFloat32);
/// A contiguous copy.
SIFR_API HostTensor clone_host(const TensorView& from);

/// What every call draws from on this thread, as torch.manual_seed. Each thread has a generator of its own, which starts from the OS.
SIFR_API void manual_seed(uint64_t seed);

// ---------------------------------------------------------------------------------------------------- traces

class Tensor;
class Scalar;
class Object;

namespace detail {

struct Trace;
struct Place {
    const char* file = "";
    uint32_t line = 0, column = 0;
    Place(const std::source_location& w) : file(w.file_name()), line(w.line()), column(w.column()) {}  // NOLINT
    Place() = default;
};
using Where = std::source_location;

/// A value of a trace.
struct Handle {
    std::shared_ptr<Trace> trace;
    uint32_t index = 0;
};

/// An argument of a traced operation.
struct SIFR_API Arg {
    enum class Kind : uint8_t { None, Left_out, Handle, Bool, Int, Float, Str, Dtype, Ints, List, Slice, Ellipsis } kind = Kind::None;
    sifr::detail::Handle handle;
    int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<int64_t> ints;
    std::vector<Arg> items;
    const char* keyword = nullptr;

    Arg() = default;
    Arg(std::nullptr_t) {}                                                        // NOLINT: None
    Arg(bool v) : kind(Kind::Bool), integer(v) {}                                 // NOLINT
    template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
    Arg(I v) : kind(Kind::Int), integer(static_cast<int64_t>(v)) {}               // NOLINT
    Arg(double v) : kind(Kind::Float), real(v) {}                                 // NOLINT
    Arg(const char* v) : kind(Kind::Str), text(v) {}                              // NOLINT
    Arg(std::string_view v) : kind(Kind::Str), text(v) {}                         // NOLINT
    Arg(const std::string& v) : kind(Kind::Str), text(v) {}                       // NOLINT
    Arg(sifr::Dtype v) : kind(Kind::Dtype), integer(static_cast<int64_t>(v)) {}   // NOLINT
    Arg(const sifr::Ints& v) : kind(Kind::Ints), ints(v.values()) {}              // NOLINT
    Arg(const Tensor& v);                                                         // NOLINT
    Arg(const Scalar& v);                                                         // NOLINT
    Arg(const Object& v);                                                         // NOLINT
    Arg(std::vector<Arg> v) : kind(Kind::List), items(std::move(v)) {}            // NOLINT
    Arg(const std::vector<Tensor>& v);                                            // NOLINT
    template <class T>
    Arg(const std::optional<T>& v) : Arg(v ? Arg(*v) : Arg()) {}                  // NOLINT
    Arg named(const char* name) && {
        keyword = name;
        return std::move(*this);
    }
};

/// Calls `torch.nn.functional.relu`, or with a path that begins with a dot a method of the first argument.
SIFR_API Handle invoke(const char* path, std::vector<Arg> args, Place where);
/// The members of a tuple or list.
SIFR_API std::vector<Handle> members(const Handle& of);
SIFR_API Handle constant(const Arg& value, Place where);
SIFR_API Dtype dtype_of(const Handle& tensor);
SIFR_API std::vector<int64_t> sizes_of(const Handle& tensor);
SIFR_API std::vector<int64_t> strides_of(const Handle& tensor);
/// The attribute of a tensor that is known while tracing: requires_grad, is_leaf.
SIFR_API bool flag_of(const Handle& tensor, const char* attribute);
SIFR_API bool is_none(const Handle& value);
/// A number that is known while tracing; throws NeedStatic's error for others.
SIFR_API int64_t known_int(const Handle& value);
std::vector<Tensor> tensors(const Handle& of);
/// Runs `body(i, carried)` once, or more often: loops are found by trial.
SIFR_API std::vector<Handle> run_for(const Arg& begin, const Arg& end, const std::vector<Handle>& carried,
                                     const std::function<std::vector<Handle>(const Handle&, const std::vector<Handle>&)>& body, Place where);
SIFR_API std::vector<Handle> run_while(const std::vector<Handle>& carried, const std::function<Handle(const std::vector<Handle>&)>& condition,
                                       const std::function<std::vector<Handle>(const std::vector<Handle>&)>& body, Place where);
SIFR_API std::vector<Handle> run_if(const Handle& condition, const std::function<std::vector<Handle>()>& then, const std::function<std::vector<Handle>()>& otherwise, Place where);

template <class>
inline constexpr bool never = false;

}  // namespace detail

/// Something of Python's that lives in a trace: a module, an optimizer, a list. `sifr::call` makes them.
class Object {
public:
    Object() = default;
    explicit Object(detail::Handle h) : handle_(std::move(h)) {}
    /// `object(args…)`
    template <class... A>
    Object operator()(const A&... args) const {
        return Object(detail::invoke(".__call__", {detail::Arg(*this), detail::Arg(args)...}, detail::Place()));
    }
    /// `object.name(args…)`
    template <class... A>
    Object call(const std::string& name, const A&... args) const {
        return Object(detail::invoke(("." + name).c_str(), {detail::Arg(*this), detail::Arg(args)...}, detail::Place()));
    }
    /// `object.name`
    [[nodiscard]] Object attr(const std::string& name) const { return Object(detail::invoke(".__getattribute__", {detail::Arg(*this), detail::Arg(name)}, detail::Place())); }
    [[nodiscard]] bool is_none() const { return detail::is_none(handle_); }
    [[nodiscard]] Tensor tensor() const;
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

/// A piece of an index: `Slice(1, -1)` is Python's `1:-1`, `Slice()` is `:`.
struct Slice {
    std::optional<int64_t> start, stop, step;
    Slice(std::optional<int64_t> start = {}, std::optional<int64_t> stop = {}, std::optional<int64_t> step = {}) : start(start), stop(stop), step(step) {}
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
    TensorIndex(const Slice& s) : arg_(std::vector<detail::Arg>{s.start, s.stop, s.step}) { arg_.kind = detail::Arg::Kind::Slice; }  // NOLINT
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
    [[nodiscard]] int64_t size(int64_t axis) const {
        std::vector<int64_t> s = sizes();
        return s.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(s.size()) : axis));
    }
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
    Tensor operator[](int64_t i) const { return index({i}); }
    Tensor operator[](const Scalar& i) const { return index({i}); }

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
    Object call(const std::string& name, const A&... args) const {
        return Object(detail::invoke(("." + name).c_str(), {detail::Arg(*this), detail::Arg(args)...}, detail::Place()));
    }

#define SIFR_TENSOR_METHODS
#include <sifr/ops.inc>
#undef SIFR_TENSOR_METHODS

    Tensor operator-() const { return neg(); }
    Tensor operator+=(const TensorOrNumber& o) const { return iop(".__iadd__", o); }
    Tensor operator-=(const TensorOrNumber& o) const { return iop(".__isub__", o); }
    Tensor operator*=(const TensorOrNumber& o) const { return iop(".__imul__", o); }
    Tensor operator/=(const TensorOrNumber& o) const { return iop(".__itruediv__", o); }

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
    Tensor iop(const char* name, const TensorOrNumber& o) const { return Tensor(detail::invoke(name, {*this, o.arg()}, detail::Place())); }
    detail::Handle handle_;
};

inline Tensor Object::tensor() const { return Tensor(handle_); }
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
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    Operand(N v, Where where = Where::current()) : arg(Scalar(v).arg()), where(where) {}    // NOLINT
};
template <class A, class B>
inline constexpr bool is_operator_pair = (std::is_same_v<A, Tensor> && (std::is_same_v<B, Tensor> || std::is_same_v<B, Scalar> || std::is_arithmetic_v<B>)) ||
                                         (std::is_same_v<B, Tensor> && (std::is_same_v<A, Scalar> || std::is_arithmetic_v<A>));
template <class A, class B>
inline constexpr bool is_scalar_pair = (std::is_same_v<A, Scalar> && (std::is_same_v<B, Scalar> || std::is_arithmetic_v<B>)) || (std::is_same_v<B, Scalar> && std::is_arithmetic_v<A>);
}  // namespace detail

#define SIFR_OPERATOR(symbol, path)                                                                                                             \
    inline Tensor operator symbol(const Tensor& a, const detail::Operand& b) { return Tensor(detail::invoke(path, {detail::Arg(a), b.arg}, b.where)); } \
    template <class N, class = std::enable_if_t<detail::is_operator_pair<N, Tensor> && !std::is_same_v<N, Tensor>>>                               \
    Tensor operator symbol(const N& a, const detail::Operand& b) {                                                                                \
        return Tensor(detail::invoke(path, {detail::Arg(Scalar(a)), b.arg}, b.where));                                                            \
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

#define SIFR_FUNCTIONS
#include <sifr/ops.inc>
#undef SIFR_FUNCTIONS

/// How a factory makes its tensor: `zeros({2, 3}, {.dtype = kFloat64})`. Without a dtype: PyTorch's default.
struct TensorOptions {
    std::optional<Dtype> dtype{};
    bool requires_grad = false;
};
namespace detail {
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
Object call(const std::string& path, const A&... args) {
    return Object(detail::invoke(path.c_str(), {detail::Arg(args)...}, detail::Place()));
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

// ---------------------------------------------------------------------------------------------------- control flow in traces

namespace detail {
template <class T>
struct Pack;
template <>
struct Pack<Tensor> {
    static void flatten(const Tensor& t, std::vector<Handle>& out) { out.push_back(t.handle()); }
    static Tensor build(const std::vector<Handle>& in, size_t& at) { return Tensor(in.at(at++)); }
};
template <>
struct Pack<Scalar> {
    static void flatten(const Scalar& s, std::vector<Handle>& out) { out.push_back(s.arg().kind == Arg::Kind::Handle ? s.arg().handle : constant(s.arg(), Place())); }
    static Scalar build(const std::vector<Handle>& in, size_t& at) { return Scalar(in.at(at++)); }
};
template <class... T>
struct Pack<std::tuple<T...>> {
    static void flatten(const std::tuple<T...>& t, std::vector<Handle>& out) {
        std::apply([&](const auto&... x) { (Pack<std::decay_t<decltype(x)>>::flatten(x, out), ...); }, t);
    }
    static std::tuple<T...> build(const std::vector<Handle>& in, size_t& at) { return std::tuple<T...>{Pack<T>::build(in, at)...}; }
};
template <class T, class U>
struct Pack<std::pair<T, U>> {
    static void flatten(const std::pair<T, U>& t, std::vector<Handle>& out) { Pack<T>::flatten(t.first, out), Pack<U>::flatten(t.second, out); }
    static std::pair<T, U> build(const std::vector<Handle>& in, size_t& at) { return std::pair<T, U>{Pack<T>::build(in, at), Pack<U>::build(in, at)}; }
};
template <class T, size_t N>
struct Pack<std::array<T, N>> {
    static void flatten(const std::array<T, N>& a, std::vector<Handle>& out) {
        for (const T& x : a) Pack<T>::flatten(x, out);
    }
    static std::array<T, N> build(const std::vector<Handle>& in, size_t& at) {
        std::array<T, N> out;
        for (T& x : out) x = Pack<T>::build(in, at);
        return out;
    }
};
template <class T>
std::vector<Handle> flat(const T& t) {
    std::vector<Handle> out;
    Pack<T>::flatten(t, out);
    return out;
}
template <class T>
T built(const std::vector<Handle>& in) {
    size_t at = 0;
    return Pack<T>::build(in, at);
}
}  // namespace detail

/// `for i in range(begin, end): carried = body(i, carried)`, as one loop of the compiled code. What is carried is a Tensor, a Scalar, or a
/// tuple of them; the body gets it and gives the next. The body is called at least once while tracing, often more, whatever the number of
/// iterations: it must do nothing but trace.
template <class Carried, class Body>
Carried for_(const Scalar& begin, const Scalar& end, const Carried& carried, Body&& body, detail::Where where = detail::Where::current()) {
    auto run = [&](const detail::Handle& i, const std::vector<detail::Handle>& in) {
        Carried next = body(Scalar(i), detail::built<Carried>(in));
        return detail::flat(next);
    };
    return detail::built<Carried>(detail::run_for(begin.arg(), end.arg(), detail::flat(carried), run, where));
}
/// `while condition(carried): carried = body(carried)`. The condition gives a Tensor of one element or a Scalar.
template <class Carried, class Condition, class Body>
Carried while_(const Carried& carried, Condition&& condition, Body&& body, detail::Where where = detail::Where::current()) {
    auto test = [&](const std::vector<detail::Handle>& in) { return detail::flat(condition(detail::built<Carried>(in))).at(0); };
    auto run = [&](const std::vector<detail::Handle>& in) {
        Carried next = body(detail::built<Carried>(in));
        return detail::flat(next);
    };
    return detail::built<Carried>(detail::run_while(detail::flat(carried), test, run, where));
}
/// `then()` or `otherwise()`, as the condition says when the compiled code runs. Both give the same type: a Tensor, a Scalar, or a tuple.
/// For what is chosen element by element there is sifr::where.
template <class Condition, class Then, class Otherwise>
auto if_(const Condition& condition, Then&& then, Otherwise&& otherwise, detail::Where where = detail::Where::current()) {
    using Result = std::decay_t<decltype(then())>;
    static_assert(std::is_same_v<Result, std::decay_t<decltype(otherwise())>>, "both arms of sifr::if_ must give the same type");
    auto run = [](auto&& arm) { return [&arm] { Result r = arm(); return detail::flat(r); }; };
    return detail::built<Result>(detail::run_if(detail::flat(condition).at(0), run(then), run(otherwise), where));
}

// ---------------------------------------------------------------------------------------------------- compiled functions

/// A row of the clear ledger: a place where bytes were made zero, and what became of it.
struct ClearRow {
    SourcePlace place;
    int64_t bytes = 0, kept_bytes = 0;
    std::string verdict;  ///< `removed`, `kept`, `folded`, …
    std::string reason;
};
struct Remark {
    std::string code, text;
    SourcePlace place;
};

struct JitOptions {
    std::string name{};                          ///< for messages; empty: `jit`
    std::vector<std::string> argument_names{};   ///< for messages; empty: `argument 1`, …
    std::string target_cpu = "native";           ///< `native`, `x86-64-v3`, `x86-64-v4`, or LLVM's name
    size_t cache_limit = 64;                     ///< signatures; one more is an error that says which arguments differ from call to call
};

namespace detail {

/// A result of a call.
struct Result {
    HostTensor tensor;
    int64_t bits = 0;  ///< of a number
    uint8_t kind = 0;  ///< 0 tensor, 1 int, 2 float, 3 bool
};
/// The arguments of one call, flat.
struct CallArguments {
    std::span<const TensorView* const> tensors;
    std::span<const Result> numbers;    ///< of Scalar parameters
    std::span<const int64_t> statics;   ///< what is part of the signature beside the tensors: C++ values, lengths of vectors
};
/// What the traced function gets and gives.
struct TraceCall {
    std::vector<Handle> tensors, numbers;
    std::vector<Handle> results;
};

class SIFR_API Callable {
public:
    Callable(JitOptions options, Place where);
    ~Callable();
    Callable(const Callable&) = delete;
    Callable& operator=(const Callable&) = delete;
    /// `trace` is called for a new signature. `results` gets one per result of the trace.
    void call(const CallArguments& arguments, const std::function<void(TraceCall&)>& trace, std::vector<Result>& results);
    /// The text of the IR after a stage: captured, functional, fused, plan, llvm, asm. Of the signature that was called last on this thread.
    [[nodiscard]] std::string ir(std::string_view stage) const;
    [[nodiscard]] std::vector<Remark> remarks() const;
    [[nodiscard]] std::vector<ClearRow> ledger() const;
    [[nodiscard]] size_t signatures() const;
    [[nodiscard]] double compile_seconds() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Parameters of a traced lambda: what a caller passes for them, and how it goes in.
struct Packed {
    std::vector<const TensorView*> tensors;
    std::vector<Result> numbers;
    std::vector<int64_t> statics;
};
template <class P>
struct Param {
    static_assert(std::is_arithmetic_v<P> || std::is_enum_v<P>,
                  "a parameter of a traced function is a sifr::Tensor, a std::vector<sifr::Tensor>, a sifr::Scalar (a number known at run time), or a plain number "
                  "(known while tracing: one compilation for each value)");
    using Given = P;
    static void pack(const P& v, Packed& out) {
        int64_t bits = 0;
        static_assert(sizeof(P) <= sizeof(bits));
        std::memcpy(&bits, &v, sizeof(P));
        out.statics.push_back(bits);
    }
    static P unpack(const P& v, TraceCall&, size_t&, size_t&) { return v; }
};
template <>
struct Param<Tensor> {
    using Given = TensorView;
    static void pack(const TensorView& v, Packed& out) { out.tensors.push_back(&v); }
    static Tensor unpack(const TensorView&, TraceCall& c, size_t& t, size_t&) { return Tensor(c.tensors.at(t++)); }
};
template <>
struct Param<std::vector<Tensor>> {
    using Given = std::vector<TensorView>;
    static void pack(const Given& v, Packed& out) {
        out.statics.push_back(static_cast<int64_t>(v.size()));
        for (const TensorView& t : v) out.tensors.push_back(&t);
    }
    static std::vector<Tensor> unpack(const Given& v, TraceCall& c, size_t& t, size_t&) {
        std::vector<Tensor> out;
        for (size_t k = 0; k < v.size(); ++k) out.emplace_back(c.tensors.at(t++));
        return out;
    }
};
template <>
struct Param<Scalar> {
    /// A C++ number, as the trace will see it: bool, int or float is part of the signature.
    struct Given {
        Result r;
        template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
        Given(N v) {  // NOLINT
            if constexpr (std::is_same_v<N, bool>) r.kind = 3, r.bits = v;
            else if constexpr (std::is_integral_v<N>) r.kind = 1, r.bits = static_cast<int64_t>(v);
            else {
                const double d = static_cast<double>(v);
                r.kind = 2;
                std::memcpy(&r.bits, &d, 8);
            }
        }
    };
    static void pack(const Given& v, Packed& out) { out.numbers.push_back(v.r); }
    static Scalar unpack(const Given&, TraceCall& c, size_t&, size_t& n) { return Scalar(c.numbers.at(n++)); }
};

// Results: what the caller gets for what the lambda gives.
template <class R>
struct Returned;
template <>
struct Returned<void> {
    using Type = void;
};
template <>
struct Returned<Tensor> {
    using Type = HostTensor;
    static void flatten(const Tensor& t, std::vector<Handle>& out) { out.push_back(t.handle()); }
    static HostTensor build(std::vector<Result>& in, size_t& at) { return std::move(in.at(at++).tensor); }
};
/// A number: convert with `as<T>()`.
struct Number {
    Result r;
    template <class N>
    [[nodiscard]] N as() const {
        if (r.kind == 2) {
            double d = 0;
            std::memcpy(&d, &r.bits, 8);
            return static_cast<N>(d);
        }
        return static_cast<N>(r.bits);
    }
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    operator N() const { return as<N>(); }  // NOLINT
};
template <>
struct Returned<Scalar> {
    using Type = Number;
    static void flatten(const Scalar& s, std::vector<Handle>& out) { Pack<Scalar>::flatten(s, out); }
    static Number build(std::vector<Result>& in, size_t& at) { return Number{std::move(in.at(at++))}; }
};
template <class... R>
struct Returned<std::tuple<R...>> {
    using Type = std::tuple<typename Returned<R>::Type...>;
    static void flatten(const std::tuple<R...>& t, std::vector<Handle>& out) {
        std::apply([&](const auto&... x) { (Returned<std::decay_t<decltype(x)>>::flatten(x, out), ...); }, t);
    }
    static Type build(std::vector<Result>& in, size_t& at) { return Type{Returned<R>::build(in, at)...}; }
};
template <class A, class B>
struct Returned<std::pair<A, B>> {
    using Type = std::pair<typename Returned<A>::Type, typename Returned<B>::Type>;
    static void flatten(const std::pair<A, B>& t, std::vector<Handle>& out) { Returned<A>::flatten(t.first, out), Returned<B>::flatten(t.second, out); }
    static Type build(std::vector<Result>& in, size_t& at) { return Type{Returned<A>::build(in, at), Returned<B>::build(in, at)}; }
};
template <>
struct Returned<std::vector<Tensor>> {
    using Type = std::vector<HostTensor>;
    static void flatten(const std::vector<Tensor>& v, std::vector<Handle>& out) {
        for (const Tensor& t : v) out.push_back(t.handle());
    }
    static Type build(std::vector<Result>& in, size_t& at) {
        Type out;
        while (at < in.size()) out.push_back(std::move(in[at++].tensor));
        return out;
    }
};

template <class F>
struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <class R, class... P>
struct SignatureOf<R (*)(P...)> {
    using Result = R;
    using Params = std::tuple<std::decay_t<P>...>;
};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...) const> : SignatureOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct SignatureOf<R (C::*)(P...)> : SignatureOf<R (*)(P...)> {};

}  // namespace detail

template <class R, class Params>
class Jitted;

/// A compiled function; `jit` makes it. Copies share what is compiled.
template <class R, class... P>
class Jitted<R, std::tuple<P...>> {
public:
    using Result = typename detail::Returned<R>::Type;

    Jitted(std::function<R(P...)> body, JitOptions options, detail::Place where)
        : body_(std::make_shared<std::function<R(P...)>>(std::move(body))), callable_(std::make_shared<detail::Callable>(std::move(options), where)) {}

    /// Compiles for arguments of a new signature, and calls. Arguments that the lambda writes in place are written in place. Results are fresh
    /// memory, but for those that are arguments or views of arguments. Throws Error; after a Raise, `details().written` says which arguments
    /// may have been written.
    Result operator()(const typename detail::Param<P>::Given&... given) const {
        detail::Packed packed;
        (detail::Param<P>::pack(given, packed), ...);
        auto trace = [&](detail::TraceCall& c) {
            [[maybe_unused]] size_t t = 0, n = 0;  // a function without arguments counts none
            // Braces: in order.
            std::tuple<P...> params{detail::Param<P>::unpack(given, c, t, n)...};
            if constexpr (std::is_void_v<R>) std::apply(*body_, params);
            else detail::Returned<R>::flatten(std::apply(*body_, params), c.results);
        };
        std::vector<detail::Result> results;
        callable_->call({packed.tensors, packed.numbers, packed.statics}, std::ref(trace), results);
        size_t at = 0;
        if constexpr (!std::is_void_v<R>) return detail::Returned<R>::build(results, at);
    }

    /// Compiles without calling, for arguments like these; their elements are not looked at.
    [[nodiscard]] std::string ir(std::string_view stage) const { return callable_->ir(stage); }
    [[nodiscard]] std::vector<Remark> remarks() const { return callable_->remarks(); }
    [[nodiscard]] std::vector<ClearRow> ledger() const { return callable_->ledger(); }
    /// How many signatures are compiled, and what that has taken.
    [[nodiscard]] size_t signatures() const { return callable_->signatures(); }
    [[nodiscard]] double compile_seconds() const { return callable_->compile_seconds(); }

private:
    std::shared_ptr<std::function<R(P...)>> body_;
    std::shared_ptr<detail::Callable> callable_;
};

/// A function of tensors, compiled when it is called. `f` is a lambda or a function with parameters of type Tensor, std::vector<Tensor>,
/// Scalar, or a plain number, and gives nothing, a Tensor, a Scalar, a std::vector<Tensor>, or a tuple or pair of them. What it captures
/// by value is part of the code for good: pass what changes as an argument.
template <class F>
auto jit(F f, JitOptions options = {}, detail::Where where = detail::Where::current()) {
    using S = detail::SignatureOf<std::conditional_t<std::is_function_v<std::remove_pointer_t<F>>, std::decay_t<F>, F>>;
    return Jitted<typename S::Result, typename S::Params>(std::move(f), std::move(options), where);
}

// ---------------------------------------------------------------------------------------------------- scripts

/// An argument of a script's function: memory, a number that the code gets when it runs, or something that the code is compiled for.
class ScriptArg {
public:
    enum class Kind : uint8_t { None, Tensor, Number, Static, Text } kind = Kind::None;
    TensorView tensor;
    detail::Result number;
    std::string text;

    ScriptArg(std::nullptr_t) {}                                            // NOLINT: None
    ScriptArg(const TensorView& t) : kind(Kind::Tensor), tensor(t) {}       // NOLINT
    ScriptArg(const HostTensor& t) : kind(Kind::Tensor), tensor(t) {}       // NOLINT
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    ScriptArg(N v) : kind(Kind::Number), number(detail::Param<Scalar>::Given(v).r) {}  // NOLINT
    ScriptArg(std::string_view v) : kind(Kind::Text), text(v) {}            // NOLINT
    ScriptArg(const char* v) : kind(Kind::Text), text(v) {}                 // NOLINT
};
/// A number that is known while compiling, for what a script uses as a size or an index of a list. One compilation for each value.
template <class N>
ScriptArg fixed(N v) {
    ScriptArg a(v);
    a.kind = ScriptArg::Kind::Static;
    return a;
}

/// What a script's function gave: the members of a tuple or list, nested ones in a row; one for anything else; none for None.
class ScriptResult {
public:
    ScriptResult() = default;
    explicit ScriptResult(std::vector<detail::Result> r) : results_(std::move(r)) {}
    [[nodiscard]] size_t size() const { return results_.size(); }
    /// Throws where the result is a number.
    [[nodiscard]] SIFR_API const HostTensor& tensor(size_t i = 0) const;
    /// A number, or the only element of a tensor.
    template <class N>
    [[nodiscard]] N number(size_t i = 0) const {
        const detail::Result& r = at(i);
        return r.kind == 0 ? r.tensor.template item<N>() : detail::Number{r}.as<N>();
    }

private:
    [[nodiscard]] SIFR_API const detail::Result& at(size_t i) const;
    std::vector<detail::Result> results_;
};

namespace detail {
class ScriptState;
}

/// A function of a loaded script. Copies are the same function; it keeps the script alive.
class SIFR_API ScriptFunction {
public:
    /// Calls with positional arguments. Compiles where the arguments, or what the script keeps between calls, have a form that is new.
    ScriptResult operator()(const std::vector<ScriptArg>& arguments) const;
    template <class... A, class = std::enable_if_t<(std::is_convertible_v<A, ScriptArg> && ...)>>
    ScriptResult operator()(const A&... a) const {
        return (*this)(std::vector<ScriptArg>{ScriptArg(a)...});
    }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// As of Jitted, for the call that was made last.
    [[nodiscard]] std::string ir(std::string_view stage) const;

private:
    friend class Script;
    std::shared_ptr<detail::ScriptState> state_;
    std::string name_;
};

/// A script, loaded: its top level has run once. What its variables hold (parameters of modules, buffers of optimizers, counters) is kept in
/// memory of this object between calls, and the host may read and write it. Calls of one Script take turns; two Scripts share nothing.
class SIFR_API Script {
public:
    /// A variable's tensor: `model.weight`, `optimizer.state[0]`. The memory is the script's own: what is written there is what the next call
    /// sees. Not to be used while a call runs on another thread.
    [[nodiscard]] HostTensor state(const std::string& name) const;
    /// The names of all of them, in a fixed order.
    [[nodiscard]] std::vector<std::string> state_names() const;
    /// Writes all of them to a safetensors file, and reads them back. Throws where names, dtypes or sizes differ.
    void save(const std::string& path) const;
    void restore(const std::string& path) const;
    /// Throws where the script has no such function at its top level.
    [[nodiscard]] ScriptFunction function(const std::string& name) const;

private:
    friend SIFR_API Script load(const std::string& path);
    friend SIFR_API Script load_string(const std::string& text, const std::string& name);
    std::shared_ptr<detail::ScriptState> state_;
};

/// Loads a script of PyTorch's, and runs its top level (which may print, and draw random numbers). Throws for what is wrong with it.
SIFR_API Script load(const std::string& path);
/// The same for a text; `name` stands for the file in messages.
SIFR_API Script load_string(const std::string& text, const std::string& name = "<script>");

// ---------------------------------------------------------------------------------------------------- DLPack

}  // namespace sifr

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace sifr {

/// Takes a DLPack tensor of the CPU over: its deleter is called when the last copy of the result goes. Elements are not copied. Throws for
/// another device, an element type that sifr lacks, or negative strides; then the tensor stays the caller's.
SIFR_API HostTensor from_dlpack(DLManagedTensor* tensor);
SIFR_API HostTensor from_dlpack(DLManagedTensorVersioned* tensor);
/// Gives a tensor away: whoever gets it calls its deleter. It keeps the memory alive; for memory that is the caller's (`owns_memory()` is
/// false) the caller does.
SIFR_API DLManagedTensor* to_dlpack(const HostTensor& tensor);
SIFR_API DLManagedTensorVersioned* to_dlpack_versioned(const HostTensor& tensor);

}  // namespace sifr
