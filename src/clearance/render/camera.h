// The camera of a picture. That of a film is the same for all frames, unless it follows a body or goes around.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::render {

/// The extent of points: their bounding box and the outermost points in 26 directions. A camera fits the outermost
/// points more tightly than the box.
struct RenderBounds {
  static constexpr int num_directions = 26;
  Vec<3> min = Vec<3>::Constant(infinity);  ///< [m]
  Vec<3> max = Vec<3>::Constant(-infinity);
  std::array<Vec<3>, num_directions> outermost;
  std::array<double, num_directions> reach;  ///< extent along the direction of the same index

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

  /// Returns the unit direction through the point (s, t) of the picture. s points right and t points down, both in [0,
  /// 1].
  Vec<3> direction(double s, double t) const;
};

/// The wishes for a camera. Those left open are fitted to the bounds.
struct CameraRequest {
  std::optional<Vec<3>> from;           ///< [m] where it stands
  std::optional<Vec<3>> at;             ///< [m] what it has in the middle of the picture
  std::optional<Vec<3>> side;           ///< direction from there to the camera, if `from` is not given
  std::optional<double> angle_of_view;  ///< [rad] along the shorter side of the picture
  double turned = 0.0;                  ///< [rad] by which it has gone around, about `up` through what it looks at
};

/// Returns a camera that sees all of `bounds` from slightly above and to the side, or, if `is_plane`, straight onto the
/// xy plane; or as asked.
Camera frame_camera(const RenderBounds& bounds, const Vec<3>& up, bool is_plane, double aspect,
                    const CameraRequest& request = {});

/// Computes two unit vectors that complete `up` to a right-handed frame, along coordinate axes if possible.
void complete_basis(const Vec<3>& up, Vec<3>& side, Vec<3>& front);

}  // namespace clearance::render
