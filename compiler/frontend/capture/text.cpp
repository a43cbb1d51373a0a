// str, repr, format and the two older ways of formatting. Text with run-time parts becomes one `format` instruction: its
// spec holds the literal text and a replacement field for each run-time operand.
#include <algorithm>

#include "compiler/frontend/capture/complex_numbers.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

namespace {

std::string escaped(const std::string& s) {
    std::string r;
    for (char c : s) {
        r += c;
        if (c == '{' || c == '}') r += c;
    }
    return r;
}

std::string qualified(const ClassObject* c) { return c->module == "builtins" ? c->qualname : c->module + "." + c->qualname; }

std::string float_text(double v) {
    TextRegion region;
    return text(sifr_f64_str(v));
}

/// `[a, b]` with the items' reprs.
PyValue bracketed(Interpreter& in, const char* open, const Values& items, const char* close) {
    Values parts{in.str(open)};
    for (size_t i = 0; i < items.size(); ++i) {
        if (i) parts.push_back(in.str(", "));
        parts.push_back(in.repr_of(items[i]));
    }
    parts.push_back(in.str(close));
    return in.concat(parts);
}

/// CPython's order of small sets of ints: by hash modulo the table. Others keep the order of insertion.
Values set_order(const SetObject& s) {
    Values items;
    bool ints = true;
    for (const auto& e : s.table.entries) {
        items.push_back(e.key);
        ints = ints && (e.key.is(Kind::Int) || e.key.is(Kind::Bool)) && e.key.as_int() >= 0;
    }
    if (!ints || items.empty()) return items;
    size_t size = 8;
    while (items.size() * 5 >= size * 3) size *= items.size() * 5 >= size * 3 ? 4 : 1;
    std::vector<PyValue> table(size);
    for (PyValue v : items) {
        size_t at = static_cast<size_t>(v.as_int()) & (size - 1), perturb = static_cast<size_t>(v.as_int());
        while (true) {
            bool placed = false;
            for (size_t k = 0; k < 10 && at + k < size; ++k)
                if (table[at + k].is_unbound()) {
                    table[at + k] = v;
                    placed = true;
                    break;
                } else if (at + 9 >= size) {
                    break;
                }
            if (placed) break;
            perturb >>= 5;
            at = (at * 5 + 1 + perturb) & (size - 1);
        }
    }
    Values ordered;
    for (PyValue v : table)
        if (!v.is_unbound()) ordered.push_back(v);
    return ordered;
}

}  // namespace

PyValue Interpreter::concat(const Values& texts) {
    std::string spec, plain;
    std::vector<ValueId> operands;
    bool one_operand_alone = false;
    for (PyValue t : texts) {
        if (const auto* s = t.get_if<StrObject>()) {
            plain += s->text;
            spec += escaped(s->text);
            continue;
        }
        SIFR_CHECK(t.is_dynamic(Type::Kind::Str), "text of kind {}", static_cast<int>(t.kind()));
        const Inst* producer = function_.producer(t.as_value());
        if (producer && producer->op == "format"_op) {
            spec += producer->attrs.get<std::string>("spec");
            operands.insert(operands.end(), producer->operands.begin(), producer->operands.end());
        } else {
            one_operand_alone = spec.empty();
            spec += "{}";
            operands.push_back(t.as_value());
        }
    }
    if (operands.empty()) return str(std::move(plain));
    if (one_operand_alone && spec == "{}") return PyValue::dynamic(operands[0], Type::Kind::Str);
    return emit_scalar("format"_op, std::move(operands), attrs({{"spec", spec}}));
}

