#include "clearance/simulation/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "clearance/base/hash.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/math/dimension.h"
#include "clearance/model/feasible_model.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/adapted_step.h"
#include "clearance/simulation/build_scene_model.h"
#include "clearance/simulation/coarse_motion_watch.h"
#include "clearance/simulation/contact_measures.h"
#include "clearance/simulation/curved_surface_watch.h"
#include "clearance/simulation/fields.h"
#include "clearance/simulation/load_bodies.h"
#include "clearance/simulation/motions.h"
#include "clearance/simulation/preflight.h"
#include "clearance/simulation/probes.h"
#include "clearance/simulation/rotation_watch.h"
#include "clearance/simulation/scene_hints.h"
#include "clearance/simulation/support_hints.h"
#include "clearance/solver/advance.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/sparse/external_solver.h"

namespace clearance {

struct Simulation::Impl {
  SceneDesc desc;
  std::unique_ptr<SceneModel> scene;  // on the heap, because workspaces keep the address of the model
  AdaptingBodies adapting;
  std::vector<BodyView> views;
  State state;
  Issues warnings;
  NamedHints named_warnings;
  Separation separation;  // separation without its scene
  double initial_min_distance = infinity;
  Probes probes;
  std::optional<StepForces> forces;  // forces of the last step, if something asks for them
  CoarseMotionWatch watch;
  CoarseMotion coarse;  // largest relative motion in the last step
  CoarseTurn turn;      // largest turn in the last step
  CurvedSurfaceWatch curved_watch;
  RotationWatch rotation_watch;
  std::map<int, ControlValues> control_schedule;
  // Workspace of the scene's dimension; the first step makes it.
  std::variant<std::monostate, StepWorkspace<2>, StepWorkspace<3>> workspace;

