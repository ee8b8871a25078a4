// The inside of a body, if it has one.
#pragma once

#include <optional>
#include <variant>

#include "clearance/geometry/surface.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns the boundary of a body's elements if it is deformable, and otherwise the surface of its mesh as it is. The
/// order and the direction are those of the mesh.
Triangles boundary_triangles(const BodyInstance& body);
Edges boundary_edges(const BodyInstance& body);

/// The volume that a body fills: its elements, or the inside of a closed surface. Open surfaces fill nothing. Obstacles
/// whose surface points inwards fill nothing either. In 2D the same holds for outlines of obstacles unless a generator
/// makes them filled, because such outlines have room inside as often as not.
class Solid {
 public:
  static std::optional<Solid> of(const SceneDesc& desc, const BodyInstance& body);
  /// Returns the inside of a closed surface, whether it is solid or room; for bodies that are no obstacles the same as
  /// `of`.
  static std::optional<Solid> inside_of(const SceneDesc& desc, const BodyInstance& body);

  /// Returns true if the body at rest holds the point. The test is exact; no vertex, edge or face may meet the point.
  bool holds(const Vec<3>& point) const;

 private:
  static std::optional<Solid> make(const BodyInstance& body, bool may_point_either_way);

  const Vertices* vertices_ = nullptr;
  std::variant<Triangles, Edges> facets_;  // facets turned outwards
};

}  // namespace clearance
