// Sheets for the tests of shells.
#pragma once

#include <random>
#include <vector>

#include "clearance/bodies/shell/shell_mesh.h"

namespace clearance {

/// A sheet in x and y with its unknowns: nodes first, then slopes.
struct Sheet {
  std::vector<Vec<3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  ShellMesh mesh;

  int num_blocks() const {
    const int num_edges = static_cast<int>(mesh.edges.size());
    return static_cast<int>(vertices.size()) + (num_edges + 2) / 3;
  }
  VecX rest() const {
    VecX x = VecX::Zero(3 * num_blocks());
    for (std::size_t v = 0; v < vertices.size(); ++v) x.segment<3>(3 * static_cast<Eigen::Index>(v)) = vertices[v];
    return x;
  }
};

enum class SheetPattern { right, crossed, union_jack, shuffled };

/// Makes a square [0, 1]^2 of n x n cells.
inline Sheet make_square(int n, SheetPattern pattern) {
  Sheet sheet;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-0.3, 0.3);
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) {
      Vec<3> at(i, j, 0.0);
      const bool is_inside = i > 0 && i < n && j > 0 && j < n;
      if (pattern == SheetPattern::shuffled && is_inside) at += Vec<3>(shift(random), shift(random), 0.0);
      sheet.vertices.push_back(at / n);
    }
  }
  const auto node = [&](int i, int j) { return j * (n + 1) + i; };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const int a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      if (pattern == SheetPattern::crossed) {
        const int m = static_cast<int>(sheet.vertices.size());
        sheet.vertices.push_back(0.25 *
                                 (sheet.vertices[a] + sheet.vertices[b] + sheet.vertices[c] + sheet.vertices[d]));
        for (const auto& t : {std::array{a, b, m}, std::array{b, c, m}, std::array{c, d, m}, std::array{d, a, m}}) {
          sheet.triangles.push_back(t);
        }
      } else if (pattern == SheetPattern::union_jack && (i + j) % 2 == 1) {
        sheet.triangles.push_back({a, b, d});
        sheet.triangles.push_back({b, c, d});
      } else {
        sheet.triangles.push_back({a, b, c});
        sheet.triangles.push_back({a, c, d});
      }
    }
  }
  return sheet;
}

/// Makes the energies' mesh of a sheet.
inline void build(const std::vector<ShellMaterial>& materials, Sheet& sheet) {
  std::vector<int> blocks(sheet.vertices.size());
  for (std::size_t v = 0; v < blocks.size(); ++v) blocks[v] = static_cast<int>(v);
  const int first_slope = materials.front().bending == BendingModel::slopes ? static_cast<int>(blocks.size()) : -1;
  add_shell({.triangles = sheet.triangles,
             .rest = sheet.vertices,
             .blocks = blocks,
             .first_slope_block = first_slope,
             .pattern = {},
             .is_flat_at_rest = false,
             .materials = materials},
            sheet.mesh);
  sheet.mesh.x_start = sheet.rest();
}

inline void build(const ShellMaterial& material, Sheet& sheet) {
  build(std::vector{material}, sheet);
}

}  // namespace clearance
