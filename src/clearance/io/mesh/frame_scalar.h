// The numbers of a frame per vertex.
#pragma once

#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance {

/// Of the array that read_frame was asked for: that of points, or the mean of the cells around each vertex; not a
/// number where none of these has one. Empty if the frame has no such array.
std::vector<double> scalar_of_vertices(const Frame& frame);

}  // namespace clearance
