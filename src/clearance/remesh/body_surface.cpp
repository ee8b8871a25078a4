#include "clearance/remesh/body_surface.h"

#include <algorithm>

#include "clearance/geometry/distance.h"

namespace clearance {

template <int dim>
void BodySurface<dim>::complete() {
  std::vector<std::array<int, 3>> sides;  // ends and number, sorted
  for (std::size_t e = 0; e < edges.size(); ++e) sides.push_back({edges[e][0], edges[e][1], static_cast<int>(e)});
  std::sort(sides.begin(), sides.end());
  const auto number = [&](int a, int b) {
    const std::array<int, 3> wanted = {std::min(a, b), std::max(a, b), -1};
    return (*std::lower_bound(sides.begin(), sides.end(), wanted))[2];
  };
  std::vector<char> has_triangle(edges.size(), 0), has_edge(x1.size(), 0);
  for (const auto& [a, b, c] : triangles) {
    const std::array<int, 3> around = {number(a, b), number(b, c), number(c, a)};
    for (const int e : around) has_triangle[static_cast<std::size_t>(e)] = 1;
    edges_of_triangle.push_back(around);
  }
  const auto box_of = [&](const auto& vertices) {
    PositionBox<dim> box;
    for (const int v : vertices) {
      box.extend(x0[static_cast<std::size_t>(v)]);
      box.extend(x1[static_cast<std::size_t>(v)]);
    }
    return box;
  };
  for (const auto& triangle : triangles) triangle_boxes.push_back(box_of(triangle));
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (const int v : edges[e]) has_edge[static_cast<std::size_t>(v)] = 1;
    if (has_triangle[e]) continue;
    lone_edges.push_back(static_cast<int>(e));
    edge_boxes.push_back(box_of(edges[e]));
  }
  for (std::size_t v = 0; v < x1.size(); ++v) {
    if (!has_edge[v] && measure[v] > 0.0) lone_vertices.push_back(static_cast<int>(v));
  }
}

template <int dim>
std::vector<BodySurface<dim>> surfaces_of(const RemeshInputs<dim>& in) {
  const SurfaceTopology& surface = in.model.surface;
  const ContactMeasures& measures = in.model.contact_measures;
  std::vector<BodySurface<dim>> surfaces;
  if (!in.options.has_contact) return surfaces;
  const VecX x0 = in.model.surface_map.apply(in.state.x), x1 = in.model.surface_map.apply(in.x1);
  std::vector<std::size_t> surface_of_body(static_cast<std::size_t>(surface.num_bodies()), 0);
  for (int v = 0; v < surface.num_vertices; ++v) {
    const int body = surface.vertex_body[static_cast<std::size_t>(v)];
    if (surfaces.empty() || surfaces.back().body != body) {
      surface_of_body[static_cast<std::size_t>(body)] = surfaces.size();
      surfaces.emplace_back();
      surfaces.back().body = body;
      surfaces.back().like = v;
    }
    BodySurface<dim>& own = surfaces.back();
    own.x0.push_back(block<dim>(x0, v));
    own.x1.push_back(block<dim>(x1, v));
    own.measure.push_back(measures.vertex.empty() ? 1.0 : measures.vertex[static_cast<std::size_t>(v)]);
  }
  const auto of_vertex = [&](int v) -> BodySurface<dim>& {
    return surfaces[surface_of_body[static_cast<std::size_t>(surface.vertex_body[static_cast<std::size_t>(v)])]];
  };
  for (std::size_t e = 0; e < surface.edges.size(); ++e) {
    BodySurface<dim>& own = of_vertex(surface.edges[e][0]);
    std::array<int, 2> ends = {surface.edges[e][0] - own.like, surface.edges[e][1] - own.like};
    if (ends[0] > ends[1]) std::swap(ends[0], ends[1]);
    own.edges.push_back(ends);
    own.edge_measure.push_back(measures.edge.empty() ? 1.0 : measures.edge[e]);
    own.edge_length_sq.push_back(in.model.edge_rest_length_sq[e]);
  }
  for (const auto& [a, b, c] : surface.triangles) {
    BodySurface<dim>& own = of_vertex(a);
    own.triangles.push_back({a - own.like, b - own.like, c - own.like});
  }
  for (BodySurface<dim>& own : surfaces) own.complete();
  return surfaces;
}

template <int dim>
BodySurface<dim> surface_of_body(const AdaptingBody<dim>& body, int like) {
  const SimplexMesh<dim>& mesh = body.mesh;
  BodySurface<dim> own;
  own.body = body.body;
  own.like = like;
  own.measure.assign(static_cast<std::size_t>(mesh.num_vertices()), 0.0);
  for (const NodeFields<dim>& fields : body.fields) {
    own.x0.push_back(fields.x0);
    own.x1.push_back(fields.x1);
  }
  std::vector<std::array<int, 3>> sides;  // ends, facet
  std::vector<double> area;               // per facet
  for (int f = 0; f < mesh.num_facets(); ++f) {
    area.push_back(0.0);
    if (!mesh.is_facet_alive(f)) continue;
    const auto& facet = mesh.facet(f);
    if constexpr (dim == 3) {
      area.back() = 0.5 * cross_product(Vec<3>(mesh.rest(facet[1]) - mesh.rest(facet[0])),
                                        Vec<3>(mesh.rest(facet[2]) - mesh.rest(facet[0])))
                              .norm();
      own.triangles.push_back(facet);
    } else {
      area.back() = (mesh.rest(facet[1]) - mesh.rest(facet[0])).norm();
    }
    for (std::size_t i = 0; i < dim; ++i) {
      own.measure[static_cast<std::size_t>(facet[i])] += area.back() / dim;
      if (dim == 2 && i == 1) break;
      const int a = facet[i], b = facet[(i + 1) % dim];
      sides.push_back({std::min(a, b), std::max(a, b), f});
    }
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto [a, b, f] = sides[i];
    // A third of each triangle around it; in the plane its length.
    const double part = area[static_cast<std::size_t>(f)] / (dim == 3 ? 3.0 : 1.0);
    if (i > 0 && sides[i - 1][0] == a && sides[i - 1][1] == b) {
      own.edge_measure.back() += part;
      continue;
    }
    own.edges.push_back({a, b});
    own.edge_measure.push_back(part);
    own.edge_length_sq.push_back((mesh.rest(a) - mesh.rest(b)).squaredNorm());
  }
  own.complete();
  return own;
}

template struct BodySurface<2>;
template struct BodySurface<3>;
template std::vector<BodySurface<2>> surfaces_of<2>(const RemeshInputs<2>&);
template std::vector<BodySurface<3>> surfaces_of<3>(const RemeshInputs<3>&);
template BodySurface<2> surface_of_body<2>(const AdaptingBody<2>&, int);
template BodySurface<3> surface_of_body<3>(const AdaptingBody<3>&, int);

}  // namespace clearance
