#include "clearance/derivatives/forward_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "clearance/contact/contact.h"
#include "clearance/derivatives/state_numbers.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/probe_columns.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/stepping/force_events.h"
#include "clearance/simulation/stepping/relaxation.h"
#include "clearance/simulation/stepping/stepped_scene.h"
#include "clearance/solver/step_tangent.h"

namespace clearance::derivatives {

namespace {

/// Offsets, in units of a length, and weights of a difference of fourth order, and weights of one of second order with
/// the same offsets.
struct Stencil {
  std::vector<double> offsets, weights, coarse;
};

const Stencil& central() {
  static const Stencil stencil{
      {-2.0, -1.0, 1.0, 2.0}, {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, {0.0, -0.5, 0.5, 0.0}};
  return stencil;
}

/// For a number that may not go below (`sign` 1) or above (-1) its value.
Stencil one_sided(double sign) {
  Stencil stencil{{0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -0.25}, {-1.5, 2.0, -0.5, 0.0, 0.0}};
  for (double& offset : stencil.offsets) offset *= sign;
  for (double& weight : stencil.weights) weight *= sign;
  for (double& weight : stencil.coarse) weight *= sign;
  return stencil;
}

/// Change of a number over which differences are taken, as a share of it, or of one where it is zero, and the factor by
/// which it shrinks where the balance is far from linear in it.
constexpr double first_share = 1e-3, least_share = 1e-12, shrink = 0.2;
/// Motion of surfaces over which differences by a parameter are taken, in reaches.
constexpr double most_motion = 4.0;
/// Difference of the two orders, as a share, from which on a change is too large.
constexpr double nonlinear = 1e-6;
/// Motion, as a share of the scene, that tells a jump of the balance from rounding.
constexpr double least_jump = 1e-10;
/// Growth of the miss of a shorter change that tells a jump from a kink: that of a jump grows as the change shrinks.
constexpr double jump_growth = 2.0;
/// Share of the derivative of the balance that jumps may make without notice: those of rounding and of eigenvalues that
/// are held above zero.
constexpr double negligible_jump = 1e-4;
/// Share of a number over which differences by it lose the digits of forces between surfaces.
constexpr double short_share = 1e-6;
/// Reach with contacts over that without from which on positions are differentiated apart.
constexpr double tiny_reach = 1e-3;
/// Share of a motion that farther variants may correct.
constexpr double most_correction = 1e-4;
/// The same for changes of the state, from which on a shorter change is tried.
constexpr double smooth = 1e-6;

/// Returns the sum of weights times values over a length. The weights add up to zero, so that differences from the
/// middle value do as well, and values that are equal give exactly zero.
VecX sum_of(const std::vector<VecX>& values, const std::vector<double>& weights, double length) {
  const VecX& middle = values[values.size() / 2];
  VecX sum = VecX::Zero(middle.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (weights[k] != 0.0) sum += (weights[k] / length) * (values[k] - middle);
  }
  return sum;
}

/// Multiplies the columns of stiff bodies, which are lengths of a radius that follows the size of the body, by the
/// radii of `to` over those of `from`.
void rescale(const Model& from, const Model& to, VecX& x) {
  if (x.size() == 0) return;
  const int dim = from.layout.dim;
  for (std::size_t k = 0; k < from.stiff_bodies.size(); ++k) {
    const double ratio = to.stiff_bodies[k].radius / from.stiff_bodies[k].radius;
    if (ratio == 1.0) continue;
    x.segment(dim * (from.stiff_bodies[k].first_block + 1), dim * dim) *= ratio;
  }
}

/// Returns a state of the model `from` as one of the model `to`, of bodies of other sizes.
State rescaled(const Model& from, const Model& to, State state) {
  for (VecX* numbers : {&state.x, &state.v, &state.a, &state.x_prev, &state.v_prev, &state.x_anchor}) {
    rescale(from, to, *numbers);
  }
  return state;
}

/// Returns how far [m] surfaces and half-spaces of `there` are from where they are in `here`, as contacts see them: the
/// vertices of `here` are at `x_here`.
template <int dim>
double motion_between(const Model& here, const VecX& x_here, const Model& there, const VecX& x_there) {
  double motion = x_here.size() > 0 ? (x_there - x_here).cwiseAbs().maxCoeff() : 0.0;
  for (std::size_t k = 0; k < here.half_spaces.size(); ++k) {
    const HalfSpace &a = here.half_spaces[k], &b = there.half_spaces[k];
    for (int v = 0; v < here.surface.num_vertices; ++v) {
      if (!here.meets_half_spaces(v)) continue;
      const Vec<dim> x = block<dim>(x_here, v);
      const double change = (b.normal - a.normal).template head<dim>().dot(x) - (b.offset - a.offset);
      motion = std::max(motion, std::abs(change));
    }
  }
  for (std::size_t v = 0; v < here.surface.radius.size(); ++v) {
    motion = std::max(motion, std::abs(there.surface.radius[v] - here.surface.radius[v]));
  }
  return motion;
}

VecX vector_of(const std::vector<double>& values) {
  return Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Returns the joints of a scene that has not been stepped; null if there are none.
const Potential* joints_of(const SceneModel& scene) {
  return scene.joint_potential ? scene.model.potentials[*scene.joint_potential].get() : nullptr;
}

/// The numbers of a step that was evaluated.
struct Evaluation {
  VecX gradient;  // of the balance, in Newton's unknowns
  VecX numbers;   // of the state at the end
  VecX probes;
  double motion = 0.0;  // [m] of surfaces and half-spaces against each other, from where they are in the step itself
};

/// Evaluations at the points of a stencil.
struct Evaluations {
  std::vector<VecX> gradients, numbers, probes;
  double motion = 0.0;  // [m] the largest

  void add(Evaluation evaluation) {
    motion = std::max(motion, evaluation.motion);
    gradients.push_back(std::move(evaluation.gradient));
    numbers.push_back(std::move(evaluation.numbers));
    probes.push_back(std::move(evaluation.probes));
  }
  bool are_finite() const {
    return std::all_of(gradients.begin(), gradients.end(), [](const VecX& g) { return g.allFinite(); });
  }
};

template <int dim>
class ForwardRun {
 public:
  ForwardRun(SteppedScene& nominal, const SceneMaker& make, const GradientOptions& options,
             const std::vector<std::size_t>& columns, Gradient& result)
      : nominal_(nominal),
        make_(make),
        options_(options),
        columns_(columns),
        result_(result),
        held_(*nominal.scene),
        numbers_(nominal.scene->options.integrator.method),
        own_(nominal.scene->model, nominal.scene->options),
        shadow_(nominal.scene->model, nominal.scene->options) {}

  /// Makes the variants of the scene. Issues: those of the values that differences need.
  Result<Done> start();
  /// Advances and differentiates one step. False, with an error in the result, if it has no derivative.
  bool step();
  /// Appends warnings about what derivatives do not see.
  void report_events();

 private:
  struct Variant {
    std::unique_ptr<SceneVariant> scene;
    StepWorkspace<dim> workspace;
  };
  struct ByParameter {
    Stencil stencil;
    double length = 0.0;  // of its changes, in the unit of the scene
    std::vector<Variant> variants;
    VecX rate;  // of the state's numbers
    bool is_settled = false;
    /// Variants farther away, if gaps have made `length` short: with the state and the end moved along, gaps stay.
    std::vector<Variant> far;
    double far_length = 0.0;
  };

  Result<Done> make_variants(const Parameter& parameter, double length, ByParameter& by);
  /// Derivatives along a direction.
  struct Slopes {
    VecX gradient, numbers, probes;
  };
  std::optional<Evaluation> evaluate(const SceneDesc& desc, SceneModel& scene, const Probes& probes,
                                     StepWorkspace<dim>& workspace, const State& start, const VecX& x_end);
  std::optional<Evaluations> evaluate_variants(ByParameter& by);
  /// Gives a variant the activation distances of the step.
  void narrow(Variant& variant) const;
  std::optional<Evaluations> evaluate_far(ByParameter& by, const VecX& dy);
  bool refine_forces(std::size_t parameter, VecX& dy, Slopes& total);
  std::optional<Evaluations> evaluate_changes(const VecX& rate, const VecX& dy, double length);
  void refine_motion(const VecX& dy, Slopes& slopes) const;
  std::optional<Slopes> slopes_along(const VecX& rate, const VecX& dy);
  bool differentiate(std::size_t parameter, StepGradient& numbers);
  /// Returns a state with changed numbers, in which rigid bodies keep their shape.
  State changed(const State& state, const VecX& change) const {
    State result = numbers_.changed(state, change);
    result.x = solved_->inputs().coordinates().unstretched(std::move(result.x));
    return result;
  }
  VecX differentiated_probes(const ByParameter& by, const std::vector<VecX>& values) const {
    return sum_of(values, by.stencil.weights, by.length);
  }
  void keep(std::size_t parameter, const VecX& probes, StepGradient& numbers) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      numbers.derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(parameter)) =
          probes[static_cast<Eigen::Index>(columns_[c])];
    }
  }
  StepGradient numbers_of_step(const std::vector<double>& all) const;
  void note_events(const State& end);
  bool fail(std::string message) {
    result_.end = GradientEnd::failed;
    result_.errors.push_back({"", fmt::format("step {}", nominal_.state.step + 1), "", std::move(message)});
    return false;
  }

