#include "clearance/simulation/lead_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

namespace {

/// Share of its way by which a body may be ahead.
constexpr double lead_limit = 0.03;
/// Share of its size below which nobody sees that a body is ahead.
constexpr double visible = 0.01;
/// Share of its way by which a body is ahead with steps of the length that is advised.
constexpr double wanted = 0.01;

Vec<3> mean_of(const std::vector<Vec<3>>& values, const IndexRange& range) {
  Vec<3> sum = Vec<3>::Zero();
  for (int v = range.first; v < range.end(); ++v) sum += values[v];
  return sum / static_cast<double>(range.end() - range.first);
}

}  // namespace

LeadWatch::LeadWatch(const Simulation& simulation) {
  const SceneDesc& desc = simulation.scene();
  if (desc.time.integrator == TimeIntegrator::quasi_static || desc.time.accuracy > 0.0) return;
  integrator_ = desc.time.integrator;
  h_ = desc.time.step;
  // Bodies that glide or fall change their velocity by less than their weight does.
  constexpr double rounding = 1e-6;
  largest_change_ = (1.0 + rounding) * h_ * desc.gravity.norm();
  const std::vector<Vec<3>> places = simulation.positions(), velocities = simulation.velocities();
  for (const BodyView& view : simulation.bodies()) {
    const bool is_moved = !desc.bodies[view.entry].motions.empty() || view.kind == BodyKind::obstacle;
    if (is_moved || view.vertices.first == view.vertices.end()) continue;
    Body body;
    body.name = view.name;
    body.vertices = view.vertices;
    body.size =
        bounding_box(Vertices(places.begin() + view.vertices.first, places.begin() + view.vertices.end())).diagonal();
    body.place = mean_of(places, view.vertices);
    body.velocity = mean_of(velocities, view.vertices);
    bodies_.push_back(std::move(body));
  }
}

void LeadWatch::add_step(const Simulation& simulation) {
  if (bodies_.empty()) return;
  const std::vector<Vec<3>> places = simulation.positions(), velocities = simulation.velocities();
  for (Body& body : bodies_) {
    const Vec<3> place = mean_of(places, body.vertices), velocity = mean_of(velocities, body.vertices);
    const bool jumps = !((velocity - body.velocity).norm() <= largest_change_);
    if (jumps) {
      body.lead.setZero();
      body.way = 0.0;
      body.num_steps = 0;
    } else {
      body.lead += place - body.place - 0.5 * h_ * (velocity + body.velocity);
      body.way += (place - body.place).norm();
      ++body.num_steps;
    }
    body.place = place;
    body.velocity = velocity;
  }
}

/// Returns how far [m] the body is ahead: not at all where it has come to rest, because what stopped it says where.
double LeadWatch::lead_of(const Body& body) const {
  const double lead = std::min(body.lead.norm(), 0.5 * h_ * body.velocity.norm());
  return lead > visible * body.size ? lead : 0.0;
}

std::vector<RunWarning> LeadWatch::warnings() const {
  const auto share_of = [&](const Body& body) { return body.way > 0.0 ? lead_of(body) / body.way : 0.0; };
  const auto worst = std::max_element(bodies_.begin(), bodies_.end(),
                                      [&](const Body& a, const Body& b) { return share_of(a) < share_of(b); });
  if (worst == bodies_.end() || !(share_of(*worst) > lead_limit)) return {};
  const bool is_restarted = integrator_ == TimeIntegrator::bdf2_restarted;
  return {
      {"coarse_step",
       fmt::format("'{}' is {:.2g} % of its way ahead at the end, because its motion took only {} steps, and steps of "
                   "implicit Euler move a body by the velocity that it has at their end. Use {}a step that is "
                   "{:.2g} times shorter",
                   worst->name, 100.0 * share_of(*worst), worst->num_steps, is_restarted ? "" : "bdf2_restarted, or ",
                   share_of(*worst) / wanted)}};
}

}  // namespace clearance
