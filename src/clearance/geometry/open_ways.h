// Decides whether a straight way from a node of a body's surface to a point leads out of the body.
#pragma once

#include <span>
#include <vector>

#include "clearance/geometry/nearest_point.h"

namespace clearance {

/// Ways from the nodes of one body to points near them. A face *looks along* a direction if its normal is within 60
/// degrees of it.
class OpenWays {
 public:
  /// Takes the boundary of a solid, oriented as by boundary_triangles (2D: boundary_edges), or with `is_solid` false
  /// the triangles of a sheet; a body without faces has no pieces. All z are 0 in 2D. `points` must outlive the object.
  OpenWays(int dim, std::vector<SurfacePiece> pieces, std::span<const Vec<3>> points, bool is_solid);

  /// Returns whether the way from `node` to `end` is open: no face that looks along it, or against it, cuts it off. On
  /// a solid the node must also be on the boundary and a face there (or the mean of its faces) look along the way. A
  /// way back into the solid is open if `end` is not deeper below that face than half the solid there: both surfaces
  /// then overlap. A way that is not longer than `touching` [m] is open.
  bool is_open(int node, const Vec<3>& end, double touching) const;

 private:
  struct Face {
    Vec<3> normal;  // of length 1; zero without an area
    Vec<3> center;
    double radius;
  };

  Vec<3> normal_of(const SurfacePiece& piece) const;
  bool is_cut_off(int node, const Vec<3>& start, const Vec<3>& end) const;
  bool cuts(const SurfacePiece& piece, const Vec<3>& start, const Vec<3>& end) const;
  double distance(const SurfacePiece& piece, const Vec<3>& p) const;

  int dim_;
  bool is_solid_;
  std::vector<SurfacePiece> pieces_;
  std::span<const Vec<3>> points_;
  std::vector<Face> faces_;
  std::vector<std::vector<int>> faces_of_node_;
  std::vector<Vec<3>> mean_normal_;  // of the faces at each node, by their angles there; of length 1 or zero
};

}  // namespace clearance
