#include "clearance/simulation/adapt/adapting_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "clearance/bodies/fem/materials.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/refine.h"
#include "clearance/geometry/simplex_mesh.h"
#include "clearance/math/dimension.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/loads.h"
#include "clearance/simulation/build/scene_elements.h"
#include "clearance/simulation/load/material_parts.h"
#include "clearance/simulation/load/mesh_groups.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

/// Returns the bit of a region in a set of regions. Sets are bits of a 64-bit number; bodies that adapt have no more
/// regions than that (scene/validate_remesh.cpp).
std::uint64_t bit(std::size_t k) {
  return std::uint64_t{1} << k;
}

const BodyDesc& desc_of(const SceneDesc& desc, const BodyInstance& body) {
  return desc.bodies[body.desc];
}

bool adapts(const SceneDesc& desc, const BodyInstance& body) {
  return find_remesh(desc, desc_of(desc, body)) != nullptr;
}

/// Returns the corners of a solid cell; 2D: the fourth is -1.
std::array<int, 4> corners_of(const Mesh& mesh, std::size_t cell) {
  if (mesh.dim == 3) return mesh.tets[cell];
  const auto& t = mesh.triangles[cell];
  return {t[0], t[1], t[2], -1};
}

/// Longest edge that may be collapsed, as a share of the median edge at the start. Longer edges are left alone, so that
/// collapses only undo splits.
constexpr double collapse_length = 0.75;

/// Energy of the error that an element may have, over the gain of a split that is worth its trial. With this share and
/// relative_gain 1e-4, errors are about those of trials, in a sixth to a twelfth of their time.
constexpr double error_per_gain = 0.3;

/// Returns the share of the energy of a body that the error of an element may have; 0 if operations are tried one by
/// one. A split lowers the energy by a part of the error of the elements that it divides.
double error_of(const RemeshDesc& desc) {
  const RemeshDesc unset;
  const bool is_relative = desc.criterion == RemeshCriterion::energy && desc.gain == 0.0 && desc.loss == 0.0;
  const bool has_quantiles =
      desc.split_quantile != unset.split_quantile || desc.collapse_quantile != unset.collapse_quantile;
  const bool is_tried = !is_relative || has_quantiles || desc.swap || desc.smooth;
  return is_tried ? 0.0 : error_per_gain * desc.relative_gain;
}

RemeshOptions options_of(const RemeshDesc& desc, const Mesh& mesh) {
  RemeshOptions options;
  options.criterion = desc.criterion;
  options.error = error_of(desc);
  options.total_error = desc.error;
  options.split = desc.split;
  options.collapse = desc.collapse;
  options.swap = desc.swap;
  options.smooth = desc.smooth;
  options.gain = desc.gain;
  options.relative_gain = desc.relative_gain;
  options.loss = desc.loss;
  options.relative_loss = desc.relative_loss;
  options.split_quantile = desc.split_quantile;
  options.collapse_quantile = desc.collapse_quantile;
  options.depth = desc.depth;
  options.smallest_edge = desc.smallest_edge.value_or(1e-3 * bounding_box(mesh.vertices).diagonal());
  std::vector<double> lengths;
  for (std::size_t c = 0; c < mesh.num_solid_cells(); ++c) {
    const std::array<int, 4> corners = corners_of(mesh, c);
    for (int i = 0; i <= mesh.dim; ++i) {
      for (int j = 0; j < i; ++j) {
        lengths.push_back((mesh.vertices[corners[i]] - mesh.vertices[corners[j]]).norm());
      }
    }
  }
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::nth_element(lengths.begin(), middle, lengths.end());
  options.longest_collapse = collapse_length * *middle;
  options.largest_count = desc.largest_count;
  options.quality = desc.quality;
  options.size_strain = desc.size_strain;
  options.size_contact = desc.size_contact;
  return options;
}

template <int dim>
std::vector<Vec<dim>> points_of(const std::vector<Vec<3>>& x) {
  std::vector<Vec<dim>> points;
  points.reserve(x.size());
  for (const Vec<3>& p : x) points.push_back(p.head<dim>());
  return points;
}

template <int dim>
std::array<int, dim> facet_of(const std::array<int, 3>& vertices) {
  std::array<int, dim> facet{};
  std::copy_n(vertices.begin(), dim, facet.begin());
  return facet;
}

template <int dim>
std::vector<int> planes_of(const Mesh& mesh, const std::vector<std::array<int, 3>>& faces) {
  std::vector<std::array<int, dim>> facets;
  for (const auto& face : faces) facets.push_back(facet_of<dim>(face));
  return planes_of_facets<dim>(points_of<dim>(mesh.vertices), facets);
}

