#include "clearance/derivatives/forward_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "clearance/derivatives/first_touches.h"
#include "clearance/derivatives/nearby_steps.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/probe_columns.h"
#include "clearance/scene/validate.h"
#include "clearance/solver/formula_slopes.h"
#include "clearance/solver/mass_product.h"
#include "clearance/solver/rebound_slopes.h"

namespace clearance::derivatives {

namespace {

/// Difference of the two orders, as a share, from which on a change is too large: of motions, and of changes of the
/// state.
constexpr double nonlinear = 1e-6, smooth = 1e-6;
/// Share of a number over which differences by it lose the digits of forces between surfaces.
constexpr double short_share = 1e-6;
/// Share of a motion that farther variants may correct.
constexpr double most_correction = 1e-4;
/// Multiple of the reach of shapes over which forces of joints are differentiated, and corrections of the motion there.
constexpr double reach_of_joints = 2.0;
constexpr int joint_corrections = 2;

/// Returns the joints of a scene that has not been stepped; null if there are none.
const Potential* joints_of(const SceneModel& scene) {
  return scene.joint_potential ? scene.model.potentials[*scene.joint_potential].get() : nullptr;
}

template <int dim>
class ForwardRun {
 public:
  ForwardRun(SteppedScene& nominal, const SceneMaker& make, const GradientOptions& options,
             const std::vector<std::size_t>& columns, Gradient& result)
      : nominal_(nominal), options_(options), columns_(columns), result_(result), near_(nominal, make) {}

  /// Makes the variants of the scene. Issues: those of the values that differences need.
  Result<Done> start();
  /// Advances and differentiates one step. False, with an error in the result, if it has no derivative.
  bool step();
  /// Appends warnings about what derivatives do not see.
  void report_events();

 private:
  struct ByParameter {
    Variants<dim> near;
    VecX rate;  // of the state's numbers
    /// Variants farther away, if gaps have made those of `near` short: with the state and the end moved along, gaps
    /// stay.
    Variants<dim> far;
    // Largest share by which the motion of an end differs from that on one side of it, and its step.
    double kink = 0.0;
    int step_of_kink = 0;
  };

  /// Derivatives along a direction.
  struct Slopes {
    VecX gradient, numbers, probes;
  };
  std::optional<Evaluations> evaluate_far(ByParameter& by, const VecX& dy);
  bool refine_forces(std::size_t parameter, VecX& dy, Slopes& total);
  /// Parts of a step that are differentiated together.
  enum class Part { all, beside_contacts, remainder };
  std::optional<Evaluations> evaluate_changes(const VecX& rate, const VecX& dy, double length, Part part);
  std::optional<Slopes> slopes_along(const VecX& rate, const VecX& dy, Part part);
  double stencil_length(const VecX& rate, const VecX& dy, double reach);
  VecX contact_change(const VecX& rate, const VecX& moved);
  std::optional<Slopes> slopes_of_start(const VecX& rate);
  std::optional<VecX> joint_forces(const VecX& rate, VecX dy, const VecX& of_start, const VecX& pull);
  std::optional<Slopes> slopes_of_end(const VecX& rate, const VecX& dy, const VecX& of_start);
  void differentiate_probes(Slopes& slopes);
  VecX slopes_of_stresses(const ByParameter& by) const;
  void note_kink(ByParameter& by, const VecX& dy, const VecX& pull);
  bool differentiate(std::size_t parameter, StepGradient& numbers);
  VecX differentiated_probes(const ByParameter& by, const std::vector<VecX>& values) const {
    return sum_of(values, by.near.stencil.weights, by.near.length);
  }
  void keep(std::size_t parameter, const VecX& probes, StepGradient& numbers) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      numbers.derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(parameter)) =
          probes[static_cast<Eigen::Index>(columns_[c])];
    }
  }
  StepGradient numbers_of_step(const std::vector<double>& all) const;
  /// Shows the state of the scene, and its derivatives, to the observer.
  void show_state() const;
  bool fail(std::string message) {
    result_.end = GradientEnd::failed;
    result_.errors.push_back({"", fmt::format("step {}", nominal_.state.step + 1), "", std::move(message)});
    return false;
  }

  SteppedScene& nominal_;
  const GradientOptions& options_;
  const std::vector<std::size_t>& columns_;
  Gradient& result_;
  NearbySteps<dim> near_;
  std::vector<ByParameter> by_;
  FirstTouches first_touches_;
  // The next members are those of the step under way.
  std::optional<FormulaSlopes<dim>> formulas_;
  std::optional<ReboundSlopes<dim>> rebounds_;
  bool has_free_motion_ = false;  // of a step so far
};

