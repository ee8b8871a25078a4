#include "clearance/contact/friction_potential.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/math/rotation.h"
#include "clearance/math/svd.h"
#include "clearance/model/half_space_pairs.h"

namespace clearance {

FrictionCoefficients friction_coefficients(const Model& model, const Contact& contact) {
  const auto [first, second] = bodies_of(model.surface, contact);
  return second < 0 ? friction_with_half_space(model.friction, first, -1 - second)
                    : model.friction.between(first, second);
}

template <int dim>
void FrictionPotential<dim>::lag(const ContactSet& set, const VecX& x, const VecX& displacement, double kappa,
                                 double share) {
  // A part of the new friction is added to the one so far, whose contacts stay.
  const bool is_whole = share == 1.0;
  const std::vector<KnownFriction> known = is_whole ? friction_at(x) : std::vector<KnownFriction>();
  double strongest = 0.0;
  for (LaggedContact& contact : contacts_) {
    // The potential so far keeps the rest of the share.
    contact.limit *= 1.0 - share;
    strongest = std::max(strongest, std::abs(contact.limit));
  }
  // Contacts whose remaining limit has become negligible are dropped.
  std::erase_if(contacts_, [&](const LaggedContact& contact) { return !(std::abs(contact.limit) > 1e-4 * strongest); });
  contacts_.reserve(contacts_.size() + set.contacts.size());
  Turns turns;
  for (const Contact& contact : set.contacts) {
    const FrictionCoefficients mu = friction_coefficients(model_, contact);
    if (mu.is_zero()) continue;
    const ContactPositions<dim> positions = positions_of<dim>(contact, x);
    const ContactGap<dim> gap = compute_contact_gap<dim>(model_, contact, positions);
    // This is lambda of [Fer23, eq. 2.14] in the units of the incremental potential; a subtracted contact has a
    // negative one.
    const double force = kappa * contact_model_.normal_force(contact, gap, positions);
    if (!(std::abs(force) > 0.0)) continue;
    LaggedContact lagged;
    lagged.num_vertices = contact.num_vertices();
    lagged.vertices = contact.vertices;
    lagged.weights = gap.weights;
    lagged.normal = gap.normal;
    lagged.contact = contact;
    if (contact.thickness > 0.0 && !model_.segment_turns.empty()) add_spins(x, lagged);
    Vec<dim> slide = sliding(lagged, displacement);
    if (contact.thickness > 0.0) slide += add_turning(x, displacement, turns, lagged);
    const FrictionScales scales = friction_scales_of(model_, scales_, contact);
    const double eps = scales.eps_v * scales.h;
    lagged.law.eps = scales.stick > 0.0 ? scales.stick : eps;
    lagged.has_memory = scales.stick > 0.0;
    double slid = slide.norm();
    if (lagged.has_memory) {
      const Vec<dim> s = memory_.displacement(contact, gap.weights, x);
      lagged.stick = s - gap.normal.dot(s) * gap.normal;
      // Elastic sliding is no slip, and the coefficient is static as long as nothing slips: only what exceeds the
      // stick length counts, on top of the eps up to which the coefficient is static.
      slid = eps + std::max(0.0, (lagged.stick + slide).norm() - scales.stick);
    }
    lagged.limit = share * force * coefficient(mu, slid, eps);
    contacts_.push_back(lagged);
  }
  start_duals(x);
  keep_duals(known);
}

/// Makes the matrix of the duals the Hessian at x.
template <int dim>
void FrictionPotential<dim>::start_duals(const VecX& x) {
  if (contacts_.empty()) return;
  const VecX displacement = x - x_t0_;
  for (LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    contact.dual = contact.law.force_over_distance(u.norm()) * u;
  }
}

/// Returns the friction of all contacts at x, sorted by contact.
template <int dim>
auto FrictionPotential<dim>::friction_at(const VecX& x) const -> std::vector<KnownFriction> {
  std::vector<KnownFriction> known;
  if (contacts_.empty()) return known;
  const VecX displacement = x - x_t0_;
  known.reserve(contacts_.size());
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    known.push_back({contact.contact, contact.limit * contact.law.force_over_distance(u.norm()) * u});
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const KnownFriction& a, const KnownFriction& b) { return precedes(a.contact, b.contact); });
  return known;
}

