/// What a trace is made of, for the headers beside this one: handles of values, arguments, and how an operation is called.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sifr/types.h>

namespace sifr {

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
    enum class Kind : uint8_t { None, Left_out, Handle, Bool, Int, Float, Str, Dtype, Ints, List, Slice, Ellipsis, Complex } kind = Kind::None;
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
    Arg(std::initializer_list<int64_t> v) : kind(Kind::Ints), ints(v) {}          // NOLINT: axes, sizes
    template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
    Arg(I v) : kind(Kind::Int), integer(static_cast<int64_t>(v)) {}               // NOLINT
    Arg(double v) : kind(Kind::Float), real(v) {}                                 // NOLINT
    Arg(std::complex<double> v) : kind(Kind::Complex), items{Arg(v.real()), Arg(v.imag())} {}  // NOLINT
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

/// A text, or the first argument of many, that remembers where it was written: for functions whose parameters leave no room for a place.
struct Path {
    std::string text;
    Place where;
    Path(const char* t, Where where = Where::current()) : text(t), where(where) {}                    // NOLINT
    Path(std::string_view t, Where where = Where::current()) : text(t), where(where) {}               // NOLINT
    Path(const std::string& t, Where where = Where::current()) : text(t), where(where) {}             // NOLINT
};
struct First {
    Arg arg;
    Place where;
    template <class T, class = std::enable_if_t<std::is_convertible_v<const T&, Arg>>>
    First(const T& v, Where where = Where::current()) : arg(v), where(where) {}                       // NOLINT
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

}  // namespace sifr
