#include "clearance/base/freed_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <limits>
#include <string_view>

namespace clearance {

namespace {
// glibc reads its settings before main(), so that a program cannot choose them for itself.
constexpr const char* variable = "GLIBC_TUNABLES";
constexpr const char* with_large_pages = "glibc.malloc.hugetlb=1";
}  // namespace

void ask_for_large_pages() {
  constexpr int keep = 0;
  setenv(variable, with_large_pages, keep);
}

void keep_freed_memory() {
  const char* setting = std::getenv(variable);
  if (setting != nullptr && std::string_view(setting) == with_large_pages) unsetenv(variable);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace clearance
