// Proves one move of a run free of contacts and inversions, for `clearance verify --paths`.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "clearance/verify/frame.h"
#include "clearance/verify/pair_rules.h"
#include "clearance/verify/paths/path_pair.h"

namespace clearance::verify {

/// A thing that a move does not prove. Primitives are named by their vertices in frames.
struct PathOffense {
  enum class Kind { meeting, volume, half_space };
  Kind kind = Kind::meeting;
  PathVerdict verdict = PathVerdict::undecided;
  double time = 0.0;             ///< in the move, from 0 to 1
  int body_a = 0, body_b = 0;    ///< half-spaces: body_b is the number of the half-space
  std::vector<int> primitive_a;  ///< vertices
  std::vector<int> primitive_b;  ///< vertices; empty if there is none
};

/// Distance between the end of a rigid body's screw and the end of its move, as a share of its size, that rounding
/// explains. A move that misses by more is judged no further: its ways are not those of the screws.
inline constexpr double largest_miss_by_rounding = 1e-9;

/// Numbers of one or more moves.
struct PathCounts {
  long num_pairs = 0;        ///< pairs of primitives that come near and are proved apart all the way
  long num_rational = 0;     ///< those of them, and of the volumes, that rational numbers have decided
  long num_volumes = 0;      ///< elements and maps of stiff bodies with a positive volume all the way
  long num_half_spaces = 0;  ///< vertices proved inside of a half-space
  long num_violated = 0, num_undecided = 0;
  double largest_miss = 0.0;          ///< of the ends of screws (PathPoints::largest_miss)
  std::vector<PathOffense> offenses;  ///< the first few

  void add(const PathCounts& other);
};

/// Surfaces and rules that the moves of a run are checked against: constant while elements do not change.
class MoveCheck {
 public:
  /// `frame` is any frame of the run, `surface` that of its cells. All must outlive the object. `scene.start` must be
  /// set where bodies have a thickness.
  MoveCheck(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene, const PathLayout& layout);

  PathCounts check(const PathMove& move) const;

  /// Elements with curved sides, whose volumes along moves are not checked.
  int num_curved() const { return num_curved_; }
  /// Vertices that follow rigid bodies and other things at once, whose ways are not known.
  int num_unknown() const { return num_unknown_; }

 private:
  /// A segment (or point) that may touch others: an edge of a surface, or the axis of a sphere or capsule.
  struct Axis {
    std::array<int, 2> ends;
    int body;
    double radius;  ///< [m] of a sphere or capsule; else that of the body
    bool is_round;
  };
  struct Part;

  double gap_between(int body, int other, double radius, double other_radius, bool is_round,
                     double distance_sq_at_start) const;
  void check_pairs(const PathPoints& points, PathCounts& counts) const;
  void check_volumes(const PathPoints& points, const PathMove& move, PathCounts& counts) const;
  void check_half_spaces(const PathPoints& points, PathCounts& counts) const;

  const Frame& frame_;
  const VerifySurface& surface_;
  const VerifyScene& scene_;
  const PathLayout& layout_;
  PairRules rules_;
  std::vector<int> stiff_;  // per vertex: stiff_of_vertices
  std::vector<Axis> axes_;
  std::vector<Axis> corners_;            // vertices of surfaces and ends of axes, as points
  std::vector<int> triangles_;           // of surface_, of bodies that collide with their cells
  std::vector<char> meets_half_spaces_;  // per vertex of a body without spheres and capsules
  int num_curved_ = 0, num_unknown_ = 0;
};

}  // namespace clearance::verify
