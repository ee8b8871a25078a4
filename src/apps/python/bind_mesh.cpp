#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/load/load_bodies.h"

namespace clearance::python {

namespace fs = std::filesystem;

namespace {

Mesh make_mesh(const Array<double>& vertices, const Array<int>& tets, const Array<int>& triangles,
               const Array<int>& edges, const std::vector<int>& points, int dimension) {
  Mesh mesh;
  mesh.dim = dimension;
  mesh.vertices = points_of(vertices);
  mesh.tets = cells_of<4>(tets, "tets");
  mesh.triangles = cells_of<3>(triangles, "triangles");
  mesh.edges = cells_of<2>(edges, "edges");
  mesh.points = points;
  return mesh;
}

/// Returns the first body of a scene, as it is placed.
Mesh mesh_of_body(const LoadedScene& loaded) {
  const LoadedBodies bodies = value_or_throw(load_bodies(loaded.scene), "SceneError");
  return bodies.instances.at(0).mesh;
}

}  // namespace

void bind_mesh(py::module_& module) {
  module.def("make_mesh", &make_mesh, py::arg("vertices"), py::arg("tets"), py::arg("triangles"), py::arg("edges"),
             py::arg("points"), py::arg("dimension"));
  sealed_class<Mesh>(module, "MeshData")
      .def_readonly("dimension", &Mesh::dim)
      .def_property_readonly("vertices", [](const Mesh& m) { return array_of(m.vertices); })
      .def_property_readonly("tets", [](const Mesh& m) { return array_of(m.tets); })
      .def_property_readonly("triangles", [](const Mesh& m) { return array_of(m.triangles); })
      .def_property_readonly("edges", [](const Mesh& m) { return array_of(m.edges); })
      .def_property_readonly("points", [](const Mesh& m) { return array_of(m.points); });
  module.def(
      "read_mesh",
      [](const fs::path& path, int dimension) {
        const py::gil_scoped_release release;
        return value_or_throw(read_mesh(path, {.dim = dimension}), "MeshError");
      },
      py::arg("path"), py::arg("dimension"));
  module.def(
      "write_mesh",
      [](const fs::path& path, const Mesh& mesh) {
        const py::gil_scoped_release release;
        value_or_throw(write_mesh(path, mesh), "MeshError");
      },
      py::arg("path"), py::arg("mesh"));
  module.def(
      "surface_of", [](const Mesh& mesh) { return surface_of(mesh); }, py::arg("mesh"));
  module.def("mesh_of_body", &mesh_of_body, py::arg("scene"));
}

}  // namespace clearance::python
