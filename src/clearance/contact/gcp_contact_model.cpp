#include "clearance/contact/gcp_contact_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "clearance/base/parallel.h"
#include "clearance/contact/contact_stencils.h"
#include "clearance/model/half_space_pairs.h"

namespace clearance {

namespace {

constexpr int grain = 256;           // candidates
constexpr double least_dhat = 0.01;  // of features, in those of their bodies

// Notes about a contact: whether its weight changes with the direction of the gap.
constexpr char constant = 0, varying = 1;

/// Returns 3/2 B^3 of [Hua24, sec. 4.1] at 2 z, and its derivatives by z. It is 1 at 0, and 0 from 1 on.
StepValue spline(double z) {
  if (z >= 1.0) return {};
  const double s = 1.0 - z;
  // With v = 2 z, 3/2 (2/3 - v^2 + v^3 / 2) = 1 - 6 z^2 (1 - z) for v < 1, and 3/2 (2 - v)^3 / 6 = 2 (1 - z)^3 for v
  // >= 1.
  if (z > 0.5) return {2.0 * s * s * s, -6.0 * s * s, 12.0 * s};
  return {1.0 - 6.0 * z * z * s, 18.0 * z * z - 12.0 * z, 36.0 * z - 12.0};
}

std::array<int, 2> sorted_bodies(const SurfaceTopology& surface, const Contact& contact) {
  std::array<int, 2> bodies = bodies_of(surface, contact);
  if (bodies[0] > bodies[1]) std::swap(bodies[0], bodies[1]);
  return bodies;
}

/// Appends a symmetric matrix, dim numbers per place, to a sum of squares.
template <int dim>
void add_matrix(const MatX& matrix, RankOneSum<dim>& sum) {
  // With e_i the unit vectors, the matrix is the sum of all m_i e_i^T + e_i m_i^T, where m_i is column i from the
  // diagonal on, of which half counts. Each is the difference of two squares.
  VecX column(matrix.rows());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    column.head(i).setZero();
    column.tail(column.size() - i) = matrix.col(i).tail(column.size() - i);
    column[i] *= 0.5;
    const double root = std::sqrt(column.cwiseAbs().maxCoeff());
    if (!(root > 0.0)) continue;
    // Rounding is relative to the column if its part is as large as that of the unit vector.
    column /= root;
    column[i] += root;
    sum.add(0.5, std::span<const double>(column.data(), column.size()));
    column[i] -= 2.0 * root;
    sum.add(-0.5, std::span<const double>(column.data(), column.size()));
  }
}

/// Features of a pair: an index where there is such a feature, else -1.
struct Features {
  std::array<int, 2> vertices = {-1, -1};
  std::array<int, 2> edges = {-1, -1};
  int triangle = -1;
};

}  // namespace

template <int dim>
class GcpContactModel<dim>::Builder {
 public:
  Builder(const GcpContactModel& own, const VecX& x)
      : own_(own), model_(own.model()), surface_(model_.surface), star_(own.star_), x_(x) {}

  /// Calls visit(contact, features) for all contacts, in no order that means anything.
  template <class Visit>
  void for_each(const Candidates& candidates, const Visit& visit) {
    for (const Found& chunk : collect(candidates)) {
      for (const Entry& entry : chunk.entries) visit(entry.contact, entry.features);
    }
  }

  ContactSet run(const Candidates& candidates) {
    const std::vector<Found> chunks = collect(candidates);
    std::vector<const Entry*> order;
    ContactSet set;
    double min_distance_sq = infinity;
    bool has_neighbours = false;
    for (const Found& chunk : chunks) {
      for (const Entry& entry : chunk.entries) order.push_back(&entry);
      min_distance_sq = std::min(min_distance_sq, chunk.min_distance_sq);
      has_neighbours = has_neighbours || !chunk.neighbours.empty();
    }
    std::sort(order.begin(), order.end(),
              [](const Entry* a, const Entry* b) { return precedes(a->contact, b->contact); });
    for (const Entry* entry : order) {
      set.contacts.push_back(entry->contact);
      set.notes.push_back(entry->has_varying_factor ? varying : constant);
    }
    if (has_neighbours) add_neighbours(chunks, order, set);
    set.min_distance = std::sqrt(min_distance_sq);
    return set;
  }

