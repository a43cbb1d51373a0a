// Transcendental functions: the formulas of ir/math, printed as device functions, one operation a line. The bits are those of the interpreters.

#include "compiler/backend/cuda/device_text.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "ir/base/check.h"
#include "ir/math/transcendental.h"

namespace sifr::cuda {
namespace {

/// The fewest digits that give the number back; infinities and NaN, which have none, by their bits.
template <class Float>
std::string literal(Float c, const char* suffix) {
    if (!std::isfinite(c)) {
        if constexpr (sizeof(Float) == 8) return fmt::format("__longlong_as_double({:#x}ll)", std::bit_cast<uint64_t>(c));
        else return fmt::format("__int_as_float({:#x})", std::bit_cast<uint32_t>(c));
    }
    std::string digits = fmt::format("{}", c);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    return std::signbit(c) ? fmt::format("({}{})", digits, suffix) : digits + suffix;
}

/// ir/math/arithmetic.h's Ops over names of variables in the text.
class TextOps {
public:
    using V = std::string;
    using I = std::string;
    using M = std::string;

    explicit TextOps(bool wide) : wide_(wide) {}

    V constant(double c) { return wide_ ? literal(c, "") : literal(static_cast<float>(c), "f"); }
    I integer(int64_t c) {
        if (wide_) return c == INT64_MIN ? "(-9223372036854775807ll - 1)" : fmt::format("{}ll", c);
        const auto narrow = static_cast<int32_t>(c);
        return narrow == INT32_MIN ? "(-2147483647 - 1)" : fmt::format("{}", narrow);
    }
    V add(const V& a, const V& b) { return real("{} + {}", a, b); }
    V sub(const V& a, const V& b) { return real("{} - {}", a, b); }
    V mul(const V& a, const V& b) { return real("{} * {}", a, b); }
    V div(const V& a, const V& b) { return real("{} / {}", a, b); }
    V fma(const V& a, const V& b, const V& c) { return real(wide_ ? "fma({}, {}, {})" : "fmaf({}, {}, {})", a, b, c); }
    V sqrt(const V& a) { return real(wide_ ? "sqrt({})" : "sqrtf({})", a); }
    V neg(const V& a) { return real("-{}", a); }
    V abs(const V& a) { return real(wide_ ? "fabs({})" : "fabsf({})", a); }
    V floor(const V& a) { return real(wide_ ? "floor({})" : "floorf({})", a); }
    V to_float(const I& a) { return real(wide_ ? "double({})" : "float({})", a); }
    I bits(const V& a) { return whole(wide_ ? "__double_as_longlong({})" : "__float_as_int({})", a); }
    V from_bits(const I& a) { return real(wide_ ? "__longlong_as_double({})" : "__int_as_float({})", a); }
    I iadd(const I& a, const I& b) { return wrapped("{} + {}", a, b); }
    I isub(const I& a, const I& b) { return wrapped("{} - {}", a, b); }
    I imul(const I& a, const I& b) { return wrapped("{} * {}", a, b); }
    I iand(const I& a, const I& b) { return whole("{} & {}", a, b); }
    I ior(const I& a, const I& b) { return whole("{} | {}", a, b); }
    I ixor(const I& a, const I& b) { return whole("{} ^ {}", a, b); }
    I imulh(const I& a, const I& b) { return wide_ ? whole("i64(__umul64hi(u64({}), u64({})))", a, b) : whole("i32(__umulhi(u32({}), u32({})))", a, b); }
    I shl(const I& a, const I& n) { return whole(wide_ ? "i64(u64({}) << {})" : "i32(u32({}) << {})", a, n); }
    I shr(const I& a, const I& n) { return whole("{} >> {}", a, n); }
    I ushr(const I& a, const I& n) { return whole(wide_ ? "i64(u64({}) >> {})" : "i32(u32({}) >> {})", a, n); }
    M lt(const V& a, const V& b) { return truth("{} < {}", a, b); }
    M le(const V& a, const V& b) { return truth("{} <= {}", a, b); }
    M eq(const V& a, const V& b) { return truth("{} == {}", a, b); }
    M ilt(const I& a, const I& b) { return truth("{} < {}", a, b); }
    M ieq(const I& a, const I& b) { return truth("{} == {}", a, b); }
    M mand(const M& a, const M& b) { return truth("{} && {}", a, b); }
    M mor(const M& a, const M& b) { return truth("{} || {}", a, b); }
    M mnot(const M& a) { return truth("!{}", a); }
    V select(const M& m, const V& a, const V& b) { return real("{} ? {} : {}", m, a, b); }
    I iselect(const M& m, const I& a, const I& b) { return whole("{} ? {} : {}", m, a, b); }

