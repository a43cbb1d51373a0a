// int, float and what belongs to numbers: abs, round, pow, divmod, bin, hex, …
#include <algorithm>
#include <cmath>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/complex_numbers.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

std::string stripped(const std::string& s) {
    return text(sifr_str_strip(rt(s), sifr_str{nullptr, 0}));
}

PyValue parse_int(Interpreter& in, const std::string& s, int base) {
    int64_t v = 0;
    TextRegion region;
    sifr_status status = sifr_int_parse(rt(s), base, &v);
    if (status == SIFR_OVERFLOW_ERROR) {
        std::string digits;
        for (char c : stripped(s))
            if (c != '_' && c != '+') digits += c;
        if (std::optional<BigInt> big = BigInt::parse(digits, static_cast<unsigned>(base))) return in.integer(*big);
    }
    must(status);
    return PyValue::integer(v);
}

/// An instance's own conversion, or one of a native class. Unbound: none.
PyValue converted(Interpreter& in, PyValue v, const char* method, PyValue (Protocol::*convert)(Interpreter&, PyValue)) {
    if (v.is(Kind::Instance)) {
        PyValue m = in.class_of(v)->lookup(symbol(method));
        if (m.is_unbound()) m = in.class_of(v)->lookup(symbol("__index__"));
        if (!m.is_unbound()) return in.call(m, Values{v});
        PyValue held = v.as<InstanceObject>()->native;
        return held;
    }
    if (Protocol* p = in.protocol_of(v)) return (p->*convert)(in, v);
    return {};
}

PyValue make_int(Interpreter& in, Args& args) {
    if (args.size() < 2) return PyValue::integer(0);
    PyValue v = args[1];
    PyValue base = args.size() > 2 ? args[2] : args.keyword("base");
    if (v.is(Kind::Optional)) v = in.evaluator().present(v, "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'");
    if (!base.is_unbound()) {
        if (!v.is(Kind::Str)) in.raise_error("TypeError", "int() can't convert non-string with explicit base");
        return parse_int(in, v.as<StrObject>()->text, static_cast<int>(in.need_int(base, "a base")));
    }
    switch (v.kind()) {
        case Kind::Int:
        case Kind::BigInt: return v;
        case Kind::Bool: return PyValue::integer(v.as_int());
        case Kind::Float:
            if (std::isnan(v.as_float())) in.raise_error("ValueError", "cannot convert float NaN to integer");
            if (std::isinf(v.as_float())) in.raise_error("OverflowError", "cannot convert float infinity to integer");
            return in.integer(BigInt::truncate(v.as_float()));
        case Kind::Str: return parse_int(in, v.as<StrObject>()->text, 10);
        case Kind::Dynamic:
            switch (v.scalar()) {
                case K::I64: return v;
                case K::F64: return in.emit_scalar("ftoi"_op, {v.as_value()});
                case K::Bool: return in.emit_scalar("btoi"_op, {v.as_value()});
                default: return in.emit_scalar("str_to_int"_op, {v.as_value()});
            }
        default: break;
    }
    if (PyValue r = converted(in, v, "__int__", &Protocol::to_int); !r.is_unbound()) return r;
    in.raise_error("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '{}'", in.type_name(v));
}

PyValue make_float(Interpreter& in, Args& args) {
    if (args.size() < 2) return PyValue::real(0.0);
    PyValue v = args[1];
    if (v.is(Kind::Optional)) v = in.evaluator().present(v, "TypeError: float() argument must be a string or a real number, not 'NoneType'");
    switch (v.kind()) {
        case Kind::Float: return v;
        case Kind::Int:
        case Kind::Bool:
        case Kind::BigInt: {
            std::optional<double> d = to_double(v);
            if (!d) in.raise_error("OverflowError", "int too large to convert to float");
            return PyValue::real(*d);
        }
        case Kind::Str: {
            double d = 0;
            must(sifr_float_parse(rt(v.as<StrObject>()->text), &d));
            return PyValue::real(d);
        }
        case Kind::Dynamic:
            if (v.is_str()) return in.emit_scalar("str_to_float"_op, {v.as_value()});
            return PyValue::dynamic(in.to_ir(v, K::F64), K::F64);
        default: break;
    }
    if (PyValue r = converted(in, v, "__float__", &Protocol::to_float); !r.is_unbound()) {
        if (r.is_number()) {
            Args again;
            again.positional = {args[0], r};
            return make_float(in, again);
        }
        return r;
    }
    in.raise_error("TypeError", "float() argument must be a string or a real number, not '{}'", in.type_name(v));
}

