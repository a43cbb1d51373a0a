// The string region, and what is done with whole texts: copy, join, compare, index, slice, repr.

#include <pthread.h>

#include "runtime/internal.h"
#include "runtime/unicode_tables.h"

using namespace sifr::rt;

namespace {

// The region is a row of chunks. A mark is a distance in the row: the sizes of the chunks in front, and what is used of this
// one. Chunks behind the current one are empty and kept, so that a loop that marks and releases stops asking for memory.
struct Chunk {
    char* memory;
    int64_t start;  // where the chunk lies in the row
    int64_t capacity;
};

constexpr int64_t first_chunk_bytes = 64 * 1024;

struct Region {
    Buffer<Chunk> chunks;
    int64_t current = 0;  // the chunk in use
    int64_t used = 0;     // of it
};

thread_local Region region;
pthread_once_t key_once = PTHREAD_ONCE_INIT;
pthread_key_t region_key;

void free_region(void* pointer) {
    Region* dying = static_cast<Region*>(pointer);
    for (Chunk& chunk : dying->chunks) free(chunk.memory);
    dying->chunks.free_memory();
}

void make_key() {
    pthread_key_create(&region_key, free_region);
}

void add_chunk(int64_t at_least) {
    int64_t start = 0;
    int64_t capacity = first_chunk_bytes;
    if (region.chunks.size == 0) {
        pthread_once(&key_once, make_key);
        pthread_setspecific(region_key, &region);
    } else {
        const Chunk& last = region.chunks[region.chunks.size - 1];
        start = last.start + last.capacity;
        capacity = last.capacity * 2;
    }
    if (capacity < at_least) capacity = at_least;
    region.chunks.push({static_cast<char*>(grow_memory(nullptr, static_cast<size_t>(capacity))), start, capacity});
}

/// Moves to a chunk that has room for `size` bytes.
void next_chunk(int64_t size) {
    const int64_t next = region.chunks.size == 0 ? 0 : region.current + 1;
    if (next < region.chunks.size && region.chunks[next].capacity < size) {
        while (region.chunks.size > next) free(region.chunks[--region.chunks.size].memory);
    }
    if (next == region.chunks.size) add_chunk(size);
    region.current = next;
    region.used = 0;
}

bool lies_behind(const char* p, int64_t mark) {
    for (int64_t k = region.current; k >= 0 && k < region.chunks.size; --k) {
        const Chunk& chunk = region.chunks[k];
        const int64_t used = k == region.current ? region.used : chunk.capacity;
        if (chunk.start + used <= mark) return false;
        if (p >= chunk.memory && p < chunk.memory + used) return chunk.start + (p - chunk.memory) >= mark;
    }
    return false;
}

}  // namespace

