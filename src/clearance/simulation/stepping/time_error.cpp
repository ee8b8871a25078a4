#include "clearance/simulation/stepping/time_error.h"

#include <algorithm>
#include <optional>

#include "clearance/math/dimension.h"
#include "clearance/model/blocks.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

namespace {

/// Directions along which a body can move although it is in contact: those across all normals.
template <int dim>
class FreeDirections {
 public:
  bool is_in_contact() const { return is_in_contact_; }
  /// Takes out a direction.
  void remove(Vec<dim> normal) {
    is_in_contact_ = true;
    normal = projected(normal / normal.norm());
    const double left = normal.norm();
    if (left < least_angle) return;
    projector_ -= normal * normal.transpose() / (left * left);
  }
  Vec<dim> projected(const Vec<dim>& v) const { return projector_ * v; }

 private:
  static constexpr double least_angle = 1e-2;  // between normals that count as two
  Eigen::Matrix<double, dim, dim> projector_ = Eigen::Matrix<double, dim, dim>::Identity();
  bool is_in_contact_ = false;
};

template <int dim>
std::vector<FreeDirections<dim>> free_directions(const Model& model, const StepForces& forces) {
  std::vector<FreeDirections<dim>> directions(model.surface.num_bodies());
  for (const auto& [pair, force] : forces.between) {
    const Vec<dim> normal = force.normal.template head<dim>();
    if (!(normal.norm() > 0.0)) continue;
    for (const int body : {pair.first, pair.second}) {
      if (body >= 0) directions[body].remove(normal);
    }
  }
  return directions;
}

/// Sums over the blocks of one body that are not prescribed.
struct BodySums {
  double mass = 0.0;      // [kg]
  double momentum = 0.0;  // [kg m/s] at the end
  double error = 0.0;     // [kg m/s]
  double place = 0.0;     // error of the place as a share of the radius of a stiff body

  double error_share(double least_speed, double top_speed) const {
    return std::max(error / (mass * std::max(top_speed, least_speed)), place);
  }
};

/// The stiff body of each block; -1 for blocks of others.
std::vector<int> stiff_body_of_block(const Model& model) {
  std::vector<int> of_block(model.layout.num_blocks, -1);
  for (std::size_t k = 0; k < model.stiff_bodies.size(); ++k) {
    std::fill_n(of_block.begin() + model.stiff_bodies[k].first_block, model.layout.dim + 1, static_cast<int>(k));
  }
  return of_block;
}

template <int dim>
std::vector<BodySums> sum_over_bodies(const Model& model, double h, const PrescribedTargets& targets,
                                      const StepForces& forces, const State& before, const State& after) {
  std::vector<char> held(model.layout.num_blocks, 0);
  for (std::size_t k = 0; k < targets.blocks.size(); ++k)
    held[targets.blocks[k]] = static_cast<char>(targets.mask(k, dim));
  VecX errors = 0.5 * h * (after.a - before.a);
  clear_components<dim>(held, errors);
  const std::vector<int> stiff = stiff_body_of_block(model);
  const std::vector<FreeDirections<dim>> directions = free_directions<dim>(model, forces);
  std::vector<BodySums> bodies(model.surface.num_bodies());
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    if (held[b] == (1 << dim) - 1 || !(model.mass[b] > 0.0)) continue;
    const int of = body_of_block(model, b);
    BodySums& body = bodies[of];
    body.mass += model.mass[b];
    body.momentum += model.mass[b] * block<dim>(after.v, b).norm();
    const Vec<dim> error = block<dim>(errors, b);
    // The acceleration of the part in which a stiff body was hit says nothing about the next one.
    const auto is_without_history = [b](const State& state) {
      return !state.has_history.empty() && state.has_history[b] == 0;
    };
    const bool is_hit = is_without_history(after) || (stiff[b] >= 0 && is_without_history(before));
    if (stiff[b] < 0 || (!directions[of].is_in_contact() && !is_hit)) {
      body.error += model.mass[b] * error.norm();
      continue;
    }
    const StiffBody& of_block = model.stiff_bodies[stiff[b]];
    if (b != of_block.first_block) continue;  // turns, which end at once too
    const Vec<dim> jump = block<dim>(after.v, b) - block<dim>(before.v, b);
    body.place = 0.5 * h * jump.norm() / of_block.radius;
    if (!is_hit) body.error += model.mass[b] * directions[of].projected(error).norm();
  }
  return bodies;
}

}  // namespace

template <int dim>
double estimate_time_error(const Model& model, const IntegratorOptions& options, const PrescribedTargets& targets,
                           double least_speed, const StepForces& forces, const State& before, State& after) {
  set_accelerations(options, before, after);
  const std::vector<BodySums> bodies = sum_over_bodies<dim>(model, options.h, targets, forces, before, after);
  after.top_speed.resize(bodies.size(), 0.0);
  double largest = 0.0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BodySums& body = bodies[k];
    if (!(body.mass > 0.0)) continue;
    after.top_speed[k] = std::max(after.top_speed[k], body.momentum / body.mass);
    largest = std::max(largest, body.error_share(least_speed, after.top_speed[k]));
  }
  return largest;
}

template double estimate_time_error<2>(const Model&, const IntegratorOptions&, const PrescribedTargets&, double,
                                       const StepForces&, const State&, State&);
template double estimate_time_error<3>(const Model&, const IntegratorOptions&, const PrescribedTargets&, double,
                                       const StepForces&, const State&, State&);

}  // namespace clearance
