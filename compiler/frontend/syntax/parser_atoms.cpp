#include <charconv>
#include <cstdlib>

#include "compiler/frontend/syntax/parser_impl.h"

namespace sifr::syntax {

// ------------------------------------------------------------------------------------------------- primaries and atoms

ExprPtr Parser::primary() {
    const Token* start = at_;
    return trailers(atom(), start);
}

ExprPtr Parser::trailers(ExprPtr value, const Token* start) {
    for (;;) {
        switch (kind()) {
            case K::Dot: {
                ++at_;
                auto node = std::make_unique<Attribute>(span(*start));
                node->name_span = span(*at_);
                node->name = expect_name();
                node->span = since(start);
                over(*node, value);
                node->value = std::move(value);
                value = std::move(node);
                break;
            }
            case K::LeftParen: {
                ++at_;
                auto node = std::make_unique<Call>(span(*start));
                arguments(node->args, node->keywords);
                node->span = since(start);
                over(*node, value);
                over(*node, node->args);
                for (const Keyword& k : node->keywords) over(*node, k.value);
                node->function = std::move(value);
                value = std::move(node);
                break;
            }
            case K::LeftBracket: {
                ++at_;
                auto node = std::make_unique<Subscript>(span(*start));
                // CPython reads `x[]` as two expressions.
                if (is(K::RightBracket) && at_->level > 0) error(messages::forgot_comma, from_to(span(*start), span(*at_)));
                node->index = subscript_index();
                expect(K::RightBracket);
                node->span = since(start);
                over(*node, value);
                over(*node, node->index);
                node->value = std::move(value);
                value = std::move(node);
                break;
            }
            default: return value;
        }
    }
}

ExprPtr Parser::name_atom() {
    auto node = std::make_unique<Name>(span(*at_));
    node->id = text(*at_++);
    return node;
}

ExprPtr Parser::constant(ConstantKind k) {
    auto node = std::make_unique<Constant>(span(*at_++));
    node->constant = k;
    return node;
}

ExprPtr Parser::atom() {
    switch (kind()) {
        case K::Name: return name_atom();
        case K::Number: return number();
        case K::String: return strings();
        case K::LeftParen: return parenthesized();
        case K::LeftBracket: return list_display();
        case K::LeftBrace: return brace_display();
        case K::KwNone: return constant(ConstantKind::None);
        case K::KwTrue: return constant(ConstantKind::True);
        case K::KwFalse: return constant(ConstantKind::False);
        case K::Ellipsis: return constant(ConstantKind::Ellipsis);
        default: fail();
    }
}

ExprPtr Parser::number() {
    const Token& token = *at_++;
    auto node = std::make_unique<Constant>(span(token));
    std::string digits;
    for (char c : text(token))
        if (c != '_') digits += c;
    bool imaginary = (digits.back() | 0x20) == 'j';
    char second = digits.size() > 1 ? static_cast<char>(digits[1] | 0x20) : '\0';
    int base = digits[0] != '0' ? 10 : second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
    if (base == 10 && (imaginary || digits.find_first_of(".eE") != std::string::npos)) {
        if (imaginary) digits.pop_back();
        node->constant = imaginary ? ConstantKind::Imaginary : ConstantKind::Float;
        auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), node->number);
            // Too large is inf and too small is 0, as in Python; from_chars does not say which.
        if (fault == std::errc::result_out_of_range) node->number = std::strtod(digits.c_str(), nullptr);
        return node;
    }
    node->constant = ConstantKind::Int;
    size_t prefix = base == 10 ? 0 : 2;
    auto [end, fault] = std::from_chars(digits.data() + prefix, digits.data() + digits.size(), node->integer, base);
    node->fits_int64 = fault == std::errc();
    if (node->fits_int64) {
        node->text = std::to_string(node->integer);
        return node;
    }
    node->integer = 0;
    if (base == 10) {
        size_t length = digits.size();
        if (length > 4300) error(messages::integer_too_long, node->span, length);
        node->text = digits;
        return node;
    }
    // Long multiplication in limbs of nine decimal digits; the time grows with the square of the length, hence the limit.
    if (digits.size() > 20000) not_supported(messages::integer_too_large, node->span, digits.size() - prefix);
    std::vector<uint32_t> limbs{0};
    for (size_t i = prefix; i < digits.size(); ++i) {
        char c = digits[i];
        uint64_t carry = static_cast<uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        for (uint32_t& limb : limbs) {
            carry += static_cast<uint64_t>(limb) * static_cast<uint64_t>(base);
            limb = static_cast<uint32_t>(carry % 1000000000);
            carry /= 1000000000;
        }
        if (carry) limbs.push_back(static_cast<uint32_t>(carry));
    }
    node->text = std::to_string(limbs.back());
    for (size_t i = limbs.size() - 1; i-- > 0;) node->text += fmt::format("{:09}", limbs[i]);
    return node;
}

