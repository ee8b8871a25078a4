// Estimate of the motion that the remaining forces would still cause.
//
// The balance of forces says little of the motion that is missing where a body is soft: next to its buckling load a
// column was 42 % short of its deflection with a thousandth of its load left over. Let H be the Hessian that Newton's
// last direction came from and g the gradient where that direction led. Then e = H^-1 g is the missing motion up to
// second order, and a factor at hand gives it by one back-substitution. Body k has come to rest if
//     max_b |e_b| <= tol min(D_k, L_k / 100) + f_k + r_k,   D_k = max_b |x_b - s_b|,
// over its blocks b that are free. s is where the body would be without forces (quasi-static: where it was), so that
// D_k is the motion that the forces have caused in the step. A tolerance relative to the whole motion would instead let
// a gliding body ignore all forces below that tolerance. L_k is the size of the body, f_k a motion that is negligible,
// and r_k = 64 eps max_b |x_b| the rounding. All scales are those of the body.
#pragma once

#include "clearance/solver/step_problem.h"

namespace clearance {

struct MotionVerdict {
  bool is_small = true;
  double share = 0.0;   ///< max_b |e_b| over what the body allows, of the body where it is largest; at most 1: small
  double length = 0.0;  ///< [m] max_b |e_b| of that body
  double size = 0.0;    ///< [m] of that body
  int body = -1;        ///< that body
};

template <int dim>
class RemainingMotion {
 public:
  RemainingMotion(const Model& model, const LocalCoordinates<dim>& coordinates, const InertialTarget& target,
                  const VecX& x_t0);
  // All arguments must outlive the object, and the target may still change.

  /// Returns f_k [m] of every body. `forces` are in the unknowns of x.
  std::vector<double> negligible_motion(const VecX& x, const TermGradients& forces,
                                        const std::vector<char>& is_fixed) const;

  /// Judges the remaining motion `dy` from x, in Newton's unknowns. `negligible` holds f_k; empty: none.
  MotionVerdict judge(const VecX& x, const VecX& dy, const std::vector<char>& is_fixed, double tolerance,
                      const std::vector<double>& negligible) const;

  /// True if inertia alone keeps every body within f_k and its rounding, which can be told without a factor. `gradient`
  /// is in Newton's unknowns; `rounding` is that of its blocks (force_rounding.h).
  bool is_held_by_inertia(const VecX& x, const VecX& gradient, const VecX& rounding,
                          const std::vector<double>& negligible) const;

 private:
  struct Extent {
    double size = 0.0;      // [m] diagonal of its box and radius of its affine maps
    double rounding = 0.0;  // [m]
  };
  std::vector<Extent> extents(const VecX& x) const;
  int body_of(int block) const { return body_of_[block]; }

  const Model& model_;
  const LocalCoordinates<dim>& coordinates_;
  const InertialTarget& target_;
  const VecX& x_t0_;               // [m]
  std::vector<int> body_of_;       // per block of x
  std::vector<char> is_column_;    // per block of x
  std::vector<double> thickness_;  // [m] per body of nodes with a radius
  int num_bodies_ = 0;
};

extern template class RemainingMotion<2>;
extern template class RemainingMotion<3>;

}  // namespace clearance
