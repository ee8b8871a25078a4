// The choice of vector instructions. Results do not depend on it, only times do.
#pragma once

#include "clearance/base/result.h"

namespace clearance {

/// Instruction sets of processors; each one includes those before it.
enum class Processor {
  portable,  ///< any x86-64
  avx2,      ///< x86-64-v3: AVX2, FMA
  avx512,    ///< AVX2, FMA and AVX-512F
};

/// Returns the best instruction set of this processor, or the one that the environment variable CLEARANCE_PROCESSOR
/// names. Returns an issue if the name is unknown or this processor lacks the instruction set.
Result<Processor> choose_processor();

/// Returns the result of choose_processor for callers that cannot report issues; the best instruction set of this
/// processor if there was an issue.
Processor processor_in_use();

}  // namespace clearance
