#include "clearance/meshing/pinches.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clearance/geometry/mesh_checks.h"
#include "clearance/meshing/mesh_quality.h"

namespace clearance {

namespace {

// [deg] Smallest dihedral angle of an added tetrahedron. Thinner ones would harm a simulation more than the pinches
// that they mend.
constexpr double least_angle = 5.0;
constexpr int max_rounds = 20;

double volume_of(const CellComplex& complex, int cell) {
  const auto& [a, b, c, d] = complex.tets[cell];
  return tet_volume(complex.vertices[a], complex.vertices[b], complex.vertices[c], complex.vertices[d]);
}

double angle_of(const CellComplex& complex, int cell) {
  Mesh alone;
  for (const int v : complex.tets[cell]) alone.vertices.push_back(complex.vertices[v]);
  alone.tets = {{0, 1, 2, 3}};
  return smallest_angle(alone);
}

/// The link of a vertex in the surface: the edges opposite to it in its surface triangles, as a graph. The link is one
/// circle if the surface is manifold there.
class Link {
 public:
  void add(std::array<int, 2> edge) {
    std::sort(edge.begin(), edge.end());
    // A face of two solid tetrahedra is inside the solid.
    const auto known = std::find(edges_.begin(), edges_.end(), edge);
    if (known == edges_.end()) {
      edges_.push_back(edge);
    } else {
      edges_.erase(known);
    }
  }
  int badness() const {
    std::vector<int> ends;
    for (const auto& edge : edges_) ends.insert(ends.end(), edge.begin(), edge.end());
    std::sort(ends.begin(), ends.end());
    std::vector<int> vertices = ends;
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    const int num_crowded = static_cast<int>(std::count_if(vertices.begin(), vertices.end(), [&](int v) {
      const auto [first, last] = std::equal_range(ends.begin(), ends.end(), v);
      return last - first > 2;
    }));
    return num_crowded + std::max(0, num_circles(vertices) - 1);
  }

 private:
  int num_circles(const std::vector<int>& vertices) const {
    std::vector<std::size_t> set(vertices.size());
    std::iota(set.begin(), set.end(), std::size_t{0});
    const auto place = [&](int v) { return std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin(); };
    int count = static_cast<int>(vertices.size());
    for (const auto& [a, b] : edges_) {
      const std::size_t from = set[place(a)], to = set[place(b)];
      if (from == to) continue;
      --count;
      std::replace(set.begin(), set.end(), from, to);
    }
    return count;
  }

  std::vector<std::array<int, 2>> edges_;
};

class Mender {
 public:
  explicit Mender(CellComplex& complex) : complex_(complex), cells_of_(complex.vertices.size()) {
    for (int c = 0; c < static_cast<int>(complex.tets.size()); ++c) {
      for (const int v : complex.tets[c]) cells_of_[v].push_back(c);
    }
  }

  int mend() {
    int num_changed = 0;
    for (int round = 0; round < max_rounds; ++round) {
      const int before = num_changed;
      for (int v = 0; v < static_cast<int>(cells_of_.size()); ++v) {
        while (badness_at(v) > 0) {
          const std::vector<int> change = best_change(v);
          if (change.empty()) break;
          turn(change);
          num_changed += static_cast<int>(change.size());
        }
      }
      if (num_changed == before) break;
    }
    return num_changed;
  }

  int badness() const {
    int sum = 0;
    for (int v = 0; v < static_cast<int>(cells_of_.size()); ++v) sum += badness_at(v);
    return sum;
  }

 private:
  int badness_at(int v) const {
    Link link;
    for (const int c : cells_of_[v]) {
      if (complex_.is_solid[c] == 0) continue;
      std::array<int, 3> others{};
      std::size_t k = 0;
      for (const int corner : complex_.tets[c]) {
        if (corner != v) others[k++] = corner;
      }
      for (k = 0; k < 3; ++k) link.add({others[k], others[(k + 1) % 3]});
    }
    return link.badness();
  }

  void turn(const std::vector<int>& cells) {
    for (const int c : cells) complex_.is_solid[c] ^= 1;
  }

  /// Returns by how much badness decreases if these cells change.
  int gain(const std::vector<int>& cells) {
    std::vector<int> vertices;
    for (const int c : cells) vertices.insert(vertices.end(), complex_.tets[c].begin(), complex_.tets[c].end());
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    int sum = 0;
    for (const int v : vertices) sum += badness_at(v);
    turn(cells);
    for (const int v : vertices) sum -= badness_at(v);
    turn(cells);
    return sum;
  }

  bool may_change(int c) const { return complex_.is_solid[c] != 0 || angle_of(complex_, c) >= least_angle; }

  bool are_neighbours(int c, int d) const {
    const auto &one = complex_.tets[c], &two = complex_.tets[d];
    return std::count_if(one.begin(), one.end(),
                         [&](int v) { return std::find(two.begin(), two.end(), v) != two.end(); }) == 3;
  }

  /// Returns the smallest cell whose change helps, or two neighbours if no single cell helps.
  std::vector<int> best_change(int v) {
    std::vector<int> cells;
    for (const int c : cells_of_[v]) {
      if (may_change(c)) cells.push_back(c);
    }
    std::vector<int> best;
    double best_volume = infinity;
    const auto try_change = [&](const std::vector<int>& change) {
      double volume = 0.0;
      for (const int c : change) volume += std::abs(volume_of(complex_, c));
      if (volume >= best_volume || gain(change) <= 0) return;
      best = change;
      best_volume = volume;
    };
    for (const int c : cells) try_change({c});
    for (std::size_t i = 0; i < cells.size() && best.size() != 1; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (are_neighbours(cells[i], cells[j])) try_change({cells[j], cells[i]});
      }
    }
    return best;
  }

  CellComplex& complex_;
  std::vector<std::vector<int>> cells_of_;
};

}  // namespace

int mend_pinches(CellComplex& complex) {
  return Mender(complex).mend();
}

int count_pinches(const CellComplex& complex) {
  CellComplex copy = complex;
  return Mender(copy).badness();
}

}  // namespace clearance
