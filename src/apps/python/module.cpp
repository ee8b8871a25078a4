// The module `clearance._core`: the compiled part of the package in python/clearance, which gives it its shape. If the
// program is built twice (CLEARANCE_DISPATCH), so is the module: for any processor and for AVX2.
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/base/freed_memory.h"

PYBIND11_MODULE(CLEARANCE_MODULE, module) {
  using namespace clearance::python;
  module.doc() = "The compiled part of the package clearance.";
  module.attr("version") = CLEARANCE_VERSION;
  module.def("keep_freed_memory", clearance::keep_freed_memory, "Freed pages stay with the process.");
  bind_errors(module);
  bind_scene(module);
  bind_mesh(module);
  bind_simulation(module);
  bind_results(module);
  bind_geometry(module);
  bind_derivatives(module);
  bind_recording(module);
}
