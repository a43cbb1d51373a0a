#include "compiler/frontend/syntax/parser_impl.h"

namespace sifr::syntax {
namespace {

bool augmented(TokenKind k, BinaryOp& op) {
    switch (k) {
        case TokenKind::PlusEqual: op = BinaryOp::Add; return true;
        case TokenKind::MinusEqual: op = BinaryOp::Sub; return true;
        case TokenKind::StarEqual: op = BinaryOp::Mult; return true;
        case TokenKind::AtEqual: op = BinaryOp::MatMult; return true;
        case TokenKind::SlashEqual: op = BinaryOp::Div; return true;
        case TokenKind::PercentEqual: op = BinaryOp::Mod; return true;
        case TokenKind::AmpersandEqual: op = BinaryOp::BitAnd; return true;
        case TokenKind::VerticalBarEqual: op = BinaryOp::BitOr; return true;
        case TokenKind::CaretEqual: op = BinaryOp::BitXor; return true;
        case TokenKind::LeftShiftEqual: op = BinaryOp::LShift; return true;
        case TokenKind::RightShiftEqual: op = BinaryOp::RShift; return true;
        case TokenKind::StarStarEqual: op = BinaryOp::Pow; return true;
        case TokenKind::SlashSlashEqual: op = BinaryOp::FloorDiv; return true;
        default: return false;
    }
}

}  // namespace

Body Parser::parse_file() {
    Body body;
    while (!is(K::EndMarker)) statement(body);
    if (stream_.unclosed) fail();
    return body;
}

void Parser::statement(Body& out) {
    switch (kind()) {
        case K::KwIf:
        case K::KwWhile:
        case K::KwFor:
        case K::KwTry:
        case K::KwWith:
        case K::KwDef:
        case K::KwClass:
        case K::KwAsync:
        case K::At: out.push_back(compound_statement()); return;
        case K::Name:
            if (at_match_statement()) {
                out.push_back(match_statement());
                return;
            }
            break;
        default: break;
    }
    simple_statements(out);
}

void Parser::simple_statements(Body& out) {
    for (;;) {
        out.push_back(simple_statement());
        if (!accept(K::Semicolon) || is(K::Newline)) break;
    }
    expect(K::Newline);
}

StmtPtr Parser::simple_statement() {
    const Token* start = at_;
    switch (kind()) {
        case K::KwPass: ++at_; return std::make_unique<Pass>(since(start));
        case K::KwBreak: ++at_; return std::make_unique<Break>(since(start));
        case K::KwContinue: ++at_; return std::make_unique<Continue>(since(start));
        case K::KwReturn: {
            ++at_;
            ExprPtr value;
            if (!is(K::Newline) && !is(K::Semicolon)) value = star_expressions();
            auto node = std::make_unique<Return>(since(start));
            node->value = std::move(value);
            return node;
        }
        case K::KwRaise: return raise_statement();
        case K::KwAssert: return assert_statement();
        case K::KwDel: return delete_statement();
        case K::KwGlobal:
        case K::KwNonlocal: return global_statement();
        case K::KwImport: return import_statement();
        case K::KwFrom: return import_from_statement();
        default: return expression_statement();
    }
}

bool Parser::bare_tuple_since(const Token* start) const {
    auto opens = [](const Token& t) { return t.kind == K::LeftParen || t.kind == K::LeftBracket || t.kind == K::LeftBrace; };
    int level = opens(*start) ? start->level - 1 : start->level;
    for (const Token* t = start; t < at_; ++t)
        if (t->kind == K::Comma && t->level == level) return true;
    return false;
}

StmtPtr Parser::expression_statement() {
    const Token* start = at_;
    if (is(K::KwYield)) {
        ExprPtr value = yield_expression();
        if (is(K::Equal)) error(messages::cannot_assign_yield, value->span);
        auto node = std::make_unique<ExprStmt>(since(start));
        node->value = std::move(value);
        return node;
    }
    ExprPtr value = star_expressions();
    BinaryOp op;
    if (is(K::Newline)) {
        // the common end, below
    } else if (is(K::Equal)) {
        return assignment(std::move(value), start);
    } else if (is(K::Colon)) {
        return annotated_assignment(std::move(value), start);
    } else if (augmented(kind(), op)) {
        return augmented_assignment(std::move(value), start);
    } else if (is(K::ColonEqual) && value->kind != ExprKind::Name && value->kind != ExprKind::Tuple) {
        const Token* walrus = at_++;
        bool named = attempt([&] { return expression(); }) != nullptr;
        at_ = walrus;
        if (named) fail_target(*value, messages::cannot_name);
    }
    auto node = std::make_unique<ExprStmt>(since(start));
    node->value = std::move(value);
    return node;
}

StmtPtr Parser::assignment(ExprPtr first, const Token* start) {
    std::vector<ExprPtr> targets;
    ExprPtr value = std::move(first);
    while (is(K::Equal)) {
        if (value->kind == ExprKind::Yield || value->kind == ExprKind::YieldFrom) {
            if (at_[-1].kind != K::RightParen) error(messages::cannot_assign_yield, value->span);
        }
        if (const Expr* bad = set_context(*value, Context::Store)) {
            if (targets.empty()) {
                const Tuple* tuple = get_if<Tuple>(value);
                if (tuple && bare_tuple_since(start) && bad == tuple->elements.back().get()) {
                    // The last of several targets is what stands before the `=`.
                    const Token* last = at_ - 1;
                    while (last > start && (last->line > bad->span.line || (last->line == bad->span.line && last->column > bad->span.column))) --last;
                    explain_equal(*bad, last, true);
                } else if (!tuple) {
                    explain_equal(*value, start, true);
                }
            }
            fail_target(*bad, messages::cannot_assign);
        }
        targets.push_back(std::move(value));
        ++at_;
        value = is(K::KwYield) ? yield_expression() : star_expressions();
    }
    auto node = std::make_unique<Assign>(since(start));
    node->targets = std::move(targets);
    node->value = std::move(value);
    return node;
}

StmtPtr Parser::annotated_assignment(ExprPtr target, const Token* start) {
    if (target->kind != ExprKind::Name && target->kind != ExprKind::Attribute && target->kind != ExprKind::Subscript) {
        // Without an annotation behind it the colon is the mistake: a misspelt `if x:`.
        const Token* colon = at_++;
        if (!attempt([&] { return expression(); })) fail();
        at_ = colon;
    }
    if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
        Span where = target->kind == ExprKind::Tuple && bare_tuple_since(start) ? as<Tuple>(*target).elements.front()->span : target->span;
        error(messages::cannot_annotate, where, describe(*target));
    }
    if (target->kind != ExprKind::Name && target->kind != ExprKind::Attribute && target->kind != ExprKind::Subscript)
        error(messages::illegal_annotation, target->span);
    set_context(*target, Context::Store);
    bool simple = target->kind == ExprKind::Name && start->kind == K::Name;
    expect(K::Colon);
    ExprPtr annotation = expression();
    ExprPtr value;
    if (accept(K::Equal)) value = is(K::KwYield) ? yield_expression() : star_expressions();
    auto node = std::make_unique<AnnAssign>(since(start));
    node->target = std::move(target);
    node->annotation = std::move(annotation);
    node->value = std::move(value);
    node->simple = simple;
    return node;
}

