// The methods of Python's str.

#include "runtime/internal.h"
#include "runtime/unicode_tables.h"

using namespace sifr::rt;

namespace {

enum class Case { Keep, Upper, Lower, Title };

/// Appends c in that case; false where the result is not one code point for one, or depends on its neighbours.
bool append_case(Text& out, uint32_t c, Case wanted) {
    const CaseRun* run = nullptr;
    if (wanted == Case::Title && run_of(odd_title, odd_title_count, c) != nullptr) return false;
    if (wanted == Case::Upper || wanted == Case::Title) run = run_of(to_upper, to_upper_count, c);
    if (wanted == Case::Lower) run = run_of(to_lower, to_lower_count, c);
    if (wanted == Case::Lower && c == 0x3A3) return false;  // capital sigma: its small letter depends on where it stands
    if (run != nullptr && run->delta == several) return false;
    append_code_point(out, run == nullptr ? c : static_cast<uint32_t>(static_cast<int32_t>(c) + run->delta));
    return true;
}

/// `choose(c, previous_cased)` says which case each code point gets.
template <class Choose>
sifr_status map_case(sifr_str text, const char* method, sifr_str* out, Choose choose) {
    Text mapped;
    const char* p = text.data;
    const char* end = text.data + text.size;
    bool previous_cased = false;
    bool first = true;
    while (p < end) {
        const uint32_t c = next_code_point(p, end);
        if (!append_case(mapped, c, choose(c, previous_cased, first))) {
            Text message;
            message << "not supported: str." << method << "() of '";
            append_code_point(message, c);
            message << "', which changes its length or depends on its neighbours";
            return fail(SIFR_NOT_SUPPORTED, message);
        }
        previous_cased = in_class(CharClass::Upper, c) || in_class(CharClass::Lower, c) ||
                         run_of(to_upper, to_upper_count, c) != nullptr || run_of(to_lower, to_lower_count, c) != nullptr;
        first = false;
    }
    *out = mapped.done();
    return SIFR_OK;
}

bool contains_code_point(sifr_str set, uint32_t wanted) {
    const char* p = set.data;
    const char* end = set.data + set.size;
    while (p < end) {
        if (next_code_point(p, end) == wanted) return true;
    }
    return false;
}

bool is_stripped(uint32_t c, sifr_str characters) {
    return characters.data == nullptr ? is_space(c) : contains_code_point(characters, c);
}

/// Byte position of the first occurrence at or behind `from`, or -1.
int64_t find_bytes(sifr_str text, sifr_str needle, int64_t from) {
    if (needle.size == 0) return from <= text.size ? from : -1;
    if (text.size - from < needle.size) return -1;
    const void* found = memmem(text.data + from, static_cast<size_t>(text.size - from), needle.data, static_cast<size_t>(needle.size));
    return found == nullptr ? -1 : static_cast<const char*>(found) - text.data;
}

int64_t rfind_bytes(sifr_str text, sifr_str needle) {
    for (int64_t at = text.size - needle.size; at >= 0; --at) {
        if (needle.size == 0 || memcmp(text.data + at, needle.data, static_cast<size_t>(needle.size)) == 0) return at;
    }
    return -1;
}

sifr_status pad(sifr_str text, int64_t left, int64_t right, sifr_str fill, sifr_str* out) {
    if (code_point_count(fill) != 1) return fail(SIFR_TYPE_ERROR, "The fill character must be exactly one character long");
    Text padded;
    for (int64_t k = 0; k < left; ++k) padded << fill;
    padded << text;
    for (int64_t k = 0; k < right; ++k) padded << fill;
    *out = padded.done();
    return SIFR_OK;
}

bool all_in_class(sifr_str text, CharClass a, CharClass b) {
    const char* p = text.data;
    const char* end = text.data + text.size;
    while (p < end) {
        const uint32_t c = next_code_point(p, end);
        if (!in_class(a, c) && !in_class(b, c)) return false;
    }
    return text.size > 0;
}

/// At least one code point of the case, and none of the other (title case letters count as the other).
bool all_cased(sifr_str text, CharClass wanted, CharClass other) {
    const char* p = text.data;
    const char* end = text.data + text.size;
    bool found = false;
    while (p < end) {
        const uint32_t c = next_code_point(p, end);
        if (in_class(wanted, c)) {
            found = true;
        } else if (in_class(other, c) || run_of(to_lower, to_lower_count, c) != nullptr) {
            return false;
        }
    }
    return found;
}

}  // namespace

