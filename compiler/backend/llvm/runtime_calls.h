#pragma once

#include <span>
#include <string>

namespace llvm {
class FunctionType;
}

namespace sifr::codegen {

class ModuleEmitter;

/// A function of the runtime as generated code calls it, and as a row of the plan fills its parameters.
struct RuntimeFunction {
    const char* name;
    /// Result, then parameters: `s(sl)`.
    ///   v void   p pointer   l int64_t   i int32_t   b bool   d double   s sifr_str (in two registers)   e sifr_status: raises unless 0
    /// A parameter takes the next scalar operand (`s1`: operand 1; `l=-1`: the constant; `b{name}`: the attribute; `s{}`: an empty
    /// text). These take something else:
    ///   T, R the next tensor operand, result   G the generator   N strides of the attribute `order`, or null   F, W file and line
    ///   c{name} an attribute as C string   V a scalar operand in memory   A the texts that are left, and their number
    ///   O room for the next scalar result   D, E the memory of the next tensor operand, result   K the next result, seen with one
    ///   element along the axis `dim`, kept or not
    /// A name in braces that begins with a dot is a fact of the first tensor operand (`l{.rows}`): dtype, bytes, dim (the axis of
    /// `dim`),
    /// and of its matrices batch, batched, rows, columns; `.other`: the columns of the second operand's; `.upper`: of attribute UPLO.
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
