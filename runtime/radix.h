#pragma once

#include "runtime/rows.h"

namespace sifr::rt {

/// Bits that compare, unsigned, as the numbers do: NaN as the largest, the two zeros as equal.
inline uint64_t ordered_bits(int64_t value) {
    return static_cast<uint64_t>(value) ^ (uint64_t{1} << 63);
}
inline uint64_t ordered_bits(double value) {
    if (is_nan(value)) return UINT64_MAX;
    if (value == 0) value = 0;  // not the negative one
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits >> 63) != 0 ? ~bits : bits | (uint64_t{1} << 63);
}

/// Sorts by key, ascending and stable. Digits of 11 bits from the lowest; a digit that is the same everywhere (the low bits of numbers that
/// came from a narrower type, the high ones of small integers) costs nothing. `other` has room for `count`.
inline void radix_sort(Keyed<uint64_t>* items, Keyed<uint64_t>* other, int64_t count) {
    constexpr int32_t digit_bits = 11;
    constexpr int32_t digits = 6;
    constexpr int64_t buckets = int64_t{1} << digit_bits;
    constexpr int64_t few = 128;
    if (count <= few) {
        stable_sort(items, other, count, [](const Keyed<uint64_t>& a, const Keyed<uint64_t>& b) { return a.key < b.key; });
        return;
    }
    Scratch<int64_t> counts(digits * buckets);
    memset(counts.data, 0, sizeof(int64_t) * static_cast<size_t>(counts.size));
    const auto digit_of = [](uint64_t key, int32_t d) { return static_cast<int64_t>(key >> (d * digit_bits) & (buckets - 1)); };
    for (int64_t k = 0; k < count; ++k) {
        for (int32_t d = 0; d < digits; ++d) ++counts[d * buckets + digit_of(items[k].key, d)];
    }
    Keyed<uint64_t>* from = items;
    Keyed<uint64_t>* to = other;
    for (int32_t d = 0; d < digits; ++d) {
        int64_t* starts = counts.data + d * buckets;
        if (starts[digit_of(from[0].key, d)] == count) continue;
        int64_t sum = 0;
        for (int64_t b = 0; b < buckets; ++b) {
            const int64_t size = starts[b];
            starts[b] = sum;
            sum += size;
        }
        for (int64_t k = 0; k < count; ++k) to[starts[digit_of(from[k].key, d)]++] = from[k];
        Keyed<uint64_t>* swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) memcpy(items, from, sizeof(Keyed<uint64_t>) * static_cast<size_t>(count));
}

}  // namespace sifr::rt
