// Forecasts contact forces from Newton's directions.
//
// Newton's quadratic model knows each barrier by its curvature at the present gap. For pairs beyond the activation
// distance this is zero, and just within it hardly more. A direction runs into these walls and the first one cuts it;
// the next wall cuts the next direction (locking by the time of impact). But the whole of a direction, even if little
// of it can be taken, tells which pairs it would meet. The model's own forces at its end tell how large the contact
// forces have to become: as in primal-dual interior-point methods the forces go ahead of the motion. A contact that is
// to bear the force lambda comes to rest at the gap g* where the barrier has this force. Until then the matrix gets,
// along the normal, the secant stiffness (lambda - f) / (g - g*) of the way there less the curvature at g. The gradient
// stays that of the objective: directions descend, and the minimum is the same.
#pragma once

#include <vector>

#include "clearance/solver/feasible_step.h"
#include "clearance/solver/objective_terms.h"

namespace clearance {

/// Term of the objective that adds to the matrix only.
template <int dim>
class ContactForecast final : public ObjectiveTerm<dim> {
 public:
  ContactForecast(const Model& model, const ContactModel<dim>& contact_model, const ContactTerm<dim>& contacts,
                  const InertialTarget& target, const BarrierOptions& options)
      : model_(model), contact_model_(contact_model), contacts_(contacts), target_(target), options_(options) {}

  /// True if no contact is expected, as before contacts have cut a direction.
  bool is_empty() const { return expected_.empty(); }
  void clear() { expected_.clear(); }
  int num_expected() const { return static_cast<int>(expected_.size()); }
  /// Updates the forecast from a direction that moves the surface by `dx` [m] from the iterate at which the matrix was
  /// assembled. `encounters` are the pairs that meet on `path`, which begins there.
  void foretell(const Iterate& iterate, const VecX& dx, const std::vector<Encounter>& encounters,
                const SurfacePath& path);

  bool is_active(const Iterate& /*iterate*/) const override { return !expected_.empty(); }
  CompensatedSum energy(const Iterate& /*iterate*/) const override { return {}; }
  void add_gradient(const Iterate& /*iterate*/, VecX& /*gradient*/) override {}
  const std::vector<BlockKey>& prepare_hessian(const Iterate& iterate, const std::vector<char>& is_fixed) override;
  void add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix) override;
  std::string name() const override { return "forecast"; }

 private:
  /// Contact that will have to bear a force, with the geometry that it is expected to have.
  struct Expected {
    Contact contact;
    ContactGap<dim> gap;
    double force = 0.0;      // in units of the objective per metre
    double stiffness = 0.0;  // share in the matrix besides the curvature of its barrier
  };

  void foretell_contacts(const Iterate& iterate, const VecX& dx, std::vector<Expected>& expected) const;
  void foretell_encounters(const Iterate& iterate, const VecX& dx, const std::vector<Encounter>& encounters,
                           const SurfacePath& path, std::vector<Expected>& expected) const;
  const Expected* find(const Contact& contact) const;
  double set_secant(const Iterate& iterate, Expected& expected) const;
  double separation_of(const Expected& expected) const;
  double force_at(const Expected& expected, double distance) const;
  double curvature_at(const Expected& expected) const;
  double distance_of(const Expected& expected) const;
  double signed_gap(const Expected& expected, const VecX& x_surface) const;
  double compliance_of(int vertex) const;

  const Model& model_;
  const ContactModel<dim>& contact_model_;
  const ContactTerm<dim>& contacts_;
  const InertialTarget& target_;
  const BarrierOptions& options_;
  std::vector<Expected> expected_;  // sorted by stencil
  ContactHessians<dim> hessians_;
};

extern template class ContactForecast<2>;
extern template class ContactForecast<3>;

}  // namespace clearance
