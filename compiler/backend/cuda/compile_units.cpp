// From kernels to machine code: kernels are printed, put together in units of a few, and each unit compiled for each architecture.

#include "compiler/backend/cuda/compile_units.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "compiler/backend/code_cache.h"
#include "compiler/backend/cuda/device_text.h"
#include "compiler/backend/thin_contract.h"
#include "ir/base/diagnostic.h"

namespace sifr::cuda {

namespace {

/// Kernels of a unit: few enough that units compile side by side, enough that a unit is worth the compiler's start.
constexpr size_t kernels_per_unit = 8;

/// One of each generation whose code all its members run. What NVRTC does not know is left out.
constexpr int default_architectures[] = {80, 90, 100, 120};

[[noreturn]] void not_known(const std::string& asked, const Nvrtc& nvrtc) {
    Diagnostic d;
    d.code = "gpu-arch";
    d.text = fmt::format("--gpu-arch={} is not known to NVRTC {}, which compiles for sm_{}", asked, nvrtc.version_text(), fmt::join(nvrtc.architectures(), ", sm_"));
    throw CompileError(d, 3);
}

std::vector<int> architectures(const BackendOptions& options, const Nvrtc& nvrtc) {
    const auto& known = nvrtc.architectures();
    std::vector<int> chosen;
    for (const std::string& asked : options.gpu_archs) {
        const std::string digits = asked.starts_with("sm_") ? asked.substr(3) : asked;
        const bool number = !digits.empty() && digits.size() < 5 && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
        const int arch = number ? std::stoi(digits) : 0;
        if (std::find(known.begin(), known.end(), arch) == known.end()) not_known(asked, nvrtc);
        chosen.push_back(arch);
    }
    if (chosen.empty())
        for (int arch : default_architectures)
            if (std::find(known.begin(), known.end(), arch) != known.end()) chosen.push_back(arch);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

int64_t spilled(const std::vector<Resources>& all) {
    int64_t bytes = 0;
    for (const Resources& r : all) bytes += r.spill_bytes;
    return bytes;
}

/// The compiler aims at as many threads at a time as a multiprocessor takes, and rather spills a register or two. A text whose kernels spill comes back
/// with the word that one block at a time is enough for those; then their threads get the registers that they need.
std::string with_room(std::string text, const std::vector<Resources>& all) {
    for (const Resources& r : all) {
        if (r.spill_bytes == 0) continue;
        const size_t close = text.find(") " + r.symbol + "(");
        if (close == std::string::npos) continue;
        const size_t open = text.rfind('(', close);
        if (text.find(',', open) > close) text.insert(close, ", 1");
    }
    return text;
}

}  // namespace

DeviceProgram print_program(const Plan& plan, const BackendOptions& options) {
    if (options.fast_math) throw NotSupported("--fast-math");
    DeviceProgram program;
    for (const Kernel& k : plan.kernels) {
        program.kernels.push_back(print_kernel(has_thin_contraction(k) ? expand_thin_contractions(k, true) : k, options.script_path, options.gpu_atomics));
        program.kernels.back().unit = static_cast<int>((program.kernels.size() - 1) / kernels_per_unit);
    }
    program.units = plan.kernels.empty() ? 0 : program.kernels.back().unit + 1;
    return program;
}

std::string unit_text(const DeviceProgram& program, int unit) {
    std::vector<const DeviceKernel*> kernels;
    for (const DeviceKernel& k : program.kernels)
        if (k.unit == unit) kernels.push_back(&k);
    return device_unit(kernels);
}

std::vector<UnitReport> compile_units(DeviceProgram& program, const BackendOptions& options) {
    const Nvrtc& nvrtc = Nvrtc::get();
    program.driver_version = std::max(12000, nvrtc.version() / 1000 * 1000);
    if (program.kernels.empty()) return {};
    const std::vector<int> archs = architectures(options, nvrtc);
    std::vector<UnitReport> reports;
    for (int unit = 0; unit < program.units; ++unit) {
        for (int arch : archs) reports.push_back({.unit = unit, .arch = arch, .ptx = false, .cached = false, .seconds = 0, .resources = {}, .warnings = {}});
        reports.push_back({.unit = unit, .arch = archs.back(), .ptx = true, .cached = false, .seconds = 0, .resources = {}, .warnings = {}});
    }
    program.images.resize(reports.size());
    std::vector<std::string> texts;
    for (int unit = 0; unit < program.units; ++unit) texts.push_back(unit_text(program, unit));

    const CodeCache cache;
    std::atomic<size_t> next = 0;
    std::exception_ptr failure;
    std::mutex failing;
    auto work = [&] {
        for (size_t i = next++; i < reports.size(); i = next++) try {
                UnitReport& r = reports[i];
                const auto start = std::chrono::steady_clock::now();
                // Contraction off, and all that IEEE rounds is rounded: the bits are the CPU's.
                std::vector<std::string> flags{fmt::format("--gpu-architecture={}_{}", r.ptx ? "compute" : "sm", r.arch), "--fmad=false", "--prec-div=true", "--prec-sqrt=true",
                                               "--ftz=false", "--std=c++17",
                                               "--diag-suppress=177"};  // an index that the statement behind it does not need
                if (!r.ptx) flags.push_back("-Xptxas=-v");
                if (options.debug_lines) flags.push_back("--generate-line-info");
                const std::string& text = texts[static_cast<size_t>(r.unit)];
                const std::string key = fmt::format("NVRTC {} {}\n{}", nvrtc.version_text(), fmt::join(flags, " "), text);
                std::optional<Compiled> c = cache.find(key);
                r.cached = c.has_value();
                if (!c) {
                    c = nvrtc.compile(text, flags, r.ptx);
                    if (const auto resources = resources_of(c->log); spilled(resources) > 0) {
                        Compiled roomier = nvrtc.compile(with_room(text, resources), flags, r.ptx);
                        if (spilled(resources_of(roomier.log)) < spilled(resources)) c = std::move(roomier);
                    }
                    cache.put(key, *c);
                }
                r.resources = resources_of(c->log);
                r.warnings = warnings_of(c->log);
                r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                program.images[i] = {r.unit, r.arch, r.ptx, std::move(c->bytes)};
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
                next = reports.size();
            }
    };
    std::vector<std::thread> pool;
    const size_t threads = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), reports.size());
    for (size_t t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    for (std::thread& t : pool) t.join();
    if (failure) std::rethrow_exception(failure);
    return reports;
}

}  // namespace sifr::cuda
