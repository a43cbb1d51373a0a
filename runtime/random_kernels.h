#pragma once

#include <stdint.h>

// The inner loops of the random streams, compiled for AVX2 and FMA. Every multiply-add that is fused is written as such: these are the
// roundings of PyTorch's streams on x86 machines.

namespace sifr::rt {

inline constexpr int32_t mt_words = 624;

/// The next state of mt19937: 624 words.
void mt_refresh(uint32_t* state);
/// Outputs from state words.
void mt_temper(const uint32_t* state, uint32_t* to, int64_t count);

/// fma(24-bit uniform, range, from)
void uniform_f32(const uint32_t* words, float* to, int64_t count, float range, float from);
/// fma(53-bit uniform, range, from) from pairs of words, the high half first
void uniform_f64(const uint32_t* words, double* to, int64_t count, double range, double from);
/// 1 where the 53-bit uniform is below p, else 0, from pairs of words
void below_f32(const uint32_t* words, float* to, int64_t count, double p);

/// Box-Muller in place over blocks of 16 uniforms.
void normal_blocks_f32(float* data, int64_t blocks, float mean, float std);
void normal_blocks_f64(double* data, int64_t blocks, double mean, double std);

double fused(double a, double b, double c);

}  // namespace sifr::rt
