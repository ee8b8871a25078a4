#include "clearance/bodies/affine/joint_armature_potential.h"

namespace clearance {

template <int dim>
JointArmaturePotential<dim>::JointArmaturePotential(const std::vector<StiffJoint>& joints) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!(joints[j].armature > 0.0)) continue;
    coordinates_.add(joints[j], j);
    rotors_.push_back({joints[j].armature});
  }
}

template <int dim>
bool JointArmaturePotential<dim>::refer_to(const VecX& x) {
  coordinates_.refer_to(x);
  return false;
}

template <int dim>
Result<Done> JointArmaturePotential<dim>::begin_step(const VecX& /*x_t0*/, double /*h*/, double /*time_t1*/) {
  for (Rotor& rotor : rotors_) rotor.factor = 0.0;
  return Done{};
}

/// Returns the formula of a joint. If its bodies have different ones, it is that of the lower order, as for the blocks
/// of one body (restart in solver/time_integrator.h): the one with the smaller weight.
template <int dim>
InertialFormula JointArmaturePotential<dim>::formula_of_joint(
    int i, const std::function<InertialFormula(int block)>& formula_of) const {
  // Columns 0 and dim + 1 are the centres of both bodies; the first body is never the world.
  const JointLink<dim>& link = coordinates_.link(i);
  const InertialFormula first = formula_of(link.block_of(0));
  if (link.block_of(dim + 1) < 0) return first;
  const InertialFormula second = formula_of(link.block_of(dim + 1));
  return second.weight < first.weight ? second : first;
}

template <int dim>
void JointArmaturePotential<dim>::set_targets(const State& state,
                                              const std::function<InertialFormula(int block)>& formula_of) {
  for (int i = 0; i < coordinates_.size(); ++i) {
    const InertialFormula formula = formula_of_joint(i, formula_of);
    const double q = coordinates_.value(i, state.x);
    Rotor& rotor = rotors_[i];
    rotor.factor = rotor.inertia * formula.weight;
    rotor.target = q + formula.of_v * coordinates_.rate(i, state.x, state.v);
    if (formula.of_a != 0.0 && state.a.size() > 0)
      rotor.target += formula.of_a * coordinates_.rate(i, state.x, state.a);
    if (state.x_prev.size() == 0) continue;
    if (formula.of_prev != 0.0) rotor.target += formula.of_prev * (coordinates_.value(i, state.x_prev) - q);
    if (formula.of_v_prev != 0.0) {
      rotor.target += formula.of_v_prev * coordinates_.rate(i, state.x_prev, state.v_prev);
    }
  }
}

template <int dim>
CompensatedSum JointArmaturePotential<dim>::energy(const VecX& x) const {
  CompensatedSum sum;
  for (int i = 0; i < coordinates_.size(); ++i) {
    const double by = coordinates_.value(i, x) - rotors_[i].target;
    sum.add(0.5 * rotors_[i].factor * by * by);
  }
  return sum;
}

template <int dim>
double JointArmaturePotential<dim>::add_kinetic_energy(const VecX& x, const VecX& v,
                                                       const std::vector<int>& body_of_block, VecX& sums) const {
  double all = 0.0;
  for (int i = 0; i < coordinates_.size(); ++i) {
    const double rate = coordinates_.rate(i, x, v), energy = 0.5 * rotors_[i].inertia * rate * rate;
    if (!body_of_block.empty()) sums[body_of_block[coordinates_.link(i).block_of(0)]] += energy;
    all += energy;
  }
  return all;
}

template <int dim>
void JointArmaturePotential<dim>::add_mass(const VecX& x, BlockSparseMatrix& matrix) {
  coordinates_.add_squares(
      x, 1.0, [&](int i) { return rotors_[i].inertia; }, matrix);
}

template <int dim>
void JointArmaturePotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (int i = 0; i < coordinates_.size(); ++i) {
    const double torque = rotors_[i].factor * (coordinates_.value(i, x) - rotors_[i].target);
    coordinates_.add_slope(i, x, torque, scale, gradient);
  }
}

template <int dim>
void JointArmaturePotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  coordinates_.add_squares(
      x, scale, [&](int i) { return rotors_[i].factor; }, matrix);
}

template class JointArmaturePotential<2>;
template class JointArmaturePotential<3>;

}  // namespace clearance
