// The shapes of the bodies of a Rigid IPC scene: meshes from files, searched where that program and its users keep
// them, and meshes written in the scene.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "clearance/geometry/mesh_mass.h"
#include "clearance/io/rigid_ipc/rigid_ipc_values.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct RigidIpcShape {
  std::string path;  ///< for BodyDesc::mesh; empty: written in the scene
  Mesh mesh;
  BoundingBox box;
  bool is_solid = false;  ///< true if its mass is that of its volume: closed, in 3D
};

class RigidIpcMeshes {
 public:
  RigidIpcMeshes(std::filesystem::path scene, int dim) : scene_(std::move(scene)), dim_(dim) {}

  /// Reads a shape. Returns null after an issue; a file that cannot be read is reported for its first body only.
  std::shared_ptr<const RigidIpcShape> read(const RigidIpcObject& body);

 private:
  std::shared_ptr<const RigidIpcShape> read_file(const std::string& name, const RigidIpcObject& body);
  std::shared_ptr<const RigidIpcShape> read_inline(const RigidIpcObject& body) const;

  std::filesystem::path scene_;
  int dim_;
  std::map<std::string, std::shared_ptr<const RigidIpcShape>> read_;
};

/// Returns the mesh as BodyDesc::geometry.
GeometryDesc geometry_of(const Mesh& mesh);

}  // namespace clearance
