// The derivative of the balance of forces at the end of a step, for derivatives of a run.
//
// A step ends where g(y; z) = 0: g is the gradient of its objective with the friction that agrees with the contact
// forces at y, Newton's unknowns, and z is everything that the step starts from. How the end follows a change of z says
// (dg/dy) dy = -dg/dz dz. The Hessian of Newton's method is nearly dg/dy, but leaves out how normal forces carry
// friction along, and the curvature of forces that are no gradient of an energy. Its factor preconditions GMRES, whose
// products are differences of g.
#pragma once

#include <functional>
#include <optional>

#include "clearance/solver/sparse_slopes.h"
#include "clearance/solver/step.h"

namespace clearance {

template <int dim>
class StepTangent {
 public:
  /// `step` has been solved and converged. It must outlive the object, and its workspace must solve nothing else.
  explicit StepTangent(Step<dim>& step);

  /// Moves the end by Newton's method until its steps shrink no more, since a step ends at a tolerance that derivatives
  /// would inherit. False if the balance is not found: something is in the way, or the derivative is singular.
  bool polish();

  /// Solves (dg/dy) dy = right_side at the polished end. No value if the derivative is singular.
  std::optional<VecX> solve(const VecX& right_side);
  /// Makes the end ready for solves without moving it: that of a step that has been polished before. False if no
  /// Hessian there can be factorised.
  bool prepare() { return step_.factorise_at_end(); }
  /// Solves (dg/dy)^T dy = right_side, with the Jacobian of friction by the unknowns x at the end, and its gradient;
  /// both empty where nothing has friction. The other forces have energies, so that their derivatives are symmetric.
  std::optional<VecX> solve_transposed(const VecX& right_side, const SparseMatrix& friction_by_end,
                                       const VecX& friction);
  /// Returns the product of the transposed derivative of all gradients in the blocks of x with the motion `dy`.
  VecX full_transposed_product(const VecX& dy, const SparseMatrix& friction_by_end, const VecX& friction);
  /// Estimated relative error of all solves so far.
  double error() const { return error_; }

  /// Returns the length [m] of a motion, in blocks of x, by which derivatives may be computed as differences: a small
  /// part of the gaps, of the elastic sliding of friction, and of the edges.
  double reach() const;
  /// Returns such a length for what does not depend on contacts: a small part of edges and bodies.
  double reach_of_shapes() const { return reach_of_shapes_; }
  /// Returns the end [m].
  const VecX& x() const { return step_.end_state().point.iterate.x; }

 private:
  /// Returns the product of a matrix with a motion, by differences over a part of the reach.
  using Product = std::function<VecX(const VecX& dy, double part)>;
  VecX product(const VecX& dy, double part);
  template <class Function>
  VecX difference(const VecX& dy, double part, const Function& function);
  double find_reach_of_shapes() const;
  double length(const VecX& dy) const;
  std::optional<VecX> solve(const VecX& right_side, const Product& product);
  std::optional<VecX> correct(const VecX& right_side, VecX dy, double tolerance, double part, const Product& product);

  Step<dim>& step_;
  VecX weights_;  // [m] of motion per unit of Newton's unknowns
  double error_ = 0.0;
  double reach_of_shapes_ = 0.0;  // [m]
};

extern template class StepTangent<2>;
extern template class StepTangent<3>;

}  // namespace clearance
