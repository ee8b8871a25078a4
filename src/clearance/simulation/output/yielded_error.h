// Estimate of the error of elements whose material may have flowed.
//
// A material that flows has a bounded stress, which is nearly right, while its strain jumps from element to element.
// There the energy of the error (discretisation_error.h) is the integral of (sigma* - sigma_h) : (epsilon* -
// epsilon_h), with the recovered strain epsilon* and the stress sigma* that belongs to it if the load has only grown.
// For elastic materials this is the same energy.
#pragma once

#include <vector>

#include "clearance/model/history.h"
#include "clearance/simulation/output/discretisation_error.h"

namespace clearance {

/// Estimates the error of each solid as `estimate_solid_errors` without a history does, and also of bodies with a
/// material that yields. `history` is that of the state (State::history). The error of the stress is 0 for bodies that
/// have yielded, because that bounds their stress.
std::vector<DiscretisationError> estimate_solid_errors(const SceneModel& scene, const VecX& x, const History& history);

/// Marks the bodies of which some element has flowed.
std::vector<char> find_yielded_bodies(const SceneModel& scene, const VecX& x, const History& history);

}  // namespace clearance
