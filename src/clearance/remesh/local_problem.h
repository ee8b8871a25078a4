// The time step around an operation, with everything else held [Fer23, sec. 6.3.7, "local solve"]. The objective
// consists of those terms of the whole step's objective that the operation or the moving nodes change.
//
// A scope is a region of a body at rest that is the same before and after an operation: the elements with a moving node
// and those that the operation replaces. The difference between the objectives of the two problems therefore equals
// that between the objectives of the whole step, up to rounding.
#pragma once

#include <memory>

#include "clearance/remesh/local_elements.h"
#include "clearance/remesh/own_surface.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Returns the integrator options for local problems of a body. Restarted BDF2 becomes implicit Euler if the body has
/// no history or is hit, else BDF2.
template <int dim>
IntegratorOptions local_integrator(const RemeshInputs<dim>& in, int body);

/// The data that all local problems of one body share. It must outlive them.
template <int dim>
struct LocalSetting {
  LocalSetting(const RemeshInputs<dim>& inputs, const AdaptingBody<dim>& adapting, const SceneSurfaces<dim>& scene,
               const OwnSurface<dim>& own_surface);

  const RemeshInputs<dim>& in;
  const AdaptingBody<dim>& body;
  const SceneSurfaces<dim>& surroundings;
  const OwnSurface<dim>& own;
  SolverOptions options;           ///< of local solves
  FrictionTable friction;          ///< of the scene; without coefficients if the step has no friction yet
  bool is_friction_at_x1 = false;  ///< True if friction is lagged with the contacts at x1, not with those at x0.
  double scale = 1.0;              ///< [s^2] InertialTarget::scale
};

/// The region in which contacts of a scope are sought.
template <int dim>
struct ContactRegion {
  Extent<dim> extent;      ///< its primitives of all bodies take part
  double allowance = 0.0;  ///< [m] largest motion allowed for moving nodes
};

template <int dim>
class LocalProblem {
 public:
  /// Builds the problem from the mesh and fields in their present state. If `region` is null there is no contact.
  LocalProblem(const LocalSetting<dim>& setting, const Scope& scope, const ContactRegion<dim>* region);
  ~LocalProblem();
  LocalProblem(const LocalProblem&) = delete;
  LocalProblem& operator=(const LocalProblem&) = delete;

  /// True if surfaces meet neither at x1 nor at x0, by exact arithmetic.
  bool is_intersection_free() const;
  bool has_surface() const;
  /// Returns the vertices of the mesh that the problem depends on, the moving ones first.
  const std::vector<int>& vertices() const;
  int num_moving() const;
  const Model& model() const;
  const State& state() const;
  const VecX& x1() const;

  /// Returns the incremental potential at the iterate times LocalSetting::scale; infinity outside of its domain.
  const CompensatedSum& objective();
  /// True if the iterate has at least one contact.
  bool has_contacts();
  /// Returns the decrease of the objective that the quadratic model predicts for the next Newton step; 0 if it has
  /// converged, infinity if there is no step.
  double next_fall();
  /// Takes the next Newton step; returns false if there is none.
  bool take_step();
  /// Returns the friction term of the objective at the iterate.
  double friction();
  /// Rescales friction, before the first step, so that its term equals `energy`. Only acts if friction is lagged with
  /// the contacts at x1.
  void match_friction(double energy);
  /// Ends the solve. Returns false if the iterate is not valid by exact arithmetic or has moved by more than the region
  /// allows.
  bool settle();
  /// Returns an upper bound [m] on the motion of any node.
  double way() const;
  /// Returns the position [m] of moving vertex i.
  Vec<dim> position(int i) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template struct LocalSetting<2>;
extern template struct LocalSetting<3>;
extern template class LocalProblem<2>;
extern template class LocalProblem<3>;

}  // namespace clearance
