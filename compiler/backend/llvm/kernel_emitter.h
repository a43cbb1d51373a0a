#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/backend/llvm/module_emitter.h"
#include "ir/loop/loop_ir.h"

namespace sifr::codegen {

/// Writes one kernel of the loop IR as LLVM functions: `void name(ptr buffers, ptr scalars, ptr status)`, and one more for the
/// body of each loop that runs on several threads.
///
/// Code is written in a *lane context*: outside of vector loops everything is scalar (`width_` 1); inside, an expression that
/// depends on the vectorised variable becomes a vector of `width_` elements, one per iteration, and any other stays scalar
/// until it meets a vector. `mask_` says which lanes take part; null is all of them.
class KernelEmitter {
public:
    KernelEmitter(ModuleEmitter& module, const Kernel& kernel);
    llvm::Function* emit();

private:
    friend class ContractEmitter;
    using Value = llvm::Value;

    /// What a variable is at this point of the code.
    struct Binding {
        enum class Kind : uint8_t {
            None,
            Plain,  ///< `value`: scalar, or a vector of width_ lanes
            Lanes,  ///< `value` is that of the first lane; the next are one apart (the variable of the vectorised loop)
            Slot,   ///< `value` points at it (a variable that some Assign changes); `lanes` of them
        };
        Kind kind = Kind::None;
        Value* value = nullptr;
        int lanes = 1;
    };
    struct Mask {
        Value* bits = nullptr;  ///< <width_ x i1>; null: all
        int prefix = -1;        ///< when it is known to be the first so many lanes
    };
    /// An element index: `base`, plus `lane_stride` per lane, plus `lanes` (a vector, or null).
    struct Address {
        Value* base = nullptr;
        int64_t lane_stride = 0;
        Value* lanes = nullptr;
        [[nodiscard]] bool uniform() const { return lane_stride == 0 && !lanes; }
    };

    // kernel_emitter.cpp
    void begin_function(llvm::Function* f);
    void finish_function();
    void load_parameters(Value* buffers, Value* scalars, Value* status);
    void emit_block(const Block& block);
    void emit_stmt(const Stmt& stmt);
    void emit_if(const If& s);
    void emit_check(const Check& s);
    void emit_assign(const Assign& s);
    void bind(VarId var, Value* value);
    Value* at_entry(const std::function<Value*()>& make);
    Value* slot(llvm::Type* type, const char* name, uint64_t count = 1);  ///< on the stack, aligned to 64
    /// Private memory of the function that is being written, aligned to 64; large ones come from the thread's scratch stack.
    Value* scratch_bytes(int64_t bytes, const char* name);
    void push_scope();
    void pop_scope();
    [[nodiscard]] llvm::BasicBlock* block(const char* name);
    void enter(llvm::BasicBlock* b) { b_.SetInsertPoint(b); }
    /// `body` where `condition` (i1) holds; a constant one needs no branch.
    void when(Value* condition, const std::function<void()>& body);
    /// for i = lo; i < hi; i += step, at least once if `nonempty`. Serial, in the current context.
    void counted_loop(Value* lo, Value* hi, int64_t step, bool nonempty, const char* name, const std::function<void(Value*)>& body);
    /// Runs `body` for each active lane in order; `lane` is i32.
    void for_each_lane(const std::function<void(Value* lane)>& body);

    void set_location(const Location& location);

    // kernel_loops.cpp
    void emit_for(const For& s);
    void emit_serial(const For& s, Value* lo, Value* hi);
    void emit_vector(const For& s, Value* lo, Value* hi);
    void emit_piece(const For& s, Value* lo, Value* hi);
    void emit_parallel(const For& s);
    /// Deals [0, n) to threads: `body(begin, end)` is written into a function of its own, in which the variables in scope and
    /// `shared_values_` stand for the same values. `lo` is there as `lo_in_body_`.
    void parallel_range(Value* n, int64_t grain, const std::function<void(Value* begin, Value* end)>& body, Value* lo);
    /// The body once, with `var` at `first` and the lanes behind it.
    void emit_lanes(const For& s, int width, Value* first, Mask mask);
    [[nodiscard]] bool can_vectorise(const For& s) const;
    [[nodiscard]] int64_t widest_element(const Block& block) const;
    Value* lanes_below(int width, Value* first, Value* hi);

