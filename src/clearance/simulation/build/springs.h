// The springs of a scene as energies and dampers between the points of its bodies.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/links/spring.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Place of a spring of the scene among the potentials.
struct SpringPlace {
  int potential = -1;  ///< index into SceneSprings::potentials; -1: it is a damper alone
  int index = -1;      ///< number in that potential
  Dashpot damper;      ///< its ends, and its damping, which may be 0
};

struct SceneSprings {
  std::vector<std::shared_ptr<Potential>> potentials;  ///< springs that nothing drives, driven ones, dampers
  std::size_t first_potential = 0;                     ///< index of the first of them among the model's potentials
  std::vector<SpringPlace> places;                     ///< per spring of the scene
  std::vector<std::array<int, 2>> bodies;              ///< pairs that are held from the start on; -1: the world
};

/// Finds the ends of all springs; `x` are the positions [m] at the start. Appends to `issues` which copies and nodes do
/// not exist, and ends that are elsewhere than their points. Makes nothing if `issues` has errors, of stages before
/// too.
SceneSprings make_springs(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                          const Model& model, const VecX& x, const std::shared_ptr<const Controls>& controls,
                          Issues& issues);

/// A spring at the end of a step.
struct SpringState {
  double length = 0.0;            ///< [m] distance of its ends
  double tension = 0.0;           ///< [N] with that of its damper at the velocities there; positive: it pulls
  Vec<3> force = Vec<3>::Zero();  ///< [N] on the first body; 2D: z = 0
};
SpringState spring_state(const SceneSprings& springs, const Model& model, const State& state, double h, int spring);

}  // namespace clearance
