#include "clearance/remesh/cell_overlaps.h"

#include <algorithm>
#include <numeric>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

/// Numbers the distinct places of the vertices of `from`, then `to`: vertices in the same place get the same number.
template <int dim>
std::vector<int> number_places(const RestMesh<dim>& from, const RestMesh<dim>& to) {
  const std::size_t num_from = from.vertices.size();
  const auto at = [&](int v) -> const Vec<dim>& {
    const std::size_t k = v;
    return k < num_from ? from.vertices[k] : to.vertices[k - num_from];
  };
  // Compare places by their coordinates.
  const auto compare = [&](int a, int b) {
    const Vec<dim>&x = at(a), &y = at(b);
    for (int c = 0; c < dim; ++c) {
      if (x[c] != y[c]) return x[c] < y[c] ? -1 : 1;
    }
    return 0;
  };
  // Sort the vertices by place; a new number begins where the place differs.
  std::vector<int> order(num_from + to.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return compare(a, b) < 0; });
  std::vector<int> place(order.size());
  for (std::size_t k = 0, number = 0; k < order.size(); ++k) {
    if (k > 0 && compare(order[k - 1], order[k]) != 0) ++number;
    place[order[k]] = static_cast<int>(number);
  }
  return place;
}

template <int dim>
struct PlacedCell {
  std::array<int, dim + 1> places;  // ascending
  int cell;

  bool operator<(const PlacedCell& other) const {
    return places != other.places ? places < other.places : cell < other.cell;
  }
};

/// Returns the cells of a mesh by the places of their corners, sorted.
template <int dim>
std::vector<PlacedCell<dim>> place_cells(const RestMesh<dim>& mesh, std::span<const int> place) {
  std::vector<PlacedCell<dim>> placed(mesh.cells.size());
  for (std::size_t c = 0; c < placed.size(); ++c) {
    placed[c].cell = static_cast<int>(c);
    for (int k = 0; k <= dim; ++k) placed[c].places[k] = place[mesh.cells[c][k]];
    std::sort(placed[c].places.begin(), placed[c].places.end());
  }
  std::sort(placed.begin(), placed.end());
  return placed;
}

template <int dim>
struct CellBox {
  Vec<dim> min = Vec<dim>::Constant(infinity), max = Vec<dim>::Constant(-infinity);

  void extend(const CellBox& other) {
    min = min.cwiseMin(other.min);
    max = max.cwiseMax(other.max);
  }
  /// True if the boxes overlap by more than a face.
  bool overlaps(const CellBox& other) const {
    return (min.array() < other.max.array()).all() && (other.min.array() < max.array()).all();
  }
};

template <int dim>
CellBox<dim> box_of(const RestMesh<dim>& mesh, int cell) {
  CellBox<dim> box;
  for (const int v : mesh.cells[cell]) {
    const Vec<dim>& x = mesh.vertices[v];
    box.extend({x, x});
  }
  return box;
}

/// A balanced tree over boxes. Each node halves its boxes by their middles along the widest side.
template <int dim>
class BoxTree {
 public:
  explicit BoxTree(std::vector<CellBox<dim>> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.resize(boxes_.size());
    if (!boxes_.empty()) build(0, order_.size());
  }

  /// Calls visit(number) for each box that overlaps the given one, in an order that depends on the tree alone.
  template <class Visit>
  void visit_overlaps(const CellBox<dim>& box, const Visit& visit) const {
    if (!boxes_.empty()) visit_range(0, order_.size(), box, visit);
  }

 private:
  static constexpr std::size_t leaf_size = 4;

  /// The node of a range is stored at the middle of the range: no two ranges of more than one box have the same middle.
  CellBox<dim>& node(std::size_t begin, std::size_t end) { return nodes_[begin + (end - begin) / 2]; }
  const CellBox<dim>& node(std::size_t begin, std::size_t end) const { return nodes_[begin + (end - begin) / 2]; }
  const CellBox<dim>& box_at(std::size_t slot) const { return boxes_[order_[slot]]; }

