// When a step has converged: what is left of the momentum balance is a small fraction of the forces at work.
//
// With g the gradient of the objective in Newton's unknowns and g^k that of its terms (inertia, every potential,
// contact, friction, pulls on scripted nodes), block b of a body with N blocks passes if
//     |g_b| <= tol W + r_b,   W = 1/N sum_b sum_k |g_b^k|,
// and the body as a whole if also
//     |sum_b g_b| <= tol / 10 max(sum_k |sum_b g_b^k|, 0.01 N W) + sum_b r_b.
// Reactions on held nodes count in W, too, where no two terms cancel, as in a body without loads that its held nodes
// strain. The first criterion says that no node and no stiff body keeps more than a fraction of the mean force at work
// on a block of its body. The second says the same of a soft body as a whole, although far larger forces may squeeze
// it. The rotation vector of a rigid body counts by its force at the body's radius. r_b is the rounding error of forces
// that comes from the positions (force_rounding.h). All scales are those of the body: other bodies, however large or
// far, have no influence. A body that is soft somewhere is also judged by the motion that the remaining forces would
// still cause (remaining_motion.h).
#pragma once

#include "clearance/solver/step_problem.h"
#include "clearance/solver/system_matrix.h"

namespace clearance {

struct BalanceVerdict {
  bool is_balanced = false;
  bool is_by_rounding = false;    ///< balanced, but not without some r_b
  double imbalance = 0.0;         ///< share of the forces at work that is left, of the body where it is largest
  double beside_reactions = 0.0;  ///< largest |g_b| / W, with a W of at least the mean reaction
  int body = -1;                  ///< the body of `imbalance`
};

template <int dim>
class Balance {
 public:
  Balance(const Model& model, const LocalCoordinates<dim>& coordinates);

  /// `gradients`: of the terms of the objective; on what is fixed they are reactions.
  /// `stiffness`: largest entry of the diagonal of the Hessian, per local block.
  BalanceVerdict judge(const VecX& x, const TermGradients& gradients, const VecX& stiffness, const FixedBlocks& fixed,
                       double tolerance) const;

 private:
  struct Held;
  struct BodyForces;
  template <class Visit>
  void for_each_free(const std::vector<char>& is_fixed_here, std::vector<BodyForces>& bodies, const Visit& visit) const;
  VecX add_work(const VecX& x, const TermGradients& gradients, const Held& held, std::vector<BodyForces>& bodies) const;
  void take_reactions(const Held& held, VecX& total, std::vector<BodyForces>& bodies) const;

  const Model& model_;
  const LocalCoordinates<dim>& coordinates_;
  std::vector<typename LocalCoordinates<dim>::Origin> origins_;  // per local block
  std::vector<int> body_of_;                                     // per local block
  int num_bodies_ = 0;
};

}  // namespace clearance
