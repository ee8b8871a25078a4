// Depth of the overlap of bodies that meet at the start.
#pragma once

#include "clearance/simulation/start/body_surfaces.h"

namespace clearance {

struct Overlap {
  double depth = 0.0;             ///< [m] from the place to the surface that it lies behind; 0 if none was found
  Vec<3> place = Vec<3>::Zero();  ///< [m]
};

/// Finds the overlap of two bodies with body_a shifted as a whole. Tests about sixty vertices of each surface, evenly
/// spread. The depth is therefore a lower bound, both of the overlap and of any shift that takes one body out of the
/// other. A body with an open surface has no inside.
Overlap find_overlap(const SceneModel& scene, const BodySurfaces& surfaces, int body_a, int body_b,
                     const Vec<3>& shift = Vec<3>::Zero());

}  // namespace clearance
