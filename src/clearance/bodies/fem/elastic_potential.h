// The elastic energy of all deformable bodies of a scene.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/bodies/fem/element_state.h"
#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class ElasticPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<ElasticPotential>(*this); }
  /// Rest volumes must be positive and material indices valid.
  explicit ElasticPotential(const ElementMesh<dim>& mesh);

  std::string name() const override { return "elastic"; }
  bool is_elastic() const override { return true; }
  void restrict_to(const std::vector<char>& part) override { elements_.restrict_to(part); }
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  /// Returns stress and strain at x, in the order of the elements of the mesh.
  std::vector<ElementState> element_states(const VecX& x) const;
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  /// Adds the exact, possibly indefinite Hessian; for tests.
  void add_unprojected_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix);

  /// Returns the largest alpha <= 1 for which every element, of every material, keeps a fifth of its volume at x all
  /// along the way ([Fer23, app. A.4]: c = 0.8). Elements therefore never invert, whether or not their energy is a
  /// barrier. Exact arithmetic checks the orientation at the end.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

  /// Runs the local computations without the sums into gradient and matrix; for benchmarks.
  void compute_local_derivatives(const VecX& x, bool is_projected);

 private:
  ElementSet<dim> elements_;
  VecX x_trial_;
};

extern template class ElasticPotential<2>;
extern template class ElasticPotential<3>;

}  // namespace clearance
