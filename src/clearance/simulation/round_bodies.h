// Stiff bodies that a generator makes round, as far as flat sides are.
#pragma once

#include <string>
#include <vector>

#include "clearance/geometry/mass_properties.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A body where it starts.
struct StartedBody {
  int desc = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  Vertices vertices;  ///< [m]
};

struct RoundBody {
  int body = 0;            ///< into the list
  bool is_ball = false;    ///< it rolls about any axis
  Vec<3> center, axis;     ///< [m] where it starts; 2D: the axis is z
  double radius = 0.0;     ///< [m]
  int sides = 0;           ///< around, at least; of a ball those of its longest edges
  double gyration = 0.0;   ///< its inertia about the axis over m R^2
  std::string resolution;  ///< what would give it 192 sides

  /// [m] How far the middle of a side is inside of the round shape.
  double sagitta() const;
  /// [1] Slope that it rests on if contact is much thinner than the sagitta: tan(pi / sides).
  double barrier() const;
};

/// Balls, cylinders, disks and tori that collide, that may turn about the axis, and whose transform keeps them round.
std::vector<RoundBody> find_round_bodies(const SceneDesc& desc, const std::vector<StartedBody>& bodies);

}  // namespace clearance
