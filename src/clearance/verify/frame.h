// The checks of `clearance verify` on one frame.
#pragma once

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clearance/verify/surface.h"

namespace clearance::verify {

/// The free side of a half-space, as scene.json has it.
struct VerifyHalfSpace {
  Vec<3> point = Vec<3>::Zero();    ///< [m]
  Vec<3> normal = Vec<3>::UnitY();  ///< any length
};

struct VerifyScene {
  std::vector<VerifyBody> bodies;  ///< bodies beyond its end have no name and the defaults
  std::vector<VerifyHalfSpace> half_spaces;
  bool has_contact = true;      ///< false: the scene was run without contact, surfaces may cross
  double min_separation = 0.0;  ///< [m] every gap between two bodies must be larger; 0: only touching is wrong
  bool obstacles_only = false;  ///< true: deformable bodies may cross each other
  /// [m] where the vertices of frames start, if a body has a radius: its own parts may be nearer than their radii if
  /// they start so.
  std::vector<Vec<3>> start = {};
  std::set<std::pair<int, int>> ignored_pairs;  ///< of entries, smaller one first, whose bodies may cross each other
};

enum class OffenseKind {
  intersection,
  inversion,
  inversion_at_rest,
  half_space,
  not_finite,
  separation,
  half_space_gap
};

/// One violation. Primitives are named by their vertices in the frame.
struct Offense {
  OffenseKind kind = OffenseKind::intersection;
  int body_a = 0, body_b = 0;    ///< equal unless two bodies meet; half-spaces: body_b is the index of the half-space
  std::vector<int> primitive_a;  ///< vertices of the edge (a point: p p), cell or vertex
  std::vector<int> primitive_b;  ///< vertices of the other edge or triangle; empty if there is none
  Vec<3> position = Vec<3>::Zero();  ///< [m] a vertex of primitive_a
};

struct FrameVerdict {
  int num_intersections = 0;  ///< pairs of edge and triangle (2D: two edges) with a common point
  int num_inversions = 0;     ///< elements of deformable bodies whose volume (2D: area) is not positive, also at rest
  int num_half_space_violations = 0;  ///< deformable vertices not strictly inside
  int num_not_finite = 0;             ///< vertices with a position or velocity that is no number
  int num_too_close = 0;              ///< pairs of primitives of two bodies, or vertices, without the scene's gap
  double smallest_gap = infinity;     ///< [m] of these, rounded
  double min_distance = infinity;     ///< [m] between primitives that may touch and share no vertex, and to half-spaces
  std::vector<Offense> offenses;      ///< the first few

  bool is_clean() const {
    return num_intersections + num_inversions + num_half_space_violations + num_not_finite + num_too_close == 0;
  }
};

inline constexpr int max_offenses_per_frame = 5;

/// True if every index of a cell names a vertex, every cell a body, and round shapes end at vertices. The others can be
/// neither verified nor given a surface.
bool has_valid_indices(const Frame& frame, const VerifyScene& scene);

/// `surface` belongs to the cells of `frame`.
FrameVerdict verify_frame(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene);

/// `frame.cell_is_obstacle` completes what the scene says about bodies, and their groups say who meets obstacles.
void add_obstacles(const Frame& frame, VerifyScene& scene);

}  // namespace clearance::verify
