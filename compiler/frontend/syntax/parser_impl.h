#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/frontend/syntax/ast.h"
#include "compiler/frontend/syntax/lexer.h"
#include "compiler/frontend/syntax/messages.h"
#include "compiler/frontend/syntax/token.h"

namespace sifr::syntax {

/// A recursive-descent parser over the tokens of one file, or of one expression of an f-string.
///
/// It never goes back, but for two constructs whose start does not tell what they are (`attempt`): a parenthesised `with`, and the
/// search for the words of an error. So the first token that does not fit is the one that CPython's parser reaches too.
class Parser {
public:
    /// `fstring_level`: 0 for a file, 1 for an expression in an f-string, 2 for one inside such an expression's format specification
    /// or in an f-string in it.
    Parser(std::string_view text, uint32_t file, TokenStream stream, uint32_t fstring_level);

    Body parse_file();
    ExprPtr parse_fstring_expression();

private:
    using K = TokenKind;

    // Thrown in place of an error inside `attempt`.
    struct Mismatch {};

    // ------------------------------------------------------------------------------------------ tokens (parser.cpp)
    [[nodiscard]] K kind() const { return at_->kind; }
    [[nodiscard]] K peek(size_t n = 1) const {  // the stream's EndMarker repeats
        return at_ + n < end_ ? at_[n].kind : K::EndMarker;
    }
    [[nodiscard]] bool is(K k) const { return at_->kind == k; }
    bool accept(K k) {
        if (at_->kind != k) return false;
        ++at_;
        return true;
    }
    void expect(K k) {
        if (at_->kind != k) [[unlikely]] fail();
        ++at_;
    }
    [[nodiscard]] std::string_view text(const Token& t) const { return text_.substr(t.begin, t.end - t.begin); }
    [[nodiscard]] bool is_soft(std::string_view word) const { return is(K::Name) && text(*at_) == word; }
    std::string expect_name();
    [[nodiscard]] Span span(const Token& t) const { return t.span(file_); }
    /// From `start` to the last token before the current one that is not a line's end or an indentation.
    [[nodiscard]] Span since(const Token* start) const;
    [[nodiscard]] Span from_to(const Span& a, const Span& b) const { return Span{file_, a.line, a.column, b.end_line, b.end_column}; }

    // ------------------------------------------------------------------------------------------ errors (parser.cpp)
    /// "invalid syntax" at the current token, or what explains it better.
    [[noreturn]] void fail();
    /// Whether the parser stands where the text ends within a bracket, or stops making tokens: then no other reading helps.
    [[nodiscard]] bool at_end() const { return is(K::Error) || (is(K::EndMarker) && stream_.unclosed); }
    template <class... Args>
    [[noreturn]] void error(const Message& message, Span where, const Args&... args) {
        if (attempting_ > 0 && !at_end()) throw Mismatch{};
        raise_error("SyntaxError", diagnose(message, where, args...));
    }
    [[noreturn]] void raise_error(const char* exception, Diagnostic d);
    /// Runs `f` at the current place; goes back and returns null if it does not fit.
    template <class F>
    auto attempt(F&& f) -> decltype(f()) {
        const Token* start = at_;
        ++attempting_;
        try {
            auto result = f();
            --attempting_;
            return result;
        } catch (const Mismatch&) {
            --attempting_;
            at_ = start;
            return {};
        }
    }
    /// `f() = …`: says which part of the expression cannot be assigned to.
    [[noreturn]] void fail_target(const Expr& expr, const Message& message);

    // ------------------------------------------------------------------------------------- expressions
    ExprPtr star_expressions();
    ExprPtr star_expression();
    ExprPtr star_named_expression();
    ExprPtr named_expression();
    ExprPtr expression();
    ExprPtr disjunction();
    ExprPtr conjunction();
    ExprPtr inversion();
    ExprPtr comparison();
    static constexpr int lowest_precedence = 1;  // of `|`: what the grammar calls bitwise_or
    ExprPtr binary(int min_precedence);
    ExprPtr factor();
    ExprPtr power();
    ExprPtr primary();
    ExprPtr trailers(ExprPtr value, const Token* start);
    ExprPtr atom();
    ExprPtr name_atom();
    ExprPtr constant(ConstantKind k);
    ExprPtr number();
    ExprPtr parenthesized();
    ExprPtr list_display();
    ExprPtr brace_display();
    ExprPtr dict_display(const Token* start, ExprPtr first_key);
    ExprPtr subscript_index();
    ExprPtr slice();
    ExprPtr lambda();
    ExprPtr yield_expression();
    void arguments(std::vector<ExprPtr>& args, std::vector<Keyword>& keywords);
    void keyword_argument(std::vector<Keyword>& keywords);
    std::vector<Generator> generators();
    template <class T>
    ExprPtr comprehension(const Token* start, ExprPtr element, TokenKind close);
    ExprPtr target_list();  // of `for`
    ExprPtr target_atom();
    [[nodiscard]] bool starts_expression(const Token& t) const;
    [[nodiscard]] bool starts_generators() const { return is(K::KwFor) || (is(K::KwAsync) && peek() == K::KwFor); }
    void explain_after_expression(const Expr& value, const Token* start);
    void explain_equal(const Expr& value, const Token* start, bool in_statement);

