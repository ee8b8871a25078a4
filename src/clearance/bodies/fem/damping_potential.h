// Stiffness-proportional damping, lagged: the force on a body that moves with velocity v is -c K(x_t0) v, where K is
// the elastic Hessian at the start of the step, projected at every point, and v = (x - x_t0) / h. Its potential is
// 1/2 (c / h) (x - x_t0)^T K(x_t0) (x - x_t0): convex, and zero without force if nothing moves.
//
// K is stored as the second derivatives by dx/dxi at the points, dim^4 numbers each, not as the Hessians of elements:
// for straight tetrahedra of order 2, 3 and 4 these are 324, 1134 and 1944 numbers against 495, 1890 and 5670. Linear
// elements store their Hessians: 90 numbers against 81, ready to be assembled.
#pragma once

#include "clearance/bodies/fem/element_sensitivities.h"
#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"

namespace clearance {

template <int dim>
class LaggedDampingPotential final : public Potential, public ExactHessian, public SmoothMemory {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<LaggedDampingPotential>(*this); }
  /// Elements whose material has a damping coefficient c [s] > 0 take part.
  explicit LaggedDampingPotential(const ElementMesh<dim>& mesh);
  /// True if any element takes part; if not, the potential may be left out of the model.
  bool has_elements() const { return elements_.num_elements() > 0; }

  std::string name() const override { return "damping"; }
  /// Stores x_t0 and K(x_t0). There is no damping while h <= 0 or before the first call.
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  void restrict_to(const std::vector<char>& part) override;
  bool is_dissipative() const override { return true; }
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

  /// Damping keeps nothing beyond the step.
  void pull_back_history(const VecX& /*x_t0*/, const VecX& /*x_t1*/, std::span<const double> /*kept*/,
                         MemoryCotangent /*result*/) const override {}
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;
  /// Adds the derivatives of motion . dE/dx at x_t1 by the elastic numbers of the elements that take part, and by the
  /// nodes at rest. Element i of those that take part has the place places[i].
  void add_slopes(const VecX& x_t0, const VecX& x_t1, const VecX& motion, std::span<const std::size_t> places,
                  ElementSlopes& slopes) const;

 private:
  using ElementVector = Vec<dim*(dim + 1)>;
  /// Returns x - x_t0 of the nodes of linear element i.
  ElementVector displacement(int i, const VecX& x) const;
  /// Returns (c / h) K_element u of a linear element.
  ElementVector local_product(int i, const ElementVector& u) const;
  /// Returns x - x_t0 of the nodes of a pack, in scratch memory of the thread.
  const Lanes* displacements(const ElementPack<dim>& pack, const VecX& x) const;
  /// Returns (c / h) C_ij of pack p at point q, as stored by element_kernels::store_point_hessian.
  const SmallMatrix<Lanes, dim>* tensors(int p, int q) const {
    return tensors_.data() + first_tensor_[p] + q * dim * dim;
  }
  double pack_energy(int p, const VecX& x) const;
  void store_forces(int p, const VecX& x);

  std::shared_ptr<const ElementMesh<dim>> mesh_;  // of the elements that take part
  ElementSet<dim> elements_;
  std::vector<Lanes> coefficients_;              // [s] per pack
  std::vector<double> stiffness_;                // (c / h) K per linear element
  std::vector<std::size_t> first_tensor_ = {0};  // per pack, and one past the last
  std::vector<SmallMatrix<Lanes, dim>> tensors_;
  VecX x_t0_;
  double h_ = 0.0;  // [s]
  bool is_active_ = false;
};

extern template class LaggedDampingPotential<2>;
extern template class LaggedDampingPotential<3>;

}  // namespace clearance
