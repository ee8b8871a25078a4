// A limit on the work of an attempt at a step that is given up where shorter steps take less.
#pragma once

#include <limits>
#include <utility>

namespace clearance {

/// While it exists, steps that this thread solves end as `iteration_limit` after `most` directions, those of a part of
/// the scene included. SolverOptions::max_iterations counts directions of the whole scene alone: 1000 grains took up to
/// 600 of a part in a step, and few of the whole.
class AttemptLimit {
 public:
  explicit AttemptLimit(int most) : outer_(std::exchange(current_, most)) {}
  ~AttemptLimit() { current_ = outer_; }
  AttemptLimit(const AttemptLimit&) = delete;
  AttemptLimit& operator=(const AttemptLimit&) = delete;

  static bool is_reached(int num_directions) { return num_directions >= current_; }

 private:
  static inline thread_local int current_ = std::numeric_limits<int>::max();
  int outer_;
};

}  // namespace clearance
