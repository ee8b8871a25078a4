#include "clearance/contact/convergent_contact_model.h"

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/contact/contact_stencils.h"
#include "clearance/geometry/mollifier.h"
#include "clearance/model/half_space_pairs.h"

namespace clearance {

namespace {

constexpr int grain = 16;  // owners

/// How often each stencil counts for one owner, in whole numbers.
class Counts {
 public:
  void add(int count, const Contact& contact) {
    const auto same = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const Entry& entry) { return is_same(entry.contact, contact); });
    if (same == entries_.end()) {
      entries_.push_back({count, contact});
    } else {
      same->count += count;
    }
  }
  /// Appends the stencils whose count is not 0, with weights of `weight` times the count, and clears the counts.
  void take(double weight, std::vector<Contact>& contacts) {
    for (Entry& entry : entries_) {
      if (entry.count == 0) continue;
      entry.contact.weight = weight * entry.count;
      contacts.push_back(entry.contact);
    }
    entries_.clear();
  }

 private:
  struct Entry {
    int count;
    Contact contact;
  };
  static bool is_same(const Contact& a, const Contact& b) {
    return coincide(a, b) && a.edge_edge_type == b.edge_edge_type;
  }
  std::vector<Entry> entries_;
};

/// A primitive that an owner sees, and the contact of their closest features.
struct Seen {
  int primitive = -1;
  Contact contact;
};

/// The candidates of each owner: those of owner i are [first[i], first[i + 1]).
struct Lists {
  std::vector<int> first, others;
};

/// Makes lists in which the first primitive of each pair is the owner. The pairs are sorted by their first.
Lists lists_of_first(const std::vector<std::array<int, 2>>& pairs, int count) {
  Lists lists;
  lists.first.assign(count + 1, 0);
  // Counts per owner become offsets; the sorted pairs already have the others in the order of the lists.
  for (const auto& [owner, other] : pairs) {
    ++lists.first[owner + 1];
    lists.others.push_back(other);
  }
  for (std::size_t i = 1; i < lists.first.size(); ++i) lists.first[i] += lists.first[i - 1];
  return lists;
}

/// Makes lists in which both primitives of each pair are owners.
Lists lists_of_both(const std::vector<std::array<int, 2>>& pairs, int count) {
  Lists lists;
  lists.first.assign(count + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++lists.first[a + 1];
    ++lists.first[b + 1];
  }
  for (std::size_t i = 1; i < lists.first.size(); ++i) lists.first[i] += lists.first[i - 1];
  lists.others.resize(2 * pairs.size());
  std::vector<int> next(lists.first.begin(), lists.first.end() - 1);
  for (const auto& [a, b] : pairs) {
    lists.others[next[a]++] = b;
    lists.others[next[b]++] = a;
  }
  return lists;
}

std::array<int, 2> sorted(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// Calls visit(value, count) for each of the values, sorted, with how often it is there.
template <class T, class Visit>
void for_each_counted(std::vector<T>& values, const Visit& visit) {
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    visit(values[i], static_cast<int>(end - i));
    i = end;
  }
}

}  // namespace

template <int dim>
class ConvergentContactModel<dim>::Builder {
 public:
  Builder(const ConvergentContactModel& own, const VecX& x) : own_(own), model_(own.model()), x_(x) {}

  ContactSet run(const Candidates& candidates) {
    if constexpr (dim == 3) {
      collect(lists_of_first(candidates.point_triangle, model_.surface.num_vertices),
              [&](Chunk& chunk, int p, auto others) { look_at_triangles(p, others, chunk); });
      collect(lists_of_both(candidates.edge_edge, static_cast<int>(model_.surface.edges.size())),
              [&](Chunk& chunk, int edge, auto others) { look_at_edges(edge, others, chunk); });
    } else {
      collect(lists_of_first(candidates.point_edge, model_.surface.num_vertices),
              [&](Chunk& chunk, int p, auto others) { look_at_edges_in_plane(p, others, chunk); });
    }
    collect_half_spaces();
    ContactSet set;
    set.contacts = std::move(contacts_);
    merge_duplicates(set.contacts, model_.surface.num_vertices);
    std::erase_if(set.contacts, [](const Contact& contact) { return contact.weight == 0.0; });
    set.min_distance = std::sqrt(min_distance_sq_);
    return set;
  }

