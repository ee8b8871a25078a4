#include "clearance/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>

namespace clearance {

struct ThreadLimit::Impl {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int num_threads) {
  const int wanted = num_threads > 0 ? num_threads : tbb::info::default_concurrency();
  impl_.reset(new Impl{{tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(wanted)}});
}

ThreadLimit::~ThreadLimit() = default;

int num_threads() {
  // A limit may exceed the number of processors, but loops have no more threads than these.
  const auto limit = static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  return std::min(limit, tbb::info::default_concurrency());
}

}  // namespace clearance
