// The methods of str. Known texts go through the runtime's functions; run-time texts become string rows.
#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

const std::string& self_text(Interpreter& in, PyValue v, const char* method) {
    if (const auto* s = v.get_if<StrObject>()) return s->text;
    throw NeedStatic(fmt::format("str.{}() of a run-time string", method));
    (void)in;
}

std::string text_argument(Interpreter& in, PyValue v, const char* what) {
    if (v.is(Kind::Str)) return v.as<StrObject>()->text;
    if (v.is_str()) in.need_static(v, what);
    in.raise_error("TypeError", "{} must be str, not {}", what, in.type_name(v));
}

/// One argument, a str.
void exactly_text(Interpreter& in, const Args& args, const char* method) {
    if (args.size() < 2) in.raise_error("TypeError", "str.{}() takes exactly one argument (0 given)", method);
    if (!args[1].is_str()) in.raise_error("TypeError", "must be str, not {}", in.type_name(args[1]));
}

using Unary = sifr_status (*)(sifr_str, sifr_str*);
void add_mapping(Interpreter& in, const ClassObject* c, const char* name, Unary f, Op row) {
    in.add_method(c, name, [f, row](Interpreter& i, Args& args) {
        if (args[0].is_dynamic()) return i.emit_scalar(row, {args[0].as_value()});
        return i.str(must_text([&](sifr_str* out) { return f(rt(args[0].as<StrObject>()->text), out); }));
    });
}

/// ord() of a letter.
PyValue code_of(PyValue letter) {
    int64_t code = 0;
    must(sifr_ord(rt(letter.as<StrObject>()->text), &code));
    return PyValue::integer(code);
}

/// What Python takes for white space within ASCII.
constexpr std::string_view white_space = " \t\n\r\v\f\x1c\x1d\x1e\x1f";

using Strip = sifr_str (*)(sifr_str, sifr_str);
void add_strip(Interpreter& in, const ClassObject* c, const char* name, Strip f, bool left, bool right) {
    in.add_method(c, name, [f, left, right](Interpreter& i, Args& args) {
        bool plain = args.size() < 2 || args[1].is_none();
        if (!plain && !args[1].is_str()) i.raise_error("TypeError", "strip arg must be None or str");
        if (args[0].is_dynamic() || (!plain && args[1].is_dynamic())) {
            ValueId v = i.to_ir(args[0]), set = i.to_ir(plain ? i.str(std::string(white_space)) : args[1]);
            if (left) v = i.builder().emit("str_lstrip"_op, {v, set});
            if (right) v = i.builder().emit("str_rstrip"_op, {v, set});
            return PyValue::dynamic(v, K::Str);
        }
        std::string set = plain ? "" : args[1].as<StrObject>()->text;
        return i.str(text(f(rt(args[0].as<StrObject>()->text), plain ? sifr_str{nullptr, 0} : rt(set))));
    });
}

using Predicate = bool (*)(sifr_str);
void add_predicate(Interpreter& in, const ClassObject* c, const char* name, Predicate f, Op row) {
    in.add_method(c, name, [f, row](Interpreter& i, Args& args) {
        if (args[0].is_dynamic()) return i.emit_scalar(row, {args[0].as_value()});
        return PyValue::boolean(f(rt(args[0].as<StrObject>()->text)));
    });
}

using Justify = sifr_status (*)(sifr_str, int64_t, sifr_str, sifr_str*);
void add_justify(Interpreter& in, const ClassObject* c, const char* name, Justify f, Op row) {
    in.add_method(c, name, [name, f, row](Interpreter& i, Args& args) {
        if (args.size() < 2) i.raise_error("TypeError", "{} expected at least 1 argument, got 0", name);
        PyValue fill = args.size() > 2 ? args[2] : i.str(" ");
        if (args[0].is_dynamic() || args[1].is_dynamic() || fill.is_dynamic()) return i.emit_scalar(row, {i.to_ir(args[0]), i.to_ir(args[1], K::I64), i.to_ir(fill)});
        int64_t width = i.need_int(args[1], "a width");
        std::string with = text_argument(i, fill, "the fill character");
        return i.str(must_text([&](sifr_str* out) { return f(rt(args[0].as<StrObject>()->text), width, rt(with), out); }));
    });
}

