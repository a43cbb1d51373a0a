#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/backend/llvm/machine.h"
#include "ir/base/source.h"
#include "ir/type/dtype.h"

namespace sifr::codegen {

/// The LLVM module that a plan becomes, and what all its functions share: types, declarations of the runtime, and small
/// helper functions that are made when first asked for.
class ModuleEmitter {
public:
    ModuleEmitter(llvm::LLVMContext& context, const std::string& name, Machine machine);

    llvm::LLVMContext& context;
    llvm::Module& module() { return *module_; }
    std::unique_ptr<llvm::Module> take() { return std::move(module_); }
    const Machine machine;

    /// What a value of this type is in a register: Bool is i1, F16 and BF16 are their bits (i16).
    llvm::Type* value_type(DType t);
    /// What it is in memory: Bool is a byte.
    llvm::Type* memory_type(DType t);
    llvm::Type* vector_of(llvm::Type* element, int lanes) { return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes)); }

    /// From here on functions carry the lines of the script (`-g`); `finish_debug` closes the tables.
    void start_debug(const std::string& script);
    void finish_debug();
    llvm::DebugLoc debug_location(const Location& location, llvm::DISubprogram* scope);

    /// A function of the runtime, declared with the signature of runtime_calls.cpp.
    llvm::FunctionCallee runtime(const std::string& name);
    /// A new function of the program itself, with the attributes that all have.
    llvm::Function* add_function(const std::string& name, llvm::FunctionType* type, bool internal);

    /// `<W x T> f(ptr, iW mask)` and `void f(<W x T>, ptr, iW mask)` for elements of one or two bytes, which AVX2 has no masked
    /// access for: a loop over the set bits.
    llvm::Function* lanes_load(llvm::Type* element, int lanes);
    llvm::Function* lanes_store(llvm::Type* element, int lanes);
    /// `void f(status, site, position, value)`: the first position in program order wins, whichever thread finds it.
    llvm::Function* note_offence();

    /// What kernel_math.cpp made so far, by name: a function, or null for one that is written out at each use.
    std::map<std::string, llvm::Function*> math_functions;

    /// A constant table of 64-bit words, or of their low halves.
    llvm::Constant* table(const uint64_t* words, int count, bool wide);
    /// Constant bytes in the module, aligned to 64.
    llvm::Constant* data(const std::vector<std::byte>& bytes, const char* name);
    /// A constant text in the module: a pointer to `text` and a zero behind it.
    llvm::Constant* text(const std::string& text);

    llvm::Type* i1() { return llvm::Type::getInt1Ty(context); }
    llvm::IntegerType* i8() { return llvm::Type::getInt8Ty(context); }
    llvm::IntegerType* i32() { return llvm::Type::getInt32Ty(context); }
    llvm::IntegerType* i64() { return llvm::Type::getInt64Ty(context); }
    llvm::Type* f32() { return llvm::Type::getFloatTy(context); }
    llvm::Type* f64() { return llvm::Type::getDoubleTy(context); }
    llvm::PointerType* ptr() { return llvm::PointerType::get(context, 0); }
    llvm::Type* void_type() { return llvm::Type::getVoidTy(context); }
    llvm::ConstantInt* constant(int64_t v) { return llvm::ConstantInt::getSigned(i64(), v); }

private:
    std::unique_ptr<llvm::Module> module_;
    std::unique_ptr<llvm::DIBuilder> debug_;  ///< null without `-g`
    llvm::DIFile* script_ = nullptr;
    std::map<std::string, llvm::Constant*> texts_;
    std::map<std::pair<const uint64_t*, bool>, llvm::Constant*> tables_;
};

}  // namespace sifr::codegen