/// Starts the duals of contacts whose friction is known with that friction, as a share of their new limit. It is nearly
/// in balance with the other forces. Where the limit has grown, the dual is below one, and the matrix knows that the
/// contact is about to stick. The Hessian would be flat along the sliding, so that directions shoot through the valley
/// of sticking and a thousandth of them is taken. Where the limit has fallen, the dual is one, and the contact slides.
template <int dim>
void FrictionPotential<dim>::keep_duals(const std::vector<KnownFriction>& known) {
  for (LaggedContact& contact : contacts_) {
    const auto found =
        std::lower_bound(known.begin(), known.end(), contact.contact,
                         [](const KnownFriction& a, const Contact& b) { return precedes(a.contact, b); });
    if (found == known.end() || precedes(contact.contact, found->contact) || !(contact.limit > 0.0)) continue;
    const Vec<dim> share = found->force / contact.limit;
    contact.dual = share - contact.normal.dot(share) * contact.normal;
    const double length = contact.dual.norm();
    if (length > 1.0) contact.dual /= length;
  }
}

FrictionScales friction_scales_of(const Model& model, const FrictionScales& scales, const Contact& contact) {
  if (model.contact_scales.is_empty()) return scales;
  FrictionScales of_contact{scales.h, infinity, infinity};
  for (int i = 0; i < contact.num_vertices(); ++i) {
    const std::size_t v = contact.vertices[i];
    of_contact.eps_v = std::min(of_contact.eps_v, model.contact_scales.eps_v[v]);
    of_contact.stick = std::min(of_contact.stick, model.contact_scales.stick[v]);
  }
  return of_contact;
}

/// The turn of a body: its rotation vector, in the plane about the third axis, and its rotation. `start` are the
/// columns of the body's map where the step starts.
template <int dim>
struct FrictionPotential<dim>::Turn {
  Vec<3> vector = Vec<3>::Zero();
  Mat<dim> rotation, start;

  /// Returns vector x p.
  Vec<dim> across(const Vec<dim>& p) const {
    if constexpr (dim == 2) {
      return vector[2] * Vec<2>(-p[1], p[0]);
    } else {
      return vector.cross(p);
    }
  }
};

/// Returns the turn in the step of the body about `vertex`. The step starts at x - displacement. Where nothing has
/// moved yet, the body goes on turning as its velocity says, which the displacement is then.
template <int dim>
typename FrictionPotential<dim>::Turn FrictionPotential<dim>::turn_in_step(int vertex, const VecX& x,
                                                                           const VecX& displacement) const {
  const int first = model_.turn_vertex_of(vertex);
  const double radius = model_.surface.radius[vertex], radius_sq = radius * radius;
  // The columns are lengths of the radius.
  const auto columns_of = [&](const VecX& at) {
    Mat<dim> columns;
    for (int i = 0; i < dim; ++i) columns.col(i) = block<dim>(at, first + i) - block<dim>(at, vertex);
    return columns;
  };
  const Mat<dim> now = columns_of(x), moved = columns_of(displacement);
  Turn turn;
  turn.start = columns_of(x_t0_);
  if (now == turn.start) {
    turn.vector = vector_of_skew<dim>(moved * now.transpose() / radius_sq);
  } else {
    const Mat<dim> map = now * (now - moved).transpose() / radius_sq;
    if constexpr (dim == 2) {
      turn.vector[2] = rotation_angle(map);
    } else {
      const Mat<dim> free = free_motion_.size() > 0 ? columns_of(free_motion_) : Mat<dim>(Mat<dim>::Zero());
      turn.vector = nearest_rotation_vector(nearest_rotation<3>(map),
                                            vector_of_skew<dim>(free * turn.start.transpose() / radius_sq));
    }
  }
  if constexpr (dim == 2) {
    turn.rotation = rotation_by<2>(turn.vector[2]);
  } else {
    turn.rotation = rotation_by<3>(turn.vector);
  }
  return turn;
}

