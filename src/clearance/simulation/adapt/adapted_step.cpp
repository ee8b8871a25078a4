#include "clearance/simulation/adapt/adapted_step.h"

#include <algorithm>
#include <cmath>

#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/model/blocks.h"
#include "clearance/model/feasible_model.h"
#include "clearance/remesh/cell_errors.h"
#include "clearance/remesh/field_projection.h"
#include "clearance/remesh/safe_projection.h"
#include "clearance/simulation/adapt/move_history.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/solver/objective_terms.h"

namespace clearance {

namespace {

/// Nodes of a body on its new elements.
template <int dim>
struct NewNodes {
  int body = 0;
  std::vector<NodeFields<dim>> fields;  ///< per vertex
  std::vector<int> old_vertex;          ///< number before per vertex; -1 if the vertex is new
};

template <int dim>
const NewNodes<dim>* find(const std::vector<NewNodes<dim>>& nodes, std::size_t body) {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const auto& of_body) { return of_body.body == static_cast<int>(body); });
  return found != nodes.end() ? &*found : nullptr;
}

/// Map from the vertices of a body's mesh to surface vertices, and back.
class SurfaceNumbers {
 public:
  explicit SurfaceNumbers(const SceneModel& scene) : surface_of_(scene.frames.mesh.vertices.size(), -1), scene_(scene) {
    int first = 0;
    for (const BodyInstance& body : scene.bodies) {
      first_.push_back(first);
      first += static_cast<int>(body.mesh.vertices.size());
    }
    for (std::size_t s = 0; s < scene.vertex_of_surface.size(); ++s) {
      const int v = scene.vertex_of_surface[s];
      if (v >= 0) surface_of_[v] = static_cast<int>(s);
    }
  }
  int body_of(int surface_vertex) const { return scene_.model.surface.vertex_body[surface_vertex]; }
  /// Returns the number of a surface vertex in the mesh of its body.
  int vertex_of(int surface_vertex) const {
    return scene_.vertex_of_surface[surface_vertex] - first_[body_of(surface_vertex)];
  }
  /// Returns the surface vertex of a vertex of a body; -1 if it is not on the surface.
  int surface_vertex(int body, int vertex) const { return surface_of_[first_[body] + vertex]; }

 private:
  std::vector<int> surface_of_;
  std::vector<int> first_;  // per body: its first vertex in frames
  const SceneModel& scene_;
};

/// Numbers of the vertices of each body after the change of its elements; -1 where a vertex is gone.
template <int dim>
std::vector<std::vector<int>> new_vertex_numbers(const SceneModel& from, const std::vector<NewNodes<dim>>& nodes) {
  std::vector<std::vector<int>> new_number(from.bodies.size());
  for (std::size_t b = 0; b < from.bodies.size(); ++b) {
    std::vector<int>& numbers = new_number[b];
    numbers.assign(from.bodies[b].mesh.vertices.size(), -1);
    const NewNodes<dim>* adapted = find(nodes, b);
    for (std::size_t v = 0; v < (adapted ? adapted->old_vertex.size() : numbers.size()); ++v) {
      const int old = adapted ? adapted->old_vertex[v] : static_cast<int>(v);
      if (old >= 0) numbers[old] = static_cast<int>(v);
    }
  }
  return new_number;
}