PyValue Interpreter::str_of(PyValue v) {
    switch (v.kind()) {
        case Kind::Str: return v;
        case Kind::Dynamic:
            if (v.is_str()) return v;
            return emit_scalar("format"_op, {v.as_value()}, attrs({{"spec", std::string("{}")}}));
        case Kind::Instance: {
            const auto* i = v.as<InstanceObject>();
            if (PyValue m = i->cls->lookup(symbol("__str__")); !m.is_unbound()) {
                PyValue s = call(m, Values{v});
                if (!s.is_str()) raise_error("TypeError", "__str__ returned non-string (type {})", type_name(s));
                return s;
            }
            if (i->cls->is_exception) {
                PyValue args = i->attributes.get(symbol("args"));
                const auto* t = args.get_if<TupleObject>();
                if (!t || t->items.empty()) return str("");
                if (t->items.size() == 1) return i->cls->name == "KeyError" ? repr_of(t->items[0]) : str_of(t->items[0]);
                return repr_of(args);
            }
            return repr_of(v);
        }
        case Kind::Optional: {
            const auto* o = v.as<OptionalObject>();
            return fork_if(o->present, [&] { return str_of(o->value); }, [&] { return str("None"); });
        }
        default:
            if (!v.is(Kind::Unusable))
                if (Protocol* p = protocol_of(v))
                    if (PyValue s = p->str(*this, v); !s.is_unbound()) return s;
            return repr_of(v);
    }
}

