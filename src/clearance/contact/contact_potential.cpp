#include "clearance/contact/contact_potential.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

constexpr int grain = 64;

/// Returns the numbers at one place of a contact, out of those of all contacts.
template <int dim>
Vec<dim> at_place(const std::vector<double>& locals, std::size_t place) {
  return Eigen::Map<const Vec<dim>>(locals.data() + dim * place);
}

}  // namespace

template <int dim>
CompensatedSum ContactPotential<dim>::energy(const ContactSet& set, const VecX& x) const {
  return ordered_sum(static_cast<int>(set.contacts.size()), [&](int k) { return contacts_.energy(set, k, x); });
}

template <int dim>
double ContactPotential<dim>::magnitude(const ContactSet& set, const VecX& x) const {
  return ordered_sum(static_cast<int>(set.contacts.size()),
                     [&](int k) { return std::abs(contacts_.energy(set, k, x)); })
      .value();
}

template <int dim>
auto ContactPotential<dim>::local_gradients(const ContactSet& set, const VecX& x) const -> LocalGradients {
  const std::size_t count = set.contacts.size();
  LocalGradients locals(dim * set.first_place(count));
  parallel_for(static_cast<int>(count), grain, [&](int k) {
    const std::size_t at = k;
    contacts_.compute_gradient(set, at, x, local(set, at, locals));
  });
  return locals;
}

/// Adds scale * locals to the gradient. They are summed per surface vertex first, since many contacts share a vertex.
template <int dim>
void ContactPotential<dim>::scatter(const ContactSet& set, const LocalGradients& locals, double scale,
                                    VecX& gradient) const {
  model_.surface_map.add_transposed(vertex_sums(set, locals, scale), gradient);
}

template <int dim>
VecX ContactPotential<dim>::vertex_sums(const ContactSet& set, const LocalGradients& locals, double scale) const {
  // This loop is serial: the order of the contacts alone decides the bits of each sum.
  VecX sums = VecX::Zero(dim * model_.surface.num_vertices);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const std::size_t first = set.first_place(k);
    set.for_each_vertex(k, [&](std::size_t place, int vertex) {
      block<dim>(sums, vertex) += scale * at_place<dim>(locals, first + place);
    });
  }
  return sums;
}

template <int dim>
void ContactPotential<dim>::add_gradient(const ContactSet& set, const VecX& x, double scale, VecX& gradient) const {
  scatter(set, local_gradients(set, x), scale, gradient);
}

template <int dim>
void ContactPotential<dim>::visit_forces(const ContactSet& set, const VecX& x, double scale,
                                         const ForceVisitor<dim>& visit) const {
  const LocalGradients locals = local_gradients(set, x);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const std::size_t first = set.first_place(k);
    set.for_each_vertex(k, [&](std::size_t place, int vertex) {
      visit(set.contacts[k], vertex, -scale * at_place<dim>(locals, first + place));
    });
  }
}

template <int dim>
VecX ContactPotential<dim>::vertex_forces(const ContactSet& set, const VecX& x, double scale) const {
  return vertex_sums(set, local_gradients(set, x), -scale);
}

template <int dim>
void ContactPotential<dim>::add_work_gaps(const ContactSet& set, const VecX& x_t0, const VecX& x_t1, double scale,
                                          VecX& sums) const {
  const LocalGradients locals = local_gradients(set, x_t1);
  // `start` has the same features at the start, where they may not have been the closest ones.
  const double activation_sq = contacts_.activation_distance() * contacts_.activation_distance();
  ContactSet start = set;
  for (Contact& contact : start.contacts) {
    const double distance = compute_contact_gap<dim>(model_, contact, positions_of<dim>(contact, x_t0)).distance;
    contact.distance_sq = distance * distance;
  }
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    double work = 0.0;
    const std::size_t first = set.first_place(k);
    set.for_each_vertex(k, [&](std::size_t place, int v) {
      work += at_place<dim>(locals, first + place).dot(block<dim>(x_t1, v) - block<dim>(x_t0, v));
    });
    // A contact that was not active at the start had no energy there.
    const bool was_contact = start.contacts[k].distance_sq < activation_sq;
    const double energy_t0 = was_contact ? contacts_.energy(start, k, x_t0) : 0.0;
    // An implicit step takes the force of its end, whose work exceeds the change of the energy E by g(x_t1) . (x_t1 -
    // x_t0) - E(x_t1) + E(x_t0). Where E is convex along the motion this is at least 0; elsewhere it is cut off at 0
    // and at the work.
    const double gap = work - contacts_.energy(set, k, x_t1) + energy_t0;
    if (gap > 0.0) add_to_bodies(model_, set.contacts[k], scale * std::min(gap, std::abs(work)), sums);
  }
}

template <int dim>
const std::vector<BlockKey>& ContactPotential<dim>::prepare_hessian(const ContactSet& set,
                                                                    const std::vector<char>& is_fixed) {
  std::vector<ContactVertices> vertices;
  vertices.reserve(set.contacts.size());
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const Contact& contact = set.contacts[k];
    ContactVertices& added = vertices.emplace_back(ContactVertices{contact.vertices, contact.num_vertices(), 0, 0});
    added.num_neighbours = static_cast<int>(set.neighbours_of(k).size());
    if (added.num_neighbours > 0) added.first_neighbour = set.first_neighbour[k];
  }
  hessians_->prepare(model_.surface_map, std::move(vertices), set.neighbours, is_fixed);
  return hessians_->keys();
}

template <int dim>
void ContactPotential<dim>::add_derivatives(const ContactSet& set, const VecX& x, double scale, HessianKind kind,
                                            VecX& gradient, BlockSparseMatrix& matrix) {
  if (set.contacts.empty()) return;
  LocalGradients locals(dim * set.first_place(set.contacts.size()));
  hessians_->add_to(matrix, scale, [&](int k, RankOneSum<dim>& sum) {
    const std::size_t at = k;
    contacts_.compute_derivatives(set, at, x, kind, local(set, at, locals), sum);
  });
  scatter(set, locals, scale, gradient);
}

template class ContactPotential<2>;
template class ContactPotential<3>;

}  // namespace clearance
