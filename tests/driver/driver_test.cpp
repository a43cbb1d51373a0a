// Golden sessions: each file of cases/ is what somebody types in an empty folder and what he sees, both streams and the exit code.
//
//   file NAME            what follows, behind `| `, is the text of this file
//   $ COMMAND            run by sh, with sifr in PATH
//   (its output)
//   exit N
//
// SIFR_UPDATE=1 writes outputs and exit codes anew and keeps the rest.

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

/// The session as it went: the file's own lines for files and commands, the real ones for the rest.
std::string replay(const std::string& session) {
    TempDir folder;
    const std::string path = fs::path(SIFR_BINARY).parent_path().string() + ":" + std::getenv("PATH");
    std::istringstream lines(session);
    std::string out, file, text;
    auto finish_file = [&] {
        if (!file.empty()) write_file(folder.path() / file, text);
        file.clear();
        text.clear();
    };
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("file ")) {
            finish_file();
            file = line.substr(5);
        } else if (!file.empty() && line.starts_with("|")) {
            text += (line.size() > 2 ? line.substr(2) : "") + "\n";
        } else if (line.starts_with("$ ")) {
            finish_file();
            Command command;
            command.argv = {"/bin/sh", "-c", "{ " + line.substr(2) + "\n} 2>&1"};
            command.directory = folder.path();
            command.environment = {{"PATH", path}};
            CommandResult result = run_command(command);
            out += line + "\n" + result.out;
            if (!result.out.empty() && result.out.back() != '\n') out += "\n";
            out += result.exit_code >= 0 ? fmt::format("exit {}\n", result.exit_code) : result.how_it_ended() + "\n";
            continue;
        } else if (line.starts_with("#") || line.empty()) {
            finish_file();
        } else {
            continue;  // an output of last time
        }
        out += line + "\n";
    }
    return out;
}

TEST(Driver, SaysWhatTheSessionsShow) {
    std::vector<fs::path> cases;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(SIFR_TEST_DIR) / "driver" / "cases")) cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    ASSERT_FALSE(cases.empty());
    for (const fs::path& file : cases) EXPECT_TRUE(matches_golden(file, replay(read_file(file)))) << file.filename();
}

}  // namespace
}  // namespace sifr::test
