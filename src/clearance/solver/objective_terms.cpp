#include "clearance/solver/objective_terms.h"

#include "clearance/base/parallel.h"
#include "clearance/math/types.h"

namespace clearance {

namespace {

CompensatedSum scaled(CompensatedSum sum, double factor) {
  sum.sum *= factor;
  sum.correction *= factor;
  return sum;
}

}  // namespace

template <int dim>
CompensatedSum inertial_energy(const Model& model, const VecX& d) {
  if (model.consistent_mass) return model.consistent_mass->energy(d);
  return ordered_sum(model.layout.num_blocks,
                     [&](int b) { return 0.5 * model.mass[b] * block<dim>(d, b).squaredNorm(); });
}

template <int dim>
CompensatedSum InertiaTerm<dim>::energy(const Iterate& iterate) const {
  const VecX d = iterate.x - target_.x_tilde;
  if (mass_ != nullptr) return mass_->energy(d);
  if (target_.mass_factors.empty()) return inertial_energy<dim>(model_, d);
  return ordered_sum(model_.layout.num_blocks, [&](int b) {
    return 0.5 * target_.mass_factor(b) * model_.mass[b] * block<dim>(d, b).squaredNorm();
  });
}

template <int dim>
void InertiaTerm<dim>::add_gradient(const Iterate& iterate, VecX& gradient) {
  const VecX d = iterate.x - target_.x_tilde;
  if (mass_ != nullptr) {
    mass_->add_product(d, 1.0, gradient);
    return;
  }
  parallel_for(model_.layout.num_blocks, 4096,
               [&](int b) { block<dim>(gradient, b) += target_.mass_factor(b) * model_.mass[b] * block<dim>(d, b); });
}

template <int dim>
void InertiaTerm<dim>::add_derivatives(const Iterate& iterate, HessianKind /*kind*/, VecX& gradient,
                                       BlockSparseMatrix& matrix) {
  add_gradient(iterate, gradient);
  if (mass_ != nullptr) {
    mass_->add_to(1.0, matrix);
    return;
  }
  parallel_for(model_.layout.num_blocks, 4096, [&](int b) {
    matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                            Mat<dim>(target_.mass_factor(b) * model_.mass[b] * Mat<dim>::Identity()));
  });
}

template <int dim>
CompensatedSum PotentialTerm<dim>::energy(const Iterate& iterate) const {
  // The two words of the compensated sum are scaled, since the line search needs differences of energies far below the
  // rounding of one word.
  return scaled(potential_.energy(iterate.x), target_.scale);
}

template <int dim>
void PotentialTerm<dim>::add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient,
                                         BlockSparseMatrix& matrix) {
  if (kind == HessianKind::exact) {
    potential_.add_exact_derivatives(iterate.x, target_.scale, gradient, matrix);
  } else {
    potential_.add_derivatives(iterate.x, target_.scale, gradient, matrix);
  }
}

template <int dim>
CompensatedSum ContactTerm<dim>::energy(const Iterate& iterate) const {
  return scaled(potential_.energy(iterate.contacts, iterate.x_surface), kappa_);
}

template CompensatedSum inertial_energy<2>(const Model&, const VecX&);
template CompensatedSum inertial_energy<3>(const Model&, const VecX&);
template class InertiaTerm<2>;
template class InertiaTerm<3>;
template class PotentialTerm<2>;
template class PotentialTerm<3>;
template class ContactTerm<2>;
template class ContactTerm<3>;
template class FrictionTerm<2>;
template class FrictionTerm<3>;
template class PullTerm<2>;
template class PullTerm<3>;

}  // namespace clearance
