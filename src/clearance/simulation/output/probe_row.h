#pragma once

#include <vector>

namespace clearance {

/// The numbers of all probes at one time.
struct ProbeRow {
  double time = 0.0;           ///< [s]
  std::vector<double> values;  ///< per column; NaN for forces that are not known
};

}  // namespace clearance