extern "C" {

sifr_status sifr_str_upper(sifr_str text, sifr_str* out) {
    return map_case(text, "upper", out, [](uint32_t, bool, bool) { return Case::Upper; });
}

sifr_status sifr_str_lower(sifr_str text, sifr_str* out) {
    return map_case(text, "lower", out, [](uint32_t, bool, bool) { return Case::Lower; });
}

sifr_status sifr_str_capitalize(sifr_str text, sifr_str* out) {
    return map_case(text, "capitalize", out, [](uint32_t, bool, bool first) { return first ? Case::Title : Case::Lower; });
}

sifr_status sifr_str_title(sifr_str text, sifr_str* out) {
    return map_case(text, "title", out, [](uint32_t, bool previous_cased, bool) { return previous_cased ? Case::Lower : Case::Title; });
}

sifr_status sifr_str_swapcase(sifr_str text, sifr_str* out) {
    return map_case(text, "swapcase", out, [](uint32_t c, bool, bool) {
        return in_class(CharClass::Upper, c) ? Case::Lower : in_class(CharClass::Lower, c) ? Case::Upper : Case::Keep;
    });
}

sifr_str sifr_str_lstrip(sifr_str text, sifr_str characters) {
    const char* end = text.data + text.size;
    const char* p = text.data;
    while (p < end) {
        const char* next = p;
        if (!is_stripped(next_code_point(next, end), characters)) break;
        p = next;
    }
    return {p, end - p};
}

sifr_str sifr_str_rstrip(sifr_str text, sifr_str characters) {
    const char* end = text.data + text.size;
    while (end > text.data) {
        const char* start = end - 1;
        while (start > text.data && is_continuation(*start)) --start;
        const char* p = start;
        if (!is_stripped(next_code_point(p, end), characters)) break;
        end = start;
    }
    return {text.data, end - text.data};
}

sifr_str sifr_str_strip(sifr_str text, sifr_str characters) {
    return sifr_str_rstrip(sifr_str_lstrip(text, characters), characters);
}

sifr_str sifr_str_removeprefix(sifr_str text, sifr_str prefix) {
    if (!sifr_str_startswith(text, prefix)) return text;
    return {text.data + prefix.size, text.size - prefix.size};
}

sifr_str sifr_str_removesuffix(sifr_str text, sifr_str suffix) {
    if (!sifr_str_endswith(text, suffix)) return text;
    return {text.data, text.size - suffix.size};
}

sifr_str sifr_str_replace(sifr_str text, sifr_str old_text, sifr_str new_text, int64_t count) {
    if (count < 0) count = INT64_MAX;
    Text out;
    int64_t at = 0;
    if (old_text.size == 0) {
        // In front of each code point, and at the end.
        while (count > 0) {
            out << new_text;
            --count;
            if (at == text.size) return out.done();
            const int64_t next = byte_of(text, 1, at);
            out.append(text.data + at, next - at);
            at = next;
        }
    }
    while (count > 0) {
        const int64_t found = find_bytes(text, old_text, at);
        if (found < 0) break;
        out.append(text.data + at, found - at);
        out << new_text;
        at = found + old_text.size;
        --count;
    }
    out.append(text.data + at, text.size - at);
    return out.done();
}

bool sifr_str_startswith(sifr_str text, sifr_str prefix) {
    return text.size >= prefix.size && sifr_str_equal({text.data, prefix.size}, prefix);
}

bool sifr_str_endswith(sifr_str text, sifr_str suffix) {
    return text.size >= suffix.size && sifr_str_equal({text.data + text.size - suffix.size, suffix.size}, suffix);
}

bool sifr_str_contains(sifr_str text, sifr_str needle) {
    return find_bytes(text, needle, 0) >= 0;
}

int64_t sifr_str_find(sifr_str text, sifr_str needle) {
    const int64_t at = find_bytes(text, needle, 0);
    return at < 0 ? -1 : code_point_count({text.data, at});
}

int64_t sifr_str_rfind(sifr_str text, sifr_str needle) {
    const int64_t at = rfind_bytes(text, needle);
    return at < 0 ? -1 : code_point_count({text.data, at});
}

sifr_status sifr_str_index_of(sifr_str text, sifr_str needle, int64_t* out) {
    const int64_t at = sifr_str_find(text, needle);
    if (at < 0) return fail(SIFR_VALUE_ERROR, "substring not found");
    *out = at;
    return SIFR_OK;
}

sifr_status sifr_str_rindex_of(sifr_str text, sifr_str needle, int64_t* out) {
    const int64_t at = sifr_str_rfind(text, needle);
    if (at < 0) return fail(SIFR_VALUE_ERROR, "substring not found");
    *out = at;
    return SIFR_OK;
}

int64_t sifr_str_count(sifr_str text, sifr_str needle) {
    if (needle.size == 0) return code_point_count(text) + 1;
    int64_t count = 0;
    for (int64_t at = find_bytes(text, needle, 0); at >= 0; at = find_bytes(text, needle, at + needle.size)) ++count;
    return count;
}

sifr_status sifr_str_ljust(sifr_str text, int64_t width, sifr_str fill, sifr_str* out) {
    return pad(text, 0, width - code_point_count(text), fill, out);
}

sifr_status sifr_str_rjust(sifr_str text, int64_t width, sifr_str fill, sifr_str* out) {
    return pad(text, width - code_point_count(text), 0, fill, out);
}

sifr_status sifr_str_center(sifr_str text, int64_t width, sifr_str fill, sifr_str* out) {
    const int64_t missing = width - code_point_count(text);
    if (missing <= 0) return pad(text, 0, 0, fill, out);
    // Python puts the odd one left when the width is odd too.
    const int64_t left = missing / 2 + (missing & width & 1);
    return pad(text, left, missing - left, fill, out);
}

sifr_str sifr_str_zfill(sifr_str text, int64_t width) {
    const int64_t missing = width - code_point_count(text);
    if (missing <= 0) return text;
    Text out;
    const int64_t sign = text.size > 0 && (text.data[0] == '+' || text.data[0] == '-') ? 1 : 0;
    out.append(text.data, sign);
    out.fill('0', missing);
    out.append(text.data + sign, text.size - sign);
    return out.done();
}

bool sifr_str_isdigit(sifr_str text) {
    return all_in_class(text, CharClass::Digit, CharClass::Digit);
}

bool sifr_str_isalpha(sifr_str text) {
    return all_in_class(text, CharClass::Alpha, CharClass::Alpha);
}

bool sifr_str_isalnum(sifr_str text) {
    return all_in_class(text, CharClass::Alpha, CharClass::Numeric);
}

bool sifr_str_isspace(sifr_str text) {
    return all_in_class(text, CharClass::Space, CharClass::Space);
}

bool sifr_str_isupper(sifr_str text) {
    return all_cased(text, CharClass::Upper, CharClass::Lower);
}

bool sifr_str_islower(sifr_str text) {
    return all_cased(text, CharClass::Lower, CharClass::Upper);
}

sifr_status sifr_chr(int64_t value, sifr_str* out) {
    if (value < 0 || value > 0x10FFFF) return fail(SIFR_VALUE_ERROR, "chr() arg not in range(0x110000)");
    Text text;
    append_code_point(text, static_cast<uint32_t>(value));
    *out = text.done();
    return SIFR_OK;
}

sifr_status sifr_ord(sifr_str text, int64_t* out) {
    const int64_t length = code_point_count(text);
    if (length != 1) {
        Text message;
        message << "ord() expected a character, but string of length " << length << " found";
        return fail(SIFR_TYPE_ERROR, message);
    }
    const char* p = text.data;
    *out = next_code_point(p, text.data + text.size);
    return SIFR_OK;
}

}  // extern "C"
