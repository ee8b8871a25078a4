// Reads .seg: segments as in the IPC authors' scenes, lines `v x y z` and `s i j` with vertices numbered from 1.
#include <fmt/format.h>

#include <cstdint>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

std::array<int, 2> read_segment(TextCursor& cursor, MeshInput& input) {
  std::array<int, 2> segment{};
  for (int& vertex : segment) {
    const std::string_view word = cursor.next_in_line();
    if (!parse_integer(word, vertex)) {
      input.add_issue_at_line(cursor.word_position(), word, "expected a segment of two vertex numbers");
      vertex = 1;
    }
    if (vertex-- < 1) input.add_issue_at_line(cursor.word_position(), word, "expected a vertex number from 1");
  }
  skip_numbers_in_line(cursor, input, 0);
  return segment;
}

}  // namespace

void read_seg(MeshInput& input, Mesh& mesh) {
  TextCursor cursor(input.bytes(), '#');
  std::vector<std::size_t> offsets;
  for (; skip_empty_lines(cursor) && !input.is_full(); cursor.skip_line()) {
    const std::string_view word = cursor.next_in_line();
    const std::string keyword = to_lower(word);
    if (keyword == "v") {
      Vec<3> point;
      if (read_coordinates_in_line(cursor, input, 3, point)) skip_numbers_in_line(cursor, input, 0);
      mesh.vertices.push_back(point);
    } else if (keyword == "s" || keyword == "l") {
      offsets.push_back(cursor.word_position());
      mesh.edges.push_back(read_segment(cursor, input));
    } else {
      input.add_issue_at_line(cursor.word_position(), word, "expected v (a vertex) or s (a segment)");
    }
  }
  // Segments may stand before their vertices, so the range is known only now.
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  for (std::size_t e = 0; e < mesh.edges.size() && !input.is_full(); ++e) {
    for (const int vertex : mesh.edges[e]) {
      if (vertex < num_vertices) continue;
      input.add_issue_at_line(offsets[e], fmt::format("{}", vertex + 1),
                              fmt::format("expected a vertex number between 1 and {}", num_vertices));
    }
  }
}

}  // namespace clearance
