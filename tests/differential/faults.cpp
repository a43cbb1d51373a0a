#include "tests/differential/faults.h"

#include <cstdio>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/base/planted_fault.h"

namespace sifr::test {

#ifdef SIFR_PLANTED_FAULTS

namespace {

struct Named {
    Fault fault;
    const char *name, *text;
};
const Named all_faults[] = {
#define SIFR_FAULT(name, text) {Fault::name, #name, text},
    SIFR_FAULTS(SIFR_FAULT)
#undef SIFR_FAULT
};

/// In a process of its own: a fault may crash it, or keep it from ending. Its exit status: 0 not found, 1 found.
bool found(const Differential& given, const Named& n) {
    std::fflush(stdout);
    pid_t child = ::fork();
    if (child == 0) {
        planted_fault = n.fault;
        Differential d = given;
        d.stop_after = 1;
        d.minimised = false;
        int64_t programs = 0;
        d.at_seed = [&](uint64_t) {
            ++programs;
            ::alarm(60);  // for one program
            // What a crash leaves behind is the number of the program that it happened in.
            std::fprintf(stdout, "\r%-20s %6lld  ", n.name, static_cast<long long>(programs));
            std::fflush(stdout);
        };
        DifferentialResult r = run_differential(d);
        if (!r.differences.empty()) fmt::print("found by seed {}: {}\n", r.differences[0].seed, r.differences[0].what.substr(0, 120));
        else fmt::print("NOT FOUND: {}\n", n.text);
        std::fflush(stdout);
        ::_exit(r.differences.empty() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) fmt::print("found: signal {}\n", WTERMSIG(status));
    return WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
}

}  // namespace

bool find_faults(const Differential& d, const std::string& only) {
    int planted = 0, missed = 0;
    for (const Named& n : all_faults) {
        if (!only.empty() && only != n.name) continue;
        ++planted;
        missed += !found(d, n);
    }
    fmt::print("{} faults planted, {} not found within {} programs\n", planted, missed, d.programs);
    return planted > 0 && missed == 0;
}

#else

bool find_faults(const Differential&, const std::string&) {
    fmt::print(stderr, "differential: this build has no planted faults: configure it with -DSIFR_PLANTED_FAULTS=ON\n");
    return false;
}

#endif

}  // namespace sifr::test