PyValue Interpreter::repr_of(PyValue v) {
    switch (v.kind()) {
        case Kind::Unbound: SIFR_UNREACHABLE("the repr of nothing");
        case Kind::Unusable: evaluator_->unusable(v);
        case Kind::None: return str("None");
        case Kind::NotImplemented: return str("NotImplemented");
        case Kind::Ellipsis: return str("Ellipsis");
        case Kind::Bool: return str(v.as_bool() ? "True" : "False");
        case Kind::Int: return str(std::to_string(v.as_int()));
        case Kind::BigInt: return str(v.as<BigIntObject>()->value.str());
        case Kind::Float: return str(float_text(v.as_float()));
        case Kind::DType: return str(std::string(torch_name(v.as_dtype())));
        case Kind::Device: {
            std::string type = v.device_is_cuda() ? "cuda" : "cpu";
            return str(v.device_index() < 0 ? fmt::format("device(type='{}')", type) : fmt::format("device(type='{}', index={})", type, v.device_index()));
        }
        case Kind::Complex: return complex_repr(*this, v);
        case Kind::Dynamic:
            if (!v.is_str()) return str_of(v);
            return emit_scalar("str_repr"_op, {v.as_value()});
        case Kind::Str: {
            TextRegion region;
            return str(text(sifr_str_repr(rt(v.as<StrObject>()->text))));
        }
        case Kind::Bytes: {
            std::string r = "b'";
            for (char c : v.as<BytesObject>()->bytes) {
                auto u = static_cast<unsigned char>(c);
                if (c == '\'' || c == '\\') r += '\\', r += c;
                else if (c == '\n') r += "\\n";
                else if (c == '\t') r += "\\t";
                else if (c == '\r') r += "\\r";
                else if (u < 32 || u > 126) r += fmt::format("\\x{:02x}", u);
                else r += c;
            }
            return str(r + "'");
        }
        case Kind::Tuple: {
            const auto* t = v.as<TupleObject>();
            if (PyValue m = t->cls->lookup(symbol("__repr__")); !m.is_unbound()) return call(m, Values{v});
            // Kinds of tuples with a text of their own, like torch.Size, have it inside of others, too.
            if (Protocol* p = protocol_of(v))
                if (PyValue own = p->repr(*this, v); !own.is_unbound()) return own;
            return t->items.size() == 1 ? bracketed(*this, "(", t->items, ",)") : bracketed(*this, "(", t->items, ")");
        }
        case Kind::List: {
            const Values& items = v.as<ListObject>()->items;
            if (std::find(repr_stack_.begin(), repr_stack_.end(), v.object()) != repr_stack_.end()) return str("[...]");
            repr_stack_.push_back(v.object());
            PyValue r = bracketed(*this, "[", items, "]");
            repr_stack_.pop_back();
            return r;
        }
        case Kind::RunTimeList: {
            const auto* l = v.as<RunTimeListObject>();
            if (l->element.is_tensor()) throw NotSupported("printing a run-time list of tensors");
            return emit_scalar("list_str"_op, {l->list});
        }
        case Kind::Dict: {
            const auto* d = v.as<DictObject>();
            if (std::find(repr_stack_.begin(), repr_stack_.end(), v.object()) != repr_stack_.end()) return str("{...}");
            repr_stack_.push_back(v.object());
            bool ordered = d->cls && d->cls->name == "OrderedDict", counter = d->cls && d->cls->name == "Counter";
            std::string open = "{", close = "}";
            if (ordered) {
                // As Python 3.11: a list of pairs.
                Values pairs;
                for (const auto& e : d->entries) pairs.push_back(tuple({e.key, e.value}));
                PyValue r = pairs.empty() ? str("OrderedDict()") : concat({str("OrderedDict("), repr_of(list(std::move(pairs))), str(")")});
                repr_stack_.pop_back();
                return r;
            }
            if (counter) open = d->entries.empty() ? d->cls->name + "(" : d->cls->name + "({", close = d->entries.empty() ? ")" : "})";
            if (d->cls && d->cls->name == "defaultdict") open = "defaultdict(" + static_repr(d->default_factory.is_unbound() ? PyValue::none() : d->default_factory) + ", {", close = "})";
            Values parts{str(open)};
            std::vector<DictObject::Entry> entries = d->entries;
            if (counter)
                std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.value.is_static_number() && b.value.is_static_number() && compare_numbers(a.value, b.value) > 0; });
            bool first = true;
            for (const auto& e : entries) {
                if (e.value.is_unbound()) continue;
                if (!first) parts.push_back(str(", "));
                first = false;
                parts.push_back(repr_of(e.key));
                parts.push_back(str(": "));
                parts.push_back(repr_of(e.value));
            }
            parts.push_back(str(close));
            repr_stack_.pop_back();
            return concat(parts);
        }
        case Kind::Set: {
            const auto* s = v.as<SetObject>();
            if (s->table.entries.empty()) return str(s->frozen ? "frozenset()" : "set()");
            return s->frozen ? bracketed(*this, "frozenset({", set_order(*s), "})") : bracketed(*this, "{", set_order(*s), "}");
        }
        case Kind::Range: {
            const auto* r = v.as<RangeObject>();
            Values parts{str("range("), repr_of(r->start), str(", "), repr_of(r->stop)};
            if (!(r->step.is(Kind::Int) && r->step.as_int() == 1)) parts.push_back(str(", ")), parts.push_back(repr_of(r->step));
            parts.push_back(str(")"));
            return concat(parts);
        }
        case Kind::Slice: {
            const auto* s = v.as<SliceObject>();
            return concat({str("slice("), repr_of(s->start), str(", "), repr_of(s->stop), str(", "), repr_of(s->step), str(")")});
        }
        case Kind::Function: return str(fmt::format("<function {} at 0x{:012x}>", v.as<FunctionObject>()->qualname, 0x7f0000000000u + v.object()->number * 64));
        case Kind::NativeFunction: return str(fmt::format("<built-in function {}>", v.as<NativeFunctionObject>()->name));
        case Kind::BoundMethod: {
            const auto* b = v.as<BoundMethodObject>();
            if (const auto* n = b->function.get_if<NativeFunctionObject>())
                return str(fmt::format("<built-in method {} of {} object at 0x{:012x}>", n->name, type_name(b->self), 0x7f0000000000u + v.object()->number * 64));
            return concat({str("<bound method " + need_str(get_attr(b->function, "__qualname__"), "a name") + " of "), repr_of(b->self), str(">")});
        }
        case Kind::Class: return str(fmt::format("<class '{}'>", qualified(v.as<ClassObject>())));
        case Kind::Module: return str(fmt::format("<module '{}'>", v.as<ModuleObject>()->name));
        case Kind::Iterator: return str(fmt::format("<{} object at 0x{:012x}>", v.as<IteratorObject>()->type_name, 0x7f0000000000u + v.object()->number * 64));
        case Kind::Optional: {
            const auto* o = v.as<OptionalObject>();
            return fork_if(o->present, [&] { return repr_of(o->value); }, [&] { return str("None"); });
        }
        case Kind::Instance: {
            const auto* i = v.as<InstanceObject>();
            if (PyValue m = i->cls->lookup(symbol("__repr__")); !m.is_unbound()) {
                PyValue s = call(m, Values{v});
                if (!s.is_str()) raise_error("TypeError", "__repr__ returned non-string (type {})", type_name(s));
                return s;
            }
            if (i->cls->is_exception) {
                PyValue args = i->attributes.get(symbol("args"));
                const auto* t = args.get_if<TupleObject>();
                if (t && t->items.size() == 1) return bracketed(*this, (i->cls->name + "(").c_str(), t->items, ")");
                return concat({str(i->cls->name), t ? repr_of(args) : str("()")});
            }
            if (!i->native.is_unbound()) return repr_of(i->native);
            return str(fmt::format("<{} object at 0x{:012x}>", qualified(i->cls), 0x7f0000000000u + v.object()->number * 64));
        }
        default:
            if (Protocol* p = protocol_of(v))
                if (PyValue s = p->repr(*this, v); !s.is_unbound()) return s;
            return str(fmt::format("<{} object at 0x{:012x}>", qualified(class_of(v)), 0x7f0000000000u + v.object()->number * 64));
    }
}

