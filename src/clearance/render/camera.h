// Where a film is seen from: one camera for all frames.
#pragma once

#include <array>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::render {

/// The extent of points: their box, and the outermost ones in 26 directions, which a camera fits tighter than the box.
struct RenderBounds {
  static constexpr int num_directions = 26;
  Vec<3> min = Vec<3>::Constant(infinity);  ///< [m]
  Vec<3> max = Vec<3>::Constant(-infinity);
  std::array<Vec<3>, num_directions> outermost;
  std::array<double, num_directions> reach;  ///< along the direction of the same index

  RenderBounds();
  bool is_empty() const { return !(min.array() <= max.array()).all(); }
  Vec<3> center() const { return 0.5 * (min + max); }
  double diagonal() const { return (max - min).norm(); }
  void add(const Vec<3>& p);
  void add(const RenderBounds& other);
};

struct Camera {
  Vec<3> position = Vec<3>::Zero();  ///< [m]
  Vec<3> right = Vec<3>::UnitX();
  Vec<3> up = Vec<3>::UnitY();
  Vec<3> forward = -Vec<3>::UnitZ();
  double half_width = 0.5;   ///< tangent of half the horizontal field of view
  double half_height = 0.3;  ///< the same, vertical

  /// Unit direction through the point (s, t) of the picture; s right and t down, both in [0, 1].
  Vec<3> direction(double s, double t) const;
};

/// Sees all of `bounds` from a little above and aside; `is_plane`: straight at the xy plane.
Camera frame_camera(const RenderBounds& bounds, const Vec<3>& up, bool is_plane, double aspect);

/// Two unit vectors that complete `up` to a right-handed frame; along coordinate axes where that is possible.
void complete_basis(const Vec<3>& up, Vec<3>& side, Vec<3>& front);

}  // namespace clearance::render
