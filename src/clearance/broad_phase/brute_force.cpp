// The slow twin of the tree: all pairs, one by one, on the same boxes. For tests and tiny scenes.
#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/box.h"
#include "clearance/broad_phase/broad_phase.h"

namespace clearance {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

// Points, edges or triangles with their boxes.
struct Primitives {
  std::vector<std::vector<int>> vertices;
  std::vector<Box> boxes;
};

template <class Topology>
Primitives collect(const std::vector<Topology>& primitives, const std::vector<Box>& vertex_boxes) {
  Primitives result;
  for (const Topology& primitive : primitives) {
    result.vertices.emplace_back(primitive.begin(), primitive.end());
    Box box = empty_box();
    for (const int v : primitive) box.extend(vertex_boxes[v]);
    result.boxes.push_back(box);
  }
  return result;
}

bool share_a_vertex(const std::vector<int>& a, const std::vector<int>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

class BruteForce final : public BroadPhase {
 public:
  BruteForce(int dim, const SurfaceTopology& surface) : dim_(dim), surface_(surface) {}

  Candidates find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                             const std::vector<double>& deviation = {}) override {
    std::vector<Box> vertex_boxes;
    compute_vertex_boxes(dim_, x_t0, x_t1, inflation, deviation, vertex_boxes);
    std::vector<std::array<int, 1>> all_vertices;
    for (int v = 0; v < surface_.num_vertices; ++v) all_vertices.push_back({v});
    const Primitives vertices = collect(all_vertices, vertex_boxes);
    const Primitives edges = collect(surface_.edges, vertex_boxes);

    Candidates candidates;
    if (dim_ == 2) {
      candidates.point_edge = find_pairs(vertices, edges, false);
    } else {
      candidates.point_triangle = find_pairs(vertices, collect(surface_.triangles, vertex_boxes), false);
      candidates.edge_edge = find_pairs(edges, edges, true);
    }
    const LonePrimitives lone = find_lone_primitives(surface_);
    const auto keep = [](Pairs& pairs, std::size_t place, const std::vector<int>& numbers) {
      std::erase_if(pairs,
                    [&](const auto& pair) { return !std::binary_search(numbers.begin(), numbers.end(), pair[place]); });
    };
    if (!lone.edges.empty() && dim_ == 3) {
      candidates.point_edge = find_pairs(vertices, edges, false);
      keep(candidates.point_edge, 1, lone.edges);
    }
    if (!lone.vertices.empty()) {
      candidates.point_point = find_pairs(vertices, vertices, true);
      keep(candidates.point_point, 0, lone.vertices);
      keep(candidates.point_point, 1, lone.vertices);
    }
    for (const Pairs* pairs :
         {&candidates.point_triangle, &candidates.edge_edge, &candidates.point_edge, &candidates.point_point}) {
      if (pairs->size() > most_pairs_) return {{}, {}, {}, {}, false};
    }
    return candidates;
  }

  Pairs find_intersection_candidates(const VecX& x) override {
    std::vector<Box> vertex_boxes;
    compute_vertex_boxes(dim_, x, x, 0.0, {}, vertex_boxes);
    const Primitives edges = collect(surface_.edges, vertex_boxes);
    if (dim_ == 2) return find_pairs(edges, edges, true);
    return find_pairs(edges, collect(surface_.triangles, vertex_boxes), false);
  }

 private:
  // Returns pairs that are sorted because the loops run in order.
  Pairs find_pairs(const Primitives& a, const Primitives& b, bool is_same) const {
    std::vector<Pairs> rows(a.boxes.size());
    parallel_for(static_cast<int>(a.boxes.size()), 64, [&](int i) {
      const std::size_t first = i;
      for (std::size_t second = is_same ? first + 1 : 0; second < b.boxes.size(); ++second) {
        if (!a.boxes[first].overlaps(b.boxes[second])) continue;
        if (share_a_vertex(a.vertices[first], b.vertices[second])) continue;
        if (!surface_.can_touch(a.vertices[first][0], b.vertices[second][0])) continue;
        rows[first].push_back({i, static_cast<int>(second)});
      }
    });
    Pairs pairs;
    for (const Pairs& row : rows) pairs.insert(pairs.end(), row.begin(), row.end());
    return pairs;
  }

  int dim_;
  const SurfaceTopology& surface_;
};

}  // namespace

std::unique_ptr<BroadPhase> make_brute_force(int dim, const SurfaceTopology& surface) {
  return std::make_unique<BruteForce>(dim, surface);
}

}  // namespace clearance
