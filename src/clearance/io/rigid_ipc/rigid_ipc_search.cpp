#include "clearance/io/rigid_ipc/rigid_ipc_search.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "clearance/io/mesh/mesh_file.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Returns the dimension of the first vertex; only .obj files have rows of two.
int dimension_of_mesh(const fs::path& path) {
  if (to_lower(path.extension().string()) != ".obj") return 3;
  const MeshInput input(path);
  TextCursor cursor(input.bytes(), '#');
  for (; !cursor.is_at_end(); cursor.skip_line()) {
    if (to_lower(cursor.next_in_line()) != "v") continue;
    double number = 0.0;
    int count = 0;
    while (count < 3 && parse_real(cursor.next_in_line(), number)) ++count;
    return count == 2 ? 2 : 3;
  }
  return 3;
}

}  // namespace

std::string find_rigid_ipc_mesh(const std::string& name, const fs::path& scene) {
  std::error_code error;
  const fs::path beside = fs::absolute(scene, error).parent_path();
  const fs::path here = fs::current_path(error);
  if (here != beside && is_file(here / name)) return (here / name).lexically_normal().string();
  if (is_file(beside / name)) return name;
  std::vector<fs::path> places;
  std::vector<fs::path> peers;
  if (const char* data = std::getenv("CLEARANCE_PEER_DATA")) {
    peers.push_back(fs::absolute(data, error) / "rigid-ipc" / "meshes");
  }
  for (fs::path above = beside; !above.empty(); above = above.parent_path()) {
    places.push_back(above / "meshes");
    peers.push_back(above / "peer-data" / "rigid-ipc" / "meshes");
    if (!above.has_relative_path()) break;
  }
  places.insert(places.end(), peers.begin(), peers.end());
  for (const fs::path& place : places) {
    if (is_file(place / name)) return (place / name).lexically_normal().string();
  }
  return {};
}

int rigid_ipc_dimension(const Json& bodies, const fs::path& scene) {
  if (!bodies.is_array()) return 3;
  for (const Json& body : bodies) {
    if (!body.is_object() || body.value("enabled", Json(true)) == Json(false)) continue;
    const auto mesh = body.find("mesh");
    if (mesh != body.end() && mesh->is_string() && *mesh != Json("")) {
      return dimension_of_mesh(scene.parent_path() / find_rigid_ipc_mesh(mesh->get<std::string>(), scene));
    }
    const auto vertices = body.find("vertices");
    if (vertices == body.end() || !vertices->is_array() || vertices->empty()) continue;
    return vertices->front().is_array() && vertices->front().size() == 2 ? 2 : 3;
  }
  return 3;
}

}  // namespace clearance
