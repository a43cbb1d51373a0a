/// Functions that are compiled when they are called.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sifr/control_flow.h>
#include <sifr/memory.h>
#include <sifr/tensor.h>

namespace sifr {

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
    Device device = Device::CPU;                 ///< CUDA: on the first NVIDIA GPU; arguments are copied there for each call, and what is written back
    std::string cache_folder{};                  ///< machine code is kept there from one process to the next; empty: in memory alone
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

[[noreturn]] SIFR_API void number_too_large();

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
    [[nodiscard]] std::string source(Device device) const;
    [[nodiscard]] std::vector<Remark> remarks() const;
    [[nodiscard]] std::vector<ClearRow> ledger() const;
    [[nodiscard]] size_t signatures() const;
    [[nodiscard]] double compile_seconds() const;

private:
    struct SIFR_INTERNAL Impl;
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
            else if constexpr (std::is_integral_v<N>) {
                if constexpr (std::is_unsigned_v<N> && sizeof(N) == 8)
                    if (v > static_cast<N>(INT64_MAX)) number_too_large();
                r.kind = 1, r.bits = static_cast<int64_t>(v);
            }
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
template <class R, class = void>
struct Returned {
    static_assert(never<R>, "a traced function gives nothing, a sifr::Tensor, a sifr::Scalar, a plain number, a std::vector<sifr::Tensor>, or a tuple or pair of them");
    using Type = void;
};
/// A number that is known while tracing.
template <class N>
struct Returned<N, std::enable_if_t<std::is_arithmetic_v<N>>> {
    using Type = N;
    static void flatten(const N& v, std::vector<Handle>& out) { out.push_back(constant(Scalar(v).arg(), Place())); }
    static N build(std::vector<Result>& in, size_t& at);
};
/// What `sifr::call` gives: its tensor.
template <>
struct Returned<Object> {
    using Type = HostTensor;
    static void flatten(const Object& o, std::vector<Handle>& out) { out.push_back(o.handle()); }
    static HostTensor build(std::vector<Result>& in, size_t& at) { return std::move(in.at(at++).tensor); }
};
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
template <class N>
N Returned<N, std::enable_if_t<std::is_arithmetic_v<N>>>::build(std::vector<Result>& in, size_t& at) {
    return Number{std::move(in.at(at++))}.template as<N>();
}
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

    template <class F>
    Jitted(F body, JitOptions options, detail::Place where)
        : body_(std::make_shared<Body>([f = std::move(body)](std::tuple<P...>& params) mutable -> R { return std::apply(f, params); })),
          callable_(std::make_shared<detail::Callable>(std::move(options), where)) {}

    /// Compiles for arguments of a new signature, and calls. Arguments that the lambda writes in place are written in place. Results are fresh
    /// memory, but for those that are arguments or views of arguments. Throws Error; after a Raise, `details().written` says which arguments
    /// were written before it, as the code was compiled: it may write earlier or later than the lambda says.
    Result operator()(const typename detail::Param<P>::Given&... given) const {
        detail::Packed packed;
        (detail::Param<P>::pack(given, packed), ...);
        auto trace = [&](detail::TraceCall& c) {
            [[maybe_unused]] size_t t = 0, n = 0;  // a function without arguments counts none
            // Braces: in order.
            std::tuple<P...> params{detail::Param<P>::unpack(given, c, t, n)...};
            if constexpr (std::is_void_v<R>) (*body_)(params);
            else detail::Returned<R>::flatten((*body_)(params), c.results);
        };
        std::vector<detail::Result> results;
        callable_->call({packed.tensors, packed.numbers, packed.statics}, std::ref(trace), results);
        size_t at = 0;
        if constexpr (!std::is_void_v<R>) return detail::Returned<R>::build(results, at);
    }

    /// The text of the IR after a stage (captured, functional, fused, plan, llvm, asm), for the signature that was called last, by any thread.
    [[nodiscard]] std::string ir(std::string_view stage) const { return callable_->ir(stage); }
    /// The code of the kernels as text: CUDA C++ for kCUDA (on any machine), assembly for kCPU.
    [[nodiscard]] std::string source(Device device) const { return callable_->source(device); }
    [[nodiscard]] std::vector<Remark> remarks() const { return callable_->remarks(); }
    [[nodiscard]] std::vector<ClearRow> ledger() const { return callable_->ledger(); }
    /// How many signatures are compiled, and what that has taken.
    [[nodiscard]] size_t signatures() const { return callable_->signatures(); }
    [[nodiscard]] double compile_seconds() const { return callable_->compile_seconds(); }

private:
    using Body = std::function<R(std::tuple<P...>&)>;
    std::shared_ptr<Body> body_;
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

}  // namespace sifr
