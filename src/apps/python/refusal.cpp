#include "apps/python/refusal.h"

#include <exception>
#include <string>

namespace clearance::python {

namespace py = pybind11;

namespace {

py::object problem_of(const Issue& issue, const std::string& name) {
  const py::object problem = py::module_::import("clearance.errors").attr("Problem");
  const char* severity = issue.severity == Severity::warning ? "warning" : "error";
  return problem(issue.file, issue.place, issue.value, issue.message, severity, name);
}

}  // namespace

py::list problems_of(const Issues& issues) {
  py::list problems;
  for (const Issue& issue : issues) problems.append(problem_of(issue, ""));
  return problems;
}

py::list problems_of(const NamedHints& hints) {
  py::list problems;
  for (const NamedHint& hint : hints) problems.append(problem_of(hint.issue, hint.name));
  return problems;
}

py::list problems_of(const std::vector<RunWarning>& warnings) {
  py::list problems;
  for (const RunWarning& warning : warnings) {
    problems.append(problem_of({"", "", "", warning.message, Severity::warning}, warning.name));
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