StmtPtr Parser::augmented_assignment(ExprPtr target, const Token* start) {
    BinaryOp op = BinaryOp::Add;
    augmented(kind(), op);
    const Token* assign = at_;
    bool legal = target->kind == ExprKind::Name || target->kind == ExprKind::Attribute || target->kind == ExprKind::Subscript;
    ++at_;
    ExprPtr value = is(K::KwYield) ? yield_expression() : star_expressions();
    if (!legal) {
        at_ = assign;
        error(messages::cannot_augment, target->span, describe(*target));
    }
    set_context(*target, Context::Store);
    auto node = std::make_unique<AugAssign>(since(start));
    node->target = std::move(target);
    node->op = op;
    node->value = std::move(value);
    return node;
}

StmtPtr Parser::delete_statement() {
    const Token* start = at_++;
    std::vector<ExprPtr> targets;
    do {
        if (!targets.empty() && (is(K::Newline) || is(K::Semicolon))) break;
        targets.push_back(star_expression());
    } while (accept(K::Comma));
    for (ExprPtr& t : targets)
        if (const Expr* bad = set_context(*t, Context::Del)) fail_target(*bad, messages::cannot_delete);
    if (!is(K::Newline) && !is(K::Semicolon)) fail();
    auto node = std::make_unique<Delete>(since(start));
    node->targets = std::move(targets);
    return node;
}

