// The vertices, triangles and lines of the frames that a page draws, body by body. Also finds which bodies keep their
// shape.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::page {

struct DrawnBody {
  int body = 0;  ///< number of the body in the frames
  bool is_obstacle = false;
  bool keeps_shape = false;  ///< true if the body is an affine image of its first shape in every frame
  std::size_t first_vertex = 0, num_vertices = 0;
  std::size_t first_triangle = 0, num_triangles = 0;
  std::size_t first_edge = 0, num_edges = 0;
};

/// An affine map: the columns of its linear part, then its translation.
using Pose = std::array<double, 12>;

class DrawnBodies {
 public:
  explicit DrawnBodies(const Frame& first) : DrawnBodies(first, first.mesh.vertices) {}
  /// `rest` replaces the frame's own positions as the reference of shapes and poses.
  DrawnBodies(const Frame& frame, std::vector<Vec<3>> rest);

  /// Sets `changes` to 1 for each body whose vertices in the frame are no affine image of the reference. The result
  /// does not depend on the order of the frames.
  void note_shape(const Frame& frame, std::vector<char>& changes) const;
  /// Puts the bodies that keep their shape last. `changes` is 1 for bodies that change it.
  void arrange(const std::vector<char>& changes);

  const std::vector<DrawnBody>& bodies() const { return bodies_; }
  std::size_t num_moving() const {
    return num_moving_;
    /// Returns the number of vertices of bodies that change their shape. They come first.
  }
  const std::vector<int>& vertices() const { return vertices_; }  ///< numbers of the vertices in the frames
  const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }
  const std::vector<std::array<std::uint32_t, 2>>& edges() const { return edges_; }
  Pose pose(const DrawnBody& body, const Frame& frame) const;
  /// True if the frame has as many vertices as the first one.
  bool fits(const Frame& frame) const { return frame.mesh.vertices.size() == rest_.size(); }
  /// [m] Returns the reference position of each vertex of the frames.
  const std::vector<Vec<3>>& rest() const { return rest_; }
  /// True if the b-th body has the same triangles and lines, by its own vertices, as in `other`.
  bool is_drawn_as(const DrawnBodies& other, std::size_t b) const;

 private:
  void add_body(int body, bool is_obstacle, const std::vector<std::array<int, 3>>& triangles,
                const std::vector<std::array<int, 2>>& lines);
  double misfit(const DrawnBody& body, const Pose& pose, const Frame& frame) const;

  std::vector<Vec<3>> rest_;
  std::vector<DrawnBody> bodies_;
  std::vector<int> vertices_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::array<std::uint32_t, 2>> edges_;
  std::size_t num_moving_ = 0;
};

}  // namespace clearance::page
