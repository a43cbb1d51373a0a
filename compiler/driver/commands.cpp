#include "compiler/driver/commands.h"

#include <cstdlib>
#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/driver/files.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/report.h"
#include "ir/interp/interp.h"
#include "ir/text/text.h"

namespace sifr::driver {
namespace {

/// The stage at which the passes may stop for a command.
std::string last_stage(const Options& o) {
    switch (o.command) {
        case Command::Build: return "plan";
        case Command::Check: return "captured";
        case Command::Run: return o.at == "jit" || o.at == "exe" ? "plan" : o.at;
        case Command::Dump: return o.stage == "loops" || o.stage == "llvm" || o.stage == "asm" || o.stage == "cuda" ? "plan" : o.stage;
        case Command::Opt: return {};
    }
    return {};
}

CompileOptions compile_options(const Options& o) {
    CompileOptions c;
    c.capture.loops = o.loops;
    c.capture.hazards = o.hazards;
    c.capture.cuda = o.cuda;
    c.capture.script_path = o.input;
    c.capture.dump_bits = !o.dump_bits.empty();
    // A binary gets its arguments when it runs; what runs now has them already.
    if (o.command == Command::Run || o.bake_arguments || !o.arguments.empty()) c.capture.argv = o.arguments;
    c.passes.verify_each = o.verify_each;
    c.passes.print_after_all = o.print_after_all;
    c.passes.print_changed = o.print_changed;
    c.passes.print_before = o.print_before;
    c.passes.print_after = o.print_after;
    c.passes.only = o.passes;
    c.passes.stop_at = last_stage(o);
    c.passes.dump = [](const std::string& text) { write_file("", text + "\n"); };
    return c;
}

/// Compiles, and shows what there is to say. Gives the exit code of a script that is refused, or nothing.
std::optional<int> compile_and_report(Compilation& out, const Options& o) {
    std::optional<int> refused;
    std::string text = read_file(o.input);
    try {
        compile(out, o.input, std::move(text), compile_options(o));
    } catch (const CompileError& e) {
        for (const Diagnostic& d : out.diagnostics)
            if (d.severity != Severity::Remark) show(d, out.files, o);
        show(e.diagnostic, out.files, o);
        refused = e.exit_code;
    }
    if (!refused)
        for (const Diagnostic& d : out.diagnostics)
            if (d.severity != Severity::Remark) show(d, out.files, o);
    if (o.print_loops) write_file("", capture::loop_report_text(out.loops, out.files));
    if (o.time_passes) {
        std::string timing = timing_text(out.timings);
        std::fwrite(timing.data(), 1, timing.size(), stderr);
    }
    if (refused) return refused;
    if (const Plan* plan = std::get_if<Plan>(&*out.program); plan && o.stats) {
        std::string statistics = statistics_text(*plan, out.files);
        std::fwrite(statistics.data(), 1, statistics.size(), stderr);
    }
    if (!o.remarks.empty()) write_file(o.remarks, remarks_text(out));
    return {};
}

BackendOptions backend_options(const Options& o) {
    BackendOptions b = o.backend;
    b.script_path = o.input;
    return b;
}

/// What is asked of kernels for a GPU goes to its back end, whatever the device.
bool is_cuda(Emit what) { return what == Emit::CudaSource || what == Emit::Ptx || what == Emit::Cubin; }

Backend& backend(const Options& o) { return backend_named(o.cuda || is_cuda(o.emit) ? "cuda" : "llvm"); }

/// train.py -> train; with a suffix for what is not an executable.
std::string default_output(const Options& o) {
    std::filesystem::path p = std::filesystem::path(o.input).filename();
    std::string stem = p.stem().string();
    if (p.extension() != ".py") stem = p.string() + ".out";
    switch (o.emit) {
        case Emit::Object: return stem + ".o";
        case Emit::LlvmIr: return stem + ".ll";
        case Emit::Assembly: return stem + ".s";
        case Emit::CudaSource: return stem + ".cu";
        case Emit::Ptx: return stem + ".ptx";
        case Emit::Cubin: return stem + ".cubin";
        default: return stem;
    }
}

/// libmodel.a, libmodel.so, model.h, model.o: in the folder of -o where there is more than one, else -o itself.
std::string library_file(const Options& o, const std::string& name, Emit what) {
    if (o.emits.size() == 1 && !o.output.empty()) return o.output;
    const std::filesystem::path folder = o.output;
    switch (what) {
        case Emit::StaticLibrary: return folder / ("lib" + name + ".a");
        case Emit::SharedLibrary: return folder / ("lib" + name + ".so");
        case Emit::Header: return folder / (name + ".h");
        case Emit::LlvmIr: return folder / (name + ".ll");
        case Emit::Assembly: return folder / (name + ".s");
        default: return folder / (name + ".o");
    }
}

int build_library(const Options& o) {
    if (o.cuda) throw NotSupported("a library for a GPU", "build it for the CPU");
    LibraryMessages messages;
    std::optional<Library> library;
    const std::string text = read_file(o.input);
    const auto show_all = [&] {
        for (const Diagnostic& d : messages.diagnostics)
            if (d.severity != Severity::Remark) show(d, messages.files.front(), o);
    };
    try {
        library.emplace(make_library(o.input, text, o.library, messages));
    } catch (const CompileError& e) {
        if (!messages.files.empty()) show_all();
        const SourceFiles none;
        show(e.diagnostic, messages.files.empty() ? none : messages.files.back(), o);
        return e.exit_code;
    }
    show_all();
    for (Emit what : o.emits) {
        const std::string file = library_file(o, library->name, what);
        if (what == Emit::Header) write_file(file, library_header(*library));
        else write_file(file, compile_library(*library, what, backend_options(o)), what == Emit::SharedLibrary);
    }
    return 0;
}

int build(const Options& o) {
    if (!o.library.functions.empty()) return build_library(o);
    Compilation c;
    if (auto code = compile_and_report(c, o)) return *code;
    BackendOptions options = backend_options(o);
    std::string report;
    if (o.stats) options.report = &report;
    std::vector<Diagnostic> remarks;
    options.remarks = &remarks;
    std::vector<std::byte> bytes = backend(o).compile(std::get<Plan>(*c.program), o.emit, options);
    for (const Diagnostic& d : remarks) show(d, c.files, o);
    std::fwrite(report.data(), 1, report.size(), stderr);
    write_file(o.output.empty() ? default_output(o) : o.output, bytes, o.emit == Emit::Executable);
    return 0;
}

/// Runs a binary made for the occasion; the exit code is the program's.
int run_executable(const std::vector<std::byte>& bytes, const Options& o) {
    std::string path = (std::filesystem::temp_directory_path() / "sifr-XXXXXX").string();
    int fd = ::mkstemp(path.data());
    if (fd < 0) throw CompileError(diagnose(cannot_write, {}, path, "no temporary file"), 3);
    ::close(fd);
    write_file(path, bytes, true);
    pid_t child = ::fork();
    if (child == 0) {
        std::vector<char*> arguments{const_cast<char*>(o.input.c_str())};
        for (const std::string& a : o.arguments) arguments.push_back(const_cast<char*>(a.c_str()));
        arguments.push_back(nullptr);
        ::execv(path.c_str(), arguments.data());
        ::_exit(3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::unlink(path.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run(const Options& o) {
    if (!o.dump_bits.empty()) ::setenv("SIFR_DUMP_BITS", o.dump_bits.c_str(), 1);
    Compilation c;
    if (auto code = compile_and_report(c, o)) return *code;
    RunOptions options;
    options.script = o.input;
    options.argv = o.arguments;
    Program& program = *c.program;
    if (o.at == "captured") return interpret(std::get<Captured>(program), options);
    if (o.at == "functional") return interpret(std::get<Functional>(program), options);
    if (o.at == "fused") return interpret(std::get<Fused>(program), options);
    const Plan& plan = std::get<Plan>(program);
    if (o.at == "plan") return interpret(plan, options);
    if (o.at == "exe") return run_executable(backend(o).compile(plan, Emit::Executable, backend_options(o)), o);
    std::vector<std::string> argv{o.input};
    argv.insert(argv.end(), o.arguments.begin(), o.arguments.end());
    return backend(o).load(plan, backend_options(o))->run(argv);
}

int check(const Options& o) {
    Compilation c;
    if (auto code = compile_and_report(c, o)) return *code;
    return 0;
}

int dump(const Options& o) {
    Compilation c;
    if (auto code = compile_and_report(c, o)) return *code;
    // What `--print-changed` and its like have printed already is not printed again.
    if (o.print_after_all || o.print_changed || !o.print_before.empty() || !o.print_after.empty() || o.print_loops) return 0;
    std::string text;
    if (o.stage == "llvm" || o.stage == "asm" || o.stage == "cuda") {
        Backend& maker = o.stage == "cuda" ? backend_named("cuda") : backend(o);
        const Emit what = o.stage == "cuda" ? Emit::CudaSource : o.stage == "asm" ? Emit::Assembly : Emit::LlvmIr;
        std::vector<std::byte> bytes = maker.compile(std::get<Plan>(*c.program), what, backend_options(o));
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else if (o.stage == "loops") {
        for (const Kernel& k : std::get<Plan>(*c.program).kernels) text += print(k) + "\n";
    } else {
        text = print(*c.program);
    }
    write_file(o.output, text);
    return 0;
}

int opt(const Options& o) {
    Compilation c;
    uint32_t file = c.files.add(o.input == "-" ? "<stdin>" : o.input, read_file(o.input));
    try {
        c.program.emplace(parse_program(c.files.file(file)));
        CompileOptions options = compile_options(o);
        PassContext context;
        context.hazards = o.hazards;
        context.report = [&](const Diagnostic& d) { show(d, c.files, o); };
        options.passes.timings = &c.timings;
        if (!o.passes.empty()) run_passes(*c.program, context, options.passes);
        else verify(*c.program);
        if (o.time_passes) {
            std::string timing = timing_text(c.timings);
            std::fwrite(timing.data(), 1, timing.size(), stderr);
        }
    } catch (const CompileError& e) {
        show(e.diagnostic, c.files, o);
        return e.exit_code;
    }
    if (!o.run_after) {
        write_file(o.output, print(*c.program));
        return 0;
    }
    RunOptions options;
    options.script = o.input;
    return std::visit([&](const auto& p) { return interpret(p, options); }, *c.program);
}

}  // namespace

int execute(const Options& o) {
    switch (o.command) {
        case Command::Build: return build(o);
        case Command::Run: return run(o);
        case Command::Check: return check(o);
        case Command::Dump: return dump(o);
        case Command::Opt: return opt(o);
    }
    return 2;
}

}  // namespace sifr::driver
