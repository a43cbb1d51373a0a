#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/frontend/syntax/token.h"
#include "ir/base/diagnostic.h"
#include "ir/base/source.h"

namespace sifr::syntax {

/// A bracket that the text leaves open.
struct OpenBracket {
    char character;
    Span span;
};

/// What ends the tokens before the text ends. CPython reports most of these before any error of the grammar, wherever it is;
/// one about indentation or the end of the file only if its parser gets there.
struct LexicalFault {
    CompileError error;
    bool first;  ///< before errors of the grammar
};

struct TokenStream {
    std::vector<Token> tokens;           ///< ends with an EndMarker, before which an Error stands if there is a fault
    std::optional<OpenBracket> unclosed;  ///< the innermost bracket that is open at the end of the text
    std::optional<LexicalFault> fault;
};

/// Cuts a file into tokens, with Newline, Indent and Dedent as Python sees them; blank lines and comments leave none.
/// Throws CompileError if the text as a whole is no source: not UTF-8, null bytes, another encoding.
TokenStream tokenize(const SourceFile& file, uint32_t file_index);

/// Cuts the expression in `text[begin, end)` of an f-string, as if it stood in parentheses. `line` and `column` are the place of
/// `begin`; `line_start` the offset of that line's first byte.
TokenStream tokenize_expression(std::string_view text, uint32_t file_index, size_t begin, size_t end, uint32_t line, size_t line_start);

}  // namespace sifr::syntax
