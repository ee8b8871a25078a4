// External torques on stiff bodies. Their direction is fixed in the world, and the forces that make them up are those
// of the pose at the start of the step: a torque about a turning body has no potential.
#pragma once

#include <functional>

#include "clearance/math/types.h"
#include "clearance/model/potential.h"

namespace clearance {

/// A torque on the body with these unknowns (affine_frame.h).
struct TorqueLoad {
  int first_block = 0;
  double radius = 1.0;  ///< [m] R
  /// [N m] about the world's axes (2D: the third counts) in the step of length h that ends at time_t1. No value if it
  /// is not defined then.
  std::function<Result<Vec<3>>(double h, double time_t1)> torque;
};

/// The force on each b_i of a body by which they add up to the torque and stretch nothing: with
/// f_i = (torque x b_i) / (2 R^2), sum b_i x f_i is the torque while the b_i are orthogonal and of length R.
template <int dim>
Vec<dim> turning_force(const Vec<dim>& b, double radius, const Vec<3>& torque);

template <int dim>
class TorquePotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<TorquePotential>(*this); }
  TorquePotential(int num_unknowns, std::vector<TorqueLoad> loads)
      : loads_(std::move(loads)), force_(VecX::Zero(num_unknowns)) {}

  std::string name() const override { return "torque"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  double load_energy(const VecX& x) const override { return energy(x).value(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;

 private:
  std::vector<TorqueLoad> loads_;
  VecX force_;  // [N] of this step
};

extern template class TorquePotential<2>;
extern template class TorquePotential<3>;

}  // namespace clearance
