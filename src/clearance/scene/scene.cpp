#include "clearance/scene/scene.h"

namespace clearance {

void set_published_defaults(SceneDesc& scene) {
  scene.time.max_halvings = 0;
  scene.contact.scales = ContactScaleKind::scene;
  scene.contact.stiffness = ContactStiffnessKind::published;
  scene.friction.stick = 0.0;
  scene.friction.iterations = 1;
  scene.solver.convergence = Convergence::published;
}

}  // namespace clearance
