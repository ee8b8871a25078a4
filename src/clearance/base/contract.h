// Contracts between pieces of this code. A broken one is a mistake of the caller's code, never of a user, whose input
// is answered with issues (result.h).
#pragma once

#include <cstdio>
#include <cstdlib>

namespace clearance {

[[noreturn]] inline void break_off(const char* file, int line, const char* contract) {
  std::fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, contract);
  std::abort();
}

}  // namespace clearance

/// Ends the process if the condition is false; in builds with tests (CLEARANCE_ASSERTIONS), elsewhere nothing is
/// evaluated. It changes no result. Files are named without their folders: programs that are handed on tell nothing of
/// the machine that compiled them.
#ifdef CLEARANCE_ASSERTIONS
#define CLEARANCE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : clearance::break_off(__FILE_NAME__, __LINE__, #condition))
#else
#define CLEARANCE_ASSERT(condition) static_cast<void>(false && (condition))
#endif
