#include "clearance/simulation/overlaps/container.h"

namespace clearance {

namespace {

/// Approximate number of vertices of a body that are tested to decide whether an obstacle is around it.
constexpr int max_container_points = 64;

}  // namespace

bool is_container(const SceneModel& scene, const BodySurfaces& surfaces, const std::optional<Solid>& inside, int outer,
                  int inner) {
  if (!inside || !scene.bodies[outer].is_obstacle) return false;
  const BoundingBox &around = surfaces.box(outer), &box = surfaces.box(inner);
  const Vec<3> middle = 0.5 * (box.min + box.max);
  if ((box.size().array() > around.size().array()).any()) return false;
  if ((middle.array() < around.min.array()).any() || (middle.array() > around.max.array()).any()) return false;
  if (!inside->holds(middle)) return false;
  const int count = surfaces.num_vertices(inner);
  const int stride = count / max_container_points + 1;
  int num_inside = 0, num_asked = 0;
  for (int v = 0; v < count; v += stride, ++num_asked) {
    num_inside += inside->holds(surfaces.position(surfaces.first_vertex(inner) + v)) ? 1 : 0;
  }
  return 2 * num_inside > num_asked;
}

}  // namespace clearance
