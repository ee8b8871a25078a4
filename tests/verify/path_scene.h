// Layouts and moves made by hand for tests of paths.
#pragma once

#include <vector>

#include "clearance/verify/paths/path_points.h"

namespace clearance::verify {

/// Vertices that are nodes, and their move.
struct PathScene {
  PathLayout layout;
  PathMove move;

  /// Adds a node that moves straight. Returns its vertex.
  int add_node(const Vec<3>& p0, const Vec<3>& p1) {
    add_block(p0, p1, -1);
    return add_vertex({{layout.num_blocks - 1, 1.0}});
  }
  /// Adds a rigid body with a centre, that turns and shifts. Returns its number.
  int add_rigid(const Vec<3>& center, const PathScrew& screw) {
    const int stiff = static_cast<int>(layout.stiff.size());
    layout.stiff.push_back({layout.num_blocks, true, layout.num_rigid++});
    const double angle = screw.turn.norm();
    const Mat<3> rotation = angle > 0.0 ? rotation_about(screw.turn / angle, angle) : Mat<3>(Mat<3>::Identity());
    add_block(center, center + screw.shift, stiff);
    for (int i = 0; i < 3; ++i) add_block(Mat<3>::Identity().col(i), rotation.col(i), stiff);
    move.screws.push_back(screw);
    return stiff;
  }
  /// Adds a vertex of a rigid body, at `arm` [m] from its centre. Returns its number.
  int add_arm(int stiff, const Vec<3>& arm) {
    const int first = layout.stiff[stiff].first_block;
    return add_vertex({{first, 1.0}, {first + 1, arm[0]}, {first + 2, arm[1]}, {first + 3, arm[2]}});
  }
  PathPoints points() const { return PathPoints(layout, move); }

  static Mat<3> rotation_about(const Vec<3>& axis, double angle) {
    Mat<3> k;
    k << 0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0;
    return Mat<3>::Identity() + std::sin(angle) * k + (1.0 - std::cos(angle)) * k * k;
  }

 private:
  void add_block(const Vec<3>& p0, const Vec<3>& p1, int stiff) {
    move.x_t0.insert(move.x_t0.end(), p0.data(), p0.data() + 3);
    move.x_t1.insert(move.x_t1.end(), p1.data(), p1.data() + 3);
    layout.stiff_of_block.push_back(stiff);
    ++layout.num_blocks;
  }
  int add_vertex(const std::vector<PathLayout::Term>& terms) {
    if (layout.first_term.empty()) layout.first_term.push_back(0);
    layout.terms.insert(layout.terms.end(), terms.begin(), terms.end());
    layout.first_term.push_back(static_cast<int>(layout.terms.size()));
    layout.offsets.push_back(Vec<3>::Zero());
    return layout.num_vertices() - 1;
  }
};

}  // namespace clearance::verify
