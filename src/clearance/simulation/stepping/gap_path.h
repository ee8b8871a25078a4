// The gap that contacts keep in quasi-static steps, narrowed until it no longer falsifies their forces.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/advance.h"

namespace clearance {

/// The activation distances of contact of a scene, times a factor. Contacts under the same pressure are then the same
/// share of their activation distance apart, whatever the factor is.
class ContactDistances {
 public:
  ContactDistances() = default;
  explicit ContactDistances(const SceneModel& scene);

  /// Sets the distances of the scene to `factor` times those that it was built with.
  void narrow(double factor, SceneModel& scene) const;

 private:
  double dhat_ = 0.0;
  std::vector<double> of_vertices_, compliance_;
  std::shared_ptr<const ContactAtRest> at_rest_;
};

/// Finds the equilibrium of a quasi-static step with a gap between surfaces in contact that accounts for at most
/// `tolerance` of the contact force of every pair of bodies, and of the deflection of every body.
///
/// x(s) is the equilibrium with activation distances s times those of the scene, and s = 0 is contact without a gap.
/// The derivative of the force of a pair by s, from one linear solve, says how much of the force the gap accounts for
/// and how far s must fall. The path is followed there in stages, each of which starts where the last one foresees it.
/// The gap does not change the force of a given load, but bodies approach each other less: by a share of the deflection
/// that is the work of the contact forces over their gaps, over twice the elastic energy of a body. Bodies that give
/// way by less than narrowing can resolve count as rigid. With friction only forces are narrowed for, and a stage may
/// cost as much as the step.
template <int dim>
class GapPath {
 public:
  /// All arguments must outlive the object. `h` [s] is the length of the step.
  GapPath(const ContactDistances& distances, double tolerance, SceneModel& scene, double h,
          StepWorkspace<dim>& workspace, const StepHooks& hooks);

  /// Solves the step that starts at `state`. The object must outlive the result. If it converges, the report has a
  /// GapShare. `narrowing` receives the factor of the distances that it was solved with, which the scene has from then
  /// on.
  SolvedStep<dim> solve(const PrescribedTargets& targets, const State& state, double& narrowing);
  /// Returns the work of the solves that came before the returned one.
  const StepReport& other_work() const { return others_; }
  /// Returns what the gap accounts for at the end; nothing without contact forces.
  const std::optional<GapShare>& gap_share() const { return share_; }
  /// Returns what the gap accounts for of a force.
  const std::optional<GapShare>& force_gap_share() const { return force_share_; }

 private:
  /// First-order change of the equilibrium as the activation distances shrink to nothing.
  struct Estimate {
    std::optional<GapShare> of_force, of_deflection;
    VecX dy;  // in Newton's unknowns

    /// Returns the larger one.
    std::optional<GapShare> largest() const;
  };
  Estimate estimate(SolvedStep<dim>& solved, double factor) const;
  void narrow(double factor);

  const ContactDistances& distances_;
  double tolerance_;
  SceneModel& scene_;
  StepWorkspace<dim>& workspace_;
  const StepHooks& hooks_;
  SolverOptions options_;   // those of the scene, for steps of length h
  SolverOptions of_stage_;  // of the step that solve has returned, which refers to it
  StepReport others_;
  std::optional<GapShare> share_, force_share_;
};

extern template class GapPath<2>;
extern template class GapPath<3>;

}  // namespace clearance
