#include "compiler/frontend/syntax/unicode.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace sifr::syntax {
namespace {

constexpr uint32_t runs[] = {
#include "compiler/frontend/syntax/unicode_table.inc"
};

struct NamedCharacter {
    std::string_view name;
    char32_t character;
};

constexpr NamedCharacter named_characters[] = {
#include "compiler/frontend/syntax/unicode_names.inc"
};

}  // namespace

CharProperties properties(char32_t c) {
    if (c < 0x80) {
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        return {letter, letter || (c >= '0' && c <= '9'), c >= 0x20 && c < 0x7F, false};
    }
    // The last run that starts at or before c.
    const uint32_t* run = std::upper_bound(std::begin(runs), std::end(runs), static_cast<uint32_t>(c) << 4 | 0xF) - 1;
    return {(*run & 1) != 0, (*run & 2) != 0, (*run & 4) != 0, (*run & 8) != 0};
}

void append_utf8(std::string& out, char32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | c >> 12);
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | c >> 18);
        out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

char32_t next_utf8(std::string_view text, size_t& at) {
    auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    unsigned char first = byte(at);
    size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t c = length == 1 ? first : first & (0xFF >> (length + 1));
    for (size_t i = 1; i < length; ++i) c = c << 6 | (byte(at + i) & 0x3F);
    at += length;
    return c;
}

std::optional<Utf8Fault> find_utf8_fault(std::string_view text) {
    size_t at = 0;
    auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    while (at < text.size()) {
        uint64_t eight;
        while (at + sizeof eight <= text.size() && (std::memcpy(&eight, text.data() + at, sizeof eight), (eight & 0x8080808080808080) == 0)) at += sizeof eight;
        if (at >= text.size()) break;
        unsigned char first = byte(at);
        if (first < 0x80) {
            ++at;
            continue;
        }
        if (first < 0xC2 || first > 0xF4) return Utf8Fault{at, 1, "invalid start byte"};
        size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        for (size_t i = 1; i < length; ++i) {
            if (at + i >= text.size()) return Utf8Fault{at, i, "unexpected end of data"};
            unsigned char low = 0x80, high = 0xBF;
            if (i == 1 && first == 0xE0) low = 0xA0;   // overlong
            if (i == 1 && first == 0xED) high = 0x9F;  // a surrogate
            if (i == 1 && first == 0xF0) low = 0x90;   // overlong
            if (i == 1 && first == 0xF4) high = 0x8F;  // above U+10FFFF
            if (byte(at + i) < low || byte(at + i) > high) return Utf8Fault{at, i, "invalid continuation byte"};
        }
        at += length;
    }
    return std::nullopt;
}

std::optional<char32_t> character_named(std::string_view name) {
    std::string upper(name);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    const NamedCharacter* found = std::lower_bound(std::begin(named_characters), std::end(named_characters), std::string_view(upper),
                                                   [](const NamedCharacter& row, std::string_view n) { return row.name < n; });
    if (found == std::end(named_characters) || found->name != upper) return std::nullopt;
    return found->character;
}

}  // namespace sifr::syntax
