#include "clearance/simulation/build/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clearance/bodies/affine/joint_armature_potential.h"
#include "clearance/bodies/affine/joint_friction_potential.h"
#include "clearance/bodies/affine/joint_potential.h"
#include "clearance/bodies/affine/joint_spring_potential.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/load/named_instances.h"

namespace clearance {

namespace {

JointedBody jointed(const StiffUnit& unit) {
  return {unit.first_block, unit.frame, unit.stiffness * unit.frame.volume};
}

/// Makes a function that evaluates a formula in t at the end of the step, in the units of the solver.
JointFunction time_formula(const std::string& formula, const std::string& place, double unit,
                           const std::shared_ptr<const Controls>& controls) {
  if (formula.empty()) return {};
  return [=](double, double time_t1) -> Result<double> {
    const Result<double> value = evaluate_time_formula(formula, place, time_t1, *controls);
    if (!value) return value.issues();
    return unit * *value;
  };
}

class JointMaker {
 public:
  JointMaker(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const std::vector<StiffUnit>& units,
             const std::shared_ptr<const Controls>& controls, Issues& issues)
      : desc_(desc), bodies_(bodies), units_(units), controls_(controls), issues_(issues) {}

  std::vector<StiffJoint> make_all() {
    std::vector<StiffJoint> joints;
    for (std::size_t i = 0; i < desc_.joints.size(); ++i) joints.push_back(make(desc_.joints[i], i));
    return joints;
  }

  std::vector<StiffCoupling> make_couplings() {
    std::vector<StiffCoupling> couplings;
    for (std::size_t i = 0; i < desc_.joints.size(); ++i) {
      const std::optional<MimicDesc>& mimic = desc_.joints[i].mimic;
      if (!mimic) continue;
      const auto leader = std::find_if(desc_.joints.begin(), desc_.joints.end(),
                                       [&](const JointDesc& joint) { return joint.name == mimic->joint; });
      if (leader == desc_.joints.end()) continue;  // reported by scene/validate_joints.h
      const double unit = unit_of(desc_.joints[i]);
      couplings.push_back({static_cast<int>(i), static_cast<int>(leader - desc_.joints.begin()),
                           mimic->multiplier * unit / unit_of(*leader), mimic->offset * unit});
      if (std::abs(mimic->offset) < 1e-6) continue;
      issues_.push_back({"", fmt::format("joints[{}].mimic.offset", i), fmt::format("{:g}", mimic->offset),
                         "both joints start at 0, so that this one jumps by the offset in the first step",
                         Severity::warning});
    }
    return couplings;
  }

 private:
  /// Returns the unit of a joint's values in the scene, in [rad] or [m].
  static double unit_of(const JointDesc& desc) { return desc.kind == JointKind::hinge ? radians_per_degree : 1.0; }

  StiffJoint make(const JointDesc& desc, std::size_t index) {
    const std::string place = fmt::format("joints[{}]", index);
    const double unit = unit_of(desc);
    StiffJoint joint;
    joint.type = desc.kind;
    for (std::size_t side = 0; side < 2; ++side) {
      if (!desc.bodies[side].empty()) find(desc.bodies[side], fmt::format("{}.bodies[{}]", place, side), joint, side);
    }
    joint.point = desc.point;
    joint.axis = desc.axis;
    if (desc.lower) joint.lower = unit * *desc.lower;
    if (desc.upper) joint.upper = unit * *desc.upper;
    joint.drive = time_formula(desc.drive, place + ".drive", unit, controls_);
    joint.effort = time_formula(desc.effort, place + ".effort", 1.0, controls_);
    joint.spring = desc.stiffness;
    joint.rest = time_formula(desc.rest, place + ".rest", unit, controls_);
    joint.damping = desc.damping;
    joint.armature = desc.armature;
    joint.friction = desc.friction;
    check_start(desc, place);
    return joint;
  }

  /// Finds the body of a joint. Validation has checked that it is stiff (scene/validate_joints.h); the number of its
  /// components is known only here.
  void find(const std::string& name, const std::string& place, StiffJoint& joint, std::size_t side) {
    const std::optional<int> body = find_instance(desc_, bodies_, name, place, issues_);
    if (!body) return;
    // A body without mass is missing among the units and has been reported.
    for (const StiffUnit& unit : units_) {
      if (unit.body == *body && !unit.is_part()) joint.bodies[side] = jointed(unit);
    }
  }