 private:
  struct Chunk {
    std::vector<Contact> contacts;
    double min_distance_sq = infinity;
    // The rest is scratch memory.
    Counts counts;
    std::vector<std::array<int, 2>> edges;
    std::vector<int> vertices, of_edges;
  };

  template <class Look>
  void collect(const Lists& lists, const Look& look) {
    std::vector<int> owners;
    for (int i = 0; i + 1 < static_cast<int>(lists.first.size()); ++i) {
      if (lists.first[i] < lists.first[i + 1]) owners.push_back(i);
    }
    const int count = static_cast<int>(owners.size());
    std::vector<Chunk> chunks((count + grain - 1) / grain);
    parallel_for_chunks(count, grain, [&](int begin, int end) {
      Chunk& chunk = chunks[begin / grain];
      for (int k = begin; k < end; ++k) {
        const std::size_t owner = owners[k];
        const int* others = lists.others.data();
        look(chunk, static_cast<int>(owner),
             std::span<const int>(others + lists.first[owner], others + lists.first[owner + 1]));
      }
    });
    for (const Chunk& chunk : chunks) {
      contacts_.insert(contacts_.end(), chunk.contacts.begin(), chunk.contacts.end());
      min_distance_sq_ = std::min(min_distance_sq_, chunk.min_distance_sq);
    }
  }

  bool is_active(double distance_sq, double dhat) const {
    return distance_sq < BarrierOptions{dhat, own_.barrier_.min_separation}.activation_sq();
  }
  Vec<dim> at(int v) const { return block<dim>(x_, v); }
  std::array<int, 2> edge(int e) const { return model_.surface.edges[e]; }

  /// Computes the contact of a point and the closest feature of an edge if they are near, else its distance alone.
  bool point_edge(int p, const std::array<int, 2>& e, double dhat, Contact& contact) const {
    const Vec<dim> xp = at(p), x0 = at(e[0]), x1 = at(e[1]);
    const PointEdgeType type = point_edge_type<dim>(xp, x0, x1);
    const double distance_sq = point_edge_distance_sq<dim>(xp, x0, x1, type);
    contact = {};
    contact.dhat = dhat;
    contact.distance_sq = distance_sq;
    if (!is_active(distance_sq, dhat)) return false;
    set_stencil(stencil_of(type), {p, e[0], e[1], -1}, distance_sq, contact);
    return true;
  }
  bool point_point(int p, int u, double dhat, Contact& contact) const {
    const double distance_sq = (at(p) - at(u)).squaredNorm();
    if (!is_active(distance_sq, dhat)) return false;
    contact = {};
    contact.dhat = dhat;
    set_stencil(stencil_of(PointEdgeType::p_e0), {p, u, -1, -1}, distance_sq, contact);
    return true;
  }

  /// An owner sees one body at a time: weights and activation distances are those of the two bodies.
  template <class Body, class Look>
  static void for_each_body(std::span<const int> others, const Body& body, const Look& look) {
    for (std::size_t i = 0; i < others.size();) {
      std::size_t end = i + 1;
      while (end < others.size() && body(others[end]) == body(others[i])) ++end;
      look(others.subspan(i, end - i));
      i = end;
    }
  }
  int body_of(int v) const { return model_.surface.vertex_body[v]; }

  // Lists are sorted, and numbers of triangles and edges go body by body.
  void look_at_triangles(int p, std::span<const int> triangles, Chunk& chunk) const {
    const auto corners = [&](int t) { return model_.surface.triangles[t]; };
    for_each_body(
        triangles, [&](int t) { return body_of(corners(t)[0]); },
        [&](std::span<const int> of_body) {
          const double dhat = own_.dhat_of(p, corners(of_body[0])[0]);
          chunk.edges.clear();
          chunk.vertices.clear();
          for (const int triangle : of_body) {
            const std::array<int, 3> t = corners(triangle);
            const std::array<int, 4> vertices = {p, t[0], t[1], t[2]};
            const std::array<Vec<3>, 4> positions = stencil_positions(x_, vertices);
            const PointTriangleType type = point_triangle_type(positions[0], positions[1], positions[2], positions[3]);
            const ClosestStencil& stencil = stencil_of(type);
            const double distance_sq = stencil_distance_sq(stencil, positions);
            chunk.min_distance_sq = std::min(chunk.min_distance_sq, distance_sq);
            if (!is_active(distance_sq, dhat)) continue;
            Contact contact;
            contact.dhat = dhat;
            set_stencil(stencil, vertices, distance_sq, contact);
            chunk.counts.add(1, contact);
            for (std::size_t i = 0; i < 3; ++i) {
              chunk.edges.push_back(sorted(t[i], t[(i + 1) % 3]));
              chunk.vertices.push_back(t[i]);
            }
          }
          if (own_.has_improved_max_) subtract_on_triangles(p, dhat, chunk);
          // The factor 1/4 is 1/2 since each of two surfaces owns half of the energy, and 1/2 since in space vertices
          // and edges integrate over the surface once each.
          chunk.counts.take(0.25 * own_.modulus_of(p, corners(of_body[0])[0]) * own_.vertex_measure(p), chunk.contacts);
        });
  }

