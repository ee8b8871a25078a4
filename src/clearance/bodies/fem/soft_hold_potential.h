// Soft springs that hold free bodies where they start, so that statics have one equilibrium: the energy
// sum over blocks of k_b / 2 |x_b - a_b|^2.
//
// The springs of a body are in proportion to its mass. A force that nothing else balances is then carried like the
// inertia of a body that accelerates evenly, without stress concentrations; loads in balance leave the springs alone.
#pragma once

#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class SoftHoldPotential : public Potential {
 public:
  /// `stiffness` [N/m] per block, zero where nothing is held; `anchors` [m], flat.
  SoftHoldPotential(VecX stiffness, VecX anchors);

  std::unique_ptr<Potential> clone() const override { return std::make_unique<SoftHoldPotential>(*this); }
  std::string name() const override { return "hold"; }
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override;
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 private:
  /// Returns the force [N] of the spring on a block.
  Vec<dim> force(const VecX& x, int b) const;

  std::vector<int> blocks_;  // that are held, ascending
  VecX stiffness_, anchors_;
};

extern template class SoftHoldPotential<2>;
extern template class SoftHoldPotential<3>;

}  // namespace clearance