namespace sifr::rt {

uint32_t next_code_point(const char*& p, const char* end) {
    const auto lead = static_cast<unsigned char>(*p++);
    const int32_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (more == 0 || end - p < more) return lead;
    uint32_t c = lead & (0x3Fu >> more);
    for (int32_t k = 0; k < more; ++k) c = (c << 6) | (static_cast<unsigned char>(*p++) & 0x3F);
    return c;
}

void append_code_point(Text& out, uint32_t c) {
    if (c < 0x80) {
        out << static_cast<char>(c);
    } else if (c < 0x800) {
        out << static_cast<char>(0xC0 | (c >> 6)) << static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out << static_cast<char>(0xE0 | (c >> 12)) << static_cast<char>(0x80 | ((c >> 6) & 0x3F)) << static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out << static_cast<char>(0xF0 | (c >> 18)) << static_cast<char>(0x80 | ((c >> 12) & 0x3F))
            << static_cast<char>(0x80 | ((c >> 6) & 0x3F)) << static_cast<char>(0x80 | (c & 0x3F));
    }
}

bool is_space(uint32_t c) {
    return run_of(space_runs, space_runs_count, c);
}

bool is_printable(uint32_t c) {
    return run_of(printable_runs, printable_runs_count, c);
}

bool in_class(CharClass which, uint32_t c) {
    switch (which) {
        case CharClass::Alpha: return run_of(alpha_runs, alpha_runs_count, c);
        case CharClass::Digit: return run_of(digit_runs, digit_runs_count, c);
        case CharClass::Numeric: return run_of(numeric_runs, numeric_runs_count, c);
        case CharClass::Space: return is_space(c);
        case CharClass::Upper: return run_of(upper_runs, upper_runs_count, c);
        case CharClass::Lower: return run_of(lower_runs, lower_runs_count, c);
    }
    return false;
}

Text& Text::operator<<(int64_t value) {
    char digits[20];
    int32_t at = 20;
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do {
        digits[--at] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) push('-');
    append(digits + at, 20 - at);
    return *this;
}

int64_t code_point_count(sifr_str text) {
    int64_t count = 0;
    for (int64_t k = 0; k < text.size; ++k) count += is_continuation(text.data[k]) ? 0 : 1;
    return count;
}

int64_t byte_of(sifr_str text, int64_t position, int64_t from) {
    int64_t at = from;
    while (position > 0 && at < text.size) {
        ++at;
        while (at < text.size && is_continuation(text.data[at])) ++at;
        --position;
    }
    return at;
}

int64_t slice_bounds(int64_t length, int64_t step, int64_t& start, int64_t& stop) {
    if (start == SIFR_SLICE_NONE) {
        start = step < 0 ? length - 1 : 0;
    } else {
        if (start < 0) start += length;
        if (start < 0) start = step < 0 ? -1 : 0;
        if (start >= length) start = step < 0 ? length - 1 : length;
    }
    if (stop == SIFR_SLICE_NONE) {
        stop = step < 0 ? -1 : length;
    } else {
        if (stop < 0) stop += length;
        if (stop < 0) stop = step < 0 ? -1 : 0;
        if (stop >= length) stop = step < 0 ? length - 1 : length;
    }
    if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
    // The step may be INT64_MIN: its magnitude is taken unsigned.
    const uint64_t magnitude = 0 - static_cast<uint64_t>(step);
    return start > stop ? static_cast<int64_t>(static_cast<uint64_t>(start - stop - 1) / magnitude) + 1 : 0;
}

void append_str_repr(Text& out, sifr_str text) {
    const bool has_single = memchr(text.data, '\'', static_cast<size_t>(text.size)) != nullptr && text.size > 0;
    const bool has_double = memchr(text.data, '"', static_cast<size_t>(text.size)) != nullptr && text.size > 0;
    const char quote = has_single && !has_double ? '"' : '\'';
    static constexpr char hex[] = "0123456789abcdef";
    out << quote;
    const char* p = text.data;
    const char* end = text.data + text.size;
    while (p < end) {
        const uint32_t c = next_code_point(p, end);
        if (c == static_cast<uint32_t>(quote) || c == '\\') {
            out << '\\' << static_cast<char>(c);
        } else if (c == '\n') {
            out << "\\n";
        } else if (c == '\r') {
            out << "\\r";
        } else if (c == '\t') {
            out << "\\t";
        } else if (is_printable(c)) {
            append_code_point(out, c);
        } else {
            const int32_t nibbles = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
            out << '\\' << (nibbles == 2 ? 'x' : nibbles == 4 ? 'u' : 'U');
            for (int32_t k = nibbles - 1; k >= 0; --k) out << hex[(c >> (4 * k)) & 15];
        }
    }
    out << quote;
}

}  // namespace sifr::rt

