#include "clearance/scene/scene.h"

#include <algorithm>

namespace clearance {

const UnitSystem& unit_system_of(const SceneDesc& scene) {
  return scene.custom_units ? *scene.custom_units : unit_system(scene.units.value_or(UnitSystemName::m_n_pa));
}

bool has_deformable(const SceneDesc& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const BodyDesc& body) { return has_nodes(body.kind); });
}

void set_second_defaults(SceneDesc& scene) {
  scene.time.integrator = TimeIntegrator::implicit_euler;
  scene.time.mass = MassKind::lumped;
  scene.statics.quadratic_elements = 0;
  scene.contact.gap_tolerance = 0.0;
}

void set_published_defaults(SceneDesc& scene) {
  set_second_defaults(scene);
  scene.time.max_halvings = 0;
  scene.contact.scales = ContactScaleKind::scene;
  scene.contact.stiffness = ContactStiffnessKind::published;
  scene.friction.stick = 0.0;
  scene.friction.iterations = 1;
  scene.solver.convergence = Convergence::published;
}

}  // namespace clearance