  /// An edge is a part of its triangles: all triangles around an edge or a vertex that is near are near, too, and have
  /// been counted.
  void subtract_on_triangles(int p, double dhat, Chunk& chunk) const {
    chunk.of_edges.clear();
    Contact contact;
    for_each_counted(chunk.edges, [&](const std::array<int, 2>& e, int num_triangles) {
      if (num_triangles == 1) return;
      for (int i = 1; i < num_triangles; ++i) chunk.of_edges.insert(chunk.of_edges.end(), {e[0], e[1]});
      if (point_edge(p, e, dhat, contact)) chunk.counts.add(1 - num_triangles, contact);
    });
    std::sort(chunk.of_edges.begin(), chunk.of_edges.end());
    for_each_counted(chunk.vertices, [&](int u, int num_triangles) {
      const auto [begin, end] = std::equal_range(chunk.of_edges.begin(), chunk.of_edges.end(), u);
      // The count is 1 - n_t + sum over the edges at u of (n - 1); `of_edges` holds u n - 1 times for each of them. A
      // closed fan of n_t triangles has n_t edges with n = 2, which gives 1: its triangles minus its edges plus the
      // vertex.
      const int count = 1 - num_triangles + static_cast<int>(end - begin);
      if (count != 0 && point_point(p, u, dhat, contact)) chunk.counts.add(count, contact);
    });
  }

  void look_at_edges_in_plane(int p, std::span<const int> edges, Chunk& chunk) const {
    for_each_body(
        edges, [&](int e) { return body_of(edge(e)[0]); },
        [&](std::span<const int> of_body) {
          const int other = edge(of_body[0])[0];
          const double dhat = own_.dhat_of(p, other);
          chunk.vertices.clear();
          Contact contact;
          for (const int e : of_body) {
            const std::array<int, 2> ends = edge(e);
            const bool is_near = point_edge(p, ends, dhat, contact);
            chunk.min_distance_sq = std::min(chunk.min_distance_sq, contact.distance_sq);
            if (!is_near) continue;
            chunk.counts.add(1, contact);
            chunk.vertices.insert(chunk.vertices.end(), {ends[0], ends[1]});
          }
          if (own_.has_improved_max_) {
            for_each_counted(chunk.vertices, [&](int u, int num_edges) {
              if (num_edges > 1 && point_point(p, u, dhat, contact)) chunk.counts.add(1 - num_edges, contact);
            });
          }
          chunk.counts.take(0.5 * own_.modulus_of(p, other) * own_.vertex_measure(p), chunk.contacts);
        });
  }

  bool are_parallel(int a, int b, double& eps_x) const {
    const auto length_sq = [&](int e) { return model_.edge_rest_length_sq[e]; };
    // The product of the lengths rounds by the order of its factors: with the smaller number first, both owners of a
    // pair get the same bits.
    eps_x = edge_edge_mollifier_threshold(length_sq(std::min(a, b)), length_sq(std::max(a, b)));
    const std::array<int, 2> ea = edge(a), eb = edge(b);
    const Vec<dim> da = at(ea[1]) - at(ea[0]), db = at(eb[1]) - at(eb[0]);
    if constexpr (dim == 3) return cross_product(da, db).squaredNorm() < eps_x;
    return false;
  }