std::vector<std::vector<int>> surface_neighbours(const SurfaceTopology& surface) {
  std::vector<std::vector<int>> neighbours(surface.num_vertices);
  for (const auto& [a, b] : surface.edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  return neighbours;
}

/// Elastic sliding of a vertex on each of its partners, in ascending order.
using StickOfPartners = std::vector<std::pair<int, Vec<3>>>;

/// Computes the mean over the vertices `around` that stick to a partner, for each partner.
StickOfPartners mean_stick(const std::vector<StickOfPartners>& field, const std::vector<int>& around) {
  std::vector<std::pair<int, std::pair<Vec<3>, int>>> sums;
  for (const int n : around) {
    for (const auto& [partner, displacement] : field[n]) {
      auto sum = std::find_if(sums.begin(), sums.end(), [&](const auto& other) { return other.first == partner; });
      if (sum == sums.end()) sum = sums.insert(sum, {partner, {Vec<3>::Zero(), 0}});
      sum->second.first += displacement;
      ++sum->second.second;
    }
  }
  std::sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  StickOfPartners means;
  for (const auto& [partner, sum] : sums) means.emplace_back(partner, sum.first / sum.second);
  return means;
}

/// Moves elastic sliding, a field on vertices, to the new surface. New vertices get the mean of their neighbours.
template <int dim>
std::vector<StickVertex> move_stick(const std::vector<StickVertex>& before, const SceneModel& from,
                                    const SceneModel& to, const std::vector<NewNodes<dim>>& nodes) {
  if (before.empty()) return {};
  const SurfaceNumbers old_numbers(from), new_numbers(to);
  std::vector<StickOfPartners> field(to.model.surface.num_vertices);
  const std::vector<std::vector<int>> new_number = new_vertex_numbers(from, nodes);
  for (const StickVertex& stick : before) {
    const int body = old_numbers.body_of(stick.vertex);
    const int vertex = new_number[body][old_numbers.vertex_of(stick.vertex)];
    const int surface_vertex = vertex >= 0 ? new_numbers.surface_vertex(body, vertex) : -1;
    if (surface_vertex >= 0) field[surface_vertex].emplace_back(stick.partner, stick.displacement);
  }
  const SurfaceTopology& surface = to.model.surface;
  const std::vector<std::vector<int>> neighbours = surface_neighbours(surface);
  for (int s = 0; s < surface.num_vertices; ++s) {
    const NewNodes<dim>* adapted = find(nodes, surface.vertex_body[s]);
    if (!adapted || adapted->old_vertex[new_numbers.vertex_of(s)] >= 0) continue;
    field[s] = mean_stick(field, neighbours[s]);
  }
  std::vector<StickVertex> after;
  for (std::size_t s = 0; s < field.size(); ++s) {
    for (const auto& [partner, displacement] : field[s]) after.push_back({static_cast<int>(s), partner, displacement});
  }
  return after;
}

/// Moves a vector from the blocks of one scene to those of another. `of_node` returns the values of the nodes on new
/// elements.
template <int dim, class OfNode>
VecX move_vector(const VecX& x, const SceneModel& from, const SceneModel& to, const std::vector<NewNodes<dim>>& nodes,
                 const OfNode& of_node) {
  if (x.size() == 0) return {};
  VecX moved(to.model.layout.num_unknowns());
  for (std::size_t b = 0; b < to.bodies.size(); ++b) {
    const auto end = [&](const SceneModel& scene) {
      return b + 1 < scene.blocks.size() ? scene.blocks[b + 1].first : scene.model.layout.num_blocks;
    };
    const NewNodes<dim>* adapted = find(nodes, b);
    // Blocks of stiff parts follow those of the nodes and stay as they are.
    const int num_new = adapted ? static_cast<int>(adapted->fields.size()) : 0;
    const int num_old = adapted ? static_cast<int>(from.bodies[b].mesh.vertices.size()) : 0;
    const int count = end(to) - to.blocks[b].first - num_new;
    for (int v = 0; v < num_new; ++v) {
      block<dim>(moved, to.blocks[b].first + v) = of_node(adapted->fields[v]);
    }
    moved.segment(dim * (to.blocks[b].first + num_new), dim * count) =
        x.segment(dim * (from.blocks[b].first + num_old), dim * count);
  }
  return moved;
}

/// Computes the energy of the barriers [J] at the positions of a state, with its stiffness.
template <int dim>
double barrier_energy(const SceneModel& scene, const State& state) {
  if (!scene.options.has_contact || state.kappa == 0.0) return 0.0;
  const VecX x = scene.model.surface_map.apply(state.x);
  const auto contact_model = make_contact_model<dim>(scene.model, scene.options.barrier);
  const auto broad_phase = make_broad_phase(dim, scene.model.surface);
  const ContactSet set = contact_model->build(x, contact_model->find_candidates(*broad_phase, x, x));
  return state.kappa * ContactPotential<dim>(scene.model, *contact_model).energy(set, x).value();
}

double elastic_energy(const SceneModel& scene, const State& state) {
  double sum = 0.0;
  for (std::size_t k = 0; k < scene.model.potentials.size(); ++k) {
    if (!scene.model.potentials[k]->is_elastic()) continue;
    sum += potential_at(scene.model, state, k)->energy(state.x).value();
  }
  return sum;
}

/// Computes the momentum [kg m/s], and the angular momentum [kg m^2/s] about the origin.
std::array<Vec<3>, 2> momenta(const Model& model, const State& state) {
  const int dim = model.layout.dim;
  const VecX p = mass_times(model, state.v);
  std::array<Vec<3>, 2> sums = {Vec<3>::Zero(), Vec<3>::Zero()};
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    Vec<3> at = Vec<3>::Zero(), of_block = Vec<3>::Zero();
    at.head(dim) = state.x.segment(dim * b, dim);
    of_block.head(dim) = p.segment(dim * b, dim);
    sums[0] += of_block;
    sums[1] += cross_product(at, of_block);
  }
  return sums;
}

