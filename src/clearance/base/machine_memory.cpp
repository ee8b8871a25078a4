#include "clearance/base/machine_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace clearance {

double machine_memory() {
  const double installed =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? std::min(installed, static_cast<double>(limit.rlim_cur)) : installed;
}

}  // namespace clearance
