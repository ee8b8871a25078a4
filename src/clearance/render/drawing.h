// A drawing: triangles with smooth normals and colours, capsules for lines, spheres for points.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::render {

using Color = Eigen::Vector3f;  ///< linear RGB, 1 is white

/// Triangles with positions relative to `Drawing::origin`, in single precision as the ray tracer requires.
struct DrawTriangles {
  std::vector<Eigen::Vector3f> vertices;
  std::vector<std::array<unsigned, 3>> indices;
  std::vector<Eigen::Vector3f> corner_normals;  ///< three per triangle
  std::vector<Color> vertex_colors;
  std::size_t num_edged = 0;  ///< number of leading triangles whose edges are drawn
};

/// Segments with round ends, or spheres if both ends coincide.
struct DrawRods {
  std::vector<std::array<Eigen::Vector3f, 2>> ends;
  std::vector<Color> colors;
  std::vector<float> radii;  ///< of each; 0: the one below
  float radius = 0;

  float radius_of(std::size_t rod) const { return radii[rod] > 0 ? radii[rod] : radius; }
};

struct DrawPlane {
  Vec<3> point = Vec<3>::Zero();
  Vec<3> normal = Vec<3>::UnitY();  ///< unit, toward the free side
};

struct Drawing {
  Vec<3> origin = Vec<3>::Zero();
  double size = 1;  ///< [m] diagonal of the region that the camera frames
  Vec<3> up = Vec<3>::UnitY();
  bool is_plane = false;
  DrawTriangles bodies, obstacles;
  DrawRods body_rods, obstacle_rods;
  std::vector<DrawPlane> planes;
};

}  // namespace clearance::render
