#include "compiler/backend/cuda/backend.h"

#include <algorithm>

#include "compiler/backend/cuda/compile_units.h"
#include "compiler/backend/cuda/device_text.h"
#include "compiler/backend/llvm/host_program.h"
#include "ir/base/diagnostic.h"

namespace sifr {

namespace cuda {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

/// A table of what each kernel takes, one line for each function and architecture; a spill is said aloud.
std::string report_text(const std::vector<UnitReport>& reports) {
    std::string text = fmt::format("{:<40} {:>6} {:>9} {:>7} {:>7} {:>7}\n", "kernel", "arch", "registers", "shared", "stack", "spilled");
    double seconds = 0;
    int cached = 0, spilling = 0;
    for (const UnitReport& r : reports) {
        seconds += r.seconds;
        cached += r.cached;
        for (const Resources& k : r.resources) {
            text += fmt::format("{:<40} {:>6} {:>9} {:>7} {:>7} {:>7}\n", k.symbol, fmt::format("sm_{}", r.arch), k.registers, k.shared_bytes, k.stack_bytes, k.spill_bytes);
            spilling += k.spill_bytes > 0;
        }
        text += r.warnings;
    }
    text += fmt::format("{} units of code in {:.2f} s, {} of them from the cache; {} spill\n", reports.size(), seconds, cached, spilling);
    return text;
}

/// A kernel that needs more registers than there are keeps some of its values in memory, which is slow.
void remark_spills(const Plan& plan, const DeviceProgram& program, const std::vector<UnitReport>& reports, std::vector<Diagnostic>& remarks) {
    for (size_t k = 0; k < program.kernels.size(); ++k)
        for (const UnitReport& r : reports)
            for (const Resources& found : r.resources) {
                const auto& parts = program.kernels[k].parts;
                if (found.spill_bytes == 0 || std::none_of(parts.begin(), parts.end(), [&](const DevicePart& p) { return p.symbol == found.symbol; })) continue;
                Diagnostic d;
                d.severity = Severity::Remark;
                d.code = "gpu-spill";
                if (const Location& at = plan.kernels[k].location; !at.empty()) d.span = at.front();
                d.text = fmt::format("the kernel '{}' has more values than registers on sm_{}: {} bytes of them go through memory", program.kernels[k].name, r.arch, found.spill_bytes);
                remarks.push_back(std::move(d));
            }
}

class CudaBackend : public Backend {
public:
    [[nodiscard]] const char* name() const override { return "cuda"; }
    [[nodiscard]] std::string unavailable() const override { return Nvrtc::missing(); }

    std::vector<std::byte> compile(const Plan& plan, Emit what, const BackendOptions& options) override {
        DeviceProgram program = print_program(plan, options);
        if (what == Emit::CudaSource) {
            std::vector<const DeviceKernel*> all;
            for (const DeviceKernel& k : program.kernels) all.push_back(&k);
            return bytes_of(device_unit(all));
        }
        if (what == Emit::Ptx || what == Emit::Cubin) {
            // One file: all kernels in one unit, for the newest architecture that was asked for.
            for (DeviceKernel& k : program.kernels) k.unit = 0;
            program.units = program.kernels.empty() ? 0 : 1;
            compile_units(program, options);
            for (size_t i = program.images.size(); i-- > 0;)
                if (program.images[i].ptx == (what == Emit::Ptx)) return program.images[i].bytes;
            return {};
        }
        const std::vector<UnitReport> reports = compile_units(program, options);
        if (options.remarks) remark_spills(plan, program, reports, *options.remarks);
        if (options.report) *options.report += report_text(reports);
        return compile_host(plan, program, what, options);
    }

    std::unique_ptr<LoadedProgram> load(const Plan& plan, const BackendOptions& options) override {
        DeviceProgram program = print_program(plan, options);
        compile_units(program, options);
        return load_host(plan, program, options);
    }
};

}  // namespace
}  // namespace cuda

Backend& cuda_backend() {
    static cuda::CudaBackend backend;
    return backend;
}

}  // namespace sifr
