// The values of the runs of a plan. The same plan gives the same values, to the bit, on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/sweep/plan.h"

namespace clearance::sweep {

/// One value for each parameter.
using Values = std::vector<Json>;

/// Returns a random number in (0, 1) for a place in a table. It has no state, so that adding runs does not change the
/// first ones.
double random_number(std::uint64_t seed, std::uint64_t parameter, std::uint64_t index);

/// Returns the value below which the distribution of a parameter has a given share of its probability, 0 < share < 1.
Json quantile(const Parameter& parameter, double share);

/// Returns the values of all runs, in order.
std::vector<Values> sample(const Plan& plan);

}  // namespace clearance::sweep
