#include "clearance/simulation/output/soft_holds.h"

#include <cmath>
#include <span>

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
    const auto way = [&](int b) { return Vec<dim>(block<dim>(x, b) - block<dim>(scene.initial_state.x, b)); };
    const int center = blocks.others.front();
    double turned_sq = 0.0;
    for (const int b : std::span(blocks.others).subspan(1)) {
      turned_sq += holds.stiffness[b] * holds.stiffness[b] * way(b).squaredNorm();
    }
    hold.motion = way(center).norm();
    hold.force = holds.stiffness[center] * hold.motion;
    hold.torque = std::sqrt(turned_sq) * size;
    hold.share = (hold.force + hold.torque / size) / (holds.stiffness[center] * size);
    return hold;
  }
  const WholeMotion<dim> whole = springs.motion(x, held);
  hold.motion = whole.shift.norm();
  hold.force = whole.stiffness * hold.motion;
  hold.torque = whole.torque.norm();
  hold.share = (hold.force + hold.torque / size) / (whole.stiffness * size);
  return hold;
}

}  // namespace

std::vector<SoftHold> find_soft_holds(const SceneModel& scene, const VecX& x) {
  const SoftHolds& holds = scene.soft_holds;
  std::vector<SoftHold> found;
  if (holds.bodies.empty()) return found;
  with_dimension(scene.dim, [&](auto dim) {
    const SoftHoldPotential<dim> springs(holds.blocks, holds.stiffness, scene.initial_state.x, scene.is_axisymmetric);
    for (std::size_t i = 0; i < holds.bodies.size(); ++i) {
      found.push_back(find_soft_hold<dim>(scene, springs, i, x));
    }
  });
  return found;
}

}  // namespace clearance
