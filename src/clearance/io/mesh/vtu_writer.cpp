#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clearance/geometry/curved_cells.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/vtu.h"

namespace clearance {
namespace {

std::size_t num_cells(const Mesh& mesh) {
  return mesh.tets.size() + mesh.triangles.size() + mesh.edges.size() + mesh.points.size();
}

/// Appended arrays and the elements that describe them. The arrays must outlive it.
class AppendedData {
 public:
  /// Adds an array to the data and returns its element.
  template <class T>
  std::string add(const char* name, const char* type, int num_components, std::span<const T> values) {
    static_assert(std::endian::native == std::endian::little, "arrays are written as they are in memory");
    const std::string element = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        name, num_components, num_bytes_);
    arrays_.emplace_back(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    num_bytes_ += sizeof(std::uint64_t) + values.size_bytes();
    return element;
  }
  std::string add_vectors(const char* name, const std::vector<Vec<3>>& vectors) {
    static_assert(sizeof(Vec<3>) == 3 * sizeof(double));
    const double* first = vectors.empty() ? nullptr : vectors.front().data();
    return add(name, "Float64", 3, std::span<const double>(first, 3 * vectors.size()));
  }
  std::string add_numbers(const FrameArray& array) {
    return add(array.name.c_str(), "Float64", array.num_components, std::span<const double>(array.values));
  }
  std::string add_integers(const char* name, const std::vector<int>& values) {
    return add(name, "Int32", 1, std::span<const int>(values));
  }
  std::size_t num_bytes() const { return num_bytes_; }
  void append_to(std::string& text) const {
    for (const std::string_view array : arrays_) {
      const std::uint64_t size = array.size();
      text.append(reinterpret_cast<const char*>(&size), sizeof(size));
      text += array;
    }
  }

 private:
  std::vector<std::string_view> arrays_;
  std::size_t num_bytes_ = 0;
};

/// VTK's three arrays of cells
struct CellArrays {
  std::vector<int> connectivity;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> types;

  explicit CellArrays(const Mesh& mesh) {
    const std::size_t count = num_cells(mesh);
    offsets.reserve(count);
    types.reserve(count);
    connectivity.reserve(4 * mesh.tets.size() + 3 * mesh.triangles.size() + 2 * mesh.edges.size() + mesh.points.size());
    if (mesh.dim == 3) {
      add_solid(mesh, mesh.tets, vtk_tetra, vtk_lagrange_tetra);
      add(mesh.triangles, vtk_triangle);
    } else {
      add(mesh.tets, vtk_tetra);
      add_solid(mesh, mesh.triangles, vtk_triangle, vtk_lagrange_triangle);
    }
    add(mesh.edges, vtk_line);
    for (const int v : mesh.points) add_cell(std::span<const int>(&v, 1), vtk_vertex);
  }
  /// Adds elements that all have the same number of corners, at once.
  template <std::size_t num_corners>
  void add(const std::vector<std::array<int, num_corners>>& elements, int type) {
    if (elements.empty()) return;
    const int* first = elements.front().data();
    auto end = static_cast<std::int64_t>(connectivity.size());
    connectivity.insert(connectivity.end(), first, first + num_corners * elements.size());
    for (std::size_t e = 0; e < elements.size(); ++e) offsets.push_back(end += num_corners);
    types.insert(types.end(), elements.size(), static_cast<std::uint8_t>(type));
  }
  /// Adds solid elements, whose nodes are already in VTK's order (geometry/lagrange.h).
  template <class Elements>
  void add_solid(const Mesh& mesh, const Elements& elements, int type, int curved_type) {
    if (!mesh.has_curved_cells()) return add(elements, type);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const std::span<const int> nodes = mesh.nodes_of_cell(e);
      add_cell(nodes.empty() ? std::span<const int>(elements[e]) : nodes, nodes.empty() ? type : curved_type);
    }
  }
  void add_cell(std::span<const int> corners, int type) {
    connectivity.insert(connectivity.end(), corners.begin(), corners.end());
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    types.push_back(static_cast<std::uint8_t>(type));
  }
};

/// Checks for arrays of the wrong length and numbers that could not be read back. These are mistakes of the caller,
/// reported as issues.
Issues check_frame(const std::string& file, const Frame& frame, const CellArrays& cells) {
  Issues issues;
  const auto check = [&](bool is_good, const char* place, std::string value, const char* message) {
    if (!is_good) issues.push_back({file, place, std::move(value), message, Severity::error});
  };
  const auto check_length = [&](const char* place, std::size_t length, std::size_t expected) {
    check(length == 0 || length == expected, place, fmt::format("{} entries", length),
          "expected one entry each, or none");
  };
  const auto check_finite = [&](const char* place, const std::vector<Vec<3>>& vectors) {
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      if (vectors[v].allFinite()) continue;
      return check(false, place, fmt::format("entry {}", v), "expected finite numbers");
    }
  };
  const auto num_vertices = frame.mesh.vertices.size();
  check_length("velocity", frame.velocity.size(), num_vertices);
  check_length("contact_force", frame.contact_force.size(), num_vertices);
  check_length("cell_body", frame.cell_body.size(), num_cells(frame.mesh));
  check_length("cell_is_obstacle", frame.cell_is_obstacle.size(), num_cells(frame.mesh));
  check_finite("vertices", frame.mesh.vertices);
  check_finite("velocity", frame.velocity);
  check_finite("contact_force", frame.contact_force);
  const auto check_arrays = [&](const std::vector<FrameArray>& arrays, std::size_t count) {
    for (const FrameArray& array : arrays) {
      const std::size_t expected = count * array.num_components;
      check(array.values.size() == expected, array.name.c_str(), fmt::format("{} numbers", array.values.size()),
            "expected one entry each");
      const auto bad =
          std::find_if_not(array.values.begin(), array.values.end(), [](double v) { return std::isfinite(v); });
      check(bad == array.values.end(), array.name.c_str(), fmt::format("number {}", bad - array.values.begin()),
            "expected finite numbers");
    }
  };
  check_arrays(frame.point_arrays, num_vertices);
  check_arrays(frame.cell_arrays, num_cells(frame.mesh));
  check(std::isfinite(frame.time), "time", fmt::format("{}", frame.time), "expected a finite time");
  for (const int v : cells.connectivity) {
    if (v >= 0 && std::cmp_less(v, num_vertices)) continue;
    check(false, "cells", fmt::format("{}", v), "expected indices of vertices");
    break;
  }
  return issues;
}

}  // namespace

