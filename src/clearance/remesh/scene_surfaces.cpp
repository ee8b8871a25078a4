#include "clearance/remesh/scene_surfaces.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

int find_edge(const std::vector<SurfaceEdge>& edges, int a, int b) {
  // Edges are sorted by their ends.
  const std::array<int, 2> ends = {std::min(a, b), std::max(a, b)};
  const auto found = std::lower_bound(edges.begin(), edges.end(), ends,
                                      [](const SurfaceEdge& e, const auto& wanted) { return e.ends < wanted; });
  return found != edges.end() && found->ends == ends ? static_cast<int>(found - edges.begin()) : -1;
}

template <int dim, std::size_t n>
Extent<dim> extent_of(const BodySurface<dim>& surface, const std::array<int, n>& vertices) {
  Extent<dim> extent;
  for (const int v : vertices) {
    const SurfaceNode<dim>& node = surface.nodes[v];
    extent.extend(node.x1, node.x0);
  }
  return extent;
}

/// True if a primitive's box meets the given box and, for facets, its plane (2D: line) cuts the box: a large flat facet
/// is not near everything that its box meets.
template <int dim, std::size_t n>
bool cuts(const std::array<Vec<dim>, n>& x, const Vec<dim>& low, const Vec<dim>& high) {
  // The bounding boxes must meet.
  Vec<dim> least = x[0], most = x[0];
  for (const Vec<dim>& p : x) {
    least = least.cwiseMin(p);
    most = most.cwiseMax(p);
  }
  if (!((least.array() <= high.array()) && (low.array() <= most.array())).all()) return false;
  Vec<dim> normal;
  if constexpr (dim == 2) {
    normal = Vec<2>(x[1][1] - x[0][1], x[0][0] - x[1][0]);
  } else if constexpr (n == 3) {
    normal = cross_product(Vec<3>(x[1] - x[0]), Vec<3>(x[2] - x[0]));
  } else {
    return true;
  }
  // The reach of the box along the normal is enlarged a little for rounding. Everything meets a box without bounds.
  const double reach = 0.5 * normal.cwiseAbs().dot(high - low) * (1.0 + 1e-9);
  return !(std::abs(normal.dot(0.5 * (low + high) - x[0])) > reach);
}

template <int dim, std::size_t n>
bool is_near(const BodySurface<dim>& surface, const std::array<int, n>& vertices, const Extent<dim>& region) {
  std::array<Vec<dim>, n> x1, x0;
  for (std::size_t i = 0; i < n; ++i) {
    x1[i] = surface.nodes[vertices[i]].x1;
    x0[i] = surface.nodes[vertices[i]].x0;
  }
  return cuts<dim, n>(x1, region.low_x1, region.high_x1) || cuts<dim, n>(x0, region.low_x0, region.high_x0);
}

}  // namespace

template <int dim>
SceneSurfaces<dim>::SceneSurfaces(const RemeshInputs<dim>& in) {
  const Model& model = in.model;
  const SurfaceTopology& topology = model.surface;
  // Evaluate the surface vertices at the end and at the start of the step.
  const VecX x1 = model.surface_map.apply(in.x1), x0 = model.surface_map.apply(in.state.x);
  const VecX v = model.surface_map.apply_linear(in.state.v);
  std::vector<BodySurface<dim>> surfaces(topology.num_bodies());
  std::vector<int> number(topology.num_vertices);
  const auto body_of = [&](int vertex) -> BodySurface<dim>& { return surfaces[topology.vertex_body[vertex]]; };
  // Sort the vertices by body; `number` is the place in the body's own surface.
  for (int i = 0; i < topology.num_vertices; ++i) {
    BodySurface<dim>& surface = body_of(i);
    number[i] = static_cast<int>(surface.nodes.size());
    surface.nodes.push_back({block<dim>(x1, i), block<dim>(x0, i), block<dim>(v, i), i});
  }
  const auto at = [&](int vertex) { return number[vertex]; };
  // Sort edges, triangles and friction history by body.
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const auto [a, b] = topology.edges[e];
    body_of(a).edges.push_back({{std::min(at(a), at(b)), std::max(at(a), at(b))},
                                model.edge_rest_length_sq[e],
                                {static_cast<int>(e), std::nullopt}});
  }
  for (std::size_t k = 0; k < topology.triangles.size(); ++k) {
    const auto& t = topology.triangles[k];
    body_of(t[0]).triangles.push_back({at(t[0]), at(t[1]), at(t[2])});
    body_of(t[0]).triangles_at_rest.push_back({static_cast<int>(k), std::nullopt});
  }
  for (const StickVertex& stick : in.state.stick) {
    body_of(stick.vertex).stick.push_back({at(stick.vertex), stick.partner, stick.displacement});
  }
  // Sort the edges, so that they can be found by their ends, and build the search groups.
  for (BodySurface<dim>& surface : surfaces) {
    std::sort(surface.edges.begin(), surface.edges.end(),
              [](const SurfaceEdge& a, const SurfaceEdge& b) { return a.ends < b.ends; });
    bodies_.push_back(with_groups(std::move(surface)));
  }
}