 private:
  struct Entry {
    Contact contact;
    Features features;
    bool has_varying_factor = false;  // the weight changes with the direction of the gap
    std::size_t chunk = 0;
    std::ptrdiff_t first_neighbour = 0, end_neighbour = 0;
  };
  struct Found {
    std::vector<Entry> entries;
    std::vector<int> neighbours;
    double min_distance_sq = infinity;
  };
  /// One for each chunk of candidates: nothing is shared between threads.
  struct Work {
    Found& found;
    DirectionFactor<dim> factor;
  };

  static void add_neighbours(const std::vector<Found>& chunks, const std::vector<const Entry*>& order,
                             ContactSet& set) {
    set.first_neighbour.push_back(0);
    for (const Entry* entry : order) {
      const auto& from = chunks[entry->chunk].neighbours;
      set.neighbours.insert(set.neighbours.end(), from.begin() + entry->first_neighbour,
                            from.begin() + entry->end_neighbour);
      set.first_neighbour.push_back(static_cast<int>(set.neighbours.size()));
    }
  }

  std::vector<Found> collect(const Candidates& candidates) {
    std::vector<Found> all;
    if constexpr (dim == 3) {
      collect_from(
          std::ssize(candidates.point_triangle),
          [&](std::size_t i, Work& work) { look_at_triangle(candidates.point_triangle[i], work); }, all);
      collect_from(
          std::ssize(candidates.edge_edge),
          [&](std::size_t i, Work& work) { look_at_edges(candidates.edge_edge[i], work); }, all);
      const std::vector<Loose> loose = loose_pairs(candidates);
      collect_from(
          std::ssize(loose), [&](std::size_t i, Work& work) { look_at_loose(loose[i], work); }, all);
    } else {
      collect_from(
          std::ssize(candidates.point_edge),
          [&](std::size_t i, Work& work) { look_at_edge_in_plane(candidates.point_edge[i], work); }, all);
    }
    collect_half_spaces(all);
    for (std::size_t chunk = 0; chunk < all.size(); ++chunk) {
      for (Entry& entry : all[chunk].entries) entry.chunk = chunk;
    }
    return all;
  }

  void collect_half_spaces(std::vector<Found>& all) {
    for (int plane = 0; plane < static_cast<int>(model_.half_spaces.size()); ++plane) {
      collect_from(
          surface_.num_vertices,
          [&](std::size_t v, Work& work) { look_at_half_space(static_cast<int>(v), plane, work); }, all);
    }
  }

  template <class Look>
  void collect_from(std::ptrdiff_t num_candidates, const Look& look, std::vector<Found>& all) {
    const int count = static_cast<int>(num_candidates);
    const std::size_t first = all.size();
    all.resize(first + (count + grain - 1) / grain);
    parallel_for_chunks(count, grain, [&](int begin, int end) {
      Work work{all[first + begin / grain], DirectionFactor<dim>(model_, star_, *own_.rest_, own_.options_)};
      for (int i = begin; i < end; ++i) look(i, work);
    });
  }

  Vec<dim> at(int v) const { return block<dim>(x_, v); }
  const std::array<int, 2>& edge(int e) const { return surface_.edges[e]; }
  double modulus(int a, int b) const { return own_.rest_->areas.modulus_between(a, b); }
  bool is_near(double distance_sq, double dhat) const {
    return distance_sq < BarrierOptions{dhat, own_.barrier_.min_separation}.activation_sq();
  }
  /// Returns the activation distance of the bodies of two vertices.
  double dhat_of(int a, int b) const { return dhat_between(model_, own_.barrier_, a, b); }
  /// Returns the activation distance that the rest positions leave a contact with these features.
  double dhat_of(const Contact& contact, const Features& features) const {
    const GcpRest& rest = *own_.rest_;
    const std::array<int, 2> bodies = sorted_bodies(surface_, contact);
    if (bodies[0] != bodies[1]) return rest.dhat_between(bodies);
    double dhat = infinity;
    const auto take = [&](const std::vector<double>& of_features, int feature) {
      if (feature >= 0 && !of_features.empty()) dhat = std::min(dhat, of_features[feature]);
    };
    for (const int v : features.vertices) take(rest.vertex_dhat, v);
    for (const int e : features.edges) take(rest.edge_dhat, e);
    take(rest.triangle_dhat, features.triangle);
    return dhat;
  }

