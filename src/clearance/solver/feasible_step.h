// How far the surface may move along a straight path before two primitives come too close (sec. 2.4.4, app. A.3, A.4).
#pragma once

#include <string>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/model/model.h"
#include "clearance/solver/options.h"

namespace clearance {

/// Candidates of a path, with what is known about each: made once a Newton iteration, used by CCD and by every trial.
struct SweptCandidates {
  Candidates pairs;
  // Per pair, in the order point_triangle, edge_edge, point_edge:
  std::vector<double> distance;  ///< [m] at the start of the path
  std::vector<double> motion;    ///< [m] the distance changes by at most this over the path
};

SweptCandidates measure_candidates(int dim, const SurfaceTopology& surface, const SurfacePath& path,
                                   Candidates candidates);

struct FeasibleStep {
  double alpha = 1.0;      ///< fraction of the path that keeps gap_fraction of every gap
  std::string limited_by;  ///< the pair that limits alpha; empty if none
  long num_ccd_calls = 0;
};

/// Same result for any number of threads.
FeasibleStep find_feasible_step(int dim, const Model& model, const SurfacePath& path, const SweptCandidates& candidates,
                                const SolverOptions& options);

/// The pairs that can be closer than `activation` [m] somewhere on the first `alpha` of the path.
Candidates reachable_candidates(const SweptCandidates& candidates, double alpha, double activation);

/// Exact: true if no edge meets a triangle (2D: an edge) that it shares no vertex with, and every vertex is inside the
/// half-spaces. `first_hit` describes the first violation found.
bool is_intersection_free(int dim, const Model& model, const VecX& x_surface, BroadPhase& broad_phase,
                          std::string* first_hit);

}  // namespace clearance
