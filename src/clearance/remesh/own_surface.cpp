#include "clearance/remesh/own_surface.h"

#include <algorithm>

#include "clearance/remesh/rest_measures.h"

namespace clearance {

namespace {

/// Largest number of changed facets that are searched one by one; beyond it the groups are rebuilt.
constexpr std::size_t most_changed = 256;

}  // namespace

template <int dim>
OwnSurface<dim>::OwnSurface(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body) : body_(body) {
  const SurfaceTopology& surface = in.model.surface;
  std::vector<int> own;  // the body's surface vertices, which are its boundary vertices in their order
  for (int v = 0; v < surface.num_vertices; ++v) {
    if (surface.vertex_body[v] == body.body) own.push_back(v);
  }
  if (own.empty() || !in.options.has_contact) return;
  // All surface vertices of a body have the same scales of contact, so one stands for all.
  like_ = own.front();
  const std::vector<double>& scales = in.model.contact_scales.dhat;
  dhat_ = scales.empty() ? in.options.barrier.dhat : scales[like_];
  build_groups();
  if (in.state.stick.empty()) return;
  // Convert the friction history from surface vertices to mesh vertices.
  stick_.resize(body.mesh.num_vertices());
  std::vector<int> vertex_of(surface.num_vertices, -1);
  std::size_t next = 0;
  for (int v = 0; v < body.mesh.num_vertices() && next < own.size(); ++v) {
    if (body.mesh.is_on_boundary(v)) vertex_of[own[next++]] = v;
  }
  for (const StickVertex& stick : in.state.stick) {
    const int v = vertex_of[stick.vertex];
    if (v >= 0) stick_[v].push_back({v, stick.partner, stick.displacement});
  }
}

template <int dim>
Extent<dim> OwnSurface<dim>::extent_of(int facet) const {
  Extent<dim> extent;
  for (const int v : body_.mesh.facet(facet)) {
    const NodeFields<dim>& fields = body_.fields[v];
    extent.extend(fields.x1, fields.x0);
  }
  return extent;
}

template <int dim>
double OwnSurface<dim>::measure_of(int vertex) const {
  double sum = 0.0;
  // A vertex has its share of each facet around it.
  for (const int f : body_.mesh.facets_at(vertex)) sum += rest_area(body_.mesh, f) / dim;
  return sum;
}

template <int dim>
double OwnSurface<dim>::measure_of_edge(int a, int b) const {
  double sum = 0.0;
  for (const int f : body_.mesh.facets_at(a)) {
    const auto& facet = body_.mesh.facet(f);
    // In 3D a triangle shares its area among three edges; in 2D the edge is the facet.
    if (std::find(facet.begin(), facet.end(), b) != facet.end())
      sum += rest_area(body_.mesh, f) / (dim == 2 ? 1.0 : 3.0);
  }
  return sum;
}

template <int dim>
void OwnSurface<dim>::build_groups() {
  std::vector<Item> items;
  for (int f = 0; f < body_.mesh.num_facets(); ++f) {
    if (body_.mesh.is_facet_alive(f)) items.push_back({f, extent_of(f)});
  }
  groups_ = ExtentGroups<dim>(std::move(items));
  changed_.clear();
}

template <int dim>
void OwnSurface<dim>::note_change(std::span<const int> vertices) {
  if (!has_contact()) return;
  for (const int v : vertices) {
    // Facets at these vertices are searched one by one from now on.
    const std::span<const int> facets = body_.mesh.facets_at(v);
    changed_.insert(changed_.end(), facets.begin(), facets.end());
  }
  // Rebuild the groups when too many facets are searched one by one.
  make_unique(changed_);
  if (changed_.size() > most_changed) build_groups();
}

template <int dim>
void OwnSurface<dim>::add_midpoint(int a, int b) {
  if (stick_.empty()) return;
  const int vertex = static_cast<int>(stick_.size());
  // Each end contributes half of what it remembers per partner.
  std::vector<StickVertex> sum;
  for (const int end : {a, b}) {
    for (const StickVertex& stick : stick_[end]) {
      auto same = std::find_if(sum.begin(), sum.end(), [&](const auto& s) { return s.partner == stick.partner; });
      if (same == sum.end()) same = sum.insert(sum.end(), {vertex, stick.partner, Vec<3>::Zero()});
      same->displacement += 0.5 * stick.displacement;
    }
  }
  std::sort(sum.begin(), sum.end(), [](const auto& p, const auto& q) { return p.partner < q.partner; });
  stick_.push_back(std::move(sum));
}

template <int dim>
void OwnSurface<dim>::drop_midpoint() {
  if (!stick_.empty()) stick_.pop_back();
}

template <int dim>
BodySurface<dim> OwnSurface<dim>::surface_of(const std::vector<int>& facets, std::vector<int>& vertices) const {
  const SimplexMesh<dim>& mesh = body_.mesh;
  // Collect the vertices and edges of the facets, each once.
  vertices.clear();
  std::vector<std::array<int, 2>> edges;
  for (const int f : facets) {
    const auto& facet = mesh.facet(f);
    vertices.insert(vertices.end(), facet.begin(), facet.end());
    for (std::size_t i = 0; i < (dim == 2 ? 1 : 3); ++i) {
      const int a = facet[i], b = facet[(i + 1) % dim];
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  make_unique(vertices);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const auto number = [&](int v) {
    return static_cast<int>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
  };
  // Renumber everything by position in `vertices`.
  BodySurface<dim> surface;
  for (const int v : vertices) {
    const NodeFields<dim>& fields = body_.fields[v];
    surface.nodes.push_back({fields.x1, fields.x0, fields.v, like_, measure_of(v)});
    if (stick_.empty() || v >= std::ssize(stick_)) continue;
    for (const StickVertex& stick : stick_[v]) {
      surface.stick.push_back({number(v), stick.partner, stick.displacement});
    }
  }
  for (const auto& [a, b] : edges) {
    surface.edges.push_back(
        {{number(a), number(b)}, (mesh.rest(a) - mesh.rest(b)).squaredNorm(), {-1, measure_of_edge(a, b)}});
  }
  // In 2D the facets are the edges.
  if constexpr (dim == 3) {
    for (const int f : facets) {
      const auto& [a, b, c] = mesh.facet(f);
      surface.triangles.push_back({number(a), number(b), number(c)});
      surface.triangles_at_rest.push_back({-1, rest_area(mesh, f)});
    }
  }
  return surface;
}

template <int dim>
BodySurface<dim> OwnSurface<dim>::part(const Extent<dim>& region, std::span<const int> others,
                                       std::vector<int>& vertices) const {
  std::vector<int> facets;
  // Search the groups, then the changed facets and those asked for.
  groups_.visit(region, [&](int f) { facets.push_back(f); });
  for (const std::span<const int> more : {std::span<const int>(changed_), others}) {
    for (const int f : more) {
      if (body_.mesh.is_facet_alive(f) && extent_of(f).meets(region)) facets.push_back(f);
    }
  }
  make_unique(facets);
  // The groups may hold facets that are gone or have moved.
  std::erase_if(facets, [&](int f) { return !body_.mesh.is_facet_alive(f) || !extent_of(f).meets(region); });
  return surface_of(facets, vertices);
}

template <int dim>
BodySurface<dim> OwnSurface<dim>::whole() const {
  std::vector<int> facets, vertices;
  for (int f = 0; f < body_.mesh.num_facets(); ++f) {
    if (body_.mesh.is_facet_alive(f)) facets.push_back(f);
  }
  return surface_of(facets, vertices);
}

template class OwnSurface<2>;
template class OwnSurface<3>;

}  // namespace clearance