  /// Adds the contact of a stencil and its features if it is one.
  void add(const ClosestStencil& stencil, const std::array<int, 4>& vertices, double distance_sq, double modulus,
           double dhat, const Features& features, Work& work) const {
    Contact contact;
    set_stencil(stencil, vertices, distance_sq, contact);
    add(contact, own_.share() * modulus, dhat, features, work);
  }
  /// Adds a contact if it is near and its factor is not 0. `weight` is the weight per unit of area.
  void add(Contact& contact, double weight, double dhat, const Features& features, Work& work) const {
    // The distance at rest may shorten that of the bodies, so that nearness is decided here for each pair of features.
    contact.dhat = std::min(dhat, dhat_of(contact, features));
    if (!is_near(contact.distance_sq, contact.dhat)) return;
    const double area = work.factor.evaluate(contact, x_);
    if (!(area > 0.0)) return;
    contact.weight = area * weight;
    const auto first = std::ssize(work.found.neighbours);
    work.factor.add_neighbours(work.found.neighbours);
    work.found.entries.push_back(
        {contact, features, work.factor.varies(), 0, first, std::ssize(work.found.neighbours)});
  }

  void add_point_point(int p, int v, Work& work) const {
    Contact contact;
    contact.kind = ContactKind::point_point;
    contact.distance_sq = (at(p) - at(v)).squaredNorm();
    // Each vertex owns a contact for its own area; the published form has one contact for the product of both areas.
    const int num_owners = own_.options_.published ? 1 : 2;
    for (int i = 0; i < num_owners; ++i) {
      const int owner = i == 0 ? p : v, other = i == 0 ? v : p;
      contact.vertices = {owner, other, -1, -1};
      add(contact, own_.share() * modulus(p, v), dhat_of(p, v), {{p, v}, {}, -1}, work);
    }
  }
  /// Adds the contact of a point and an edge if the foot lies inside the edge.
  void add_point_edge(int p, int e, Work& work) const {
    const auto [e0, e1] = edge(e);
    const Vec<dim> xp = at(p), x0 = at(e0), x1 = at(e1);
    if (point_edge_type<dim>(xp, x0, x1) != PointEdgeType::p_e) return;
    add(stencil_of(PointEdgeType::p_e), {p, e0, e1, -1}, point_line_distance_sq<dim>(xp, x0, x1), modulus(p, e0),
        dhat_of(p, e0), {{p, -1}, {e, -1}, -1}, work);
  }

  void look_at_triangle(const std::array<int, 2>& pair, Work& work) const {
    if constexpr (dim == 3) {
      const auto [p, triangle] = pair;
      const std::array<int, 3>& t = surface_.triangles[triangle];
      const std::array<int, 4> vertices = {p, t[0], t[1], t[2]};
      const std::array<Vec<3>, 4> x = stencil_positions(x_, vertices);
      const PointTriangleType type = point_triangle_type(x[0], x[1], x[2], x[3]);
      const ClosestStencil& stencil = stencil_of(type);
      const double distance_sq = stencil_distance_sq(stencil, x);
      work.found.min_distance_sq = std::min(work.found.min_distance_sq, distance_sq);
      const double dhat = dhat_of(p, t[0]);
      if (!is_near(distance_sq, dhat)) return;
      if (stencil.kind == ContactKind::point_triangle) {
        // A triangle of a solid repels on its outer side alone: Phi^n of [Hua24, sec. 4.2] has the sign of this
        // product. Where no solid is known, `outside` is 0 and both sides repel.
        const double side = cross_product(Vec<3>(x[2] - x[1]), Vec<3>(x[3] - x[1])).dot(x[0] - x[1]);
        if (side * star_.outside(triangle) >= 0.0) {
          add(stencil, vertices, distance_sq, modulus(p, t[0]), dhat, {{p, -1}, {-1, -1}, triangle}, work);
        }
      }
      add_boundary_of_triangle(p, triangle, work);
    }
  }

