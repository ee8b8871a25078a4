// Actuators and passive forces of MuJoCo's hinges and slides, as efforts, springs and dampers of joints.
#pragma once

#include <mujoco/mujoco.h>

#include <map>
#include <string>
#include <vector>

#include "clearance/io/robot/robot_model.h"

namespace clearance::robot {

/// Forces of actuators and passive elements, per joint. An actuator exerts the force g (gain u + b0 + b1 g q + b2 g v)
/// on a joint with the gear g, for the control u. The part proportional to q becomes a spring and the part proportional
/// to v a damper, whose forces the solver evaluates at the end of a step: stiff servos need no small steps.
class Motors {
 public:
  /// Makes a control of every actuator that can be converted, and lists the others in `omissions`.
  Motors(const mjModel& m, const mjData& d, RobotOmissions& omissions);

  const std::vector<ControlDesc>& controls() const { return controls_; }
  bool has(int joint) const { return drives_.count(joint) > 0; }
  /// Sets effort, spring, rest and damping of the joint `to` from those of MuJoCo's joint.
  void set(int joint, RobotJoint& to) const;

 private:
  struct Drive {
    std::string effort;      // [N m] or [N] sum of formulas; empty: none
    std::string pull;        // the same, of the actuators whose force depends on q
    double stiffness = 0.0;  // [N m/rad] or [N/m]
    double damping = 0.0;    // [N m s/rad] or [N s/m]
  };
  void add(int actuator, RobotOmissions& omissions);

  const mjModel& m_;
  const mjData& d_;
  std::vector<ControlDesc> controls_;
  std::map<int, Drive> drives_;  // by joint
};

}  // namespace clearance::robot