  /// Returns the force of the barriers on each surface vertex [N], flat, at the current positions and with the
  /// stiffness of the last step.
  VecX normal_forces() const {
    if (forces) return forces->normal;
    return with_dimension(scene->dim, [&](auto dim) { return contact_forces<dim>(); });
  }
  /// Calls visit(potential, set, x_surface) with the contacts at the current positions.
  template <int dim, class Visit>
  void visit_contacts(const Visit& visit) const {
    const VecX x = scene->model.surface_map.apply(state.x);
    const auto formulation = make_contact_model<dim>(scene->model, scene->options.barrier, scene->options.formulation);
    const ContactModel<dim>& contacts = *formulation;
    const auto broad_phase = make_broad_phase(dim, scene->model.surface);
    const ContactSet set = contacts.build(x, contacts.find_candidates(*broad_phase, x, x));
    visit(ContactPotential<dim>(scene->model, contacts), set, x);
  }
  template <int dim>
  VecX contact_forces() const {
    VecX pushed = VecX::Zero(dim * scene->model.surface.num_vertices);
    if (!scene->options.has_contact || state.kappa == 0.0) return pushed;
    visit_contacts<dim>([&](const ContactPotential<dim>& potential, const ContactSet& set, const VecX& x) {
      pushed = potential.vertex_forces(set, x, state.kappa);
    });
    return pushed;
  }
  template <int dim>
  std::vector<ContactPair> contacts() const {
    std::vector<ContactPair> pairs;
    if (!scene->options.has_contact) return pairs;
    visit_contacts<dim>([&](const ContactPotential<dim>& potential, const ContactSet& set, const VecX& x) {
      for (const Contact& contact : set.contacts) pairs.push_back(pair_of<dim>(contact, x));
      potential.visit_forces(set, x, state.kappa, [&](const Contact& contact, int vertex, const Vec<dim>& force) {
        const int* end_of_first = contact.vertices.data() + num_first(contact);
        if (std::find(contact.vertices.data(), end_of_first, vertex) == end_of_first) return;
        pairs[static_cast<std::size_t>(&contact - set.contacts.data())].force.template head<dim>() += force;
      });
    });
    return pairs;
  }
  /// Returns the pair of a contact, without its force.
  template <int dim>
  ContactPair pair_of(const Contact& contact, const VecX& x) const {
    const ContactGap<dim> gap = compute_contact_gap<dim>(scene->model, contact, positions_of<dim>(contact, x));
    ContactPair pair;
    pair.bodies = bodies_of(scene->model.surface, contact);
    pair.num_first = num_first(contact);
    pair.distance = gap.distance;
    pair.normal.template head<dim>() = gap.normal;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contact.num_vertices()); ++i) {
      pair.vertices[i] = scene->vertex_of_surface[static_cast<std::size_t>(contact.vertices[i])];
    }
    return pair;
  }
  template <int dim>
  std::optional<Eigen::Matrix4d> pose(int body) const {
    const BodyView& view = views[static_cast<std::size_t>(body)];
    if (!is_stiff(view.kind)) return std::nullopt;
    // Centre of mass and the columns of the map, which are multiplied by `radius`.
    const auto frame = [&](const VecX& x) {
      Eigen::Matrix<double, dim, dim + 1> columns;
      for (int c = 0; c <= dim; ++c) columns.col(c) = block<dim>(x, view.blocks.first + c);
      return columns;
    };
    const Eigen::Matrix<double, dim, dim + 1> start = frame(scene->initial_state.x), now = frame(state.x);
    const Eigen::Matrix<double, dim, dim> map =
        now.template rightCols<dim>() * start.template rightCols<dim>().inverse();
    Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
    pose.topLeftCorner<dim, dim>() = map;
    pose.topRightCorner<dim, 1>() = now.col(0) - map * start.col(0);
    return pose;
  }

  /// Returns the index of a control; nothing if there is no such control.
  std::optional<Eigen::Index> index_of_control(const std::string& name) const {
    const std::vector<std::string>& names = scene->controls->names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return found - names.begin();
  }
  Issue unknown_control(const std::string& name) const {
    const std::string known = fmt::format("{}", fmt::join(scene->controls->names, ", "));
    return {"", "controls", '"' + name + '"', known.empty() ? "the scene has no controls" : "known are " + known};
  }
  /// Sets the controls of the step that begins.
  void take_controls() {
    if (const auto found = control_schedule.find(state.step + 1); found != control_schedule.end()) {
      for (const auto& [name, value] : found->second) state.controls[*index_of_control(name)] = value;
    }
    std::copy(state.controls.begin(), state.controls.end(), scene->controls->values.begin());
  }

  /// Returns why a state cannot be one of this scene; empty if it can. Steps rely on a valid start.
  template <int dim>
  std::string misfit(const State& other) const {
    const State& initial = scene->initial_state;
    const Model& model = scene->model;
    const auto fits = [&](const VecX& v) { return v.size() == initial.x.size() && v.allFinite(); };
    const auto fits_or_empty = [&](const VecX& v) { return v.size() == 0 || fits(v); };
    const auto num_blocks = static_cast<std::size_t>(model.layout.num_blocks);
    const auto num_stored = static_cast<Eigen::Index>(model.potentials.size()) + 1;
    if (!fits(other.x) || !fits(other.v) || !fits(other.a) || !fits(other.x_anchor) || !fits_or_empty(other.x_prev) ||
        !fits_or_empty(other.v_prev) || other.controls.size() != initial.controls.size() ||
        !other.controls.allFinite() || (!other.has_history.empty() && other.has_history.size() != num_blocks) ||
        (other.stored.size() > 0 && other.stored.size() != num_stored) ||
        other.released.size() != initial.released.size() ||
        (!other.turns.empty() && other.turns.size() != desc.joints.size()) || !(other.step >= 0) ||
        !std::isfinite(other.time) || !(other.kappa >= 0.0)) {
      return "it has other bodies";
    }
    for (const StiffBody& body : model.stiff_bodies) {
      Eigen::Matrix<double, dim, dim> map;
      for (int c = 0; c < dim; ++c) map.col(c) = block<dim>(other.x, body.first_block + 1 + c) / body.radius;
      const double strain = (map.transpose() * map - Eigen::Matrix<double, dim, dim>::Identity()).norm();
      if (!(map.determinant() > 0.0) || (body.is_rigid && !(strain < 1e-9))) return "a stiff body is no longer rigid";
    }
    if (!are_feasible(model, other, other.x)) return "elements are inverted, or joints beyond their limits";
    if (!scene->options.has_contact) return "";
    std::string hit;
    const auto broad_phase = make_broad_phase(dim, model.surface);
    is_intersection_free<dim>(model, model.surface_map.apply(other.x), *broad_phase, &hit);
    return hit;
  }

  /// Returns the potential of the joints as it was in the last step; null if there are none.
  const Potential* joints() const {
    if (!scene->joint_potential) return nullptr;
    if (const auto* of_2d = std::get_if<StepWorkspace<2>>(&workspace))
      return &of_2d->potential(*scene->joint_potential);
    if (const auto* of_3d = std::get_if<StepWorkspace<3>>(&workspace))
      return &of_3d->potential(*scene->joint_potential);
    return scene->model.potentials[*scene->joint_potential].get();
  }
  template <int dim>
  StepReport step(const IterationCallback& on_iteration) {
    if (std::holds_alternative<std::monostate>(workspace)) {
      workspace.emplace<StepWorkspace<dim>>(scene->model, scene->options);
    }
    take_controls();
    const Result<PrescribedTargets> targets = find_targets(*scene, state);
    if (!targets) {
      StepReport report;
      report.status = StepStatus::undefined_input;
      report.limited_by = to_string(targets.issues().front());
      return report;
    }
    if (scene->options.has_contact && scene->options.integrator.method != TimeIntegrator::quasi_static) {
      coarse = watch.look(scene->model, state, scene->options.integrator.h);
    }
    const VecX x_t0 = scene->model.stiff_bodies.empty() ? VecX() : state.x;
    StepReport report = adapting.is_empty() ? advance<dim>(scene->model, scene->options, targets.value(), state,
                                                           std::get<StepWorkspace<dim>>(workspace), on_iteration)
                                            : advance_adapting<dim>(targets.value(), on_iteration);
    if (report.is_advanced()) forces = report.forces;
    turn =
        x_t0.size() == state.x.size() && x_t0.size() > 0 ? find_coarse_turn(scene->model, x_t0, state.x) : CoarseTurn{};
    if (report.status == StepStatus::linear_solve_failed) report.limited_by += free_bodies_text(desc, *scene);
    return report;
  }

  /// A step on new elements, with everything that it is solved with.
  template <int dim>
  struct Attempt {
    AdaptedStep on;
    PrescribedTargets targets;
    StepWorkspace<dim> workspace;
    std::optional<SolvedStep<dim>> solved;
  };

  /// Advances a step whose elements adapt: the elements adapt to the solution on the current elements, and the step is
  /// solved again on the new ones [Fer23, alg. 6.1]. A solution exists at any time: if the solve on the new elements
  /// fails, the old ones stay.
  template <int dim>
  StepReport advance_adapting(const PrescribedTargets& targets, const IterationCallback& on_iteration) {
    const Stopwatch of_step;
    RemeshReport remesh;
    std::optional<SolvedStep<dim>> first(solve<dim>(scene->model, scene->options, targets, state,
                                                    std::get<StepWorkspace<dim>>(workspace), on_iteration));
    std::unique_ptr<Attempt<dim>> last;
    const auto solved = [&]() -> SolvedStep<dim>& { return last ? *last->solved : *first; };
    StepReport others;                                         // work of the other solves of the step
    std::vector<RejectedOperation> rejected = state.rejected;  // rejected operations on the current elements
    for (int round = 0; round < adapting.num_rounds() && is_settled(solved().report().status); ++round) {
      const SceneModel& on = last ? *last->on.scene : *scene;
      const State& from = last ? last->on.state : state;
      const Stopwatch of_round;
      const RemeshReport before = remesh;
      std::optional<AdaptedStep> adapted;
      // A step that is stopped is repeated as a whole later, so that its partial results are dropped.
      try {
        StopScope scope(scene->options.is_stop_wanted);
        adapted = adapt<dim>(desc, adapting, on, scene->options, last ? last->targets : targets, from, solved().x(),
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
                                              attempt->on.state, attempt->workspace, on_iteration));
      if (attempt->solved->report().status == StepStatus::stopped) return stopped_step();
      // Friction that does not converge on the new elements is no reason to reject them if it does not converge on the
      // old ones either.
      const StepStatus status = attempt->solved->report().status;
      if (status != StepStatus::converged && status != solved().report().status) {
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
    remesh.num_elements = scene->num_elements;
    remesh.num_vertices = static_cast<int>(scene->frame_mesh.vertices.size());
    report.remesh = remesh;
    complete_report<dim>(scene->model, state, of_step, report);
    return report;
  }

  /// Returns true if the forces balance with the friction that was lagged last.
  static bool is_settled(StepStatus status) {
    return status == StepStatus::converged || status == StepStatus::friction_lag_limit;
  }

  static StepReport stopped_step() {
    StepReport report;
    report.status = StepStatus::stopped;
    return report;
  }

  /// Returns the report with the operations of a failed round counted as rejected.
  static RemeshReport without_operations(const RemeshReport& before, const RemeshReport& after) {
    RemeshReport report = before;
    report.num_rejected = after.num_rejected + after.num_splits - before.num_splits + after.num_collapses -
                          before.num_collapses + after.num_swaps - before.num_swaps + after.num_smoothings -
                          before.num_smoothings;
    report.num_unsafe = after.num_unsafe;
    report.seconds = after.seconds;
    return report;
  }

  /// Replaces the scene by one on other elements. Returns the old scene.
  std::unique_ptr<SceneModel> put_on(const BodyMeshes& meshes) {
    std::unique_ptr<SceneModel> other = build_adapted_scene(desc, adapting, meshes, *scene->controls);
    other->options.keeps_forces = scene->options.keeps_forces;
    other->options.on_ccd_query = scene->options.on_ccd_query;
    return put(std::move(other));
  }
  std::unique_ptr<SceneModel> put(std::unique_ptr<SceneModel> other) {
    workspace = std::monostate();
    std::unique_ptr<SceneModel> before = std::exchange(scene, std::move(other));
    look_at_scene();
    return before;
  }

  template <int dim>
  void refine(const AdaptingBodies::Body& body) {
    AdaptedStep refined = clearance::refine<dim>(desc, adapting, body, *scene, state);
    state = std::move(refined.state);
    put(std::move(refined.scene));
    forces.reset();
  }

  /// Updates everything that depends on the scene alone.
  void look_at_scene() {
    Issues known;  // issues that are known since the start
    probes = Probes(desc, *scene, known);
    views = views_of(*scene);
    watch = CoarseMotionWatch(scene->model, scene->initial_state.x);
    curved_watch = CurvedSurfaceWatch(desc, *scene);
    rotation_watch = RotationWatch(desc, *scene);
  }

  static std::vector<BodyView> views_of(const SceneModel& scene);
};

std::vector<BodyView> Simulation::Impl::views_of(const SceneModel& scene) {
  std::vector<BodyView> views;
  int num_vertices = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const bool is_last = b + 1 == scene.bodies.size();
    const int end_block = is_last ? scene.model.layout.num_blocks : scene.blocks[b + 1].first;
    const IndexRange vertices = {num_vertices, static_cast<int>(body.mesh.vertices.size())};
    const IndexRange blocks = {scene.blocks[b].first, end_block - scene.blocks[b].first};
    views.push_back({body.name, body.desc, body.kind, body.is_obstacle, vertices, blocks});
    num_vertices = vertices.end();
  }
  return views;
}