extern "C" {

int64_t sifr_str_mark(void) {
    if (region.chunks.size == 0) return 0;
    return region.chunks[region.current].start + region.used;
}

void sifr_str_release(int64_t mark) {
    if (region.chunks.size == 0) return;
    while (region.current > 0 && region.chunks[region.current].start > mark) --region.current;
    region.used = mark - region.chunks[region.current].start;
}

void sifr_str_release_keep(int64_t mark, sifr_str* texts, int64_t count) {
    // A text that grew in place may begin in front of the mark; its end says whether it is released.
    auto released = [&](const sifr_str& text) { return text.size > 0 && lies_behind(text.data + text.size - 1, mark); };
    Text kept;
    for (int64_t k = 0; k < count; ++k) {
        if (released(texts[k])) kept << texts[k];
    }
    int64_t at = 0;
    Scratch<int64_t> starts(count);
    for (int64_t k = 0; k < count; ++k) {
        const bool behind = released(texts[k]);
        starts[k] = behind ? at : -1;
        if (behind) at += texts[k].size;
    }
    sifr_str_release(mark);
    for (int64_t k = 0; k < count; ++k) {
        if (starts[k] >= 0) texts[k] = sifr_str_copy({kept.data + starts[k], texts[k].size});
    }
}

char* sifr_str_allocate(int64_t size) {
    if (region.chunks.size == 0 || region.chunks[region.current].capacity - region.used < size) next_chunk(size);
    char* memory = region.chunks[region.current].memory + region.used;
    region.used += size;
    return memory;
}

sifr_str sifr_str_copy(sifr_str text) {
    char* memory = sifr_str_allocate(text.size);
    if (text.size > 0) memcpy(memory, text.data, static_cast<size_t>(text.size));
    return {memory, text.size};
}

sifr_str sifr_str_concat(sifr_str a, sifr_str b) {
    if (a.size == 0) return b;
    if (b.size == 0) return a;
    // `a` that ends where the region ends grows in place: `s = s + t` in a loop does not copy `s` each time.
    if (region.chunks.size > 0) {
        const Chunk& chunk = region.chunks[region.current];
        if (a.data + a.size == chunk.memory + region.used && a.data >= chunk.memory && chunk.capacity - region.used >= b.size) {
            memcpy(sifr_str_allocate(b.size), b.data, static_cast<size_t>(b.size));
            return {a.data, a.size + b.size};
        }
    }
    char* memory = sifr_str_allocate(a.size + b.size);
    memcpy(memory, a.data, static_cast<size_t>(a.size));
    memcpy(memory + a.size, b.data, static_cast<size_t>(b.size));
    return {memory, a.size + b.size};
}

sifr_str sifr_str_concat_n(const sifr_str* parts, int64_t count) {
    return sifr_str_join({nullptr, 0}, parts, count);
}

sifr_str sifr_str_join(sifr_str separator, const sifr_str* parts, int64_t count) {
    int64_t size = count > 1 ? separator.size * (count - 1) : 0;
    for (int64_t k = 0; k < count; ++k) size += parts[k].size;
    char* memory = sifr_str_allocate(size);
    char* to = memory;
    for (int64_t k = 0; k < count; ++k) {
        if (k > 0 && separator.size > 0) {
            memcpy(to, separator.data, static_cast<size_t>(separator.size));
            to += separator.size;
        }
        if (parts[k].size > 0) memcpy(to, parts[k].data, static_cast<size_t>(parts[k].size));
        to += parts[k].size;
    }
    return {memory, size};
}

sifr_status sifr_str_repeat(sifr_str text, int64_t count, sifr_str* out) {
    if (count < 0) count = 0;
    int64_t size = 0;
    if (__builtin_mul_overflow(text.size, count, &size) || size > (int64_t{1} << 40)) {
        return fail(SIFR_OVERFLOW_ERROR, "repeated string is too long");
    }
    char* memory = sifr_str_allocate(size);
    for (int64_t at = 0; at < size; at += text.size) memcpy(memory + at, text.data, static_cast<size_t>(text.size));
    *out = {memory, size};
    return SIFR_OK;
}

int32_t sifr_str_compare(sifr_str a, sifr_str b) {
    const int64_t common = a.size < b.size ? a.size : b.size;
    const int order = common > 0 ? memcmp(a.data, b.data, static_cast<size_t>(common)) : 0;
    if (order != 0) return order < 0 ? -1 : 1;
    return a.size < b.size ? -1 : a.size > b.size ? 1 : 0;
}

bool sifr_str_equal(sifr_str a, sifr_str b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, static_cast<size_t>(a.size)) == 0);
}

int64_t sifr_str_length(sifr_str text) {
    return code_point_count(text);
}

sifr_status sifr_str_index(sifr_str text, int64_t index, sifr_str* out) {
    const int64_t length = code_point_count(text);
    if (index < 0) index += length;
    if (index < 0 || index >= length) return fail(SIFR_INDEX_ERROR, "string index out of range");
    const int64_t from = byte_of(text, index, 0);
    *out = {text.data + from, byte_of(text, 1, from) - from};
    return SIFR_OK;
}

sifr_status sifr_str_slice(sifr_str text, int64_t start, int64_t stop, int64_t step, sifr_str* out) {
    if (step == SIFR_SLICE_NONE) step = 1;
    if (step == 0) return fail(SIFR_VALUE_ERROR, "slice step cannot be zero");
    const int64_t count = slice_bounds(code_point_count(text), step, start, stop);
    if (count == 0) {
        *out = {text.data, 0};
        return SIFR_OK;
    }
    if (step == 1) {
        const int64_t from = byte_of(text, start, 0);
        *out = {text.data + from, byte_of(text, count, from) - from};
        return SIFR_OK;
    }
    // Where each code point starts; the last entry is the end.
    Scratch<int64_t> starts;
    for (int64_t k = 0; k < text.size; ++k) {
        if (!is_continuation(text.data[k])) starts.push(k);
    }
    starts.push(text.size);
    Text chosen;
    int64_t position = start;
    for (int64_t k = 0; k < count; ++k) {
        chosen.append(text.data + starts[position], starts[position + 1] - starts[position]);
        if (k + 1 < count) position += step;
    }
    *out = chosen.done();
    return SIFR_OK;
}

sifr_str sifr_str_repr(sifr_str text) {
    Text out;
    append_str_repr(out, text);
    return out.done();
}

uint64_t sifr_str_hash(sifr_str text) {
    uint64_t hash = 0xCBF29CE484222325;  // FNV-1a, with a final mix so that low bits depend on all bytes
    for (int64_t k = 0; k < text.size; ++k) hash = (hash ^ static_cast<unsigned char>(text.data[k])) * 0x100000001B3;
    hash ^= hash >> 32;
    hash *= 0x9E3779B97F4A7C15;
    return hash ^ (hash >> 29);
}

}  // extern "C"