StmtPtr Parser::raise_statement() {
    const Token* start = at_++;
    ExprPtr exception, cause;
    if (!is(K::Newline) && !is(K::Semicolon)) {
        exception = expression();
        if (accept(K::KwFrom)) cause = expression();
    }
    auto node = std::make_unique<Raise>(since(start));
    node->exception = std::move(exception);
    node->cause = std::move(cause);
    return node;
}

StmtPtr Parser::assert_statement() {
    const Token* start = at_++;
    ExprPtr test = expression(), message;
    if (accept(K::Comma)) message = expression();
    auto node = std::make_unique<Assert>(since(start));
    node->test = std::move(test);
    node->message = std::move(message);
    return node;
}

StmtPtr Parser::global_statement() {
    const Token* start = at_++;
    std::vector<std::string> names;
    do names.push_back(expect_name());
    while (accept(K::Comma));
    if (start->kind == K::KwGlobal) {
        auto node = std::make_unique<Global>(since(start));
        node->names = std::move(names);
        return node;
    }
    auto node = std::make_unique<Nonlocal>(since(start));
    node->names = std::move(names);
    return node;
}

std::string Parser::dotted_name() {
    std::string name = expect_name();
    while (accept(K::Dot)) name += "." + expect_name();
    return name;
}

StmtPtr Parser::import_statement() {
    const Token* start = at_++;
    auto node = std::make_unique<Import>(span(*start));
    do {
        const Token* begin = at_;
        Alias alias;
        alias.name = dotted_name();
        if (accept(K::KwAs)) alias.asname = expect_name();
        alias.span = since(begin);
        node->names.push_back(std::move(alias));
    } while (accept(K::Comma));
    node->span = since(start);
    return node;
}

StmtPtr Parser::import_from_statement() {
    const Token* start = at_++;
    auto node = std::make_unique<ImportFrom>(span(*start));
    for (; is(K::Dot) || is(K::Ellipsis); ++at_) node->level += is(K::Dot) ? 1 : 3;
    if (node->level == 0 || !is(K::KwImport)) node->module = dotted_name();
    expect(K::KwImport);
    if (is(K::Star)) {
        ++at_;
        node->names.push_back(Alias{"*", "", span(at_[-1])});
    } else {
        bool parenthesized = accept(K::LeftParen);
        for (;;) {
            const Token* begin = at_;
            Alias alias;
            alias.name = expect_name();
            if (accept(K::KwAs)) alias.asname = expect_name();
            alias.span = since(begin);
            node->names.push_back(std::move(alias));
            if (!accept(K::Comma)) break;
            if (parenthesized && is(K::RightParen)) break;
            if (!parenthesized && is(K::Newline)) error(messages::import_trailing_comma, span(*at_));
        }
        if (parenthesized) expect(K::RightParen);
    }
    node->span = since(start);
    return node;
}

// ------------------------------------------------------------------------------------------------- compound statements

void Parser::expect_colon(bool always) {
    if (is(K::Colon)) {
        ++at_;
        return;
    }
    if (always || is(K::Newline)) error(messages::expected_token, span(*at_), ":");
    fail();
}

Body Parser::block(const char* what, uint32_t line) {
    Body body;
    if (!accept(K::Newline)) {
        simple_statements(body);
        return body;
    }
    if (!is(K::Indent)) raise_error("IndentationError", diagnose(messages::expected_block, span(*at_), what, line));
    ++at_;
    while (!is(K::Dedent) && !is(K::EndMarker)) statement(body);
    expect(K::Dedent);
    return body;
}

