#include "clearance/simulation/build/collision_surface.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <optional>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/geometry/curved_boundary.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/math/dimension.h"
#include "clearance/simulation/build/boundary_follower.h"

namespace clearance {

namespace {

constexpr int most_segments = 64;
// Largest number of curved elements or faces that are tried, nearest by their corners first.
constexpr std::size_t most_tried = 12;
constexpr double most_extrapolation = 4.0;  // largest sum of the magnitudes of barycentrics
constexpr double doubtful_extrapolation = 1.5;
constexpr double inside = 1.0 + 1e-9;

/// Returns the corners of a face as CollisionSurface::Face has them.
std::array<int, 3> corners_of(const Mesh& mesh, const ElementFace& face) {
  const auto& of_cell =
      mesh.dim == 3 ? std::span<const int>(mesh.tets[face.cell]) : std::span<const int>(mesh.triangles[face.cell]);
  std::array<int, 3> corners = {-1, -1, -1};
  for (int i = 0; i < mesh.dim; ++i) corners[i] = of_cell[face.corners[i]];
  return corners;
}

/// Computes the weights of a point of an element, without those that vanish.
std::vector<CollisionSurface::Weight> weights_at(const Mesh& mesh, std::size_t cell, const Barycentrics& at) {
  const std::vector<int> nodes = nodes_of_solid(mesh, cell);
  std::vector<double> values(nodes.size());
  lagrange_values(mesh.dim, mesh.order_of_cell(cell), at, values);
  std::vector<CollisionSurface::Weight> weights;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    if (std::abs(values[a]) > 1e-14) weights.push_back({nodes[a], values[a]});
  }
  // The point is a node; the other weights are rounding.
  if (weights.size() == 1) weights[0].weight = 1.0;
  return weights;
}

Vec<3> position_of(const Mesh& mesh, const std::vector<CollisionSurface::Weight>& weights) {
  Vec<3> x = Vec<3>::Zero();
  for (const auto& [node, weight] : weights) x += weight * mesh.vertices[node];
  return x;
}

/// Cuts each edge of the boundary into equal parts. Faces share vertices that lie between the same corners, and never
/// because of their position.
CollisionSurface cut_boundary(const Mesh& mesh, int segments) {
  CollisionSurface surface;
  std::map<std::array<std::array<int, 2>, 3>, int> known;  // keys: corners and the number of parts of each, sorted
  const auto vertex_at = [&](const ElementFace& face, const std::array<int, 3>& parts) {
    const auto& corners =
        mesh.dim == 3 ? std::span<const int>(mesh.tets[face.cell]) : std::span<const int>(mesh.triangles[face.cell]);
    std::array<std::array<int, 2>, 3> key;
    key.fill({-1, 0});
    Barycentrics at{};
    for (int i = 0; i < mesh.dim; ++i) {
      if (parts[i] == 0) continue;
      key[i] = {corners[face.corners[i]], parts[i]};
      at[face.corners[i]] = static_cast<double>(parts[i]) / segments;
    }
    std::sort(key.begin(), key.end());
    const auto [found, is_new] = known.emplace(key, static_cast<int>(surface.vertices.size()));
    if (is_new) {
      std::vector<CollisionSurface::Weight> weights = weights_at(mesh, face.cell, at);
      surface.vertices.push_back({position_of(mesh, weights), std::move(weights)});
    }
    return found->second;
  };
  surface.is_between_nodes = true;
  for (const ElementFace& face : find_boundary_faces(mesh)) {
    surface.is_between_nodes = surface.is_between_nodes && mesh.order_of_cell(face.cell) == segments;
    for (int k = 0; mesh.dim == 2 && k < segments; ++k) {
      surface.edges.push_back({vertex_at(face, {segments - k, k, 0}), vertex_at(face, {segments - k - 1, k + 1, 0})});
    }
    for (int i = 0; mesh.dim == 3 && i < segments; ++i) {
      for (int j = 0; i + j < segments; ++j) {
        const auto at = [&](int a, int b) { return vertex_at(face, {segments - a - b, a, b}); };
        surface.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        if (i + j + 1 < segments) surface.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    }
    CollisionSurface::Face cut{corners_of(mesh, face), {}, {}};
    for (int j = 0; j <= (mesh.dim == 3 ? segments : 0); ++j) {
      for (int i = 0; i + j <= segments; ++i) {
        const std::array<int, 3> parts = {segments - i - j, i, j};
        cut.vertices.push_back(vertex_at(face, parts));
        cut.at.push_back({});
        for (std::size_t k = 0; k < 3; ++k) cut.at.back()[k] = static_cast<double>(parts[k]) / segments;
      }
    }
    surface.faces.push_back(std::move(cut));
  }
  return surface;
}

/// The point of the elements that a position on another surface follows.
struct Located {
  std::size_t cell = 0;
  Barycentrics at{};
  double extrapolation = infinity;  // sum of the magnitudes of the barycentrics; 1 inside
};

template <int dim>
class Locator {
 public:
  explicit Locator(const Mesh& mesh) : mesh_(mesh) {
    for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
      const std::vector<int> nodes = nodes_of_solid(mesh, cell);
      Mat<dim> edges;
      for (int i = 0; i < dim; ++i) edges.col(i) = at(nodes[i + 1]) - at(nodes[0]);
      linear_.push_back({edges.inverse(), at(nodes[0])});
    }
  }

  /// Finds the element with the smallest extrapolation, first by the corners, then by the curved maps of the best few
  /// elements.
  Located locate(const Vec<3>& place) const {
    const Vec<dim> x = place.head<dim>();
    std::vector<std::pair<double, std::size_t>> candidates;
    for (std::size_t cell = 0; cell < linear_.size(); ++cell) {
      const Vec<dim> xi = linear_[cell].inverse * (x - linear_[cell].origin);
      candidates.emplace_back(extrapolation_of(xi), cell);
    }
    const std::size_t num_tried = std::min<std::size_t>(mesh_.has_curved_cells() ? 12 : 1, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(num_tried),
                      candidates.end());
    Located best;
    for (std::size_t k = 0; k < num_tried; ++k) {
      const std::size_t cell = candidates[k].second;
      Vec<dim> xi = linear_[cell].inverse * (x - linear_[cell].origin);
      if (!invert(cell, x, xi)) continue;
      const double extrapolation = extrapolation_of(xi);
      if (!(extrapolation < best.extrapolation)) continue;
      best = {cell, barycentrics_of(xi), extrapolation};
    }
    return best;
  }

  struct OnFace {
    double distance;  // [m]
    std::size_t face;
    Barycentrics at;
  };
  /// Finds the faces nearest to a place among those whose box contains it and that are no farther away than `tolerance`
  /// [m]. Returns several faces if the place is on their common edge.
  std::vector<OnFace> find_faces(const std::vector<ElementFace>& faces, const std::vector<BoundingBox>& boxes,
                                 const Vec<3>& place, double tolerance) const {
    const Vec<dim> x = place.head<dim>();
    std::vector<OnFace> found;
    double least = tolerance;
    for (std::size_t f = 0; f < faces.size(); ++f) {
      if ((place - boxes[f].min).minCoeff() < 0.0 || (boxes[f].max - place).minCoeff() < 0.0) continue;
      const ElementFace& face = faces[f];
      Vec<dim> xi = linear_[face.cell].inverse * (x - linear_[face.cell].origin);
      if (!invert(face.cell, x, xi)) continue;
      const Barycentrics at = on_face(face, xi);
      Barycentrics in_cell{};
      for (std::size_t i = 0; i < dim; ++i) in_cell[face.corners[i]] = at[i];
      const double distance = (place - position_of(mesh_, weights_at(mesh_, face.cell, in_cell))).norm();
      if (!(distance <= tolerance)) continue;
      found.push_back({distance, f, at});
      least = std::min(least, distance);
    }
    std::erase_if(found, [&](const OnFace& on_face) { return on_face.distance > least + 0.01 * tolerance; });
    return found;
  }

 private:
  struct Linear {
    Mat<dim> inverse;
    Vec<dim> origin;
  };
  Vec<dim> at(int v) const { return mesh_.vertices[v].head<dim>(); }
  static Barycentrics barycentrics_of(const Vec<dim>& xi) {
    Barycentrics at{};
    at[0] = 1.0 - xi.sum();
    for (std::size_t i = 0; i < dim; ++i) at[i + 1] = xi[static_cast<Eigen::Index>(i)];
    return at;
  }
  static double extrapolation_of(const Vec<dim>& xi) { return std::abs(1.0 - xi.sum()) + xi.cwiseAbs().sum(); }

  /// Returns the point of a face that is next to a point in or near its element.
  static Barycentrics on_face(const ElementFace& face, const Vec<dim>& xi) {
    const Barycentrics in_cell = barycentrics_of(xi);
    Barycentrics at{};
    double sum = 0.0;
    // A point that is on an edge up to rounding counts as on the edge, so that nodes off the edge bear nothing.
    for (std::size_t i = 0; i < dim; ++i) {
      const double l = in_cell[face.corners[i]];
      if (l > 1e-9) sum += at[i] = l;
    }
    if (!(sum > 0.0)) return {1.0};
    for (double& l : at) l /= sum;
    return at;
  }

  /// Inverts the curved map by Newton's method. Returns false if it does not converge.
  bool invert(std::size_t cell, const Vec<dim>& x, Vec<dim>& xi) const {
    const int order = mesh_.order_of_cell(cell);
    if (order == 1) return true;
    const std::vector<int> nodes = nodes_of_solid(mesh_, cell);
    std::vector<double> values(nodes.size()), gradients(nodes.size() * dim);
    const double size = 1.0 / linear_[cell].inverse.norm();
    for (int iteration = 0; iteration < 30; ++iteration) {
      const Barycentrics bary = barycentrics_of(xi);
      lagrange_values(dim, order, bary, values);
      lagrange_gradients(dim, order, bary, gradients);
      Vec<dim> residual = -x;
      Mat<dim> derivative = Mat<dim>::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        residual += values[a] * at(nodes[a]);
        derivative += at(nodes[a]) * Eigen::Map<const Vec<dim>>(gradients.data() + a * dim).transpose();
      }
      if (residual.norm() < 1e-13 * size) return true;
      if (!(derivative.determinant() > 0.0)) return false;
      xi -= derivative.inverse() * residual;
      if (!(extrapolation_of(xi) < most_extrapolation)) return false;
    }
    return false;
  }

