// The linear system of a Newton iteration: a matrix whose pattern outlives contact sets, and its solver.
#pragma once

#include <memory>
#include <vector>

#include "clearance/model/local_coordinates.h"
#include "clearance/solver/options.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

/// Unknowns that a Newton iteration leaves alone.
struct FixedBlocks {
  const std::vector<char>& is_fixed;         ///< per block
  const std::vector<char>& held_components;  ///< per block, see clear_components; empty: none
};

/// The matrix with a pattern that outlives contact sets, and its solver. It is assembled in the unknowns x; `system` is
/// the one of Newton's unknowns, which may be fewer (local_coordinates.h).
template <int dim>
class SystemMatrix {
 public:
  SystemMatrix(const Model& model, const SolverOptions& options);
  /// Without a solver (null) the matrix can be assembled, and steps cannot begin.
  SystemMatrix(const Model& model, std::unique_ptr<LinearSolver> solver);

  /// Begins a step at the unknowns `x_t0` [m]. Nothing of earlier steps influences the results from here on, not even
  /// the order of eliminations, so that a resumed run gives the same bits.
  void begin_step(const VecX& x_t0);
  /// Returns a zero matrix in x whose pattern holds the blocks of the model and `contact_keys`.
  BlockSparseMatrix& reset(const std::vector<BlockKey>& contact_keys);
  /// Converts the assembled matrix and gradient in x to those of the system, whose fixed blocks become the identity.
  /// `inertia` is the factor of Model::mass in the matrix.
  void reduce(const VecX& x, double inertia, const FixedBlocks& fixed, VecX& gradient, bool is_exact);
  BlockSparseMatrix& matrix() { return coordinates_.are_displacements() ? matrix_ : reduced_; }
  const LocalCoordinates<dim>& coordinates() const { return coordinates_; }
  LinearSolver& solver() { return *solver_; }

 private:
  bool has_all(const std::vector<BlockKey>& keys) const;

  const Model& model_;
  LocalCoordinates<dim> coordinates_;
  int num_blocks_;
  std::vector<BlockKey> model_keys_;    // of the potentials
  std::vector<BlockKey> contact_keys_;  // in the current pattern, beyond model_keys_
  bool is_first_of_step_ = true;
  BlockSparseMatrix matrix_;
  BlockSparseMatrix reduced_;
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace clearance