ExprPtr Parser::parenthesized() {
    Depth depth(*this);
    const Token* start = at_++;
    if (accept(K::RightParen)) return std::make_unique<Tuple>(since(start));
    if (is(K::KwYield)) {
        ExprPtr value = yield_expression();
        expect(K::RightParen);
        return value;
    }
    if (is(K::StarStar) && attempting_ == 0) {
        const Token* stars = at_++;
        if (attempt([&] { return expression(); }) && is(K::RightParen)) error(messages::double_starred_here, span(*stars));
        at_ = stars;
        fail();
    }
    ExprPtr first = star_named_expression();
    if (starts_generators()) {
        if (first->kind == ExprKind::Starred) error(messages::starred_comprehension, first->span);
        return comprehension<GeneratorExp>(start, std::move(first), K::RightParen);
    }
    if (!is(K::Comma)) {
        if (is(K::RightParen)) {
            if (first->kind == ExprKind::Starred) error(messages::starred_here, first->span);
            ++at_;
            return first;
        }
        fail();
    }
    std::vector<ExprPtr> elements;
    elements.push_back(std::move(first));
    while (accept(K::Comma)) {
        if (is(K::RightParen)) break;
        elements.push_back(star_named_expression());
    }
    expect(K::RightParen);
    auto node = std::make_unique<Tuple>(since(start));
    over(*node, elements);
    node->elements = std::move(elements);
    return node;
}

ExprPtr Parser::list_display() {
    Depth depth(*this);
    const Token* start = at_++;
    std::vector<ExprPtr> elements;
    while (!is(K::RightBracket)) {
        elements.push_back(star_named_expression());
        if (starts_generators()) {
            if (elements.size() > 1) error(messages::comprehension_target, from_to(elements.front()->span, elements.back()->span));
            if (elements.front()->kind == ExprKind::Starred) error(messages::starred_comprehension, elements.front()->span);
            return comprehension<ListComp>(start, std::move(elements.front()), K::RightBracket);
        }
        if (!is(K::Comma)) break;
        const Token* comma = at_++;
        if (starts_generators() && elements.size() == 1) error(messages::comprehension_target, from_to(elements.front()->span, span(*comma)));
    }
    expect(K::RightBracket);
    auto node = std::make_unique<List>(since(start));
    over(*node, elements);
    node->elements = std::move(elements);
    return node;
}

ExprPtr Parser::brace_display() {
    Depth depth(*this);
    const Token* start = at_++;
    if (is(K::RightBrace)) {
        ++at_;
        return std::make_unique<Dict>(since(start));
    }
    if (is(K::StarStar)) return dict_display(start, nullptr);
    ExprPtr first = star_named_expression();
    bool bare_named = first->kind == ExprKind::NamedExpr && start[2].kind == K::ColonEqual;
    if (is(K::Colon) && first->kind != ExprKind::Starred && !bare_named) return dict_display(start, std::move(first));
    if (starts_generators()) {
        if (first->kind == ExprKind::Starred) error(messages::starred_comprehension, first->span);
        return comprehension<SetComp>(start, std::move(first), K::RightBrace);
    }
    std::vector<ExprPtr> elements;
    elements.push_back(std::move(first));
    while (is(K::Comma)) {
        const Token* comma = at_++;
        if (starts_generators() && elements.size() == 1) error(messages::comprehension_target, from_to(elements.front()->span, span(*comma)));
        if (is(K::RightBrace)) break;
        elements.push_back(star_named_expression());
        if (starts_generators()) error(messages::comprehension_target, from_to(elements.front()->span, elements.back()->span));
    }
    expect(K::RightBrace);
    auto node = std::make_unique<Set>(since(start));
    over(*node, elements);
    node->elements = std::move(elements);
    return node;
}