/// Moves the stored energies, which the energy accounts of the next step begin with, to the new elements.
template <int dim>
void move_stored(const SceneModel& from, const State& before, const SceneModel& to, State& after) {
  if (before.stored.size() == 0) return;
  for (std::size_t k = 0; k < to.model.potentials.size(); ++k) {
    if (!to.model.potentials[k]->is_elastic()) continue;
    after.stored[static_cast<Eigen::Index>(k)] += potential_at(to.model, after, k)->energy(after.x).value() -
                                                  potential_at(from.model, before, k)->energy(before.x).value();
  }
  after.stored[after.stored.size() - 1] += barrier_energy<dim>(to, after) - barrier_energy<dim>(from, before);
}

/// Moves the marks of the blocks from whose last step the integrator may extrapolate. A body has a mark as a whole or
/// not at all.
void move_extrapolation(const SceneModel& from, const State& before, const SceneModel& to, State& after) {
  if (before.has_history.empty()) return;
  after.has_history.clear();
  for (std::size_t b = 0; b < to.bodies.size(); ++b) {
    const int end = b + 1 < to.blocks.size() ? to.blocks[b + 1].first : to.model.layout.num_blocks;
    const char has_history = to.blocks[b].first < end ? before.has_history[from.blocks[b].first] : 0;
    after.has_history.resize(end, has_history);
  }
}

template <int dim>
State move_state(const SceneModel& from, const State& before, const SceneModel& to,
                 const std::vector<NewNodes<dim>>& nodes, BodyMeshes meshes) {
  State after = before;
  using Fields = NodeFields<dim>;
  const auto move = [&](const VecX& x, Vec<dim> Fields::*member) {
    return move_vector<dim>(x, from, to, nodes, [&](const Fields& fields) { return fields.*member; });
  };
  after.x = move(before.x, &Fields::x0);
  after.v = move(before.v, &Fields::v);
  after.a = move(before.a, &Fields::a);
  after.x_prev = move(before.x_prev, &Fields::x_prev);
  after.v_prev = move(before.v_prev, &Fields::v_prev);
  after.x_anchor = move(before.x_anchor, &Fields::anchor);
  move_extrapolation(from, before, to, after);
  after.stick = move_stick<dim>(before.stick, from, to, nodes);
  after.history = move_history(from.model, before.history, to.model);
  after.meshes = std::move(meshes);
  return after;
}

/// Returns `meshes` with those of `changed` replaced or added, by ascending body.
BodyMeshes with_meshes(BodyMeshes meshes, const BodyMeshes& changed) {
  for (const auto& mesh : changed) {
    const auto place = std::lower_bound(meshes.begin(), meshes.end(), mesh->body,
                                        [](const auto& other, int body) { return other->body < body; });
    if (place != meshes.end() && (*place)->body == mesh->body) {
      *place = mesh;
    } else {
      meshes.insert(place, mesh);
    }
  }
  return meshes;
}

