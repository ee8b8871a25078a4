// Watch on the rotation of elements of linear elasticity.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/watches/large_rotation.h"

namespace clearance {

class RotationWatch {
 public:
  RotationWatch() = default;
  RotationWatch(const SceneDesc& desc, const SceneModel& scene);

  /// Returns the largest rotation at the unknowns x. Curved elements are judged by their corners.
  LargeRotation measure(const VecX& x) const;

 private:
  struct Element {
    int body;
    std::array<int, 4> corners;  // corners as vertices of frames
    Mat<3> inverse_rest;         // inverse of the edges from the first corner
  };

  int dim_ = 3;
  std::vector<Element> elements_;
  SurfaceMap vertex_map_{3};
};

}  // namespace clearance
