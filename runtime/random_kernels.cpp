#include "runtime/random_kernels.h"

#include <immintrin.h>
#include <math.h>

#include <initializer_list>

namespace sifr::rt {

namespace {

constexpr uint32_t upper_bit = 0x80000000;
constexpr uint32_t lower_bits = 0x7FFFFFFF;
constexpr uint32_t twist = 0x9908B0DF;
constexpr int32_t middle = 397;

inline uint32_t next_word(uint32_t here, uint32_t next, uint32_t far) {
    const uint32_t y = (here & upper_bit) | (next & lower_bits);
    return far ^ (y >> 1) ^ ((0 - (y & 1)) & twist);
}

inline __m256i next_words(const uint32_t* here, const uint32_t* far) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(here));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(here + 1));
    const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(far));
    const __m256i y = _mm256_or_si256(_mm256_and_si256(a, _mm256_set1_epi32(static_cast<int>(upper_bit))),
                                      _mm256_and_si256(b, _mm256_set1_epi32(static_cast<int>(lower_bits))));
    const __m256i odd = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(y, _mm256_set1_epi32(1)));
    const __m256i shifted = _mm256_xor_si256(c, _mm256_srli_epi32(y, 1));
    return _mm256_xor_si256(shifted, _mm256_and_si256(odd, _mm256_set1_epi32(static_cast<int>(twist))));
}

inline uint64_t pair(const uint32_t* words, int64_t k) {
    return static_cast<uint64_t>(words[2 * k]) << 32 | words[2 * k + 1];
}

inline double uniform_of(uint64_t word) {
    return static_cast<double>(static_cast<int64_t>(word & ((uint64_t{1} << 53) - 1))) * 0x1p-53;
}

inline __m256 constant(float value) {
    return _mm256_set1_ps(value);
}

/// Logarithm of positive numbers: mantissa in [√½, √2), a polynomial of degree 8, the exponent's part in two pieces.
inline __m256 log_lanes(__m256 u) {
    u = _mm256_max_ps(u, constant(1.17549435e-38f));
    const __m256i bits = _mm256_castps_si256(u);
    __m256 e = _mm256_add_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(0x7F))), constant(1.0f));
    __m256 x = _mm256_castsi256_ps(_mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(static_cast<int>(0x807FFFFF))),
                                                   _mm256_set1_epi32(0x3F000000)));
    const __m256 small = _mm256_cmp_ps(x, constant(0.707106781186547524f), _CMP_LT_OS);
    const __m256 again = _mm256_and_ps(x, small);
    x = _mm256_sub_ps(x, constant(1.0f));
    e = _mm256_sub_ps(e, _mm256_and_ps(constant(1.0f), small));
    x = _mm256_add_ps(x, again);
    const __m256 z = _mm256_mul_ps(x, x);
    __m256 y = constant(7.0376836292E-2f);
    for (const float c : {-1.1514610310E-1f, 1.1676998740E-1f, -1.2420140846E-1f, 1.4249322787E-1f, -1.6668057665E-1f, 2.0000714765E-1f,
                          -2.4999993993E-1f, 3.3333331174E-1f}) {
        y = _mm256_fmadd_ps(y, x, constant(c));
    }
    y = _mm256_fmadd_ps(_mm256_mul_ps(y, x), z, _mm256_mul_ps(e, constant(-2.12194440e-4f)));
    y = _mm256_fnmadd_ps(z, constant(0.5f), y);
    return _mm256_fmadd_ps(e, constant(0.693359375f), _mm256_add_ps(x, y));
}

