#include "clearance/io/polyfem/polyfem_collision_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/geometry/element_corners.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/weights_reader.h"
#include "clearance/io/polyfem/polyfem_files.h"

namespace clearance {
namespace {

// Tolerance as a fraction of the size of the bodies; it allows for the limited number of digits in files.
constexpr double relative_tolerance = 1e-6;
// A larger number means millions of triangles, or a length in another unit.
constexpr int most_segments = 64;

ForeignObject collision_mesh_of(const ForeignObject& root) {
  return root.child("contact").child("collision_mesh");
}

// Returns the number of parts of an edge if all faces are divided into equally many; otherwise 0.
int segments_of(int dim, std::size_t num_parts, std::size_t num_faces) {
  if (num_faces == 0 || num_parts % num_faces != 0) return 0;
  const auto per_face = static_cast<int>(num_parts / num_faces);
  const int segments = dim == 3 ? static_cast<int>(std::lround(std::sqrt(per_face))) : per_face;
  return dim == 2 || segments * segments == per_face ? segments : 0;
}

// Appends the points at which a face is divided into that many segments per edge, mapped by the map of its element.
void subdivide_face(const Mesh& mesh, const PolyfemFace& face, int segments, std::vector<Vec<3>>& points) {
  const auto corners_of = [&](std::size_t cell) {
    return mesh.dim == 3 ? std::span<const int>(mesh.tets[cell]) : std::span<const int>(mesh.triangles[cell]);
  };
  const std::span<const int> curved = mesh.nodes_of_cell(face.cell);
  const std::span<const int> nodes = curved.empty() ? corners_of(face.cell) : curved;
  std::vector<double> values(nodes.size());
  for (int i = 0; i <= segments; ++i) {
    for (int j = 0; j <= (mesh.dim == 3 ? segments - i : 0); ++j) {
      const std::array<int, 3> steps = {i, segments - i - j, j};  // towards the corners of the face
      Barycentrics at{};
      for (int c = 0, k = 0; c <= mesh.dim; ++c) {
        if (std::cmp_not_equal(c, face.opposite)) at[c] = static_cast<double>(steps[k++]) / segments;
      }
      lagrange_values(mesh.dim, mesh.order_of_cell(face.cell), at, values);
      Vec<3> point = Vec<3>::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        point += values[a] * mesh.vertices[nodes[a]];
      }
      points.push_back(point);
    }
  }
}

// True if every one of `points` has one of `others` within the tolerance.
bool are_all_at(const std::vector<Vec<3>>& points, const std::vector<Vec<3>>& others, double tolerance) {
  // Sorts along a direction in which few points of straight faces lie behind each other.
  const Vec<3> direction = Vec<3>(1.0, 0.618034, 0.414214).normalized();
  std::vector<std::pair<double, std::size_t>> along;
  along.reserve(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) along.emplace_back(others[i].dot(direction), i);
  std::sort(along.begin(), along.end());
  return std::all_of(points.begin(), points.end(), [&](const Vec<3>& point) {
    const double middle = point.dot(direction);
    auto it = std::lower_bound(along.begin(), along.end(), std::pair(middle - tolerance, std::size_t{0}));
    for (; it != along.end() && it->first <= middle + tolerance; ++it) {
      if ((others[it->second] - point).norm() <= tolerance) return true;
    }
    return false;
  });
}

std::vector<Vec<3>> used_vertices(const Mesh& surface) {
  std::vector<char> is_used(surface.vertices.size(), 0);
  mark_corners(surface.triangles, is_used);
  mark_corners(surface.edges, is_used);
  std::vector<Vec<3>> vertices;
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    if (is_used[v]) vertices.push_back(surface.vertices[v]);
  }
  return vertices;
}

// Returns the number of segments that each edge of the bodies' boundary has in a surface that subdivides it; 0 if the
// surface does not.
int count_segments(const std::vector<PolyfemMesh>& bodies, const Mesh& surface, int dim) {
  std::vector<std::vector<PolyfemFace>> faces;
  std::size_t num_faces = 0;
  BoundingBox box;
  for (const PolyfemMesh& body : bodies) {
    if (body.array) return 0;
    faces.push_back(boundary_faces(body.placed));
    num_faces += faces.back().size();
    box.extend(body.box.min);
    box.extend(body.box.max);
  }
  const int segments = segments_of(dim, dim == 3 ? surface.triangles.size() : surface.edges.size(), num_faces);
  if (segments == 0) return 0;
  std::vector<Vec<3>> points;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (const PolyfemFace& face : faces[b]) subdivide_face(bodies[b].placed, face, segments, points);
  }
  const double tolerance = relative_tolerance * box.diagonal();
  const std::vector<Vec<3>> vertices = used_vertices(surface);
  return are_all_at(vertices, points, tolerance) && are_all_at(points, vertices, tolerance) ? segments : 0;
}

// Returns the longest edge [m] between corners of the elements on their surface.
double find_longest_edge(const std::vector<PolyfemMesh>& bodies) {
  double longest_edge = 0.0;
  for (const PolyfemMesh& body : bodies) {
    const std::size_t corners = body.placed.dim;
    for (const PolyfemFace& face : boundary_faces(body.placed)) {
      for (std::size_t i = 0; i < corners; ++i) {
        const std::size_t a = face.nodes[i], b = face.nodes[(i + 1) % corners];
        longest_edge = std::max(longest_edge, (body.placed.vertices[a] - body.placed.vertices[b]).norm());
      }
    }
  }
  return longest_edge;
}

