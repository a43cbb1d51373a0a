// Statements, but for loops (loops.cpp) and what run-time conditions need (branches.cpp).
#include <algorithm>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/tables.h"
#include "compiler/frontend/syntax/parser.h"

namespace sifr::capture {

using namespace syntax;

const Symbol completion_symbol = symbol("<completion>");
const Symbol result_symbol = symbol("<result>");

Evaluator::Evaluator(Interpreter& in) : in_(in) {}

Source& Evaluator::add_source(const Module& module) {
    Source& s = sources_.emplace_back();
    s.module = &module;
    s.scopes = std::make_unique<ScopeTable>(module);
    source_of_file_[module.file] = &s;
    return s;
}

Source& Evaluator::add_source(std::unique_ptr<Module> owned) {
    Source& s = add_source(*owned);
    s.owned = std::move(owned);
    return s;
}

void Evaluator::run_module(Source& source, const NamespaceObject* variables) {
    if (!variables->scope) in_.heap_.change(variables).scope = &source.scopes->module();
    Frame frame;
    frame.variables = variables;
    frame.scope = &source.scopes->module();
    frame.caller = frame_;
    FrameScope scope_of_frame(frame_, &frame);
    exec(source.module->body);
}

void Evaluator::run_prelude(const std::string& path, const std::string& text, const NamespaceObject* variables) {
    uint32_t file = in_.files_.add(path, text);
    Source& source = add_source(parse_module(in_.files_.file(file), file));
    run_module(source, variables);
}

// ----------------------------------------------------------------------------------------------- blocks

Completion Evaluator::exec(const Body& body, size_t from) {
    for (size_t i = from; i < body.size(); ++i) {
        Step step = exec_statement(*body[i], body, i + 1);
        if (step.took_rest) return step.completion;
        if (step.completion == Completion::Mixed) {
            if (i + 1 == body.size()) return Completion::Mixed;
            return guarded([&] { return exec(body, i + 1); });
        }
        if (step.completion != Completion::Normal) return step.completion;
    }
    return Completion::Normal;
}

PyValue Evaluator::completion_value(Completion c) {
    if (c == Completion::Mixed) return frame_->variables->variables.get(completion_symbol);
    return PyValue::integer(static_cast<int64_t>(c));
}

uint8_t Evaluator::mask_of(PyValue how) const {
    if (how.is(Kind::Int)) return static_cast<uint8_t>(1 << how.as_int());
    auto it = completion_masks_.find(how.as_value());
    return it == completion_masks_.end() ? uint8_t{0xF} : it->second;
}

Completion Evaluator::completion_of(PyValue merged, uint8_t mask) {
    if (merged.is(Kind::Int)) return static_cast<Completion>(merged.as_int());
    for (Completion c : {Completion::Normal, Completion::Break, Completion::Continue, Completion::Return})
        if (mask == 1 << static_cast<int>(c)) return c;
    completion_masks_[merged.as_value()] = mask;
    in_.heap_.set_variable(frame_->variables, completion_symbol, merged);
    return Completion::Mixed;
}

/// Runs `rest` where the block has not been left yet.
Completion Evaluator::guarded(const std::function<Completion()>& rest) {
    PyValue how = completion_value(Completion::Mixed);
    ValueId normal = in_.builder().emit("ieq"_op, {in_.to_ir(how), in_.function_.add_constant(int64_t{0})});
    uint8_t mask = static_cast<uint8_t>(mask_of(how) & ~1);
    PyValue merged = fork(normal,
                          [&] {
                              PyValue v = completion_value(rest());
                              mask |= mask_of(v);
                              return v;
                          },
                          [&] { return how; });
    return completion_of(merged, mask);
}

namespace {

/// The block always leaves the block around it: its last statement is a jump.
bool always_leaves(const Body& body) {
    if (body.empty()) return false;
    const Stmt* last = body.back().get();
    switch (last->kind) {
        case StmtKind::Return:
        case StmtKind::Break:
        case StmtKind::Continue: return true;
        case StmtKind::If: return always_leaves(as<If>(*last).body) && always_leaves(as<If>(*last).orelse);
        default: return false;
    }
}

}  // namespace

Evaluator::Step Evaluator::exec_if(const If& s, const Body& body, size_t next) {
    PyValue t = eval_truth(*s.test);
    if (t.is(Kind::Bool)) return {exec(t.as_bool() ? s.body : s.orelse)};
    // An arm that always leaves takes the rest of the block into the other arm: no flag is needed, and what the rest
    // reads was assigned on its own path.
    bool then_leaves = always_leaves(s.body), else_leaves = always_leaves(s.orelse);
    bool take = then_leaves != else_leaves && next < body.size();
    uint8_t mask = 0;
    auto arm = [&](const Body& own, bool with_rest) {
        Completion c = exec(own);
        if (with_rest) {
            if (c == Completion::Normal) c = exec(body, next);
            else if (c == Completion::Mixed) c = guarded([&] { return exec(body, next); });
        }
        PyValue v = completion_value(c);
        mask |= mask_of(v);
        return v;
    };
    PyValue merged = fork(t.as_value(), [&] { return arm(s.body, take && !then_leaves); }, [&] { return arm(s.orelse, take && !else_leaves); });
    return {completion_of(merged, mask), take};
}

Evaluator::Step Evaluator::exec_statement(const Stmt& s, const Body& body, size_t next) {
    if (static_cast<int64_t>(in_.function_.insts.size()) > in_.options_.instruction_limit) {
        here(s.span);
        throw NotSupported(fmt::format("a program of more than {} instructions", in_.options_.instruction_limit), "make the loops roll: `--print=loops` tells why one was unrolled");
    }
    switch (s.kind) {
        case StmtKind::ExprStmt: eval(*as<ExprStmt>(s).value); return {Completion::Normal};
        case StmtKind::Assign: {
            const auto& a = as<Assign>(s);
            PyValue v = eval(*a.value);
            for (const ExprPtr& t : a.targets) assign(*t, v);
            return {Completion::Normal};
        }
        case StmtKind::AugAssign: augmented(as<AugAssign>(s)); return {Completion::Normal};
        case StmtKind::AnnAssign: {
            const auto& a = as<AnnAssign>(s);
            if (a.value) assign(*a.target, eval(*a.value));
            // Names of fields, in order, for @dataclass.
            if (frame_->scope->kind == ScopeKind::Class && a.simple) {
                Symbol list = symbol("__annotations__");
                PyValue d = frame_->variables->variables.get(list);
                if (d.is_unbound()) {
                    d = in_.dict();
                    in_.heap_.set_variable(frame_->variables, list, d);
                }
                in_.dict_set(d, in_.str(as<Name>(*a.target).id), PyValue::none());
            }
            return {Completion::Normal};
        }
        case StmtKind::If: return exec_if(as<If>(s), body, next);
        case StmtKind::For: return {exec_for(as<For>(s))};
        case StmtKind::While: return {exec_while(as<While>(s))};
        case StmtKind::Break: return {Completion::Break};
        case StmtKind::Continue: return {Completion::Continue};
        case StmtKind::Pass:
        case StmtKind::Global:
        case StmtKind::Nonlocal: return {Completion::Normal};
        case StmtKind::Return: {
            const auto& r = as<Return>(s);
            PyValue v = r.value ? eval(*r.value) : PyValue::none();
            in_.heap_.set_variable(frame_->variables, result_symbol, v);
            return {Completion::Return};
        }
        case StmtKind::FunctionDef: exec_function(as<FunctionDef>(s)); return {Completion::Normal};
        case StmtKind::ClassDef: exec_class(as<ClassDef>(s)); return {Completion::Normal};
        case StmtKind::With: return {exec_with(as<With>(s), 0)};
        case StmtKind::Try: return {exec_try(as<Try>(s))};
        case StmtKind::Raise: exec_raise(as<Raise>(s)); return {Completion::Normal};
        case StmtKind::Assert: exec_assert(as<Assert>(s)); return {Completion::Normal};
        case StmtKind::Delete:
            for (const ExprPtr& t : as<Delete>(s).targets) exec_delete(*t);
            return {Completion::Normal};
        case StmtKind::Import: exec_import(as<Import>(s)); return {Completion::Normal};
        case StmtKind::ImportFrom: exec_import_from(as<ImportFrom>(s)); return {Completion::Normal};
        case StmtKind::Match: return {exec_match(as<Match>(s))};
    }
    SIFR_UNREACHABLE("a statement");
}

void Evaluator::augmented(const AugAssign& s) {
    switch (s.target->kind) {
        case ExprKind::Name: {
            PyValue old = load(as<Name>(*s.target));
            PyValue v = eval(*s.value);
            here(s.span);
            assign(*s.target, in_.binary(s.op, old, v, true));
            return;
        }
        case ExprKind::Attribute: {
            const auto& a = as<Attribute>(*s.target);
            PyValue object = eval(*a.value);
            here(a);
            PyValue old = in_.get_attr(object, symbol(a.name));
            PyValue v = eval(*s.value);
            here(s.span);
            in_.set_attr(object, symbol(a.name), in_.binary(s.op, old, v, true));
            return;
        }
        default: {
            const auto& sub = as<Subscript>(*s.target);
            PyValue object = eval(*sub.value), index = eval(*sub.index);
            here(sub);
            in_.item_is_written_back = true;
            PyValue old = in_.get_item(object, index);
            in_.item_is_written_back = false;
            PyValue v = eval(*s.value);
            here(s.span);
            in_.set_item(object, index, in_.binary(s.op, old, v, true));
            return;
        }
    }
}

void Evaluator::exec_delete(const syntax::Expr& target) {
    switch (target.kind) {
        case ExprKind::Name: here(target); return remove(as<Name>(target).id);
        case ExprKind::Attribute: {
            PyValue object = eval(*as<Attribute>(target).value);
            here(target);
            return in_.del_attr(object, symbol(as<Attribute>(target).name));
        }
        case ExprKind::Subscript: {
            PyValue object = eval(*as<Subscript>(target).value), index = eval(*as<Subscript>(target).index);
            here(target);
            return in_.del_item(object, index);
        }
        case ExprKind::Tuple:
            for (const ExprPtr& e : as<Tuple>(target).elements) exec_delete(*e);
            return;
        case ExprKind::List:
            for (const ExprPtr& e : as<List>(target).elements) exec_delete(*e);
            return;
        default: SIFR_UNREACHABLE("a target of del");
    }
}

// ----------------------------------------------------------------------------------------------- imports

void Evaluator::exec_import(const Import& s) {
    for (const Alias& a : s.names) {
        here(a.span);
        const ModuleObject* m = in_.import(a.name);
        if (a.asname.empty()) m = in_.import(a.name.substr(0, a.name.find('.')));
        store(std::string(a.bound()), m);
    }
}

void Evaluator::exec_import_from(const ImportFrom& s) {
    here(s.span);
    if (s.level) throw NotSupported("a relative import");
    if (s.module == "__future__") return;
    const ModuleObject* m = in_.import(s.module);
    for (const Alias& a : s.names) {
        here(a.span);
        if (a.name == "*") {
            for (const auto& [name, value] : m->variables->variables.entries)
                if (!value.is_unbound() && name->front() != '_') store(*name, value);
            continue;
        }
        PyValue v = in_.find_attr(m, symbol(a.name));
        if (v.is_unbound() && in_.tables_->modules.contains(s.module + "." + a.name)) v = in_.import(s.module + "." + a.name);
        if (v.is_unbound()) {
            in_.suggest(a.name, in_.attribute_names(m));
            in_.raise_error("ImportError", "cannot import name '{}' from '{}'", a.name, s.module);
        }
        store(a.asname.empty() ? a.name : a.asname, v);
    }
}

// -------------------------------------------------------------------------------------------- exceptions

void Evaluator::rethrow(const Exception& e) { throw Raised{e.value, e.span, e.diagnostic}; }

bool Evaluator::matches(PyValue exception, PyValue type) {
    if (const auto* t = type.get_if<TupleObject>())
        return std::any_of(t->items.begin(), t->items.end(), [&](PyValue item) { return matches(exception, item); });
    if (!type.is(Kind::Class) || !type.as<ClassObject>()->is_exception) in_.raise_error("TypeError", "catching classes that do not inherit from BaseException is not allowed");
    return in_.isinstance(exception, type.as<ClassObject>());
}

void Evaluator::exec_raise(const Raise& s) {
    here(s.span);
    if (!s.exception) {
        if (handled_.empty()) in_.raise_error("RuntimeError", "No active exception to reraise");
        throw Raised{handled_.back(), in_.span(), std::nullopt};
    }
    PyValue v = eval(*s.exception);
    PyValue cause = s.cause ? eval(*s.cause) : PyValue();
    here(s.span);
    if (v.is(Kind::Class) && v.as<ClassObject>()->is_exception) v = in_.call(v);
    if (!v.is(Kind::Instance) || !in_.class_of(v)->is_exception) in_.raise_error("TypeError", "exceptions must derive from BaseException");
    Variables& kept = in_.heap_.change(v.as<InstanceObject>()).attributes;
    if (cause.is(Kind::Class)) cause = in_.call(cause);
    if (!cause.is_unbound()) kept.set(symbol("<__cause__>"), cause);
    if (!handled_.empty() && !handled_.back().same(v)) kept.set(symbol("<__context__>"), handled_.back());
    throw Raised{v, in_.span(), std::nullopt};
}

void Evaluator::exec_assert(const Assert& s) {
    PyValue t = eval_truth(*s.test);
    auto fail = [&]() -> PyValue {
        PyValue e = in_.make_exception("AssertionError", "");
        if (s.message) {
            PyValue message = eval(*s.message);
            in_.heap_.change(e.as<InstanceObject>()).attributes.set(symbol("args"), in_.tuple({message}));
        }
        here(s.span);
        throw Raised{e, in_.span(), std::nullopt};
    };
    if (t.is(Kind::Bool)) {
        if (!t.as_bool()) fail();
        return;
    }
    fork(t.as_value(), [] { return PyValue::none(); }, fail);
}

// ------------------------------------------------------------------------------------------------- match

bool Evaluator::match_pattern(const Pattern& p, PyValue subject) {
    switch (p.kind) {
        case PatternKind::Value: return in_.is_true(in_.equal(subject, eval(*static_cast<const MatchValue&>(p).value)), "a pattern");
        case PatternKind::Singleton: {
            ConstantKind k = static_cast<const MatchSingleton&>(p).value;
            PyValue v = k == ConstantKind::None ? PyValue::none() : PyValue::boolean(k == ConstantKind::True);
            return in_.is_true(in_.compare(CompareOp::Is, subject, v), "a pattern");
        }
        case PatternKind::As: {
            const auto& a = static_cast<const MatchAs&>(p);
            if (a.pattern && !match_pattern(*a.pattern, subject)) return false;
            if (!a.name.empty()) store(a.name, subject);
            return true;
        }
        case PatternKind::Or:
            for (const PatternPtr& option : static_cast<const MatchOr&>(p).patterns)
                if (match_pattern(*option, subject)) return true;
            return false;
        case PatternKind::Sequence: {
            if (!subject.is(Kind::List) && !subject.is(Kind::Tuple)) return false;
            const auto& patterns = static_cast<const MatchSequence&>(p).patterns;
            Values items = in_.iterate(subject);
            size_t star = patterns.size();
            for (size_t i = 0; i < patterns.size(); ++i)
                if (patterns[i]->kind == PatternKind::Star) star = i;
            if (star == patterns.size() ? items.size() != patterns.size() : items.size() + 1 < patterns.size()) return false;
            size_t extra = star == patterns.size() ? 0 : items.size() + 1 - patterns.size();
            for (size_t i = 0, at = 0; i < patterns.size(); ++i) {
                if (i == star) {
                    const auto& s = static_cast<const MatchStar&>(*patterns[i]);
                    if (!s.name.empty()) store(s.name, in_.list(Values(items.begin() + static_cast<std::ptrdiff_t>(at), items.begin() + static_cast<std::ptrdiff_t>(at + extra))));
                    at += extra;
                } else if (!match_pattern(*patterns[i], items[at++])) {
                    return false;
                }
            }
            return true;
        }
        case PatternKind::Mapping: {
            const auto& m = static_cast<const MatchMapping&>(p);
            if (!subject.is(Kind::Dict)) return false;
            PyValue rest = in_.heap_.make<DictObject>(*subject.as<DictObject>());
            for (size_t i = 0; i < m.keys.size(); ++i) {
                std::string hash = hash_key(in_, eval(*m.keys[i]));
                const PyValue* v = subject.as<DictObject>()->find(hash);
                if (!v || !match_pattern(*m.patterns[i], *v)) return false;
                in_.heap_.change(rest.as<DictObject>()).erase(hash);
            }
            if (!m.rest.empty()) store(m.rest, rest);
            return true;
        }
        case PatternKind::Class: {
            const auto& c = static_cast<const MatchClass&>(p);
            PyValue cls = eval(*c.cls);
            if (!cls.is(Kind::Class)) in_.raise_error("TypeError", "called match pattern must be a class");
            if (!in_.isinstance(subject, cls.as<ClassObject>())) return false;
            if (!c.patterns.empty()) {
                static const char* whole[] = {"int", "float", "str", "bool", "list", "tuple", "dict", "set", "bytes", "frozenset"};
                const std::string& name = cls.as<ClassObject>()->name;
                if (c.patterns.size() == 1 && std::find(std::begin(whole), std::end(whole), name) != std::end(whole)) {
                    if (!match_pattern(*c.patterns[0], subject)) return false;
                } else {
                    PyValue names = in_.find_attr(cls, symbol("__match_args__"));
                    Values fields = names.is(Kind::Tuple) ? names.as<TupleObject>()->items : Values{};
                    if (fields.size() < c.patterns.size())
                        in_.raise_error("TypeError", "{}() accepts {} positional sub-patterns ({} given)", name, fields.size(), c.patterns.size());
                    for (size_t i = 0; i < c.patterns.size(); ++i) {
                        PyValue v = in_.find_attr(subject, symbol(in_.need_str(fields[i], "a field name")));
                        if (v.is_unbound() || !match_pattern(*c.patterns[i], v)) return false;
                    }
                }
            }
            for (size_t i = 0; i < c.keyword_names.size(); ++i) {
                PyValue v = in_.find_attr(subject, symbol(c.keyword_names[i]));
                if (v.is_unbound() || !match_pattern(*c.keyword_patterns[i], v)) return false;
            }
            return true;
        }
        case PatternKind::Star: SIFR_UNREACHABLE("a star pattern outside of a sequence");
    }
    SIFR_UNREACHABLE("a pattern");
}

Completion Evaluator::exec_match(const Match& s) {
    PyValue subject = eval(*s.subject);
    for (const MatchCase& c : s.cases) {
        here(c.span);
        if (!match_pattern(*c.pattern, subject)) continue;
        if (c.guard && !in_.is_true(eval(*c.guard), "the guard of a case")) continue;
        return exec(c.body);
    }
    return Completion::Normal;
}

}  // namespace sifr::capture