/// Computes the volume of a cell [m^3]; 2D: its area [m^2].
double volume_of(const Mesh& mesh, const std::array<int, 4>& corners) {
  const auto x = [&](std::size_t i) { return mesh.vertices[corners[i]]; };
  const Vec<3> normal = cross_product(x(1) - x(0), x(2) - x(0));
  return mesh.dim == 2 ? 0.5 * normal[2] : normal.dot(x(3) - x(0)) / 6.0;
}

/// Numbers the keys in the order in which they appear. Appends the place where each one first appears to `first`.
template <class Key>
std::vector<int> classes_of(const std::vector<Key>& keys, std::vector<int>& first) {
  std::map<Key, int> number;
  std::vector<int> classes;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [known, is_new] = number.try_emplace(keys[i], static_cast<int>(first.size()));
    if (is_new) first.push_back(static_cast<int>(i));
    classes.push_back(known->second);
  }
  return classes;
}

std::shared_ptr<BodyMesh> start_mesh(const BodyInstance& instance, int number,
                                     const std::vector<std::array<int, 3>>& faces) {
  const Mesh& mesh = instance.mesh;
  auto start = std::make_shared<BodyMesh>();
  start->body = number;
  start->mesh.dim = mesh.dim;
  start->mesh.vertices = mesh.vertices;
  start->mesh.tets = mesh.tets;
  start->mesh.triangles = mesh.triangles;
  start->start = instance.mesh_at_start().vertices;
  start->origin_of_vertex.resize(mesh.vertices.size());
  std::iota(start->origin_of_vertex.begin(), start->origin_of_vertex.end(), 0);
  start->origin_of_cell.resize(mesh.num_solid_cells());
  std::iota(start->origin_of_cell.begin(), start->origin_of_cell.end(), 0);
  for (std::size_t f = 0; f < faces.size(); ++f) start->facets.push_back({faces[f], static_cast<int>(f)});
  return start;
}

/// The regions that hold each face and each cell: bit k stands for region k.
struct RegionSets {
  std::vector<std::uint64_t> of_face, of_cell;
};

/// Selects the regions of a body in its mesh at the start. Sets what follows for the body, and appends the nodes of
/// each region to `start`.
RegionSets select_regions(const BodyDesc& body_desc, const std::vector<std::array<int, 3>>& faces,
                          AdaptingBodies::Body& body, BodyMesh& start) {
  const Mesh& mesh = body.instance->mesh;
  std::vector<char> is_on_boundary(mesh.vertices.size(), 0);
  for (const auto& face : faces) {
    for (const int v : face) {
      if (v >= 0) is_on_boundary[v] = 1;
    }
  }
  RegionSets sets{std::vector<std::uint64_t>(faces.size(), 0), std::vector<std::uint64_t>(mesh.num_solid_cells(), 0)};
  const std::size_t num_motions = body_desc.motions.size();
  const std::size_t first_stiff = num_motions + body_desc.loads.size();
  for (std::size_t k = 0; k < body.regions.size(); ++k) {
    const RegionDesc& region = body.regions[k];
    const std::vector<int> nodes = select_nodes(*body.instance, body_desc.transform, region, mesh.dim);
    const bool is_of_boundary = std::all_of(nodes.begin(), nodes.end(), [&](int v) { return is_on_boundary[v] != 0; });
    if (is_of_boundary) body.boundary_sets |= bit(k);
    if (k < num_motions) {
      for (const int v : nodes) body.is_kept_vertex[v] = 1;
    }
    if (k >= first_stiff && k < first_stiff + body_desc.stiff_parts.size()) body.frozen_sets |= bit(k);
    const std::vector<char> has_face = are_faces_selected(*body.instance, body_desc.transform, region, mesh.dim);
    for (std::size_t f = 0; f < faces.size(); ++f) sets.of_face[f] |= has_face[f] != 0 ? bit(k) : 0;
    const std::vector<char> has_cell = select_elements(*body.instance, body_desc.transform, region, mesh.dim);
    for (std::size_t c = 0; c < sets.of_cell.size(); ++c) sets.of_cell[c] |= has_cell[c] != 0 ? bit(k) : 0;
    start.nodes_of_region.push_back(nodes);
  }
  return sets;
}

