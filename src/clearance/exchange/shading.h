// Normals of triangles for drawing: smooth over bent surfaces, broken along sharp edges.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::exchange {

/// A vertex on a sharp edge becomes one for each side of it.
class Shading {
 public:
  /// Edges are sharp where normals turn by more than 35 degrees at these places.
  Shading(std::span<const Vec<3>> places, std::span<const std::array<std::uint32_t, 3>> triangles);

  /// The vertex that each drawn one is at.
  const std::vector<std::uint32_t>& sources() const { return sources_; }
  /// Of drawn vertices.
  const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }
  /// Unit vectors of the drawn vertices, weighted by areas.
  std::vector<Vec<3>> normals(std::span<const Vec<3>> places) const;

 private:
  std::vector<std::uint32_t> sources_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
};

}  // namespace clearance::exchange
