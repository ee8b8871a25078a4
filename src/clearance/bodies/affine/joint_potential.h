// Joints as stiff springs against the motions that they forbid [Lan22, sec. 5.4]. No unknowns are eliminated, so that
// any number of joints may hold a body, also in closed loops.
#pragma once

#include <cstdint>

#include "clearance/bodies/affine/joint_coupling.h"
#include "clearance/model/joint_gaps.h"
#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class JointPotential : public Potential, public JointGaps {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<JointPotential>(*this); }
  JointPotential(const std::vector<StiffJoint>& joints, const std::vector<HeldBody>& held,
                 const std::vector<StiffCoupling>& couplings = {});

  std::string name() const override { return "joint"; }
  void set_turns(const VecX& x, const std::vector<int>& turns) override;
  void count_turns(const VecX& x, std::vector<int>& turns) const override;
  /// Moves the reference that angles are within half a turn of: a step may make several turns. No energy changes.
  bool refer_to(const VecX& x) override;
  /// Evaluates drives and efforts; torques and forces act in the pose at the start of the step.
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  /// Returns the link with the largest strain (joint_link.h), as its number, joints before held bodies, and that
  /// strain. A coupling has the number of the follower.
  std::pair<int, double> largest_strain(const VecX& x, const std::vector<int>& turns) const;
  double load_energy(const VecX& x) const override;
  bool is_driven() const override;
  void mark_stopped_bodies(const VecX& x, const std::vector<int>& body_of_block,
                           std::vector<char>& is_stopped) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  void add_excess(const VecX& x_from, const VecX& dx, const VecX& x_to, double scale, VecX& gradient) const override;
  bool add_load_gradient(const VecX& x, double scale, VecX& gradient) const override;
  /// Returns the state of joint `index` at x in the step begun last; `turns` are the whole turns of hinges at x.
  JointState joint_state(int index, const VecX& x, const std::vector<int>& turns) const;
  /// Returns the rate of the coordinate of joint `index`, a hinge or slider, at x with the rates v of the unknowns.
  double joint_rate(int index, const VecX& x, const VecX& v) const;
  std::vector<BlockKey> pattern() const override;
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  /// Bounds the step so that no joint passes its limits. The element of the result is the number of the joint.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

 private:
  void bind(const BlockSparseMatrix& matrix);

  std::vector<JointLink<dim>> links_;  // joints, then held bodies
  std::vector<JointCoupling<dim>> couplings_;
  std::size_t num_joints_ = 0;
  std::uint64_t bound_pattern_ = 0;
  std::vector<std::int64_t> slots_;  // per link, then per coupling, its pairs of blocks that are unknowns
};

extern template class JointPotential<2>;
extern template class JointPotential<3>;

}  // namespace clearance
