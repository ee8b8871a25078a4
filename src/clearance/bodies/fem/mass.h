// Mass matrices and stiffness at rest of elements. In 2D "volume" is area [m^2].
#pragma once

#include <memory>
#include <vector>

#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/model/mass_operator.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// Returns the lumped mass [kg] per block of unknowns: every linear element gives volume * density / (dim + 1) to each
/// of its nodes.
template <int dim>
VecX lumped_mass(const ElementMesh<dim>& mesh);

/// Adds the stiffness [N/m] per block of unknowns: the mean eigenvalue of the diagonal block of the elastic Hessian at
/// rest, sum over elements of the integral of |grad phi|^2 (lambda + (1 + dim) mu) / dim.
template <int dim>
void add_rest_stiffness(const ElementMesh<dim>& mesh, VecX& stiffness);

/// Returns for each element what its shape, if of a higher order than its displacements, adds [kg m] to the integral of
/// rho times position over that of the positions of the nodes.
template <int dim>
std::vector<Vec<dim>> shape_moments(const ElementMesh<dim>& mesh);

/// The mass matrix of the elements of one mesh: M_ab = integral of rho phi_a phi_b over the element at rest, times the
/// identity. For linear elements it is m_element (1 + delta_ab) / ((dim + 1)(dim + 2)). For higher orders it is a full
/// matrix, since the row sums of elements of order 2 are negative at corners.
template <int dim>
class ElementMass {
 public:
  explicit ElementMass(const ElementMesh<dim>& mesh);

  /// Multiplies each element's mass by the factor of its blocks, the same for all of them; empty means 1.
  void set_factors(const std::vector<double>& of_blocks);
  const std::vector<BlockKey>& keys() const { return assembler_.keys(); }
  /// Adds the row sums [kg] of elements of a higher order, the masses that gravity pulls on: integral of rho phi_a per
  /// block.
  void add_row_sums(VecX& sums) const;
  /// Adds positive shares [kg] of the masses of elements of a higher order, proportional to the diagonal of the matrix.
  /// They weigh blocks against each other and are not for inertia.
  void add_shares(VecX& masses) const;
  /// Returns 1/2 d^T M d.
  CompensatedSum energy(const VecX& d) const;
  void add_product(const VecX& d, double scale, VecX& result) const;
  void add_to(double scale, BlockSparseMatrix& matrix);

 private:
  double factor(std::size_t e) const { return factors_.empty() ? 1.0 : factors_[nodes_of(e)[0]]; }
  std::span<const int> nodes_of(std::size_t e) const { return {nodes_->data() + e * num_nodes_, num_nodes_}; }
  /// Returns the lower triangle of an element's matrix, row by row; for linear elements their mass.
  const double* matrix_of(std::size_t e) const { return matrices_->data() + e * size_; }
  std::size_t num_elements() const { return nodes_->size() / num_nodes_; }
  /// Returns m_element / ((dim + 1)(dim + 2)) [kg] times the factor of a linear element.
  double weight(std::size_t e) const { return factor(e) * *matrix_of(e) / ((dim + 1) * (dim + 2)); }
  void sum_weights();
  double linear_energy(std::size_t e, const VecX& d) const;
  double element_energy(std::size_t e, const VecX& d) const;

  bool is_linear_;  // with a matrix that follows from its mass: no element of revolution has one
  std::size_t num_nodes_, size_;
  std::shared_ptr<const std::vector<int>> nodes_;
  std::shared_ptr<const std::vector<double>> matrices_;  // [kg]
  std::vector<double> factors_;                          // per block
  BlockAssembler assembler_;
  std::vector<double> weights_;  // [kg] linear: per key of the assembler; the block is that times the identity
  std::vector<double> locals_;
};

/// The mass of all elements of a scene, and of blocks without elements.
template <int dim>
class ConsistentMass : public MassOperator {
 public:
  /// `others` [kg] per block holds masses that are on the diagonal alone: those of stiff bodies, for which this is
  /// exact, and lumped masses.
  ConsistentMass(const std::vector<ElementMesh<dim>>& meshes, const VecX& others);
  std::unique_ptr<MassOperator> clone() const override { return std::make_unique<ConsistentMass>(*this); }
  void set_factors(const std::vector<double>& of_blocks) override;
  const std::vector<BlockKey>& keys() const override { return keys_; }
  CompensatedSum energy(const VecX& d) const override;
  void add_product(const VecX& d, double scale, VecX& result) const override;
  void add_to(double scale, BlockSparseMatrix& matrix) override;

 private:
  struct Other {
    int block;
    double mass;  // [kg]
  };
  double factor(int block) const { return factors_.empty() ? 1.0 : factors_[block]; }

  std::vector<ElementMass<dim>> elements_;  // per mesh
  std::vector<double> factors_;             // per block
  std::vector<Other> others_;               // those that are not zero
  std::vector<BlockKey> keys_;
};

extern template class ElementMass<2>;
extern template class ElementMass<3>;

}  // namespace clearance