  void build(std::size_t begin, std::size_t end) {
    // Bound the range, and the middles of its boxes.
    CellBox<dim> all, middles;
    const auto middle_of = [](const CellBox<dim>& box) { return Vec<dim>(box.min + box.max); };
    for (std::size_t slot = begin; slot < end; ++slot) {
      all.extend(box_at(slot));
      middles.extend({middle_of(box_at(slot)), middle_of(box_at(slot))});
    }
    node(begin, end) = all;
    if (end - begin <= leaf_size) return;
    // Split at the median along the axis on which the middles spread most. Numbers break ties.
    Eigen::Index axis = 0;
    (middles.max - middles.min).maxCoeff(&axis);
    const std::size_t middle = begin + (end - begin) / 2;
    const auto slot = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(slot(begin), slot(middle), slot(end), [&](int a, int b) {
      const double x = middle_of(boxes_[a])[axis];
      const double y = middle_of(boxes_[b])[axis];
      return x != y ? x < y : a < b;
    });
    build(begin, middle);
    build(middle, end);
  }

  template <class Visit>
  void visit_range(std::size_t begin, std::size_t end, const CellBox<dim>& box, const Visit& visit) const {
    if (!node(begin, end).overlaps(box)) return;
    // Descend to both halves; test the boxes of a leaf.
    if (end - begin > leaf_size) {
      const std::size_t middle = begin + (end - begin) / 2;
      visit_range(begin, middle, box, visit);
      visit_range(middle, end, box, visit);
      return;
    }
    for (std::size_t slot = begin; slot < end; ++slot) {
      if (box_at(slot).overlaps(box)) visit(order_[slot]);
    }
  }

  std::vector<CellBox<dim>> boxes_;
  std::vector<int> order_;  // boxes in the order of the leaves
  std::vector<CellBox<dim>> nodes_;
};

}  // namespace

template <int dim>
std::vector<int> find_same_cells(const RestMesh<dim>& from, const RestMesh<dim>& to) {
  // Describe the cells of both meshes by the places of their corners.
  const std::vector<int> place = number_places(from, to);
  const std::span<const int> all(place);
  const auto old_cells = place_cells(from, all.first(from.vertices.size()));
  const auto new_cells = place_cells(to, all.subspan(from.vertices.size()));
  // Merge the two sorted lists.
  std::vector<int> same(to.cells.size(), -1);
  auto old_cell = old_cells.begin();
  for (const PlacedCell<dim>& cell : new_cells) {
    while (old_cell != old_cells.end() && old_cell->places < cell.places) ++old_cell;
    if (old_cell != old_cells.end() && old_cell->places == cell.places) {
      same[cell.cell] = old_cell->cell;
    }
  }
  return same;
}

template <int dim>
std::vector<std::array<int, 2>> find_near_cells(const RestMesh<dim>& from, std::span<const int> from_cells,
                                                const RestMesh<dim>& to, std::span<const int> to_cells) {
  // Build a tree over the boxes of the old cells.
  std::vector<CellBox<dim>> boxes;
  boxes.reserve(from_cells.size());
  for (const int cell : from_cells) boxes.push_back(box_of(from, cell));
  const BoxTree<dim> tree(std::move(boxes));
  // Query the tree for each new cell, and sort the pairs: the order of the tree has no meaning.
  std::vector<std::vector<std::array<int, 2>>> of_cells(to_cells.size());
  parallel_for(static_cast<int>(to_cells.size()), 64, [&](int k) {
    const int cell = to_cells[k];
    auto& pairs = of_cells[k];
    tree.visit_overlaps(box_of(to, cell), [&](int number) { pairs.push_back({cell, from_cells[number]}); });
  });
  std::vector<std::array<int, 2>> all;
  for (const auto& pairs : of_cells) all.insert(all.end(), pairs.begin(), pairs.end());
  std::sort(all.begin(), all.end());
  return all;
}

template std::vector<int> find_same_cells(const RestMesh<2>&, const RestMesh<2>&);
template std::vector<int> find_same_cells(const RestMesh<3>&, const RestMesh<3>&);
template std::vector<std::array<int, 2>> find_near_cells(const RestMesh<2>&, std::span<const int>, const RestMesh<2>&,
                                                         std::span<const int>);
template std::vector<std::array<int, 2>> find_near_cells(const RestMesh<3>&, std::span<const int>, const RestMesh<3>&,
                                                         std::span<const int>);

}  // namespace clearance