template <int dim>
Result<Done> ForwardRun<dim>::start() {
  Issues issues;
  const State& state = nominal_.state;
  StepGradient numbers = numbers_of_step(nominal_.probes.values_at_start(state, nominal_.joints()));
  by_.resize(result_.parameters.size());
  for (std::size_t k = 0; k < by_.size(); ++k) {
    const Parameter& parameter = result_.parameters[k];
    Result<Done> made = near_.make_variants(parameter, first_share * parameter.size(), by_[k].near);
    if (!made) {
      issues.insert(issues.end(), made.issues().begin(), made.issues().end());
      continue;
    }
    if (options_.on_state && moves_vertices(*nominal_.scene, *by_[k].near.variants.front().scene->scene)) {
      issues.push_back(moved_vertices(parameter.path));
      continue;
    }
    std::vector<VecX> states, probes;
    for (const auto& variant : by_[k].near.variants) {
      const State& start = variant.scene->scene->initial_state;
      states.push_back(near_.numbers().of(rescaled(variant.scene->scene->model, nominal_.scene->model, start), state));
      probes.push_back(vector_of(variant.scene->probes.values_at_start(start, joints_of(*variant.scene->scene))));
    }
    by_[k].rate = sum_of(states, by_[k].near.stencil.weights, by_[k].near.length);
    keep(k, differentiated_probes(by_[k], probes), numbers);
  }
  if (!issues.empty()) return issues;
  result_.steps.push_back(std::move(numbers));
  show_state();
  return Done{};
}

template <int dim>
void ForwardRun<dim>::show_state() const {
  if (!options_.on_state) return;
  const Eigen::Index size = nominal_.state.x.size();
  MatX dx(size, static_cast<Eigen::Index>(by_.size())), dv = dx;
  // The positions come first among the numbers of a state, and then the velocities.
  for (std::size_t k = 0; k < by_.size(); ++k) {
    dx.col(static_cast<Eigen::Index>(k)) = by_[k].rate.head(size);
    dv.col(static_cast<Eigen::Index>(k)) = by_[k].rate.segment(size, size);
  }
  options_.on_state(nominal_, dx, dv);
}

template <int dim>
StepGradient ForwardRun<dim>::numbers_of_step(const std::vector<double>& all) const {
  StepGradient numbers;
  numbers.time = nominal_.state.time;
  for (const std::size_t column : columns_) numbers.values.push_back(all[column]);
  numbers.derivatives =
      MatX::Zero(static_cast<Eigen::Index>(columns_.size()), static_cast<Eigen::Index>(result_.parameters.size()));
  return numbers;
}

/// Evaluates the step from states that are changed by multiples of `length` times `rate`, to ends that are moved by the
/// same multiples of `dy`.
template <int dim>
std::optional<Evaluations> ForwardRun<dim>::evaluate_changes(const VecX& rate, const VecX& dy, double length,
                                                             Part part) {
  Evaluations all;
  const LocalCoordinates<dim>& coordinates = near_.step().inputs().coordinates();
  for (const double offset : central().offsets) {
    const double by = offset * length;
    const State start = near_.changed(near_.begin(), by * rate);
    const VecX end = coordinates.move(near_.tangent().x(), by * dy, 1.0);
    auto evaluation = part == Part::all               ? near_.evaluate(start, end)
                      : part == Part::beside_contacts ? near_.evaluate_beside_contacts(start, end)
                                                      : near_.evaluate_remainder(start, end);
    if (!evaluation) return std::nullopt;
    all.add(std::move(*evaluation));
  }
  return all;
}

/// Returns the multiple of a change of the start and a motion of the end that is as long as `reach` [m].
template <int dim>
double ForwardRun<dim>::stencil_length(const VecX& rate, const VecX& dy, double reach) {
  const double h = nominal_.scene->options.integrator.h, size = nominal_.scene->model.bbox_diagonal;
  const VecX moved = near_.step().inputs().coordinates().expand(near_.tangent().x(), dy);
  const double longest = std::max(near_.numbers().length_of(rate, near_.begin(), h, size), moved.cwiseAbs().maxCoeff());
  return longest > 0.0 ? reach / longest : 1.0;
}

