#include "compiler/frontend/syntax/parser_impl.h"

namespace sifr::syntax {

/// A name with its annotation and its default; `star` stands for `*name`, whose annotation may be starred and which has no default.
Parameter Parser::parameter(bool is_lambda, bool star) {
    const Token* start = at_;
    Parameter p;
    p.name = expect_name();
    if (!is_lambda && accept(K::Colon)) p.annotation = star ? star_expression() : expression();
    p.span = since(start);
    if (!star && is(K::Equal)) {
        const Token* equal = at_++;
        if (is(K::RightParen) || is(K::Comma)) error(messages::parameter_missing_default, span(*equal));
        p.default_value = expression();
    }
    return p;
}

/// The parameters up to `close`, which is not consumed.
Parameters Parser::parameters(TokenKind close, bool is_lambda) {
    Parameters out;
    bool seen_default = false, seen_slash = false, seen_star = false;
    while (!is(close)) {
        const Token* start = at_;
        switch (kind()) {
            case K::Slash:
                if (seen_star) error(messages::parameter_slash_after_star, span(*start));
                if (seen_slash) error(messages::parameter_slash_twice, span(*start));
                if (out.positional.empty()) {
                    if (peek() != K::Comma) fail();
                    error(messages::parameter_before_slash, span(*start));
                }
                seen_slash = true;
                out.positional_only = std::move(out.positional);
                out.positional.clear();
                ++at_;
                if (is(K::Star)) error(messages::parameter_slash_comma, span(*at_));
                break;
            case K::Star: {
                ++at_;
                if (is(close) || (is(K::Comma) && (peek() == close || peek() == K::StarStar))) error(messages::parameter_bare_star, span(*start));
                if (seen_star) error(messages::parameter_star_twice, span(*start));
                seen_star = true;
                if (is(K::Comma)) break;
                out.vararg = std::make_unique<Parameter>(parameter(is_lambda, true));
                if (is(K::Equal)) error(messages::parameter_star_default, span(*at_));
                break;
            }
            case K::StarStar:
                ++at_;
                out.kwarg = std::make_unique<Parameter>(parameter(is_lambda, true));
                if (is(K::Equal)) error(messages::parameter_kwarg_default, span(*at_));
                if (accept(K::Comma) && !is(close)) {
                    if (is(K::Name) || is(K::Star) || is(K::StarStar) || is(K::Slash)) error(messages::parameter_after_kwarg, span(*at_));
                    fail();
                }
                if (!is(close)) fail();
                return out;
            case K::LeftParen: {
                auto closing = attempt([&]() -> const Token* {
                    ++at_;
                    parameters(K::RightParen, is_lambda);
                    return at_[-1].kind == K::LeftParen ? nullptr : at_;
                });
                at_ = start;
                if (closing) error(messages::parameter_parentheses, from_to(span(*start), span(*closing)), is_lambda ? "Lambda expression" : "Function");
                fail();
            }
            case K::Name: {
                Parameter p = parameter(is_lambda, false);
                if (seen_star) {
                    out.keyword_only.push_back(std::move(p));
                    break;
                }
                if (!p.default_value && seen_default && (is(K::Comma) || is(close))) error(messages::parameter_default_order, p.span);
                seen_default = seen_default || p.default_value;
                out.positional.push_back(std::move(p));
                break;
            }
            default: fail();
        }
        if (!accept(K::Comma)) break;
    }
    if (!is(close)) {
        // What stands behind a parameter is no part of it: CPython looks for an expression side by side with a default only.
        fail();
    }
    return out;
}

}  // namespace sifr::syntax
