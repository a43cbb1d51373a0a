#include "compiler/compile.h"

#include <chrono>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/syntax/parser.h"

namespace sifr {

void compile(Compilation& out, std::string path, std::string text, const CompileOptions& options) {
    auto sink = [&](const Diagnostic& d) { out.diagnostics.push_back(d); };
    auto timed = [&](const char* name, auto&& step) {
        auto start = std::chrono::steady_clock::now();
        step();
        out.timings.push_back({name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), true});
    };

    uint32_t script = out.files.add(std::move(path), std::move(text));
    std::unique_ptr<syntax::Module> module;
    timed("parse", [&] { module = syntax::parse_module(out.files.file(script), script); });
    timed("capture", [&] {
        capture::CaptureOptions how = options.capture;
        how.bindings.push_back(capture::bind_torch);
        capture::CaptureResult captured = capture::capture(*module, out.files, how, sink);
        out.loops = std::move(captured.loops);
        out.program.emplace(std::move(captured.captured));
    });

    lower(out, options);
}

void lower(Compilation& out, const CompileOptions& options) {
    PassContext context;
    context.hazards = options.capture.hazards;
    context.report = [&](const Diagnostic& d) { out.diagnostics.push_back(d); };
    RunPassesOptions passes = options.passes;
    passes.timings = &out.timings;
    run_passes(*out.program, context, passes);
}

}  // namespace sifr