/// A dict from its first item on: `first_key` is parsed and `:` follows, or it is null and `**` follows.
ExprPtr Parser::dict_display(const Token* start, ExprPtr first_key) {
    auto node = std::make_unique<Dict>(span(*start));
    for (bool first = true; first || !is(K::RightBrace); first = false) {
        if (!first_key && is(K::StarStar)) {
            const Token* stars = at_++;
            ExprPtr value = binary(lowest_precedence);
            if (starts_generators() && first) error(messages::dict_unpacking_comprehension, span(*stars));
            over(*node, value);
            node->items.push_back({nullptr, std::move(value)});
        } else {
            if (!first_key) unhinted_ = at_;
            ExprPtr key = first_key ? std::move(first_key) : expression();
            if (!is(K::Colon)) error(messages::dict_missing_colon, key->span);
            const Token* colon = at_++;
            if (is(K::RightBrace) || is(K::Comma)) error(messages::dict_missing_value, span(*colon));
            if (is(K::Star)) {
                const Token* star = at_++;
                if (attempt([&] { return binary(lowest_precedence); })) error(messages::dict_starred_value, since(star));
                at_ = star;
            }
            ExprPtr value = expression();
            if (starts_generators() && first) {
                std::vector<Generator> parts = generators();
                expect(K::RightBrace);
                auto comp = std::make_unique<DictComp>(since(start));
                over(*comp, key);
                over(*comp, value);
                for (const Generator& g : parts) {
                    over(*comp, g.target);
                    over(*comp, g.iter);
                    over(*comp, g.conditions);
                }
                comp->element = std::move(key);
                comp->value = std::move(value);
                comp->generators = std::move(parts);
                return comp;
            }
            over(*node, key);
            over(*node, value);
            node->items.push_back({std::move(key), std::move(value)});
        }
        if (!accept(K::Comma)) break;
    }
    expect(K::RightBrace);
    node->span = since(start);
    return node;
}

ExprPtr Parser::slice() {
    const Token* start = at_;
    ExprPtr lower;
    if (is(K::Star)) {
        ++at_;
        ExprPtr value = expression();
        auto node = std::make_unique<Starred>(since(start));
        over(*node, value);
        node->value = std::move(value);
        return node;
    }
    if (!is(K::Colon)) {
        lower = named_expression();
        if (!is(K::Colon) || (lower->kind == ExprKind::NamedExpr && start[1].kind == K::ColonEqual)) return lower;
    }
    expect(K::Colon);
    auto node = std::make_unique<Slice>(span(*start));
    auto ends = [&] { return is(K::Colon) || is(K::Comma) || is(K::RightBracket); };
    if (!ends()) node->upper = expression();
    if (accept(K::Colon) && !ends()) node->step = expression();
    node->lower = std::move(lower);
    node->span = since(start);
    over(*node, node->lower);
    over(*node, node->upper);
    over(*node, node->step);
    return node;
}

ExprPtr Parser::subscript_index() {
    const Token* start = at_;
    ExprPtr first = slice();
    if (!is(K::Comma) && first->kind != ExprKind::Starred) return first;
    std::vector<ExprPtr> elements;
    elements.push_back(std::move(first));
    while (accept(K::Comma)) {
        if (is(K::RightBracket)) break;
        elements.push_back(slice());
    }
    auto node = std::make_unique<Tuple>(since(start));
    over(*node, elements);
    node->elements = std::move(elements);
    return node;
}

// ------------------------------------------------------------------------------------------------------ comprehensions

ExprPtr Parser::target_atom() {
    const Token* start = at_;
    if (is(K::Star)) {
        ++at_;
        ExprPtr value = binary(lowest_precedence);
        auto node = std::make_unique<Starred>(since(start));
        over(*node, value);
        node->value = std::move(value);
        return node;
    }
    return binary(lowest_precedence);
}

/// The targets between `for` and `in`; `in` itself is not taken for an operator.
ExprPtr Parser::target_list() {
    const Token* start = at_;
    ExprPtr target = target_atom();
    if (is(K::Comma)) {
        std::vector<ExprPtr> elements;
        elements.push_back(std::move(target));
        while (accept(K::Comma)) {
            if (!starts_expression(*at_) && !is(K::Star)) break;
            elements.push_back(target_atom());
        }
        auto node = std::make_unique<Tuple>(since(start));
        over(*node, elements);
        node->elements = std::move(elements);
        target = std::move(node);
    }
    if (const Expr* bad = set_context(*target, Context::Store)) fail_target(*bad, messages::cannot_assign);
    if (!is(K::KwIn) && target->kind != ExprKind::Tuple && starts_expression(*at_) && attempting_ == 0) explain_after_expression(*target, start);
    return target;
}

