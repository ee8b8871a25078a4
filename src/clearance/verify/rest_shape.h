// Check that a body keeps its rest shape in frames whose elements change from one to the next.
#pragma once

#include <string>
#include <vector>

#include "clearance/verify/frame.h"

namespace clearance::verify {

/// Sizes of a body that a change of its elements must preserve.
struct RestSize {
  double volume = 0.0;    ///< [m^3] of its elements at rest; 2D: [m^2]
  double boundary = 0.0;  ///< [m^2] of its surface at rest; 2D: [m]
};

/// Largest relative change that does not count as a change of the body: sizes are sums of rounded numbers.
inline constexpr double largest_rest_change = 1e-9;

/// The array `rest_position` of a frame that was read whole, per vertex [m]; empty if there is none.
std::vector<Vec<3>> rest_positions(const Frame& frame);

/// Adds to the verdict, as inversions, elements of bodies that are no obstacles and that have no positive volume (2D:
/// area) at rest, by exact arithmetic; positions at rest that are no numbers count as such. `rest` has one for every
/// vertex.
void check_rest(const Frame& frame, const std::vector<Vec<3>>& rest, const VerifyScene& scene, FrameVerdict& verdict);

/// Returns the sizes per body. `surface` belongs to the cells of `frame`.
std::vector<RestSize> rest_sizes(const Frame& frame, const std::vector<Vec<3>>& rest, const VerifySurface& surface);

/// Returns, for each body whose size differs from that in `first`, a text that says its size at first and now. `names`
/// are those of the bodies.
std::vector<std::string> rest_changes(const std::vector<RestSize>& first, const std::vector<RestSize>& now, int dim,
                                      const std::vector<std::string>& names);

}  // namespace clearance::verify
