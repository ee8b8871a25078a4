// Values of elements on the collision surfaces that follow them: frames hold these surfaces with vertices and cells of
// their own, which no element has.
#pragma once

#include <span>
#include <vector>

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

class FollowingSurface {
 public:
  explicit FollowingSurface(const SceneModel& scene);

  bool is_empty() const { return followers_.empty(); }
  /// Gives the vertices that follow nodes the values that these interpolate. `values` has `num_components` numbers per
  /// vertex of frames. A value stays between those of its nodes: the weights of higher orders are negative in places,
  /// and those of a vertex outside of all elements are large.
  void interpolate(int num_components, std::span<double> values) const;
  /// Gives the cells of the surfaces the mean of their corners. The value of a node is the mean of the elements around
  /// it. `values` has `num_components` numbers per cell of frames.
  void fill_cells(int num_components, std::vector<double>& values) const;

 private:
  struct Weight {
    int vertex;  // of frames: a node
    double weight;
  };
  struct Follower {
    int vertex;  // of frames
    std::vector<Weight> nodes;
  };

  const SceneModel& scene_;
  std::vector<Follower> followers_;
};

}  // namespace clearance
