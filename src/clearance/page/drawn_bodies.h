// Which vertices, triangles and lines of the frames a page draws, body by body, and which bodies keep their shape.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::page {

struct DrawnBody {
  int body = 0;  ///< its number in the frames
  bool is_obstacle = false;
  bool keeps_shape = false;  ///< in every frame it is an affine image of the first
  std::size_t first_vertex = 0, num_vertices = 0;
  std::size_t first_triangle = 0, num_triangles = 0;
  std::size_t first_edge = 0, num_edges = 0;
};

/// An affine map: columns of its linear part, then its translation.
using Pose = std::array<double, 12>;

class DrawnBodies {
 public:
  explicit DrawnBodies(const Frame& first) : DrawnBodies(first, first.mesh.vertices) {}
  /// `rest`: what shapes and poses of bodies are told from, in place of the frame's own positions.
  DrawnBodies(const Frame& frame, std::vector<Vec<3>> rest);

  /// What of a body's vertices in a frame is no affine image of the first frame decides that it does not keep its
  /// shape. Frames in any order; the same verdict comes out.
  void note_shape(const Frame& frame, std::vector<char>& changes) const;
  /// `changes`: 1 for bodies that do. Bodies that keep their shape then come last.
  void arrange(const std::vector<char>& changes);

  const std::vector<DrawnBody>& bodies() const { return bodies_; }
  std::size_t num_moving() const {
    return num_moving_;
  }  ///< vertices of bodies that change their shape: the first ones
  const std::vector<int>& vertices() const { return vertices_; }  ///< of the frames
  const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }
  const std::vector<std::array<std::uint32_t, 2>>& edges() const { return edges_; }
  Pose pose(const DrawnBody& body, const Frame& frame) const;
  /// The frame has as many vertices as the first one.
  bool fits(const Frame& frame) const { return frame.mesh.vertices.size() == rest_.size(); }
  /// [m] Where shapes and poses are told from, per vertex of the frames.
  const std::vector<Vec<3>>& rest() const { return rest_; }
  /// The b-th body is drawn with the same triangles and lines of its own vertices as in `other`.
  bool is_drawn_as(const DrawnBodies& other, std::size_t b) const;

 private:
  double misfit(const DrawnBody& body, const Pose& pose, const Frame& frame) const;

  std::vector<Vec<3>> rest_;
  std::vector<DrawnBody> bodies_;
  std::vector<int> vertices_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::array<std::uint32_t, 2>> edges_;
  std::size_t num_moving_ = 0;
};

}  // namespace clearance::page
