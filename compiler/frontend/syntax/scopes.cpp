#include "compiler/frontend/syntax/scopes.h"

#include <utility>

#include "compiler/frontend/syntax/messages.h"
#include "compiler/frontend/syntax/walk.h"

namespace sifr::syntax {

Binding Scope::binding(std::string_view name) const {
    auto found = symbols.find(name);
    return found == symbols.end() ? Binding::Global : found->second.binding;
}

/// Two passes: over the tree, noting how each scope uses each name; then over the scopes from the outside in, deciding what the
/// names mean.
class ScopeBuilder {
public:
    explicit ScopeBuilder(std::unordered_map<const void*, const Scope*>& by_node) : by_node_(by_node) {}

    std::unique_ptr<Scope> run(const Module& module) {
        auto scope = std::make_unique<Scope>();
        scope_ = scope.get();
        body(module.body);
        resolve(*scope);
        return scope;
    }

private:
    // What the first pass knows of a name in a scope, besides its Symbol.
    struct Note {
        bool global = false, nonlocal = false, annotated = false;
        bool iteration = false;  // a target of this comprehension
        bool named = false;      // assigned by `:=` from within this comprehension
        Span declaration;
    };

    Symbol& symbol(Scope& s, const std::string& name) { return s.symbols[name]; }
    Note& note(Scope& s, const std::string& name) { return notes_[&s][name]; }

    void assign(const std::string& name) { symbol(*scope_, name).assigned = true; }
    void read(const std::string& name) { symbol(*scope_, name).read = true; }

    template <class F>
    void inside(ScopeKind kind, const void* node, F&& f) {
        auto child = std::make_unique<Scope>();
        child->kind = kind;
        child->parent = scope_;
        by_node_[node] = child.get();
        Scope* outer = scope_;
        scope_ = child.get();
        outer->children.push_back(std::move(child));
        f();
        scope_ = outer;
    }

    void parameters(const Parameters& params) {
        params.for_each([&](const Parameter& p) {
            Symbol& s = symbol(*scope_, p.name);
            if (s.parameter) syntax_error(messages::duplicate_argument, p.span, p.name);
            s.parameter = s.assigned = true;
        });
    }

    void declare(const Stmt& s, const std::string& name, bool global) {
        const char* word = global ? "global" : "nonlocal";
        Symbol& sym = symbol(*scope_, name);
        Note& n = note(*scope_, name);
        if (sym.parameter) syntax_error(messages::parameter_and_global, s.span, name, word);
        if (sym.read) syntax_error(messages::used_before_declaration, s.span, name, "used prior to", word);
        if (n.annotated) syntax_error(messages::annotated_declared, s.span, name, word);
        if (sym.assigned) syntax_error(messages::used_before_declaration, s.span, name, "assigned to before", word);
        if (!global && scope_->kind == ScopeKind::Module) syntax_error(messages::nonlocal_module, s.span);
        if (global ? n.nonlocal : n.global) syntax_error(messages::nonlocal_and_global, s.span, name);
        (global ? n.global : n.nonlocal) = true;
        n.declaration = s.span;
        sym.declared = true;
    }

    void body(const Body& statements) {
        for (const StmtPtr& s : statements) statement(*s);
    }

