#pragma once

#include <string>
#include <vector>

#include "compiler/backend/backend.h"
#include "compiler/frontend/capture/capture.h"
#include "compiler/library/library.h"

namespace sifr::driver {

enum class Command { Build, Run, Check, Dump, Opt };

/// The command line, read.
struct Options {
    Command command = Command::Run;
    std::string input;                  ///< FILE.py, or FILE.sifr for `opt`
    std::vector<std::string> arguments; ///< of the script (`run`, `build --bake-args`)
    bool bake_arguments = false;

    std::string output;                 ///< -o
    Emit emit = Emit::Executable;
    std::vector<Emit> emits;            ///< build: all that --emit names
    LibraryOptions library;             ///< --functions, --signature, --name
    std::string stage = "captured";     ///< dump
    std::string at = "jit";             ///< run --at
    std::vector<std::string> passes;    ///< opt

    capture::LoopMode loops = capture::LoopMode::Auto;
    HazardMode hazards = HazardMode::Error;
    bool cuda = false;
    BackendOptions backend;

    bool verify_each = false, print_after_all = false, print_changed = false;
    std::vector<std::string> print_before, print_after;
    bool time_passes = false, stats = false, print_loops = false, run_after = false;
    std::string remarks;                ///< --remarks=FILE
    std::string dump_bits;              ///< --dump-bits=FILE
    bool json = false;                  ///< --error-format=json
    bool color = false;                 ///< stderr is a terminal
};

/// Reads the command line. Prints help or the usage error itself; `exit_code` is set when there is nothing left to do.
Options read_command_line(int argc, char** argv, int& exit_code);

}  // namespace sifr::driver