    // --------------------------------------------------------------------------------------- parameters
    Parameters parameters(TokenKind close, bool is_lambda);
    Parameter parameter(bool is_lambda, bool star);

    // ------------------------------------------------------------------------------------------ strings
    ExprPtr strings();
    std::string decode_string(const Token& token, size_t begin, size_t end, bool raw, bool bytes);
    void escape(const Token& token, size_t& i, size_t begin, size_t end, bool bytes, std::string& out);
    struct FString;
    void fstring_parts(FString& f, uint32_t depth);
    void fstring_literal(FString& f, uint32_t depth);
    void fstring_expression(FString& f, uint32_t depth);
    size_t fstring_expression_end(FString& f);
    Span place_in(const Token& token, size_t begin, size_t end) const;

    // --------------------------------------------------------------------------------------- statements
    void statement(Body& out);
    void simple_statements(Body& out);
    StmtPtr simple_statement();
    StmtPtr expression_statement();
    StmtPtr annotated_assignment(ExprPtr target, const Token* start);
    StmtPtr assignment(ExprPtr first, const Token* start);
    StmtPtr augmented_assignment(ExprPtr target, const Token* start);
    StmtPtr delete_statement();
    StmtPtr import_statement();
    StmtPtr import_from_statement();
    StmtPtr global_statement();
    StmtPtr raise_statement();
    StmtPtr assert_statement();
    std::string dotted_name();
    StmtPtr compound_statement();
    StmtPtr if_statement(uint32_t elifs);
    StmtPtr while_statement();
    StmtPtr for_statement(const Token* start, bool is_async);
    StmtPtr with_statement(const Token* start, bool is_async);
    StmtPtr try_statement();
    void except_handlers(Try& node);
    StmtPtr decorated();
    StmtPtr function(const Token* start, std::vector<ExprPtr> decorators, bool is_async);
    StmtPtr class_definition(std::vector<ExprPtr> decorators);
    std::vector<WithItem> with_items();
    std::vector<WithItem> parenthesized_with_items();
    WithItem with_item();
    Body else_block();
    /// The body behind a colon; `what` and `line` name the statement it belongs to.
    Body block(const char* what, uint32_t line);
    /// The colon in front of a block; `always`: CPython says "expected ':'" whatever stands there, and not only at a line's end.
    void expect_colon(bool always = false);
    /// Whether a comma at the level of `start` stands between it and the current token.
    [[nodiscard]] bool bare_tuple_since(const Token* start) const;

    // ----------------------------------------------------------------------------------------- patterns
    [[nodiscard]] bool at_match_statement() const;
    StmtPtr match_statement();
    MatchCase match_case();
    PatternPtr patterns();
    PatternPtr pattern();
    PatternPtr or_pattern();
    PatternPtr closed_pattern();
    PatternPtr maybe_star_pattern();
    PatternPtr name_pattern();
    PatternPtr group_or_sequence_pattern();
    PatternPtr mapping_pattern();
    PatternPtr class_pattern(ExprPtr cls, const Token* start);
    ExprPtr literal_expression();
    ExprPtr name_or_attribute();
    std::string capture_name();
    std::unique_ptr<MatchSequence> sequence_rest(const Token* start, PatternPtr first, TokenKind close);

    // -------------------------------------------------------------------------------------------- nodes
    /// Sets the height of `node` over its children, which must not grow past `max_tree_depth`.
    void over(Expr& node, const Expr* child) {
        if (child && child->height >= node.height) node.height = static_cast<uint16_t>(child->height + 1);
        if (node.height > max_tree_depth) [[unlikely]] too_deep(node.span);
    }
    void over(Expr& node, const ExprPtr& child) { over(node, child.get()); }
    void over(Expr& node, const std::vector<ExprPtr>& children) {
        for (const ExprPtr& c : children) over(node, c.get());
    }
    [[noreturn]] void too_deep(Span where);

    /// Counts how deep the parser stands in its own recursion.
    struct Depth {
        explicit Depth(Parser& p) : parser(p) {
            if (++parser.depth_ > max_tree_depth) [[unlikely]] {
                --parser.depth_;
                parser.too_deep(parser.span(*parser.at_));
            }
        }
        ~Depth() { --parser.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        Parser& parser;
    };

    std::string_view text_;
    uint32_t file_;
    TokenStream stream_;
    const Token* at_;
    const Token* end_;
    uint32_t fstring_level_;
    uint32_t depth_ = 0;
    uint32_t attempting_ = 0;
    const Token* unhinted_ = nullptr;  // no missing comma is suggested behind the expression that starts here
};

/// Makes a target of an expression: its names, attributes, … get `context`. Returns the part that cannot be one, or null.
const Expr* set_context(Expr& expr, Context context);

/// The checks that CPython makes between parsing and running: `return` outside a function, unpacking, repeated keywords, …
void check_tree(const Module& module);

}  // namespace sifr::syntax
