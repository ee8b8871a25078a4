// Elastic energy of curved elements: the sum of w psi(F) over the points of a quadrature rule.
#pragma once

#include "clearance/bodies/fem/curved_elements.h"
#include "clearance/bodies/fem/element_state.h"
#include "clearance/geometry/curved_volume.h"
#include "clearance/model/potential.h"

namespace clearance {

/// The elastic energy; also bounds steps so that no element is inverted at any of its points [Joh13].
template <int dim>
class CurvedElasticPotential final : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<CurvedElasticPotential>(*this); }
  /// Elements must be valid at rest and material indices valid.
  explicit CurvedElasticPotential(const CurvedElementMesh<dim>& mesh);

  std::string name() const override { return "elastic"; }
  bool is_elastic() const override { return true; }
  void restrict_to(const std::vector<char>& part) override { elements_.restrict_to(part); }
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  /// Adds the Hessian, projected at every point.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  /// Returns the largest alpha <= 1 for which every element keeps a fifth of its volume at x, at every point of it, all
  /// along the way.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

  /// Returns stress and strain at the centres of the elements at x, in the order of the mesh.
  std::vector<ElementState> element_states(const VecX& x) const;
  const CurvedElementSet<dim>& elements() const { return elements_; }

 private:
  Lanes pack_energy(const CurvedPack<dim>& pack, const VecX& x) const;
  void assemble(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);

  CurvedElementSet<dim> elements_;
  std::shared_ptr<const CurvedElementMesh<dim>> mesh_;
  std::shared_ptr<const ElementShapes<dim>> shapes_;
  std::shared_ptr<const CurvedVolume<dim>> volume_;
};

extern template class CurvedElasticPotential<2>;
extern template class CurvedElasticPotential<3>;

}  // namespace clearance
