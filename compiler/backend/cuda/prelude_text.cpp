// What kernels call: our own types and device functions. A unit gets those that it uses.

#include "compiler/backend/cuda/device_text.h"

#include <map>

#include <fmt/format.h>

#include "ir/base/check.h"
#include "ir/op/reduce_order.h"

namespace sifr::cuda {
namespace {

struct Piece {
    const char* name;  ///< found in a text, the piece is needed
    const char* text;
};

constexpr const char* types = R"(typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
)";

/// In the order in which they stand in a unit: a piece uses what is above it.
constexpr Piece pieces[] = {
    {"c128", R"(struct c128 {
    u64 real, imaginary;
};
)"},
    {"infinity_f32", R"(#define infinity_f32 __int_as_float(0x7f800000)
)"},
    {"nan_f32", R"(#define nan_f32 __int_as_float(0x7fc00000)
)"},
    {"infinity_f64", R"(#define infinity_f64 __longlong_as_double(0x7ff0000000000000ll)
)"},
    {"nan_f64", R"(#define nan_f64 __longlong_as_double(0x7ff8000000000000ll)
)"},
    // Integers wrap; Bool's sum, difference and product are or, xor and and, which its conversion gives.
    {"add<", R"(template <class T> __device__ T add(T a, T b) { return T(u64(a) + u64(b)); }
)"},
    {"sub<", R"(template <class T> __device__ T sub(T a, T b) { return T(u64(a) - u64(b)); }
)"},
    {"mul<", R"(template <class T> __device__ T mul(T a, T b) { return T(u64(a) * u64(b)); }
)"},
    {"negate<", R"(template <class T> __device__ T negate(T a) { return T(0 - u64(a)); }
)"},
    {"absolute<", R"(template <class T> __device__ T absolute(T a) { return a < T(0) ? T(0 - u64(a)) : a; }
)"},
    {"is_minus_one(", R"(template <class T> __device__ bool is_minus_one(T b) { return T(-1) < T(0) && b == T(-1); }
)"},
    // By zero: 0 (a check stands in front). By -1: the wrapped negation.
    {"quotient<",
     R"(template <class T> __device__ T quotient(T a, T b) { return b == T(0) ? T(0) : is_minus_one(b) ? T(0 - u64(a)) : T(a / b); }
)"},
    {"remainder<", R"(template <class T> __device__ T remainder(T a, T b) { return b == T(0) || is_minus_one(b) ? T(0) : T(a % b); }
)"},
    {"floor_quotient<", R"(template <class T> __device__ T floor_quotient(T a, T b) {
    if (b == T(0)) return T(0);
    if (is_minus_one(b)) return T(0 - u64(a));
    const T q = T(a / b), r = T(a % b);
    return r != T(0) && (r < T(0)) != (b < T(0)) ? T(q - 1) : q;
}
)"},
    {"modulo<", R"(template <class T> __device__ T modulo(T a, T b) {
    if (b == T(0) || is_minus_one(b)) return T(0);
    const T r = T(a % b);
    return r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;
}
)"},
    {"shift_left<",
     R"(template <class T> __device__ T shift_left(T a, T n) { return n < T(0) || n >= T(8 * sizeof(T)) ? T(0) : T(u64(a) << n); }
)"},
    {"shift_right<",
     R"(template <class T> __device__ T shift_right(T a, T n) { return n < T(0) || n >= T(8 * sizeof(T)) ? T(a < T(0) ? -1 : 0) : T(a >> n); }
)"},
    // NaN if one of the two is; of equals the first.
    {"smaller<", R"(template <class T> __device__ T smaller(T a, T b) { return a != a ? a : b != b ? b : b < a ? b : a; }
)"},
    {"larger<", R"(template <class T> __device__ T larger(T a, T b) { return a != a ? a : b != b ? b : a < b ? b : a; }
)"},
    {"remainder_of(", R"(__device__ float remainder_of(float a, float b) { return fmodf(a, b); }
__device__ double remainder_of(double a, double b) { return fmod(a, b); }
)"},
    // Python's % and // of floats, as PyTorch computes them.
    {"modulo_of(", R"(template <class T> __device__ T modulo_of(T a, T b) {
    const T r = remainder_of(a, b);
    return r != T(0) && (b < T(0)) != (r < T(0)) ? r + b : r;
}
)"},
    {"floor_quotient_of(", R"(template <class T> __device__ T floor_quotient_of(T a, T b) {
    if (b == T(0)) return a / b;
    const T r = remainder_of(a, b);
    T q = (a - r) / b;
    if (r != T(0) && (b < T(0)) != (r < T(0))) q -= T(1);
    if (q == T(0)) return copysign(T(0), a / b);
    const T whole = floor(q);
    return q - whole > T(0.5) ? whole + T(1) : whole;
}
)"},
    // Truncation as the CPU does it: what does not fit becomes the least number; narrow types take its low bits.
    {"to_i64(", R"(template <class T> __device__ i64 to_i64(T v) {
    return v >= T(-9223372036854775808.0) && v < T(9223372036854775808.0) ? i64(v) : i64(0x8000000000000000ull);
}
)"},
    {"to_i32(", R"(__device__ i32 to_i32(double v) { return v > -2147483649.0 && v < 2147483648.0 ? i32(v) : i32(0x80000000u); }
)"},
    {"from_f16(", R"(__device__ float from_f16(u16 h) {
    const u32 sign = u32(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00) return __int_as_float(i32(sign | 0x7f800000 | (rest & 0x3ff) << 13 | (rest > 0x7c00 ? 0x400000 : 0)));
    if (rest < 0x400) {
        const float small = float(rest) * 5.9604644775390625e-8f;
        return sign ? -small : small;
    }
    return __int_as_float(i32(sign | ((rest << 13) + 0x38000000)));
}
)"},
    {"to_f16(", R"(__device__ u16 to_f16(float v) {
    const u32 bits = u32(__float_as_int(v)), rest = bits & 0x7fffffff;
    const u16 sign = u16(bits >> 16 & 0x8000);
    if (rest > 0x7f800000) return u16(sign | 0x7e00 | (rest >> 13 & 0x3ff));
    if (rest >= 0x477ff000) return u16(sign | 0x7c00);
    if (rest < 0x38800000) return u16(sign | u32(rintf(__int_as_float(i32(rest)) * 16777216.0f)));
    return u16(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
}
)"},
    {"from_bf16(", R"(__device__ float from_bf16(u16 h) { return __int_as_float(i32(u32(h) << 16)); }
)"},
    {"to_bf16(", R"(__device__ u16 to_bf16(float v) {
    const u32 bits = u32(__float_as_int(v));
    return v != v ? u16(0x7fc0) : u16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
)"},
    {"to_bits(", R"(__device__ i32 to_bits(float v) { return __float_as_int(v); }
__device__ i64 to_bits(double v) { return __double_as_longlong(v); }
)"},
    // Does (v, i) stand in front of (best, best_i)? The first of equals does, a NaN before all numbers; index -1 is nothing.
    {"is_better<", R"(template <bool largest, class T> __device__ bool is_better(T v, i64 i, T best, i64 best_i) {
    if (i < 0 || best_i < 0) return best_i < 0 && i >= 0;
    const bool v_nan = v != v, best_nan = best != best;
    if (v_nan || best_nan) return v_nan && (!best_nan || i < best_i);
    if (v == best) return i < best_i;
    return largest ? best < v : v < best;
}
)"},
    {"Status", R"(struct Status {
    i64 site, position, value, launch;
    i64 latched;  // the site that an earlier queue of launches has found
    i32 lock;
};
)"},
    // The first launch that finds something counts; of one launch the first position in program order, there the lower site.
    {"note_offence(", R"(__device__ void note_offence(Status* status, i64 launch, i64 site, i64 position, i64 value) {
    while (atomicCAS(&status->lock, 0, 1) != 0) {
    }
    __threadfence();
    volatile Status* s = status;
    if (s->latched < 0 && (s->site < 0 || (s->launch == launch && (position < s->position || (position == s->position && site < s->site))))) {
        s->site = site;
        s->position = position;
        s->value = value;
        s->launch = launch;
    }
    __threadfence();
    atomicExch(&status->lock, 0);
}
)"},
    // The order of a reduction is that of the CPU. Element k of a block of reduce_block goes to lane k mod lanes; blocks are joined in
    // pairs, pairs in pairs, what is left over from the newest to the oldest; then lane i with i + 8, + 4, + 2, + 1.
    {"reduce_thread<",
     R"(template <int lanes, class P, class Add, class Join> __device__ P reduce_thread(i64 n, P empty, Add add, Join join) {
    P waiting[reduce_levels][lanes];
    P top[lanes];
    i64 blocks = 0;
    int depth = 0;
    for (i64 first = 0; first < n; first += reduce_block, ++blocks) {
#pragma unroll
        for (int lane = 0; lane < lanes; ++lane) top[lane] = empty;
        for (int step = 0; step < reduce_block; step += lanes) {
#pragma unroll
            for (int lane = 0; lane < lanes; ++lane)
                if (first + step + lane < n) add(top[lane], first + step + lane);
        }
        if (n <= reduce_block) break;
        for (i64 b = blocks; b & 1; b >>= 1) {
            --depth;
            for (int lane = 0; lane < lanes; ++lane) top[lane] = join(waiting[depth][lane], top[lane]);
        }
        for (int lane = 0; lane < lanes; ++lane) waiting[depth][lane] = top[lane];
        ++depth;
    }
    if (n <= 0) return empty;
    if (n > reduce_block) {
        --depth;
        for (int lane = 0; lane < lanes; ++lane) top[lane] = waiting[depth][lane];
        while (depth > 0) {
            --depth;
            for (int lane = 0; lane < lanes; ++lane) top[lane] = join(waiting[depth][lane], top[lane]);
        }
    }
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2) {
#pragma unroll
        for (int lane = 0; lane < half; ++lane) top[lane] = join(top[lane], top[lane + half]);
    }
    return top[0];
}
)"},
    {"reduce_few<", R"(template <int lanes, class P, class Add, class Join> __device__ P reduce_few(i64 n, P empty, Add add, Join join) {
    P top[lanes];
#pragma unroll
    for (int lane = 0; lane < lanes; ++lane) top[lane] = empty;
    for (i64 first = 0; first < n; first += lanes) {
#pragma unroll
        for (int lane = 0; lane < lanes; ++lane)
            if (first + lane < n) add(top[lane], first + lane);
    }
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2) {
#pragma unroll
        for (int lane = 0; lane < half; ++lane) top[lane] = join(top[lane], top[lane + half]);
    }
    return top[0];
}
)"},
    // A value as words, which is what warps exchange; all threads of the block do so together.
    {"Words<", R"(template <class P> union Words {
    u32 word[(sizeof(P) + 3) / 4];
    P value;
};
)"},
    // What the thread `by` places further on in the warp has.
    {"shuffle_down(", R"(template <class P> __device__ P shuffle_down(P value, int by) {
    Words<P> w = {};
    w.value = value;
#pragma unroll
    for (u32& word : w.word) word = __shfl_down_sync(0xffffffffu, word, by);
    return w.value;
}
)"},
    {"first_of_warp(", R"(template <class P> __device__ P first_of_warp(P value) {
    Words<P> w = {};
    w.value = value;
#pragma unroll
    for (u32& word : w.word) word = __shfl_sync(0xffffffffu, word, 0);
    return w.value;
}
)"},
    // The same by all threads of a block. `leaf(b, lane)` is what a lane gathers of block b; `threads / lanes` of them at a time are joined
    // in a tree, in a warp by shuffles, then the warps' through `space`, shared memory for threads / 32 + tree_levels values of each lane. Thread t
    // gets the result of lane t mod lanes.
    {"reduce_tree<",
     R"(template <int threads, int lanes, class P, class Leaf, class Join> __device__ P reduce_tree(u8* space, i64 leaves, P empty, Leaf leaf, Join join) {
    constexpr int groups = threads / lanes, in_warp = 32 / lanes, warps = threads / 32;
    P(*const node)[lanes] = (P(*)[lanes])space;
    P(*const waiting)[lanes] = node + warps;
    const int lane = int(threadIdx.x) % lanes, group = int(threadIdx.x) / lanes, warp = int(threadIdx.x) / 32;
    if (leaves <= 0) return empty;
    int depth = 0;
    for (i64 first = 0, round = 0; first < leaves; first += groups, ++round) {
        P mine = first + group < leaves ? leaf(first + group, lane) : empty;
#pragma unroll
        for (int apart = 1; apart < in_warp; apart *= 2) {
            const P other = shuffle_down(mine, apart * lanes);
            if (group % (2 * apart) == 0 && first + group + apart < leaves) mine = join(mine, other);
        }
        if (group % in_warp == 0) node[warp][lane] = mine;
        __syncthreads();
        if (group == 0) {
            for (int apart = 1; apart < warps; apart *= 2)
                for (int w = 0; w + apart < warps && first + (w + apart) * in_warp < leaves; w += 2 * apart) node[w][lane] = join(node[w][lane], node[w + apart][lane]);
            P top = node[0][lane];
            for (i64 b = round; b & 1; b >>= 1) top = join(waiting[--depth][lane], top);
            waiting[depth++][lane] = top;
        }
        __syncthreads();
    }
    if (group == 0) {
        P top = waiting[--depth][lane];
        while (depth > 0) top = join(waiting[--depth][lane], top);
        node[0][lane] = top;
    }
    __syncthreads();
    const P result = node[0][lane];
    __syncthreads();
    return result;
}
)"},
    // Each warp has all lanes' results, and joins them to one.
    {"fold_lanes<", R"(template <int lanes, class P, class Join> __device__ P fold_lanes(P mine, Join join) {
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2) {
        const P other = shuffle_down(mine, half);
        if (int(threadIdx.x) % lanes < half) mine = join(mine, other);
    }
    return lanes > 1 ? first_of_warp(mine) : mine;
}
)"},
    {"gather_block<", R"(template <int lanes, class P, class Add> __device__ P gather_block(i64 block, int lane, i64 n, P sum, Add add) {
    for (i64 i = block * reduce_block + lane; i < (block + 1) * reduce_block && i < n; i += lanes) add(sum, i);
    return sum;
}
)"},
    {"reduce_by_block<",
     R"(template <int threads, int lanes, class P, class Add, class Join> __device__ P reduce_by_block(u8* space, i64 n, P empty, Add add, Join join) {
    const auto leaf = [&](i64 b, int lane) { return gather_block<lanes>(b, lane, n, empty, add); };
    return fold_lanes<lanes>(reduce_tree<threads, lanes>(space, (n + reduce_block - 1) / reduce_block, empty, leaf, join), join);
}
)"},
    // And by a grid: each block takes `count` blocks of elements, a power of two, and leaves its lanes in `nodes`; one block joins them.
    {"reduce_by_grid<", R"(template <int threads, int lanes, class P, class Add, class Join>
__device__ void reduce_by_grid(u8* space, i64 n, i64 count, P empty, Add add, Join join, P* nodes) {
    const i64 first = blockIdx.x * count, blocks = (n + reduce_block - 1) / reduce_block;
    const auto leaf = [&](i64 b, int lane) { return gather_block<lanes>(first + b, lane, n, empty, add); };
    const P mine = reduce_tree<threads, lanes>(space, blocks - first < count ? blocks - first : count, empty, leaf, join);
    if (int(threadIdx.x) < lanes) nodes[blockIdx.x * lanes + threadIdx.x] = mine;
}
)"},
    {"join_nodes<",
     R"(template <int threads, int lanes, class P, class Join> __device__ P join_nodes(u8* space, i64 count, P empty, Join join, const P* nodes) {
    const auto leaf = [&](i64 b, int lane) { return nodes[b * lanes + lane]; };
    return fold_lanes<lanes>(reduce_tree<threads, lanes>(space, count, empty, leaf, join), join);
}
)"},
    // c + x·(c' + x·(…)), one fused step each.
    {"polynomial(", R"(__device__ float polynomial(float, float c) { return c; }
__device__ double polynomial(double, double c) { return c; }
template <class... C> __device__ float polynomial(float x, float c, C... higher) { return fmaf(polynomial(x, higher...), x, c); }
template <class... C> __device__ double polynomial(double x, double c, C... higher) { return fma(polynomial(x, higher...), x, c); }
)"},
    // Four neighbours, read and written as one.
    {"Four<", R"(template <class T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Four {
    T at[4];
};
)"},
    // One element of a contraction: a chain of fused multiply-adds, a new one every contract_chunk steps, whose sums are added in order.
    {"multiply_add(", R"(__device__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }
)"},
    // A tile of rows x columns elements by a block of threads: a and b pass through shared memory `depth` steps at a time, each thread
    // keeps its chains in registers. `a(i, k)` and `b(k, j)` read elements; `finish(i, j, sum)` gets each sum.
    {"contract_tile<",
     R"(template <class T, int rows, int columns, int depth, int threads, bool a_along_k, bool b_along_k, class A, class B, class Finish>
__device__ void contract_tile(i64 row, i64 column, i64 m, i64 n, i64 k, A a, B b, Finish finish) {
    constexpr int across = threads >= 256 ? 16 : 8, down = threads / across, my_rows = rows / down, my_columns = columns / across;
    __shared__ T a_tile[depth][rows + 1];
    __shared__ T b_tile[depth][columns + 1];
    const int x = int(threadIdx.x) % across, y = int(threadIdx.x) / across;
    T sum[my_rows][my_columns], total[my_rows][my_columns];
#pragma unroll
    for (int r = 0; r < my_rows; ++r)
#pragma unroll
        for (int c = 0; c < my_columns; ++c) sum[r][c] = total[r][c] = T(0);
    for (i64 step = 0; step < k; step += depth) {
        if (step > 0 && step % contract_chunk == 0) {
#pragma unroll
            for (int r = 0; r < my_rows; ++r)
#pragma unroll
                for (int c = 0; c < my_columns; ++c) {
                    total[r][c] = step == contract_chunk ? sum[r][c] : total[r][c] + sum[r][c];
                    sum[r][c] = T(0);
                }
        }
        for (int e = int(threadIdx.x); e < rows * depth; e += threads) {
            const int i = a_along_k ? e / depth : e % rows, d = a_along_k ? e % depth : e / rows;
            a_tile[d][i] = row + i < m && step + d < k ? a(row + i, step + d) : T(0);
        }
        for (int e = int(threadIdx.x); e < columns * depth; e += threads) {
            const int j = b_along_k ? e / depth : e % columns, d = b_along_k ? e % depth : e / columns;
            b_tile[d][j] = column + j < n && step + d < k ? b(step + d, column + j) : T(0);
        }
        __syncthreads();
        const int steps = k - step < depth ? int(k - step) : depth;
        for (int d = 0; d < steps; ++d) {
#pragma unroll
            for (int r = 0; r < my_rows; ++r)
#pragma unroll
                for (int c = 0; c < my_columns; ++c) sum[r][c] = multiply_add(a_tile[d][y + r * down], b_tile[d][x + c * across], sum[r][c]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < my_rows; ++r)
#pragma unroll
        for (int c = 0; c < my_columns; ++c) {
            const i64 i = row + y + r * down, j = column + x + c * across;
            if (i < m && j < n) finish(i, j, k > contract_chunk ? total[r][c] + sum[r][c] : sum[r][c]);
        }
}
)"},
};

}  // namespace

