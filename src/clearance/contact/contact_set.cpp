#include "clearance/contact/contact_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/contact/contact_stencils.h"
#include "clearance/geometry/mollifier.h"
#include "clearance/model/half_space_pairs.h"

namespace clearance {

namespace {

constexpr int chunk_size = 1024;
/// Contacts that a chunk with any has room for at once.
constexpr std::size_t least_capacity = 8;

/// Contacts of one chunk of candidates; chunks are joined in order.
struct Chunk {
  std::vector<Contact> contacts;
  double min_distance_sq = infinity;

  /// A corner of a box near another one closes 25 pairs of primitives: most of these are counted here, as long as no
  /// other stencil has taken the place, and need not be sorted.
  void add(const Contact& contact) {
    // A place that another stencil has taken costs a repeated entry, never a wrong one: merge_duplicates sums up the
    // rest.
    const auto [v0, v1, v2, v3] = contact.vertices;
    if (v3 < 0) {
      int& place = last_at_[(v0 * 7 + v1 * 31 + v2) % last_at_.size()];
      if (place < static_cast<int>(contacts.size())) {
        Contact& last = contacts[place];
        if (coincide(last, contact)) {
          last.weight += contact.weight;
          return;
        }
      }
      place = static_cast<int>(contacts.size());
    }
    if (contacts.empty()) contacts.reserve(least_capacity);
    contacts.push_back(contact);
  }
  /// Takes a pair into the smallest distance of surfaces.
  void note(double distance_sq, double thickness) {
    if (thickness > 0.0) {
      const double gap = std::max(0.0, std::sqrt(distance_sq) - thickness);
      distance_sq = gap * gap;
    }
    min_distance_sq = std::min(min_distance_sq, distance_sq);
  }

 private:
  std::array<int, 256> last_at_{};  // indices of contacts
};

/// Activation distance and stiffness of pairs of primitives. They are those of the pair, whatever its closest features
/// are: a contact that slides from a face to an edge keeps its energy.
class PairScales {
 public:
  PairScales(const Model& model, const BarrierOptions& options)
      : surface_(model.surface),
        scales_(model.contact_scales),
        options_(options),
        activation_sq_(options.activation_sq()) {}

  /// Sets dhat and weight of the contact of a pair with these vertices, the first `num_first` of them those of its
  /// first primitive. False if the pair is too far apart.
  template <std::size_t n>
  bool apply(const std::array<int, n>& vertices, std::size_t num_first, double distance_sq, Contact& contact) const {
    // No pair has a larger activation distance than that of the options, so that far pairs leave before their scales
    // are read.
    set_thickness(vertices, num_first, contact);
    if (distance_sq >=
        (contact.thickness > 0.0 ? options_.at(contact.thickness, options_.dhat).activation_sq() : activation_sq_))
      return false;
    set_dhat(vertices, contact);
    if (scales_.is_empty()) return true;
    if (distance_sq >= options_.at(contact.thickness, contact.dhat).activation_sq()) return false;
    set_weight(vertices, num_first, contact);
    return true;
  }
  /// Sets the activation distance and the weight of a contact, however far apart its features are.
  template <std::size_t n>
  void apply(const std::array<int, n>& vertices, std::size_t num_first, Contact& contact) const {
    set_thickness(vertices, num_first, contact);
    set_dhat(vertices, contact);
    set_weight(vertices, num_first, contact);
  }

 private:
  template <std::size_t n>
  void set_thickness(const std::array<int, n>& vertices, std::size_t num_first, Contact& contact) const {
    if (surface_.radius.empty()) return;
    contact.thickness = surface_.thickness_of(vertices, num_first);
  }
  template <std::size_t n>
  void set_dhat(const std::array<int, n>& vertices, Contact& contact) const {
    contact.dhat = options_.dhat;
    if (scales_.is_empty()) return;
    for (const int v : vertices) contact.dhat = std::min(contact.dhat, scales_.dhat[v]);
  }
  /// Halfway to contact the barrier pushes the pair apart by dhat against what resists.
  template <std::size_t n>
  void set_weight(const std::array<int, n>& vertices, std::size_t num_first, Contact& contact) const {
    if (scales_.compliance.empty()) return;
    // A primitive has the mean compliance [m/N] of its vertices. The weight w [J/m^4] solves dhat = w * middle_force *
    // (c_0 + c_1), where c_0 and c_1 are the compliances of the two primitives.
    std::array<double, 2> compliance{};
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_first = i < num_first;
      compliance[is_first ? 0 : 1] +=
          scales_.compliance[vertices[i]] / static_cast<double>(is_first ? num_first : n - num_first);
    }
    const BarrierOptions barrier = options_.at(contact.thickness, contact.dhat);
    contact.weight = contact.dhat / (middle_force(barrier) * (compliance[0] + compliance[1]));
  }

