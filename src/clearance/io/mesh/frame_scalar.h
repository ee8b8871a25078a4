// Scalar values of a frame, one per vertex.
#pragma once

#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance {

/// Returns the values of the array that read_frame was asked for, per vertex: its point data, or the mean of its cell
/// data over the cells around the vertex. The value is not a number at a vertex where no such cell has one. Returns an
/// empty vector if the frame has no such array.
std::vector<double> scalar_of_vertices(const Frame& frame);

}  // namespace clearance
