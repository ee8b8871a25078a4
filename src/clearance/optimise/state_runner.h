// Runs of the states of a plan, and the way back from derivatives by positions to derivatives by what a design decides.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "clearance/derivatives/scene_variant.h"
#include "clearance/optimise/polyfem_plan.h"

namespace clearance::optimise {

enum class RunEnd {
  complete,
  failed,   ///< a step has no solution, or no derivative; the problems say which one
  refused,  ///< the scene with this design is not allowed; the problems say why
  stopped
};

class StateRunner {
 public:
  virtual ~StateRunner() = default;

  /// Runs the varied state with the numbers `y` of the design's variables. A run that is not differentiated has the
  /// same states, and no `pull_back`.
  virtual RunEnd run(const std::vector<VecX>& y, StateHistory& history, bool is_differentiated) = 0;
  /// Returns the derivatives by `y` of a functional of the last run that has these derivatives by its history. Nothing
  /// if a step has none.
  virtual std::optional<std::vector<VecX>> pull_back(const Seeds& seeds) = 0;
  /// Why the last run has failed, or has no derivatives.
  const Issues& problems() const { return problems_; }
  /// Warnings about numbers that the derivatives of the last run hold, and events that they do not see.
  const Issues& warnings() const { return warnings_; }

 protected:
  Issues problems_, warnings_;
};

/// Runs a state as its file has it, made for derivatives. `held`: contact to be used if it fits; may be null.
RunEnd run_state(const PolyfemPlan& plan, std::size_t state,
                 const std::shared_ptr<const derivatives::HeldContact>& held,
                 const std::function<bool()>& is_stop_wanted, StateHistory& history, Issues& problems);

/// Makes a runner: in forward mode if the design decides a few numbers of each body, which are carried along; in
/// reverse mode if it decides numbers of elements or shapes. Issues: variables that no mode knows.
Result<std::unique_ptr<StateRunner>> make_runner(const PolyfemPlan& plan,
                                                 const std::shared_ptr<const derivatives::HeldContact>& held,
                                                 const std::function<bool()>& is_stop_wanted);

}  // namespace clearance::optimise
