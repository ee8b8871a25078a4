// The inside of a body, if it has one.
#pragma once

#include <optional>
#include <variant>

#include "clearance/geometry/surface.h"
#include "clearance/simulation/body_surfaces.h"

namespace clearance {

/// Of a body's elements, or its surface as it is; in the order and direction of its mesh.
Triangles boundary_triangles(const BodyInstance& body);
Edges boundary_edges(const BodyInstance& body);

/// What a body fills: elements, or a closed surface. Open surfaces fill nothing, and neither do obstacles whose surface
/// points inwards nor, in the plane, outlines of obstacles that no program made: they have room inside as often as not.
class Solid {
 public:
  static std::optional<Solid> of(const SceneDesc& desc, const SceneModel& scene, int body);
  /// What a closed surface has inside, be it solid or room; of bodies that are no obstacles the same as `of`.
  static std::optional<Solid> inside_of(const SceneDesc& desc, const SceneModel& scene, int body);

  /// Exact, by the body at rest; no vertex, edge or face may meet the point.
  bool holds(const Vec<3>& point) const;

 private:
  static std::optional<Solid> make(const SceneModel& scene, int body, bool may_point_either_way);

  const Vertices* vertices_ = nullptr;
  std::variant<Triangles, Edges> facets_;  // turned outwards
};

/// A body that starts inside of a larger obstacle, with its middle and most of its vertices, is meant to be there.
/// `inside`: of the outer body (Solid::inside_of).
bool is_container(const SceneModel& scene, const BodySurfaces& surfaces, const std::optional<Solid>& inside, int outer,
                  int inner);

}  // namespace clearance
