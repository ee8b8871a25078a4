#include "clearance/solver/contact_forecast.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

constexpr int grain = 32;

/// Growth of a force below which it needs no forecast. The curvature of a barrier predicts such a growth well, and a
/// larger stiffness slows Newton down near the minimum. With twice the force the curvature would lead through the wall.
constexpr double foreseen_growth = 1.5;

/// Returns the rate [m] at which the gap grows along dx.
template <int dim>
double opening(const Contact& contact, const ContactGap<dim>& gap, const VecX& dx) {
  double sum = 0.0;
  for (int i = 0; i < contact.num_vertices(); ++i) {
    sum += gap.weights[i] * gap.normal.dot(block<dim>(dx, contact.vertices[i]));
  }
  return sum;
}

}  // namespace

/// Returns the distance [m] of the features at which the barrier has no end.
template <int dim>
double ContactForecast<dim>::separation_of(const Expected& expected) const {
  return options_.min_separation + expected.contact.thickness;
}

/// Returns the barrier force of an expected contact at `distance`, with its expected geometry.
template <int dim>
double ContactForecast<dim>::force_at(const Expected& expected, double distance) const {
  ContactGap<dim> gap = expected.gap;
  gap.distance = distance;
  return contacts_.kappa() * contact_model_.normal_force(expected.contact, gap, {});
}

/// Returns the curvature of the barrier along the normal, at the distance of the expected gap, by central differences.
template <int dim>
double ContactForecast<dim>::curvature_at(const Expected& expected) const {
  const double d = expected.gap.distance, step = 1e-5 * (d - separation_of(expected));
  return (force_at(expected, d - step) - force_at(expected, d + step)) / (2.0 * step);
}

/// Returns the distance [m] at which the barrier bears the expected force, by bisection over nine decades of the gap.
template <int dim>
double ContactForecast<dim>::distance_of(const Expected& expected) const {
  constexpr int num_halvings = 20;
  double low = 1e-9 * expected.contact.dhat, high = expected.contact.dhat;
  for (int i = 0; i < num_halvings; ++i) {
    const double middle = std::sqrt(low * high);
    (force_at(expected, separation_of(expected) + middle) > expected.force ? low : high) = middle;
  }
  return separation_of(expected) + high;
}

/// Returns the gap [m] along the expected normal; negative beyond the surface.
template <int dim>
double ContactForecast<dim>::signed_gap(const Expected& expected, const VecX& x_surface) const {
  const double distance = opening<dim>(expected.contact, expected.gap, x_surface);
  if (expected.contact.kind != ContactKind::half_space) return distance;
  return distance - model_.half_spaces[expected.contact.plane].offset;
}

/// Returns the compliance of a vertex under a force on it alone, which inertia and elasticity at rest resist. Zero if
/// the vertex is not free.
template <int dim>
double ContactForecast<dim>::compliance_of(int vertex) const {
  double sum = 0.0;
  for (const SurfaceMap::Term& term : model_.surface_map.terms(vertex)) {
    const std::size_t b = term.block;
    double resistance = target_.has_inertia ? model_.mass[b] : 0.0;
    if (model_.elastic_stiffness.size() > 0) resistance += target_.scale * model_.elastic_stiffness[term.block];
    if (resistance > 0.0) sum += term.weight * term.weight / resistance;
  }
  return sum;
}

template <int dim>
auto ContactForecast<dim>::find(const Contact& contact) const -> const Expected* {
  const auto found = std::lower_bound(expected_.begin(), expected_.end(), contact,
                                      [](const Expected& e, const Contact& c) { return precedes(e.contact, c); });
  return found == expected_.end() || precedes(contact, found->contact) ? nullptr : &*found;
}

template <int dim>
void ContactForecast<dim>::foretell(const Iterate& iterate, const VecX& dx, const std::vector<Encounter>& encounters,
                                    const SurfacePath& path) {
  std::vector<Expected> expected;
  foretell_encounters(iterate, dx, encounters, path, expected);
  foretell_contacts(iterate, dx, expected);
  // Pairs with one stencil are one contact. The forecast of this direction has precedence over earlier ones.
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Expected& a, const Expected& b) { return precedes(a.contact, b.contact); });
  expected_.clear();
  for (Expected& next : expected) {
    if (expected_.empty() || precedes(expected_.back().contact, next.contact)) expected_.push_back(std::move(next));
  }
}

/// Predicts the force of each contact at the end of the direction from the contact's stiffness in the matrix, which is
/// linear in the motion. Contacts that open need no forecast: their barriers soften by themselves.
template <int dim>
void ContactForecast<dim>::foretell_contacts(const Iterate& iterate, const VecX& dx,
                                             std::vector<Expected>& expected) const {
  const std::vector<Contact>& contacts = iterate.contacts.contacts;
  std::vector<Expected> all(contacts.size());
  parallel_for(static_cast<int>(contacts.size()), grain, [&](int k) {
    Expected& next = all[k];
    next.contact = contacts[k];
    if (next.contact.kind == ContactKind::mollified_edge_edge || !(next.contact.weight > 0.0)) return;
    next.gap = compute_contact_gap<dim>(model_, next.contact, positions_of<dim>(next.contact, iterate.x_surface));
    const double moved = opening<dim>(next.contact, next.gap, dx);
    if (!(moved < 0.0)) return;
    const Expected* known = find(next.contact);
    // The matrix holds the curvature and what an earlier forecast has added to it.
    const double stiffness = curvature_at(next) + (known != nullptr ? known->stiffness : 0.0);
    const double force = force_at(next, next.gap.distance), foretold = force - stiffness * moved;
    if (foretold > foreseen_growth * force) next.force = foretold;
  });
  for (Expected& next : all) {
    if (next.force > 0.0) expected.push_back(std::move(next));
  }
  // Expected contacts that are not active yet stay in the forecast as long as they push.
  for (const Expected& known : expected_) {
    if (iterate.contacts.find(known.contact) != nullptr) continue;
    Expected next = known;
    next.force = -known.stiffness * opening<dim>(known.contact, known.gap, dx);
    if (next.force > 0.0) expected.push_back(std::move(next));
  }
}