/// Returns the derivatives along a change of the start and a motion of the end. Where the ends of friction's elastic
/// sliding make them depend on the length of the change, shorter ones are better, until rounding is.
template <int dim>
std::optional<typename ForwardRun<dim>::Slopes> ForwardRun<dim>::slopes_along(const VecX& rate, const VecX& dy,
                                                                              Part of_step) {
  const double first =
      stencil_length(rate, dy, of_step == Part::all ? near_.tangent().reach() : near_.tangent().reach_of_shapes());
  std::optional<Slopes> best;
  double least = infinity;
  for (const double part : {1.0, 0.03, 0.001}) {
    const std::optional<Evaluations> all = evaluate_changes(rate, dy, part * first, of_step);
    if (!all || !all->are_finite()) continue;
    const auto slope = [&](const std::vector<VecX>& values) { return sum_of(values, central().weights, part * first); };
    Slopes slopes{slope(all->gradients), slope(all->numbers), slope(all->probes)};
    const VecX coarse = sum_of(all->gradients, central().coarse, part * first);
    const double miss = (slopes.gradient - coarse).norm();
    if (miss < least) {
      best = std::move(slopes);
      least = miss;
    }
    if (miss <= smooth * coarse.norm() || miss > least) break;
  }
  return best;
}

/// Returns how the forces of contacts and friction follow a change of the start and the motion `moved` of the end.
template <int dim>
VecX ForwardRun<dim>::contact_change(const VecX& rate, const VecX& moved) {
  const State& begin = near_.begin();
  const Eigen::Index size = begin.x.size();
  VecX change = near_.tangent().contact_product(moved);
  if (const FrictionSlopes& friction = near_.tangent().friction(); !friction.is_empty()) {
    change += friction.force_by_start(
        rate.head(size), rate.segment(near_.numbers().first_of_sliding(begin), 3 * std::ssize(begin.stick)));
  }
  return change;
}

/// Returns how the balance follows a change of the start, and how what the end has of the start does at a fixed end:
/// prescribed places, anchors, controls. Inertia, contacts and friction have closed forms.
template <int dim>
auto ForwardRun<dim>::slopes_of_start(const VecX& rate) -> std::optional<Slopes> {
  const LocalCoordinates<dim>& coordinates = near_.step().inputs().coordinates();
  const State& begin = near_.begin();
  const Eigen::Index size = begin.x.size();
  std::optional<Slopes> slopes = slopes_along(rate, VecX::Zero(coordinates.num_blocks() * dim), Part::remainder);
  if (!slopes) return std::nullopt;
  // The positions come first among the numbers of a state. Prescribed nodes follow the start by themselves.
  const VecX moved = slopes->numbers.head(size);
  VecX change = contact_change(rate, moved);
  if (near_.step().problem().target().has_inertia) {
    const VecX of_target =
        formulas_->push_forward(near_.numbers().changed(zero_like(begin), rate), VecX::Zero(size), moved).x_tilde;
    change += mass_product<dim>(near_.step(), moved - of_target);
  }
  slopes->gradient += near_.step().problem().free_part(coordinates, near_.tangent().x(), change);
  return slopes;
}

/// Returns how the probes follow a change of the start and a motion of the end, for the forces of joints. A joint is so
/// stiff that its force is that of a gap of a billionth of the motion, less than the solution and differences over long
/// ways know it to. The motion is corrected until the same differences of the balance leave nothing: what a joint's
/// force lacks would be missing in the balance as well. `of_start` are the numbers that follow the start alone.
template <int dim>
std::optional<VecX> ForwardRun<dim>::joint_forces(const VecX& rate, VecX dy, const VecX& of_start, const VecX& pull) {
  const LocalCoordinates<dim>& coordinates = near_.step().inputs().coordinates();
  const VecX by_start = of_start.head(near_.begin().x.size());
  const double length = stencil_length(rate, dy, reach_of_joints * near_.tangent().reach_of_shapes());
  for (int i = 0;; ++i) {
    const std::optional<Evaluations> all = evaluate_changes(rate, dy, length, Part::beside_contacts);
    if (!all || !all->are_finite()) return std::nullopt;
    const auto slope = [&](const std::vector<VecX>& values) { return sum_of(values, central().weights, length); };
    if (i == joint_corrections) return slope(all->probes);
    const VecX& x = near_.tangent().x();
    const VecX of_contacts = contact_change(rate, by_start + coordinates.expand(x, dy));
    const VecX left = pull + slope(all->gradients) + near_.step().problem().free_part(coordinates, x, of_contacts);
    VecX correction;
    if (!near_.step().solve_at_end(left, correction)) return std::nullopt;
    dy -= correction;
  }
}

