// Springs and dampers of the free coordinate q of hinges and sliders. Their energies are k/2 (q - rest)^2 and c/(2 h)
// (q - q_t0)^2, so that stiff ones need no small steps. Angles count with their turns: a spring wound up by three turns
// unwinds by three. Dampers are a potential of their own because the energy that they take is lost.
#pragma once

#include "clearance/bodies/affine/joint_coordinates.h"
#include "clearance/model/potential.h"

namespace clearance {

enum class JointSpringKind { spring, damper };

template <int dim>
class JointSpringPotential : public Potential {
 public:
  /// Takes the joints that have a spring or a damper, respectively.
  JointSpringPotential(JointSpringKind kind, const std::vector<StiffJoint>& joints);

  bool is_empty() const { return springs_.empty(); }
  std::unique_ptr<Potential> clone() const override { return std::make_unique<JointSpringPotential>(*this); }
  std::string name() const override { return is_dissipative() ? "joint_damping" : "joint_spring"; }
  void set_turns(const VecX& x, const std::vector<int>& turns) override { coordinates_.set_turns(x, turns); }
  bool refer_to(const VecX& x) override;
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  bool is_dissipative() const override { return kind_ == JointSpringKind::damper; }
  bool is_driven() const override;
  /// Assigns a spring's energy to the bodies that it connects, which share one account.
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return !is_dissipative(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return coordinates_.pattern(); }
  /// Gauss-Newton, which is PSD: the factor times the square of the coordinate's gradient.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 private:
  struct Spring {
    double constant = 0.0;  // [N m/rad] or [N/m]; dampers: times seconds
    JointFunction rest;
    // Values of the present step:
    double factor = 0.0;  // [N m/rad] or [N/m]
    double center = 0.0;  // [rad] or [m]
  };
  double stretch(int i, const VecX& x) const { return coordinates_.value(i, x) - springs_[i].center; }
  double energy_of(int i, const VecX& x) const;

  JointSpringKind kind_;
  JointCoordinates<dim> coordinates_;
  std::vector<Spring> springs_;
};

extern template class JointSpringPotential<2>;
extern template class JointSpringPotential<3>;

}  // namespace clearance
