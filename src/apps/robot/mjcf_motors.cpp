#ifdef CLEARANCE_HAS_MUJOCO

#include "apps/robot/mjcf_motors.h"

#include <fmt/format.h>

#include "apps/robot/control_names.h"

namespace clearance::robot {

namespace {

std::string clamped(const std::string& formula, const mjtNum* range) {
  return fmt::format("min(max({}, {}), {})", formula, range[0], range[1]);
}

std::string times(double factor, const std::string& formula) {
  return factor == 1.0 ? formula : fmt::format("{} * {}", factor, formula);
}

void append(std::string& sum, const std::string& term) {
  sum += (sum.empty() ? "" : " + ") + term;
}

}  // namespace

Motors::Motors(const mjModel& m, const mjData& d, RobotOmissions& omissions) : m_(m), d_(d) {
  if ((m.opt.disableflags & mjDSBL_ACTUATION) != 0) return;
  for (int i = 0; i < m.nu; ++i) add(i, omissions);
}

void Motors::add(int i, RobotOmissions& omissions) {
  const char* given = mj_id2name(&m_, mjOBJ_ACTUATOR, i);
  const std::string name = given == nullptr ? fmt::format("actuator {}", i) : given;
  const int transmission = m_.actuator_trntype[i], j = m_.actuator_trnid[2 * i];
  const bool is_on_joint = transmission == mjTRN_JOINT || transmission == mjTRN_JOINTINPARENT;
  if (!is_on_joint || (m_.jnt_type[j] != mjJNT_HINGE && m_.jnt_type[j] != mjJNT_SLIDE)) {
    omissions.add("actuators that act on tendons, sites, cranks, bodies, or balls", name);
    return;
  }
  const int dynamics = m_.actuator_dyntype[i], bias = m_.actuator_biastype[i];
  const bool is_filtered = dynamics == mjDYN_FILTER;
  const bool is_known = (dynamics == mjDYN_NONE || is_filtered) && m_.actuator_gaintype[i] == mjGAIN_FIXED &&
                        (bias == mjBIAS_NONE || bias == mjBIAS_AFFINE);
  if (!is_known) {
    omissions.add("actuators with dynamics, gains or biases of their own, muscles among them", name);
    return;
  }
  const mjtNum* prm = m_.actuator_biasprm + mjNBIAS * i;
  const double g = m_.actuator_gear[6 * i], gain = m_.actuator_gainprm[mjNGAIN * i];
  const double b0 = bias == mjBIAS_AFFINE ? prm[0] : 0.0, b1 = bias == mjBIAS_AFFINE ? prm[1] : 0.0;
  const double b2 = bias == mjBIAS_AFFINE ? prm[2] : 0.0;
  if (b1 > 0.0 || b2 > 0.0) {
    omissions.add("actuators with negative stiffness or damping", name);
    return;
  }
  if (is_filtered) omissions.add("filters of actuators, which act at once", name);
  const std::string control = control_name(name, controls_);
  controls_.push_back({control, d_.ctrl[i]});
  const bool is_clamped = m_.actuator_ctrllimited[i] != 0 && (m_.opt.disableflags & mjDSBL_CLAMPCTRL) == 0;
  std::string force = times(gain, is_clamped ? clamped(control, m_.actuator_ctrlrange + 2 * i) : control);
  if (b0 != 0.0) force = fmt::format("({} + {})", force, b0);
  const bool is_motor = b1 == 0.0 && b2 == 0.0;
  if (m_.actuator_forcelimited[i] != 0 && is_motor) {
    force = clamped(force, m_.actuator_forcerange + 2 * i);
  } else if (m_.actuator_forcelimited[i] != 0) {
    omissions.add("limits of the force of servos", name);
  }
  Drive& drive = drives_[j];
  append(b1 < 0.0 ? drive.pull : drive.effort, times(g, force));
  drive.stiffness -= b1 * g * g;
  drive.damping -= b2 * g * g;
}

void Motors::set(int j, RobotJoint& to) const {
  const bool is_passive = (m_.opt.disableflags & mjDSBL_PASSIVE) == 0;
  const double spring = is_passive ? m_.jnt_stiffness[j] : 0.0;
  const auto found = drives_.find(j);
  const Drive drive = found == drives_.end() ? Drive{} : found->second;
  to.effort = drive.effort;
  to.damping = drive.damping + (is_passive ? m_.dof_damping[m_.jnt_dofadr[j]] : 0.0);
  to.stiffness = drive.stiffness + spring;
  if (!(to.stiffness > 0.0)) return;
  // Compute the common rest of all these springs, relative to where the joint starts.
  const int q = m_.jnt_qposadr[j];
  const double passive_rest = spring * m_.qpos_spring[q] / to.stiffness - d_.qpos[q];
  if (drive.pull.empty()) {
    if (passive_rest != 0.0) to.rest = fmt::format("{}", passive_rest);
    return;
  }
  to.rest = fmt::format("({}) / {}", drive.pull, to.stiffness);
  if (passive_rest != 0.0) to.rest += fmt::format(" + {}", passive_rest);
}

}  // namespace clearance::robot

#endif
