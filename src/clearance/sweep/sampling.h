// From a plan to the values of its runs. The same plan gives the same values, to the bit, on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/sweep/plan.h"

namespace clearance::sweep {

/// One value for each parameter.
using Values = std::vector<Json>;

/// A random number in (0, 1) for a place in a table: no state, so that more runs change nothing about the first ones.
double random_number(std::uint64_t seed, std::uint64_t parameter, std::uint64_t index);

/// Where the distribution of a parameter has gathered a share of its probability, 0 < share < 1.
Json quantile(const Parameter& parameter, double share);

/// All runs in order.
std::vector<Values> sample(const Plan& plan);

}  // namespace clearance::sweep
