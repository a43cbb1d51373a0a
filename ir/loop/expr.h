#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/base/ids.h"
#include "ir/type/dtype.h"

namespace sifr {

struct ExprTag { static constexpr const char* prefix = "e"; };
struct VarTag { static constexpr const char* prefix = "v"; };
struct BufferTag { static constexpr const char* prefix = "b"; };
using ExprId = Id<ExprTag>;      ///< an expression of one kernel or scalar body
using VarId = Id<VarTag>;        ///< a loop variable, a scalar parameter or a named scalar of one kernel
using BufferId = Id<BufferTag>;  ///< a buffer parameter of one kernel

/// What a kernel computes with, element by element. Small and closed: each back end and each interpreter switches over it
/// exhaustively. Unless said otherwise operands and result have the node's type, floats are IEEE with round-to-nearest
/// and no contraction, and integers wrap. F16 and BF16 values are computed in F32 and rounded by Cast.
enum class ScalarOp : uint8_t {
    // Leaves
    Input,  ///< of a row's scalar body: operand number `payload`
    Const,  ///< `payload` holds the bits (integers and bool as int64, floats as double)
    Var,    ///< a loop variable or scalar parameter or let: `var`
    Load,   ///< buffer[index]
    // Arithmetic
    Add, Sub, Mul,
    Div,       ///< floats: IEEE; integers: truncating, by zero gives 0 (a check stands in front)
    Rem,       ///< C's remainder (sign of the dividend); floats: fmod
    FloorDiv,  ///< Python's `//`, floats as PyTorch computes it
    Mod,       ///< Python's `%` (sign of the divisor), floats as PyTorch's remainder
    Fma,       ///< a·b + c rounded once
    Neg, Abs,
    Min, Max,  ///< NaN if one operand is NaN
    Sqrt,      ///< correctly rounded
    Floor, Ceil, Trunc, Round,  ///< Round: half to even
    // Bits: integers and Bool
    And, Or, Xor, Not,  ///< Not: bitwise for integers, logical for Bool
    Shl, Shr,           ///< Shr: arithmetic for signed types; counts outside 0…bits-1 as PyTorch gives
    // Comparisons: operands of one type, result Bool
    Eq, Ne, Lt, Le, Gt, Ge,
    Select,  ///< a (Bool) ? b : c
    Cast,    ///< operand of another type; float to integer truncates (out of range as x86's cvtt gives), to Bool tests != 0
    Bitcast, ///< same width
    // Transcendentals: F32 and F64, defined bit for bit by ir/math
    Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh,
    Erf, Erfc, Erfinv, Lgamma, Digamma,
    Pow, Atan2,
};
std::string_view name_of(ScalarOp op);
std::optional<ScalarOp> scalar_op_named(std::string_view name);
int arity(ScalarOp op);

/// `base + Σ scale · var`, in elements. What a memory access or loop bound looks like wherever it is affine.
struct Affine {
    struct Term {
        int64_t scale;
        VarId var;
        bool operator==(const Term&) const = default;
    };
    int64_t base = 0;
    std::vector<Term> terms;  ///< sorted by var, no zero scales
    bool operator==(const Affine&) const = default;

    static Affine constant(int64_t c) { return Affine{c, {}}; }
    static Affine of(VarId v, int64_t scale = 1);
    [[nodiscard]] bool is_constant() const { return terms.empty(); }
    [[nodiscard]] int64_t scale_of(VarId v) const;
    Affine& add(const Affine& other, int64_t factor = 1);
};

struct Expr {
    ScalarOp op = ScalarOp::Const;
    DType type = DType::F32;
    std::array<ExprId, 3> args{};
    uint64_t payload = 0;  ///< Const: bits; Input: operand number
    VarId var;             ///< Var
    BufferId buffer;       ///< Load
    Affine index;          ///< Load: where
};

/// The expressions of a kernel, or of one row's scalar body. Equal expressions share an id (Loads do not: a Store may
/// stand between them).
class ExprArena {
public:
    std::vector<Expr> nodes;
    const Expr& operator[](ExprId id) const { return nodes[id.index]; }
    DType type(ExprId id) const { return nodes[id.index].type; }

    ExprId input(uint32_t operand, DType type);
    ExprId constant_bits(DType type, uint64_t bits);
    ExprId constant(DType type, double value);  ///< integers are truncated; a float type holds the nearest value
    ExprId constant_int(DType type, int64_t value);
    ExprId var(VarId v, DType type = DType::I64);
    ExprId load(BufferId buffer, DType type, Affine index);
    ExprId unary(ScalarOp op, ExprId a);
    ExprId binary(ScalarOp op, ExprId a, ExprId b);  ///< comparisons give Bool
    ExprId ternary(ScalarOp op, ExprId a, ExprId b, ExprId c);
    ExprId cast(ExprId a, DType to);  ///< the operand itself when it has the type
    ExprId bitcast(ExprId a, DType to);

    /// Copies the expression `root` of `from` into this arena with Input(k) replaced by `inputs[k]`.
    ExprId splice(const ExprArena& from, ExprId root, std::span<const ExprId> inputs);

private:
    ExprId add(Expr e);
    std::unordered_multimap<size_t, uint32_t> by_hash_;
};

}  // namespace sifr
