#pragma once

#include <cstdint>

#include "ir/base/source.h"

namespace sifr::syntax {

/// `X(identifier, "spelling")`: the keywords that are never names.
#define SIFR_PYTHON_KEYWORDS(X)                                                                                                      \
    X(KwFalse, "False") X(KwNone, "None") X(KwTrue, "True") X(KwAnd, "and") X(KwAs, "as") X(KwAssert, "assert") X(KwAsync, "async")  \
    X(KwAwait, "await") X(KwBreak, "break") X(KwClass, "class") X(KwContinue, "continue") X(KwDef, "def") X(KwDel, "del")            \
    X(KwElif, "elif") X(KwElse, "else") X(KwExcept, "except") X(KwFinally, "finally") X(KwFor, "for") X(KwFrom, "from")              \
    X(KwGlobal, "global") X(KwIf, "if") X(KwImport, "import") X(KwIn, "in") X(KwIs, "is") X(KwLambda, "lambda")                      \
    X(KwNonlocal, "nonlocal") X(KwNot, "not") X(KwOr, "or") X(KwPass, "pass") X(KwRaise, "raise") X(KwReturn, "return")              \
    X(KwTry, "try") X(KwWhile, "while") X(KwWith, "with") X(KwYield, "yield")

/// `X(identifier, "spelling")`: operators and delimiters.
#define SIFR_PYTHON_OPERATORS(X)                                                                                                     \
    X(LeftParen, "(") X(RightParen, ")") X(LeftBracket, "[") X(RightBracket, "]") X(LeftBrace, "{") X(RightBrace, "}")               \
    X(Colon, ":") X(Comma, ",") X(Semicolon, ";") X(Plus, "+") X(Minus, "-") X(Star, "*") X(Slash, "/") X(VerticalBar, "|")          \
    X(Ampersand, "&") X(Less, "<") X(Greater, ">") X(Equal, "=") X(Dot, ".") X(Percent, "%") X(EqualEqual, "==") X(NotEqual, "!=")   \
    X(LessEqual, "<=") X(GreaterEqual, ">=") X(Tilde, "~") X(Caret, "^") X(LeftShift, "<<") X(RightShift, ">>") X(StarStar, "**")    \
    X(PlusEqual, "+=") X(MinusEqual, "-=") X(StarEqual, "*=") X(SlashEqual, "/=") X(PercentEqual, "%=") X(AmpersandEqual, "&=")      \
    X(VerticalBarEqual, "|=") X(CaretEqual, "^=") X(LeftShiftEqual, "<<=") X(RightShiftEqual, ">>=") X(StarStarEqual, "**=")         \
    X(SlashSlash, "//") X(SlashSlashEqual, "//=") X(At, "@") X(AtEqual, "@=") X(Arrow, "->") X(Ellipsis, "...") X(ColonEqual, ":=")

enum class TokenKind : uint8_t {
    EndMarker, Newline, Indent, Dedent, Name, Number, String,
    Error,    ///< where the text stops making tokens: `TokenStream::fault`
    Unknown,  ///< `$`, `?`, `` ` `` or a lone `!`: no token of Python
#define SIFR_TOKEN_IDENTIFIER(id, spelling) id,
    SIFR_PYTHON_OPERATORS(SIFR_TOKEN_IDENTIFIER) SIFR_PYTHON_KEYWORDS(SIFR_TOKEN_IDENTIFIER)
#undef SIFR_TOKEN_IDENTIFIER
};

struct Token {
    TokenKind kind = TokenKind::EndMarker;
    uint16_t level = 0;   ///< how many brackets are open behind it
    uint32_t begin = 0;   ///< byte offsets in the file; `end` is exclusive
    uint32_t end = 0;
    uint32_t line = 0;    ///< from 1, columns in code points from 1, the end exclusive, as in Span
    uint32_t column = 0;
    uint32_t end_line = 0;
    uint32_t end_column = 0;

    [[nodiscard]] Span span(uint32_t file) const { return Span{file, line, column, end_line, end_column}; }
};

}  // namespace sifr::syntax
