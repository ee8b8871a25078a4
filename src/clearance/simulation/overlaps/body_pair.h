// A pair of bodies, the first of which is shifted as a whole: tells whether the two are apart, and how far they have to
// be moved.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/simulation/build/solid.h"
#include "clearance/simulation/start/body_surfaces.h"

namespace clearance {

/// Returns true if the boxes of two bodies are more than `gap` apart when the first one is shifted by `shift`.
bool are_boxes_apart(const BodySurfaces& surfaces, const std::array<int, 2>& bodies, const Vec<3>& shift, double gap);

class BodyPair {
 public:
  /// Prepares the pair. `solids` holds the inside of each body of the scene (Solid::inside_of). All arguments must
  /// outlive the pair.
  BodyPair(const SceneModel& scene, const BodySurfaces& surfaces, const std::vector<std::optional<Solid>>& solids,
           int first, int second);

  /// Returns true if, with the first body shifted, no surfaces meet, neither body is inside the other, and nothing of
  /// one is closer than `gap` to the other. The first two tests are exact. A body that starts in a container
  /// (`is_container`) has to stay there.
  bool is_apart(const Vec<3>& shift, double gap);

  /// True if one of the bodies is meant to be inside the other.
  bool is_contained() const { return is_around_[0] || is_around_[1]; }

  /// Returns a short shift, in addition to `shift`, that leaves the pair apart. The search tries many directions:
  /// normals of the faces that meet, and others all around, each reduced to the components that are `free`. Returns
  /// nothing if no such shift is found.
  std::optional<Vec<3>> find_least_shift(const Vec<3>& shift, double gap, const std::array<bool, 3>& free);

 private:
  void add_side(std::size_t side, std::vector<double>& flat);
  std::vector<Vec<3>> shift_directions(const Vec<3>& shift, const std::array<bool, 3>& free);
  void place(const Vec<3>& shift);
  Vec<3> point(int vertex) const;
  bool meets(std::vector<Vec<3>>* normals = nullptr);
  bool comes_closer(double gap);
  bool is_enclosed(const Vec<3>& shift) const;
  bool is_on_wrong_side(std::size_t outer, const Vec<3>& vertex_of_other) const;
  /// Returns how far [m] the first body has to move along a unit direction to be beyond the second one for sure,
  /// whatever their shapes.
  double distance_beyond(const Vec<3>& direction, const Vec<3>& shift, double gap) const;

  const SceneModel& scene_;
  int dim_;
  std::array<int, 2> bodies_;
  std::array<int, 2> counts_{};      // numbers of surface vertices
  std::array<bool, 2> is_around_{};  // true if the body is around the other one
  const BodySurfaces& surfaces_;
  const std::vector<std::optional<Solid>>& solids_;
  SurfaceTopology topology_;
  std::unique_ptr<BroadPhase> broad_phase_;
  VecX start_, x_;
};

}  // namespace clearance
