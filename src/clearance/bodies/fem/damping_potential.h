// Stiffness-proportional damping, lagged: the force on a body that moves with velocity v is -c K(x_t0) v, where K is
// the projected elastic Hessian at the start of the step and v = (x - x_t0) / h. Its potential is 1/2 (c / h) (x -
// x_t0)^T K(x_t0) (x - x_t0): convex, and zero without force if nothing moves.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class LaggedDampingPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<LaggedDampingPotential>(*this); }
  /// Elements whose material has a damping coefficient c [s] > 0 take part.
  explicit LaggedDampingPotential(const ElementMesh<dim>& mesh);
  /// True if any element takes part; if not, the potential may be left out of the model.
  bool has_elements() const { return elements_.num_elements() > 0; }

  std::string name() const override { return "damping"; }
  /// Stores x_t0 and K(x_t0). There is no damping while h <= 0 or before the first call.
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  bool is_dissipative() const override { return true; }
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 private:
  using ElementVector = Vec<dim*(dim + 1)>;
  /// Returns x - x_t0 of the nodes of element i.
  ElementVector displacement(int i, const VecX& x) const;
  /// Returns (c / h) K_element u.
  ElementVector local_product(int i, const ElementVector& u) const;

  ElementSet<dim> elements_;
  std::vector<double> coefficients_;  // [s] per element of the set
  VecX x_t0_;
  bool is_active_ = false;
};

extern template class LaggedDampingPotential<2>;
extern template class LaggedDampingPotential<3>;

}  // namespace clearance
