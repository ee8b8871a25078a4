// How what a potential remembers enters and leaves a step, for derivatives of a run in reverse mode.
#pragma once

#include <span>

#include "clearance/math/types.h"

namespace clearance {

/// Sums of derivatives of a number by where a step starts and ends, and by what a potential remembers at its start.
struct MemoryCotangent {
  VecX& x_t0;
  VecX& x_t1;
  std::span<double> history;
};

/// Interface that a Potential has besides if it remembers earlier steps, or the start of the step. Its gradient and its
/// history at the end of the step begun last depend on the history and the positions at its start, and these functions
/// transpose their derivatives.
class SmoothMemory {
 public:
  virtual ~SmoothMemory() = default;
  /// True if the history has flags alone, which no derivative changes.
  virtual bool has_flags_alone() const { return false; }
  /// Adds the derivatives of the sum of kept[k] times number k of the history at the end x_t1.
  virtual void pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                                 MemoryCotangent result) const = 0;
  /// Adds those of motion . dE/dx at x_t1, except by x_t1.
  virtual void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                                  MemoryCotangent result) const = 0;
};

}  // namespace clearance