Body Parser::else_block() {
    if (!is(K::KwElse)) return {};
    uint32_t line = (at_++)->line;
    expect_colon(true);
    return block("'else' statement", line);
}

StmtPtr Parser::compound_statement() {
    const Token* start = at_;
    switch (kind()) {
        case K::KwIf: return if_statement(0);
        case K::KwWhile: return while_statement();
        case K::KwFor: return for_statement(start, false);
        case K::KwTry: return try_statement();
        case K::KwWith: return with_statement(start, false);
        case K::KwDef: return function(start, {}, false);
        case K::KwClass: return class_definition({});
        case K::At: return decorated();
        default: break;
    }
    expect(K::KwAsync);
    switch (kind()) {
        case K::KwFor: return for_statement(start, true);
        case K::KwWith: return with_statement(start, true);
        case K::KwDef: return function(start, {}, true);
        default: fail();
    }
}

/// From `if` or `elif` on. The chain is as deep in the tree as it is long, so its length is limited.
StmtPtr Parser::if_statement(uint32_t elifs) {
    if (elifs > max_tree_depth) not_supported(messages::too_many_elif, span(*at_), max_tree_depth);
    const Token* start = at_++;
    bool is_elif = start->kind == K::KwElif;
    auto node = std::make_unique<If>(span(*start));
    node->test = named_expression();
    expect_colon();
    node->body = block(is_elif ? "'elif' statement" : "'if' statement", start->line);
    if (is(K::KwElif)) node->orelse.push_back(if_statement(elifs + 1));
    else node->orelse = else_block();
    node->span = since(start);
    return node;
}

StmtPtr Parser::while_statement() {
    const Token* start = at_++;
    auto node = std::make_unique<While>(span(*start));
    node->test = named_expression();
    expect_colon();
    node->body = block("'while' statement", start->line);
    node->orelse = else_block();
    node->span = since(start);
    return node;
}

StmtPtr Parser::for_statement(const Token* start, bool is_async) {
    uint32_t line = (at_++)->line;
    auto node = std::make_unique<For>(span(*start));
    node->is_async = is_async;
    node->target = target_list();
    expect(K::KwIn);
    node->iter = star_expressions();
    expect_colon();
    node->body = block("'for' statement", line);
    node->orelse = else_block();
    node->span = since(start);
    return node;
}

WithItem Parser::with_item() {
    WithItem item;
    item.manager = expression();
    if (accept(K::KwAs)) {
        item.target = star_expression();
        if (const Expr* bad = set_context(*item.target, Context::Store)) fail_target(*bad, messages::cannot_assign);
    }
    return item;
}

std::vector<WithItem> Parser::parenthesized_with_items() {
    std::vector<WithItem> items;
    expect(K::LeftParen);
    do {
        if (!items.empty() && is(K::RightParen)) break;
        items.push_back(with_item());
    } while (accept(K::Comma));
    expect(K::RightParen);
    if (!is(K::Colon)) {
        if (is(K::Newline)) error(messages::expected_token, span(*at_), ":");
        fail();
    }
    return items;
}

/// A parenthesis after `with` may hold the items or start an expression. An `as` in it tells; without one, it holds the items if
/// it ends at the colon and reads as a list of expressions.
std::vector<WithItem> Parser::with_items() {
    if (is(K::LeftParen)) {
        bool has_as = false;
        const Token* t = at_ + 1;
        for (; t < end_ && t->level >= at_->level; ++t) has_as = has_as || (t->kind == K::KwAs && t->level == at_->level);
        if (has_as) return parenthesized_with_items();
        if (t + 1 < end_ && t[1].kind == K::Colon) {
            std::vector<WithItem> items = attempt([&] { return parenthesized_with_items(); });
            if (!items.empty()) return items;
        }
    }
    std::vector<WithItem> items;
    do items.push_back(with_item());
    while (accept(K::Comma));
    return items;
}

