#include "clearance/solver/contact_forecast.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

constexpr int grain = 32;

/// A force that grows by less than this needs no forecast: the curvature of a barrier foresees that well, and what is
/// added to it slows Newton down near the minimum. With twice the force it would lead through the wall.
constexpr double foreseen_growth = 1.5;

/// [m] How fast the gap grows along dx.
template <int dim>
double opening(const Contact& contact, const ContactGap<dim>& gap, const VecX& dx) {
  double sum = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(contact.num_vertices()); ++i) {
    sum += gap.weights[i] * gap.normal.dot(block<dim>(dx, contact.vertices[i]));
  }
  return sum;
}

}  // namespace

/// Of what is expected, where it is expected.
template <int dim>
double ContactForecast<dim>::force_at(const Expected& expected, double distance) const {
  ContactGap<dim> gap = expected.gap;
  gap.distance = distance;
  return contacts_.kappa() * contact_model_.normal_force(expected.contact, gap, {});
}

/// Along the normal, at the distance of its gap.
template <int dim>
double ContactForecast<dim>::curvature_at(const Expected& expected) const {
  const double d = expected.gap.distance, step = 1e-5 * (d - options_.min_separation);
  return (force_at(expected, d - step) - force_at(expected, d + step)) / (2.0 * step);
}

/// [m] Where its barrier bears the expected force: by bisection, over nine decades of the gap.
template <int dim>
double ContactForecast<dim>::distance_of(const Expected& expected) const {
  constexpr int num_halvings = 20;
  double low = 1e-9 * expected.contact.dhat, high = expected.contact.dhat;
  for (int i = 0; i < num_halvings; ++i) {
    const double middle = std::sqrt(low * high);
    (force_at(expected, options_.min_separation + middle) > expected.force ? low : high) = middle;
  }
  return options_.min_separation + high;
}

/// [m] Along the expected normal; negative beyond the surface.
template <int dim>
double ContactForecast<dim>::signed_gap(const Expected& expected, const VecX& x_surface) const {
  const double distance = opening<dim>(expected.contact, expected.gap, x_surface);
  if (expected.contact.kind != ContactKind::half_space) return distance;
  return distance - model_.half_spaces[static_cast<std::size_t>(expected.contact.plane)].offset;
}

/// How a vertex gives way to a force on it alone: inertia and elasticity at rest resist. Zero where it is not free.
template <int dim>
double ContactForecast<dim>::compliance_of(int vertex) const {
  double sum = 0.0;
  for (const SurfaceMap::Term& term : model_.surface_map.terms(vertex)) {
    const auto b = static_cast<std::size_t>(term.block);
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
  // Pairs with one stencil are one contact; what is seen now goes before what was.
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Expected& a, const Expected& b) { return precedes(a.contact, b.contact); });
  expected_.clear();
  for (Expected& next : expected) {
    if (expected_.empty() || precedes(expected_.back().contact, next.contact)) expected_.push_back(std::move(next));
  }
}

/// What the matrix has of a contact, linear in the motion, gives its force at the end of the direction. Contacts that
/// yield need no forecast: their barriers soften by themselves.
template <int dim>
void ContactForecast<dim>::foretell_contacts(const Iterate& iterate, const VecX& dx,
                                             std::vector<Expected>& expected) const {
  const std::vector<Contact>& contacts = iterate.contacts.contacts;
  std::vector<Expected> all(contacts.size());
  parallel_for(static_cast<int>(contacts.size()), grain, [&](int k) {
    Expected& next = all[static_cast<std::size_t>(k)];
    next.contact = contacts[static_cast<std::size_t>(k)];
    if (next.contact.kind == ContactKind::mollified_edge_edge || !(next.contact.weight > 0.0)) return;
    next.gap = compute_contact_gap<dim>(model_, next.contact, positions_of<dim>(next.contact, iterate.x_surface));
    const double moved = opening<dim>(next.contact, next.gap, dx);
    if (!(moved < 0.0)) return;
    const Expected* known = find(next.contact);
    const double stiffness = curvature_at(next) + (known != nullptr ? known->stiffness : 0.0);
    const double force = force_at(next, next.gap.distance), foretold = force - stiffness * moved;
    if (foretold > foreseen_growth * force) next.force = foretold;
  });
  for (Expected& next : all) {
    if (next.force > 0.0) expected.push_back(std::move(next));
  }
  // Those that are none yet hold as long as they push.
  for (const Expected& known : expected_) {
    if (iterate.contacts.find(known.contact) != nullptr) continue;
    Expected next = known;
    next.force = -known.stiffness * opening<dim>(known.contact, known.gap, dx);
    if (next.force > 0.0) expected.push_back(std::move(next));
  }
}

