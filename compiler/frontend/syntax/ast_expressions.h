#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/check.h"
#include "ir/base/source.h"

/// The expressions of the syntax tree; see ast.h.
namespace sifr::syntax {

struct Expr;
struct Stmt;
struct Pattern;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using PatternPtr = std::unique_ptr<Pattern>;
using Body = std::vector<StmtPtr>;

/// The number of expressions that may stand inside each other, operands of a chain `a + b + …` included.
inline constexpr uint32_t max_tree_depth = 1000;

enum class ExprKind : uint8_t {
    Name, Constant, JoinedStr, FormattedValue, BinOp, UnaryOp, BoolOp, Compare, Call, Attribute, Subscript, Slice, Tuple, List, Dict, Set,
    ListComp, SetComp, DictComp, GeneratorExp, Lambda, IfExp, Starred, NamedExpr, Await, Yield, YieldFrom,
};

/// How a place is used: read, written, or deleted.
enum class Context : uint8_t { Load, Store, Del };

struct Expr {
    ExprKind kind;
    uint16_t height = 1;  ///< levels of expressions from here down; at most `max_tree_depth`
    Span span;            ///< without the parentheses around it; a tuple's own parentheses count
    virtual ~Expr() = default;
    Expr(const Expr&) = delete;
    Expr& operator=(const Expr&) = delete;

protected:
    Expr(ExprKind k, Span s) : kind(k), span(s) {}
};

struct Name : Expr {
    static constexpr ExprKind static_kind = ExprKind::Name;
    explicit Name(Span s) : Expr(static_kind, s) {}
    std::string id;
    Context context = Context::Load;
};

enum class ConstantKind : uint8_t { None, True, False, Ellipsis, Int, Float, Imaginary, Str, Bytes };

struct Constant : Expr {
    static constexpr ExprKind static_kind = ExprKind::Constant;
    explicit Constant(Span s) : Expr(static_kind, s) {}
    ConstantKind constant = ConstantKind::None;
    bool fits_int64 = false;  ///< Int: `integer` holds the value
    int64_t integer = 0;      ///< Int: the value if it fits; literals are never negative
    double number = 0.0;      ///< Float and Imaginary: the value (of the imaginary part)
    std::string text;         ///< Int: decimal digits; Str: UTF-8 (a lone surrogate in three bytes); Bytes: the bytes
};

/// `f"…{value}…"`: `values` are Constant (Str, never empty) and FormattedValue, in order.
struct JoinedStr : Expr {
    static constexpr ExprKind static_kind = ExprKind::JoinedStr;
    explicit JoinedStr(Span s) : Expr(static_kind, s) {}
    std::vector<ExprPtr> values;
};

/// `{value!conversion:format_spec}`. For `{value=}` the text `value=` stands in the Constant before it, and the conversion
/// is 'r' if neither a conversion nor a format specification was written.
struct FormattedValue : Expr {
    static constexpr ExprKind static_kind = ExprKind::FormattedValue;
    explicit FormattedValue(Span s) : Expr(static_kind, s) {}
    ExprPtr value;
    char conversion = 0;                     ///< 's', 'r', 'a', or 0 for none
    std::unique_ptr<JoinedStr> format_spec;  ///< null for none; may be empty
    std::string debug_text;                  ///< for `{value=}`: the source text up to and with `=` and the blanks behind it
};

enum class BinaryOp : uint8_t { Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd, FloorDiv };

struct BinOp : Expr {
    static constexpr ExprKind static_kind = ExprKind::BinOp;
    explicit BinOp(Span s) : Expr(static_kind, s) {}
    BinaryOp op = BinaryOp::Add;
    ExprPtr left, right;
};

enum class UnaryOperator : uint8_t { Invert, Not, Plus, Minus };

struct UnaryOp : Expr {
    static constexpr ExprKind static_kind = ExprKind::UnaryOp;
    explicit UnaryOp(Span s) : Expr(static_kind, s) {}
    UnaryOperator op = UnaryOperator::Not;
    ExprPtr operand;
};

/// `a and b and c` is one node with three values.
struct BoolOp : Expr {
    static constexpr ExprKind static_kind = ExprKind::BoolOp;
    explicit BoolOp(Span s) : Expr(static_kind, s) {}
    bool is_or = false;
    std::vector<ExprPtr> values;
};

enum class CompareOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// `left ops[0] comparators[0] ops[1] comparators[1] …`; the vectors are of equal, positive length.
struct Compare : Expr {
    static constexpr ExprKind static_kind = ExprKind::Compare;
    explicit Compare(Span s) : Expr(static_kind, s) {}
    ExprPtr left;
    std::vector<CompareOp> ops;
    std::vector<ExprPtr> comparators;
};

/// `name=value`, or `**value` with an empty name.
struct Keyword {
    std::string name;
    Span span;
    ExprPtr value;
};

/// All positional arguments (`*x` is a Starred) are evaluated before all keywords, as Python does.
struct Call : Expr {
    static constexpr ExprKind static_kind = ExprKind::Call;
    explicit Call(Span s) : Expr(static_kind, s) {}
    ExprPtr function;
    std::vector<ExprPtr> args;
    std::vector<Keyword> keywords;
};

struct Attribute : Expr {
    static constexpr ExprKind static_kind = ExprKind::Attribute;
    explicit Attribute(Span s) : Expr(static_kind, s) {}
    ExprPtr value;
    std::string name;
    Span name_span;
    Context context = Context::Load;
};

/// `value[index]`; several indices are a Tuple, whose elements may be Slice or Starred.
struct Subscript : Expr {
    static constexpr ExprKind static_kind = ExprKind::Subscript;
    explicit Subscript(Span s) : Expr(static_kind, s) {}
    ExprPtr value;
    ExprPtr index;
    Context context = Context::Load;
};

struct Slice : Expr {
    static constexpr ExprKind static_kind = ExprKind::Slice;
    explicit Slice(Span s) : Expr(static_kind, s) {}
    ExprPtr lower, upper, step;  ///< each may be null
};

struct Tuple : Expr {
    static constexpr ExprKind static_kind = ExprKind::Tuple;
    explicit Tuple(Span s) : Expr(static_kind, s) {}
    std::vector<ExprPtr> elements;
    Context context = Context::Load;
};

struct List : Expr {
    static constexpr ExprKind static_kind = ExprKind::List;
    explicit List(Span s) : Expr(static_kind, s) {}
    std::vector<ExprPtr> elements;
    Context context = Context::Load;
};

/// `**value` has a null key.
struct DictItem {
    ExprPtr key;
    ExprPtr value;
};

struct Dict : Expr {
    static constexpr ExprKind static_kind = ExprKind::Dict;
    explicit Dict(Span s) : Expr(static_kind, s) {}
    std::vector<DictItem> items;
};

/// Never empty: `{}` is a Dict.
struct Set : Expr {
    static constexpr ExprKind static_kind = ExprKind::Set;
    explicit Set(Span s) : Expr(static_kind, s) {}
    std::vector<ExprPtr> elements;
};

/// `for target in iter if conditions[0] if conditions[1] …`
struct Generator {
    ExprPtr target;
    ExprPtr iter;
    std::vector<ExprPtr> conditions;
    bool is_async = false;
};

/// What the four comprehensions have in common. The iter of the first generator is evaluated in the enclosing scope.
struct Comprehension : Expr {
    ExprPtr element;  ///< the key of a DictComp
    std::vector<Generator> generators;

protected:
    using Expr::Expr;
};

struct ListComp : Comprehension {
    static constexpr ExprKind static_kind = ExprKind::ListComp;
    explicit ListComp(Span s) : Comprehension(static_kind, s) {}
};

struct SetComp : Comprehension {
    static constexpr ExprKind static_kind = ExprKind::SetComp;
    explicit SetComp(Span s) : Comprehension(static_kind, s) {}
};

struct DictComp : Comprehension {
    static constexpr ExprKind static_kind = ExprKind::DictComp;
    explicit DictComp(Span s) : Comprehension(static_kind, s) {}
    ExprPtr value;
};

struct GeneratorExp : Comprehension {
    static constexpr ExprKind static_kind = ExprKind::GeneratorExp;
    explicit GeneratorExp(Span s) : Comprehension(static_kind, s) {}
};

struct Parameter {
    std::string name;
    Span span;              ///< of the name and the annotation
    ExprPtr annotation;     ///< or null
    ExprPtr default_value;  ///< or null
};

/// `def f(positional_only, /, positional, *vararg, keyword_only, **kwarg)`
struct Parameters {
    std::vector<Parameter> positional_only;
    std::vector<Parameter> positional;
    std::unique_ptr<Parameter> vararg;  ///< or null
    std::vector<Parameter> keyword_only;
    std::unique_ptr<Parameter> kwarg;  ///< or null

