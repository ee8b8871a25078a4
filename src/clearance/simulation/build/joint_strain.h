// Distance of the joints of a scene from where they should be.
#pragma once

#include <string>

namespace clearance {

/// Strain of the joint that is most out of place.
struct JointStrain {
  double share = 0.0;  ///< distance as a share of the smaller body's radius
  std::string joint;   ///< for example `joint 'axle'`; empty if all joints are in place
};

}  // namespace clearance
