// External torques on stiff bodies, with directions fixed in the world.
#pragma once

#include <functional>

#include "clearance/bodies/affine/step_torque.h"
#include "clearance/model/potential.h"

namespace clearance {

/// A torque on the body with these unknowns (affine_frame.h).
struct TorqueLoad {
  int first_block = 0;
  double radius = 1.0;  ///< [m] R
  /// Torque [N m] about the world's axes (2D: the third counts) in the step of length h that ends at time_t1. No value
  /// if it is undefined then.
  std::function<Result<Vec<3>>(double h, double time_t1)> torque;
};

template <int dim>
class TorquePotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<TorquePotential>(*this); }
  explicit TorquePotential(std::vector<TorqueLoad> loads) : loads_(std::move(loads)), torques_(loads_.size()) {}

  std::string name() const override { return "torque"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  double load_energy(const VecX& x) const override { return energy(x).value(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;

 private:
  std::vector<TorqueLoad> loads_;
  std::vector<StepTorque<dim>> torques_;  // per load
};

extern template class TorquePotential<2>;
extern template class TorquePotential<3>;

}  // namespace clearance
