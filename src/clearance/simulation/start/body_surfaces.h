// The colliding surface of each body by itself, at its start position.
#pragma once

#include <optional>

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

class BodySurfaces {
 public:
  explicit BodySurfaces(const SceneModel& scene);

  int count() const { return static_cast<int>(boxes_.size()); }
  const BoundingBox& box(int body) const { return boxes_[body]; }
  /// Returns the first vertex of the body's surface.
  int first_vertex(int body) const { return first_vertex_[body]; }
  const Vec<3>& position(int surface_vertex) const { return positions_[surface_vertex]; }
  const Vertices& positions() const { return positions_; }

  Triangles triangles(int body) const;  ///< 3D only; in surface vertices
  Edges edges(int body) const;
  int num_vertices(int body) const;
  /// True if contact between the bodies counts: both have a surface, and they are not in one collision group.
  bool can_touch(int body_a, int body_b) const;
  double area(int body) const;  ///< [m^2] of the triangles; 2D: [m] of the edges

 private:
  const SceneModel& scene_;
  Vertices positions_;  // [m] of all surface vertices
  std::vector<BoundingBox> boxes_;
  // First vertex, triangle and edge of each body, followed by the end of the last body.
  std::vector<int> first_vertex_, first_triangle_, first_edge_;
};

}  // namespace clearance
