#pragma once

#include <string>
#include <string_view>

#include "ir/base/diagnostic.h"
#include "ir/base/source.h"

namespace sifr {

/// Reads the texts of loop IR and plans, token by token. Errors are CompileErrors at the place.
class TextCursor {
public:
    TextCursor(const SourceFile& file, size_t offset) : file_(file), text_(file.text()), at_(offset) {}

    [[nodiscard]] size_t offset() const { return at_; }
    void seek(size_t offset) { at_ = offset; }  ///< goes on where another parser stopped
    [[nodiscard]] bool at_end();                 ///< nothing but blanks and comments is left
    [[nodiscard]] bool peek(std::string_view t); ///< the next token is `t` (a word must end where `t` ends)
    bool take(std::string_view t);               ///< the same, and steps over it
    void expect(std::string_view t);
    [[nodiscard]] bool peek_word();
    [[nodiscard]] bool peek_number();  ///< a digit, or `-` in front of one; `inf` and `nan` are words
    std::string word();                ///< letters, digits, `_` and `.`; not a digit first
    int64_t integer();                 ///< with an optional `-`
    std::string number();              ///< the text of an integer or float, with an optional `-`; `inf`, `-inf`, `nan`
    std::string string();              ///< a quoted string, unescaped
    Location location();               ///< `@3:1,5:1`, or nothing
    [[noreturn]] void fail(const std::string& text) const;

private:
    void skip();
    const SourceFile& file_;
    std::string_view text_;
    size_t at_;
};

/// `"…"` with escapes, as TextCursor::string reads it.
std::string quoted_text(std::string_view s);
/// ` @3:1,5:1` with a blank in front; empty where no place is known.
std::string location_text(const Location& location);
/// The shortest text that reads back as `value`; always with a point, an exponent, or `inf`/`nan`.
std::string float_text(double value, bool single);

}  // namespace sifr
