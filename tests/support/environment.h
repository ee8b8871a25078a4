// Numbers by which long runs of fuzz tests are asked for more than every run of the tests does, and for other seeds.
#pragma once

#include <cstdlib>

namespace clearance {

/// Returns the whole number in an environment variable, or another one if it is not set.
inline long number_from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtol(text, nullptr, 10) : otherwise;
}

}  // namespace clearance