namespace {

/// Returns a vector per vertex, from the numbers of all vertices, flat.
std::vector<Vec<3>> per_vertex(const SceneModel& scene, const VecX& flat) {
  std::vector<Vec<3>> vectors(scene.frame_mesh.vertices.size(), Vec<3>::Zero());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    vectors[i].head(scene.dim) = flat.segment(scene.dim * static_cast<Eigen::Index>(i), scene.dim);
  }
  return vectors;
}

}  // namespace

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Result<Simulation> Simulation::create(const SceneDesc& scene) {
  auto impl = std::make_unique<Impl>();
  impl->desc = scene;
  SceneDesc& desc = impl->desc;
  name_bodies(desc);
  Issues of_scene = validate(desc);
  if (desc.solver.linear_solver == LinearSolverChoice::petsc && petsc_provider() == nullptr) {
    of_scene.push_back({"", "solver.linear_solver", "\"petsc\"",
                        "needs another program, which is built where PETSc is installed: mpirun -n N clearance-mpi run "
                        "SCENE (docs/huge_scenes.md)"});
  }
  if (has_errors(of_scene)) return of_scene;
  if (desc.start.overlaps == OverlapHandling::separate) {
    Result<Separation> separated = separate_overlaps(desc);
    if (!separated) return separated.issues();
    desc = std::exchange(separated->scene, SceneDesc());
    impl->separation = std::move(*separated);
  }
  Result<LoadedBodies> bodies = load_bodies(desc);
  if (!bodies) return bodies.issues();
  impl->warnings = std::move(of_scene);
  impl->warnings.insert(impl->warnings.end(), bodies->warnings.begin(), bodies->warnings.end());
  if (desc.contact.separate_curved) {
    const double of_curved = separation_of_curved(desc, bodies->instances);
    if (!(of_curved > 0.0)) {
      impl->warnings.push_back({"", "contact.separate_curved", "true",
                                "no body has curved elements whose boundary is cut into flat pieces: no effect",
                                Severity::warning});
    }
    desc.contact.min_separation = std::max(desc.contact.min_separation, of_curved);
  }
  impl->scene = std::make_unique<SceneModel>(build_scene_model(desc, std::move(bodies->instances)));
  PreflightReport preflight = check_initial_state(desc, *impl->scene);
  Issues problems = std::move(preflight.issues);
  for (const Issue& issue : impl->scene->issues) {
    (issue.severity == Severity::warning ? impl->warnings : problems).push_back(issue);
  }
  const Issues& empty = impl->scene->empty_regions;
  impl->warnings.insert(impl->warnings.end(), empty.begin(), empty.end());
  impl->probes = Probes(desc, *impl->scene, problems);
  impl->scene->options.keeps_forces = impl->probes.needs_forces() || needs_forces(desc.output.fields);
  if (!has_errors(problems)) impl->adapting = AdaptingBodies(desc, *impl->scene);
  if (has_errors(problems)) {
    // A warning about a mesh may explain why the scene cannot start.
    problems.insert(problems.end(), impl->warnings.begin(), impl->warnings.end());
    return problems;
  }
  SceneHints hints = find_scene_hints(desc, *impl->scene, impl->separation.overlaps);
  for (const Issues& issues : {hints.issues, problems}) {
    impl->warnings.insert(impl->warnings.end(), issues.begin(), issues.end());
  }
  impl->named_warnings = std::move(hints.named);
  log_contact_moduli(desc, *impl->scene);
  impl->views = Impl::views_of(*impl->scene);
  impl->initial_min_distance = preflight.min_distance;
  impl->state = impl->scene->initial_state;
  impl->watch = CoarseMotionWatch(impl->scene->model, impl->state.x);
  impl->curved_watch = CurvedSurfaceWatch(desc, *impl->scene);
  impl->rotation_watch = RotationWatch(desc, *impl->scene);
  return Simulation(std::move(impl));
}

