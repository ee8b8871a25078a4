// Generator of unions of boxes: a rectilinear grid through all faces of the boxes, of which the covered bricks are
// kept.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>

#include "clearance/geometry/brick.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"

namespace clearance {

namespace {

using Corners = std::array<Vec<3>, 2>;
using Cell = std::array<int, 3>;

constexpr double max_num_cells = 1e8;

/// Returns the positions along an axis at which boxes begin and end. Positions that differ only by rounding are merged,
/// because equal decimal numbers may be rounded differently.
std::vector<double> faces_along(const std::vector<Corners>& blocks, int axis) {
  std::vector<double> faces;
  for (const Corners& box : blocks) faces.insert(faces.end(), {box[0][axis], box[1][axis]});
  std::sort(faces.begin(), faces.end());
  const double rounding = 1e-12 * std::max(std::abs(faces.front()), std::abs(faces.back()));
  std::vector<double> kept = {faces[0]};
  for (const double face : faces) {
    if (face - kept.back() > rounding) kept.push_back(face);
  }
  return kept;
}

/// Returns the number of cells between two neighbouring faces. A length that is a multiple of `max_cell` up to rounding
/// needs no extra cell.
double num_cells_between(double lower, double upper, double max_cell) {
  return std::max(1.0, std::ceil((upper - lower) / max_cell * (1.0 - 1e-9)));
}

std::vector<double> lines_between(const std::vector<double>& faces, double max_cell) {
  std::vector<double> lines = {faces[0]};
  for (std::size_t f = 0; f + 1 < faces.size(); ++f) {
    const double lower = faces[f], upper = faces[f + 1];
    const int count = static_cast<int>(num_cells_between(lower, upper, max_cell));
    for (int i = 1; i < count; ++i) lines.push_back(lower + (upper - lower) * (static_cast<double>(i) / count));
    lines.push_back(upper);
  }
  return lines;
}

class BlockGrid {
 public:
  explicit BlockGrid(std::array<std::vector<double>, 3> lines) : lines_(std::move(lines)) {
    cells_.assign(static_cast<std::size_t>(num(0)) * static_cast<std::size_t>(num(1) * num(2)), 0);
  }

  /// Returns the cell that begins at the corner or, up to rounding, just before it.
  Cell cell_at(const Vec<3>& corner) const {
    Cell cell{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto& lines = lines_[axis];
      const auto after = std::upper_bound(lines.begin(), lines.end(), corner[axis]);
      cell[axis] = static_cast<int>(after - lines.begin()) - 1;
    }
    return cell;
  }

  /// Marks the cells of a box as covered. Returns false if it contains no cell.
  bool fill(const Corners& box) {
    const Cell first = cell_at(box[0]), end = cell_at(box[1]);
    for_each_cell(first, end, [&](const Cell& cell) { at(cell) = covered; });
    return first[0] < end[0] && first[1] < end[1] && first[2] < end[2];
  }

  /// Marks the covered cells that are connected to `start` through faces.
  void reach_from(const Cell& start) {
    std::vector<Cell> open = {start};
    at(start) = reached;
    while (!open.empty()) {
      const Cell cell = open.back();
      open.pop_back();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const int step : {-1, 1}) {
          Cell next = cell;
          next[axis] += step;
          if (!is_covered(next) || at(next) == reached) continue;
          at(next) = reached;
          open.push_back(next);
        }
      }
    }
  }
  bool is_reached(const Cell& cell) { return at(cell) == reached; }

  /// Returns which of the eight cells around the lower corner of `cell` are covered.
  std::bitset<8> covered_around(const Cell& cell) const {
    std::bitset<8> around;
    for (int c = 0; c < 8; ++c) {
      around[c] = is_covered({cell[0] - c / 4, cell[1] - c / 2 % 2, cell[2] - c % 2});
    }
    return around;
  }

  /// Calls visit(corner) for all corners of cells, in the order x, y, z.
  template <class Visit>
  void for_each_corner(const Visit& visit) const {
    for_each_cell({0, 0, 0}, {num(0) + 1, num(1) + 1, num(2) + 1}, visit);
  }

  Vec<3> point(const Cell& corner) const {
    const auto line = [&](std::size_t axis) { return lines_[axis][corner[axis]]; };
    return {line(0), line(1), line(2)};
  }

  Mesh mesh() const {
    Mesh mesh;
    std::vector<int> vertex_at(
        static_cast<std::size_t>(num(0) + 1) * static_cast<std::size_t>((num(1) + 1) * (num(2) + 1)), -1);
    const auto vertex = [&](const Cell& c) -> int& {
      return vertex_at[(c[0] * (num(1) + 1) + c[1]) * (num(2) + 1) + c[2]];
    };
    for_each_corner([&](const Cell& corner) {
      if (covered_around(corner).none()) return;
      vertex(corner) = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(point(corner));
    });
    for_each_corner([&](const Cell& cell) {
      if (!is_covered(cell)) return;
      std::array<int, 8> corners{};
      for (int c = 0; c < 8; ++c) {
        corners[c] = vertex({cell[0] + c / 4, cell[1] + c / 2 % 2, cell[2] + c % 2});
      }
      add_brick(mesh, corners);
    });
    return mesh;
  }