template <int dim>
bool is_valid(const SceneModel& scene, const State& state, const VecX& x) {
  if (!are_feasible(scene.model, state, x)) return false;
  if (!scene.options.has_contact) return true;
  const auto broad_phase = make_broad_phase(dim, scene.model.surface);
  return is_intersection_free<dim>(scene.model, scene.model.surface_map.apply(x), *broad_phase, nullptr);
}

template <int dim>
void report_losses(const SceneModel& from, const State& before, const SceneModel& to, const State& after,
                   RemeshReport& report) {
  report.kinetic_loss +=
      inertial_energy<dim>(from.model, before.v).value() - inertial_energy<dim>(to.model, after.v).value();
  report.elastic_loss += elastic_energy(from, before) - elastic_energy(to, after);
  const std::array<Vec<3>, 2> old_momenta = momenta(from.model, before), new_momenta = momenta(to.model, after);
  report.momentum_loss += old_momenta[0] - new_momenta[0];
  report.angular_momentum_loss += old_momenta[1] - new_momenta[1];
}

void add_counts(const RemeshReport& of_round, RemeshReport& report) {
  report.num_splits += of_round.num_splits;
  report.num_collapses += of_round.num_collapses;
  report.num_swaps += of_round.num_swaps;
  report.num_smoothings += of_round.num_smoothings;
  report.num_rejected += of_round.num_rejected;
  report.num_unsafe += of_round.num_unsafe;
  report.gain += of_round.gain;
}

/// Appends operations to `sum`, with their vertices renumbered. `old_numbers` holds the old numbers of the current
/// vertices, in ascending order.
void add_renumbered(const std::vector<RejectedOperation>& operations, const std::vector<int>& old_numbers,
                    std::vector<RejectedOperation>& sum) {
  for (RejectedOperation operation : operations) {
    for (int& v : operation.edge) {
      v = static_cast<int>(std::lower_bound(old_numbers.begin(), old_numbers.end(), v) - old_numbers.begin());
    }
    sum.push_back(operation);
  }
}

template <int dim>
RestMesh<dim> rest_mesh_of(const AdaptingBodies::Body& body, const BodyMesh& mesh,
                           const std::vector<MaterialParameters>& materials) {
  RestMesh<dim> rest;
  for (const Vec<3>& x : mesh.mesh.vertices) rest.vertices.push_back(x.head<dim>());
  if constexpr (dim == 3) {
    rest.cells = mesh.mesh.tets;
  } else {
    rest.cells = mesh.mesh.triangles;
  }
  for (const int origin : mesh.origin_of_cell) {
    const int label = body.class_of_cell[origin];
    rest.density.push_back(materials[label].density);
  }
  return rest;
}

/// Returns the vertices of a new mesh that are scripted or stiff.
template <int dim>
std::vector<int> held_vertices(const AdaptingBodies::Body& body, const AdaptingBody<dim>& adapted,
                               const BodyMesh& mesh) {
  const std::uint64_t held = adapted.prescribed_sets | body.frozen_sets;
  std::vector<int> vertices;
  for (std::size_t v = 0; v < mesh.mesh.vertices.size(); ++v) {
    for (std::size_t k = 0; k < mesh.nodes_of_region.size(); ++k) {
      const std::vector<int>& nodes = mesh.nodes_of_region[k];
      if ((held >> k & 1) == 0 || !std::binary_search(nodes.begin(), nodes.end(), static_cast<int>(v))) continue;
      vertices.push_back(static_cast<int>(v));
      break;
    }
  }
  return vertices;
}

/// A field to be projected, on the blocks of all bodies before and after. Positions are projected as displacements from
/// rest.
struct ProjectedField {
  const VecX* of_old;
  VecX* of_new;
  bool is_position;
};

/// Returns the fields of a state. Fields of a history that does not exist are left out.
std::vector<ProjectedField> fields_to_project(const State& old, State& state) {
  std::vector<ProjectedField> list = {{&old.x, &state.x, true},
                                      {&old.v, &state.v, false},
                                      {&old.a, &state.a, false},
                                      {&old.x_prev, &state.x_prev, true},
                                      {&old.v_prev, &state.v_prev, false}};
  std::erase_if(list, [](const ProjectedField& field) { return field.of_old->size() == 0; });
  return list;
}