  /// Adds the contacts of a point with the edges and corners of a triangle. The triangle stands for its edges and
  /// corners where no other one does.
  void add_boundary_of_triangle(int p, int triangle, Work& work) const {
    const std::array<int, 3>& edges = star_.edges_of_triangle(triangle);
    for (const int e : edges) {
      if (edge(e)[0] == p || edge(e)[1] == p) continue;
      if (star_.first_without(star_.triangles_of_edge(e), p) == triangle) add_point_edge(p, e, work);
    }
    for (const int v : surface_.triangles[triangle]) {
      // The other vertex sees this one as well if it has triangles; the pair then counts there.
      if (p > v && !star_.facets_of(p).empty()) continue;
      if (star_.first_without(star_.facets_of(v), p) == triangle) add_point_point(p, v, work);
    }
  }

  void look_at_edges(const std::array<int, 2>& pair, Work& work) const {
    if constexpr (dim == 3) {
      const auto [a, b] = pair;
      const std::array<int, 4> vertices = {edge(a)[0], edge(a)[1], edge(b)[0], edge(b)[1]};
      const std::array<Vec<3>, 4> x = stencil_positions(x_, vertices);
      const EdgeEdgeType type = edge_edge_type(x[0], x[1], x[2], x[3]);
      const ClosestStencil& stencil = stencil_of(type);
      const double distance_sq = stencil_distance_sq(stencil, x);
      work.found.min_distance_sq = std::min(work.found.min_distance_sq, distance_sq);
      if (stencil.kind != ContactKind::edge_edge) return;
      add(stencil, vertices, distance_sq, modulus(vertices[0], vertices[2]), dhat_of(vertices[0], vertices[2]),
          {{-1, -1}, {a, b}, -1}, work);
    }
  }

  void look_at_edge_in_plane(const std::array<int, 2>& pair, Work& work) const {
    if constexpr (dim == 2) {
      const auto [p, e] = pair;
      const auto [e0, e1] = edge(e);
      const Vec<2> xp = at(p), x0 = at(e0), x1 = at(e1);
      const double distance_sq = point_edge_distance_sq<2>(xp, x0, x1);
      work.found.min_distance_sq = std::min(work.found.min_distance_sq, distance_sq);
      if (!is_near(distance_sq, dhat_of(p, e0))) return;
      const double side = Vec<2>(x1[1] - x0[1], x0[0] - x1[0]).dot(xp - x0);
      if (side * star_.outside(e) >= 0.0) add_point_edge(p, e, work);
      for (const int v : {e0, e1}) {
        if (p > v && !star_.edges_of(p).empty()) continue;
        if (first_edge_without(v, p) == e) add_point_point(p, v, work);
      }
    }
  }
  int first_edge_without(int v, int p) const {
    for (const int e : star_.edges_of(v)) {
      if (star_.other_end(e, v) != p) return e;
    }
    return -1;
  }

