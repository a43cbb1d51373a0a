#include <algorithm>
#include <set>

#include "compiler/frontend/syntax/messages.h"
#include "compiler/frontend/syntax/parser_impl.h"
#include "compiler/frontend/syntax/walk.h"

/// What CPython's compiler rejects in a tree that its grammar accepts.
namespace sifr::syntax {
namespace {

constexpr std::string_view future_features[] = {"nested_scopes", "generators", "division", "absolute_import", "with_statement",
                                                "print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop", "annotations"};

enum class FunctionKind { None, Sync, Async };

/// Where the walk stands.
struct Place {
    FunctionKind function = FunctionKind::None;
    const char* comprehension = nullptr;  // "list comprehension", …: the innermost one
    bool in_loop = false;
    bool in_except_star = false;
    bool generator_only = true;  // all comprehensions around are generator expressions
};

class Checker {
public:
    void module(const Module& m) {
        bool future_allowed = true;
        for (size_t i = 0; i < m.body.size(); ++i) {
            const Stmt& s = *m.body[i];
            const auto* import = get_if<ImportFrom>(&s);
            bool future = import && import->module == "__future__" && import->level == 0;
            bool doc = i == 0 && docstring(m.body);
            if (!future && !doc) future_allowed = false;
            if (future && future_allowed) future_import(*import);
            else statement(s);
        }
    }

private:
    template <class F>
    void within(const Place& place, F&& f) {
        Place outer = std::exchange(place_, place);
        f();
        place_ = outer;
    }

    void future_import(const ImportFrom& i) {
        for (const Alias& a : i.names)
            if (std::find(std::begin(future_features), std::end(future_features), a.name) == std::end(future_features))
                syntax_error(messages::future_unknown, i.span, a.name);
    }

    void body(const Body& statements) {
        for (const StmtPtr& s : statements) statement(*s);
    }

    void target(const Expr& e) {
        switch (e.kind) {
            case ExprKind::Starred: syntax_error(messages::starred_target_alone, e.span);
            case ExprKind::Tuple: targets(e, as<Tuple>(e).elements); return;
            case ExprKind::List: targets(e, as<List>(e).elements); return;
            default: expression(e);
        }
    }

    void targets(const Expr& whole, const std::vector<ExprPtr>& elements) {
        bool starred = false;
        for (const ExprPtr& e : elements) {
            const Starred* s = get_if<Starred>(e);
            if (s && std::exchange(starred, true)) syntax_error(messages::starred_targets, whole.span);
            target(s ? *s->value : *e);
        }
    }

    void keywords(const std::vector<Keyword>& list) {
        std::set<std::string_view> seen;
        for (const Keyword& k : list) {
            if (!k.name.empty() && !seen.insert(k.name).second) syntax_error(messages::keyword_repeated, k.span, k.name);
            if (k.name == "__debug__") syntax_error(messages::assign_debug, k.span, "assign to");
        }
        for (const Keyword& k : list) expression(*k.value);
    }

    /// Elements that may be starred.
    void elements(const std::vector<ExprPtr>& list) {
        for (const ExprPtr& e : list) {
            const Starred* s = get_if<Starred>(e);
            expression(s ? *s->value : *e);
        }
    }

    void parameters(const Parameters& params) {
        params.for_each([&](const Parameter& p) {
            if (p.name == "__debug__") syntax_error(messages::assign_debug, p.span, "assign to");
            if (p.default_value) expression(*p.default_value);
        });
        params.for_each([&](const Parameter& p) {
            if (!p.annotation) return;
            const Starred* s = get_if<Starred>(p.annotation);  // of `*args`
            expression(s ? *s->value : *p.annotation);
        });
    }

