#include "apps/robot/mesh_file.h"

#include <cstdlib>
#include <sstream>
#include <utility>

#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_reader.h"

namespace clearance::robot {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

fs::path find_in_package(const std::string& package, const fs::path& rest, const fs::path& model) {
  std::error_code error;
  for (fs::path folder = fs::absolute(model, error).parent_path();; folder = folder.parent_path()) {
    if (folder.filename() == package && is_file(folder / rest)) return folder / rest;
    if (is_file(folder / package / rest)) return folder / package / rest;
    if (folder == folder.parent_path()) break;
  }
  const char* list = std::getenv("ROS_PACKAGE_PATH");
  std::istringstream folders(list == nullptr ? "" : list);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    if (is_file(fs::path(folder) / package / rest)) return fs::path(folder) / package / rest;
    if (fs::path(folder).filename() == package && is_file(fs::path(folder) / rest)) return fs::path(folder) / rest;
  }
  return {};
}

}  // namespace

fs::path find_mesh_file(const std::string& name, const fs::path& model) {
  for (const std::string scheme : {"package://", "model://"}) {
    if (!name.starts_with(scheme)) continue;
    const std::string path = name.substr(scheme.size());
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) return {};
    return find_in_package(path.substr(0, slash), path.substr(slash + 1), model);
  }
  const std::string plain = name.starts_with("file://") ? name.substr(7) : name;
  const fs::path path = model.parent_path() / plain;
  return is_file(path) ? path : fs::path();
}

Result<Mesh> read_surface(const std::string& name, const fs::path& model) {
  const fs::path path = find_mesh_file(name, model);
  if (path.empty()) {
    return Issue{"", "", '"' + name + '"',
                 "there is no such mesh file; packages are looked for in the folders above the model and in those of "
                 "ROS_PACKAGE_PATH",
                 Severity::error};
  }
  Result<Mesh> mesh = read_mesh(path);
  if (!mesh) {
    Issues issues = mesh.issues();
    for (Issue& issue : issues) issue.message = path.filename().string() + ": " + issue.message;
    return issues;
  }
  Mesh surface = surface_of(*mesh);
  if (surface.triangles.empty()) {
    return Issue{"", "", '"' + name + '"', "this mesh has no triangles", Severity::error};
  }
  return surface;
}

}  // namespace clearance::robot