std::string prelude_for(const std::string& text) {
    // Backwards: what a piece needs stands above it.
    std::string needed, all = text;
    for (size_t i = std::size(pieces); i-- > 0;) {
        if (all.find(pieces[i].name) == std::string::npos) continue;
        needed = pieces[i].text + needed;
        all += pieces[i].text;
    }
    std::string constants;
    const std::pair<const char*, int64_t> numbers[] = {
        {"reduce_block", reduce_block}, {"contract_chunk", contract_chunk}, {"reduce_levels", 40}, {"tree_levels", tree_levels}};
    for (const auto& [name, value] : numbers)
        if (all.find(name) != std::string::npos) constants += fmt::format("constexpr i64 {} = {};\n", name, value);
    return std::string(types) + constants + needed;
}

std::string device_unit(const std::vector<const DeviceKernel*>& kernels) {
    std::string text;
    for (const DeviceKernel* k : kernels) text += "\n" + k->text;
    // A kernel's text names the functions of ir/math that it calls.
    std::string math;
    for (int op = static_cast<int>(ScalarOp::Exp); op <= static_cast<int>(ScalarOp::Atan2); ++op)
        for (DType t : {DType::F32, DType::F64}) {
            const auto name = math_function_name(static_cast<ScalarOp>(op), t);
            // `exp_f32(` is not part of another name.
            for (size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1)) {
                const char before = at == 0 ? ' ' : text[at - 1];
                if (std::isalnum(static_cast<unsigned char>(before)) || before == '_') continue;
                math += "\n" + math_function_text(static_cast<ScalarOp>(op), t);
                break;
            }
        }
    return prelude_for(math + text) + math + text;
}

const char* value_type(DType t) {
    switch (t) {
        case DType::Bool: return "bool";
        case DType::U8: return "u8";
        case DType::I8: return "i8";
        case DType::I16: return "i16";
        case DType::I32: return "i32";
        case DType::I64: return "i64";
        case DType::F16:
        case DType::BF16:
        case DType::F32: return "float";
        case DType::F64: return "double";
        case DType::C64: return "u64";
        case DType::C128: return "c128";
    }
    SIFR_UNREACHABLE("dtype {}", static_cast<int>(t));
}

const char* memory_type(DType t) { return t == DType::F16 || t == DType::BF16 ? "u16" : value_type(t); }

}  // namespace sifr::cuda
