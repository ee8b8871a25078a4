// Reads TetGen's .node and .ele: https://wias-berlin.de/software/tetgen/fformats.html. Triangle's files, which have two
// coordinates and three corners, are read as well. Both files are a header and records; a record stands on a line of
// its own, where further columns may follow, or the words fill lines at will and have just the columns of the header.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// One of the two files: `count size attributes markers`, then the records. The last numbers of the header may be
/// missing; elements have no markers.
class RecordFile {
 public:
  RecordFile(MeshInput& input, const char* records) : input_(input), records_(records), cursor_(input.bytes(), '#') {}

  std::uint64_t count() const { return count_; }
  /// Returns the dimension of nodes, or the number of corners of elements.
  int size() const { return size_; }

  bool read_header(const char* expected, int num_optional) {
    std::string_view word = cursor_.next();
    const bool has_count = parse_integer(word, count_) && is_plausible_count(count_, 4, cursor_.num_bytes_left());
    if (has_count) word = cursor_.next_in_line();
    if (!has_count || !parse_integer(word, size_)) return fail(word, expected);
    for (int k = 0; k < num_optional; ++k) {
      std::uint16_t num_columns = 0;
      word = cursor_.next_in_line();
      if (word.empty()) break;
      if (!parse_integer(word, num_columns)) return fail(word, "expected a number of attributes or markers");
      num_further_columns_ += num_columns;
    }
    return true;
  }

  /// Finds the layout. Call it before the first record, which has its number and `num_words` words more.
  void find_layout(int num_words) {
    layout_ = RecordLayout::words;
    TextCursor next_line = cursor_;
    if (!next_line.next_in_line().empty()) return;
    next_line.skip_line();
    layout_ = find_record_layout(next_line, count_, static_cast<std::uint64_t>(num_words) + 1);
    cursor_ = next_line;
  }

  /// Starts a record. Returns false, with the problem reported, if there is none left.
  bool start_record() {
    if (skip_empty_lines(cursor_)) {
      ++num_read_;
      return true;
    }
    input_.add_issue_at_line(cursor_.position(), "",
                             fmt::format("expected {} {}, found {}", count_, records_, num_read_));
    return false;
  }
  std::string_view next_word() { return layout_ == RecordLayout::lines ? cursor_.next_in_line() : cursor_.next(); }
  std::size_t word_position() const { return cursor_.word_position(); }

  bool read_point(int dim, Vec<3>& point) {
    if (layout_ == RecordLayout::words) return read_coordinates(cursor_, input_, dim, point);
    return read_coordinates_in_line(cursor_, input_, dim, point, dim);
  }

  /// Skips attributes and markers, which are not needed.
  bool finish_record() {
    if (layout_ == RecordLayout::lines) {
      const bool is_good = skip_numbers_in_line(cursor_, input_, std::numeric_limits<int>::max());
      cursor_.skip_line();
      return is_good;
    }
    for (int k = 0; k < num_further_columns_; ++k) {
      double ignored = 0.0;
      const std::string_view word = cursor_.next();
      if (!parse_real(word, ignored)) return fail(word, "expected an attribute or a marker");
    }
    return true;
  }

  void check_end() {
    const std::string_view word = cursor_.next();
    if (!word.empty()) fail(word, fmt::format("expected the end of the file after {} {}", count_, records_));
  }

  bool fail(std::string_view value, std::string message) {
    input_.add_issue_at_line(cursor_.word_position(), value, std::move(message));
    return false;
  }

 private:
  MeshInput& input_;
  const char* records_;
  TextCursor cursor_;
  RecordLayout layout_ = RecordLayout::lines;
  std::uint64_t count_ = 0;
  std::uint64_t num_read_ = 0;
  int size_ = 0;
  int num_further_columns_ = 0;
};

bool read_nodes(MeshInput& input, Mesh& mesh, int& first_number, int& dim) {
  RecordFile file(input, "nodes");
  if (!file.read_header("expected the number of nodes that follow, then the dimension", 2)) return false;
  dim = file.size();
  if (dim != 2 && dim != 3) return file.fail(fmt::format("{}", dim), "expected the dimension 2 or 3");
  file.find_layout(dim);
  mesh.vertices.reserve(file.count());
  for (std::uint64_t v = 0; v < file.count() && !input.is_full(); ++v) {
    if (!file.start_record()) return false;
    // Numbering starts at 0 or 1; the first node decides.
    const std::string_view word = file.next_word();
    std::int64_t number = 0;
    const bool is_number = parse_integer(word, number);
    if (v == 0 && is_number && (number == 0 || number == 1)) first_number = static_cast<int>(number);
    if (!is_number || number != static_cast<std::int64_t>(v) + first_number) {
      return file.fail(word, fmt::format("expected node {}", v + static_cast<std::uint64_t>(first_number)));
    }
    Vec<3> point;
    const bool is_good = file.read_point(dim, point);
    if (!file.finish_record() && !is_good) return false;
    mesh.vertices.push_back(point);
  }
  if (!input.has_failed()) file.check_end();
  return !input.has_failed();
}

/// Reads the four or three corners of one element.
bool read_corners(RecordFile& file, int num_vertices, int first_number, std::span<int> corners) {
  for (int& corner : corners) {
    const std::string_view word = file.next_word();
    const bool is_number = parse_integer(word, corner);
    if (!is_number || corner < first_number || corner - first_number >= num_vertices) {
      return file.fail(
          word, fmt::format("expected a node number between {} and {}", first_number, num_vertices - 1 + first_number));
    }
    corner -= first_number;
  }
  return true;
}

void read_elements(MeshInput& input, Mesh& mesh, int first_number, int dim) {
  RecordFile file(input, "elements");
  if (!file.read_header("expected the number of elements that follow, then their number of corners", 1)) return;
  const int num_corners = file.size();
  if (num_corners != dim + 1) {
    return input.add_issue_at_line(0, fmt::format("{}", num_corners),
                                   fmt::format("expected elements of {} corners: only order 1 is supported", dim + 1));
  }
  file.find_layout(num_corners);
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  for (std::uint64_t e = 0; e < file.count() && !input.is_full(); ++e) {
    if (!file.start_record()) return;
    std::int64_t number = 0;
    if (const std::string_view word = file.next_word(); !parse_integer(word, number)) {
      return static_cast<void>(file.fail(word, "expected the number of an element"));
    }
    std::array<int, 4> corners{};
    const std::span<int> used(corners.data(), num_corners);
    if (!read_corners(file, num_vertices, first_number, used) || !file.finish_record()) return;
    if (num_corners == 4)
      mesh.tets.push_back(corners);
    else
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
  }
  if (!input.has_failed()) file.check_end();
}

}  // namespace

void read_tetgen(MeshInput& nodes, MeshInput* elements, Mesh& mesh) {
  int first_number = 0;
  int dim = 3;
  if (read_nodes(nodes, mesh, first_number, dim) && elements != nullptr)
    read_elements(*elements, mesh, first_number, dim);
}

}  // namespace clearance
