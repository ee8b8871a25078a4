// How far the joints of a scene are from where they should be.
#pragma once

#include <string>

namespace clearance {

/// Of the joint that is most out of place.
struct JointStrain {
  double share = 0.0;  ///< of the smaller body's radius
  std::string joint;   ///< `joint 'axle'`; empty if all are in place
};

}  // namespace clearance
