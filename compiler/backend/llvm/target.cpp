#include "compiler/backend/llvm/target.h"

#include <exception>
#include <mutex>
#include <thread>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/SplitModule.h>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "runtime/sifr_runtime.h"

namespace sifr::codegen {

namespace {

constexpr const char* triple_text = "x86_64-unknown-linux-gnu";

void initialise() {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
    });
}

[[noreturn]] void cpu_error(const std::string& text, const std::string& help) {
    Diagnostic d;
    d.text = text;
    d.code = "target-cpu";
    d.help = help;
    throw CompileError(d, 2);
}

struct Feature {
    const char* llvm;
    uint64_t bit;
};
constexpr Feature features[] = {
    {"sse4.2", SIFR_CPU_SSE42},       {"popcnt", SIFR_CPU_POPCNT},     {"avx", SIFR_CPU_AVX},           {"avx2", SIFR_CPU_AVX2},
    {"fma", SIFR_CPU_FMA},            {"f16c", SIFR_CPU_F16C},         {"bmi", SIFR_CPU_BMI1},          {"bmi2", SIFR_CPU_BMI2},
    {"lzcnt", SIFR_CPU_LZCNT},        {"movbe", SIFR_CPU_MOVBE},       {"avx512f", SIFR_CPU_AVX512F},   {"avx512bw", SIFR_CPU_AVX512BW},
    {"avx512dq", SIFR_CPU_AVX512DQ},  {"avx512vl", SIFR_CPU_AVX512VL}, {"avx512cd", SIFR_CPU_AVX512CD}, {"avx512vnni", SIFR_CPU_AVX512VNNI},
    {"avx512bf16", SIFR_CPU_AVX512BF16}, {"avx512fp16", SIFR_CPU_AVX512FP16}, {"avxvnni", SIFR_CPU_AVXVNNI},
};

/// Instructions stay in the order in which they are written here, which is one for the registers: a product's tile has nearly all of them
/// in use, and LLVM's scheduler, which hoists loads, would spill. It is an option of the whole process, and linking resets it.
void keep_order() {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    constexpr const char* name = "enable-misched";
    auto& options = llvm::cl::getRegisteredOptions();
    const auto option = options.find(name);
    if (option != options.end() && option->second->getNumOccurrences() == 0) option->second->addOccurrence(0, name, "false");
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> target_machine_for(const Machine& machine) {
    initialise();
    std::string error;
    const llvm::Triple triple(triple_text);
#if LLVM_VERSION_MAJOR >= 22
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
#else
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple_text, error);
#endif
    SIFR_CHECK(target, "LLVM: {}", error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.FunctionSections = true;
#if LLVM_VERSION_MAJOR >= 21
    const llvm::Triple& name = triple;
#else
    const char* name = triple_text;
#endif
    std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(name, machine.cpu, machine.features, options, llvm::Reloc::PIC_,
                                                                          llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
    SIFR_CHECK(made, "LLVM makes no code for {}", machine.cpu);
    return made;
}

Machine machine_for(const std::string& target_cpu) {
    initialise();
    Machine m;
    m.cpu = target_cpu;
    if (target_cpu == "native") {
        m.cpu = llvm::sys::getHostCPUName().str();
        // A virtual machine may hide features that the model's name promises.
        for (const auto& f : llvm::sys::getHostCPUFeatures()) m.features += (m.features.empty() ? "" : ",") + std::string(f.second ? "+" : "-") + f.first().str();
    }
    auto target = target_machine_for(m);
    if (!target->getMCSubtargetInfo()->isCPUStringValid(m.cpu)) cpu_error("LLVM knows no CPU '" + target_cpu + "'", "use native, x86-64-v3 or x86-64-v4");
    const llvm::MCSubtargetInfo& info = *target->getMCSubtargetInfo();
    for (const Feature& f : features)
        if (info.checkFeatures(std::string("+") + f.llvm)) m.required_features |= f.bit;
    const uint64_t least = SIFR_CPU_AVX2 | SIFR_CPU_FMA | SIFR_CPU_F16C | SIFR_CPU_BMI1 | SIFR_CPU_BMI2 | SIFR_CPU_LZCNT;
    if ((m.required_features & least) != least)
        cpu_error("CPU '" + m.cpu + "' lacks AVX2, FMA, F16C or BMI", "the lowest that sifr makes code for is x86-64-v3");
    m.avx512 = (m.required_features & SIFR_CPU_V4) == SIFR_CPU_V4;
    if (m.avx512) {
        m.l1_bytes = 48 << 10;
        m.l2_bytes = 1 << 20;
    }
    return m;
}

void set_target(llvm::Module& module, llvm::TargetMachine& target) {
#if LLVM_VERSION_MAJOR >= 21
    module.setTargetTriple(target.getTargetTriple());
#else
    module.setTargetTriple(triple_text);
#endif
    module.setDataLayout(target.createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    module.setPIELevel(llvm::PIELevel::Large);
}

void verify_module(llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    SIFR_CHECK(!llvm::verifyModule(module, &out), "{}", out.str());
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager cgscc;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&target);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(cgscc);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, cgscc, modules);

    llvm::ModulePassManager all;
    all.addPass(llvm::AlwaysInlinerPass());
    llvm::FunctionPassManager f;
    f.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    f.addPass(llvm::EarlyCSEPass(true));
    f.addPass(llvm::InstCombinePass());
    f.addPass(llvm::SimplifyCFGPass());
    llvm::LoopPassManager l;
    l.addPass(llvm::LICMPass(llvm::LICMOptions()));
    f.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(l), /*UseMemorySSA=*/true));
    f.addPass(llvm::EarlyCSEPass(true));
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(f)));
    all.run(module, modules);
}

