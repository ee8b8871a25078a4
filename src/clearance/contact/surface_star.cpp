#include "clearance/contact/surface_star.h"

#include <algorithm>
#include <cassert>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

const std::vector<signed char> nothing_known;

/// visit(add) calls add(list, item) for all items, twice the same.
template <class Visit>
IndexLists make_lists(std::size_t count, const Visit& visit) {
  IndexLists lists;
  // The first visit counts, the second one fills: within a list the items keep the order in which they are visited.
  lists.first.assign(count + 1, 0);
  visit([&](int list, int) { ++lists.first[list + 1]; });
  for (std::size_t i = 1; i < lists.first.size(); ++i) lists.first[i] += lists.first[i - 1];
  lists.items.resize(lists.first.back());
  std::vector<int> next(lists.first.begin(), lists.first.end() - 1);
  visit([&](int list, int item) { lists.items[next[list]++] = item; });
  return lists;
}

}  // namespace

SurfaceStar::SurfaceStar(const Model& model) : SurfaceStar(model, nothing_known) {}

SurfaceStar::SurfaceStar(const Model& model, const std::vector<signed char>& outside)
    : surface_(model.surface), outside_(outside), is_in_space_(model.layout.dim == 3) {
  const std::size_t num_vertices = surface_.num_vertices;
  edges_of_vertex_ = make_lists(num_vertices, [&](const auto& add) {
    for (int e = 0; e < std::ssize(surface_.edges); ++e) {
      for (const int v : surface_.edges[e]) add(v, e);
    }
  });
  triangles_of_vertex_ = make_lists(num_vertices, [&](const auto& add) {
    for (int t = 0; t < std::ssize(surface_.triangles); ++t) {
      for (const int v : surface_.triangles[t]) add(v, t);
    }
  });
  for (const auto& t : surface_.triangles) {
    edges_of_triangle_.push_back({edge_between(t[0], t[1]), edge_between(t[1], t[2]), edge_between(t[2], t[0])});
  }
  const VecX x = model.surface_map.apply(model.x_rest);
  for (const auto& t : surface_.triangles) {
    const Vec<3> a = block<3>(x, t[0]), b = block<3>(x, t[1]), c = block<3>(x, t[2]);
    const double area = cross_product(Vec<3>(b - a), Vec<3>(c - a)).norm();
    // The norm is twice the area of the triangle, hence its quotient by an edge is the height above this edge.
    heights_.push_back({area / (b - a).norm(), area / (c - b).norm(), area / (a - c).norm()});
  }
  triangles_of_edge_ = make_lists(surface_.edges.size(), [&](const auto& add) {
    for (int t = 0; t < std::ssize(surface_.triangles); ++t) {
      for (const int e : edges_of_triangle(t)) add(e, t);
    }
  });
  find_solids();
}

void SurfaceStar::find_solids() {
  const auto all_outside = [&](std::span<const int> facets) {
    return !facets.empty() && std::all_of(facets.begin(), facets.end(), [&](int facet) { return outside(facet) != 0; });
  };
  for (int e = 0; e < std::ssize(surface_.edges); ++e) {
    is_solid_edge_.push_back(is_in_space_ ? all_outside(triangles_of_edge(e)) : outside(e) != 0);
  }
  for (int v = 0; v < surface_.num_vertices; ++v) {
    const std::span<const int> edges = edges_of(v);
    is_solid_vertex_.push_back(!edges.empty() &&
                               std::all_of(edges.begin(), edges.end(), [&](int e) { return is_solid_edge(e); }));
  }
}

int SurfaceStar::edge_between(int a, int b) const {
  const std::span<const int> edges = edges_of(a);
  const auto found = std::find_if(edges.begin(), edges.end(), [&](int e) { return other_end(e, a) == b; });
  assert(found != edges.end());
  return *found;
}

int SurfaceStar::opposite(int triangle, int edge) const {
  const auto& t = surface_.triangles[triangle];
  const auto& e = surface_.edges[edge];
  return *std::find_if(t.begin(), t.end(), [&](int v) { return v != e[0] && v != e[1]; });
}

int SurfaceStar::triangle_of(int a, int b, int c) const {
  const std::span<const int> triangles = facets_of(a);
  const auto found = std::find_if(triangles.begin(), triangles.end(), [&](int triangle) {
    const auto& t = surface_.triangles[triangle];
    const auto has = [&](int v) { return v == t[0] || v == t[1] || v == t[2]; };
    return has(b) && has(c);
  });
  assert(found != triangles.end());
  return *found;
}

int SurfaceStar::first_without(std::span<const int> triangles, int vertex) const {
  for (const int triangle : triangles) {
    const auto& t = surface_.triangles[triangle];
    if (t[0] != vertex && t[1] != vertex && t[2] != vertex) return triangle;
  }
  return -1;
}

}  // namespace clearance
