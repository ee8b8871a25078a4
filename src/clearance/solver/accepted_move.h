// The moves that steps accept, for certificates of runs (simulation/certificate_recorder.h).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "clearance/model/surface_path.h"
#include "clearance/solver/step_inputs.h"

namespace clearance {

/// A move of all unknowns that a step has accepted, on the way that its collision detection has bounded. The next move
/// starts where this one has ended, or where an earlier one has started or ended: what is given up is gone back to.
struct AcceptedMove {
  const VecX& x_t0;           ///< [m] unknowns
  const VecX& x_t1;           ///< [m]
  std::vector<Screw> screws;  ///< of the rigid bodies, in the order of the model; everything else moves straight
};

/// While an object of this type lives, it receives the moves of all steps that its thread solves. It changes no result,
/// and without one moves cost nothing.
class MoveListener {
 public:
  explicit MoveListener(std::function<void(const AcceptedMove&)> on_move)
      : on_move_(std::move(on_move)), outer_(std::exchange(current_, this)) {}
  MoveListener(const MoveListener&) = delete;
  MoveListener& operator=(const MoveListener&) = delete;
  ~MoveListener() { current_ = outer_; }

  /// Reports a move along `fraction` of dy.
  template <int dim>
  static void note(const StepInputs<dim>& in, const VecX& x_t0, const VecX& x_t1, const VecX& dy, double fraction) {
    if (current_ == nullptr) return;
    const SurfacePath path = in.coordinates().surface_path(x_t0, in.model.surface_map.apply(x_t0), dy, fraction);
    current_->on_move_({x_t0, x_t1, path.screws});
  }

 private:
  std::function<void(const AcceptedMove&)> on_move_;
  MoveListener* outer_;
  static inline thread_local MoveListener* current_ = nullptr;
};

}  // namespace clearance
