// The derivative of the balance of forces at the end of a step, for derivatives of a run.
//
// A step ends where g(y; z) = 0: g is the gradient of its objective with the friction that agrees with the contact
// forces at y, Newton's unknowns, and z is everything that the step starts from. How the end follows a change of z says
// (dg/dy) dy = -dg/dz dz. The Hessian of Newton's method is nearly dg/dy, but leaves out how normal forces carry
// friction along, and what some potentials leave out of theirs. Its factor preconditions GMRES. The products have the
// exact Hessians of the potentials that tell them (exact_hessian.h), the derivatives of contacts and friction in closed
// form, since gaps are tiny, and differences over a small part of the bodies of what is left. Differences of all forces
// check some of the solutions.
#pragma once

#include <optional>

#include "clearance/solver/friction_slopes.h"
#include "clearance/solver/step.h"

namespace clearance {

/// The Hessians of the potentials, as the solutions of a run so far judge them.
struct TrustInHessians {
  int num_solved = 0;
  bool is_lost = false;  ///< True if a potential that tells an exact Hessian has another one.
};

template <int dim>
class StepTangent {
 public:
  /// `step` has been solved and converged. It must outlive the object, and its workspace must solve nothing else.
  StepTangent(Step<dim>& step, TrustInHessians& trust);

  /// Moves the end by Newton's method until its steps shrink no more, since a step ends at a tolerance that derivatives
  /// would inherit. False if the balance is not found: something is in the way, or the derivative is singular. The end
  /// is then ready for solves, unless `is_solving` is false.
  bool polish(bool is_solving = true);

  /// Solves (dg/dy) dy = right_side at the polished end. No value if the derivative is singular.
  std::optional<VecX> solve(const VecX& right_side);
  /// Makes the end ready for solves without moving it: that of a step that has been polished before. False if no
  /// Hessian there can be factorised.
  bool prepare() { return step_.factorise_at_end(&hessian_); }
  /// Solves (dg/dy)^T dy = right_side. All forces but friction have energies, so that their derivatives are symmetric.
  std::optional<VecX> solve_transposed(const VecX& right_side);
  /// Returns the product of the transposed derivative of all gradients in the blocks of x with the motion `dy`.
  VecX full_transposed_product(const VecX& dy);
  /// Returns the slopes of friction at the end.
  const FrictionSlopes& friction() { return contacts().friction; }
  /// Returns the gradient of contacts and friction at the end, in the blocks of x.
  const VecX& contact_gradient() { return contacts().gradient; }
  /// Returns how it changes with a motion of the blocks of x.
  VecX contact_product(const VecX& dx) { return contact_product(dx, Side::right); }
  /// True if nothing but rounding resists some motion of the end, which then enters all solutions. It takes two solves.
  bool is_singular();
  /// Estimated relative error of all solves so far.
  double error() const { return error_; }

  /// Returns the length [m] of a motion, in blocks of x, by which derivatives may be computed as differences: a small
  /// part of the gaps, of the elastic sliding of friction, and of the edges.
  double reach() const;
  /// Returns such a length for what does not depend on contacts: a small part of edges and bodies.
  double reach_of_shapes() const;
  /// Returns the same where nothing limits motions, as in the formulas of integrators.
  double reach_of_formulas() const { return reach_of_formulas_; }
  /// Returns the end [m].
  const VecX& x() const { return step_.end_state().point.iterate.x; }

 private:
  /// dg/dy, or its transpose.
  enum class Side { right, transposed };
  /// Contacts and friction at an end.
  struct Contacts {
    VecX x;                                    // the end
    VecX gradient;                             // of both, in the blocks of x
    std::optional<BlockSparseMatrix> hessian;  // of all contacts, if the formulation has it
    FrictionSlopes friction;
  };
  /// Potentials with inexact Hessians at an end.
  struct Inexact {
    VecX x;  // the end
    std::vector<Potential*> potentials;
    std::optional<BlockSparseMatrix> hessian;  // their part of hessian_.whole, with that of lagged friction
  };
  const Contacts& contacts();
  const Inexact& inexact();
  VecX contact_product(const VecX& dx, Side side);
  bool approach();
  bool polish_by_newton();
  double reach_of_gaps() const;

  VecX product(const VecX& dy, Side side);
  VecX product_by_differences(const VecX& dy, double part, Side side);
  VecX beyond_hessian(const VecX& dx, Side side);
  void add_friction_product(const VecX& dx, Side side, VecX& change);
  bool is_inexact(const Potential& potential) const;
  bool are_right(const VecX& right_side, const VecX& dy, Side side);
  double find_reach_of_formulas() const;
  double share_before_limits(double reach) const;
  double length(const VecX& dy) const;
  std::optional<VecX> solve(const VecX& right_side, Side side);
  std::optional<VecX> preconditioned(const VecX& force);
  std::optional<VecX> preconditioned_product(const VecX& motion, Side side);
  std::optional<VecX> correct(const VecX& right_side, VecX dy, double tolerance, Side side);
  std::optional<double> add_correction(const VecX& residual, double wanted, Side side, VecX& dy);

  Step<dim>& step_;
  VecX weights_;  // [m] of motion per unit of Newton's unknowns
  double error_ = 0.0;
  double reach_of_formulas_ = 0.0;                 // [m]
  mutable std::optional<double> reach_of_shapes_;  // [m] once it is needed
  std::optional<Contacts> contacts_;
  TrustInHessians& trust_;
  EndHessian hessian_;
  std::optional<Inexact> inexact_;
};

extern template class StepTangent<2>;
extern template class StepTangent<3>;

}  // namespace clearance