    // kernel_memory.cpp
    Value* affine(const Affine& a);  ///< of uniform variables
    Address address(const Affine& a);
    Value* element_pointer(BufferId buffer, Value* index);
    Value* emit_load(BufferId buffer, DType type, const Affine& index);
    Value* load_with_gaps(llvm::Type* vector, Value* first, int64_t stride, llvm::Align align);
    void emit_store(const Store& s);
    void emit_accumulate(const Accumulate& s);
    void store_value(BufferId buffer, const Address& at, Value* value);
    Value* from_memory(Value* v, DType t);
    Value* to_memory(Value* v, DType t);
    Value* lane_indices(const Address& at);  ///< <width_ x i64>
    Value* constant_mask(int width, int prefix);

    // kernel_exprs.cpp
    Value* emit(ExprId id);
    Value* emit_node(const Expr& e);
    Value* emit_var(VarId var);
    Value* emit_const(const Expr& e);
    Value* emit_compare(ScalarOp op, DType t, Value* a, Value* b);
    Value* emit_cast(Value* v, DType from, DType to);
    Value* emit_arithmetic(ScalarOp op, DType t, Value* a, Value* b);
    Value* emit_unary(ScalarOp op, DType t, Value* a);
    Value* emit_integer(ScalarOp op, DType t, Value* a, Value* b);
    Value* emit_float(ScalarOp op, DType t, Value* a, Value* b);
    Value* emit_extremum(bool max, DType t, Value* a, Value* b);
    Value* combine_values(Combine c, DType t, Value* older, Value* newer);
    Value* intrinsic(llvm::Intrinsic::ID id, std::initializer_list<Value*> args);
    Value* fma(Value* a, Value* b, Value* c);
    Value* splat_like(Value* scalar, Value* like);
    Value* splat(Value* v, int width) { return v->getType()->isVectorTy() ? v : b_.CreateVectorSplat(static_cast<unsigned>(width), v); }
    void match(Value*& a, Value*& b);
    Value* float_constant(llvm::Type* type, double v);  ///< splat when the type is a vector
    Value* int_constant(llvm::Type* type, int64_t v);
    bool is_cacheable(ExprId id);

    // kernel_math.cpp
    Value* emit_math(ScalarOp op, DType t, Value* a, Value* b);

    // kernel_reduce.cpp
    friend class ReduceEmitter;
    void emit_reduce(const Reduce& s);

    // contract.cpp
    void emit_contract(const Contract& s);

    ModuleEmitter& m_;
    const Kernel& k_;
    llvm::IRBuilder<> b_;

    // The LLVM function that is being written.
    llvm::Function* function_ = nullptr;
    llvm::BasicBlock* entry_ = nullptr;
    Value* buffers_ = nullptr;
    Value* scalars_ = nullptr;
    Value* status_ = nullptr;
    std::vector<Value*> buffer_pointers_;  ///< by BufferId
    std::vector<Binding> bindings_;        ///< by VarId
    bool outlined_ = false;                ///< inside of a Parallel loop: those within are serial
    std::vector<Value*> scratch_taken_;
    std::vector<Value*> shared_values_;  ///< more values that the bodies of parallel ranges need
    Value* lo_in_body_ = nullptr;

    int width_ = 1;
    Mask mask_;

    std::vector<bool> assigned_;    ///< by VarId: some Assign changes it
    std::vector<int8_t> cacheable_;  ///< by ExprId: -1 not known yet
    std::unordered_map<uint32_t, Value*> cache_;
    std::vector<std::vector<uint32_t>> scopes_;  ///< what each open scope added to the cache
};

/// So little work that a call would cost as much: such kernels are inlined into the host code.
bool is_tiny(const Kernel& kernel);

/// The kernels of a plan, each as a function; small ones become part of their callers.
std::vector<llvm::Function*> emit_kernels(ModuleEmitter& module, const std::vector<Kernel>& kernels);

}  // namespace sifr::codegen
