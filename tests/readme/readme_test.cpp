// What the README shows is what happens: every ```console block is run, line by line, in one empty folder with a link to examples/ and
// sifr in PATH. A line `$ COMMAND` is run by sh; the lines behind it, up to the next command, are what it prints on both streams. A line
// `...` stands for any lines. A block that follows `<!-- file: NAME -->` is no command, but the text of a file that the commands use.

#include <cstdlib>
#include <sstream>

#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

struct Step {
    size_t line = 0;  ///< of the README, from 1
    std::string command;
    std::vector<std::string> expected;
};

struct File {
    std::string name, text;
};

struct Tour {
    std::vector<File> files;
    std::vector<Step> steps;
};

Tour read_tour(const std::string& readme) {
    Tour tour;
    std::istringstream in(readme);
    std::string line, file_name;
    const std::string file_mark = "<!-- file: ";
    enum { Text, Console, FileText, Other } where = Text;
    for (size_t number = 1; std::getline(in, line); ++number) {
        if (where == Text && line.starts_with(file_mark)) {
            file_name = line.substr(file_mark.size(), line.find(" -->") - file_mark.size());
        } else if (where == Text && line.starts_with("```")) {
            where = line == "```console" ? Console : file_name.empty() ? Other : FileText;
            if (where == FileText) tour.files.push_back({file_name, ""});
            file_name.clear();
        } else if (line == "```") {
            where = Text;
        } else if (where == FileText) {
            tour.files.back().text += line + "\n";
        } else if (where == Console && line.starts_with("$ ")) {
            tour.steps.push_back({number, line.substr(2), {}});
        } else if (where == Console && !tour.steps.empty()) {
            tour.steps.back().expected.push_back(line);
        }
    }
    return tour;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// `...` matches any number of lines, the fewest first.
bool matches(const std::vector<std::string>& expected, size_t i, const std::vector<std::string>& got, size_t k) {
    if (i == expected.size()) return k == got.size();
    if (expected[i] == "...") {
        for (size_t next = k; next <= got.size(); ++next)
            if (matches(expected, i + 1, got, next)) return true;
        return false;
    }
    return k < got.size() && expected[i] == got[k] && matches(expected, i + 1, got, k + 1);
}

TEST(Readme, EveryCommandOfTheTourPrintsWhatIsShown) {
    const fs::path source = SIFR_SOURCE_DIR;
    Tour tour = read_tour(read_file(source / "README.md"));
    ASSERT_GE(tour.steps.size(), 5u) << "the README has no tour";
    TempDir folder;
    fs::create_directory_symlink(source / "examples", folder.path() / "examples");
    for (const File& file : tour.files) write_file(folder.path() / file.name, file.text);
    const std::string path = fs::path(SIFR_BINARY).parent_path().string() + ":" + std::getenv("PATH");
    for (const Step& step : tour.steps) {
        Command command;
        command.argv = {"/bin/sh", "-c", "{ " + step.command + "\n} 2>&1"};
        command.directory = folder.path();
        command.environment = {{"PATH", path}};
        CommandResult result = run_command(command);
        EXPECT_FALSE(result.timed_out) << "README.md:" << step.line << ": " << step.command;
        std::string expected;
        for (const std::string& line : step.expected) expected += line + "\n";
        EXPECT_TRUE(matches(step.expected, 0, lines_of(result.out), 0))
            << "README.md:" << step.line << ": " << step.command << "\n" << unified_diff(expected, result.out, "README.md", "what it prints");
    }
}

TEST(Readme, DotsStandForAnyLines) {
    EXPECT_TRUE(matches({"a", "...", "d"}, 0, {"a", "b", "c", "d"}, 0));
    EXPECT_TRUE(matches({"a", "..."}, 0, {"a"}, 0));
    EXPECT_FALSE(matches({"a", "...", "d"}, 0, {"a", "b"}, 0));
    EXPECT_FALSE(matches({"a"}, 0, {"a", "b"}, 0));
}

}  // namespace
}  // namespace sifr::test
