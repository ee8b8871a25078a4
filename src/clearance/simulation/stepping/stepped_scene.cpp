#include "clearance/simulation/stepping/stepped_scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/math/dimension.h"
#include "clearance/model/feasible_model.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/adapt/adapted_step.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/build/rest_surface.h"
#include "clearance/simulation/build/supports.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/output/fields.h"
#include "clearance/simulation/start/preflight.h"
#include "clearance/simulation/stepping/aimed_obstacle.h"
#include "clearance/simulation/stepping/applied_forces.h"
#include "clearance/simulation/stepping/force_events.h"
#include "clearance/simulation/stepping/relaxation.h"
#include "clearance/simulation/stepping/step_parts.h"
#include "clearance/solver/attempt_limit.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/sparse/external_solver.h"

namespace clearance {

namespace {

/// True if the numbers are those of the potentials of the model, or nothing has happened yet.
bool fits_history(const Model& model, const History& history) {
  if (history.empty()) return true;
  return std::equal(history.begin(), history.end(), model.potentials.begin(), model.potentials.end(),
                    [](const std::vector<double>& numbers, const auto& potential) {
                      return numbers.empty() || numbers.size() == potential->history_size();
                    });
}

/// Returns a vector per vertex, from the numbers of all vertices, flat.
std::vector<Vec<3>> per_vertex(const SceneModel& scene, const VecX& flat) {
  std::vector<Vec<3>> vectors(scene.frames.mesh.vertices.size(), Vec<3>::Zero());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    vectors[i].head(scene.dim) = flat.segment(scene.dim * static_cast<Eigen::Index>(i), scene.dim);
  }
  return vectors;
}

/// Returns true if the forces balance with the friction that was lagged last.
bool is_settled(StepStatus status) {
  return status == StepStatus::converged || status == StepStatus::friction_lag_limit;
}

/// True if a step that was taken by way of motion has ended so, and not to be taken otherwise.
bool ends_step(const StepReport& of_motion) {
  const bool is_lost = of_motion.status == StepStatus::no_equilibrium && !of_motion.limited_by.empty();
  return of_motion.status == StepStatus::converged || of_motion.status == StepStatus::stopped || is_lost;
}

StepReport stopped_step() {
  StepReport report;
  report.status = StepStatus::stopped;
  return report;
}

/// A body of revolution has no momentum across its axis: what its meridian has there is that of the radii.
void clear_radial_momentum(MomentumAccount& momentum) {
  for (Vec<3>* of_bodies : {&momentum.total, &momentum.change, &momentum.impulse, &momentum.integrator}) {
    (*of_bodies)[0] = 0.0;
  }
}

/// Returns the report with the operations of a failed round counted as rejected.
RemeshReport without_operations(const RemeshReport& before, const RemeshReport& after) {
  RemeshReport report = before;
  report.num_rejected = after.num_rejected + after.num_splits - before.num_splits + after.num_collapses -
                        before.num_collapses + after.num_swaps - before.num_swaps + after.num_smoothings -
                        before.num_smoothings;
  report.num_unsafe = after.num_unsafe;
  report.seconds = after.seconds;
  return report;
}

}  // namespace

Issues check_scene(SceneDesc& desc) {
  name_bodies(desc);
  Issues issues = validate(desc);
  if (desc.solver.linear_solver == LinearSolverChoice::petsc && petsc_provider() == nullptr) {
    issues.push_back({"", "solver.linear_solver", "\"petsc\"",
                      "petsc needs another program, which is built where PETSc is installed: mpirun -n N clearance-mpi "
                      "run SCENE (docs/huge_scenes.md)"});
  }
  return issues;
}

namespace {

void append(const NamedHints& hints, NamedHints& to) {
  to.insert(to.end(), hints.begin(), hints.end());
}

}  // namespace

