// A compiled plan in the memory of this process.

#include "compiler/backend/llvm/jit.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/Debugging/DebuggerSupport.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include "compiler/backend/llvm/kernel_symbol.h"
#include "compiler/backend/llvm/runtime_calls.h"
#include "ir/base/check.h"

namespace sifr::codegen {

namespace {

template <class T>
T must(llvm::Expected<T> value) {
    if (!value) internal_error(__FILE__, __LINE__, "LLVM JIT", llvm::toString(value.takeError()));
    return std::move(*value);
}
void must(llvm::Error error) {
    if (error) internal_error(__FILE__, __LINE__, "LLVM JIT", llvm::toString(std::move(error)));
}

/// Lines `address size name` in the file that perf looks for.
class PerfMap : public llvm::orc::ObjectLinkingLayer::Plugin {
public:
    explicit PerfMap(std::string name) : name_(std::move(name)) {}
    void modifyPassConfig(llvm::orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&, llvm::jitlink::PassConfiguration& passes) override {
        passes.PostFixupPasses.emplace_back([this](llvm::jitlink::LinkGraph& graph) {
            static std::mutex one_at_a_time;
            const std::lock_guard lock(one_at_a_time);
            // What the process maps has gone with it: a file of an earlier one with this number is begun anew.
            static bool begun = false;
            const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
            if (std::FILE* f = std::fopen(path.c_str(), begun ? "a" : "w")) {
                begun = true;
                for (const llvm::jitlink::Symbol* s : graph.defined_symbols())
                    if (s->isCallable())
                        std::fprintf(f, "%llx %llx %s:%s\n", static_cast<unsigned long long>(s->getAddress().getValue()), static_cast<unsigned long long>(s->getSize()),
                                     name_.c_str(), s->hasName() ? std::string(*s->getName()).c_str() : "helper");
                std::fclose(f);
            }
            return llvm::Error::success();
        });
    }
    llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override { return llvm::Error::success(); }
    llvm::Error notifyRemovingResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey) override { return llvm::Error::success(); }
    void notifyTransferringResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey, llvm::orc::ResourceKey) override {}

private:
    std::string name_;
};

class Jitted : public JittedProgram {
public:
    Jitted(const std::vector<std::byte>& object, const std::string& name, const sifr_function& function) : function_(function) {
        llvm::orc::JITTargetMachineBuilder target(llvm::Triple("x86_64-unknown-linux-gnu"));
        llvm::orc::LLJITBuilder builder;
        builder.setJITTargetMachineBuilder(std::move(target));
        jit_ = must(builder.create());
        if (shown_to_tools()) {
            if (auto* layer = llvm::dyn_cast<llvm::orc::ObjectLinkingLayer>(&jit_->getObjLinkingLayer())) layer->addPlugin(std::make_shared<PerfMap>(name));
            // A debugger is a convenience: where it cannot be told, the code runs all the same.
            llvm::consumeError(llvm::orc::enableDebuggerSupport(*jit_));
        }
        llvm::orc::JITDylib& library = jit_->getMainJITDylib();
        llvm::orc::SymbolMap symbols;
        for (const RuntimeFunction& f : runtime_functions())
            symbols[jit_->mangleAndIntern(f.name)] = {llvm::orc::ExecutorAddr::fromPtr(f.address), llvm::JITSymbolFlags::Exported};
        must(library.define(llvm::orc::absoluteSymbols(std::move(symbols))));
        // libc and libm: memcpy, fmod.
        library.addGenerator(must(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit_->getDataLayout().getGlobalPrefix())));
        const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
        must(jit_->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(bytes, "program")));
    }

    int run(std::span<const std::string> argv) override {
        std::vector<char*> pointers;
        for (const std::string& a : argv) pointers.push_back(const_cast<char*>(a.c_str()));
        pointers.push_back(nullptr);
        auto* main = must(jit_->lookup("main")).toPtr<int (*)(int, char**)>();
        return main(static_cast<int>(argv.size()), pointers.data());
    }

    const sifr_function& function() override {
        if (!function_.entry) function_.entry = must(jit_->lookup(entry_symbol)).toPtr<sifr_entry*>();
        return function_;
    }

    void* address(const std::string& symbol) override { return must(jit_->lookup(symbol)).toPtr<void*>(); }

    void launch(const std::string& kernel, void* const* buffers, const int64_t* scalars, KernelStatus* status) override {
        auto [known, is_new] = kernels_.try_emplace(kernel, nullptr);
        if (is_new) known->second = must(jit_->lookup(kernel_symbol(kernel))).toPtr<KernelFunction*>();
        known->second(buffers, scalars, status);
    }

private:
    sifr_function function_;
    using KernelFunction = void(void* const*, const int64_t*, KernelStatus*);
    std::unique_ptr<llvm::orc::LLJIT> jit_;
    std::map<std::string, KernelFunction*> kernels_;  ///< those that were asked for
};

}  // namespace

std::unique_ptr<JittedProgram> load_object(const std::vector<std::byte>& object, const std::string& name, const sifr_function& function) {
    return std::make_unique<Jitted>(object, name, function);
}

bool shown_to_tools() {
    static const bool wanted = [] {
        const char* v = std::getenv("SIFR_PERF");
        return v && *v && std::string(v) != "0";
    }();
    return wanted;
}

}  // namespace sifr::codegen
