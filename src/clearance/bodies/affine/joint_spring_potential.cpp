#include "clearance/bodies/affine/joint_spring_potential.h"

#include <algorithm>

#include "clearance/bodies/affine/joint_pairs.h"

namespace clearance {

template <int dim>
JointSpringPotential<dim>::JointSpringPotential(JointSpringKind kind, const std::vector<StiffJoint>& joints)
    : kind_(kind) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const StiffJoint& joint = joints[j];
    const double constant = is_dissipative() ? joint.damping : joint.spring;
    if (!(constant > 0.0)) continue;
    // Keep only the part of the joint that defines the coordinate.
    StiffJoint bare = joint;
    bare.lower.reset();
    bare.upper.reset();
    bare.drive = {};
    bare.effort = {};
    springs_.push_back({JointLink<dim>(bare), j, constant, is_dissipative() ? JointFunction() : joint.rest});
  }
}

template <int dim>
void JointSpringPotential<dim>::set_turns(const VecX& x, const std::vector<int>& turns) {
  for (Spring& spring : springs_) {
    // Joints beyond the list have made no turns.
    const int count = spring.joint < turns.size() ? turns[spring.joint] : 0;
    spring.link.set_turns(spring.link.gather(x), count);
  }
}

template <int dim>
bool JointSpringPotential<dim>::refer_to(const VecX& x) {
  for (Spring& spring : springs_) spring.link.refer_to(spring.link.gather(x));
  return false;
}

template <int dim>
Result<Done> JointSpringPotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  Issues issues;
  for (Spring& spring : springs_) {
    spring.factor = spring.constant;
    if (is_dissipative()) {
      // A damper resists the motion since the start of the step. Without a time step there is no speed.
      spring.factor = h > 0.0 ? spring.constant / h : 0.0;
      spring.center = spring.link.coordinate(spring.link.gather(x_t0));
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
double JointSpringPotential<dim>::energy_of(const Spring& spring, const Blocks& y) {
  // The energy is k/2 (q - center)^2.
  const double by = stretch(spring, y);
  return 0.5 * spring.factor * by * by;
}

template <int dim>
CompensatedSum JointSpringPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(springs_.size()),
      [&](int i) {
        const Spring& spring = springs_[i];
        CompensatedSum of_spring;
        of_spring.add(energy_of(spring, spring.link.gather(x)));
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
  for (const Spring& spring : springs_) {
    // The first body is never the world.
    const int body = body_of_block[spring.link.block_of(0)];
    sums[body] += energy_of(spring, spring.link.gather(x));
  }
}

// Forces are summed serially, as in JointPotential.

template <int dim>
void JointSpringPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (const Spring& spring : springs_) {
    const Blocks y = spring.link.gather(x);
    // The gradient of k/2 (q - center)^2 is k (q - center) grad q.
    const Blocks g = spring.factor * stretch(spring, y) * spring.link.coordinate_gradient(y);
    for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
      if (const int b = spring.link.block_of(k); b >= 0) block<dim>(gradient, b) += scale * g.col(k);
    }
  }
}

template <int dim>
std::vector<BlockKey> JointSpringPotential<dim>::pattern() const {
  // Collect the blocks of all springs, each once.
  std::vector<BlockKey> keys;
  for (const Spring& spring : springs_) {
    for_each_pair(spring.link, [&](int, int, int row, int column) { keys.push_back(make_block_key(row, column)); });
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

template <int dim>
void JointSpringPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  // Look up the slots once per pattern.
  if (matrix.pattern_id() != bound_pattern_) {
    slots_.clear();
    for (const Spring& spring : springs_) {
      for_each_pair(spring.link,
                    [&](int, int, int row, int column) { slots_.push_back(matrix.find_slot(row, column)); });
    }
    bound_pattern_ = matrix.pattern_id();
  }
  // Add k grad q grad q^T.
  const std::int64_t* slot = slots_.data();
  for (const Spring& spring : springs_) {
    // The term k (q - center) Hess q is left out. It can be indefinite, and it vanishes where the spring is relaxed.
    const Blocks g = spring.link.coordinate_gradient(spring.link.gather(x));
    for_each_pair(spring.link, [&](int k, int l, int, int column) {
      matrix.add_to_slot<dim>(*slot++, matrix.slot_stride(column),
                              Mat<dim>(scale * spring.factor * g.col(k) * g.col(l).transpose()));
    });
  }
}

template class JointSpringPotential<2>;
template class JointSpringPotential<3>;

}  // namespace clearance
