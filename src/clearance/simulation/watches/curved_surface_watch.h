// Watches how far curved boundaries are from the flat pieces that stand for them in contact, and whether the smallest
// gap that contact leaves keeps the boundaries apart. Boundaries can intersect only where two points of different
// pieces are no farther apart than twice that distance.
#pragma once

#include <vector>

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/watches/curved_distance.h"

namespace clearance {

/// Returns the min_separation [m] that `contact.separate_curved` needs: three times the largest distance at the start,
/// so that the distance may grow by half. Separate collision surfaces do not count.
double separation_of_curved(const SceneDesc& desc, const std::vector<BodyInstance>& bodies);

/// A watch on the curved boundaries of a scene; it does nothing unless the scene has `contact.separate_curved`.
class CurvedSurfaceWatch {
 public:
  CurvedSurfaceWatch() = default;
  CurvedSurfaceWatch(const SceneDesc& desc, const SceneModel& scene);

  CurvedDistance measure(const VecX& x) const;

 private:
  struct Body {
    int body;
    Mesh mesh;
    std::size_t first_vertex;  // index into vertex_map_
    int segments;
  };
  std::vector<Body> bodies_;
  double min_separation_ = 0.0;
  SurfaceMap vertex_map_{3};
};

}  // namespace clearance
