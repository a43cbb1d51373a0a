// What shared libraries show to programs. A name that goes, or changes, breaks programs that are linked already: raise SIFR_ABI_VERSION,
// SOVERSION and the version in exported.map together, and accept the new list with SIFR_UPDATE=1. A name that comes is accepted alone.
// The layout of the types is layout_test's.

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

/// The names that a shared library defines for others, each with its version.
std::set<std::string> exported(const std::string& library) {
    Command command;
    command.argv = {SIFR_NM, "-D", "--defined-only", "--format=posix", library};
    const CommandResult result = run_command(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::set<std::string> names;
    std::istringstream lines(result.out);
    std::string name, type;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream(line) >> name >> type;
        // A small letter is a local name that the linker has left in the table; `A` is the version itself.
        if (std::islower(static_cast<unsigned char>(type[0])) == 0 && type != "A") names.insert(name);
    }
    return names;
}

std::string soname(const std::string& library) {
    Command command;
    command.argv = {SIFR_READELF, "-d", library};
    const std::string out = run_command(command).out;
    const size_t tag = out.find("(SONAME)"), from = out.find('[', tag), to = out.find(']', tag);
    return tag == std::string::npos ? "" : out.substr(from + 1, to - from - 1);
}

TEST(Abi, TheExportedNamesAreTheListedOnes) {
    std::set<std::string> names;
    for (const std::string& name : exported(SIFR_LIBRARY)) {
        const size_t at = name.find("@@");
        EXPECT_EQ(at == std::string::npos ? "" : name.substr(at), "@@SIFR_1") << name;
        int status = 0;
        const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.substr(0, at).c_str(), nullptr, nullptr, &status),
                                                                &std::free);
        names.insert(status == 0 ? plain.get() : name);
    }
    std::string list;
    for (const std::string& n : names) {
        list += n + "\n";
        EXPECT_NE(n.find("sifr::"), std::string::npos) << n;
    }
    EXPECT_TRUE(matches_golden(std::filesystem::path(SIFR_TEST_DIR) / "host" / "exported.txt", list));
    EXPECT_EQ(soname(SIFR_LIBRARY), "libsifr.so.1");
}

#ifdef SIFR_AHEAD_LIBRARY
TEST(Abi, ALibraryOfAScriptShowsItsOwnNamesAlone) {
    std::string list;
    for (const std::string& n : exported(SIFR_AHEAD_LIBRARY)) list += n + "\n";
    EXPECT_EQ(
        list,
        "score_context_free\nscore_context_new\nscore_context_seed\nscore_error\nscore_error_line\nscore_score\nscore_state\nscore_top\n");
    EXPECT_EQ(soname(SIFR_AHEAD_LIBRARY), "libscore.so");
}
#endif

}  // namespace
}  // namespace sifr::test
