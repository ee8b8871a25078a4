// TetGen .node and .ele: https://wias-berlin.de/software/tetgen/fformats.html. Triangle's files, which have two
// coordinates and three corners, are read as well.
#include <fmt/format.h>

#include <cstdint>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// `count name name` at the start of both files
bool read_header(MeshInput& input, TextCursor& cursor, const char* expected, std::uint64_t& count, int& size) {
  std::string_view word = cursor.next();
  const bool has_count = parse_integer(word, count) && is_plausible_count(count, 4, cursor.num_bytes_left());
  if (has_count) word = cursor.next_in_line();
  if (has_count && parse_integer(word, size)) {
    cursor.skip_line();
    return true;
  }
  input.add_issue_at_line(cursor.word_position(), word, expected);
  return false;
}

bool read_nodes(MeshInput& input, Mesh& mesh, int& first_number, int& dim) {
  TextCursor cursor(input.bytes(), '#');
  std::uint64_t count = 0;
  if (!read_header(input, cursor, "expected the number of nodes that follow, then the dimension", count, dim))
    return false;
  if (dim != 2 && dim != 3) {
    input.add_issue_at_line(cursor.word_position(), fmt::format("{}", dim), "expected the dimension 2 or 3");
    return false;
  }
  mesh.vertices.reserve(count);
  for (std::uint64_t v = 0; v < count && !input.is_full(); ++v) {
    // Numbering starts at 0 or 1, as the first node says.
    const std::string_view word = cursor.next();
    std::int64_t number = 0;
    const bool is_number = parse_integer(word, number);
    if (v == 0 && is_number && (number == 0 || number == 1)) first_number = static_cast<int>(number);
    if (!is_number || number != static_cast<std::int64_t>(v) + first_number) {
      input.add_issue_at_line(cursor.word_position(), word,
                              fmt::format("expected node {}", v + static_cast<std::uint64_t>(first_number)));
      return false;
    }
    Vec<3> point;
    if (!read_coordinates(cursor, input, dim, point) && cursor.is_at_end()) return false;
    mesh.vertices.push_back(point);
    cursor.skip_line();  // attributes and marker
  }
  return true;
}

/// The four or three corners of one element; false at the end of the file
bool read_element(MeshInput& input, TextCursor& cursor, int num_vertices, int first_number, std::span<int> corners) {
  std::string_view word = cursor.next();
  for (int& corner : corners) {
    word = cursor.next_in_line();
    const bool is_number = parse_integer(word, corner);
    if (is_number && corner >= first_number && corner - first_number < num_vertices) {
      corner -= first_number;
      continue;
    }
    corner = 0;
    input.add_issue_at_line(
        cursor.word_position(), word,
        fmt::format("expected a node number between {} and {}", first_number, num_vertices - 1 + first_number));
    return !cursor.is_at_end();
  }
  return true;
}

void read_elements(MeshInput& input, Mesh& mesh, int first_number, int dim) {
  TextCursor cursor(input.bytes(), '#');
  std::uint64_t count = 0;
  int num_corners = 0;
  if (!read_header(input, cursor, "expected the number of elements that follow, then their number of corners", count,
                   num_corners)) {
    return;
  }
  if (num_corners != dim + 1) {
    return input.add_issue_at_line(0, fmt::format("{}", num_corners),
                                   fmt::format("expected elements of {} corners: only order 1 is supported", dim + 1));
  }
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  for (std::uint64_t e = 0; e < count && !input.is_full(); ++e, cursor.skip_line()) {
    std::array<int, 4> corners{};
    const std::span<int> used(corners.data(), static_cast<std::size_t>(num_corners));
    if (!read_element(input, cursor, num_vertices, first_number, used)) return;
    if (num_corners == 4)
      mesh.tets.push_back(corners);
    else
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
  }
}

}  // namespace

void read_tetgen(MeshInput& nodes, MeshInput* elements, Mesh& mesh) {
  int first_number = 0;
  int dim = 3;
  if (read_nodes(nodes, mesh, first_number, dim) && elements != nullptr)
    read_elements(*elements, mesh, first_number, dim);
}

}  // namespace clearance
