#include "clearance/simulation/output/soft_holds.h"

#include <Eigen/Geometry>

#include "clearance/math/dimension.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

namespace {

template <int dim>
SoftHold find_soft_hold(const SceneModel& scene, const SoftHoldPotential<dim>& springs, std::size_t held,
                        const VecX& x) {
  const SoftHolds& holds = scene.soft_holds;
  const HeldBlocks& blocks = holds.blocks[held];
  SoftHold hold;
  hold.body = holds.bodies[held];
  const double size = bounding_box(scene.bodies[hold.body].mesh.vertices).diagonal();
  if (blocks.nodes.empty()) {
    // The first block of a stiff body is its centre, and the others turn with it.
    const Vec<dim> shift = block<dim>(x, blocks.others[0]) - block<dim>(scene.initial_state.x, blocks.others[0]);
    double turned_sq = 0.0, stiffness = 0.0;
    for (const int b : blocks.others) {
      const bool is_center = b == blocks.others[0];
      const Vec<dim> way = block<dim>(x, b) - block<dim>(scene.initial_state.x, b);
      if (!is_center) turned_sq += holds.stiffness[b] * holds.stiffness[b] * way.squaredNorm();
      if (is_center) stiffness = holds.stiffness[b];
    }
    hold.motion = shift.norm();
    hold.force = stiffness * hold.motion;
    hold.torque = std::sqrt(turned_sq) * size;
    hold.share = stiffness > 0.0 ? (hold.force + hold.torque / size) / (stiffness * size) : 0.0;
    return hold;
  }
  const WholeMotion<dim> whole = springs.motion(x, held);
  double stiffness = 0.0;
  Vec<3> torque = Vec<3>::Zero();
  Vec<dim> center = Vec<dim>::Zero();
  for (const int b : blocks.nodes) {
    stiffness += holds.stiffness[b];
    center += holds.stiffness[b] * block<dim>(scene.initial_state.x, b);
  }
  center /= stiffness;
  for (const int b : blocks.nodes) {
    Vec<3> arm = Vec<3>::Zero();
    arm.template head<dim>() = block<dim>(scene.initial_state.x, b) - center;
    torque += holds.stiffness[b] * arm.cross(whole.turn.cross(arm));
  }
  hold.motion = whole.shift.norm();
  hold.turn = whole.turn.norm();
  hold.force = stiffness * hold.motion;
  hold.torque = torque.norm();
  hold.share = (hold.force + hold.torque / size) / (stiffness * size);
  return hold;
}

}  // namespace

std::vector<SoftHold> find_soft_holds(const SceneModel& scene, const VecX& x) {
  const SoftHolds& holds = scene.soft_holds;
  std::vector<SoftHold> found;
  if (holds.bodies.empty()) return found;
  with_dimension(scene.dim, [&](auto dim) {
    const SoftHoldPotential<dim> springs(holds.blocks, holds.stiffness, scene.initial_state.x);
    for (std::size_t i = 0; i < holds.bodies.size(); ++i) {
      found.push_back(find_soft_hold<dim>(scene, springs, i, x));
    }
  });
  return found;
}

}  // namespace clearance
