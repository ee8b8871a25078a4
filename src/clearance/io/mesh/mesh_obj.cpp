// Reads Wavefront .obj: https://paulbourke.net/dataformats/obj/
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/geometry/element_corners.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// Statements that do not affect a mesh: numbers of textures, normals and parameters, and switches.
constexpr std::string_view passed_over[] = {
    "vt",   "vn",  "vp",   "s",    "mg",   "bevel", "c_interp", "d_interp", "lod", "cstype", "deg",   "bmat",   "step",
    "parm", "res", "trim", "hole", "scrv", "sp",    "curv2",    "con",      "end", "ctech",  "stech", "stitch", "seam"};

/// Statements whose line holds names or paths, which may be anything
constexpr std::string_view of_names[] = {"g", "o", "usemtl", "mtllib", "usemap", "maplib", "shadow_obj", "trace_obj"};

/// Statements that add geometry which a mesh cannot hold or which is in another file.
constexpr std::string_view unsupported[] = {"curv", "surf", "bzp", "bsp", "cdc", "cdp", "call", "csh"};

template <std::size_t size>
bool is_among(std::string_view keyword, const std::string_view (&keywords)[size]) {
  return std::find(std::begin(keywords), std::end(keywords), keyword) != std::end(keywords);
}

bool adds_geometry(std::string_view keyword) {
  return keyword == "v" || keyword == "f" || keyword == "fo" || keyword == "l" || keyword == "p";
}

bool is_obj_keyword(std::string_view keyword) {
  return adds_geometry(keyword) || is_among(keyword, passed_over) || is_among(keyword, of_names) ||
         is_among(keyword, unsupported);
}

bool ends_with_backslash(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t");
  return last != std::string_view::npos && line[last] == '\\';
}

class ObjReader {
 public:
  enum class Vertices { positions, texture };

  ObjReader(MeshInput& input, Vertices vertices, Mesh& mesh)
      : input_(input), vertices_(vertices), mesh_(mesh), cursor_(input.bytes(), '#') {}

  void read() {
    while (!cursor_.is_at_end() && !input_.is_full()) read_line();
    check_forward_references();
    if (!input_.has_failed()) add_unused_vertices();
  }

 private:
  /// A corner that refers to a vertex which comes later in the file.
  struct ForwardReference {
    std::size_t offset;
    std::int64_t number;
  };

  void read_line() {
    const std::string_view word = cursor_.next_in_line();
    const std::string keyword = to_lower(word);
    if (is_among(keyword, of_names)) return pass_over_names();
    if (!keyword.empty()) read_statement(keyword, word);
    // Problems of the line have been reported, so its remaining words are skipped.
    while (!cursor_.next_in_line().empty()) continue;
    cursor_.skip_line();
  }

  void read_statement(const std::string& keyword, std::string_view word) {
    const bool is_texture = vertices_ == Vertices::texture;
    if (keyword == (is_texture ? "vt" : "v")) {
      read_coordinates_of_vertex();
    } else if (is_texture && keyword == "v") {
      pass_over_numbers();
    } else if (keyword == "f" || keyword == "fo") {
      if (read_corners(3, "a face")) add_polygon(corners_, mesh_);
    } else if (keyword == "l") {
      if (!read_corners(2, "a line")) return;
      for (std::size_t k = 1; k < corners_.size(); ++k) mesh_.edges.push_back({corners_[k - 1], corners_[k]});
    } else if (keyword == "p") {
      if (read_corners(1, "a point")) mesh_.points.insert(mesh_.points.end(), corners_.begin(), corners_.end());
    } else if (is_among(keyword, passed_over)) {
      pass_over_numbers();
    } else if (is_among(keyword, unsupported)) {
      input_.add_issue_at_line(
          cursor_.word_position(), word,
          "expected vertices, faces, lines and points: curved surfaces, patches and other files are "
          "not supported");
    } else {
      input_.add_issue_at_line(
          cursor_.word_position(), word,
          "this keyword of .obj files is not known; expected a known one such as v or f (comments start with #)");
    }
  }

  void read_coordinates_of_vertex() {
    // A weight, a colour and its opacity follow in some files; they are ignored.
    constexpr int max_further_columns = 5;
    Vec<3> point;
    if (read_coordinates_in_line(cursor_, input_, 2, point)) skip_numbers_in_line(cursor_, input_, max_further_columns);
    // The third coordinate of a texture is a depth.
    if (vertices_ == Vertices::texture) point[2] = 0.0;
    mesh_.vertices.push_back(point);  // a bad vertex is kept, so that the numbers of later ones stay right
  }

  /// Passes over numbers and switches. A keyword of geometry here has lost its line break, and its geometry would be
  /// lost too.
  void pass_over_numbers() {
    for (std::string_view word = cursor_.next_in_line(); !word.empty(); word = cursor_.next_in_line()) {
      if (!adds_geometry(to_lower(word))) continue;
      return input_.add_issue_at_line(cursor_.word_position(), word, "expected a line break before this keyword");
    }
  }

  /// Passes over names. A backslash at their end joins the next line, unless that starts with a keyword: Windows paths
  /// may end with a backslash.
  void pass_over_names() {
    while (ends_with_backslash(cursor_.take_line())) {
      TextCursor peek = cursor_;
      if (is_obj_keyword(to_lower(peek.next_in_line()))) return;
    }
  }

  /// Reads the vertices of the corners `v`, `v/t`, `v//n` or `v/t/n` on the rest of the line.
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

  /// Returns the part of a corner `v/t/n` that refers to the vertices of the mesh.
  std::string_view number_in(std::string_view word) const {
    const std::size_t slash = word.find('/');
    if (vertices_ == Vertices::positions) return word.substr(0, slash);
    if (slash == std::string_view::npos) return {};
    const std::string_view rest = word.substr(slash + 1);
    return rest.substr(0, rest.find('/'));
  }

  bool read_vertex(std::string_view word, int& vertex) {
    std::int64_t number = 0;
    if (!parse_integer(number_in(word), number)) {
      input_.add_issue_at_line(cursor_.word_position(), word,
                               vertices_ == Vertices::texture
                                   ? "expected a corner with texture coordinates, as in 7/1 or 7/1/2"
                                   : "expected a vertex number, as in 7, 7/1, 7//2 or 7/1/2");
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
    mark_corners(mesh_.triangles, is_used);
    mark_corners(mesh_.edges, is_used);
    for (const int v : mesh_.points) is_used[v] = 1;
    for (std::size_t v = 0; v < is_used.size(); ++v) {
      if (is_used[v] == 0) mesh_.points.push_back(static_cast<int>(v));
    }
  }

  MeshInput& input_;
  Vertices vertices_;
  Mesh& mesh_;
  TextCursor cursor_;
  std::vector<int> corners_;
  std::vector<ForwardReference> forward_;
};

}  // namespace

void read_obj(MeshInput& input, Mesh& mesh) {
  ObjReader(input, ObjReader::Vertices::positions, mesh).read();
}

void read_obj_texture(MeshInput& input, Mesh& mesh) {
  ObjReader(input, ObjReader::Vertices::texture, mesh).read();
}

}  // namespace clearance
