// Normals of triangles for drawing: smooth over curved surfaces, discontinuous at sharp edges.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::exchange {

/// Triangles with separate vertices for each side of a sharp edge.
class Shading {
 public:
  /// Finds the sharp edges, where normals at the positions `places` differ by more than 35 degrees.
  Shading(std::span<const Vec<3>> places, std::span<const std::array<std::uint32_t, 3>> triangles);

  /// Returns the original vertex of each drawn vertex.
  const std::vector<std::uint32_t>& sources() const { return sources_; }
  /// Returns the triangles by drawn vertices.
  const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }
  /// Returns a unit normal per drawn vertex, averaged over its triangles by area.
  std::vector<Vec<3>> normals(std::span<const Vec<3>> places) const;

 private:
  void number_vertices(const std::vector<std::uint32_t>& roots);

  std::vector<std::uint32_t> sources_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
};

}  // namespace clearance::exchange