template <int dim>
auto SceneSurfaces<dim>::with_groups(BodySurface<dim> surface) -> Body {
  using Items = std::vector<typename ExtentGroups<dim>::Item>;
  std::vector<char> is_of_triangle(surface.edges.size(), 0), is_of_facet(surface.nodes.size(), 0);
  Items triangles, edges, nodes;
  // Mark the edges of triangles: they come along with these.
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& corners = surface.triangles[t];
    triangles.push_back({static_cast<int>(t), extent_of(surface, corners)});
    for (std::size_t i = 0; i < 3; ++i) {
      const int e = find_edge(surface.edges, corners[i], corners[(i + 1) % 3]);
      if (e >= 0) is_of_triangle[e] = 1;
    }
  }
  // Only edges without a triangle and nodes without an edge are searched by themselves.
  for (std::size_t e = 0; e < surface.edges.size(); ++e) {
    for (const int v : surface.edges[e].ends) is_of_facet[v] = 1;
    if (!is_of_triangle[e]) edges.push_back({static_cast<int>(e), extent_of(surface, surface.edges[e].ends)});
  }
  for (std::size_t v = 0; v < surface.nodes.size(); ++v) {
    if (!is_of_facet[v]) nodes.push_back({static_cast<int>(v), extent_of(surface, std::array{static_cast<int>(v)})});
  }
  return {std::move(surface), ExtentGroups<dim>(std::move(triangles)), ExtentGroups<dim>(std::move(edges)),
          ExtentGroups<dim>(std::move(nodes))};
}

template <int dim>
void SceneSurfaces<dim>::replace(int body, BodySurface<dim> surface) {
  bodies_[body] = with_groups(std::move(surface));
}

template <int dim>
BodySurface<dim> SceneSurfaces<dim>::part(int body, const Extent<dim>& region) const {
  const Body& whole = bodies_[body];
  const BodySurface<dim>& surface = whole.surface;
  std::vector<int> triangles, edges, nodes;
  // Collect the primitives in the region with their edges and nodes, each once.
  whole.triangles.visit(region, [&](int t) {
    const auto& corners = surface.triangles[t];
    if (!is_near(surface, corners, region)) return;
    triangles.push_back(t);
    nodes.insert(nodes.end(), corners.begin(), corners.end());
    for (std::size_t i = 0; i < 3; ++i) {
      const int e = find_edge(surface.edges, corners[i], corners[(i + 1) % 3]);
      if (e >= 0) edges.push_back(e);
    }
  });
  whole.edges.visit(region, [&](int e) {
    const auto& ends = surface.edges[e].ends;
    if (!is_near(surface, ends, region)) return;
    edges.push_back(e);
    nodes.insert(nodes.end(), ends.begin(), ends.end());
  });
  whole.nodes.visit(region, [&](int v) { nodes.push_back(v); });
  for (std::vector<int>* numbers : {&triangles, &edges, &nodes}) {
    std::sort(numbers->begin(), numbers->end());
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  }
  // Renumber nodes by their place in the part.
  const auto renumber = [&](auto element) {
    for (int& v : element) v = static_cast<int>(std::lower_bound(nodes.begin(), nodes.end(), v) - nodes.begin());
    return element;
  };
  BodySurface<dim> part;
  for (const int v : nodes) part.nodes.push_back(surface.nodes[v]);
  for (const int e : edges) {
    SurfaceEdge edge = surface.edges[e];
    edge.ends = renumber(edge.ends);
    part.edges.push_back(edge);
  }
  for (const int t : triangles) {
    part.triangles.push_back(renumber(surface.triangles[t]));
    part.triangles_at_rest.push_back(surface.triangles_at_rest[t]);
  }
  // Keep the friction history of the nodes in the part.
  for (const StickVertex& stick : surface.stick) {
    const auto place = std::lower_bound(nodes.begin(), nodes.end(), stick.vertex);
    if (place == nodes.end() || *place != stick.vertex) continue;
    part.stick.push_back({static_cast<int>(place - nodes.begin()), stick.partner, stick.displacement});
  }
  return part;
}

template <int dim>
bool SceneSurfaces<dim>::has_any(int body, const Extent<dim>& region) const {
  const Body& whole = bodies_[body];
  bool has = false;
  whole.nodes.visit(region, [&](int) { has = true; });
  whole.edges.visit(region, [&](int e) { has = has || is_near(whole.surface, whole.surface.edges[e].ends, region); });
  whole.triangles.visit(region,
                        [&](int t) { has = has || is_near(whole.surface, whole.surface.triangles[t], region); });
  return has;
}

template class SceneSurfaces<2>;
template class SceneSurfaces<3>;

}  // namespace clearance