  /// A vertex and an edge, or two vertices, of which the second feature has no triangle that would stand for it.
  struct Loose {
    int vertex, edge, other;
    bool operator<(const Loose& b) const { return std::tie(vertex, edge, other) < std::tie(b.vertex, b.edge, b.other); }
    bool operator==(const Loose& b) const { return vertex == b.vertex && edge == b.edge && other == b.other; }
  };
  std::vector<Loose> loose_pairs(const Candidates& candidates) const {
    std::vector<Loose> pairs;
    for (const auto& [first, second] : candidates.edge_edge) {
      for (const auto& [a, b] : {std::array{first, second}, std::array{second, first}}) {
        if (!star_.triangles_of_edge(b).empty()) continue;
        for (const int v : edge(a)) {
          pairs.push_back({v, b, -1});
          if (!star_.facets_of(v).empty()) continue;  // these stand for their corners
          for (const int u : edge(b)) {
            if (star_.facets_of(u).empty()) pairs.push_back({std::min(u, v), -1, std::max(u, v)});
          }
        }
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }
  void look_at_loose(const Loose& pair, Work& work) const {
    if (pair.edge >= 0) {
      add_point_edge(pair.vertex, pair.edge, work);
    } else {
      add_point_point(pair.vertex, pair.other, work);
    }
  }

  void look_at_half_space(int v, int plane, Work& work) const {
    if (!meets_half_space(model_, plane, v)) return;
    const HalfSpace& half_space = model_.half_spaces[plane];
    // A vertex behind the plane counts as touching: the square must not hide the sign.
    const double distance = std::max(0.0, half_space.normal.head<dim>().dot(at(v)) - half_space.offset);
    work.found.min_distance_sq = std::min(work.found.min_distance_sq, distance * distance);
    Contact contact;
    contact.kind = ContactKind::half_space;
    contact.vertices = {v, -1, -1, -1};
    contact.plane = plane;
    contact.distance_sq = distance * distance;
    add(contact, modulus(v, v), dhat_of(v, v), {{v, -1}, {-1, -1}, -1}, work);
  }

  const GcpContactModel& own_;
  const Model& model_;
  const SurfaceTopology& surface_;
  const SurfaceStar& star_;
  const VecX& x_;
};

template <int dim>
GcpContactModel<dim>::GcpContactModel(const Model& model, const BarrierOptions& barrier, const GcpOptions& options,
                                      std::shared_ptr<const GcpRest> rest)
    : RadialContactModel<dim>(model),
      barrier_(barrier),
      options_(options),
      rest_(std::move(rest)),
      star_(model, rest_->outside) {}

template <int dim>
ContactSet GcpContactModel<dim>::build(const VecX& x, const Candidates& candidates) const {
  return Builder(*this, x).run(candidates);
}

/// Returns eps B(2 z) / z^(dim - 1) with z = (d - min_separation) / eps: the distance counts from the smallest
/// separation.
template <int dim>
BarrierValue GcpContactModel<dim>::law(const Contact& contact, double distance_sq) const {
  const double d = std::sqrt(distance_sq), eps = contact.dhat;
  const double z = (d - barrier_.min_separation) / eps;
  if (!(z > 0.0)) return {infinity, -infinity, infinity};
  const StepValue h = spline(z);
  constexpr double r = dim - 1.0;
  const double power = dim == 2 ? 1.0 / z : 1.0 / (z * z);
  const double value = h.value * power;
  // These are the product rule for h z^-r: (h' - r h / z) z^-r, and (h'' - 2 r h' / z + r (r + 1) h / z^2) z^-r.
  const double first = (h.first - r * h.value / z) * power;
  const double second = (h.second - 2.0 * r * h.first / z + r * (r + 1.0) * h.value / (z * z)) * power;
  // The derivatives above are by z; these are by d, and those returned are by the squared distance. The published form
  // has no factor eps, and B(0) = 2/3.
  const double scale = options_.published ? 2.0 / 3.0 : eps;
  const double by_d = scale / eps * first, by_d2 = scale / (eps * eps) * second;
  // With s = d^2, df/ds = f_d / (2 d) and d2f/ds2 = (f_dd - f_d / d) / (4 d^2).
  return {scale * value, by_d / (2.0 * d), (by_d2 - by_d / d) / (4.0 * distance_sq)};
}

/// Returns the contact as if it faced no other feature.
template <int dim>
std::optional<Contact> GcpContactModel<dim>::contact_of(const PrimitivePair& pair,
                                                        const ContactPositions<dim>& x) const {
  const Model& model = this->model();
  Contact contact = contact_of_pair<dim>(model, pair, x, barrier_);
  contact.dhat = std::min(contact.dhat, rest_->dhat_between(sorted_bodies(model.surface, contact)));
  const int first = pair.vertices[0], last = pair.plane >= 0 ? first : pair.vertices[dim];
  const double of_area = pair.plane >= 0 ? 1.0 : pair.num_first == 1 ? share() : 2.0 * share();
  contact.weight = of_area * rest_->areas.modulus_between(first, last) * rest_->areas.vertex[first];
  return contact;
}

template <int dim>
auto GcpContactModel<dim>::log_terms(const ContactSet& set, std::size_t k, const ContactFrame<dim>& frame,
                                     const VecX& x, DirectionCurvature<dim>* curvature) const -> std::vector<LogTerm> {
  DirectionFactor<dim> factor(this->model(), star_, *rest_, options_);
  if (!(factor.evaluate(set.contacts[k], x) > 0.0)) return {};
  return factor.log_terms(frame, set.neighbours_of(k), curvature);
}

template <int dim>
void GcpContactModel<dim>::compute_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                                            std::span<double> gradient) const {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  RadialContactModel<dim>::compute_gradient(set, k, x, gradient);
  const Contact& contact = set.contacts[k];
  if (set.notes[k] == constant) return;
  const ContactFrame<dim> frame = compute_contact_frame<dim>(this->model(), contact, positions_of<dim>(contact, x));
  const double energy = contact.weight * law(contact, frame.distance * frame.distance).value;
  for (const LogTerm& term : log_terms(set, k, frame, x)) {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += energy * term.first * term.gradient[i];
  }
}

template <int dim>
bool GcpContactModel<dim>::compute_force_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                                                  std::span<double> gradient) const {
  RadialContactModel<dim>::compute_force_gradient(set, k, x, gradient);
  if (set.notes[k] == constant) return true;
  const Contact& contact = set.contacts[k];
  const ContactPositions<dim> positions = positions_of<dim>(contact, x);
  const ContactFrame<dim> frame = compute_contact_frame<dim>(this->model(), contact, positions);
  const double force = this->normal_force(contact, frame, positions);
  for (const LogTerm& term : log_terms(set, k, frame, x)) {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += force * term.first * term.gradient[i];
  }
  return true;
}

