#include "clearance/meshing/volume_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/geometry/surface.h"
#include "clearance/meshing/deviation.h"
#include "clearance/meshing/flat_tetrahedra.h"
#include "clearance/meshing/mesh_program.h"
#include "clearance/meshing/mesh_quality.h"
#include "clearance/meshing/surface_defects.h"
#include "clearance/meshing/surface_repair.h"

namespace clearance {

namespace {

// Fractions of the edge length. A deviation of a twentieth is what a sphere of eight edges around has anyway.
constexpr double facet_distance = 0.05;
constexpr double wrap_alpha = 0.25;
constexpr double wrap_offset = 0.05;
constexpr double deviation_tolerance = 0.01;
// [deg] A cylinder of twelve sides is round.
constexpr double feature_angle = 40.0;
constexpr double flat_angle = 1.0;
constexpr double max_elements = 2e7;

Issue refusal(std::string value, std::string message) {
  return {"", "", std::move(value), std::move(message), Severity::error};
}

std::string number(double value) {
  return fmt::format("{}", value);
}

/// Edges and points as triangles without area.
Triangles boundary_of(const Mesh& mesh) {
  if (mesh.dim == 3) return mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh.tets);
  Triangles sides;
  for (const auto& [a, b] : mesh.triangles.empty() ? mesh.edges : boundary_edges(mesh.triangles))
    sides.push_back({a, b, b});
  return sides;
}

/// What of a surface has to stay when it is meshed: how many parts it has, and how many handles.
struct Topology {
  int num_parts = 0;
  int euler = 0;
  bool operator==(const Topology&) const = default;
};

Topology topology_of(const Vertices& vertices, const Triangles& surface) {
  Mesh used;
  used.vertices = vertices;
  used.triangles = surface;
  const std::vector<int> component = connected_components(used);
  std::vector<int> parts;
  for (const auto& triangle : surface) parts.push_back(component[static_cast<std::size_t>(triangle[0])]);
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return {static_cast<int>(parts.size()), euler_characteristic(surface)};
}

/// What is wrong with a mesh that was made; empty: nothing is. Exact.
std::string find_fault(const Mesh& made, const Mesh& surface) {
  const int inverted = num_inverted(made);
  if (inverted > 0) return fmt::format("{} elements are inverted or flat", inverted);
  if (!find_element_defects(made).empty()) return "elements have hardly any volume";
  Mesh boundary = surface_of(made);
  boundary.dim = made.dim;
  const std::string defects = made.dim == 3 ? describe_surface_defects(boundary) : describe_outline_defects(boundary);
  if (!defects.empty()) return "its surface has " + defects;
  if (made.dim == 3 &&
      topology_of(boundary.vertices, boundary.triangles) != topology_of(surface.vertices, surface.triangles)) {
    return "parts, holes or handles of the surface are lost";
  }
  return "";
}

/// Far above what any good surface takes: what needs more is not getting anywhere.
std::size_t max_vertices(const Mesh& surface, double edge_length) {
  const Vec<3> size = bounding_box(surface.vertices).size() / edge_length;
  const double area = size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
  return static_cast<std::size_t>(10'000.0 + 10.0 * (2.0 * area + size.prod()));
}

/// [s] of processor time. Refinement makes some 3000 vertices a second, and goes round in circles where sharp edges are
/// too close to each other.
std::size_t max_seconds(std::size_t num_vertices) {
  return 60 + num_vertices / 500;
}

Result<Mesh> fill(const Mesh& surface, double edge_length, double angle) {
  if (surface.dim == 2) return run_mesh_program("triangles", surface, {"--edge-length", number(edge_length)});
  const std::size_t limit = max_vertices(surface, edge_length);
  return run_mesh_program("tetrahedra", surface,
                          {"--edge-length", number(edge_length), "--facet-distance",
                           number(facet_distance * edge_length), "--feature-angle", number(angle), "--max-vertices",
                           fmt::format("{}", limit), "--max-seconds", fmt::format("{}", max_seconds(limit))});
}

/// One way to mesh a surface.
struct Attempt {
  double share;  ///< of the wanted edge length
  double angle;  ///< [deg] of features
};

/// Details that edges of the wanted length cannot show are meshed with shorter ones, and sharp edges that are too close
/// to each other are not kept.
Result<Mesh> fill_well(const Mesh& surface, bool has_features, double& edge_length) {
  std::vector<Attempt> attempts = {{1.0, 0.0}, {0.5, 0.0}, {0.25, 0.0}};
  if (has_features) attempts.insert(attempts.begin(), {{1.0, feature_angle}, {0.5, feature_angle}});
  std::string fault;
  const double wanted = edge_length;
  for (const auto& [share, angle] : attempts) {
    edge_length = share * wanted;
    Result<Mesh> made = fill(surface, edge_length, angle);
    if (!made && find_mesh_program().empty()) return made;
    if (made) take_off_flat_tetrahedra(flat_angle, *made);
    fault = made ? find_fault(*made, surface) : made.issues().front().message;
    if (fault.empty()) return made;
  }
  return refusal(number(wanted), fmt::format("no good mesh was found with this edge length, nor with a quarter of it: "
                                             "{}; choose a shorter one",
                                             fault));
}

void measure(const Mesh& given, VolumeMesh& result) {
  VolumeMeshReport& report = result.report;
  const Triangles before = boundary_of(given), after = boundary_of(result.mesh);
  const double tolerance = deviation_tolerance * report.edge_length;
  report.farthest_of_mesh =
      largest_distance(result.mesh.vertices, after, TriangleTree(given.vertices, before), tolerance);
  report.farthest_of_given =
      largest_distance(given.vertices, before, TriangleTree(result.mesh.vertices, after), tolerance);
  report.smallest_angle = smallest_angle(result.mesh);
  report.volume = mass_of_mesh(result.mesh, 0.0).properties.measure;
  report.given_volume = mass_of_mesh(given, 0.0).properties.measure;
}

/// What is not a surface at all, or too much for any computer.
Issues check_request(const Mesh& given, double edge_length) {
  const bool is_plane = given.dim == 2;
  const std::size_t num_elements = is_plane ? given.triangles.size() : given.tets.size();
  if (num_elements > 0) {
    return {refusal(fmt::format("{} {}", num_elements, is_plane ? "triangles" : "tetrahedra"),
                    "is no bare surface: it has elements already")};
  }
  if ((is_plane ? given.edges.size() : given.triangles.size()) == 0) {
    return {refusal("", is_plane ? "has no edges that could be an outline"
                                 : "has no triangles that could be a surface; outlines are filled in 2D")};
  }
  const Vec<3> size = bounding_box_of_elements(given).size();
  const double measure = is_plane ? size[0] * size[1] : size.prod();
  const double cell = is_plane ? edge_length * edge_length : edge_length * edge_length * edge_length;
  if (!(measure > 0.0)) return {refusal("", "is flat: it encloses nothing")};
  if (edge_length > size.norm()) {
    return {refusal(number(edge_length), fmt::format("this edge length is longer than the whole body, which is {:.4g} "
                                                     "m across: is it in metres, and the mesh in its `units`?",
                                                     size.norm()))};
  }
  const double elements = 8.0 * measure / cell;
  if (elements > max_elements) {
    return {
        refusal(number(edge_length), fmt::format("this edge length would make up to {:.1g} elements; at most {:g} are "
                                                 "made",
                                                 elements, max_elements))};
  }
  return {};
}

}  // namespace

double default_edge_length(const Mesh& given) {
  return bounding_box_of_elements(given).diagonal() / 20.0;
}

Result<VolumeMesh> make_volume_mesh(const Mesh& given, const VolumeMeshOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  VolumeMesh result;
  VolumeMeshReport& report = result.report;
  report.edge_length = options.edge_length.value_or(default_edge_length(given));
  if (Issues problems = check_request(given, report.edge_length); !problems.empty()) return problems;

  RepairedSurface repaired = given.dim == 2 ? repair_outline(given) : repair_surface(given);
  const Mesh seen = repaired.mesh;
  report.defects = given.dim == 2 ? describe_outline_defects(seen) : describe_surface_defects(seen);
  if (given.dim == 2 && !report.defects.empty()) {
    return refusal("", fmt::format("the outline has {}; it has to be closed and free of crossings", report.defects));
  }
  // A wrap would go into holes that are wider than it closes.
  if (!report.defects.empty()) close_holes(repaired);
  report.repairs = to_string(repaired.repairs);

  Mesh surface = repaired.mesh;
  report.was_wrapped = !report.defects.empty() && !describe_surface_defects(surface).empty();
  if (report.was_wrapped) {
    Result<Mesh> wrap = run_mesh_program(
        "wrap", surface,
        {"--alpha", number(wrap_alpha * report.edge_length), "--offset", number(wrap_offset * report.edge_length)});
    if (!wrap) return wrap.issues();
    surface = std::move(wrap).value();
  }
  // A wrap has no edges but those of its own triangles.
  Result<Mesh> made = fill_well(surface, !report.was_wrapped, report.edge_length);
  if (!made) return made.issues();
  result.mesh = std::move(made).value();
  measure(seen, result);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace clearance