Mesh find_meeting_primitives(const SceneDesc& scene) {
  if (has_errors(validate(scene))) return {};
  Result<LoadedBodies> bodies = load_bodies(scene);
  if (!bodies) return {};
  return check_initial_state(scene, build_scene_model(scene, std::move(bodies->instances))).offending;
}

const SceneDesc& Simulation::scene() const {
  return impl_->desc;
}
std::vector<BodyFacts> Simulation::body_facts() const {
  return collect_body_facts(*impl_->scene);
}
const Issues& Simulation::warnings() const {
  return impl_->warnings;
}
const NamedHints& Simulation::named_warnings() const {
  return impl_->named_warnings;
}
const Separation& Simulation::separation() const {
  return impl_->separation;
}
const Issues& Simulation::empty_regions() const {
  return impl_->scene->empty_regions;
}
const std::vector<BodyView>& Simulation::bodies() const {
  return impl_->views;
}
const State& Simulation::state() const {
  return impl_->state;
}
int Simulation::num_steps_done() const {
  return impl_->state.step;
}
double Simulation::time() const {
  return impl_->state.time;
}
const VecX& Simulation::unknowns() const {
  return impl_->state.x;
}
std::vector<Vec<3>> Simulation::positions() const {
  return per_vertex(*impl_->scene, impl_->scene->vertex_map.apply(impl_->state.x));
}
std::vector<Vec<3>> Simulation::velocities() const {
  return per_vertex(*impl_->scene, impl_->scene->vertex_map.apply_linear(impl_->state.v));
}
std::vector<Vec<3>> Simulation::contact_forces() const {
  return vectors_of_vertices(*impl_->scene, impl_->normal_forces());
}
std::vector<ContactPair> Simulation::contacts() const {
  return with_dimension(impl_->scene->dim, [&](auto dim) { return impl_->contacts<dim>(); });
}
std::optional<Eigen::Matrix4d> Simulation::pose(int body) const {
  return with_dimension(impl_->scene->dim, [&](auto dim) { return impl_->pose<dim>(body); });
}
JointStrain Simulation::joint_strain() const {
  const Potential* joints = impl_->joints();
  return joints != nullptr ? impl_->scene->joint_strain(*joints, impl_->state) : JointStrain{};
}

