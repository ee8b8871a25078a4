#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/derivatives/forward_run.h"
#include "clearance/io/scene_reader.h"

namespace clearance::python {

namespace {

namespace fs = std::filesystem;
using derivatives::Gradient;
using derivatives::StepGradient;

/// Returns columns, values of the parameters, times, values (steps, columns) and derivatives (steps, columns,
/// parameters), warnings.
py::tuple gradient_of(const std::string& text, const fs::path& base_directory, const std::vector<std::string>& by,
                      const std::vector<std::string>& of, int steps) {
  derivatives::GradientOptions options{by, of, steps, {}, {}};
  const derivatives::SceneMaker make = [&](const std::vector<std::string>& overrides) -> Result<SceneDesc> {
    Result<LoadedScene> loaded = load_scene_text(text, "", base_directory, overrides);
    if (!loaded) return loaded.issues();
    return std::move(loaded->scene);
  };
  // A signal is answered between steps.
  bool is_interrupted = false;
  options.is_stop_wanted = [&] {
    const py::gil_scoped_acquire acquire;
    is_interrupted = is_interrupted || PyErr_CheckSignals() != 0;
    return is_interrupted;
  };
  Result<Gradient> found = [&] {
    const py::gil_scoped_release release;
    return derivatives::find_gradient(make, options);
  }();
  if (is_interrupted) throw py::error_already_set();
  if (!found) throw Refusal{"SceneError", found.issues()};
  if (found->end == derivatives::GradientEnd::failed) throw Refusal{"DerivativeError", found->errors};
  const auto num_steps = static_cast<py::ssize_t>(found->steps.size());
  const auto num_columns = static_cast<py::ssize_t>(found->columns.size());
  const auto num_parameters = static_cast<py::ssize_t>(found->parameters.size());
  py::array_t<double> times(num_steps), values({num_steps, num_columns}),
      slopes({num_steps, num_columns, num_parameters});
  auto time = times.mutable_unchecked<1>();
  auto value = values.mutable_unchecked<2>();
  auto slope = slopes.mutable_unchecked<3>();
  for (py::ssize_t s = 0; s < num_steps; ++s) {
    const StepGradient& step = found->steps[static_cast<std::size_t>(s)];
    time(s) = step.time;
    for (py::ssize_t c = 0; c < num_columns; ++c) {
      value(s, c) = step.values[static_cast<std::size_t>(c)];
      for (py::ssize_t p = 0; p < num_parameters; ++p) slope(s, c, p) = step.derivatives(c, p);
    }
  }
  std::vector<double> numbers;
  for (const derivatives::Parameter& parameter : found->parameters) numbers.push_back(parameter.value);
  return py::make_tuple(found->columns, numbers, times, values, slopes, problems_of(found->warnings));
}

}  // namespace

void bind_derivatives(py::module_& module) {
  module.def("gradient", &gradient_of, py::arg("text"), py::arg("base_directory"), py::arg("by"), py::arg("of"),
             py::arg("steps"));
}

}  // namespace clearance::python