/// Keeps the vertices that probes read: the one that starts nearest to a probe's point, or those that start in its
/// region.
void keep_probed_vertices(const SceneDesc& desc, const TransformDesc& transform, AdaptingBodies::Body& body) {
  const Mesh& mesh = body.instance->mesh;
  for (const ProbeDesc& probe : desc.output.probes) {
    if (probe.kind != ProbeKind::position && probe.kind != ProbeKind::velocity) continue;
    const std::optional<NamedBody> named = find_body(desc, probe.body);
    if (!named || static_cast<int>(named->body) != body.instance->desc) continue;
    std::vector<int> nodes;
    if (probe.point) {
      const auto distance = [&](const Vec<3>& x) { return (x - *probe.point).squaredNorm(); };
      const auto nearest = std::min_element(mesh.vertices.begin(), mesh.vertices.end(),
                                            [&](const auto& p, const auto& q) { return distance(p) < distance(q); });
      nodes.push_back(static_cast<int>(nearest - mesh.vertices.begin()));
    } else if (probe.region) {
      nodes = select_nodes(*body.instance, transform, *probe.region, mesh.dim);
    }
    for (const int v : nodes) body.is_kept_vertex[v] = 1;
  }
}

/// Sets the classes of faces: a face of a class can merge with its neighbours, as they lie in one plane and in the same
/// regions.
void classify_faces(const std::vector<std::array<int, 3>>& faces, const RegionSets& sets, AdaptingBodies::Body& body) {
  const Mesh& mesh = body.instance->mesh;
  std::vector<std::pair<int, std::uint64_t>> keys;
  const std::vector<int> planes = with_dimension(mesh.dim, [&](auto dim) { return planes_of<dim>(mesh, faces); });
  for (std::size_t f = 0; f < faces.size(); ++f) keys.emplace_back(planes[f], sets.of_face[f]);
  body.class_of_face = classes_of(keys, body.face_of_class);
  for (const int f : body.face_of_class) {
    body.regions_of_face_class.push_back(sets.of_face[f]);
  }
  body.area_of_face_class.assign(body.face_of_class.size(), 0.0);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    body.area_of_face_class[body.class_of_face[f]] += face_area(mesh.vertices, faces[f]);
  }
}

/// Sets the classes of cells: those of a class have one material, one density, the same regions, and are all stiff or
/// all not.
void classify_cells(const BodyDesc& body_desc, const std::vector<StiffUnit>& units, const RegionSets& sets,
                    AdaptingBodies::Body& body) {
  const BodyInstance& instance = *body.instance;
  using CellKey = std::tuple<int, double, std::uint64_t, char>;
  std::vector<CellKey> keys;
  const std::vector<char> is_stiff_cell = stiff_elements(instance.mesh, units, body.body);
  for (std::size_t c = 0; c < sets.of_cell.size(); ++c) {
    const int part = instance.material_part.empty() ? -1 : instance.material_part[c];
    keys.emplace_back(part, element_density(body_desc, instance, c).value_or(-1.0), sets.of_cell[c], is_stiff_cell[c]);
  }
  body.class_of_cell = classes_of(keys, body.cell_of_class);
  for (const int c : body.cell_of_class) {
    body.regions_of_cell_class.push_back(sets.of_cell[c]);
  }
}

AdaptingBodies::Body make_body(const SceneDesc& desc, const SceneModel& scene, int number,
                               std::shared_ptr<const BodyInstance> instance) {
  const BodyDesc& body_desc = desc_of(desc, *instance);
  AdaptingBodies::Body body;
  body.body = number;
  body.instance = std::move(instance);
  body.regions = regions_of(desc, body.instance->desc);
  body.options = options_of(*find_remesh(desc, body_desc), body.instance->mesh);
  body.is_kept_vertex.assign(body.instance->mesh.vertices.size(), 0);
  const std::vector<std::array<int, 3>> faces = faces_of_boundary(body.instance->mesh);
  std::shared_ptr<BodyMesh> start = start_mesh(*body.instance, number, faces);
  const RegionSets sets = select_regions(body_desc, faces, body, *start);
  keep_probed_vertices(desc, body_desc.transform, body);
  classify_faces(faces, sets, body);
  classify_cells(body_desc, scene.stiff_units, sets, body);
  body.start = std::move(start);
  return body;
}

/// Returns the value of a dead load at a point of the body; zero if its formula cannot be evaluated.
Vec<3> value_at(const LoadDesc& load, const Vec<3>& point, double time_t1, const Controls& controls) {
  if (!load.expression) return load.value;
  const auto values = evaluate(*load.expression, "", time_t1, std::array{point}, controls);
  return values ? (*values)[0] : Vec<3>(Vec<3>::Zero());
}