/// `text.split(sep, limit)` at run time: a list whose length is known at run time only.
PyValue split_at_run_time(Interpreter& in, PyValue text, PyValue sep, PyValue limit) {
    if (sep.is(Kind::Str) && sep.as<StrObject>()->text.empty()) in.raise_error("ValueError", "empty separator");
    Builder& b = in.builder();
    std::vector<ValueId> operands{in.to_ir(text)};
    bool words = sep.is_unbound() || sep.is_none();
    if (!words) operands.push_back(in.to_ir(sep));
    operands.push_back(limit.is_unbound() ? in.function().add_constant(int64_t{-1}) : in.to_ir(limit, K::I64));
    InstId id = b.emit_typed(words ? "str_split_words"_op : "str_split"_op, operands, {}, {Type::list(Type::str())});
    auto* made = in.heap().make<RunTimeListObject>();
    made->list = in.function()[id].results[0];
    made->element = Type::str();
    return made;
}

PyValue join(Interpreter& in, Args& args) {
    Values items = in.iterate(args[1]);
    Values parts;
    for (size_t k = 0; k < items.size(); ++k) {
        if (!items[k].is_str()) in.raise_error("TypeError", "sequence item {}: expected str instance, {} found", k, in.type_name(items[k]));
        if (k) parts.push_back(args[0]);
        parts.push_back(items[k]);
    }
    return in.concat(parts);
}

PyValue split(Interpreter& in, Args& args, bool from_right) {
    ArgReader a(in, args, "split(self, sep=None, maxsplit=-1)");
    if ((a["self"].is_dynamic() || (a.has("sep") && a["sep"].is_dynamic())) && (!from_right || !a.has("maxsplit"))) return split_at_run_time(in, a["self"], a["sep"], a["maxsplit"]);
    const std::string& s = self_text(in, a["self"], "split");
    int64_t limit = a.has("maxsplit") ? in.need_int(a["maxsplit"], "maxsplit") : -1;
    Values parts;
    if (!a.has("sep") || a["sep"].is_none()) {
        auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
        size_t i = 0, end = s.size();
        if (!from_right) {
            while (true) {
                while (i < end && blank(s[i])) ++i;
                if (i >= end) break;
                if (limit >= 0 && static_cast<int64_t>(parts.size()) == limit) {
                    while (end > i && blank(s[end - 1])) --end;
                    parts.push_back(in.str(s.substr(i, end - i)));
                    break;
                }
                size_t start = i;
                while (i < end && !blank(s[i])) ++i;
                parts.push_back(in.str(s.substr(start, i - start)));
            }
        } else {
            while (true) {
                while (end > 0 && blank(s[end - 1])) --end;
                if (end == 0) break;
                if (limit >= 0 && static_cast<int64_t>(parts.size()) == limit) {
                    while (i < end && blank(s[i])) ++i;
                    parts.insert(parts.begin(), in.str(s.substr(i, end - i)));
                    break;
                }
                size_t stop = end;
                while (end > 0 && !blank(s[end - 1])) --end;
                parts.insert(parts.begin(), in.str(s.substr(end, stop - end)));
            }
        }
        return in.list(std::move(parts));
    }
    std::string sep = text_argument(in, a["sep"], "a separator");
    if (sep.empty()) in.raise_error("ValueError", "empty separator");
    if (!from_right) {
        size_t i = 0;
        for (;;) {
            size_t at = limit >= 0 && static_cast<int64_t>(parts.size()) == limit ? std::string::npos : s.find(sep, i);
            parts.push_back(in.str(s.substr(i, at == std::string::npos ? std::string::npos : at - i)));
            if (at == std::string::npos) break;
            i = at + sep.size();
        }
    } else {
        size_t end = s.size();
        for (;;) {
            size_t at = (limit >= 0 && static_cast<int64_t>(parts.size()) == limit) || end < sep.size() ? std::string::npos : s.rfind(sep, end - sep.size());
            size_t start = at == std::string::npos ? 0 : at + sep.size();
            parts.insert(parts.begin(), in.str(s.substr(start, end - start)));
            if (at == std::string::npos) break;
            end = at;
        }
    }
    return in.list(std::move(parts));
}

