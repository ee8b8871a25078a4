#include "clearance/simulation/load/load_bodies.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>

#include "clearance/bodies/fem/element_moments.h"
#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/closed_surface.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_generators.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/refine.h"
#include "clearance/geometry/repeated_elements.h"
#include "clearance/geometry/surface.h"
#include "clearance/geometry/surface_edges.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/meshing/surface_defects.h"
#include "clearance/meshing/surface_repair.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/body_shapes.h"
#include "clearance/simulation/load/conformity.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/load/kept_shape.h"
#include "clearance/simulation/load/lone_points.h"
#include "clearance/simulation/load/material_fields.h"
#include "clearance/simulation/load/material_parts.h"
#include "clearance/simulation/load/mesh_units.h"
#include "clearance/simulation/load/moved_bodies.h"
#include "clearance/simulation/load/pattern.h"
#include "clearance/simulation/load/proxy_weights.h"
#include "clearance/simulation/load/remesh_checks.h"
#include "clearance/simulation/load/repeated_hints.h"
#include "clearance/simulation/load/surface_filling.h"
#include "clearance/simulation/load/thin_directions.h"

namespace clearance {

namespace {

/// Largest distance of a collision surface from its elements without a warning, as a share of the body's size.
constexpr double largest_misfit = 0.1;

std::string place_of(int desc) {
  return fmt::format("bodies[{}]", desc);
}

int cells_at(const GeneratorDesc& g, std::size_t i) {
  return i < g.resolution.size() ? g.resolution[i] : (g.resolution.empty() ? 4 : g.resolution.back());
}

Result<Mesh> generate(const GeneratorDesc& g) {
  const auto s = [&](std::size_t i) { return size_at(g, i, 1.0); };
  const auto c = [&](std::size_t i) { return cells_at(g, i); };
  Mesh mesh;
  switch (g.kind) {
    case GeneratorKind::box:
      mesh = make_box({s(0), s(1), s(2)}, {c(0), c(1), c(2)});
      break;
    case GeneratorKind::sphere:
      mesh = make_sphere(s(0), c(0));
      break;
    case GeneratorKind::torus:
      mesh = make_torus(s(0), s(1), c(0), c(1));
      break;
    case GeneratorKind::cylinder:
      mesh = make_cylinder(s(0), s(1), c(0), c(1));
      break;
    case GeneratorKind::mat:
      mesh = make_mat(s(0), s(2), s(1), c(0), c(2), c(1));
      break;
    case GeneratorKind::blocks: {
      Result<Mesh> blocks = make_blocks(g.blocks, {s(0), s(1), s(2)});
      if (!blocks) return blocks;
      mesh = std::move(blocks).value();
      break;
    }
    case GeneratorKind::link:
      mesh = make_link(s(0), s(1), s(2), c(0), c(1));
      break;
    case GeneratorKind::gear:
      mesh = make_gear(s(0), s(1), s(2), c(0), c(1));
      break;
    case GeneratorKind::rectangle:
      mesh = make_rectangle(s(0), s(1), c(0), c(1));
      break;
    case GeneratorKind::disk:
      mesh = make_disk(s(0), c(0));
      break;
    case GeneratorKind::bolt:
      return make_bolt(s(0), s(1), s(2), c(0));
    case GeneratorKind::nut:
      return make_nut(s(0), s(1), s(2), s(3), c(0));
    case GeneratorKind::sheet:
      return make_sheet(s(0), s(1), c(0), c(1));
    case GeneratorKind::bowl:
      return make_bowl(s(0), s(1), c(0));
    case GeneratorKind::funnel:
      return make_funnel(s(0), s(1), s(2), c(0), c(1));
    case GeneratorKind::capsule:
      return make_capsule(s(0), s(1), c(0));
    case GeneratorKind::line:
      return make_line(s(0), c(0));
  }
  return g.is_surface ? surface_of(mesh) : mesh;
}

/// Moves the nodes of a generated mesh of an order above 1 onto its curved shape.
void curve(const GeneratorDesc& g, Mesh& mesh) {
  const auto s = [&](std::size_t i) { return size_at(g, i, 1.0); };
  if (g.kind == GeneratorKind::sphere) curve_sphere(mesh, s(0));
  if (g.kind == GeneratorKind::cylinder) curve_cylinder(mesh, s(0), s(1));
  if (g.kind == GeneratorKind::torus) curve_torus(mesh, s(0), s(1), cells_at(g, 0));
  if (g.kind == GeneratorKind::disk) curve_disk(mesh, s(0));
}

Mesh mesh_of(const GeometryDesc& geometry, int dim) {
  Mesh mesh;
  mesh.dim = dim;
  mesh.vertices = geometry.vertices;
  mesh.edges = geometry.edges;
  mesh.triangles = geometry.triangles;
  mesh.tets = geometry.tets;
  if (!mesh.edges.empty() || !mesh.triangles.empty() || !mesh.tets.empty()) {
    drop_boundary_descriptions(mesh);
    return mesh;
  }
  mesh.points.resize(mesh.vertices.size());
  std::iota(mesh.points.begin(), mesh.points.end(), 0);
  return mesh;
}

/// Drops vertices that no element uses, and their entries of `source_vertex`.
void drop_unused_vertices(Mesh& mesh, std::vector<int>& source_vertex) {
  std::vector<int> kept = drop_unused_vertices(mesh);
  for (int& v : kept) v = source_vertex[v];
  source_vertex = std::move(kept);
}

/// Returns the vertex that has each source number, or -1.
std::vector<int> find_vertices(std::vector<int> numbers, const std::vector<int>& source_vertex) {
  std::map<int, int> vertex_of;
  for (std::size_t v = 0; v < source_vertex.size(); ++v) vertex_of[source_vertex[v]] = static_cast<int>(v);
  for (int& number : numbers) {
    const auto found = vertex_of.find(number);
    number = found == vertex_of.end() ? -1 : found->second;
  }
  return numbers;
}

struct Component {
  Mesh mesh;
  std::vector<int> source_vertex;
};

/// Splits a mesh into the parts that share no vertex, in the order of their first vertices.
std::vector<Component> split_components(const Mesh& mesh, const std::vector<int>& source_vertex) {
  // Vertices that elements join get the same root, which is the smallest of them.
  std::vector<int> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[v] != v) v = parent[v];
    return v;
  };
  const auto join = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (int v : element) {
        const int a = root(v), b = root(element[0]);
        parent[std::max(a, b)] = std::min(a, b);
      }
    }
  };
  join(mesh.tets);
  join(mesh.triangles);
  join(mesh.edges);
  std::map<int, Mesh> meshes;
  const auto hand_out = [&](const auto& elements, auto of) {
    for (const auto& element : elements) {
      Mesh& part = meshes[root(element[0])];
      part.dim = mesh.dim;
      of(part).push_back(element);
    }
  };
  hand_out(
      mesh.tets, [](Mesh & m) -> auto& { return m.tets; });
  hand_out(
      mesh.triangles, [](Mesh & m) -> auto& { return m.triangles; });
  hand_out(
      mesh.edges, [](Mesh & m) -> auto& { return m.edges; });
  for (int v : mesh.points) {
    meshes[root(v)].dim = mesh.dim;
    meshes[root(v)].points.push_back(v);
  }
  std::vector<Component> components;
  for (auto& [first, part] : meshes) {
    part.vertices = mesh.vertices;
    std::vector<int> source = source_vertex;
    drop_unused_vertices(part, source);
    components.push_back({std::move(part), std::move(source)});
  }
  return components;
}