Vec<3> centre_of(const std::vector<Vec<3>>& x, std::span<const int> vertices) {
  Vec<3> sum = Vec<3>::Zero();
  int count = 0;
  for (const int v : vertices) {
    if (v < 0) continue;
    sum += x[v];
    ++count;
  }
  return sum / count;
}

/// Adds the acceleration of a load to the classes of cells in its region.
template <int dim>
void add_acceleration(const LoadDesc& load, std::uint64_t is_in, const AdaptingBodies::Body& body, double time_t1,
                      const Controls& controls, std::vector<Vec<dim>>& accelerations) {
  const Mesh& mesh = body.instance->mesh;
  for (std::size_t c = 0; c < body.cell_of_class.size(); ++c) {
    if ((body.regions_of_cell_class[c] & is_in) == 0) continue;
    const Vec<3> at = centre_of(mesh.vertices, corners_of(mesh, body.cell_of_class[c]));
    accelerations[c] += value_at(load, at, time_t1, controls).template head<dim>();
  }
}

/// Adds the traction of a load to the classes of faces in its region.
template <int dim>
void add_traction(const LoadDesc& load, std::uint64_t is_in, const AdaptingBodies::Body& body, double time_t1,
                  const Controls& controls, std::vector<Vec<dim>>& tractions) {
  const Mesh& mesh = body.instance->mesh;
  double total = 0.0;
  for (std::size_t c = 0; c < body.face_of_class.size(); ++c) {
    if ((body.regions_of_face_class[c] & is_in) != 0) total += body.area_of_face_class[c];
  }
  for (std::size_t c = 0; c < body.face_of_class.size(); ++c) {
    if ((body.regions_of_face_class[c] & is_in) == 0) continue;
    const BoundaryFacet& face = body.start->facets[body.face_of_class[c]];
    const Vec<3> value = value_at(load, centre_of(mesh.vertices, face.vertices), time_t1, controls);
    tractions[c] += value.template head<dim>() / (load.kind == LoadKind::force ? total : 1.0);
  }
}

/// Sets the dead loads of the step for each class. Follower pressures, and the variation of a load within a class, are
/// ignored, because only the remeshing criterion reads these values.
template <int dim>
void set_loads(const SceneDesc& desc, const AdaptingBodies::Body& body, const SceneModel& scene, double time_t1,
               AdaptingBody<dim>& adapting) {
  const BodyDesc& body_desc = desc_of(desc, *body.instance);
  adapting.tractions.assign(body.face_of_class.size(), Vec<dim>::Zero());
  adapting.accelerations.assign(body.cell_of_class.size(), desc.gravity.head<dim>());
  const std::size_t first = body_desc.motions.size();
  for (std::size_t i = 0; i < body_desc.loads.size(); ++i) {
    const LoadDesc& load = body_desc.loads[i];
    if (!is_acting(load, desc.time.step, time_t1)) continue;
    const std::uint64_t is_in = bit(first + i);
    if (load.kind == LoadKind::acceleration) {
      add_acceleration<dim>(load, is_in, body, time_t1, *scene.controls, adapting.accelerations);
    }
    if (load.kind != LoadKind::traction && load.kind != LoadKind::force) continue;
    add_traction<dim>(load, is_in, body, time_t1, *scene.controls, adapting.tractions);
  }
}

MaterialParameters material_of(const SceneDesc& desc, const AdaptingBodies::Body& body, std::size_t cell_class) {
  const BodyDesc& body_desc = desc_of(desc, *body.instance);
  const std::size_t cell = body.cell_of_class[cell_class];
  const int part = body.instance->material_part.empty() ? -1 : body.instance->material_part[cell];
  const MaterialDesc m = material_of_part(body_desc, part);
  MaterialParameters material = make_material(m);
  material.density = element_density(body_desc, *body.instance, cell).value_or(m.density);
  return material;
}

}  // namespace

AdaptingBodies::AdaptingBodies(const SceneDesc& desc, const SceneModel& scene) {
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(), [&](const auto& b) { return adapts(desc, b); })) return;
  for (const BodyInstance& body : scene.bodies) all_.push_back(std::make_shared<const BodyInstance>(body));
  for (int b = 0; b < static_cast<int>(all_.size()); ++b) {
    const BodyInstance& body = *all_[b];
    if (!adapts(desc, body)) continue;
    num_rounds_ = std::max(num_rounds_, find_remesh(desc, desc_of(desc, body))->rounds);
    bodies_.push_back(make_body(desc, scene, b, all_[b]));
  }
}

