#include "clearance/remesh/vertex_slide.h"

#include <algorithm>

#include "clearance/ccd/ccd.h"

namespace clearance {

namespace {

/// The primitives at a vertex of a surface, which moves, against others, which do not.
template <int dim>
class Slide {
 public:
  Slide(const Vec<dim>& from, const Vec<dim>& to) : from_(from), to_(to) {}

  /// Edges and triangles at the vertex by their other vertices.
  void add_edge(const Vec<dim>& other) { edges_.push_back(other); }
  void add_triangle(const Vec<dim>& b, const Vec<dim>& c) { triangles_.push_back({b, c}); }

  bool meets_vertex(const Vec<dim>& p) const {
    if constexpr (dim == 2) {
      return std::any_of(edges_.begin(), edges_.end(), [&](const Vec<2>& end) {
        return point_edge_ccd<2>({{p, from_, end}, {p, to_, end}}, options()).is_impact();
      });
    } else {
      return std::any_of(triangles_.begin(), triangles_.end(), [&](const auto& t) {
        return point_triangle_ccd({{p, from_, t[0], t[1]}, {p, to_, t[0], t[1]}}, options()).is_impact();
      });
    }
  }
  bool meets_edge(const Vec<dim>& a, const Vec<dim>& b) const {
    if constexpr (dim == 2) {
      return point_edge_ccd<2>({{from_, a, b}, {to_, a, b}}, options()).is_impact();
    } else {
      return std::any_of(edges_.begin(), edges_.end(), [&](const Vec<3>& end) {
        return edge_edge_ccd({{from_, end, a, b}, {to_, end, a, b}}, options()).is_impact();
      });
    }
  }
  bool meets_triangle(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) const {
    if constexpr (dim == 3) {
      return point_triangle_ccd({{from_, a, b, c}, {to_, a, b, c}}, options()).is_impact();
    } else {
      return false;
    }
  }
  PositionBox<dim> box() const {
    PositionBox<dim> box;
    box.extend(from_);
    box.extend(to_);
    for (const Vec<dim>& x : edges_) box.extend(x);
    for (const auto& t : triangles_) {
      box.extend(t[0]);
      box.extend(t[1]);
    }
    return box;
  }

 private:
  static CcdOptions options() { return {}; }
  Vec<dim> from_, to_;
  std::vector<Vec<dim>> edges_;
  std::vector<std::array<Vec<dim>, 2>> triangles_;
};

template <int dim>
bool is_free(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body, const std::vector<BodySurface<dim>>& surfaces,
             int removed, int kept, Vec<dim> NodeFields<dim>::*at, std::vector<Vec<dim>> BodySurface<dim>::*others) {
  const SimplexMesh<dim>& mesh = body.mesh;
  const auto x = [&](int v) -> const Vec<dim>& { return body.fields[static_cast<std::size_t>(v)].*at; };
  Slide<dim> slide(x(removed), x(kept));
  std::vector<int> around;  // vertices of what moves
  for (const int f : mesh.facets_at(removed)) {
    auto facet = mesh.facet(f);
    std::rotate(facet.begin(), std::find(facet.begin(), facet.end(), removed), facet.end());
    const bool has_kept = std::find(facet.begin(), facet.end(), kept) != facet.end();
    for (std::size_t i = 1; i < dim; ++i) {
      if (facet[i] != kept) slide.add_edge(x(facet[i]));
      around.push_back(facet[i]);
    }
    if constexpr (dim == 3) {
      if (!has_kept) slide.add_triangle(x(facet[1]), x(facet[2]));
    }
  }
  const PositionBox<dim> reach = slide.box();
  int like = -1;
  for (const BodySurface<dim>& surface : surfaces) {
    if (surface.body == body.body) like = surface.like;
  }
  for (const HalfSpace& plane : in.model.half_spaces) {
    if (plane.normal.template head<dim>().dot(x(kept)) < plane.offset) return false;
  }
  for (const BodySurface<dim>& surface : surfaces) {
    if (surface.body == body.body || !in.model.surface.can_touch(like, surface.like)) continue;
    const std::vector<Vec<dim>>& y = surface.*others;
    const auto p = [&](int v) -> const Vec<dim>& { return y[static_cast<std::size_t>(v)]; };
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      if (!reach.meets(surface.triangle_boxes[t])) continue;
      const auto& [a, b, c] = surface.triangles[t];
      if constexpr (dim == 3) {
        if (slide.meets_triangle(p(a), p(b), p(c)) || slide.meets_edge(p(a), p(b)) || slide.meets_edge(p(b), p(c)) ||
            slide.meets_edge(p(c), p(a)) || slide.meets_vertex(p(a)) || slide.meets_vertex(p(b)) ||
            slide.meets_vertex(p(c))) {
          return false;
        }
      }
    }
    for (std::size_t i = 0; i < surface.lone_edges.size(); ++i) {
      if (!reach.meets(surface.edge_boxes[i])) continue;
      const auto& [a, b] = surface.edges[static_cast<std::size_t>(surface.lone_edges[i])];
      if (slide.meets_edge(p(a), p(b)) || slide.meets_vertex(p(a)) || slide.meets_vertex(p(b))) return false;
    }
    for (const int v : surface.lone_vertices) {
      if (reach.contains(p(v)) && slide.meets_vertex(p(v))) return false;
    }
  }
  if (!body.has_self_contact) return true;
  // Its own surface but for the neighbours of what moves.
  around.push_back(removed);
  const auto is_around = [&](int v) { return std::find(around.begin(), around.end(), v) != around.end(); };
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (!mesh.is_facet_alive(f)) continue;
    const auto& facet = mesh.facet(f);
    PositionBox<dim> box;
    for (const int v : facet) box.extend(x(v));
    if (!reach.meets(box) || std::any_of(facet.begin(), facet.end(), is_around)) continue;
    for (std::size_t i = 0; i < dim; ++i) {
      if (slide.meets_vertex(x(facet[i])) || slide.meets_edge(x(facet[i]), x(facet[(i + 1) % dim]))) return false;
    }
    if constexpr (dim == 3) {
      if (slide.meets_triangle(x(facet[0]), x(facet[1]), x(facet[2]))) return false;
    }
  }
  return true;
}

}  // namespace

template <int dim>
bool can_slide(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body,
               const std::vector<BodySurface<dim>>& surfaces, int removed, int kept) {
  if (!in.options.has_contact) return true;
  return is_free<dim>(in, body, surfaces, removed, kept, &NodeFields<dim>::x1, &BodySurface<dim>::x1) &&
         is_free<dim>(in, body, surfaces, removed, kept, &NodeFields<dim>::x0, &BodySurface<dim>::x0);
}

template bool can_slide<2>(const RemeshInputs<2>&, const AdaptingBody<2>&, const std::vector<BodySurface<2>>&, int,
                           int);
template bool can_slide<3>(const RemeshInputs<3>&, const AdaptingBody<3>&, const std::vector<BodySurface<3>>&, int,
                           int);

}  // namespace clearance
