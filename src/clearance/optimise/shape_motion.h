// Motion of a mesh at rest with the vertices of its boundary that a design decides: the inside follows, and changes of
// the boundary can be smoothed.
#pragma once

#include <memory>
#include <vector>

#include "clearance/optimise/state_mesh.h"

namespace clearance::optimise {

/// Moves the vertices inside harmonically with the boundary, small elements more stiffly than large ones. Vertices of
/// the boundary that are not `moved` stay.
class InsideMotion {
 public:
  InsideMotion(const StateMesh& mesh, const std::vector<int>& moved);
  ~InsideMotion();
  InsideMotion(const InsideMotion&) = delete;
  InsideMotion& operator=(const InsideMotion&) = delete;

  /// Moves the vertices inside of `x_rest`, where those of the boundary have been moved.
  void follow(VecX& x_rest) const;
  /// Adds derivatives by the vertices inside to those by the moved ones, which they follow.
  void collect(VecX& slope) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Displacements of vertices of the boundary as a smooth function of numbers: (m + length^2 k)^-1 m^(1/2), with the
/// masses m and the Laplacian k of the boundary. A steepest descent in these numbers is one along the Sobolev gradient,
/// which has no oscillations that are shorter than the length [Hoj14]. Vertices that are not moved stay.
class SmoothChange {
 public:
  /// `length`: [m]
  SmoothChange(const StateMesh& mesh, const std::vector<int>& moved, double length);
  ~SmoothChange();
  SmoothChange(const SmoothChange&) = delete;
  SmoothChange& operator=(const SmoothChange&) = delete;

  /// Returns the displacements for numbers of the same size: dim per moved vertex.
  VecX of_numbers(const VecX& z) const;
  /// Returns derivatives by the numbers from those by the displacements.
  VecX pull_back(const VecX& slope) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns the largest share of the way from one shape at rest to another, up to 1, on which every element keeps a part
/// of its volume.
double longest_motion(const StateMesh& mesh, const VecX& x_rest_t0, const VecX& x_rest_t1);

/// Mean length of the edges of elements [m].
double mean_edge(const StateMesh& mesh);

}  // namespace clearance::optimise
