// Frames of bodies whose elements change from frame to frame: a square of two triangles, then four, that is stretched,
// beside a rigid triangle that falls.
#pragma once

#include "clearance/io/mesh/vtu.h"

namespace clearance {

/// Returns a frame. Frames 0 and 1 have two triangles of the square, 2 and 3 have four around its middle, 4 has two
/// again. Body 0 is the square, 1 the triangle; at rest the square has a side of 1 m.
inline Frame adapting_frame(int index) {
  const bool is_split = index == 2 || index == 3;
  Frame frame;
  frame.mesh.dim = 2;
  std::vector<Vec<3>> rest = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  if (is_split) {
    rest.emplace_back(0.5, 0.5, 0);
    frame.mesh.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  } else {
    frame.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  }
  frame.cell_body.assign(frame.mesh.triangles.size(), 0);
  const double stretch = 1.0 + 0.1 * index;
  for (const Vec<3>& x : rest) frame.mesh.vertices.emplace_back(stretch * x[0], x[1] + 0.02 * index * x[0] * x[0], 0);
  const int first = static_cast<int>(rest.size());
  for (const Vec<3>& x : {Vec<3>(3, 0, 0), Vec<3>(4, 0, 0), Vec<3>(3, 1, 0)}) {
    rest.push_back(x);
    frame.mesh.vertices.push_back(x - 0.25 * index * Vec<3>::UnitY());
  }
  frame.mesh.triangles.push_back({first, first + 1, first + 2});
  frame.cell_body.push_back(1);
  frame.cell_is_obstacle.assign(frame.cell_body.size(), 0);
  frame.velocity.assign(rest.size(), Vec<3>(index, 0, 0));
  FrameArray& array = frame.point_arrays.emplace_back();
  array.name = "rest_position";
  array.num_components = 3;
  for (const Vec<3>& x : rest) array.values.insert(array.values.end(), x.begin(), x.end());
  frame.time = 0.1 * index;
  return frame;
}

}  // namespace clearance