PyValue absolute(Interpreter& in, Args& args) {
    ArgReader a(in, args, "abs(x, /)");
    PyValue v = a["x"];
    if (v.is(Kind::Float)) return PyValue::real(std::fabs(v.as_float()));
    if (v.is_static_number()) {
        BigInt b = to_big(v);
        return in.integer(b.is_negative() ? -b : b);
    }
    if (v.is_dynamic() && v.is_number()) return v.scalar() == K::F64 ? in.emit_scalar("fabs"_op, {v.as_value()}) : in.emit_scalar("iabs"_op, {in.to_ir(v, K::I64)});
    if (v.is(Kind::Complex)) return complex_abs(in, v);
    if (PyValue m = in.find_attr(v, symbol("__abs__")); !m.is_unbound()) return in.call(m);
    if (v.is(Kind::Tensor)) return in.call_method(v, "abs");
    in.raise_error("TypeError", "bad operand type for abs(): '{}'", in.type_name(v));
}

PyValue rounded(Interpreter& in, Args& args) {
    ArgReader a(in, args, "round(number, ndigits=None)");
    PyValue v = a["number"], n = a.has("ndigits") ? a["ndigits"] : PyValue::none();
    if (v.is(Kind::Instance)) {
        PyValue m = in.class_of(v)->lookup(symbol("__round__"));
        if (!m.is_unbound()) return n.is_none() ? in.call(m, Values{v}) : in.call(m, Values{v, n});
    }
    if (!v.is_number()) in.raise_error("TypeError", "type {} doesn't define __round__ method", in.type_name(v));
    K kind = Interpreter::scalar_kind(v);
    if (n.is_none()) {
        if (kind != K::F64) return v.is_dynamic() ? PyValue::dynamic(in.to_ir(v, K::I64), K::I64) : in.integer(to_big(v));
        if (v.is_dynamic()) return in.emit_scalar("fround_i"_op, {v.as_value()});
        double d = v.as_float();
        if (std::isnan(d)) in.raise_error("ValueError", "cannot convert float NaN to integer");
        if (std::isinf(d)) in.raise_error("OverflowError", "cannot convert float infinity to integer");
        return in.integer(BigInt::truncate(std::nearbyint(d)));
    }
    if (v.is_dynamic() || n.is_dynamic()) {
        if (kind != K::F64) throw NotSupported("round() of a run-time int to digits");
        return in.emit_scalar("fround"_op, {in.to_ir(v, K::F64), in.to_ir(n, K::I64)});
    }
    int64_t digits = in.need_int(n, "a number of digits");
    if (kind == K::F64) {
        double r = 0;
        must(sifr_f64_round_digits(v.as_float(), digits, &r));
        return PyValue::real(r);
    }
    if (v.is(Kind::BigInt)) throw NotSupported("round() of an int of more than 64 bits to digits");
    int64_t r = 0;
    must(sifr_i64_round_digits(v.as_int(), digits, &r));
    return PyValue::integer(r);
}