/// Adds the turning of the features with a radius to the sliding, and returns what they slide by. `x - displacement` is
/// where the turn starts from; `turns` keeps the turns of bodies for their other contacts.
template <int dim>
Vec<dim> FrictionPotential<dim>::add_turning(const VecX& x, const VecX& displacement, Turns& turns,
                                             LaggedContact& contact) const {
  Vec<dim> slide = Vec<dim>::Zero();
  const std::array<int, 2> begins = {0, num_first(contact.contact)}, ends = {begins[1], contact.num_vertices};
  for (std::size_t side = 0; side < 2; ++side) {
    if (begins[side] == ends[side]) continue;
    const int vertex = contact.vertices[begins[side]], first = model_.turn_vertex_of(vertex);
    if (first < 0) continue;
    const double radius = model_.surface.radius[vertex];
    const auto [entry, is_new] = turns.try_emplace(vertex);
    if (is_new) entry->second = turn_in_step(vertex, x, displacement);
    const Turn& turn = entry->second;
    // The contact point is towards the other feature, and the normal points to the first one.
    const double sign = side == 0 ? 1.0 : -1.0;
    const Vec<dim> p = -sign * radius * contact.normal, from = turn.rotation.transpose() * p;
    const Vec<dim> of_material = sign * turn.across(p);
    slide += of_material;
    contact.turned_offset += of_material - sign * (p - from);
    // The columns at the end are rotation * start, and the material point that is there then is `combination` of them.
    const Vec<dim> combination = turn.start.transpose() * from / (radius * radius);
    const auto add = [&](int of, double weight) {
      const std::size_t at = contact.num_turned++;
      contact.turned[at] = of;
      contact.turned_weights[at] = sign * weight;
    };
    for (int i = 0; i < dim; ++i) add(first + i, combination[i]);
    add(vertex, -combination.sum());
  }
  return slide;
}

/// Adds the angles of the rods' segments that touch. The angle at a place of a rod is linear between the middles of its
/// segments, so that nothing jumps where a contact passes from one segment to the next.
template <int dim>
void FrictionPotential<dim>::add_spins(const VecX& x, LaggedContact& contact) const {
  if constexpr (dim == 3) {
    const std::array<int, 3> ends = {0, num_first(contact.contact), contact.num_vertices};
    for (std::size_t side = 0; side < 2; ++side) {
      const int begin = ends[side], count = ends[side + 1] - begin;
      if (count != 1 && count != 2) continue;
      // The place is at the vertex or on an edge, nearer to the vertex than to the other end of the edge.
      const bool is_turned = count == 2 && std::abs(contact.weights[begin + 1]) > 0.5;
      const int vertex = contact.vertices[begin + (is_turned ? 1 : 0)];
      const int other = count == 2 ? contact.vertices[begin + (is_turned ? 0 : 1)] : -1;
      const double from_middle = count == 2 ? std::abs(std::abs(contact.weights[begin + 1]) - 0.5) : 0.5;
      const auto& turns = model_.segment_turns[vertex];
      const int num_turns = (turns[0].vertex >= 0 ? 1 : 0) + (turns[1].vertex >= 0 ? 1 : 0);
      // The contact point is towards the other feature, and the normal points to the first one.
      const double radius = model_.surface.radius[vertex];
      const Vec<3> p = (side == 0 ? -radius : radius) * contact.normal;
      for (const SegmentTurn& turn : turns) {
        if (turn.vertex < 0) continue;
        const double share = num_turns == 1 ? 1.0 : turn.other == other ? 1.0 - from_middle : from_middle;
        const double weight = (side == 0 ? share : -share) / turn.length;
        const Vec<3> tangent = (block<3>(x, turn.other) - block<3>(x, vertex)).normalized();
        contact.spins[contact.num_spins++] = {turn.vertex, turn.component, weight * tangent.cross(p)};
      }
    }
  }
}

template <int dim>
template <class Visit>
void FrictionPotential<dim>::for_each_weight(const LaggedContact& contact, const Visit& visit) {
  for (int i = 0; i < contact.num_vertices; ++i) {
    const std::size_t at = i;
    visit(contact.vertices[at], contact.weights[at]);
  }
  for (int i = 0; i < contact.num_turned; ++i) {
    const std::size_t at = i;
    visit(contact.turned[at], contact.turned_weights[at]);
  }
}

template <int dim>
Vec<dim> FrictionPotential<dim>::sliding(const LaggedContact& contact, const VecX& displacement) {
  const Vec<dim>& offset = contact.turned_offset;
  return offset - contact.normal.dot(offset) * contact.normal + sliding_change(contact, displacement);
}

template <int dim>
Vec<dim> FrictionPotential<dim>::sliding_change(const LaggedContact& contact, const VecX& dx) {
  Vec<dim> u = Vec<dim>::Zero();
  // The sum is Gamma of [Fer23, app. A.8] times the displacement. Its part across the normal is the sliding in world
  // coordinates, without the basis P: |u| is the same in any basis.
  for_each_weight(contact, [&](int vertex, double weight) { u += weight * block<dim>(dx, vertex); });
  for (const auto& spin : spins_of(contact)) u += block<dim>(dx, spin.vertex)[spin.component] * spin.arm;
  return u - contact.normal.dot(u) * contact.normal;
}

