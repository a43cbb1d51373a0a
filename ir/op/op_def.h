#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/func/function.h"
#include "ir/loop/expr.h"
#include "ir/op/op.h"

namespace sifr {

class Builder;
class Vjp;

/// What an instruction does besides making its results. Passes ask this and never a name.
enum class Effect : uint8_t {
    Pure,    ///< moves, merges, disappears freely (but nothing moves across a clock read)
    Random,  ///< draws from a generator: keeps its order among its kind; unused, it still draws (`rng_skip`)
    Check,   ///< may raise: keeps its order with Host
    Host,    ///< print, input, clock, raise
};

/// How an instruction becomes code.
enum class Lower : uint8_t {
    Structural,   ///< for, while, if, group, literal operands …: known to every stage by design
    View,         ///< CAPTURED: another layout on the same storage; FUNCTIONAL: an extract
    Scalar,       ///< on run-time numbers of the host (`iadd`, `fmul`, `ieq`)
    Pointwise,    ///< element by element, by the row's scalar body; operands broadcast and are cast to the compute dtype
    Composite,    ///< the row's `decompose` writes it in other rows (after expand-grad)
    Fill,         ///< makes elements by rule: full, arange, linspace, eye, literal, empty
    Reduction,    ///< sums, extrema, any/all, argmax: over `dims`, in the order that the attribute `order` names
    Scan,         ///< cumsum and its like: along one axis, in order
    Contraction,  ///< matrix products, with a batch
    Gather,       ///< reads at run-time indices
    Scatter,      ///< writes at run-time indices
    Concat,       ///< cat, stack
    Random,       ///< fills from a generator
    Library,      ///< a function of the runtime on whole tensors (sort, topk, cholesky)
    Host,         ///< strings, prints, clocks, lists: functions of the runtime
};

/// The dtype that a pointwise row computes in, and the one that it gives.
enum class DTypeRule : uint8_t {
    Promote,        ///< both: promotion of all operands
    PromoteFloat,   ///< promotion, integers become the default float dtype (true division, exp, mean)
    Compare,        ///< computes in the promotion, gives Bool
    Logical,        ///< computes on Bool, gives Bool
    First,          ///< that of operand 0
    Attribute,      ///< the attribute `dtype` (conversions)
    Special,        ///< the row's `infer` decides and `compute_dtype` says
};

/// CAPTURED: the layout of a fresh result.
enum class LayoutRule : uint8_t {
    Contiguous,
    Elementwise,  ///< TensorIterator's: a common permutation of dense operands is kept
    Like,         ///< `zeros_like`: dense operands keep their permutation, others become contiguous
};

/// One call of a row, before or after it is an instruction: what rules look at.
struct OpCall {
    Op op;
    std::span<const Type> types;                ///< of the operands
    std::span<const ScalarConstant> constants;  ///< monostate where an operand is not known
    std::span<const Layout* const> layouts;     ///< CAPTURED: of tensor operands; null elsewhere; empty at later stages
    const Attrs& attrs;
    DType default_dtype = DType::F32;           ///< torch.get_default_dtype()
};

/// A view's layout, and which operands stand for its new run-time indices (appended behind the old ones).
struct ViewLayout {
    Layout layout;
    std::vector<uint32_t> index_operands;
};

/// What PyTorch's autograd node keeps for its backward.
struct Save {
    enum class Which : uint8_t { Input, Output } which;
    uint8_t index;
    uint32_t needs = 0;   ///< saved if one of these operands (bit mask) requires grad; 0: whenever there is a node
    bool unread = false;  ///< kept, and its version checked, but not used
};
inline Save save_in(uint8_t index, uint32_t needs = 0) { return {Save::Which::Input, index, needs}; }
inline Save save_unread(uint8_t index) { return {Save::Which::Input, index, 0, true}; }
inline Save save_out(uint8_t index, uint32_t needs = 0) { return {Save::Which::Output, index, needs}; }

/// One operator, in one row: scripts, text IR, autograd, back ends and generated tests read it from here.
struct OpDef {
    const char* name;  ///< `sum`, `sum.dim` (overloads as PyTorch names them), `iadd` for scalar code
    /// PyTorch's schema style: `sum.dim(T self, int[1]? dim, bool keepdim=False, *, dtype? dtype=None) -> T`.
    /// Operand kinds: `T` tensor, `N` tensor or number, `T[]`, `T?[]`, `Scalar` number, `i64 f64 b8 str` run-time scalars,
    /// `V` any value, `V[]`. Attribute kinds (known): `int float bool string dtype int[] int[k] layout data any`.
    /// A trailing `?` allows None. The name in front may be left out. Results: `T`, `(T values, T indices)`, `T[]`, `i64`, `V`, `()`.
    const char* sig = "";
    Lower lower = Lower::Structural;
    Effect effect = Effect::Pure;
    /// Result types; throws ScriptError with PyTorch's text. Null: by `dtype` and broadcasting (pointwise rows).
    std::vector<Type> (*infer)(const OpCall&) = nullptr;
    DTypeRule dtype = DTypeRule::Promote;
    DType (*compute_dtype)(const OpCall&) = nullptr;  ///< DTypeRule::Special
    uint32_t own_dtype = 0;  ///< Pointwise: operands (bit mask) that keep their dtype and take no part in promotion: masks
    LayoutRule layout = LayoutRule::Contiguous;
    std::vector<ViewLayout> (*view)(const OpCall&) = nullptr;  ///< rows with Lower::View: one per result
    bool multi_view = false;  ///< a view op with several outputs (split, unbind): PyTorch forbids writes through them
    std::vector<Save> saves;
    const char* node = nullptr;  ///< the printed grad_fn, `MulBackward0`; null: not differentiable
    /// Where the name depends on the call (`PowBackward0` or `PowBackward1`); wins over `node`.
    const char* (*node_of)(const OpCall&) = nullptr;
    /// Where PyTorch's in-place form has a node of its own, which saves the result in place of the operands.
    const char* inplace_node = nullptr;
    /// Gradients of the operands (invalid: none) from those of the results. Built from pure rows; see ir/op/vjp.h.
    std::vector<ValueId> (*vjp)(Vjp&) = nullptr;
    /// Pointwise: the value of one element from the operands' elements, which have the compute dtype already.
    ExprId (*scalar)(ExprArena&, std::span<const ExprId> inputs, const Attrs&) = nullptr;
    /// Composite: writes the same result in other rows; called after expand-grad.
    std::vector<ValueId> (*decompose)(Builder&, const Inst&) = nullptr;
    /// A row with a lowering of its own that is written in other rows for some operands (a product of a column and a row).
    bool (*decomposes)(const Function&, const Inst&) = nullptr;
    const char* reduction = nullptr;  ///< Reduction, Scan: the combiner (`sum prod max min any all argmax argmin`)
    const char* runtime = nullptr;    ///< Library, Host, Random: the function of the runtime
    /// Gather, Scatter: what an index out of range raises, `Type: text`; `{}` are the index, the axis and its size. An attribute
    /// `error` wins over it.
    const char* index_error = nullptr;
    bool whole_division = false;    ///< on integers, operand 1 must not be zero
    bool run_time_sizes = false;    ///< the shape rule knows operands of run-time sizes; pointwise rows and views always do
    bool negative_index = false;    ///< Gather, Scatter: -1 is the last element
    const char* warning = nullptr;  ///< the UserWarning that PyTorch gives, once, when it is called
    bool inplace = true;            ///< fresh rows: may be written through `<-` and has a method with a trailing `_`
    bool method = true;             ///< is a method of tensors
    bool function = true;           ///< is a function of `torch`
};

/// All rows, indexed by Op.
const OpDef& def(Op op);
/// The overloads of a Python name (`sum` -> `sum`, `sum.dim`), in the order in which they are tried; empty if unknown.
std::span<const Op> overloads(std::string_view python_name);

// ---------------------------------------------------------------------------------------------- signatures

/// A parsed signature parameter.
struct Param {
    enum class Kind : uint8_t {
        Tensor, TensorOrNumber, TensorList, Scalar, RunI64, RunF64, RunBool, RunStr, Value, ValueList,  // operands
        Int, Float, Bool, String, DTypeName, Ints, Layout, Data, Any,                                   // attributes
    };
    Kind kind;
    bool optional = false;      ///< takes None; of a list: its members may be None
    bool list = false;          ///< stands for any number of operands; a row has at most one such parameter
    bool keyword_only = false;
    bool has_default = false;
    int list_size = 0;          ///< `int[2]`: one int stands for two
    AttrValue default_value;    ///< attributes, and numbers of Scalar operands
    std::string name;
    [[nodiscard]] bool is_operand() const { return kind <= Kind::ValueList; }
};
struct Signature {
    std::vector<Param> params;
    int result_count = 1;                    ///< -1: the row's `infer` or `view` says how many
    std::vector<Param::Kind> result_kinds;   ///< one per result: Tensor, RunI64, RunF64, RunBool, RunStr, or Value (the row's `infer` says)
    std::vector<std::string> result_names;  ///< `(T values, T indices)`; empty for one unnamed result
};
const Signature& signature(Op op);
/// The position in Inst::operands of the first operand of parameter `name`. Every operand parameter is there, in the order of
/// the signature, with its default or a None constant where nothing was given.
size_t operand_index(Op op, std::string_view name, size_t operand_count);

/// The type of the constant None, which stands for an optional operand that is not given.
inline bool is_none(const Type& t) { return t.kind == Type::Kind::Optional && t.members.empty(); }

// ---------------------------------------------------------------------------------------------- rules for all rows

/// Result types by the row's rule.
std::vector<Type> infer_types(const OpCall& call);
/// The dtype that operands are cast to before the scalar body sees them.
DType compute_dtype(const OpCall& call);
/// PyTorch's result type of mixed operands: dimensioned tensors, then 0-d tensors, then numbers, by category.
DType result_dtype(std::span<const Type> types, DType default_dtype = DType::F32);
/// Broadcast of sizes; throws PyTorch's "The size of tensor a (3) must match …".
Sizes broadcast(const Sizes& a, const Sizes& b);
/// A dim argument in -rank … rank-1; throws PyTorch's IndexError.
int64_t normalize_dim(int64_t dim, int64_t rank);
/// The printed grad_fn, or null.
const char* node_name(const OpCall& call);
/// The layout of result `r` of a fresh row in CAPTURED (its frame is the layout's permutation applied to the sizes).
Layout fresh_layout(const OpCall& call, const Type& result);

/// The row's scalar body for these operand types: casts, body, cast to the result dtype. Inputs have the operands' own
/// dtypes (numbers: I64, F64 or Bool).
struct ScalarBody {
    ExprArena arena;
    ExprId root;
};
ScalarBody scalar_body(const Function& f, const Inst& inst);

/// Views of a Function's instruction as a call (its types, constants, layouts). Keeps what the spans point at.
class InstCall {
public:
    InstCall(const Function& f, const Inst& inst);
    operator const OpCall&() const { return call_; }
    const OpCall* operator->() const { return &call_; }

private:
    std::vector<Type> types_;
    std::vector<ScalarConstant> constants_;
    std::vector<Layout> owned_layouts_;
    std::vector<const Layout*> layouts_;
    OpCall call_;
};

// ---------------------------------------------------------------------------------------------- reduction order

/// The order of a reduction, an attribute (`order`) of the instruction, chosen when it is created; see docs in reduce_order.h.
enum class ReduceOrder : uint8_t { Lanes, Rows };

}  // namespace sifr
