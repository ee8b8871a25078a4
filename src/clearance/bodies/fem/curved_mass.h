// The mass matrix of curved elements, integral of rho phi_a phi_b over the element at rest. It is a full matrix, since
// the row sums of elements of order 2 are negative at corners.
#pragma once

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/curved_elements.h"

namespace clearance {

/// The mass matrix of the elements of one order.
template <int dim>
class CurvedMass {
 public:
  explicit CurvedMass(const CurvedElementMesh<dim>& mesh);

  const std::vector<BlockKey>& keys() const { return assembler_.keys(); }
  /// Adds the row sums [kg], the masses that gravity pulls on: integral of rho phi_a per block.
  void add_row_sums(VecX& sums) const;
  /// Adds positive shares [kg] of the elements' masses, proportional to the diagonal of the matrix. They weigh blocks
  /// against each other and are not for inertia.
  void add_shares(VecX& masses) const;
  /// Returns 1/2 d^T M d. `factors` has one number per block, the same for all blocks of an element; empty means 1.
  CompensatedSum energy(const VecX& d, const std::vector<double>& factors) const;
  void add_product(const VecX& d, double scale, const std::vector<double>& factors, VecX& result) const;
  void add_to(double scale, const std::vector<double>& factors, BlockSparseMatrix& matrix);

 private:
  double factor(std::size_t e, const std::vector<double>& factors) const {
    return factors.empty() ? 1.0 : factors[static_cast<std::size_t>(nodes_of(e)[0])];
  }
  std::span<const int> nodes_of(std::size_t e) const { return {nodes_->data() + e * num_nodes_, num_nodes_}; }
  /// Returns the lower triangle of an element's matrix, row by row.
  const double* matrix_of(std::size_t e) const { return matrices_->data() + e * size_; }
  std::size_t num_elements() const { return nodes_->size() / num_nodes_; }

  std::size_t num_nodes_, size_;
  std::shared_ptr<const std::vector<int>> nodes_;
  std::shared_ptr<const std::vector<double>> matrices_;  // [kg]
  BlockAssembler assembler_;
  std::vector<double> locals_;
};

/// Adds the stiffness [N/m] of the elements at rest against the displacement of each block, like rest_stiffness of
/// linear elements.
template <int dim>
void add_rest_stiffness(const CurvedElementMesh<dim>& mesh, VecX& stiffness);

/// Returns for each element what its shape, if of a higher order than its displacements, adds [kg m] to the integral of
/// rho times position over that of the positions of the nodes.
template <int dim>
std::vector<Vec<dim>> shape_moments(const CurvedElementMesh<dim>& mesh);

extern template class CurvedMass<2>;
extern template class CurvedMass<3>;

}  // namespace clearance
