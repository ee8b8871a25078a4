// Meshes of all formats. The first byte of an input chooses the format and the dimension, the rest is the file.
#include <array>

#include "clearance/geometry/curved_cells.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "fuzz/targets/target.h"

namespace {

using namespace clearance;

constexpr std::array endings = {".msh", ".obj", ".ply",  ".stl", ".off", ".vtu",
                                ".vtk", ".inp", ".node", ".ele", ".seg", ".pt"};
// The vertices of an .ele file.
constexpr const char* nodes = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n";

void require_sound(const Mesh& mesh) {
  const auto count = static_cast<int>(mesh.vertices.size());
  for (const Vec<3>& x : mesh.vertices) fuzz::require(x.allFinite(), "coordinates are finite");
  const auto require_in_range = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (const int v : element) fuzz::require(v >= 0 && v < count, "indices are in range");
    }
  };
  require_in_range(mesh.tets);
  require_in_range(mesh.triangles);
  require_in_range(mesh.edges);
  for (const int v : mesh.points) fuzz::require(v >= 0 && v < count, "indices of points are in range");
  fuzz::require(find_cell_node_fault(mesh).empty(), "nodes of curved elements are in range");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const fuzz::InputFolder folder;
  const std::string ending = endings[data[0] % endings.size()];
  MeshReadOptions options;
  options.dim = data[0] / endings.size() % 4 == 1 ? 2 : 3;
  options.reads_texture = ending == ".obj" && data[0] / endings.size() % 4 == 2;
  if (ending == ".ele") folder.put("a.node", nodes);
  const std::filesystem::path file = folder.put("a" + ending, fuzz::text_of(data + 1, size - 1));
  const Result<Mesh> mesh = read_mesh(file, options);
  std::filesystem::remove(file);
  if (ending == ".ele") std::filesystem::remove(folder.path() / "a.node");
  if (mesh) {
    require_sound(*mesh);
  } else {
    fuzz::require_reasons(mesh.issues());
  }
  return 0;
}
