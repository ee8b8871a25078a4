// Boundary and initial conditions of a PolyFEM scene, and their effect on a body.
#pragma once

#include <vector>

#include "clearance/io/polyfem/polyfem_selection.h"
#include "clearance/io/polyfem/polyfem_values.h"

namespace clearance {

/// A value prescribed for everything with one of these numbers.
struct PolyfemCondition {
  std::vector<int> ids;
  bool is_of_all = false;
  Expressions value = {"0", "0", "0"};
  std::array<bool, 3> components = {true, true, true};
  std::string place;

  bool is_of(int id) const;
};

struct PolyfemConditions {
  std::vector<PolyfemCondition> displacements;  ///< [m] of nodes
  std::vector<PolyfemCondition> obstacle_displacements;
  std::vector<PolyfemCondition> tractions;   ///< [Pa] on faces
  std::vector<PolyfemCondition> pressures;   ///< [Pa] against faces, in the first component
  std::vector<PolyfemCondition> velocities;  ///< [m/s] of elements, at the start
  std::optional<Expressions> body_force;     ///< [m/s^2] with the opposite sign; nothing: none
};

PolyfemConditions read_conditions(const ForeignObject& root, const PolyfemValues& values);

/// Sets the motions, loads and start velocity of a simulated body. A body whose whole boundary is held still becomes an
/// obstacle. A condition that the native scene cannot express is an error at that condition.
void apply_conditions(const PolyfemConditions& conditions, const PolyfemSelections& selections, int dim, BodyDesc& body,
                      Issues& issues);

/// Sets the motion of an obstacle: the first displacement for obstacles, or else for all bodies, that has its number.
void move_obstacle(const PolyfemConditions& conditions, int id, BodyDesc& obstacle);

/// Warns of conditions whose number does not occur.
void warn_of_idle_conditions(const PolyfemConditions& conditions, const std::vector<PolyfemSelections>& selections,
                             const std::vector<int>& obstacle_ids, Issues& issues);

}  // namespace clearance
