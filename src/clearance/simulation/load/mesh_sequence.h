// Positions of the vertices of a body, read from a sequence of mesh files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Finds the files `<number>.<extension>` of a folder, from `first` on, all of one format. The format is that of the
/// body's mesh (`mesh_extension`) if the first file exists in it, else another one. All `count` files must exist; if
/// `may_end`, only the first one must, and the files before the first gap are returned.
Result<std::vector<std::filesystem::path>> find_numbered_files(const std::filesystem::path& folder,
                                                               const std::string& mesh_extension, int first, int count,
                                                               bool may_end);

/// A sequence of mesh files, each with the vertices of the body's mesh. A stage of USD or Alembic is as many files as
/// it has samples.
class MeshSequence {
 public:
  MeshSequence() = default;

  /// Opens the sequence. Reads all files to check them; of a long sequence only the first and the last. Applies
  /// `transform` to the vertices of each file; null leaves them where the files have them. `metre` is the length of a
  /// metre in the scene's unit: the reader of stages converts them to metres.
  static Result<MeshSequence> open(std::vector<std::filesystem::path> files, const BodyInstance& body, int dim,
                                   const TransformDesc* transform, double metre);

  /// Returns the vertices of the body [m] at a place in the sequence: 0 is the first file, 1.25 is a quarter of the way
  /// from the second to the third, and a place beyond the end is the last file. Fails if a file can no longer be read.
  Result<std::vector<Vec<3>>> positions(double place) const;

 private:
  Result<std::vector<Vec<3>>> read(std::size_t file) const;
  Issues check_files() const;

  /// A file, or a sample of a stage, whose vertices are read once.
  struct Entry {
    std::filesystem::path file;
    std::shared_ptr<const std::vector<Vec<3>>> vertices;
  };

  std::vector<Entry> files_;
  int dim_ = 3;
  std::size_t num_file_vertices_ = 0;
  std::vector<int> source_vertex_;       // number in the file per vertex of the body
  Mat<3> linear_ = Mat<3>::Identity();   // x = linear v + translation
  Vec<3> translation_ = Vec<3>::Zero();  // [m] includes the offset of this copy
};

}  // namespace clearance
