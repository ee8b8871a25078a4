// Helpers of the mesh tests: a folder that disappears, small meshes, and the contract of every mesh that was read.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "clearance/geometry/curved_cells.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "support/paths.h"

namespace clearance::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("clearance_mesh_test_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string all_issues(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + "\n";
  return text;
}

/// Returns an empty text if all indices are in range and all coordinates are finite, else a description of the fault.
inline std::string find_fault(const Mesh& mesh) {
  const auto is_bad = [&](int v) { return v < 0 || v >= std::ssize(mesh.vertices); };
  if (mesh.vertices.empty()) return "no vertices";
  for (const Vec<3>& p : mesh.vertices) {
    if (!p.allFinite()) return "a coordinate is not finite";
  }
  const auto has_bad = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (const int v : element) {
        if (is_bad(v)) return true;
      }
    }
    return false;
  };
  if (has_bad(mesh.tets)) return "a tet has an index out of range";
  if (has_bad(mesh.triangles)) return "a triangle has an index out of range";
  if (has_bad(mesh.edges)) return "an edge has an index out of range";
  for (const int v : mesh.points) {
    if (is_bad(v)) return "a point has an index out of range";
  }
  return find_cell_node_fault(mesh);
}

/// Returns two tetrahedra (2D: triangles) at one face, of these orders, with nodes at places that tell them apart.
inline Mesh make_curved_mesh(int dim, std::array<int, 2> orders) {
  Mesh mesh;
  mesh.dim = dim;
  mesh.vertices = {{0.0, 0.0, 0.0}, {1.0 / 3.0, 0.01, 0.0}, {0.1, 2.0 / 7.0, 0.0}, {0.4, 0.5, 0.0}, {9.0, 9.0, 0.0}};
  if (dim == 3) mesh.vertices = {{0, 0, 0}, {1.0 / 3.0, 0.01, 0}, {0.1, 0.3, 0}, {0.1, 0.1, -0.7}, {0.2, 0.1, 0.6}};
  const std::array<std::vector<int>, 2> corners = dim == 3
                                                      ? std::array<std::vector<int>, 2>{{{0, 1, 2, 4}, {0, 2, 1, 3}}}
                                                      : std::array<std::vector<int>, 2>{{{0, 1, 2}, {1, 3, 2}}};
  for (std::size_t e = 0; e < 2; ++e) {
    Mesh single;
    single.dim = dim;
    single.vertices = mesh.vertices;
    add_cell(single, corners[e]);
    change_order(single, orders[e]);
    // (Nodes on the shared face exist once for each cell; no test here needs them to fit.)
    std::vector<int> nodes = orders[e] == 1 ? corners[e] : single.cell_nodes;
    for (std::size_t a = corners[e].size(); a < nodes.size(); ++a) {
      Vec<3> place = single.vertices[nodes[a]];
      for (int k = 0; k < dim; ++k) place[k] += 1e-3 * static_cast<double>(a) * place[(k + 1) % dim];
      nodes[a] = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(place);
    }
    add_cell(mesh, nodes);
  }
  return mesh;
}

/// Returns a mesh with coordinates that text with few digits would not bring back.
inline Mesh make_mesh(bool has_tets, bool has_edges) {
  Mesh mesh;
  mesh.vertices = {
      {0.0, 0.0, 0.0}, {1.0 / 3.0, 0.0, 1e-300}, {0.1, 2.0 / 7.0, -0.0}, {-1e22, 5e-324, 0.30000000000000004},
      {4.0, 4.1, 4.2}, {5.0, -5.0, 5.5},         {6.0, 6.0, 1.7e308},    {7.0, 0.7, 0.07},
      {8.0, 8.0, 8.0}, {9.0, 9.0, 9.0}};
  if (has_tets) mesh.tets = {{0, 1, 2, 3}, {1, 0, 2, 4}};
  mesh.triangles = {{4, 5, 6}, {6, 5, 7}};
  if (!has_tets) mesh.triangles.insert(mesh.triangles.begin(), {{0, 1, 2}, {2, 1, 3}});
  if (has_edges) mesh.edges = {{7, 8}};
  if (has_edges) mesh.points = {9};
  return mesh;
}

/// Expects equality bit for bit, including the sign of zero.
inline void expect_same(const Mesh& a, const Mesh& b) {
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  for (std::size_t v = 0; v < a.vertices.size(); ++v) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.vertices[v][k]), std::bit_cast<std::uint64_t>(b.vertices[v][k]))
          << "vertex " << v << " coordinate " << k << ": " << a.vertices[v][k] << " against " << b.vertices[v][k];
    }
  }
  EXPECT_EQ(a.tets, b.tets);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.edges, b.edges);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.cell_nodes, b.cell_nodes);
  EXPECT_EQ(a.first_cell_node, b.first_cell_node);
  EXPECT_EQ(a.dim, b.dim);
}

}  // namespace clearance::test
