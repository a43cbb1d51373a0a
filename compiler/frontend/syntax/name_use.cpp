#include "compiler/frontend/syntax/scopes.h"
#include "compiler/frontend/syntax/walk.h"

namespace sifr::syntax {
namespace {

void add(NameSet& to, const NameSet& from) { to.insert(from.begin(), from.end()); }

/// Functions that use up a generator before they return, so that one given to them directly is read at once.
constexpr std::string_view consumers[] = {"sum", "any", "all", "min", "max", "list", "tuple", "set", "dict", "sorted", "frozenset", "join"};

bool consumes(const Expr& function) {
    const Name* name = get_if<Name>(&function);
    const Attribute* attribute = get_if<Attribute>(&function);
    std::string_view called = name ? std::string_view(name->id) : attribute ? std::string_view(attribute->name) : std::string_view();
    for (std::string_view c : consumers)
        if (c == called) return true;
    return false;
}

class Collector {
public:
    NameUse use;
    NameSet locals;    // all that makes a name local to a function: `assigned`, and annotations without a value
    NameSet declared;  // by `global` and `nonlocal`

    void body(const Body& statements) {
        for (const StmtPtr& s : statements) statement(*s);
    }

    void statement(const Stmt& s) {
        switch (s.kind) {
            case StmtKind::FunctionDef: {
                const auto& f = as<FunctionDef>(s);
                for_each_expression(s, [&](const Expr& e) { expression(e); });
                assign(f.name);
                function(f.params, [&](Collector& c) { c.body(f.body); });
                return;
            }
            case StmtKind::ClassDef: {
                // The body runs at once. What it assigns are attributes; a name that it reads may be one of them or come from outside.
                const auto& c = as<ClassDef>(s);
                for_each_expression(s, [&](const Expr& e) { expression(e); });
                Collector inner;
                inner.body(c.body);
                add(use.read, inner.use.read);
                add(use.deferred, inner.use.deferred);
                for (const std::string& n : inner.declared)
                    if (inner.use.assigned.count(n)) assign(n);
                assign(c.name);
                return;
            }
            case StmtKind::AnnAssign: {
                const auto& a = as<AnnAssign>(s);
                expression(*a.annotation);
                if (a.value) expression(*a.value);
                const Name* n = get_if<Name>(a.target);
                if (!n) expression(*a.target);
                else if (a.value) assign(n->id);
                else if (a.simple) locals.insert(n->id);
                return;
            }
            case StmtKind::AugAssign:
                if (const Name* n = get_if<Name>(as<AugAssign>(s).target)) use.read.insert(n->id);
                break;
            case StmtKind::Global: declared.insert(as<Global>(s).names.begin(), as<Global>(s).names.end()); return;
            case StmtKind::Nonlocal: declared.insert(as<Nonlocal>(s).names.begin(), as<Nonlocal>(s).names.end()); return;
            case StmtKind::Import:
                for (const Alias& a : as<Import>(s).names) assign(std::string(a.bound()));
                return;
            case StmtKind::ImportFrom:
                for (const Alias& a : as<ImportFrom>(s).names)
                    if (a.name != "*") assign(a.asname.empty() ? a.name : a.asname);
                return;
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
                if (n.context == Context::Load) use.read.insert(n.id);
                else assign(n.id);
                return;
            }
            case ExprKind::Lambda: {
                const auto& l = as<Lambda>(e);
                l.params.for_each([&](const Parameter& p) {
                    if (p.default_value) expression(*p.default_value);
                });
                function(l.params, [&](Collector& c) { c.expression(*l.body); });
                return;
            }
            case ExprKind::ListComp:
            case ExprKind::SetComp:
            case ExprKind::DictComp: comprehension(*get_if_comprehension(&e), false); return;
            case ExprKind::GeneratorExp: comprehension(*get_if_comprehension(&e), true); return;
            case ExprKind::Call: {
                const auto& c = as<Call>(e);
                if (c.args.size() == 1 && c.args[0]->kind == ExprKind::GeneratorExp && consumes(*c.function)) {
                    expression(*c.function);
                    comprehension(*get_if_comprehension(c.args[0].get()), false);
                    for (const Keyword& k : c.keywords) expression(*k.value);
                    return;
                }
                break;
            }
            default: break;
        }
        for_each_child(e, [&](const Expr& child) { expression(child); });
    }

private:
    void assign(const std::string& name) {
        use.assigned.insert(name);
        locals.insert(name);
    }

    template <class F>
    void function(const Parameters& params, F&& f) {
        Collector inner;
        params.for_each([&](const Parameter& p) { inner.locals.insert(p.name); });
        f(inner);
        for (const std::string& n : inner.declared) {
            inner.locals.erase(n);
            if (inner.use.assigned.count(n)) assign(n);
        }
        for (const NameSet* reads : {&inner.use.read, &inner.use.deferred})
            for (const std::string& n : *reads)
                if (!inner.locals.count(n)) use.deferred.insert(n);
    }

    void comprehension(const Comprehension& c, bool deferred) {
        expression(*c.generators.front().iter);
        Collector inner;
        Collector targets;
        for (size_t i = 0; i < c.generators.size(); ++i) {
            const Generator& g = c.generators[i];
            targets.expression(*g.target);
            if (i) inner.expression(*g.iter);
            for (const ExprPtr& condition : g.conditions) inner.expression(*condition);
        }
        inner.expression(*c.element);
        if (const auto* d = get_if<DictComp>(static_cast<const Expr*>(&c))) inner.expression(*d->value);
        add(inner.use.read, targets.use.read);
        for (const std::string& n : inner.use.assigned) assign(n);  // by `:=`
        for (const std::string& n : inner.use.read)
            if (!targets.use.assigned.count(n)) (deferred ? use.deferred : use.read).insert(n);
        for (const std::string& n : inner.use.deferred)
            if (!targets.use.assigned.count(n)) use.deferred.insert(n);
    }
};

NameSet all_reads(NameUse use) {
    add(use.read, use.deferred);
    return std::move(use.read);
}

}  // namespace

NameUse name_use(const Body& body) {
    Collector c;
    c.body(body);
    return std::move(c.use);
}

NameUse name_use(const Stmt& statement) {
    Collector c;
    c.statement(statement);
    return std::move(c.use);
}

NameUse name_use(const Expr& expression) {
    Collector c;
    c.expression(expression);
    return std::move(c.use);
}

NameSet names_assigned(const Body& body) { return name_use(body).assigned; }
NameSet names_assigned(const Stmt& statement) { return name_use(statement).assigned; }
NameSet names_assigned(const Expr& expression) { return name_use(expression).assigned; }
NameSet names_read(const Body& body) { return all_reads(name_use(body)); }
NameSet names_read(const Stmt& statement) { return all_reads(name_use(statement)); }
NameSet names_read(const Expr& expression) { return all_reads(name_use(expression)); }

}  // namespace sifr::syntax
