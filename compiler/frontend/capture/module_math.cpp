// The module `math`: known values through the runtime's functions, run-time floats through rows of the same meaning.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

/// A float, static or run-time; tensors of one element count as their value.
PyValue real(Interpreter& in, PyValue v) {
    if (v.is(Kind::Optional)) v = in.evaluator().present(v, "TypeError: must be real number, not NoneType");
    if (v.is_static_number()) {
        std::optional<double> d = to_double(v);
        if (!d) in.raise_error("OverflowError", "int too large to convert to float");
        return PyValue::real(*d);
    }
    if (v.is_number()) return PyValue::dynamic(in.to_ir(v, K::F64), K::F64);
    if (v.is(Kind::Instance)) {
        PyValue m = in.class_of(v)->lookup(symbol("__float__"));
        if (!m.is_unbound()) return real(in, in.call(m, Values{v}));
    } else if (Protocol* p = in.protocol_of(v)) {
        if (PyValue d = p->to_float(in, v); !d.is_unbound()) return real(in, d);
    }
    in.raise_error("TypeError", "must be real number, not {}", in.type_name(v));
}

struct Row1 {
    const char* name;
    sifr_math1 function;
    std::optional<Op> row;
};

PyValue call1(Interpreter& in, const Row1& r, PyValue v) {
    PyValue x = real(in, v);
    if (x.is(Kind::Float)) {
        double d = 0;
        must(sifr_math_call1(r.function, x.as_float(), &d));
        return PyValue::real(d);
    }
    switch (r.function) {
        case SIFR_MATH_DEGREES: return in.emit_scalar("fmul"_op, {x.as_value(), in.function().add_constant(180.0 / std::numbers::pi)});
        case SIFR_MATH_RADIANS: return in.emit_scalar("fmul"_op, {x.as_value(), in.function().add_constant(std::numbers::pi / 180.0)});
        case SIFR_MATH_EXP2: return in.emit_scalar("fpow"_op, {in.function().add_constant(2.0), x.as_value()});
        default: break;
    }
    if (!r.row) throw NotSupported(fmt::format("math.{}() of a run-time number", r.name));
    // The negated comparison lets NaN pass, as Python does.
    auto refuse = [&](Op comparison, double bound) {
        PyValue bad = in.emit_scalar(comparison, {x.as_value(), in.function().add_constant(bound)});
        in.check(in.emit_scalar("bnot"_op, {bad.as_value()}), "ValueError", "math domain error");
    };
    switch (r.function) {
        case SIFR_MATH_SQRT: refuse("flt"_op, 0.0); break;
        case SIFR_MATH_LOG:
        case SIFR_MATH_LOG2:
        case SIFR_MATH_LOG10: refuse("fle"_op, 0.0); break;
        case SIFR_MATH_LOG1P: refuse("fle"_op, -1.0); break;
        case SIFR_MATH_ASIN:
        case SIFR_MATH_ACOS: refuse("flt"_op, -1.0), refuse("fgt"_op, 1.0); break;
        default: break;
    }
    PyValue y = in.emit_scalar(*r.row, {x.as_value()});
    if (r.function == SIFR_MATH_EXP || r.function == SIFR_MATH_EXPM1 || r.function == SIFR_MATH_SINH || r.function == SIFR_MATH_COSH) {
        // A finite argument with an infinite result is Python's range error.
        double limit = r.function == SIFR_MATH_EXP || r.function == SIFR_MATH_EXPM1 ? 709.782712893384 : 710.4758600739439;
        PyValue magnitude = r.function == SIFR_MATH_EXP || r.function == SIFR_MATH_EXPM1 ? x : in.emit_scalar("fabs"_op, {x.as_value()});
        PyValue over = in.emit_scalar("fgt"_op, {magnitude.as_value(), in.function().add_constant(limit)});
        PyValue finite = in.emit_scalar("flt"_op, {magnitude.as_value(), in.function().add_constant(HUGE_VAL)});
        PyValue bad = in.emit_scalar("band"_op, {over.as_value(), finite.as_value()});
        in.check(in.emit_scalar("bnot"_op, {bad.as_value()}), "OverflowError", "math range error");
    }
    return y;
}

PyValue call2(Interpreter& in, const char* name, sifr_math2 function, std::optional<Op> row, PyValue a, PyValue b) {
    PyValue x = real(in, a), y = real(in, b);
    if (x.is(Kind::Float) && y.is(Kind::Float)) {
        double d = 0;
        must(sifr_math_call2(function, x.as_float(), y.as_float(), &d));
        return PyValue::real(d);
    }
    if (!row) throw NotSupported(fmt::format("math.{}() of a run-time number", name));
    return in.emit_scalar(*row, {in.to_ir(x, K::F64), in.to_ir(y, K::F64)});
}