/// Mesh of a body at rest, and its first number in a vector of all bodies.
template <int dim>
struct PlacedMesh {
  RestMesh<dim> rest;
  Eigen::Index first = 0;

  auto positions() const {
    return Eigen::Map<const VecX>(rest.vertices.front().data(), dim * std::ssize(rest.vertices));
  }
};

/// Projects fields from the elements `before` onto those `after`, except at the vertices `given`.
template <int dim>
void project_fields(const PlacedMesh<dim>& before, const PlacedMesh<dim>& after, const std::vector<int>& given,
                    const std::vector<ProjectedField>& list) {
  const FieldProjection<dim> projection(before.rest, after.rest);
  std::vector<VecX> fields;
  GivenNodes held;
  held.vertices = given;
  for (const ProjectedField& field : list) {
    VecX values = field.of_old->segment(before.first, before.positions().size());
    if (field.is_position) values -= before.positions();
    fields.push_back(std::move(values));
    VecX& of_given = held.values.emplace_back(dim * std::ssize(given));
    for (std::size_t k = 0; k < given.size(); ++k) {
      Vec<dim> value = field.of_new->template segment<dim>(after.first + dim * given[k]);
      if (field.is_position) value -= after.rest.vertices[given[k]];
      of_given.template segment<dim>(dim * static_cast<Eigen::Index>(k)) = value;
    }
  }
  const std::vector<VecX> projected = projection.project(fields, held);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto values = list[i].of_new->segment(after.first, after.positions().size());
    values = list[i].is_position ? VecX(projected[i] + after.positions()) : projected[i];
  }
}

/// Projects the state at the start of the step onto new elements that are not nested in the old ones. The projection is
/// weighted with the mass [Fer23, eq. 6.7], and positions are made safe [Fer23, eq. 6.8]. Nodes that are scripted or
/// stiff keep their values.
template <int dim>
void project(const AdaptingBodies::Body& body, const BodyMesh& before, const AdaptingBody<dim>& adapted,
             const SceneModel& from, const State& old, const StepHooks& hooks, AdaptedStep& step) {
  const SceneModel& to = *step.scene;
  const std::size_t b = body.body;
  const BodyMesh& after = *to.bodies[b].adapted->mesh;
  const PlacedMesh<dim> old_mesh{rest_mesh_of<dim>(body, before, adapted.materials), dim * from.blocks[b].first};
  const PlacedMesh<dim> new_mesh{rest_mesh_of<dim>(body, after, adapted.materials), dim * to.blocks[b].first};
  const std::vector<int> given = held_vertices(body, adapted, after);
  const VecX start = step.state.x;
  project_fields<dim>(old_mesh, new_mesh, given, fields_to_project(old, step.state));
  ElementMesh<dim> elements;
  elements.x_rest = to.model.x_rest;
  elements.materials = adapted.materials;
  for (std::size_t c = 0; c < new_mesh.rest.cells.size(); ++c) {
    auto nodes = new_mesh.rest.cells[c];
    for (int& v : nodes) v = to.blocks[b].of_node(v);
    elements.add(nodes, body.class_of_cell[after.origin_of_cell[c]]);
  }
  std::vector<int> held_blocks;
  for (const int v : given) held_blocks.push_back(to.blocks[b].of_node(v));
  const VecX target = step.state.x;
  step.state.x = project_safely<dim>(to.model, elements, to.options, start, target, held_blocks, hooks).x;
}

/// Projects the bodies whose new elements are not nested in the old ones.
template <int dim>
void project_not_nested(const StepToAdapt& old, const std::vector<AdaptingBody<dim>>& adapting, AdaptedStep& step) {
  for (std::size_t k = 0; k < adapting.size(); ++k) {
    const AdaptingBodies::Body& body = old.bodies.bodies()[k];
    if (adapting[k].is_nested) continue;
    project<dim>(body, *old.bodies.mesh_of(body, old.state.meshes), adapting[k], old.scene, old.state, old.hooks, step);
  }
}

