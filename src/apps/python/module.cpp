// The module `clearance._core`: the library for the package in python/clearance, which gives it its shape. Built twice
// where the program is (CLEARANCE_DISPATCH): for any processor and for AVX2.
#include <malloc.h>

#include <limits>

#include "apps/python/bindings.h"
#include "apps/python/refusal.h"

namespace {

/// As the program does (apps/cli/main.cpp): pages of big arrays stay with the process from iteration to iteration.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace

PYBIND11_MODULE(CLEARANCE_MODULE, module) {
  using namespace clearance::python;
  module.doc() = "The compiled part of the package clearance.";
  module.attr("version") = CLEARANCE_VERSION;
  module.def("keep_freed_memory", keep_freed_memory, "Freed pages stay with the process.");
  bind_errors(module);
  bind_scene(module);
  bind_mesh(module);
  bind_simulation(module);
  bind_results(module);
  bind_geometry(module);
}