const CoarseMotion& Simulation::coarse_motion() const {
  return impl_->coarse;
}

const CoarseTurn& Simulation::coarse_turn() const {
  return impl_->turn;
}

StiffStrain Simulation::stiff_strain() const {
  return with_dimension(impl_->scene->dim,
                        [&](auto dim) { return find_stiff_strain<dim>(impl_->scene->model, impl_->state.x); });
}

LargeRotation Simulation::large_rotation() const {
  return impl_->rotation_watch.look(impl_->state.x);
}

CurvedDistance Simulation::curved_distance() const {
  return impl_->curved_watch.look(impl_->state.x);
}

SceneSummary Simulation::summary() const {
  const SceneModel& scene = *impl_->scene;
  SceneSummary summary;
  summary.dim = scene.dim;
  summary.num_bodies = static_cast<int>(scene.bodies.size());
  for (const BodyInstance& body : scene.bodies) summary.num_obstacles += body.is_obstacle ? 1 : 0;
  summary.num_vertices = static_cast<int>(scene.frame_mesh.vertices.size());
  summary.num_elements = scene.num_elements;
  summary.num_surface_triangles = static_cast<int>(scene.model.surface.triangles.size());
  summary.num_surface_edges = static_cast<int>(scene.model.surface.edges.size());
  summary.num_steps = num_steps(impl_->desc.time);
  summary.bbox_diagonal = scene.model.bbox_diagonal;
  summary.dhat = scene.options.barrier.dhat;
  summary.tolerance = scene.options.tolerance;
  summary.min_distance = impl_->initial_min_distance;
  return summary;
}