// Returns the number of segments with which no edge is longer than allowed.
int read_segments(const ForeignObject& from, const std::vector<PolyfemMesh>& bodies) {
  const double longest = from.number("max_edge_length", infinity, positive("m", ""));
  const double wanted = std::max(std::ceil(find_longest_edge(bodies) / longest), 1.0);
  if (wanted > most_segments) {
    from.warning(
        "max_edge_length",
        fmt::format("this length would cut edges of elements into up to {:.0f} parts; here they are cut into {}",
                    wanted, most_segments));
  } else if (from.word("tessellation_type", "regular") == "irregular") {
    from.warning("tessellation_type", fmt::format("here every edge of the elements has {:.0f} equal parts", wanted));
  }
  return static_cast<int>(std::min(wanted, static_cast<double>(most_segments)));
}

// True if the surface is named as a subdivision of the mesh. The published scenes do so, and some of these surfaces
// were not published.
bool is_named_after(const std::string& surface, const std::string& mesh) {
  const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
  return stem(surface).starts_with(stem(mesh)) && stem(surface).find("collision") != std::string::npos;
}

// Reads the surface and moves it like the first body. Returns nothing after an issue.
std::optional<Mesh> read_surface(const ForeignObject& from, const std::filesystem::path& path, int dim,
                                 const TransformDesc& transform) {
  Result<Mesh> surface = read_mesh(path, {.dim = dim});
  for (const Issue& issue : surface.issues()) from.error("mesh", "the mesh cannot be read: " + issue.message);
  if (!surface) return std::nullopt;
  move_mesh(transform, *surface);
  return std::move(surface).value();
}

// Returns the file of the weights of the surface, if these refer to the nodes in the file of the body's mesh. PolyFEM
// numbers the nodes that it adds in its own way.
std::string find_weights(const ForeignObject& from, const std::filesystem::path& scene, const PolyfemMesh& body,
                         const Mesh& surface) {
  const std::string name = from.word("linear_map", "");
  if (name.empty()) return "";
  const auto leave = [&](const std::string& why) {
    from.warning(
        "linear_map",
        why +
            ", so that every vertex of the surface follows the element that contains it, or the nearest one, instead");
    return std::string();
  };
  const std::string path = find_polyfem_file(name, scene);
  if (path.empty()) return leave("the file does not exist");
  if (body.refinements > 0) return leave("the map refers to the nodes of a mesh that is refined");
  const Result<SurfaceWeights> weights = read_weights(scene.parent_path() / path);
  for (const Issue& issue : weights.issues()) {
    from.error("linear_map",
               "the map cannot be used: " + (issue.place.empty() ? "" : issue.place + ": ") + issue.message);
  }
  Result<Mesh> mesh = read_mesh(scene.parent_path() / body.path, {.dim = surface.dim});
  if (!weights || !mesh) return "";
  if (weights->num_nodes != mesh->vertices.size()) {
    return leave(fmt::format("the map refers to {} nodes in PolyFEM's numbering, but the mesh file has {}",
                             weights->num_nodes, mesh->vertices.size()));
  }
  if (weights->rows.size() != surface.vertices.size()) {
    return leave(fmt::format("the map is for {} vertices, but the surface has {}", weights->rows.size(),
                             surface.vertices.size()));
  }
  move_mesh(body.transform, *mesh);
  if (distance_of_weights(weights->rows, surface.vertices, mesh->vertices) >
      largest_usual_distance * body.box.diagonal()) {
    return leave("the map has its nodes or vertices in another order than the files");
  }
  return path;
}

}  // namespace

bool has_collision_mesh(const ForeignObject& root) {
  if (!root.child("contact").flag("enabled", false)) return false;
  const ForeignObject from = collision_mesh_of(root);
  const bool is_given =
      !from.word("mesh", "").empty() || !from.word("linear_map", "").empty() || from.has("max_edge_length");
  return is_given && from.flag("enabled", true);
}

std::optional<CollisionSurfaceDesc> read_collision_mesh(const ForeignObject& root, const std::filesystem::path& scene,
                                                        int dim, const std::vector<PolyfemMesh>& bodies) {
  if (bodies.empty()) return std::nullopt;
  const ForeignObject from = collision_mesh_of(root);
  CollisionSurfaceDesc desc;
  const std::string name = from.word("mesh", ""), path = name.empty() ? "" : find_polyfem_file(name, scene);
  if (name.empty() && from.has("linear_map")) {
    from.error("linear_map", "`linear_map` needs `mesh`, whose vertices it moves");
    return std::nullopt;
  }
  if (name.empty()) {
    desc.segments = read_segments(from, bodies);
    return desc;
  }
  if (path.empty()) {
    if (!is_named_after(name, bodies.front().path)) {
      from.error("mesh", "the mesh file does not exist");
      return std::nullopt;
    }
    from.warning("mesh",
                 "the mesh file does not exist; according to its name it subdivides the surface of the elements; this "
                 "surface is subdivided as finely as its curvature requires instead");
    return desc;
  }
  const std::optional<Mesh> surface = read_surface(from, scene.parent_path() / path, dim, bodies.front().transform);
  if (!surface) return std::nullopt;
  desc.segments = count_segments(bodies, *surface, dim);
  if (desc.segments > 0) return desc;
  if (bodies.size() > 1 || bodies.front().array) {
    from.error(
        "mesh",
        fmt::format(
            "the collision mesh is not the surface of the elements; this is supported for one deformable body, not {}",
            bodies.front().array ? "copies of one" : std::to_string(bodies.size())));
    return std::nullopt;
  }
  desc.mesh = path;
  desc.weights = find_weights(from, scene, bodies.front(), *surface);
  return desc;
}

}  // namespace clearance