std::vector<std::byte> emit_code(llvm::Module& module, llvm::TargetMachine& target, CodeFile what) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    const bool fails = target.addPassesToEmitFile(passes, out, nullptr,
                                                  what == CodeFile::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile);
    SIFR_CHECK(!fails, "LLVM cannot write this kind of file");
    keep_order();
    passes.run(module);
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return {data, data + bytes.size()};
}

std::vector<std::vector<std::byte>> emit_objects(llvm::Module& module, llvm::TargetMachine& target, const Machine& machine) {
    constexpr unsigned large = 3000;  // instructions from which a second thread saves more than the copy of a half costs
    if (module.getInstructionCount() < large) return {emit_code(module, target, CodeFile::Object)};
    // Code is made from one context by one thread: the halves travel as bitcode.
    std::vector<llvm::SmallVector<char, 0>> halves;
    llvm::SplitModule(module, 2, [&](std::unique_ptr<llvm::Module> half) {
        llvm::raw_svector_ostream out(halves.emplace_back());
        llvm::WriteBitcodeToFile(*half, out);
    });
    keep_order();
    std::vector<std::vector<std::byte>> objects(halves.size());
    auto make = [&](size_t i) {
        llvm::LLVMContext context;
        auto half = llvm::parseBitcodeFile(llvm::MemoryBufferRef(llvm::StringRef(halves[i].data(), halves[i].size()), "half"), context);
        SIFR_CHECK(half, "LLVM cannot read its own bitcode: {}", llvm::toString(half.takeError()));
        objects[i] = emit_code(**half, *target_machine_for(machine), CodeFile::Object);
    };
    std::exception_ptr failed;
    std::thread second([&] {
        try {
            for (size_t i = 1; i < halves.size(); ++i) make(i);
        } catch (...) { failed = std::current_exception(); }
    });
    try {
        make(0);
    } catch (...) {
        second.join();
        throw;
    }
    second.join();
    if (failed) std::rethrow_exception(failed);
    return objects;
}

std::string text_of(llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, nullptr);
    return out.str();
}

}  // namespace sifr::codegen
