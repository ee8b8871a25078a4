// Contracts between parts of this code. A broken contract is a mistake in the calling code, never of a user; user input
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

/// Ends the process if the condition is false. Only builds with tests (CLEARANCE_ASSERTIONS) evaluate the condition. It
/// changes no result. The message names files without their folders, so that distributed programs reveal nothing of the
/// machine that compiled them.
#ifdef CLEARANCE_ASSERTIONS
#define CLEARANCE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : clearance::break_off(__FILE_NAME__, __LINE__, #condition))
#else
#define CLEARANCE_ASSERT(condition) static_cast<void>(false && (condition))
#endif
