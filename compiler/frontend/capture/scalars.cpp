// Operators on run-time numbers and strings: each becomes one or a few scalar rows, with Python's meaning (true division,
// floor division, promotion, checks).
#include <cmath>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/capture/operators.h"

namespace sifr::capture {

using syntax::BinaryOp;
using syntax::CompareOp;
using syntax::UnaryOperator;

namespace {

using K = Type::Kind;

void check_nonzero(Interpreter& in, PyValue divisor, const char* text) {
    if (divisor.is_static_number()) {
        if (*to_double(divisor) == 0.0) throw ScriptError("ZeroDivisionError", text);
        return;
    }
    K kind = Interpreter::scalar_kind(divisor);
    PyValue ok = kind == K::F64 ? in.emit_scalar("fne"_op, {in.to_ir(divisor), in.function().add_constant(0.0)})
                                : in.emit_scalar("ine"_op, {in.to_ir(divisor, K::I64), in.function().add_constant(int64_t{0})});
    in.check(ok, "ZeroDivisionError", text);
}

PyValue int_op(Interpreter& in, BinaryOp op, PyValue a, PyValue b) {
    auto emit = [&](Op row) { return in.emit_scalar(row, {in.to_ir(a, K::I64), in.to_ir(b, K::I64)}); };
    switch (op) {
        case BinaryOp::Add: return emit("iadd"_op);
        case BinaryOp::Sub: return emit("isub"_op);
        case BinaryOp::Mult: return emit("imul"_op);
        case BinaryOp::FloorDiv: check_nonzero(in, b, "integer division or modulo by zero"); return emit("ifloordiv"_op);
        case BinaryOp::Mod: check_nonzero(in, b, "integer modulo by zero"); return emit("imod"_op);
        case BinaryOp::Div: check_nonzero(in, b, "division by zero"); return emit("idiv"_op);
        case BinaryOp::Pow:
            if (b.is_static_number()) {
                if (to_big(b).is_negative()) return in.emit_scalar("fpow"_op, {in.to_ir(a, K::F64), in.to_ir(b, K::F64)});
                return emit("ipow"_op);
            }
            in.check(in.emit_scalar("ige"_op, {in.to_ir(b, K::I64), in.function().add_constant(int64_t{0})}), "NotSupported",
                     "an int to the power of a run-time int that is negative");
            return emit("ipow"_op);
        case BinaryOp::LShift:
        case BinaryOp::RShift:
            if (!b.is_static_number() || to_big(b).is_negative())
                in.check(b.is_static_number() ? PyValue::boolean(false) : in.emit_scalar("ige"_op, {in.to_ir(b, K::I64), in.function().add_constant(int64_t{0})}),
                         "ValueError", "negative shift count");
            return emit(op == BinaryOp::LShift ? "ishl"_op : "ishr"_op);
        case BinaryOp::BitAnd:
        case BinaryOp::BitOr:
        case BinaryOp::BitXor: {
            if (Interpreter::scalar_kind(a) == K::Bool && Interpreter::scalar_kind(b) == K::Bool) {
                ValueId x = in.to_ir(a), y = in.to_ir(b);
                if (op == BinaryOp::BitAnd) return in.emit_scalar("band"_op, {x, y});
                if (op == BinaryOp::BitOr) return in.emit_scalar("bor"_op, {x, y});
                return in.emit_scalar("bnot"_op, {in.to_ir(in.emit_scalar("beq"_op, {x, y}))});
            }
            return emit(op == BinaryOp::BitAnd ? "iand"_op : op == BinaryOp::BitOr ? "ior"_op : "ixor"_op);
        }
        case BinaryOp::MatMult: break;
    }
    return PyValue::not_implemented();
}

PyValue float_op(Interpreter& in, BinaryOp op, PyValue a, PyValue b) {
    auto emit = [&](Op row) { return in.emit_scalar(row, {in.to_ir(a, K::F64), in.to_ir(b, K::F64)}); };
    switch (op) {
        case BinaryOp::Add: return emit("fadd"_op);
        case BinaryOp::Sub: return emit("fsub"_op);
        case BinaryOp::Mult: return emit("fmul"_op);
        case BinaryOp::Div: check_nonzero(in, b, "float division by zero"); return emit("fdiv"_op);
        case BinaryOp::FloorDiv: check_nonzero(in, b, "float floor division by zero"); return emit("ffloordiv"_op);
        case BinaryOp::Mod: check_nonzero(in, b, "float modulo"); return emit("fmod"_op);
        case BinaryOp::Pow: return emit("fpow"_op);
        default: return PyValue::not_implemented();
    }
}

}  // namespace

PyValue scalar_binary(Interpreter& in, BinaryOp op, PyValue a, PyValue b) {
    if (a.is_str() && b.is_str()) {
        if (op == BinaryOp::Add) return in.concat({a, b});
        return PyValue::not_implemented();
    }
    if (op == BinaryOp::Mult && (a.is_str() || b.is_str())) {
        PyValue text = a.is_str() ? a : b, count = a.is_str() ? b : a;
        if (!count.is_number() || Interpreter::scalar_kind(count) == K::F64) return PyValue::not_implemented();
        return in.emit_scalar("str_mul"_op, {in.to_ir(text), in.to_ir(count, K::I64)});
    }
    if (op == BinaryOp::Mult && (a.is(Kind::List) || b.is(Kind::List))) in.need_static(a.is_dynamic() ? a : b, "the length of a list");
    if (!a.is_number() || !b.is_number()) {
        if (op == BinaryOp::Add && a.is_str()) in.raise_error("TypeError", "can only concatenate str (not \"{}\") to str", in.type_name(b));
        return PyValue::not_implemented();
    }
    K ka = Interpreter::scalar_kind(a), kb = Interpreter::scalar_kind(b);
    if (ka == K::F64 || kb == K::F64) return float_op(in, op, a, b);
    return int_op(in, op, a, b);
}

PyValue scalar_unary(Interpreter& in, UnaryOperator op, PyValue a) {
    if (!a.is_number()) return PyValue::not_implemented();
    K k = Interpreter::scalar_kind(a);
    if (op == UnaryOperator::Plus) return k == K::Bool ? PyValue::dynamic(in.to_ir(a, K::I64), K::I64) : a;
    if (op == UnaryOperator::Minus) return k == K::F64 ? in.emit_scalar("fneg"_op, {a.as_value()}) : in.emit_scalar("ineg"_op, {in.to_ir(a, K::I64)});
    if (k == K::F64) return PyValue::not_implemented();
    return in.emit_scalar("inot"_op, {in.to_ir(a, K::I64)});
}

PyValue scalar_compare(Interpreter& in, CompareOp op, PyValue a, PyValue b) {
    bool equality = op == CompareOp::Eq || op == CompareOp::NotEq;
    if (a.is_str() != b.is_str()) return equality ? PyValue::boolean(op == CompareOp::NotEq) : PyValue::not_implemented();
    auto negated = [&](PyValue v) { return v.is(Kind::Bool) ? PyValue::boolean(!v.as_bool()) : in.emit_scalar("bnot"_op, {v.as_value()}); };
    if (a.is_str()) {
        ValueId x = in.to_ir(a), y = in.to_ir(b);
        switch (op) {
            case CompareOp::Eq: return in.emit_scalar("str_eq"_op, {x, y});
            case CompareOp::NotEq: return negated(in.emit_scalar("str_eq"_op, {x, y}));
            case CompareOp::Lt: return in.emit_scalar("str_lt"_op, {x, y});
            case CompareOp::GtE: return negated(in.emit_scalar("str_lt"_op, {x, y}));
            case CompareOp::Gt: return in.emit_scalar("str_lt"_op, {y, x});
            default: return negated(in.emit_scalar("str_lt"_op, {y, x}));
        }
    }
    K ka = Interpreter::scalar_kind(a), kb = Interpreter::scalar_kind(b);
    if (ka == K::Bool && kb == K::Bool && equality) {
        PyValue r = in.emit_scalar("beq"_op, {in.to_ir(a), in.to_ir(b)});
        return op == CompareOp::Eq ? r : negated(r);
    }
    bool real = ka == K::F64 || kb == K::F64;
    K as = real ? K::F64 : K::I64;
    ValueId x = in.to_ir(a, as), y = in.to_ir(b, as);
    switch (op) {
        case CompareOp::Eq: return in.emit_scalar(real ? "feq"_op : "ieq"_op, {x, y});
        case CompareOp::NotEq: return in.emit_scalar(real ? "fne"_op : "ine"_op, {x, y});
        case CompareOp::Lt: return in.emit_scalar(real ? "flt"_op : "ilt"_op, {x, y});
        case CompareOp::LtE: return in.emit_scalar(real ? "fle"_op : "ile"_op, {x, y});
        case CompareOp::Gt: return in.emit_scalar(real ? "fgt"_op : "igt"_op, {x, y});
        default: return in.emit_scalar(real ? "fge"_op : "ige"_op, {x, y});
    }
}

PyValue scalar_truth(Interpreter& in, PyValue a) {
    switch (a.scalar()) {
        case K::Bool: return a;
        case K::I64: return in.emit_scalar("itob"_op, {a.as_value()});
        case K::F64: return in.emit_scalar("ftob"_op, {a.as_value()});
        default: return in.emit_scalar("ine"_op, {in.to_ir(in.emit_scalar("str_len"_op, {a.as_value()})), in.function().add_constant(int64_t{0})});
    }
}

// ----------------------------------------------------------------------- containers at run-time places

PyValue Interpreter::str_slice(PyValue text, const SliceObject& s) {
    auto bound = [&](PyValue v, int64_t otherwise) { return v.is_none() ? function_.add_constant(otherwise) : to_ir(v, K::I64); };
    // The runtime's mark of a missing bound.
    return emit_scalar("str_slice"_op, {to_ir(text), bound(s.start, INT64_MIN), bound(s.stop, INT64_MIN), bound(s.step, 1)});
}

PyValue Interpreter::dict_at_run_time(const DictObject* d, PyValue key) {
    // A chain over the keys of the same kind; members of one kind of number or string become `sel`, others are run on forks.
    std::function<PyValue(size_t)> from = [&](size_t i) -> PyValue {
        while (i < d->entries.size() && (d->entries[i].value.is_unbound() || d->entries[i].key.is_str() != key.is_str() || d->entries[i].key.is_number() != key.is_number())) ++i;
        if (i >= d->entries.size()) {
            if (evaluator_->inside_try())
                if (PyValue e = key_error(key); evaluator_->may_be_caught(e)) throw Raised{e, user_span_, std::nullopt};
            ValueId text = to_ir(repr_of(key));
            builder().emit_typed("raise"_op, {text}, attrs({{"type", std::string("KeyError")}}), {});
            throw Diverged{};
        }
        PyValue same = truth(equal(d->entries[i].key, key));
        if (same.is(Kind::Bool)) return same.as_bool() ? d->entries[i].value : from(i + 1);
        return fork_if(same.as_value(), [&] { return d->entries[i].value; }, [&] { return from(i + 1); });
    };
    return from(0);
}

void Interpreter::set_list_at_run_time(const ListObject* l, PyValue index, PyValue value) {
    auto n = static_cast<int64_t>(l->items.size());
    if (!value.is_number() && !value.is_str()) need_static(index, "a list index");
    for (PyValue item : l->items)
        if ((!item.is_number() && !item.is_str()) || scalar_kind(item) != scalar_kind(value)) need_static(index, "an index into a list of unlike things");
    Builder& b = builder();
    ValueId i = to_ir(index, K::I64), count = b.constant_int(n), zero = b.constant_int(0);
    ValueId wrapped = b.emit("iadd"_op, {i, b.emit("sel"_op, {b.emit("ilt"_op, {i, zero}), count, zero})});
    ValueId ok = b.emit("band"_op, {b.emit("ige"_op, {wrapped, zero}), b.emit("ilt"_op, {wrapped, count})});
    check(PyValue::dynamic(ok, K::Bool), "IndexError", "list assignment index out of range");
    K kind = scalar_kind(value);
    ValueId v = to_ir(value, kind);
    ListObject& changed = heap_.change(l);
    for (int64_t k = 0; k < n; ++k) {
        PyValue& item = changed.items[static_cast<size_t>(k)];
        ValueId here = b.emit("ieq"_op, {wrapped, b.constant_int(k)});
        item = PyValue::dynamic(b.emit("sel"_op, {here, v, to_ir(item, kind)}), kind);
    }
}

// ------------------------------------------------------------------------------------- run-time lists

PyValue Interpreter::run_time_list_length(const RunTimeListObject* l) {
    if (l->static_length >= 0) return PyValue::integer(l->static_length);
    return emit_scalar("list_len"_op, {l->list});
}

PyValue Interpreter::run_time_list_item(const RunTimeListObject* l, PyValue index) {
    if (const auto* s = index.get_if<SliceObject>()) {
        auto bound = [&](PyValue v, int64_t otherwise) { return v.is_none() ? function_.add_constant(otherwise) : to_ir(v, K::I64); };
        ValueId part = builder().emit("list_slice"_op, {l->list, bound(s->start, INT64_MIN), bound(s->stop, INT64_MIN), bound(s->step, 1)});
        auto* r = heap_.make<RunTimeListObject>(*l);
        r->list = part;
        r->static_length = -1;
        if (l->static_length >= 0 && !s->start.is_dynamic() && !s->stop.is_dynamic() && !s->step.is_dynamic()) r->static_length = slice_range(*this, *s, l->static_length).count;
        return r;
    }
    if (!index.is_number() || scalar_kind(index) == K::F64) raise_error("TypeError", "list indices must be integers or slices, not {}", type_name(index));
    ValueId v = builder().emit("list_get"_op, {l->list, to_ir(index, K::I64)});
    if (l->element.is_tensor()) {
        SIFR_CHECK(make_tensor, "run-time lists of tensors need the tensor binding");
        TensorObject like;
        return make_tensor(v, like);
    }
    return from_ir(v);
}

void Interpreter::set_run_time_list_item(const RunTimeListObject* l, PyValue index, PyValue value) {
    if (l->element.is_tensor()) throw NotSupported("assigning to an item of a run-time list of tensors");
    if (!value.is_number() && !value.is_str()) throw NotSupported("an item of another kind in a run-time list");
    builder().emit_typed("list_set"_op, {l->list, to_ir(index, K::I64), to_ir(value, l->element.kind)}, {}, {});
}

}  // namespace sifr::capture
