// Longest allowed edge at each place: shorter in thin walls, in narrow gaps and along sharp edges that bend.
#pragma once

#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance::mesh {

struct SizeOptions {
  double edge_length = 0.0;  ///< [m] the longest anywhere
  double thin_share = 0.0;   ///< longest edge as a share of a wall's or gap's thickness; 0: walls and gaps do not count
  double feature_angle = 0.0;  ///< [deg] edges sharper than this are kept; 0: none are
  /// largest distance of sharp edges from their curve, about, as a share of the edge length
  double chord_share = 0.0;
};

/// Wanted edge lengths on a grid of points. A length grows by less than half of the distance from the place that needs
/// it.
class LocalSize {
 public:
  /// `surface` is closed, and its normals point outwards.
  LocalSize(const Mesh& surface, const SizeOptions& options);

  /// Returns the wanted edge length at `x` [m].
  double at(const Vec<3>& x) const;
  /// Returns the shortest wanted edge length [m].
  double smallest() const { return smallest_; }
  /// Returns the estimated number of vertices in thin walls and gaps.
  std::size_t num_in_walls() const { return num_in_walls_; }
  bool is_uniform() const { return lengths_.empty(); }

 private:
  /// A place where edges have to be shorter than elsewhere.
  struct Sample {
    Vec<3> place;
    double length;  ///< [m]
    double area;    ///< [m^2] of the surface that the sample stands for
  };

  void measure_walls(const Mesh& surface, double thin_share, std::vector<Sample>& samples) const;
  void measure_bends(const Mesh& surface, const SizeOptions& options, std::vector<Sample>& samples) const;
  void limit_number(double area, std::vector<Sample>& samples);
  void make_grid(const BoundingBox& box, const std::vector<Sample>& samples);
  std::array<std::size_t, 3> cell_of(const Vec<3>& x) const;
  std::size_t index_of(const std::array<std::size_t, 3>& cell) const;
  void spread();

  double longest_;
  double smallest_;
  std::size_t num_in_walls_ = 0;
  Vec<3> origin_ = Vec<3>::Zero();
  double spacing_ = 0.0;  // [m]
  std::array<std::size_t, 3> counts_{};
  std::vector<double> lengths_;  // [m] at the points of the grid; empty: longest_ everywhere
};

}  // namespace clearance::mesh