  const SurfaceTopology& surface_;
  const ContactScales& scales_;
  BarrierOptions options_;
  double activation_sq_;
};

/// Runs add(i, chunk) over all indices and appends the chunks' contacts in order.
template <class Add>
void collect(int count, const Add& add, std::vector<Contact>& contacts, double& min_distance_sq) {
  const auto append = [&](Chunk& chunk) {
    if (contacts.empty()) {
      contacts = std::move(chunk.contacts);
    } else {
      contacts.insert(contacts.end(), chunk.contacts.begin(), chunk.contacts.end());
    }
    min_distance_sq = std::min(min_distance_sq, chunk.min_distance_sq);
  };
  if (count == 0) return;
  // Small scenes have one chunk, which needs no list.
  if (count <= chunk_size) {
    Chunk chunk;
    serial_for(0, count, chunk_size, [&](int i) { add(i, chunk); });
    return append(chunk);
  }
  std::vector<Chunk> chunks((count + chunk_size - 1) / chunk_size);
  parallel_for_chunks(count, chunk_size, [&](int begin, int end) {
    Chunk& chunk = chunks[begin / chunk_size];
    for (int i = begin; i < end; ++i) add(i, chunk);
  });
  for (Chunk& chunk : chunks) append(chunk);
}

void collect_point_triangle(const Model& model, const VecX& x, const Candidates& candidates, const PairScales& scales,
                            std::vector<Contact>& contacts, double& min_distance_sq) {
  collect(
      static_cast<int>(candidates.point_triangle.size()),
      [&](int i, Chunk& chunk) {
        const auto [p, triangle] = candidates.point_triangle[i];
        const std::array<int, 3>& t = model.surface.triangles[triangle];
        const std::array<int, 4> vertices = {p, t[0], t[1], t[2]};
        const std::array<Vec<3>, 4> at = stencil_positions(x, vertices);
        // The type is the active set of [Fer23, eq. 2.18], for which the distance has one of the closed forms of
        // [Fer23, eq. 2.20 to 2.22].
        const PointTriangleType type = point_triangle_type(at[0], at[1], at[2], at[3]);
        const ClosestStencil& stencil = stencil_of(type);
        const double distance_sq = stencil_distance_sq(stencil, at);
        Contact contact;
        const bool is_near = scales.apply(vertices, 1, distance_sq, contact);
        chunk.note(distance_sq, contact.thickness);
        if (!is_near) return;
        set_stencil(stencil, vertices, distance_sq, contact);
        chunk.add(contact);
      },
      contacts, min_distance_sq);
}

void collect_edge_edge(const Model& model, const VecX& x, const Candidates& candidates, const PairScales& scales,
                       std::vector<Contact>& contacts, double& min_distance_sq) {
  collect(
      static_cast<int>(candidates.edge_edge.size()),
      [&](int i, Chunk& chunk) {
        const auto [ia, ib] = candidates.edge_edge[i];
        const std::array<int, 2>& a = model.surface.edges[ia];
        const std::array<int, 2>& b = model.surface.edges[ib];
        const std::array<int, 4> vertices = {a[0], a[1], b[0], b[1]};
        const std::array<Vec<3>, 4> at = stencil_positions(x, vertices);
        const EdgeEdgeType type = edge_edge_type(at[0], at[1], at[2], at[3]);
        const ClosestStencil& stencil = stencil_of(type);
        const double distance_sq = stencil_distance_sq(stencil, at);
        Contact contact;
        const bool is_near = scales.apply(vertices, 2, distance_sq, contact);
        chunk.note(distance_sq, contact.thickness);
        if (!is_near) return;

        // Nearly parallel edges keep their four vertices: the mollifier depends on all of them [Fer23, eq. 2.24].
        const double eps_x =
            edge_edge_mollifier_threshold(model.edge_rest_length_sq[ia], model.edge_rest_length_sq[ib]);
        if (cross_product(at[1] - at[0], at[3] - at[2]).squaredNorm() >= eps_x) {
          set_stencil(stencil, vertices, distance_sq, contact);
          chunk.add(contact);
          return;
        }
        contact.kind = ContactKind::mollified_edge_edge;
        contact.edge_edge_type = type;
        contact.vertices = vertices;
        contact.mollifier_scale = eps_x;
        contact.distance_sq = distance_sq;
        chunk.add(contact);
      },
      contacts, min_distance_sq);
}

template <int dim>
void collect_point_edge(const Model& model, const VecX& x, const Candidates& candidates, const PairScales& scales,
                        std::vector<Contact>& contacts, double& min_distance_sq) {
  collect(
      static_cast<int>(candidates.point_edge.size()),
      [&](int i, Chunk& chunk) {
        const auto [p, edge] = candidates.point_edge[i];
        const std::array<int, 2>& e = model.surface.edges[edge];
        const Vec<dim> xp = block<dim>(x, p), x0 = block<dim>(x, e[0]), x1 = block<dim>(x, e[1]);
        const PointEdgeType type = point_edge_type<dim>(xp, x0, x1);
        const double distance_sq = point_edge_distance_sq<dim>(xp, x0, x1, type);
        Contact contact;
        const bool is_near = scales.apply(std::array<int, 3>{p, e[0], e[1]}, 1, distance_sq, contact);
        chunk.note(distance_sq, contact.thickness);
        if (!is_near) return;
        set_stencil(stencil_of(type), {p, e[0], e[1], -1}, distance_sq, contact);
        chunk.add(contact);
      },
      contacts, min_distance_sq);
}

template <int dim>
void collect_point_point(const VecX& x, const Candidates& candidates, const PairScales& scales,
                         std::vector<Contact>& contacts, double& min_distance_sq) {
  collect(
      static_cast<int>(candidates.point_point.size()),
      [&](int i, Chunk& chunk) {
        const std::array<int, 2>& pair = candidates.point_point[i];
        const double distance_sq = (block<dim>(x, pair[0]) - block<dim>(x, pair[1])).squaredNorm();
        Contact contact;
        const bool is_near = scales.apply(pair, 1, distance_sq, contact);
        chunk.note(distance_sq, contact.thickness);
        if (!is_near) return;
        contact.kind = ContactKind::point_point;
        contact.vertices = {pair[0], pair[1], -1, -1};
        contact.distance_sq = distance_sq;
        chunk.add(contact);
      },
      contacts, min_distance_sq);
}

template <int dim>
void collect_half_spaces(const Model& model, const VecX& x, const PairScales& scales, std::vector<Contact>& contacts,
                         double& min_distance_sq) {
  for (int plane = 0; plane < static_cast<int>(model.half_spaces.size()); ++plane) {
    const HalfSpace& half_space = model.half_spaces[plane];
    const Vec<dim> normal = half_space.normal.head<dim>();
    collect(
        model.surface.num_vertices,
        [&](int vertex, Chunk& chunk) {
          if (!meets_half_space(model, plane, vertex)) return;
          // Behind the plane counts as touching: the square must not hide the sign.
          const double distance = std::max(0.0, normal.dot(block<dim>(x, vertex)) - half_space.offset);
          const double distance_sq = distance * distance;
          Contact contact;
          const bool is_near = scales.apply(std::array<int, 1>{vertex}, 1, distance_sq, contact);
          chunk.note(distance_sq, contact.thickness);
          if (!is_near) return;
          contact.kind = ContactKind::half_space;
          contact.vertices = {vertex, -1, -1, -1};
          contact.plane = plane;
          contact.distance_sq = distance_sq;
          chunk.add(contact);
        },
        contacts, min_distance_sq);
  }
}

}  // namespace