/// The energy is exp of a sum of logarithms: with r the gradient of that sum, the Hessian is the energy times r r^T and
/// the Hessians of the summands. Those of factors are negative, and the exact Hessian alone has what scalars curve by.
template <int dim>
void GcpContactModel<dim>::compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind kind,
                                               std::span<double> gradient, RankOneSum<dim>& hessian) const {
  const Contact& contact = set.contacts[k];
  if (set.notes[k] == constant) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    RadialContactModel<dim>::compute_derivatives(set, k, x, kind, gradient, hessian);
    return;
  }
  const ContactFrame<dim> frame = compute_contact_frame<dim>(this->model(), contact, positions_of<dim>(contact, x));
  const double d = frame.distance;
  const BarrierValue b = law(contact, d * d);
  const double energy = contact.weight * b.value;
  std::vector<double> sum(gradient.size(), 0.0);
  // The logarithm of b has the derivative 2 d b' / b by the distance; `sum` collects the gradient of the logarithm of
  // the energy.
  const double by_distance = 2.0 * d * b.first / b.value;
  for (int i = 0; i < frame.num_vertices; ++i) {
    for (int c = 0; c < dim; ++c) {
      sum[dim * i + c] = by_distance * frame.weights[i] * frame.normal[c];
    }
  }
  const auto add = [&](double coefficient, const std::vector<double>& row) {
    if (coefficient > 0.0 || (coefficient != 0.0 && kind == HessianKind::exact)) hessian.add(coefficient, row);
  };
  std::optional<DirectionCurvature<dim>> curvature;
  if (kind == HessianKind::exact) {
    curvature.emplace(contact, frame, positions_of<dim>(contact, x), set.num_places(k));
  }
  const std::vector<LogTerm> terms = log_terms(set, k, frame, x, curvature ? &*curvature : nullptr);
  for (const LogTerm& term : terms) {
    // The Hessian of a summand is `second` times the square of its gradient.
    add(energy * term.second, term.gradient);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += term.first * term.gradient[i];
  }
  // Add the square of the gradient of the logarithm.
  add(energy, sum);
  // Along the normal, the Hessian of log b is its second derivative by the distance.
  const double along = energy * (normal_curvature(d, b) / b.value - by_distance * by_distance);
  if (along > 0.0 || kind == HessianKind::exact) hessian.add(along, frame.weights, frame.normal);
  this->add_turning_terms(contact, frame, b, kind, hessian);
  for (std::size_t i = 0; i < sum.size(); ++i) gradient[i] = energy * sum[i];
  if (curvature) add_matrix<dim>(energy * curvature->sum(), hessian);
}

