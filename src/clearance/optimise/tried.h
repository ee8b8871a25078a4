// The evaluations of a search since its last iterate. The accepted one need not be the last: a longer step is tried,
// too.
#pragma once

#include <utility>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::optimise {

template <class Evaluated>
class Tried {
 public:
  void add(const VecX& x, Evaluated evaluated) { tried_.emplace_back(x, std::move(evaluated)); }

  /// Returns the evaluation at x, which has been added, and forgets all.
  Evaluated take(const VecX& x) {
    std::size_t k = tried_.size() - 1;
    while (k > 0 && tried_[k].first != x) --k;
    Evaluated found = std::move(tried_[k].second);
    tried_.clear();
    return found;
  }

 private:
  std::vector<std::pair<VecX, Evaluated>> tried_;
};

}  // namespace clearance::optimise