/// Returns true if all elements are inverted. Some programs write vertices in this order; in 2D, the plane is then seen
/// from behind.
bool has_only_inverted_elements(const Mesh& mesh) {
  const ElementDefects defects = find_element_defects(mesh);
  if (mesh.dim == 2) return !mesh.triangles.empty() && defects.inverted_triangles.size() == mesh.triangles.size();
  return mesh.tets.size() > 1 && defects.inverted_tets.size() == mesh.tets.size();
}

/// Turns all elements inside out by exchanging two vertices of each.
void turn_elements(Mesh& mesh) {
  if (mesh.has_curved_cells()) {
    for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) flip_cell(mesh, cell);
    return;
  }
  for (auto& tet : mesh.tets) std::swap(tet[2], tet[3]);
  turn_around(mesh.triangles);
}

void transform_mesh(const TransformDesc& transform, Mesh& mesh) {
  const Mat<3> linear = rotation_from_euler_xyz(transform.rotation) * transform.scale.asDiagonal();
  for (Vec<3>& v : mesh.vertices) v = linear * v + transform.translation;
  // A reflection turns every element inside out. The scale of z does not matter in 2D.
  if (transform.scale.head(mesh.dim).prod() < 0.0) turn_elements(mesh);
}

/// Places the spheres and capsules of a body with vertices of its mesh that no element uses; `next_number` is that of
/// the first in the source.
std::vector<RoundShape> place_round_shapes(const SceneDesc& scene, const BodyDesc& body, int next_number,
                                           std::vector<int>& source_vertex, Mesh& mesh) {
  std::vector<RoundShape> shapes;
  const TransformDesc& transform = body.transform;
  const Mat<3> linear = rotation_from_euler_xyz(transform.rotation) * transform.scale.asDiagonal();
  for (const CapsuleDesc& capsule : capsules_of(scene, body)) {
    RoundShape& shape = shapes.emplace_back();
    shape.radius = std::abs(transform.scale[0]) * capsule.radius;
    for (const Vec<3>& end : capsule.ends) {
      shape.vertices.push_back(static_cast<int>(mesh.vertices.size()));
      mesh.vertices.push_back(linear * end + transform.translation);
      source_vertex.push_back(next_number++);
    }
  }
  return shapes;
}

std::string vertices_of(const Mesh& mesh, bool is_2d, int element) {
  std::string text;
  const auto add = [&](const auto& nodes) {
    for (int v : nodes) {
      const Vec<3>& x = mesh.vertices[v];
      text += fmt::format("{}({:.6g}, {:.6g}, {:.6g})", text.empty() ? "" : " ", x[0], x[1], x[2]);
    }
  };
  if (is_2d) {
    add(mesh.triangles[element]);
  } else {
    add(mesh.tets[element]);
  }
  return text;
}

double volume_of_elements(const Mesh& mesh) {
  double volume = 0.0;
  for (const MassProperties& element : element_mass_properties(mesh)) volume += element.measure;
  return volume;
}

int highest_order(const Mesh& mesh) {
  int highest = 1;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    highest = std::max(highest, mesh.order_of_cell(cell));
  }
  return highest;
}

/// Returns true if `keep_shape` has an effect on the mesh. Appends a warning in either case, or an error if the nodes
/// of the mesh do not allow it.
bool can_keep_shape(const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues, Issues& warnings) {
  if (body.kind != BodyKind::deformable || body.order == 0) return false;  // validation refuses this
  const int highest = highest_order(mesh);
  where.place += ".keep_shape";
  where.value = "true";
  if (highest <= body.order) {
    where.severity = Severity::warning;
    where.message = fmt::format(
        "`keep_shape` has no effect: the elements of the mesh of body '{}' are of order {}, and displacements of order "
        "{} keep their shape anyway",
        body.name, highest, body.order);
    warnings.push_back(where);
    return false;
  }
  if (highest % body.order != 0) {
    where.message = fmt::format(
        "elements of order {} have nodes that the shape of body '{}' does not have, because the shape is of order {}; "
        "expected an `order` that divides the order of the shape",
        body.order, body.name, highest);
    issues.push_back(where);
    return false;
  }
  where.severity = Severity::warning;
  where.message = fmt::format(
      "the shape of body '{}' has order {} and its displacements have order {}, so that a rotation strains its "
      "elements where they are curved (docs/high_order.md)",
      body.name, highest, body.order);
  warnings.push_back(where);
  return true;
}

