// Detection of bodies that are about to hit something. Contact forces jump there, and an integrator with a memory of
// the last steps must forget it.
#pragma once

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/model/model.h"
#include "clearance/solver/options.h"

namespace clearance {

/// Blocks whose bodies meet something on a way: per block 1, else 0.
struct ImpactMarks {
  std::vector<char> is_hit;
  std::vector<char> is_struck;  ///< of bodies that something hits, not only touches
  std::vector<char> is_near;    ///< of bodies that come within dhat of something
};

/// Finds the bodies that are hit on the way from the unknowns x_t0 to x_t1 [m].
///
/// A pair hits if its gap, as far as it is within dhat, may lose more than half of itself. For each of its two bodies
/// that is an impact if the gap closes by more than a quarter of the body's mean motion relative to the other body, so
/// that a polygonal wheel on the ground causes none. Where the gap closes by more than dhat, it does not count how the
/// body slides at this place: what glides along a floor hits it like what falls straight down. Bodies that are so near
/// to one which is struck that the impact may push it against them within the step are struck, too. With
/// bdf2_in_flight, all bodies that are hit or touched where one of the two is deformable count too, and what touches
/// bodies that are hit is hit itself.
template <int dim>
ImpactMarks find_impacts(const Model& model, const SolverOptions& options, BroadPhase& broad_phase, const VecX& x_t0,
                         const VecX& x_t1);

}  // namespace clearance