PyValue to_integer(Interpreter& in, PyValue v, const char* method, Op row, double (*f)(double)) {
    if (v.is(Kind::Instance))
        if (PyValue m = in.class_of(v)->lookup(symbol(method)); !m.is_unbound()) return in.call(m, Values{v});
    if (v.is(Kind::Int) || v.is(Kind::BigInt)) return v;
    if (v.is_dynamic(K::I64)) return v;
    PyValue x = real(in, v);
    if (x.is_dynamic()) return in.emit_scalar(row, {x.as_value()});
    double d = x.as_float();
    if (std::isnan(d)) in.raise_error("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(d)) in.raise_error("OverflowError", "cannot convert float infinity to integer");
    return in.integer(BigInt::truncate(f(d)));
}

BigInt big(Interpreter& in, PyValue v) {
    if (v.is(Kind::Int) || v.is(Kind::Bool) || v.is(Kind::BigInt)) return to_big(v);
    if (v.is_dynamic()) in.need_static(v, "an argument of a function of math");
    in.raise_error("TypeError", "'{}' object cannot be interpreted as an integer", in.type_name(v));
}

BigInt gcd(BigInt a, BigInt b) {
    if (a.is_negative()) a = -a;
    if (b.is_negative()) b = -b;
    while (!b.is_zero()) {
        BigInt q, r;
        BigInt::floor_divide(a, b, q, r);
        a = std::move(b);
        b = std::move(r);
    }
    return a;
}

BigInt product_between(int64_t lo, int64_t hi) {
    BigInt r(1);
    for (int64_t k = lo; k <= hi; ++k) r = r * BigInt(k);
    return r;
}

}  // namespace

