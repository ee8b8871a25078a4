// Energy, gradient and Hessian of all barriers of a contact set, on world positions, pulled back to the unknowns.
#pragma once

#include <span>
#include <vector>

#include "clearance/contact/contact_frame.h"
#include "clearance/contact/contact_hessians.h"

namespace clearance {

template <int dim>
class BarrierPotential {
 public:
  BarrierPotential(const Model& model, const BarrierOptions& options) : model_(model), options_(options) {}

  const BarrierOptions& options() const { return options_; }

  /// sum_k weight_k e_k b(d_k^2) [m^4] ([Fer23, eq. 2.5] without kappa), at the surface positions `x` the set was built
  /// at.
  CompensatedSum energy(const ContactSet& set, const VecX& x) const;

  /// gradient += scale * d energy / d unknowns
  void add_gradient(const ContactSet& set, const VecX& x, double scale, VecX& gradient) const;

  /// Fixes which unknowns the Hessian of `set` touches; blocks marked in `is_fixed` are left out. Returns the sorted
  /// keys.
  const std::vector<BlockKey>& prepare_hessian(const ContactSet& set, const std::vector<char>& is_fixed);
  /// gradient and matrix += scale * derivatives, every local Hessian positive semi-definite, for the set prepared last.
  /// The matrix has all prepared keys.
  /// With `is_exact` the Hessian itself instead.
  void add_derivatives(const ContactSet& set, const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix,
                       bool is_exact = false);

  /// sums[body] += scale * what the work of the forces at x_t1 exceeds the change of the energy by, contact by contact:
  /// what implicit integrators make of the barrier. Between nothing and the whole work.
  void add_work_gaps(const ContactSet& set, const VecX& x_t0, const VecX& x_t1, double scale, VecX& sums) const;

  /// Force [N for kappa / h^2 = scale] that each contact of the set exerts on its vertices.
  std::vector<ContactForce<dim>> contact_forces(const ContactSet& set, const VecX& x, double scale) const;
  /// The same, summed per surface vertex; flat.
  VecX vertex_forces(const ContactSet& set, const VecX& x, double scale) const;

 private:
  std::vector<Vec<4 * dim>> local_gradients(const ContactSet& set, const VecX& x) const;
  VecX vertex_sums(const ContactSet& set, const std::vector<Vec<4 * dim>>& locals, double scale) const;
  void scatter(const ContactSet& set, const std::vector<Vec<4 * dim>>& locals, double scale, VecX& gradient) const;

  const Model& model_;
  BarrierOptions options_;
  ContactHessians<dim> hessians_;
};

/// Derivatives of one contact with respect to its vertices (dim numbers each), weight included.
template <int dim>
struct ContactDerivatives {
  Vec<4 * dim> gradient;
  Mat<4 * dim> hessian;
};

/// Barrier of one contact; energy only.
template <int dim>
double contact_energy(const Model& model, const Contact& contact, const VecX& x, const BarrierOptions& options);
template <int dim>
Vec<4 * dim> contact_gradient(const Model& model, const Contact& contact, const VecX& x, const BarrierOptions& options);
/// Exact Hessian, or a positive semi-definite one that is nowhere smaller and hardly larger than need be.
template <int dim>
ContactDerivatives<dim> contact_derivatives(const Model& model, const Contact& contact, const VecX& x,
                                            const BarrierOptions& options, bool is_projected);
/// Gradient; appends the positive semi-definite Hessian, or with `is_exact` the Hessian itself, to the empty `sum`.
template <int dim>
Vec<4 * dim> contact_gradient_and_terms(const Model& model, const Contact& contact, const VecX& x,
                                        const BarrierOptions& options, RankOneSum<dim>& sum, bool is_exact = false);

}  // namespace clearance
