// Reads .stl, a soup of triangles. Corners with the same bits become one vertex, numbered by first appearance.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clearance/base/hash.h"
#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

constexpr std::size_t header_bytes = 84;    // 80 free bytes and the number of triangles
constexpr std::size_t triangle_bytes = 50;  // normal, three corners, two attribute bytes

using Key = std::array<std::uint64_t, 3>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    Hash hash;
    hash.add(key.data(), sizeof(Key));
    return hash.value();
  }
};

class VertexMerger {
 public:
  explicit VertexMerger(Mesh& mesh) : mesh_(mesh) {}

  int find_or_add(const Vec<3>& point) {
    // Adding 0 turns -0 into 0: the same place.
    const Key key{std::bit_cast<std::uint64_t>(point[0] + 0.0), std::bit_cast<std::uint64_t>(point[1] + 0.0),
                  std::bit_cast<std::uint64_t>(point[2] + 0.0)};
    const auto [entry, is_new] = index_.try_emplace(key, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(point);
    return entry->second;
  }

 private:
  Mesh& mesh_;
  std::unordered_map<Key, int, KeyHash> index_;
};

// ---- binary files

/// Layout of the records of the triangles in a binary file.
struct BinaryLayout {
  std::uint64_t num_triangles = 0;
  bool has_payloads = false;  ///< each record is followed by as many bytes as its attribute says
};

std::uint16_t attribute_of(std::string_view bytes, std::size_t record) {
  return load_number<std::uint16_t>(bytes.data() + record + triangle_bytes - 2, is_swapped(std::endian::little));
}

/// True if the attribute is a length, which is so if all lengths lead to the end of the file. Most files keep a colour
/// or nothing in it.
bool has_payloads(std::string_view bytes, std::uint64_t num_triangles) {
  std::size_t record = header_bytes;
  for (std::uint64_t t = 0; t < num_triangles; ++t) {
    if (record + triangle_bytes > bytes.size()) return false;
    record += triangle_bytes + attribute_of(bytes, record);
  }
  return record == bytes.size();
}

bool read_corner(std::string_view bytes, std::size_t place, Vec<3>& point) {
  for (std::size_t k = 0; k < 3; ++k) {
    point[static_cast<int>(k)] =
        static_cast<double>(load_number<float>(bytes.data() + place + 4 * k, is_swapped(std::endian::little)));
  }
  return point.allFinite();
}

/// True if these 50 bytes could be a triangle: its corners differ, and its normal is missing or has the length 1.
/// Zeros, text and other data do not pass this test.
bool looks_like_triangle(std::string_view bytes, std::size_t record) {
  Vec<3> normal, a, b, c;
  const bool is_finite = read_corner(bytes, record, normal) && read_corner(bytes, record + 12, a) &&
                         read_corner(bytes, record + 24, b) && read_corner(bytes, record + 36, c);
  if (!is_finite || a == b || b == c || c == a) return false;
  constexpr double rounding = 1e-2;  // some programs write few digits
  return normal.isZero() || std::abs(normal.norm() - 1.0) < rounding;
}

/// Counts the records that could be triangles, up to `num_triangles` and to the end of the file.
std::uint64_t count_likely_triangles(std::string_view bytes, const BinaryLayout& layout) {
  std::uint64_t count = 0;
  std::size_t record = header_bytes;
  for (std::uint64_t t = 0; t < layout.num_triangles && record + triangle_bytes <= bytes.size(); ++t) {
    if (looks_like_triangle(bytes, record)) ++count;
    record += triangle_bytes + (layout.has_payloads ? attribute_of(bytes, record) : 0);
  }
  return count;
}

/// Counts the whole records behind the last triangle if some of them could be triangles too; returns 0 if none could.
std::uint64_t count_triangles_behind(std::string_view bytes, std::size_t end) {
  std::uint64_t count = 0;
  bool has_triangle = false;
  for (; end + triangle_bytes <= bytes.size(); end += triangle_bytes, ++count) {
    has_triangle = has_triangle || looks_like_triangle(bytes, end);
  }
  return has_triangle ? count : 0;
}

/// True if the bytes are a whole binary file, to the last byte.
bool is_exact_file(std::string_view bytes) {
  if (bytes.size() < header_bytes) return false;
  const auto num_triangles = load_number<std::uint32_t>(bytes.data() + 80, is_swapped(std::endian::little));
  return num_triangles > 0 && bytes.size() == header_bytes + std::uint64_t{triangle_bytes} * num_triangles;
}

bool find_binary_layout(MeshInput& input, BinaryLayout& layout) {
  const std::string_view bytes = input.bytes();
  layout.num_triangles = load_number<std::uint32_t>(bytes.data() + 80, is_swapped(std::endian::little));
  const std::uint64_t end = header_bytes + std::uint64_t{triangle_bytes} * layout.num_triangles;
  const auto fail = [&](const std::string& message) {
    input.add_issue_at_byte(80, fmt::format("{}", layout.num_triangles), message);
    return false;
  };
  if (end > bytes.size()) {
    return fail(
        fmt::format("expected the number of triangles: this many triangles need {} bytes, but the file has {}; it is "
                    "cut off, or is not a binary STL file",
                    end, bytes.size()));
  }
  layout.has_payloads = end < bytes.size() && has_payloads(bytes, layout.num_triangles);
  if (layout.has_payloads) return true;
  if (count_likely_triangles(bytes, {layout.num_triangles, true}) > count_likely_triangles(bytes, layout)) {
    return fail(
        "expected the number of triangles, each with as many extra bytes as its attribute says: the file is cut off");
  }
  if (end == bytes.size()) return true;
  // Programs append zeros, blanks and notes, which are ignored.
  if (is_exact_file(bytes.substr(end))) return fail("expected one binary STL file: a second one follows its triangles");
  const std::uint64_t behind = count_triangles_behind(bytes, end);
  if (behind == 0) return true;
  return fail(
      fmt::format("expected the number of triangles: the file holds {} more triangles after the last one; correct the "
                  "number (bytes 80 to 83)",
                  behind));
}

void read_binary(MeshInput& input, Mesh& mesh) {
  BinaryLayout layout;
  if (!find_binary_layout(input, layout)) return;
  const std::string_view bytes = input.bytes();
  VertexMerger merger(mesh);
  std::size_t record = header_bytes;
  for (std::uint64_t t = 0; t < layout.num_triangles && !input.is_full(); ++t) {
    std::array<int, 3> triangle{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t place = record + 12 * (corner + 1);
      Vec<3> point;
      if (!read_corner(bytes, place, point)) {
        const std::size_t k = std::isfinite(point[0]) ? (std::isfinite(point[1]) ? 2 : 1) : 0;
        return input.add_issue_at_byte(place + 4 * k, fmt::format("{}", point[static_cast<int>(k)]),
                                       "expected a finite coordinate");
      }
      triangle[corner] = merger.find_or_add(point);
    }
    mesh.triangles.push_back(triangle);
    record += triangle_bytes + (layout.has_payloads ? attribute_of(bytes, record) : 0);
  }
}

// ---- text files

/// True if every edge has an even number of triangles. Edges of the length 0 are ignored.
bool is_closed(const Mesh& mesh) {
  std::vector<std::array<int, 2>> edges;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[k];
      const int b = t[(k + 1) % 3];
      if (a != b) edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(edges.begin(), edges.end());
  for (auto edge = edges.begin(); edge != edges.end();) {
    const auto next = std::upper_bound(edge, edges.end(), *edge);
    if ((next - edge) % 2 != 0) return false;
    edge = next;
  }
  return true;
}

/// Reads `solid NAME`, facets, `endsolid NAME`, any number of times; words may be on any lines, in letters of any case.
class StlTextReader {
 public:
  StlTextReader(MeshInput& input, Mesh& mesh) : input_(input), mesh_(mesh), merger_(mesh), cursor_(input.bytes()) {}