std::string Interpreter::static_repr(PyValue v) {
    if (v.is_dynamic()) return "<run-time value>";
    PyValue r = repr_of(v);
    return r.is(Kind::Str) ? r.as<StrObject>()->text : "<run-time text>";
}

PyValue Interpreter::format_of(PyValue v, PyValue spec) {
    std::string s = need_str(spec, "a format specification");
    if (v.is(Kind::Optional)) {
        if (s.empty()) return str_of(v);
        v = evaluator_->present(v, "TypeError: unsupported format string passed to NoneType.__format__");
    }
    switch (v.kind()) {
        case Kind::Str: return str(must_text([&](sifr_str* out) { return sifr_format_str(rt(v.as<StrObject>()->text), rt(s), out); }));
        case Kind::Bool:
            return str(must_text([&](sifr_str* out) { return sifr_format_bool(v.as_bool(), rt(s), out); }));
        case Kind::Int: return str(must_text([&](sifr_str* out) { return sifr_format_i64(v.as_int(), rt(s), out); }));
        case Kind::BigInt: {
            std::string digits = v.as<BigIntObject>()->value.str();
            return str(must_text([&](sifr_str* out) { return sifr_format_digits(rt(digits), rt(s), out); }));
        }
        case Kind::Float: return str(must_text([&](sifr_str* out) { return sifr_format_f64(v.as_float(), rt(s), out); }));
        case Kind::Dynamic: {
            if (s.empty()) return str_of(v);
            // The specification is checked now, on a value of the same kind: its errors are known while compiling.
            PyValue sample = v.is_str() ? str("") : v.scalar() == Type::Kind::F64 ? PyValue::real(1.0) : v.scalar() == Type::Kind::I64 ? PyValue::integer(1) : PyValue::boolean(true);
            format_of(sample, spec);
            return emit_scalar("format"_op, {v.as_value()}, attrs({{"spec", "{:" + escaped(s) + "}"}}));
        }
        case Kind::Complex:
            if (s.empty()) break;
            return complex_format(*this, v, s);
        case Kind::Instance:
            if (PyValue m = class_of(v)->lookup(symbol("__format__")); !m.is_unbound()) return call(m, Values{v, spec});
            break;
        default:
            if (!v.is(Kind::Unusable))
                if (Protocol* p = protocol_of(v))
                    if (PyValue r = p->format(*this, v, s); !r.is_unbound()) return r;
            break;
    }
    if (!s.empty()) raise_error("TypeError", "unsupported format string passed to {}.__format__", type_name(v));
    return str_of(v);
}

