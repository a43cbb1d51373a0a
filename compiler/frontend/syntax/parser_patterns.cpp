#include "compiler/frontend/syntax/parser_impl.h"

namespace sifr::syntax {

/// `match` is a name unless a subject follows. Where the next token could also go on with an expression that starts with the
/// name, the colon at the end of the line decides: no other statement ends so.
bool Parser::at_match_statement() const {
    if (!is_soft("match")) return false;
    switch (peek()) {
        case K::Name:
        case K::Number:
        case K::String:
        case K::LeftBrace:
        case K::Tilde:
        case K::Ellipsis:
        case K::KwLambda:
        case K::KwAwait:
        case K::KwNone:
        case K::KwTrue:
        case K::KwFalse: return true;
        case K::KwNot: return peek(2) != K::KwIn;
        case K::LeftParen:
        case K::LeftBracket:
        case K::Plus:
        case K::Minus:
        case K::Star: {
            const Token* t = at_ + 1;
            while (t->kind != K::Newline && t->kind != K::EndMarker) ++t;
            return t[-1].kind == K::Colon;
        }
        default: return false;
    }
}

StmtPtr Parser::match_statement() {
    const Token* start = at_++;
    auto node = std::make_unique<Match>(span(*start));
    const Token* subject_start = at_;
    ExprPtr subject = star_named_expression();
    if (is(K::Comma)) {
        auto tuple = std::make_unique<Tuple>(span(*subject_start));
        tuple->elements.push_back(std::move(subject));
        while (accept(K::Comma)) {
            if (is(K::Colon)) break;
            tuple->elements.push_back(star_named_expression());
        }
        tuple->span = since(subject_start);
        over(*tuple, tuple->elements);
        subject = std::move(tuple);
    } else if (subject->kind == ExprKind::Starred) {
        fail();
    }
    node->subject = std::move(subject);
    expect_colon();
    expect(K::Newline);
    if (!is(K::Indent)) raise_error("IndentationError", diagnose(messages::expected_block, span(*at_), "'match' statement", start->line));
    ++at_;
    do {
        if (!is_soft("case")) fail();
        node->cases.push_back(match_case());
    } while (!is(K::Dedent) && !is(K::EndMarker));
    expect(K::Dedent);
    node->span = since(start);
    return node;
}

MatchCase Parser::match_case() {
    uint32_t line = (at_++)->line;
    MatchCase out;
    const Token* start = at_;
    out.pattern = patterns();
    out.span = since(start);
    if (accept(K::KwIf)) out.guard = named_expression();
    expect_colon();
    out.body = block("'case' statement", line);
    return out;
}

/// The rest of a sequence whose first pattern was read: up to `close`, or the `if` or `:` behind an open sequence.
std::unique_ptr<MatchSequence> Parser::sequence_rest(const Token* start, PatternPtr first, TokenKind close) {
    auto node = std::make_unique<MatchSequence>(span(*start));
    node->patterns.push_back(std::move(first));
    while (accept(K::Comma)) {
        if (is(close) || (close == K::Colon && is(K::KwIf))) break;
        node->patterns.push_back(maybe_star_pattern());
    }
    node->span = since(start);
    return node;
}

PatternPtr Parser::patterns() {
    const Token* start = at_;
    PatternPtr first = maybe_star_pattern();
    if (is(K::Comma)) return sequence_rest(start, std::move(first), K::Colon);
    if (first->kind == PatternKind::Star) fail();
    return first;
}

PatternPtr Parser::maybe_star_pattern() {
    if (!is(K::Star)) return pattern();
    const Token* start = at_++;
    std::string name = is_soft("_") ? (++at_, std::string()) : capture_name();
    auto node = std::make_unique<MatchStar>(since(start));
    node->name = std::move(name);
    return node;
}

std::string Parser::capture_name() {
    if (is_soft("_")) fail();
    std::string name = expect_name();
    if (is(K::Dot) || is(K::LeftParen) || is(K::Equal)) fail();
    return name;
}

PatternPtr Parser::pattern() {
    const Token* start = at_;
    PatternPtr inner = or_pattern();
    if (!accept(K::KwAs)) return inner;
    if (is_soft("_")) error(messages::pattern_wildcard_target, span(*at_));
    if (!is(K::Name)) {
        const Token* target = at_;
        ExprPtr e = attempt([&] { return expression(); });
        at_ = target;
        if (e) error(messages::pattern_target, e->span);
        fail();
    }
    std::string name = capture_name();
    auto node = std::make_unique<MatchAs>(since(start));
    node->pattern = std::move(inner);
    node->name = std::move(name);
    return node;
}

PatternPtr Parser::or_pattern() {
    const Token* start = at_;
    PatternPtr first = closed_pattern();
    if (!is(K::VerticalBar)) return first;
    std::vector<PatternPtr> alternatives;
    alternatives.push_back(std::move(first));
    while (accept(K::VerticalBar)) alternatives.push_back(closed_pattern());
    auto node = std::make_unique<MatchOr>(since(start));
    node->patterns = std::move(alternatives);
    return node;
}

/// A number with its sign, a complex number, a string, None, True or False.
ExprPtr Parser::literal_expression() {
    const Token* start = at_;
    switch (kind()) {
        case K::String: return strings();
        case K::KwNone: return constant(ConstantKind::None);
        case K::KwTrue: return constant(ConstantKind::True);
        case K::KwFalse: return constant(ConstantKind::False);
        default: break;
    }
    bool negative = accept(K::Minus);
    if (!is(K::Number)) fail();
    ExprPtr value = number();
    bool real = as<Constant>(*value).constant != ConstantKind::Imaginary;
    Span real_span = value->span;
    if (negative) {
        auto node = std::make_unique<UnaryOp>(since(start));
        over(*node, value);
        node->op = UnaryOperator::Minus;
        node->operand = std::move(value);
        value = std::move(node);
    }
    if (!is(K::Plus) && !is(K::Minus)) return value;
    if (!real) error(messages::pattern_real_number, real_span);
    BinaryOp op = is(K::Plus) ? BinaryOp::Add : BinaryOp::Sub;
    ++at_;
    if (!is(K::Number)) fail();
    ExprPtr imaginary = number();
    if (as<Constant>(*imaginary).constant != ConstantKind::Imaginary) error(messages::pattern_imaginary_number, imaginary->span);
    auto node = std::make_unique<BinOp>(since(start));
    over(*node, value);
    over(*node, imaginary);
    node->op = op;
    node->left = std::move(value);
    node->right = std::move(imaginary);
    return node;
}

ExprPtr Parser::name_or_attribute() {
    const Token* start = at_;
    if (!is(K::Name)) fail();
    ExprPtr value = name_atom();
    while (accept(K::Dot)) {
        auto node = std::make_unique<Attribute>(span(*start));
        node->name_span = span(*at_);
        node->name = expect_name();
        node->span = since(start);
        over(*node, value);
        node->value = std::move(value);
        value = std::move(node);
    }
    return value;
}

PatternPtr Parser::name_pattern() {
    const Token* start = at_;
    if (peek() != K::Dot && peek() != K::LeftParen) {
        auto node = std::make_unique<MatchAs>(span(*at_));
        if (is_soft("_")) ++at_;
        else node->name = capture_name();
        return node;
    }
    ExprPtr value = name_or_attribute();
    if (is(K::LeftParen)) return class_pattern(std::move(value), start);
    if (is(K::Equal)) fail();
    auto node = std::make_unique<MatchValue>(since(start));
    node->value = std::move(value);
    return node;
}

PatternPtr Parser::closed_pattern() {
    const Token* start = at_;
    switch (kind()) {
        case K::Name: return name_pattern();
        case K::LeftParen:
        case K::LeftBracket: return group_or_sequence_pattern();
        case K::LeftBrace: return mapping_pattern();
        case K::KwNone:
        case K::KwTrue:
        case K::KwFalse: {
            auto node = std::make_unique<MatchSingleton>(span(*at_));
            node->value = is(K::KwNone) ? ConstantKind::None : is(K::KwTrue) ? ConstantKind::True : ConstantKind::False;
            ++at_;
            return node;
        }
        default: {
            ExprPtr value = literal_expression();
            auto node = std::make_unique<MatchValue>(since(start));
            node->value = std::move(value);
            return node;
        }
    }
}

PatternPtr Parser::group_or_sequence_pattern() {
    Depth depth(*this);
    const Token* start = at_++;
    TokenKind close = start->kind == K::LeftParen ? K::RightParen : K::RightBracket;
    if (accept(close)) return std::make_unique<MatchSequence>(since(start));
    PatternPtr first = maybe_star_pattern();
    if (close == K::RightParen && is(close)) {
        if (first->kind == PatternKind::Star) fail();
        ++at_;
        return first;
    }
    auto node = sequence_rest(start, std::move(first), close);
    expect(close);
    node->span = since(start);
    return node;
}

PatternPtr Parser::mapping_pattern() {
    Depth depth(*this);
    const Token* start = at_++;
    auto node = std::make_unique<MatchMapping>(span(*start));
    while (!is(K::RightBrace)) {
        if (accept(K::StarStar)) {
            node->rest = capture_name();
            accept(K::Comma);
            break;
        }
        ExprPtr key;
        if (is(K::Name)) {
            if (peek() != K::Dot) {
                ++at_;
                fail();
            }
            key = name_or_attribute();
        } else {
            key = literal_expression();
        }
        expect(K::Colon);
        node->keys.push_back(std::move(key));
        node->patterns.push_back(pattern());
        if (!accept(K::Comma)) break;
    }
    expect(K::RightBrace);
    node->span = since(start);
    return node;
}

PatternPtr Parser::class_pattern(ExprPtr cls, const Token* start) {
    Depth depth(*this);
    auto node = std::make_unique<MatchClass>(span(*start));
    node->cls = std::move(cls);
    expect(K::LeftParen);
    while (!is(K::RightParen)) {
        if (is(K::Name) && peek() == K::Equal) {
            node->keyword_names.push_back(expect_name());
            ++at_;
            node->keyword_patterns.push_back(pattern());
        } else {
            PatternPtr positional = pattern();
            if (!node->keyword_names.empty()) error(messages::pattern_argument_order, positional->span);
            node->patterns.push_back(std::move(positional));
        }
        if (!accept(K::Comma)) break;
    }
    expect(K::RightParen);
    node->span = since(start);
    return node;
}

}  // namespace sifr::syntax
