// Derivatives of the formulas of a time integrator.
#pragma once

#include <array>
#include <optional>

#include "clearance/solver/state_motion.h"

namespace clearance {

/// Numbers beside those that the formulas give, which are the target, and the rates and the past at the end: their
/// changes, or the derivatives of a number by them. Empty: zero.
struct FormulaNumbers {
  VecX x_tilde, v, a, x_prev, v_prev;
};

/// The formulas are linear in each number, but for stiff bodies that turn freely (free_turn.h) or by Newmark's rates,
/// whose numbers depend on those of the same body.
template <int dim>
class FormulaSlopes {
 public:
  /// The step from `start` to the unknowns `x_t1`; `length` [m] is a small part of the bodies.
  FormulaSlopes(const Model& model, const IntegratorOptions& options, const PrescribedTargets& targets,
                const std::optional<RestartMarks>& marks, const State& start, const VecX& x_t1, double length);

  /// Returns the changes with those of the state at the start, of x_t1, and of where led blocks end the step.
  FormulaNumbers push_forward(const State& start, const VecX& x_t1, const VecX& led) const;
  /// Adds the derivatives by the state at the start, by x_t1, and by where led blocks end the step.
  void pull_back(const FormulaNumbers& result, State& start, VecX& x_t1, VecX& led) const;

 private:
  static constexpr std::size_t num_inputs = 7, num_outputs = 5;
  using Inputs = std::array<VecX, num_inputs>;    // x, v, a, x_prev, v_prev, x_t1, x_led
  using Outputs = std::array<VecX, num_outputs>;  // x_tilde, v, a, x_prev, v_prev
  Outputs evaluate(const Inputs& inputs) const;
  void find_linear(const Inputs& at);
  void find_of_bodies(const Inputs& at, double length);

  const Model& model_;
  const IntegratorOptions& options_;
  const PrescribedTargets& targets_;
  const std::optional<RestartMarks>& marks_;
  const State& start_;
  std::vector<int> bodies_;                                       // stiff bodies that are not linear
  std::array<std::array<VecX, num_inputs>, num_outputs> linear_;  // empty: zero
  std::vector<MatX> of_bodies_;  // per such body: rows of all outputs, columns of all inputs
};

extern template class FormulaSlopes<2>;
extern template class FormulaSlopes<3>;

}  // namespace clearance
