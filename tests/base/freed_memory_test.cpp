#include "clearance/base/freed_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace clearance {
namespace {

TEST(FreedMemory, LargePages_AreAskedForTheNextProgramAndNotForItsChildren) {
  unsetenv("GLIBC_TUNABLES");
  ask_for_large_pages();
  EXPECT_STREQ(std::getenv("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1");
  keep_freed_memory();
  EXPECT_EQ(std::getenv("GLIBC_TUNABLES"), nullptr);
}

TEST(FreedMemory, TheUsersOwnSettings_AreLeftAlone) {
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0", 1);
  ask_for_large_pages();
  keep_freed_memory();
  EXPECT_STREQ(std::getenv("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=0");
  unsetenv("GLIBC_TUNABLES");
}

}  // namespace
}  // namespace clearance
