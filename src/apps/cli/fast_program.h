// The switch to the program built for AVX2, which lies beside the one that any processor runs.
#pragma once

#include <unistd.h>

#include <filesystem>

#include "clearance/base/freed_memory.h"
#include "clearance/base/processor.h"

namespace clearance::cli {

/// Replaces this process by the program built for AVX2 if the processor setting allows it. Returns if there is no such
/// program.
inline void switch_to_fast_program([[maybe_unused]] Processor processor, [[maybe_unused]] char** arguments) {
#ifdef CLEARANCE_DISPATCH
  if (processor < Processor::avx2) return;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const std::filesystem::path fast = self.parent_path() / (self.filename().string() + "-v3");
  if (access(fast.c_str(), X_OK) != 0) return;
  ask_for_large_pages();
  execv(fast.c_str(), arguments);
#endif
}

}  // namespace clearance::cli
