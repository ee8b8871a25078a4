// The meshes of a PolyFEM scene, placed as that program places them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/foreign_object.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// An entry of the geometry.
struct PolyfemMesh {
  std::string path;  ///< for BodyDesc::mesh
  TransformDesc transform;
  std::optional<ArrayDesc> array;
  /// Mesh files that an obstacle follows, for MotionDesc::mesh_files; `path` is the first.
  std::vector<std::string> sequence;
  int refinements = 0;
  Mesh placed;  ///< refined, in the world at the start; the first copy; elements as in the file, or of the body's order
  std::size_t num_coarse_elements = 0;
  BoundingBox box;  ///< of the vertices of `placed`
};

class PolyfemMeshes {
 public:
  /// `root`: another folder that paths may be relative to.
  PolyfemMeshes(std::filesystem::path scene, std::filesystem::path root)
      : scene_(std::move(scene)), root_(std::move(root)) {}

  /// Returns 3 if the first mesh that is to be simulated has tetrahedra, and 2 if not.
  int find_dimension(const std::vector<ForeignObject>& geometry);
  /// Reads an entry. Returns nothing after an issue; a file that cannot be read is reported for its first entry only.
  std::optional<PolyfemMesh> read(const ForeignObject& entry, int dim);

 private:
  /// Returns the mesh that the entry names at `key`, in a scene of that dimension; null if it cannot be read.
  std::shared_ptr<const Mesh> load(const ForeignObject& entry, const char* key, const std::string& name, int dim,
                                   std::string& path);
  /// Returns the files of the entry's `mesh_sequence`: a folder, a pattern, or a list. Empty after an issue.
  std::vector<std::string> find_sequence(const ForeignObject& entry) const;

  std::filesystem::path scene_, root_;
  std::map<std::pair<std::string, int>, std::shared_ptr<const Mesh>> loaded_;
};

/// Returns each copy of an array as a separate mesh. Its box is that of all copies, because relative values in
/// selections refer to that box.
std::vector<PolyfemMesh> copies_of(const PolyfemMesh& mesh);

/// Moves the vertices to R (scale x) + translation.
void move_mesh(const TransformDesc& transform, Mesh& mesh);

/// A face of the boundary of the elements; in 2D a side.
struct PolyfemFace {
  std::vector<int> nodes;    ///< all of its element; its corners first
  std::size_t cell = 0;      ///< its element
  std::size_t opposite = 0;  ///< the corner of the element that it does not have
};
std::vector<PolyfemFace> boundary_faces(const Mesh& mesh);

/// True if the entry is to be left out.
bool is_disabled(const ForeignObject& entry);

/// Reads `number` or `[number, ...]`: the entries up to `dim`; the others are those of `usual`.
Vec<3> polyfem_vector(const ForeignObject& from, const char* key, int dim, const Vec<3>& usual);

}  // namespace clearance
