#include <algorithm>
#include <cstdio>
#include <map>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "compiler/driver/options.h"

namespace sifr::driver {
namespace {

const std::map<std::string, Emit> emits = {{"exe", Emit::Executable}, {"obj", Emit::Object}, {"llvm-ir", Emit::LlvmIr}, {"asm", Emit::Assembly},
                                           {"static", Emit::StaticLibrary}, {"shared", Emit::SharedLibrary}, {"header", Emit::Header},
                                           {"cuda", Emit::CudaSource}, {"ptx", Emit::Ptx}, {"cubin", Emit::Cubin}};
const std::map<std::string, capture::LoopMode> loop_modes = {{"auto", capture::LoopMode::Auto}, {"roll", capture::LoopMode::Roll}, {"unroll", capture::LoopMode::Unroll}};
const std::map<std::string, HazardMode> hazard_modes = {
    {"error", HazardMode::Error}, {"warn", HazardMode::Warn}, {"repair", HazardMode::Repair}, {"trap", HazardMode::Trap}};

constexpr const char* footer = R"(Examples:
  sifr build train.py -o train && ./train      a native binary that prints what `python train.py` prints
  sifr run train.py 100                        compile in memory and run with sys.argv[1] = '100'
  sifr check train.py                          in-place writes that autograd cannot bear, and other warnings
  sifr dump train.py --stage=functional        the program as pure values
  sifr dump train.py --print-changed           the program after each pass that changed it
  sifr build train.py --stats                  every clear of the program, and what became of it
  sifr build train.py --device=cuda            a binary for any machine with an NVIDIA driver
  sifr build model.py --functions=predict --emit=static,header    libmodel.a and model.h, for a program in C
  sifr opt prog.sifr --passes=fuse --verify-each

Exit codes: 0 fine, 1 the program is wrong, 2 usage, 3 the machine lacks something, 70 a fault of sifr.
A program's own sys.exit(n) passes through.)";

/// An option that takes one of a table's names. The help shows the names: CLI11 alone would print the numbers of the enumerators as well.
template <typename T>
void add_choice(CLI::App* app, const char* name, T& target, const std::map<std::string, T>& table, const char* help) {
    std::string names;
    for (const auto& [text, value] : table) names += (names.empty() ? "" : ",") + text;
    app->add_option_function<std::string>(name, [&target, &table](const std::string& text) { target = table.at(text); }, help)
        ->check(CLI::Validator([&table, names](std::string& text) { return table.contains(text) ? "" : "'" + text + "' is none of " + names; }, ""))
        ->type_name("{" + names + "}");
}

void add_compile_options(CLI::App* app, Options& o) {
    add_choice(app, "--loops", o.loops, loop_modes, "which loops stay loops (default: auto)");
    add_choice(app, "--hazards", o.hazards, hazard_modes, "what becomes of in-place-autograd hazards (default: error)");
    app->add_option("--device", "cpu (default) or cuda: where the work runs")->check(CLI::IsMember({"cpu", "cuda"}))->each([&o](const std::string& s) { o.cuda = s == "cuda"; });
    app->add_option("--target-cpu", o.backend.target_cpu, "native (default), x86-64-v3, x86-64-v4, or a name of LLVM's");
    app->add_option("--gpu-arch", o.backend.gpu_archs, "sm_80, …: the GPUs that --device=cuda makes code for (default: one of each generation)")->delimiter(',')->allow_extra_args(false);
    app->add_flag("--gpu-atomics", o.backend.gpu_atomics, "add floats at repeated indices in any order: faster on a GPU, and the last digits are not always the same");
    app->add_flag("--verify-each", o.verify_each, "check the program after every pass");
    app->add_flag("--print-after-all", o.print_after_all, "print the program after every pass");
    app->add_flag("--print-changed", o.print_changed, "print the program after every pass that changed it");
    app->add_option("--print-before", o.print_before, "print the program before these passes")->delimiter(',');
    app->add_option("--print-after", o.print_after, "print the program after these passes")->delimiter(',');
    app->add_flag("--time-passes", o.time_passes, "how long each step took");
    app->add_flag("--stats", o.stats, "the clear ledger, memory and kernels");
    app->add_option("--print", "loops: what became of each loop, and why")->check(CLI::IsMember({"loops"}))->each([&o](const std::string&) { o.print_loops = true; });
    app->add_option("--remarks", o.remarks, "write remarks to this file (JSON lines)");
    app->add_option("--error-format", "human (default) or json")->check(CLI::IsMember({"human", "json"}))->each([&o](const std::string& s) { o.json = s == "json"; });
}

}  // namespace

Options read_command_line(int argc, char** argv, int& exit_code) {
    Options o;
    o.color = isatty(STDERR_FILENO) != 0;
    exit_code = -1;

    CLI::App app{"sifr compiles small programs written in PyTorch's words to native code.", "sifr"};
    app.footer(footer);
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("sifr ") + SIFR_VERSION);