  Contact mollified(int a, int b, EdgeEdgeType type, double dhat, double eps_x, double distance_sq) const {
    const std::array<int, 2> first = edge(std::min(a, b)), second = edge(std::max(a, b));
    Contact contact;
    contact.kind = ContactKind::mollified_edge_edge;
    contact.edge_edge_type = type;
    contact.vertices = {first[0], first[1], second[0], second[1]};
    contact.dhat = dhat;
    contact.mollifier_scale = eps_x;
    contact.distance_sq = distance_sq;
    return contact;
  }

  void look_at_edges(int a, std::span<const int> edges, Chunk& chunk) const {
    for_each_body(
        edges, [&](int e) { return body_of(edge(e)[0]); },
        [&](std::span<const int> of_body) {
          const int own_vertex = edge(a)[0], other = edge(of_body[0])[0];
          const double dhat = own_.dhat_of(own_vertex, other);
          chunk.vertices.clear();
          chunk.of_edges.clear();
          for (const int b : of_body) look_at_edge(a, b, dhat, chunk);
          if (own_.has_improved_max_) subtract_on_edges(a, dhat, chunk);
          chunk.counts.take(0.25 * own_.modulus_of(own_vertex, other) * own_.edge_measure(a), chunk.contacts);
        });
  }

  void look_at_edge(int a, int b, double dhat, Chunk& chunk) const {
    if constexpr (dim == 3) {
      const std::array<int, 2> first = edge(std::min(a, b)), second = edge(std::max(a, b));
      const std::array<int, 4> vertices = {first[0], first[1], second[0], second[1]};
      const std::array<Vec<3>, 4> positions = stencil_positions(x_, vertices);
      const EdgeEdgeType type = edge_edge_type(positions[0], positions[1], positions[2], positions[3]);
      const ClosestStencil& stencil = stencil_of(type);
      const double distance_sq = stencil_distance_sq(stencil, positions);
      chunk.min_distance_sq = std::min(chunk.min_distance_sq, distance_sq);
      if (!is_active(distance_sq, dhat)) return;
      double eps_x = 0.0;
      if (are_parallel(a, b, eps_x)) {
        chunk.counts.add(1, mollified(a, b, type, dhat, eps_x, distance_sq));
      } else {
        Contact contact;
        contact.dhat = dhat;
        set_stencil(stencil, vertices, distance_sq, contact);
        chunk.counts.add(1, contact);
      }
      chunk.of_edges.push_back(b);
      for (const int u : edge(b)) chunk.vertices.push_back(u);
    }
  }

  /// At a vertex of a net the edges meet; those that are parallel to the owner are subtracted with their mollifiers.
  void subtract_on_edges(int a, double dhat, Chunk& chunk) const {
    if constexpr (dim == 3) {
      Contact contact;
      for_each_counted(chunk.vertices, [&](int u, int num_edges) {
        if (!point_edge(u, edge(a), dhat, contact)) return;
        const PointEdgeType on_a = point_edge_type<3>(at(u), at(edge(a)[0]), at(edge(a)[1]));
        const double distance_sq = contact.distance_sq;
        int num_mollified = 0;
        for (const int b : chunk.of_edges) {
          double eps_x = 0.0;
          const std::array<int, 2> ends = edge(b);
          if ((ends[0] != u && ends[1] != u) || !are_parallel(a, b, eps_x)) continue;
          ++num_mollified;
          // An edge adds e b, with its mollifier e; it is subtracted with the same e, so that what is left at u is a
          // whole number of plain barriers: 1 - (n - n_mollified).
          chunk.counts.add(-1, mollified(a, b, type_at(a < b, ends[1] == u, on_a), dhat, eps_x, distance_sq));
        }
        const int count = 1 - (num_edges - num_mollified);
        if (count != 0) chunk.counts.add(count, contact);
      });
    }
  }

  /// Returns the type of the pair whose closest features are an end of the other edge and `on_owner`, in the order of
  /// the pair.
  static EdgeEdgeType type_at(bool owner_is_first, bool is_second_end, PointEdgeType on_owner) {
    // EdgeEdgeType counts the pairs of ends as 2 * end of ea + end of eb, then ea with the ends of eb from 4 on, then
    // the ends of ea with eb from 6 on.
    const int end = is_second_end ? 1 : 0, feature = static_cast<int>(on_owner);
    if (on_owner == PointEdgeType::p_e) return static_cast<EdgeEdgeType>((owner_is_first ? 4 : 6) + end);
    return static_cast<EdgeEdgeType>(owner_is_first ? 2 * feature + end : 2 * end + feature);
  }

