// The part that all readers of mesh files share: a file in memory with the problems found in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// Number of problems of one file that are reported.
inline constexpr int max_mesh_issues = 20;

/// The bytes of a file and what is wrong with them. Of problems with the same message a few are kept, the last of which
/// says how many more there are. Problems beyond max_mesh_issues are dropped.
class MeshInput {
 public:
  /// Reads the whole file. An unreadable file is reported as a problem.
  explicit MeshInput(const std::filesystem::path& path);
  /// Wraps the bytes of a file that is already in memory.
  MeshInput(std::string file, std::string bytes) : file_(std::move(file)), bytes_(std::move(bytes)) {}

  /// A piece of the text that is from another file.
  struct Piece {
    std::size_t begin = 0;  ///< where it begins in the text
    std::string file;       ///< its name; empty for the file itself
    std::size_t line = 1;   ///< number of its first line there
  };

  const std::string& file() const { return file_; }
  std::string_view bytes() const { return bytes_; }
  const Issues& issues() const { return issues_; }
  bool has_failed() const { return !issues_.empty(); }
  /// True if further problems would be dropped, so that reading can stop.
  bool is_full() const;

  /// Sets another text, which is put together from several files. Pieces ascend, and the first one begins at 0.
  void replace(std::string bytes, std::vector<Piece> pieces);

  /// Returns the line of an offset as the place of a problem. Places are cheap in the order of the file.
  std::string place_of_line(std::size_t offset);
  void add_issue(std::string place, std::string_view value, std::string message);
  void add_issue_at_line(std::size_t offset, std::string_view value, std::string message);
  void add_issue_at_byte(std::size_t offset, std::string_view value, std::string message);

 private:
  struct Alike {
    int count = 0;
    std::size_t last = 0;  // of issues_
  };
  void load(const std::filesystem::path& path);
  /// True if a problem with this message is only counted.
  bool is_counted_only(const std::string& message) const;
  std::string file_;
  std::string bytes_;
  Issues issues_;
  std::map<std::string, Alike> alike_;  // by their message
  int num_found_ = 0;
  std::vector<Piece> pieces_ = {{0, "", 1}};
  std::size_t last_place_ = 0, last_line_ = 1;  // that place_of_line has found
};

}  // namespace clearance
