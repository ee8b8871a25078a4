// The barrier stiffness kappa of a step, where contacts have none of their own [Fer23, app. A.6].
#pragma once

#include "clearance/contact/contact_set.h"
#include "clearance/solver/options.h"

namespace clearance {

/// Returns the mean mass [kg] of the blocks that have mass; 0 if no block has mass.
double mean_block_mass(const Model& model);

class BarrierStiffness {
 public:
  /// `is_per_contact`: contacts have energies in joules.
  BarrierStiffness(const Model& model, const SolverOptions& options, bool is_per_contact, bool has_inertia)
      : model_(model), options_(options), is_per_contact_(is_per_contact), has_inertia_(has_inertia) {}

  /// True if kappa is chosen by [Fer23, app. A.6].
  bool is_adaptive() const { return !(options_.kappa.fixed > 0.0) && !is_per_contact_; }
  /// Returns kappa if it is not adaptive: the value of the scene, or the factor that makes joules a summand of the
  /// objective.
  double constant(double scale_of_energies) const {
    return options_.kappa.fixed > 0.0 ? options_.kappa.fixed : scale_of_energies;
  }
  /// Returns the adaptive kappa for the start of a step.
  double initial() const;
  /// Returns a contact of `after` that is closer than d_eps and still approaches, if kappa may grow; else null.
  const Contact* find_approaching(double kappa, const ContactSet& before, const ContactSet& after) const;
  double doubled(double kappa) const;

 private:
  double lower_bound() const;
  double upper_bound() const { return 100.0 * lower_bound(); }
  double inertial() const;

  const Model& model_;
  const SolverOptions& options_;
  bool is_per_contact_;
  bool has_inertia_;
};

}  // namespace clearance