  void read() {
    bool is_open = false;
    for (std::string keyword = next(); !keyword.empty(); keyword = next()) {
      if (keyword == "solid") {
        is_open = true;
        skip_name();
      } else if (keyword == "endsolid" && is_open) {
        is_open = false;
        skip_name();
      } else if (keyword == "facet" && is_open) {
        if (!read_facet()) skip_facet();
        if (input_.is_full()) return;
      } else {
        return fail(is_open ? "expected facet or endsolid" : "expected solid or the end of the file");
      }
    }
    // Some programs omit the last word. A file that was cut between two facets looks the same, but its surface is open.
    if (is_open && !input_.has_failed() && !is_closed(mesh_)) {
      fail(
          fmt::format("expected endsolid: the file ends after {} triangles, and their surface is open, so that it "
                      "seems to be cut off. If the file is complete, add a line endsolid",
                      mesh_.triangles.size()));
    }
  }

 private:
  void fail(std::string message) { input_.add_issue_at_line(cursor_.word_position(), word_, std::move(message)); }

  /// Returns the next word in small letters; `end loop` and the like are one word.
  std::string next() {
    word_ = cursor_.next();
    std::string keyword = to_lower(word_);
    if (keyword == "end") {
      word_ = cursor_.next();
      keyword += to_lower(word_);
    }
    return keyword;
  }

