#include "clearance/simulation/simulation.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "clearance/base/hash.h"
#include "clearance/io/result/certificate_file.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/simulation/hints/enclosure.h"
#include "clearance/simulation/hints/scene_hints.h"
#include "clearance/simulation/hints/support_hints.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/output/fields.h"
#include "clearance/simulation/output/wave_times.h"
#include "clearance/simulation/output/yielded_error.h"
#include "clearance/simulation/overlaps/separate_overlaps.h"
#include "clearance/simulation/start/preflight.h"
#include "clearance/simulation/stepping/stepped_scene.h"
#include "clearance/simulation/stiffness/load_errors.h"

namespace clearance {

struct Simulation::Impl : SteppedScene {
  Issues issues;          // the warnings without their names
  Separation separation;  // separation without its scene
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Result<Simulation> Simulation::create(const SceneDesc& scene) {
  SceneDesc desc = scene;
  const auto with_units = [&](Issues issues) {
    name_units(unit_system_of(scene), issues);
    return issues;
  };
  Issues of_scene = check_scene(desc);
  if (has_errors(of_scene)) return with_units(std::move(of_scene));
  auto impl = std::make_unique<Impl>();
  if (desc.start.overlaps == OverlapHandling::separate) {
    Result<Separation> separated = separate_overlaps(desc);
    if (!separated) return with_units(separated.issues());
    desc = std::exchange(separated->scene, SceneDesc());
    impl->separation = std::move(*separated);
  }
  if (const Result<Done> started = impl->start(std::move(desc), std::move(of_scene)); !started) {
    Issues problems = started.issues();
    // Bodies inside others are told at once with those that meet, and not after these have been moved apart.
    if (impl->scene) {
      NamedHints enclosed;
      warn_of_enclosed_bodies(impl->desc, *impl->scene, BodySurfaces(*impl->scene), enclosed);
      for (const NamedHint& hint : enclosed) problems.push_back(hint.issue);
    }
    return with_units(std::move(problems));
  }
  if (const UnitSystem& units = unit_system_of(scene); !units.is_si()) {
    for (NamedHint& warning : impl->warnings) warning.issue.message = units.message(warning.issue.message);
  }
  const NamedHints hints = find_scene_hints(impl->desc, *impl->scene, impl->separation.overlaps);
  impl->warnings.insert(impl->warnings.end(), hints.begin(), hints.end());
  impl->issues = issues_of(impl->warnings);
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
  return impl_->issues;
}
const NamedHints& Simulation::named_warnings() const {
  return impl_->warnings;
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
  return impl_->positions();
}
std::vector<Vec<3>> Simulation::velocities() const {
  return impl_->velocities();
}
std::vector<Vec<3>> Simulation::contact_forces() const {
  return vectors_of_vertices(*impl_->scene, impl_->normal_forces());
}
std::vector<ContactPair> Simulation::contacts() const {
  return impl_->contacts();
}
std::optional<Eigen::Matrix4d> Simulation::pose(int body) const {
  return impl_->pose(body);
}
std::vector<JointState> Simulation::joint_states() const {
  return impl_->joint_states();
}
Result<Done> Simulation::aim(int body, const std::vector<Vec<3>>& positions) {
  return impl_->aim(body, positions);
}
Result<Done> Simulation::apply_forces(const std::vector<Vec<3>>& of_vertices) {
  return impl_->apply_forces(of_vertices);
}
Result<Done> Simulation::apply_wrench(int body, const Vec<3>& force, const Vec<3>& torque) {
  return impl_->apply_wrench(body, force, torque);
}
JointStrain Simulation::joint_strain() const {
  const Potential* joints = impl_->joints();
  return joints != nullptr ? impl_->scene->joints.strain(*joints, impl_->state) : JointStrain{};
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
  return impl_->rotation_watch.measure(impl_->state.x);
}

CurvedDistance Simulation::curved_distance() const {
  return impl_->curved_watch.measure(impl_->state.x);
}

std::vector<DiscretisationError> Simulation::discretisation_errors() const {
  if (impl_->desc.time.integrator == TimeIntegrator::quasi_static) {
    return find_discretisation_errors(*impl_->scene, impl_->state);
  }
  const VecX& x = impl_->state.x;
  std::vector<DiscretisationError> errors = estimate_solid_errors(*impl_->scene, x, impl_->state.history);
  append_shell_errors(*impl_->scene, x, impl_->state.time, errors);
  return errors;
}

std::vector<SoftHold> Simulation::soft_holds() const {
  return find_soft_holds(*impl_->scene, impl_->state.x);
}

SceneSummary Simulation::summary() const {
  const SceneModel& scene = *impl_->scene;
  SceneSummary summary;
  summary.dim = scene.dim;
  summary.num_bodies = static_cast<int>(scene.bodies.size());
  for (const BodyInstance& body : scene.bodies) summary.num_obstacles += body.is_obstacle ? 1 : 0;
  summary.num_vertices = static_cast<int>(scene.frames.mesh.vertices.size());
  summary.num_elements = scene.num_elements();
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
  impl_->hooks.on_iteration = on_iteration;
  impl_->hooks.is_stop_wanted = is_stop_wanted;
  StepReport report = impl_->step();
  if (report.status == StepStatus::linear_solve_failed) {
    report.limited_by += free_bodies_text(impl_->desc, *impl_->scene);
  }
  if (const UnitSystem& units = unit_system_of(impl_->desc); !units.is_si()) {
    report.limited_by = units.message(report.limited_by);
  }
  return report;
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
  impl_->hooks.on_ccd_query = std::move(record);
}

CertificateLayout Simulation::certificate_layout() const {
  const SceneModel& scene = *impl_->scene;
  const SurfaceMap& map = scene.frames.vertex_map;
  CertificateLayout layout;
  layout.dim = scene.dim;
  layout.x = impl_->state.x;
  const VecX offsets = map.apply(VecX::Zero(layout.x.size()));
  layout.offsets.assign(map.num_vertices(), Vec<3>::Zero());
  layout.first_term.push_back(0);
  for (int v = 0; v < map.num_vertices(); ++v) {
    for (int c = 0; c < scene.dim; ++c) layout.offsets[v][c] = offsets[scene.dim * v + c];
    for (const SurfaceMap::Term& term : map.terms(v)) layout.terms.push_back({term.block, term.weight});
    layout.first_term.push_back(static_cast<int>(layout.terms.size()));
  }
  std::map<int, int> stiff_of_block;
  for (const StiffBody& body : scene.model.stiff_bodies) {
    stiff_of_block[body.first_block] = static_cast<int>(layout.stiff.size());
    layout.stiff.push_back({body.first_block, body.is_rigid});
  }
  for (const Tie& tie : scene.model.ties) layout.ties.push_back({tie.block, stiff_of_block.at(tie.first_block)});
  return layout;
}

Result<Done> Simulation::restore(State state) {
  return impl_->restore(std::move(state));
}

Result<Done> Simulation::refine(int body) {
  for (const AdaptingBodies::Body& adapting : impl_->adapting.bodies()) {
    if (adapting.body != body) continue;
    impl_->refine(adapting);
    return Done{};
  }
  return Issue{"", "bodies", std::to_string(body), "the body has no elements that adapt (`remesh`)"};
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

std::map<std::string, double> Simulation::wave_times() const {
  return find_wave_times(impl_->desc, *impl_->scene);
}

std::vector<ProbeRow> Simulation::probe_rows() const {
  if (!impl_->probe_rows.empty()) return impl_->probe_rows;
  return {{time(), probe_values()}};
}

Frame Simulation::frame() const {
  const SceneModel& scene = *impl_->scene;
  Frame frame;
  frame.mesh = scene.frames.mesh;
  frame.mesh.vertices = positions();
  frame.velocity = velocities();
  frame.cell_body = scene.frames.cell_body;
  frame.cell_is_obstacle = scene.frames.cell_is_obstacle;
  frame.time = impl_->state.time;
  const OutputDesc& output = impl_->desc.output;
  const bool has_forces = output.contact_forces || needs_forces(output.fields);
  const VecX normal_forces = has_forces ? impl_->normal_forces() : VecX();
  if (output.contact_forces) frame.contact_force = vectors_of_vertices(scene, normal_forces);
  if (!impl_->adapting.is_empty()) {
    std::vector<double> rest;
    for (const Vec<3>& x : scene.frames.mesh.vertices) rest.insert(rest.end(), x.begin(), x.end());
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
  hash.add(impl_->state.x.data(), sizeof(double) * impl_->state.x.size());
  hash.add(impl_->state.v.data(), sizeof(double) * impl_->state.v.size());
  for (const std::vector<double>& numbers : impl_->state.history) {
    hash.add(numbers.data(), sizeof(double) * numbers.size());
  }
  for (const auto& mesh : impl_->state.meshes) {
    hash.add(mesh->mesh.vertices.data(), sizeof(Vec<3>) * mesh->mesh.vertices.size());
    hash.add(mesh->mesh.tets.data(), sizeof(mesh->mesh.tets[0]) * mesh->mesh.tets.size());
    hash.add(mesh->mesh.triangles.data(), sizeof(mesh->mesh.triangles[0]) * mesh->mesh.triangles.size());
  }
  return hash.text();
}

}  // namespace clearance