  const Mesh& mesh_;
  std::vector<Linear> linear_;  // map of the corners per cell
};

/// Finds the faces of the elements that a separate surface lies on, if it is the same boundary in other pieces. Returns
/// none if any vertex is farther than `tolerance` [m] from all faces.
std::vector<CollisionSurface::Face> find_faces(const Mesh& mesh, const Mesh& proxy, double tolerance) {
  const std::vector<ElementFace> boundary = find_boundary_faces(mesh);
  std::vector<CollisionSurface::Face> faces;
  // Boxes of the corners, enlarged on every side by half their diagonal, because faces bend.
  std::vector<BoundingBox> boxes;
  for (const ElementFace& face : boundary) {
    faces.push_back({corners_of(mesh, face), {}, {}});
    BoundingBox box;
    for (int i = 0; i < mesh.dim; ++i) {
      const int corner = faces.back().corners[i];
      box.extend(mesh.vertices[corner]);
    }
    const Vec<3> margin = Vec<3>::Constant(0.5 * box.diagonal());
    boxes.push_back({box.min - margin, box.max + margin});
  }
  std::atomic<bool> is_elsewhere = false;
  with_dimension(mesh.dim, [&](auto dim) {
    const Locator<dim> locator(mesh);
    std::vector<std::vector<typename Locator<dim>::OnFace>> found(proxy.vertices.size());
    parallel_for(static_cast<int>(found.size()), 16, [&](int v) {
      const std::size_t at = v;
      if (!is_elsewhere) found[at] = locator.find_faces(boundary, boxes, proxy.vertices[at], tolerance);
      if (found[at].empty()) is_elsewhere = true;
    });
    for (std::size_t v = 0; v < found.size(); ++v) {
      for (const auto& [distance, face, at] : found[v]) {
        faces[face].vertices.push_back(static_cast<int>(v));
        faces[face].at.push_back(at);
      }
    }
  });
  if (is_elsewhere) faces.clear();
  return faces;
}

