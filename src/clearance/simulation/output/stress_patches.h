// Elements around the corners of elements, within which the stress of a scene is smooth.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// The patches of a scene: for each corner of elements the elements around it that have the same body, elastic
/// constants and order. The stress jumps between materials, so a corner where two of them meet has two patches.
class StressPatches {
 public:
  explicit StressPatches(const SceneModel& scene);

  int num_patches() const { return static_cast<int>(order_.size()); }
  int num_elements() const { return static_cast<int>(body_of_element_.size()); }
  int order(int patch) const { return order_[patch]; }
  int body_of_element(int element) const { return body_of_element_[element]; }
  /// Returns a number that elements share if they have the same body, elastic constants and order.
  int zone(int element) const { return zone_of_element_[element]; }
  /// Returns the elements around the corner of a patch, in ascending order.
  std::span<const int> elements(int patch) const {
    return std::span(elements_).subspan(first_element_[patch], first_element_[patch + 1] - first_element_[patch]);
  }
  /// Returns the patches of the dim + 1 corners of an element.
  std::span<const int> patches_of(int element) const {
    return std::span(patch_of_corner_).subspan(num_corners_ * static_cast<std::size_t>(element), num_corners_);
  }
  /// Adds to `elements` their neighbours in the same body and material: those that share a corner. Returns false if
  /// there are none.
  bool grow(std::vector<int>& elements) const;

 private:
  std::size_t num_corners_;
  std::vector<int> body_of_element_, zone_of_element_, patch_of_corner_;
  std::vector<int> order_, first_element_, elements_;
};

/// Returns the nodes of the shape of an element, as vertices of frames, in the order of lagrange_nodes.
std::span<const int> shape_nodes(const SceneModel& scene, int element);

}  // namespace clearance
