#include "clearance/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>

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
  return static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace clearance