PyValue power(Interpreter& in, Args& args) {
    ArgReader a(in, args, "pow(base, exp, mod=None)");
    PyValue r = in.binary(syntax::BinaryOp::Pow, a["base"], a["exp"]);
    if (!a.has("mod") || a["mod"].is_none()) return r;
    if (in.need_int(a["exp"], "an exponent") < 0) throw NotSupported("pow() with a negative exponent and a modulus");
    // By squaring, with the modulus taken at each step.
    BigInt base = to_big(a["base"]), m = to_big(a["mod"]), result(1), q, rest;
    if (m.is_zero()) in.raise_error("ValueError", "pow() 3rd argument cannot be 0");
    for (auto e = static_cast<uint64_t>(in.need_int(a["exp"], "an exponent")); e; e >>= 1) {
        if (e & 1) BigInt::floor_divide(result * base, m, q, result);
        BigInt::floor_divide(base * base, m, q, base);
    }
    BigInt::floor_divide(result, m, q, rest);
    return in.integer(rest);
}

template <unsigned base>
PyValue in_base(Interpreter& in, Args& args) {
    static constexpr const char* prefix = base == 2 ? "0b" : base == 8 ? "0o" : "0x";
    PyValue v = args[0];
    if (!v.is(Kind::BigInt)) v = PyValue::integer(in.need_int(v, "an int"));
    BigInt b = to_big(v);
    return in.str((b.is_negative() ? "-" : "") + std::string(prefix) + (b.is_negative() ? -b : b).str(base));
}

}  // namespace

void bind_numbers(Interpreter& in) {
    auto* integer = const_cast<ClassObject*>(in.builtin_class("int"));
    auto* real = const_cast<ClassObject*>(in.builtin_class("float"));
    integer->construct = make_int;
    real->construct = make_float;
    in.add_method(integer, "bit_length", [](Interpreter& i, Args& args) {
        (void)i;
        return PyValue::integer(static_cast<int64_t>(to_big(args[0]).bit_length()));
    });
    for (const ClassObject* c : {static_cast<const ClassObject*>(integer), static_cast<const ClassObject*>(real)}) {
        in.add_property(c, "real", [](Interpreter&, Args& args) { return args[0]; });
        in.add_property(c, "imag", [](Interpreter&, Args& args) { return args[0].is(Kind::Float) || args[0].is_dynamic(K::F64) ? PyValue::real(0.0) : PyValue::integer(0); });
    }
    in.add_method(real, "is_integer", [](Interpreter& i, Args& args) -> PyValue {
        if (args[0].is_dynamic()) {
            ValueId down = i.builder().emit("ffloordiv"_op, {args[0].as_value(), i.function().add_constant(1.0)});
            return i.emit_scalar("feq"_op, {args[0].as_value(), down});
        }
        double d = args[0].as_float();
        return PyValue::boolean(std::isfinite(d) && d == std::trunc(d));
    });
    in.add_method(real, "hex", [](Interpreter& i, Args& args) { return i.str(fmt::format("{:a}", i.need_float(args[0], "a float"))); });
    auto add = [&](const char* name, NativeCode code) { in.add_builtin(name, in.native(name, std::move(code))); };
    add("abs", absolute);
    add("round", rounded);
    add("pow", power);
    add("divmod", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "divmod(x, y, /)");
        PyValue q = i.binary(syntax::BinaryOp::FloorDiv, a["x"], a["y"]), m = i.binary(syntax::BinaryOp::Mod, a["x"], a["y"]);
        return i.tuple({q, m});
    });
    add("bin", in_base<2>);
    add("oct", in_base<8>);
    add("hex", in_base<16>);
    add("chr", [](Interpreter& i, Args& args) {
        int64_t code = i.need_int(args[0], "a code point");
        return i.str(must_text([&](sifr_str* out) { return sifr_chr(code, out); }));
    });
    add("ord", [](Interpreter& i, Args& args) {
        if (!args[0].is_str()) i.raise_error("TypeError", "ord() expected string of length 1, but {} found", i.type_name(args[0]));
        int64_t code = 0;
        std::string s = i.need_str(args[0], "a character");
        must(sifr_ord(rt(s), &code));
        return PyValue::integer(code);
    });
}

}  // namespace sifr::capture
