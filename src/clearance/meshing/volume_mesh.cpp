#include "clearance/meshing/volume_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/geometry/surface.h"
#include "clearance/meshing/curved_deviation.h"
#include "clearance/meshing/curved_mesh.h"
#include "clearance/meshing/deviation.h"
#include "clearance/meshing/enclosure.h"
#include "clearance/meshing/flat_tetrahedra.h"
#include "clearance/meshing/mesh_program.h"
#include "clearance/meshing/mesh_quality.h"
#include "clearance/meshing/surface_defects.h"
#include "clearance/meshing/surface_repair.h"

namespace clearance {

namespace {

// Fractions of the edge length. A sphere with eight edges around it deviates by a twentieth anyway.
constexpr double facet_distance = 0.05;
constexpr double coarse_facet_distance = 0.2;  // of elements that will be curved
constexpr double wrap_alpha = 0.25;
constexpr double wrap_offset = 0.05;
constexpr int wrap_seconds = 120;  // [s] of processor time; a wrap around a hundred triangles takes one
constexpr double deviation_tolerance = 0.01;
// [deg] Edges of a cylinder with twelve sides are not features.
constexpr double feature_angle = 40.0;
constexpr double flat_angle = 1.0;
constexpr double max_elements = 2e7;
// Edges become shorter by this factor until a tolerance is met, at most so many times.
constexpr double shorter = 0.7;
constexpr int most_shortenings = 10;
// Elements follow smooth surfaces closer by a factor of at most 0.49 (order 1) each time. If they do not any more, and
// are within so many sags of the facets, the facets hold them back: a ball of 14,160 triangles 1.7e-5 m high was met up
// to 3.5e-5 m, also by elements of a seventh of that size.
constexpr double stagnation = 0.75, facet_reach = 4.0;
constexpr double min_enclosing_share = 0.65;  // random triangles have a half
constexpr double max_sheet_thickness = 1.5;   // as a multiple of the thickness that the wrap itself adds
constexpr std::size_t max_work = 2'500'000;   // edge lengths queried; good surfaces need 10 to 20 per vertex

Issue refusal(std::string value, std::string message) {
  return {"", "", std::move(value), std::move(message), Severity::error};
}

std::string number(double value) {
  return fmt::format("{}", value);
}

/// Returns the boundary as triangles. In 2D, edges become triangles without area.
Triangles boundary_of(const Mesh& mesh) {
  if (mesh.dim == 3) return mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh.tets);
  Triangles sides;
  for (const auto& [a, b] : mesh.triangles.empty() ? mesh.edges : boundary_edges(mesh.triangles))
    sides.push_back({a, b, b});
  return sides;
}

/// The topology of a surface that meshing must preserve: the number of parts, and the number of handles.
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
  for (const auto& triangle : surface) parts.push_back(component[triangle[0]]);
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return {static_cast<int>(parts.size()), euler_characteristic(surface)};
}

/// Returns the first fault of a mesh that was made; empty if there is none. Exact.
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

