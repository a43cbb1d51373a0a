#include "ir/loop/scalar_value.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/loop/transcendental.h"
#include "ir/type/dtype.h"
#include "runtime/sifr_runtime.h"

namespace sifr {

namespace {

int64_t wrapped(DType type, int64_t v) {
    switch (type) {
        case DType::Bool: return v != 0;
        case DType::U8: return static_cast<uint8_t>(v);
        case DType::I8: return static_cast<int8_t>(v);
        case DType::I16: return static_cast<int16_t>(v);
        case DType::I32: return static_cast<int32_t>(v);
        default: return v;
    }
}
int bits_of(DType type) { return static_cast<int>(size_of(type)) * 8; }
bool in_f32(DType t) { return t == DType::F32 || t == DType::F16 || t == DType::BF16; }
ScalarValue of_int(int64_t v) { ScalarValue r; r.i64 = v; return r; }
ScalarValue of_f64(double v) { ScalarValue r; r.f64 = v; return r; }
ScalarValue of_f32(float v) { ScalarValue r; r.i64 = 0; r.f32 = v; return r; }
void no_complex(DType t) {
    if (is_complex(t)) throw NotSupported(fmt::format("kernels on {}", torch_name(t)));
}

int64_t add_wrapping(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

int64_t integer(ScalarOp op, DType type, int64_t a, int64_t b, int64_t c) {
    auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
    int bits = bits_of(type);
    switch (op) {
        case ScalarOp::Add: return add_wrapping(a, b);
        case ScalarOp::Sub: return static_cast<int64_t>(u(a) - u(b));
        case ScalarOp::Mul: return static_cast<int64_t>(u(a) * u(b));
        case ScalarOp::Fma: return static_cast<int64_t>(u(a) * u(b) + u(c));
        case ScalarOp::Div: return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - u(a)) : a / b;
        case ScalarOp::Rem: return b == 0 || b == -1 ? 0 : a % b;
        case ScalarOp::FloorDiv: {
            if (b == 0) return 0;
            if (b == -1) return static_cast<int64_t>(0 - u(a));
            int64_t q = a / b;
            return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
        }
        case ScalarOp::Mod: {
            if (b == 0 || b == -1) return 0;
            int64_t r = a % b;
            return r != 0 && (r < 0) != (b < 0) ? r + b : r;
        }
        case ScalarOp::Neg: return static_cast<int64_t>(0 - u(a));
        case ScalarOp::Abs: return a < 0 ? static_cast<int64_t>(0 - u(a)) : a;
        case ScalarOp::Min: return std::min(a, b);
        case ScalarOp::Max: return std::max(a, b);
        case ScalarOp::Floor: case ScalarOp::Ceil: case ScalarOp::Trunc: case ScalarOp::Round: return a;
        case ScalarOp::And: return a & b;
        case ScalarOp::Or: return a | b;
        case ScalarOp::Xor: return a ^ b;
        case ScalarOp::Not: return type == DType::Bool ? a == 0 : ~a;
        case ScalarOp::Shl: return b < 0 || b >= bits ? 0 : static_cast<int64_t>(u(a) << b);
        case ScalarOp::Shr: return b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> b;
        default: throw InternalError(fmt::format("{} on integers", name_of(op)));
    }
}

template <class T>
T floating(ScalarOp op, T a, T b, T c) {
    constexpr bool single = sizeof(T) == 4;
    auto pick = [&](bool first) { return std::isnan(a) ? a : std::isnan(b) ? b : first ? a : b; };
    switch (op) {
        case ScalarOp::Add: return a + b;
        case ScalarOp::Sub: return a - b;
        case ScalarOp::Mul: return a * b;
        case ScalarOp::Div: return a / b;
        case ScalarOp::Fma: return std::fma(a, b, c);
        case ScalarOp::Rem: return std::fmod(a, b);
        case ScalarOp::FloorDiv: {  // as PyTorch: exact where a - mod is a multiple of b
            if (b == 0) return a / b;
            T mod = std::fmod(a, b);
            T div = (a - mod) / b;
            if (mod != 0 && (b < 0) != (mod < 0)) div -= T(1);
            if (div == 0) return std::copysign(T(0), a / b);
            T floor = std::floor(div);
            return div - floor > T(0.5) ? floor + T(1) : floor;
        }
        case ScalarOp::Mod: {
            T mod = std::fmod(a, b);
            return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
        }
        case ScalarOp::Neg: return -a;
        case ScalarOp::Abs: return std::fabs(a);
        case ScalarOp::Min: return pick(!(b < a));
        case ScalarOp::Max: return pick(!(a < b));
        case ScalarOp::Sqrt: return std::sqrt(a);
        case ScalarOp::Floor: return std::floor(a);
        case ScalarOp::Ceil: return std::ceil(a);
        case ScalarOp::Trunc: return std::trunc(a);
        case ScalarOp::Round: return std::nearbyint(a);
        default:
            if constexpr (single) return transcendental(op, a, b);
            else return transcendental(op, a, b);
    }
}

template <class T>
bool compare(ScalarOp op, T a, T b) {
    switch (op) {
        case ScalarOp::Eq: return a == b;
        case ScalarOp::Ne: return a != b;
        case ScalarOp::Lt: return a < b;
        case ScalarOp::Le: return a <= b;
        case ScalarOp::Gt: return a > b;
        case ScalarOp::Ge: return a >= b;
        default: SIFR_UNREACHABLE("comparison");
    }
}

bool is_comparison(ScalarOp op) {
    return op == ScalarOp::Eq || op == ScalarOp::Ne || op == ScalarOp::Lt || op == ScalarOp::Le || op == ScalarOp::Gt || op == ScalarOp::Ge;
}

/// Truncation as x86's cvtt: what does not fit becomes the smallest integer. Narrow types take the low bits of the I32 result
/// where the source fits there, as PyTorch's vector code and C++ on this machine do.
int64_t to_integer(double v, DType to) {
    bool fits64 = v >= -9223372036854775808.0 && v < 9223372036854775808.0;
    if (to == DType::I64) return fits64 ? static_cast<int64_t>(v) : std::numeric_limits<int64_t>::min();
    bool fits32 = v > -2147483649.0 && v < 2147483648.0;
    int64_t wide = fits32 ? static_cast<int32_t>(v) : std::numeric_limits<int32_t>::min();
    return wrapped(to, wide);
}

}  // namespace

ScalarValue constant_value(DType type, uint64_t payload) {
    no_complex(type);
    if (type == DType::F64) return of_f64(std::bit_cast<double>(payload));
    if (type == DType::F32) return of_f32(static_cast<float>(std::bit_cast<double>(payload)));
    if (in_f32(type)) return cast_value(of_f64(std::bit_cast<double>(payload)), DType::F64, type);
    return of_int(wrapped(type, static_cast<int64_t>(payload)));
}

template <class T>
static T read(const void* at) {
    T v;
    std::memcpy(&v, at, sizeof v);
    return v;
}

ScalarValue load_value(DType type, const void* at) {
    switch (type) {
        case DType::Bool: return of_int(read<uint8_t>(at) != 0);
        case DType::U8: return of_int(read<uint8_t>(at));
        case DType::I8: return of_int(read<int8_t>(at));
        case DType::I16: return of_int(read<int16_t>(at));
        case DType::I32: return of_int(read<int32_t>(at));
        case DType::I64: return of_int(read<int64_t>(at));
        case DType::F16: return of_f32(sifr_f16_to_f32(read<uint16_t>(at)));
        case DType::BF16: return of_f32(sifr_bf16_to_f32(read<uint16_t>(at)));
        case DType::F32: return of_f32(read<float>(at));
        case DType::F64: return of_f64(read<double>(at));
        case DType::C64: case DType::C128: no_complex(type);
    }
    SIFR_UNREACHABLE("dtype");
}

void store_value(DType type, void* at, ScalarValue v) {
    auto put = [&](auto x) { std::memcpy(at, &x, sizeof x); };
    switch (type) {
        case DType::Bool: return put(static_cast<uint8_t>(v.i64 != 0));
        case DType::U8: case DType::I8: return put(static_cast<uint8_t>(v.i64));
        case DType::I16: return put(static_cast<uint16_t>(v.i64));
        case DType::I32: return put(static_cast<uint32_t>(v.i64));
        case DType::I64: return put(v.i64);
        case DType::F16: return put(sifr_f32_to_f16(v.f32));
        case DType::BF16: return put(sifr_f32_to_bf16(v.f32));
        case DType::F32: return put(v.f32);
        case DType::F64: return put(v.f64);
        case DType::C64: case DType::C128: no_complex(type);
    }
}

ScalarValue cast_value(ScalarValue v, DType from, DType to) {
    no_complex(from);
    no_complex(to);
    if (from == to) return v;
    bool from_float = from == DType::F64 || in_f32(from);
    double wide = from == DType::F64 ? v.f64 : in_f32(from) ? static_cast<double>(v.f32) : 0.0;
    if (to == DType::Bool) return of_int(from_float ? wide != 0 : v.i64 != 0);
    if (to == DType::F64) return of_f64(from_float ? wide : static_cast<double>(v.i64));
    if (in_f32(to)) {
        float f = from == DType::F64 ? static_cast<float>(v.f64) : in_f32(from) ? v.f32 : static_cast<float>(v.i64);
        if (to == DType::F16) f = sifr_f16_to_f32(sifr_f32_to_f16(f));
        if (to == DType::BF16) f = sifr_bf16_to_f32(sifr_f32_to_bf16(f));
        return of_f32(f);
    }
    return of_int(from_float ? to_integer(wide, to) : wrapped(to, v.i64));
}

ScalarValue bitcast_value(ScalarValue v, DType from, DType to) {
    unsigned char bytes[8] = {};
    store_value(from, bytes, v);
    return load_value(to, bytes);
}

ScalarValue apply(ScalarOp op, DType type, ScalarValue a, ScalarValue b, ScalarValue c) {
    no_complex(type);
    if (op == ScalarOp::Select) return a.i64 != 0 ? b : c;
    if (is_comparison(op)) {
        if (type == DType::F64) return of_int(compare(op, a.f64, b.f64));
        if (type == DType::F32) return of_int(compare(op, a.f32, b.f32));
        return of_int(compare(op, a.i64, b.i64));
    }
    if (type == DType::F64) return of_f64(floating<double>(op, a.f64, b.f64, c.f64));
    if (in_f32(type)) return of_f32(floating<float>(op, a.f32, b.f32, c.f32));
    return of_int(wrapped(type, integer(op, type, a.i64, b.i64, c.i64)));
}

}  // namespace sifr
