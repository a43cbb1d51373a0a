#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

extern "C" char** environ;

namespace sifr::test {

namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
    std::array<int, 2> ends{-1, -1};  // read, write

    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", strerror(errno)));
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(size_t which) {
        if (ends[which] >= 0) close(ends[which]);
        ends[which] = -1;
    }
};

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string text = *entry;
        size_t equals = text.find('=');
        if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
    }
    for (const auto& [name, value] : changes) variables[name] = value;
    std::vector<std::string> result;
    for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& s : strings) result.push_back(s.data());
    result.push_back(nullptr);
    return result;
}

// Reads both pipes until their other ends are closed or the deadline is over; false: it is over.
bool drain(Pipe& out, Pipe& err, CommandResult& result, Clock::time_point deadline) {
    std::array<char, 65536> buffer;
    std::array<std::pair<Pipe*, std::string*>, 2> streams{{{&out, &result.out}, {&err, &result.err}}};
    while (out.ends[0] >= 0 || err.ends[0] >= 0) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        std::array<pollfd, 2> polled{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
        if (poll(polled.data(), polled.size(), static_cast<int>(std::min<long long>(left, 1000))) < 0 && errno != EINTR)
            throw std::runtime_error(fmt::format("poll: {}", strerror(errno)));
        for (size_t i = 0; i < streams.size(); ++i) {
            if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
            ssize_t n = read(polled[i].fd, buffer.data(), buffer.size());
            if (n > 0) {
                streams[i].second->append(buffer.data(), static_cast<size_t>(n));
            } else if (n == 0 || errno != EINTR) {
                streams[i].first->close_end(0);
            }
        }
    }
    return true;
}

// Waits for the process until the deadline; false: it still runs. A program may close its outputs before it ends.
bool wait_until(pid_t pid, int& status, Clock::time_point deadline) {
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace

std::string CommandResult::how_it_ended() const {
    if (timed_out) return "timeout";
    if (signal != 0) return fmt::format("signal {}", signal);
    return fmt::format("exit status {}", exit_code);
}

CommandResult run_command(const Command& command) {
    auto start = Clock::now();
    auto deadline = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(command.timeout_s));
    CommandResult result;
    Pipe out, err;

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
    std::string directory = command.directory.string();
    if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // its own group, so that a timeout ends its children too
    posix_spawnattr_setpgroup(&attributes, 0);

    std::vector<std::string> argv = command.argv, environment = merged_environment(command.environment);
    pid_t pid = 0;
    int failure = posix_spawnp(&pid, argv.at(0).c_str(), &actions, &attributes, pointers(argv).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) {
        result.exit_code = 127;
        result.err = fmt::format("{}: {}\n", argv[0], strerror(failure));
        return result;
    }
    out.close_end(1);
    err.close_end(1);

    int status = 0;
    result.timed_out = !(drain(out, err, result, deadline) && wait_until(pid, status, deadline));
    if (result.timed_out) {
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
    } else if (WIFSIGNALED(status)) {
        result.signal = WTERMSIG(status);
    } else {
        result.exit_code = WEXITSTATUS(status);
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

TempDir::TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sifr-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(fmt::format("{}: {}", pattern, strerror(errno)));
    path_ = pattern;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace sifr::test