/// Steps between two estimates of errors, unless the elastic energy of a body changes by this share in a step.
constexpr int steps_between_estimates = 4;
constexpr double quick_change = 0.1;

/// True if all bodies adapt by estimates of errors, and these will hardly differ from those of the last steps.
bool is_steady(const StepToAdapt& old) {
  const State& state = old.state;
  if (state.step % steps_between_estimates == 0) return false;
  const VecX before = elastic_energies(old.scene.model, state.x), after = elastic_energies(old.scene.model, old.x1);
  const std::vector<AdaptingBodies::Body>& bodies = old.bodies.bodies();
  return std::all_of(bodies.begin(), bodies.end(), [&](const AdaptingBodies::Body& body) {
    const double change = std::abs(after[body.body] - before[body.body]);
    const double most =
        quick_change * std::max({after[body.body], before[body.body], deciding_energy(state, body.body)});
    return body.options.is_by_error() && change <= most;
  });
}

/// Elements of all bodies after a remeshing: the meshes that have changed, their nodes, and the operations that were
/// rejected, numbered as on the new meshes.
template <int dim>
struct RemeshedBodies {
  BodyMeshes changed;
  std::vector<NewNodes<dim>> nodes;
  std::vector<RejectedOperation> rejected;
};

template <int dim>
RemeshedBodies<dim> collect_remeshed(const AdaptingBodies& bodies, const BodyMeshes& meshes,
                                     const std::vector<AdaptingBody<dim>>& adapting) {
  RemeshedBodies<dim> remeshed;
  for (std::size_t k = 0; k < adapting.size(); ++k) {
    std::vector<RejectedOperation>& known = remeshed.rejected;
    if (!adapting[k].has_changed) {
      known.insert(known.end(), adapting[k].rejected.begin(), adapting[k].rejected.end());
      continue;
    }
    const AdaptingBodies::Body& body = bodies.bodies()[k];
    const std::shared_ptr<const BodyMesh> before = bodies.mesh_of(body, meshes);
    NewNodes<dim> of_body;
    of_body.body = body.body;
    remeshed.changed.push_back(body_mesh_of<dim>(body, *before, adapting[k], of_body.old_vertex));
    add_renumbered(adapting[k].rejected, of_body.old_vertex, known);
    for (int& v : of_body.old_vertex) {
      of_body.fields.push_back(adapting[k].fields[v]);
      if (v >= std::ssize(before->mesh.vertices)) v = -1;
    }
    remeshed.nodes.push_back(std::move(of_body));
  }
  return remeshed;
}

/// Moves the state at the start of a step, and its solution so far, to new elements.
template <int dim>
AdaptedStep move_step(const StepToAdapt& old, RemeshedBodies<dim> remeshed) {
  AdaptedStep step;
  BodyMeshes meshes = with_meshes(old.state.meshes, remeshed.changed);
  step.scene = build_adapted_scene(old.desc, old.bodies, meshes, *old.scene.controls);
  step.state = move_state<dim>(old.scene, old.state, *step.scene, remeshed.nodes, std::move(meshes));
  step.state.rejected = std::move(remeshed.rejected);
  step.x1 = move_vector<dim>(old.x1, old.scene, *step.scene, remeshed.nodes,
                             [](const NodeFields<dim>& fields) { return fields.x1; });
  return step;
}

}  // namespace

void add_work(const StepReport& of_solve, StepReport& report) {
  report.newton_iterations += of_solve.newton_iterations;
  report.partial_iterations += of_solve.partial_iterations;
  for (int k = 0; k < num_stages; ++k) {
    const auto stage = static_cast<Stage>(k);
    report.profile[stage] += of_solve.profile[stage];
  }
  report.linear_seconds.analyze += of_solve.linear_seconds.analyze;
  report.linear_seconds.factorize += of_solve.linear_seconds.factorize;
  report.linear_seconds.substitute += of_solve.linear_seconds.substitute;
  StepCounters& counters = report.counters;
  counters.candidates += of_solve.counters.candidates;
  counters.ccd_calls += of_solve.counters.ccd_calls;
  counters.energy_evaluations += of_solve.counters.energy_evaluations;
  counters.orderings += of_solve.counters.orderings;
  counters.analyses += of_solve.counters.analyses;
  counters.factorizations += of_solve.counters.factorizations;
  counters.linear_iterations += of_solve.counters.linear_iterations;
}

