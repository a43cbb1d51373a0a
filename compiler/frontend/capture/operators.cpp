// Operators on values that are known while compiling: Python's numbers, strings and containers. Run-time scalars are in
// scalars.cpp, tensors behind their protocol.
#include <cmath>

#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

using syntax::BinaryOp;
using syntax::CompareOp;
using syntax::UnaryOperator;

BigInt to_big(PyValue v) { return v.is(Kind::BigInt) ? v.as<BigIntObject>()->value : BigInt(v.as_int()); }

std::optional<double> to_double(PyValue v) {
    if (v.is(Kind::Float)) return v.as_float();
    if (v.is(Kind::BigInt)) return v.as<BigIntObject>()->value.to_double();
    return static_cast<double>(v.as_int());
}

namespace {

bool is_integer(PyValue v) { return v.is(Kind::Int) || v.is(Kind::Bool) || v.is(Kind::BigInt); }
bool is_small(PyValue v) { return v.is(Kind::Int) || v.is(Kind::Bool); }

double float_of(PyValue v) {
    std::optional<double> d = to_double(v);
    if (!d) throw ScriptError("OverflowError", "int too large to convert to float");
    return *d;
}

PyValue int_binary(Interpreter& in, BinaryOp op, PyValue a, PyValue b) {
    bool small = is_small(a) && is_small(b);
    int64_t x = small ? a.as_int() : 0, y = small ? b.as_int() : 0, r = 0;
    switch (op) {
        case BinaryOp::Add:
            if (small && !__builtin_add_overflow(x, y, &r)) return PyValue::integer(r);
            return in.integer(to_big(a) + to_big(b));
        case BinaryOp::Sub:
            if (small && !__builtin_sub_overflow(x, y, &r)) return PyValue::integer(r);
            return in.integer(to_big(a) - to_big(b));
        case BinaryOp::Mult:
            if (small && !__builtin_mul_overflow(x, y, &r)) return PyValue::integer(r);
            return in.integer(to_big(a) * to_big(b));
        case BinaryOp::FloorDiv:
        case BinaryOp::Mod: {
            if (small ? y == 0 : to_big(b).is_zero())
                in.raise_error("ZeroDivisionError", "{}", op == BinaryOp::Mod ? "integer modulo by zero" : "integer division or modulo by zero");
            if (small && y != -1) {
                int64_t q = x / y, m = x % y;
                if (m != 0 && (m < 0) != (y < 0)) --q, m += y;
                return PyValue::integer(op == BinaryOp::Mod ? m : q);
            }
            BigInt q, m;
            BigInt::floor_divide(to_big(a), to_big(b), q, m);
            return in.integer(op == BinaryOp::Mod ? m : q);
        }
        case BinaryOp::Div: {
            if (small ? y == 0 : to_big(b).is_zero()) in.raise_error("ZeroDivisionError", "division by zero");
            if (small) {
                double d = 0;
                must(sifr_i64_truediv(x, y, &d));
                return PyValue::real(d);
            }
            std::optional<double> p = to_double(a), q = to_double(b);
            if (!p || !q) in.raise_error("OverflowError", "integer division result too large for a float");
            return PyValue::real(*p / *q);
        }
        case BinaryOp::Pow: {
            BigInt e = to_big(b);
            if (e.is_negative()) {
                if (to_big(a).is_zero()) in.raise_error("ZeroDivisionError", "0.0 cannot be raised to a negative power");
                return PyValue::real(std::pow(float_of(a), float_of(b)));
            }
            BigInt base = to_big(a);
            if (base == BigInt(0) || base == BigInt(1)) return in.integer(e.is_zero() ? BigInt(1) : base);
            if (!e.fits_int64() || static_cast<double>(e.to_int64()) * static_cast<double>(base.bit_length()) > 1e6)
                throw NotSupported("a power with more than a million bits");
            return in.integer(BigInt::pow(base, static_cast<uint64_t>(e.to_int64())));
        }
        case BinaryOp::LShift:
        case BinaryOp::RShift: {
            if (to_big(b).is_negative()) in.raise_error("ValueError", "negative shift count");
            if (!is_small(b) || b.as_int() > 1000000) throw NotSupported("a shift by more than a million bits");
            auto by = static_cast<uint64_t>(b.as_int());
            return in.integer(op == BinaryOp::LShift ? to_big(a).shift_left(by) : to_big(a).shift_right(by));
        }
        case BinaryOp::BitAnd:
        case BinaryOp::BitOr:
        case BinaryOp::BitXor:
            if (small) r = op == BinaryOp::BitAnd ? x & y : op == BinaryOp::BitOr ? x | y : x ^ y;
            if (a.is(Kind::Bool) && b.is(Kind::Bool)) return PyValue::boolean(r != 0);
            if (small) return PyValue::integer(r);
            return in.integer(BigInt::bitwise(to_big(a), to_big(b), op == BinaryOp::BitAnd ? '&' : op == BinaryOp::BitOr ? '|' : '^'));
        case BinaryOp::MatMult: break;
    }
    return PyValue::not_implemented();
}

PyValue float_binary(BinaryOp op, double x, double y) {
    double r = 0;
    switch (op) {
        case BinaryOp::Add: return PyValue::real(x + y);
        case BinaryOp::Sub: return PyValue::real(x - y);
        case BinaryOp::Mult: return PyValue::real(x * y);
        case BinaryOp::Div: must(sifr_f64_div(x, y, &r)); return PyValue::real(r);
        case BinaryOp::FloorDiv: must(sifr_f64_floordiv(x, y, &r)); return PyValue::real(r);
        case BinaryOp::Mod: must(sifr_f64_mod(x, y, &r)); return PyValue::real(r);
        case BinaryOp::Pow: must(sifr_f64_pow(x, y, &r)); return PyValue::real(r);
        default: return PyValue::not_implemented();
    }
}

Values repeated(const Values& items, int64_t count) {
    Values r;
    if (count > 0 && items.size() * static_cast<size_t>(count) > 100000000) throw NotSupported("a list of more than a hundred million items");
    for (int64_t i = 0; i < count; ++i) r.insert(r.end(), items.begin(), items.end());
    return r;
}

PyValue repeat(Interpreter& in, PyValue a, PyValue n) {
    int64_t count = is_small(n) ? n.as_int() : to_big(n).is_negative() ? 0 : INT64_MAX;
    if (const auto* s = a.get_if<StrObject>()) {
        std::string r = must_text([&](sifr_str* out) { return sifr_str_repeat(rt(s->text), count, out); });
        return in.str(std::move(r));
    }
    if (const auto* t = a.get_if<TupleObject>()) return in.tuple(repeated(t->items, count));
    if (const auto* l = a.get_if<ListObject>()) return in.list(repeated(l->items, count));
    return PyValue::not_implemented();
}

PyValue set_binary(Interpreter& in, BinaryOp op, const SetObject& a, const SetObject& b) {
    auto* r = in.heap().make<SetObject>();
    r->frozen = a.frozen;
    auto take = [&](const SetObject& from, const SetObject& other, bool present) {
        for (const auto& e : from.table.entries) {
            std::string h = hash_key(in, e.key);
            if ((other.table.find(h) != nullptr) == present) r->table.set(h, e.key, PyValue::none());
        }
    };
    switch (op) {
        case BinaryOp::BitAnd: take(a, b, true); return r;
        case BinaryOp::BitOr: take(a, a, true), take(b, a, false); return r;
        case BinaryOp::Sub: take(a, b, false); return r;
        case BinaryOp::BitXor: take(a, b, false), take(b, a, false); return r;
        default: return PyValue::not_implemented();
    }
}

}  // namespace

