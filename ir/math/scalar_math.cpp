#include "ir/math/scalar_math.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "ir/math/transcendental.h"

namespace sifr {
namespace {

/// arithmetic.h's Ops on one plain number. No contraction: the only fused operation is fma.
template <class T>
struct PlainOps {
    static constexpr bool is_double = std::is_same_v<T, double>;
    using V = T;
    using I = std::conditional_t<is_double, int64_t, int32_t>;
    using U = std::make_unsigned_t<I>;
    using M = bool;

    V constant(double c) { return static_cast<T>(c); }
    I integer(int64_t c) { return static_cast<I>(c); }
    V add(V a, V b) { return a + b; }
    V sub(V a, V b) { return a - b; }
    V mul(V a, V b) { return a * b; }
    V div(V a, V b) { return a / b; }
    V fma(V a, V b, V c) { return std::fma(a, b, c); }
    V sqrt(V a) { return std::sqrt(a); }
    V neg(V a) { return -a; }
    V abs(V a) { return std::fabs(a); }
    V floor(V a) { return std::floor(a); }
    V to_float(I a) { return static_cast<T>(a); }
    I bits(V a) { return std::bit_cast<I>(a); }
    V from_bits(I a) { return std::bit_cast<V>(a); }
    I iadd(I a, I b) { return static_cast<I>(static_cast<U>(a) + static_cast<U>(b)); }
    I isub(I a, I b) { return static_cast<I>(static_cast<U>(a) - static_cast<U>(b)); }
    I imul(I a, I b) { return static_cast<I>(static_cast<U>(a) * static_cast<U>(b)); }
    I iand(I a, I b) { return a & b; }
    I ior(I a, I b) { return a | b; }
    I ixor(I a, I b) { return a ^ b; }
    I imulh(I a, I b) {
        if constexpr (is_double) {
            __extension__ typedef unsigned __int128 Wide;
            return static_cast<I>(static_cast<Wide>(static_cast<U>(a)) * static_cast<U>(b) >> 64);
        } else {
            return static_cast<I>(static_cast<uint64_t>(static_cast<U>(a)) * static_cast<U>(b) >> 32);
        }
    }
    I shl(I a, I n) { return static_cast<I>(static_cast<U>(a) << n); }
    I shr(I a, I n) { return a >> n; }
    I ushr(I a, I n) { return static_cast<I>(static_cast<U>(a) >> n); }
    M lt(V a, V b) { return a < b; }
    M le(V a, V b) { return a <= b; }
    M eq(V a, V b) { return a == b; }
    M ilt(I a, I b) { return a < b; }
    M ieq(I a, I b) { return a == b; }
    M mand(M a, M b) { return a && b; }
    M mor(M a, M b) { return a || b; }
    M mnot(M a) { return !a; }
    V select(M m, V a, V b) { return m ? a : b; }
    I iselect(M m, I a, I b) { return m ? a : b; }
    I lookup(const uint64_t* table, int, I index) { return static_cast<I>(table[index]); }
    template <class F>
    V rarely(M m, V usual, F&& unusual) {
        return m ? unusual() : usual;
    }
};

template <class T>
T evaluate(ScalarOp op, T a, T b) {
    PlainOps<T> ops;
    return math::transcendental(ops, op, a, b);
}

}  // namespace

float eval_unary(ScalarOp op, float x) { return evaluate(op, x, 0.0f); }
double eval_unary(ScalarOp op, double x) { return evaluate(op, x, 0.0); }
float eval_binary(ScalarOp op, float a, float b) { return evaluate(op, a, b); }
double eval_binary(ScalarOp op, double a, double b) { return evaluate(op, a, b); }

}  // namespace sifr