    /// Calls `f(const Parameter&)` for each parameter: positional-only, positional, `*vararg`, keyword-only, `**kwarg`.
    template <class F>
    void for_each(F&& f) const {
        for (const Parameter& p : positional_only) f(p);
        for (const Parameter& p : positional) f(p);
        if (vararg) f(*vararg);
        for (const Parameter& p : keyword_only) f(p);
        if (kwarg) f(*kwarg);
    }
};

struct Lambda : Expr {
    static constexpr ExprKind static_kind = ExprKind::Lambda;
    explicit Lambda(Span s) : Expr(static_kind, s) {}
    Parameters params;
    ExprPtr body;
};

/// `body if test else orelse`
struct IfExp : Expr {
    static constexpr ExprKind static_kind = ExprKind::IfExp;
    explicit IfExp(Span s) : Expr(static_kind, s) {}
    ExprPtr test, body, orelse;
};

struct Starred : Expr {
    static constexpr ExprKind static_kind = ExprKind::Starred;
    explicit Starred(Span s) : Expr(static_kind, s) {}
    ExprPtr value;
    Context context = Context::Load;
};

/// `target := value`
struct NamedExpr : Expr {
    static constexpr ExprKind static_kind = ExprKind::NamedExpr;
    explicit NamedExpr(Span s) : Expr(static_kind, s) {}
    std::unique_ptr<Name> target;
    ExprPtr value;
};

struct Await : Expr {
    static constexpr ExprKind static_kind = ExprKind::Await;
    explicit Await(Span s) : Expr(static_kind, s) {}
    ExprPtr value;
};

struct Yield : Expr {
    static constexpr ExprKind static_kind = ExprKind::Yield;
    explicit Yield(Span s) : Expr(static_kind, s) {}
    ExprPtr value;  ///< or null
};

struct YieldFrom : Expr {
    static constexpr ExprKind static_kind = ExprKind::YieldFrom;
    explicit YieldFrom(Span s) : Expr(static_kind, s) {}
    ExprPtr value;
};

}  // namespace sifr::syntax
