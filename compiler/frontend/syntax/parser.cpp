#include "compiler/frontend/syntax/parser.h"

#include "compiler/frontend/syntax/parser_impl.h"
#include "compiler/frontend/syntax/scopes.h"

namespace sifr::syntax {

Parser::Parser(std::string_view text, uint32_t file, TokenStream stream, uint32_t fstring_level)
    : text_(text), file_(file), stream_(std::move(stream)), fstring_level_(fstring_level) {
    at_ = stream_.tokens.data();
    end_ = at_ + stream_.tokens.size();
}

std::string Parser::expect_name() {
    if (!is(K::Name)) fail();
    return std::string(text(*at_++));
}

Span Parser::since(const Token* start) const {
    const Token* last = at_ - 1;
    while (last > start && (last->kind == K::Newline || last->kind == K::Indent || last->kind == K::Dedent)) --last;
    return Span{file_, start->line, start->column, last->end_line, last->end_column};
}

void Parser::fail() {
    if (attempting_ > 0 && !at_end()) throw Mismatch{};
    if (is(K::Indent)) indentation_error(messages::unexpected_indent, span(*at_));
    raise_error("SyntaxError", diagnose(messages::invalid_syntax, span(*at_)));
}

void Parser::raise_error(const char* exception, Diagnostic d) {
    if (stream_.fault && (stream_.fault->first || is(K::Error))) throw stream_.fault->error;
    // A bracket that is never closed is the likelier cause of whatever goes wrong on the lines behind it.
    if (stream_.unclosed && (is(K::EndMarker) || at_->line > stream_.unclosed->span.line))
        d = diagnose(messages::never_closed, stream_.unclosed->span, stream_.unclosed->character);
    if (fstring_level_ > 0 && d.text.rfind("f-string", 0) != 0) d.text = "f-string: " + d.text;
    d.exception = exception;
    d.exception_text = std::move(d.text);
    d.text.clear();
    throw CompileError(std::move(d));
}

void Parser::too_deep(Span where) { not_supported(messages::nested_too_deeply, where, max_tree_depth); }

const Expr* set_context(Expr& expr, Context context) {
    auto all = [&](std::vector<ExprPtr>& elements) -> const Expr* {
        for (ExprPtr& e : elements)
            if (const Expr* bad = set_context(*e, context)) return bad;
        return nullptr;
    };
    switch (expr.kind) {
        case ExprKind::Name: static_cast<Name&>(expr).context = context; return nullptr;
        case ExprKind::Attribute: static_cast<Attribute&>(expr).context = context; return nullptr;
        case ExprKind::Subscript: static_cast<Subscript&>(expr).context = context; return nullptr;
        case ExprKind::Tuple: static_cast<Tuple&>(expr).context = context; return all(static_cast<Tuple&>(expr).elements);
        case ExprKind::List: static_cast<List&>(expr).context = context; return all(static_cast<List&>(expr).elements);
        case ExprKind::Starred:
            if (context == Context::Del) return &expr;
            static_cast<Starred&>(expr).context = context;
            return set_context(*static_cast<Starred&>(expr).value, context);
        default: return &expr;
    }
}

void Parser::fail_target(const Expr& expr, const Message& message) { error(message, expr.span, describe(expr)); }

std::unique_ptr<Module> parse_module(const SourceFile& file, uint32_t file_index) {
    Parser parser(file.text(), file_index, tokenize(file, file_index), 0);
    auto module = std::make_unique<Module>();
    module->file = file_index;
    module->body = parser.parse_file();
    ScopeTable scopes(*module);
    check_tree(*module);
    return module;
}

}  // namespace sifr::syntax