    void function(const FunctionDef& f) {
        for (const ExprPtr& d : f.decorators) expression(*d);
        parameters(f.params);
        if (f.returns) expression(*f.returns);
        Place inner;
        inner.function = f.is_async ? FunctionKind::Async : FunctionKind::Sync;
        bool outer_yields = std::exchange(yields_, false);
        Span outer_return = std::exchange(value_return_, Span{});
        within(inner, [&] { body(f.body); });
        if (f.is_async && yields_ && value_return_.known()) syntax_error(messages::return_in_async_generator, value_return_);
        yields_ = outer_yields;
        value_return_ = outer_return;
    }

    void loop(const Body& statements, const Body& orelse) {
        Place inner = place_;
        inner.in_loop = true;
        inner.in_except_star = false;
        within(inner, [&] { body(statements); });
        body(orelse);
    }

    void need_async(const char* what, Span span) {
        if (place_.function != FunctionKind::Async) syntax_error(messages::outside_async_function, span, what);
    }

    void statement(const Stmt& s) {
        switch (s.kind) {
            case StmtKind::ExprStmt: expression(*as<ExprStmt>(s).value); return;
            case StmtKind::Assign:
                expression(*as<Assign>(s).value);
                for (const ExprPtr& t : as<Assign>(s).targets) target(*t);
                return;
            case StmtKind::If:
                expression(*as<If>(s).test);
                body(as<If>(s).body);
                body(as<If>(s).orelse);
                return;
            case StmtKind::For: {
                const auto& f = as<For>(s);
                if (f.is_async) need_async("'async for'", s.span);
                expression(*f.iter);
                target(*f.target);
                loop(f.body, f.orelse);
                return;
            }
            case StmtKind::While:
                expression(*as<While>(s).test);
                loop(as<While>(s).body, as<While>(s).orelse);
                return;
            case StmtKind::Break:
                if (place_.in_except_star) syntax_error(messages::jump_in_except_star, s.span);
                if (!place_.in_loop) syntax_error(messages::break_outside_loop, s.span);
                return;
            case StmtKind::Continue:
                if (place_.in_except_star) syntax_error(messages::jump_in_except_star, s.span);
                if (!place_.in_loop) syntax_error(messages::continue_outside_loop, s.span);
                return;
            case StmtKind::Return: {
                const auto& r = as<Return>(s);
                if (place_.function == FunctionKind::None) syntax_error(messages::outside_function, s.span, "return");
                if (place_.in_except_star) syntax_error(messages::jump_in_except_star, s.span);
                if (r.value) {
                    if (!value_return_.known()) value_return_ = s.span;
                    expression(*r.value);
                }
                return;
            }
            case StmtKind::FunctionDef: function(as<FunctionDef>(s)); return;
            case StmtKind::ClassDef: {
                const auto& c = as<ClassDef>(s);
                for (const ExprPtr& d : c.decorators) expression(*d);
                elements(c.bases);
                keywords(c.keywords);
                within(Place{}, [&] { body(c.body); });
                return;
            }
            case StmtKind::With: {
                const auto& w = as<With>(s);
                if (w.is_async) need_async("'async with'", s.span);
                for (const WithItem& i : w.items) {
                    expression(*i.manager);
                    if (i.target) target(*i.target);
                }
                body(w.body);
                return;
            }
            case StmtKind::Try: {
                const auto& t = as<Try>(s);
                body(t.body);
                for (const ExceptHandler& h : t.handlers) {
                    if (!h.type && &h != &t.handlers.back()) syntax_error(messages::default_except_last, h.span);
                    if (h.type) expression(*h.type);
                    Place inner = place_;
                    inner.in_except_star = t.is_star;
                    within(inner, [&] { body(h.body); });
                }
                body(t.orelse);
                body(t.finalbody);
                return;
            }
            case StmtKind::Match: match(as<Match>(s)); return;
            case StmtKind::ImportFrom:
                if (as<ImportFrom>(s).module == "__future__" && as<ImportFrom>(s).level == 0) syntax_error(messages::future_import_late, s.span);
                return;
            default: for_each_expression(s, [&](const Expr& e) { expression(e); });
        }
    }

