/// Loops and branches that are loops and branches of the compiled code.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sifr/tensor.h>

namespace sifr {

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

}  // namespace sifr
