#include "clearance/io/mesh/abaqus_includes.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/abaqus_lines.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr int most_levels = 20;                           // of files in files
constexpr std::size_t most_bytes = std::size_t{1} << 32;  // of all files together

class IncludeReader {
 public:
  explicit IncludeReader(MeshInput& input) : input_(input), folder_(fs::path(input.file()).parent_path()) {}

  void read() {
    add(input_.bytes(), "", folder_, 0);
    if (has_included_) input_.replace(std::move(text_), std::move(pieces_));
  }

 private:
  /// Adds the text of a file. `name`: as it was included, empty for the first one.
  void add(std::string_view text, const std::string& name, const fs::path& folder, int level) {
    TextCursor cursor(text);
    std::size_t copied = 0, line = 1;
    pieces_.push_back({text_.size(), name, line});
    for (; !cursor.is_at_end() && !input_.has_failed(); ++line) {
      const std::size_t begin = cursor.position();
      const std::string_view words = trimmed(cursor.take_line());
      if (!words.starts_with('*') || !is_include(words)) continue;
      text_ += text.substr(copied, begin - copied);
      copied = cursor.position();
      include(words, name, folder, level, line);
      pieces_.push_back({text_.size(), name, line + 1});
    }
    text_ += text.substr(copied);
    if (level > 0 && !text_.empty() && text_.back() != '\n') text_ += '\n';
  }

  static bool is_include(std::string_view words) {
    return without_blanks(words.substr(0, words.find(','))) == "*include";
  }

  void include(std::string_view words, const std::string& name, const fs::path& folder, int level, std::size_t line) {
    has_included_ = true;
    const auto fail = [&](std::string_view value, std::string message) {
      input_.add_issue(name.empty() ? fmt::format("line {}", line) : fmt::format("line {} of {}", line, name), value,
                       std::move(message));
    };
    AbaqusLine keyword;
    AbaqusLines(words).next(keyword);
    const std::string file = keyword.parameter("input");
    if (file.empty()) return fail("*INCLUDE", "expected the name of a file: INPUT=");
    if (level == most_levels) return fail(file, "expected files that do not include themselves");
    fs::path path = folder_ / file;
    if (!fs::exists(path)) path = folder / file;
    const MeshInput included(path);
    if (included.has_failed()) return fail(file, fmt::format("cannot include it: {}", included.issues()[0].message));
    if (text_.size() + included.bytes().size() > most_bytes)
      return fail(file, "expected files of less than 4 GiB together");
    add(included.bytes(), file, path.parent_path(), level + 1);
  }

  MeshInput& input_;
  fs::path folder_;
  bool has_included_ = false;
  std::string text_;
  std::vector<MeshInput::Piece> pieces_;
};

}  // namespace

void follow_abaqus_includes(MeshInput& input) {
  if (!input.has_failed()) IncludeReader(input).read();
}

}  // namespace clearance
