// Boundary and initial conditions of a PolyFEM scene, and what they do to a body.
#pragma once

#include <vector>

#include "clearance/io/polyfem/polyfem_selection.h"
#include "clearance/io/polyfem/polyfem_values.h"

namespace clearance {

/// Something prescribed for all that has one of these numbers.
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

/// Motions and loads of a body that is simulated, and its velocity at the start. One whose whole boundary is held still
/// becomes an obstacle. What the native scene cannot express is an error at the condition.
void apply_conditions(const PolyfemConditions& conditions, const PolyfemSelections& selections, int dim, BodyDesc& body,
                      Issues& issues);

/// The motion of an obstacle: the first of its displacements, else of all, with its number.
void move_obstacle(const PolyfemConditions& conditions, int id, BodyDesc& obstacle);

/// Warns of conditions whose number nothing has.
void warn_of_idle_conditions(const PolyfemConditions& conditions, const std::vector<PolyfemSelections>& selections,
                             const std::vector<int>& obstacle_ids, Issues& issues);

}  // namespace clearance
