// Computes energy, gradient and Hessian of all contacts of a set, on world positions, and pulls them back to the
// unknowns.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "clearance/contact/contact_hessians.h"
#include "clearance/contact/contact_model.h"

namespace clearance {

template <int dim>
class ContactPotential {
 public:
  /// `model` and `contacts` outlive the object. `hessians` may have the plan of an earlier object for the same model.
  ContactPotential(const Model& model, const ContactModel<dim>& contacts,
                   std::shared_ptr<ContactHessians<dim>> hessians = std::make_shared<ContactHessians<dim>>())
      : model_(model), contacts_(contacts), hessians_(std::move(hessians)) {}

  /// Returns the sum of the energies of all contacts (of [Fer23, eq. 2.5] without kappa, in m^4), at the surface
  /// positions `x` that the set was built at.
  CompensatedSum energy(const ContactSet& set, const VecX& x) const;
  /// Returns the sum of the magnitudes of the energies, which the rounding error of energy() is relative to.
  double magnitude(const ContactSet& set, const VecX& x) const;

  /// Adds scale * d energy / d unknowns to the gradient.
  void add_gradient(const ContactSet& set, const VecX& x, double scale, VecX& gradient) const;

  /// Fixes which unknowns the Hessian of `set` touches; blocks marked in `is_fixed` are left out. Returns the sorted
  /// keys.
  const std::vector<BlockKey>& prepare_hessian(const ContactSet& set, const std::vector<char>& is_fixed);
  /// Adds scale * derivatives to the gradient and the matrix, for the set prepared last. The matrix has all prepared
  /// keys.
  void add_derivatives(const ContactSet& set, const VecX& x, double scale, HessianKind kind, VecX& gradient,
                       BlockSparseMatrix& matrix);

  /// Adds to sums[body], contact by contact, scale times the amount by which the work of the forces at x_t1 exceeds the
  /// change of the energy: implicit integrators take it from the barrier. It is between nothing and the whole work.
  void add_work_gaps(const ContactSet& set, const VecX& x_t0, const VecX& x_t1, double scale, VecX& sums) const;

  /// Visits the forces on the vertices [N for a scale in 1 / s^2], contact by contact.
  void visit_forces(const ContactSet& set, const VecX& x, double scale, const ForceVisitor<dim>& visit) const;
  /// Returns the forces on the vertices, summed per surface vertex; flat.
  VecX vertex_forces(const ContactSet& set, const VecX& x, double scale) const;

 private:
  /// Gradients of all contacts: dim numbers per place of their stencils.
  using LocalGradients = std::vector<double>;
  std::span<double> local(const ContactSet& set, std::size_t k, LocalGradients& locals) const {
    return {locals.data() + dim * set.first_place(k), dim * set.num_places(k)};
  }
  LocalGradients local_gradients(const ContactSet& set, const VecX& x) const;
  VecX vertex_sums(const ContactSet& set, const LocalGradients& locals, double scale) const;
  void scatter(const ContactSet& set, const LocalGradients& locals, double scale, VecX& gradient) const;

  const Model& model_;
  const ContactModel<dim>& contacts_;
  std::shared_ptr<ContactHessians<dim>> hessians_;
};

extern template class ContactPotential<2>;
extern template class ContactPotential<3>;

}  // namespace clearance
