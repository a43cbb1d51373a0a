// Python's numbers while a plan is interpreted. Shares no code with the evaluation of functions.

#include <cmath>
#include <map>

#include "ir/plan/host_value.h"

namespace sifr {

namespace {

using Values = std::vector<HostValue>;
using Call = HostCall;

HostRow checked_i64(sifr_status (*f)(int64_t, int64_t, int64_t*)) {
    return [f](const Call& c) {
        int64_t r = 0;
        c.done(f(c.i(0), c.i(1), &r));
        return Values{HostValue::of(r)};
    };
}
HostRow checked_i64(sifr_status (*f)(int64_t, int64_t*)) {
    return [f](const Call& c) {
        int64_t r = 0;
        c.done(f(c.i(0), &r));
        return Values{HostValue::of(r)};
    };
}
HostRow checked_f64(sifr_status (*f)(double, double, double*)) {
    return [f](const Call& c) {
        double r = 0;
        c.done(f(c.f(0), c.f(1), &r));
        return Values{HostValue::of(r)};
    };
}
HostRow to_i64(sifr_status (*f)(double, int64_t*)) {
    return [f](const Call& c) {
        int64_t r = 0;
        c.done(f(c.f(0), &r));
        return Values{HostValue::of(r)};
    };
}
HostRow math(sifr_math1 which) {
    return [which](const Call& c) {
        double r = 0;
        c.done(sifr_math_call1(which, c.f(0), &r));
        return Values{HostValue::of(r)};
    };
}
HostRow math(sifr_math2 which) {
    return [which](const Call& c) {
        double r = 0;
        c.done(sifr_math_call2(which, c.f(0), c.f(1), &r));
        return Values{HostValue::of(r)};
    };
}
template <class F>
HostRow i2(F f) { return [f](const Call& c) { return Values{HostValue::of(static_cast<int64_t>(f(c.i(0), c.i(1))))}; }; }
template <class F>
HostRow ib(F f) { return [f](const Call& c) { return Values{HostValue::of_bool(f(c.i(0), c.i(1)))}; }; }
template <class F>
HostRow f2(F f) { return [f](const Call& c) { return Values{HostValue::of(static_cast<double>(f(c.f(0), c.f(1))))}; }; }
template <class F>
HostRow fb(F f) { return [f](const Call& c) { return Values{HostValue::of_bool(f(c.f(0), c.f(1)))}; }; }

const std::map<std::string_view, HostRow>& rows() {
    static const std::map<std::string_view, HostRow> table = {
        {"iadd", checked_i64(sifr_i64_add)}, {"isub", checked_i64(sifr_i64_sub)}, {"imul", checked_i64(sifr_i64_mul)},
        {"ifloordiv", checked_i64(sifr_i64_floordiv)}, {"imod", checked_i64(sifr_i64_mod)}, {"ipow", checked_i64(sifr_i64_pow)},
        {"ishl", checked_i64(sifr_i64_lshift)}, {"ishr", checked_i64(sifr_i64_rshift)},
        {"ineg", checked_i64(sifr_i64_neg)}, {"iabs", checked_i64(sifr_i64_abs)},
        {"imin", i2([](int64_t a, int64_t b) { return b < a ? b : a; })}, {"imax", i2([](int64_t a, int64_t b) { return b > a ? b : a; })},
        {"iand", i2([](int64_t a, int64_t b) { return a & b; })}, {"ior", i2([](int64_t a, int64_t b) { return a | b; })},
        {"ixor", i2([](int64_t a, int64_t b) { return a ^ b; })},
        {"inot", [](const Call& c) { return Values{HostValue::of(~c.i(0))}; }},
        {"idiv", [](const Call& c) {
             double r = 0;
             c.done(sifr_i64_truediv(c.i(0), c.i(1), &r));
             return Values{HostValue::of(r)};
         }},
        {"ieq", ib([](int64_t a, int64_t b) { return a == b; })}, {"ine", ib([](int64_t a, int64_t b) { return a != b; })},
        {"ilt", ib([](int64_t a, int64_t b) { return a < b; })}, {"ile", ib([](int64_t a, int64_t b) { return a <= b; })},
        {"igt", ib([](int64_t a, int64_t b) { return a > b; })}, {"ige", ib([](int64_t a, int64_t b) { return a >= b; })},
        {"fadd", f2([](double a, double b) { return a + b; })}, {"fsub", f2([](double a, double b) { return a - b; })},
        {"fmul", f2([](double a, double b) { return a * b; })},
        {"fdiv", checked_f64(sifr_f64_div)}, {"ffloordiv", checked_f64(sifr_f64_floordiv)}, {"ffloormod", checked_f64(sifr_f64_mod)},
        {"fpow", checked_f64(sifr_f64_pow)},
        {"fminimum", f2([](double a, double b) { return b < a ? b : a; })}, {"fmaximum", f2([](double a, double b) { return b > a ? b : a; })},
        {"fneg", [](const Call& c) { return Values{HostValue::of(-c.f(0))}; }},
        {"fabs", [](const Call& c) { return Values{HostValue::of(std::fabs(c.f(0)))}; }},
        {"fround", [](const Call& c) {
             double r = 0;
             c.done(sifr_f64_round_digits(c.f(0), c.i(1), &r));
             return Values{HostValue::of(r)};
         }},
        {"feq", fb([](double a, double b) { return a == b; })}, {"fne", fb([](double a, double b) { return a != b; })},
        {"flt", fb([](double a, double b) { return a < b; })}, {"fle", fb([](double a, double b) { return a <= b; })},
        {"fgt", fb([](double a, double b) { return a > b; })}, {"fge", fb([](double a, double b) { return a >= b; })},
        {"fsqrt", math(SIFR_MATH_SQRT)}, {"fexp", math(SIFR_MATH_EXP)}, {"fexpm1", math(SIFR_MATH_EXPM1)}, {"flog", math(SIFR_MATH_LOG)},
        {"flog2", math(SIFR_MATH_LOG2)}, {"flog10", math(SIFR_MATH_LOG10)}, {"flog1p", math(SIFR_MATH_LOG1P)}, {"fsin", math(SIFR_MATH_SIN)},
        {"fcos", math(SIFR_MATH_COS)}, {"ftan", math(SIFR_MATH_TAN)}, {"fasin", math(SIFR_MATH_ASIN)}, {"facos", math(SIFR_MATH_ACOS)},
        {"fatan", math(SIFR_MATH_ATAN)}, {"fsinh", math(SIFR_MATH_SINH)}, {"fcosh", math(SIFR_MATH_COSH)}, {"ftanh", math(SIFR_MATH_TANH)},
        {"fasinh", math(SIFR_MATH_ASINH)}, {"facosh", math(SIFR_MATH_ACOSH)}, {"fatanh", math(SIFR_MATH_ATANH)}, {"ferf", math(SIFR_MATH_ERF)},
        {"ferfc", math(SIFR_MATH_ERFC)}, {"fgamma", math(SIFR_MATH_GAMMA)}, {"flgamma", math(SIFR_MATH_LGAMMA)}, {"fcbrt", math(SIFR_MATH_CBRT)},
        {"fexp2", math(SIFR_MATH_EXP2)}, {"fatan2", math(SIFR_MATH_ATAN2)}, {"fhypot", math(SIFR_MATH_HYPOT)},
        {"fcopysign", math(SIFR_MATH_COPYSIGN)},
        {"itof", [](const Call& c) { return Values{HostValue::of(static_cast<double>(c.i(0)))}; }},
        {"btoi", [](const Call& c) { return Values{HostValue::of(c.i(0))}; }},
        {"btof", [](const Call& c) { return Values{HostValue::of(static_cast<double>(c.i(0)))}; }},
        {"itob", [](const Call& c) { return Values{HostValue::of_bool(c.i(0) != 0)}; }},
        {"ftob", [](const Call& c) { return Values{HostValue::of_bool(c.f(0) != 0)}; }},
        {"ftoi", to_i64(sifr_f64_to_i64)}, {"ffloor_i", to_i64(sifr_math_floor)}, {"fceil_i", to_i64(sifr_math_ceil)},
        {"fround_i", to_i64(sifr_f64_round)},
        {"band", ib([](int64_t a, int64_t b) { return a != 0 && b != 0; })}, {"bor", ib([](int64_t a, int64_t b) { return a != 0 || b != 0; })},
        {"beq", ib([](int64_t a, int64_t b) { return (a != 0) == (b != 0); })},
        {"bnot", [](const Call& c) { return Values{HostValue::of_bool(c.i(0) == 0)}; }},
        {"sel", [](const Call& c) { return Values{c.args[c.i(0) != 0 ? 1 : 2]}; }},
        {"none", [](const Call&) { return Values{HostValue{.kind = Type::Kind::Optional, .text = {}, .members = {}, .list = {}}}; }},
        {"some", [](const Call& c) {
             return Values{HostValue{.kind = Type::Kind::Optional, .i64 = 1, .text = {}, .members = {c.args.begin(), c.args.end()}, .list = {}}};
         }},
        {"is_none", [](const Call& c) { return Values{HostValue::of_bool(c.i(0) == 0)}; }},
        {"unwrap", [](const Call& c) {
             if (c.i(0) != 0) return c.args[0].members;
             auto error = c.attrs.get<std::string>("error");
             size_t colon = error.find(": ");
             std::string type = error.substr(0, colon), text = colon == std::string::npos ? "" : error.substr(colon + 2);
             sifr_raise(type.c_str(), {text.data(), static_cast<int64_t>(text.size())}, nullptr, c.line);
         }},
    };
    return table;
}

}  // namespace

const HostRow* scalar_row(std::string_view name) {
    auto it = rows().find(name);
    return it == rows().end() ? nullptr : &it->second;
}

}  // namespace sifr
