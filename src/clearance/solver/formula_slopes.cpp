#include "clearance/solver/formula_slopes.h"

#include "clearance/solver/free_turn.h"

namespace clearance {

template <int dim>
FormulaSlopes<dim>::FormulaSlopes(const Model& model, const IntegratorOptions& options,
                                  const PrescribedTargets& targets, const std::optional<RestartMarks>& marks,
                                  const State& start, const VecX& x_t1, double length)
    : model_(model), options_(options), targets_(targets), marks_(marks), start_(start) {
  for (std::size_t k = 0; k < model.stiff_bodies.size(); ++k) {
    const bool turns_freely = dim == 3 && has_free_turns(options.method) && model.stiff_bodies[k].symmetry_axis >= 0;
    if (turns_freely || options.method == TimeIntegrator::implicit_newmark) bodies_.push_back(static_cast<int>(k));
  }
  const VecX led = marks ? marks->x_led : VecX();
  const Inputs at = {start.x, start.v, start.a, start.x_prev, start.v_prev, x_t1, led};
  find_linear(at);
  if (!bodies_.empty()) find_of_bodies(at, length);
}

template <int dim>
auto FormulaSlopes<dim>::evaluate(const Inputs& inputs) const -> Outputs {
  State state = start_;
  state.x = inputs[0];
  state.v = inputs[1];
  state.a = inputs[2];
  state.x_prev = inputs[3];
  state.v_prev = inputs[4];
  std::optional<RestartMarks> marks = marks_;
  if (marks) marks->x_led = inputs[6];
  const InertialTarget target = target_of<dim>(model_, options_, state, marks);
  move_state<dim>(model_, options_, targets_, target, inputs[5], state);
  return {target.x_tilde, state.v, state.a, state.x_prev, state.v_prev};
}

/// Finds the coefficients of linear formulas, from zero everywhere but in the bodies that are not linear.
template <int dim>
void FormulaSlopes<dim>::find_linear(const Inputs& at) {
  const auto only_bodies = [&](const VecX& numbers) {
    VecX kept = VecX::Zero(numbers.size());
    for (const int k : bodies_) {
      const Eigen::Index first =
          dim * static_cast<Eigen::Index>(model_.stiff_bodies[static_cast<std::size_t>(k)].first_block);
      if (numbers.size() > 0) kept.segment(first, dim * (dim + 1)) = numbers.segment(first, dim * (dim + 1));
    }
    return kept;
  };
  Inputs zero;
  for (std::size_t i = 0; i < num_inputs; ++i) zero[i] = only_bodies(at[i]);
  const VecX of_bodies = only_bodies(VecX::Ones(at[0].size()));
  for (std::size_t i = 0; i < num_inputs; ++i) {
    if (at[i].size() == 0) continue;
    Inputs one = zero;
    one[i] += VecX::Ones(at[i].size()) - of_bodies;
    const Outputs result = evaluate(one);
    for (std::size_t o = 0; o < num_outputs; ++o) {
      if (result[o].size() == 0) continue;
      const VecX slope = result[o].cwiseProduct(VecX::Ones(of_bodies.size()) - of_bodies);
      if (!slope.isZero(0.0)) linear_[o][i] = slope;
    }
  }
}

template <int dim>
void FormulaSlopes<dim>::find_of_bodies(const Inputs& at, double length) {
  constexpr Eigen::Index width = dim * (dim + 1);
  of_bodies_.assign(bodies_.size(), MatX::Zero(num_outputs * width, num_inputs * width));
  for (std::size_t i = 0; i < num_inputs; ++i) {
    if (at[i].size() == 0) continue;
    const bool is_rate = i == 1 || i == 4, is_acceleration = i == 2;
    const double eps = length / (is_rate ? options_.h : is_acceleration ? options_.h * options_.h : 1.0);
    for (Eigen::Index c = 0; c < width; ++c) {
      const auto result = [&](double by) {
        Inputs changed = at;
        for (const int k : bodies_) {
          changed[i][dim * static_cast<Eigen::Index>(model_.stiff_bodies[static_cast<std::size_t>(k)].first_block) +
                     c] += by * eps;
        }
        return evaluate(changed);
      };
      const Outputs far_below = result(-2.0), below = result(-1.0), above = result(1.0), far_above = result(2.0);
      for (std::size_t o = 0; o < num_outputs; ++o) {
        if (above[o].size() == 0) continue;
        const VecX slope = (8.0 * (above[o] - below[o]) - (far_above[o] - far_below[o])) / (12.0 * eps);
        for (std::size_t k = 0; k < bodies_.size(); ++k) {
          const Eigen::Index first =
              dim * static_cast<Eigen::Index>(model_.stiff_bodies[static_cast<std::size_t>(bodies_[k])].first_block);
          of_bodies_[k].block(static_cast<Eigen::Index>(o) * width, static_cast<Eigen::Index>(i) * width + c, width,
                              1) = slope.segment(first, width);
        }
      }
    }
  }
}

template <int dim>
FormulaNumbers FormulaSlopes<dim>::push_forward(const State& start, const VecX& x_t1, const VecX& led) const {
  constexpr Eigen::Index width = dim * (dim + 1);
  FormulaNumbers result;
  const std::array<VecX*, num_outputs> of = {&result.x_tilde, &result.v, &result.a, &result.x_prev, &result.v_prev};
  const std::array<const VecX*, num_inputs> by = {&start.x,      &start.v, &start.a, &start.x_prev,
                                                  &start.v_prev, &x_t1,    &led};
  for (std::size_t o = 0; o < num_outputs; ++o) {
    *of[o] = VecX::Zero(x_t1.size());
    for (std::size_t i = 0; i < num_inputs; ++i) {
      if (by[i]->size() == 0) continue;
      if (linear_[o][i].size() > 0) *of[o] += linear_[o][i].cwiseProduct(*by[i]);
      for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Eigen::Index first =
            dim * static_cast<Eigen::Index>(model_.stiff_bodies[static_cast<std::size_t>(bodies_[k])].first_block);
        of[o]->segment(first, width) += of_bodies_[k].block(static_cast<Eigen::Index>(o) * width,
                                                            static_cast<Eigen::Index>(i) * width, width, width) *
                                        by[i]->segment(first, width);
      }
    }
  }
  return result;
}

