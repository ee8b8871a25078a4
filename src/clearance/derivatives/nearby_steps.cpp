#include "clearance/derivatives/nearby_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/math/elementary.h"
#include "clearance/model/held_branches.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/stepping/force_events.h"
#include "clearance/simulation/stepping/relaxation.h"
#include "clearance/solver/mass_product.h"

namespace clearance::derivatives {

namespace {

/// For a number that may not go below (`sign` 1) or above (-1) its value.
Stencil one_sided(double sign) {
  Stencil stencil{{0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -0.25}, {-1.5, 2.0, -0.5, 0.0, 0.0}};
  for (double& offset : stencil.offsets) offset *= sign;
  for (double& weight : stencil.weights) weight *= sign;
  for (double& weight : stencil.coarse) weight *= sign;
  return stencil;
}

/// Least change of a number as a share of it, and the factor by which it shrinks where the balance is far from linear
/// in it.
constexpr double least_share = 1e-12, shrink = 0.2;
/// Motion of surfaces over which differences by a parameter are taken, in reaches, and its best share: the far points
/// of the stencil are two reaches away.
constexpr double most_motion = 2.5, best_share = 0.8;
/// Difference of the two orders, as a share, from which on a change is too large.
constexpr double nonlinear = 1e-6;
/// Motion, as a share of the scene, that tells a jump of the balance from rounding.
constexpr double least_jump = 1e-10;
/// Growth of the miss of a shorter change that tells a jump from a kink: that of a jump grows as the change shrinks.
constexpr double jump_growth = 2.0;
/// Share of the derivative of the balance that jumps may make without notice: those of rounding and of eigenvalues that
/// are held above zero.
constexpr double negligible_jump = 1e-4;
/// Factor between the lengths over which slopes on both sides are compared, the share of the slope below which a kink
/// is none, and the share of it by which two estimates of a kink may differ: those of rounding do by more.
constexpr double kink_ratio = 0.25, least_kink = 1e-8, most_doubt = 0.2;

/// Holds the branches of potentials, which have lists of them in the same order.
template <class Potentials>
void hold_in(const Potentials& potentials, const std::vector<std::vector<int>>& branches) {
  for (std::size_t k = 0; k < std::min(potentials.size(), branches.size()); ++k) {
    if (auto* const held = dynamic_cast<HeldBranches*>(potentials[k].get())) held->hold_branches(branches[k]);
  }
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

}  // namespace

const Stencil& central() {
  static const Stencil stencil{
      {-2.0, -1.0, 1.0, 2.0}, {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, {0.0, -0.5, 0.5, 0.0}};
  return stencil;
}

VecX sum_of(const std::vector<VecX>& values, const std::vector<double>& weights, double length) {
  const VecX& middle = values[values.size() / 2];
  VecX sum = VecX::Zero(middle.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (weights[k] != 0.0) sum += (weights[k] / length) * (values[k] - middle);
  }
  return sum;
}

State rescaled(const Model& from, const Model& to, State state) {
  for (VecX* numbers : {&state.x, &state.v, &state.a, &state.x_prev, &state.v_prev, &state.x_anchor}) {
    rescale(from, to, *numbers);
  }
  return state;
}

namespace {

/// Returns what the scene uses that has no derivatives yet.
Issues find_unsupported(const SceneDesc& desc, const SteppedScene& scene) {
  Issues issues;
  const auto refuse = [&](std::string place, std::string message) {
    issues.push_back({"", std::move(place), "", std::move(message)});
  };
  if (!scene.adapting.is_empty()) refuse("remesh", "bodies whose elements adapt have no derivatives");
  if (desc.time.accuracy > 0.0) refuse("time.accuracy", "steps in parts have no derivatives; expected 0");
  if (desc.axisymmetric) refuse("axisymmetric", "bodies of revolution have no derivatives");
  if (desc.contact.separate_curved) refuse("contact.separate_curved", "it has no derivatives");
  if (scene.scene->options.convergence != Convergence::forces) {
    refuse("solver.convergence", "derivatives need forces that balance; expected \"forces\"");
  }
  if (scene.scene->options.friction.iterations != 0 && !scene.scene->model.friction.is_frictionless()) {
    refuse("friction.iterations", "derivatives need friction that agrees with the contact forces; expected 0");
  }
  return issues;
}

}  // namespace

Issues find_held_parameters(const std::vector<std::string>& paths) {
  Issues issues;
  for (const std::string& path : paths) {
    for (const char* group : {"time", "solver", "output", "start", "remesh", "name", "format"}) {
      if (path != group && path.rfind(std::string(group) + ".", 0) != 0) continue;
      issues.push_back({"", path, "",
                        "this number says how the scene is computed, and results have no derivative by it; expected "
                        "one of bodies, materials, loads, motions or contacts"});
    }
  }
  return issues;
}

bool moves_vertices(const SceneModel& here, const SceneModel& there) {
  const VecX& x = here.initial_state.x;
  VecX moved = x;
  rescale(here.model, there.model, moved);
  const VecX a = here.frames.vertex_map.apply(x), b = there.frames.vertex_map.apply(moved);
  constexpr double rounding = 1e-12;
  return a.size() != b.size() || !((a - b).cwiseAbs().maxCoeff() <= rounding * here.model.bbox_diagonal);
}

Issue moved_vertices(const std::string& path) {
  return {"", path, "",
          "this number moves vertices within rigid or affine bodies, which derivatives of vertices do not see; "
          "derivatives of probes do (cl.gradient)"};
}

Issue kink_warning(std::string parameter, int step, double share) {
  return {"", "at_kink", std::move(parameter),
          fmt::format("step {} ends exactly at a kink of its forces: contacts change their closest features there, as "
                      "those of edges exactly above edges, or friction is at its limit. Slopes differ on both sides, "
                      "and the derivative differs from one of them by a share of {:.0e}. Turn and move a body a little",
                      step, share),
          Severity::warning};
}

Result<Done> start_scene(SceneDesc desc, SteppedScene& scene) {
  Issues of_scene = check_scene(desc);
  if (has_errors(of_scene)) return of_scene;
  if (Result<Done> started = scene.start(std::move(desc), std::move(of_scene)); !started) return started.issues();
  if (Issues problems = find_unsupported(scene.desc, scene); !problems.empty()) return problems;
  return Done{};
}

template <int dim>
Result<Done> NearbySteps<dim>::make_variants(const Parameter& parameter, double length, Variants<dim>& by) const {
  const std::array<Stencil, 3> stencils = {central(), one_sided(1.0), one_sided(-1.0)};
  Issues told;
  bool is_told_of_allowed = false;
  for (const Stencil& stencil : stencils) {
    by.variants.clear();
    Issues problems;
    for (const double offset : stencil.offsets) {
      const double value = parameter.value + offset * length;
      auto variant = make_variant(make_, parameter, value, held_);
      if (!variant) {
        problems = variant.issues();
        // The problem of a value that the scene may have says more than that others are out of bounds.
        const bool is_of_allowed = is_allowed(make_, parameter, value);
        if (told.empty() || (is_of_allowed && !is_told_of_allowed)) {
          told = problems;
          is_told_of_allowed = is_of_allowed;
        }
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
  }
  for (Issue& issue : told) {
    issue.message = fmt::format("the scene with a change of {} by a share of {:.0e}: {}", parameter.path, first_share,
                                issue.message);
  }
  return told;
}

/// Evaluates the step from `start` that ends at `x_end`, with prescribed nodes at their targets.
template <int dim>
std::optional<Evaluation> NearbySteps<dim>::evaluate(const SceneDesc& desc, SceneModel& scene, Part part,
                                                     const Probes& probes, StepWorkspace<dim>& workspace,
                                                     const State& start, const VecX& x_end) {
  SolverOptions options = scene.options;
  options.has_contact = options.has_contact && part == Part::all;
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
  Step<dim> step(workspace.inputs(scene.model, options, *targets, from, hooks_));
  if (!step.end_at(decisions_, x)) return std::nullopt;
  hold_in(step.inputs().copies.potentials, branches_);
  Evaluation result;
  result.gradient = step.gradient_at_end();
  const bool has_forces = part == Part::all;
  if (!has_forces) {
    // Rigid bodies turn under the forces that are held.
    VecX added = tangent_->contact_gradient();
    const InertialTarget& target = step.problem().target();
    if (part == Part::remainder && target.has_inertia) added -= mass_product<dim>(step, x - target.x_tilde);
    result.gradient += step.problem().free_part(step.inputs().coordinates(), x, added);
  }
  result.motion = motion_between<dim>(nominal, step_->end_state().point.iterate.x_surface, scene.model,
                                      step.end_state().point.iterate.x_surface);
  const StepForces forces = probes.needs_forces() && has_forces ? step.forces_at_end() : StepForces{};
  State end = from;
  step.commit(end);
  result.numbers = numbers_.of(rescaled(scene.model, nominal, end), end_);
  if (result.numbers.size() != num_numbers_) return std::nullopt;
  const Potential* joints = scene.joint_potential ? &workspace.potential(*scene.joint_potential) : nullptr;
  result.probes =
      vector_of(has_forces ? probes.values({end, forces, joints}) : probes.values_beside_contacts(end, joints));
  return result;
}

template <int dim>
void NearbySteps<dim>::narrow(typename Variants<dim>::Variant& variant) const {
  if (!nominal_.distances) return;
  variant.scene->distances.narrow(end_.narrowing, *variant.scene->scene);
  variant.workspace.renew_contacts(variant.scene->scene->model, variant.scene->scene->options);
}

template <int dim>
std::optional<Evaluations> NearbySteps<dim>::evaluate(Variants<dim>& variants) {
  Evaluations all;
  for (auto& variant : variants.variants) {
    narrow(variant);
    auto evaluation = evaluate(variant, begin_, tangent_->x());
    if (!evaluation) return std::nullopt;
    all.add(std::move(*evaluation));
  }
  return all;
}

template <int dim>
std::optional<Evaluations> NearbySteps<dim>::find_pull(const Parameter& parameter, Variants<dim>& by, VecX& pull) {
  std::optional<Evaluations> of_parameter = evaluate(by);
  // Gaps are the measure of what moves surfaces.
  const bool has_contacts = !step_->end_state().point.iterate.contacts.contacts.empty();
  const double reach = has_contacts ? tangent_->reach() : infinity;
  while (true) {
    bool is_linear = of_parameter && of_parameter->are_finite();
    double miss = 0.0, part = shrink;
    if (is_linear && of_parameter->motion > most_motion * reach) {
      is_linear = false;
      part = best_share * most_motion * reach / of_parameter->motion;
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
      fail(fmt::format("the balance has no derivative by {} that can be found", parameter.path));
      return std::nullopt;
    }
    Variants<dim> other;
    if (!make_variants(parameter, length, other)) {
      fail("a scene beside this one cannot be made");
      return std::nullopt;
    }
    std::optional<Evaluations> again = evaluate(other);
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
                              step_->solve_at_end(other.length * other_miss, motion) &&
                              step_->inputs().coordinates().expand(tangent_->x(), motion).cwiseAbs().maxCoeff() >
                                  least_jump * nominal_.scene->model.bbox_diagonal;
        if (is_large && other_miss.norm() > jump_growth * miss) {
          fail(
              fmt::format("the balance jumps where {} changes: a region gains or loses nodes, or a time passes "
                          "the end of a step; there is no derivative",
                          parameter.path));
          return std::nullopt;
        }
        if (!is_large && other_miss.norm() >= miss) {
          by.is_settled = true;
          continue;
        }
      }
    }
    by = std::move(other);
    of_parameter = std::move(again);
  }
  return of_parameter;
}

template <int dim>
std::optional<Kink> NearbySteps<dim>::find_kink(const VecX& rate, const VecX& dy, const VecX& expected) {
  if (step_->end_state().point.iterate.contacts.contacts.empty()) return std::nullopt;
  const LocalCoordinates<dim>& coordinates = step_->inputs().coordinates();
  const Model& model = nominal_.scene->model;
  const VecX& x = tangent_->x();
  const double longest =
      std::max(numbers_.length_of(rate, begin_, nominal_.scene->options.integrator.h, model.bbox_diagonal),
               coordinates.expand(x, dy).cwiseAbs().maxCoeff());
  if (!(longest > 0.0)) return std::nullopt;
  const double length = tangent_->reach() / longest;
  const std::optional<Evaluation> here = evaluate(begin_, x);
  if (!here) return std::nullopt;
  const auto at = [&](double by) -> std::optional<Kink> {
    const auto above = evaluate(changed(begin_, by * rate), coordinates.move(x, by * dy, 1.0));
    const auto below = evaluate(changed(begin_, -by * rate), coordinates.move(x, -by * dy, 1.0));
    if (!above || !below) return std::nullopt;
    Kink kink;
    if (expected.size() > 0) kink.miss = (above->gradient - below->gradient) / (2.0 * by) - expected;
    kink.jump = (above->gradient - 2.0 * here->gradient + below->gradient) / (2.0 * by);
    return kink;
  };
  // The mean of smooth forces has an error of second order in the length, and the difference is linear in it.
  const auto without_lengths = [](const Kink& wide, const Kink& narrow) {
    constexpr double by = kink_ratio, by_sq = kink_ratio * kink_ratio;
    return Kink{(narrow.miss - by_sq * wide.miss) / (1.0 - by_sq), (narrow.jump - by * wide.jump) / (1.0 - by)};
  };
  const auto size_of = [](const VecX& miss, const VecX& jump) { return elementary::hypot(miss.norm(), jump.norm()); };
  const std::optional<Kink> wide = at(length), middle = at(kink_ratio * length);
  if (!wide || !middle) return std::nullopt;
  const Kink first = without_lengths(*wide, *middle);
  const double size = size_of(first.miss, first.jump);
  if (!(size > least_kink * expected.norm())) return std::nullopt;
  const std::optional<Kink> narrow = at(kink_ratio * kink_ratio * length);
  if (!narrow) return std::nullopt;
  Kink second = without_lengths(*middle, *narrow);
  if (!(size_of(first.miss - second.miss, first.jump - second.jump) <= most_doubt * size)) return std::nullopt;
  return second;
}

template <int dim>
State NearbySteps<dim>::changed(const State& state, const VecX& change) const {
  State result = numbers_.changed(state, change);
  const Model& model = nominal_.scene->model;
  const VecX stretched = result.x;
  result.x = step_->inputs().coordinates().unstretched(std::move(result.x));
  // Affine bodies stretch, and what is tied to them follows.
  for (const StiffBody& body : model.stiff_bodies) {
    if (body.is_rigid) continue;
    const Eigen::Index first = dim * static_cast<Eigen::Index>(body.first_block);
    result.x.segment(first, dim * (dim + 1)) = stretched.segment(first, dim * (dim + 1));
    for (const Tie& tie : model.ties) {
      if (tie.first_block == body.first_block) block<dim>(result.x, tie.block) = block<dim>(stretched, tie.block);
    }
  }
  return result;
}

/// Takes the start of the step from begin_: the targets, and the past that it forgets.
template <int dim>
bool NearbySteps<dim>::begin_step() {
  SceneModel& scene = *nominal_.scene;
  from_ = begin_;
  std::copy(from_.controls.begin(), from_.controls.end(), scene.controls->values.begin());
  Result<PrescribedTargets> targets = find_targets(scene, from_);
  if (!targets) return fail(to_string(targets.issues().front()));
  targets_ = std::move(*targets);
  forget_past_at_events(nominal_.desc, scene, from_);
  tangent_.reset();
  solved_.reset();
  return true;
}

/// Holds the branches of the forces at the end of the step, for all evaluations beside it.
template <int dim>
void NearbySteps<dim>::hold_branches() {
  const auto& potentials = step_->inputs().copies.potentials;
  branches_.assign(potentials.size(), {});
  for (std::size_t k = 0; k < potentials.size(); ++k) {
    if (const auto* of_step = dynamic_cast<const HeldBranches*>(potentials[k].get())) {
      branches_[k] = of_step->branches(tangent_->x());
    }
  }
  hold_in(potentials, branches_);
}

/// Makes a step with its end the present one.
template <int dim>
void NearbySteps<dim>::open(Step<dim>& step) {
  step_ = &step;
  tangent_.emplace(step, trust_);
}

/// Says why a step that has not converged has no derivative.
template <int dim>
std::string NearbySteps<dim>::unsolved() const {
  const std::string& reason = solved_->report().limited_by;
  if (solved_->status() == StepStatus::undefined_input && !reason.empty()) return reason;
  std::string text = fmt::format("the step ended as {}{}, and only steps that converge as a whole have derivatives",
                                 to_string(solved_->status()), reason.empty() ? "" : fmt::format(" ({})", reason));
  const bool is_static = nominal_.scene->options.integrator.method == TimeIntegrator::quasi_static;
  if (nominal_.desc.time.max_halvings > 0) {
    text += fmt::format("; a run divides such steps into shorter ones{}: choose a shorter `time.step`",
                        is_static ? ", or lets bodies come to rest in motion" : "");
  }
  return text;
}

template <int dim>
bool NearbySteps<dim>::solve(std::optional<double> held_narrowing, bool is_differentiated) {
  SceneModel& scene = *nominal_.scene;
  begin_ = nominal_.state;
  if (!begin_step()) return false;
  if (nominal_.distances) {
    path_.emplace(*nominal_.distances, nominal_.desc.contact.gap_tolerance, scene, scene.options.integrator.h, own_,
                  hooks_);
  }
  double narrowing = from_.narrowing;
  solved_.emplace(path_ ? path_->solve(*targets_, from_, narrowing)
                        : clearance::solve<dim>(scene.model, scene.options, *targets_, from_, own_, hooks_));
  std::optional<VecX> near;  // if the step is solved again from there
  const bool is_static = scene.options.integrator.method == TimeIntegrator::quasi_static;
  if (is_static && (may_relax(solved_->status()) || has_strayed(scene, nominal_.unheld, from_.x, solved_->x()))) {
    // A run would come to rest by way of motion. Its end is an equilibrium of the whole step, too.
    State at_rest = from_;
    if (relax<dim>(nominal_.desc, scene, nominal_.distances, *targets_, hooks_, at_rest).status ==
        StepStatus::converged) {
      near = at_rest.x;
      narrowing = at_rest.narrowing;
    }
    if (path_) nominal_.distances->narrow(narrowing, scene);
  }
  if (path_ && held_narrowing && (near || solved_->status() == StepStatus::converged)) {
    if (!near) near = solved_->x();
    narrowing = *held_narrowing;
    nominal_.distances->narrow(narrowing, scene);
  }
  if (near) {
    solved_.reset();
    own_.renew_contacts(scene.model, scene.options);
    solved_.emplace(solve_near<dim>(*near, scene.model, scene.options, *targets_, from_, own_, hooks_));
  }
  is_stopped_ = solved_->status() == StepStatus::stopped;
  if (is_stopped_) return false;
  // Forces that balance with a friction that lags behind are near the balance that is looked for.
  const StepStatus status = solved_->status();
  if (status != StepStatus::converged && status != StepStatus::friction_lag_limit) return fail(unsolved());
  open(solved_->step());
  if (!tangent_->polish(is_differentiated)) {
    if (status != StepStatus::converged) return fail(unsolved());
    return fail("the balance of the step could not be found to the accuracy that derivatives need");
  }
  decisions_ = step_->decisions();
  hold_branches();
  end_ = from_;
  end_.narrowing = narrowing;
  step_->commit(end_);
  num_numbers_ = numbers_.of(end_, end_).size();
  if (path_) shadow_.renew_contacts(scene.model, scene.options);
  return true;
}

template <int dim>
bool NearbySteps<dim>::reopen(const StepRecord& record) {
  SceneModel& scene = *nominal_.scene;
  begin_ = record.begin;
  decisions_ = record.decisions;
  if (nominal_.distances && (record.narrowing != end_.narrowing || !tangent_)) {
    nominal_.distances->narrow(record.narrowing, scene);
    own_.renew_contacts(scene.model, scene.options);
    shadow_.renew_contacts(scene.model, scene.options);
  }
  if (!begin_step()) return false;
  solved_.emplace(std::make_unique<Step<dim>>(own_.inputs(scene.model, scene.options, *targets_, from_, hooks_)));
  Step<dim>& step = solved_->step();
  if (!step.end_at(decisions_, record.x_end)) return fail("the step is not defined");
  step.begin_system();
  open(step);
  if (!tangent_->prepare()) return fail("the equations of the derivative have no solution");
  hold_branches();
  end_ = from_;
  end_.narrowing = record.narrowing;
  step_->commit(end_);
  num_numbers_ = numbers_.of(end_, end_).size();
  return true;
}

template class NearbySteps<2>;
template class NearbySteps<3>;

}  // namespace clearance::derivatives