  /// Skips to the end of the facet after a problem, so that problems of other facets are reported as well.
  void skip_facet() {
    std::string keyword = next();
    while (!keyword.empty() && keyword != "endfacet") keyword = next();
  }

  bool expect(const std::string& found, std::string_view expected) {
    if (found == expected) return true;
    fail(found.empty() ? fmt::format("expected {}: the file ends within a facet, so it is cut off", expected)
                       : fmt::format("expected {}", expected));
    return false;
  }

  /// Skips a name. It extends to the end of the line, unless a facet or a solid follows on that line.
  void skip_name() {
    for (TextCursor peek = cursor_;; cursor_ = peek) {
      const std::string_view found = peek.next_in_line();
      const std::string word = to_lower(found);
      if (word.empty() || word == "endsolid") return;
      TextCursor behind = peek;
      const std::string following = to_lower(behind.next());
      if (word == "facet" && following == "normal") return;
      double ignored = 0.0;
      if (word == "endloop" || word == "endfacet" || (word == "vertex" && parse_real(following, ignored))) {
        word_ = found;
        return fail("expected a line break before this word: a name ends with its line");
      }
      if (word == "solid" && has_facet_in_line(behind)) return;
    }
  }

  static bool has_facet_in_line(TextCursor cursor) {
    for (std::string_view word = cursor.next_in_line(); !word.empty(); word = cursor.next_in_line()) {
      if (to_lower(word) == "facet") return true;
    }
    return false;
  }

  /// Reads the part after `facet`: a normal, which is not needed, and loops.
  bool read_facet() {
    if (!expect(next(), "normal")) return false;
    for (int k = 0; k < 3; ++k) {
      if (!is_number_of_normal(cursor_.next())) return false;
    }
    std::string keyword = next();
    if (!expect(keyword, "outer")) return false;
    for (; keyword == "outer"; keyword = next()) {
      if (!expect(next(), "loop") || !read_loop()) return false;
    }
    return expect(keyword, "endfacet");
  }

  /// True unless the word is a keyword. Programs write various words for a normal's component that is not a number.
  bool is_number_of_normal(std::string_view word) {
    word_ = word;
    const std::string keyword = to_lower(word);
    if (!keyword.empty() && keyword != "outer" && keyword != "loop" && keyword != "vertex") return true;
    fail(keyword.empty() ? "expected a number: the file ends within a facet, so it is cut off" : "expected a number");
    return false;
  }

  bool read_loop() {
    corners_.clear();
    std::string keyword = next();
    for (; keyword == "vertex"; keyword = next()) {
      Vec<3> point;
      if (!read_coordinates(cursor_, input_, 3, point)) return false;
      corners_.push_back(merger_.find_or_add(point));
    }
    if (!expect(keyword, "endloop")) return false;
    if (corners_.size() < 3) {
      input_.add_issue_at_line(cursor_.word_position(), fmt::format("{}", corners_.size()),
                               "expected at least three vertices in a loop");
      return false;
    }
    add_polygon(corners_, mesh_);
    return true;
  }

  MeshInput& input_;
  Mesh& mesh_;
  VertexMerger merger_;
  TextCursor cursor_;
  std::string_view word_;  ///< the last word, as it is in the file
  std::vector<int> corners_;
};

/// True if the file is text. Binary files may start with `solid` too, but text has no zeros, which the number of
/// triangles has.
bool is_text(std::string_view bytes) {
  TextCursor cursor(bytes);
  return to_lower(cursor.next()) == "solid" && bytes.substr(0, header_bytes).find('\0') == std::string_view::npos;
}

}  // namespace

void read_stl(MeshInput& input, Mesh& mesh) {
  const std::string_view bytes = input.bytes();
  if (is_exact_file(bytes)) return read_binary(input, mesh);
  if (is_text(bytes)) return StlTextReader(input, mesh).read();
  if (has_wide_characters(bytes)) return input.add_issue("", "", wide_characters_message);
  if (bytes.size() >= header_bytes) return read_binary(input, mesh);
  input.add_issue_at_line(0, bytes.substr(0, 20), "expected `solid` or a binary STL file");
}

}  // namespace clearance
