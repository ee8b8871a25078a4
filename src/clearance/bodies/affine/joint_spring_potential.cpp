#include "clearance/bodies/affine/joint_spring_potential.h"

#include <algorithm>

namespace clearance {

template <int dim>
JointSpringPotential<dim>::JointSpringPotential(JointSpringKind kind, const std::vector<StiffJoint>& joints)
    : kind_(kind) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const StiffJoint& joint = joints[j];
    const double constant = is_dissipative() ? joint.damping : joint.spring;
    if (!(constant > 0.0)) continue;
    coordinates_.add(joint, j);
    springs_.push_back({constant, is_dissipative() ? JointFunction() : joint.rest});
  }
}

template <int dim>
bool JointSpringPotential<dim>::refer_to(const VecX& x) {
  coordinates_.refer_to(x);
  return false;
}

template <int dim>
Result<Done> JointSpringPotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  Issues issues;
  for (int i = 0; i < coordinates_.size(); ++i) {
    Spring& spring = springs_[i];
    spring.factor = spring.constant;
    if (is_dissipative()) {
      // A damper resists the motion since the start of the step. Without a time step there is no speed.
      spring.factor = h > 0.0 ? spring.constant / h : 0.0;
      spring.center = coordinates_.value(i, x_t0);
      // A spring's relaxed value may depend on time.
    } else if (spring.rest) {
      const Result<double> rest = spring.rest(h, time_t1);
      if (rest) spring.center = *rest;
      issues.insert(issues.end(), rest.issues().begin(), rest.issues().end());
    }
  }
  if (!issues.empty()) return issues;
  return Done{};
}

template <int dim>
double JointSpringPotential<dim>::energy_of(int i, const VecX& x) const {
  // The energy is k/2 (q - center)^2.
  const double by = stretch(i, x);
  return 0.5 * springs_[i].factor * by * by;
}

template <int dim>
CompensatedSum JointSpringPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      coordinates_.size(),
      [&](int i) {
        CompensatedSum of_spring;
        of_spring.add(energy_of(i, x));
        return of_spring;
      },
      64);
}

template <int dim>
bool JointSpringPotential<dim>::is_driven() const {
  return std::any_of(springs_.begin(), springs_.end(),
                     [](const Spring& spring) { return static_cast<bool>(spring.rest); });
}

template <int dim>
void JointSpringPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block,
                                                  VecX& sums) const {
  if (is_dissipative()) return;
  for (int i = 0; i < coordinates_.size(); ++i) {
    // The first body is never the world.
    sums[body_of_block[coordinates_.link(i).block_of(0)]] += energy_of(i, x);
  }
}

template <int dim>
void JointSpringPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  // The gradient of k/2 (q - center)^2 is k (q - center) grad q.
  for (int i = 0; i < coordinates_.size(); ++i) {
    coordinates_.add_slope(i, x, springs_[i].factor * stretch(i, x), scale, gradient);
  }
}

template <int dim>
void JointSpringPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  // The term k (q - center) Hess q is left out. It can be indefinite, and it vanishes where the spring is relaxed.
  coordinates_.add_squares(
      x, scale, [&](int i) { return springs_[i].factor; }, matrix);
}

template class JointSpringPotential<2>;
template class JointSpringPotential<3>;

}  // namespace clearance