// ------------------------------------------------------------------------------------------ % and .format

PyValue percent_format(Interpreter& in, PyValue format, PyValue values) {
    const std::string fmt_text = in.need_str(format, "a format");
    bool is_tuple = values.is(Kind::Tuple);
    Values items = is_tuple ? values.as<TupleObject>()->items : Values{values};
    // Piece by piece: each conversion on its own, so that run-time values keep theirs.
    Values parts;
    std::string literal;
    size_t used = 0;
    for (size_t i = 0; i < fmt_text.size();) {
        if (fmt_text[i] != '%') {
            literal += fmt_text[i++];
            continue;
        }
        size_t start = i++;
        if (i < fmt_text.size() && fmt_text[i] == '%') {
            literal += '%';
            ++i;
            continue;
        }
        PyValue item;
        std::string conversion = "%";
        if (i < fmt_text.size() && fmt_text[i] == '(') {
            size_t close = fmt_text.find(')', i);
            if (close == std::string::npos) in.raise_error("ValueError", "incomplete format key");
            if (!values.is(Kind::Dict)) in.raise_error("TypeError", "format requires a mapping");
            item = in.get_item(values, in.str(fmt_text.substr(i + 1, close - i - 1)));
            i = close + 1;
            used = items.size();
        }
        auto take = [&]() -> PyValue {
            if (used >= items.size()) in.raise_error("TypeError", "not enough arguments for format string");
            return items[used++];
        };
        while (i < fmt_text.size() && std::string_view("#0- +").find(fmt_text[i]) != std::string_view::npos) conversion += fmt_text[i++];
        for (int part = 0; part < 2; ++part) {
            if (part == 1) {
                if (i >= fmt_text.size() || fmt_text[i] != '.') break;
                conversion += fmt_text[i++];
            }
            if (i < fmt_text.size() && fmt_text[i] == '*') {
                PyValue width = take();
                if (!width.is(Kind::Int)) in.raise_error("TypeError", "* wants int");
                conversion += std::to_string(width.as_int());
                ++i;
            } else {
                while (i < fmt_text.size() && fmt_text[i] >= '0' && fmt_text[i] <= '9') conversion += fmt_text[i++];
            }
        }
        if (i >= fmt_text.size()) in.raise_error("ValueError", "incomplete format");
        char code = fmt_text[i++];
        conversion += code;
        if (item.is_unbound()) item = take();
        if (!literal.empty()) parts.push_back(in.str(literal)), literal.clear();
        if (item.is(Kind::Tensor) && code != 's' && code != 'r') {
            Protocol* p = in.protocol_of(item);
            PyValue number = std::string_view("diouxXc").find(code) != std::string_view::npos ? p->to_int(in, item) : p->to_float(in, item);
            if (!number.is_unbound()) item = number;
        }
        if (item.is(Kind::Instance) && code != 's' && code != 'r' && code != 'a')
            for (const char* name : {"__index__", "__int__", "__float__"}) {
                const bool whole = std::string_view("diouxXc").find(code) != std::string_view::npos;
                if (whole == (std::string_view(name) == "__float__")) continue;
                if (PyValue m = in.class_of(item)->lookup(symbol(name)); !m.is_unbound()) {
                    item = in.call(m, Values{item});
                    break;
                }
            }
        if (item.is_dynamic() || (item.is(Kind::BigInt) && std::string_view("diu").find(code) != std::string_view::npos)) {
            // As a format specification: `%5.2f` is `{:5.2f}`, `%-5d` is `{:<5d}`, `%5s` is `{:>5}`.
            std::string flags, rest = conversion.substr(1, conversion.size() - 2);
            size_t f = rest.find_first_not_of("#0- +");
            flags = rest.substr(0, f == std::string::npos ? rest.size() : f);
            rest = f == std::string::npos ? "" : rest.substr(f);
            bool left = flags.find('-') != std::string::npos, text = code == 's' || code == 'r' || code == 'a';
            std::string spec = left ? "<" : ">";
            if (!text) {
                if (flags.find('+') != std::string::npos) spec += '+';
                else if (flags.find(' ') != std::string::npos) spec += ' ';
                if (flags.find('#') != std::string::npos) spec += '#';
                if (!left && flags.find('0') != std::string::npos) spec = spec.substr(1) + "0";
                else if (rest.empty() || rest[0] == '.') spec = spec.substr(1);
            }
            if (text) {
                if (rest.empty()) spec.clear();
                PyValue s = code == 's' ? in.str_of(item) : in.repr_of(item);
                parts.push_back(rest.empty() ? s : in.format_of(s, in.str(spec + rest)));
                continue;
            }
            if (code == 'i' || code == 'u') code = 'd';
            if (std::string_view("dxXo").find(code) != std::string_view::npos) {
                if (item.is_dynamic(Type::Kind::F64)) {
                    if (code != 'd') in.raise_error("TypeError", "%{} format: an integer is required, not float", code);
                    item = in.emit_scalar("ftoi"_op, {item.as_value()});
                } else if (item.is_dynamic(Type::Kind::Bool)) {
                    item = PyValue::dynamic(in.to_ir(item, Type::Kind::I64), Type::Kind::I64);
                }
            } else if (!item.is_str()) {
                item = PyValue::dynamic(in.to_ir(item, Type::Kind::F64), Type::Kind::F64);
            }
            if (item.is_str()) in.raise_error("TypeError", "must be real number, not str");
            parts.push_back(in.format_of(item, in.str(spec + rest + code)));
            continue;
        }
        sifr_value v{};
        std::string text_storage, repr_storage, type_storage;
        if (item.is(Kind::Bool)) v.kind = SIFR_KIND_BOOL, v.i64 = item.as_int();
        else if (item.is(Kind::Int)) v.kind = SIFR_KIND_I64, v.i64 = item.as_int();
        else if (item.is(Kind::Float)) v.kind = SIFR_KIND_F64, v.f64 = item.as_float();
        else if (item.is(Kind::Str)) v.kind = SIFR_KIND_STR, v.text = rt(item.as<StrObject>()->text);
        else {
            PyValue s = code == 'r' ? in.repr_of(item) : in.str_of(item);
            if (s.is_dynamic()) {
                parts.push_back(s);
                continue;
            }
            v.kind = SIFR_KIND_OTHER;
            text_storage = in.need_str(in.str_of(item), "text");
            repr_storage = in.static_repr(item);
            type_storage = in.type_name(item);
            v.text = rt(text_storage), v.other_repr = rt(repr_storage), v.type_name = rt(type_storage);
        }
        parts.push_back(in.str(must_text([&](sifr_str* out) { return sifr_percent_format(rt(conversion), &v, 1, true, out); })));
        (void)start;
    }
    if (is_tuple ? used < items.size() : used == 0 && !values.is(Kind::Dict)) in.raise_error("TypeError", "not all arguments converted during string formatting");
    if (!literal.empty()) parts.push_back(in.str(literal));
    return in.concat(parts);
}

