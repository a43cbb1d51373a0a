#pragma once

#include "compiler/frontend/syntax/ast.h"

/// The children of a node, for walks that treat most kinds alike.
namespace sifr::syntax {

/// Calls `f(const Expr&)` for each expression right under `e`, in the order of the source. What belongs to another scope (a
/// lambda's body, the parts of a comprehension) is visited like the rest.
template <class F>
void for_each_child(const Expr& e, F&& f) {
    auto one = [&](const Expr* child) {
        if (child) f(*child);
    };
    auto all = [&](const std::vector<ExprPtr>& list) {
        for (const ExprPtr& child : list) one(child.get());
    };
    auto generators = [&](const Comprehension& c) {
        for (const Generator& g : c.generators) {
            one(g.target.get());
            one(g.iter.get());
            all(g.conditions);
        }
    };
    switch (e.kind) {
        case ExprKind::Name:
        case ExprKind::Constant: break;
        case ExprKind::JoinedStr: all(as<JoinedStr>(e).values); break;
        case ExprKind::FormattedValue:
            one(as<FormattedValue>(e).value.get());
            one(as<FormattedValue>(e).format_spec.get());
            break;
        case ExprKind::BinOp:
            one(as<BinOp>(e).left.get());
            one(as<BinOp>(e).right.get());
            break;
        case ExprKind::UnaryOp: one(as<UnaryOp>(e).operand.get()); break;
        case ExprKind::BoolOp: all(as<BoolOp>(e).values); break;
        case ExprKind::Compare:
            one(as<Compare>(e).left.get());
            all(as<Compare>(e).comparators);
            break;
        case ExprKind::Call:
            one(as<Call>(e).function.get());
            all(as<Call>(e).args);
            for (const Keyword& k : as<Call>(e).keywords) one(k.value.get());
            break;
        case ExprKind::Attribute: one(as<Attribute>(e).value.get()); break;
        case ExprKind::Subscript:
            one(as<Subscript>(e).value.get());
            one(as<Subscript>(e).index.get());
            break;
        case ExprKind::Slice:
            one(as<Slice>(e).lower.get());
            one(as<Slice>(e).upper.get());
            one(as<Slice>(e).step.get());
            break;
        case ExprKind::Tuple: all(as<Tuple>(e).elements); break;
        case ExprKind::List: all(as<List>(e).elements); break;
        case ExprKind::Dict:
            for (const DictItem& i : as<Dict>(e).items) {
                one(i.key.get());
                one(i.value.get());
            }
            break;
        case ExprKind::Set: all(as<Set>(e).elements); break;
        case ExprKind::ListComp:
        case ExprKind::SetComp:
        case ExprKind::DictComp:
        case ExprKind::GeneratorExp: {
            const Comprehension& c = *get_if_comprehension(&e);
            one(c.element.get());
            if (const auto* d = get_if<DictComp>(&e)) one(d->value.get());
            generators(c);
            break;
        }
        case ExprKind::Lambda:
            as<Lambda>(e).params.for_each([&](const Parameter& p) { one(p.default_value.get()); });
            one(as<Lambda>(e).body.get());
            break;
        case ExprKind::IfExp:
            one(as<IfExp>(e).test.get());
            one(as<IfExp>(e).body.get());
            one(as<IfExp>(e).orelse.get());
            break;
        case ExprKind::Starred: one(as<Starred>(e).value.get()); break;
        case ExprKind::NamedExpr:
            one(as<NamedExpr>(e).target.get());
            one(as<NamedExpr>(e).value.get());
            break;
        case ExprKind::Await: one(as<Await>(e).value.get()); break;
        case ExprKind::Yield: one(as<Yield>(e).value.get()); break;
        case ExprKind::YieldFrom: one(as<YieldFrom>(e).value.get()); break;
    }
}

/// Calls `f(const Expr&)` for the expressions of a pattern and `name(const std::string&)` for the names that it binds.
template <class F, class N>
void for_each_in_pattern(const Pattern& p, F&& f, N&& name) {
    auto all = [&](const std::vector<PatternPtr>& list) {
        for (const PatternPtr& i : list) for_each_in_pattern(*i, f, name);
    };
    switch (p.kind) {
        case PatternKind::Value: f(*as<MatchValue>(p).value); break;
        case PatternKind::Singleton: break;
        case PatternKind::Sequence: all(as<MatchSequence>(p).patterns); break;
        case PatternKind::Mapping:
            for (const ExprPtr& k : as<MatchMapping>(p).keys) f(*k);
            all(as<MatchMapping>(p).patterns);
            if (!as<MatchMapping>(p).rest.empty()) name(as<MatchMapping>(p).rest);
            break;
        case PatternKind::Class:
            f(*as<MatchClass>(p).cls);
            all(as<MatchClass>(p).patterns);
            all(as<MatchClass>(p).keyword_patterns);
            break;
        case PatternKind::Star:
            if (!as<MatchStar>(p).name.empty()) name(as<MatchStar>(p).name);
            break;
        case PatternKind::As:
            if (as<MatchAs>(p).pattern) for_each_in_pattern(*as<MatchAs>(p).pattern, f, name);
            if (!as<MatchAs>(p).name.empty()) name(as<MatchAs>(p).name);
            break;
        case PatternKind::Or: all(as<MatchOr>(p).patterns); break;
    }
}

/// Calls `f(const Expr&)` for each expression of the statement itself: decorators, defaults and annotations of a `def`, its
/// body not; the types of handlers, the guards and the expressions of patterns; the targets too.
template <class F>
void for_each_expression(const Stmt& s, F&& f) {
    auto one = [&](const Expr* child) {
        if (child) f(*child);
    };
    auto all = [&](const std::vector<ExprPtr>& list) {
        for (const ExprPtr& child : list) one(child.get());
    };
    switch (s.kind) {
        case StmtKind::ExprStmt: one(as<ExprStmt>(s).value.get()); break;
        case StmtKind::Assign:
            one(as<Assign>(s).value.get());
            all(as<Assign>(s).targets);
            break;
        case StmtKind::AugAssign:
            one(as<AugAssign>(s).target.get());
            one(as<AugAssign>(s).value.get());
            break;
        case StmtKind::AnnAssign:
            one(as<AnnAssign>(s).annotation.get());
            one(as<AnnAssign>(s).value.get());
            one(as<AnnAssign>(s).target.get());
            break;
        case StmtKind::If: one(as<If>(s).test.get()); break;
        case StmtKind::For:
            one(as<For>(s).iter.get());
            one(as<For>(s).target.get());
            break;
        case StmtKind::While: one(as<While>(s).test.get()); break;
        case StmtKind::Return: one(as<Return>(s).value.get()); break;
        case StmtKind::FunctionDef: {
            const auto& d = as<FunctionDef>(s);
            all(d.decorators);
            d.params.for_each([&](const Parameter& p) { one(p.default_value.get()); });
            d.params.for_each([&](const Parameter& p) { one(p.annotation.get()); });
            one(d.returns.get());
            break;
        }
        case StmtKind::ClassDef:
            all(as<ClassDef>(s).decorators);
            all(as<ClassDef>(s).bases);
            for (const Keyword& k : as<ClassDef>(s).keywords) one(k.value.get());
            break;
        case StmtKind::With:
            for (const WithItem& i : as<With>(s).items) {
                one(i.manager.get());
                one(i.target.get());
            }
            break;
        case StmtKind::Try:
            for (const ExceptHandler& h : as<Try>(s).handlers) one(h.type.get());
            break;
        case StmtKind::Raise:
            one(as<Raise>(s).exception.get());
            one(as<Raise>(s).cause.get());
            break;
        case StmtKind::Assert:
            one(as<Assert>(s).test.get());
            one(as<Assert>(s).message.get());
            break;
        case StmtKind::Delete: all(as<Delete>(s).targets); break;
        case StmtKind::Match:
            one(as<Match>(s).subject.get());
            for (const MatchCase& c : as<Match>(s).cases) {
                for_each_in_pattern(*c.pattern, f, [](const std::string&) {});
                one(c.guard.get());
            }
            break;
        case StmtKind::Break:
        case StmtKind::Continue:
        case StmtKind::Pass:
        case StmtKind::Global:
        case StmtKind::Nonlocal:
        case StmtKind::Import:
        case StmtKind::ImportFrom: break;
    }
}

/// Calls `f(const Body&)` for each body of the statement that runs in the scope of the statement: not those of `def` and `class`.
template <class F>
void for_each_body(const Stmt& s, F&& f) {
    switch (s.kind) {
        case StmtKind::If:
            f(as<If>(s).body);
            f(as<If>(s).orelse);
            break;
        case StmtKind::For:
            f(as<For>(s).body);
            f(as<For>(s).orelse);
            break;
        case StmtKind::While:
            f(as<While>(s).body);
            f(as<While>(s).orelse);
            break;
        case StmtKind::With: f(as<With>(s).body); break;
        case StmtKind::Try:
            f(as<Try>(s).body);
            for (const ExceptHandler& h : as<Try>(s).handlers) f(h.body);
            f(as<Try>(s).orelse);
            f(as<Try>(s).finalbody);
            break;
        case StmtKind::Match:
            for (const MatchCase& c : as<Match>(s).cases) f(c.body);
            break;
        default: break;
    }
}

}  // namespace sifr::syntax
