// The steps of a recorded run that are kept within a budget of memory.
#pragma once

#include <cstddef>
#include <limits>
#include <map>

#include "clearance/derivatives/nearby_steps.h"

namespace clearance::derivatives {

/// Returns the memory [bytes] of the numbers and pairs of a record.
std::size_t bytes_of(const StepRecord& record);

/// Records of consecutive steps. All are kept as long as they fit; beyond that, every second, fourth and so on: as many
/// as half of the memory holds, so that the other half is free for those between two of them.
class KeptSteps {
 public:
  /// `first` is the first step; it is always kept if `keeps_first`.
  KeptSteps(int first, double budget, bool keeps_first)
      : first_(first), budget_(budget), limit_(budget), keeps_first_(keeps_first) {}

  /// Adds the record of the next step. False if it is not kept.
  bool add(StepRecord record);
  int first() const { return first_; }
  /// Returns a kept record, the last one up to `step`; nullptr if there is none.
  const StepRecord* last_up_to(int step) const;
  std::size_t size() const { return records_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  void thin();

  int first_ = 1, next_ = 0;                                                   // next_: steps added so far
  double budget_ = std::numeric_limits<double>::infinity(), limit_ = budget_;  // [bytes]
  bool keeps_first_ = true;
  int stride_ = 1;
  std::size_t bytes_ = 0;
  std::map<int, StepRecord> records_;
};

}  // namespace clearance::derivatives