std::shared_ptr<const BodyMesh> AdaptingBodies::mesh_of(const Body& body, const BodyMeshes& meshes) const {
  const auto found = std::find_if(meshes.begin(), meshes.end(), [&](const auto& m) { return m->body == body.body; });
  return found != meshes.end() ? *found : body.start;
}

namespace {

/// True if all numbers in a mesh refer to parts of the mesh or of the body.
bool has_parts_of(const BodyMesh& mesh, const AdaptingBodies::Body& body) {
  const auto is_below = [](int v, std::size_t count) { return v >= 0 && std::cmp_less(v, count); };
  const std::size_t num_vertices = mesh.mesh.vertices.size(), num_cells = mesh.mesh.num_solid_cells();
  bool fits = mesh.start.size() == num_vertices && mesh.origin_of_vertex.size() == num_vertices &&
              mesh.origin_of_cell.size() == num_cells && mesh.nodes_of_region.size() == body.regions.size();
  for (std::size_t c = 0; c < num_cells && fits; ++c) {
    const std::array<int, 4> corners = corners_of(mesh.mesh, c);
    for (int i_v = 0; i_v <= mesh.mesh.dim; ++i_v) fits = fits && is_below(corners[i_v], num_vertices);
    fits = fits && volume_of(mesh.mesh, corners) > 0.0;
    fits = fits && is_below(mesh.origin_of_cell[c], body.class_of_cell.size());
  }
  for (const BoundaryFacet& facet : mesh.facets) {
    for (int i_v = 0; i_v < mesh.mesh.dim; ++i_v) fits = fits && is_below(facet.vertices[i_v], num_vertices);
    fits = fits && is_below(facet.origin, body.class_of_face.size());
  }
  for (const std::vector<int>& nodes : mesh.nodes_of_region) {
    for (const int v : nodes) fits = fits && is_below(v, num_vertices);
  }
  for (const int v : mesh.origin_of_vertex) fits = fits && (v == -1 || is_below(v, body.is_kept_vertex.size()));
  return fits;
}

}  // namespace

std::string AdaptingBodies::misfit(const State& state) const {
  const BodyMeshes& meshes = state.meshes;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const BodyMesh& mesh = *meshes[i];
    const auto body = std::find_if(bodies_.begin(), bodies_.end(), [&](const Body& b) { return b.body == mesh.body; });
    if (body == bodies_.end() || (i > 0 && meshes[i - 1]->body >= mesh.body))
      return "in the state, the elements of other bodies have adapted";
    if (!has_parts_of(mesh, *body)) return "elements of the state have other parts";
  }
  for (const RejectedOperation& operation : state.rejected) {
    const auto body =
        std::find_if(bodies_.begin(), bodies_.end(), [&](const Body& b) { return b.body == operation.body; });
    if (body == bodies_.end()) continue;
    const auto count = std::ssize(mesh_of(*body, meshes)->mesh.vertices);
    for (const int v : operation.edge) {
      if (v < 0 || v >= count) return "operations of the state belong to other elements";
    }
  }
  return "";
}

std::vector<BodyInstance> AdaptingBodies::instances(const BodyMeshes& meshes) const {
  std::vector<BodyInstance> instances;
  for (const auto& body : all_) instances.push_back(*body);
  for (const auto& mesh : meshes) {
    const auto source =
        std::find_if(bodies_.begin(), bodies_.end(), [&](const Body& b) { return b.body == mesh->body; });
    BodyInstance& body = instances[mesh->body];
    body.mesh = mesh->mesh;
    body.source_vertex.resize(mesh->mesh.vertices.size());
    std::iota(body.source_vertex.begin(), body.source_vertex.end(), 0);
    body.num_source_vertices = body.source_vertex.size();
    body.groups = nullptr;
    if (!body.material_part.empty()) {
      std::vector<int> parts;
      for (const int cell : mesh->origin_of_cell) parts.push_back(body.material_part[cell]);
      body.material_part = std::move(parts);
    }
    if (!body.displacements.empty()) {
      body.displacements = mesh->start;
      for (std::size_t v = 0; v < body.displacements.size(); ++v) body.displacements[v] -= mesh->mesh.vertices[v];
    }
    body.adapted = std::make_shared<const AdaptedElements>(AdaptedElements{source->instance, mesh, source->regions});
  }
  return instances;
}