template <int dim>
CompensatedSum FrictionPotential<dim>::energy(const VecX& x) const {
  if (contacts_.empty()) return {};
  const VecX displacement = x - x_t0_;
  return ordered_sum(static_cast<int>(contacts_.size()), [&](int k) {
    const LaggedContact& contact = contacts_[k];
    return contact.limit * contact.law.potential(stretch(contact, displacement).norm());
  });
}

template <int dim>
double FrictionPotential<dim>::work(const VecX& x) const {
  if (contacts_.empty()) return 0.0;
  const VecX displacement = x - x_t0_;
  double work = 0.0;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    work += contact.limit * contact.law.force_over_distance(u.norm()) * u.dot(sliding(contact, displacement));
  }
  return work;
}

template <int dim>
void FrictionPotential<dim>::add_work_gaps(const VecX& x, double scale, VecX& gaps, VecX& works) const {
  if (contacts_.empty()) return;
  const VecX displacement = x - x_t0_;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    const double work = contact.law.force_over_distance(u.norm()) * u.dot(sliding(contact, displacement));
    // The elastic sliding stored at the start is `stick`; what the work exceeds the change of f_0 by is lost, as for
    // barriers.
    const double change = contact.law.potential(u.norm()) - contact.law.potential(contact.stick.norm());
    add_to_bodies(model_, contact.contact, scale * contact.limit * (work - change), gaps);
    add_to_bodies(model_, contact.contact, scale * contact.limit * work, works);
  }
}

template <int dim>
std::vector<StickVertex> FrictionPotential<dim>::stick(const VecX& x) const {
  std::vector<typename StickMemory<dim>::Update> updates;
  const VecX displacement = contacts_.empty() ? VecX() : VecX(x - x_t0_);
  for (const LaggedContact& contact : contacts_) {
    if (!contact.has_memory || contact.limit < 0.0) continue;
    Vec<dim> u = stretch(contact, displacement);
    // The part beyond the elastic sliding has slipped.
    const double y = u.norm();
    // This is the return mapping: the force is mu lambda along u with f_1 = 1 from eps on, and so the spring keeps a
    // length of eps in the direction of u.
    if (y > contact.law.eps) u *= contact.law.eps / y;
    updates.push_back({contact.contact, contact.weights, contact.stick, u - contact.stick, contact.limit});
  }
  return memory_.updated(updates, x);
}

template <int dim>
void FrictionPotential<dim>::add_gradient(const VecX& x, VecX& gradient) const {
  if (contacts_.empty()) return;
  const VecX displacement = x - x_t0_;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    const Vec<dim> force = contact.limit * contact.law.force_over_distance(u.norm()) * u;
    for_each_weight(contact, [&](int vertex, double weight) {
      for (const SurfaceMap::Term& term : model_.surface_map.terms(vertex)) {
        block<dim>(gradient, term.block) += (weight * term.weight) * force;
      }
    });
    // The vertex of an angle is its block.
    for (const auto& spin : spins_of(contact)) {
      block<dim>(gradient, model_.surface_map.terms(spin.vertex)[0].block)[spin.component] += spin.arm.dot(force);
    }
  }
}

template <int dim>
void FrictionPotential<dim>::visit_forces(const VecX& x, double scale, const ForceVisitor<dim>& visit) const {
  const VecX displacement = x - x_t0_;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    const Vec<dim> force = -contact.limit * contact.law.force_over_distance(u.norm()) * u;
    for (int i = 0; i < contact.num_vertices; ++i) {
      const std::size_t at = i;
      visit(contact.contact, contact.vertices[at], scale * (contact.weights[at] * force));
    }
  }
}

template <int dim>
const std::vector<BlockKey>& FrictionPotential<dim>::prepare_hessian(const std::vector<char>& is_fixed) {
  std::vector<ContactVertices> vertices;
  std::vector<int> turned;
  vertices.reserve(contacts_.size());
  for (const LaggedContact& contact : contacts_) {
    vertices.push_back({contact.vertices, contact.num_vertices, static_cast<int>(turned.size()),
                        contact.num_turned + contact.num_spins});
    turned.insert(turned.end(), contact.turned.begin(), contact.turned.begin() + contact.num_turned);
    for (const auto& spin : spins_of(contact)) turned.push_back(spin.vertex);
  }
  hessians_->prepare(model_.surface_map, std::move(vertices), std::move(turned), is_fixed);
  return hessians_->keys();
}

