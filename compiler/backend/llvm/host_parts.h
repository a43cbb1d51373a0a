#pragma once

#include <vector>

#include <llvm/IR/Function.h>

#include "compiler/backend/llvm/module_emitter.h"
#include "ir/plan/plan.h"

namespace sifr::codegen {

/// Cuts the host code of a long plan into functions of a bounded size:
///
///     main: launch 0; launch 1; …; launch 9999     =>     main: call part.0(frame.0); …     part.0: launch 0; …; launch 99
///
/// LLVM's register allocation takes more than linear time in the size of a function. A part is a run of whole steps of one block.
/// Steps hand scalars on through slots on the stack of main: those that several parts touch become members of one frame, which every
/// part gets; a slot that no other part touches moves into it.
class HostParts {
public:
    HostParts(ModuleEmitter& module, const Plan& plan);
    /// Between two steps of a block. `run` belongs to the block and starts as {}.
    struct Run {
        llvm::BasicBlock* first = nullptr;
        size_t steps = 0;
    };
    void before_step(Run& run, const PlanInst& next, llvm::IRBuilder<>& b);
    void end_of_block(Run& run, llvm::IRBuilder<>& b);
    /// Makes the functions, once all of `main` is written.
    void cut(llvm::Function& main);

private:
    struct Part {
        llvm::BasicBlock* first;
        llvm::BasicBlock* behind;
    };
    void close(Run& run, llvm::IRBuilder<>& b);
    size_t steps_of(const PlanInst& inst) const;

    ModuleEmitter& m_;
    bool wanted_ = false;
    std::vector<Part> parts_;  ///< inner ones before those around them
};

}  // namespace sifr::codegen