/// Returns how the end follows a change of the start and a motion of the unknowns. `of_start` are the numbers that
/// follow the start alone. Differences of rates would have the rounding of positions over the step.
template <int dim>
auto ForwardRun<dim>::slopes_of_end(const VecX& rate, const VecX& dy, const VecX& of_start) -> std::optional<Slopes> {
  const State &begin = near_.begin(), &end = near_.end();
  const StateNumbers& numbers = near_.numbers();
  const Eigen::Index size = begin.x.size();
  Slopes slopes{{}, of_start, {}};
  const auto remembers = [](const std::vector<double>& of_potential) { return !of_potential.empty(); };
  if (std::any_of(end.history.begin(), end.history.end(), remembers)) {
    const std::optional<Slopes> of_both = slopes_along(rate, dy, Part::remainder);
    if (!of_both) return std::nullopt;
    slopes.numbers = of_both->numbers;
  }
  const State start = numbers.changed(zero_like(begin), rate);
  State change = numbers.changed(zero_like(end), slopes.numbers);
  const VecX moved = of_start.head(size);
  change.x = moved + near_.step().inputs().coordinates().expand(near_.tangent().x(), dy);
  FormulaNumbers formulas = formulas_->push_forward(start, change.x, moved);
  rebounds_->push_forward(start, change.x, formulas.v);
  change.v = formulas.v;
  change.a = formulas.a;
  if (change.x_prev.size() > 0) change.x_prev = formulas.x_prev;
  if (change.v_prev.size() > 0) change.v_prev = formulas.v_prev;
  slopes.numbers = numbers.of(change, end);
  if (const FrictionSlopes& friction = near_.tangent().friction(); !friction.is_empty()) {
    slopes.numbers.segment(numbers.first_of_sliding(end), 3 * std::ssize(end.stick)) = friction.stick_change(
        change.x, start.x, rate.segment(numbers.first_of_sliding(begin), 3 * std::ssize(begin.stick)));
  }
  differentiate_probes(slopes);
  if (!slopes.probes.allFinite()) {
    const std::optional<Slopes> of_all = slopes_along(rate, dy, Part::all);
    if (!of_all) return std::nullopt;
    for (Eigen::Index c = 0; c < slopes.probes.size(); ++c) {
      if (!std::isfinite(slopes.probes[c])) slopes.probes[c] = of_all->probes[c];
    }
  }
  return slopes;
}

