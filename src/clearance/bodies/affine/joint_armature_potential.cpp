#include "clearance/bodies/affine/joint_armature_potential.h"

namespace clearance {

template <int dim>
JointArmaturePotential<dim>::JointArmaturePotential(const std::vector<StiffJoint>& joints) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!(joints[j].armature > 0.0)) continue;
    coordinates_.add(joints[j], j);
    rotors_.emplace_back().inertia = joints[j].armature;
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
    const auto own = [&](int k) { return history_.empty() ? 0.0 : history_[3 * i + k]; };
    const bool has_past = state.x_prev.size() > 0;
    Rotor& rotor = rotors_[i];
    const InertialFormula& formula = rotor.formula = formula_of_joint(i, formula_of);
    rotor.factor = rotor.inertia * formula.weight;
    rotor.q = coordinates_.value(i, state.x);
    rotor.rate = coordinates_.rate(i, state.x, state.v) + own(0);
    rotor.acceleration = state.a.size() > 0 ? coordinates_.rate(i, state.x, state.a) + own(2) : 0.0;
    rotor.before = has_past ? coordinates_.value(i, state.x_prev) - rotor.q : 0.0;
    rotor.target = rotor.q + formula.of_v * rotor.rate + formula.of_a * rotor.acceleration;
    if (!has_past) continue;
    rotor.target += formula.of_prev * rotor.before;
    if (formula.of_v_prev != 0.0) {
      rotor.target += formula.of_v_prev * (coordinates_.rate(i, state.x_prev, state.v_prev) + own(1));
    }
  }
}

template <int dim>
void JointArmaturePotential<dim>::end_motion(const State& end, std::span<double> history) const {
  for (int i = 0; i < coordinates_.size(); ++i) {
    const Rotor& rotor = rotors_[i];
    const InertialFormula& formula = rotor.formula;
    const double q = coordinates_.value(i, end.x);
    const double rate = formula.rate * (q - rotor.q) + formula.rate_prev * rotor.before + formula.rate_v * rotor.rate +
                        formula.rate_a * rotor.acceleration;
    // The state at the start becomes the one a step before.
    history[3 * i + 1] = history_.empty() ? 0.0 : history_[3 * i];
    const bool moves = formula.weight > 0.0;
    history[3 * i] = moves ? rate - coordinates_.rate(i, end.x, end.v) : 0.0;
    history[3 * i + 2] =
        moves && end.a.size() > 0 ? formula.weight * (q - rotor.target) - coordinates_.rate(i, end.x, end.a) : 0.0;
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
double JointArmaturePotential<dim>::add_kinetic_energy(const VecX& x, const VecX& v, std::span<const double> history,
                                                       const std::vector<int>& body_of_block, VecX& sums) const {
  double all = 0.0;
  for (int i = 0; i < coordinates_.size(); ++i) {
    const double rate = coordinates_.rate(i, x, v) + (history.empty() ? 0.0 : history[3 * i]);
    const double energy = 0.5 * rotors_[i].inertia * rate * rate;
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