  /// Warns of a drive that is not zero when the scene starts, because the joint is at zero then.
  void check_start(const JointDesc& desc, const std::string& place) {
    if (desc.drive.empty()) return;
    const Result<double> start = evaluate_time_formula(desc.drive, place, 0.0, *controls_);
    if (!start || std::abs(*start) < 1e-6) return;
    issues_.push_back(
        {"", place + ".drive", desc.drive,
         fmt::format("the drive is {:g} at t = 0, but the joint starts at 0, so that it jumps in the first step",
                     *start),
         Severity::warning});
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const std::vector<StiffUnit>& units_;
  const std::shared_ptr<const Controls>& controls_;
  Issues& issues_;
};

std::vector<HeldBody> held_bodies(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                  const std::vector<StiffUnit>& units) {
  const std::array<bool, 3> none = {false, false, false};
  std::vector<HeldBody> held;
  for (const StiffUnit& unit : units) {
    const int body = bodies[unit.body].desc;
    const BodyDesc& body_desc = desc.bodies[body];
    if (unit.is_part() || (body_desc.fixed_translation == none && body_desc.fixed_rotation == none)) continue;
    held.push_back({jointed(unit), body_desc.fixed_translation, body_desc.fixed_rotation});
  }
  return held;
}

/// Returns the names of all joints: `joint 'axle'`, or `joints[2]` for a joint without a name.
std::vector<std::string> joint_names(const SceneDesc& desc) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < desc.joints.size(); ++i) {
    const std::string& name = desc.joints[i].name;
    names.push_back(name.empty() ? fmt::format("joints[{}]", i) : fmt::format("joint '{}'", name));
  }
  return names;
}

template <int dim>
void set_readers(const std::vector<std::string>& names, SceneJoints& result) {
  using Joints = JointPotential<dim>;
  result.state = [](const Potential& potential, int joint, const State& state) {
    const auto& all = static_cast<const Joints&>(potential);
    JointState found = all.joint_state(joint, state.x, state.turns);
    found.rate = all.joint_rate(joint, state.x, state.v);
    return found;
  };
  result.strain = [names](const Potential& potential, const State& state) -> JointStrain {
    const auto [link, strain] = static_cast<const Joints&>(potential).largest_strain(state.x, state.turns);
    if (link < 0) return {};
    const std::size_t joint = link;
    return {strain, joint < names.size() ? names[joint] : "a fixed translation or rotation"};
  };
}

/// Computes Model::mechanism_of_body.
std::vector<int> mechanisms(const std::vector<StiffJoint>& joints, const std::vector<StiffCoupling>& couplings,
                            std::size_t num_bodies, const std::vector<int>& body_of_block) {
  std::vector<int> parent(num_bodies);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int b) {
    while (parent[b] != b) b = parent[b];
    return b;
  };
  const auto unite = [&](const JointedBody& first, const JointedBody& second) {
    if (first.is_world() || second.is_world()) return;
    const int a = root(body_of_block[first.first_block]);
    const int b = root(body_of_block[second.first_block]);
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (const StiffJoint& joint : joints) unite(joint.bodies[0], joint.bodies[1]);
  // The first body of a joint is never the world.
  for (const StiffCoupling& coupling : couplings) {
    unite(joints[coupling.joint].bodies[0], joints[coupling.leader].bodies[0]);
  }
  for (int& body : parent) body = root(body);
  return parent;
}

}  // namespace

SceneJoints make_joints(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                        const std::shared_ptr<const Controls>& controls, Issues& issues) {
  JointMaker maker(desc, bodies, unknowns.stiff_units, controls, issues);
  const std::vector<StiffJoint> joints = maker.make_all();
  const std::vector<StiffCoupling> couplings = maker.make_couplings();
  const std::vector<HeldBody> held = held_bodies(desc, bodies, unknowns.stiff_units);
  if ((joints.empty() && held.empty()) || has_errors(issues)) return {};
  SceneJoints result;
  result.mechanism_of_body = mechanisms(joints, couplings, bodies.size(), unknowns.body_of_block);
  with_dimension(unknowns.layout.dim, [&](auto dim) {
    result.joints = std::make_shared<JointPotential<dim>>(joints, held, couplings);
    set_readers<dim>(joint_names(desc), result);
    for (const JointSpringKind kind : {JointSpringKind::spring, JointSpringKind::damper}) {
      auto springs = std::make_shared<JointSpringPotential<dim>>(kind, joints);
      if (!springs->is_empty()) result.springs.push_back(std::move(springs));
    }
    auto rubs = std::make_shared<JointFrictionPotential<dim>>(joints);
    if (!rubs->is_empty()) result.springs.push_back(std::move(rubs));
    auto rotors = std::make_shared<JointArmaturePotential<dim>>(joints);
    if (!rotors->is_empty()) result.springs.push_back(std::move(rotors));
  });
  return result;
}

}  // namespace clearance
