#pragma once

#include <string>
#include <vector>

#include "ir/func/function.h"
#include "ir/loop/loop_ir.h"

namespace sifr {

// PLAN: what the host does. Memory has places, tensor values are gone. Scalar code is the same closed set as in Function.

struct PlanBufferTag { static constexpr const char* prefix = "#"; };
struct PlanScalarTag { static constexpr const char* prefix = "%"; };
using PlanBuffer = Id<PlanBufferTag>;  ///< a place in memory, or a rotating one
using PlanScalar = Id<PlanScalarTag>;  ///< a run-time number, string, list or optional

/// A place of the arena, of constant data, of an argument, or (inside a loop or behind an if) a pointer that the
/// control flow rotates: a carried buffer is handed on by permuting pointers and copies nothing.
struct BufferDef {
    enum class Kind : uint8_t { Arena, Constant, Argument, Rotating };
    Kind kind = Kind::Arena;
    std::string name;
    DType type = DType::F32;
    Sizes sizes;         ///< row-major contents; for messages, prints and dumps
    struct RunTimeAxis {
        int axis;
        PlanScalar size;
    };
    std::vector<RunTimeAxis> run_time_sizes;  ///< of these axes `sizes` hold the bound: the memory is row-major for that, the first places count
    int64_t bytes = 0;
    int64_t offset = 0;  ///< Arena: from its start, 64-byte aligned; Constant: index into Plan::constants; Argument: number
    int64_t first = 0, last = 0;  ///< Arena: live range in the order that lifetime.h defines, for the verifier
    PlanBuffer view_of;  ///< the same memory as that buffer, with these sizes: kind and offset say nothing, its pointer is the other's
};

struct ScalarDef {
    Type type;
    ScalarConstant constant;  ///< monostate unless it is known
    std::string name;
};

struct PlanInst;
struct PlanBlock {
    std::vector<PlanInst> insts;
};

/// One step. Which members count depends on `kind`.
struct PlanInst {
    enum class Kind : uint8_t {
        Launch,  ///< kernel(buffers…, scalars…); raises by its check sites
        Fill,    ///< bytes [begin, begin + size) become `pattern`: of buffers[0] if there is one buffer, else of the arena (`buffers`
                 ///< are then those that lie in the range)
        Copy,    ///< buffers[0] = buffers[1], `size` bytes
        Item,    ///< result = buffers[0] at element `begin`, as the Python number of the result's type
        Scalar,  ///< results = op scalars {attrs}: scalar rows, and `none some is_none unwrap sel`
        Call,    ///< results = runtime function of the row `op`: prints, strings, lists, random, library. `buffers`: the tensor
                 ///< operands in order, then the tensor results; `scalars`: the other operands in order (None is an empty optional)
        For,     ///< for results-less: see the members below
        While,
        If,
        Raise,   ///< exception of attribute `type` with attribute `text`, each `{}` in it being the next of `scalars`, at `location`
    };
    Kind kind;
    Op op;
    KernelId kernel;
    std::vector<PlanBuffer> buffers;
    std::vector<PlanScalar> scalars;
    std::vector<PlanScalar> results;
    Attrs attrs;
    int64_t begin = 0, size = 0;
    uint64_t pattern = 0;       ///< Fill: eight bytes, repeated
    bool lazy = false;          ///< Fill: fresh zero pages from the system serve; nothing is written
    std::vector<ClearId> clears;
    Location location;

    // For: scalars = {lo, hi, step, carried…}; While: scalars = {carried…}. Carried buffers start as `buffers`.
    // blocks: For {body}; While {condition, body}; If {then, else} with scalars = {condition}. `results` and `buffer_results` are
    // the carried ones behind a loop (as they came in when no iteration ran), the yielded ones behind an if. A `check` is an If
    // with an empty first block and a Raise in the second.
    std::vector<PlanBlock> blocks;
    PlanScalar induction;                                   ///< For
    std::vector<PlanScalar> params;                         ///< carried scalars inside
    std::vector<PlanBuffer> buffer_params;                  ///< carried (rotating) buffers inside
    std::vector<std::vector<PlanScalar>> yields;            ///< per block: scalars handed on (While condition: {condition})
    std::vector<std::vector<PlanBuffer>> buffer_yields;     ///< per block (While condition: none)
    std::vector<PlanBuffer> buffer_results;                 ///< behind the loop or if
};

/// Tensor results of the function itself are Argument buffers behind those of its parameters: the host gives the memory.
struct Plan {
    std::string name = "main";
    std::vector<Kernel> kernels;       ///< by KernelId; equal ones stand once
    std::vector<BufferDef> buffers;    ///< by PlanBuffer
    std::vector<ScalarDef> scalars;    ///< by PlanScalar
    std::vector<std::shared_ptr<const TensorData>> constants;
    int64_t arena_bytes = 0;
    PlanBlock body;
    std::vector<Clear> ledger;
    std::vector<PlanScalar> parameters;  ///< numbers that the host gives
    std::vector<PlanScalar> results;     ///< numbers that it gets
};

std::string print(const Plan& plan);
/// Inverse of print.
Plan parse_plan(const SourceFile& file);
/// Offsets inside the arena; no slot overwritten before the last read of what it holds; permutations well-formed.
void verify(const Plan& plan);

/// How to run a plan or function without generated code.
struct RunOptions {
    std::string script = "t.py";   ///< for messages, and sys.argv[0]
    std::vector<std::string> argv; ///< sys.argv[1:]
    std::vector<void*> arguments;  ///< Argument buffers: those of tensor parameters, then those of tensor results
    std::vector<int64_t> numbers;  ///< of the parameters that are none; an f64 as its bits
    std::vector<int64_t>* results = nullptr;  ///< gets the numbers that the function gives, in the same form
};
/// Runs the plan on one byte array with the plan's offsets; poisons a slot at its last use. Shares no code with the
/// evaluation of functions, with simplify, or with the back ends. Returns the exit code.
int interpret(const Plan& plan, const RunOptions& options);

}  // namespace sifr
