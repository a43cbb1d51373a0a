#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/ids.h"
#include "ir/base/source.h"
#include "ir/loop/expr.h"

namespace sifr {

// One kernel: loops, loads, stores and scalar expressions over buffers. Both code generators and the loop interpreter
// read nothing else. Semantics are those of executing the statements in order on one thread; `Parallel` and `Vector`
// promise that iterations are independent (but for what Reduce, Scan and atomic stores define).

/// A buffer parameter: the kernel gets a pointer to `extent` elements. Bool elements are one byte, 0 or 1.
struct Buffer {
    enum class Access : uint8_t { Read, Write, ReadWrite };
    std::string name;
    DType type = DType::F32;
    int64_t extent = 0;  ///< elements reachable; accesses outside are a fault of ours
    Access access = Access::Read;
    bool scratch = false;  ///< not a parameter: private memory of each iteration of the innermost enclosing Parallel
                           ///< loop (of the call, outside of one), of `extent` elements, without defined contents at first
};

struct Variable {
    std::string name;
    DType type = DType::I64;
};

/// Combiners of reductions. ArgMax and ArgMin carry (value, index) and keep the first of equals; NaN counts as extremal.
enum class Combine : uint8_t { Sum, Prod, Max, Min, Any, All, ArgMax, ArgMin };

struct Stmt;
using Block = std::vector<Stmt>;

/// for var in lo … hi-1. `Vector`: the back end may run `lanes` iterations at a time, the tail masked.
struct For {
    enum class Kind : uint8_t { Serial, Parallel, Vector };
    VarId var;
    Affine lo, hi;  ///< hi may contain scalar parameters (run-time sizes)
    Kind kind = Kind::Serial;
    int64_t grain = 1;  ///< Parallel: least number of iterations worth a thread
    std::vector<Stmt> body;
};

/// A name for a value, usable in the rest of the block.
struct Let {
    VarId var;
    ExprId value;
};

/// A scalar that statements in the same or inner blocks may assign (serial recurrences).
struct Assign {
    VarId var;
    ExprId value;
};

struct Store {
    BufferId buffer;
    Affine index;
    ExprId value;      ///< has the buffer's type
    bool stream = false;  ///< larger than the last-level cache and not read soon: non-temporal
};

/// Read-modify-write at an index that may repeat; `Sum` in iteration order on one thread. For scatter_add and index_add.
struct Accumulate {
    BufferId buffer;
    Affine index;
    Combine combine = Combine::Sum;
    ExprId value;
};

struct If {
    ExprId condition;
    std::vector<Stmt> then_body;
    std::vector<Stmt> else_body;
};

/// result_r = combine over var in 0 … extent-1 of value_r, where `body` (Lets, Loads, Stores) computes what values use.
/// Order: Lanes or Rows as reduce_order.h says; the back end vectorises a Lanes reduction over `var` itself, and a Rows
/// reduction through the Vector loop around it.
struct Reduce {
    struct Item {
        VarId result;       ///< usable after the statement, of the accumulator's type
        Combine combine;
        ExprId value;       ///< ArgMax, ArgMin: the compared value; the result is the index `var`, I64
        VarId result_value; ///< ArgMax, ArgMin: the extremal value; else invalid
        ExprId factor;      ///< Sum only, may be invalid: acc = fma(value, factor, acc), one rounding
    };
    VarId var;
    Affine extent;
    bool lanes = true;  ///< false: Rows
    std::vector<Stmt> body;
    std::vector<Item> items;
};

/// `ok` must hold; else (site, position, value) goes to the status word, the first position in program order winning.
/// What follows in the iteration still runs, so it must be safe: an index is clamped first.
struct Check {
    ExprId ok;
    uint32_t site;    ///< index into Kernel::sites
    Affine position;  ///< program order of the offence
    ExprId value;     ///< I64, shown in the message
};

/// acc[m, n] = Σ_k a[k, m] · b[k, n] for batch, m < M, n < N, k < K in the contraction's order; then for each element `epilogue`
/// runs with the variables `batch_var`, `m_var`, `n_var` and the finished sum `acc`, and stores what is wanted.
/// The back end chooses tiles and packs; `epilogue` is vectorised along n.
struct Contract {
    int64_t batch = 1, m = 0, n = 0, k = 0;
    BufferId a, b;
    Affine a_base, b_base;              ///< may contain batch_var and scalar parameters
    int64_t a_m = 0, a_k = 0;           ///< strides in elements
    int64_t b_k = 0, b_n = 0;
    DType type = DType::F32;            ///< of a, b and acc
    VarId batch_var, m_var, n_var, acc;
    std::vector<Stmt> epilogue;
};

struct Stmt {
    std::variant<For, Let, Assign, Store, Accumulate, If, Reduce, Check, Contract> node;
    Location location;
};

/// What a failed Check raises. `text` may contain `{}`, the offending value.
struct CheckSite {
    std::string exception;
    std::string text;
    Location location;
};

struct Kernel {
    std::string name;
    std::vector<Variable> vars;   ///< by VarId
    std::vector<Buffer> buffers;  ///< by BufferId; parameters in this order, scratch ones left out
    std::vector<VarId> scalars;   ///< scalar parameters (I64, F64 or Bool), behind the buffers
    ExprArena exprs;
    Block body;
    std::vector<CheckSite> sites;
    Location location;

    VarId add_var(std::string name, DType type = DType::I64) {
        vars.push_back({std::move(name), type});
        return VarId(vars.size() - 1);
    }
    BufferId add_buffer(Buffer b) {
        buffers.push_back(std::move(b));
        return BufferId(buffers.size() - 1);
    }
};

/// By variable: whether the statements give it a value (Assign); all others have theirs from a loop or the call.
std::vector<bool> assigned_variables(const Kernel& kernel);

/// The status word that a kernel with Checks gets as its last argument; `site` is -1 while all is well.
struct KernelStatus {
    int64_t site = -1;
    int64_t position = INT64_MAX;
    int64_t value = 0;
};

// Kernel ABI: `void name(void* const* buffers, const int64_t* scalars, KernelStatus* status)`; a scalar of type F64 is its
// bits. The kernel runs its own Parallel loops through the runtime's pool.

std::string print(const Kernel& kernel);
/// Inverse of print; throws CompileError at the place.
Kernel parse_kernel(const SourceFile& file, size_t& offset);
/// Accesses inside extents (where provable), variables defined before use, types agree, affine terms in scope.
void verify(const Kernel& kernel);
/// Executes a kernel: the meaning of the loop IR, slow and plain.
void interpret(const Kernel& kernel, void* const* buffers, const int64_t* scalars, KernelStatus* status);

}  // namespace sifr
