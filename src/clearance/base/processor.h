// Which vector instructions are used. Results do not depend on it, only times do.
#pragma once

#include "clearance/base/result.h"

namespace clearance {

/// What a processor can do, each with all that comes before.
enum class Processor {
  portable,  ///< any x86-64
  avx2,      ///< x86-64-v3: AVX2, FMA
  avx512,    ///< AVX-512F too
};

/// All that this processor can do, or what the environment variable CLEARANCE_PROCESSOR asks for by its name. An issue
/// if it names nothing, or more than this processor can do.
Result<Processor> choose_processor();

/// The same for those who have no one to tell; all that this processor can do if there was an issue.
Processor processor_in_use();

}  // namespace clearance