using Find = int64_t (*)(sifr_str, sifr_str);
void add_find(Interpreter& in, const ClassObject* c, const char* name, Find f, Op row, bool must_be_there) {
    in.add_method(c, name, [name, f, row, must_be_there](Interpreter& i, Args& args) {
        if (args.size() < 2) i.raise_error("TypeError", "{} expected at least 1 argument, got 0", name);
        if (!args[1].is_str()) i.raise_error("TypeError", "must be str, not {}", i.type_name(args[1]));
        if (args[0].is_dynamic() || args[1].is_dynamic()) {
            if (args.size() > 2) throw NotSupported(fmt::format("str.{}() of a run-time string between bounds", name));
            PyValue at = i.emit_scalar(row, {i.to_ir(args[0]), i.to_ir(args[1])});
            if (must_be_there) i.check(i.compare(syntax::CompareOp::GtE, at, PyValue::integer(0)), "ValueError", "substring not found");
            return at;
        }
        std::string s = args[0].as<StrObject>()->text, needle = args[1].as<StrObject>()->text;
        int64_t offset = 0, length = sifr_str_length(rt(s));
        if (args.size() > 2) {
            SliceObject bounds(args[2], args.size() > 3 ? args[3] : PyValue::none(), PyValue::none());
            SliceRange r = slice_range(i, bounds, length);
            offset = r.start;
            s = must_text([&](sifr_str* out) { return sifr_str_slice(rt(s), r.start, std::max(r.start, r.stop), 1, out); });
        }
        int64_t at = f(rt(s), rt(needle));
        if (at < 0 && must_be_there) i.raise_error("ValueError", "substring not found");
        return PyValue::integer(at < 0 ? -1 : at + offset);
    });
}

/// The parts around the first (or last) separator; where there is none, the text and two empty ones.
PyValue partition_at_run_time(Interpreter& in, PyValue text, PyValue sep, bool right) {
    PyValue at = in.emit_scalar(right ? "str_rfind"_op : "str_find"_op, {in.to_ir(text), in.to_ir(sep)});
    ValueId found = in.to_ir(in.compare(syntax::CompareOp::GtE, at, PyValue::integer(0)), K::Bool);
    PyValue none = PyValue::none(), behind = in.binary(syntax::BinaryOp::Add, at, in.length(sep));
    PyValue first = in.str_slice(text, SliceObject(none, at, none)), last = in.str_slice(text, SliceObject(behind, none, none)), empty = in.str("");
    auto select = [&](PyValue yes, PyValue no) { return PyValue::dynamic(in.builder().emit("sel"_op, {found, in.to_ir(yes), in.to_ir(no)}), K::Str); };
    return in.tuple({select(first, right ? empty : text), select(sep, empty), select(last, right ? text : empty)});
}

template <bool at_end>
PyValue starts_or_ends(Interpreter& in, Args& args) {
    if (args.size() > 2) {
        // from a place on: of that part
        PyValue part = in.get_item(args[0], in.slice(args[2], args.size() > 3 ? args[3] : PyValue::none(), PyValue::none()));
        Args rest{{part, args[1]}, {}};
        return starts_or_ends<at_end>(in, rest);
    }
    Values options = args[1].is(Kind::Tuple) ? args[1].as<TupleObject>()->items : Values{args[1]};
    PyValue any = PyValue::boolean(false);
    for (PyValue o : options) {
        if (!o.is_str()) in.raise_error("TypeError", "{} first arg must be str or a tuple of str, not {}", at_end ? "endswith" : "startswith", in.type_name(o));
        PyValue r;
        if (args[0].is_dynamic() || o.is_dynamic()) r = in.emit_scalar(at_end ? "str_endswith"_op : "str_startswith"_op, {in.to_ir(args[0]), in.to_ir(o)});
        else r = PyValue::boolean((at_end ? sifr_str_endswith : sifr_str_startswith)(rt(args[0].as<StrObject>()->text), rt(o.as<StrObject>()->text)));
        if (r.is(Kind::Bool)) {
            if (r.as_bool()) return r;
            continue;
        }
        any = any.is(Kind::Bool) ? r : in.emit_scalar("bor"_op, {any.as_value(), r.as_value()});
    }
    return any;
}

}  // namespace

