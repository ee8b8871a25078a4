#include "clearance/io/mesh/mesh_arrays.h"

#include <algorithm>
#include <utility>

#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/vtu.h"

namespace clearance {

namespace {

MeshArray& array_named(const std::string& name, std::vector<MeshArray>& arrays) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const MeshArray& a) { return a.name == name; });
  if (found != arrays.end()) return *found;
  arrays.emplace_back().name = name;
  return arrays.back();
}

std::vector<MeshArray> collect(const std::vector<FrameArray>& of_vertices, const std::vector<FrameArray>& of_cells,
                               const Mesh& mesh) {
  std::vector<MeshArray> arrays;
  for (const FrameArray& array : of_vertices) {
    if (array.num_components == 1) array_named(array.name, arrays).of_vertices = array.values;
  }
  // Cells are ordered by their kind.
  const std::array<std::pair<std::size_t, std::size_t>, 4> kinds = {
      std::pair{3, mesh.tets.size()}, {2, mesh.triangles.size()}, {1, mesh.edges.size()}, {0, mesh.points.size()}};
  for (const FrameArray& array : of_cells) {
    if (array.num_components != 1) continue;
    MeshArray& to = array_named(array.name, arrays);
    auto begin = array.values.begin();
    for (const auto& [dim, count] : kinds) {
      const auto end = begin + static_cast<std::ptrdiff_t>(count);
      to.of_elements[dim].assign(begin, end);
      begin = end;
    }
  }
  return arrays;
}

}  // namespace

Result<std::vector<MeshArray>> read_mesh_arrays(const std::filesystem::path& path, int dim) {
  const std::string extension = to_lower(path.extension().string());
  if (extension == ".vtu") {
    const Result<Frame> frame = read_whole_frame(path);
    if (!frame) return frame.issues();
    return collect(frame->point_arrays, frame->cell_arrays, frame->mesh);
  }
  if (extension != ".vtk") {
    return Issue{path.string(), "", extension, "expected a .vtk or .vtu file: others have no arrays that are read",
                 Severity::error};
  }
  MeshInput input(path);
  Mesh mesh;
  mesh.dim = dim;
  std::vector<FrameArray> of_vertices, of_cells;
  if (!input.has_failed()) read_legacy_vtk_arrays(input, mesh, of_vertices, of_cells);
  if (input.has_failed()) return input.issues();
  return collect(of_vertices, of_cells, mesh);
}

}  // namespace clearance