StmtPtr Parser::with_statement(const Token* start, bool is_async) {
    uint32_t line = (at_++)->line;
    auto node = std::make_unique<With>(span(*start));
    node->is_async = is_async;
    node->items = with_items();
    expect_colon();
    node->body = block("'with' statement", line);
    node->span = since(start);
    return node;
}

void Parser::except_handlers(Try& node) {
    while (is(K::KwExcept)) {
        const Token* start = at_++;
        ExceptHandler handler;
        bool star = is(K::Star);
        if (!node.handlers.empty() && star != node.is_star)
            error(messages::both_excepts, star ? from_to(span(*start), span(*at_)) : span(*start));
        node.is_star = star;
        if (star) {
            ++at_;
            if (is(K::Newline) || is(K::Colon)) error(messages::except_star_types, span(*at_));
        }
        if (!is(K::Colon) && !is(K::Newline)) {
            handler.type = expression();
            if (is(K::Comma)) {
                auto rest = attempt([&]() -> ExprPtr {
                    ++at_;
                    ExprPtr e = star_expressions();
                    if (accept(K::KwAs)) expect(K::Name);
                    if (!is(K::Colon)) fail();
                    return e;
                });
                if (rest) error(messages::except_types, from_to(handler.type->span, rest->span));
                fail();
            }
            if (accept(K::KwAs)) handler.name = expect_name();
        }
        expect_colon();
        handler.body = block(star ? "'except*' statement" : "'except' statement", start->line);
        handler.span = since(start);
        node.handlers.push_back(std::move(handler));
    }
}

StmtPtr Parser::try_statement() {
    const Token* start = at_++;
    auto node = std::make_unique<Try>(span(*start));
    expect_colon(true);
    node->body = block("'try' statement", start->line);
    if (!is(K::KwExcept) && !is(K::KwFinally)) error(messages::expected_except, span(*at_));
    except_handlers(*node);
    if (!node->handlers.empty()) node->orelse = else_block();
    if (is(K::KwFinally)) {
        uint32_t line = (at_++)->line;
        expect_colon(true);
        node->finalbody = block("'finally' statement", line);
    }
    node->span = since(start);
    return node;
}

StmtPtr Parser::decorated() {
    std::vector<ExprPtr> decorators;
    while (accept(K::At)) {
        decorators.push_back(named_expression());
        expect(K::Newline);
    }
    const Token* start = at_;
    if (is(K::KwClass)) return class_definition(std::move(decorators));
    bool is_async = accept(K::KwAsync);
    if (!is(K::KwDef)) fail();
    return function(start, std::move(decorators), is_async);
}

StmtPtr Parser::function(const Token* start, std::vector<ExprPtr> decorators, bool is_async) {
    uint32_t line = (at_++)->line;
    auto node = std::make_unique<FunctionDef>(span(*start));
    node->is_async = is_async;
    node->decorators = std::move(decorators);
    node->name_span = span(*at_);
    node->name = expect_name();
    if (!is(K::LeftParen)) error(messages::expected_token, span(*at_), "(");
    ++at_;
    node->params = parameters(K::RightParen, false);
    expect(K::RightParen);
    if (is(K::Arrow)) {
        if (peek() == K::Colon) error(messages::expected_token, span(*at_), ":");
        ++at_;
        node->returns = expression();
    }
    expect_colon(true);
    node->body = block("function definition", line);
    node->span = since(start);
    return node;
}

StmtPtr Parser::class_definition(std::vector<ExprPtr> decorators) {
    const Token* start = at_++;
    auto node = std::make_unique<ClassDef>(span(*start));
    node->decorators = std::move(decorators);
    node->name_span = span(*at_);
    node->name = expect_name();
    if (is(K::LeftParen)) {
        const Token* open = at_++;
        arguments(node->bases, node->keywords);
        // A generator alone is an argument of a call, but no base.
        if (node->bases.size() == 1 && node->bases[0]->kind == ExprKind::GeneratorExp && node->bases[0]->span == since(open)) {
            for (at_ = open; !starts_generators();) ++at_;
            fail();
        }
    }
    expect_colon();
    node->body = block("class definition", start->line);
    node->span = since(start);
    return node;
}

}  // namespace sifr::syntax
