#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sifr::test {

/// A program to run. Its standard input is empty.
struct Command {
    std::vector<std::string> argv;                                 ///< argv[0] is a path, or a name that is looked up in PATH
    std::filesystem::path directory;                               ///< empty: the caller's
    std::vector<std::pair<std::string, std::string>> environment;  ///< added to the caller's, or put in place of what stands there
    double timeout_s = 60;
};

/// What became of it. `exit_code` is meaningful only if the program exited by itself.
struct CommandResult {
    int exit_code = -1;
    int signal = 0;          ///< nonzero: it was ended by this signal
    bool timed_out = false;  ///< it was killed, with all the processes it had started
    std::string out, err;
    double seconds = 0;

    bool exited(int code) const { return !timed_out && signal == 0 && exit_code == code; }
    /// `exit status 1`, `signal 11`, `timeout`
    std::string how_it_ended() const;
};

/// Runs a program to its end. Safe to call from several threads. A program that cannot be started counts as exit status 127 with the
/// reason in `err`, as in a shell.
CommandResult run_command(const Command& command);

/// A new empty folder, removed with all that is in it at the end of the object's life.
class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace sifr::test
