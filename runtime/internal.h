#pragma once

// What the runtime's own files share. Nothing here is visible to compiled code.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sifr_runtime.h"

namespace sifr::rt {

/// Notes a failure as the context's last one, and gives its status.
sifr_status fail_context(sifr_context* context, sifr_status status, sifr_str type, sifr_str text);

/// The text of a literal.
template <size_t N>
constexpr sifr_str lit(const char (&text)[N]) {
    return {text, static_cast<int64_t>(N - 1)};
}

inline sifr_str c_str(const char* text) {
    return {text, static_cast<int64_t>(strlen(text))};
}

/// Memory from malloc that grows; without memory the process ends with exit code 3.
void* grow_memory(void* old, size_t bytes);

/// A growable array of trivially copyable elements. Plain data: no constructor allocates, so that it may be thread_local.
template <class T>
struct Buffer {
    T* data = nullptr;
    int64_t size = 0;
    int64_t capacity = 0;

    void reserve(int64_t wanted) {
        if (wanted <= capacity) return;
        int64_t grown = capacity + capacity / 2 + 16;
        capacity = grown > wanted ? grown : wanted;
        data = static_cast<T*>(grow_memory(data, static_cast<size_t>(capacity) * sizeof(T)));
    }
    void push(T value) {
        if (size == capacity) reserve(size + 1);
        data[size++] = value;
    }
    void append(const T* from, int64_t count) {
        if (count <= 0) return;
        reserve(size + count);
        memcpy(data + size, from, static_cast<size_t>(count) * sizeof(T));
        size += count;
    }
    void fill(T value, int64_t count) {
        for (int64_t k = 0; k < count; ++k) push(value);
    }
    void resize(int64_t wanted) {
        reserve(wanted);
        size = wanted;
    }
    T& operator[](int64_t k) { return data[k]; }
    const T& operator[](int64_t k) const { return data[k]; }
    T* begin() { return data; }
    T* end() { return data + size; }
    void free_memory() {
        free(data);
        data = nullptr;
        size = capacity = 0;
    }
};

/// A Buffer that frees itself: for locals.
template <class T>
struct Scratch : Buffer<T> {
    Scratch() = default;
    explicit Scratch(int64_t count) { this->resize(count); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { this->free_memory(); }
};

/// A text under construction, outside of the string region.
struct Text : Scratch<char> {
    Text& operator<<(sifr_str s) {
        append(s.data, s.size);
        return *this;
    }
    Text& operator<<(const char* s) { return *this << c_str(s); }
    Text& operator<<(char c) {
        push(c);
        return *this;
    }
    Text& operator<<(int64_t value);
    Text& operator<<(int32_t value) { return *this << static_cast<int64_t>(value); }
    [[nodiscard]] sifr_str view() const { return {data, size}; }
    /// A copy in the string region.
    [[nodiscard]] sifr_str done() const { return sifr_str_copy(view()); }
};

/// Records a failure of this thread and returns its status.
inline sifr_status fail(sifr_status status, const char* text) { return sifr_fail(status, c_str(text)); }
inline sifr_status fail(sifr_status status, const Text& text) { return sifr_fail(status, text.view()); }

/// high·2^64 + low over divisor, and the rest; high < divisor, so that the quotient has 64 bits. (The compiler's own division of 128-bit
/// numbers lives in libgcc, which binaries are not linked with.)
inline uint64_t divide_128(uint64_t high, uint64_t low, uint64_t divisor, uint64_t& rest) {
    uint64_t quotient;
    __asm__("divq %4" : "=a"(quotient), "=d"(rest) : "a"(low), "d"(high), "r"(divisor) : "cc");
    return quotient;
}
/// The product as two halves.
inline void multiply_128(uint64_t a, uint64_t b, uint64_t& high, uint64_t& low) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    high = static_cast<uint64_t>(product >> 64);
    low = static_cast<uint64_t>(product);
}

// ------------------------------------------------------------------------------------------------------------------
// UTF-8

inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
/// Decodes the code point at `p` and moves `p` behind it. A byte that starts no sequence stands for itself.
uint32_t next_code_point(const char*& p, const char* end);
void append_code_point(Text& out, uint32_t c);
int64_t code_point_count(sifr_str text);
/// The byte where the code point `position` places behind byte `from` starts; the size when there are fewer.
int64_t byte_of(sifr_str text, int64_t position, int64_t from);
/// Resolves a slice over `length` items as Python does (step != 0); returns how many it takes.
int64_t slice_bounds(int64_t length, int64_t step, int64_t& start, int64_t& stop);
enum class CharClass { Alpha, Digit, Numeric, Space, Upper, Lower };
bool in_class(CharClass which, uint32_t c);  ///< str.isalpha, str.isdigit, …
bool is_space(uint32_t c);      ///< str.isspace
bool is_printable(uint32_t c);  ///< str.isprintable

// ------------------------------------------------------------------------------------------------------------------
// Digits of doubles (digits.cpp). Exact for every value, precision and mode.

/// Decimal digits of |value|: value = 0.d1d2d3… × 10^point. No trailing zeros were removed.
struct Digits {
    Text text;  ///< d1 d2 …, at least one
    int32_t point = 0;
};
/// The shortest digits that read back as `value` (finite, not negative).
void shortest_digits(double value, Digits& out);
/// `precision` digits behind the point, half to even on the exact value (`%.*f`).
void fixed_digits(double value, int32_t precision, Digits& out);
/// `count` >= 1 significant digits (`%.*e`).
void significant_digits(double value, int32_t count, Digits& out);
/// How a float is formatted: `code` is one of e E f F g G, or r (shortest).
struct FloatFormat {
    char code = 'r';
    int32_t precision = 6;    ///< not used by r
    bool alternate = false;   ///< `#`: keep the point, and g keeps zeros
    bool add_dot_0 = false;   ///< without an exponent, at least one digit behind the point; g counts one digit less
    bool no_negative_zero = false;  ///< `z`
};
/// `-` and the text of the value, without padding or grouping.
void append_float(Text& out, double value, const FloatFormat& format);
/// repr(value) appended.
void append_f64(Text& out, double value);
void append_complex(Text& out, double real, double imaginary);
void append_str_repr(Text& out, sifr_str text);

// ------------------------------------------------------------------------------------------------------------------
// Tensors

/// A list that a host's call has made is freed when the call ends; in a program it lives as long as the program.
void adopt_list(sifr_list* list);

inline constexpr int32_t max_dims = 64;

/// The element offset of row-major index `index`.
int64_t element_offset(const sifr_tensor& t, int64_t index);
/// Row-major contiguous, as PyTorch's is_contiguous: axes of size 1 do not count.
bool is_contiguous(const sifr_tensor& t);
void contiguous_strides(const sifr_tensor& t, int64_t* strides);
/// element_offset for many elements of one tensor: no division where the tensor is contiguous.
struct Offsets {
    const sifr_tensor& t;
    bool flat;
    explicit Offsets(const sifr_tensor& tensor) : t(tensor), flat(is_contiguous(tensor)) {}
    int64_t operator()(int64_t index) const { return flat ? index : element_offset(t, index); }
};
bool is_floating(int32_t dtype);
bool is_complex(int32_t dtype);
/// Elements by offset, converted as `sifr_load_f64` and its kin.
double load_f64_at(const void* data, int32_t dtype, int64_t offset);
double load_imaginary_at(const void* data, int32_t dtype, int64_t offset);
int64_t load_i64_at(const void* data, int32_t dtype, int64_t offset);
void store_f64_at(void* data, int32_t dtype, int64_t offset, double value);
void store_i64_at(void* data, int32_t dtype, int64_t offset, int64_t value);
/// Python's repr of the element.
void append_element(Text& out, const sifr_tensor& t, int64_t offset);

/// Walks the offsets of a tensor's rows: `next` moves to the following index in row-major order, over the axes [0, depth).
struct Walk {
    int64_t index[max_dims] = {};
    int64_t offset = 0;
    bool next(const sifr_tensor& t, int32_t depth, const int64_t* strides) {
        for (int32_t d = depth - 1; d >= 0; --d) {
            offset += strides[d];
            if (++index[d] < t.sizes[d]) return true;
            offset -= strides[d] * t.sizes[d];
            index[d] = 0;
        }
        return false;
    }
};

}  // namespace sifr::rt
