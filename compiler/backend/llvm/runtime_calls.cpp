#include "compiler/backend/llvm/runtime_calls.h"

#include <algorithm>
#include <cstring>

#include <llvm/IR/DerivedTypes.h>

#include "compiler/backend/llvm/module_emitter.h"
#include "ir/base/check.h"
#include "runtime/sifr_runtime.h"

namespace sifr::codegen {

namespace {

#define FUNCTION(name, signature) {#name, signature, reinterpret_cast<void*>(&name)}
#define NO_RETURN(name, signature) {#name, signature, reinterpret_cast<void*>(&name), true}
const RuntimeFunction table[] = {
    FUNCTION(sifr_parallel_for, "v(ppll)"),
    FUNCTION(sifr_scratch_give, "v(p)"),
    FUNCTION(sifr_scratch_take, "p(l)"),
};
#undef FUNCTION
#undef NO_RETURN

}  // namespace

std::span<const RuntimeFunction> runtime_functions() { return table; }

const RuntimeFunction* runtime_function(const std::string& name) {
    const auto* end = std::end(table);
    const auto* at = std::lower_bound(std::begin(table), end, name, [](const RuntimeFunction& f, const std::string& n) { return f.name < n; });
    return at != end && at->name == name ? at : nullptr;
}

llvm::FunctionType* signature_of(const RuntimeFunction& f, ModuleEmitter& m) {
    auto type_of = [&](char c) -> llvm::Type* {
        switch (c) {
            case 'v': return m.void_type();
            case 'p': return m.ptr();
            case 'l': return m.i64();
            case 'i': return m.i32();
            case 'b': return m.i1();
            case 'd': return m.f64();
            case 's': return llvm::StructType::get(m.context, {m.ptr(), m.i64()});
        }
        SIFR_UNREACHABLE("signature of {}", f.name);
    };
    std::vector<llvm::Type*> params;
    for (const char* p = f.signature + 2; *p != ')'; ++p) {
        if (*p == 's') {
            params.push_back(m.ptr());
            params.push_back(m.i64());
        } else {
            params.push_back(type_of(*p));
        }
    }
    return llvm::FunctionType::get(type_of(f.signature[0]), params, false);
}

}  // namespace sifr::codegen
