// The elastic energy of deformable bodies: the sum of w psi(F) over the points of a quadrature rule.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/bodies/fem/element_state.h"
#include "clearance/geometry/curved_volume.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"

namespace clearance {

/// The elastic energy; also bounds steps so that no element is inverted at any of its points [Joh13].
template <int dim>
class ElasticPotential final : public Potential, public ExactHessian {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<ElasticPotential>(*this); }
  /// Elements must be valid at rest and material indices valid.
  explicit ElasticPotential(const ElementMesh<dim>& mesh);

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
  void add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  /// Returns the largest alpha <= 1 for which every element, of every material, keeps a fifth of its volume at x, at
  /// every point of it and all along the way ([Fer23, app. A.4]: c = 0.8). Elements therefore never invert, whether or
  /// not their energy is a barrier. Exact arithmetic checks the orientation of linear elements at the end.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

  /// Returns stress and strain of the elements at x, in the order of the mesh: for orders above 1 where the equivalent
  /// stress is largest among the centre and the corners.
  std::vector<ElementState> element_states(const VecX& x) const;
  const ElementSet<dim>& elements() const { return elements_; }
  /// Runs the local computations without the sums into gradient and matrix; for benchmarks.
  void compute_local_derivatives(const VecX& x, bool is_projected);

 private:
  /// The shapes of elements that are not linear.
  struct Shapes {
    ElementMesh<dim> mesh;
    ElementShapes<dim> shapes;
    CurvedVolume<dim> volume;
  };
  /// Returns the function of ElementSet::write_hessians that writes the derivatives at x.
  auto derivatives(const VecX& x, bool is_projected, bool has_forces);
  std::vector<ElementState> linear_states(const VecX& x) const;
  ElementState curved_state(std::size_t e, const ShapeGradients<dim>& gradients, const RestMap<dim>& rest,
                            const VecX& x) const;

  ElementSet<dim> elements_;
  std::shared_ptr<const Shapes> curved_;  // null: linear elements
  VecX x_trial_;
};

extern template class ElasticPotential<2>;
extern template class ElasticPotential<3>;

}  // namespace clearance