    void comprehension(const Comprehension& c) {
        const auto* dict = get_if<DictComp>(static_cast<const Expr*>(&c));
        expression(*c.generators.front().iter);
        Place inner = place_;
        inner.in_loop = false;
        bool is_generator = c.kind == ExprKind::GeneratorExp;
        static constexpr const char* names[] = {"list comprehension", "set comprehension", "dict comprehension", "generator expression"};
        inner.comprehension = names[static_cast<size_t>(c.kind) - static_cast<size_t>(ExprKind::ListComp)];
        bool is_async = std::any_of(c.generators.begin(), c.generators.end(), [](const Generator& g) { return g.is_async; });
        inner.generator_only = place_.generator_only && is_generator;
        if (is_async && place_.function != FunctionKind::Async && !is_generator && !place_.comprehension)
            syntax_error(messages::async_comprehension, c.span);
        within(inner, [&] {
            for (const Generator& g : c.generators) {
                target(*g.target);
                if (&g != &c.generators.front()) expression(*g.iter);
                for (const ExprPtr& condition : g.conditions) expression(*condition);
            }
            expression(*c.element);
            if (dict) expression(*dict->value);
        });
    }

    void expression(const Expr& e) {
        switch (e.kind) {
            case ExprKind::Constant: return;
            case ExprKind::Name:
                if (as<Name>(e).context != Context::Load && as<Name>(e).id == "__debug__")
                    syntax_error(messages::assign_debug, e.span, as<Name>(e).context == Context::Del ? "delete" : "assign to");
                return;
            case ExprKind::Attribute:
                if (as<Attribute>(e).context != Context::Load && as<Attribute>(e).name == "__debug__")
                    syntax_error(messages::assign_debug, e.span, as<Attribute>(e).context == Context::Del ? "delete" : "assign to");
                break;
            case ExprKind::Starred: syntax_error(messages::starred_alone, e.span);
            case ExprKind::Tuple: elements(as<Tuple>(e).elements); return;
            case ExprKind::List: elements(as<List>(e).elements); return;
            case ExprKind::Set: elements(as<Set>(e).elements); return;
            case ExprKind::Call:
                expression(*as<Call>(e).function);
                elements(as<Call>(e).args);
                keywords(as<Call>(e).keywords);
                return;
            case ExprKind::ListComp:
            case ExprKind::SetComp:
            case ExprKind::DictComp:
            case ExprKind::GeneratorExp: comprehension(*get_if_comprehension(&e)); return;
            case ExprKind::Lambda: {
                parameters(as<Lambda>(e).params);
                Place inner;
                inner.function = FunctionKind::Sync;
                bool yields = yields_;
                within(inner, [&] { expression(*as<Lambda>(e).body); });
                yields_ = yields;
                return;
            }
            case ExprKind::Yield:
            case ExprKind::YieldFrom:
                if (place_.comprehension) syntax_error(messages::yield_in_comprehension, e.span, place_.comprehension);
                if (place_.function == FunctionKind::None) syntax_error(messages::outside_function, e.span, "yield");
                if (e.kind == ExprKind::YieldFrom && place_.function == FunctionKind::Async) syntax_error(messages::yield_from_async, e.span);
                yields_ = true;
                break;
            case ExprKind::Await:
                if (place_.function == FunctionKind::None) syntax_error(messages::outside_function, e.span, "await");
                if (place_.function == FunctionKind::Sync && !(place_.comprehension && place_.generator_only)) need_async("'await'", e.span);
                break;
            default: break;
        }
        for_each_child(e, [&](const Expr& child) { expression(child); });
    }

    // ---------------------------------------------------------------------------------------------- patterns

    /// A pattern that matches everything: its name ("_" or a capture), or null.
    static const MatchAs* irrefutable(const Pattern& p) {
        const MatchAs* a = get_if<MatchAs>(&p);
        if (!a) return nullptr;
        return a->pattern ? irrefutable(*a->pattern) : a;
    }

