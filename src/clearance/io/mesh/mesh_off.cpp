// Reads .off: http://www.geomview.org/docs/html/OFF.html, ASCII, with optional normals, colours and texture
// coordinates. The format is a sequence of words, but colours of faces end with their line. Files as ModelNet's join
// the header word and the first count (`OFF8 12 0`); others leave out the number of edges.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// Columns after the coordinates of a vertex, as the header word gives them. Files with other columns have a vertex per
/// line.
struct VertexColumns {
  bool has_texture = false;
  bool has_colour = false;
  bool has_normal = false;
};

/// Parses `[ST][C][N]OFF` in letters of any case and removes the understood part from `word`. Returns nothing for other
/// variants.
std::optional<VertexColumns> parse_header_word(std::string_view& word) {
  if (word.starts_with("nOFF")) return std::nullopt;  // n dimensions; only the case tells it from normals
  const std::string lower = to_lower(word);
  std::string_view rest = lower;
  const auto take = [&](std::string_view start) {
    if (!rest.starts_with(start)) return false;
    rest.remove_prefix(start.size());
    return true;
  };
  VertexColumns columns;
  columns.has_texture = take("st");
  columns.has_colour = take("c");
  columns.has_normal = take("n");
  if (!take("off")) return std::nullopt;
  word.remove_prefix(word.size() - rest.size());
  return columns;
}

class OffReader {
 public:
  OffReader(MeshInput& input, Mesh& mesh) : input_(input), mesh_(mesh), cursor_(input.bytes(), '#') {}

  void read() {
    if (!read_header() || !read_counts()) return;
    mesh_.vertices.reserve(num_vertices_);
    mesh_.triangles.reserve(num_faces_);
    // A truncated or wrong file is read by lines where possible, because its problems can then be reported better.
    const int num_columns = has_record_per_line() ? 0 : find_num_columns();
    TextCursor peek = cursor_;
    if (num_columns == 0 && skip_line_of_counts(peek))
      read_lines();
    else
      read_words(num_columns);
    if (!input_.has_failed()) check_end();
  }

 private:
  void fail(std::string_view value, std::string message) {
    input_.add_issue_at_line(cursor_.word_position(), value, std::move(message));
  }
  bool refuse(std::string_view value, std::string message) {
    fail(value, std::move(message));
    return false;
  }

  /// Reads the header. Its word may be missing, and the first count may be joined to it.
  bool read_header() {
    const TextCursor start = cursor_;
    const std::string_view word = cursor_.next();
    first_count_ = word;
    std::uint64_t ignored = 0;
    if (parse_integer(word, ignored)) {
      cursor_ = start;
      first_count_ = {};
      return true;
    }
    const std::optional<VertexColumns> columns = parse_header_word(first_count_);
    if (!columns) {
      return refuse(word, "expected OFF in three dimensions: OFF, COFF, NOFF, STOFF or their combinations (STCNOFF)");
    }
    columns_ = *columns;
    TextCursor peek = cursor_;
    if (to_lower(peek.next()) == "binary" || to_lower(first_count_) == "binary") {
      return refuse("BINARY", "expected ASCII OFF: the binary variant is not supported");
    }
    return true;
  }

  bool read_counts() {
    for (std::uint64_t* count : {&num_vertices_, &num_faces_}) {
      TextCursor peek = cursor_;
      are_counts_in_line_ = !peek.next_in_line().empty();
      const bool is_joined = count == &num_vertices_ && !first_count_.empty();
      const std::string_view word = is_joined ? first_count_ : cursor_.next();
      // The shortest vertex is `0 0 0`, the shortest face `1 0`.
      if (parse_integer(word, *count) && is_plausible_count(*count, 3, cursor_.num_bytes_left())) continue;
      return refuse(word, "expected the numbers of vertices and faces that follow");
    }
    return true;
  }

  // ---- a record per line

  /// Skips the rest of the line of counts: the number of edges, which is not needed, or nothing.
  bool skip_line_of_counts(TextCursor& cursor) const {
    std::uint64_t num_edges = 0;
    const std::string_view word = cursor.next_in_line();
    if (!word.empty() && (!parse_integer(word, num_edges) || !cursor.next_in_line().empty())) return false;
    cursor.skip_line();
    return true;
  }

  /// True if every non-empty line holds a vertex or a face, or if the number of lines is right and some are too short.
  bool has_record_per_line() const {
    TextCursor cursor = cursor_;
    if (!skip_line_of_counts(cursor)) return false;
    if (count_lines(cursor) == num_vertices_ + num_faces_) return true;
    for (std::uint64_t v = 0; v < num_vertices_; ++v) {
      if (!skip_empty_lines(cursor) || !has_words(cursor, 3)) return false;
    }
    for (std::uint64_t f = 0; f < num_faces_; ++f) {
      std::uint64_t num_corners = 0;
      if (!skip_empty_lines(cursor) || !parse_integer(cursor.next_in_line(), num_corners)) return false;
      if (!has_words(cursor, num_corners)) return false;
    }
    return true;
  }

  /// True if the line has that many words; goes to the next line in that case.
  static bool has_words(TextCursor& cursor, std::uint64_t num_words) {
    for (std::uint64_t k = 0; k < num_words; ++k) {
      if (cursor.next_in_line().empty()) return false;
    }
    cursor.skip_line();
    return true;
  }

