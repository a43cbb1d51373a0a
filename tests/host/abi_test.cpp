// What libsifr.so shows to programs. A name that goes, or changes, breaks programs that are linked already: raise SIFR_ABI_VERSION, SOVERSION
// and the version in exported.map together, and accept the new list with SIFR_UPDATE=1. A name that comes is accepted alone.

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

TEST(Abi, TheExportedNamesAreTheListedOnes) {
    Command command;
    command.argv = {SIFR_NM, "-D", "--defined-only", "--format=posix", SIFR_LIBRARY};
    const CommandResult result = run_command(command);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::set<std::string> names;
    std::istringstream lines(result.out);
    std::string name, type;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream(line) >> name >> type;
        // A small letter is a local name that the linker has left in the table; `A` is the version itself.
        if (std::islower(static_cast<unsigned char>(type[0])) != 0 || type == "A") continue;
        const size_t at = name.find("@@");
        EXPECT_EQ(at == std::string::npos ? "" : name.substr(at), "@@SIFR_1") << name;
        int status = 0;
        const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.substr(0, at).c_str(), nullptr, nullptr, &status), &std::free);
        names.insert(status == 0 ? plain.get() : name);
    }
    std::string list;
    for (const std::string& n : names) {
        list += n + "\n";
        EXPECT_NE(n.find("sifr::"), std::string::npos) << n;
    }
    EXPECT_TRUE(matches_golden(std::filesystem::path(SIFR_TEST_DIR) / "host" / "exported.txt", list));
}

}  // namespace
}  // namespace sifr::test
