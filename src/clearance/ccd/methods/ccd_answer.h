// The answer of a method of continuous collision detection to a query, and the options that all methods know.
#pragma once

namespace clearance {

struct CcdMethodOptions {
  double min_separation = 0.0;   ///< [m] L-infinity norm
  double tolerance = 1e-6;       ///< [m] delta of [Fer23, alg. 3.2], for the methods that have one
  int max_iterations = 1000000;  ///< m_I of [Fer23, alg. 3.2], for the methods that iterate
};

struct CcdAnswer {
  bool is_hit = false;
  double toi = 1.0;  ///< the method's first time of impact; 1 without a hit, not a number if the method has no times
};

}  // namespace clearance