void add_to_bodies(const Model& model, const Contact& contact, double value, VecX& sums) {
  const std::array<int, 2> sides = {contact.vertices[0], contact.vertices[contact.num_vertices() - 1]};
  const auto is_obstacle = [&](int vertex) { return model.is_obstacle_vertex[vertex] != 0; };
  const bool is_shared = contact.kind != ContactKind::half_space && !is_obstacle(sides[0]) && !is_obstacle(sides[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    if (is_obstacle(sides[i]) || (contact.kind == ContactKind::half_space && i == 1)) continue;
    sums[model.surface.vertex_body[sides[i]]] += is_shared ? 0.5 * value : value;
  }
}

std::string contact_text(const Contact& contact, const SurfaceTopology& surface) {
  static constexpr std::array kinds = {"point and point", "point and edge", "point and triangle",
                                       "edge and edge",   "edge and edge",  "point and half-space"};
  const int n = contact.num_vertices();
  std::string text = fmt::format("{} (vertices {}) of {}", kinds[static_cast<std::size_t>(contact.kind)],
                                 fmt::join(contact.vertices.begin(), contact.vertices.begin() + n, ", "),
                                 surface.body_label(contact.vertices[0]));
  if (n > 1) text += " and " + surface.body_label(contact.vertices[n - 1]);
  return text + fmt::format(", {:.3g} m apart", gap_of(contact));
}

Candidates find_contact_candidates(BroadPhase& broad_phase, const Model& model, const BarrierOptions& options,
                                   const VecX& x_t0, const VecX& x_t1, const std::vector<double>& deviation) {
  const std::vector<double>& dhat = model.contact_scales.dhat;
  const std::vector<double>& radius = model.surface.radius;
  if (dhat.empty() && radius.empty()) {
    return broad_phase.find_candidates(x_t0, x_t1, options.inflation(), deviation);
  }
  // Each of two boxes grows by half of its own activation distance. Half of the sum of both is at least the smaller
  // one, which is the pair's.
  std::vector<double> inflation(model.surface.num_vertices);
  for (std::size_t v = 0; v < inflation.size(); ++v) {
    const double its_dhat = dhat.empty() ? options.dhat : dhat[v];
    inflation[v] =
        BarrierOptions{its_dhat, options.min_separation}.inflation() + (deviation.empty() ? 0.0 : deviation[v]);
    if (!radius.empty()) inflation[v] += radius[v] * (1.0 + 1e-9);
  }
  return broad_phase.find_candidates(x_t0, x_t1, 0.0, inflation);
}

template <int dim>
Contact contact_of_pair(const Model& model, const PrimitivePair& pair, const std::array<Vec<dim>, 4>& x,
                        const BarrierOptions& options) {
  const PairScales scales(model, options);
  const std::array<int, 4>& v = pair.vertices;
  Contact contact;
  // No activation distance rejects the pair here: a forecast asks for pairs that will meet later.
  if (pair.plane >= 0) {
    scales.apply(std::array<int, 1>{v[0]}, 1, contact);
    contact.kind = ContactKind::half_space;
    contact.vertices = {v[0], -1, -1, -1};
    contact.plane = pair.plane;
    const HalfSpace& half_space = model.half_spaces[pair.plane];
    const double distance = half_space.normal.head<dim>().dot(x[0]) - half_space.offset;
    contact.distance_sq = distance * distance;
  } else if (pair.num_vertices() == 2) {
    scales.apply(std::array<int, 2>{v[0], v[1]}, 1, contact);
    contact.kind = ContactKind::point_point;
    contact.vertices = {std::min(v[0], v[1]), std::max(v[0], v[1]), -1, -1};
    contact.distance_sq = (x[0] - x[1]).squaredNorm();
  } else if (pair.num_vertices() == 3) {
    scales.apply(std::array<int, 3>{v[0], v[1], v[2]}, 1, contact);
    const PointEdgeType type = point_edge_type<dim>(x[0], x[1], x[2]);
    set_stencil(stencil_of(type), v, point_edge_distance_sq<dim>(x[0], x[1], x[2], type), contact);
  } else if constexpr (dim == 3) {
    scales.apply(v, pair.num_first, contact);
    const ClosestStencil& stencil = pair.num_first == 1 ? stencil_of(point_triangle_type(x[0], x[1], x[2], x[3]))
                                                        : stencil_of(edge_edge_type(x[0], x[1], x[2], x[3]));
    set_stencil(stencil, v, stencil_distance_sq(stencil, x), contact);
  }
  return contact;
}

template <int dim>
ContactSet build_contact_set(const Model& model, const VecX& x, const Candidates& candidates,
                             const BarrierOptions& options) {
  ContactSet set;
  const PairScales scales(model, options);
  double min_distance_sq = infinity;
  if constexpr (dim == 3) {
    collect_point_triangle(model, x, candidates, scales, set.contacts, min_distance_sq);
    collect_edge_edge(model, x, candidates, scales, set.contacts, min_distance_sq);
  }
  collect_point_edge<dim>(model, x, candidates, scales, set.contacts, min_distance_sq);
  collect_point_point<dim>(x, candidates, scales, set.contacts, min_distance_sq);
  collect_half_spaces<dim>(model, x, scales, set.contacts, min_distance_sq);
  merge_duplicates(set.contacts, model.surface.num_vertices);
  set.min_distance = std::sqrt(min_distance_sq);
  return set;
}

template Contact contact_of_pair<2>(const Model&, const PrimitivePair&, const std::array<Vec<2>, 4>&,
                                    const BarrierOptions&);
template Contact contact_of_pair<3>(const Model&, const PrimitivePair&, const std::array<Vec<3>, 4>&,
                                    const BarrierOptions&);
template ContactSet build_contact_set<2>(const Model&, const VecX&, const Candidates&, const BarrierOptions&);
template ContactSet build_contact_set<3>(const Model&, const VecX&, const Candidates&, const BarrierOptions&);

}  // namespace clearance