StepReport Simulation::step(const std::function<void(int, double)>& on_iteration,
                            const std::function<bool()>& is_stop_wanted) {
  impl_->scene->options.is_stop_wanted = is_stop_wanted;
  return with_dimension(impl_->scene->dim, [&](auto dim) { return impl_->step<dim>(on_iteration); });
}

ControlValues Simulation::controls() const {
  ControlValues values;
  for (std::size_t k = 0; k < impl_->scene->controls->names.size(); ++k) {
    values.emplace_back(impl_->scene->controls->names[k], impl_->state.controls[static_cast<Eigen::Index>(k)]);
  }
  return values;
}

Result<Done> Simulation::set_control(const std::string& name, double value) {
  const std::optional<Eigen::Index> index = impl_->index_of_control(name);
  if (!index) return impl_->unknown_control(name);
  if (!std::isfinite(value)) return Issue{"", "controls." + name, fmt::format("{}", value), "expected a finite number"};
  impl_->control_schedule.clear();
  impl_->state.controls[*index] = value;
  return Done{};
}

Result<Done> Simulation::schedule_controls(std::map<int, ControlValues> schedule) {
  Issues issues;
  for (const auto& [step, values] : schedule) {
    for (const auto& [name, value] : values) {
      if (!impl_->index_of_control(name)) issues.push_back(impl_->unknown_control(name));
    }
    if (!issues.empty()) return issues;
  }
  impl_->control_schedule = std::move(schedule);
  return Done{};
}

