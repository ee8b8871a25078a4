#include "clearance/solver/barrier_stiffness.h"

#include <algorithm>

namespace clearance {

double mean_block_mass(const Model& model) {
  double sum = 0.0;
  int count = 0;
  for (double m : model.mass) {
    if (m > 0.0) {
      sum += m;
      ++count;
    }
  }
  return sum / std::max(count, 1);
}

/// Returns the lower bound for scenes with stiff bodies. These have no elasticity that a barrier must stand up to, only
/// inertia: halfway to contact the barrier pushes a mean mass out by a hundred dhat in a step. [Fer23, app. A.6] would
/// make it a thousand times stiffer, a wall that contacts meet one by one (measured: ten times the Newton iterations).
double BarrierStiffness::inertial() const {
  constexpr double reach = 100.0;
  return reach * options_.barrier.dhat * mean_block_mass(model_) / middle_force(options_.barrier);
}

double BarrierStiffness::lower_bound() const {
  if (!model_.stiff_bodies.empty() && has_inertia_) return inertial();
  // At d = 1e-8 l a point-point contact has at least `min_multiplier` mean masses on the diagonal.
  const double l = model_.bbox_diagonal;
  const double min_separation = options_.barrier.min_separation;
  double distance = 1e-8 * l + min_separation;
  double curvature = barrier_derivatives(distance * distance, options_.barrier).second;
  // If dhat is so small that the reference distance lies outside the barrier, the middle of the barrier serves instead.
  if (!(curvature > 0.0)) {
    distance = 0.5 * options_.barrier.dhat + min_separation;
    curvature = barrier_derivatives(distance * distance, options_.barrier).second;
  }
  // The squared distance has a gradient of length 2 d; without min_separation its square is the 4e-16 l^2 of [Fer23,
  // app. A.6].
  return options_.kappa.min_multiplier * mean_block_mass(model_) / (4.0 * distance * distance * curvature);
}

/// Returns a kappa in the middle of the bounds, the same in every step. The kappa of [Fer23, app. A.6], which balances
/// the other forces at the gaps of the start, keeps these gaps and drifts to a bound. At the lower one contacts come to
/// rest at a hundredth of dhat, and every facet that slides past cuts the directions. At the upper one contacts rest at
/// the onset of the barrier and come and go. Measured: twice the Newton iterations in dense contact.
double BarrierStiffness::initial() const {
  constexpr double middle = 10.0;
  return !model_.stiff_bodies.empty() && has_inertia_ ? lower_bound() : middle * lower_bound();
}

const Contact* BarrierStiffness::find_approaching(double kappa, const ContactSet& before,
                                                  const ContactSet& after) const {
  if (!is_adaptive()) return nullptr;
  const double close = options_.kappa.close_distance + options_.barrier.min_separation;
  const auto is_close = [&](const Contact& contact) {
    const double distance = close + contact.thickness;
    return contact.distance_sq < distance * distance;
  };
  if (after.min_distance >= close || kappa >= upper_bound()) return nullptr;
  for (const Contact& contact : after.contacts) {
    if (!is_close(contact)) continue;
    const Contact* found = before.find(contact);
    if (found == nullptr) continue;
    if (is_close(*found) && contact.distance_sq < found->distance_sq) return &contact;
  }
  return nullptr;
}

double BarrierStiffness::doubled(double kappa) const {
  return std::min(upper_bound(), 2.0 * kappa);
}

}  // namespace clearance
