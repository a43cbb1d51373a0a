// Element types: sizes, names, and the conversions that rounding to a narrow type needs.

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

struct DTypeRow {
    int64_t size;
    sifr_str name;
};

constexpr DTypeRow rows[] = {
    {1, lit("bool")},    {1, lit("uint8")},    {1, lit("int8")},    {2, lit("int16")},   {4, lit("int32")},     {8, lit("int64")},
    {2, lit("float16")}, {2, lit("bfloat16")}, {4, lit("float32")}, {8, lit("float64")}, {8, lit("complex64")}, {16, lit("complex128")},
};

uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

}  // namespace

extern "C" {

int64_t sifr_dtype_size(int32_t dtype) {
    return rows[dtype].size;
}

sifr_str sifr_dtype_name(int32_t dtype) {
    return rows[dtype].name;
}

float sifr_f16_to_f32(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
    const uint32_t exponent = (half >> 10) & 31;
    const uint32_t mantissa = half & 0x3FF;
    if (exponent == 31) return float_of(sign | 0x7F800000 | (mantissa << 13));
    if (exponent != 0) return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // zero and subnormals, exact
    return float_of(sign | bits_of(magnitude));
}

uint16_t sifr_f32_to_f16(float value) {
    const uint32_t bits = bits_of(value);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return sign | 0x7E00;   // a quiet NaN
    if (magnitude >= 0x477FF000) return sign | 0x7C00;  // rounds past 65504
    if (magnitude < 0x38800000) {                       // subnormal in f16: let an addition round it
        const float shifted = float_of(magnitude) + 0.5f;
        return sign | static_cast<uint16_t>(bits_of(shifted) - bits_of(0.5f));
    }
    const uint32_t odd = (magnitude >> 13) & 1;
    return sign | static_cast<uint16_t>((magnitude - (112u << 23) + 0xFFF + odd) >> 13);
}

float sifr_bf16_to_f32(uint16_t bits) {
    return float_of(static_cast<uint32_t>(bits) << 16);
}

uint16_t sifr_f32_to_bf16(float value) {
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FC0;  // PyTorch's NaN, without the sign
    return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

uint16_t sifr_f64_to_f16(double value) {
    return sifr_f32_to_f16(static_cast<float>(value));
}

uint16_t sifr_f64_to_bf16(double value) {
    return sifr_f32_to_bf16(static_cast<float>(value));
}

}  // extern "C"
