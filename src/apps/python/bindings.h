// Parts of the module `clearance._core`.
#pragma once

#include <pybind11/pybind11.h>

namespace clearance::python {

/// Defines a class whose objects only functions of the module can make: an object made by `__new__` would have no
/// value.
template <class T>
pybind11::class_<T> sealed_class(pybind11::module_& module, const char* name, const char* doc = "") {
  // Module-local, because both compiled parts may be loaded into one process.
  pybind11::class_<T> sealed(module, name, doc, pybind11::module_local());
  sealed.def_static("__new__", [](const pybind11::args&, const pybind11::kwargs&) -> pybind11::object {
    throw pybind11::type_error("objects of this class are made by functions of the module");
  });
  return sealed;
}

void bind_scene(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_results(pybind11::module_& module);
void bind_mesh(pybind11::module_& module);
void bind_geometry(pybind11::module_& module);
void bind_derivatives(pybind11::module_& module);
void bind_recording(pybind11::module_& module);

}  // namespace clearance::python