Result<Done> SteppedScene::start(SceneDesc checked, Issues of_scene) {
  desc = std::move(checked);
  Result<LoadedBodies> bodies = load_bodies(desc);
  if (!bodies) {
    Issues problems = bodies.issues();
    for (Issue& issue : find_missing_sequences(desc)) problems.push_back(std::move(issue));
    return problems;
  }
  warnings = named_by_place(of_scene, "doubtful_entry");
  append(named_by_place(bodies->warnings, "doubtful_body"), warnings);
  if (desc.contact.separate_curved) {
    const double of_curved = separation_of_curved(desc, bodies->instances);
    if (!(of_curved > 0.0)) {
      warnings.push_back({"unused_entry",
                          {"", "contact.separate_curved", "true",
                           "`separate_curved` has no effect, because no body has curved elements whose boundary is "
                           "cut into flat pieces",
                           Severity::warning}});
    }
    desc.contact.min_separation = std::max(desc.contact.min_separation, of_curved);
  }
  scene = std::make_unique<SceneModel>(build_scene_model(desc, std::move(bodies->instances)));
  PreflightReport preflight = check_initial_state(desc, *scene);
  Issues problems = std::move(preflight.issues);
  Issues of_scene_model = scene->issues, doubts;
  probes = Probes(desc, *scene, of_scene_model);
  for (Issue& issue : of_scene_model) {
    (issue.severity == Severity::warning ? doubts : problems).push_back(std::move(issue));
  }
  append(named_by_place(doubts, "doubtful_entry"), warnings);
  for (const Issue& issue : scene->empty_regions) warnings.push_back({"empty_region", issue});
  hooks.keeps_forces = probes.needs_forces() || needs_forces(desc.output.fields) ||
                       (desc.time.accuracy > 0.0 && !scene->stiff_units.empty());
  if (!has_errors(problems)) adapting = AdaptingBodies(desc, *scene);
  if (has_errors(problems)) {
    // A warning about a mesh may explain why the scene cannot start.
    for (const NamedHint& warning : warnings) problems.push_back(warning.issue);
    return problems;
  }
  log_contact_moduli(desc, *scene);
  views = views_of(*scene);
  initial_min_distance = preflight.min_distance;
  state = scene->initial_state;
  start_accelerations(*scene, state);
  if (needs_narrow_gaps()) distances.emplace(*scene);
  if (scene->options.integrator.method == TimeIntegrator::quasi_static) unheld = find_unheld_bodies(desc, *scene);
  watch = CoarseMotionWatch(scene->model, state.x);
  curved_watch = CurvedSurfaceWatch(desc, *scene);
  rotation_watch = RotationWatch(desc, *scene);
  return Done{};
}

bool SteppedScene::needs_narrow_gaps() const {
  if (scene->options.integrator.method != TimeIntegrator::quasi_static || !scene->options.has_contact ||
      !(desc.contact.gap_tolerance > 0.0) || !adapting.is_empty()) {
    return false;
  }
  // Without a stiffness of its own, a contact has one that the solver chooses, whatever its distance is.
  return with_dimension(scene->dim, [&](auto dim) {
    return make_contact_model<dim>(scene->model, scene->options.barrier)->has_stiffness();
  });
}

/// A step on new elements, with everything that it is solved with.
template <int dim>
struct SteppedScene::Attempt {
  AdaptedStep on;
  PrescribedTargets targets;
  StepWorkspace<dim> workspace;
  std::optional<SolvedStep<dim>> solved;
};

VecX SteppedScene::normal_forces() const {
  if (forces) return forces->normal;
  return with_dimension(scene->dim, [&](auto dim) { return contact_forces<dim>(); });
}

template <int dim, class Visit>
void SteppedScene::visit_contacts(const Visit& visit) const {
  const VecX x = scene->model.surface_map.apply(state.x);
  const auto contact_model = make_contact_model<dim>(scene->model, scene->options.barrier);
  const ContactModel<dim>& contacts = *contact_model;
  const auto broad_phase = make_broad_phase(dim, scene->model.surface);
  const ContactSet set = contacts.build(x, contacts.find_candidates(*broad_phase, x, x));
  visit(ContactPotential<dim>(scene->model, contacts), set, x);
}

template <int dim>
VecX SteppedScene::contact_forces() const {
  VecX pushed = VecX::Zero(dim * scene->model.surface.num_vertices);
  if (!scene->options.has_contact || state.kappa == 0.0) return pushed;
  visit_contacts<dim>([&](const ContactPotential<dim>& potential, const ContactSet& set, const VecX& x) {
    pushed = potential.vertex_forces(set, x, state.kappa);
  });
  return pushed;
}

