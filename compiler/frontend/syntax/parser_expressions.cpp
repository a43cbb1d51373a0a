#include <array>

#include "compiler/frontend/syntax/parser_impl.h"

namespace sifr::syntax {
namespace {

struct BinaryRow {
    TokenKind token;
    BinaryOp op;
    int precedence;
};

constexpr BinaryRow binary_rows[] = {
    {TokenKind::VerticalBar, BinaryOp::BitOr, 1}, {TokenKind::Caret, BinaryOp::BitXor, 2},     {TokenKind::Ampersand, BinaryOp::BitAnd, 3},
    {TokenKind::LeftShift, BinaryOp::LShift, 4},  {TokenKind::RightShift, BinaryOp::RShift, 4}, {TokenKind::Plus, BinaryOp::Add, 5},
    {TokenKind::Minus, BinaryOp::Sub, 5},         {TokenKind::Star, BinaryOp::Mult, 6},        {TokenKind::Slash, BinaryOp::Div, 6},
    {TokenKind::SlashSlash, BinaryOp::FloorDiv, 6}, {TokenKind::Percent, BinaryOp::Mod, 6},    {TokenKind::At, BinaryOp::MatMult, 6},
};

struct BinaryTable {
    std::array<uint8_t, 128> precedence{};
    std::array<BinaryOp, 128> op{};
    constexpr BinaryTable() {
        for (const BinaryRow& r : binary_rows) {
            precedence[static_cast<size_t>(r.token)] = static_cast<uint8_t>(r.precedence);
            op[static_cast<size_t>(r.token)] = r.op;
        }
    }
};
constexpr BinaryTable binary_table;

/// Python 2's statements, for which CPython has words of its own.
bool is_legacy_statement(const Expr& e) {
    const Name* name = get_if<Name>(&e);
    return name && (name->id == "print" || name->id == "exec");
}

}  // namespace

bool Parser::starts_expression(const Token& t) const {
    switch (t.kind) {
        case K::Name:
        case K::Number:
        case K::String:
        case K::LeftParen:
        case K::LeftBracket:
        case K::LeftBrace:
        case K::Plus:
        case K::Minus:
        case K::Tilde:
        case K::Ellipsis:
        case K::KwNot:
        case K::KwLambda:
        case K::KwAwait:
        case K::KwNone:
        case K::KwTrue:
        case K::KwFalse: return true;
        default: return false;
    }
}

// ------------------------------------------------------------------------------------------------ lists of expressions

ExprPtr Parser::star_expression() {
    if (!is(K::Star)) return expression();
    const Token* start = at_++;
    ExprPtr value = binary(lowest_precedence);
    auto node = std::make_unique<Starred>(since(start));
    over(*node, value);
    node->value = std::move(value);
    return node;
}

ExprPtr Parser::star_expressions() {
    const Token* start = at_;
    ExprPtr first = star_expression();
    if (!is(K::Comma)) return first;
    std::vector<ExprPtr> elements;
    elements.push_back(std::move(first));
    while (accept(K::Comma)) {
        if (!starts_expression(*at_) && !is(K::Star)) break;
        elements.push_back(star_expression());
    }
    auto node = std::make_unique<Tuple>(since(start));
    over(*node, elements);
    node->elements = std::move(elements);
    return node;
}

ExprPtr Parser::star_named_expression() { return is(K::Star) ? star_expression() : named_expression(); }

ExprPtr Parser::named_expression() {
    const Token* start = at_;
    if (is(K::Name) && peek() == K::ColonEqual) {
        auto target = std::make_unique<Name>(span(*at_));
        target->id = text(*at_);
        target->context = Context::Store;
        at_ += 2;
        ExprPtr value = expression();
        auto node = std::make_unique<NamedExpr>(since(start));
        over(*node, target.get());
        over(*node, value);
        node->target = std::move(target);
        node->value = std::move(value);
        return node;
    }
    ExprPtr value = expression();
    if (is(K::ColonEqual)) {
        const Token* walrus = at_++;
        bool named = attempt([&] { return expression(); }) != nullptr;
        at_ = walrus;
        if (named && attempting_ == 0) fail_target(*value, messages::cannot_name);
        fail();
    }
    if (is(K::Equal) && attempting_ == 0) explain_equal(*value, start, false);
    return value;
}

/// `value`, which started at `start`, stands before an `=`: inside an expression, where only `==` or `:=` could stand, or at the
/// start of a statement (`in_statement`), where it is no target. Returns if CPython has no words for it.
void Parser::explain_equal(const Expr& value, const Token* start, bool in_statement) {
    const Token* equal = at_;
    ExprPtr assigned = attempt([&]() -> ExprPtr {
        ++at_;
        ExprPtr e = binary(lowest_precedence);
        if (is(K::Equal) || is(K::ColonEqual)) fail();
        return e;
    });
    if (at_end()) fail();
    at_ = equal;
    if (!assigned) return;
    if (value.kind == ExprKind::Name && at_ == start + 1) {
        if (!in_statement) error(messages::maybe_equality, from_to(span(*start), assigned->span));
        return;
    }
    // Named is what is one operand to the `=`, in parentheses or not; for the rest CPython's other rules hold.
    bool parenthesized = start->kind == K::LeftParen && at_[-1].kind == K::RightParen && value.span != from_to(span(*start), span(at_[-1]));
    switch (value.kind) {
        case ExprKind::List:
        case ExprKind::Tuple:
        case ExprKind::GeneratorExp:
        case ExprKind::Starred: return;
        case ExprKind::Compare:
        case ExprKind::BoolOp:
        case ExprKind::Lambda:
        case ExprKind::IfExp:
            if (!parenthesized) return;
            break;
        case ExprKind::UnaryOp:
            if (!parenthesized && as<UnaryOp>(value).op == UnaryOperator::Not) return;
            break;
        case ExprKind::Constant:
            if (describe(value) != "literal" && describe(value) != "ellipsis") return;
            break;
        default: break;
    }
    error(messages::cannot_assign_here, value.span, describe(value));
}

// --------------------------------------------------------------------------------------------------------- operators

ExprPtr Parser::expression() {
    Depth depth(*this);
    if (is(K::KwLambda)) return lambda();
    const Token* start = at_;
    ExprPtr value = disjunction();
    if (is(K::KwIf)) {
        ++at_;
        ExprPtr test = disjunction();
        if (!is(K::KwElse)) {
            if (!is(K::Colon)) error(messages::expected_else, from_to(span(*start), test->span));
            fail();
        }
        ++at_;
        ExprPtr orelse = expression();
        auto node = std::make_unique<IfExp>(since(start));
        over(*node, test);
        over(*node, value);
        over(*node, orelse);
        node->test = std::move(test);
        node->body = std::move(value);
        node->orelse = std::move(orelse);
        return node;
    }
    if (starts_expression(*at_) && attempting_ == 0 && start != unhinted_) explain_after_expression(*value, start);
    return value;
}

/// Two expressions side by side: a comma is missing, or Python 2's `print`. Returns if neither fits.
void Parser::explain_after_expression(const Expr& value, const Token* start) {
    const Token* here = at_;
    bool prefixed_string = start->kind == K::Name && start + 1 < end_ && start[1].kind == K::String;
    bool soft = start->kind == K::Name && (text(*start) == "match" || text(*start) == "case" || text(*start) == "_");
    if (!prefixed_string && !soft && !is_legacy_statement(value)) {
        auto second = attempt([&]() -> ExprPtr {
            if (is(K::KwLambda)) return lambda();
            const Token* begin = at_;
            ExprPtr e = disjunction();
            if (is(K::KwIf)) {
                const Token* before = at_;
                ++at_;
                ExprPtr test = attempt([&] { return disjunction(); });
                ExprPtr orelse = test && accept(K::KwElse) ? attempt([&] { return expression(); }) : nullptr;
                if (!orelse) at_ = before;
                else e->span = since(begin);
            }
            return e;
        });
        if (at_end()) fail();
        if (second) {
            bool in_brackets = at_[-1].level > 0;
            Span both = from_to(span(*start), since(here));
            at_ = here;
            if (in_brackets) error(messages::forgot_comma, both);
        }
    }
    at_ = here;
    if (is_legacy_statement(value) && at_ == start + 1 && !is(K::LeftParen)) {
        auto argument = attempt([&] { return star_expressions(); });
        if (at_end()) fail();
        Span both = argument ? from_to(span(*start), since(here)) : Span{};
        at_ = here;
        if (argument) error(messages::missing_parentheses, both, text(*start));
    }
}

ExprPtr Parser::disjunction() {
    const Token* start = at_;
    ExprPtr first = conjunction();
    if (!is(K::KwOr)) return first;
    std::vector<ExprPtr> values;
    values.push_back(std::move(first));
    while (accept(K::KwOr)) values.push_back(conjunction());
    auto node = std::make_unique<BoolOp>(since(start));
    over(*node, values);
    node->is_or = true;
    node->values = std::move(values);
    return node;
}

ExprPtr Parser::conjunction() {
    const Token* start = at_;
    ExprPtr first = inversion();
    if (!is(K::KwAnd)) return first;
    std::vector<ExprPtr> values;
    values.push_back(std::move(first));
    while (accept(K::KwAnd)) values.push_back(inversion());
    auto node = std::make_unique<BoolOp>(since(start));
    over(*node, values);
    node->values = std::move(values);
    return node;
}

ExprPtr Parser::inversion() {
    if (!is(K::KwNot)) return comparison();
    Depth depth(*this);
    const Token* start = at_++;
    ExprPtr operand = inversion();
    auto node = std::make_unique<UnaryOp>(since(start));
    over(*node, operand);
    node->op = UnaryOperator::Not;
    node->operand = std::move(operand);
    return node;
}

ExprPtr Parser::comparison() {
    const Token* start = at_;
    ExprPtr left = binary(lowest_precedence);
    std::unique_ptr<Compare> node;
    for (;;) {
        CompareOp op;
        switch (kind()) {
            case K::EqualEqual: op = CompareOp::Eq; break;
            case K::NotEqual: op = CompareOp::NotEq; break;
            case K::Less: op = CompareOp::Lt; break;
            case K::LessEqual: op = CompareOp::LtE; break;
            case K::Greater: op = CompareOp::Gt; break;
            case K::GreaterEqual: op = CompareOp::GtE; break;
            case K::KwIn: op = CompareOp::In; break;
            case K::KwIs: op = CompareOp::Is; break;
            case K::KwNot:
                if (peek() == K::KwIn) {
                    op = CompareOp::NotIn;
                    break;
                }
                [[fallthrough]];
            default:
                if (!node) return left;
                node->span = since(start);
                return node;
        }
        ++at_;
        if (op == CompareOp::NotIn) ++at_;
        if (op == CompareOp::Is && accept(K::KwNot)) op = CompareOp::IsNot;
        if (!node) {
            node = std::make_unique<Compare>(span(*start));
            over(*node, left);
            node->left = std::move(left);
        }
        ExprPtr right = binary(lowest_precedence);
        over(*node, right);
        node->ops.push_back(op);
        node->comparators.push_back(std::move(right));
    }
}

ExprPtr Parser::binary(int min_precedence) {
    const Token* start = at_;
    ExprPtr left = factor();
    for (;;) {
        int precedence = binary_table.precedence[static_cast<size_t>(kind())];
        if (precedence < min_precedence || precedence == 0) return left;
        BinaryOp op = binary_table.op[static_cast<size_t>(kind())];
        ++at_;
        ExprPtr right = binary(precedence + 1);
        auto node = std::make_unique<BinOp>(since(start));
        over(*node, left);
        over(*node, right);
        node->op = op;
        node->left = std::move(left);
        node->right = std::move(right);
        left = std::move(node);
    }
}

ExprPtr Parser::factor() {
    UnaryOperator op;
    switch (kind()) {
        case K::Plus: op = UnaryOperator::Plus; break;
        case K::Minus: op = UnaryOperator::Minus; break;
        case K::Tilde: op = UnaryOperator::Invert; break;
        default: return power();
    }
    Depth depth(*this);
    const Token* start = at_++;
    ExprPtr operand = factor();
    auto node = std::make_unique<UnaryOp>(since(start));
    over(*node, operand);
    node->op = op;
    node->operand = std::move(operand);
    return node;
}

ExprPtr Parser::power() {
    const Token* start = at_;
    ExprPtr base;
    if (is(K::KwAwait)) {
        ++at_;
        ExprPtr value = primary();
        auto node = std::make_unique<Await>(since(start));
        over(*node, value);
        node->value = std::move(value);
        base = std::move(node);
    } else {
        base = primary();
    }
    if (!is(K::StarStar)) return base;
    Depth depth(*this);
    ++at_;
    ExprPtr exponent = factor();
    auto node = std::make_unique<BinOp>(since(start));
    over(*node, base);
    over(*node, exponent);
    node->op = BinaryOp::Pow;
    node->left = std::move(base);
    node->right = std::move(exponent);
    return node;
}

ExprPtr Parser::lambda() {
    const Token* start = at_++;
    auto node = std::make_unique<Lambda>(span(*start));
    node->params = parameters(K::Colon, true);
    if (!is(K::Colon)) error(messages::expected_token, span(*at_), ":");
    ++at_;
    node->body = expression();
    node->span = since(start);
    over(*node, node->body);
    node->params.for_each([&](const Parameter& p) { over(*node, p.default_value); });
    return node;
}

ExprPtr Parser::yield_expression() {
    Depth depth(*this);
    const Token* start = at_++;
    if (accept(K::KwFrom)) {
        ExprPtr value = expression();
        auto node = std::make_unique<YieldFrom>(since(start));
        over(*node, value);
        node->value = std::move(value);
        return node;
    }
    ExprPtr value;
    if (starts_expression(*at_) || is(K::Star)) value = star_expressions();
    auto node = std::make_unique<Yield>(since(start));
    over(*node, value);
    node->value = std::move(value);
    return node;
}

ExprPtr Parser::parse_fstring_expression() {
    const Token* start = at_;
    ExprPtr value;
    if (is(K::KwYield)) {
        value = yield_expression();
    } else {
        value = star_expressions();
        if (is(K::Equal)) explain_equal(*value, start, false);
    }
    if (!is(K::EndMarker)) fail();
    if (value->kind == ExprKind::Starred) error(messages::starred_here, value->span);
    return value;
}

}  // namespace sifr::syntax
