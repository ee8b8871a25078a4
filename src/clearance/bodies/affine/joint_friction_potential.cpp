#include "clearance/bodies/affine/joint_friction_potential.h"

#include <algorithm>
#include <cmath>

#include "clearance/model/friction_law.h"

namespace clearance {

namespace {

/// Elastic sliding of a joint that sticks: half of the width of a hinge's limit, and as much of a radius for sliders.
constexpr double sticking_share = 1e-4;

/// Returns |u| over the friction at u as a share of the limit [rad] or [m].
double distance_over_force(const FrictionLaw& law, double u) {
  return 1.0 / law.force_over_distance(std::abs(u));
}

/// Returns 1 - s' d sgn(u), where s = distance_over_force and d is the dual: what the stiffness 1 / s of the dual
/// becomes when the dual has followed.
double share_of_stiffness(const FrictionLaw& law, double u, double dual) {
  const double s = distance_over_force(law, u);
  const double slope = std::abs(u) < law.eps ? s * s / (law.eps * law.eps) : 1.0;
  return 1.0 - slope * dual * (u < 0.0 ? -1.0 : 1.0);
}

int branch_of(double u, double eps) {
  return (std::abs(u) < eps ? 1 : 2) * (u < 0.0 ? -1 : 1);
}
bool slips(int branch) {
  return std::abs(branch) == 2;
}

}  // namespace

template <int dim>
JointFrictionPotential<dim>::JointFrictionPotential(const std::vector<StiffJoint>& joints) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!(joints[j].friction > 0.0)) continue;
    coordinates_.add(joints[j], j);
    const JointLink<dim>& link = coordinates_.link(coordinates_.size() - 1);
    rubs_.push_back({joints[j].friction, sticking_share * (link.is_hinge() ? 1.0 : link.radius())});
  }
}

template <int dim>
double JointFrictionPotential<dim>::force(const Rub& rub, double u) {
  if (rub.branch == 0) return std::copysign(rub.limit * FrictionLaw{rub.eps}.force(std::abs(u)), u);
  const double way = rub.branch < 0 ? -1.0 : 1.0;
  return rub.limit * (slips(rub.branch) ? way : u * (2.0 * rub.eps - way * u) / (rub.eps * rub.eps));
}

template <int dim>
double JointFrictionPotential<dim>::stiffness(const Rub& rub, double u) {
  if (rub.branch == 0) return rub.limit * FrictionLaw{rub.eps}.stiffness(std::abs(u));
  const double way = rub.branch < 0 ? -1.0 : 1.0;
  return slips(rub.branch) ? 0.0 : rub.limit * 2.0 * (rub.eps - way * u) / (rub.eps * rub.eps);
}

template <int dim>
Result<Done> JointFrictionPotential<dim>::begin_step(const VecX& x_t0, double /*h*/, double /*time_t1*/) {
  for (int i = 0; i < coordinates_.size(); ++i) {
    Rub& rub = rubs_[i];
    rub.q_t0 = coordinates_.value(i, x_t0);
    rub.dual = std::copysign(FrictionLaw{rub.eps}.force(std::abs(rub.stick)), rub.stick);
    rub.has_last = false;
  }
  return Done{};
}

template <int dim>
void JointFrictionPotential<dim>::set_history(std::span<const double> history) {
  for (std::size_t i = 0; i < rubs_.size(); ++i) {
    rubs_[i].stick = history.empty() ? 0.0 : history[i];
    rubs_[i].branch = 0;
  }
}

template <int dim>
void JointFrictionPotential<dim>::end_step(const VecX& x_t1, std::span<double> history) const {
  // A joint that has slipped keeps the elastic sliding at which it slips.
  for (int i = 0; i < coordinates_.size(); ++i) {
    const Rub& rub = rubs_[i];
    const double u = sliding(i, x_t1);
    const bool is_sticking = rub.branch != 0 && !slips(rub.branch);
    history[i] = is_sticking ? u : std::clamp(u, -rub.eps, rub.eps);
  }
}

