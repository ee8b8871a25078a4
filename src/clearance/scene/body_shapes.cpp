#include "clearance/scene/body_shapes.h"

namespace clearance {

bool keeps_round(const TransformDesc& transform) {
  const Vec<3> scale = transform.scale.cwiseAbs();
  return scale.maxCoeff() <= (1.0 + 1e-9) * scale.minCoeff();
}

bool collides_as_shape(const SceneDesc& scene, const BodyDesc& body) {
  if (!body.generator) return false;
  const GeneratorDesc& generator = *body.generator;
  if (generator.is_exact) return *generator.is_exact;
  const bool is_round = generator.kind == GeneratorKind::sphere || generator.kind == GeneratorKind::capsule;
  const bool is_whole = body.collides && !body.split_components && !body.collision_surface && body.capsules.empty();
  return is_round && is_whole && is_stiff(body.kind) && scene.dimension == 3 && keeps_round(body.transform) &&
         is_plain(scene.contact.options);
}

std::vector<CapsuleDesc> capsules_of(const SceneDesc& scene, const BodyDesc& body) {
  if (!collides_as_shape(scene, body)) return body.capsules;
  const GeneratorDesc& generator = *body.generator;
  const double radius = size_at(generator, 0, 1.0), half = 0.5 * size_at(generator, 1, 1.0);
  if (generator.kind == GeneratorKind::sphere) return {{radius, {Vec<3>::Zero()}}};
  return {{radius, {Vec<3>(0.0, -half, 0.0), Vec<3>(0.0, half, 0.0)}}};
}

}  // namespace clearance