/// Finds how the probes follow the numbers of the state at the end; NaN where they depend on forces, or are not smooth
/// over lengths beyond the gaps.
template <int dim>
void ForwardRun<dim>::differentiate_probes(Slopes& slopes) {
  const double h = nominal_.scene->options.integrator.h, size = nominal_.scene->model.bbox_diagonal;
  const double longest = near_.numbers().length_of(slopes.numbers, near_.end(), h, size);
  const double length = near_.tangent().reach_of_shapes() / (longest > 0.0 ? longest : 1.0);
  std::vector<VecX> values;
  for (const double offset : central().offsets) {
    const State end = near_.changed(near_.end(), offset * length * slopes.numbers);
    values.push_back(vector_of(nominal_.probes.values_at_start(end, near_.joints())));
  }
  const VecX fine = sum_of(values, central().weights, length), coarse = sum_of(values, central().coarse, length);
  slopes.probes = fine;
  for (Eigen::Index c = 0; c < fine.size(); ++c) {
    if (!(std::abs(fine[c] - coarse[c]) <= nonlinear * std::abs(fine[c]))) {
      slopes.probes[c] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

/// Evaluates the step in the variants that are farther away, with the start and the end moved along.
template <int dim>
std::optional<Evaluations> ForwardRun<dim>::evaluate_far(ByParameter& by, const VecX& dy) {
  Evaluations all;
  const LocalCoordinates<dim>& coordinates = near_.step().inputs().coordinates();
  for (std::size_t k = 0; k < by.far.variants.size(); ++k) {
    const double length = central().offsets[k] * by.far.length;
    auto evaluation = near_.evaluate(by.far.variants[k], near_.changed(near_.begin(), length * by.rate),
                                     coordinates.move(near_.tangent().x(), length * dy, 1.0));
    if (!evaluation) return std::nullopt;
    all.add(std::move(*evaluation));
  }
  return all;
}

/// Forces of contacts by a number that moves surfaces are differences of large ones: what the number does to the gaps,
/// and what the motion takes back. With both at once gaps hardly change, so that changes may be longer, and what is
/// left of the balance corrects the motion. False if that is not better.
template <int dim>
bool ForwardRun<dim>::refine_forces(std::size_t k, VecX& dy, Slopes& total) {
  ByParameter& by = by_[k];
  const Parameter& parameter = result_.parameters[k];
  const double first = first_share * parameter.size();
  if (near_.step().end_state().point.iterate.contacts.contacts.empty() || by.near.length > 0.1 * first) return false;
  if (by.far.variants.empty()) by.far.length = first;
  for (; by.far.length > 3.0 * by.near.length; by.far.length *= 0.1, by.far.variants.clear()) {
    if (by.far.variants.empty()) {
      Variants<dim> made;
      if (!near_.make_variants(parameter, by.far.length, made) || made.stencil.offsets.size() != 4) continue;
      by.far = std::move(made);
    }
    for (auto& variant : by.far.variants) near_.narrow(variant);
    VecX corrected = dy;
    std::optional<Evaluations> all = evaluate_far(by, corrected);
    if (!all || !all->are_finite()) continue;
    const std::optional<VecX> correction =
        near_.tangent().solve(sum_of(all->gradients, central().weights, by.far.length));
    // A motion that cannot follow shows here, as that of a body that does not turn with the plane below it.
    if (!correction || !(correction->norm() <= most_correction * dy.norm())) continue;
    corrected -= *correction;
    all = evaluate_far(by, corrected);
    if (!all || !all->are_finite()) continue;
    const auto slope = [&](const std::vector<VecX>& values, const std::vector<double>& weights) {
      return sum_of(values, weights, by.far.length);
    };
    const VecX probes = slope(all->probes, central().weights), coarse = slope(all->probes, central().coarse);
    const VecX states = slope(all->numbers, central().weights);
    // The balance that is left, and what a change half as long would make of it, must be nothing.
    VecX left, bent;
    const VecX gradient = slope(all->gradients, central().weights);
    if (!near_.step().solve_at_end(gradient, left) ||
        !near_.step().solve_at_end(gradient - slope(all->gradients, central().coarse), bent)) {
      continue;
    }
    bool is_smooth = std::max(left.norm(), bent.norm()) <= smooth * corrected.norm() &&
                     (states - slope(all->numbers, central().coarse)).norm() <= smooth * states.norm();
    for (const std::size_t column : columns_) {
      const auto c = static_cast<Eigen::Index>(column);
      const double scale = std::max(std::abs(probes[c]), 1e-3 * std::abs(all->probes[1][c] / parameter.size()));
      if (std::abs(probes[c] - coarse[c]) > smooth * scale) is_smooth = false;
    }
    if (!is_smooth) continue;
    dy = corrected;
    total = {gradient, states, probes};
    return true;
  }
  return false;
}

/// Notes a kink of the forces exactly at the end, beside which the motion has other slopes.
template <int dim>
void ForwardRun<dim>::note_kink(ByParameter& by, const VecX& dy, const VecX& pull) {
  const std::optional<Kink> kink = near_.find_kink(by.rate, dy, -pull);
  if (!kink) return;
  const LocalCoordinates<dim>& coordinates = near_.step().inputs().coordinates();
  const VecX& x = near_.tangent().x();
  for (const double side : {1.0, -1.0}) {
    VecX motion;
    if (!near_.step().solve_at_end(kink->miss + side * kink->jump, motion)) continue;
    const double share = coordinates.expand(x, motion).norm() / coordinates.expand(x, dy).norm();
    if (!(share > by.kink)) continue;
    by.kink = share;
    by.step_of_kink = near_.end().step;
  }
}

template <int dim>
bool ForwardRun<dim>::differentiate(std::size_t k, StepGradient& numbers) {
  ByParameter& by = by_[k];
  const Parameter& parameter = result_.parameters[k];
  VecX pull;  // dg/dp
  const std::optional<Evaluations> of_parameter = near_.find_pull(parameter, by.near, pull);
  if (!of_parameter) return fail(near_.failure());
  VecX right_side = -pull, of_start = VecX::Zero(near_.numbers().of(near_.end(), near_.end()).size());
  if (!by.rate.isZero(0.0)) {
    const std::optional<Slopes> slopes = slopes_of_start(by.rate);
    if (!slopes) return fail("a step beside this one is not defined");
    right_side -= slopes->gradient;
    of_start = slopes->numbers;
  }
  std::optional<VecX> dy = near_.tangent().solve(right_side);
  if (!dy) {
    return fail("the equations of the derivative have no solution: a body moves freely, or is about to buckle");
  }
  Slopes total;
  note_kink(by, *dy, pull);
  if (refine_forces(k, *dy, total)) {
    by.rate = std::move(total.numbers);
    keep(k, total.probes, numbers);
    return true;
  }
  const std::optional<Slopes> of_end = slopes_of_end(by.rate, *dy, of_start);
  if (!of_end) return fail("a step beside this one is not defined");
  const VecX rate = by.rate;
  const auto is_joint_force = [&](std::size_t column) { return nominal_.probes.is_joint_force(column); };
  by.rate = sum_of(of_parameter->numbers, by.near.stencil.weights, by.near.length) + of_end->numbers;
  const VecX of_parameter_alone = differentiated_probes(by, of_parameter->probes);
  VecX probes = of_parameter_alone + of_end->probes;
  if (std::any_of(columns_.begin(), columns_.end(), is_joint_force)) {
    const std::optional<VecX> of_joints = joint_forces(rate, *dy, of_start, pull);
    if (!of_joints) return fail("a step beside this one is not defined");
    for (const std::size_t column : columns_) {
      const auto c = static_cast<Eigen::Index>(column);
      if (is_joint_force(column)) probes[c] = of_parameter_alone[c] + (*of_joints)[c];
    }
  }
  const auto is_stress = [&](std::size_t column) { return nominal_.probes.is_stress(column); };
  if (std::any_of(columns_.begin(), columns_.end(), is_stress)) {
    const VecX of_all = slopes_of_stresses(by);
    for (const std::size_t column : columns_) {
      if (is_stress(column)) probes[static_cast<Eigen::Index>(column)] = of_all[static_cast<Eigen::Index>(column)];
    }
  }
  keep(k, probes, numbers);
  return true;
}

/// Returns how the probes follow a parameter and the end of the step together. Apart, another size of an element
/// strains it by far more than its loads do, and the largest stress is that of another node.
template <int dim>
VecX ForwardRun<dim>::slopes_of_stresses(const ByParameter& by) const {
  std::vector<VecX> values;
  for (std::size_t i = 0; i < by.near.variants.size(); ++i) {
    const SceneVariant& variant = *by.near.variants[i].scene;
    const State end = near_.changed(near_.end(), by.near.stencil.offsets[i] * by.near.length * by.rate);
    values.push_back(vector_of(variant.probes.values_at_start(end, joints_of(*variant.scene))));
  }
  return differentiated_probes(by, values);
}

template <int dim>
bool ForwardRun<dim>::step() {
  // The factor follows the contact forces: with its own, a run beside another one would have other gaps.
  const auto at = static_cast<std::size_t>(nominal_.state.step);
  if (!near_.solve(at < options_.narrowing.size() ? std::optional(options_.narrowing[at]) : std::nullopt)) {
    if (!near_.is_stopped()) return fail(near_.failure());
    result_.end = GradientEnd::stopped;
    return false;
  }
  const bool is_static = nominal_.scene->options.integrator.method == TimeIntegrator::quasi_static;
  if (is_static && !by_.empty() && !has_free_motion_ && near_.tangent().is_singular()) {
    has_free_motion_ = true;
    result_.warnings.push_back(
        {"", fmt::format("step {}", near_.end().step), "",
         "nothing resists some motion of a body, such as a turn about an axis: it enters the derivatives with any "
         "size, "
         "and those of what follows it mean nothing; hold the body, or let soft springs do so (static.hold_free)",
         Severity::warning});
  }
  const State& end = near_.end();
  StepGradient numbers = numbers_of_step(nominal_.probes.values({end, near_.forces(), near_.joints()}));
  numbers.time = end.time;
  numbers.narrowing = end.narrowing;
  Step<dim>& step = near_.step();
  const StepInputs<dim>& in = step.inputs();
  formulas_.emplace(in.model, in.options.integrator, in.targets, step.marks(), in.state, near_.tangent().x(),
                    near_.tangent().reach_of_formulas());
  rebounds_.emplace(in, step, near_.tangent());
  for (std::size_t k = 0; k < by_.size(); ++k) {
    if (!differentiate(k, numbers)) return false;
  }
  first_touches_.note(nominal_.scene->model.surface, near_.step().end_state().point.iterate.contacts, end.step,
                      nominal_.scene->options.integrator.method);
  result_.error = std::max(result_.error, near_.tangent().error());
  nominal_.state = end;
  result_.steps.push_back(std::move(numbers));
  show_state();
  return true;
}

template <int dim>
void ForwardRun<dim>::report_events() {
  for (std::size_t k = 0; k < by_.size(); ++k) {
    const Parameter& parameter = result_.parameters[k];
    if (by_[k].kink > told_kink) {
      result_.warnings.push_back(kink_warning(parameter.path, by_[k].step_of_kink, by_[k].kink));
    }
    if (by_[k].near.length > short_share * parameter.size()) continue;
    result_.warnings.push_back({"", "few_digits", parameter.path,
                                "this number moves surfaces that are tiny gaps apart. Derivatives of contact forces "
                                "and of rebounds by it have "
                                "few digits, or none: --check tells",
                                Severity::warning});
  }
  if (std::optional<Issue> met = first_touches_.warning(nominal_.state.step)) {
    result_.warnings.push_back(std::move(*met));
  }
}

Issue no_probes() {
  return {"", "output.probes", "",
          "derivatives are those of the numbers of probes, and the scene has none; expected at least one, for example "
          "{\"name\": \"body\", \"body\": NAME}"};
}

void append(const Issues& from, Issues& to) {
  to.insert(to.end(), from.begin(), from.end());
}

template <int dim>
Result<Done> run(SteppedScene& scene, const SceneMaker& make, const GradientOptions& options,
                 const std::vector<std::size_t>& columns, Gradient& result) {
  ForwardRun<dim> run(scene, make, options, columns, result);
  if (Result<Done> started = run.start(); !started) return started;
  const int wanted = options.num_steps > 0 ? options.num_steps : num_steps(scene.desc.time);
  for (int step = 1; step <= wanted; ++step) {
    if (options.is_stop_wanted && options.is_stop_wanted()) {
      result.end = GradientEnd::stopped;
      break;
    }
    if (!run.step()) break;
    if (options.on_step) options.on_step(step, wanted);
  }
  run.report_events();
  return Done{};
}

/// Starts a scene and finds the columns that are wanted. Issues: all problems.
Result<std::vector<std::size_t>> start_with_columns(SceneDesc desc, const GradientOptions& options,
                                                    SteppedScene& scene) {
  Issues problems;
  if (Result<Done> started = start_scene(std::move(desc), scene); !started) {
    if (!scene.scene) return started.issues();
    problems = started.issues();
  }
  const std::vector<std::string>& all = scene.probes.columns();
  Result<std::vector<std::size_t>> columns = find_columns(all, options.columns.empty() ? all : options.columns, "--of");
  if (!columns) append(columns.issues(), problems);
  if (!problems.empty()) return problems;
  return columns;
}

/// Returns the problems of the scene with other values of each parameter, if neither a larger nor a smaller one is
/// allowed: the part of gravity that leads out of the plane, or a number that decides how many unknowns there are.
Issues problems_of_changes(const SceneMaker& make, const std::vector<Parameter>& parameters, const SceneModel& scene) {
  const HeldContact held(scene);
  Issues problems;
  for (const Parameter& parameter : parameters) {
    const double change = first_share * parameter.size();
    const auto larger = make_variant(make, parameter, parameter.value + change, held);
    if (larger || make_variant(make, parameter, parameter.value - change, held)) continue;
    for (const Issue& issue : larger.issues()) {
      problems.push_back({"", parameter.path, fmt::format("{}", parameter.value + change),
                          "a number that is differentiated by has to allow other values nearby, and this one does "
                          "not: " +
                              issue.message});
    }
  }
  return problems;
}

}  // namespace

Result<Gradient> find_gradient(const SceneMaker& make, const GradientOptions& options) {
  Result<SceneDesc> desc = make({});
  if (!desc) return desc.issues();
  Issues problems = find_held_parameters(options.parameters);
  Gradient result;
  Result<std::vector<Parameter>> parameters = find_parameters(*desc, options.parameters);
  if (!parameters) append(parameters.issues(), problems);
  if (options.parameters.empty() && !options.on_state) {
    problems.push_back({"", "--by", "", "expected at least one path of a number"});
  }
  const bool has_probes = !desc->output.probes.empty();
  if (!has_probes && !options.on_state) problems.push_back(no_probes());
  SteppedScene scene;
  const Result<std::vector<std::size_t>> columns = start_with_columns(std::move(*desc), options, scene);
  if (!columns && (has_probes || !scene.scene || options.on_state)) append(columns.issues(), problems);
  if (!problems.empty()) return problems;
  if (options.held) {
    options.held->hold(Parameter{}, *scene.scene);
    if (scene.distances) scene.distances.emplace(*scene.scene);
  }
  result.parameters = std::move(*parameters);
  for (const std::size_t column : *columns) result.columns.push_back(scene.probes.columns()[column]);
  for (const NamedHint& warning : scene.warnings) result.warnings.push_back(warning.issue);
  const Result<Done> ran =
      with_dimension(scene.scene->dim, [&](auto dim) { return run<dim>(scene, make, options, *columns, result); });
  if (!ran) return ran.issues();
  return result;
}

BeforeRun check_before_run(const SceneMaker& make, const GradientOptions& options) {
  SteppedScene scene;
  return check_before_run(make, options, scene);
}

BeforeRun check_before_run(const SceneMaker& make, const GradientOptions& options, SteppedScene& scene) {
  BeforeRun found;
  Result<SceneDesc> desc = make({});
  if (!desc) {
    found.problems = desc.issues();
    return found;
  }
  found.problems = find_held_parameters(options.parameters);
  const bool has_probes = !desc->output.probes.empty();
  if (!has_probes) found.problems.push_back(no_probes());
  const Result<std::vector<Parameter>> parameters = find_parameters(*desc, options.parameters);
  if (!parameters) append(parameters.issues(), found.problems);
  const auto columns = start_with_columns(std::move(*desc), options, scene);
  if (!columns && (has_probes || !scene.scene)) append(columns.issues(), found.problems);
  if (!scene.scene) return found;
  found.columns = scene.probes.columns();
  if (parameters && found.problems.empty()) {
    append(problems_of_changes(make, *parameters, *scene.scene), found.problems);
  }
  return found;
}

Result<HeldContact> find_held_contact(const SceneMaker& make, const GradientOptions& options) {
  Result<SceneDesc> desc = make({});
  if (!desc) return desc.issues();
  SteppedScene scene;
  if (auto columns = start_with_columns(std::move(*desc), options, scene); !columns) return columns.issues();
  return HeldContact(*scene.scene);
}

Result<std::vector<double>> find_values(const SceneMaker& make, const GradientOptions& options,
                                        const Parameter& parameter, double value, const HeldContact& held) {
  Result<SceneDesc> desc = make(overrides_of({parameter}, {value}));
  if (!desc) return desc.issues();
  SteppedScene scene;
  const Result<std::vector<std::size_t>> columns = start_with_columns(std::move(*desc), options, scene);
  if (!columns) return columns.issues();
  held.hold(parameter, *scene.scene);
  if (scene.distances) scene.distances.emplace(*scene.scene);
  Gradient result;
  const Result<Done> ran =
      with_dimension(scene.scene->dim, [&](auto dim) { return run<dim>(scene, make, options, *columns, result); });
  if (!ran) return ran.issues();
  if (result.end != GradientEnd::complete) return result.errors;
  return result.steps.back().values;
}

}  // namespace clearance::derivatives
