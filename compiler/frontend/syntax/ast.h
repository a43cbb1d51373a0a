#pragma once

#include "compiler/frontend/syntax/ast_expressions.h"

/// The syntax tree of a script: all of Python 3.11, also what sifr does not accept, so that it can be named.
///
/// A node is a struct of its own under `Expr`, `Stmt` or `Pattern`, owned by its parent through `std::unique_ptr`; the
/// `Module` owns all. Nodes are told apart by `kind`; `as<T>` and `get_if<T>` cast. Optional children are null pointers.
/// The tree is never deeper than `max_tree_depth` levels of expressions, so recursive walks are safe.
namespace sifr::syntax {

// ------------------------------------------------------------------------------------------------- patterns

enum class PatternKind : uint8_t { Value, Singleton, Sequence, Mapping, Class, Star, As, Or };

struct Pattern {
    PatternKind kind;
    Span span;
    virtual ~Pattern() = default;
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

protected:
    Pattern(PatternKind k, Span s) : kind(k), span(s) {}
};

/// A literal or a dotted name, compared with `==`.
struct MatchValue : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Value;
    explicit MatchValue(Span s) : Pattern(static_kind, s) {}
    ExprPtr value;
};

/// `None`, `True` or `False`, compared with `is`.
struct MatchSingleton : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Singleton;
    explicit MatchSingleton(Span s) : Pattern(static_kind, s) {}
    ConstantKind value = ConstantKind::None;
};

struct MatchSequence : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Sequence;
    explicit MatchSequence(Span s) : Pattern(static_kind, s) {}
    std::vector<PatternPtr> patterns;
};

/// `{keys[i]: patterns[i], **rest}`
struct MatchMapping : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Mapping;
    explicit MatchMapping(Span s) : Pattern(static_kind, s) {}
    std::vector<ExprPtr> keys;
    std::vector<PatternPtr> patterns;
    std::string rest;  ///< empty for none
};

/// `cls(patterns…, keyword_names[i]=keyword_patterns[i])`
struct MatchClass : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Class;
    explicit MatchClass(Span s) : Pattern(static_kind, s) {}
    ExprPtr cls;
    std::vector<PatternPtr> patterns;
    std::vector<std::string> keyword_names;
    std::vector<PatternPtr> keyword_patterns;
};

/// `*name` in a sequence; an empty name is `*_`.
struct MatchStar : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Star;
    explicit MatchStar(Span s) : Pattern(static_kind, s) {}
    std::string name;
};

/// `pattern as name`; `name` alone has a null pattern; `_` has neither.
struct MatchAs : Pattern {
    static constexpr PatternKind static_kind = PatternKind::As;
    explicit MatchAs(Span s) : Pattern(static_kind, s) {}
    PatternPtr pattern;
    std::string name;
};

struct MatchOr : Pattern {
    static constexpr PatternKind static_kind = PatternKind::Or;
    explicit MatchOr(Span s) : Pattern(static_kind, s) {}
    std::vector<PatternPtr> patterns;
};

// ----------------------------------------------------------------------------------------------- statements

enum class StmtKind : uint8_t {
    ExprStmt, Assign, AugAssign, AnnAssign, If, For, While, Break, Continue, Pass, Return, FunctionDef, ClassDef, With, Try, Raise, Assert,
    Delete, Global, Nonlocal, Import, ImportFrom, Match,
};

struct Stmt {
    StmtKind kind;
    Span span;  ///< the whole statement, its body included; `def` and `class` start at the keyword, not at a decorator
    virtual ~Stmt() = default;
    Stmt(const Stmt&) = delete;
    Stmt& operator=(const Stmt&) = delete;

protected:
    Stmt(StmtKind k, Span s) : kind(k), span(s) {}
};

struct ExprStmt : Stmt {
    static constexpr StmtKind static_kind = StmtKind::ExprStmt;
    explicit ExprStmt(Span s) : Stmt(static_kind, s) {}
    ExprPtr value;
};

/// `targets[0] = targets[1] = … = value`; the value is evaluated once and assigned from left to right.
struct Assign : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Assign;
    explicit Assign(Span s) : Stmt(static_kind, s) {}
    std::vector<ExprPtr> targets;
    ExprPtr value;
};

/// `target op= value`; the target is a Name, an Attribute or a Subscript.
struct AugAssign : Stmt {
    static constexpr StmtKind static_kind = StmtKind::AugAssign;
    explicit AugAssign(Span s) : Stmt(static_kind, s) {}
    ExprPtr target;
    BinaryOp op = BinaryOp::Add;
    ExprPtr value;
};

/// `target: annotation = value`
struct AnnAssign : Stmt {
    static constexpr StmtKind static_kind = StmtKind::AnnAssign;
    explicit AnnAssign(Span s) : Stmt(static_kind, s) {}
    ExprPtr target;
    ExprPtr annotation;
    ExprPtr value;        ///< or null
    bool simple = false;  ///< a bare name without parentheses
};

/// `elif` is an If that stands alone in `orelse`.
struct If : Stmt {
    static constexpr StmtKind static_kind = StmtKind::If;
    explicit If(Span s) : Stmt(static_kind, s) {}
    ExprPtr test;
    Body body, orelse;
};

struct For : Stmt {
    static constexpr StmtKind static_kind = StmtKind::For;
    explicit For(Span s) : Stmt(static_kind, s) {}
    ExprPtr target, iter;
    Body body, orelse;
    bool is_async = false;
};

struct While : Stmt {
    static constexpr StmtKind static_kind = StmtKind::While;
    explicit While(Span s) : Stmt(static_kind, s) {}
    ExprPtr test;
    Body body, orelse;
};

struct Break : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Break;
    explicit Break(Span s) : Stmt(static_kind, s) {}
};