void bind_str(Interpreter& in) {
    const ClassObject* c = in.builtin_class("str");
    add_mapping(in, c, "upper", sifr_str_upper, "str_upper"_op);
    add_mapping(in, c, "lower", sifr_str_lower, "str_lower"_op);
    add_mapping(in, c, "casefold", sifr_str_lower, "str_lower"_op);
    add_mapping(in, c, "capitalize", sifr_str_capitalize, "str_capitalize"_op);
    add_mapping(in, c, "title", sifr_str_title, "str_title"_op);
    add_mapping(in, c, "swapcase", sifr_str_swapcase, "str_swapcase"_op);
    add_strip(in, c, "strip", sifr_str_strip, true, true);
    add_strip(in, c, "lstrip", sifr_str_lstrip, true, false);
    add_strip(in, c, "rstrip", sifr_str_rstrip, false, true);
    add_predicate(in, c, "isdigit", sifr_str_isdigit, "str_isdigit"_op);
    add_predicate(in, c, "isdecimal", sifr_str_isdigit, "str_isdigit"_op);
    add_predicate(in, c, "isnumeric", sifr_str_isdigit, "str_isdigit"_op);
    add_predicate(in, c, "isalpha", sifr_str_isalpha, "str_isalpha"_op);
    add_predicate(in, c, "isalnum", sifr_str_isalnum, "str_isalnum"_op);
    add_predicate(in, c, "isspace", sifr_str_isspace, "str_isspace"_op);
    add_predicate(in, c, "isupper", sifr_str_isupper, "str_isupper"_op);
    add_predicate(in, c, "islower", sifr_str_islower, "str_islower"_op);
    add_justify(in, c, "ljust", sifr_str_ljust, "str_ljust"_op);
    add_justify(in, c, "rjust", sifr_str_rjust, "str_rjust"_op);
    add_justify(in, c, "center", sifr_str_center, "str_center"_op);
    add_find(in, c, "find", sifr_str_find, "str_find"_op, false);
    add_find(in, c, "rfind", sifr_str_rfind, "str_rfind"_op, false);
    add_find(in, c, "index", sifr_str_find, "str_find"_op, true);
    add_find(in, c, "rindex", sifr_str_rfind, "str_rfind"_op, true);
    in.add_method(c, "count", [](Interpreter& i, Args& args) {
        exactly_text(i, args, "count");
        if (args[0].is_dynamic() || args[1].is_dynamic()) return i.emit_scalar("str_count"_op, {i.to_ir(args[0]), i.to_ir(args[1])});
        return PyValue::integer(sifr_str_count(rt(args[0].as<StrObject>()->text), rt(args[1].as<StrObject>()->text)));
    });
    in.add_method(c, "zfill", [](Interpreter& i, Args& args) {
        if (args[0].is_dynamic() || args[1].is_dynamic()) return i.emit_scalar("str_zfill"_op, {i.to_ir(args[0]), i.to_ir(args[1], K::I64)});
        TextRegion region;
        return i.str(text(sifr_str_zfill(rt(self_text(i, args[0], "zfill")), i.need_int(args[1], "a width"))));
    });
    in.add_method(c, "startswith", starts_or_ends<false>);
    in.add_method(c, "endswith", starts_or_ends<true>);
    in.add_method(c, "join", join);
    in.add_method(c, "split", [](Interpreter& i, Args& args) { return split(i, args, false); });
    in.add_method(c, "rsplit", [](Interpreter& i, Args& args) { return split(i, args, true); });
    in.add_method(c, "splitlines", [](Interpreter& i, Args& args) {
        const std::string& s = self_text(i, args[0], "splitlines");
        bool keep = args.size() > 1 && i.is_true(args[1]);
        Values lines;
        for (size_t at = 0; at < s.size();) {
            size_t end = s.find_first_of("\r\n", at), next = end;
            if (end == std::string::npos) end = next = s.size();
            else next = end + (s[end] == '\r' && end + 1 < s.size() && s[end + 1] == '\n' ? 2 : 1);
            lines.push_back(i.str(s.substr(at, (keep ? next : end) - at)));
            at = next;
        }
        return i.list(std::move(lines));
    });
    for (bool right : {false, true})
        in.add_method(c, right ? "rpartition" : "partition", [right](Interpreter& i, Args& args) {
            exactly_text(i, args, right ? "rpartition" : "partition");
            if (args[0].is_dynamic() || args[1].is_dynamic()) return partition_at_run_time(i, args[0], args[1], right);
            const std::string& s = self_text(i, args[0], "partition");
            std::string sep = text_argument(i, args[1], "a separator");
            if (sep.empty()) i.raise_error("ValueError", "empty separator");
            size_t at = right ? s.rfind(sep) : s.find(sep);
            if (at == std::string::npos) return right ? i.tuple({i.str(""), i.str(""), args[0]}) : i.tuple({args[0], i.str(""), i.str("")});
            return i.tuple({i.str(s.substr(0, at)), i.str(sep), i.str(s.substr(at + sep.size()))});
        });
    in.add_method(c, "replace", [](Interpreter& i, Args& args) -> PyValue {
        if (args.size() < 3) i.raise_error("TypeError", "replace expected at least 2 arguments, got {}", args.size() - 1);
        if (args.size() == 3 && (args[0].is_dynamic() || args[1].is_dynamic() || args[2].is_dynamic())) return i.emit_scalar("str_replace"_op, {i.to_ir(args[0]), i.to_ir(args[1]), i.to_ir(args[2])});
        std::string from = text_argument(i, args[1], "replace() argument 1"), to = text_argument(i, args[2], "replace() argument 2");
        int64_t count = args.size() > 3 ? i.need_int(args[3], "a count") : -1;
        TextRegion region;
        return i.str(text(sifr_str_replace(rt(self_text(i, args[0], "replace")), rt(from), rt(to), count)));
    });
    in.add_method(c, "removeprefix", [](Interpreter& i, Args& args) {
        exactly_text(i, args, "removeprefix");
        if (args[0].is_dynamic() || args[1].is_dynamic()) return i.emit_scalar("str_removeprefix"_op, {i.to_ir(args[0]), i.to_ir(args[1])});
        std::string part = text_argument(i, args[1], "removeprefix() argument");
        return i.str(text(sifr_str_removeprefix(rt(self_text(i, args[0], "removeprefix")), rt(part))));
    });
    in.add_method(c, "removesuffix", [](Interpreter& i, Args& args) {
        exactly_text(i, args, "removesuffix");
        if (args[0].is_dynamic() || args[1].is_dynamic()) return i.emit_scalar("str_removesuffix"_op, {i.to_ir(args[0]), i.to_ir(args[1])});
        std::string part = text_argument(i, args[1], "removesuffix() argument");
        return i.str(text(sifr_str_removesuffix(rt(self_text(i, args[0], "removesuffix")), rt(part))));
    });
    in.add_method(c, "format", [](Interpreter& i, Args& args) {
        std::string s = self_text(i, args[0], "format");
        args.positional.erase(args.positional.begin());
        return str_format(i, s, args);
    });
    in.add_method(c, "isidentifier", [](Interpreter& i, Args& args) {
        const std::string& s = self_text(i, args[0], "isidentifier");
        bool ok = !s.empty() && !(s[0] >= '0' && s[0] <= '9');
        for (char ch : s) ok = ok && (ch == '_' || (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || static_cast<unsigned char>(ch) > 127);
        return PyValue::boolean(ok);
    });
    in.add_static_method(c, "maketrans", [](Interpreter& i, Args& args) {
        PyValue table = i.dict();
        auto code = [&](PyValue key) { return key.is(Kind::Str) ? code_of(key) : key; };
        if (args.size() == 1) {
            if (!args[0].is(Kind::Dict)) i.raise_error("TypeError", "if you give only one argument to maketrans it must be a dict");
            for (const auto& e : args[0].as<DictObject>()->entries) i.dict_set(table, code(e.key), e.value);
            return table;
        }
        Values from = i.iterate(args[0]), to = i.iterate(args[1]);
        if (from.size() != to.size()) i.raise_error("ValueError", "the first two maketrans arguments must have equal length");
        for (size_t k = 0; k < from.size(); ++k) i.dict_set(table, code(from[k]), code(to[k]));
        if (args.size() > 2)
            for (PyValue gone : i.iterate(args[2])) i.dict_set(table, code(gone), PyValue::none());
        return table;
    });
    in.add_method(c, "translate", [](Interpreter& i, Args& args) {
        if (args.size() != 2 || !args[1].is(Kind::Dict)) throw NotSupported("str.translate() with another table than a dict of str.maketrans()");
        Values parts;
        for (PyValue letter : i.iterate(i.str(self_text(i, args[0], "translate")))) {
            PyValue key = code_of(letter);
            const PyValue* found = args[1].as<DictObject>()->find(hash_key(i, key));
            if (!found || found->is_unbound()) parts.push_back(letter);
            else if (found->is_str()) parts.push_back(*found);
            else if (!found->is_none()) parts.push_back(i.str(must_text([&](sifr_str* out) { return sifr_chr(i.need_int(*found, "a code point"), out); })));
        }
        return i.concat(parts);
    });
    in.add_method(c, "expandtabs", [](Interpreter& i, Args& args) {
        std::string r;
        size_t column = 0, size = args.size() > 1 ? static_cast<size_t>(i.need_int(args[1], "a tab size")) : 8;
        for (char ch : self_text(i, args[0], "expandtabs")) {
            if (ch == '\t') {
                size_t n = size ? size - column % size : 0;
                r.append(n, ' ');
                column += n;
            } else {
                r += ch;
                column = ch == '\n' || ch == '\r' ? 0 : column + 1;
            }
        }
        return i.str(r);
    });
    in.add_method(c, "encode", [](Interpreter& i, Args& args) { return i.heap().make<BytesObject>(self_text(i, args[0], "encode")); });
    in.add_method(in.builtin_class("bytes"), "decode", [](Interpreter& i, Args& args) { return i.str(args[0].as<BytesObject>()->bytes); });
}

}  // namespace sifr::capture
