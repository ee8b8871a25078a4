// Dry friction of hinges and sliders: a torque or force of at most `limit` against the motion of the coordinate q,
// whatever the speed. With the sliding u = s + q - q_t0, s being the elastic sliding that the joint remembers, its
// energy in a step is limit f_0(|u|), the law of contacts (model/friction_law.h). A joint that sticks gives way by at
// most eps, 1e-4 rad or 1e-4 of the smaller body's radius, and remembers that, so that it does not creep.
//
// The limit is constant, so that nothing is lagged. While Newton's method is far from the solution the Hessian is that
// of the primal-dual method of [Cha99], as that of contacts (contact/friction_potential.h): a joint that slides at an
// iterate but will stick has a stiffness, too.
#pragma once

#include "clearance/bodies/affine/joint_coordinates.h"
#include "clearance/model/held_branches.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"

namespace clearance {

template <int dim>
class JointFrictionPotential : public Potential, public HeldBranches, public SmoothMemory {
 public:
  /// Takes the joints that have dry friction.
  explicit JointFrictionPotential(const std::vector<StiffJoint>& joints);

  bool is_empty() const { return coordinates_.size() == 0; }
  std::unique_ptr<Potential> clone() const override { return std::make_unique<JointFrictionPotential>(*this); }
  std::string name() const override { return "joint_friction"; }
  void set_turns(const VecX& x, const std::vector<int>& turns) override { coordinates_.set_turns(x, turns); }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  /// The elastic sliding [rad] or [m] of each joint.
  std::size_t history_size() const override { return rubs_.size(); }
  HistoryLayout history_layout() const override { return coordinates_.history_layout(1); }
  void set_history(std::span<const double> history) override;
  void end_step(const VecX& x_t1, std::span<double> history) const override;
  /// Moves the duals by the motion since the last Hessian.
  bool refer_to(const VecX& x) override;
  CompensatedSum energy(const VecX& x) const override;
  bool is_dissipative() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return coordinates_.pattern(); }
  /// Adds the matrix of the present duals, which is PSD.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  /// Adds the curvature of the law itself.
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  /// A branch is the way in which a joint slides, 1 or -1, or twice that if it slips. Sticking ends within 1e-4 rad,
  /// which differences would leave.
  std::vector<int> branches(const VecX& x) const override;
  void hold_branches(const std::vector<int>& branches) override;
  void pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                         MemoryCotangent result) const override;
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;

 private:
  struct Rub {
    double limit = 0.0;  // [N m] or [N]
    double eps = 0.0;    // [rad] or [m]
    double stick = 0.0;  // [rad] or [m] elastic sliding at the start of the step
    double q_t0 = 0.0;   // [rad] or [m]
    double dual = 0.0;   // friction as a share of the limit, in [-1, 1]
    double last = 0.0;   // [rad] or [m] sliding where the last Hessian was assembled
    bool has_last = false;
    int branch = 0;  // that is held; 0: none
  };
  /// Returns the friction of a joint [N m] or [N] at the sliding u, and its derivative by u.
  static double force(const Rub& rub, double u);
  static double stiffness(const Rub& rub, double u);
  double sliding(int i, const VecX& x) const { return rubs_[i].stick + coordinates_.value(i, x) - rubs_[i].q_t0; }

  JointCoordinates<dim> coordinates_;
  std::vector<Rub> rubs_;
};

extern template class JointFrictionPotential<2>;
extern template class JointFrictionPotential<3>;

}  // namespace clearance
