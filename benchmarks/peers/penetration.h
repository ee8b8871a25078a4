#pragma once

#include <vector>

#include "box_scene.h"

namespace peers {

/// Returns the length of the shortest translation that separates two boxes [m]; 0 if they do not overlap. Exact up to
/// rounding: the faces of the difference of two boxes have 15 directions (three axes of each, nine products), and the
/// shortest way out of a convex body is along the normal of a face.
double box_box_penetration(const Box& a, const Box& b);

/// Returns the same for a ball and a box.
double ball_box_penetration(const Eigen::Vector3d& center, double radius, const Box& box);

/// Deepest overlap of any two bodies, by kind of pair [m].
struct Penetration {
  double box_box = 0;
  double ball_box = 0;
  double ground = 0;  // a box or the ball with the ground

  double deepest() const;
  void keep_deeper(const Penetration& other);
};

/// Measures all pairs of `scene` whose enclosing spheres meet, with boxes and ball where `scene` has them.
Penetration measure_penetration(const BoxScene& scene);

}  // namespace peers