Result<Done> write_frame(const std::filesystem::path& path, const Frame& frame) {
  if (const std::string fault = find_cell_node_fault(frame.mesh); !fault.empty()) {
    return Issue{path.string(), "cells", fault, "expected nodes of curved elements as in Mesh", Severity::error};
  }
  const CellArrays cells(frame.mesh);
  Issues issues = check_frame(path.string(), frame, cells);
  if (!issues.empty()) return issues;

  AppendedData data;
  std::string text = "<?xml version=\"1.0\"?>\n";
  text += "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
  text += "<UnstructuredGrid>\n<FieldData>\n";
  text += fmt::format(
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n",
      frame.time);
  text +=
      fmt::format("<DataArray type=\"Int32\" Name=\"Dimension\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n",
                  frame.mesh.dim);
  text += fmt::format("</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", frame.mesh.vertices.size(),
                      num_cells(frame.mesh));
  text += "<Points>\n" + data.add_vectors("Points", frame.mesh.vertices) + "</Points>\n<Cells>\n";
  text += data.add("connectivity", "Int32", 1, std::span<const int>(cells.connectivity));
  text += data.add("offsets", "Int64", 1, std::span<const std::int64_t>(cells.offsets));
  text += data.add("types", "UInt8", 1, std::span<const std::uint8_t>(cells.types));
  text += "</Cells>\n<PointData>\n";
  if (!frame.velocity.empty()) text += data.add_vectors("velocity", frame.velocity);
  if (!frame.contact_force.empty()) text += data.add_vectors("contact_force", frame.contact_force);
  for (const FrameArray& array : frame.point_arrays) text += data.add_numbers(array);
  text += "</PointData>\n<CellData>\n";
  if (!frame.cell_body.empty()) text += data.add_integers("body", frame.cell_body);
  if (!frame.cell_is_obstacle.empty()) text += data.add_integers("is_obstacle", frame.cell_is_obstacle);
  for (const FrameArray& array : frame.cell_arrays) text += data.add_numbers(array);
  text += "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  constexpr std::string_view end = "\n</AppendedData>\n</VTKFile>\n";
  text.reserve(text.size() + data.num_bytes() + end.size());
  data.append_to(text);
  text += end;
  return write_file_atomically(path, text);
}

}  // namespace clearance
