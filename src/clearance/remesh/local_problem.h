// The time step around an operation, with all else held [Fer23, sec. 6.3.7, "local solve"]: the objective is that of
// the whole step, of which it has all terms that the operation or the moving nodes change.
//
// A scope is a region of a body at rest, the same before and after an operation: the elements with a moving node and
// those that the operation replaces. The difference of the objectives of the two problems is therefore that of the
// objectives of the whole step, up to rounding.
#pragma once

#include <memory>

#include "clearance/remesh/own_surface.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Elements and moving vertices, by their numbers in the mesh, ascending.
struct Scope {
  std::vector<int> cells;
  std::vector<int> facets;  ///< of the boundary: those with a moving vertex, and those that are replaced
  std::vector<int> moving;
};

/// Restarted BDF2 takes a step of implicit Euler where a body is hit, or has no history.
template <int dim>
IntegratorOptions local_integrator(const RemeshInputs<dim>& in, int body);

/// What the problems of one body have in common. All of it outlives them.
template <int dim>
struct LocalSetting {
  LocalSetting(const RemeshInputs<dim>& inputs, const AdaptingBody<dim>& adapting, const SceneSurfaces<dim>& scene,
               const OwnSurface<dim>& own_surface);

  const RemeshInputs<dim>& in;
  const AdaptingBody<dim>& body;
  const SceneSurfaces<dim>& surroundings;
  const OwnSurface<dim>& own;
  SolverOptions options;           ///< of local solves
  FrictionTable friction;          ///< of the scene; without coefficients where the step has no friction yet
  bool is_friction_at_x1 = false;  ///< friction is lagged with the contacts at x1, not with those at x0
  double scale = 1.0;              ///< [s^2] InertialTarget::scale
};

/// Where contacts of a scope may be.
template <int dim>
struct ContactRegion {
  Extent<dim> extent;      ///< whose primitives are there, of all bodies
  double allowance = 0.0;  ///< [m] moving nodes may go so far
};

template <int dim>
class LocalProblem {
 public:
  /// Of the mesh and fields as they are now. Without a region there is no contact.
  LocalProblem(const LocalSetting<dim>& setting, const Scope& scope, const ContactRegion<dim>* region);
  ~LocalProblem();
  LocalProblem(const LocalProblem&) = delete;
  LocalProblem& operator=(const LocalProblem&) = delete;

  /// No surfaces meet at x1 nor at x0, by exact arithmetic.
  bool is_intersection_free() const;
  bool has_surface() const;
  /// Vertices of the mesh that the problem depends on, the moving ones first.
  const std::vector<int>& vertices() const;
  int num_moving() const;
  const Model& model() const;
  const State& state() const;
  const VecX& x1() const;

  /// The incremental potential at the iterate, times LocalSetting::scale; infinity outside of its domain.
  const CompensatedSum& objective();
  /// Anything repels anything there.
  bool has_contacts();
  /// What the objective falls by on Newton's next step by its quadratic model; 0: it is at its least, infinity: there
  /// is no step.
  double next_fall();
  /// False if there is none.
  bool take_step();
  /// What friction takes out of the objective at the iterate.
  double friction();
  /// Where friction is lagged with the contacts at x1: as much of it as takes out this energy, before the first step.
  void match_friction(double energy);
  /// No more steps: false if the iterate is not valid by exact arithmetic, or is farther than the region allows.
  bool settle();
  /// [m] No node has gone farther.
  double way() const;
  /// [m] Of moving vertex i.
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
