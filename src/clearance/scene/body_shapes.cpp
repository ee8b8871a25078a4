#include "clearance/scene/body_shapes.h"

namespace clearance {

std::vector<CapsuleDesc> capsules_of(const BodyDesc& body) {
  if (!body.generator || !body.generator->is_exact) return body.capsules;
  const GeneratorDesc& generator = *body.generator;
  const double radius = size_at(generator, 0, 1.0), half = 0.5 * size_at(generator, 1, 1.0);
  if (generator.kind == GeneratorKind::sphere) return {{radius, {Vec<3>::Zero()}}};
  return {{radius, {Vec<3>(0.0, -half, 0.0), Vec<3>(0.0, half, 0.0)}}};
}

}  // namespace clearance
