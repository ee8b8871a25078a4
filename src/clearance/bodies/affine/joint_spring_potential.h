// Springs and dampers in the one motion that hinges and sliders leave: energies of the angle or offset q,
// k/2 (q - rest)^2 and c/(2 h) (q - q_t0)^2, so that what is stiff needs no small steps. Angles count the shorter way
// round. Dampers are a potential of their own, because what they take is lost.
#pragma once

#include <cstdint>

#include "clearance/bodies/affine/joint_link.h"
#include "clearance/model/potential.h"

namespace clearance {

enum class JointSpringKind { spring, damper };

template <int dim>
class JointSpringPotential : public Potential {
 public:
  /// Of those joints that have one.
  JointSpringPotential(JointSpringKind kind, const std::vector<StiffJoint>& joints);

  bool is_empty() const { return springs_.empty(); }
  std::unique_ptr<Potential> clone() const override { return std::make_unique<JointSpringPotential>(*this); }
  std::string name() const override { return is_dissipative() ? "joint_damping" : "joint_spring"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  bool is_dissipative() const override { return kind_ == JointSpringKind::damper; }
  bool is_driven() const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override;
  /// Gauss-Newton, which is PSD: the factor times the square of the coordinate's gradient.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 private:
  using Blocks = typename JointLink<dim>::Blocks;
  struct Spring {
    JointLink<dim> link;
    double constant = 0.0;  // [N m/rad] or [N/m], of dampers times seconds
    JointFunction rest;
    // Of this step:
    double factor = 0.0;  // [N m/rad] or [N/m]
    double center = 0.0;  // [rad] or [m]
  };
  static double stretch(const Spring& spring, const Blocks& y);

  JointSpringKind kind_;
  std::vector<Spring> springs_;
  std::uint64_t bound_pattern_ = 0;
  std::vector<std::int64_t> slots_;  // per spring, its pairs of blocks that are unknowns
};

extern template class JointSpringPotential<2>;
extern template class JointSpringPotential<3>;

}  // namespace clearance
