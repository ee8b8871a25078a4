#include "clearance/simulation/build/soft_hold.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "clearance/bodies/fem/soft_hold_potential.h"
#include "clearance/math/dimension.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/build/supports.h"

namespace clearance {

namespace {

/// Share of the mean stiffness of a body's nodes that its springs have in a scene without loads, where motions alone
/// act.
constexpr double least_share = 1e-4;
/// Times at which loads are evaluated, spread evenly over the run.
constexpr int num_times = 8;

/// Returns the largest sum [N] of the magnitudes of all given forces.
double size_of_loads(const SceneDesc& desc, const SceneModel& scene) {
  const VecX& x = scene.initial_state.x;
  double largest = 0.0;
  for (int i = 1; i <= num_times; ++i) {
    VecX gradient = VecX::Zero(x.size());
    for (const auto& potential : scene.model.potentials) {
      if (potential->is_elastic() || potential->is_dissipative()) continue;
      const std::unique_ptr<Potential> own = potential->clone();
      // A load that cannot be evaluated will be reported by the run.
      if (!own->begin_step(x, scene.options.integrator.h, desc.time.duration * i / num_times)) continue;
      own->add_gradient(x, 1.0, gradient);
    }
    double sum = 0.0;
    for (Eigen::Index k = 0; k < gradient.size(); k += scene.dim) sum += gradient.segment(k, scene.dim).norm();
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

void hold_free_bodies(const SceneDesc& desc, SceneModel& scene) {
  if (desc.time.integrator != TimeIntegrator::quasi_static || !desc.statics.hold_free) return;
  const std::vector<int> unheld = find_unheld_bodies(desc, scene);
  if (unheld.empty()) return;
  const Model& model = scene.model;
  const double loads = size_of_loads(desc, scene);
  VecX mass = VecX::Zero(std::ssize(scene.bodies)), own = mass, count = mass;  // [kg], [N/m] and blocks
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    mass[body_of_block(model, b)] += model.mass[b];
    own[body_of_block(model, b)] += model.elastic_stiffness[b];
    count[body_of_block(model, b)] += 1.0;
  }
  for (const StiffUnit& unit : scene.stiff_units) own[unit.body] += unit.stiffness * unit.frame.radius;
  SoftHolds holds;
  holds.bodies = unheld;
  holds.stiffness = VecX::Zero(model.layout.num_blocks);
  VecX of_body = VecX::Zero(mass.size());               // [N/m]
  std::vector<HeldBlocks> blocks(scene.bodies.size());  // per body
  std::vector<char> is_node(model.layout.num_blocks, 0);
  for (const int body : unheld) {
    const double size = bounding_box(scene.bodies[body].mesh.vertices).diagonal();
    of_body[body] = loads > 0.0 ? loads / size : least_share * own[body] / count[body];
    for (const int b : scene.blocks[body].block_of_node) {
      if (b >= 0) is_node[b] = 1;
    }
  }
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    const int body = body_of_block(model, b);
    if (!(of_body[body] > 0.0) || !(model.mass[b] > 0.0)) continue;
    holds.stiffness[b] = of_body[body] * model.mass[b] / mass[body];
    (is_node[b] != 0 ? blocks[body].nodes : blocks[body].others).push_back(b);
  }
  for (const int body : unheld) holds.blocks.push_back(std::move(blocks[body]));
  with_dimension(scene.dim, [&](auto dim) {
    scene.model.potentials.push_back(std::make_shared<SoftHoldPotential<dim>>(
        holds.blocks, holds.stiffness, scene.initial_state.x, desc.axisymmetric));
  });
  scene.soft_holds = std::move(holds);
}

}  // namespace clearance
