// Time, contact, friction, solver and output settings of a PolyFEM scene.
#pragma once

#include "clearance/io/polyfem/polyfem_values.h"

namespace clearance {

/// Time of the scene, which values depend on: `t` of the native scene counts from its start.
struct PolyfemTime {
  TimeDesc desc;
  double start = 0.0;  ///< [s]
};
PolyfemTime read_polyfem_time(const ForeignObject& root, const PolyfemValues& values);

/// Reads everything but bodies, gravity and time, which must be set already. `shortest_edge` [m] is that of all
/// boundaries.
void read_polyfem_settings(const ForeignObject& root, const PolyfemValues& values, double shortest_edge,
                           SceneDesc& scene);

}  // namespace clearance