/// Not implemented where the kinds have no such operator; operands are static and built in.
PyValue static_binary(Interpreter& in, BinaryOp op, PyValue a, PyValue b) {
    if (is_integer(a) && is_integer(b)) return int_binary(in, op, a, b);
    if (a.is_static_number() && b.is_static_number()) return float_binary(op, float_of(a), float_of(b));
    if (op == BinaryOp::Add) {
        if (a.is(Kind::Str) && b.is(Kind::Str)) return in.str(a.as<StrObject>()->text + b.as<StrObject>()->text);
        if (a.is(Kind::Str) && !b.is_dynamic())
            in.raise_error("TypeError", "can only concatenate str (not \"{}\") to str", in.type_name(b));
        if (a.is(Kind::Bytes) && b.is(Kind::Bytes))
            return in.heap().make<BytesObject>(a.as<BytesObject>()->bytes + b.as<BytesObject>()->bytes);
        if (a.is(Kind::List) && b.is(Kind::List)) {
            Values items = a.as<ListObject>()->items;
            const Values& more = b.as<ListObject>()->items;
            items.insert(items.end(), more.begin(), more.end());
            return in.list(std::move(items));
        }
        if (a.is(Kind::Tuple) && b.is(Kind::Tuple)) {
            Values items = a.as<TupleObject>()->items;
            const Values& more = b.as<TupleObject>()->items;
            items.insert(items.end(), more.begin(), more.end());
            // A torch.Size with a tuple behind it or in front of it is a torch.Size again.
            for (PyValue side : {a, b})
                if (in.class_of(side)->name == "Size") return in.tuple_of(in.class_of(side), std::move(items));
            return in.tuple(std::move(items));
        }
        if (a.is(Kind::List) || a.is(Kind::Tuple))
            in.raise_error("TypeError", "can only concatenate {0} (not \"{1}\") to {0}", a.is(Kind::List) ? "list" : "tuple", in.type_name(b));
    }
    if (op == BinaryOp::Mult) {
        bool sequence_a = a.is(Kind::Str) || a.is(Kind::List) || a.is(Kind::Tuple);
        bool sequence_b = b.is(Kind::Str) || b.is(Kind::List) || b.is(Kind::Tuple);
        if (sequence_a && is_integer(b)) return repeat(in, a, b);
        if (sequence_b && is_integer(a)) return repeat(in, b, a);
        if (sequence_a || sequence_b)
            in.raise_error("TypeError", "can't multiply sequence by non-int of type '{}'", in.type_name(sequence_a ? b : a));
    }
    if (a.is(Kind::Set) && b.is(Kind::Set)) return set_binary(in, op, *a.as<SetObject>(), *b.as<SetObject>());
    if (a.is(Kind::Dict) && b.is(Kind::Dict) && op == BinaryOp::BitOr) {
        auto* r = in.heap().make<DictObject>(*a.as<DictObject>());
        for (const auto& e : b.as<DictObject>()->entries) r->set(hash_key(in, e.key), e.key, e.value);
        return r;
    }
    return PyValue::not_implemented();
}