void Simulation::record_ccd(std::function<void(const CcdQuery&)> record) {
  impl_->scene->options.on_ccd_query = std::move(record);
}

Result<Done> Simulation::restore(State state) {
  std::unique_ptr<SceneModel> before;
  std::string misfit = impl_->adapting.misfit(state);
  if (misfit.empty()) {
    if (!impl_->adapting.is_empty()) before = impl_->put_on(state.meshes);
    misfit = with_dimension(impl_->scene->dim, [&](auto dim) { return impl_->misfit<dim>(state); });
  }
  if (!misfit.empty()) {
    if (before) impl_->put(std::move(before));
    return Issue{"", "", "", "the saved state does not belong to this scene: " + misfit};
  }
  impl_->state = std::move(state);
  impl_->forces.reset();
  return Done{};
}

Result<Done> Simulation::refine(int body) {
  for (const AdaptingBodies::Body& adapting : impl_->adapting.bodies()) {
    if (adapting.body != body) continue;
    with_dimension(impl_->scene->dim, [&](auto dim) { impl_->refine<dim>(adapting); });
    return Done{};
  }
  return Issue{"", "bodies", std::to_string(body), "no such body has elements that adapt (`remesh`)"};
}

const std::vector<std::string>& Simulation::probe_columns() const {
  return impl_->probes.columns();
}
std::vector<double> Simulation::probe_values() const {
  // Forces are known after a step; they are unknown in a state that was restored.
  if (impl_->probes.needs_forces() && !impl_->forces) {
    return impl_->probes.values_at_start(impl_->state, impl_->joints());
  }
  static const StepForces none;
  return impl_->probes.values({impl_->state, impl_->forces ? *impl_->forces : none, impl_->joints()});
}

Frame Simulation::frame() const {
  const SceneModel& scene = *impl_->scene;
  Frame frame;
  frame.mesh = scene.frame_mesh;
  frame.mesh.vertices = positions();
  frame.velocity = velocities();
  frame.cell_body = scene.cell_body;
  frame.cell_is_obstacle = scene.cell_is_obstacle;
  frame.time = impl_->state.time;
  const OutputDesc& output = impl_->desc.output;
  const bool has_forces = output.contact_forces || needs_forces(output.fields);
  const VecX normal_forces = has_forces ? impl_->normal_forces() : VecX();
  if (output.contact_forces) frame.contact_force = vectors_of_vertices(scene, normal_forces);
  if (!impl_->adapting.is_empty()) {
    std::vector<double> rest;
    for (const Vec<3>& x : scene.frame_mesh.vertices) rest.insert(rest.end(), x.begin(), x.end());
    frame.point_arrays.push_back({"rest_position", 3, std::move(rest)});
  }
  FieldSource source{impl_->state, normal_forces, VecX()};
  if (impl_->forces) source.friction_forces = impl_->forces->friction;
  // Friction forces are zero before the first step.
  if (impl_->state.step == 0) source.friction_forces = VecX::Zero(normal_forces.size());
  add_fields(scene, output.fields, source, frame);
  return frame;
}

std::string Simulation::state_hash() const {
  Hash hash;
  hash.add(impl_->state.x.data(), sizeof(double) * static_cast<std::size_t>(impl_->state.x.size()));
  hash.add(impl_->state.v.data(), sizeof(double) * static_cast<std::size_t>(impl_->state.v.size()));
  for (const auto& mesh : impl_->state.meshes) {
    hash.add(mesh->mesh.vertices.data(), sizeof(Vec<3>) * mesh->mesh.vertices.size());
    hash.add(mesh->mesh.tets.data(), sizeof(mesh->mesh.tets[0]) * mesh->mesh.tets.size());
    hash.add(mesh->mesh.triangles.data(), sizeof(mesh->mesh.triangles[0]) * mesh->mesh.triangles.size());
  }
  return hash.text();
}

}  // namespace clearance
