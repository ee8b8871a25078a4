#include "clearance/simulation/rolling_watch.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"
#include "clearance/simulation/hints/round_bodies.h"

namespace clearance {

namespace {

constexpr double loss_limit = 0.03;
/// Number of sides from which polygons are smoother than contact is thick: 192 sides cost 0.1 % on 5 degrees.
constexpr int enough_sides = 150;
/// Turn [rad] in a step up to which discs of 96 and more sides roll right within 1 %, and one from which all of 14
/// random ones were 9 to 42 % too slow. Implicit Euler is of first order: 12, 14 and 21 % at 0.09, 0.1 and 0.13.
struct Turns {
  double fine, coarse;
  const char* cost;  // of coarse ones
};
constexpr Turns turns_of_second_order = {0.1, 0.18, "10 to 40 %"};
constexpr Turns turns_of_euler = {0.015, 0.04, "5 to 40 %, with implicit_euler,"};
/// Smallest lever of normal forces, as a share of the radius. Solutions that are exact up to 1e-3 of the forces leave
/// smaller ones.
constexpr double least_lever = 0.01;
/// Smallest distances, as shares of the radius, of rolling and of missed rolling. A body that has not rolled so far, or
/// would not have, rests.
constexpr double least_way = 1.0, least_missed_way = 0.1;

double size_of(const IndexRange& range, const std::vector<Vec<3>>& places) {
  return bounding_box(Vertices(places.begin() + range.first, places.begin() + range.end())).diagonal();
}

}  // namespace

struct RollingWatch::Body {
  RoundBody shape;
  std::string name;
  IndexRange vertices;
  double mass = 0.0;  // [kg]
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  double work = 0.0;                   // [J] work of the normal forces on its turning
  Vec<3> missed = Vec<3>::Zero();      // [m/s] speed of rolling that levers of normal forces have taken
  double way = 0.0, missed_way = 0.0;  // [m]
  double energies = 0.0;               // [J] sum of the kinetic energies of the steps in contact
  int num_pressed = 0;                 // steps in contact
  double borne = 0.0;                  // [kg] largest load
  double turn = 0.0;                   // [rad] largest in a step in contact

  double dhat = 0.0;  // [m]

  /// Returns the share of energy that tipping from side to side takes. Each time a polygon tips over an edge, its speed
  /// falls to (k + cos a) / (k + 1), where a is the angle of a side and k m R^2 the inertia; the sides that contact
  /// smooths do so in part.
  double loss_by_tipping() const {
    const double angle = 2.0 * std::numbers::pi / shape.sides, num_tipped = way / (shape.radius * angle);
    const double of_side = shape.share_of_sides(dhat) * angle * angle / (1.0 + shape.gyration);
    return 1.0 - elementary::exp(-num_tipped * of_side);
  }
  bool has_rolled() const { return way > least_way * shape.radius; }
  /// Returns the largest turn [rad] in a step of a body that rolls.
  double rolling_turn() const { return has_rolled() ? turn : 0.0; }
  /// Returns the loss as a share of the energy that the body would have.
  double loss() const {
    const double taken = has_rolled() ? std::max(0.0, -work) : 0.0;
    const bool is_held = missed_way > least_missed_way * shape.radius;
    const double held = is_held ? 0.5 * std::max(mass, borne) * (1.0 + shape.gyration) * missed.squaredNorm() : 0.0;
    const double most = std::max(taken, held);
    // The largest energy would hide the loss of a body that slides before it rolls.
    const double by_torque = most > 0.0 ? most / (energies / std::max(num_pressed, 1) + most) : 0.0;
    const bool tips = has_rolled() && shape.sides < enough_sides;
    return std::max(by_torque, tips ? loss_by_tipping() : 0.0);
  }
};

RollingWatch::RollingWatch(const Simulation& simulation) {
  const SceneDesc& desc = simulation.scene();
  const auto& bodies = simulation.bodies();
  const bool has_inertia = desc.time.integrator != TimeIntegrator::quasi_static;
  const bool is_soft =
      std::any_of(bodies.begin(), bodies.end(), [](const BodyView& body) { return body.kind == BodyKind::deformable; });
  if (!desc.contact.enabled || !has_inertia || is_soft) return;
  h_ = desc.time.step;
  is_euler_ = desc.time.integrator == TimeIntegrator::implicit_euler;
  gravity_ = desc.gravity.norm();
  const std::vector<BodyFacts> facts = simulation.body_facts();
  // A resumed run does not begin where its bodies started, so that their poses are undone.
  std::vector<StartedBody> started;
  const std::vector<Vec<3>> places = simulation.positions();
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    const BodyView& body = bodies[b];
    StartedBody start{body.entry, body.kind, {}};
    const auto pose = desc.bodies[body.entry].generator ? simulation.pose(b) : std::nullopt;
    if (pose) {
      const Eigen::Matrix4d back = pose->inverse();
      for (int v = body.vertices.first; v < body.vertices.end(); ++v) {
        start.vertices.push_back((back * places[v].homogeneous()).head<3>());
      }
    }
    started.push_back(std::move(start));
  }
  for (const RoundBody& shape : find_round_bodies(desc, started)) {
    const std::size_t b = shape.body;
    Body body;
    body.shape = shape;
    body.name = bodies[b].name;
    body.vertices = bodies[b].vertices;
    body.mass = facts[b].mass;
    body.dhat = desc.contact.dhat_is_absolute ? desc.contact.dhat : desc.contact.dhat * size_of(body.vertices, places);
    body.pose = simulation.pose(shape.body).value_or(Eigen::Matrix4d::Identity());
    bodies_.push_back(std::move(body));
  }
}