template <int dim>
void FormulaSlopes<dim>::pull_back(const FormulaNumbers& result, State& start, VecX& x_t1, VecX& led) const {
  constexpr Eigen::Index width = dim * (dim + 1);
  const std::array<const VecX*, num_outputs> of = {&result.x_tilde, &result.v, &result.a, &result.x_prev,
                                                   &result.v_prev};
  const std::array<VecX*, num_inputs> by = {&start.x, &start.v, &start.a, &start.x_prev, &start.v_prev, &x_t1, &led};
  for (std::size_t o = 0; o < num_outputs; ++o) {
    if (of[o]->size() == 0) continue;
    for (std::size_t i = 0; i < num_inputs; ++i) {
      if (linear_[o][i].size() > 0) *by[i] += linear_[o][i].cwiseProduct(*of[o]);
      for (std::size_t k = 0; k < bodies_.size() && by[i]->size() > 0; ++k) {
        const Eigen::Index first =
            dim * static_cast<Eigen::Index>(model_.stiff_bodies[static_cast<std::size_t>(bodies_[k])].first_block);
        by[i]->segment(first, width) +=
            of_bodies_[k]
                .block(static_cast<Eigen::Index>(o) * width, static_cast<Eigen::Index>(i) * width, width, width)
                .transpose() *
            of[o]->segment(first, width);
      }
    }
  }
}

template class FormulaSlopes<2>;
template class FormulaSlopes<3>;

}  // namespace clearance