/// Returns a limit far above the number of vertices that a good surface needs. A surface that needs more does not
/// converge.
std::size_t max_vertices(const Mesh& surface, double edge_length) {
  const Vec<3> size = bounding_box(surface.vertices).size() / edge_length;
  const double area = size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
  return static_cast<std::size_t>(10'000.0 + 10.0 * (2.0 * area + size.prod()));
}

/// Limits of the cost of a surface. On fast computers, the limits of work decide, so that the same input gives the same
/// mesh. The limit of time stops loops that the other limits do not notice.
struct Budget {
  std::size_t vertices = 0;
  std::size_t work = 0;
  double seconds = 0.0;  ///< [s] processor time that is left for all attempts
};

Budget budget_of(const Mesh& surface, double edge_length) {
  // Refinement makes some 3000 vertices a second. Thin walls may need 60,000 vertices.
  const std::size_t vertices = max_vertices(surface, edge_length);
  return {vertices, max_work + 50 * vertices, 45.0 + static_cast<double>(vertices) / 1000.0};
}

/// The parameters of one attempt to mesh a surface.
struct Attempt {
  double share;                      ///< share of the wanted edge length
  double angle;                      ///< [deg] smallest angle of features; 0: none
  double thin_share;                 ///< share of the thickness of walls
  double distance = facet_distance;  ///< share of the edge length
};

/// [s] Returns the limit of processor time. Preserving sharp edges that are too close to each other can loop without
/// querying lengths. Good surfaces take six seconds or less.
double seconds_for(const Attempt& attempt, const Budget& budget) {
  if (attempt.angle == 0.0) return budget.seconds;
  return std::min(budget.seconds, 10.0 + static_cast<double>(budget.vertices) / 5000.0);
}

ProgramMesh fill(const Mesh& surface, double wanted, const Attempt& attempt, const Budget& budget) {
  const double edge_length = attempt.share * wanted;
  if (surface.dim == 2) return run_mesh_program("triangles", surface, {"--edge-length", number(edge_length)});
  return run_mesh_program(
      "tetrahedra", surface,
      {"--edge-length", number(edge_length), "--facet-distance", number(attempt.distance), "--thin-share",
       number(attempt.thin_share), "--feature-angle", number(attempt.angle), "--max-vertices",
       fmt::format("{}", budget.vertices), "--max-work", fmt::format("{}", budget.work), "--max-seconds",
       fmt::format("{}", static_cast<int>(std::ceil(seconds_for(attempt, budget))))});
}

double volume_of(const Mesh& mesh) {
  return mesh.has_curved_cells() ? volume_of_curved(mesh) : mass_of_mesh(mesh, 0.0).properties.measure;
}

/// Remeshes a body that is thin as a whole with more elements if it lost volume. Walls of few elements may have dents
/// where circumcentres of tetrahedra lie outside: a plate 0.7 edge lengths thick lost 5 % of its volume.
Mesh with_its_volume(const Mesh& surface, double wanted, Attempt attempt, const Budget& budget, Mesh made) {
  constexpr double tolerance = 0.01, thin = 1.5, finer = 0.5;
  if (surface.dim == 2 || budget.seconds < 1.0) return made;
  const double area = mass_properties_of_triangles(surface.vertices, surface.triangles).measure;
  const double volume = volume_of(surface);
  const auto error = [&](const Mesh& mesh) { return std::abs(volume_of(mesh) - volume); };
  if (error(made) <= tolerance * volume || 2.0 * volume > thin * attempt.share * wanted * area) return made;
  attempt.thin_share *= finer;
  ProgramMesh better = fill(surface, wanted, attempt, budget);
  if (!better.mesh) return made;
  take_off_flat_tetrahedra(flat_angle, *better.mesh);
  const bool is_better = find_fault(*better.mesh, surface).empty() && error(*better.mesh) < error(made);
  return is_better ? std::move(*better.mesh) : made;
}

/// Meshes a surface in several attempts. Details that edges of the wanted length cannot show get shorter edges, and
/// sharp edges that are too close to each other are not preserved.
Result<Mesh> fill_well(const Mesh& surface, bool has_features, bool will_be_curved, double& edge_length) {
  std::vector<Attempt> attempts = {{1.0, 0.0, 1.5}, {0.5, 0.0, 1.0}, {0.25, 0.0, 0.75}};
  if (has_features) {
    attempts.insert(attempts.begin(), {{1.0, feature_angle, 1.5}, {0.5, feature_angle, 1.0}});
  }
  if (will_be_curved) {
    for (Attempt& attempt : attempts) attempt.distance = coarse_facet_distance;
  }
  std::string fault;
  const double wanted = edge_length;
  Budget budget = budget_of(surface, wanted);
  for (const Attempt& attempt : attempts) {
    edge_length = attempt.share * wanted;
    ProgramMesh made = fill(surface, wanted, attempt, budget);
    if (made.end == ChildEnd::stopped || find_mesh_program().empty()) return made.mesh;
    if (made.mesh) take_off_flat_tetrahedra(flat_angle, *made.mesh);
    fault = made.mesh ? find_fault(*made.mesh, surface) : made.mesh.issues().front().message;
    budget.seconds -= made.seconds;
    if (fault.empty() && will_be_curved) return made.mesh;
    if (fault.empty()) return with_its_volume(surface, wanted, attempt, budget, std::move(*made.mesh));
    if (budget.seconds < 1.0) break;
  }
  return refusal(
      number(wanted),
      fmt::format("no good mesh was found with this edge length, nor with a quarter of it: {}; choose a shorter one",
                  fault));
}

/// Refuses triangles that enclose nothing. A wrap fits around anything, and its inside may be as arbitrary as the
/// triangles.
Issues check_enclosure(const Mesh& given, const Mesh& closed) {
  // Closing holes adds both sides of single triangles, and also fills gaps between triangles. Therefore either surface
  // may be the better one.
  const double share = std::max(enclosing_share(given), enclosing_share(closed));
  if (share >= min_enclosing_share) return {};
  return {refusal(
      "",
      fmt::format(
          "these triangles do not enclose a volume: only {:.0f} % of the lines through them cross them an even number "
          "of times, but all lines do so through a closed surface; close the surface, or give the body elements",
          100.0 * share))};
}

/// Refuses a wrap of sheets alone, which is hardly thicker than the layer that the wrap adds.
Issues check_wrap(const Mesh& wrap, double edge_length) {
  const double area = mass_properties_of_triangles(wrap.vertices, wrap.triangles).measure;
  const double volume = volume_of(wrap);
  const double thickness = 2.0 * volume / area, of_sheets = 2.0 * wrap_offset * edge_length;
  if (thickness > max_sheet_thickness * of_sheets) return {};
  return {
      refusal("", fmt::format("these triangles do not enclose a volume: a wrap around them has a mean thickness of "
                              "{:.3g} m, of which {:.3g} m belong to the wrap itself; close the surface, or choose a "
                              "longer edge length to close its holes (holes of up to half that length are closed)",
                              thickness, of_sheets))};
}

/// Refuses input that is no surface at all, and requests that are too large for any computer.
Issues check_request(const Mesh& given, double edge_length) {
  const bool is_plane = given.dim == 2;
  const std::size_t num_elements = is_plane ? given.triangles.size() : given.tets.size();
  if (num_elements > 0) {
    return {refusal(fmt::format("{} {}", num_elements, is_plane ? "triangles" : "tetrahedra"),
                    "the mesh is not a bare surface, because it already has elements")};
  }
  if ((is_plane ? given.edges.size() : given.triangles.size()) == 0) {
    return {refusal("", is_plane
                            ? "the mesh has no edges that could be an outline"
                            : "the mesh has no triangles that could be a surface; outlines are only filled in 2D")};
  }
  const Vec<3> size = bounding_box_of_elements(given).size();
  const double measure = is_plane ? size[0] * size[1] : size.prod();
  const double cell = is_plane ? edge_length * edge_length : edge_length * edge_length * edge_length;
  if (!(measure > 0.0)) return {refusal("", "the surface is flat and does not enclose a volume")};
  if (edge_length > size.norm()) {
    return {refusal(number(edge_length), fmt::format("this edge length exceeds the size of the whole body, {:.4g} m; "
                                                     "check that the length is in metres and the mesh in its `units`",
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

/// Refuses orders and tolerances that no mesh can have.
Issues check_fit(const Mesh& given, const VolumeMeshOptions& options) {
  Issues issues;
  const auto refuse = [&](bool is_refused, double value, const char* message) {
    if (is_refused) issues.push_back(refusal(number(value), message));
  };
  refuse(options.order < 1 || options.order > max_order, options.order, "expected an order from 1 to 4");
  refuse(options.order > 1 && given.dim == 2, options.order,
         "curved elements are made of surfaces in 3D only; expected order 1 in 2D");
  refuse(options.tolerance && !(*options.tolerance > 0.0 && *options.tolerance < 1.0), options.tolerance.value_or(0.0),
         "expected a tolerance above 0 and below 1, a fraction of the diagonal");
  return issues;
}

void measure(const Mesh& given, VolumeMesh& result) {
  VolumeMeshReport& report = result.report;
  const Triangles before = boundary_of(given);
  report.smallest_angle = smallest_angle(result.mesh);
  report.volume = volume_of(result.mesh);
  report.given_volume = volume_of(given);
  if (report.curving) {
    const TriangleTree surface(given.vertices, before);
    Mesh straight = result.mesh;
    change_order(straight, 1);
    const auto [of_mesh, of_given] = sampled_distances(result.mesh, given, surface);
    const auto [of_straight, from_straight] = sampled_distances(straight, given, surface);
    report.farthest_of_mesh = of_mesh;
    report.farthest_of_given = of_given;
    report.curving->straight_deviation = std::max(of_straight, from_straight);
    report.curving->straight_volume = volume_of(straight);
    return;
  }
  const Triangles after = boundary_of(result.mesh);
  const double tolerance = deviation_tolerance * report.edge_length;
  report.farthest_of_mesh =
      largest_distance(result.mesh.vertices, after, TriangleTree(given.vertices, before), tolerance);
  report.farthest_of_given =
      largest_distance(given.vertices, before, TriangleTree(result.mesh.vertices, after), tolerance);
}

/// Fills a surface once with edges of about the report's length, and curves the elements.
Issues fill_and_curve(const Mesh& given, const Mesh& surface, int order, VolumeMesh& result) {
  VolumeMeshReport& report = result.report;
  // Sharp edges of a wrap are only those of its own triangles, so they are not preserved.
  Result<Mesh> made = fill_well(surface, !report.was_wrapped, order > 1, report.edge_length);
  if (!made) return made.issues();
  result.mesh = std::move(made).value();
  if (order > 1) {
    CurvedMesh curved = curve_to_surface(std::move(result.mesh), surface, order, feature_angle);
    report.curving = {.num_nodes = curved.num_nodes, .num_held = curved.num_held, .flattest = curved.flattest};
    result.mesh = std::move(curved.mesh);
  }
  measure(given, result);
  return {};
}

/// Returns why a curved mesh is not good enough; empty if it is. `most` is the largest distance allowed [m].
std::string find_misfit(const VolumeMesh& made, double most) {
  if (made.report.deviation() > most) {
    return fmt::format("the surfaces are up to {:.3g} m from each other, and the tolerance allows {:.3g} m",
                       made.report.deviation(), most);
  }
  if (!made.mesh.has_curved_cells()) return "";
  if (!(made.report.curving->flattest > 0.0)) return "elements are inverted";
  // Pieces as fine as those of the highest order stand for the curved boundary.
  Mesh pieces = made.mesh;
  change_order(pieces, max_order);
  pieces.triangles = boundary_triangles(pieces);
  pieces.tets.clear();
  const SelfIntersections meetings = find_self_intersections(pieces);
  if (meetings.count == 0) return "";
  return fmt::format("the curved surface intersects itself at ({:.6g}, {:.6g}, {:.6g})", meetings.place[0],
                     meetings.place[1], meetings.place[2]);
}

/// Fills a surface with edges that become shorter until the elements fit it.
Issues fill_until_fitted(const Mesh& given, const Mesh& surface, const VolumeMeshOptions& options, VolumeMesh& result) {
  const double longest = result.report.edge_length;
  double length = longest;
  const double most = options.tolerance.value_or(infinity) * bounding_box(given.vertices).diagonal();
  const double facets = given.dim == 3 ? facet_reach * largest_sag(given, feature_angle) : 0.0;
  std::string misfit;
  double before = infinity;
  for (int k = 0; k <= most_shortenings; ++k, length *= shorter) {
    result.report.edge_length = length;
    if (Issues problems = check_request(given, result.report.edge_length); !problems.empty()) return problems;
    if (Issues problems = fill_and_curve(given, surface, options.order, result); !problems.empty()) return problems;
    misfit = find_misfit(result, most);
    if (misfit.empty()) return {};
    const double deviation = result.report.deviation();
    if (deviation > most && deviation < facets && deviation > stagnation * before) {
      return {refusal(
          number(*options.tolerance),
          fmt::format("the elements follow the surface up to its own facets: edges of {:.3g} m leave {:.3g} "
                      "m between the surfaces, and edges of {:.3g} m {:.3g} m, while the tolerance allows "
                      "{:.3g} m; expected a tolerance of at least {:.2g}, or a surface of finer triangles",
                      length / shorter, before, length, deviation, most, 1.1 * deviation / most * *options.tolerance))};
    }
    before = deviation;
  }
  return {refusal(options.tolerance ? number(*options.tolerance) : "",
                  fmt::format("no mesh of order {} with edges of {:.3g} to {:.3g} m fits the surface: {}",
                              options.order, result.report.edge_length, longest, misfit))};
}

}  // namespace

double default_edge_length(const Mesh& given, const VolumeMeshOptions& options) {
  const bool is_coarse = options.order > 1 || options.tolerance.has_value();
  return bounding_box_of_elements(given).diagonal() / (is_coarse ? 5.0 : 20.0);
}

Result<VolumeMesh> make_volume_mesh(const Mesh& given, const VolumeMeshOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  VolumeMesh result;
  VolumeMeshReport& report = result.report;
  report.edge_length = options.edge_length.value_or(default_edge_length(given, options));
  if (Issues problems = check_request(given, report.edge_length); !problems.empty()) return problems;
  if (Issues problems = check_fit(given, options); !problems.empty()) return problems;

  RepairedSurface repaired = given.dim == 2 ? repair_outline(given) : repair_surface(given);
  const Mesh seen = repaired.mesh;
  report.defects = given.dim == 2 ? describe_outline_defects(seen) : describe_surface_defects(seen);
  if (given.dim == 2 && !report.defects.empty()) {
    return refusal("", fmt::format("the outline has {}; expected an outline that is closed and does not cross itself",
                                   report.defects));
  }
  if (options.order > 1 && !report.defects.empty()) {
    return refusal("", fmt::format("the surface has {}; expected a closed surface without intersections, because nodes "
                                   "of curved elements lie on it; mend it, or fill it with linear elements (order 1)",
                                   report.defects));
  }
  // Holes are closed first, because a wrap would enter holes that are wider than those it closes.
  if (!report.defects.empty()) close_holes(repaired);
  report.repairs = to_string(repaired.repairs);

  Mesh surface = repaired.mesh;
  report.was_wrapped = !report.defects.empty() && !describe_surface_defects(surface).empty();
  if (report.was_wrapped) {
    if (Issues problems = check_enclosure(seen, surface); !problems.empty()) return problems;
    Result<Mesh> wrap =
        run_mesh_program("wrap", surface,
                         {"--alpha", number(wrap_alpha * report.edge_length), "--offset",
                          number(wrap_offset * report.edge_length), "--max-seconds", fmt::format("{}", wrap_seconds)})
            .mesh;
    if (!wrap) return wrap.issues();
    surface = std::move(wrap).value();
    if (Issues problems = check_wrap(surface, report.edge_length); !problems.empty()) return problems;
  }
  Issues problems = options.order == 1 && !options.tolerance ? fill_and_curve(seen, surface, 1, result)
                                                             : fill_until_fitted(seen, surface, options, result);
  if (!problems.empty()) return problems;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace clearance
