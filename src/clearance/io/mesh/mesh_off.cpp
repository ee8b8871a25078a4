// .off: http://www.geomview.org/docs/html/OFF.html, ASCII, with optional normals, colours and texture coordinates.
#include <fmt/format.h>

#include <cstdint>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// `[ST][C][N]OFF`; the word may be missing. False for the four-dimensional, n-dimensional and binary variants.
bool read_header(MeshInput& input, TextCursor& cursor) {
  const TextCursor start = cursor;
  const std::string_view word = cursor.next();
  std::string_view prefix = word;
  if (!word.ends_with("OFF")) {
    cursor = start;  // the counts at once
    return true;
  }
  prefix.remove_suffix(3);
  if (prefix.starts_with("ST")) prefix.remove_prefix(2);
  if (prefix.starts_with('C')) prefix.remove_prefix(1);
  if (prefix.starts_with('N')) prefix.remove_prefix(1);
  TextCursor peek = cursor;
  if (prefix.empty() && peek.next_in_line() != "BINARY") return true;
  input.add_issue_at_line(cursor.word_position(), word, "expected ASCII OFF in three dimensions");
  return false;
}

bool read_counts(MeshInput& input, TextCursor& cursor, std::uint64_t& num_vertices, std::uint64_t& num_faces) {
  for (std::uint64_t* count : {&num_vertices, &num_faces}) {
    const std::string_view word = cursor.next();
    // The shortest vertex is `0 0 0`, the shortest face `1 0`.
    if (parse_integer(word, *count) && is_plausible_count(*count, 3, cursor.num_bytes_left())) continue;
    input.add_issue_at_line(cursor.word_position(), word, "expected the numbers of vertices and faces that follow");
    return false;
  }
  cursor.skip_line();  // the number of edges, which nobody needs
  return true;
}

/// The next line with something on it is where the cursor stops.
void skip_empty_lines(TextCursor& cursor) {
  for (TextCursor peek = cursor; !cursor.is_at_end() && peek.next_in_line().empty(); peek = cursor) cursor.skip_line();
}

bool read_face(MeshInput& input, TextCursor& cursor, Mesh& mesh, std::vector<int>& corners) {
  std::uint64_t num_corners = 0;
  std::string_view word = cursor.next();
  if (!parse_integer(word, num_corners) || num_corners == 0 ||
      !is_plausible_count(num_corners, 1, cursor.num_bytes_left())) {
    input.add_issue_at_line(cursor.word_position(), word, "expected a face: its number of corners and their vertices");
    return false;
  }
  corners.assign(num_corners, 0);
  for (int& corner : corners) {
    word = cursor.next();
    if (parse_integer(word, corner) && corner >= 0 && static_cast<std::size_t>(corner) < mesh.vertices.size()) continue;
    input.add_issue_at_line(cursor.word_position(), word,
                            fmt::format("expected a vertex index from 0, below {}", mesh.vertices.size()));
    return !word.empty();
  }
  add_polygon(corners, mesh);
  return true;
}

}  // namespace

void read_off(MeshInput& input, Mesh& mesh) {
  TextCursor cursor(input.bytes(), '#');
  std::uint64_t num_vertices = 0;
  std::uint64_t num_faces = 0;
  if (!read_header(input, cursor) || !read_counts(input, cursor, num_vertices, num_faces)) return;
  mesh.vertices.reserve(num_vertices);
  mesh.triangles.reserve(num_faces);

  // One vertex per line: what follows its coordinates is a normal or a colour.
  for (std::uint64_t v = 0; v < num_vertices && !input.is_full(); ++v) {
    skip_empty_lines(cursor);
    if (cursor.is_at_end()) {
      return input.add_issue_at_line(cursor.position(), "",
                                     fmt::format("expected {} vertices, found {}", num_vertices, v));
    }
    Vec<3> point;
    read_coordinates_in_line(cursor, input, 3, point);
    mesh.vertices.push_back(point);
    cursor.skip_line();
  }
  std::vector<int> corners;
  for (std::uint64_t f = 0; f < num_faces && !input.is_full(); ++f) {
    if (!read_face(input, cursor, mesh, corners)) return;
    cursor.skip_line();  // a colour
  }
}

}  // namespace clearance
