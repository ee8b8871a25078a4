// Input files of Abaqus and CalculiX for tests: boxes of tetrahedra with sets of their sides.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::test {

/// Returns the nodes and elements of a box with a corner at `least`, in the set `name`, whose nodes and elements are
/// numbered from `first`. Each of its sides is a set of nodes and a surface: `name-X0` at the least x, `name-X1` at
/// the largest, and so on.
inline std::string abaqus_box(const std::string& name, const std::array<int, 3>& cells, const Vec<3>& least,
                              const Vec<3>& size, int first = 1) {
  const auto node = [&](int i, int j, int k) { return first + i + (cells[0] + 1) * (j + (cells[1] + 1) * k); };
  std::string text = "*NODE\n";
  std::array<std::array<std::vector<int>, 2>, 3> side_nodes;
  for (int k = 0; k <= cells[2]; ++k) {
    for (int j = 0; j <= cells[1]; ++j) {
      for (int i = 0; i <= cells[0]; ++i) {
        const std::array<int, 3> at = {i, j, k};
        text += fmt::format("{}", node(i, j, k));
        for (int c = 0; c < 3; ++c) {
          text += fmt::format(", {}", least[c] + size[c] * at[c] / cells[c]);
          if (at[c] == 0) side_nodes[c][0].push_back(node(i, j, k));
          if (at[c] == cells[c]) side_nodes[c][1].push_back(node(i, j, k));
        }
        text += "\n";
      }
    }
  }
  text += fmt::format("*ELEMENT, TYPE=C3D4, ELSET={}\n", name);
  constexpr std::array<std::array<int, 3>, 4> sides = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
  // Paths from the corner (0, 0, 0) of a cell to (1, 1, 1), so that neighbours fit.
  constexpr std::array<std::array<int, 3>, 6> orders = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  std::array<std::array<std::string, 2>, 3> surfaces;
  int element = first;
  for (int k = 0; k < cells[2]; ++k) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int i = 0; i < cells[0]; ++i) {
        for (std::size_t o = 0; o < orders.size(); ++o, ++element) {
          std::array<std::array<int, 3>, 4> corners;
          std::array<int, 3> at = {i, j, k};
          corners[0] = at;
          for (int c = 0; c < 3; ++c) {
            ++at[orders[o][c]];
            corners[c + 1] = at;
          }
          if (o >= 3) std::swap(corners[1], corners[2]);
          text += fmt::format("{}", element);
          for (const auto& [a, b, c] : corners) text += fmt::format(", {}", node(a, b, c));
          text += "\n";
          for (int s = 0; s < 4; ++s) {
            for (int c = 0; c < 3; ++c) {
              for (int end = 0; end < 2; ++end) {
                const int level = end * cells[c];
                const auto& side = sides[s];
                if (corners[side[0]][c] == level && corners[side[1]][c] == level && corners[side[2]][c] == level)
                  surfaces[c][end] += fmt::format("{}, S{}\n", element, s + 1);
              }
            }
          }
        }
      }
    }
  }
  for (int c = 0; c < 3; ++c) {
    for (int end = 0; end < 2; ++end) {
      const std::string side = fmt::format("{}-{}{}", name, "XYZ"[c], end);
      text += fmt::format("*NSET, NSET={}\n", side);
      for (const int n : side_nodes[c][end]) text += fmt::format("{}\n", n);
      text += fmt::format("*SURFACE, NAME={}, TYPE=ELEMENT\n{}", side, surfaces[c][end]);
    }
  }
  return text;
}

/// Returns nodes and elements of a block of hexahedra (C3D20, C3D20R) or wedges (C3D15) of order 2 in the set ALL.
/// `place` maps the unit cube to where the block is. Each of its sides is a set of nodes, `X0` and so on.
inline std::string abaqus_quadratic_block(const std::string& type, const std::array<int, 3>& cells,
                                          const std::function<Vec<3>(const Vec<3>&)>& place) {
  using Point = std::array<int, 3>;  // counts half cells
  static const std::vector<std::vector<int>> corners_of_wedges = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
  static const std::vector<std::vector<int>> corners_of_hexahedra = {{0, 1, 2, 3, 4, 5, 6, 7}};
  static const std::vector<std::array<int, 2>> edges_of_wedge = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                                                 {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  static const std::vector<std::array<int, 2>> edges_of_hexahedron = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                                                      {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  const bool is_wedge = type.starts_with("C3D15");
  std::map<Point, int> number;
  std::string nodes = "*NODE\n", elements = fmt::format("*ELEMENT, TYPE={}, ELSET=ALL\n", type);
  std::array<std::array<std::string, 2>, 3> sides;
  const auto node = [&](const Point& at) {
    const auto [found, is_new] = number.emplace(at, static_cast<int>(number.size()) + 1);
    if (!is_new) return found->second;
    Vec<3> unit;
    for (int c = 0; c < 3; ++c) {
      unit[c] = 0.5 * at[c] / cells[c];
      if (at[c] == 0 || at[c] == 2 * cells[c]) sides[c][at[c] == 0 ? 0 : 1] += fmt::format("{}\n", found->second);
    }
    const Vec<3> x = place(unit);
    nodes += fmt::format("{}, {}, {}, {}\n", found->second, x[0], x[1], x[2]);
    return found->second;
  };
  int element = 0;
  for (int k = 0; k < cells[2]; ++k) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int i = 0; i < cells[0]; ++i) {
        for (const std::vector<int>& corners : is_wedge ? corners_of_wedges : corners_of_hexahedra) {
          const auto point = [&](int corner) {
            const int c = corners[corner];
            return Point{2 * (i + (c % 4 == 1 || c % 4 == 2 ? 1 : 0)), 2 * (j + (c % 4 >= 2 ? 1 : 0)), 2 * (k + c / 4)};
          };
          elements += fmt::format("{}", ++element);
          for (int c = 0; c < static_cast<int>(corners.size()); ++c) elements += fmt::format(", {}", node(point(c)));
          elements += ",\n";
          for (const auto& [a, b] : is_wedge ? edges_of_wedge : edges_of_hexahedron) {
            const Point pa = point(a), pb = point(b);
            elements += fmt::format("{}{}", node({(pa[0] + pb[0]) / 2, (pa[1] + pb[1]) / 2, (pa[2] + pb[2]) / 2}),
                                    (is_wedge ? b == 5 && a == 2 : b == 7 && a == 3) ? "\n" : ", ");
          }
        }
      }
    }
  }
  std::string text = nodes + elements;
  for (int c = 0; c < 3; ++c) {
    for (int end = 0; end < 2; ++end) text += fmt::format("*NSET, NSET={}{}\n{}", "XYZ"[c], end, sides[c][end]);
  }
  return text;
}

}  // namespace clearance::test