 private:
  enum : char { empty, covered, reached };

  int num(std::size_t axis) const { return static_cast<int>(lines_[axis].size()) - 1; }
  std::size_t index(const Cell& c) const {
    return static_cast<std::size_t>(c[0] * num(1) + c[1]) * static_cast<std::size_t>(num(2)) + c[2];
  }
  char& at(const Cell& c) { return cells_[index(c)]; }
  bool is_covered(const Cell& c) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (c[axis] < 0 || c[axis] >= num(axis)) return false;
    }
    return cells_[index(c)] != empty;
  }
  template <class Visit>
  static void for_each_cell(const Cell& first, const Cell& end, const Visit& visit) {
    for (int i = first[0]; i < end[0]; ++i) {
      for (int j = first[1]; j < end[1]; ++j) {
        for (int k = first[2]; k < end[2]; ++k) visit(Cell{i, j, k});
      }
    }
  }

  std::array<std::vector<double>, 3> lines_;
  std::vector<char> cells_;
};

/// True if these of the eight cells around a corner are connected through faces, or if there are none.
bool is_joined(std::bitset<8> cells) {
  std::bitset<8> joined;
  for (std::size_t first = 0; first < 8 && joined.none(); ++first) joined[first] = cells[first];
  for (int sweep = 0; sweep < 7; ++sweep) {
    for (std::size_t c = 0; c < 8; ++c) {
      if (cells[c] && (joined[c ^ 1] || joined[c ^ 2] || joined[c ^ 4])) joined[c] = true;
    }
  }
  return joined == cells;
}

/// Reports corners where the surface touches itself. At a corner of a manifold, the inside and the outside are each
/// connected.
void check_corners(const BlockGrid& grid, Issues& issues) {
  std::size_t count = 0;
  Vec<3> first = Vec<3>::Zero();
  grid.for_each_corner([&](const Cell& corner) {
    const std::bitset<8> around = grid.covered_around(corner);
    if (is_joined(around) && is_joined(~around)) return;
    if (count++ == 0) first = grid.point(corner);
  });
  if (count == 0) return;
  issues.push_back({"", "blocks", "",
                    fmt::format("blocks, or holes between them, meet only in an edge or a point at ({:.6g}, {:.6g}, "
                                "{:.6g}){}; let them overlap, or move them apart",
                                first[0], first[1], first[2],
                                count == 1 ? "" : fmt::format(" and {} more grid points", count - 1))});
}

/// Counts the cells between the planes of the faces.
double count_cells(const std::array<std::vector<double>, 3>& faces, const Vec<3>& max_cell) {
  double num_cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double num_along = 0.0;
    for (std::size_t f = 0; f + 1 < faces[axis].size(); ++f) {
      num_along += num_cells_between(faces[axis][f], faces[axis][f + 1], max_cell[static_cast<int>(axis)]);
    }
    num_cells *= num_along;
  }
  return num_cells;
}

}  // namespace

Result<Mesh> make_blocks(const std::vector<Corners>& blocks, const Vec<3>& max_cell) {
  if (blocks.empty()) return Issue{"", "blocks", "", "a generator of kind blocks needs at least one box"};
  const auto place_of = [](std::size_t b) { return fmt::format("blocks[{}]", b); };

  const std::array<std::vector<double>, 3> faces = {faces_along(blocks, 0), faces_along(blocks, 1),
                                                    faces_along(blocks, 2)};
  if (const double num_cells = count_cells(faces, max_cell); !(num_cells <= max_num_cells)) {
    return Issue{"", "blocks", "",
                 fmt::format("the grid around them has {:.3g} cells; at most 1e8 are possible", num_cells)};
  }

  // Mark the covered cells.
  std::array<std::vector<double>, 3> lines;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lines[axis] = lines_between(faces[axis], max_cell[static_cast<int>(axis)]);
  }
  BlockGrid grid(std::move(lines));
  Issues issues;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (grid.fill(blocks[b])) continue;
    issues.push_back(
        {"", place_of(b), "", "the box has no volume; the first corner must be below the second along x, y and z"});
  }
  if (!issues.empty()) return issues;

  // Check that the blocks are connected and that their surface does not touch itself.
  grid.reach_from(grid.cell_at(blocks[0][0]));
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    if (grid.is_reached(grid.cell_at(blocks[b][0]))) continue;
    issues.push_back({"", place_of(b), "",
                      "this block is not joined to the first block by a face, neither directly nor through others"});
  }
  check_corners(grid, issues);
  if (!issues.empty()) return issues;
  return grid.mesh();
}

}  // namespace clearance