/// Sine and cosine of numbers that are not negative, reduced by multiples of π/4 in three pieces.
inline void sincos_lanes(__m256 x, __m256& sine, __m256& cosine) {
    __m256i k = _mm256_cvttps_epi32(_mm256_mul_ps(x, constant(1.27323954473516f)));
    k = _mm256_and_si256(_mm256_add_epi32(k, _mm256_set1_epi32(1)), _mm256_set1_epi32(~1));
    const __m256 turns = _mm256_cvtepi32_ps(k);
    for (const float piece : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f}) {
        x = _mm256_fmadd_ps(turns, constant(piece), x);
    }
    const __m256 z = _mm256_mul_ps(x, x);
    __m256 y = _mm256_fmadd_ps(constant(2.443315711809948E-005f), z, constant(-1.388731625493765E-003f));
    y = _mm256_fmadd_ps(y, z, constant(4.166664568298827E-002f));
    const __m256 c = _mm256_add_ps(_mm256_fmsub_ps(_mm256_mul_ps(y, z), z, _mm256_mul_ps(z, constant(0.5f))), constant(1.0f));
    y = _mm256_fmadd_ps(constant(-1.9515295891E-4f), z, constant(8.3321608736E-3f));
    y = _mm256_fmadd_ps(y, z, constant(-1.6666654611E-1f));
    const __m256 s = _mm256_fmadd_ps(_mm256_mul_ps(y, z), x, x);
    const __m256i two = _mm256_set1_epi32(2);
    const __m256 swap = _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(k, two), two));
    const __m256i four = _mm256_set1_epi32(4);
    const __m256 sine_sign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_and_si256(k, four), 29));
    const __m256 cosine_sign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_andnot_si256(_mm256_sub_epi32(k, two), four), 29));
    sine = _mm256_xor_ps(_mm256_blendv_ps(s, c, swap), sine_sign);
    cosine = _mm256_xor_ps(_mm256_blendv_ps(c, s, swap), cosine_sign);
}

}  // namespace

void mt_refresh(uint32_t* state) {
    // Eight words at a time: the words read are at least eight in front of, or 227 behind, those written.
    int32_t k = 0;
    for (; k + 8 <= mt_words - middle; k += 8) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(state + k), next_words(state + k, state + k + middle));
    }
    for (; k < mt_words - middle; ++k) state[k] = next_word(state[k], state[k + 1], state[k + middle]);
    for (; k + 8 <= mt_words - 1; k += 8) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(state + k), next_words(state + k, state + k + middle - mt_words));
    }
    for (; k < mt_words - 1; ++k) state[k] = next_word(state[k], state[k + 1], state[k + middle - mt_words]);
    state[k] = next_word(state[k], state[0], state[k + middle - mt_words]);
}

void mt_temper(const uint32_t* state, uint32_t* to, int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
        uint32_t y = state[k];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C5680;
        y ^= (y << 15) & 0xEFC60000;
        to[k] = y ^ (y >> 18);
    }
}

void uniform_f32(const uint32_t* words, float* to, int64_t count, float range, float from) {
    for (int64_t k = 0; k < count; ++k) {
        const float x = static_cast<float>(static_cast<int32_t>(words[k] & 0xFFFFFF)) * 0x1p-24f;
        to[k] = __builtin_fmaf(x, range, from);
    }
}

void uniform_f64(const uint32_t* words, double* to, int64_t count, double range, double from) {
    for (int64_t k = 0; k < count; ++k) to[k] = __builtin_fma(uniform_of(pair(words, k)), range, from);
}

void below_f32(const uint32_t* words, float* to, int64_t count, double p) {
    for (int64_t k = 0; k < count; ++k) to[k] = uniform_of(pair(words, k)) < p ? 1.0f : 0.0f;
}

void normal_blocks_f32(float* data, int64_t blocks, float mean, float std) {
    const __m256 m = constant(mean);
    const __m256 s = constant(std);
    for (int64_t k = 0; k < blocks; ++k, data += 16) {
        const __m256 u1 = _mm256_sub_ps(constant(1.0f), _mm256_loadu_ps(data));
        const __m256 u2 = _mm256_loadu_ps(data + 8);
        const __m256 radius = _mm256_sqrt_ps(_mm256_mul_ps(constant(-2.0f), log_lanes(u1)));
        __m256 sine, cosine;
        sincos_lanes(_mm256_mul_ps(constant(static_cast<float>(2.0 * 3.14159265358979323846)), u2), sine, cosine);
        _mm256_storeu_ps(data, _mm256_fmadd_ps(_mm256_mul_ps(radius, cosine), s, m));
        _mm256_storeu_ps(data + 8, _mm256_fmadd_ps(_mm256_mul_ps(radius, sine), s, m));
    }
}

void normal_blocks_f64(double* data, int64_t blocks, double mean, double std) {
    for (int64_t k = 0; k < blocks; ++k, data += 16) {
        for (int32_t j = 0; j < 8; ++j) {
            const double radius = sqrt(-2 * log(1 - data[j]));
            const double angle = 2.0 * 3.14159265358979323846 * data[j + 8];
            data[j] = __builtin_fma(radius * cos(angle), std, mean);
            data[j + 8] = __builtin_fma(radius * sin(angle), std, mean);
        }
    }
}

double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

}  // namespace sifr::rt
