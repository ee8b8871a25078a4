// Answers of continuous collision detection (ccd/ccd.h).
#pragma once

namespace clearance {

enum class CcdStatus {
  no_impact,        ///< the distance stays above min_separation until max_time; toi = max_time
  impact,           ///< toi is at most tolerance-close before an impact, or conservatively earlier
  budget_exhausted  ///< max_iterations reached; toi is a valid lower bound of the time of impact
};

struct CcdResult {
  CcdStatus status = CcdStatus::no_impact;
  double toi = 1.0;         ///< in [0, max_time]
  bool is_certain = false;  ///< the status is the exact answer; always if there is no impact
  bool is_impact() const { return status != CcdStatus::no_impact; }
};

}  // namespace clearance
