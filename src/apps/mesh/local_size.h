// How long edges may be at each place: shorter in thin walls, in narrow gaps and along sharp edges that bend.
#pragma once

#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance::mesh {

struct SizeOptions {
  double edge_length = 0.0;  ///< [m] the longest
  double thin_share = 0.0;   ///< of the thickness of a wall or gap: edges there are no longer; 0: as long as elsewhere
  double feature_angle = 0.0;  ///< [deg] edges that are kept; 0: none are
  double chord_share = 0.0;    ///< of the edge length: sharp edges leave their curve by about so much at most
};

/// Wanted edge lengths on a grid of points. They grow by less than half of the distance from where they are short.
class LocalSize {
 public:
  /// `surface`: closed, looking outwards.
  LocalSize(const Mesh& surface, const SizeOptions& options);

  /// [m]
  double at(const Vec<3>& x) const;
  /// [m]
  double smallest() const { return smallest_; }
  /// Estimate of the vertices in thin walls and gaps.
  std::size_t num_in_walls() const { return num_in_walls_; }
  bool is_uniform() const { return lengths_.empty(); }

 private:
  /// A place where edges have to be shorter than elsewhere.
  struct Sample {
    Vec<3> place;
    double length;  ///< [m]
    double area;    ///< [m^2] of the surface that it stands for
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
