// Kernels of the broad phase, in OpenCL C.
#pragma once

namespace clearance {

/// Program of trees over boxes and their join.
///
/// Coordinates of boxes are integers that are ordered like the floats they stand for (float_order in device_trees.cpp).
/// Comparisons of integers alone decide about a pair, and have one result on every device: neither rounding
/// nor numbers that a device flushes to zero can lose a pair, and the pairs are those of the CPU. Floating point only
/// finds an order in which a tree is good.
extern const char* const tree_kernels;

}  // namespace clearance
