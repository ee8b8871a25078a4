// Stiff and deformable bodies that a generator makes round, up to their flat sides.
#pragma once

#include <string>
#include <vector>

#include "clearance/geometry/mass_properties.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A body at its start position.
struct StartedBody {
  int desc = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  Vertices vertices;  ///< [m]
};

struct RoundBody {
  int body = 0;            ///< index into the list of bodies
  bool is_ball = false;    ///< true if the body rolls about any axis
  Vec<3> center, axis;     ///< [m] at the start; 2D: the axis is z
  double radius = 0.0;     ///< [m]
  int sides = 0;           ///< smallest number of sides around; for a ball the number that its longest edges give
  double gyration = 0.0;   ///< inertia about the axis, divided by m R^2
  std::string resolution;  ///< `resolution` that gives it 192 sides

  /// Returns how far [m] the middle of a side is inside the round shape.
  double sagitta() const;
  /// Returns the slope [1] that the body can rest on if contact is much thinner than the sagitta: tan(pi / sides).
  double barrier() const;
  /// Returns the share of their full effect that the sides have where contact acts within `dhat` [m].
  double share_of_sides(double dhat) const;
};

/// Finds the balls, cylinders, disks and tori that collide, that may turn about their axis, and whose transform keeps
/// them round.
std::vector<RoundBody> find_round_bodies(const SceneDesc& desc, const std::vector<StartedBody>& bodies);

}  // namespace clearance
