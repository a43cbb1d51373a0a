#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/backend/backend.h"
#include "compiler/backend/llvm/host_parts.h"
#include "compiler/backend/llvm/module_emitter.h"
#include "compiler/backend/llvm/runtime_calls.h"
#include "ir/plan/plan.h"

namespace sifr::codegen {

class HostMemory;

/// Writes a plan's host code as `int main(int argc, char** argv)`: the arena, launches of kernels, scalar code with Python's meaning,
/// control flow, calls of the runtime.
///
/// Every run-time scalar and every rotating buffer has a slot on the stack, which LLVM turns into values: i64 and f64 as they
/// are, bool as i1, a string as {ptr, i64}, a list as a pointer, an optional as {i1, members…}.
class HostEmitter {
public:
    HostEmitter(ModuleEmitter& module, const Plan& plan, const BackendOptions& options);
    ~HostEmitter();
    /// `memory`: where the tensors live. `executable`: also `_start`, which nothing but the dynamic loader calls.
    void emit(std::unique_ptr<HostMemory> memory, bool executable);

    using Value = llvm::Value;

    // What the tables of rows use (host_scalars.cpp, host_calls.cpp).
    ModuleEmitter& m_;
    llvm::IRBuilder<> b_;
    Value* scalar(PlanScalar s);
    const Type& type(PlanScalar s) const { return plan_.scalars.at(s.index).type; }
    void set(PlanScalar s, Value* value);
    Value* buffer(PlanBuffer b);
    /// A sifr_tensor on the stack over the whole of a buffer: an operand of a function of the runtime, or what it writes.
    Value* tensor(PlanBuffer b) { return tensor(b, false, buffer_sizes(b)); }
    Value* result_tensor(PlanBuffer b) { return tensor(b, true, buffer_sizes(b)); }
    /// The same under other sizes of as many elements.
    Value* result_tensor(PlanBuffer b, const Sizes& sizes) { return tensor(b, true, sizes); }
    /// The memory of one.
    Value* operand_memory(PlanBuffer b);
    Value* result_memory(PlanBuffer b);
    HostMemory& memory() { return *memory_; }
    /// Writes code that runs once, in the entry block.
    Value* at_start(const std::function<Value*()>& make);
    const std::string& script() const { return options_.script_path; }
    Value* call(const std::string& function, std::vector<Value*> args);  ///< a string argument is passed as its two parts
    /// Raises what a failing function of the runtime left, unless `status` is 0.
    void require(Value* status, const Location& location);
    /// Goes on only if `ok`; else `otherwise` writes code that ends in a raise.
    void require(Value* ok, const std::function<void()>& otherwise);
    void raise(const std::string& type, Value* text, const Location& location);
    void raise_pending(const Location& location);
    Value* text(const std::string& text);  ///< a constant string
    Value* make_str(Value* data, Value* size);
    Value* slot(llvm::Type* type, const char* name, uint64_t count = 1);
    Value* out_value(llvm::Type* type, Value* place) { return b_.CreateLoad(type, place); }
    llvm::Type* type_of(const Type& t);
    llvm::StructType* str_type();
    Value* file_pointer(const Location& location);
    Value* line_number(const Location& location);
    Value* generator(int64_t id);
    Value* as_f64(PlanScalar s);
    Value* as_i64(PlanScalar s);
    /// `text` with its replacement fields filled by `args` (of these types), as Python's format.
    Value* format(const std::string& text, const std::vector<std::pair<Type, Value*>>& args, const Location& location);
    const Plan& plan() const { return plan_; }
    llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(m_.context, name, main_); }
    Value* sizes_array(const std::vector<int64_t>& values);

private:
    void emit_block(const PlanBlock& block);
    void emit_inst(const PlanInst& inst);
    Value* tensor(PlanBuffer b, bool written, const Sizes& sizes);
    [[nodiscard]] const Sizes& buffer_sizes(PlanBuffer b) const { return plan_.buffers.at(b.index).sizes; }
    [[nodiscard]] int64_t buffer_bytes(PlanBuffer b) const;
    void emit_fill(const PlanInst& inst);
    void emit_item(const PlanInst& inst);
    void emit_for(const PlanInst& inst);
    void emit_while(const PlanInst& inst);
    void emit_if(const PlanInst& inst);
    void emit_raise(const PlanInst& inst);
    void assign_scalars(const std::vector<PlanScalar>& to, const std::vector<PlanScalar>& from);
    void assign_buffers(const std::vector<PlanBuffer>& to, const std::vector<PlanBuffer>& from);
    /// Texts that the body makes are released at its end, but for those that it hands on.
    void body_with_strings(const PlanBlock& body, const std::vector<PlanScalar>& params, const std::function<void()>& hand_on);
    void emit_start();
    void emit_entry();

    const Plan& plan_;
    const BackendOptions& options_;
    std::unique_ptr<HostMemory> memory_;
    llvm::Function* main_ = nullptr;
    llvm::BasicBlock* entry_ = nullptr;
    Value* arena_ = nullptr;
    Value* arguments_ = nullptr;  ///< of a function
    std::vector<Value*> scalars_;   ///< slots, by PlanScalar
    std::vector<Value*> rotating_;  ///< slots, by PlanBuffer
    std::map<int64_t, Value*> generators_;
    HostParts parts_;
};

/// Writes the instruction's row; false when no table knows it.
bool emit_scalar_row(HostEmitter& h, const PlanInst& inst);
bool emit_call_row(HostEmitter& h, const PlanInst& inst);

}  // namespace sifr::codegen
