#pragma once

#include <cstdint>

// (The orders themselves are named by ReduceOrder in ir/op/op_def.h.)

namespace sifr {

// The order of a reduction is part of the program's meaning: every interpreter and back end executes the same one, so
// the bits do not depend on the machine or on the number of threads.
//
// Lanes (the reduced axis is innermost: only axes of size 1 stand behind it): element k goes to lane k mod 16, for all dtypes. A block is 128 elements: each
// lane adds its 8 in order, starting from the combiner's identity. Block results are combined pairwise, lane by lane, in a binary tree that
// grows like a counter: after block b (from 0), while bit i of b is set, the stack's top two are combined (older op newer).
// What remains on the stack is combined from the newest to the oldest: acc = older op acc. Then the 16 lanes are folded:
// i with i+8, then +4, +2, +1. Missing lanes of the last block take no part: their lane keeps what it has (identity at first).
//
// Rows (the axis is not innermost): chunks of 128 rows in sequence, from the identity; chunks pairwise by the same
// counter. The vector runs along the kept axis.
//
// Sums start at +0, products at 1, extrema at the first element's neutral (-inf, +inf, or the integer bounds).
// Several axes: inner first, each a reduction of its own over the result of the one before.
// Accumulation is in the result's dtype (F16 and BF16 in F32). Integers and Bool give the same in any order.
inline constexpr int64_t reduce_lanes = 16;
inline constexpr int64_t reduce_block = 128;

// A contraction is one FMA chain in increasing k from +0, in chunks of `contract_chunk` whose sums are added in order.
// If min(m, n) < `contract_thin`, it is the Lanes reduction of the products (each acc = fma(a, b, acc)).
// A column times a row sums nothing: it is the plain product, which keeps -0.
inline constexpr int64_t contract_chunk = 4096;
inline constexpr int64_t contract_thin = 4;
inline constexpr bool is_outer_product(int64_t m, int64_t k, int64_t n) { return k == 1 && m > 1 && n > 1; }

}  // namespace sifr
