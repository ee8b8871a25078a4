#include "cli/random_script.h"

#include <fmt/format.h>

namespace clearance::cli {

/// Returns no static coefficient, the same as the kinetic one, or up to twice as much.
std::optional<double> RandomScript::random_static(double kinetic) {
  if (random_.chance(0.6)) return std::nullopt;
  return kinetic * random_.one_of({1.0, 1.1, 2.0});
}

void RandomScript::choose_friction(FrictionDesc& friction) {
  if (random_.chance(0.2)) return;
  friction.coefficient = random_.chance(0.1) ? random_.uniform(1.0, 5.0) : random_.uniform(0.01, 1.0);
  friction.static_coefficient = random_static(friction.coefficient);
  if (random_.chance(0.3)) friction.eps_v = random_.log_uniform(1e-6, 1e-1);
  friction.iterations = random_.one_of({1, 1, 1, 2, 3, 0});
}

void RandomScript::choose_friction(BodyDesc& body) {
  if (scene_.friction.coefficient == 0.0 || random_.chance(0.6)) return;
  body.friction = random_.chance(0.2) ? 0.0 : random_.uniform(0.0, 1.5);
  body.static_friction = random_static(*body.friction);
}

void RandomScript::choose_friction(HalfSpaceDesc& half_space) {
  if (scene_.friction.coefficient == 0.0 || random_.chance(0.4)) return;
  half_space.friction = random_.uniform(0.0, 1.5);
  half_space.static_friction = random_static(*half_space.friction);
}

void RandomScript::add_friction_pair(FrictionDesc& friction) {
  const int last = static_cast<int>(scene_.bodies.size()) - 1;
  if (friction.coefficient == 0.0 || last < 0) return;
  FrictionPairDesc pair;
  for (std::string& name : pair.bodies) name = scene_.bodies[random_.integer(0, last)].name;
  pair.coefficient = random_.uniform(0.0, 2.0);
  pair.static_coefficient = random_static(pair.coefficient);
  friction.pairs.push_back(pair);
}

/// Returns a slab at one end of the body, or all of it.
RegionDesc RandomScript::random_region() {
  RegionDesc region;
  if (random_.chance(0.4)) return region;
  region.frame = RegionFrame::body;
  const double width = random_.uniform(0.0, 0.5);
  const int axis = random_.integer(0, dim() - 1);
  Vec<3> low = Vec<3>::Zero(), high = Vec<3>::Ones();
  (random_.chance(0.5) ? high[axis] : low[axis]) = random_.chance(0.5) ? width : 1.0 - width;
  region.box = {low, high};
  region.surface_only = random_.chance(0.2);
  return region;
}

/// Returns swings, waves, ramps and switches that last about as long as the run.
Expressions RandomScript::random_formulas(const Vec<3>& amplitude) {
  Expressions formulas;
  const double duration = scene_.time.duration;
  for (std::size_t c = 0; c < 3; ++c) {
    const double a = amplitude[static_cast<Eigen::Index>(c)];
    const double rate = random_.uniform(1.0, 20.0) / duration;   // [1/s]
    const double wave = random_.uniform(0.0, 3.0) / length_;     // [1/m]
    const double middle = random_.uniform(0.2, 0.8) * duration;  // [s]
    switch (a == 0.0 ? -1 : random_.integer(0, 3)) {
      case -1:
        formulas[c] = "0";
        break;
      case 0:
        formulas[c] = fmt::format("{} * sin({} * t)", a, rate);
        break;
      case 1:
        formulas[c] = fmt::format("{} * (cos({} * t + {} * x) - cos({} * x))", a, rate, wave, wave);
        break;
      case 2:
        formulas[c] = fmt::format("{} * min(t / {}, 1) * exp(-abs({} * z))", a, middle, wave);
        break;
      default:
        formulas[c] =
            fmt::format("t < {} ? {} * t : {} * mod({} - t, {})", middle, a / duration, a / duration, duration, middle);
        break;
    }
  }
  return formulas;
}

void RandomScript::hold_nodes(BodyDesc& body) {
  Random& r = random_;
  MotionDesc motion;
  motion.region.frame = RegionFrame::body;
  // Without inertia, a body that hangs on one node could turn about it at no cost.
  motion.region.box = {Vec<3>(0, 0, 0), Vec<3>(r.uniform(0.0, 0.4) + (is_static() ? 0.3 : 0.0), 1, 1)};
  if (r.chance(0.6)) motion.linear_velocity = length_ * r.point(r.log_uniform(0.01, 10.0), dim());
  if (r.chance(0.3)) motion.angular_velocity = r.turn(r.log_uniform(1.0, 720.0), dim());
  if (r.chance(0.2)) motion.displacement = random_formulas(length_ * r.point(0.2, dim()));
  // Without inertia, nothing would hold the body afterwards.
  if (r.chance(0.2) && !is_static()) motion.end = 5 * scene_.time.step;
  if (r.chance(0.1) && !is_static()) motion.release = ReleaseDesc{r.integer(0, 1), length_ * r.uniform(-1.0, 1.0)};
  body.motions.push_back(motion);
}

void RandomScript::move_obstacle(BodyDesc& body, const Vec<3>& towards) {
  Random& r = random_;
  const double duration = scene_.time.duration;
  MotionDesc motion;
  if (r.chance(0.7)) {
    const double way = r.chance(0.2) ? r.uniform(1.5, 4.0) : r.log_uniform(0.01, 1.5);
    motion.linear_velocity = length_ * way / duration * towards;
  }
  if (r.chance(0.4)) motion.angular_velocity = r.turn(r.log_uniform(1.0, 360.0) / duration, dim());
  if (r.chance(0.2)) motion.center = length_ * r.point(1.0, dim());
  if (r.chance(0.25)) motion.displacement = random_formulas(length_ * r.point(r.log_uniform(0.01, 0.5), dim()));
  if (r.chance(0.2)) motion.start = r.integer(1, 4) * scene_.time.step;
  if (r.chance(0.2)) motion.end = r.integer(5, 8) * scene_.time.step;
  body.motions.push_back(motion);
}

void RandomScript::add_loads(BodyDesc& body) {
  Random& r = random_;
  for (int i = r.integer(1, 2); i > 0; --i) {
    LoadDesc load;
    load.region = random_region();
    load.kind = r.one_of({LoadKind::acceleration, LoadKind::traction, LoadKind::force});
    // Stresses reach a twentieth of Young's modulus, but never carry a body further than 50 lengths.
    const double duration = scene_.time.duration, fastest = 100.0 * length_ / (duration * duration);  // [m/s^2]
    double size = r.log_uniform(1e-5, 0.05) * body.material.youngs_modulus;
    if (!is_static()) size = std::min(size, r.log_uniform(0.01, 1.0) * fastest * body.material.density * length_);
    if (load.kind == LoadKind::force) size *= std::pow(length_, dim() - 1);
    if (load.kind == LoadKind::acceleration) size = r.log_uniform(1e-4, 0.1) * fastest;
    load.value = r.point(size, dim());
    if (r.chance(0.5)) {
      load.expression = random_formulas(load.value);
      load.value.setZero();
    }
    if (r.chance(0.2)) load.start = 2 * scene_.time.step;
    if (r.chance(0.2)) load.end = 7 * scene_.time.step;
    body.loads.push_back(load);
  }
}

SceneDesc at_length(SceneDesc scene, double length) {
  scene.contact.min_separation *= length;
  for (HalfSpaceDesc& plane : scene.half_spaces) plane.point *= length;
  for (BodyDesc& body : scene.bodies) {
    body.transform.scale *= length;
    body.transform.translation *= length;
    body.linear_velocity *= length;
    if (body.thickness) *body.thickness *= length;
    if (body.shell && body.shell->yield_curvature) *body.shell->yield_curvature /= length;
    if (!body.rod) continue;
    if (body.rod->yield_curvature) *body.rod->yield_curvature /= length;
    if (body.rod->natural_twist) *body.rod->natural_twist /= length;
    if (body.rod->section) body.rod->section = {{(*body.rod->section)[0] * length, (*body.rod->section)[1] * length}};
  }
  for (JointDesc& joint : scene.joints) joint.point *= length;
  return scene;
}

}  // namespace clearance::cli
