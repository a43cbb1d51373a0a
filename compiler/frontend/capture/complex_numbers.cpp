#include "compiler/frontend/capture/complex_numbers.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <string_view>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {
namespace {

using syntax::BinaryOp;
using syntax::CompareOp;
using syntax::UnaryOperator;

struct Parts {
    PyValue re, im;
    [[nodiscard]] bool known() const { return re.is(Kind::Float) && im.is(Kind::Float); }
    [[nodiscard]] std::complex<double> number() const { return {re.as_float(), im.as_float()}; }
};

PyValue real_of(Interpreter& in, PyValue v) {
    if (v.is_dynamic()) return PyValue::dynamic(in.to_ir(v, Type::Kind::F64), Type::Kind::F64);
    std::optional<double> d = to_double(v);
    if (!d) in.raise_error("OverflowError", "int too large to convert to float");
    return PyValue::real(*d);
}

Parts parts_of(Interpreter& in, PyValue v) {
    const auto* c = to_complex(in, v).as<ComplexObject>();
    return {c->real, c->imaginary};
}

PyValue make(Interpreter& in, PyValue re, PyValue im) { return in.heap().make<ComplexObject>(re, im); }
PyValue make(Interpreter& in, std::complex<double> z) { return make(in, PyValue::real(z.real()), PyValue::real(z.imag())); }

PyValue product(Interpreter& in, const Parts& a, const Parts& b) {
    auto mul = [&](PyValue x, PyValue y) { return in.binary(BinaryOp::Mult, x, y); };
    return make(in, in.binary(BinaryOp::Sub, mul(a.re, b.re), mul(a.im, b.im)), in.binary(BinaryOp::Add, mul(a.re, b.im), mul(a.im, b.re)));
}

/// Scaled by the larger part of the divisor, so that its square neither overflows nor vanishes.
PyValue quotient(Interpreter& in, const Parts& a, const Parts& b) {
    auto op = [&](BinaryOp o, PyValue x, PyValue y) { return in.binary(o, x, y); };
    auto scaled = [&](PyValue large, PyValue small, bool real_is_larger) {
        PyValue ratio = op(BinaryOp::Div, small, large);
        PyValue divisor = op(BinaryOp::Add, large, op(BinaryOp::Mult, small, ratio));
        const PyValue &x = real_is_larger ? a.re : a.im, &y = real_is_larger ? a.im : a.re;
        // With the parts of both numbers swapped, the imaginary part changes its sign.
        PyValue re = op(BinaryOp::Div, op(BinaryOp::Add, x, op(BinaryOp::Mult, y, ratio)), divisor);
        PyValue im = real_is_larger ? op(BinaryOp::Sub, y, op(BinaryOp::Mult, x, ratio)) : op(BinaryOp::Sub, op(BinaryOp::Mult, x, ratio), y);
        return make(in, re, op(BinaryOp::Div, im, divisor));
    };
    auto by_real = [&] { return scaled(b.re, b.im, true); };
    auto by_imaginary = [&] { return scaled(b.im, b.re, false); };
    if (b.known()) {
        double re = std::fabs(b.re.as_float()), im = std::fabs(b.im.as_float());
        if (re == 0 && im == 0) in.raise_error("ZeroDivisionError", "complex division by zero");
        return re >= im ? by_real() : by_imaginary();
    }
    auto magnitude = [&](PyValue v) { return v.is_dynamic() ? in.emit_scalar("fabs"_op, {v.as_value()}) : PyValue::real(std::fabs(v.as_float())); };
    PyValue size = op(BinaryOp::Add, magnitude(b.re), magnitude(b.im));
    in.check(in.compare(CompareOp::NotEq, size, PyValue::real(0)), "ZeroDivisionError", "complex division by zero");
    PyValue real_is_larger = in.compare(CompareOp::GtE, magnitude(b.re), magnitude(b.im));
    return in.fork_if(in.to_ir(real_is_larger), by_real, by_imaginary);
}

PyValue power(Interpreter& in, const Parts& a, const Parts& b) {
    if (!b.known()) throw NotSupported("a complex power whose exponent is known only at run time");
    std::complex<double> e = b.number();
    // Small whole exponents are products, by squaring.
    if (e.imag() == 0 && e.real() == std::floor(e.real()) && std::fabs(e.real()) <= 100) {
        auto n = static_cast<int64_t>(std::fabs(e.real()));
        PyValue result = make(in, std::complex<double>(1, 0)), square = make(in, a.re, a.im);
        for (int64_t bit = 1; bit <= n; bit <<= 1) {
            if (n & bit) result = product(in, parts_of(in, result), parts_of(in, square));
            square = product(in, parts_of(in, square), parts_of(in, square));
        }
        return e.real() < 0 ? quotient(in, parts_of(in, make(in, std::complex<double>(1, 0))), parts_of(in, result)) : result;
    }
    if (!a.known()) throw NotSupported("a complex power of a number that is known only at run time");
    std::complex<double> z = a.number();
    if (z == 0.0) {
        if (e.imag() != 0 || e.real() < 0) in.raise_error("ZeroDivisionError", "0.0 to a negative or complex power");
        return make(in, std::complex<double>(0, 0));
    }
    double size = std::hypot(z.real(), z.imag()), length = std::pow(size, e.real()), angle = std::atan2(z.imag(), z.real()), phase = angle * e.real();
    if (e.imag() != 0) {
        length /= std::exp(angle * e.imag());
        phase += e.imag() * std::log(size);
    }
    return make(in, {length * std::cos(phase), length * std::sin(phase)});
}

PyValue construct(Interpreter& in, Args& args) {
    Values given(args.positional.begin() + 1, args.positional.end());
    for (const auto& [name, value] : args.keywords) {
        if (*name == "imag" && given.empty()) given.push_back(PyValue::integer(0));
        given.push_back(value);
    }
    auto number = [&](PyValue v) {
        if (v.is(Kind::Tensor)) v = in.call_method(v, "item");
        if (PyValue c = to_complex(in, v); !c.is_unbound()) return parts_of(in, c);
        if (v.is(Kind::Instance))
            for (const char* method : {"__complex__", "__float__"})
                if (PyValue m = in.class_of(v)->lookup(symbol(method)); !m.is_unbound()) return parts_of(in, in.call(m, Values{v}));
        if (v.is_str()) throw NotSupported("complex() of a string");
        in.raise_error("TypeError", "complex() first argument must be a string or a number, not '{}'", in.type_name(v));
    };
    if (given.empty()) return make(in, std::complex<double>(0, 0));
    Parts a = number(given[0]);
    if (given.size() == 1) return make(in, a.re, a.im);
    Parts b = number(given[1]);
    // complex(a, b) is a + b·1j, for complex parts too.
    if (!given[0].is(Kind::Complex) && !given[1].is(Kind::Complex)) return make(in, a.re, b.re);
    return make(in, in.binary(BinaryOp::Sub, a.re, b.im), in.binary(BinaryOp::Add, a.im, b.re));
}

}  // namespace

