// Sizes of generated shapes, and the round shapes that bodies collide with.
#pragma once

#include <cstddef>
#include <vector>

#include "clearance/scene/scene.h"

namespace clearance {

inline double size_at(const GeneratorDesc& generator, std::size_t i, double fallback) {
  return i < generator.size.size() ? generator.size[i] : fallback;
}

/// A sphere or a capsule that a body collides with.
struct RoundShape {
  double radius = 0.0;        ///< [m]
  std::vector<int> vertices;  ///< of the body's mesh: its centre, or the two ends of its axis
};

/// True if a transform leaves a sphere a sphere.
bool keeps_round(const TransformDesc& transform);

/// True if a body collides as the sphere or capsule that its generator makes, and not as its facets: as `exact` says,
/// or else wherever that is possible.
bool collides_as_shape(const SceneDesc& scene, const BodyDesc& body);

/// Returns the spheres and capsules that a body collides with in place of its mesh, before its transform.
std::vector<CapsuleDesc> capsules_of(const SceneDesc& scene, const BodyDesc& body);

}  // namespace clearance