template <int dim>
bool JointFrictionPotential<dim>::refer_to(const VecX& x) {
  coordinates_.refer_to(x);
  for (int i = 0; i < coordinates_.size(); ++i) {
    Rub& rub = rubs_[i];
    if (!rub.has_last) continue;
    // With the dual d and s as in share_of_stiffness the law reads d s = u; Newton for u and d moves d by this.
    const FrictionLaw law{rub.eps};
    const double by = sliding(i, x) - rub.last;
    const double d = (rub.last + share_of_stiffness(law, rub.last, rub.dual) * by) / distance_over_force(law, rub.last);
    rub.dual = std::clamp(d, -1.0, 1.0);
  }
  return false;
}

template <int dim>
CompensatedSum JointFrictionPotential<dim>::energy(const VecX& x) const {
  CompensatedSum sum;
  for (int i = 0; i < coordinates_.size(); ++i) {
    sum.add(rubs_[i].limit * FrictionLaw{rubs_[i].eps}.potential(std::abs(sliding(i, x))));
  }
  return sum;
}

template <int dim>
void JointFrictionPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (int i = 0; i < coordinates_.size(); ++i) {
    coordinates_.add_slope(i, x, force(rubs_[i], sliding(i, x)), scale, gradient);
  }
}

template <int dim>
void JointFrictionPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  const auto stiffness = [&](int i) {
    Rub& rub = rubs_[i];
    const FrictionLaw law{rub.eps};
    rub.last = sliding(i, x);
    rub.has_last = true;
    return rub.limit * share_of_stiffness(law, rub.last, rub.dual) / distance_over_force(law, rub.last);
  };
  coordinates_.add_squares(x, scale, stiffness, matrix);
}

template <int dim>
void JointFrictionPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                        BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  coordinates_.add_squares(
      x, scale, [&](int i) { return stiffness(rubs_[i], sliding(i, x)); }, matrix);
}

template <int dim>
std::vector<int> JointFrictionPotential<dim>::branches(const VecX& x) const {
  std::vector<int> branches;
  for (int i = 0; i < coordinates_.size(); ++i) branches.push_back(branch_of(sliding(i, x), rubs_[i].eps));
  return branches;
}

template <int dim>
void JointFrictionPotential<dim>::hold_branches(const std::vector<int>& branches) {
  for (std::size_t i = 0; i < rubs_.size(); ++i) rubs_[i].branch = branches[i];
}

// With the sliding u = s + q(x_t1) - q(x_t0), s at the start, the history at the end is u where the joint sticks and
// constant where it slips.
template <int dim>
void JointFrictionPotential<dim>::pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                                                    MemoryCotangent result) const {
  for (int i = 0; i < coordinates_.size(); ++i) {
    if (slips(branch_of(sliding(i, x_t1), rubs_[i].eps))) continue;
    coordinates_.add_slope(i, x_t1, kept[i], 1.0, result.x_t1);
    coordinates_.add_slope(i, x_t0, kept[i], -1.0, result.x_t0);
    result.history[i] += kept[i];
  }
}

// motion . dE/dx = F(u) q', where q' = motion . dq/dx at x_t1 does not depend on the start.
template <int dim>
void JointFrictionPotential<dim>::pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                                                     MemoryCotangent result) const {
  for (int i = 0; i < coordinates_.size(); ++i) {
    VecX slope = VecX::Zero(motion.size());
    coordinates_.add_slope(i, x_t1, stiffness(rubs_[i], sliding(i, x_t1)), 1.0, slope);
    const double by_sliding = slope.dot(motion);
    coordinates_.add_slope(i, x_t0, by_sliding, -1.0, result.x_t0);
    result.history[i] += by_sliding;
  }
}

template class JointFrictionPotential<2>;
template class JointFrictionPotential<3>;

}  // namespace clearance