namespace {

/// Marks the vertices that operations may not move, and those that they may not remove.
template <int dim>
void mark_vertices(const AdaptingBodies::Body& body, const BodyMesh& mesh, typename SimplexMesh<dim>::Data& data) {
  const std::size_t num_vertices = mesh.mesh.vertices.size();
  data.boundary_sets = body.boundary_sets;
  data.is_frozen_vertex.assign(num_vertices, 0);
  data.is_kept_vertex.assign(num_vertices, 0);
  for (std::size_t v = 0; v < num_vertices; ++v) {
    data.is_frozen_vertex[v] = (data.sets[v] & body.frozen_sets) != 0 ? 1 : 0;
    const int origin = mesh.origin_of_vertex[v];
    if (origin >= 0) data.is_kept_vertex[v] = body.is_kept_vertex[origin];
  }
}

template <int dim>
typename SimplexMesh<dim>::Data mesh_data_of(const AdaptingBodies::Body& body, const BodyMesh& mesh) {
  const std::size_t num_vertices = mesh.mesh.vertices.size();
  typename SimplexMesh<dim>::Data data;
  data.rest = points_of<dim>(mesh.mesh.vertices);
  for (std::size_t c = 0; c < mesh.mesh.num_solid_cells(); ++c) {
    const std::array<int, 4> corners = corners_of(mesh.mesh, c);
    std::copy_n(corners.begin(), dim + 1, data.cells.emplace_back().begin());
    data.cell_label.push_back(body.class_of_cell[mesh.origin_of_cell[c]]);
  }
  for (const BoundaryFacet& facet : mesh.facets) {
    data.facets.push_back(facet_of<dim>(facet.vertices));
    data.facet_label.push_back(body.class_of_face[facet.origin]);
  }
  data.sets.assign(num_vertices, 0);
  for (std::size_t k = 0; k < mesh.nodes_of_region.size(); ++k) {
    for (const int v : mesh.nodes_of_region[k]) data.sets[v] |= bit(k);
  }
  mark_vertices<dim>(body, mesh, data);
  return data;
}

template <int dim>
std::vector<NodeFields<dim>> fields_of(const BodyMesh& mesh, const BodyBlocks& blocks, const State& state,
                                       const VecX& x1) {
  const std::size_t num_vertices = mesh.mesh.vertices.size();
  std::vector<NodeFields<dim>> fields(num_vertices);
  const auto at = [](const VecX& x, int b) {
    return x.size() > 0 ? Vec<dim>(block<dim>(x, b)) : Vec<dim>(Vec<dim>::Zero());
  };
  for (std::size_t v = 0; v < num_vertices; ++v) {
    const int b = blocks.block_of_node[v];
    fields[v] = {at(x1, b),           at(state.x, b),      at(state.v, b),        at(state.a, b),
                 at(state.x_prev, b), at(state.v_prev, b), at(state.x_anchor, b), mesh.start[v].template head<dim>()};
  }
  return fields;
}

/// Returns the sets of vertices that motions prescribe in this step.
std::uint64_t prescribed_sets(std::size_t num_motions, const BodyMesh& mesh, const BodyBlocks& blocks,
                              const PrescribedTargets& targets) {
  std::uint64_t sets = 0;
  for (std::size_t k = 0; k < num_motions; ++k) {
    const std::vector<int>& nodes = mesh.nodes_of_region[k];
    if (nodes.empty()) continue;
    const int first = blocks.of_node(nodes.front());
    if (std::binary_search(targets.blocks.begin(), targets.blocks.end(), first)) sets |= bit(k);
  }
  return sets;
}

bool has_self_contact(const SurfaceTopology& surface, int body) {
  for (int v = 0; v < surface.num_vertices; ++v) {
    if (surface.vertex_body[v] == body) return surface.vertex_group[v] < 0;
  }
  return false;
}

}  // namespace

template <int dim>
AdaptingBody<dim> make_adapting_body(const SceneDesc& desc, const AdaptingBodies::Body& body,
                                     const std::shared_ptr<const BodyMesh>& mesh, const SceneModel& scene,
                                     const State& state, const VecX& x1, const PrescribedTargets& targets) {
  const BodyBlocks& blocks = scene.blocks[body.body];
  AdaptingBody<dim> adapting{
      body.body,
      SimplexMesh<dim>(mesh_data_of<dim>(body, *mesh), {body.options.quality, body.options.smallest_edge}),
      fields_of<dim>(*mesh, blocks, state, x1),
      {},
      {},
      {},
      0,
      false,
      body.options,
      {},
      false,
      true};
  std::copy_if(state.rejected.begin(), state.rejected.end(), std::back_inserter(adapting.rejected),
               [&](const RejectedOperation& operation) { return operation.body == body.body; });
  for (std::size_t c = 0; c < body.cell_of_class.size(); ++c) adapting.materials.push_back(material_of(desc, body, c));
  set_loads<dim>(desc, body, scene, (state.step + 1) * desc.time.step, adapting);
  const std::size_t num_motions = desc_of(desc, *body.instance).motions.size();
  adapting.prescribed_sets = prescribed_sets(num_motions, *mesh, blocks, targets);
  adapting.has_self_contact = has_self_contact(scene.model.surface, body.body);
  return adapting;
}

