// Options of continuous collision detection (ccd/ccd.h).
#pragma once

#include "clearance/base/methods.h"

namespace clearance {

enum class CcdNorm {
  euclidean,
  maximum  ///< L-infinity; `clearance` with gap_fraction = 0 only
};

struct CcdOptions {
  CcdMethod method = CcdMethod::clearance;
  double min_separation = 0.0;  ///< [m]
  CcdNorm norm = CcdNorm::euclidean;
  double max_time = 1.0;  ///< search [0, max_time] only, in (0, 1]
  /// Stop when the gap (distance minus min_separation) has shrunk to this fraction of the gap at t0 (1 - c of
  /// [Fer23, app. A.4]): leaves room for the next step. 0 searches for the impact itself.
  double gap_fraction = 0.0;
  double tolerance = 1e-6;  ///< [m] tight inclusion: width of a box that counts as a root (delta of [Fer23, alg. 3.2])
  int max_iterations = 1000000;  ///< tight inclusion: m_I of [Fer23, alg. 3.2]; clearance: number of advances
  /// clearance with gap_fraction = 0: what rounding leaves open is decided by exact arithmetic (up to a millisecond,
  /// one query in thousands), so that no impact is false but those of a Euclidean min_separation > 0.
  bool is_exact = true;
};

}  // namespace clearance
