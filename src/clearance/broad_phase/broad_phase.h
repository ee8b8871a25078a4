// Broad phase: finds the pairs of primitives of moving surfaces that may come close.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "clearance/geometry/surface.h"
#include "clearance/math/types.h"

namespace clearance {

/// Pairs of primitive indices, sorted and unique; no pair shares a vertex; every pair has at least one pair of vertices
/// that can_touch.
struct Candidates {
  std::vector<std::array<int, 2>> point_triangle;  ///< 3D: (vertex, triangle)
  std::vector<std::array<int, 2>> edge_edge;       ///< 3D: (edge, edge), first < second
  /// 2D: (vertex, edge); 3D: (vertex, lone edge) of surfaces with a radius
  std::vector<std::array<int, 2>> point_edge;
  /// (lone vertex, lone vertex), first < second, of surfaces with a radius
  std::vector<std::array<int, 2>> point_point;

  /// True if the lists hold all pairs; false if there are more than BroadPhase::limit_pairs allows, and then none of
  /// them is here.
  bool is_complete = true;

  std::size_t size() const { return point_triangle.size() + edge_edge.size() + point_edge.size() + point_point.size(); }
};

inline constexpr std::size_t unlimited_pairs = static_cast<std::size_t>(-1);

/// Box trees, one per body, or their brute-force twin over one surface. The topology must outlive the object.
///
/// The box of a primitive is the union of the boxes of its vertices at both ends of the motion, so that it holds the
/// primitive at all times between; two primitives that come closer than 2 `inflation` anywhere on the way are therefore
/// a pair. Boxes are rounded outwards to float: a few pairs more than exact boxes give, never one less. Both twins use
/// the same boxes and return the same pairs. Points are all vertices, also those of codimensional points and segments.
/// Vertices of one primitive must share body and group.
///
/// A surface with radii has spheres and capsules: lone vertices (of no edge) and lone edges (of no triangle), which
/// meet as such. A box does not contain the radius: whoever asks inflates by it.
///
/// Calls on one object must not overlap; each uses all threads, and its result does not depend on their number nor on
/// earlier calls.
class BroadPhase {
 public:
  virtual ~BroadPhase() = default;

  /// Returns all pairs whose boxes swept over the straight path from x_t0 to x_t1, each inflated by `inflation` on
  /// every side, overlap. Positions are flat, dim numbers per vertex. Pass x_t1 = x_t0 for a static query. The true
  /// path of vertex v stays within deviation[v] [m] of the straight one (rigid bodies move on arcs): its box grows by
  /// that much on every side. An empty `deviation` stands for straight paths.
  virtual Candidates find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                                     const std::vector<double>& deviation = {}) = 0;

  /// Limits the pairs that find_candidates returns: at most `most` of each kind, and none at all if there are more,
  /// since memory may not suffice for all pairs of a large surface. The default is no limit.
  void limit_pairs(std::size_t most) { most_pairs_ = most; }

  /// Returns the pairs (edge, triangle), in 2D the pairs (edge, edge) with first < second, whose static boxes overlap,
  /// that share no vertex and can touch: input of the exact intersection test. Sorted and unique.
  virtual std::vector<std::array<int, 2>> find_intersection_candidates(const VecX& x) = 0;

 protected:
  std::size_t most_pairs_ = unlimited_pairs;
};

/// The spheres and capsules of a surface, empty if it has no radii.
struct LonePrimitives {
  std::vector<int> vertices;  ///< lone vertices, ascending
  std::vector<int> edges;     ///< numbers of the lone edges, ascending
};
LonePrimitives find_lone_primitives(const SurfaceTopology& surface);

std::unique_ptr<BroadPhase> make_broad_phase(int dim, const SurfaceTopology& surface);
std::unique_ptr<BroadPhase> make_brute_force(int dim, const SurfaceTopology& surface);

}  // namespace clearance