RollingWatch::RollingWatch(RollingWatch&&) noexcept = default;
RollingWatch::~RollingWatch() = default;

void RollingWatch::add_step(const Simulation& simulation) {
  if (bodies_.empty()) return;
  const std::vector<Vec<3>> forces = simulation.contact_forces(), places = simulation.positions();
  for (Body& body : bodies_) {
    const Eigen::Matrix4d now = simulation.pose(body.shape.body).value_or(Eigen::Matrix4d::Identity());
    const Mat<3> turned = now.topLeftCorner<3, 3>(), before = body.pose.topLeftCorner<3, 3>();
    const auto place_in = [&](const Eigen::Matrix4d& pose) {
      return Vec<3>(pose.topLeftCorner<3, 3>() * body.shape.center + pose.topRightCorner<3, 1>());
    };
    const Vec<3> center = place_in(now), axis = turned * body.shape.axis;
    const auto about_axis = [&](const Vec<3>& v) { return body.shape.is_ball ? v : Vec<3>(axis.dot(v) * axis); };
    const Vec<3> velocity = (center - place_in(body.pose)) / h_;
    const Vec<3> spin = about_axis(rotation_vector(turned * before.transpose()) / h_);
    body.pose = now;

    double pressed = 0.0;
    Vec<3> torque = Vec<3>::Zero();
    for (int v = body.vertices.first; v < body.vertices.end(); ++v) {
      const Vec<3>& force = forces[v];
      pressed += force.norm();
      torque += (places[v] - center).cross(force);
    }
    torque = about_axis(torque);

    const double r = body.shape.radius, k = body.shape.gyration;
    if (gravity_ > 0.0) body.borne = std::max(body.borne, pressed / gravity_);
    const double mass = std::max(body.mass, gravity_ > 0.0 ? pressed / gravity_ : 0.0);
    if (!(pressed > 0.0)) continue;
    body.energies += 0.5 * mass * velocity.squaredNorm() + 0.5 * body.mass * k * r * r * spin.squaredNorm();
    ++body.num_pressed;
    body.work += h_ * torque.dot(spin);
    body.way += h_ * r * spin.norm();
    body.turn = std::max(body.turn, h_ * spin.norm());
    if (torque.norm() > least_lever * r * pressed) body.missed += h_ * torque / (mass * r * (1.0 + k));
    body.missed_way += h_ * body.missed.norm();
  }
}

std::vector<RunWarning> RollingWatch::warnings() const {
  const auto worst = std::max_element(bodies_.begin(), bodies_.end(),
                                      [](const Body& a, const Body& b) { return a.loss() < b.loss(); });
  if (worst == bodies_.end()) return {};
  const auto fastest = std::max_element(
      bodies_.begin(), bodies_.end(), [](const Body& a, const Body& b) { return a.rolling_turn() < b.rolling_turn(); });
  const Turns& turns = is_euler_ ? turns_of_euler : turns_of_second_order;
  if (fastest->rolling_turn() > turns.coarse) {
    return {
        {"faceted_rolling",
         fmt::format("'{}' rolls by {:.2g} rad in a step, over {:.0f} of its {} flat sides, and such steps take {} of "
                     "its speed; use a step of {:.1g} s or less",
                     fastest->name, fastest->turn,
                     std::ceil(fastest->turn * fastest->shape.sides / (2.0 * std::numbers::pi)), fastest->shape.sides,
                     turns.cost, h_ * turns.fine / fastest->turn)}};
  }
  if (!(worst->loss() > loss_limit)) return {};
  const RoundBody& shape = worst->shape;
  return {{"faceted_rolling",
           fmt::format("'{}' has {} flat sides around, which have removed {:.2g} % of the energy that a round body "
                       "would have by rolling, and on which it stands on slopes of up to {:.3g} degrees; use a finer "
                       "`generator.resolution`: {} makes about 192 sides, which costs little for stiff bodies",
                       worst->name, shape.sides, 100.0 * worst->loss(),
                       elementary::atan2(shape.barrier(), 1.0) / radians_per_degree, shape.resolution)}};
}

}  // namespace clearance
