#include "compiler/backend/llvm/kernel_emitter.h"
#include "ir/base/diagnostic.h"

namespace sifr::codegen {

llvm::Value* KernelEmitter::emit_math(ScalarOp op, DType, Value*, Value*) {
    throw NotSupported(fmt::format("'{}' in compiled kernels", name_of(op)));
}


}  // namespace sifr::codegen