std::unique_ptr<SceneModel> build_adapted_scene(const SceneDesc& desc, const AdaptingBodies& bodies,
                                                const BodyMeshes& meshes, const Controls& controls) {
  auto scene = std::make_unique<SceneModel>(build_scene_model(desc, bodies.instances(meshes)));
  *scene->controls = controls;
  return scene;
}

template <int dim>
std::optional<AdaptedStep> adapt(const StepToAdapt& old, RemeshReport& report,
                                 std::vector<RejectedOperation>& rejected) {
  if (is_steady(old)) return std::nullopt;
  const auto& [desc, bodies, scene, options, hooks, targets, state, x1] = old;
  std::vector<AdaptingBody<dim>> adapting;
  for (const AdaptingBodies::Body& body : bodies.bodies()) {
    adapting.push_back(
        make_adapting_body<dim>(desc, body, bodies.mesh_of(body, state.meshes), scene, state, x1, targets));
  }
  add_counts(remesh<dim>({scene.model, options, state, x1, hooks}, adapting), report);
  RemeshedBodies<dim> remeshed = collect_remeshed<dim>(bodies, state.meshes, adapting);
  if (remeshed.changed.empty()) {
    rejected = std::move(remeshed.rejected);
    return std::nullopt;
  }
  AdaptedStep step = move_step<dim>(old, std::move(remeshed));
  project_not_nested<dim>(old, adapting, step);
  move_stored<dim>(scene, state, *step.scene, step.state);
  if (!is_valid<dim>(*step.scene, step.state, step.state.x) || !is_valid<dim>(*step.scene, step.state, step.x1))
    return std::nullopt;
  report_losses<dim>(scene, state, *step.scene, step.state, report);
  return step;
}

template <int dim>
AdaptedStep refine(const SceneDesc& desc, const AdaptingBodies& bodies, const AdaptingBodies::Body& body,
                   const SceneModel& scene, const State& state) {
  const std::shared_ptr<const BodyMesh> before = bodies.mesh_of(body, state.meshes);
  const AdaptingBody<dim> at_nodes = make_adapting_body<dim>(desc, body, before, scene, state, state.x, {});
  std::vector<std::array<int, 2>> parents;
  NewNodes<dim> nodes;
  nodes.body = body.body;
  const std::shared_ptr<const BodyMesh> fine = refine_body_mesh(body, *before, parents);
  for (std::size_t v = 0; v < parents.size(); ++v) {
    const auto& fields = at_nodes.fields;
    const auto [a, b] = parents[v];
    nodes.fields.push_back(a == b ? fields[a] : NodeFields<dim>::midpoint(fields[a], fields[b]));
    nodes.old_vertex.push_back(a == b ? a : -1);
  }
  AdaptedStep step;
  BodyMeshes meshes = with_meshes(state.meshes, {fine});
  step.scene = build_adapted_scene(desc, bodies, meshes, *scene.controls);
  step.state = move_state<dim>(scene, state, *step.scene, {nodes}, std::move(meshes));
  std::erase_if(step.state.rejected, [&](const RejectedOperation& operation) { return operation.body == body.body; });
  step.x1 = step.state.x;
  move_stored<dim>(scene, state, *step.scene, step.state);
  return step;
}

template std::optional<AdaptedStep> adapt<2>(const StepToAdapt&, RemeshReport&, std::vector<RejectedOperation>&);
template std::optional<AdaptedStep> adapt<3>(const StepToAdapt&, RemeshReport&, std::vector<RejectedOperation>&);
template AdaptedStep refine<2>(const SceneDesc&, const AdaptingBodies&, const AdaptingBodies::Body&, const SceneModel&,
                               const State&);
template AdaptedStep refine<3>(const SceneDesc&, const AdaptingBodies&, const AdaptingBodies::Body&, const SceneModel&,
                               const State&);

}  // namespace clearance
