// Positions of the vertices of a body in a sequence of mesh files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Files `<number>.<extension>` of a folder, from `first` on, all of one format: that of the body's mesh
/// (`mesh_extension`) if there is such a file, else another one. All `count` of them must exist, or, if `may_end`, the
/// first; then those up to the first gap are taken.
Result<std::vector<std::filesystem::path>> find_numbered_files(const std::filesystem::path& folder,
                                                               const std::string& mesh_extension, int first, int count,
                                                               bool may_end);

/// Mesh files in their order, each with the vertices of the body's mesh.
class MeshSequence {
 public:
  MeshSequence() = default;

  /// Reads all files to check them; of long sequences only the first and last. `transform` is applied to the vertices
  /// of each file; null: they are where the files have them.
  static Result<MeshSequence> open(std::vector<std::filesystem::path> files, const BodyInstance& body, int dim,
                                   const TransformDesc* transform);

  /// [m] Vertices of the body at a place in the sequence: 0 the first file, 1.25 a quarter of the way from the second
  /// to the third, beyond its end the last. No value if a file cannot be read any more.
  Result<std::vector<Vec<3>>> positions(double place) const;

 private:
  Result<std::vector<Vec<3>>> read(std::size_t file) const;
  Issues check_files() const;

  std::vector<std::filesystem::path> files_;
  int dim_ = 3;
  std::size_t num_file_vertices_ = 0;
  std::vector<int> source_vertex_;       // per vertex of the body: its number in the file
  Mat<3> linear_ = Mat<3>::Identity();   // x = linear v + translation
  Vec<3> translation_ = Vec<3>::Zero();  // [m] with the offset of this copy of the body
};

}  // namespace clearance