std::vector<Generator> Parser::generators() {
    std::vector<Generator> out;
    while (starts_generators()) {
        Generator g;
        g.is_async = accept(K::KwAsync);
        ++at_;
        g.target = target_list();
        expect(K::KwIn);
        g.iter = disjunction();
        while (accept(K::KwIf)) g.conditions.push_back(disjunction());
        out.push_back(std::move(g));
    }
    return out;
}

template <class T>
ExprPtr Parser::comprehension(const Token* start, ExprPtr element, TokenKind close) {
    auto node = std::make_unique<T>(span(*start));
    node->generators = generators();
    expect(close);
    node->span = since(start);
    over(*node, element);
    for (const Generator& g : node->generators) {
        over(*node, g.target);
        over(*node, g.iter);
        over(*node, g.conditions);
    }
    node->element = std::move(element);
    return node;
}

// ------------------------------------------------------------------------------------------------------------ arguments

void Parser::keyword_argument(std::vector<Keyword>& keywords) {
    const Token* start = at_;
    Keyword k;
    k.name = text(*at_);
    at_ += 2;
    k.value = expression();
    if (starts_generators()) error(messages::maybe_equality, from_to(span(*start), span(start[1])));
    k.span = since(start);
    keywords.push_back(std::move(k));
}

/// What stands between the parentheses of a call, the closing one included.
void Parser::arguments(std::vector<ExprPtr>& args, std::vector<Keyword>& keywords) {
    Depth depth(*this);
    const Token* open = at_ - 1;
    const Token* misplaced = nullptr;  // a positional argument behind a keyword: the rest is parsed before it is named
    bool unpacking = false;
    while (!is(K::RightParen)) {
        const Token* start = at_;
        if (is(K::Star)) {
            if (unpacking) error(messages::iterable_after_unpacking, from_to(span(open[1]), span(start[-2])));
            ++at_;
            ExprPtr value = expression();
            auto node = std::make_unique<Starred>(since(start));
            over(*node, value);
            node->value = std::move(value);
            args.push_back(std::move(node));
        } else if (is(K::StarStar)) {
            ++at_;
            Keyword k;
            k.value = expression();
            k.span = since(start);
            keywords.push_back(std::move(k));
            unpacking = true;
        } else if (is(K::Name) && peek() == K::Equal) {
            keyword_argument(keywords);
        } else if ((is(K::KwTrue) || is(K::KwFalse) || is(K::KwNone)) && peek() == K::Equal) {
            error(messages::cannot_assign, from_to(span(*at_), span(at_[1])), text(*at_));
        } else {
            ExprPtr value = is(K::Name) && peek() == K::ColonEqual ? named_expression() : expression();
            if (starts_generators()) {
                bool alone = args.empty() && keywords.empty();
                std::vector<Generator> parts = generators();
                const Generator& last = parts.back();
                Span whole = from_to(span(*start), last.conditions.empty() ? last.iter->span : last.conditions.back()->span);
                if (!alone || is(K::Comma)) {
                    // A comma that ends the list is no second argument, but CPython asks for the parentheses all the same.
                    error(messages::unparenthesized_generator, whole);
                }
                auto node = std::make_unique<GeneratorExp>(whole);
                over(*node, value);
                for (const Generator& g : parts) {
                    over(*node, g.target);
                    over(*node, g.iter);
                    over(*node, g.conditions);
                }
                node->element = std::move(value);
                node->generators = std::move(parts);
                expect(K::RightParen);
                node->span = since(open);
                args.push_back(std::move(node));
                return;
            }
            if (is(K::Equal)) error(messages::assignment_in_call, from_to(span(*start), span(*at_)));
            if (!keywords.empty() && !misplaced) misplaced = start;
            args.push_back(std::move(value));
        }
        if (!accept(K::Comma)) break;
    }
    if (misplaced) error(unpacking ? messages::positional_after_unpacking : messages::positional_after_keyword, span(*at_));
    expect(K::RightParen);
}

}  // namespace sifr::syntax