template <int dim>
std::vector<ContactPair> SteppedScene::contacts() const {
  std::vector<ContactPair> pairs;
  if (!scene->options.has_contact) return pairs;
  visit_contacts<dim>([&](const ContactPotential<dim>& potential, const ContactSet& set, const VecX& x) {
    for (const Contact& contact : set.contacts) pairs.push_back(pair_of<dim>(contact, x));
    potential.visit_forces(set, x, state.kappa, [&](const Contact& contact, int vertex, const Vec<dim>& force) {
      const int* end_of_first = contact.vertices.data() + num_first(contact);
      if (std::find(contact.vertices.data(), end_of_first, vertex) == end_of_first) return;
      pairs[&contact - set.contacts.data()].force.template head<dim>() += force;
    });
  });
  return pairs;
}

template <int dim>
ContactPair SteppedScene::pair_of(const Contact& contact, const VecX& x) const {
  const ContactGap<dim> gap = compute_contact_gap<dim>(scene->model, contact, positions_of<dim>(contact, x));
  ContactPair pair;
  pair.bodies = bodies_of(scene->model.surface, contact);
  pair.num_first = num_first(contact);
  pair.distance = gap.distance - contact.thickness;
  pair.normal.template head<dim>() = gap.normal;
  for (int i = 0; i < contact.num_vertices(); ++i) {
    pair.vertices[i] = scene->vertex_of_surface[contact.vertices[i]];
  }
  return pair;
}

template <int dim>
std::optional<Eigen::Matrix4d> SteppedScene::pose(int body) const {
  const BodyView& view = views[body];
  if (!is_stiff(view.kind)) return std::nullopt;
  // Centre of mass and the columns of the map, which are multiplied by `radius`.
  const auto frame = [&](const VecX& x) {
    Eigen::Matrix<double, dim, dim + 1> columns;
    for (int c = 0; c <= dim; ++c) columns.col(c) = block<dim>(x, view.blocks.first + c);
    return columns;
  };
  const Eigen::Matrix<double, dim, dim + 1> start = frame(scene->initial_state.x), now = frame(state.x);
  const Eigen::Matrix<double, dim, dim> map = now.template rightCols<dim>() * start.template rightCols<dim>().inverse();
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  pose.topLeftCorner<dim, dim>() = map;
  pose.topRightCorner<dim, 1>() = now.col(0) - map * start.col(0);
  return pose;
}