  SteppedScene& nominal_;
  const SceneMaker& make_;
  const GradientOptions& options_;
  const std::vector<std::size_t>& columns_;
  Gradient& result_;
  HeldContact held_;
  StateNumbers numbers_;
  StepWorkspace<dim> own_, shadow_;
  StepHooks hooks_;
  std::vector<ByParameter> by_;
  // The next members are those of the step under way.
  const PrescribedTargets* targets_ = nullptr;
  State begin_, end_;
  Eigen::Index num_numbers_ = 0;  // of the end
  Step<dim>* solved_ = nullptr;
  StepTangent<dim>* tangent_ = nullptr;
  // Events.
  std::set<std::array<int, 2>> touching_;
  int num_impacts_ = 0, first_impact_ = 0;
  bool had_contacts_ = false;
};

template <int dim>
Result<Done> ForwardRun<dim>::make_variants(const Parameter& parameter, double length, ByParameter& by) {
  const std::array<Stencil, 3> stencils = {central(), one_sided(1.0), one_sided(-1.0)};
  Issues first_problem;
  for (const Stencil& stencil : stencils) {
    by.variants.clear();
    Issues problems;
    for (const double offset : stencil.offsets) {
      auto variant = make_variant(make_, parameter, parameter.value + offset * length, held_);
      if (!variant) {
        problems = variant.issues();
        break;
      }
      StepWorkspace<dim> workspace((*variant)->scene->model, (*variant)->scene->options);
      by.variants.push_back({std::move(*variant), std::move(workspace)});
    }
    if (problems.empty()) {
      by.stencil = stencil;
      by.length = length;
      return Done{};
    }
    if (first_problem.empty()) first_problem = problems;
  }
  for (Issue& issue : first_problem) {
    issue.message = fmt::format("the scene with a change of {} by a share of {:.0e}: {}", parameter.path, first_share,
                                issue.message);
  }
  return first_problem;
}

template <int dim>
Result<Done> ForwardRun<dim>::start() {
  Issues issues;
  const State& state = nominal_.state;
  StepGradient numbers = numbers_of_step(nominal_.probes.values_at_start(state, nominal_.joints()));
  by_.resize(result_.parameters.size());
  for (std::size_t k = 0; k < by_.size(); ++k) {
    const Parameter& parameter = result_.parameters[k];
    Result<Done> made = make_variants(parameter, first_share * parameter.size(), by_[k]);
    if (!made) {
      issues.insert(issues.end(), made.issues().begin(), made.issues().end());
      continue;
    }
    std::vector<VecX> states, probes;
    for (const Variant& variant : by_[k].variants) {
      const State& start = variant.scene->scene->initial_state;
      states.push_back(numbers_.of(rescaled(variant.scene->scene->model, nominal_.scene->model, start), state));
      probes.push_back(vector_of(variant.scene->probes.values_at_start(start, joints_of(*variant.scene->scene))));
    }
    by_[k].rate = sum_of(states, by_[k].stencil.weights, by_[k].length);
    keep(k, differentiated_probes(by_[k], probes), numbers);
  }
  if (!issues.empty()) return issues;
  result_.steps.push_back(std::move(numbers));
  return Done{};
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

/// Evaluates the step from `start` that ends at `x_end`, with prescribed nodes at their targets.
template <int dim>
std::optional<Evaluation> ForwardRun<dim>::evaluate(const SceneDesc& desc, SceneModel& scene, const Probes& probes,
                                                    StepWorkspace<dim>& workspace, const State& start,
                                                    const VecX& x_end) {
  const Model& nominal = nominal_.scene->model;
  State from = rescaled(nominal, scene.model, start);
  std::copy(from.controls.begin(), from.controls.end(), scene.controls->values.begin());
  const Result<PrescribedTargets> targets = find_targets(scene, from);
  if (!targets || targets->blocks != targets_->blocks) return std::nullopt;
  forget_past_at_events(desc, scene, from);
  VecX x = x_end;
  rescale(nominal, scene.model, x);
  // Prescribed nodes need not have arrived at their targets to the last digit.
  for (std::size_t k = 0; k < targets->blocks.size(); ++k) {
    const auto at = dim * static_cast<Eigen::Index>(k);
    for (int c = 0; c < dim; ++c) {
      if (targets->has_component(k, c)) {
        x[dim * targets->blocks[k] + c] += targets->positions[at + c] - targets_->positions[at + c];
      }
    }
  }
  Step<dim> step(workspace.inputs(scene.model, scene.options, *targets, from, hooks_));
  if (!step.end_at(*solved_, x)) return std::nullopt;
  Evaluation result;
  result.gradient = step.gradient_at_end();
  result.motion = motion_between<dim>(nominal, solved_->end_state().point.iterate.x_surface, scene.model,
                                      step.end_state().point.iterate.x_surface);
  const StepForces forces = probes.needs_forces() ? step.forces_at_end() : StepForces{};
  State end = from;
  step.commit(end);
  result.numbers = numbers_.of(rescaled(scene.model, nominal, end), end_);
  if (result.numbers.size() != num_numbers_) return std::nullopt;
  const Potential* joints = scene.joint_potential ? &workspace.potential(*scene.joint_potential) : nullptr;
  result.probes = vector_of(probes.values({end, forces, joints}));
  return result;
}

template <int dim>
void ForwardRun<dim>::narrow(Variant& variant) const {
  if (!nominal_.distances) return;
  variant.scene->distances.narrow(end_.narrowing, *variant.scene->scene);
  variant.workspace.renew_contacts(variant.scene->scene->model, variant.scene->scene->options);
}

/// Evaluates the step in the scenes with other values of a parameter, from the same state to the same end.
template <int dim>
std::optional<Evaluations> ForwardRun<dim>::evaluate_variants(ByParameter& by) {
  Evaluations all;
  for (Variant& variant : by.variants) {
    narrow(variant);
    auto evaluation = evaluate(variant.scene->desc, *variant.scene->scene, variant.scene->probes, variant.workspace,
                               begin_, tangent_->x());
    if (!evaluation) return std::nullopt;
    all.add(std::move(*evaluation));
  }
  return all;
}

/// Evaluates the step from states that are changed by multiples of `length` times `rate`, to ends that are moved by the
/// same multiples of `dy`.
template <int dim>
std::optional<Evaluations> ForwardRun<dim>::evaluate_changes(const VecX& rate, const VecX& dy, double length) {
  Evaluations all;
  const LocalCoordinates<dim>& coordinates = solved_->inputs().coordinates();
  for (const double offset : central().offsets) {
    const double by = offset * length;
    auto evaluation = evaluate(nominal_.desc, *nominal_.scene, nominal_.probes, shadow_, changed(begin_, by * rate),
                               coordinates.move(tangent_->x(), by * dy, 1.0));
    if (!evaluation) return std::nullopt;
    all.add(std::move(*evaluation));
  }
  return all;
}

/// Returns the derivatives along a change of the start and a motion of the end. Where the ends of friction's elastic
/// sliding make them depend on the length of the change, shorter ones are better, until rounding is.
template <int dim>
std::optional<typename ForwardRun<dim>::Slopes> ForwardRun<dim>::slopes_along(const VecX& rate, const VecX& dy) {
  const double h = nominal_.scene->options.integrator.h, size = nominal_.scene->model.bbox_diagonal;
  const VecX moved = solved_->inputs().coordinates().expand(tangent_->x(), dy);
  const double longest = std::max(numbers_.length_of(rate, begin_, h, size), moved.cwiseAbs().maxCoeff());
  const double first = longest > 0.0 ? tangent_->reach() / longest : 1.0;
  std::optional<Slopes> best;
  double least = infinity;
  for (const double part : {1.0, 0.03, 0.001}) {
    const std::optional<Evaluations> all = evaluate_changes(rate, dy, part * first);
    if (!all || !all->are_finite()) break;
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

/// Replaces what follows from the motion of the end alone by values that know nothing of gaps: differences over a small
/// part of a tiny gap have few digits beside coordinates.
template <int dim>
void ForwardRun<dim>::refine_motion(const VecX& dy, Slopes& slopes) const {
  // Differences of the step itself are better unless gaps are tiny: a long turn is not linear.
  if (tangent_->reach() > tiny_reach * tangent_->reach_of_shapes()) return;
  const VecX moved = solved_->inputs().coordinates().expand(tangent_->x(), dy);
  std::vector<char> is_held(static_cast<std::size_t>(moved.size()), 0);
  for (std::size_t k = 0; k < targets_->blocks.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      if (targets_->has_component(k, c)) is_held[static_cast<std::size_t>(dim * targets_->blocks[k] + c)] = 1;
    }
  }
  // The positions come first among the numbers of a state.
  for (Eigen::Index i = 0; i < moved.size(); ++i) {
    if (is_held[static_cast<std::size_t>(i)] == 0) slopes.numbers[i] = moved[i];
  }
  const double h = nominal_.scene->options.integrator.h, size = nominal_.scene->model.bbox_diagonal;
  const double longest = numbers_.length_of(slopes.numbers, end_, h, size);
  if (!(longest > 0.0)) return;
  const double length = tangent_->reach_of_shapes() / longest;
  const Potential* joints =
      nominal_.scene->joint_potential ? &own_.potential(*nominal_.scene->joint_potential) : nullptr;
  std::vector<VecX> values;
  for (const double offset : central().offsets) {
    const State end = changed(end_, offset * length * slopes.numbers);
    values.push_back(vector_of(nominal_.probes.values_at_start(end, joints)));
  }
  const VecX fine = sum_of(values, central().weights, length), coarse = sum_of(values, central().coarse, length);
  for (Eigen::Index c = 0; c < fine.size(); ++c) {
    // Forces are not known of a state alone; gaps are not smooth over such lengths.
    if (std::abs(fine[c] - coarse[c]) <= nonlinear * std::abs(fine[c])) slopes.probes[c] = fine[c];
  }
}

/// Evaluates the step in the variants that are farther away, with the start and the end moved along.
template <int dim>
std::optional<Evaluations> ForwardRun<dim>::evaluate_far(ByParameter& by, const VecX& dy) {
  Evaluations all;
  const LocalCoordinates<dim>& coordinates = solved_->inputs().coordinates();
  for (std::size_t k = 0; k < by.far.size(); ++k) {
    const double length = central().offsets[k] * by.far_length;
    const SceneVariant& variant = *by.far[k].scene;
    auto evaluation = evaluate(variant.desc, *variant.scene, variant.probes, by.far[k].workspace,
                               changed(begin_, length * by.rate), coordinates.move(tangent_->x(), length * dy, 1.0));
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
  if (solved_->end_state().point.iterate.contacts.contacts.empty() || by.length > 0.1 * first) return false;
  if (by.far.empty()) by.far_length = first;
  for (; by.far_length > 3.0 * by.length; by.far_length *= 0.1, by.far.clear()) {
    if (by.far.empty()) {
      ByParameter made;
      if (!make_variants(parameter, by.far_length, made) || made.stencil.offsets.size() != 4) continue;
      by.far = std::move(made.variants);
    }
    for (Variant& variant : by.far) narrow(variant);
    VecX corrected = dy, correction;
    std::optional<Evaluations> all = evaluate_far(by, corrected);
    if (!all || !all->are_finite()) continue;
    if (!solved_->solve_at_end(sum_of(all->gradients, central().weights, by.far_length), correction)) continue;
    // A motion that cannot follow shows here, as that of a body that does not turn with the plane below it.
    if (!(correction.norm() <= most_correction * dy.norm())) continue;
    corrected -= correction;
    all = evaluate_far(by, corrected);
    if (!all || !all->are_finite()) continue;
    const auto slope = [&](const std::vector<VecX>& values, const std::vector<double>& weights) {
      return sum_of(values, weights, by.far_length);
    };
    const VecX probes = slope(all->probes, central().weights), coarse = slope(all->probes, central().coarse);
    const VecX states = slope(all->numbers, central().weights);
    // The balance that is left, and what a change half as long would make of it, must be nothing.
    VecX left, bent;
    const VecX gradient = slope(all->gradients, central().weights);
    if (!solved_->solve_at_end(gradient, left) ||
        !solved_->solve_at_end(gradient - slope(all->gradients, central().coarse), bent)) {
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

template <int dim>
bool ForwardRun<dim>::differentiate(std::size_t k, StepGradient& numbers) {
  ByParameter& by = by_[k];
  const Parameter& parameter = result_.parameters[k];
  std::optional<Evaluations> of_parameter = evaluate_variants(by);
  const double reach = tangent_->reach();
  VecX pull;  // dg/dp
  while (true) {
    bool is_linear = of_parameter && of_parameter->are_finite();
    double miss = 0.0, part = shrink;
    if (is_linear && of_parameter->motion > most_motion * reach) {
      // The parameter moves surfaces: gaps are the measure.
      is_linear = false;
      part = 0.5 * most_motion * reach / of_parameter->motion;
      of_parameter.reset();
    }
    if (is_linear) {
      pull = sum_of(of_parameter->gradients, by.stencil.weights, by.length);
      miss = (pull - sum_of(of_parameter->gradients, by.stencil.coarse, by.length)).norm();
      is_linear = by.is_settled || miss <= nonlinear * pull.norm();
    }
    if (is_linear) break;
    const double length = part * by.length;
    if (length < least_share * parameter.size()) {
      return fail(fmt::format("the balance has no derivative by {} that can be found", parameter.path));
    }
    ByParameter other;
    if (!make_variants(parameter, length, other)) return fail("a scene beside this one cannot be made");
    std::optional<Evaluations> again = evaluate_variants(other);
    const bool had_value = of_parameter && of_parameter->are_finite();
    if (had_value && again && again->are_finite()) {
      const VecX finer = sum_of(again->gradients, other.stencil.weights, other.length);
      const VecX other_miss = finer - sum_of(again->gradients, other.stencil.coarse, other.length);
      // A miss that does not become smaller with the change is rounding, or a jump: a region that gains a node, a load
      // that begins a step earlier. That of a kink beside the number stays until changes end before the kink: lagged
      // damping has one where an element is nearly free of stress.
      if (other_miss.norm() > 0.1 * miss) {
        VecX motion;
        const bool is_large = other_miss.norm() > negligible_jump * finer.norm() &&
                              solved_->solve_at_end(other.length * other_miss, motion) &&
                              solved_->inputs().coordinates().expand(tangent_->x(), motion).cwiseAbs().maxCoeff() >
                                  least_jump * nominal_.scene->model.bbox_diagonal;
        if (is_large && other_miss.norm() > jump_growth * miss) {
          return fail(
              fmt::format("the balance jumps where {} changes: a region gains or loses nodes, or a time passes "
                          "the end of a step; there is no derivative",
                          parameter.path));
        }
        if (!is_large && other_miss.norm() >= miss) {
          by.is_settled = true;
          continue;
        }
      }
    }
    other.rate = std::move(by.rate);
    other.far = std::move(by.far);
    other.far_length = by.far_length;
    by = std::move(other);
    of_parameter = std::move(again);
  }
  VecX right_side = -pull;
  const VecX none = VecX::Zero(pull.size());
  if (!by.rate.isZero(0.0)) {
    const std::optional<Slopes> of_start = slopes_along(by.rate, none);
    if (!of_start) return fail("a step beside this one is not defined");
    right_side -= of_start->gradient;
  }
  std::optional<VecX> dy = tangent_->solve(right_side);
  if (!dy) {
    return fail("the equations of the derivative have no solution: a body moves freely, or is about to buckle");
  }
  Slopes total;
  if (refine_forces(k, *dy, total)) {
    by.rate = std::move(total.numbers);
    keep(k, total.probes, numbers);
    return true;
  }
  std::optional<Slopes> of_end = slopes_along(by.rate, *dy);
  if (!of_end) return fail("a step beside this one is not defined");
  refine_motion(*dy, *of_end);
  by.rate = sum_of(of_parameter->numbers, by.stencil.weights, by.length) + of_end->numbers;
  const VecX probes = differentiated_probes(by, of_parameter->probes) + of_end->probes;
  keep(k, probes, numbers);
  return true;
}

template <int dim>
bool ForwardRun<dim>::step() {
  SceneModel& scene = *nominal_.scene;
  State& state = nominal_.state;
  begin_ = state;
  State from = state;
  std::copy(from.controls.begin(), from.controls.end(), scene.controls->values.begin());
  const Result<PrescribedTargets> targets = find_targets(scene, from);
  if (!targets) return fail(to_string(targets.issues().front()));
  forget_past_at_events(nominal_.desc, scene, from);
  std::optional<GapPath<dim>> path;
  if (nominal_.distances) path.emplace(*nominal_.distances, nominal_.desc.contact.gap_tolerance, scene, own_, hooks_);
  double narrowing = from.narrowing;
  std::optional<SolvedStep<dim>> found(path ? path->solve(*targets, from, narrowing)
                                            : solve<dim>(scene.model, scene.options, *targets, from, own_, hooks_));
  const auto held = static_cast<std::size_t>(begin_.step);
  if (path && held < options_.narrowing.size() && found->status() == StepStatus::converged) {
    // The factor follows the contact forces: with its own, a run beside another one would have other gaps.
    narrowing = options_.narrowing[held];
    const VecX near = found->x();
    found.reset();
    nominal_.distances->narrow(narrowing, scene);
    own_.renew_contacts(scene.model, scene.options);
    found.emplace(solve_near<dim>(near, scene.model, scene.options, *targets, from, own_, hooks_));
  }
  const bool is_static = scene.options.integrator.method == TimeIntegrator::quasi_static;
  if (is_static && may_relax(found->status())) {
    // A run would come to rest by way of motion. Its end is an equilibrium of the whole step, too.
    State at_rest = from;
    if (relax<dim>(scene, nominal_.desc.gravity.norm(), *targets, hooks_, at_rest).status == StepStatus::converged) {
      found.reset();
      found.emplace(solve_near<dim>(at_rest.x, scene.model, scene.options, *targets, from, own_, hooks_));
    }
  }
  SolvedStep<dim>& solved = *found;
  if (solved.status() == StepStatus::stopped) {
    result_.end = GradientEnd::stopped;
    return false;
  }
  if (solved.status() != StepStatus::converged) {
    return fail(
        fmt::format("the step ended as {}; only steps that converge have derivatives", to_string(solved.status())));
  }
  solved_ = &solved.step();
  targets_ = &targets.value();
  StepTangent<dim> tangent(*solved_);
  tangent_ = &tangent;
  if (!tangent.polish())
    return fail("the balance of the step could not be found to the accuracy that derivatives need");
  end_ = from;
  end_.narrowing = narrowing;
  solved_->commit(end_);
  num_numbers_ = numbers_.of(end_, end_).size();
  if (path) shadow_.renew_contacts(scene.model, scene.options);
  const StepForces forces = nominal_.probes.needs_forces() ? solved_->forces_at_end() : StepForces{};
  const Potential* joints = scene.joint_potential ? &own_.potential(*scene.joint_potential) : nullptr;
  StepGradient numbers = numbers_of_step(nominal_.probes.values({end_, forces, joints}));
  numbers.time = end_.time;
  numbers.narrowing = narrowing;
  for (std::size_t k = 0; k < by_.size(); ++k) {
    if (!differentiate(k, numbers)) return false;
  }
  note_events(end_);
  result_.error = std::max(result_.error, tangent.error());
  state = end_;
  result_.steps.push_back(std::move(numbers));
  return true;
}

/// Notes pairs of bodies that touch and did not touch before: where speeds jump, the time of the impact counts.
template <int dim>
void ForwardRun<dim>::note_events(const State& end) {
  std::set<std::array<int, 2>> touching;
  for (const Contact& contact : solved_->end_state().point.iterate.contacts.contacts) {
    touching.insert(bodies_of(nominal_.scene->model.surface, contact));
  }
  if (end.step > 1 && nominal_.scene->options.integrator.method != TimeIntegrator::quasi_static) {
    for (const auto& pair : touching) {
      if (touching_.count(pair) != 0) continue;
      ++num_impacts_;
      if (first_impact_ == 0) first_impact_ = end.step;
    }
  }
  touching_ = std::move(touching);
  had_contacts_ = had_contacts_ || !touching_.empty();
}

template <int dim>
void ForwardRun<dim>::report_events() {
  for (std::size_t k = 0; k < by_.size(); ++k) {
    const Parameter& parameter = result_.parameters[k];
    if (!had_contacts_ || by_[k].length > short_share * parameter.size()) continue;
    result_.warnings.push_back({"", "few_digits", parameter.path,
                                "this number moves surfaces that are tiny gaps apart. Derivatives of contact forces "
                                "and of rebounds by it have "
                                "few digits, or none: --check tells",
                                Severity::warning});
  }
  if (num_impacts_ > 0) {
    result_.warnings.push_back(
        {"", "impact_time_not_differentiated", fmt::format("{} from step {} on", num_impacts_, first_impact_),
         "bodies meet in the run. Where a speed jumps at the end of a step, the derivatives are those of the scheme, "
         "which do not see that the time of the impact changes; soft bodies whose impact takes many steps have "
         "little of this error",
         Severity::warning});
  }
}

/// Returns what the scene uses that has no derivatives yet.
Issues find_unsupported(const SceneDesc& desc, const SteppedScene& scene) {
  Issues issues;
  const auto refuse = [&](std::string place, std::string message) {
    issues.push_back({"", std::move(place), "", std::move(message)});
  };
  if (!scene.adapting.is_empty()) refuse("remesh", "bodies whose elements adapt have no derivatives");
  if (desc.time.accuracy > 0.0) refuse("time.accuracy", "steps in parts have no derivatives; expected 0");
  if (desc.contact.separate_curved) refuse("contact.separate_curved", "it has no derivatives");
  if (scene.scene->options.convergence != Convergence::forces) {
    refuse("solver.convergence", "derivatives need forces that balance; expected \"forces\"");
  }
  if (scene.scene->options.friction.iterations != 0 && !scene.scene->model.friction.is_frictionless()) {
    refuse("friction.iterations", "derivatives need friction that agrees with the contact forces; expected 0");
  }
  return issues;
}

Issues find_held_parameters(const std::vector<std::string>& paths) {
  Issues issues;
  for (const std::string& path : paths) {
    for (const char* group : {"time", "solver", "output", "start", "remesh", "name", "format"}) {
      if (path != group && path.rfind(std::string(group) + ".", 0) != 0) continue;
      issues.push_back({"", path, "",
                        "expected a number of the bodies, their materials, loads, motions or contacts; this one says "
                        "how the scene is computed"});
    }
  }
  return issues;
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
Result<std::vector<std::size_t>> start_scene(SceneDesc desc, const GradientOptions& options, SteppedScene& scene) {
  Issues of_scene = check_scene(desc);
  if (has_errors(of_scene)) return of_scene;
  if (Result<Done> started = scene.start(std::move(desc), std::move(of_scene)); !started) return started.issues();
  Issues problems = find_unsupported(scene.desc, scene);
  const std::vector<std::string>& all = scene.probes.columns();
  Result<std::vector<std::size_t>> columns = find_columns(all, options.columns.empty() ? all : options.columns, "--of");
  if (!columns) append(columns.issues(), problems);
  if (!problems.empty()) return problems;
  return columns;
}

}  // namespace

Result<Gradient> find_gradient(const SceneMaker& make, const GradientOptions& options) {
  Result<SceneDesc> desc = make({});
  if (!desc) return desc.issues();
  Issues problems = find_held_parameters(options.parameters);
  Gradient result;
  Result<std::vector<Parameter>> parameters = find_parameters(*desc, options.parameters);
  if (!parameters) append(parameters.issues(), problems);
  if (options.parameters.empty()) problems.push_back({"", "--by", "", "expected at least one path of a number"});
  if (desc->output.probes.empty()) problems.push_back(no_probes());
  if (!problems.empty()) return problems;
  SteppedScene scene;
  const Result<std::vector<std::size_t>> columns = start_scene(std::move(*desc), options, scene);
  if (!columns) return columns.issues();
  result.parameters = std::move(*parameters);
  for (const std::size_t column : *columns) result.columns.push_back(scene.probes.columns()[column]);
  for (const NamedHint& warning : scene.warnings) result.warnings.push_back(warning.issue);
  const Result<Done> ran =
      with_dimension(scene.scene->dim, [&](auto dim) { return run<dim>(scene, make, options, *columns, result); });
  if (!ran) return ran.issues();
  return result;
}

Result<std::vector<std::string>> check_before_run(SceneDesc desc, const GradientOptions& options) {
  Issues problems = find_held_parameters(options.parameters);
  if (desc.output.probes.empty()) problems.push_back(no_probes());
  SteppedScene scene;
  if (auto columns = start_scene(std::move(desc), options, scene); !columns) append(columns.issues(), problems);
  if (!problems.empty()) return problems;
  return scene.probes.columns();
}

Result<HeldContact> find_held_contact(const SceneMaker& make, const GradientOptions& options) {
  Result<SceneDesc> desc = make({});
  if (!desc) return desc.issues();
  SteppedScene scene;
  if (auto columns = start_scene(std::move(*desc), options, scene); !columns) return columns.issues();
  return HeldContact(*scene.scene);
}

Result<std::vector<double>> find_values(const SceneMaker& make, const GradientOptions& options,
                                        const Parameter& parameter, double value, const HeldContact& held) {
  Result<SceneDesc> desc = make(overrides_of({parameter}, {value}));
  if (!desc) return desc.issues();
  SteppedScene scene;
  const Result<std::vector<std::size_t>> columns = start_scene(std::move(*desc), options, scene);
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