/// Predicts the forces of the pairs that the direction would meet: the force that stops their vertices there, if only
/// the resistance of these vertices acts. That is a guess; from the next direction on the matrix contains the contact.
template <int dim>
void ContactForecast<dim>::foretell_encounters(const Iterate& iterate, const VecX& dx,
                                               const std::vector<Encounter>& encounters, const SurfacePath& path,
                                               std::vector<Expected>& expected) const {
  for (const Encounter& encounter : encounters) {
    // The positions at the time of the encounter give the kind of the contact and its normal.
    ContactPositions<dim> x;
    for (int i = 0; i < encounter.pair.num_vertices(); ++i) {
      x[i] = path.position<dim>(encounter.pair.vertices[i], encounter.time);
    }
    const std::optional<Contact> contact = contact_model_.contact_of(encounter.pair, x);
    if (!contact || iterate.contacts.find(*contact) != nullptr) continue;
    Expected next;
    next.contact = *contact;
    ContactPositions<dim> closest;
    for (int i = 0; i < contact->num_vertices(); ++i) {
      closest[i] = path.position<dim>(contact->vertices[i], encounter.time);
    }
    next.gap = compute_contact_gap<dim>(model_, next.contact, closest);
    if (!next.gap.normal.allFinite()) continue;
    // A unit normal force opens the gap by the sum of the squared weights times the compliances of the vertices.
    double compliance = 0.0;
    for (int i = 0; i < contact->num_vertices(); ++i) {
      compliance += next.gap.weights[i] * next.gap.weights[i] * compliance_of(contact->vertices[i]);
    }
    // The force has to stop the motion that would use up more than nine tenths of the gap.
    const double gap = signed_gap(next, iterate.x_surface) - separation_of(next);
    const double beyond = -opening<dim>(next.contact, next.gap, dx) - 0.9 * gap;
    if (!(gap > 0.0) || !(beyond > 0.0) || !(compliance > 0.0)) continue;
    next.force = beyond / compliance;
    if (const Expected* known = find(*contact)) {
      next.force = std::max(next.force, -known->stiffness * opening<dim>(known->contact, known->gap, dx));
    }
    expected.push_back(std::move(next));
  }
}

/// Updates an expected contact at `iterate` and returns the stiffness that it adds to the matrix; 0 if it needs none.
template <int dim>
double ContactForecast<dim>::set_secant(const Iterate& iterate, Expected& expected) const {
  const Contact* contact = iterate.contacts.find(expected.contact);
  if (contact != nullptr) {
    expected.contact = *contact;
    expected.gap = compute_contact_gap<dim>(model_, *contact, positions_of<dim>(*contact, iterate.x_surface));
  } else {
    expected.gap.distance = signed_gap(expected, iterate.x_surface);
  }
  // A gap that is already at or below g* needs no forecast, nor does a force that has nearly grown to the expected one.
  const double distance = distance_of(expected);
  if (!(expected.gap.distance > distance)) return 0.0;
  const double force = contact != nullptr ? force_at(expected, expected.gap.distance) : 0.0;
  if (expected.force < foreseen_growth * force) return 0.0;
  // Secant stiffness (lambda - f) / (g - g*), less the curvature that the barrier of an active contact adds itself.
  const double secant = (expected.force - force) / (expected.gap.distance - distance);
  return std::max(0.0, contact != nullptr ? secant - curvature_at(expected) : secant);
}

template <int dim>
const std::vector<BlockKey>& ContactForecast<dim>::prepare_hessian(const Iterate& iterate,
                                                                   const std::vector<char>& is_fixed) {
  parallel_for(static_cast<int>(expected_.size()), grain, [&](int k) {
    Expected& expected = expected_[k];
    expected.stiffness = set_secant(iterate, expected);
  });
  std::erase_if(expected_, [](const Expected& expected) { return !(expected.stiffness > 0.0); });
  std::vector<ContactVertices> vertices;
  vertices.reserve(expected_.size());
  for (const Expected& expected : expected_) {
    vertices.push_back({expected.contact.vertices, expected.contact.num_vertices(), 0, 0});
  }
  hessians_.prepare(model_.surface_map, std::move(vertices), {}, is_fixed);
  return hessians_.keys();
}

/// Adds the stiffness of expected contacts to a projected Hessian; an exact one is left as it is.
template <int dim>
void ContactForecast<dim>::add_derivatives(const Iterate& /*iterate*/, HessianKind kind, VecX& /*gradient*/,
                                           BlockSparseMatrix& matrix) {
  if (kind == HessianKind::exact || expected_.empty()) return;
  hessians_.add_to(matrix, 1.0, [&](int k, RankOneSum<dim>& sum) {
    const Expected& expected = expected_[k];
    sum.add(expected.stiffness, expected.gap.weights, expected.gap.normal);
  });
}

template class ContactForecast<2>;
template class ContactForecast<3>;

}  // namespace clearance
