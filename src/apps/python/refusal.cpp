#include "apps/python/refusal.h"

#include <exception>

namespace clearance::python {

namespace py = pybind11;

py::list problems_of(const Issues& issues) {
  const py::object problem = py::module_::import("clearance.errors").attr("Problem");
  py::list problems;
  for (const Issue& issue : issues) {
    const char* severity = issue.severity == Severity::warning ? "warning" : "error";
    problems.append(problem(issue.file, issue.place, issue.value, issue.message, severity));
  }
  return problems;
}

void bind_errors(py::module_& /*module*/) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Refusal& refusal) {
      const py::object error_class = py::module_::import("clearance.errors").attr(refusal.error_class);
      PyErr_SetObject(error_class.ptr(), error_class(problems_of(refusal.issues)).ptr());
    }
  });
}

}  // namespace clearance::python
