// Wavefront .obj: https://paulbourke.net/dataformats/obj/
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

class ObjReader {
 public:
  ObjReader(MeshInput& input, Mesh& mesh) : input_(input), mesh_(mesh), cursor_(input.bytes(), '#') {}

  void read() {
    for (; !cursor_.is_at_end() && !input_.is_full(); cursor_.skip_line()) read_line();
    check_forward_references();
    if (!input_.has_failed()) add_unused_vertices();
  }

 private:
  /// A corner that names a vertex which comes later in the file
  struct ForwardReference {
    std::size_t offset;
    std::int64_t number;
  };

  void read_line() {
    const std::string_view keyword = cursor_.next_in_line();
    if (keyword == "v") {
      // More columns (weight, colours) follow in some files; they are of no use here.
      Vec<3> point;
      if (read_coordinates_in_line(cursor_, input_, 2, point))
        mesh_.vertices.push_back(point);
      else
        mesh_.vertices.push_back(Vec<3>::Zero());  // keeps the numbers of later vertices right
    } else if (keyword == "f") {
      if (read_corners(3, "a face")) add_polygon(corners_, mesh_);
    } else if (keyword == "l") {
      if (!read_corners(2, "a line")) return;
      for (std::size_t k = 1; k < corners_.size(); ++k) mesh_.edges.push_back({corners_[k - 1], corners_[k]});
    } else if (keyword == "p") {
      if (read_corners(1, "a point")) mesh_.points.insert(mesh_.points.end(), corners_.begin(), corners_.end());
    }
    // Normals, texture coordinates, groups and materials do not shape the mesh.
  }

  /// The vertices of the corners `v`, `v/t`, `v//n` or `v/t/n` on the rest of the line
  bool read_corners(std::size_t min_corners, const char* element) {
    corners_.clear();
    const std::size_t line = cursor_.position();
    for (std::string_view word = cursor_.next_in_line(); !word.empty(); word = cursor_.next_in_line()) {
      int vertex = 0;
      if (!read_vertex(word, vertex)) return false;
      corners_.push_back(vertex);
    }
    if (corners_.size() >= min_corners) return true;
    input_.add_issue_at_line(line, fmt::format("{}", corners_.size()),
                             fmt::format("expected {} of at least {} vertices", element, min_corners));
    return false;
  }

  bool read_vertex(std::string_view word, int& vertex) {
    std::int64_t number = 0;
    if (!parse_integer(word.substr(0, word.find('/')), number)) {
      input_.add_issue_at_line(cursor_.word_position(), word, "expected a vertex number, as in 7, 7/1, 7//2 or 7/1/2");
      return false;
    }
    // Negative numbers count back from the last vertex so far.
    const auto num_vertices = static_cast<std::int64_t>(mesh_.vertices.size());
    const bool is_in_range =
        number > 0 ? number <= std::numeric_limits<int>::max() : number < 0 && -number <= num_vertices;
    if (number < -num_vertices || !is_in_range) {
      input_.add_issue_at_line(
          cursor_.word_position(), word,
          fmt::format("expected a vertex number between 1 and {} (or -{} and -1)", num_vertices, num_vertices));
      return false;
    }
    if (number > num_vertices) forward_.push_back({cursor_.word_position(), number});
    vertex = static_cast<int>(number > 0 ? number - 1 : num_vertices + number);
    return true;
  }

  void check_forward_references() {
    const auto num_vertices = static_cast<std::int64_t>(mesh_.vertices.size());
    for (const ForwardReference& reference : forward_) {
      if (reference.number <= num_vertices) continue;
      input_.add_issue_at_line(reference.offset, fmt::format("{}", reference.number),
                               fmt::format("expected a vertex number between 1 and {}", num_vertices));
    }
  }

  void add_unused_vertices() {
    std::vector<char> is_used(mesh_.vertices.size(), 0);
    const auto mark = [&](const auto& elements) {
      for (const auto& element : elements) {
        for (const int v : element) is_used[static_cast<std::size_t>(v)] = 1;
      }
    };
    mark(mesh_.triangles);
    mark(mesh_.edges);
    for (const int v : mesh_.points) is_used[static_cast<std::size_t>(v)] = 1;
    for (std::size_t v = 0; v < is_used.size(); ++v) {
      if (is_used[v] == 0) mesh_.points.push_back(static_cast<int>(v));
    }
  }

  MeshInput& input_;
  Mesh& mesh_;
  TextCursor cursor_;
  std::vector<int> corners_;
  std::vector<ForwardReference> forward_;
};

}  // namespace

void read_obj(MeshInput& input, Mesh& mesh) {
  ObjReader(input, mesh).read();
}

}  // namespace clearance
