// One time step: the control flow of [Fer23, alg. 2.1, with the scripted motion of app. A.5 and the stiffness of
// app. A.6].
#pragma once

#include <functional>
#include <memory>

#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/report.h"

namespace clearance {

/// Scratch that lives from step to step only to save work: throwing it away never changes a bit of the result.
template <int dim>
class StepWorkspace {
 public:
  StepWorkspace(const Model& model, const SolverOptions& options);
  ~StepWorkspace();
  StepWorkspace(StepWorkspace&&) noexcept;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Called after every Newton iteration with its number and |dx|_inf / h [m/s]; for progress display.
using IterationCallback = std::function<void(int, double)>;

/// Advances `state` by one step, or leaves it untouched (see StepStatus). On entry and on exit the positions are free
/// of intersections and inversions.
template <int dim>
StepReport advance(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, State& state,
                   StepWorkspace<dim>& workspace, const IterationCallback& on_iteration = {});

}  // namespace clearance
