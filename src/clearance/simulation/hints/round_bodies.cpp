#include "clearance/simulation/hints/round_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/body_shapes.h"

namespace clearance {

namespace {

/// Roundness of the shape of a generator. `resolution` is the value for about 192 sides, as a scene gives it.
struct Roundness {
  bool is_ball = false;
  int sides = 0;
  double gyration = 0.0;
  std::string resolution;
};

std::optional<Roundness> roundness_of(const GeneratorDesc& generator) {
  const int first = generator.resolution.empty() ? 1 : generator.resolution.front();
  switch (generator.kind) {
    case GeneratorKind::sphere:
      // The longest edges of a subdivided icosahedron are 1.32 / layers radians.
      return Roundness{true, static_cast<int>(4.75 * first), 0.4, "[40]"};
    case GeneratorKind::cylinder:
      return Roundness{false, 6 * first, 0.5, "[32, 1]"};
    case GeneratorKind::disk:
      return Roundness{false, 6 * first, 0.5, "[32]"};
    case GeneratorKind::torus:
      return Roundness{false, first, 0.9, "[192, 2]"};
    default:
      return std::nullopt;
  }
}

bool may_turn(const BodyDesc& body, bool is_plane) {
  const auto& fixed = body.fixed_rotation;
  return is_plane ? !fixed[2] : !(fixed[0] && fixed[1] && fixed[2]);
}

/// Returns true if all directions across the axis of the shape have the same scale; for a ball all directions.
bool stays_round(const Vec<3>& scale, bool is_ball, bool is_plane) {
  constexpr double same = 1e-3;
  const Vec<3> size = scale.cwiseAbs();
  const auto differ = [&](double a, double b) { return std::abs(a - b) > same * std::max(a, b); };
  if (is_plane) return !differ(size[0], size[1]);
  return !differ(size[0], size[2]) && !(is_ball && differ(size[0], size[1]));
}

}  // namespace

double RoundBody::sagitta() const {
  return radius * (1.0 - elementary::cos(std::numbers::pi / sides));
}

double RoundBody::barrier() const {
  const double angle = std::numbers::pi / sides;
  return elementary::sin(angle) / elementary::cos(angle);
}

/// Contact within dhat smooths sides that are flatter than dhat. Measured with cylinders that roll down 5 degrees: a
/// sagitta of 0.04 dhat has a share of 0.01, 0.15 dhat 0.03, and 1.1 dhat 0.33.
double RoundBody::share_of_sides(double dhat) const {
  return std::min(1.0, 0.3 * sagitta() / dhat);
}

std::vector<RoundBody> find_round_bodies(const SceneDesc& desc, const std::vector<StartedBody>& bodies) {
  std::vector<RoundBody> found;
  const bool is_plane = desc.dimension == 2;
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    const StartedBody& body = bodies[b];
    const BodyDesc& of = desc.bodies[body.desc];
    const bool may_roll = is_stiff(body.kind) || body.kind == BodyKind::deformable;
    if (!may_roll || !of.collides || !of.generator || of.collision_surface || body.vertices.empty() ||
        !capsules_of(desc, of).empty())
      continue;
    const std::optional<Roundness> round = roundness_of(*of.generator);
    if (!round || !may_turn(of, is_plane) || !stays_round(of.transform.scale, round->is_ball, is_plane)) continue;
    RoundBody shape;
    shape.body = b;
    shape.is_ball = round->is_ball;
    shape.sides = std::max(3, round->sides);
    shape.gyration = round->gyration;
    shape.resolution = round->resolution;
    // All of these shapes are symmetric, so that the mean of their vertices is the centre.
    shape.center = Vec<3>::Zero();
    for (const Vec<3>& v : body.vertices) shape.center += v / static_cast<double>(body.vertices.size());
    shape.axis =
        is_plane ? Vec<3>(Vec<3>::UnitZ()) : Vec<3>(rotation_from_euler_xyz(of.transform.rotation) * Vec<3>::UnitY());
    for (const Vec<3>& v : body.vertices) {
      const Vec<3> arm = v - shape.center;
      const double across = shape.is_ball ? arm.norm() : (arm - arm.dot(shape.axis) * shape.axis).norm();
      shape.radius = std::max(shape.radius, across);
    }
    found.push_back(shape);
  }
  return found;
}

}  // namespace clearance
