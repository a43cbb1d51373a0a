#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <unistd.h>

#include "compiler/driver/commands.h"
#include "compiler/driver/report.h"

namespace {

/// A fault of ours must not look like one of the user's: its own exit code, and what to send.
int report_fault(const char* what) {
    std::fflush(stdout);
    std::fprintf(stderr,
                 "sifr: internal error: %s\n"
                 "This is a fault of sifr, not of your script. To report it, send the script, the command line, this message\n"
                 "and what `sifr --version` says.\n",
                 what);
    return 70;
}

void on_fatal_signal(int signal) {
    // Only what is safe in a signal handler.
    const char text[] =
        "sifr: internal error: the process was hit by a fatal signal\n"
        "This is a fault of sifr, not of your script. To report it, send the script, the command line, this message\n"
        "and what `sifr --version` says.\n";
    ssize_t ignored = ::write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    (void)signal;
    ::_exit(70);
}

}  // namespace

int main(int argc, char** argv) {
    // A stack of its own, so that running out of stack can still be reported.
    static char stack[1 << 16];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_handler = on_fatal_signal;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    for (int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::sigaction(s, &action, nullptr);

    int exit_code = -1;
    sifr::driver::Options options = sifr::driver::read_command_line(argc, argv, exit_code);
    if (exit_code >= 0) return exit_code;
    sifr::SourceFiles files;
    try {
        return sifr::driver::execute(options);
    } catch (const sifr::CompileError& e) {
        // Commands show what belongs to a script themselves; what comes here has no source to point at.
        sifr::driver::show(e.diagnostic, files, options);
        return e.exit_code;
    } catch (const sifr::NotSupported& e) {
        // Passes and back ends say it without a place.
        sifr::Diagnostic d;
        d.code = "not-supported";
        d.text = "not supported: " + e.text;
        d.help = e.help;
        sifr::driver::show(d, files, options);
        return 1;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "sifr: error: out of memory\n");
        return 3;
    } catch (const std::exception& e) {
        return report_fault(e.what());
    }
}
