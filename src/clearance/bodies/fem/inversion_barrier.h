// A barrier that keeps elements from being pressed flat if their material has no barrier of its own (all but
// neo-Hookean). The energy of such a material stays finite as J = det F -> 0. A fast or strong enough load then has its
// minimum among inverted elements, where no step may go: Newton's method would creep towards the border and never
// converge. With
//
//   E = sum V w b(J),  b(J) = -(J/J0 - 1)^2 ln(J/J0) for J < J0, else 0,  w = J0 (lambda + 2 mu)
//
// (the clamped logarithm of [Fer23, eq. 2.6], twice continuously differentiable) the minimum is inside. Elements that
// keep a tenth of their volume do not feel the barrier.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/potential.h"

namespace clearance {

/// J0: the fraction of its rest volume below which an element feels the barrier.
inline constexpr double barrier_volume_fraction = 0.1;

enum class GuardedElements {
  of_finite_energy,  ///< elements whose material is not a barrier model
  all                ///< all elements, for problems without elasticity
};

template <int dim>
class InversionBarrier : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<InversionBarrier>(*this); }
  explicit InversionBarrier(const ElementMesh<dim>& mesh, GuardedElements guarded = GuardedElements::of_finite_energy);
  /// True if any element takes part; if not, the potential may be left out of the model.
  bool has_elements() const { return elements_.num_elements() > 0; }

  std::string name() const override { return "inversion_barrier"; }
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 protected:
  const ElementSet<dim>& elements() const { return elements_; }

 private:
  struct Element {
    Mat<dim> inverse_rest;   // [1/m] F = D_s B
    double volume = 0.0;     // [m^dim] at rest
    double stiffness = 0.0;  // [Pa] w
  };
  Mat<dim> deformation_gradient(int i, const VecX& x) const;

  ElementSet<dim> elements_;
  std::vector<Element> rest_;
};

extern template class InversionBarrier<2>;
extern template class InversionBarrier<3>;

}  // namespace clearance
