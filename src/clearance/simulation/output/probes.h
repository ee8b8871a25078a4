// The numbers that a scene asks for in every step (output.probes).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/step_forces.h"

namespace clearance {

/// The data that the numbers of a step are computed from.
struct StepEnd {
  const State& state;
  const StepForces& forces;
  const Potential* joints = nullptr;  ///< joints as they were in the step; null if there are none
};

/// A number that is a sum over blocks of a component of the positions or the velocities of a state.
struct SumOfBlocks {
  struct Term {
    int block;
    double weight;
  };
  std::vector<Term> terms;
  int axis = 0;
  bool is_of_positions = true;
};

class Probes {
 public:
  Probes() = default;
  /// Prepares all probes of the scene. `scene` must outlive the object. Appends to `issues` which copies, components
  /// and nodes do not exist.
  Probes(const SceneDesc& desc, const SceneModel& scene, Issues& issues);

  /// Label of each number: `name.part [unit]`.
  const std::vector<std::string>& columns() const { return columns_; }
  /// True if any probe reads the forces of the step.
  bool needs_forces() const { return needs_forces_; }
  std::vector<double> values(const StepEnd& end) const;
  /// Returns the numbers in a state whose forces are not known, as before the first step: forces and torques are NaN.
  std::vector<double> values_at_start(const State& state, const Potential* joints) const;
  /// Returns the numbers at the end of a step whose joints are known and whose other forces are not: these are NaN.
  std::vector<double> values_beside_contacts(const State& state, const Potential* joints) const;
  /// Returns the sum that a column is, as positions and velocities are; null for others.
  const SumOfBlocks* sum_of_blocks(std::size_t column) const { return sums_[column] ? &*sums_[column] : nullptr; }
  /// True if a column is a force or torque of a joint.
  bool is_joint_force(std::size_t column) const { return force_of_[column] == ForceOf::joint; }
  /// True if a column is one of the largest stresses, or where they are.
  bool is_stress(std::size_t column) const { return is_stress_[column] != 0; }

 private:
  friend class ProbeMaker;
  /// Appends the numbers of one probe.
  using Measure = std::function<void(const StepEnd&, std::vector<double>&)>;

  /// Forces and torques that a column is made of.
  enum class ForceOf : char { nothing, joint, other };
  std::vector<double> without_forces(std::vector<double> values, bool has_joints) const;

  std::vector<std::string> columns_;
  std::vector<ForceOf> force_of_;                 // per column
  std::vector<char> is_stress_;                   // per column
  std::vector<std::optional<SumOfBlocks>> sums_;  // per column
  std::vector<Measure> measures_;
  bool needs_forces_ = false;
};

}  // namespace clearance
