// Balances of forces that are not stable, as that of a straight column beyond Euler's load, and the way out of them.
//
// Without inertia a step seeks a minimum of the objective. Newton's method ends where the forces balance, which
// symmetry can make a saddle point: nothing pushes a straight column aside. A balance is stable if the exact Hessian H
// is positive definite there [Tho73]. Newton's last factorisation tells as a rule. Otherwise H is factorised once more.
// If that fails, Lanczos on P^-1 H, with the projected Hessian P, finds the motion v of the smallest v^T H v / v^T P v.
// It counts where the energy really falls along it: bodies that nothing holds, and mechanisms, have motions without
// resistance whose quotient is rounding.
#pragma once

#include <optional>

#include "clearance/solver/direction_bound.h"
#include "clearance/solver/negative_curvature.h"
#include "clearance/solver/newton_system.h"
#include "clearance/solver/report.h"

namespace clearance {

template <int dim>
class UnstableBalance {
 public:
  UnstableBalance(const StepInputs<dim>& in, StepProblem<dim>& problem, DirectionBound<dim>& bound, StepLog& log)
      : in_(in), problem_(problem), bound_(bound), log_(log) {}

  /// A place below the balance, and what is known of the motion that leads there.
  struct Exit {
    Point point;
    Instability instability;
  };
  /// Returns the way out of the balance `at`, at which a step without inertia has ended; nothing if it is stable, or if
  /// the linear solver cannot tell.
  std::optional<Exit> find_exit(const Point& at, const NewtonSystem<dim>& newton);
  /// Returns the share of the diagonal by which the Hessian is shifted that find_exit has left assembled and
  /// factorised; nothing if the solver has no factor of it.
  std::optional<double> shift() const { return shift_; }

 private:
  bool is_known_stable(const VecX& x, const VecX& stable_at) const;
  bool is_stable(const Point& at);
  std::optional<NegativeCurvature> find_motion(const Point& at);
  std::optional<Point> lower_point(const Point& at, const VecX& dy, double curvature, double rounding);
  void assemble(const Point& at, HessianKind kind);
  VecX scaled(const VecX& x, const VecX& dy) const;
  bool is_local(const VecX& x, const VecX& dy) const;
  bool is_held_softly(int body) const;
  int body_of(const VecX& x, const VecX& dy) const;

  const StepInputs<dim>& in_;
  StepProblem<dim>& problem_;
  DirectionBound<dim>& bound_;
  StepLog& log_;
  std::optional<double> shift_;
};

extern template class UnstableBalance<2>;
extern template class UnstableBalance<3>;

}  // namespace clearance