std::optional<Eigen::Index> SteppedScene::index_of_control(const std::string& name) const {
  const std::vector<std::string>& names = scene->controls->names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

Issue SteppedScene::unknown_control(const std::string& name) const {
  const std::string known = fmt::format("{}", fmt::join(scene->controls->names, ", "));
  return {"", "controls", '"' + name + '"', known.empty() ? "the scene has no controls" : "known are " + known};
}

void SteppedScene::take_controls() {
  if (const auto found = control_schedule.find(state.step + 1); found != control_schedule.end()) {
    for (const auto& [name, value] : found->second) state.controls[*index_of_control(name)] = value;
  }
  std::copy(state.controls.begin(), state.controls.end(), scene->controls->values.begin());
}

template <int dim>
std::string SteppedScene::misfit(const State& other) const {
  const State& initial = scene->initial_state;
  const Model& model = scene->model;
  const auto fits = [&](const VecX& v) { return v.size() == initial.x.size() && v.allFinite(); };
  const auto fits_or_empty = [&](const VecX& v) { return v.size() == 0 || fits(v); };
  const std::size_t num_blocks = model.layout.num_blocks;
  const auto num_stored = static_cast<Eigen::Index>(model.potentials.size()) + 1;
  if (!fits(other.x) || !fits(other.v) || !fits(other.a) || !fits(other.x_anchor) || !fits_or_empty(other.x_prev) ||
      !fits_or_empty(other.v_prev) || other.controls.size() != initial.controls.size() || !other.controls.allFinite() ||
      (!other.has_history.empty() && other.has_history.size() != num_blocks) ||
      (other.stored.size() > 0 && other.stored.size() != num_stored) ||
      other.released.size() != initial.released.size() ||
      (!other.turns.empty() && other.turns.size() != desc.joints.size()) || !fits_history(model, other.history) ||
      (!other.top_speed.empty() && std::ssize(other.top_speed) != model.surface.num_bodies()) ||
      !std::isfinite(other.h_prev) || other.level < 0 || other.level > desc.time.max_halvings || !(other.step >= 0) ||
      !std::isfinite(other.time) || !(other.kappa >= 0.0)) {
    return "the state has other bodies";
  }
  for (const StiffBody& body : model.stiff_bodies) {
    Eigen::Matrix<double, dim, dim> map;
    for (int c = 0; c < dim; ++c) map.col(c) = block<dim>(other.x, body.first_block + 1 + c) / body.radius;
    const double strain = (map.transpose() * map - Eigen::Matrix<double, dim, dim>::Identity()).norm();
    if (!(map.determinant() > 0.0) || (body.is_rigid && !(strain < 1e-9))) return "a stiff body is no longer rigid";
  }
  if (!are_feasible(model, other, other.x)) return "elements are inverted, or joints are beyond their limits";
  if (!scene->options.has_contact) return "";
  std::string hit;
  const auto broad_phase = make_broad_phase(dim, model.surface);
  is_intersection_free<dim>(model, model.surface_map.apply(other.x), *broad_phase, &hit);
  return hit;
}

const Potential* SteppedScene::joints() const {
  if (!scene->joint_potential) return nullptr;
  if (const auto* of_2d = std::get_if<StepWorkspace<2>>(&workspace)) return &of_2d->potential(*scene->joint_potential);
  if (const auto* of_3d = std::get_if<StepWorkspace<3>>(&workspace)) return &of_3d->potential(*scene->joint_potential);
  return scene->model.potentials[*scene->joint_potential].get();
}

template <int dim>
StepReport SteppedScene::step() {
  if (std::holds_alternative<std::monostate>(workspace)) {
    workspace.emplace<StepWorkspace<dim>>(scene->model, scene->options);
  }
  take_controls();
  if (desc.time.accuracy > 0.0) return advance_accurately<dim>();
  const Result<PrescribedTargets> targets = find_targets(*scene, state);
  if (!targets) return undefined_step(targets.issues());
  if (scene->options.has_contact && scene->options.integrator.method != TimeIntegrator::quasi_static) {
    coarse = watch.measure(scene->model, state, scene->options.integrator.h);
  }
  forget_past_at_events(desc, *scene, state);
  const VecX x_t0 = scene->model.stiff_bodies.empty() ? VecX() : state.x;
  const VecX dx_free = x_t0.size() > 0 ? VecX(scene->options.integrator.h * state.v) : VecX();
  StepReport report = adapting.is_empty() ? advance<dim>(targets.value()) : advance_adapting<dim>(targets.value());
  if (report.is_advanced()) forces = report.forces;
  turn = x_t0.size() == state.x.size() && x_t0.size() > 0 ? find_coarse_turn(scene->model, x_t0, dx_free, state.x)
                                                          : CoarseTurn{};
  return report;
}

template <int dim>
StepReport SteppedScene::advance(const PrescribedTargets& targets) {
  const Stopwatch of_step;
  auto& own = std::get<StepWorkspace<dim>>(workspace);
  std::optional<GapPath<dim>> path;
  if (distances) path.emplace(*distances, desc.contact.gap_tolerance, *scene, scene->options.integrator.h, own, hooks);
  const bool is_static = scene->options.integrator.method == TimeIntegrator::quasi_static;
  const bool can_be_halved = desc.time.max_halvings > 0 && can_be_cut(*scene);
  if (can_be_halved && state.level > 0) {
    // After a step that ended in hard parts, this one is not tried as a whole.
    StepReport report = StepParts<dim>(desc, *scene, own, hooks).take(nullptr, state);
    report.total_seconds = of_step.seconds();
    return report;
  }
  double narrowing = state.narrowing;
  const bool is_attempt = can_be_halved && !is_static;
  const SolverOptions options = is_attempt ? options_of_attempt(scene->options) : scene->options;
  std::optional<AttemptLimit> limit(directions_of_attempt(is_attempt));
  std::optional<SolvedStep<dim>> solved(path ? path->solve(targets, state, narrowing)
                                             : solve<dim>(scene->model, options, targets, state, own, hooks));
  limit.reset();
  state.narrowing = narrowing;
  const StepStatus status = solved->status();
  const bool may_help = may_be_cut(status) || (is_static && may_relax(status));
  if (may_help && can_be_halved) {
    // Nothing is kept of a step that is taken otherwise, so that it need not be undone.
    StepReport whole = solved->report();
    solved.reset();
    if (path) add_attempt(path->other_work(), whole);
    StepReport report = take_otherwise<dim>(targets, whole);
    report.total_seconds = of_step.seconds();
    return report;
  }
  if (path && is_carried_away(*scene, state.x, solved->x())) {
    StepReport report = solved->report();
    note_carried_away(*scene, state.x, solved->x(), report);
    return report;
  }
  if (is_static && can_be_halved && has_strayed(*scene, unheld, state.x, solved->x())) {
    StepReport report = relax<dim>(desc, *scene, distances, targets, hooks, state);
    if (ends_step(report)) {
      add_attempt(solved->report(), report);
      if (path) add_attempt(path->other_work(), report);
      solved.reset();
      own.renew_contacts(scene->model, scene->options);
      report.total_seconds = of_step.seconds();
      return report;
    }
    if (distances) distances->narrow(narrowing, *scene);
  }
  StepReport report = commit(std::move(*solved), state);
  state.level = 0;
  if (path) {
    add_attempt(path->other_work(), report);
    report.gap_share = path->gap_share();
    report.force_gap_share = path->force_gap_share();
  }
  complete_report<dim>(scene->model, state, of_step, report);
  return report;
}

template <int dim>
StepReport SteppedScene::advance_accurately() {
  const Stopwatch of_step;
  const double h = scene->options.integrator.h;
  probe_rows.clear();
  coarse = CoarseMotion{};
  turn = CoarseTurn{};
  VecX x_t0 = state.x, v_t0 = state.v;
  StepParts<dim> parts(desc, *scene, std::get<StepWorkspace<dim>>(workspace), hooks);
  StepReport report = parts.take_accurately(state, [&](const State& at, const StepReport& of_part) {
    if (of_part.forces) forces = of_part.forces;
    static const StepForces none;
    if (!probes.columns().empty()) {
      probe_rows.push_back({at.time, probes.values({at, forces ? *forces : none, joints()})});
    }
    if (scene->options.has_contact) {
      const CoarseMotion next = watch.measure(scene->model, at, std::ldexp(h, -at.level));
      if (next.share > coarse.share) coarse = next;
    }
    const CoarseTurn last = find_coarse_turn(scene->model, x_t0, std::ldexp(h, -at.level) * v_t0, at.x);
    if (last.angle > turn.angle) turn = last;
    x_t0 = at.x;
    v_t0 = at.v;
  });
  report.total_seconds = of_step.seconds();
  return report;
}

template <int dim>
StepReport SteppedScene::take_otherwise(const PrescribedTargets& targets, const StepReport& whole) {
  const bool is_static = scene->options.integrator.method == TimeIntegrator::quasi_static;
  if (is_static && (may_relax(whole.status) || whole.status == StepStatus::friction_lag_limit)) {
    StepReport of_motion = relax<dim>(desc, *scene, distances, targets, hooks, state);
    std::get<StepWorkspace<dim>>(workspace).renew_contacts(scene->model, scene->options);
    if (ends_step(of_motion)) {
      add_attempt(whole, of_motion);
      return of_motion;
    }
  }
  if (!may_be_cut(whole.status)) return whole;
  StepParts<dim> parts(desc, *scene, std::get<StepWorkspace<dim>>(workspace), hooks);
  return parts.take(&whole, state);
}

template <int dim>
StepReport SteppedScene::advance_adapting(const PrescribedTargets& targets) {
  const Stopwatch of_step;
  RemeshReport remesh;
  std::optional<SolvedStep<dim>> first(
      solve<dim>(scene->model, scene->options, targets, state, std::get<StepWorkspace<dim>>(workspace), hooks));
  std::unique_ptr<Attempt<dim>> last;
  const auto solved = [&]() -> SolvedStep<dim>& { return last ? *last->solved : *first; };
  StepReport others;                                         // work of the other solves of the step
  std::vector<RejectedOperation> rejected = state.rejected;  // rejected operations on the current elements
  for (int round = 0; round < adapting.num_rounds() && is_settled(solved().status()); ++round) {
    const SceneModel& on = last ? *last->on.scene : *scene;
    const State& from = last ? last->on.state : state;
    const Stopwatch of_round;
    const RemeshReport before = remesh;
    std::optional<AdaptedStep> adapted;
    // A step that is stopped is repeated as a whole later, so that its partial results are dropped.
    try {
      StopScope scope(hooks.is_stop_wanted);
      adapted =
          adapt<dim>({desc, adapting, on, scene->options, hooks, last ? last->targets : targets, from, solved().x()},
                     remesh, rejected);
      if (scope.is_stop_wanted()) return stopped_step();
    } catch (const Stopped&) {
      return stopped_step();
    }
    remesh.seconds += of_round.seconds();
    if (!adapted) break;
    const Result<PrescribedTargets> new_targets = find_targets(*adapted->scene, adapted->state);
    if (!new_targets) break;
    const SceneModel& model = *adapted->scene;
    auto attempt = std::make_unique<Attempt<dim>>(Attempt<dim>{
        std::move(*adapted), new_targets.value(), StepWorkspace<dim>(model.model, model.options), std::nullopt});
    attempt->solved.emplace(solve_from<dim>(attempt->on.x1, model.model, model.options, attempt->targets,
                                            attempt->on.state, attempt->workspace, hooks));
    if (attempt->solved->status() == StepStatus::stopped) return stopped_step();
    // Friction that does not converge on the new elements is no reason to reject them if it does not converge on the
    // old ones either.
    const StepStatus status = attempt->solved->status();
    if (status != StepStatus::converged && status != solved().status()) {
      remesh = without_operations(before, remesh);
      add_work(attempt->solved->report(), others);
      break;
    }
    rejected = attempt->on.state.rejected;
    add_work(solved().report(), others);
    first.reset();
    last = std::move(attempt);
  }
  StepReport report = commit(std::move(solved()), last ? last->on.state : state);
  if (last) {
    last->solved.reset();
    state = std::move(last->on.state);
    workspace.emplace<StepWorkspace<dim>>(std::move(last->workspace));
    scene = std::move(last->on.scene);
    look_at_scene();
  }
  state.rejected = std::move(rejected);
  add_work(others, report);
  remesh.num_elements = scene->num_elements();
  remesh.num_vertices = static_cast<int>(scene->frames.mesh.vertices.size());
  report.remesh = remesh;
  complete_report<dim>(scene->model, state, of_step, report);
  return report;
}

std::unique_ptr<SceneModel> SteppedScene::apply_meshes(const BodyMeshes& meshes) {
  std::unique_ptr<SceneModel> other = build_adapted_scene(desc, adapting, meshes, *scene->controls);
  return put(std::move(other));
}

std::unique_ptr<SceneModel> SteppedScene::put(std::unique_ptr<SceneModel> other) {
  workspace = std::monostate();
  std::unique_ptr<SceneModel> before = std::exchange(scene, std::move(other));
  look_at_scene();
  return before;
}

void SteppedScene::refine(const AdaptingBodies::Body& body) {
  AdaptedStep refined =
      with_dimension(scene->dim, [&](auto dim) { return clearance::refine<dim>(desc, adapting, body, *scene, state); });
  state = std::move(refined.state);
  put(std::move(refined.scene));
  forces.reset();
}

void SteppedScene::look_at_scene() {
  Issues known;  // issues that are known since the start
  probes = Probes(desc, *scene, known);
  views = views_of(*scene);
  watch = CoarseMotionWatch(scene->model, scene->initial_state.x);
  curved_watch = CurvedSurfaceWatch(desc, *scene);
  rotation_watch = RotationWatch(desc, *scene);
}

Result<Done> SteppedScene::restore(State other) {
  std::unique_ptr<SceneModel> before;
  std::string reason = adapting.misfit(other);
  if (reason.empty()) {
    if (!adapting.is_empty()) before = apply_meshes(other.meshes);
    reason = with_dimension(scene->dim, [&](auto dim) { return misfit<dim>(other); });
  }
  if (!reason.empty()) {
    if (before) put(std::move(before));
    return Issue{"", "", "", "the saved state does not belong to this scene: " + reason};
  }
  state = std::move(other);
  // Probes read efforts before the next step: those of the last one are in the workspace, and in what formulas read.
  workspace = std::monostate();
  std::copy(state.controls.begin(), state.controls.end(), scene->controls->values.begin());
  forces.reset();
  probe_rows.clear();
  if (distances) distances->narrow(state.narrowing, *scene);
  return Done{};
}

std::vector<ContactPair> SteppedScene::contacts() const {
  return with_dimension(scene->dim, [&](auto dim) { return contacts<dim>(); });
}

std::optional<Eigen::Matrix4d> SteppedScene::pose(int body) const {
  return with_dimension(scene->dim, [&](auto dim) { return pose<dim>(body); });
}

std::vector<JointState> SteppedScene::joint_states() const {
  std::vector<JointState> states;
  const Potential* of_joints = joints();
  for (std::size_t j = 0; of_joints != nullptr && j < desc.joints.size(); ++j) {
    states.push_back(scene->joints.state(*of_joints, static_cast<int>(j), state));
  }
  return states;
}

Result<Done> SteppedScene::aim(int body, const std::vector<Vec<3>>& positions) {
  return aim_obstacle(*scene, views[body], positions, state);
}

template <class Add>
Result<Done> SteppedScene::apply(const Add& add) {
  if (!desc.applied_forces) {
    return Issue{"", "applied_forces", "false",
                 "the scene does not say that forces are applied; set its `applied_forces` to true"};
  }
  // Nothing is applied if any of it is wrong.
  VecX applied = scene->controls->applied;
  if (applied.size() == 0) applied = VecX::Zero(scene->model.layout.num_unknowns());
  if (Result<Done> added = add(applied); !added) return added;
  scene->controls->applied = std::move(applied);
  return Done{};
}

Result<Done> SteppedScene::apply_forces(const std::vector<Vec<3>>& of_vertices) {
  return apply([&](VecX& applied) { return add_vertex_forces(*scene, of_vertices, applied); });
}

Result<Done> SteppedScene::apply_wrench(int body, const Vec<3>& force, const Vec<3>& torque) {
  return apply([&](VecX& applied) {
    return with_dimension(scene->dim,
                          [&](auto dim) { return add_wrench<dim>(views[body], state, force, torque, applied); });
  });
}

StepReport SteppedScene::step() {
  StepReport report = with_dimension(scene->dim, [&](auto dim) { return step<dim>(); });
  if (scene->is_axisymmetric) clear_radial_momentum(report.momentum);
  // Forces are applied for one step.
  if (report.is_advanced()) forget_past_of_applied_forces(*scene, state);
  if (report.status != StepStatus::stopped) scene->controls->applied.resize(0);
  return report;
}

std::vector<Vec<3>> SteppedScene::positions() const {
  return per_vertex(*scene, scene->frames.vertex_map.apply(state.x));
}

std::vector<Vec<3>> SteppedScene::velocities() const {
  return per_vertex(*scene, scene->frames.vertex_map.apply_linear(state.v));
}

std::vector<BodyView> SteppedScene::views_of(const SceneModel& scene) {
  std::vector<BodyView> views;
  int num_vertices = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const bool is_last = b + 1 == scene.bodies.size();
    const int end_block = is_last ? scene.model.layout.num_blocks : scene.blocks[b + 1].first;
    const IndexRange vertices = {num_vertices, static_cast<int>(body.mesh.vertices.size())};
    const IndexRange blocks = {scene.blocks[b].first, end_block - scene.blocks[b].first};
    views.push_back({body.name, body.desc, body.kind, body.is_obstacle, vertices, blocks, body.round_shapes});
    for (RoundShape& shape : views.back().round_shapes) {
      for (int& v : shape.vertices) v += vertices.first;
    }
    num_vertices = vertices.end();
  }
  return views;
}

}  // namespace clearance