  void read_lines() {
    skip_line_of_counts(cursor_);
    // The coordinates may be followed by texture, colour and normal: at most nine numbers.
    constexpr int max_further_columns = 9;
    for (std::uint64_t v = 0; v < num_vertices_ && !input_.is_full(); ++v) {
      if (!skip_empty_lines(cursor_)) return fail_at_end(v, num_vertices_, "vertices");
      Vec<3> point;
      if (read_coordinates_in_line(cursor_, input_, 3, point))
        skip_numbers_in_line(cursor_, input_, max_further_columns);
      mesh_.vertices.push_back(point);
      cursor_.skip_line();
    }
    constexpr int max_colour_columns = 4;
    for (std::uint64_t f = 0; f < num_faces_ && !input_.is_full(); ++f) {
      if (!skip_empty_lines(cursor_)) return fail_at_end(f, num_faces_, "faces");
      if (read_face([&] { return cursor_.next_in_line(); })) skip_numbers_in_line(cursor_, input_, max_colour_columns);
      cursor_.skip_line();
    }
  }

  // ---- words on any lines

  void read_words(int num_columns) {
    for (std::uint64_t v = 0; v < num_vertices_; ++v) {
      Vec<3> point;
      if (!read_coordinates(cursor_, input_, 3, point)) {
        return cursor_.is_at_end() ? fail_at_end(v, num_vertices_, "vertices") : void();
      }
      for (int k = 3; k < num_columns; ++k) {
        double ignored = 0.0;
        const std::string_view word = cursor_.next();
        if (!parse_real(word, ignored)) return fail(word, "expected a number: a normal, a colour or a texture");
      }
      mesh_.vertices.push_back(point);
    }
    for (std::uint64_t f = 0; f < num_faces_; ++f) {
      TextCursor peek = cursor_;
      if (peek.next().empty()) return fail_at_end(f, num_faces_, "faces");
      if (!read_face([&] { return cursor_.next(); })) return;
    }
  }

  /// Returns the number of vertex columns with which the faces end at the end of the file, or 0 if there is none, and
  /// passes over the number of edges. Colours have three or four numbers, depending on the program. The number of edges
  /// may be missing only if the line of counts ends without it: otherwise a file that lost a number would be read with
  /// all its numbers shifted.
  int find_num_columns() {
    const int num_others = (columns_.has_texture ? 2 : 0) + (columns_.has_normal ? 3 : 0);
    const TextCursor without_edges = cursor_;
    TextCursor with_edges = cursor_;
    TextCursor peek = cursor_;
    with_edges.next();
    const bool may_lack_edges = are_counts_in_line_ && peek.next_in_line().empty();
    for (const TextCursor& start : {with_edges, may_lack_edges ? without_edges : with_edges}) {
      for (const int num_colours : {columns_.has_colour ? 4 : 0, columns_.has_colour ? 3 : 0}) {
        if (!ends_with_faces(start, 3 + num_others + num_colours)) continue;
        cursor_ = start;
        return 3 + num_others + num_colours;
      }
    }
    return 0;
  }

  bool ends_with_faces(TextCursor cursor, int num_columns) const {
    for (std::uint64_t k = 0; k < num_vertices_ * static_cast<std::uint64_t>(num_columns); ++k) {
      if (cursor.next().empty()) return false;
    }
    for (std::uint64_t f = 0; f < num_faces_; ++f) {
      std::uint64_t num_corners = 0;
      if (!parse_integer(cursor.next(), num_corners) || num_corners == 0) return false;
      for (std::uint64_t k = 0; k < num_corners; ++k) {
        std::uint64_t corner = 0;
        if (!parse_integer(cursor.next(), corner) || corner >= num_vertices_) return false;
      }
    }
    return cursor.next().empty();
  }

  // ---- both

  template <class NextWord>
  bool read_face(NextWord&& next_word) {
    std::uint64_t num_corners = 0;
    std::string_view word = next_word();
    if (!parse_integer(word, num_corners) || num_corners == 0 ||
        !is_plausible_count(num_corners, 1, cursor_.num_bytes_left())) {
      return refuse(word, "expected a face: its number of corners and their vertices");
    }
    corners_.assign(num_corners, 0);
    for (int& corner : corners_) {
      word = next_word();
      if (parse_integer(word, corner) && corner >= 0 && corner < std::ssize(mesh_.vertices)) {
        continue;
      }
      return refuse(word, fmt::format("expected a vertex index from 0, below {}", mesh_.vertices.size()));
    }
    add_polygon(corners_, mesh_);
    return true;
  }

  void fail_at_end(std::uint64_t found, std::uint64_t promised, const char* what) {
    input_.add_issue_at_line(cursor_.position(), "", fmt::format("expected {} {}, found {}", promised, what, found));
  }

  void check_end() {
    const std::string_view word = cursor_.next();
    if (!word.empty()) {
      fail(word, fmt::format("expected the end of the file after {} vertices and {} faces", num_vertices_, num_faces_));
    }
  }

  MeshInput& input_;
  Mesh& mesh_;
  TextCursor cursor_;
  VertexColumns columns_;
  std::string_view first_count_;  ///< joined to the header word; empty if the count is a separate word
  std::uint64_t num_vertices_ = 0;
  std::uint64_t num_faces_ = 0;
  bool are_counts_in_line_ = false;  ///< the second count is on the line of the first
  std::vector<int> corners_;
};

}  // namespace

void read_off(MeshInput& input, Mesh& mesh) {
  OffReader(input, mesh).read();
}

}  // namespace clearance