/// Brings all elements of a deformable body to the order that is asked for (0: the highest order of its elements). A
/// shape of a higher order is lowered, because displacements of a lower order than that of the shape could not turn an
/// element. Returns the new number of each vertex; -1 for those that are no longer nodes.
std::vector<int> set_order(const BodyDesc& body, int order, Issue where, Mesh& mesh, Issues& warnings) {
  const int highest = highest_order(mesh);
  if (order == 0 && highest == 1) {
    std::vector<int> same(mesh.vertices.size());
    std::iota(same.begin(), same.end(), 0);
    return same;
  }
  if (order != 0 && order < highest) {
    const double before = volume_of_elements(mesh);
    std::vector<int> new_number = change_order(mesh, order);
    where.severity = Severity::warning;
    where.place += ".order";
    where.value = fmt::format("{}", order);
    where.message = fmt::format(
        "the elements of the mesh of body '{0}' are of order {1}, and their shape is lowered to order {2}, too, which "
        "changes the body's {3} by {4:+.2g} %; `order` 0 or {1} keeps the shape",
        body.name, highest, order, mesh.dim == 2 ? "area" : "volume",
        100.0 * (volume_of_elements(mesh) / before - 1.0));
    warnings.push_back(where);
    return new_number;
  }
  std::vector<int> new_number = change_order(mesh, order == 0 ? highest : order);
  if (body.generator) curve(*body.generator, mesh);
  return new_number;
}

/// Warns of a collision surface with holes, which protects nothing there, and of one of another size, which is probably
/// in another unit.
void warn_of_proxy(const BodyDesc& body, const Mesh& mesh, const Mesh& proxy, Issue where, Issues& warnings) {
  where.severity = Severity::warning;
  const bool is_closed =
      proxy.dim == 3 ? find_surface_defects(proxy.triangles).open_edges.empty() : is_closed_outline(proxy.edges);
  if (!is_closed) {
    where.message = fmt::format(
        "the collision surface of body '{}' is open, so that other bodies can enter through its holes", body.name);
    warnings.push_back(where);
  }
  const BoundingBox own = bounding_box(mesh.vertices), other = bounding_box(proxy.vertices);
  const double off = std::max((own.min - other.min).norm(), (own.max - other.max).norm());
  if (!(off > largest_misfit * own.diagonal())) return;
  const Vec<3> size = own.size(), of_surface = other.size();
  where.message = fmt::format(
      "the collision surface of body '{}' measures {:.3g} x {:.3g} x {:.3g} m and its elements {:.3g} x {:.3g} x "
      "{:.3g} m, and corners of their boxes are up to {:.3g} m apart; check that the surface has the unit and the "
      "place of the body's mesh",
      body.name, of_surface[0], of_surface[1], of_surface[2], size[0], size[1], size[2], off);
  warnings.push_back(where);
}

/// Loads the collision surface from a file, if there is one, and places it as the mesh of the body is placed.
ProxySurface load_proxy(const SceneDesc& scene, const BodyDesc& body, const Mesh& mesh, Issue where, Issues& issues,
                        Issues& warnings) {
  if (!body.collision_surface || body.collision_surface->mesh.empty()) return {};
  where.place += ".collision_surface.mesh";
  where.file = (std::filesystem::path(scene.base_directory) / body.collision_surface->mesh).string();
  Result<Mesh> read = read_mesh(where.file, {.dim = scene.dimension});
  if (!read) {
    for (Issue issue : read.issues()) {
      issue.message = fmt::format("collision surface of body '{}': {}", body.name, issue.message);
      issues.push_back(std::move(issue));
    }
    return {};
  }
  convert_to_scene(scene, body, *read);
  warn_of_repeated_elements(where.place, fmt::format("collision surface of body '{}'", body.name), scene.dimension,
                            merge_repeated_elements(*read), warnings);
  std::vector<int> source_vertex(read->vertices.size());
  std::iota(source_vertex.begin(), source_vertex.end(), 0);
  Mesh proxy = with_boundary_only(*read);
  // Points, and in 3D edges, are no part of the surface and must not touch unseen.
  proxy.points.clear();
  if (scene.dimension == 3) proxy.edges.clear();
  drop_unused_vertices(proxy, source_vertex);
  proxy.dim = scene.dimension;
  transform_mesh(body.transform, proxy);
  if (scene.dimension == 3 ? proxy.triangles.empty() : proxy.edges.empty()) {
    where.message = fmt::format("the collision surface of body '{}' has no {}", body.name,
                                scene.dimension == 3 ? "triangles" : "edges");
    issues.push_back(where);
    return {};
  }
  warn_of_proxy(body, mesh, proxy, where, warnings);
  return {std::make_shared<const Mesh>(std::move(proxy)), std::move(source_vertex), read->vertices.size()};
}

/// Returns a hint about the numbering of nodes if at least half of the elements are inverted, which is no accident.
std::string hint_of_numbering(const Mesh& mesh, const std::vector<int>& inverted) {
  const bool is_curved = mesh.order_of_cell(inverted.front()) > 1;
  if (!is_curved || 2 * inverted.size() < mesh.num_solid_cells()) return "";
  return "; since there are so many, the nodes between the corners may be in the order of another file format";
}

