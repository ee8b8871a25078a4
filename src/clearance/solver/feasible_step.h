// How far the surface may move along a straight path before two primitives come too close [Fer23, sec. 2.4.4, app. A.3,
// A.4].
#pragma once

#include <string>
#include <vector>

#include "clearance/contact/contact_set.h"
#include "clearance/model/model.h"
#include "clearance/solver/options.h"
#include "clearance/solver/swept_candidates.h"

namespace clearance {

struct FeasibleStep {
  double alpha = 1.0;      ///< fraction of the path that keeps gap_fraction of every gap
  std::string limited_by;  ///< the pair that limits alpha; empty if none
  long num_ccd_calls = 0;
};

/// Returns the largest feasible fraction of `path`. The result does not depend on the number of threads.
template <int dim>
FeasibleStep find_feasible_step(const Model& model, const SurfacePath& path, const SweptCandidates& candidates,
                                const SolverOptions& options);

/// Pair that a path leads into.
struct Encounter {
  PrimitivePair pair;
  double time = 0.0;  ///< fraction of the path that leaves gap_fraction of its gap
};

/// Returns the pairs that would meet if nothing stopped the motion on the path, limited to those that are the first to
/// meet one of their primitives. Primitives behind a surface that is passed are left out. The result does not depend on
/// the number of threads.
template <int dim>
std::vector<Encounter> find_encounters(const Model& model, const SurfacePath& path, const SweptCandidates& candidates,
                                       const SolverOptions& options);

/// True, by exact arithmetic, if no edge meets a triangle (2D: an edge) with which it shares no vertex, and every
/// vertex is inside the half-spaces. `first_hit` receives a description of the first violation.
template <int dim>
bool is_intersection_free(const Model& model, const VecX& x_surface, BroadPhase& broad_phase, std::string* first_hit);

}  // namespace clearance
