// The armature of hinges and sliders: the inertia a of a rotor that turns with the coordinate q of a joint, so that the
// kinetic energy has the term a q'^2 / 2. In a step it is a weight / 2 (q - q_tilde)^2 with the target and the weight
// of the time integrator (model/coordinate_inertia.h), where q counts turns. Rate and acceleration of q are the joint's
// own.
#pragma once

#include "clearance/bodies/affine/joint_coordinates.h"
#include "clearance/model/coordinate_inertia.h"

namespace clearance {

template <int dim>
class JointArmaturePotential : public Potential, public CoordinateInertia {
 public:
  /// Takes the joints that have an armature.
  explicit JointArmaturePotential(const std::vector<StiffJoint>& joints);

  bool is_empty() const { return coordinates_.size() == 0; }
  std::unique_ptr<Potential> clone() const override { return std::make_unique<JointArmaturePotential>(*this); }
  std::string name() const override { return "joint_armature"; }
  void set_turns(const VecX& x, const std::vector<int>& turns) override { coordinates_.set_turns(x, turns); }
  /// Three numbers of each joint: what its rate, its rate a step before and its acceleration exceed those of the
  /// unknowns by.
  std::size_t history_size() const override { return 3 * rotors_.size(); }
  HistoryLayout history_layout() const override { return coordinates_.history_layout(3); }
  void set_history(std::span<const double> history) override { history_.assign(history.begin(), history.end()); }
  bool refer_to(const VecX& x) override;
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  void set_targets(const State& state, const std::function<InertialFormula(int block)>& formula_of) override;
  CompensatedSum energy(const VecX& x) const override;
  void end_motion(const State& end, std::span<double> history) const override;
  double add_kinetic_energy(const VecX& x, const VecX& v, std::span<const double> history,
                            const std::vector<int>& body_of_block, VecX& sums) const override;
  void add_mass(const VecX& x, BlockSparseMatrix& matrix) override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return coordinates_.pattern(); }
  /// Gauss-Newton, which is PSD.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

 private:
  struct Rotor {
    double inertia = 0.0;  // [kg m^2] or [kg]
    // Values of the present step:
    double factor = 0.0;  // [kg m^2/s^2] or [kg/s^2]
    double target = 0.0;  // [rad] or [m]
    InertialFormula formula;
    double q = 0.0, before = 0.0;           // [rad] or [m] at the start, and how much less a step before
    double rate = 0.0, acceleration = 0.0;  // at the start
  };
  InertialFormula formula_of_joint(int i, const std::function<InertialFormula(int block)>& formula_of) const;

  JointCoordinates<dim> coordinates_;
  std::vector<Rotor> rotors_;
  std::vector<double> history_;  // at the start of the step; empty: zeros
};

extern template class JointArmaturePotential<2>;
extern template class JointArmaturePotential<3>;

}  // namespace clearance
