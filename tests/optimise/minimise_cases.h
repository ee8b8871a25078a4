// Options and functions for the tests of both methods of minimisation.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "clearance/optimise/minimise.h"

namespace clearance::optimise {

/// Options without bounds.
inline MinimiseOptions options_for(Eigen::Index size, MinimiseMethod method = MinimiseMethod::lbfgs) {
  MinimiseOptions options;
  options.method = method;
  options.lower = VecX::Constant(size, -infinity);
  options.upper = VecX::Constant(size, infinity);
  options.max_change = VecX::Constant(size, infinity);
  return options;
}

inline const std::function<bool()> never = [] { return false; };

/// A function that remembers its values, as stored runs do.
class RememberedSlope {
 public:
  explicit RememberedSlope(SlopeFunction function) : function_(std::move(function)) {}

  std::optional<Slope> operator()(const VecX& x) {
    const std::vector<double> key(x.data(), x.data() + x.size());
    const auto found = memory_.find(key);
    if (found != memory_.end()) return found->second;
    ++num_new_;
    return memory_[key] = function_(x);
  }
  /// Places at which it was evaluated.
  int num_new() const { return num_new_; }

 private:
  SlopeFunction function_;
  std::map<std::vector<double>, std::optional<Slope>> memory_;
  int num_new_ = 0;
};

}  // namespace clearance::optimise
