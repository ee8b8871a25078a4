// The numbers that a scene wants to know of every step (output.probes).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clearance/simulation/scene_model.h"
#include "clearance/solver/step_forces.h"

namespace clearance {

/// What the numbers of a step follow from.
struct StepEnd {
  const State& state;
  const StepForces& forces;
  const Potential* joints = nullptr;  ///< as they were in the step; null: there are none
};

class Probes {
 public:
  Probes() = default;
  /// `scene` must outlive the object. Appends to `issues` which copies, components and nodes do not exist.
  Probes(const SceneDesc& desc, const SceneModel& scene, Issues& issues);

  /// `name.part [unit]` of every number.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Does any probe read the forces of the step?
  bool needs_forces() const { return needs_forces_; }
  std::vector<double> values(const StepEnd& end) const;
  /// Before the first step, where no forces are known: those are NaN.
  std::vector<double> values_at_start(const State& state, const Potential* joints) const;

 private:
  friend class ProbeMaker;
  /// Appends the numbers of one probe.
  using Measure = std::function<void(const StepEnd&, std::vector<double>&)>;

  std::vector<std::string> columns_;
  std::vector<char> is_force_;  // per column: a force or a torque
  std::vector<Measure> measures_;
  bool needs_forces_ = false;
};

}  // namespace clearance