/// Appends the reasons why a deformable mesh cannot be simulated.
void check_elements(const Mesh& mesh, const std::string& name, Issue where, Issues& issues) {
  const bool is_2d = mesh.dim == 2;
  const char* element = is_2d ? "triangle" : "tetrahedron";
  if (is_2d ? mesh.triangles.empty() : mesh.tets.empty()) {
    where.message = fmt::format(
        "body '{}' has no {}, but a deformable body needs elements; fill its surface or outline by `\"volume_mesh\": "
        "{{}}` in the body, or use the kind \"affine\", \"rigid\" or \"obstacle\", which need no elements",
        name, is_2d ? "triangles" : "tetrahedra");
    issues.push_back(where);
    return;
  }
  const ElementDefects defects = find_element_defects(mesh);
  const auto report = [&](const std::vector<int>& elements, const char* what) {
    if (elements.empty()) return;
    where.message =
        fmt::format("body '{}' has {} {} {}{}: number {} (counted from 0); the first has vertices {}{}", name,
                    elements.size(), what, element, elements.size() == 1 ? "" : "s", list_some(elements),
                    vertices_of(mesh, is_2d, elements[0]), hint_of_numbering(mesh, elements));
    issues.push_back(where);
  };
  report(is_2d ? defects.inverted_triangles : defects.inverted_tets, "inverted");
  report(is_2d ? defects.flat_triangles : defects.flat_tets, "zero-volume");
}

/// Reports a body whose surface is not closed: others would pass through it.
void check_closed(const Mesh& mesh, const Triangles& boundary, const std::string& name, Issue where, Issues& issues) {
  const bool is_plane = mesh.dim == 2;
  // Other errors of the elements have been reported already and are the cause.
  if (has_errors(issues) || (is_plane ? mesh.triangles.empty() : mesh.tets.empty())) return;
  const Edges outline = is_plane ? boundary_edges(mesh) : Edges{};
  const bool is_empty = is_plane ? outline.empty() : boundary.empty();
  if (!is_empty && (is_plane ? is_closed_outline(outline) : is_closed_surface(boundary))) return;
  where.message = fmt::format(
      "the surface of body '{}' {}, so that other bodies would pass through it; check whether elements are missing or "
      "listed twice",
      name, is_empty ? "is empty" : "has holes");
  issues.push_back(where);
}

void check_surface(const Triangles& boundary, const std::string& name, Issue where, Issues& warnings) {
  const SurfaceDefects defects = find_surface_defects(boundary);
  if (defects.is_manifold()) return;
  where.severity = Severity::warning;
  where.message = fmt::format(
      "the surface of body '{}' is not manifold ({} edges with more than two triangles, {} pinched vertices); parts "
      "that share only an edge or a vertex stay connected there",
      name, defects.crowded_edges.size(), defects.pinched_vertices.size());
  warnings.push_back(where);
}

/// Largest number of cells, as for generators; more would not fit into the memory of any machine.
constexpr double most_cells = 1e8;

bool has_several_orders(const Mesh& mesh) {
  for (std::size_t cell = 1; cell < mesh.num_solid_cells() && mesh.has_curved_cells(); ++cell) {
    if (mesh.order_of_cell(cell) != mesh.order_of_cell(0)) return true;
  }
  return false;
}

double cells_after_refinement(const Mesh& mesh, int refinements) {
  return static_cast<double>(mesh.tets.size()) * std::ldexp(1.0, 3 * refinements) +
         static_cast<double>(mesh.triangles.size()) * std::ldexp(1.0, 2 * refinements);
}

/// An entry of the scene's `bodies` while it is turned into instances.
struct BodyEntry {
  BodyEntry(const SceneDesc& of_scene, int d, Issues& problems, Issues& hints)
      : scene(of_scene), desc(d), body(of_scene.bodies[d]), issues(problems), warnings(hints) {
    where.place = place_of(d);
  }
  /// True for all but deformable bodies: they consist of the surface of their mesh.
  bool is_surface() const { return body.kind != BodyKind::deformable; }

  const SceneDesc& scene;
  int desc;
  const BodyDesc& body;
  Issues& issues;
  Issues& warnings;
  Issue where;  // place of the entry, and the mesh file if it has one

  Mesh source;          // mesh as the file or the generator has it, then refined and of its order
  Mesh filled_surface;  // surface that `volume_mesh` has filled [m], if the body collides with it
  std::shared_ptr<const ElementNumbers> element_numbers;
  bool keeps_shape = false;
  std::vector<int> number_of_node;  // number in `source` per node of the file; for deformable bodies
  bool has_chosen_order = false;    // true if the program has chosen the order of the elements

  Mesh mesh;  // mesh placed in the scene; copies differ by a translation
  std::vector<int> source_vertex;
  BoundingBox untransformed_box;
  std::shared_ptr<const std::vector<BodyGroup>> groups;

  std::vector<RoundShape> round_shapes;
  ProxySurface proxy;
  std::shared_ptr<const NodeWeights> proxy_weights;
  std::shared_ptr<const Pattern> pattern;
  std::shared_ptr<const std::vector<MeshArray>> arrays;
};

using MeshFiles = std::map<std::string, Mesh>;

/// Reads the arrays of the body's file if a field of its material names one. Returns false if there is none.
bool read_arrays(const std::filesystem::path& path, BodyEntry& entry) {
  const std::vector<MaterialFieldDesc>& fields = entry.body.material_fields;
  if (std::all_of(fields.begin(), fields.end(), [](const MaterialFieldDesc& field) { return field.array.empty(); })) {
    return true;
  }
  Result<std::vector<MeshArray>> read = read_mesh_arrays(path, entry.scene.dimension);
  if (!read) {
    entry.issues.insert(entry.issues.end(), read.issues().begin(), read.issues().end());
    return false;
  }
  entry.arrays = std::make_shared<const std::vector<MeshArray>>(std::move(read).value());
  return true;
}