    void statement(const Stmt& s) {
        switch (s.kind) {
            case StmtKind::FunctionDef: {
                const auto& f = as<FunctionDef>(s);
                assign(f.name);
                for_each_expression(s, [&](const Expr& e) { expression(e); });
                inside(ScopeKind::Function, &f, [&] {
                    parameters(f.params);
                    body(f.body);
                });
                return;
            }
            case StmtKind::ClassDef: {
                const auto& c = as<ClassDef>(s);
                assign(c.name);
                for_each_expression(s, [&](const Expr& e) { expression(e); });
                inside(ScopeKind::Class, &c, [&] { body(c.body); });
                return;
            }
            case StmtKind::AnnAssign: {
                const auto& a = as<AnnAssign>(s);
                if (const Name* n = get_if<Name>(a.target)) {
                    Note& noted = note(*scope_, n->id);
                    if (a.simple && scope_->kind != ScopeKind::Module && (noted.global || noted.nonlocal))
                        syntax_error(messages::annotated_declared, s.span, n->id, noted.global ? "global" : "nonlocal");
                    if (a.simple) noted.annotated = true;
                    // Without a value the name is a variable of this scope all the same.
                    if (a.simple || a.value) assign(n->id);
                } else {
                    expression(*a.target);
                }
                expression(*a.annotation);
                if (a.value) expression(*a.value);
                return;
            }
            case StmtKind::Global:
                for (const std::string& n : as<Global>(s).names) declare(s, n, true);
                return;
            case StmtKind::Nonlocal:
                for (const std::string& n : as<Nonlocal>(s).names) declare(s, n, false);
                return;
            case StmtKind::Import:
                for (const Alias& a : as<Import>(s).names) assign(std::string(a.bound()));
                return;
            case StmtKind::ImportFrom:
                for (const Alias& a : as<ImportFrom>(s).names) {
                    if (a.name == "*") {
                        if (scope_->kind != ScopeKind::Module) syntax_error(messages::import_star_nested, s.span);
                        continue;
                    }
                    assign(a.asname.empty() ? a.name : a.asname);
                }
                return;
            case StmtKind::AugAssign:
                if (const Name* n = get_if<Name>(as<AugAssign>(s).target)) read(n->id);
                break;
            case StmtKind::Match:
                for (const MatchCase& c : as<Match>(s).cases)
                    for_each_in_pattern(*c.pattern, [](const Expr&) {}, [&](const std::string& n) { assign(n); });
                break;
            case StmtKind::Try:
                for (const ExceptHandler& h : as<Try>(s).handlers)
                    if (!h.name.empty()) assign(h.name);
                break;
            default: break;
        }
        for_each_expression(s, [&](const Expr& e) { expression(e); });
        for_each_body(s, [&](const Body& b) { body(b); });
    }

    void expression(const Expr& e) {
        switch (e.kind) {
            case ExprKind::Name: {
                const auto& n = as<Name>(e);
                if (n.context == Context::Load) read(n.id);
                else assign(n.id);
                if (n.context == Context::Store && in_target_) {
                    Note& noted = note(*scope_, n.id);
                    if (noted.named) syntax_error(messages::comprehension_inner_rebinds, e.span, n.id);
                    noted.iteration = true;
                }
                return;
            }
            case ExprKind::Lambda: {
                const auto& l = as<Lambda>(e);
                l.params.for_each([&](const Parameter& p) {
                    if (p.default_value) expression(*p.default_value);
                });
                bool iterable = std::exchange(in_iterable_, false);
                inside(ScopeKind::Lambda, &l, [&] {
                    parameters(l.params);
                    expression(*l.body);
                });
                in_iterable_ = iterable;
                return;
            }
            case ExprKind::ListComp:
            case ExprKind::SetComp:
            case ExprKind::DictComp:
            case ExprKind::GeneratorExp: comprehension(*get_if_comprehension(&e)); return;
            case ExprKind::NamedExpr:
                named(as<NamedExpr>(e));
                return;
            case ExprKind::Yield:
            case ExprKind::YieldFrom: scope_->has_yield = true; break;
            default: break;
        }
        for_each_child(e, [&](const Expr& child) { expression(child); });
    }

    void iterable(const Expr& e) {
        bool outer = std::exchange(in_iterable_, true);
        expression(e);
        in_iterable_ = outer;
    }

    void comprehension(const Comprehension& c) {
        iterable(*c.generators.front().iter);
        bool outer_target = std::exchange(in_target_, false);
        inside(ScopeKind::Comprehension, &c, [&] {
            for (size_t i = 0; i < c.generators.size(); ++i) {
                const Generator& g = c.generators[i];
                in_target_ = true;
                expression(*g.target);
                in_target_ = false;
                if (i) iterable(*g.iter);
                for (const ExprPtr& condition : g.conditions) expression(*condition);
            }
            expression(*c.element);
            if (const auto* d = get_if<DictComp>(static_cast<const Expr*>(&c))) expression(*d->value);
        });
        in_target_ = outer_target;
    }

