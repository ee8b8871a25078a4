// The module `clearance._processor`: tells which of the compiled parts to load.
#include "clearance/base/processor.h"

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_processor, module) {
  module.doc() = "Which instructions are to be used (CLEARANCE_PROCESSOR).";
  module.def(
      "has_avx2",
      [] {
        const clearance::Result<clearance::Processor> processor = clearance::choose_processor();
        if (!processor) throw pybind11::value_error(to_string(processor.issues().front()));
        return *processor >= clearance::Processor::avx2;
      },
      "True if AVX2 is to be used.");
}