/// Reads the mesh of the body's file and converts it to metres. Returns false if it cannot be read or filled.
bool read_mesh_file(BodyEntry& entry, MeshFiles& files) {
  const BodyDesc& body = entry.body;
  const std::filesystem::path path = std::filesystem::path(entry.scene.base_directory) / body.mesh;
  entry.where.file = path.string();
  auto known = files.find(entry.where.file);
  if (known == files.end()) {
    Result<Mesh> read = read_mesh(path, {.dim = entry.scene.dimension});
    if (!read) {
      for (Issue issue : read.issues()) {
        issue.message = fmt::format("mesh of body '{}': {}", body.name, issue.message);
        entry.issues.push_back(std::move(issue));
      }
      return false;
    }
    known = files.emplace(entry.where.file, std::move(read).value()).first;
  }
  entry.source = known->second;
  if (!read_arrays(path, entry)) return false;
  convert_to_scene(entry.scene, body, entry.source);
  if (body.collision_surface && body.collision_surface->input) entry.filled_surface = entry.source;
  return !body.volume_mesh ||
         fill_surface(entry.scene, entry.desc, entry.where, entry.source, entry.issues, entry.warnings);
}

/// Gets the mesh as the file, the generator or the scene has it. Returns false if there is none.
bool read_source(BodyEntry& entry, MeshFiles& files) {
  const BodyDesc& body = entry.body;
  if (!body.generator) {
    if (!body.geometry) return read_mesh_file(entry, files);
    entry.source = mesh_of(*body.geometry, entry.scene.dimension);
    return true;
  }
  Result<Mesh> generated = generate(*body.generator);
  if (!generated) {
    for (Issue issue : generated.issues()) {
      issue.place = fmt::format("{}.generator.{}", entry.where.place, issue.place);
      entry.issues.push_back(std::move(issue));
    }
    return false;
  }
  entry.source = std::move(generated).value();
  return true;
}

/// Keeps one of each group of repeated elements, for all kinds of bodies and sources.
void merge_copies(BodyEntry& entry) {
  const MergedElements merged = merge_repeated_elements(entry.source);
  warn_of_repeated_elements(shape_place(entry.scene, entry.desc), fmt::format("body '{}'", entry.body.name),
                            entry.scene.dimension, merged, entry.warnings);
  if (merged.solid_of_number.empty()) return;
  entry.element_numbers =
      std::make_shared<const ElementNumbers>(ElementNumbers{merged.solid_of_number, merged.number_of_solid});
}

/// Reports faces that are neither inside the body nor on its surface, because the elements there overlap.
void check_crowded_faces(BodyEntry& entry) {
  CrowdedFaces crowded = find_crowded_faces(entry.source);
  if (crowded.count == 0) return;
  for (int& element : crowded.elements) {
    if (entry.element_numbers) element = entry.element_numbers->in_file[element];
  }
  const bool is_plane = entry.source.dim == 2, is_one = crowded.count == 1;
  const char* elements = is_plane ? "triangles" : "tetrahedra";
  const auto& [a, b, c] = crowded.corners;
  Issue issue = entry.where;
  issue.message = fmt::format(
      "body '{}': {} of its mesh {} to more than two {}, or to two on the same side of {}; the first has the vertices "
      "{}, {}{} (counted from 0) and belongs to {} {}; these overlap, so that the surface would have a hole there; "
      "keep one on each side",
      entry.body.name, counted(crowded.count, is_plane ? "side" : "face"), is_one ? "belongs" : "belong", elements,
      is_one ? "it" : "them", a, b, is_plane ? "" : fmt::format(", {}", c), elements, list_some(crowded.elements));
  entry.issues.push_back(std::move(issue));
}

/// Splits the elements as often as the body says. Returns false if that is not possible.
bool refine(BodyEntry& entry) {
  const BodyDesc& body = entry.body;
  const auto refuse = [&](std::string message) {
    entry.issues.push_back({entry.where.file, entry.where.place + ".refinements", fmt::format("{}", body.refinements),
                            std::move(message)});
    return false;
  };
  if (body.refinements > 0 && entry.source.has_curved_cells()) {
    return refuse(
        fmt::format("the mesh of body '{}' has curved elements, but only linear elements can be refined", body.name));
  }
  if (const double cells = cells_after_refinement(entry.source, body.refinements); cells > most_cells) {
    return refuse(
        fmt::format("the refined mesh is too fine; it can have at most {:g} cells, not {:.3g}", most_cells, cells));
  }
  if (body.refinements > 0) {
    warn_of_coarse_nodes(entry.scene, entry.desc, entry.where.place, entry.source, entry.warnings);
  }
  for (int i = 0; i < body.refinements; ++i) entry.source = refine_uniformly(entry.source);
  return true;
}

/// True if something of the scene has data for each node of the body, or needs linear elements.
bool needs_own_nodes(const BodyEntry& entry) {
  const SceneDesc& scene = entry.scene;
  const BodyDesc& body = entry.body;
  const auto is_moved = [&](const MovedBodyDesc& moved) { return moved.displacements.has_value(); };
  const auto follows_meshes = [](const MotionDesc& motion) { return motion.has_mesh_sequence(); };
  return find_remesh(scene, body) != nullptr || body.collision_surface || !body.element_densities.empty() ||
         scene.start.overlaps == OverlapHandling::separate ||
         std::any_of(scene.start.moved.begin(), scene.start.moved.end(), is_moved) ||
         std::any_of(body.motions.begin(), body.motions.end(), follows_meshes);
}