namespace {

template <int dim>
void add_elements(const typename SimplexMesh<dim>::Data& data, const AdaptingBodies::Body& body, BodyMesh& mesh) {
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    if constexpr (dim == 3) {
      mesh.mesh.tets.push_back(data.cells[c]);
    } else {
      mesh.mesh.triangles.push_back(data.cells[c]);
    }
    mesh.origin_of_cell.push_back(body.cell_of_class[data.cell_label[c]]);
  }
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    BoundaryFacet facet;
    std::copy_n(data.facets[f].begin(), dim, facet.vertices.begin());
    facet.origin = body.face_of_class[data.facet_label[f]];
    mesh.facets.push_back(facet);
  }
}

}  // namespace

template <int dim>
std::shared_ptr<const BodyMesh> body_mesh_of(const AdaptingBodies::Body& body, const BodyMesh& before,
                                             const AdaptingBody<dim>& adapted, std::vector<int>& vertex_of) {
  const typename SimplexMesh<dim>::Data data = adapted.mesh.compact(&vertex_of);
  const auto in_space = [](const Vec<dim>& x) {
    Vec<3> point = Vec<3>::Zero();
    point.template head<dim>() = x;
    return point;
  };
  auto mesh = std::make_shared<BodyMesh>();
  mesh->body = body.body;
  mesh->mesh.dim = dim;
  mesh->nodes_of_region.resize(body.regions.size());
  for (std::size_t v = 0; v < data.rest.size(); ++v) {
    const std::size_t old = vertex_of[v];
    mesh->mesh.vertices.push_back(in_space(data.rest[v]));
    mesh->start.push_back(in_space(adapted.fields[old].start));
    const bool is_old = old < before.mesh.vertices.size() && before.mesh.vertices[old] == mesh->mesh.vertices.back();
    mesh->origin_of_vertex.push_back(is_old ? before.origin_of_vertex[old] : -1);
    for (std::size_t k = 0; k < body.regions.size(); ++k) {
      if ((data.sets[v] & bit(k)) != 0) mesh->nodes_of_region[k].push_back(static_cast<int>(v));
    }
  }
  add_elements<dim>(data, body, *mesh);
  return mesh;
}

namespace {

/// Midpoints of the edges of a mesh that has been refined.
class Midpoints {
 public:
  Midpoints(const Mesh& coarse, const Mesh& fine) : parents_(fine.vertices.size()) {
    for (std::size_t v = 0; v < parents_.size(); ++v) parents_[v] = {static_cast<int>(v), static_cast<int>(v)};
    const std::size_t num_children = std::size_t{1} << coarse.dim;
    for (std::size_t c = 0; c < coarse.num_solid_cells(); ++c) {
      for (std::size_t child = num_children * c; child < num_children * (c + 1); ++child) {
        for (const int v : corners_of(fine, child)) {
          if (v >= static_cast<int>(coarse.vertices.size())) find(coarse, corners_of(coarse, c), v, fine);
        }
      }
    }
  }
  const std::vector<std::array<int, 2>>& parents() const { return parents_; }
  int between(int a, int b) const { return of_edge_.at({std::min(a, b), std::max(a, b)}); }

 private:
  /// Finds the edge of the cell whose middle is nearest to vertex v.
  void find(const Mesh& coarse, const std::array<int, 4>& corners, int v, const Mesh& fine) {
    double nearest = infinity;
    std::array<int, 2> ends{};
    for (int i = 0; i <= coarse.dim; ++i) {
      for (int j = 0; j < i; ++j) {
        const Vec<3> middle = 0.5 * (coarse.vertices[corners[i]] + coarse.vertices[corners[j]]);
        const double distance = (fine.vertices[v] - middle).squaredNorm();
        if (distance >= nearest) continue;
        nearest = distance;
        ends = {std::min(corners[i], corners[j]), std::max(corners[i], corners[j])};
      }
    }
    parents_[v] = ends;
    of_edge_[ends] = v;
  }

