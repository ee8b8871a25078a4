// Continuous collision detection of two primitives whose vertices move on straight lines from t0 to t1.
//
// Contract: the returned time of impact is never later than the true first time at which the distance of the primitives
// reaches `min_separation`, and it is never zero when they start farther apart than that by more than the
// floating-point error of computing the distance. In floating point, on any input.
#pragma once

#include <array>

#include "clearance/base/methods.h"
#include "clearance/math/types.h"

namespace clearance {

enum class CcdNorm {
  euclidean,
  maximum  ///< L-infinity; `clearance` with gap_fraction = 0 only
};

enum class CcdStatus {
  no_impact,        ///< the distance stays above min_separation until max_time; toi = max_time
  impact,           ///< toi is at most tolerance-close before an impact, or conservatively earlier
  budget_exhausted  ///< max_iterations reached; toi is a valid lower bound of the time of impact
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

struct CcdResult {
  CcdStatus status = CcdStatus::no_impact;
  double toi = 1.0;         ///< in [0, max_time]
  bool is_certain = false;  ///< the status is the exact answer; always if there is no impact
  bool is_impact() const { return status != CcdStatus::no_impact; }
};

/// Positions of the vertices of two primitives at t0 and t1.
/// point_triangle: p, t0, t1, t2; edge_edge: ea0, ea1, eb0, eb1; point_edge: p, e0, e1; point_point: p0, p1.
template <int dim, int num_vertices>
struct PrimitiveMotion {
  std::array<Vec<dim>, num_vertices> t0;
  std::array<Vec<dim>, num_vertices> t1;
};

CcdResult point_triangle_ccd(const PrimitiveMotion<3, 4>& motion, const CcdOptions& options);
CcdResult edge_edge_ccd(const PrimitiveMotion<3, 4>& motion, const CcdOptions& options);
template <int dim>
CcdResult point_edge_ccd(const PrimitiveMotion<dim, 3>& motion, const CcdOptions& options);
template <int dim>
CcdResult point_point_ccd(const PrimitiveMotion<dim, 2>& motion, const CcdOptions& options);

}  // namespace clearance
