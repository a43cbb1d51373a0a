// Operators by the kinds of their operands: built-in kinds, run-time scalars, native protocols, then Python's methods.
#include "compiler/frontend/capture/complex_numbers.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/capture/operators.h"

namespace sifr::capture {

using syntax::BinaryOp;
using syntax::CompareOp;
using syntax::UnaryOperator;

namespace {

struct Methods {
    const char *forward, *reflected, *in_place;
};
constexpr Methods methods_of[] = {
    {"__add__", "__radd__", "__iadd__"},           {"__sub__", "__rsub__", "__isub__"},       {"__mul__", "__rmul__", "__imul__"},
    {"__matmul__", "__rmatmul__", "__imatmul__"},  {"__truediv__", "__rtruediv__", "__itruediv__"}, {"__mod__", "__rmod__", "__imod__"},
    {"__pow__", "__rpow__", "__ipow__"},           {"__lshift__", "__rlshift__", "__ilshift__"}, {"__rshift__", "__rrshift__", "__irshift__"},
    {"__or__", "__ror__", "__ior__"},              {"__xor__", "__rxor__", "__ixor__"},       {"__and__", "__rand__", "__iand__"},
    {"__floordiv__", "__rfloordiv__", "__ifloordiv__"},
};

bool built_in(PyValue v) { return !v.is(Kind::Instance) && !v.is(Kind::Tensor) && !v.is(Kind::Native) && !v.is(Kind::Optional); }

/// What an instance of a class that derives from a built-in one holds.
PyValue inner(PyValue v) {
    if (const auto* i = v.get_if<InstanceObject>(); i && !i->native.is_unbound()) return i->native;
    return v;
}

PyValue try_method(Interpreter& in, PyValue self, const char* name, PyValue other) {
    if (!self.is(Kind::Instance)) return PyValue::not_implemented();
    PyValue m = in.class_of(self)->lookup(symbol(name));
    return m.is_unbound() ? PyValue::not_implemented() : in.call(m, Values{self, other});
}

const char* symbol_of(BinaryOp op, bool in_place) {
    static const char* plain[] = {"+", "-", "*", "@", "/", "%", "** or pow()", "<<", ">>", "|", "^", "&", "//"};
    static const char* assigned[] = {"+=", "-=", "*=", "@=", "/=", "%=", "**=", "<<=", ">>=", "|=", "^=", "&=", "//="};
    return (in_place ? assigned : plain)[static_cast<size_t>(op)];
}

}  // namespace

PyValue Interpreter::binary(BinaryOp op, PyValue a, PyValue b, bool in_place) {
    if (a.is_static_number() && b.is_static_number()) {
        PyValue r = static_binary(*this, op, a, b);
        if (!r.is(Kind::NotImplemented)) return r;
    }
    if (a.is(Kind::Unusable)) evaluator_->unusable(a);
    if (b.is(Kind::Unusable)) evaluator_->unusable(b);
    auto unsupported = [&](const std::string& left, const std::string& right) {
        return fmt::format("TypeError: unsupported operand type(s) for {}: '{}' and '{}'", symbol_of(op, in_place), left, right);
    };
    if (a.is(Kind::Optional)) a = evaluator_->present(a, unsupported("NoneType", type_name(b)));
    if (b.is(Kind::Optional)) b = evaluator_->present(b, unsupported(type_name(a), "NoneType"));
    if (in_place) {
        if (const auto* l = a.get_if<ListObject>(); l && op == BinaryOp::Add) {
            if (b.is(Kind::RunTimeList)) return call_method(a, "extend", {b});
            Values more = iterate(b);
            auto& items = heap_.change(l).items;
            items.insert(items.end(), more.begin(), more.end());
            return a;
        }
        if (const auto* d = a.get_if<DictObject>(); d && op == BinaryOp::BitOr && b.is(Kind::Dict)) {
            call_method(a, "update", {b});
            return a;
        }
        if (const auto* s = a.get_if<SetObject>(); s && b.is(Kind::Set) && !s->frozen) {
            PyValue r = static_binary(*this, op, a, b);
            if (r.is(Kind::Set)) {
                heap_.change(s).table = r.as<SetObject>()->table;
                return a;
            }
        }
        if (PyValue r = try_method(*this, a, methods_of[static_cast<size_t>(op)].in_place, b); !r.is(Kind::NotImplemented)) return r;
    }
    if (built_in(a) && built_in(b)) {
        if (op == BinaryOp::Mod && a.is_str()) return percent_format(*this, a, b);
        bool dynamic = a.is_dynamic() || b.is_dynamic();
        PyValue r = a.is(Kind::Complex) || b.is(Kind::Complex) ? complex_binary(*this, op, a, b) : dynamic ? scalar_binary(*this, op, a, b) : static_binary(*this, op, a, b);
        if (!r.is(Kind::NotImplemented)) return r;
    } else if (op == BinaryOp::Mod && a.is_str()) {
        return percent_format(*this, a, b);
    } else {
        // A subclass on the right side goes first, as Python does.
        if (a.is(Kind::Instance) && b.is(Kind::Instance) && class_of(a) != class_of(b) && class_of(b)->derives_from(class_of(a)))
            if (PyValue r = try_method(*this, b, methods_of[static_cast<size_t>(op)].reflected, a); !r.is(Kind::NotImplemented)) return r;
        if (PyValue r = try_method(*this, a, methods_of[static_cast<size_t>(op)].forward, b); !r.is(Kind::NotImplemented)) return r;
        for (PyValue side : {a, b}) {
            if (side.is(Kind::Instance)) continue;
            Protocol* p = protocol_of(side);
            if (!p) continue;
            if (PyValue r = p->binary(*this, op, a, b, in_place); !r.is(Kind::NotImplemented)) return r;
        }
        if (PyValue r = try_method(*this, b, methods_of[static_cast<size_t>(op)].reflected, a); !r.is(Kind::NotImplemented)) return r;
        if (!inner(a).same(a) || !inner(b).same(b)) return binary(op, inner(a), inner(b), in_place);
    }
    if (op == BinaryOp::Add && (a.is(Kind::List) || a.is(Kind::RunTimeList)) && (b.is(Kind::RunTimeList) || b.is(Kind::List))) {
        PyValue copy = call_method(a, "copy");
        call_method(copy, "extend", {b});
        return copy;
    }
    raise_error("TypeError", "unsupported operand type(s) for {}: '{}' and '{}'", symbol_of(op, in_place), type_name(a), type_name(b));
}

PyValue Interpreter::unary(UnaryOperator op, PyValue a) {
    if (op == UnaryOperator::Not) {
        PyValue t = truth(a);
        if (t.is(Kind::Bool)) return PyValue::boolean(!t.as_bool());
        return emit_scalar("bnot"_op, {t.as_value()});
    }
    const char* sign = op == UnaryOperator::Minus ? "-" : op == UnaryOperator::Plus ? "+" : "~";
    if (a.is(Kind::Unusable)) evaluator_->unusable(a);
    if (a.is(Kind::Optional)) a = evaluator_->present(a, fmt::format("TypeError: bad operand type for unary {}: 'NoneType'", sign));
    PyValue r = PyValue::not_implemented();
    if (a.is_dynamic()) r = scalar_unary(*this, op, a);
    else if (a.is(Kind::Complex)) r = complex_unary(*this, op, a);
    else if (a.is(Kind::Instance)) {
        PyValue m = class_of(a)->lookup(symbol(op == UnaryOperator::Minus ? "__neg__" : op == UnaryOperator::Plus ? "__pos__" : "__invert__"));
        if (!m.is_unbound()) r = call(m, Values{a});
    } else if (a.is_static_number()) {
        r = static_unary(*this, op, a);
    } else if (Protocol* p = protocol_of(a)) {
        r = p->unary(*this, op, a);
    }
    if (!r.is(Kind::NotImplemented)) return r;
    raise_error("TypeError", "bad operand type for unary {}: '{}'", sign, type_name(a));
}

namespace {

PyValue and_of(Interpreter& in, PyValue a, const std::function<PyValue()>& b) {
    if (a.is(Kind::Bool)) return a.as_bool() ? b() : a;
    return in.fork_if(a.as_value(), b, [] { return PyValue::boolean(false); });
}

/// `==` and order of lists and tuples: the first items that differ decide.
PyValue compare_items(Interpreter& in, CompareOp op, const Values& a, const Values& b, size_t from) {
    bool equality = op == CompareOp::Eq || op == CompareOp::NotEq;
    if (equality && a.size() != b.size()) return PyValue::boolean(op == CompareOp::NotEq);
    for (size_t i = from;; ++i) {
        if (i >= a.size() || i >= b.size()) return PyValue::boolean(holds(op, a.size() <=> b.size()));
        if (a[i].same(b[i]) && !a[i].is(Kind::Float) && !a[i].is_dynamic()) continue;
        PyValue same = in.truth(in.equal(a[i], b[i]));
        if (same.is(Kind::Bool)) {
            if (same.as_bool()) continue;
            return equality ? PyValue::boolean(op == CompareOp::NotEq) : in.compare(op, a[i], b[i]);
        }
        return in.fork_if(same.as_value(), [&] { return compare_items(in, op, a, b, i + 1); },
                          [&] { return equality ? PyValue::boolean(op == CompareOp::NotEq) : in.compare(op, a[i], b[i]); });
    }
}

PyValue compare_dicts(Interpreter& in, CompareOp op, const DictObject& a, const DictObject& b) {
    PyValue r = PyValue::boolean(a.entries.size() == b.entries.size());
    for (const auto& e : a.entries) {
        if (r.is(Kind::Bool) && !r.as_bool()) break;
        const PyValue* other = b.find(hash_key(in, e.key));
        if (!other) r = PyValue::boolean(false);
        else r = and_of(in, r, [&] { return in.truth(in.equal(e.value, *other)); });
    }
    return op == CompareOp::Eq ? r : in.unary(UnaryOperator::Not, r);
}

bool subset(Interpreter& in, const SetObject& a, const SetObject& b) {
    for (const auto& e : a.table.entries)
        if (!b.table.find(hash_key(in, e.key))) return false;
    return true;
}

const char* method_of(CompareOp op) {
    switch (op) {
        case CompareOp::Eq: return "__eq__";
        case CompareOp::NotEq: return "__ne__";
        case CompareOp::Lt: return "__lt__";
        case CompareOp::LtE: return "__le__";
        case CompareOp::Gt: return "__gt__";
        default: return "__ge__";
    }
}
CompareOp mirrored(CompareOp op) {
    switch (op) {
        case CompareOp::Lt: return CompareOp::Gt;
        case CompareOp::LtE: return CompareOp::GtE;
        case CompareOp::Gt: return CompareOp::Lt;
        case CompareOp::GtE: return CompareOp::LtE;
        default: return op;
    }
}

}  // namespace

PyValue Interpreter::compare(CompareOp op, PyValue a, PyValue b) {
    if (a.is(Kind::Unusable)) evaluator_->unusable(a);
    if (b.is(Kind::Unusable)) evaluator_->unusable(b);
    if (op == CompareOp::In || op == CompareOp::NotIn) {
        PyValue r = contains(b, a);
        return op == CompareOp::In ? r : unary(UnaryOperator::Not, r);
    }
    if (op == CompareOp::Is || op == CompareOp::IsNot) {
        PyValue r;
        const PyValue& other = a.is(Kind::Optional) ? b : a;
        if (a.is(Kind::Optional) != b.is(Kind::Optional) && other.is_none()) {
            const auto* o = (a.is(Kind::Optional) ? a : b).as<OptionalObject>();
            r = emit_scalar("bnot"_op, {o->present});
        } else if (a.is(Kind::Optional) && a.same(b)) {
            r = PyValue::boolean(true);
        } else if (a.is(Kind::Dynamic) && b.is(Kind::Dynamic) && a.is_dynamic(Type::Kind::Bool) && b.is_dynamic(Type::Kind::Bool)) {
            r = emit_scalar("beq"_op, {a.as_value(), b.as_value()});
        } else if ((a.is_dynamic(Type::Kind::Bool) && b.is(Kind::Bool)) || (b.is_dynamic(Type::Kind::Bool) && a.is(Kind::Bool))) {
            r = emit_scalar("beq"_op, {to_ir(a), to_ir(b)});
        } else if (a.is(Kind::Str) && b.is(Kind::Str)) {
            r = PyValue::boolean(a.as<StrObject>()->text == b.as<StrObject>()->text);
        } else {
            r = PyValue::boolean(a.same(b));
        }
        return op == CompareOp::Is ? r : unary(UnaryOperator::Not, r);
    }
    if (a.is_static_number() && b.is_static_number()) return PyValue::boolean(holds(op, compare_numbers(a, b)));
    bool equality = op == CompareOp::Eq || op == CompareOp::NotEq;
    if (a.is(Kind::Optional) || b.is(Kind::Optional)) {
        const auto* o = (a.is(Kind::Optional) ? a : b).as<OptionalObject>();
        PyValue other = a.is(Kind::Optional) ? b : a;
        if (equality) {
            if (other.is_none()) return op == CompareOp::Eq ? emit_scalar("bnot"_op, {o->present}) : PyValue::dynamic(o->present, Type::Kind::Bool);
            return fork_if(o->present, [&] { return compare(op, o->value, other); }, [&] { return PyValue::boolean(op == CompareOp::NotEq); });
        }
        std::string error = fmt::format("TypeError: '{}' not supported between instances of '{}' and '{}'", syntax::spelling(op),
                                        a.is(Kind::Optional) ? "NoneType" : type_name(a), a.is(Kind::Optional) ? type_name(b) : "NoneType");
        PyValue value = evaluator_->present(a.is(Kind::Optional) ? a : b, error);
        return a.is(Kind::Optional) ? compare(op, value, b) : compare(op, a, value);
    }
    if ((a.is_dynamic() || b.is_dynamic()) && (a.is_number() || a.is_str()) && (b.is_number() || b.is_str())) {
        PyValue r = scalar_compare(*this, op, a, b);
        if (!r.is(Kind::NotImplemented)) return r;
    }
    if (a.is(Kind::Str) && b.is(Kind::Str)) return PyValue::boolean(holds(op, a.as<StrObject>()->text <=> b.as<StrObject>()->text));
    if (a.is(Kind::Bytes) && b.is(Kind::Bytes)) return PyValue::boolean(holds(op, a.as<BytesObject>()->bytes <=> b.as<BytesObject>()->bytes));
    if (a.is(Kind::List) && b.is(Kind::List)) return compare_items(*this, op, a.as<ListObject>()->items, b.as<ListObject>()->items, 0);
    if (a.is(Kind::Tuple) && b.is(Kind::Tuple)) return compare_items(*this, op, a.as<TupleObject>()->items, b.as<TupleObject>()->items, 0);
    if (a.is(Kind::Set) && b.is(Kind::Set)) {
        const auto &x = *a.as<SetObject>(), &y = *b.as<SetObject>();
        bool le = subset(*this, x, y), ge = subset(*this, y, x);
        bool r = op == CompareOp::Eq ? le && ge : op == CompareOp::NotEq ? !(le && ge) : op == CompareOp::LtE ? le : op == CompareOp::GtE ? ge
                 : op == CompareOp::Lt ? le && !ge : ge && !le;
        return PyValue::boolean(r);
    }
    if (equality && a.is(Kind::Dict) && b.is(Kind::Dict)) return compare_dicts(*this, op, *a.as<DictObject>(), *b.as<DictObject>());
    if (equality && a.is(Kind::Range) && b.is(Kind::Range) && a.as<RangeObject>()->is_static() && b.as<RangeObject>()->is_static())
        return compare_items(*this, op, iterate(a), iterate(b), 0);
    if (equality && (a.is(Kind::Complex) || b.is(Kind::Complex)) && built_in(a) && built_in(b)) {
        PyValue same = complex_equal(*this, a, b);
        return op == CompareOp::Eq ? same : unary(UnaryOperator::Not, same);
    }
    if (equality && a.is(Kind::BoundMethod) && b.is(Kind::BoundMethod)) {
        bool same = a.as<BoundMethodObject>()->self.same(b.as<BoundMethodObject>()->self) && a.as<BoundMethodObject>()->function.same(b.as<BoundMethodObject>()->function);
        return PyValue::boolean(same == (op == CompareOp::Eq));
    }
    if (PyValue r = try_method(*this, a, method_of(op), b); !r.is(Kind::NotImplemented)) return r;
    for (PyValue side : {a, b}) {
        if (side.is(Kind::Instance)) continue;
        if (Protocol* p = protocol_of(side))
            if (PyValue r = p->compare(*this, op, a, b); !r.is(Kind::NotImplemented)) return r;
    }
    if (PyValue r = try_method(*this, b, method_of(mirrored(op)), a); !r.is(Kind::NotImplemented)) return r;
    if (op == CompareOp::NotEq)
        if (PyValue r = try_method(*this, a, "__eq__", b); !r.is(Kind::NotImplemented)) return unary(UnaryOperator::Not, r);
    if (!inner(a).same(a) || !inner(b).same(b)) return compare(op, inner(a), inner(b));
    if (equality) return PyValue::boolean(a.same(b) == (op == CompareOp::Eq));
    raise_error("TypeError", "'{}' not supported between instances of '{}' and '{}'", syntax::spelling(op), type_name(a), type_name(b));
}

PyValue Interpreter::contains(PyValue container, PyValue item) {
    if (container.is(Kind::Optional)) container = evaluator_->present(container, "TypeError: argument of type 'NoneType' is not iterable");
    switch (container.kind()) {
        case Kind::Unusable: evaluator_->unusable(container);
        case Kind::Str:
        case Kind::Dynamic:
            if (!container.is_str()) break;
            if (!item.is_str()) raise_error("TypeError", "'in <string>' requires string as left operand, not {}", type_name(item));
            if (container.is_dynamic() || item.is_dynamic()) return emit_scalar("str_in"_op, {to_ir(item), to_ir(container)});
            return PyValue::boolean(container.as<StrObject>()->text.find(item.as<StrObject>()->text) != std::string::npos);
        case Kind::Dict:
        case Kind::Set: {
            const DictObject& table = container.is(Kind::Dict) ? *container.as<DictObject>() : container.as<SetObject>()->table;
            if (item.is_dynamic()) {
                Values keys;
                for (const auto& e : table.entries)
                    if (e.key.is_number() == item.is_number()) keys.push_back(e.key);
                return contains(tuple(std::move(keys)), item);
            }
            const PyValue* v = table.find(hash_key(*this, item));
            return PyValue::boolean(v && !v->is_unbound());
        }
        case Kind::Range: {
            const auto* r = container.as<RangeObject>();
            if (item.is_static_number() && r->is_static()) {
                BigInt v;
                if (item.is(Kind::Float)) {
                    double d = item.as_float();
                    if (d != static_cast<double>(static_cast<int64_t>(d))) return PyValue::boolean(false);
                    v = BigInt(static_cast<int64_t>(d));
                } else {
                    v = to_big(item);
                }
                if (!v.fits_int64()) return PyValue::boolean(false);
                int64_t x = v.to_int64(), start = r->start.as_int(), stop = r->stop.as_int(), step = r->step.as_int();
                bool inside = step > 0 ? x >= start && x < stop : x <= start && x > stop;
                return PyValue::boolean(inside && (x - start) % step == 0);
            }
            break;
        }
        case Kind::RunTimeList: {
            const auto* l = container.as<RunTimeListObject>();
            if (l->element.is_tensor() || (!item.is_number() && !item.is_str())) throw NotSupported("`in` a list that grows at run time, of another kind of item");
            if (item.is_str() != (l->element.kind == Type::Kind::Str)) return PyValue::boolean(false);
            if (scalar_kind(item) != l->element.kind) throw NotSupported("`in` a list that grows at run time, of a number of another type");
            return emit_scalar("list_contains"_op, {l->list, to_ir(item, l->element.kind)});
        }
        case Kind::Instance: {
            PyValue m = class_of(container)->lookup(symbol("__contains__"));
            if (!m.is_unbound()) return truth(call(m, Values{container, item}));
            PyValue held = container.as<InstanceObject>()->native;
            if (!held.is_unbound()) return contains(held, item);
            break;
        }
        case Kind::Class:
            if (PyValue m = Evaluator::metaclass_method(container.as<ClassObject>(), "__contains__"); !m.is_unbound()) return truth(call(m, Values{container, item}));
            break;
        case Kind::Iterator:
        case Kind::List:
        case Kind::Tuple: break;
        default:
            if (Protocol* p = protocol_of(container))
                if (PyValue r = p->contains(*this, container, item); !r.is_unbound()) return r;
            break;
    }
    Values items;
    try {
        items = iterate(container);
    } catch (const ScriptError& e) {
        if (e.type == "TypeError" && e.text.ends_with("is not iterable")) raise_error("TypeError", "argument of type '{}' is not iterable", type_name(container));
        throw;
    }
    PyValue any = PyValue::boolean(false);
    for (PyValue v : items) {
        if (v.same(item) && !v.is_dynamic()) return PyValue::boolean(true);
        PyValue same = truth(equal(v, item));
        if (same.is(Kind::Bool)) {
            if (same.as_bool()) return PyValue::boolean(true);
            continue;
        }
        any = any.is(Kind::Bool) ? same : emit_scalar("bor"_op, {any.as_value(), same.as_value()});
    }
    return any;
}

PyValue Interpreter::truth(PyValue v) {
    switch (v.kind()) {
        case Kind::Unusable: evaluator_->unusable(v);
        case Kind::Bool: return v;
        case Kind::None: return PyValue::boolean(false);
        case Kind::Int: return PyValue::boolean(v.as_int() != 0);
        case Kind::BigInt: return PyValue::boolean(true);
        case Kind::Float: return PyValue::boolean(v.as_float() != 0);
        case Kind::Complex: return compare(CompareOp::NotEq, v, PyValue::integer(0));
        case Kind::Str: return PyValue::boolean(!v.as<StrObject>()->text.empty());
        case Kind::Dynamic: return scalar_truth(*this, v);
        case Kind::Optional: {
            const auto* o = v.as<OptionalObject>();
            PyValue inside = truth(o->value);
            if (inside.is(Kind::Bool)) return inside.as_bool() ? PyValue::dynamic(o->present, Type::Kind::Bool) : inside;
            return fork_if(o->present, [&] { return truth(o->value); }, [] { return PyValue::boolean(false); });
        }
        case Kind::List:
        case Kind::Tuple:
        case Kind::Dict:
        case Kind::Set:
        case Kind::Bytes:
        case Kind::Range:
        case Kind::RunTimeList: return truth(length(v));
        case Kind::Instance: {
            const ClassObject* cls = class_of(v);
            if (PyValue m = cls->lookup(symbol("__bool__")); !m.is_unbound()) return truth(call(m, Values{v}));
            if (PyValue m = cls->lookup(symbol("__len__")); !m.is_unbound()) return truth(call(m, Values{v}));
            if (PyValue held = v.as<InstanceObject>()->native; !held.is_unbound()) return truth(held);
            return PyValue::boolean(true);
        }
        default:
            if (Protocol* p = protocol_of(v)) {
                if (PyValue t = p->truth(*this, v); !t.is_unbound()) return t;
                if (PyValue n = p->len(*this, v); !n.is_unbound()) return truth(n);
            }
            return PyValue::boolean(true);
    }
}

}  // namespace sifr::capture