namespace {

/// Returns s' = d (y / f_1(y)) / dy, which is 0 at y = 0 and 1 for a sliding contact.
double slope_of_secant(const FrictionLaw& law, double y) {
  // With s = y / f_1, s' = (1 - s f_1') / f_1.
  const double force = law.force(y);
  return force > 0.0 ? (1.0 - law.stiffness(y) * y / force) / force : 0.0;
}

/// Returns a unit vector orthogonal to the unit vector n.
template <int dim>
Vec<dim> any_tangent(const Vec<dim>& n) {
  if constexpr (dim == 2) {
    return {-n[1], n[0]};
  } else {
    return n.unitOrthogonal();
  }
}

}  // namespace

template <int dim>
void FrictionPotential<dim>::move_duals(const VecX& x, const VecX& dx) {
  if (contacts_.empty()) return;
  const VecX displacement = x - x_t0_;
  for (LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement), du = sliding_change(contact, dx);
    const double y = u.norm(), per_s = contact.law.force_over_distance(y);
    // d s = u, linear in u and d: s dd = u - s d + du - d s' (u . du) / |u|.
    const double ds = y > 0.0 ? slope_of_secant(contact.law, y) * u.dot(du) / y : 0.0;
    contact.dual = per_s * (u + du - ds * contact.dual);
    // No friction is above its limit.
    const double length = contact.dual.norm();
    if (length > 1.0) contact.dual /= length;
  }
}

template <int dim>
void FrictionPotential<dim>::add_derivatives(const VecX& x, HessianKind kind, VecX& gradient,
                                             BlockSparseMatrix& matrix) {
  if (contacts_.empty()) return;
  add_gradient(x, gradient);
  const VecX displacement = x - x_t0_;
  hessians_->add_to(matrix, 1.0, [&](int k, RankOneSum<dim>& sum) {
    const LaggedContact& contact = contacts_[k];
    // Contacts of negative weight have no positive part.
    if (contact.limit < 0.0 && kind == HessianKind::projected) return;
    const Vec<dim> u = stretch(contact, displacement);
    const double y = u.norm();
    const double across = contact.law.force_over_distance(y);
    // At u = 0 the stiffness is the same in all directions, and any direction will do.
    const Vec<dim> direction = y > 0.0 ? Vec<dim>(u / y) : any_tangent<dim>(contact.normal);
    // In [Fer23, eq. A.17] the eigenvalue along u is f_1', and across u it is f_1 / |u|. Neither is negative, so that
    // the projection of the 2 x 2 matrix changes nothing. With the dual (a, b) along and across u, the matrix is
    // f_1 / |u| times (1 - s' a, -s' b / 2; -s' b / 2, 1), which is
    //   (1 - s' a - c^2) v v^T + (w - c v) (w - c v)^T with c = s' b / 2
    // for the unit vectors v along and w across u. Neither factor is negative: |d| <= 1 and s' <= 1, and at s' = 1 the
    // first one is at least (1 - a) (3 - a) / 4.
    double along = contact.law.stiffness(y), mixed = 0.0;
    [[maybe_unused]] Vec<dim> side = Vec<dim>::Zero();
    if constexpr (dim == 3) side = contact.normal.cross(direction);
    if (kind == HessianKind::projected) {
      const double slope = slope_of_secant(contact.law, y);
      mixed = 0.5 * slope * contact.dual.dot(side);
      along = across * (1.0 - slope * contact.dual.dot(direction) - mixed * mixed);
    }
    std::array<double, 12> weights;
    const auto end = std::copy(contact.weights.begin(), contact.weights.end(), weights.begin());
    std::copy_n(contact.turned_weights.begin(), contact.num_turned, end);
    const std::span<const double> of_places(weights.data(), 4 + contact.num_turned);
    const auto add = [&](double stiffness, const Vec<dim>& way) {
      sum.add(contact.limit * stiffness, of_places, way);
      std::size_t place = of_places.size();
      for (const auto& spin : spins_of(contact)) {
        sum.set_part(place++, spin.arm.dot(way) * Vec<dim>::Unit(spin.component));
      }
    };
    if (along > 0.0) add(along, direction);
    if constexpr (dim == 3) add(across, Vec<dim>(side - mixed * direction));
  });
}

template class FrictionPotential<2>;
template class FrictionPotential<3>;

}  // namespace clearance
