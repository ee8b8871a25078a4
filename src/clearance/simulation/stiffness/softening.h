// How much more than in proportion the displacements of a body grow with its loads.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Returns a factor per body, at least 1: f^T K^-1 f over twice the elastic energy, where f are the elastic forces of
/// its free nodes and K is the stiffness at the state, without contacts. It is 1 for small displacements, and
/// 1 / (1 - P / P_cr) for a column that a force P bends, too. Errors of its elements count by as much more,
/// because an error of the stiffness acts as one of all loads does. Bodies without an equilibrium that is stable, or
/// with more than 100,000 nodes in the scene, have 1.
std::vector<double> find_softening(const SceneModel& scene, const State& state);

}  // namespace clearance
