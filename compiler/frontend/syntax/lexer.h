#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/frontend/syntax/token.h"
#include "ir/base/source.h"

namespace sifr::syntax {

/// A bracket that the text leaves open.
struct OpenBracket {
    char character;
    Span span;
};

struct TokenStream {
    std::vector<Token> tokens;           ///< ends with an EndMarker
    std::optional<OpenBracket> unclosed;  ///< the innermost bracket that is open at the end of the text
};

/// Cuts a file into tokens, with Newline, Indent and Dedent as Python sees them; blank lines and comments leave none.
/// Throws CompileError for what is no token: like CPython, before any error of the grammar.
TokenStream tokenize(const SourceFile& file, uint32_t file_index);

/// Cuts the expression in `text[begin, end)` of an f-string, as if it stood in parentheses. `line` and `column` are the place of
/// `begin`; `line_start` the offset of that line's first byte.
TokenStream tokenize_expression(std::string_view text, uint32_t file_index, size_t begin, size_t end, uint32_t line, size_t line_start);

}  // namespace sifr::syntax