PyValue to_complex(Interpreter& in, PyValue v) {
    if (v.is(Kind::Complex)) return v;
    if (v.is_number()) return make(in, real_of(in, v), PyValue::real(0));
    return {};
}

PyValue complex_binary(Interpreter& in, BinaryOp op, PyValue a, PyValue b) {
    if (to_complex(in, a).is_unbound() || to_complex(in, b).is_unbound()) return PyValue::not_implemented();
    Parts x = parts_of(in, a), y = parts_of(in, b);
    switch (op) {
        case BinaryOp::Add:
        case BinaryOp::Sub: return make(in, in.binary(op, x.re, y.re), in.binary(op, x.im, y.im));
        case BinaryOp::Mult: return product(in, x, y);
        case BinaryOp::Div: return quotient(in, x, y);
        case BinaryOp::Pow: return power(in, x, y);
        default: return PyValue::not_implemented();
    }
}

PyValue complex_unary(Interpreter& in, UnaryOperator op, PyValue a) {
    const auto* c = a.as<ComplexObject>();
    if (op == UnaryOperator::Plus) return a;
    if (op == UnaryOperator::Minus) return make(in, in.unary(op, c->real), in.unary(op, c->imaginary));
    return PyValue::not_implemented();
}

PyValue complex_equal(Interpreter& in, PyValue a, PyValue b) {
    if (to_complex(in, a).is_unbound() || to_complex(in, b).is_unbound()) return PyValue::boolean(false);
    Parts x = parts_of(in, a), y = parts_of(in, b);
    PyValue re = in.compare(CompareOp::Eq, x.re, y.re), im = in.compare(CompareOp::Eq, x.im, y.im);
    if (re.is(Kind::Bool)) return re.as_bool() ? im : re;
    if (im.is(Kind::Bool)) return im.as_bool() ? re : im;
    return in.emit_scalar("band"_op, {re.as_value(), im.as_value()});
}

PyValue complex_repr(Interpreter& in, PyValue v) {
    Parts p = parts_of(in, v);
    if (!p.known()) return in.emit_scalar("complex_str"_op, {in.to_ir(p.re), in.to_ir(p.im)});
    TextRegion region;
    return in.str(text(sifr_complex_str(p.re.as_float(), p.im.as_float())));
}

PyValue complex_format(Interpreter& in, PyValue v, const std::string& spec) {
    // What pads the whole, what formats each part: `>12.2f` is `.2f` twice, on the right of twelve columns.
    size_t at = 0;
    auto is_align = [&](size_t i) { return i < spec.size() && std::string_view("<>^").find(spec[i]) != std::string_view::npos; };
    if (is_align(1)) at = 2;
    else if (is_align(0)) at = 1;
    std::string padding = spec.substr(0, at), sign;
    if (at < spec.size() && std::string_view("+- ").find(spec[at]) != std::string_view::npos) sign = spec[at++];
    size_t digits = at;
    while (at < spec.size() && spec[at] >= '0' && spec[at] <= '9') ++at;
    std::string width = spec.substr(digits, at - digits), rest = spec.substr(at);
    if (rest.empty() || std::string_view("eEfFgG").find(rest.back()) == std::string_view::npos) throw NotSupported("a format of a complex number without e, f or g");
    Parts p = parts_of(in, v);
    PyValue shown = in.concat({in.format_of(p.re, in.str(sign + rest)), in.format_of(p.im, in.str("+" + rest)), in.str("j")});
    return width.empty() ? shown : in.format_of(shown, in.str((padding.empty() ? ">" : padding) + width));
}

PyValue complex_abs(Interpreter& in, PyValue v) {
    Parts p = parts_of(in, v);
    if (p.known()) return PyValue::real(std::abs(p.number()));
    return in.emit_scalar("fhypot"_op, {in.to_ir(p.re), in.to_ir(p.im)});
}

void bind_complex(Interpreter& in) {
    auto* cls = const_cast<ClassObject*>(in.builtin_class("complex"));
    cls->construct = construct;
    in.add_property(cls, "real", [](Interpreter&, Args& args) { return args[0].as<ComplexObject>()->real; });
    in.add_property(cls, "imag", [](Interpreter&, Args& args) { return args[0].as<ComplexObject>()->imaginary; });
    in.add_method(cls, "conjugate", [](Interpreter& i, Args& args) {
        const auto* c = args[0].as<ComplexObject>();
        return make(i, c->real, i.unary(UnaryOperator::Minus, c->imaginary));
    });
}

}  // namespace sifr::capture