namespace {

/// One `{…}` of str.format: field name, conversion and specification, with nested fields in the specification.
class FormatFields {
public:
    FormatFields(Interpreter& in, Args& args) : in_(in), args_(args) {}

    PyValue run(const std::string& s, int depth) {
        if (depth > 2) in_.raise_error("ValueError", "Max string recursion exceeded");
        Values parts;
        std::string literal;
        for (size_t i = 0; i < s.size(); ++i) {
            if (s[i] == '{' && i + 1 < s.size() && s[i + 1] == '{') literal += '{', ++i;
            else if (s[i] == '}' && i + 1 < s.size() && s[i + 1] == '}') literal += '}', ++i;
            else if (s[i] == '}') in_.raise_error("ValueError", "Single '}}' encountered in format string");
            else if (s[i] == '{') {
                if (i + 1 >= s.size()) in_.raise_error("ValueError", "Single '{{' encountered in format string");
                size_t end = i + 1;
                int level = 1;
                for (; end < s.size(); ++end) {
                    if (s[end] == '{') ++level;
                    if (s[end] == '}' && --level == 0) break;
                }
                if (end >= s.size()) in_.raise_error("ValueError", "expected '}}' before end of string");
                if (!literal.empty()) parts.push_back(in_.str(literal)), literal.clear();
                parts.push_back(field(s.substr(i + 1, end - i - 1), depth));
                i = end;
            } else {
                literal += s[i];
            }
        }
        if (!literal.empty()) parts.push_back(in_.str(literal));
        return in_.concat(parts);
    }

private:
    PyValue field(const std::string& f, int depth) {
        size_t at = 0, bracket = 0;
        while (at < f.size() && (bracket || (f[at] != '!' && f[at] != ':'))) {
            if (f[at] == '[') bracket = 1;
            if (f[at] == ']') bracket = 0;
            ++at;
        }
        PyValue v = named(f.substr(0, at));
        char conversion = 0;
        if (at < f.size() && f[at] == '!') {
            if (at + 1 >= f.size()) in_.raise_error("ValueError", "end of string while looking for conversion specifier");
            conversion = f[at + 1];
            at += 2;
            if (at < f.size() && f[at] != ':') in_.raise_error("ValueError", "expected ':' after conversion specifier");
        }
        std::string spec = at < f.size() ? f.substr(at + 1) : "";
        if (conversion == 'r' || conversion == 'a') v = in_.repr_of(v);
        else if (conversion == 's') v = in_.str_of(v);
        else if (conversion) in_.raise_error("ValueError", "Unknown conversion specifier '{}'", conversion);
        return in_.format_of(v, spec.find('{') == std::string::npos ? in_.str(spec) : run(spec, depth + 1));
    }