    [[noreturn]] static void unreachable(const MatchAs& p, Span span) {
        if (p.name.empty()) syntax_error(messages::pattern_unreachable_wildcard, span);
        syntax_error(messages::pattern_unreachable_name, span, p.name);
    }

    void match(const Match& m) {
        expression(*m.subject);
        for (const MatchCase& c : m.cases) {
            std::set<std::string> bound;
            pattern(*c.pattern, bound);
            const MatchAs* all = irrefutable(*c.pattern);
            if (all && !c.guard && &c != &m.cases.back()) unreachable(*all, c.pattern->span);
            if (c.guard) expression(*c.guard);
            body(c.body);
        }
    }

    void bind(const std::string& name, const Pattern& p, std::set<std::string>& bound) {
        if (name.empty()) return;
        if (name == "__debug__") syntax_error(messages::assign_debug, p.span, "assign to");
        if (!bound.insert(name).second) syntax_error(messages::pattern_name_twice, p.span, name);
    }

    void pattern(const Pattern& p, std::set<std::string>& bound) {
        switch (p.kind) {
            case PatternKind::Value: {
                const Expr& v = *as<MatchValue>(p).value;
                if (v.kind == ExprKind::JoinedStr) syntax_error(messages::pattern_literals, p.span);
                expression(v);
                return;
            }
            case PatternKind::Singleton: return;
            case PatternKind::Sequence: {
                bool starred = false;
                for (const PatternPtr& i : as<MatchSequence>(p).patterns) {
                    if (i->kind == PatternKind::Star && std::exchange(starred, true)) syntax_error(messages::pattern_starred, p.span);
                    pattern(*i, bound);
                }
                return;
            }
            case PatternKind::Mapping:
                for (const ExprPtr& k : as<MatchMapping>(p).keys) {
                    if (k->kind == ExprKind::JoinedStr) syntax_error(messages::pattern_keys, p.span);
                    expression(*k);
                }
                for (const PatternPtr& i : as<MatchMapping>(p).patterns) pattern(*i, bound);
                bind(as<MatchMapping>(p).rest, p, bound);
                return;
            case PatternKind::Class: {
                const auto& c = as<MatchClass>(p);
                expression(*c.cls);
                std::set<std::string_view> seen;
                for (size_t i = 0; i < c.keyword_names.size(); ++i)
                    if (!seen.insert(c.keyword_names[i]).second)
                        syntax_error(messages::pattern_keyword_repeated, c.keyword_patterns[i]->span, c.keyword_names[i]);
                for (const PatternPtr& i : c.patterns) pattern(*i, bound);
                for (const PatternPtr& i : c.keyword_patterns) pattern(*i, bound);
                return;
            }
            case PatternKind::Star: bind(as<MatchStar>(p).name, p, bound); return;
            case PatternKind::As: {
                const auto& a = as<MatchAs>(p);
                if (a.pattern) pattern(*a.pattern, bound);
                bind(a.name, p, bound);
                return;
            }
            case PatternKind::Or: {
                const auto& alternatives = as<MatchOr>(p).patterns;
                std::set<std::string> first;
                for (const PatternPtr& i : alternatives) {
                    if (const MatchAs* all = irrefutable(*i); all && i != alternatives.back()) unreachable(*all, i->span);
                    std::set<std::string> names;
                    pattern(*i, names);
                    if (i == alternatives.front()) first = std::move(names);
                    else if (names != first) syntax_error(messages::pattern_alternatives, p.span);
                }
                for (const std::string& n : first) bind(n, p, bound);
                return;
            }
        }
    }

    Place place_;
    bool yields_ = false;   // the function being walked
    Span value_return_;     // its first `return` with a value
};

}  // namespace

void check_tree(const Module& module) { Checker().module(module); }

}  // namespace sifr::syntax