  std::vector<std::array<int, 2>> parents_;
  std::map<std::array<int, 2>, int> of_edge_;
};

/// Splits the facets of the boundary. Returns 1 for each midpoint of two vertices of one face.
std::vector<char> split_facets(const BodyMesh& mesh, const Midpoints& midpoints, BodyMesh& fine) {
  std::vector<char> is_of_boundary(fine.mesh.vertices.size(), 0);
  for (const BoundaryFacet& facet : mesh.facets) {
    const auto [a, b, c] = facet.vertices;
    if (mesh.mesh.dim == 2) {
      const int m = midpoints.between(a, b);
      is_of_boundary[m] = 1;
      fine.facets.push_back({{a, m, -1}, facet.origin});
      fine.facets.push_back({{m, b, -1}, facet.origin});
      continue;
    }
    const int ab = midpoints.between(a, b), bc = midpoints.between(b, c), ca = midpoints.between(c, a);
    for (const int m : {ab, bc, ca}) is_of_boundary[m] = 1;
    for (const std::array<int, 3>& child : {std::array{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}}) {
      fine.facets.push_back({child, facet.origin});
    }
  }
  return is_of_boundary;
}

void refine_regions(const AdaptingBodies::Body& body, const BodyMesh& mesh,
                    const std::vector<std::array<int, 2>>& parents, const std::vector<char>& is_of_boundary,
                    BodyMesh& fine) {
  const std::size_t num_old = mesh.mesh.vertices.size();
  for (std::size_t k = 0; k < mesh.nodes_of_region.size(); ++k) {
    std::vector<char> is_in(num_old, 0);
    for (const int v : mesh.nodes_of_region[k]) is_in[v] = 1;
    std::vector<int>& nodes = fine.nodes_of_region.emplace_back();
    for (std::size_t v = 0; v < parents.size(); ++v) {
      const bool are_in = is_in[parents[v][0]] && is_in[parents[v][1]];
      const bool is_inner = v >= num_old && (body.boundary_sets & bit(k)) != 0 && !is_of_boundary[v];
      if (are_in && !is_inner) nodes.push_back(static_cast<int>(v));
    }
  }
}

}  // namespace

std::shared_ptr<const BodyMesh> refine_body_mesh(const AdaptingBodies::Body& body, const BodyMesh& mesh,
                                                 std::vector<std::array<int, 2>>& parents) {
  auto fine = std::make_shared<BodyMesh>();
  fine->body = mesh.body;
  fine->mesh = refine_uniformly(mesh.mesh);
  const Midpoints midpoints(mesh.mesh, fine->mesh);
  parents = midpoints.parents();
  const std::size_t num_old = mesh.mesh.vertices.size();
  const std::vector<char> is_of_boundary = split_facets(mesh, midpoints, *fine);
  for (std::size_t v = 0; v < parents.size(); ++v) {
    const auto& x = mesh.start;
    fine->start.push_back(0.5 * (x[parents[v][0]] + x[parents[v][1]]));
    fine->origin_of_vertex.push_back(v < num_old ? mesh.origin_of_vertex[v] : -1);
  }
  const int num_children = 1 << mesh.mesh.dim;
  for (const int origin : mesh.origin_of_cell) {
    fine->origin_of_cell.insert(fine->origin_of_cell.end(), num_children, origin);
  }
  refine_regions(body, mesh, parents, is_of_boundary, *fine);
  return fine;
}

template AdaptingBody<2> make_adapting_body<2>(const SceneDesc&, const AdaptingBodies::Body&,
                                               const std::shared_ptr<const BodyMesh>&, const SceneModel&, const State&,
                                               const VecX&, const PrescribedTargets&);
template AdaptingBody<3> make_adapting_body<3>(const SceneDesc&, const AdaptingBodies::Body&,
                                               const std::shared_ptr<const BodyMesh>&, const SceneModel&, const State&,
                                               const VecX&, const PrescribedTargets&);
template std::shared_ptr<const BodyMesh> body_mesh_of<2>(const AdaptingBodies::Body&, const BodyMesh&,
                                                         const AdaptingBody<2>&, std::vector<int>&);
template std::shared_ptr<const BodyMesh> body_mesh_of<3>(const AdaptingBodies::Body&, const BodyMesh&,
                                                         const AdaptingBody<3>&, std::vector<int>&);

}  // namespace clearance
