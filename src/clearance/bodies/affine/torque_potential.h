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

/// The energy of a torque is that of its turn since the start of the step (StepTorque). About axes across the torque a
/// body may turn by far in a step, and the gradient of that energy then has a share about them, tan(turn / 2) of the
/// torque. So it is the energy of the turn since the reference that acts, and that up to there is a constant.
template <int dim>
class TorquePotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<TorquePotential>(*this); }
  explicit TorquePotential(std::vector<TorqueLoad> loads) : loads_(std::move(loads)), torques_(loads_.size()) {}

  std::string name() const override { return "torque"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  bool refer_to(const VecX& x) override;
  bool has_skew_slopes() const override { return dim == 3; }
  CompensatedSum energy(const VecX& x) const override;
  double load_energy(const VecX& x) const override { return energy(x).value(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;

 private:
  std::vector<TorqueLoad> loads_;
  /// A torque in the step: since its start, and since the reference.
  struct Acting {
    Vec<3> torque = Vec<3>::Zero();  // [N m]
    StepTorque<dim> of_step, of_reference;
    Mat<dim> reference = Mat<dim>::Zero();  // [m] columns there
    double energy = 0.0;                    // [J] up to there
  };
  std::vector<Acting> torques_;  // per load
};

extern template class TorquePotential<2>;
extern template class TorquePotential<3>;

}  // namespace clearance
