#include "runtime/embedded.h"

#include <cstring>

#include <gtest/gtest.h>

TEST(EmbeddedRuntime, IsAnArchive) {
    const auto archive = sifr::runtime_archive();
    ASSERT_GT(archive.size(), 50000u);
    EXPECT_EQ(std::memcmp(archive.data(), "!<arch>\n", 8), 0);
    EXPECT_EQ(archive.size() % 2, 0u);
}
