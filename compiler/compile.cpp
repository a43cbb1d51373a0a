#include "compiler/compile.h"

#include <chrono>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/syntax/parser.h"
#include "compiler/prelude/prelude.h"

namespace sifr {
namespace {

/// The modules that are written in the language itself.
void bind_prelude(capture::Interpreter& in) {
    for (const PreludeFile& file : prelude_files()) in.add_prelude(file.module, file.path, file.text);
}

}  // namespace

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
        capture::CaptureOptions capture = options.capture;
        capture.bindings = {capture::bind_torch, bind_prelude};
        capture::CaptureResult captured = capture::capture(*module, out.files, capture, sink);
        out.loops = std::move(captured.loops);
        out.program.emplace(std::move(captured.captured));
    });

    PassContext context;
    context.hazards = static_cast<HazardMode>(options.capture.hazards);
    context.report = sink;
    RunPassesOptions passes = options.passes;
    passes.timings = &out.timings;
    run_passes(*out.program, context, passes);
}

}  // namespace sifr
