#include "clearance/geometry/boundary_collapse.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/geometry/simplex_mesh.h"
#include "clearance/math/predicates.h"

namespace clearance {
namespace {

/// [m] Returns the distance from a line or plane up to which a vertex lies on it. It allows for several generations of
/// midpoints, each rounded to the spacing of the coordinates, seen from a vertex at `length`.
template <int dim>
double flatness(const Vec<dim>& x, double length) {
  constexpr double spacing = std::numeric_limits<double>::epsilon();
  return 1e-13 * length + 1024.0 * spacing * x.cwiseAbs().maxCoeff();
}

/// True if x lies between a and b on their line.
template <int dim>
bool is_between(const Vec<dim>& x, const Vec<dim>& a, const Vec<dim>& b) {
  const Vec<dim> along = b - a;
  const double length = along.norm();
  if (!((x - a).dot(along) > 0.0 && (b - x).dot(along) > 0.0)) return false;
  const Vec<dim> offset = (x - a) - ((x - a).dot(along) / (length * length)) * along;
  return offset.norm() <= flatness<dim>(x, length);
}

bool keeps_boundary(const SimplexMesh<2>& mesh, int removed, int kept) {
  const auto facets = mesh.facets_at(removed);
  if (facets.size() != 2 || mesh.facet_label(facets[0]) != mesh.facet_label(facets[1])) return false;
  const std::array<int, 2> other = mesh.facet(has_vertex(mesh.facet(facets[0]), kept) ? facets[1] : facets[0]);
  const int beyond = other[0] == removed ? other[1] : other[0];
  return is_between<2>(mesh.rest(removed), mesh.rest(beyond), mesh.rest(kept));
}

/// Returns the two coordinates that follow coordinate k cyclically, which keeps the orientation of projected triangles.
Vec<2> without(const Vec<3>& x, int k) {
  return {x[(k + 1) % 3], x[(k + 2) % 3]};
}

/// True if the facets of one label at `removed` are flat, and keep their orientation with `kept` in its place.
bool keeps_facets(const SimplexMesh<3>& mesh, int label, int removed, int kept) {
  const Vec<3>& x = mesh.rest(removed);
  Vec<3> normal = Vec<3>::Zero();
  for (const int f : mesh.facets_at(removed)) {
    if (mesh.facet_label(f) != label) continue;
    const auto& [a, b, c] = mesh.facet(f);
    normal += (mesh.rest(b) - mesh.rest(a)).cross(mesh.rest(c) - mesh.rest(a));
  }
  normal.normalize();
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const int side = normal[axis] > 0.0 ? 1 : -1;

  for (const int f : mesh.facets_at(removed)) {
    if (mesh.facet_label(f) != label) continue;
    for (const int v : mesh.facet(f)) {
      const Vec<3> to = mesh.rest(v) - x;
      if (std::abs(normal.dot(to)) > flatness<3>(x, to.norm())) return false;
    }
    if (has_vertex(mesh.facet(f), kept)) continue;
    std::array<Vec<2>, 3> flat;
    for (std::size_t i = 0; i < 3; ++i) {
      const int v = mesh.facet(f)[i];
      flat[i] = without(mesh.rest(v == removed ? kept : v), axis);
    }
    if (orient2d(flat[0], flat[1], flat[2]) != side) return false;
  }
  return true;
}

/// The features of the boundary at a vertex.
struct Features {
  std::array<int, 2> labels = {-1, -1};  ///< labels of its facets
  int num_labels = 0;
  std::array<int, 2> ends = {-1, -1};  ///< other ends of the edges between facets of two labels
  int num_edges = 0;
};

/// Finds the features at a vertex; stops counting labels above two.
Features find_features(const SimplexMesh<3>& mesh, int v) {
  Features features;
  const auto facets = mesh.facets_at(v);
  for (const int f : facets) {
    const int label = mesh.facet_label(f);
    if (features.num_labels > 0 && label == features.labels[0]) continue;
    if (features.num_labels > 1 && label == features.labels[1]) continue;
    if (features.num_labels == 2) return {{-1, -1}, 3, {-1, -1}, 0};
    features.labels[features.num_labels++] = label;
  }
  if (features.num_labels < 2) return features;
  for (const int f : facets) {
    if (mesh.facet_label(f) != features.labels[0]) continue;
    for (const int end : mesh.facet(f)) {
      if (end == v) continue;
      const auto is_across = [&](int g) {
        return mesh.facet_label(g) == features.labels[1] && has_vertex(mesh.facet(g), end);
      };
      if (std::ranges::none_of(facets, is_across)) continue;
      if (features.num_edges < 2) features.ends[features.num_edges] = end;
      ++features.num_edges;
    }
  }
  return features;
}

bool keeps_boundary(const SimplexMesh<3>& mesh, int removed, int kept) {
  const Features features = find_features(mesh, removed);
  if (features.num_labels > 2) return false;
  if (features.num_labels == 2) {
    if (features.num_edges != 2 || !has_vertex(features.ends, kept)) return false;
    const int beyond = features.ends[0] == kept ? features.ends[1] : features.ends[0];
    if (!is_between<3>(mesh.rest(removed), mesh.rest(beyond), mesh.rest(kept))) return false;
    if (!keeps_facets(mesh, features.labels[1], removed, kept)) return false;
  }
  return keeps_facets(mesh, features.labels[0], removed, kept);
}

}  // namespace

template <int dim>
bool collapse_keeps_boundary(const SimplexMesh<dim>& mesh, int removed, int kept) {
  return mesh.is_boundary_edge(removed, kept) && keeps_boundary(mesh, removed, kept);
}

template bool collapse_keeps_boundary<2>(const SimplexMesh<2>& mesh, int removed, int kept);
template bool collapse_keeps_boundary<3>(const SimplexMesh<3>& mesh, int removed, int kept);

}  // namespace clearance