PyValue static_unary(Interpreter& in, UnaryOperator op, PyValue a) {
    if (is_integer(a)) {
        if (op == UnaryOperator::Plus) return a.is(Kind::Bool) ? PyValue::integer(a.as_int()) : a;
        BigInt v = to_big(a);
        return in.integer(op == UnaryOperator::Minus ? -v : -v - BigInt(1));
    }
    if (a.is(Kind::Float)) {
        if (op == UnaryOperator::Plus) return a;
        if (op == UnaryOperator::Minus) return PyValue::real(-a.as_float());
    }
    return PyValue::not_implemented();
}

std::partial_ordering compare_numbers(PyValue a, PyValue b) {
    if (a.is(Kind::Float) && b.is(Kind::Float)) return a.as_float() <=> b.as_float();
    if (a.is(Kind::Float)) {
        if (std::isnan(a.as_float())) return std::partial_ordering::unordered;
        return 0 <=> to_big(b).compare(a.as_float());
    }
    if (b.is(Kind::Float)) {
        if (std::isnan(b.as_float())) return std::partial_ordering::unordered;
        return to_big(a).compare(b.as_float());
    }
    if (is_small(a) && is_small(b)) return a.as_int() <=> b.as_int();
    return to_big(a) <=> to_big(b);
}

bool holds(CompareOp op, std::partial_ordering o) {
    switch (op) {
        case CompareOp::Eq: return o == 0;
        case CompareOp::NotEq: return o != 0;
        case CompareOp::Lt: return o < 0;
        case CompareOp::LtE: return o <= 0;
        case CompareOp::Gt: return o > 0;
        case CompareOp::GtE: return o >= 0;
        default: SIFR_UNREACHABLE("not an order");
    }
}

}  // namespace sifr::capture