    CLI::App* build = app.add_subcommand("build", "compile FILE.py to a native binary");
    build->add_option("file", o.input, "the script")->required();
    build->add_option("-o,--output", o.output, "where to write (default: the script's name without .py)");
    std::vector<std::string> emit_names;
    build->add_option("--emit", emit_names, "exe (default), obj, llvm-ir, asm; of the kernels cuda, ptx, cubin; of functions static, shared, header, obj")
        ->delimiter(',')->allow_extra_args(false)
        ->check(CLI::IsMember({"exe", "obj", "llvm-ir", "asm", "cuda", "ptx", "cubin", "static", "shared", "header"}));
    build->add_option("--functions", o.library.functions, "functions of the script that become a library (with --emit=static,shared,obj,header)")->delimiter(',')->allow_extra_args(false);
    build->add_option("--signature", o.library.signatures, "what a function is compiled for, where the script has no annotations: \"step(x: f32[32,8], n: int)\"")->allow_extra_args(false);
    build->add_option("--name", o.library.name, "what all names of a library begin with (default: the script's name)");
    build->add_flag("-g", o.backend.debug_lines, "line numbers of the script in the debugger");
    add_compile_options(build, o);
    build->add_option("--bake-args", o.arguments, "compile with these sys.argv[1:], good for shapes too")->expected(-1)->each([&o](const std::string&) { o.bake_arguments = true; });

    CLI::App* run = app.add_subcommand("run", "compile FILE.py in memory and run it");
    run->add_option("file", o.input, "the script")->required();
    run->add_option("args", o.arguments, "the script's own arguments");
    run->add_option("--at", o.at, "jit (default), exe, captured, functional, fused, plan: run the program at this stage")
        ->check(CLI::IsMember({"captured", "functional", "fused", "plan", "jit", "exe"}));
    run->add_option("--dump-bits", o.dump_bits, "write the raw bits of each printed tensor, each .item() and the final parameters to this file");
    run->positionals_at_end();
    run->prefix_command(false);
    add_compile_options(run, o);

    CLI::App* check = app.add_subcommand("check", "report hazards and warnings, and make nothing");
    check->add_option("file", o.input, "the script")->required();
    add_compile_options(check, o);

    CLI::App* dump = app.add_subcommand("dump", "print the program at a stage");
    dump->add_option("file", o.input, "the script")->required();
    dump->add_option("args", o.arguments, "the script's own arguments, if they are to be known");
    dump->add_option("--stage", o.stage, "captured (default), functional, fused, plan, loops, llvm, asm, cuda")
        ->check(CLI::IsMember({"captured", "functional", "fused", "plan", "loops", "llvm", "asm", "cuda"}));
    dump->add_option("-o,--output", o.output, "where to write (default: the standard output)");
    add_compile_options(dump, o);

    CLI::App* opt = app.add_subcommand("opt", "run passes over a program in text form");
    opt->add_option("file", o.input, "FILE.sifr; `-` for the standard input")->required();
    opt->add_option("--passes", o.passes, "the passes, in this order (default: none, print → parse → print)")->delimiter(',');
    opt->add_flag("--run", o.run_after, "interpret the result");
    opt->add_option("-o,--output", o.output, "where to write (default: the standard output)");
    add_compile_options(opt, o);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        int code = app.exit(e);
        exit_code = code == 0 ? 0 : 2;
        return o;
    }
    o.command = *build ? Command::Build : *run ? Command::Run : *check ? Command::Check : *dump ? Command::Dump : Command::Opt;
    for (const std::string& name : emit_names) o.emits.push_back(emits.at(name));
    if (o.emits.empty()) o.emits.push_back(Emit::Executable);
    o.emit = o.emits.front();
    const bool of_functions = std::any_of(o.emits.begin(), o.emits.end(), [](Emit e) { return e == Emit::StaticLibrary || e == Emit::SharedLibrary || e == Emit::Header; });
    if (o.library.functions.empty() && (o.emits.size() > 1 || of_functions)) {
        std::fprintf(stderr, "%s\nRun with --help for more information.\n",
                     of_functions ? "--emit: a library is made of functions; name them: --functions=step,predict" : "--emit: one kind of output, but for libraries of --functions");
        exit_code = 2;
    }
    return o;
}

}  // namespace sifr::driver
