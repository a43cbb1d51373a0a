#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/base/diagnostic.h"
#include "ir/plan/plan.h"
#include "runtime/sifr_runtime.h"

namespace sifr {

/// What the back ends are asked to make.
struct BackendOptions {
    std::string target_cpu = "native";  ///< `native`, `x86-64-v3`, `x86-64-v4`, or LLVM's name
    bool debug_lines = false;           ///< `-g`: DWARF lines of the script
    bool fast_math = false;
    std::string script_path = "<script>";  ///< for messages of raises and warnings
    std::vector<std::string> files;        ///< by Span::file, where more than the script is to be named
    std::vector<std::string> gpu_archs;    ///< CUDA: `sm_90`, …; empty: one of each generation from sm_80 up
    bool gpu_atomics = false;              ///< CUDA: floats at repeated indices are added in any order
    std::vector<Diagnostic>* remarks = nullptr;  ///< what the back end has to say of the program is added to it
    std::string* report = nullptr;         ///< `--stats`: what the back end has to say of kernels is added to it
    /// The plan is a function that a host calls, not a program: code gets `sifr_entry` of runtime/sifr_runtime.h.
    bool as_function = false;
    /// Where `load` keeps machine code from one process to the next; empty: nowhere. (Kernels for a GPU have a folder of their own: SIFR_CACHE_DIR.)
    std::string cache_folder;
};

enum class Emit { Executable, Object, LlvmIr, Assembly, StaticLibrary, SharedLibrary, Header, CudaSource, Ptx, Cubin };

/// A compiled plan in this process.
class LoadedProgram {
public:
    virtual ~LoadedProgram() = default;
    /// Runs main with the script's arguments (argv[0] is the script); returns its exit code.
    virtual int run(std::span<const std::string> argv) = 0;
    /// Runs one kernel by name, for tests.
    virtual void launch(const std::string& kernel, void* const* buffers, const int64_t* scalars, KernelStatus* status) = 0;
    /// Of a plan that was loaded as a function: what sifr_context_call takes. Lives as long as this object.
    virtual const sifr_function& function() { throw NotSupported("a function in memory from this back end"); }
    /// Of a function whose kernels run on a device: the sifr_cuda_program that a session is made of; null on the CPU.
    virtual const void* device_program() { return nullptr; }
};

/// What a back end is: it takes a plan, the last form of a program, and makes of it something that runs. A plan has two sides.
///
/// *Kernels* are loop IR: loops, loads, stores and scalar expressions over buffers, with an order for every reduction. A back end chooses how
/// loops run (vectors, threads, blocks), but not what comes out: its results equal those of ir/loop's interpreter to the bit. It may split a kernel, but
/// never drops, merges or reorders what can be seen.
///
/// The *host part* is everything else: scalars with Python's meaning, texts, control flow, launches, fills, copies, calls of the
/// runtime. It is the same for all back ends and compiled by the one for the CPU; where tensors live and how a kernel is started is a
/// small interface of it (llvm/host_memory.h), with one implementer for the CPU's own memory and one for a device's.
///
/// Adding one: a folder with an implementer of this class, a row in `backends()`, its name in the tests' table of modes.
class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual const char* name() const = 0;
    /// Why it cannot be used here (a missing library, CPU or driver); empty when it can.
    [[nodiscard]] virtual std::string unavailable() const = 0;
    /// The text or bytes of one artifact. Executables are linked by lld in process.
    virtual std::vector<std::byte> compile(const Plan& plan, Emit what, const BackendOptions& options) = 0;
    virtual std::unique_ptr<LoadedProgram> load(const Plan& plan, const BackendOptions& options) = 0;
};
std::span<Backend* const> backends();
Backend& backend_named(const std::string& name);

}  // namespace sifr
