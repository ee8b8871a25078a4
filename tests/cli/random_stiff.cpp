#include "cli/random_stiff.h"

#include <fmt/format.h>

namespace clearance::cli {

namespace {

constexpr double degrees_per_turn = 360.0;

}  // namespace

GeneratorDesc make_generator(GeneratorKind kind, std::vector<double> size, std::vector<int> resolution) {
  GeneratorDesc g;
  g.kind = kind;
  g.size = std::move(size);
  g.resolution = std::move(resolution);
  return g;
}

void RandomStiff::choose_kind(BodyDesc& body) {
  Random& r = random_;
  body.kind = r.chance(0.5) ? BodyKind::rigid : BodyKind::affine;
  if (r.chance(0.3)) body.material.stiffness = r.log_uniform(1e6, 1e12);
  if (r.chance(0.1))
    body.mass = body.material.density * std::pow(length_, scene_.dimension) * r.log_uniform(0.01, 10.0);
  if (r.chance(0.15)) {
    for (std::size_t c = 0; c < 3; ++c) {
      const bool is_possible = !is_2d() || c < 2;
      body.fixed_translation[c] = r.chance(0.3) && is_possible;
      body.fixed_rotation[c] = r.chance(0.3) && (!is_2d() || c == 2);
    }
  }
  // Without inertia, only a held body has a defined place.
  if (is_static() || r.chance(0.12)) {
    body.fixed_translation = body.fixed_rotation = {};  // a motion may not move a body where it is fixed
    add_motion(body);
  } else if (r.chance(0.2)) {
    add_load(body);
  }
}

void RandomStiff::choose_open_shape(BodyDesc& body) {
  Random& r = random_;
  const int shape = r.integer(is_2d() ? 3 : 0, 5);
  if (shape == 0) {
    body.generator = make_generator(GeneratorKind::sheet, {r.uniform(0.3, 1), r.uniform(0.3, 1)},
                                    {r.integer(1, 3), r.integer(1, 3)});
  } else if (shape == 1) {
    body.generator = make_generator(GeneratorKind::bowl, {r.uniform(0.3, 0.6), r.uniform(0.1, 0.4)}, {r.integer(2, 3)});
  } else if (shape == 2) {
    body.generator = make_generator(
        GeneratorKind::funnel, {r.uniform(0.3, 0.6), r.uniform(0.05, 0.2), r.uniform(0.3, 0.8)}, {r.integer(4, 7), 1});
  } else {
    // The shape is a zigzag of edges, of edges with lone points, or (3D) a strip of triangles with a tail.
    GeometryDesc geometry;
    const int count = r.integer(3, 8);
    for (int i = 0; i < count; ++i) {
      const Vec<3> wobble = r.point(0.1, scene_.dimension);
      geometry.vertices.push_back(Vec<3>(i - 0.5 * count, i % 2 == 0 ? 0.0 : 1.0, 0) / count + wobble);
    }
    const int num_points = shape == 4 ? r.integer(1, count - 2) : 0;
    const int num_triangles = shape == 5 && !is_2d() ? r.integer(1, count - 2) : 0;
    for (int i = 0; i < num_triangles; ++i) geometry.triangles.push_back({i, i + 1, i + 2});
    for (int i = num_triangles > 0 ? num_triangles + 1 : 0; i + 1 < count - num_points; ++i) {
      geometry.edges.push_back({i, i + 1});
    }
    body.geometry = geometry;
  }
  if (r.chance(0.3)) body.thickness = r.log_uniform(1e-3, 0.1);
}

void RandomStiff::spin(BodyDesc& body) {
  if (!random_.chance(0.4)) return;
  const double turns_a_step = random_.log_uniform(1e-3, 4.0);
  Vec<3> axis = random_.turn(1.0, scene_.dimension);
  if (axis.norm() < 1e-3) axis = Vec<3>::UnitZ();
  body.angular_velocity = degrees_per_turn * turns_a_step / scene_.time.step * axis.normalized();
}

void RandomStiff::add_motion(BodyDesc& body) {
  Random& r = random_;
  const int dim = scene_.dimension;
  const double duration = scene_.time.duration;
  MotionDesc motion;
  if (r.chance(0.15)) {
    const int num_poses = r.integer(1, 12);
    const Vec<3> way = length_ * r.point(0.1, dim), turn = r.turn(20.0, dim);
    motion.center = length_ * body.transform.translation;
    for (int i = 1; i <= num_poses; ++i) motion.poses.push_back({*motion.center + i * way, i * turn});
  } else {
    if (r.chance(0.7)) motion.linear_velocity = length_ / duration * r.point(r.log_uniform(0.01, 3.0), dim);
    if (r.chance(0.6)) motion.angular_velocity = degrees_per_turn / duration * r.turn(r.log_uniform(0.01, 20.0), dim);
    if (r.chance(0.2)) {
      const std::string swing = fmt::format("{} * sin({} * t)", 0.3 * length_, r.uniform(1.0, 20.0) / duration);
      motion.displacement = Expressions{swing, swing, is_2d() ? "0" : swing};
    }
  }
  if (r.chance(0.2) && !is_static()) motion.end = 5 * scene_.time.step;
  if (r.chance(0.1) && !is_static()) motion.start = 3 * scene_.time.step;
  body.motions.push_back(motion);
}

void RandomStiff::add_load(BodyDesc& body) {
  Random& r = random_;
  const int dim = scene_.dimension;
  // No load may carry a body further than 50 lengths.
  const double fastest = 100.0 * length_ / (scene_.time.duration * scene_.time.duration);  // [m/s^2]
  const double mass = body.material.density * std::pow(length_, dim) * 0.1;
  LoadDesc load;
  load.kind = r.one_of({LoadKind::acceleration, LoadKind::force, LoadKind::torque});
  const double size = fastest * r.log_uniform(1e-4, 0.1);
  if (load.kind == LoadKind::acceleration) load.value = r.point(size, dim);
  if (load.kind == LoadKind::force) load.value = r.point(mass * size, dim);
  if (load.kind == LoadKind::torque) load.value = r.turn(mass * size * length_, dim);
  body.loads.push_back(load);
}

void RandomStiff::add_stiff_parts(BodyDesc& body) {
  if (!random_.chance(0.4)) return;
  const int axis = random_.integer(0, scene_.dimension - 1);
  const auto add = [&](double low, double high) {
    StiffPartDesc part;
    part.region.frame = RegionFrame::body;
    Vec<3> min = Vec<3>::Constant(-0.01), max = Vec<3>::Constant(1.01);
    min[axis] = low;
    max[axis] = high;
    part.region.box = {min, max};
    part.density = random_.log_uniform(0.1, 10.0) * body.material.density;
    body.stiff_parts.push_back(part);
  };
  add(-0.01, random_.one_of({0.35, 0.51, 0.7, 1.01}));
  if (random_.chance(0.2) && body.stiff_parts[0].region.box->at(1)[axis] < 0.5) add(0.65, 1.01);
}

void RandomStiff::choose_group(BodyDesc& body) {
  if (random_.chance(0.15)) body.collision_group = body.kind == BodyKind::obstacle ? 0 : random_.integer(0, 2);
}

JointDesc RandomStiff::joint() {
  Random& r = random_;
  JointDesc joint;
  std::vector<const BodyDesc*> stiff;
  for (const BodyDesc& body : scene_.bodies) {
    if (is_stiff(body.kind)) stiff.push_back(&body);
  }
  if (stiff.empty()) return joint;
  const int last = static_cast<int>(stiff.size()) - 1;
  const BodyDesc& first = *stiff[r.integer(0, last)];
  const BodyDesc& second = *stiff[r.integer(0, last)];
  joint.bodies[0] = first.name;
  if (&second != &first) joint.bodies[1] = second.name;
  joint.kind = r.one_of({JointKind::fixed, JointKind::ball, JointKind::hinge, JointKind::slider});
  joint.point = 0.5 * (first.transform.translation + second.transform.translation) + r.point(0.2, scene_.dimension);
  joint.axis = r.point(1.0, scene_.dimension);
  if (joint.kind != JointKind::hinge && joint.kind != JointKind::slider) return joint;
  const bool is_hinge = joint.kind == JointKind::hinge;
  const double range = is_hinge ? r.log_uniform(1.0, 170.0) : length_ * r.log_uniform(0.01, 1.0);
  const double rate = r.uniform(1.0, 10.0) / scene_.time.duration;  // [1/s]
  switch (r.integer(0, 3)) {
    case 0:
      joint.drive = fmt::format("{} * sin({} * t)", range, rate);
      break;
    case 1:
      if (r.chance(0.7)) joint.lower = -range;
      if (r.chance(0.7)) joint.upper = range;
      break;
    case 2: {
      const double acceleration = length_ / (scene_.time.duration * scene_.time.duration);
      const double force = 100.0 * std::pow(length_, scene_.dimension) * acceleration;
      joint.effort = fmt::format("{} * cos({} * t)", force * (is_hinge ? length_ : 1.0), rate);
      break;
    }
    default:
      break;
  }
  return joint;
}

}  // namespace clearance::cli
