// The energy that keeps affine bodies nearly rigid: kappa v |A^T A - I|_F^2 [Lan22, eq. 6; eq. 7 sums over ordered
// pairs]. The columns of A are a_i = b_i / R.
#pragma once

#include <cstdint>

#include "clearance/math/types.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"

namespace clearance {

/// The unknowns of a body (affine_frame.h) and its stiffness.
struct OrthogonalBody {
  int first_block = 0;
  double radius = 1.0;     ///< [m] R
  double stiffness = 0.0;  ///< [J] kappa times volume
};

template <int dim>
class OrthogonalityPotential : public Potential, public ExactHessian {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<OrthogonalityPotential>(*this); }
  /// No block may belong to two bodies.
  explicit OrthogonalityPotential(std::vector<OrthogonalBody> bodies) : bodies_(std::move(bodies)) {}

  std::string name() const override { return "orthogonality"; }
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override;
  /// Adds the projected Hessian: the square of the derivative of A^T A, which is PSD, plus (A^T A - I) (x) I, of which
  /// the first factor is projected. This avoids a 9 x 9 eigenvalue problem.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  /// Adds the gradient and the exact, possibly indefinite Hessian.
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override {
    add_gradient(x, scale, gradient);
    add_unprojected_hessian(x, scale, matrix);
  }
  void add_unprojected_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix);
  /// True if no body is inverted or flat.
  bool is_feasible(const VecX& x) const override;

 private:
  void add_blocks(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);
  void bind(const BlockSparseMatrix& matrix);

  std::vector<OrthogonalBody> bodies_;
  std::uint64_t bound_pattern_ = 0;
  std::vector<std::int64_t> slots_;  // per body, its blocks (i, j), i >= j, row by row
};

extern template class OrthogonalityPotential<2>;
extern template class OrthogonalityPotential<3>;

}  // namespace clearance