void bind_math(Interpreter& in) {
    in.add_module("math", [](Interpreter& i, const ModuleObject* m) {
        i.set_global(m, "pi", PyValue::real(std::numbers::pi));
        i.set_global(m, "e", PyValue::real(std::numbers::e));
        i.set_global(m, "tau", PyValue::real(2 * std::numbers::pi));
        i.set_global(m, "inf", PyValue::real(HUGE_VAL));
        i.set_global(m, "nan", PyValue::real(std::nan("")));
        static const Row1 rows[] = {
            {"sqrt", SIFR_MATH_SQRT, "fsqrt"_op},     {"exp", SIFR_MATH_EXP, "fexp"_op},       {"expm1", SIFR_MATH_EXPM1, "fexpm1"_op}, {"log2", SIFR_MATH_LOG2, "flog2"_op},
            {"log10", SIFR_MATH_LOG10, "flog10"_op},  {"log1p", SIFR_MATH_LOG1P, "flog1p"_op}, {"sin", SIFR_MATH_SIN, "fsin"_op},       {"cos", SIFR_MATH_COS, "fcos"_op},
            {"tan", SIFR_MATH_TAN, "ftan"_op},        {"asin", SIFR_MATH_ASIN, "fasin"_op},    {"acos", SIFR_MATH_ACOS, "facos"_op},    {"atan", SIFR_MATH_ATAN, "fatan"_op},
            {"sinh", SIFR_MATH_SINH, "fsinh"_op},     {"cosh", SIFR_MATH_COSH, "fcosh"_op},    {"tanh", SIFR_MATH_TANH, "ftanh"_op},    {"asinh", SIFR_MATH_ASINH, std::nullopt},
            {"acosh", SIFR_MATH_ACOSH, std::nullopt}, {"atanh", SIFR_MATH_ATANH, std::nullopt}, {"erf", SIFR_MATH_ERF, "ferf"_op},      {"erfc", SIFR_MATH_ERFC, "ferfc"_op},
            {"gamma", SIFR_MATH_GAMMA, "fgamma"_op},  {"lgamma", SIFR_MATH_LGAMMA, "flgamma"_op}, {"fabs", SIFR_MATH_FABS, "fabs"_op},  {"degrees", SIFR_MATH_DEGREES, std::nullopt},
            {"radians", SIFR_MATH_RADIANS, std::nullopt}, {"cbrt", SIFR_MATH_CBRT, std::nullopt}, {"exp2", SIFR_MATH_EXP2, std::nullopt},
        };
        for (const Row1& r : rows)
            i.add_function(m, r.name, [&r](Interpreter& in2, Args& args) {
                if (args.size() != 1) in2.raise_error("TypeError", "math.{}() takes exactly one argument ({} given)", r.name, args.size());
                return call1(in2, r, args[0]);
            });
        i.add_function(m, "log", [](Interpreter& in2, Args& args) -> PyValue {
            static const Row1 log{"log", SIFR_MATH_LOG, "flog"_op};
            if (args.size() == 1) {
                if (const auto* b = args[0].get_if<BigIntObject>(); b && !b->value.to_double() && !b->value.is_negative()) {
                    // wider than a double: by its leading bits
                    size_t shift = b->value.bit_length() - 1000;
                    return PyValue::real(std::log(*b->value.shift_right(shift).to_double()) + static_cast<double>(shift) * std::numbers::ln2);
                }
                return call1(in2, log, args[0]);
            }
            PyValue x = real(in2, args[0]), base = real(in2, args[1]);
            if (x.is(Kind::Float) && base.is(Kind::Float)) return call2(in2, "log", SIFR_MATH_LOG_BASE, std::nullopt, x, base);
            return in2.binary(syntax::BinaryOp::Div, call1(in2, log, x), call1(in2, log, base));
        });
        struct Row2 {
            const char* name;
            sifr_math2 function;
            std::optional<Op> row;
        };
        static const Row2 rows2[] = {{"pow", SIFR_MATH_POW, "fpow"_op}, {"fmod", SIFR_MATH_FMOD, std::nullopt}, {"atan2", SIFR_MATH_ATAN2, "fatan2"_op},
                                     {"copysign", SIFR_MATH_COPYSIGN, std::nullopt}, {"remainder", SIFR_MATH_REMAINDER, std::nullopt}};
        for (const Row2& r : rows2)
            i.add_function(m, r.name, [&r](Interpreter& in2, Args& args) {
                if (args.size() != 2) in2.raise_error("TypeError", "{} expected 2 arguments, got {}", r.name, args.size());
                return call2(in2, r.name, r.function, r.row, args[0], args[1]);
            });
        i.add_function(m, "hypot", [](Interpreter& in2, Args& args) {
            PyValue r = PyValue::real(0.0);
            for (PyValue v : args.positional) r = call2(in2, "hypot", SIFR_MATH_HYPOT, "fhypot"_op, r, v);
            return r;
        });
        i.add_function(m, "floor", [](Interpreter& in2, Args& args) { return to_integer(in2, args[0], "__floor__", "ffloor_i"_op, std::floor); });
        i.add_function(m, "ceil", [](Interpreter& in2, Args& args) { return to_integer(in2, args[0], "__ceil__", "fceil_i"_op, std::ceil); });
        i.add_function(m, "trunc", [](Interpreter& in2, Args& args) { return to_integer(in2, args[0], "__trunc__", "ftoi"_op, std::trunc); });
        struct Test {
            const char* name;
            bool (*of)(double);
        };
        static const Test tests[] = {{"isnan", [](double d) { return std::isnan(d); }}, {"isinf", [](double d) { return std::isinf(d); }}, {"isfinite", [](double d) { return std::isfinite(d); }}};
        for (const Test& t : tests)
            i.add_function(m, t.name, [&t](Interpreter& in2, Args& args) -> PyValue {
                PyValue x = real(in2, args[0]);
                if (x.is(Kind::Float)) return PyValue::boolean(t.of(x.as_float()));
                std::string_view name = t.name;
                if (name == "isnan") return in2.emit_scalar("fne"_op, {x.as_value(), x.as_value()});
                PyValue magnitude = in2.emit_scalar("fabs"_op, {x.as_value()});
                return in2.emit_scalar(name == "isinf" ? "feq"_op : "flt"_op, {magnitude.as_value(), in2.function().add_constant(HUGE_VAL)});
            });
        i.add_function(m, "isclose", [](Interpreter& in2, Args& args) {
            ArgReader a(in2, args, "isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)");
            double x = in2.need_float(a["a"], "an argument of isclose"), y = in2.need_float(a["b"], "an argument of isclose");
            double rel = a.has("rel_tol") ? in2.need_float(a["rel_tol"], "a tolerance") : 1e-9, abs = a.has("abs_tol") ? in2.need_float(a["abs_tol"], "a tolerance") : 0.0;
            if (x == y) return PyValue::boolean(true);
            if (std::isinf(x) || std::isinf(y)) return PyValue::boolean(false);
            double d = std::fabs(x - y);
            return PyValue::boolean(d <= std::fabs(rel * y) || d <= std::fabs(rel * x) || d <= abs);
        });
        i.add_function(m, "gcd", [](Interpreter& in2, Args& args) {
            BigInt r;
            for (PyValue v : args.positional) r = gcd(r, big(in2, v));
            return in2.integer(r);
        });
        i.add_function(m, "lcm", [](Interpreter& in2, Args& args) {
            BigInt r(1);
            for (PyValue v : args.positional) {
                BigInt b = big(in2, v), q, rest;
                if (b.is_zero()) return PyValue::integer(0);
                BigInt::floor_divide(r * (b.is_negative() ? -b : b), gcd(r, b), q, rest);
                r = q;
            }
            return in2.integer(r);
        });
        i.add_function(m, "factorial", [](Interpreter& in2, Args& args) {
            int64_t n = in2.need_int(args[0], "an argument of factorial");
            if (n < 0) in2.raise_error("ValueError", "factorial() not defined for negative values");
            if (n > 5000) throw NotSupported("the factorial of more than 5000");
            return in2.integer(product_between(2, n));
        });
        i.add_function(m, "comb", [](Interpreter& in2, Args& args) {
            int64_t n = in2.need_int(args[0], "an argument of comb"), k = in2.need_int(args[1], "an argument of comb");
            if (n < 0) in2.raise_error("ValueError", "n must be a non-negative integer");
            if (k < 0) in2.raise_error("ValueError", "k must be a non-negative integer");
            if (k > n) return PyValue::integer(0);
            k = std::min(k, n - k);
            BigInt q, rest;
            BigInt::floor_divide(product_between(n - k + 1, n), product_between(2, k), q, rest);
            return in2.integer(q);
        });
        i.add_function(m, "perm", [](Interpreter& in2, Args& args) {
            int64_t n = in2.need_int(args[0], "an argument of perm"), k = args.size() > 1 ? in2.need_int(args[1], "an argument of perm") : n;
            return k > n ? PyValue::integer(0) : in2.integer(product_between(n - k + 1, n));
        });
        i.add_function(m, "isqrt", [](Interpreter& in2, Args& args) {
            int64_t r = 0;
            must(sifr_math_isqrt(in2.need_int(args[0], "an argument of isqrt"), &r));
            return PyValue::integer(r);
        });
        i.add_function(m, "prod", [](Interpreter& in2, Args& args) {
            PyValue r = args.keyword("start");
            if (r.is_unbound()) r = PyValue::integer(1);
            for (PyValue v : in2.iterate(args[0])) r = in2.binary(syntax::BinaryOp::Mult, r, v);
            return r;
        });
        i.add_function(m, "fsum", [](Interpreter& in2, Args& args) {
            // Exact: partial sums that do not overlap (Shewchuk), rounded once at the end.
            std::vector<double> partials;
            for (PyValue v : in2.iterate(args[0])) {
                double x = in2.need_float(v, "an item of fsum");
                size_t used = 0;
                for (double y : partials) {
                    if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
                    double hi = x + y, lo = y - (hi - x);
                    if (lo != 0) partials[used++] = lo;
                    x = hi;
                }
                partials.resize(used);
                partials.push_back(x);
            }
            double hi = 0, lo = 0;
            size_t n = partials.size();
            if (n) hi = partials[--n];
            while (n) {
                double x = hi, y = partials[--n];
                hi = x + y;
                lo = y - (hi - x);
                if (lo != 0) break;
            }
            if (n && ((lo < 0 && partials[n - 1] < 0) || (lo > 0 && partials[n - 1] > 0))) {
                double y = lo * 2, x = hi + y;
                if (y == x - hi) hi = x;
            }
            return PyValue::real(hi);
        });
        i.add_function(m, "modf", [](Interpreter& in2, Args& args) {
            double whole = 0, x = in2.need_float(args[0], "an argument of modf"), part = std::modf(x, &whole);
            return in2.tuple({PyValue::real(part), PyValue::real(whole)});
        });
        i.add_function(m, "frexp", [](Interpreter& in2, Args& args) {
            int e = 0;
            double f = std::frexp(in2.need_float(args[0], "an argument of frexp"), &e);
            return in2.tuple({PyValue::real(f), PyValue::integer(e)});
        });
        i.add_function(m, "ldexp", [](Interpreter& in2, Args& args) {
            return PyValue::real(std::ldexp(in2.need_float(args[0], "an argument of ldexp"), static_cast<int>(in2.need_int(args[1], "an exponent"))));
        });
        i.add_function(m, "dist", [](Interpreter& in2, Args& args) {
            Values a = in2.iterate(args[0]), b = in2.iterate(args[1]);
            if (a.size() != b.size()) in2.raise_error("ValueError", "both points must have the same number of dimensions");
            PyValue r = PyValue::real(0.0);
            for (size_t k = 0; k < a.size(); ++k) r = call2(in2, "dist", SIFR_MATH_HYPOT, "fhypot"_op, r, in2.binary(syntax::BinaryOp::Sub, a[k], b[k]));
            return r;
        });
    });
}

}  // namespace sifr::capture