    PyValue named(const std::string& name) {
        size_t end = name.find_first_of(".[");
        std::string head = name.substr(0, end);
        PyValue v;
        if (head.empty() || head.find_first_not_of("0123456789") == std::string::npos) {
            if (head.empty() ? manual_ : automatic_)
                in_.raise_error("ValueError", "cannot switch from {}", head.empty() ? "manual field specification to automatic field numbering" : "automatic field numbering to manual field specification");
            (head.empty() ? automatic_ : manual_) = true;
            size_t i = head.empty() ? next_++ : std::stoul(head);
            if (i >= args_.size()) in_.raise_error("IndexError", "Replacement index {} out of range for positional args tuple", i);
            v = args_[i];
        } else {
            v = args_.keyword(head);
            if (v.is_unbound()) throw Raised{in_.key_error(in_.str(head)), in_.span(), std::nullopt};
        }
        while (end != std::string::npos && end < name.size()) {
            if (name[end] == '.') {
                size_t stop = name.find_first_of(".[", end + 1);
                v = in_.get_attr(v, name.substr(end + 1, stop == std::string::npos ? std::string::npos : stop - end - 1));
                end = stop;
            } else {
                size_t close = name.find(']', end);
                if (close == std::string::npos) in_.raise_error("ValueError", "Missing ']' in format string");
                std::string key = name.substr(end + 1, close - end - 1);
                bool number = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
                v = in_.get_item(v, number ? PyValue::integer(std::stoll(key)) : in_.str(key));
                end = close + 1 < name.size() ? close + 1 : std::string::npos;
            }
        }
        return v;
    }

    Interpreter& in_;
    Args& args_;
    size_t next_ = 0;
    bool automatic_ = false, manual_ = false;
};

}  // namespace

PyValue str_format(Interpreter& in, const std::string& text, Args& args) { return FormatFields(in, args).run(text, 1); }

}  // namespace sifr::capture
