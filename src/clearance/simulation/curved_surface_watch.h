// Curved boundaries between the flat pieces that touch for them: how far they are from these, and whether the smallest
// gap that contact leaves keeps them apart. Two points of different pieces that are as near as twice that distance may
// belong to boundaries that intersect, and none that are farther apart do.
#pragma once

#include <vector>

#include "clearance/simulation/curved_distance.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// [m] What min_separation must be for `contact.separate_curved`: three times the largest distance at the
/// start, so that boundaries may become rounder by half. Surfaces of their own do not count.
double separation_of_curved(const SceneDesc& desc, const std::vector<BodyInstance>& bodies);

/// Nothing unless the scene has `contact.separate_curved`.
class CurvedSurfaceWatch {
 public:
  CurvedSurfaceWatch() = default;
  CurvedSurfaceWatch(const SceneDesc& desc, const SceneModel& scene);

  CurvedDistance look(const VecX& x) const;

 private:
  struct Body {
    int body;
    Mesh mesh;
    std::size_t first_vertex;  // of vertex_map_
    int segments;
  };
  std::vector<Body> bodies_;
  double min_separation_ = 0.0;
  SurfaceMap vertex_map_{3};
};

}  // namespace clearance
