// `clearance info DIR --slow`: which steps took longest, and why.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/result.h"

namespace clearance::cli {

/// Describes the `count` slowest steps of stats.jsonl: their time and iterations beside the median step, the stages
/// that took the time and what kept the steps short. If the scene stored its iterations, it also tells how the residual
/// fell, which pairs limited the steps most often and which contacts were stiffened.
Result<std::string> describe_slow_steps(const std::filesystem::path& stats, int count);

}  // namespace clearance::cli
