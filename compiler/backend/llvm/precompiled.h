// LLVM's headers that most files of its back end include.
#pragma once

#include "cmake/precompiled/ir.h"
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include "compiler/backend/llvm/kernel_emitter.h"
