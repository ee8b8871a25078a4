// Issues of the library as Python exceptions of clearance.errors; each exception carries all of them as `problems`.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/load/hint.h"

namespace clearance::python {

/// Exception that the functions of this module throw; `error_class` is a name in clearance.errors.
struct Refusal {
  const char* error_class;
  Issues issues;
};

template <class T>
T value_or_throw(Result<T> result, const char* error_class) {
  if (!result) throw Refusal{error_class, std::move(result).issues()};
  return std::move(result).value();
}

/// Returns a list of clearance.errors.Problem.
pybind11::list problems_of(const Issues& issues);
pybind11::list problems_of(const NamedHints& hints);
pybind11::list problems_of(const std::vector<RunWarning>& warnings);

void bind_errors(pybind11::module_& module);

}  // namespace clearance::python
