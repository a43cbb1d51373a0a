#pragma once

#include <span>
#include <string>

namespace llvm {
class FunctionType;
}

namespace sifr::codegen {

class ModuleEmitter;

/// A function of the runtime as generated code calls it.
struct RuntimeFunction {
    const char* name;
    /// The C signature, result first: `v` void, `p` pointer, `l` int64_t, `i` int32_t, `b` bool, `d` double, `s` sifr_str (passed
    /// and returned in two registers).
    const char* signature;
    void* address;  ///< in this process, for the JIT
    bool no_return = false;
};

/// All of them, sorted by name.
std::span<const RuntimeFunction> runtime_functions();
/// Null when the runtime has no such function.
const RuntimeFunction* runtime_function(const std::string& name);
llvm::FunctionType* signature_of(const RuntimeFunction& f, ModuleEmitter& m);

}  // namespace sifr::codegen
