#include "clearance/base/freed_memory.h"

#include <malloc.h>

#include <limits>

namespace clearance {

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace clearance
