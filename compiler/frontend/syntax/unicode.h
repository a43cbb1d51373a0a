#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What the lexer needs to know about Unicode.
namespace sifr::syntax {

struct CharProperties {
    bool identifier_start : 1;
    bool identifier_continue : 1;
    bool printable : 1;
    bool changes_under_nfkc : 1;  ///< an identifier with it may be another one after Python's normalization
};

CharProperties properties(char32_t c);

/// Appends `c` in UTF-8; a surrogate is written as if it were a character (three bytes).
void append_utf8(std::string& out, char32_t c);

/// Decodes the character at `text[at]`, which must be valid UTF-8, and moves `at` behind it.
char32_t next_utf8(std::string_view text, size_t& at);

/// The offset and CPython's reason ("invalid start byte", …) of the first byte that is not valid UTF-8.
struct Utf8Fault {
    size_t offset;
    size_t length;
    const char* reason;
};
std::optional<Utf8Fault> find_utf8_fault(std::string_view text);

/// The character that `\N{name}` means: the names that programs use (Greek letters, arrows, mathematical signs, …).
std::optional<char32_t> character_named(std::string_view name);

}  // namespace sifr::syntax