struct Continue : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Continue;
    explicit Continue(Span s) : Stmt(static_kind, s) {}
};

struct Pass : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Pass;
    explicit Pass(Span s) : Stmt(static_kind, s) {}
};

struct Return : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Return;
    explicit Return(Span s) : Stmt(static_kind, s) {}
    ExprPtr value;  ///< or null
};

struct FunctionDef : Stmt {
    static constexpr StmtKind static_kind = StmtKind::FunctionDef;
    explicit FunctionDef(Span s) : Stmt(static_kind, s) {}
    std::string name;
    Span name_span;
    std::vector<ExprPtr> decorators;  ///< in the order written; applied from the last to the first
    Parameters params;
    ExprPtr returns;  ///< the annotation, or null
    Body body;
    bool is_async = false;
};

struct ClassDef : Stmt {
    static constexpr StmtKind static_kind = StmtKind::ClassDef;
    explicit ClassDef(Span s) : Stmt(static_kind, s) {}
    std::string name;
    Span name_span;
    std::vector<ExprPtr> decorators;
    std::vector<ExprPtr> bases;
    std::vector<Keyword> keywords;
    Body body;
};

/// `manager as target`
struct WithItem {
    ExprPtr manager;
    ExprPtr target;  ///< or null
};

struct With : Stmt {
    static constexpr StmtKind static_kind = StmtKind::With;
    explicit With(Span s) : Stmt(static_kind, s) {}
    std::vector<WithItem> items;
    Body body;
    bool is_async = false;
};

/// `except type as name:`; a bare `except:` has a null type.
struct ExceptHandler {
    Span span;
    ExprPtr type;      ///< or null
    std::string name;  ///< empty for none
    Body body;
};

struct Try : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Try;
    explicit Try(Span s) : Stmt(static_kind, s) {}
    Body body;
    std::vector<ExceptHandler> handlers;
    Body orelse, finalbody;
    bool is_star = false;  ///< `except*`
};

/// `raise exception from cause`
struct Raise : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Raise;
    explicit Raise(Span s) : Stmt(static_kind, s) {}
    ExprPtr exception;  ///< null re-raises
    ExprPtr cause;      ///< or null
};

struct Assert : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Assert;
    explicit Assert(Span s) : Stmt(static_kind, s) {}
    ExprPtr test;
    ExprPtr message;  ///< or null
};

struct Delete : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Delete;
    explicit Delete(Span s) : Stmt(static_kind, s) {}
    std::vector<ExprPtr> targets;
};

struct Global : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Global;
    explicit Global(Span s) : Stmt(static_kind, s) {}
    std::vector<std::string> names;
};

struct Nonlocal : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Nonlocal;
    explicit Nonlocal(Span s) : Stmt(static_kind, s) {}
    std::vector<std::string> names;
};

/// `name as asname`; the name is dotted; `*` stands alone.
struct Alias {
    std::string name;
    std::string asname;  ///< empty for none
    Span span;

    /// The name that an `import` binds: `asname`, or else the part before the first dot.
    [[nodiscard]] std::string_view bound() const {
        return asname.empty() ? std::string_view(name).substr(0, name.find('.')) : std::string_view(asname);
    }
};

struct Import : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Import;
    explicit Import(Span s) : Stmt(static_kind, s) {}
    std::vector<Alias> names;
};

/// `from ..module import names`; `level` counts the dots.
struct ImportFrom : Stmt {
    static constexpr StmtKind static_kind = StmtKind::ImportFrom;
    explicit ImportFrom(Span s) : Stmt(static_kind, s) {}
    std::string module;  ///< empty for `from . import x`
    std::vector<Alias> names;
    uint32_t level = 0;
};

struct MatchCase {
    Span span;  ///< of the pattern
    PatternPtr pattern;
    ExprPtr guard;  ///< or null
    Body body;
};

struct Match : Stmt {
    static constexpr StmtKind static_kind = StmtKind::Match;
    explicit Match(Span s) : Stmt(static_kind, s) {}
    ExprPtr subject;
    std::vector<MatchCase> cases;
};

// --------------------------------------------------------------------------------------------------- module

struct Module {
    uint32_t file = 0;  ///< `Span::file` of every node
    Body body;
};

/// `node` as a T; it must be one.
template <class T, class Base>
[[nodiscard]] const T& as(const Base& node) {
    SIFR_CHECK(node.kind == T::static_kind, "a node of kind {} was taken for one of kind {}", static_cast<int>(node.kind), static_cast<int>(T::static_kind));
    return static_cast<const T&>(node);
}

/// `node` as a T, or null if it is null or of another kind.
template <class T, class Base>
[[nodiscard]] const T* get_if(const Base* node) {
    return node && node->kind == T::static_kind ? static_cast<const T*>(node) : nullptr;
}

template <class T, class Base>
[[nodiscard]] const T* get_if(const std::unique_ptr<Base>& node) {
    return get_if<T>(static_cast<const Base*>(node.get()));
}

/// The Comprehension part of a ListComp, SetComp, DictComp or GeneratorExp, or null.
[[nodiscard]] const Comprehension* get_if_comprehension(const Expr* node);

/// The docstring of a function, class or module body, or null.
[[nodiscard]] const Constant* docstring(const Body& body);

/// `+`, `@`, `//`, … and `<=`, `is not`, … as written.
[[nodiscard]] const char* spelling(BinaryOp op);
[[nodiscard]] const char* spelling(UnaryOperator op);
[[nodiscard]] const char* spelling(CompareOp op);

/// What an error message calls the expression, in CPython's words: "function call", "literal", "f-string expression", …
[[nodiscard]] std::string describe(const Expr& node);

}  // namespace sifr::syntax
