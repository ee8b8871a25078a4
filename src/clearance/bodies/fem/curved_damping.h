// Stiffness-proportional damping of curved elements, lagged like that of linear ones (damping_potential.h). The
// potential is 1/2 (c / h) (x - x_t0)^T K(x_t0) (x - x_t0), where K is the elastic Hessian at the start of the step,
// projected at every point.
//
// K is stored as the second derivatives by dx/dxi at the points, dim^4 numbers each, not as the Hessians of elements:
// for straight tetrahedra of order 2, 3 and 4 these are 324, 1134 and 1944 numbers against 495, 1890 and 5670.
#pragma once

#include "clearance/bodies/fem/curved_elements.h"
#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class CurvedDampingPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<CurvedDampingPotential>(*this); }
  /// Elements whose material has a damping coefficient c [s] > 0 take part.
  explicit CurvedDampingPotential(const CurvedElementMesh<dim>& mesh);
  /// True if any element takes part; if not, the potential may be left out of the model.
  bool has_elements() const { return elements_.num_elements() > 0; }

  std::string name() const override { return "damping"; }
  /// Stores x_t0 and K(x_t0). There is no damping while h <= 0 or before the first call.
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  void restrict_to(const std::vector<char>& part) override { elements_.restrict_to(part); }
  bool is_dissipative() const override { return true; }
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 private:
  /// Returns (c / h) C_ij of pack p at point q, as stored by curved_kernels::store_point_hessian.
  const SmallMatrix<Lanes, dim>* tensors(int p, int q) const {
    return tensors_.data() + first_tensor_[static_cast<std::size_t>(p)] + static_cast<std::size_t>(q * dim * dim);
  }
  /// Returns x - x_t0 of the nodes of a pack, in scratch memory of the thread.
  const Lanes* displacements(const CurvedPack<dim>& pack, const VecX& x) const;

  CurvedElementSet<dim> elements_;
  std::vector<Lanes> coefficients_;        // [s] per pack
  std::vector<std::size_t> first_tensor_;  // per pack, and one past the last
  std::vector<SmallMatrix<Lanes, dim>> tensors_;
  VecX x_t0_;
  bool is_active_ = false;
};

extern template class CurvedDampingPotential<2>;
extern template class CurvedDampingPotential<3>;

}  // namespace clearance
