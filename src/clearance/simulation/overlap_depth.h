// How deep bodies that meet at the start are in one another.
#pragma once

#include "clearance/simulation/body_surfaces.h"

namespace clearance {

struct Overlap {
  double depth = 0.0;             ///< [m] from the place to the surface that it lies behind; 0: none found
  Vec<3> place = Vec<3>::Zero();  ///< [m]
};

/// With body_a shifted as a whole. Looks at some sixty vertices of each surface, evenly spread, so that the depth is a
/// lower bound: of what is told here, and of any shift that takes one body out of the other. Nothing is inside of
/// bodies whose surface is open.
Overlap find_overlap(const SceneModel& scene, const BodySurfaces& surfaces, int body_a, int body_b,
                     const Vec<3>& shift = Vec<3>::Zero());

}  // namespace clearance