namespace {

/// Activation distances that contacts at rest leave to features and to pairs of bodies.
struct RestDistances {
  std::vector<double> of_vertex, of_edge, of_triangle;
  std::map<std::array<int, 2>, double> of_bodies;

  explicit RestDistances(const SurfaceTopology& surface)
      : of_vertex(surface.num_vertices, infinity),
        of_edge(surface.edges.size(), infinity),
        of_triangle(surface.triangles.size(), infinity) {}

  /// The distances of pairs of bodies are stored per pair, those within a body per feature.
  template <class Features>
  void note(const std::array<int, 2>& bodies, const Features& features, double dhat) {
    if (bodies[0] != bodies[1]) {
      double& own = of_bodies.try_emplace(bodies, dhat).first->second;
      own = std::min(own, dhat);
      return;
    }
    for (const int v : features.vertices) reduce(of_vertex, v, dhat);
    for (const int e : features.edges) reduce(of_edge, e, dhat);
    reduce(of_triangle, features.triangle, dhat);
  }

 private:
  static void reduce(std::vector<double>& of_features, int feature, double dhat) {
    if (feature < 0) return;
    double& own = of_features[feature];
    own = std::min(own, dhat);
  }
};

}  // namespace

template <int dim>
void GcpContactModel<dim>::set_rest_distances(const Model& model, const BarrierOptions& barrier,
                                              const GcpOptions& options, const VecX& x_rest, GcpRest& rest) {
  rest.vertex_dhat.clear();
  rest.edge_dhat.clear();
  rest.triangle_dhat.clear();
  rest.body_pair_dhat.clear();
  rest.gap = {};
  const GcpContactModel contacts(model, barrier, options, std::make_shared<const GcpRest>(rest));
  const auto broad_phase = make_broad_phase(dim, model.surface);
  RestDistances distances(model.surface);
  const auto note = [&](const Contact& contact, const Features& features) {
    const double gap = std::sqrt(contact.distance_sq) - barrier.min_separation;
    // A feature keeps at least a hundredth of the activation distance; a pair nearer than that repels at rest.
    const double least = least_dhat * contact.dhat;
    const std::array<int, 2> bodies = sorted_bodies(model.surface, contact);
    if (gap < least && gap < rest.gap.distance) rest.gap = {gap, bodies};
    // Half of the distance at rest is eps of [Hua24, sec. 4.1]: no pair has an energy before its gap is half of that at
    // rest.
    distances.note(bodies, features, std::max(0.5 * gap, least));
  };
  Builder(contacts, x_rest).for_each(contacts.find_candidates(*broad_phase, x_rest, x_rest), note);
  rest.vertex_dhat = std::move(distances.of_vertex);
  rest.edge_dhat = std::move(distances.of_edge);
  rest.triangle_dhat = std::move(distances.of_triangle);
  for (const auto& [bodies, dhat] : distances.of_bodies) rest.body_pair_dhat.push_back({bodies, dhat});
}

template class GcpContactModel<2>;
template class GcpContactModel<3>;

}  // namespace clearance
