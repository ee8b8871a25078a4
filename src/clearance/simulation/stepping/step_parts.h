// A step that does not converge is taken again in parts: two halves, and of these again halves where they do not
// converge.
// A step of a scene with an accuracy is taken in parts that are as long as the accuracy allows.
#pragma once

#include <functional>

#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/advance.h"

namespace clearance {

/// Adds the work of an attempt at a step, or of a part of it, to the report of others.
void add_attempt(const StepReport& attempt, StepReport& report);

/// The report of a step in which something is not defined.
StepReport undefined_step(const Issues& issues);

/// True if a shorter step may converge where a step with this status did not.
bool may_be_cut(StepStatus status);

/// Returns the options for an attempt at a step or a part that may be taken again in halves: it is given up where
/// halves need less work.
SolverOptions options_of_attempt(SolverOptions options);

/// Returns the limit of directions of such an attempt (AttemptLimit); none of a step that is not given up.
int directions_of_attempt(bool is_attempt);

/// True if the scene says what happens within a step: motions by a list of poses or files say only where its end is.
bool can_be_cut(const SceneModel& scene);

/// Takes steps of a scene in parts. The bits of a part follow from the state at its start alone, so that threads and
/// restarts change nothing.
template <int dim>
class StepParts {
 public:
  /// All arguments must outlive the object.
  StepParts(const SceneDesc& desc, SceneModel& scene, StepWorkspace<dim>& workspace, const StepHooks& hooks);
  ~StepParts();
  StepParts(const StepParts&) = delete;
  StepParts& operator=(const StepParts&) = delete;

  /// Takes the step that begins at `state` in parts, after the attempt `whole` to take it in one, if there was one. The
  /// report has the sums of the parts, the work of all attempts, and the status of the first part that did not
  /// converge, if any. The state is untouched if a part could not be taken.
  StepReport take(const StepReport* whole, State& state);

  /// Called at the end of each part.
  using PartVisitor = std::function<void(const State&, const StepReport&)>;
  /// Takes the step that begins at `state` in parts of h / 2^k that are within TimeDesc::accuracy, and that converge. A
  /// part that is not is taken again in halves; the next one is longer if the error allows. The state is untouched if a
  /// part could not be taken.
  StepReport take_accurately(State& state, const PartVisitor& visit);

 private:
  /// A part of length h / 2^level.
  struct Part {
    StepReport report;
    double error = 0.0;
  };
  /// Takes a part from `before` to `state`, a copy of it. Both count steps of its length.
  Part try_part(int level, const State& before, State& state);
  /// True if a motion or a load begins or ends between two times.
  bool has_event(double t0, double t1) const;
  /// True if the scene has no inertia: shorter steps are then no easier as such, and each one is tried as a whole.
  bool is_static() const { return scene_.options.integrator.method == TimeIntegrator::quasi_static; }
  /// Solves a part; `is_last` if it is not taken again in halves.
  StepReport solve_part(const PrescribedTargets& targets, bool is_last, State& state);
  /// Takes the next h / 2^level; State::step counts in steps of that length.
  StepReport take_part(int level, State& state);
  StepReport take_halves(int level, State& state);
  /// Sets the length of the step, and with it what resists in contacts.
  void set_level(int level);
  /// Returns the level of the part that follows one that ended with `report`: shorter parts stay short while they are
  /// hard.
  int level_after(int level, const StepReport& report) const;

  const SceneDesc& desc_;
  SceneModel& scene_;
  StepWorkspace<dim>& workspace_;
  const StepHooks& hooks_;
  double h_;                        // [s] of the scene
  std::vector<double> compliance_;  // of contacts in whole steps
  int deepest_;                     // level from which on nothing is halved any more
  StepReport failed_work_;          // work of attempts that were given up
};

extern template class StepParts<2>;
extern template class StepParts<3>;

}  // namespace clearance