/// Returns the order that the elements of a deformable body are brought to; 0: that of the mesh. Linear elements are
/// far too stiff in bending: with two through its height, a cantilever bends by 59 % of what it should.
int order_of_elements(const BodyEntry& entry) {
  const BodyDesc& body = entry.body;
  if (entry.keeps_shape) return 0;
  const bool is_static = entry.scene.time.integrator == TimeIntegrator::quasi_static;
  const bool is_fine = std::cmp_greater(entry.source.num_solid_cells(), entry.scene.statics.quadratic_elements);
  if (body.order != 0 || !is_static || is_fine || highest_order(entry.source) > 1) return body.order;
  return needs_own_nodes(entry) ? 0 : 2;
}

/// Brings a deformable body to its order. For other bodies, makes the boundary close between elements of several
/// orders.
void raise_order(BodyEntry& entry) {
  const BodyDesc& body = entry.body;
  entry.keeps_shape = body.keep_shape && can_keep_shape(body, entry.where, entry.source, entry.issues, entry.warnings);
  if (body.kind != BodyKind::deformable) {
    if (has_several_orders(entry.source)) change_order(entry.source, highest_order(entry.source));
    return;
  }
  const int order = order_of_elements(entry);
  entry.has_chosen_order = order > body.order;
  if (order > highest_order(entry.source) && !entry.has_chosen_order) {
    warn_of_coarse_nodes(entry.scene, entry.desc, entry.where.place, entry.source, entry.warnings);
  }
  entry.number_of_node = set_order(body, order, entry.where, entry.source, entry.warnings);
  // Vertices that remain keep their relative order.
  const std::vector<int>& numbers = entry.number_of_node;
  if (std::find(numbers.begin(), numbers.end(), -1) != numbers.end()) {
    warn_of_renumbered_nodes(entry.scene, entry.desc, entry.where.place, entry.warnings);
  }
}

bool prepare_source(BodyEntry& entry) {
  entry.source.dim = entry.scene.dimension;
  if (has_only_inverted_elements(entry.source)) turn_elements(entry.source);
  merge_copies(entry);
  check_crowded_faces(entry);
  if (!refine(entry)) return false;
  raise_order(entry);
  return true;
}

/// Checks that the mesh has the elements and nodes that the scene refers to, and that all of its vertices are used.
void check_source(BodyEntry& entry) {
  const ElementNumbers* numbers = entry.element_numbers.get();
  check_element_numbers(entry.body, entry.where, entry.source, numbers, entry.issues);
  // Nodes that the program has added have no numbers for the user.
  const std::size_t num_nodes = entry.has_chosen_order ? entry.number_of_node.size() : entry.source.vertices.size();
  check_regions(entry.scene, entry.desc, entry.where, entry.source, num_nodes, entry.issues);
  warn_of_lone_points(entry.scene, entry.desc, entry.source, entry.warnings);
}

/// Turns all vertices of a mesh into lone points.
void make_particles(Mesh& mesh) {
  mesh.triangles.clear();
  mesh.edges.clear();
  mesh.points.resize(mesh.vertices.size());
  std::iota(mesh.points.begin(), mesh.points.end(), 0);
}

/// Returns the part of the mesh that the body consists of. The rest is ignored, also in the body's box.
Mesh part_of_body(const BodyEntry& entry) {
  Mesh mesh = entry.is_surface() ? with_boundary_only(entry.source) : entry.source;
  mesh.dim = entry.scene.dimension;
  if (!entry.is_surface()) {
    // Only the elements deform. Surface triangles in the file repeat the same surface.
    mesh.edges.clear();
    mesh.points.clear();
    if (mesh.dim == 3) mesh.triangles.clear();
  } else if (entry.body.kind == BodyKind::particles) {
    make_particles(mesh);
  } else if (entry.body.kind == BodyKind::shell) {
    mesh.edges.clear();
    mesh.points.clear();
  } else if (entry.body.kind == BodyKind::rod) {
    mesh.triangles.clear();
    mesh.points.clear();
  } else if (has_points_left_out(entry.source)) {
    mesh.points.clear();
  }
  return mesh;
}

void place_mesh(BodyEntry& entry) {
  entry.groups = std::make_shared<const std::vector<BodyGroup>>(find_groups(entry.scene, entry.desc, entry.source));
  entry.source_vertex.resize(entry.source.vertices.size());
  std::iota(entry.source_vertex.begin(), entry.source_vertex.end(), 0);
  entry.mesh = part_of_body(entry);
  drop_unused_vertices(entry.mesh, entry.source_vertex);
  entry.untransformed_box = bounding_box(entry.mesh.vertices);
  transform_mesh(entry.body.transform, entry.mesh);
  entry.round_shapes = place_round_shapes(entry.scene, entry.body, static_cast<int>(entry.source.vertices.size()),
                                          entry.source_vertex, entry.mesh);
}

void check_placed_elements(BodyEntry& entry) {
  check_elements(entry.mesh, entry.body.name, entry.where, entry.issues);
  check_remesh_of_mesh(entry.scene, entry.body, entry.where, entry.mesh, entry.issues, entry.warnings);
  const Triangles boundary = boundary_triangles(entry.mesh);
  check_closed(entry.mesh, boundary, entry.body.name, entry.where, entry.issues);
  check_surface(boundary, entry.body.name, entry.where, entry.warnings);
  warn_of_seams(entry.scene, entry.desc, entry.mesh, boundary, entry.source_vertex, entry.warnings);
}

/// Describes a mesh without the wanted elements by those that it has: `3 edges and no triangle`.
std::string contents_without(const Mesh& mesh, const char* wanted) {
  std::string has = mesh.vertices.size() == 1 ? "1 vertex" : fmt::format("{} vertices", mesh.vertices.size());
  if (!mesh.edges.empty()) has = counted(mesh.edges.size(), "edge");
  if (!mesh.triangles.empty()) has = counted(mesh.triangles.size(), "triangle");
  if (!mesh.tets.empty()) has = fmt::format("{} tetrahedr{}", mesh.tets.size(), mesh.tets.size() == 1 ? "on" : "a");
  return fmt::format("{} and no {}", has, wanted);
}

