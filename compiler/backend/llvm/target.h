#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/backend/llvm/machine.h"

namespace sifr::codegen {

/// LLVM's target machine: position independent code, no fusing of operations that the IR rounds separately.
std::unique_ptr<llvm::TargetMachine> target_machine_for(const Machine& machine);
/// Sets triple and layout. Before code is written into the module.
void set_target(llvm::Module& module, llvm::TargetMachine& target);
/// A short list of cheap passes: kernels are written in vector form already.
void optimise(llvm::Module& module, llvm::TargetMachine& target);
enum class CodeFile { Object, Assembly };
std::vector<std::byte> emit_code(llvm::Module& module, llvm::TargetMachine& target, CodeFile what);
/// Object code of the module, as several objects that are to be linked together: of a large one, halves that two threads have made.
std::vector<std::vector<std::byte>> emit_objects(llvm::Module& module, llvm::TargetMachine& target, const Machine& machine);
/// Text of the module; throws InternalError when LLVM's verifier finds a fault in it.
std::string text_of(llvm::Module& module);
void verify_module(llvm::Module& module);

}  // namespace sifr::codegen
