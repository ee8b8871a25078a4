#include "clearance/simulation/output/soft_holds.h"

#include <map>

#include "clearance/model/blocks.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

std::vector<SoftHold> find_soft_holds(const SceneModel& scene, const VecX& x) {
  struct Sums {
    double force = 0.0, stiffness = 0.0;  // [N], [N/m]
    Vec<3> net = Vec<3>::Zero();          // [N]
  };
  std::map<int, Sums> sums;
  const int dim = scene.dim;
  const VecX moved = x - scene.initial_state.x;
  for (int b = 0; b < scene.hold_stiffness.size(); ++b) {
    const double stiffness = scene.hold_stiffness[b];
    if (!(stiffness > 0.0)) continue;
    const VecX force = stiffness * (moved.segment(static_cast<Eigen::Index>(dim) * b, dim));
    Sums& of_body = sums[body_of_block(scene.model, b)];
    of_body.force += force.norm();
    of_body.stiffness += stiffness;
    of_body.net.head(dim) += force;
  }
  std::vector<SoftHold> holds;
  for (const auto& [body, of_body] : sums) {
    const double size = bounding_box(scene.bodies[body].mesh.vertices).diagonal();
    holds.push_back(
        {body, of_body.force, of_body.force / (of_body.stiffness * size), of_body.net.norm() / of_body.stiffness});
  }
  return holds;
}

}  // namespace clearance
