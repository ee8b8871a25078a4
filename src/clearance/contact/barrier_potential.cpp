#include "clearance/contact/barrier_potential.h"

#include "clearance/base/parallel.h"
#include "clearance/contact/free_stencil.h"

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

/// gradient += scale * locals, in contact order.
template <int dim>
void BarrierPotential<dim>::scatter(const ContactSet& set, const std::vector<Vec<4 * dim>>& locals, double scale,
                                    VecX& gradient) const {
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const Contact& contact = set.contacts[k];
    for (int i = 0; i < contact.num_vertices(); ++i) {
      for (const SurfaceMap::Term& term : model_.surface_map.terms(contact.vertices[static_cast<std::size_t>(i)])) {
        block<dim>(gradient, term.block) += (scale * term.weight) * locals[k].template segment<dim>(dim * i);
      }
    }
  }
}

template <int dim>
void BarrierPotential<dim>::add_gradient(const ContactSet& set, const VecX& x, double scale, VecX& gradient) const {
  scatter(set, local_gradients(set, x), scale, gradient);
}

template <int dim>
VecX BarrierPotential<dim>::vertex_forces(const ContactSet& set, const VecX& x, double scale) const {
  VecX forces = VecX::Zero(x.size());
  const std::vector<Vec<4 * dim>> locals = local_gradients(set, x);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const Contact& contact = set.contacts[k];
    for (int i = 0; i < contact.num_vertices(); ++i) {
      block<dim>(forces, contact.vertices[static_cast<std::size_t>(i)]) -=
          scale * locals[k].template segment<dim>(dim * i);
    }
  }
  return forces;
}

template <int dim>
const std::vector<BlockKey>& BarrierPotential<dim>::prepare_hessian(const ContactSet& set,
                                                                    const std::vector<char>& is_fixed) {
  std::vector<Stencil> stencils(set.contacts.size());
  free_nodes_.resize(set.contacts.size());
  parallel_for(static_cast<int>(set.contacts.size()), 1024, [&](int k) {
    const auto at = static_cast<std::size_t>(k);
    const Contact& contact = set.contacts[at];
    stencils[at] = free_stencil(model_, contact.vertices, contact.num_vertices(), is_fixed, free_nodes_[at]);
  });
  assembler_ = BlockAssembler(stencils);
  num_free_.resize(stencils.size());
  for (std::size_t k = 0; k < stencils.size(); ++k) num_free_[k] = static_cast<std::int8_t>(stencils[k].count);
  return assembler_.keys();
}

template <int dim>
void BarrierPotential<dim>::add_derivatives(const ContactSet& set, const VecX& x, double scale, VecX& gradient,
                                            BlockSparseMatrix& matrix) {
  if (set.contacts.empty()) return;
  // Local derivatives in parallel, each into its own slot.
  constexpr std::size_t block_numbers = static_cast<std::size_t>(dim) * dim;
  std::vector<Vec<4 * dim>> gradients(set.contacts.size());
  locals_.resize(set.contacts.size() * max_stencil_blocks * block_numbers);
  parallel_for(static_cast<int>(set.contacts.size()), grain, [&](int k) {
    const auto at = static_cast<std::size_t>(k);
    const std::span<const std::int8_t> nodes(free_nodes_[at].data(), static_cast<std::size_t>(num_free_[at]));
    double* out = locals_.data() + at * max_stencil_blocks * block_numbers;
    gradients[at] = pack_contact_derivatives<dim>(model_, set.contacts[at], x, options_, nodes, out);
  });
  scatter(set, gradients, scale, gradient);
  assembler_.bind(matrix);
  assembler_.template add_to<dim>(matrix, locals_, scale);
}

template class BarrierPotential<2>;
template class BarrierPotential<3>;

}  // namespace clearance
