#include "compiler/backend/backend.h"

#include <array>

#include "compiler/backend/llvm/host_emitter.h"
#include "compiler/backend/llvm/jit.h"
#include "compiler/backend/llvm/kernel_emitter.h"
#include "compiler/backend/llvm/link.h"
#include "compiler/backend/llvm/target.h"
#include "compiler/backend/thin_contract.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"

namespace sifr {

namespace codegen {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

class LlvmBackend : public Backend {
public:
    [[nodiscard]] const char* name() const override { return "llvm"; }
    [[nodiscard]] std::string unavailable() const override { return {}; }

    std::vector<std::byte> compile(const Plan& plan, Emit what, const BackendOptions& options) override {
        Unit unit(plan, options, what != Emit::StaticLibrary && what != Emit::SharedLibrary);
        switch (what) {
            case Emit::LlvmIr: return bytes_of(text_of(unit.emitter.module()));
            case Emit::Assembly: return emit_code(unit.emitter.module(), *unit.target, CodeFile::Assembly);
            case Emit::Object: return emit_code(unit.emitter.module(), *unit.target, CodeFile::Object);
            case Emit::Executable: return link_executable(emit_code(unit.emitter.module(), *unit.target, CodeFile::Object));
            case Emit::StaticLibrary: case Emit::SharedLibrary: break;
            case Emit::CudaSource: case Emit::Ptx: case Emit::Cubin: break;
        }
        throw NotSupported("this kind of output from the LLVM back end");
    }

    std::unique_ptr<LoadedProgram> load(const Plan& plan, const BackendOptions& options) override {
        Unit unit(plan, options, false);
        return load_object(emit_code(unit.emitter.module(), *unit.target, CodeFile::Object));
    }

private:
    /// The module of a plan, optimised.
    struct Unit {
        Unit(const Plan& plan, const BackendOptions& options, bool executable)
            : machine(machine_for(options.target_cpu)), target(target_machine_for(machine)), emitter(context, plan.name, machine) {
            if (options.fast_math) throw NotSupported("--fast-math");
            set_target(emitter.module(), *target);
            if (options.debug_lines) emitter.start_debug(options.script_path);
            std::vector<llvm::Function*> kernels;
            for (const Kernel& k : plan.kernels) {
                llvm::Function* f = has_thin_contraction(k) ? KernelEmitter(emitter, expand_thin_contractions(k)).emit() : KernelEmitter(emitter, k).emit();
                if (is_tiny(k)) f->addFnAttr(llvm::Attribute::AlwaysInline);
                kernels.push_back(f);
            }
            HostEmitter(emitter, plan, options).emit(kernels, executable);
            // A program calls its kernels itself; a host may ask for one by its name.
            if (executable)
                for (llvm::Function* f : kernels) f->setLinkage(llvm::GlobalValue::InternalLinkage);
            emitter.finish_debug();
            verify_module(emitter.module());
            optimise(emitter.module(), *target);
        }
        llvm::LLVMContext context;
        Machine machine;
        std::unique_ptr<llvm::TargetMachine> target;
        ModuleEmitter emitter;
    };
};

LlvmBackend llvm_backend;

}  // namespace
}  // namespace codegen

std::span<Backend* const> backends() {
    static const std::array<Backend*, 1> all{&codegen::llvm_backend};
    return all;
}

Backend& backend_named(const std::string& name) {
    for (Backend* b : backends())
        if (b->name() == name) return *b;
    SIFR_UNREACHABLE("no back end '{}'", name);
}

}  // namespace sifr