/// Reports what a shell cannot be made of: no triangles, triangles without an area, edges of more than two of them.
void check_shell_mesh(BodyEntry& entry) {
  const Mesh& mesh = entry.mesh;
  const auto report = [&](std::size_t count, const std::string& message) {
    if (count == 0) return;
    Issue issue = entry.where;
    issue.message = fmt::format("shell '{}' {}", entry.body.name, message);
    entry.issues.push_back(std::move(issue));
  };
  report(mesh.triangles.empty() ? 1 : 0,
         fmt::format("needs triangles; its mesh has {}", contents_without(entry.source, "triangle")));
  std::vector<int> flat;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec<3> e1 = mesh.vertices[b] - mesh.vertices[a], e2 = mesh.vertices[c] - mesh.vertices[a];
    // The smallest height over the longest side.
    const double longest_sq = std::max({e1.squaredNorm(), e2.squaredNorm(), (e2 - e1).squaredNorm()});
    constexpr double least_height = 1e-9;
    if (!(cross_product(e1, e2).norm() > least_height * longest_sq)) flat.push_back(static_cast<int>(t));
  }
  report(flat.size(), fmt::format("has {} without an area: number {} (counted from 0)",
                                  counted(flat.size(), "triangle"), list_some(flat)));
  const SurfaceEdges edges = find_surface_edges(mesh.triangles);
  std::size_t crowded = 0;
  const SurfaceEdge* first = nullptr;
  for (const SurfaceEdge& edge : edges.edges) {
    if (edge.num_more == 0) continue;
    if (crowded++ == 0) first = &edge;
  }
  if (first == nullptr) return;
  report(crowded, fmt::format("has {} with more than two triangles, the first between the vertices {} and {} (counted "
                              "from 0); split the body there",
                              counted(crowded, "edge"), entry.source_vertex[first->vertices[0]],
                              entry.source_vertex[first->vertices[1]]));
}

/// Reports what a rod cannot be made of: no edges, edges without a length, vertices with more than two of them.
void check_rod_mesh(BodyEntry& entry) {
  const Mesh& mesh = entry.mesh;
  const auto report = [&](const std::string& message) {
    Issue issue = entry.where;
    issue.message = fmt::format("rod '{}' {}", entry.body.name, message);
    entry.issues.push_back(std::move(issue));
  };
  if (mesh.edges.empty()) {
    return report(fmt::format("needs edges; its mesh has {}", contents_without(entry.source, "edge")));
  }
  std::vector<int> num_edges(mesh.vertices.size(), 0), flat;
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    for (const int v : mesh.edges[e]) ++num_edges[v];
    if (mesh.vertices[mesh.edges[e][0]] == mesh.vertices[mesh.edges[e][1]]) flat.push_back(static_cast<int>(e));
  }
  if (!flat.empty()) {
    report(fmt::format("has {} without a length: number {} (counted from 0)", counted(flat.size(), "edge"),
                       list_some(flat)));
  }
  const auto crowded = std::find_if(num_edges.begin(), num_edges.end(), [](int count) { return count > 2; });
  if (crowded == num_edges.end()) return;
  report(
      fmt::format("branches at vertex {} (counted from 0), which has {} edges; a rod is a line or a loop, so give "
                  "each branch a body of its own",
                  entry.source_vertex[crowded - num_edges.begin()], *crowded));
}

void check_placed_surface(BodyEntry& entry) {
  if (entry.body.kind == BodyKind::shell) {
    check_shell_mesh(entry);
  } else if (entry.body.kind == BodyKind::rod) {
    check_rod_mesh(entry);
  } else if (entry.mesh.vertices.empty()) {
    entry.where.message = fmt::format("body '{}' has no triangle, edge or point", entry.body.name);
    entry.issues.push_back(entry.where);
  } else if (is_stiff(entry.body.kind) && entry.scene.dimension == 3) {
    close_t_junctions(entry.scene, entry.desc, entry.mesh, entry.warnings);
    warn_of_open_seams(entry.scene, entry.desc, entry.mesh, entry.source_vertex, entry.warnings);
  }
}

/// Makes the surface that `volume_mesh` has filled the collision surface of the body.
ProxySurface place_filled_surface(BodyEntry& entry) {
  entry.filled_surface.dim = entry.scene.dimension;
  const bool is_plane = entry.scene.dimension == 2;
  Mesh surface = (is_plane ? repair_outline(entry.filled_surface) : repair_surface(entry.filled_surface)).mesh;
  surface.dim = entry.scene.dimension;
  const std::string defects = is_plane ? describe_outline_defects(surface) : describe_surface_defects(surface);
  if (!defects.empty()) {
    Issue issue = entry.where;
    issue.place += ".collision_surface.input";
    issue.message = fmt::format(
        "the surface of body '{}' has {}, so that it cannot be its collision surface; mend it, or remove `input`",
        entry.body.name, defects);
    entry.issues.push_back(std::move(issue));
    return {};
  }
  transform_mesh(entry.body.transform, surface);
  std::vector<int> source_vertex(surface.vertices.size());
  std::iota(source_vertex.begin(), source_vertex.end(), 0);
  const std::size_t num_vertices = surface.vertices.size();
  return {std::make_shared<const Mesh>(std::move(surface)), std::move(source_vertex), num_vertices};
}