  void collect_half_spaces() {
    for (int plane = 0; plane < static_cast<int>(model_.half_spaces.size()); ++plane) {
      const HalfSpace& half_space = model_.half_spaces[plane];
      const Vec<dim> normal = half_space.normal.head<dim>();
      for (int v = 0; v < model_.surface.num_vertices; ++v) {
        if (!meets_half_space(model_, plane, v)) continue;
        // A vertex behind the plane counts as touching: the square must not hide the sign.
        const double distance = std::max(0.0, normal.dot(at(v)) - half_space.offset);
        min_distance_sq_ = std::min(min_distance_sq_, distance * distance);
        Contact contact;
        contact.dhat = own_.dhat_of(v, v);
        if (!is_active(distance * distance, contact.dhat)) continue;
        contact.kind = ContactKind::half_space;
        contact.vertices = {v, -1, -1, -1};
        contact.plane = plane;
        contact.distance_sq = distance * distance;
        // The half-space has no vertices of its own that would own a share: the weight is the whole one.
        contact.weight = own_.modulus_of(v, v) * own_.vertex_measure(v);
        contacts_.push_back(contact);
      }
    }
  }

  const ConvergentContactModel& own_;
  const Model& model_;
  const VecX& x_;
  std::vector<Contact> contacts_;
  double min_distance_sq_ = infinity;
};

template <int dim>
ConvergentContactModel<dim>::ConvergentContactModel(const Model& model, const BarrierOptions& barrier,
                                                    const ConvergentOptions& options,
                                                    std::shared_ptr<const AreasAtRest> rest)
    : RadialContactModel<dim>(model),
      barrier_(barrier),
      has_areas_(options.has_areas()),
      has_improved_max_(options.has_improved_max()),
      has_physical_barrier_(options.has_physical_barrier()),
      rest_(std::move(rest)) {
  if (has_areas_ || !has_physical_barrier_) return;
  double sum = 0.0;
  for (const double area : rest_->vertex) sum += area;
  mean_measure_ = sum / std::max<double>(1.0, static_cast<double>(rest_->vertex.size()));
}

template <int dim>
double ConvergentContactModel<dim>::dhat_of(int a, int b) const {
  return dhat_between(this->model(), barrier_, a, b);
}

template <int dim>
double ConvergentContactModel<dim>::modulus_of(int a, int b) const {
  return has_physical_barrier_ ? rest_->modulus_between(a, b) : 1.0;
}

template <int dim>
double ConvergentContactModel<dim>::law_scale(const Contact& contact) const {
  // b / dhat^3 [m] times a modulus [Pa] and an area [m^2] is an energy [J].
  return has_physical_barrier_ ? 1.0 / (contact.dhat * contact.dhat * contact.dhat) : 1.0;
}

template <int dim>
BarrierValue ConvergentContactModel<dim>::law(const Contact& contact, double distance_sq) const {
  BarrierValue b = barrier_derivatives(distance_sq, {contact.dhat, barrier_.min_separation});
  const double scale = law_scale(contact);
  b.value *= scale;
  b.first *= scale;
  b.second *= scale;
  return b;
}

template <int dim>
double ConvergentContactModel<dim>::law_value(const Contact& contact, double distance_sq) const {
  return law_scale(contact) * barrier(distance_sq, {contact.dhat, barrier_.min_separation});
}

template <int dim>
ContactSet ConvergentContactModel<dim>::build(const VecX& x, const Candidates& candidates) const {
  return Builder(*this, x).run(candidates);
}

/// Returns the contact without the parts that its neighbours subtract.
template <int dim>
std::optional<Contact> ConvergentContactModel<dim>::contact_of(const PrimitivePair& pair,
                                                               const ContactPositions<dim>& x) const {
  Contact contact = contact_of_pair<dim>(this->model(), pair, x, barrier_);
  const int first = pair.vertices[0], last = pair.plane >= 0 ? first : pair.vertices[dim];
  contact.dhat = dhat_of(first, last);
  contact.weight = modulus_of(first, last) * vertex_measure(first);
  if (pair.plane < 0) contact.weight *= dim == 2 ? 0.5 : pair.num_first == 1 ? 0.25 : 0.5;
  return contact;
}

template class ConvergentContactModel<2>;
template class ConvergentContactModel<3>;

}  // namespace clearance
