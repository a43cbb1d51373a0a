// The text of a program says all that there is: at each stage, of each script that passes, print → parse → print is the identity.

#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "ir/text/text.h"
#include "tests/scripts/program.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(SIFR_TEST_DIR) / "scripts";

/// Our own scripts, and those that passing.txt lists, but for those that raise.
std::vector<Program> passing_programs() {
    std::set<std::string> listed;
    std::istringstream lines(read_file(folder / "passing.txt"));
    for (std::string line; std::getline(lines, line);) listed.insert(line);

    std::vector<Program> programs = load_scripts(folder, "own");
    for (std::vector<Program>& part : std::vector<std::vector<Program>>{load_scripts(folder / "../semantics", "semantics"),
                                                                        load_scripts(folder / "corpus", "corpus"), load_probes(folder / "probes.jsonl")})
        for (Program& p : part)
            if (listed.contains(p.id)) programs.push_back(std::move(p));
    std::erase_if(programs, [](const Program& p) { return p.error.has_value(); });
    return programs;
}

/// The first line that differs, with its number.
std::string difference(const std::string& expected, const std::string& got) {
    std::istringstream a(expected), b(got);
    std::string line, other;
    for (int number = 1;; ++number) {
        const bool more = static_cast<bool>(std::getline(a, line)), other_more = static_cast<bool>(std::getline(b, other));
        if (!more && !other_more) return "";
        if (more != other_more || line != other) return fmt::format("line {}:\n  {}\n  {}", number, more ? line : "(end)", other_more ? other : "(end)");
    }
}

TEST(StagesText, PrintedAndParsedIsTheSameProgram) {
    const std::vector<Program> programs = passing_programs();
    ASSERT_GT(programs.size(), 100u);
    for (const Program& program : programs) {
        Compilation c;
        CompileOptions options;
        options.capture.script_path = program.path.string();
        std::string stage = "captured";
        try {
            for (const char* next : {"captured", "functional", "fused", "plan"}) {
                stage = options.passes.stop_at = next;
                if (!c.program) compile(c, program.path.string(), program.source.empty() ? read_file(program.path) : program.source, options);
                else lower(c, options);
                const std::string text = print(*c.program);
                SourceFiles files;
                const sifr::Program parsed = parse_program(files.file(files.add("text", text)));
                EXPECT_EQ(difference(text, print(parsed)), "") << program.id << " at stage " << stage;
            }
        } catch (const CompileError& e) {
            ADD_FAILURE() << program.id << " at stage " << stage << ": " << e.diagnostic.text;
        }
    }
}

}  // namespace
}  // namespace sifr::test
