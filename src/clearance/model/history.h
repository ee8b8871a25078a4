// Numbers that potentials remember from step to step at points of their elements, such as plastic strain. The state,
// checkpoints, hashes and adapting carry them without knowing what they mean.
#pragma once

#include <cstddef>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// The numbers of every potential of a model, point by point; a potential without memory has none. An empty history:
/// nothing has happened yet.
using History = std::vector<std::vector<double>>;

/// A point of an element at which a potential remembers numbers.
struct HistoryPoint {
  Vec<3> at_rest = Vec<3>::Zero();  ///< [m]; 2D: z = 0
  int block = 0;                    ///< a block of unknowns that moves the element
};

/// The points of one potential in the order of its history.
struct HistoryLayout {
  std::size_t num_per_point = 0;
  std::vector<HistoryPoint> points;

  std::size_t size() const { return num_per_point * points.size(); }
};

}  // namespace clearance
