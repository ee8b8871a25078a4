// How the friction of a step, and what its contacts remember of sticking, follow from where the step starts and ends.
//
// Friction that agrees with the contact forces at the end is no gradient of an energy, and its derivative is not
// symmetric: derivatives of a run in reverse mode need it as a matrix, to transpose it.
#pragma once

#include "clearance/contact/agreed_friction.h"
#include "clearance/solver/step.h"

namespace clearance {

/// Motions and forces are in the blocks of x, forces times the scale of the objective; the memory of sticking has three
/// numbers a vertex of its list.
class FrictionSlopes {
 public:
  /// Nothing has friction.
  FrictionSlopes() = default;
  /// `map` must outlive the object.
  FrictionSlopes(FrictionDerivatives of_surface, const SurfaceMap& map, Eigen::Index num_unknowns);

  bool is_empty() const { return map_ == nullptr; }
  /// Returns the gradient of friction at the end.
  const VecX& gradient() const { return gradient_; }
  /// Returns the memory of sticking at the end.
  const std::vector<StickVertex>& stick() const { return of_surface_.stick; }

  /// Return how the gradient changes with a motion of the end, or of the start and its memory.
  VecX force_by_end(const VecX& dx) const;
  VecX force_by_start(const VecX& dx, const VecX& dstick) const;
  /// Returns how the memory at the end changes.
  VecX stick_change(const VecX& dx_end, const VecX& dx_start, const VecX& dstick) const;

  // The transposed maps: they add the derivatives of a number that depends on the gradient by `force`, or on the memory
  // at the end by `stick`.
  VecX pull_back_to_end(const VecX& force) const;
  void pull_back_to_start(const VecX& force, VecX& start, VecX& start_stick) const;
  void pull_back_stick(const VecX& stick, VecX& end, VecX& start, VecX& start_stick) const;

 private:
  VecX on_surface(const VecX& dx) const { return map_->apply_linear(dx); }
  VecX of_blocks(const VecX& of_surface) const;

  const SurfaceMap* map_ = nullptr;
  FrictionDerivatives of_surface_;
  VecX gradient_;
};

/// Returns the displacements of a list, three numbers a vertex of `like`; zero for vertices that it has not.
VecX displacements(const std::vector<StickVertex>& list, const std::vector<StickVertex>& like);

/// Returns the slopes at the end of `step`.
template <int dim>
FrictionSlopes find_friction_slopes(const StepInputs<dim>& in, const Step<dim>& step);

extern template FrictionSlopes find_friction_slopes<2>(const StepInputs<2>&, const Step<2>&);
extern template FrictionSlopes find_friction_slopes<3>(const StepInputs<3>&, const Step<3>&);

}  // namespace clearance