/// Loads the separate surface that a deformable body may touch others with.
void load_collision_surface(BodyEntry& entry) {
  if (!entry.filled_surface.vertices.empty()) {
    entry.proxy = place_filled_surface(entry);
    return;
  }
  entry.proxy = load_proxy(entry.scene, entry.body, entry.mesh, entry.where, entry.issues, entry.warnings);
  if (!entry.proxy.mesh || entry.body.collision_surface->weights.empty() || !entry.issues.empty()) return;
  Issues found;
  const FileNodes nodes = {entry.mesh, find_vertices(entry.number_of_node, entry.source_vertex)};
  entry.proxy_weights = load_proxy_weights(entry.scene, entry.body, entry.where, entry.proxy, nodes, found);
  Issues& to = has_errors(found) ? entry.issues : entry.warnings;
  to.insert(to.end(), found.begin(), found.end());
}

BodyInstance make_instance(const BodyEntry& entry, const Component& component, const Vec<3>& offset) {
  const BodyDesc& body = entry.body;
  BodyInstance instance;
  instance.desc = entry.desc;
  instance.kind = body.kind;
  instance.is_obstacle = body.kind == BodyKind::obstacle;
  instance.mesh = component.mesh;
  instance.round_shapes = entry.round_shapes;
  instance.proxy = entry.proxy.mesh;
  instance.proxy_weights = entry.proxy_weights;
  instance.pattern = entry.pattern;
  instance.arrays = entry.arrays;
  if (entry.keeps_shape) {
    instance.displacement_order = body.order;
    instance.followed = followed_nodes(component.mesh, body.order);
  }
  instance.untransformed_box = entry.untransformed_box;
  instance.source_vertex = component.source_vertex;
  instance.num_source_vertices = entry.source.vertices.size();
  for (const RoundShape& shape : entry.round_shapes) instance.num_source_vertices += shape.vertices.size();
  instance.lists_reach_between = entry.has_chosen_order;
  instance.groups = entry.groups;
  instance.element_numbers = entry.element_numbers;
  instance.array_offset = offset;
  for (Vec<3>& v : instance.mesh.vertices) v += instance.array_offset;
  if (!body.material_parts.empty() && entry.issues.empty()) {
    instance.material_part = find_material_parts(body, instance);
  }
  return instance;
}

/// Makes a body for every place of the array and every component that the mesh is split into.
std::vector<BodyInstance> make_copies(BodyEntry& entry) {
  const BodyDesc& body = entry.body;
  std::vector<Component> components;
  if (body.split_components) {
    components = split_components(entry.mesh, entry.source_vertex);
  } else {
    components.push_back({std::move(entry.mesh), std::move(entry.source_vertex)});
  }
  const ArrayDesc array = body.array.value_or(ArrayDesc{});
  const std::size_t num_bodies = array.counts[0] * array.counts[1] * array.counts[2] * components.size();
  std::vector<BodyInstance> copies;
  for (int i = 0; i < array.counts[0]; ++i) {
    for (int j = 0; j < array.counts[1]; ++j) {
      for (int k = 0; k < array.counts[2]; ++k) {
        for (const Component& component : components) {
          BodyInstance instance = make_instance(entry, component, Vec<3>(i, j, k).cwiseProduct(array.spacing));
          instance.name = num_bodies == 1 ? body.name : fmt::format("{}[{}]", body.name, copies.size());
          copies.push_back(std::move(instance));
        }
      }
    }
  }
  return copies;
}

/// Places the nodes of a body of revolution that are on the axis y, to rounding, exactly there. Returns the error of
/// one that reaches beyond the axis.
Issues place_on_axis(const BodyEntry& entry, BodyInstance& instance) {
  if (!entry.scene.axisymmetric || instance.kind != BodyKind::deformable) return {};
  constexpr double rounding = 1e-9;
  const double size = bounding_box(instance.mesh.vertices).diagonal();
  double least = 0.0;
  for (Vec<3>& v : instance.mesh.vertices) {
    if (std::abs(v[0]) <= rounding * size) v[0] = 0.0;
    least = std::min(least, v[0]);
  }
  if (least == 0.0) return {};
  return {{"", entry.where.place, fmt::format("x = {:g}", least),
           fmt::format("'{}' reaches beyond the axis of revolution; in an axisymmetric scene expected x >= 0, the half "
                       "section on the right of the axis y",
                       instance.name),
           Severity::error}};
}

}  // namespace

Result<LoadedBodies> load_bodies(const SceneDesc& scene) {
  LoadedBodies loaded;
  Issues issues;
  MeshFiles files;
  for (int d = 0; d < static_cast<int>(scene.bodies.size()); ++d) {
    const std::size_t num_issues_before = issues.size();
    BodyEntry entry(scene, d, issues, loaded.warnings);
    if (!read_source(entry, files) || !prepare_source(entry)) continue;
    check_source(entry);
    place_mesh(entry);
    if (entry.is_surface()) {
      check_placed_surface(entry);
    } else {
      check_placed_elements(entry);
    }
    load_collision_surface(entry);
    check_thin_directions(entry.body, entry.where, entry.mesh, issues, loaded.warnings);
    entry.pattern = load_pattern(scene, entry.body, entry.where, entry.mesh, issues, loaded.warnings);
    std::vector<BodyInstance> copies = make_copies(entry);
    for (BodyInstance& copy : copies) {
      const Issues beyond = place_on_axis(entry, copy);
      issues.insert(issues.end(), beyond.begin(), beyond.end());
    }
    const bool is_sound = issues.size() == num_issues_before;
    if (is_sound && !copies.empty()) check_material_fields(entry.body, entry.where, copies, issues);
    if (issues.empty()) warn_of_empty_parts(entry.body, entry.where.place, copies, loaded.warnings);
    std::move(copies.begin(), copies.end(), std::back_inserter(loaded.instances));
  }
  if (issues.empty()) move_bodies(scene, loaded.instances, issues);
  if (has_errors(issues)) return issues;
  return loaded;
}

}  // namespace clearance
