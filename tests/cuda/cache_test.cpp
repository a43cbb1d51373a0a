// The cache of compiled kernels: what is put in comes out, and what is damaged is as if it were not there.

#include <atomic>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/backend/code_cache.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

CompiledCode code(const std::string& text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {{data, data + text.size()}, "log of " + text};
}

fs::path only_file(const fs::path& folder) {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        EXPECT_TRUE(found.empty());
        found = entry.path();
    }
    return found;
}

TEST(CudaCache, KeepsCodeAndLogUnderTheWholeKey) {
    TempDir folder;
    const CodeCache cache((folder.path() / "new").string());
    EXPECT_FALSE(cache.find("a"));
    cache.put("a", code("one"));
    cache.put("b", code(""));
    ASSERT_TRUE(cache.find("a"));
    EXPECT_EQ(cache.find("a")->bytes, code("one").bytes);
    EXPECT_EQ(cache.find("a")->log, "log of one");
    ASSERT_TRUE(cache.find("b"));
    EXPECT_TRUE(cache.find("b")->bytes.empty());
    EXPECT_FALSE(cache.find("ab"));
}

TEST(CudaCache, DamagedEntriesAreMissedAndWrittenAnew) {
    TempDir folder;
    const CodeCache cache(folder.path().string());
    cache.put("key", code("some code"));
    const fs::path file = only_file(folder.path());
    const std::string good = read_file(file);
    for (size_t size = 0; size < good.size(); size += 7) {  // torn
        std::ofstream(file, std::ios::binary) << good.substr(0, size);
        EXPECT_FALSE(cache.find("key")) << size;
    }
    for (size_t at = 0; at < good.size(); at += 3) {  // a byte is another
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        std::ofstream(file, std::ios::binary) << bad;
        EXPECT_FALSE(cache.find("key")) << at;
    }
    std::ofstream(file, std::ios::binary) << good << "x";
    EXPECT_FALSE(cache.find("key"));
    cache.put("key", code("some code"));
    EXPECT_TRUE(cache.find("key"));
    EXPECT_EQ(read_file(only_file(folder.path())), good);
}

TEST(CudaCache, AnotherKeyUnderTheSameNameIsAMiss) {
    TempDir folder;
    const CodeCache cache(folder.path().string());
    cache.put("key", code("some code"));
    const fs::path file = only_file(folder.path());
    const std::string entry = read_file(file);
    fs::remove(file);
    cache.put("other", code("other code"));
    std::ofstream(only_file(folder.path()), std::ios::binary) << entry;  // as if the two names were one
    EXPECT_FALSE(cache.find("other"));
}

TEST(CudaCache, WritersAtTheSameTimeLeaveWholeEntries) {
    TempDir folder;
    const CodeCache cache(folder.path().string());
    const std::string text(100000, 'x');
    std::atomic<int> torn = 0, found = 0;
    std::vector<std::thread> pool;
    for (int t = 0; t < 4; ++t)
        pool.emplace_back([&] {
            for (int k = 0; k < 25; ++k) {
                cache.put("key", code(text));
                const auto c = cache.find("key");
                found += c.has_value();
                torn += c && c->bytes != code(text).bytes;
            }
        });
    for (std::thread& t : pool) t.join();
    EXPECT_EQ(torn, 0);
    EXPECT_EQ(found, 100);
    only_file(folder.path());
}

TEST(CudaCache, AFolderThatCannotBeIsNoError) {
    const CodeCache cache("/proc/no/such/folder");
    cache.put("key", code("x"));
    EXPECT_FALSE(cache.find("key"));
    const CodeCache off("");
    off.put("key", code("x"));
    EXPECT_FALSE(off.find("key"));
}

}  // namespace
}  // namespace sifr::test
