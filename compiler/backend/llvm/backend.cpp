#include "compiler/backend/backend.h"

#include <map>

#include <llvm/Config/llvm-config.h>

#include "compiler/backend/code_cache.h"
#include "compiler/backend/llvm/host_emitter.h"
#include "compiler/backend/llvm/host_memory.h"
#include "compiler/backend/llvm/host_program.h"
#include "compiler/backend/llvm/jit.h"
#include "compiler/backend/llvm/kernel_emitter.h"
#include "compiler/backend/llvm/link.h"
#include "compiler/backend/llvm/target.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "runtime/sifr_cuda.h"

namespace sifr {

namespace codegen {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

/// The module of a plan, optimised. With a device, its kernels run there, and the module has the host part alone.
struct Unit {
    Unit(const Plan& plan, const DeviceProgram* device, const BackendOptions& options, bool executable)
        : machine(machine_for(options.target_cpu)), target(target_machine_for(machine)), emitter(context, plan.name, machine) {
        if (options.fast_math) throw NotSupported("--fast-math");
        set_target(emitter.module(), *target);
        if (options.debug_lines) emitter.start_debug(options.script_path);
        std::vector<llvm::Function*> kernels;
        if (!device) kernels = emit_kernels(emitter, plan.kernels);
        HostEmitter host(emitter, plan, options);
        host.emit(device ? device_memory(host, *device) : cpu_memory(host, kernels), executable);
        // A program calls its kernels itself; a host may ask for one by its name.
        if (executable)
            for (llvm::Function* f : kernels) f->setLinkage(llvm::GlobalValue::InternalLinkage);
        emitter.finish_debug();
        verify_module(emitter.module());
    }
    void optimise() { codegen::optimise(emitter.module(), *target); }
    std::vector<std::byte> code(CodeFile kind) { return emit_code(emitter.module(), *target, kind); }
    /// The object, from the cache if it is there: the key is the module before any pass of LLVM, the CPU, and who compiles.
    std::vector<std::byte> object(const std::string& cache_folder) {
        std::string key;
        const CodeCache cache(cache_folder);
        if (!cache_folder.empty()) {
            key = fmt::format("sifr {} LLVM {} {} {}\n{}", SIFR_VERSION, LLVM_VERSION_STRING, machine.cpu, machine.features, text_of(emitter.module()));
            if (std::optional<CompiledCode> found = cache.find(key)) return std::move(found->bytes);
        }
        optimise();
        std::vector<std::byte> made = code(CodeFile::Object);
        if (!cache_folder.empty()) cache.put(key, {made, ""});
        return made;
    }

    llvm::LLVMContext context;
    Machine machine;
    std::unique_ptr<llvm::TargetMachine> target;
    ModuleEmitter emitter;
};

std::vector<std::byte> compile_unit(const Plan& plan, const DeviceProgram* device, Emit what, const BackendOptions& options) {
    Unit unit(plan, device, options, what != Emit::StaticLibrary && what != Emit::SharedLibrary);
    unit.optimise();
    switch (what) {
        case Emit::LlvmIr: return bytes_of(text_of(unit.emitter.module()));
        case Emit::Assembly: return unit.code(CodeFile::Assembly);
        case Emit::Object: return unit.code(CodeFile::Object);
        case Emit::Executable: return link_executable(emit_objects(unit.emitter.module(), *unit.target, unit.machine));
        case Emit::StaticLibrary: case Emit::SharedLibrary: case Emit::Header: break;
        case Emit::CudaSource: case Emit::Ptx: case Emit::Cubin: break;
    }
    throw NotSupported("this kind of output from the LLVM back end");
}

BackendOptions with_lines_for_tools(BackendOptions options) {
    options.debug_lines = options.debug_lines || shown_to_tools();
    return options;
}

class LlvmBackend : public Backend {
public:
    [[nodiscard]] const char* name() const override { return "llvm"; }
    [[nodiscard]] std::string unavailable() const override { return {}; }
    std::vector<std::byte> compile(const Plan& plan, Emit what, const BackendOptions& options) override { return compile_unit(plan, nullptr, what, options); }
    std::unique_ptr<LoadedProgram> load(const Plan& plan, const BackendOptions& options) override {
        Unit unit(plan, nullptr, with_lines_for_tools(options), false);
        const sifr_function function{sizeof(sifr_function), SIFR_RUNTIME_ABI, unit.machine.required_features, plan.arena_bytes, nullptr};
        return load_object(unit.object(options.cache_folder), plan.name, function);
    }
};

/// A program whose kernels run on a device, in this process.
class LoadedHost : public LoadedProgram {
public:
    LoadedHost(const Plan& plan, std::unique_ptr<JittedProgram> program) : program_(std::move(program)) {
        for (size_t i = 0; i < plan.kernels.size(); ++i) {
            Entry& e = kernels_[plan.kernels[i].name];
            e.index = static_cast<int32_t>(i);
            for (const Buffer& b : plan.kernels[i].buffers)
                if (!b.scratch) e.bytes.push_back(b.extent * size_of(b.type));
        }
    }
    ~LoadedHost() override {
        if (started_) sifr_cuda_end();
    }
    LoadedHost(const LoadedHost&) = delete;
    LoadedHost& operator=(const LoadedHost&) = delete;

    int run(std::span<const std::string> argv) override { return program_->run(argv); }
    const sifr_function& function() override { return program_->function(); }
    const void* device_program() override { return program_->address(device_table_symbol); }
    void launch(const std::string& kernel, void* const* buffers, const int64_t* scalars, KernelStatus* status) override {
        if (!started_) sifr_cuda_start(static_cast<const sifr_cuda_program*>(program_->address(device_table_symbol)));
        started_ = true;
        const Entry& e = kernels_.at(kernel);
        sifr_cuda_launch_host(e.index, buffers, e.bytes.data(), scalars, reinterpret_cast<int64_t*>(status));
    }

private:
    struct Entry {
        int32_t index = 0;
        std::vector<int64_t> bytes;
    };
    std::unique_ptr<JittedProgram> program_;
    std::map<std::string, Entry> kernels_;
    bool started_ = false;
};

}  // namespace
}  // namespace codegen

Backend& llvm_backend() {
    static codegen::LlvmBackend backend;
    return backend;
}

std::vector<std::byte> compile_host(const Plan& plan, const DeviceProgram& device, Emit what, const BackendOptions& options) {
    return codegen::compile_unit(plan, &device, what, options);
}

std::unique_ptr<LoadedProgram> load_host(const Plan& plan, const DeviceProgram& device, const BackendOptions& options) {
    codegen::Unit unit(plan, &device, options, false);
    return std::make_unique<codegen::LoadedHost>(plan, codegen::load_object(unit.object(options.cache_folder), plan.name, {sizeof(sifr_function), SIFR_RUNTIME_ABI, unit.machine.required_features, 0, nullptr}));
}

}  // namespace sifr