/// Pairs that the direction would meet: what stops their vertices there against what resists of these alone. That is a
/// guess; from the next direction on the matrix knows better.
template <int dim>
void ContactForecast<dim>::foretell_encounters(const Iterate& iterate, const VecX& dx,
                                               const std::vector<Encounter>& encounters, const SurfacePath& path,
                                               std::vector<Expected>& expected) const {
  for (const Encounter& encounter : encounters) {
    ContactPositions<dim> x;
    for (std::size_t i = 0; i <= dim && encounter.pair.vertices[i] >= 0; ++i) {
      x[i] = path.position<dim>(encounter.pair.vertices[i], encounter.time);
    }
    const std::optional<Contact> contact = contact_model_.contact_of(encounter.pair, x);
    if (!contact || iterate.contacts.find(*contact) != nullptr) continue;
    Expected next;
    next.contact = *contact;
    ContactPositions<dim> closest;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contact->num_vertices()); ++i) {
      closest[i] = path.position<dim>(contact->vertices[i], encounter.time);
    }
    next.gap = compute_contact_gap<dim>(model_, next.contact, closest);
    if (!next.gap.normal.allFinite()) continue;
    double compliance = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contact->num_vertices()); ++i) {
      compliance += next.gap.weights[i] * next.gap.weights[i] * compliance_of(contact->vertices[i]);
    }
    const double gap = signed_gap(next, iterate.x_surface) - options_.min_separation;
    const double beyond = -opening<dim>(next.contact, next.gap, dx) - 0.9 * gap;
    if (!(gap > 0.0) || !(beyond > 0.0) || !(compliance > 0.0)) continue;
    next.force = beyond / compliance;
    if (const Expected* known = find(*contact)) {
      next.force = std::max(next.force, -known->stiffness * opening<dim>(known->contact, known->gap, dx));
    }
    expected.push_back(std::move(next));
  }
}

/// At an iterate; 0 if it needs none.
template <int dim>
double ContactForecast<dim>::set_secant(const Iterate& iterate, Expected& expected) const {
  const Contact* contact = iterate.contacts.find(expected.contact);
  if (contact != nullptr) {
    expected.contact = *contact;
    expected.gap = compute_contact_gap<dim>(model_, *contact, positions_of<dim>(*contact, iterate.x_surface));
  } else {
    expected.gap.distance = signed_gap(expected, iterate.x_surface);
  }
  const double distance = distance_of(expected);
  if (!(expected.gap.distance > distance)) return 0.0;
  const double force = contact != nullptr ? force_at(expected, expected.gap.distance) : 0.0;
  if (expected.force < foreseen_growth * force) return 0.0;
  const double secant = (expected.force - force) / (expected.gap.distance - distance);
  return std::max(0.0, contact != nullptr ? secant - curvature_at(expected) : secant);
}

template <int dim>
const std::vector<BlockKey>& ContactForecast<dim>::prepare_hessian(const Iterate& iterate,
                                                                   const std::vector<char>& is_fixed) {
  parallel_for(static_cast<int>(expected_.size()), grain, [&](int k) {
    Expected& expected = expected_[static_cast<std::size_t>(k)];
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

/// The exact Hessian is left as it is.
template <int dim>
void ContactForecast<dim>::add_derivatives(const Iterate& /*iterate*/, HessianKind kind, VecX& /*gradient*/,
                                           BlockSparseMatrix& matrix) {
  if (kind == HessianKind::exact || expected_.empty()) return;
  hessians_.add_to(matrix, 1.0, [&](int k, RankOneSum<dim>& sum) {
    const Expected& expected = expected_[static_cast<std::size_t>(k)];
    sum.add(expected.stiffness, expected.gap.weights, expected.gap.normal);
  });
}

template class ContactForecast<2>;
template class ContactForecast<3>;

}  // namespace clearance