/// Makes a separate surface that follows the body by given weights.
CollisionSurface follow(Mesh proxy, const NodeWeights& weights) {
  CollisionSurface surface;
  surface.triangles = std::move(proxy.triangles);
  surface.edges = std::move(proxy.edges);
  for (std::size_t v = 0; v < proxy.vertices.size(); ++v) surface.vertices.push_back({proxy.vertices[v], weights[v]});
  return surface;
}

/// Makes a separate surface that follows the displacements of the elements around it. Vertices outside of all elements
/// follow the continuation of an element's map: of the map itself, or `by_tangents` of its linear part at the nearest
/// point of the boundary, which stays near that of the boundary for any order.
CollisionSurface embed(const Mesh& mesh, const Mesh& proxy, bool by_tangents, const std::string& body,
                       const std::string& place, Issues& issues) {
  CollisionSurface surface;
  surface.triangles = proxy.triangles;
  surface.edges = proxy.edges;
  std::vector<Located> located(proxy.vertices.size());
  with_dimension(mesh.dim, [&](auto dim) {
    const Locator<dim> locator(mesh);
    parallel_for(static_cast<int>(located.size()), 16, [&](int v) { located[v] = locator.locate(proxy.vertices[v]); });
  });
  std::optional<BoundaryFollower> follower;
  if (by_tangents) follower.emplace(mesh);
  std::size_t num_far = 0, num_doubtful = 0, farthest = 0;
  for (std::size_t v = 0; v < located.size(); ++v) {
    if (follower && located[v].extrapolation > inside) {
      BoundaryFollower::Followed followed = follower->follow(proxy.vertices[v]);
      located[v].extrapolation = 1.0 + 2.0 * followed.outside;
      surface.vertices.push_back({proxy.vertices[v], std::move(followed.weights)});
    } else {
      surface.vertices.push_back({proxy.vertices[v], weights_at(mesh, located[v].cell, located[v].at)});
    }
    num_far += located[v].extrapolation >= most_extrapolation ? 1 : 0;
    num_doubtful += located[v].extrapolation > doubtful_extrapolation ? 1 : 0;
    if (located[v].extrapolation > located[farthest].extrapolation) farthest = v;
  }
  if (num_doubtful == 0) return surface;
  const Vec<3>& x = proxy.vertices[farthest];
  Issue issue{
      "", place + (by_tangents ? ".input" : ".mesh"), "",
      fmt::format(
          "{} of {} vertices lie outside of the elements of body '{}' by more than a fourth of an element's size, so "
          "that their motion would be extrapolated; the farthest, number {}, is at ({:.6g}, {:.6g}, {:.6g})",
          num_far > 0 ? num_far : num_doubtful, located.size(), body, farthest, x[0], x[1], x[2])};
  if (num_far == 0) {
    issue.severity = Severity::warning;
  } else {
    issue.message += by_tangents
                         ? "; a shorter `edge_length`, a higher `order` or a `tolerance` of `volume_mesh` brings "
                           "the elements closer to the surface"
                         : "; expected a surface that lies in or close to the elements";
  }
  issues.push_back(std::move(issue));
  return surface;
}

