// Positions of the vertices of a body, one mesh file a step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Files `<number>.<extension>` of a folder, all of one format.
class MeshSequence {
 public:
  MeshSequence() = default;

  /// Finds the files `first` to `first + count - 1`; the format is that of the body's mesh if there is such a file. All
  /// must exist and have the vertices of the body's mesh; of long sequences only the first and last are read.
  static Result<MeshSequence> open(const std::filesystem::path& folder, const std::string& mesh_extension,
                                   const BodyInstance& body, int dim, int first, int count);

  /// [m] where the vertices of the body are; no value if the file cannot be read any more.
  Result<std::vector<Vec<3>>> positions(int number) const;

 private:
  std::filesystem::path path(int number) const { return folder_ / (std::to_string(number) + extension_); }
  Issues check_files(int first, int count) const;

  std::filesystem::path folder_;
  std::string extension_;
  int dim_ = 3;
  std::size_t num_file_vertices_ = 0;
  std::vector<int> source_vertex_;  // per vertex of the body: its number in the file
  Vec<3> offset_ = Vec<3>::Zero();  // [m] of this copy of the body
};

}  // namespace clearance
