#include "clearance/base/hash.h"

#include <fmt/format.h>

namespace clearance {

std::string Hash::text() const {
  return fmt::format("{:016x}", value_);
}

}  // namespace clearance
