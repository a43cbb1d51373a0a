#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "compiler/backend/backend.h"
#include "compiler/host/device_call.h"
#include "compiler/host/signature.h"
#include "compiler/host/written.h"

namespace sifr::host {

/// One function compiled for one signature. Immutable once it is ready, and kept as long as the callable: calls need no lock.
struct Compiled {
    std::vector<int64_t> key;
    SourceFiles files;
    std::optional<Captured> captured;  ///< for `ir`
    std::vector<Diagnostic> diagnostics;
    std::vector<Clear> ledger;
    std::vector<ResultShape> results;
    std::vector<bool> written;         ///< per piece of memory: by the whole function
    WrittenBefore written_before;      ///< by what comes before a raise; on the GPU nothing is known of that: what follows may have run
    std::unique_ptr<LoadedProgram> code;
    const sifr_function* function = nullptr;
    std::unique_ptr<DeviceCalls> device;  ///< where the kernels run on the GPU
    size_t number_results = 0;
    double seconds = 0;
    std::mutex compiling;
    std::atomic<bool> ready = false;
};

/// Compiles what was traced. `memories`: how many pieces of memory come in.
void compile(Compiled& out, Traced traced, size_t memories, const JitOptions& options, const std::string& path);

/// A text of the IR at a stage, made anew from the captured form.
std::string ir_text(const Compiled& c, std::string_view stage, const JitOptions& options, const std::string& path);
/// The code of its kernels for a device, as text.
std::string source_text(const Compiled& c, sifr::Device device, const JitOptions& options, const std::string& path);

/// The calling thread's context.
sifr_context* thread_context();

/// Says in remarks which arguments are copied because of where they begin.
void remark_misaligned(const CallMemory& memory, std::span<const TensorView* const> tensors, const std::vector<std::string>& names, std::vector<Diagnostic>& out);
/// What there is to say of compiled code, for the host; places are of the files in `c`.
std::vector<Remark> remarks_of(const Compiled& c);
std::vector<ClearRow> ledger_of(const Compiled& c);

/// What the pieces of memory that are written are called.
using WrittenNames = std::function<std::vector<std::string>(const std::vector<bool>& written)>;
/// Calls compiled code on memory whose pieces begin at `bases`. Results that are views of arguments lie in the caller's memory, `callers`.
void call(sifr_context* context, const Compiled& c, const std::vector<void*>& bases, const std::vector<void*>& callers, std::span<const detail::Result> numbers, std::vector<detail::Result>& results,
          const WrittenNames& names);
/// The same for the arguments of a call, behind memory of the callee's own (`in_front`); what is misaligned is copied there and back.
void call(const Compiled& c, sifr_context* context, const CallMemory& memory, std::span<const TensorView* const> tensors, const std::vector<void*>& in_front,
          std::span<const detail::Result> numbers, std::vector<detail::Result>& results, const WrittenNames& names);

}  // namespace sifr::host

namespace sifr::detail {

struct Callable::Impl {
    JitOptions options;
    Place where;
    std::string path;  ///< of the C++ file

    std::mutex lock;  ///< of `entries`
    std::map<std::vector<int64_t>, std::unique_ptr<host::Compiled>> entries;
    std::atomic<host::Compiled*> last = nullptr;  ///< the one that was called last, by any thread

    host::Compiled& entry(const std::vector<int64_t>& key);
};

}  // namespace sifr::detail
