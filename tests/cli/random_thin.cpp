#include "cli/random_thin.h"

#include <cmath>
#include <numbers>

#include "cli/random_stiff.h"

namespace clearance::cli {

void RandomThin::choose(BodyDesc& body) {
  body.material.damping = 0.0;
  switch (random_.integer(0, 4)) {
    case 0:
    case 1:
      return choose_shell(body);
    case 2:
    case 3:
      return choose_rod(body);
    default:
      return choose_particles(body);
  }
}

void RandomThin::choose_shell(BodyDesc& body) {
  Random& r = random_;
  body.kind = BodyKind::shell;
  body.thickness = r.log_uniform(1e-4, 0.05);
  if (body.material.model != ElasticModel::neo_hookean) body.material.model = ElasticModel::st_venant_kirchhoff;
  switch (r.integer(0, 3)) {
    case 0:
      body.generator =
          make_generator(GeneratorKind::bowl, {r.uniform(0.3, 0.6), r.uniform(0.2, 0.5)}, {r.integer(2, 3)});
      break;
    case 1:
      body.generator =
          make_generator(GeneratorKind::funnel, {r.uniform(0.3, 0.6), r.uniform(0.05, 0.3), r.uniform(0.2, 1)},
                         {r.integer(5, 9), r.integer(1, 3)});
      break;
    default:
      body.generator = make_generator(GeneratorKind::sheet, {r.uniform(0.3, 1.2), r.uniform(0.1, 1.2)},
                                      {r.integer(1, 8), r.integer(1, 8)});
      break;
  }
  ShellDesc shell;
  shell.bending = r.one_of({BendingModel::slopes, BendingModel::slopes, BendingModel::hinges, BendingModel::none});
  if (r.chance(0.2)) shell.is_flat_at_rest = true;
  if (r.chance(0.3)) shell.strain_limit = r.log_uniform(1e-3, 0.5);
  if (r.chance(0.2) && shell.bending != BendingModel::none) shell.yield_curvature = r.log_uniform(0.1, 20.0);
  body.shell = shell;
}

void RandomThin::choose_rod(BodyDesc& body) {
  Random& r = random_;
  body.kind = BodyKind::rod;
  body.thickness = r.log_uniform(1e-3, 0.08);
  body.material.model = ElasticModel::neo_hookean;
  GeometryDesc line;
  const int count = r.integer(2, 16);
  const bool is_ring = count > 4 && r.chance(0.3);
  const double length = r.uniform(0.3, 1.5), height = r.uniform(0.0, 0.5), turns = r.uniform(0.1, 1.5);
  for (int i = 0; i <= count - (is_ring ? 1 : 0); ++i) {
    // A ring, or a helix from a straight line to one and a half turns.
    const double s = static_cast<double>(i) / count, angle = 2.0 * std::numbers::pi * (is_ring ? 1.0 : turns) * s;
    const double radius = is_ring ? 0.15 * length : 0.3 * height;
    line.vertices.emplace_back(is_ring ? 0.0 : length * s, radius * std::cos(angle), radius * std::sin(angle));
    const int next = is_ring ? (i + 1) % count : i + 1;
    if (i < count) line.edges.push_back({i, next});
  }
  body.geometry = line;
  RodDesc rod;
  if (r.chance(0.3)) rod.is_straight_at_rest = true;
  if (r.chance(0.2)) rod.natural_twist = r.uniform(-720.0, 720.0);
  if (r.chance(0.2)) rod.yield_curvature = r.log_uniform(0.1, 10.0);
  if (r.chance(0.2)) rod.section = {{*body.thickness, r.uniform(0.3, 1.0) * *body.thickness}};
  body.rod = rod;
}

void RandomThin::choose_particles(BodyDesc& body) {
  Random& r = random_;
  body.kind = BodyKind::particles;
  const int n = r.integer(1, 3);
  body.generator = make_generator(GeneratorKind::box, {r.uniform(0.2, 0.6), r.uniform(0.2, 0.6), r.uniform(0.2, 0.6)},
                                  {n, r.integer(1, 3), n});
  body.thickness = r.log_uniform(1e-3, 0.06);
}

}  // namespace clearance::cli
