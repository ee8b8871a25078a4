// The point of a surface that is nearest to another point.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// A point, an edge or a triangle by the numbers of its corners; those that it lacks are -1.
using SurfacePiece = std::array<int, 3>;

/// A point of a piece as the weighted mean of its corners.
struct NearestPoint {
  int piece = -1;  ///< -1: there is none
  std::array<double, 3> weights{};
  double distance = 0.0;  ///< [m]
};

/// Finds nearest points. A query looks at all pieces, but at their spheres first.
class NearestPoints {
 public:
  /// 2D: all z are 0.
  NearestPoints(std::vector<SurfacePiece> pieces, std::span<const Vec<3>> points);

  const SurfacePiece& piece(int i) const { return pieces_[i]; }
  /// Returns the nearest point; of several the one on the first piece. Pieces with the corner `other_than` do not
  /// count.
  NearestPoint find(const Vec<3>& p, int other_than = -1) const;

 private:
  struct Sphere {
    Vec<3> center;
    double radius;
  };
  std::vector<SurfacePiece> pieces_;
  std::span<const Vec<3>> points_;
  std::vector<Sphere> spheres_;
};

}  // namespace clearance
