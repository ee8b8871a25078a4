#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <fstream>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/simulation.h"

namespace clearance::python {

namespace {

namespace fs = std::filesystem;

SceneFormat format_of(const std::string& name) {
  if (name == "auto") return SceneFormat::automatic;
  if (name == "clearance") return SceneFormat::clearance;
  if (name == "ipc") return SceneFormat::ipc;
  if (name == "rigid-ipc") return SceneFormat::rigid_ipc;
  if (name == "polyfem") return SceneFormat::polyfem;
  if (name == "abaqus") return SceneFormat::abaqus;
  if (name == "urdf") return SceneFormat::urdf;
  if (name == "mjcf") return SceneFormat::mjcf;
  throw py::value_error("format: expected auto, clearance, ipc, rigid-ipc, polyfem, abaqus, urdf or mjcf, not '" +
                        name + "'");
}

void set_geometry(LoadedScene& loaded, std::size_t body, const Array<double>& vertices, const Array<int>& edges,
                  const Array<int>& triangles, const Array<int>& tets) {
  if (body >= loaded.scene.bodies.size()) throw py::index_error("no such body");
  loaded.scene.bodies[body].geometry = {points_of(vertices), cells_of<2>(edges, "edges"),
                                        cells_of<3>(triangles, "triangles"), cells_of<4>(tets, "tets")};
}

py::dict summary_of(const SceneSummary& s) {
  py::dict summary;
  summary["dimension"] = s.dim;
  summary["bodies"] = s.num_bodies;
  summary["obstacles"] = s.num_obstacles;
  summary["vertices"] = s.num_vertices;
  summary["elements"] = s.num_elements;
  summary["surface_triangles"] = s.num_surface_triangles;
  summary["surface_edges"] = s.num_surface_edges;
  summary["steps"] = s.num_steps;
  summary["bbox_diagonal"] = s.bbox_diagonal;
  summary["dhat"] = s.dhat;
  summary["tolerance"] = s.tolerance;
  summary["min_distance"] = s.min_distance;
  return summary;
}

/// Returns what `clearance check` prints: the numbers, and the warnings of the scene and of its simulation.
py::tuple check_scene(const LoadedScene& loaded) {
  Result<Simulation> simulation = [&] {
    const py::gil_scoped_release release;
    return Simulation::create(loaded.scene);
  }();
  if (!simulation) throw Refusal{"SceneError", simulation.issues()};
  return py::make_tuple(summary_of(simulation->summary()),
                        problems_of(merge_warnings(loaded.warnings, simulation->named_warnings())));
}

}  // namespace

void bind_scene(py::module_& module) {
  sealed_class<LoadedScene>(module, "SceneDesc", "A scene that has been read.")
      .def_property_readonly("warnings",
                             [](const LoadedScene& s) { return problems_of(merge_warnings(s.warnings, {})); })
      .def_property_readonly("base_directory", [](const LoadedScene& s) { return s.scene.base_directory; })
      .def(
          "text", [](const LoadedScene& s, const fs::path& path) { return scene_text(path, s.scene); }, py::arg("path"),
          "As it would stand in that file.")
      .def(
          "save",
          [](const LoadedScene& s, const fs::path& path) { value_or_throw(save_scene(path, s.scene), "SceneError"); },
          py::arg("path"))
      .def("set_geometry", &set_geometry, py::arg("body"), py::arg("vertices"), py::arg("edges"), py::arg("triangles"),
           py::arg("tets"), "Instead of what the text has there.")
      .def("check", &check_scene, "Numbers and warnings, or SceneError.");
  module.def(
      "load_scene",
      [](const fs::path& path, const std::string& format, const std::vector<std::string>& set) {
        const SceneFormat known = format_of(format);
        const py::gil_scoped_release release;
        return value_or_throw(load_scene(path, known, set), "SceneError");
      },
      py::arg("path"), py::arg("format"), py::arg("set"));
  module.def(
      "load_scene_text",
      [](const std::string& text, const std::string& name, const fs::path& base_directory) {
        return value_or_throw(load_scene_text(text, name, base_directory), "SceneError");
      },
      py::arg("text"), py::arg("name"), py::arg("base_directory"));
}

}  // namespace clearance::python
