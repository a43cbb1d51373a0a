#pragma once

#include <string>
#include <string_view>

#include "ir/base/diagnostic.h"

namespace sifr {

/// A token of IR text. `text` is what stands behind the sigil: `%x` is Value "x".
struct Token {
    enum class Kind : uint8_t {
        Name,      ///< `sum.dim`, `carrying`
        Value,     ///< `%x`
        Storage,   ///< `$x`
        Symbol,    ///< `@main`
        Place,     ///< `@3:1` or `@3:1,5:1`: text is `3:1,5:1`
        Number,    ///< `#0`, text `0`
        Int,       ///< `12`, without a sign; `0x7f` (bits)
        Float,     ///< `0.5`, `1e-3`, without a sign
        String,    ///< its contents, escapes resolved
        Punct,     ///< `(`, `<-`, `..`
        End,
    };
    Kind kind = Kind::End;
    std::string text;
    size_t begin = 0, end = 0;  ///< bytes of the file
};

/// Cuts IR text into tokens, one ahead. White space and `// …` separate. Throws CompileError at what is no token.
class Lexer {
public:
    explicit Lexer(const SourceFile& file, size_t offset = 0);

    [[nodiscard]] const Token& peek() const { return token_; }
    Token next();
    [[nodiscard]] bool at(std::string_view punct_or_name) const;  ///< the next token is this punctuation or name
    /// The next token is a name with `=` right behind it: an attribute, whatever else the name may mean (`nan=0.0`).
    [[nodiscard]] bool at_key() const;
    bool accept(std::string_view punct_or_name);                  ///< takes it if so
    Token expect(std::string_view punct_or_name);
    Token expect(Token::Kind kind, const char* what);
    /// The byte offset of the next token: where another parser goes on.
    [[nodiscard]] size_t offset() const { return token_.begin; }
    [[nodiscard]] Span span(const Token& t) const;
    [[nodiscard]] Span span() const { return span(token_); }

    template <class... Args>
    [[noreturn]] void fail(const Message& message, Span at, const Args&... args) const {
        throw CompileError(diagnose(message, at, args...));
    }
    /// `expected {what}, found …` at the next token.
    [[noreturn]] void fail_expected(std::string_view what) const;

private:
    void advance();
    void lex_string();
    void lex_number();
    void lex_place();
    [[nodiscard]] char look(size_t ahead = 0) const;

    const SourceFile& file_;
    std::string_view text_;
    size_t at_;
    Token token_;
};

/// `text` in quotes, with escapes, as the lexer reads it.
std::string quoted(std::string_view text);
/// Shortest text that reads back as the same number, always with a point, an exponent, `inf` or `nan`.
std::string number_text(double v);

}  // namespace sifr
