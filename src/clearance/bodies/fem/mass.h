// Rest volumes and mass matrices of simplex elements with linear shape functions. In 2D "volume" is area [m^2].
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clearance/bodies/fem/curved_mass.h"
#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/mass_operator.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// Returns the matrix with columns x1 - x0, x2 - x0, ... [m].
template <int dim>
Mat<dim> edge_matrix(const VecX& x, const std::array<int, dim + 1>& nodes) {
  Mat<dim> edges;
  const Vec<dim> origin = block<dim>(x, nodes[0]);
  for (int a = 0; a < dim; ++a) edges.col(a) = block<dim>(x, nodes[a + 1]) - origin;
  return edges;
}

/// Returns the signed volume [m^dim] of every element at x.
template <int dim>
std::vector<double> compute_volumes(const VecX& x, const std::vector<std::array<int, dim + 1>>& elements);

/// Returns the lumped mass [kg] per block of unknowns: every element gives volume * density / (dim + 1) to each of its
/// nodes.
template <int dim>
VecX lumped_mass(const ElementMesh<dim>& mesh);

/// Returns the stiffness [N/m] per block of unknowns: the mean eigenvalue of the diagonal block of the elastic Hessian
/// at rest, sum_e V_e |grad phi|^2 (lambda + (1 + dim) mu) / dim.
template <int dim>
VecX rest_stiffness(const ElementMesh<dim>& mesh);

/// The consistent mass matrix, M_ab = integral of density * phi_a phi_b; for linear elements m_element (1 + delta_ab) /
/// ((dim + 1)(dim + 2)), times the identity.
template <int dim>
class ConsistentMass : public MassOperator {
 public:
  /// `others` [kg] per block holds masses that are on the diagonal alone: those of stiff bodies, for which this is
  /// exact, and lumped masses.
  ConsistentMass(const ElementMesh<dim>& mesh, const std::vector<CurvedElementMesh<dim>>& curved, const VecX& others);
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
  double factor(int block) const { return factors_.empty() ? 1.0 : factors_[static_cast<std::size_t>(block)]; }
  /// Returns m_element / ((dim + 1)(dim + 2)) [kg] times the factor of the element's body.
  double weight(int element) const {
    return factor(nodes_of(element)[0]) * element_mass_[static_cast<std::size_t>(element)] / ((dim + 1) * (dim + 2));
  }
  const std::array<int, dim + 1>& nodes_of(int element) const {
    return (*elements_)[static_cast<std::size_t>(element)];
  }
  int num_elements() const { return static_cast<int>(elements_->size()); }
  void sum_weights();

  std::shared_ptr<const std::vector<std::array<int, dim + 1>>> elements_;
  std::vector<double> element_mass_;  // [kg]
  BlockAssembler assembler_;          // of the elements
  std::vector<double> weights_;       // [kg] per key of the assembler: the block is that times the identity
  std::vector<CurvedMass<dim>> curved_;
  std::vector<double> factors_;  // per block
  std::vector<Other> others_;    // those that are not zero
  std::vector<BlockKey> keys_;
};

}  // namespace clearance
