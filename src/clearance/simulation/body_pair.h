// Two bodies, one of which is shifted as a whole: whether they are apart, and how far they would have to be moved.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/simulation/body_surfaces.h"
#include "clearance/simulation/solid.h"

namespace clearance {

/// Whether their boxes alone tell that two bodies are, with the first one shifted.
bool are_boxes_apart(const BodySurfaces& surfaces, const std::array<int, 2>& bodies, const Vec<3>& shift, double gap);

class BodyPair {
 public:
  /// `solids`: per body its inside (Solid::inside_of). All must outlive the pair.
  BodyPair(const SceneModel& scene, const BodySurfaces& surfaces, const std::vector<std::optional<Solid>>& solids,
           int first, int second);

  /// With the first body shifted: no surfaces meet, none is inside of the other, and nothing of one is closer than
  /// `gap` to the other. The first two are exact. What starts in a container (`is_container`) has to stay there.
  bool is_apart(const Vec<3>& shift, double gap);

  /// One of them is meant to be in the other.
  bool is_contained() const { return is_around_[0] || is_around_[1]; }

  /// A short shift in addition to `shift` that leaves the pair apart, found by trying many directions: those of the
  /// faces that meet, and others all around. Only directions with components that are `free` are tried. None: there is
  /// no such shift.
  std::optional<Vec<3>> find_least_shift(const Vec<3>& shift, double gap, const std::array<bool, 3>& free);

 private:
  void place(const Vec<3>& shift);
  Vec<3> point(int vertex) const;
  bool meets(std::vector<Vec<3>>* normals = nullptr);
  bool comes_closer(double gap);
  bool is_enclosed(const Vec<3>& shift) const;
  bool is_on_wrong_side(std::size_t outer, const Vec<3>& vertex_of_other) const;
  /// How far along a unit direction the first body is beyond the second one for sure, whatever their shapes.
  double distance_beyond(const Vec<3>& direction, const Vec<3>& shift, double gap) const;

  const SceneModel& scene_;
  int dim_;
  std::array<int, 2> bodies_;
  std::array<int, 2> counts_{};      // surface vertices
  std::array<bool, 2> is_around_{};  // the other body
  const BodySurfaces& surfaces_;
  const std::vector<std::optional<Solid>>& solids_;
  SurfaceTopology topology_;
  std::unique_ptr<BroadPhase> broad_phase_;
  VecX start_, x_;
};

}  // namespace clearance
