// .stl: a soup of triangles. Corners with the same bits become one vertex, numbered by first appearance.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "clearance/base/hash.h"
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

void read_binary(MeshInput& input, Mesh& mesh) {
  const std::string_view bytes = input.bytes();
  VertexMerger merger(mesh);
  const bool swapped = is_swapped(std::endian::little);
  for (std::size_t offset = header_bytes; offset < bytes.size() && !input.is_full(); offset += triangle_bytes) {
    std::array<int, 3> triangle{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t place = offset + 12 * (corner + 1);
      Vec<3> point;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto value = load_number<float>(bytes.data() + place + 4 * k, swapped);
        if (!std::isfinite(value)) {
          input.add_issue_at_byte(place + 4 * k, fmt::format("{}", value), "expected a finite coordinate");
          return;
        }
        point[static_cast<int>(k)] = static_cast<double>(value);
      }
      triangle[corner] = merger.find_or_add(point);
    }
    mesh.triangles.push_back(triangle);
  }
}

void read_ascii(MeshInput& input, Mesh& mesh) {
  TextCursor cursor(input.bytes());
  VertexMerger merger(mesh);
  std::vector<int> corners;
  for (; !cursor.is_at_end() && !input.is_full(); cursor.skip_line()) {
    const std::string_view word = cursor.next_in_line();
    const std::string keyword = to_lower(word);
    if (keyword == "vertex") {
      Vec<3> point;
      if (read_coordinates_in_line(cursor, input, 3, point)) corners.push_back(merger.find_or_add(point));
    } else if (keyword == "endloop" || keyword == "endfacet") {
      if (keyword == "endloop" && corners.size() < 3 && !input.has_failed()) {
        input.add_issue_at_line(cursor.word_position(), fmt::format("{}", corners.size()),
                                "expected at least three vertices in a loop");
      }
      if (corners.size() >= 3) add_polygon(corners, mesh);
      corners.clear();
    } else if (!keyword.empty() && keyword != "solid" && keyword != "facet" && keyword != "outer" &&
               keyword != "endsolid" && keyword != "end") {
      input.add_issue_at_line(cursor.word_position(), word, "expected facet, outer loop, vertex, endloop or endfacet");
    }
  }
  if (!corners.empty()) input.add_issue_at_line(cursor.position(), "", "expected endloop before the end of the file");
}

}  // namespace

void read_stl(MeshInput& input, Mesh& mesh) {
  const std::string_view bytes = input.bytes();
  // Binary files may start with "solid" too, so the size decides first.
  if (bytes.size() >= header_bytes) {
    const auto num_triangles = load_number<std::uint32_t>(bytes.data() + 80, is_swapped(std::endian::little));
    const std::uint64_t expected = header_bytes + std::uint64_t{triangle_bytes} * num_triangles;
    if (expected == bytes.size()) return read_binary(input, mesh);
    if (!to_lower(bytes.substr(0, 5)).starts_with("solid")) {
      return input.add_issue_at_byte(
          80, fmt::format("{}", num_triangles),
          fmt::format("expected the number of triangles: a binary file of {} bytes cannot hold it", bytes.size()));
    }
  }
  TextCursor cursor(bytes);
  if (to_lower(cursor.next()) == "solid") return read_ascii(input, mesh);
  input.add_issue_at_line(0, bytes.substr(0, 20), "expected `solid` or a binary STL file");
}

}  // namespace clearance
