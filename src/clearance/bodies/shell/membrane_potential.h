// Stretching of thin shells: A t W(C) for every strain cell, where C is the mean of F^T F, the right Cauchy-Green
// tensors of the maps of the cell's triangles from the plane at rest into space.
//
//   StVK         W = G : Q : G / 2, G = (C - 1) / 2, Q that of plane stress, isotropic or orthotropic
//   neo-Hookean  W = mu/2 (tr C - 2 - ln det C) + L/8 ln^2 det C, L = E nu / (1 - nu^2)
#pragma once

#include <memory>
#include <vector>

#include "clearance/bodies/shell/shell_sample.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

class MembranePotential : public Potential, public ExactHessian {
 public:
  explicit MembranePotential(std::shared_ptr<const ShellMesh> mesh);
  std::unique_ptr<Potential> clone() const override { return std::make_unique<MembranePotential>(*this); }

  std::string name() const override { return "membrane"; }
  bool is_elastic() const override { return true; }
  void restrict_to(const std::vector<char>& part) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override { add(x, scale, true, matrix); }
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  /// Returns the largest alpha <= 1 for which every triangle keeps more than a fifth of its area all along the way.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

  const std::shared_ptr<const ShellMesh>& mesh() const { return mesh_; }
  /// Returns the strains and stresses of the middle surface, cell by cell.
  std::vector<ShellSample> samples(const VecX& x) const;

 private:
  void add(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);
  double energy_of(const StrainCell& cell, const VecX& x) const;

  std::shared_ptr<const ShellMesh> mesh_;
  std::vector<Mat<3>> stiffness_;  // [Pa] per material: Q
  BlockAssembler assembler_;
  std::shared_ptr<const StencilList> stencils_;  // cells
  std::vector<int> active_;                      // cells that the part changes, in order
  std::vector<double> locals_;
  std::vector<Mat<3, 4>> forces_;  // [N] per cell, by node
};

}  // namespace clearance
