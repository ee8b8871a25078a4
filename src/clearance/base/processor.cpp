#include "clearance/base/processor.h"

#include <array>
#include <cstdlib>

namespace clearance {
namespace {

constexpr std::array<const char*, 3> names = {"portable", "avx2", "avx512"};

Processor find_processor() {
// (Clang 16 knows no levels; its fuzz targets run portable kernels.)
#if defined(__x86_64__) && !defined(__clang__)
  if (!__builtin_cpu_supports("x86-64-v3")) return Processor::portable;
  return __builtin_cpu_supports("avx512f") ? Processor::avx512 : Processor::avx2;
#else
  return Processor::portable;
#endif
}

}  // namespace

Result<Processor> choose_processor() {
  const Processor most = find_processor();
  const char* asked = std::getenv("CLEARANCE_PROCESSOR");
  if (asked == nullptr) return most;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (asked != std::string(names[i])) continue;
    if (static_cast<Processor>(i) <= most) return static_cast<Processor>(i);
    return Issue{"", "CLEARANCE_PROCESSOR", asked, "this processor can do less"};
  }
  return Issue{"", "CLEARANCE_PROCESSOR", *asked == '\0' ? "nothing" : asked,
               "expected `portable`, `avx2` or `avx512`; unset, the processor's own is taken"};
}

Processor processor_in_use() {
  static const Processor processor = [] {
    const Result<Processor> chosen = choose_processor();
    return chosen ? *chosen : find_processor();
  }();
  return processor;
}

}  // namespace clearance