/// Returns the number of segments per edge for which the pieces are as near to the boundary as the tolerance asks for,
/// and at least one per node.
double segments_for(const Mesh& mesh, double tolerance) {
  int order = 1;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) order = std::max(order, mesh.order_of_cell(cell));
  const double distance = tolerance * bounding_box(mesh.vertices).diagonal();
  return std::max<double>(order, std::ceil(std::sqrt(flatness_bound(mesh, 1) / distance)));
}

}  // namespace

int segments_of_boundary(const BodyDesc& desc, const BodyInstance& body) {
  if (body.kind != BodyKind::deformable || !body.mesh.has_curved_cells() || body.proxy) return 0;
  const CollisionSurfaceDesc wanted = desc.collision_surface.value_or(CollisionSurfaceDesc{});
  if (wanted.segments > 0) return wanted.segments;
  return static_cast<int>(std::min<double>(segments_for(body.mesh, wanted.tolerance), most_segments));
}

bool has_collision_surface(const BodyDesc& desc, const BodyInstance& body) {
  return body.kind == BodyKind::deformable && (desc.collision_surface || body.mesh.has_curved_cells());
}

CollisionSurface make_collision_surface(const BodyDesc& desc, const BodyInstance& body, const std::string& place,
                                        Issues& issues) {
  const CollisionSurfaceDesc wanted = desc.collision_surface.value_or(CollisionSurfaceDesc{});
  const std::string own_place = place + ".collision_surface";
  if (body.proxy) {
    Mesh proxy = *body.proxy;
    for (Vec<3>& x : proxy.vertices) x += body.array_offset + body.shift;
    const double tolerance = wanted.tolerance * bounding_box(body.mesh.vertices).diagonal();
    std::vector<CollisionSurface::Face> faces = find_faces(body.mesh, proxy, tolerance);
    CollisionSurface surface = body.proxy_weights ? follow(std::move(proxy), *body.proxy_weights)
                                                  : embed(body.mesh, proxy, wanted.input, body.name, own_place, issues);
    surface.faces = std::move(faces);
    return surface;
  }
  const double wanted_segments = wanted.segments > 0 ? wanted.segments : segments_for(body.mesh, wanted.tolerance);
  if (wanted_segments > most_segments) {
    issues.push_back(
        {"", own_place + ".tolerance", fmt::format("{:g}", wanted.tolerance),
         fmt::format("the tolerance asks to cut each edge of the curved boundary of body '{}' into {:.3g} pieces, but "
                     "at most {} are made; the pieces may stay up to {:.3g} m away from the boundary",
                     body.name, wanted_segments, most_segments, flatness_bound(body.mesh, most_segments)),
         Severity::warning});
  }
  return cut_boundary(body.mesh, static_cast<int>(std::min<double>(wanted_segments, most_segments)));
}

}  // namespace clearance