    /// `:=` in a comprehension binds in the scope around the comprehensions.
    void named(const NamedExpr& e) {
        const std::string& name = e.target->id;
        if (in_iterable_) syntax_error(messages::named_in_iterable, e.span);
        Scope* owner = scope_;
        for (; owner->kind == ScopeKind::Comprehension; owner = const_cast<Scope*>(owner->parent)) {
            Note& n = note(*owner, name);
            if (n.iteration) syntax_error(messages::comprehension_rebinds, e.target->span, name);
            n.named = true;
        }
        if (owner != scope_) {
            if (owner->kind == ScopeKind::Class) syntax_error(messages::named_in_class, e.target->span);
            symbol(*scope_, name).read = true;  // resolved through the scopes in between
        }
        symbol(*owner, name).assigned = true;
        expression(*e.value);
    }

    /// The scope whose variable `name` is, from `s` outwards; null for a global.
    Scope* owner_of(const std::string& name, const Scope* s) {
        for (; s && s->kind != ScopeKind::Module; s = s->parent) {
            if (s->kind == ScopeKind::Class) {
                // Methods see their class as `__class__`; no other name of a class body is seen inside it.
                if (name != "__class__") continue;
                Scope* cls = const_cast<Scope*>(s);
                cls->symbols[name].binding = Binding::Local;
                return cls;
            }
            auto found = s->symbols.find(name);
            if (found == s->symbols.end()) continue;
            if (found->second.binding == Binding::Local) return const_cast<Scope*>(s);
            if (known(*s, name).global) return nullptr;
        }
        return nullptr;
    }

    [[nodiscard]] const Note& known(const Scope& scope, const std::string& name) const {
        static const Note nothing;
        auto notes = notes_.find(&scope);
        if (notes == notes_.end()) return nothing;
        auto found = notes->second.find(name);
        return found == notes->second.end() ? nothing : found->second;
    }

    void resolve(Scope& scope) {
        for (auto& [name, s] : scope.symbols) {
            const Note& n = known(scope, name);
            if (n.global) {
                s.binding = Binding::Global;
                continue;
            }
            if (s.assigned && !n.nonlocal) {
                s.binding = Binding::Local;
                continue;
            }
            Scope* owner = owner_of(name, scope.parent);
            if (n.nonlocal && !owner) syntax_error(messages::nonlocal_unbound, n.declaration, name);
            s.binding = owner ? Binding::Free : Binding::Global;
            if (owner) owner->symbols[name].captured = true;
        }
        for (const auto& child : scope.children) resolve(*child);
    }

    Scope* scope_ = nullptr;
    bool in_target_ = false;    // the targets of a comprehension
    bool in_iterable_ = false;  // the iterables of a comprehension
    std::unordered_map<const void*, const Scope*>& by_node_;
    std::unordered_map<const Scope*, std::map<std::string, Note>> notes_;
};

ScopeTable::ScopeTable(const Module& module) { module_ = ScopeBuilder(by_node_).run(module); }

const Scope& ScopeTable::at(const void* node) const {
    auto found = by_node_.find(node);
    SIFR_CHECK(found != by_node_.end(), "a node of another module was looked up");
    return *found->second;
}

std::string mangled(std::string_view class_name, std::string_view name) {
    bool is_private = name.size() > 2 && name.substr(0, 2) == "__" && name.substr(name.size() - 2) != "__" && name.find('.') == std::string_view::npos;
    size_t first = class_name.find_first_not_of('_');
    if (!is_private || first == std::string_view::npos) return std::string(name);
    return "_" + std::string(class_name.substr(first)) + std::string(name);
}

}  // namespace sifr::syntax
