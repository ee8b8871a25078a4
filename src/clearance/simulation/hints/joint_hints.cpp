#include "clearance/simulation/hints/joint_hints.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {

namespace {

constexpr double many_sizes = 10.0, many_distances = 5.0;

/// Returns the body of that name; null if the name is that of the world or of several bodies.
const BodyInstance* find_instance(const SceneModel& scene, const std::string& name) {
  const auto found = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                  [&](const BodyInstance& body) { return body.name == name; });
  return found != scene.bodies.end() ? &*found : nullptr;
}

/// Returns the vector from the nearest point of a box, which is zero inside of it.
Vec<3> away_from(const BoundingBox& box, const Vec<3>& point) {
  return point - point.cwiseMax(box.min).cwiseMin(box.max);
}

/// Returns the distance of the joint from a box [m]. All points of a hinge's axis do the same.
double distance_of(const JointDesc& joint, int dim, const BoundingBox& box) {
  Vec<3> away = away_from(box, joint.point);
  if (dim == 3 && joint.kind == JointKind::hinge) away -= away.dot(joint.axis) / joint.axis.squaredNorm() * joint.axis;
  return away.norm();
}

}  // namespace

void warn_of_distant_joints(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  for (std::size_t j = 0; j < desc.joints.size(); ++j) {
    const JointDesc& joint = desc.joints[j];
    const BodyInstance* a = find_instance(scene, joint.bodies[0]);
    const BodyInstance* b = find_instance(scene, joint.bodies[1]);
    // The point of a slider has no effect on its motion.
    if (a == nullptr || b == nullptr || joint.kind == JointKind::slider) continue;
    const BoundingBox box_a = bounding_box(a->mesh.vertices), box_b = bounding_box(b->mesh.vertices);
    const double apart = (box_a.min - box_b.max).cwiseMax(box_b.min - box_a.max).cwiseMax(Vec<3>::Zero()).norm();
    const double size = std::max(box_a.diagonal(), box_b.diagonal());
    const double distance = std::min(distance_of(joint, scene.dim, box_a), distance_of(joint, scene.dim, box_b));
    if (!(distance > std::max(many_sizes * size, many_distances * apart))) continue;
    add_hint(hints, "distant_joint", fmt::format("joints[{}].point", j),
             fmt::format("joint '{}' is {:.3g} m away from both of its bodies, '{}' and '{}', {:.2g} times the size of "
                         "the larger one. Its point is a place in the scene, not in a body",
                         joint.name, distance, a->name, b->name, distance / size));
  }
}

}  // namespace clearance