    I lookup(const uint64_t* table, int count, const I& index) {
        std::string words;
        for (int k = 0; k < count; ++k) words += fmt::format("{}{}", k ? ", " : "", wide_ ? fmt::format("{:#x}ull", table[k]) : fmt::format("{:#x}u", static_cast<uint32_t>(table[k])));
        const std::string name = fmt::format("words{}", next_++);
        line(fmt::format("static constexpr {} {}[] = {{{}}};", wide_ ? "u64" : "u32", name, words));
        return whole(wide_ ? "i64({}[{}])" : "i32({}[{}])", name, index);
    }

    template <class F>
    V rarely(const M& m, const V& usual, F&& unusual) {
        const std::string result = fmt::format("v{}", next_++);
        line(fmt::format("{} {} = {};", wide_ ? "double" : "float", result, usual));
        line(fmt::format("if ({}) {{", m));
        ++depth_;
        line(fmt::format("{} = {};", result, unusual()));
        --depth_;
        line("}");
        return result;
    }

    std::string take() { return std::move(text_); }

private:
    void line(const std::string& s) { text_ += std::string(static_cast<size_t>(depth_) * 4, ' ') + s + "\n"; }
    std::string named(const char* type, const std::string& value) {
        std::string name = fmt::format("v{}", next_++);
        line(fmt::format("const {} {} = {};", type, name, value));
        return name;
    }
    template <class... A> std::string real(const char* f, const A&... a) { return named(wide_ ? "double" : "float", fmt::format(fmt::runtime(f), a...)); }
    template <class... A> std::string whole(const char* f, const A&... a) { return named(wide_ ? "i64" : "i32", fmt::format(fmt::runtime(f), a...)); }
    template <class... A> std::string truth(const char* f, const A&... a) { return named("bool", fmt::format(fmt::runtime(f), a...)); }
    std::string wrapped(const char* f, const std::string& a, const std::string& b) {
        const char* u = wide_ ? "u64" : "u32";
        return whole("{}({})", wide_ ? "i64" : "i32", fmt::format(fmt::runtime(f), fmt::format("{}({})", u, a), fmt::format("{}({})", u, b)));
    }

    bool wide_;
    int next_ = 0, depth_ = 1;
    std::string text_;
};

struct TextOps32 : TextOps {
    static constexpr bool is_double = false;
    TextOps32() : TextOps(false) {}
};
struct TextOps64 : TextOps {
    static constexpr bool is_double = true;
    TextOps64() : TextOps(true) {}
};

}  // namespace

std::string math_function_name(ScalarOp op, DType t) { return fmt::format("{}_{}", name_of(op), name_of(t)); }

std::string math_function_text(ScalarOp op, DType t) {
    SIFR_CHECK(t == DType::F32 || t == DType::F64, "'{}' of {}", name_of(op), name_of(t));
    const bool two = arity(op) == 2;
    std::string body, result;
    if (t == DType::F64) {
        TextOps64 ops;
        result = math::transcendental(ops, op, "x", two ? "y" : "x");
        body = ops.take();
    } else {
        TextOps32 ops;
        result = math::transcendental(ops, op, "x", two ? "y" : "x");
        body = ops.take();
    }
    const char* type = value_type(t);
    return fmt::format("__device__ {} {}({} x{}) {{\n{}    return {};\n}}\n", type, math_function_name(op, t), type, two ? fmt::format(", {} y", type) : "", body, result);
}

}  // namespace sifr::cuda
