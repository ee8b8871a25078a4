#include "clearance/contact/barrier_potential.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {
constexpr int grain = 64;
}

template <int dim>
CompensatedSum BarrierPotential<dim>::energy(const ContactSet& set, const VecX& x) const {
  return ordered_sum(static_cast<int>(set.contacts.size()), [&](int k) {
    return contact_energy<dim>(model_, set.contacts[static_cast<std::size_t>(k)], x, options_);
  });
}

template <int dim>
std::vector<Vec<4 * dim>> BarrierPotential<dim>::local_gradients(const ContactSet& set, const VecX& x) const {
  std::vector<Vec<4 * dim>> locals(set.contacts.size());
  parallel_for(static_cast<int>(set.contacts.size()), grain, [&](int k) {
    const auto at = static_cast<std::size_t>(k);
    locals[at] = contact_gradient<dim>(model_, set.contacts[at], x, options_);
  });
  return locals;
}

/// gradient += scale * locals: summed per surface vertex first, since many contacts share a vertex.
template <int dim>
void BarrierPotential<dim>::scatter(const ContactSet& set, const std::vector<Vec<4 * dim>>& locals, double scale,
                                    VecX& gradient) const {
  model_.surface_map.add_transposed(vertex_sums(set, locals, scale), gradient);
}

template <int dim>
VecX BarrierPotential<dim>::vertex_sums(const ContactSet& set, const std::vector<Vec<4 * dim>>& locals,
                                        double scale) const {
  VecX sums = VecX::Zero(dim * model_.surface.num_vertices);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const Contact& contact = set.contacts[k];
    for (int i = 0; i < contact.num_vertices(); ++i) {
      block<dim>(sums, contact.vertices[static_cast<std::size_t>(i)]) +=
          scale * locals[k].template segment<dim>(dim * i);
    }
  }
  return sums;
}

template <int dim>
void BarrierPotential<dim>::add_gradient(const ContactSet& set, const VecX& x, double scale, VecX& gradient) const {
  scatter(set, local_gradients(set, x), scale, gradient);
}

template <int dim>
std::vector<ContactForce<dim>> BarrierPotential<dim>::contact_forces(const ContactSet& set, const VecX& x,
                                                                     double scale) const {
  const std::vector<Vec<4 * dim>> locals = local_gradients(set, x);
  std::vector<ContactForce<dim>> forces(locals.size());
  for (std::size_t k = 0; k < forces.size(); ++k) forces[k] = {set.contacts[k], -scale * locals[k]};
  return forces;
}

template <int dim>
VecX BarrierPotential<dim>::vertex_forces(const ContactSet& set, const VecX& x, double scale) const {
  return vertex_sums(set, local_gradients(set, x), -scale);
}

template <int dim>
void BarrierPotential<dim>::add_work_gaps(const ContactSet& set, const VecX& x_t0, const VecX& x_t1, double scale,
                                          VecX& sums) const {
  const std::vector<Vec<4 * dim>> locals = local_gradients(set, x_t1);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const Contact& contact = set.contacts[k];
    double work = 0.0;
    for (int i = 0; i < contact.num_vertices(); ++i) {
      const int v = contact.vertices[static_cast<std::size_t>(i)];
      work += locals[k].template segment<dim>(dim * i).dot(block<dim>(x_t1, v) - block<dim>(x_t0, v));
    }
    // The closest features may have been others at x_t0, where the energy of these may be anything.
    const double gap = work - contact_energy<dim>(model_, contact, x_t1, options_) +
                       contact_energy<dim>(model_, contact, x_t0, options_);
    if (gap > 0.0) add_to_bodies(model_, contact, scale * std::min(gap, std::abs(work)), sums);
  }
}

template <int dim>
const std::vector<BlockKey>& BarrierPotential<dim>::prepare_hessian(const ContactSet& set,
                                                                    const std::vector<char>& is_fixed) {
  std::vector<ContactVertices> vertices;
  vertices.reserve(set.contacts.size());
  for (const Contact& contact : set.contacts) vertices.push_back({contact.vertices, contact.num_vertices()});
  hessians_.prepare(model_.surface_map, std::move(vertices), is_fixed);
  return hessians_.keys();
}

template <int dim>
void BarrierPotential<dim>::add_derivatives(const ContactSet& set, const VecX& x, double scale, VecX& gradient,
                                            BlockSparseMatrix& matrix, bool is_exact) {
  if (set.contacts.empty()) return;
  std::vector<Vec<4 * dim>> gradients(set.contacts.size());
  hessians_.add_to(matrix, scale, [&](int k, RankOneSum<dim>& sum) {
    const auto at = static_cast<std::size_t>(k);
    gradients[at] = contact_gradient_and_terms<dim>(model_, set.contacts[at], x, options_, sum, is_exact);
  });
  scatter(set, gradients, scale, gradient);
}

template class BarrierPotential<2>;
template class BarrierPotential<3>;

}  // namespace clearance
