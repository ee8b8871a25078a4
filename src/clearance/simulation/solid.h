// The inside of a body, if it has one.
#pragma once

#include <optional>
#include <variant>

#include "clearance/geometry/surface.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// What a body fills: elements, or a closed surface. Open surfaces fill nothing, and neither do obstacles whose surface
/// points inwards nor, in the plane, outlines of obstacles that no program made: they have room inside as often as not.
class Solid {
 public:
  static std::optional<Solid> of(const SceneDesc& desc, const SceneModel& scene, int body);

  /// Exact, by the body at rest; no vertex, edge or face may meet the point.
  bool holds(const Vec<3>& point) const;

 private:
  const Vertices* vertices_ = nullptr;
  std::variant<Triangles, Edges> facets_;
  bool may_point_either_way_ = false;  // the surface of a stiff body
};

}  // namespace clearance
