#include "clearance/geometry/planes_of_facets.h"

#include <algorithm>

#include "clearance/math/predicates.h"

namespace clearance {
namespace {

/// A side of a facet: two vertices in ascending order, or one in 2D.
template <int dim>
struct Side {
  std::array<int, dim - 1> vertices;
  int facet;
};

template <int dim>
std::array<int, dim - 1> side_of(const std::array<int, dim>& facet, std::size_t corner) {
  std::array<int, dim - 1> side;
  for (std::size_t i = 0; i + 1 < facet.size(); ++i) side[i] = facet[(corner + 1 + i) % facet.size()];
  std::sort(side.begin(), side.end());
  return side;
}

template <int dim>
bool is_coplanar(const std::vector<Vec<dim>>& x, const std::array<int, dim>& plane, int v) {
  if constexpr (dim == 2) {
    return orient2d(x[plane[0]], x[plane[1]], x[v]) == 0;
  } else {
    return orient3d(x[plane[0]], x[plane[1]], x[plane[2]], x[v]) == 0;
  }
}

}  // namespace

template <int dim>
std::vector<int> planes_of_facets(const std::vector<Vec<dim>>& x, const std::vector<std::array<int, dim>>& facets) {
  // Sort the sides, so that facets that share a side are adjacent.
  std::vector<Side<dim>> sides;
  sides.reserve(facets.size() * dim);
  for (std::size_t f = 0; f < facets.size(); ++f) {
    for (std::size_t corner = 0; corner < dim; ++corner) {
      sides.push_back({side_of<dim>(facets[f], corner), static_cast<int>(f)});
    }
  }
  const auto is_before = [](const Side<dim>& a, const Side<dim>& b) { return a.vertices < b.vertices; };
  std::stable_sort(sides.begin(), sides.end(), is_before);

  // Each plane grows from its first facet. All others are compared with this facet, so that errors do not accumulate.
  std::vector<int> plane(facets.size(), -1);
  std::vector<int> front;
  int num_planes = 0;
  for (std::size_t first = 0; first < facets.size(); ++first) {
    if (plane[first] >= 0) continue;
    plane[first] = num_planes;
    front.push_back(static_cast<int>(first));
    while (!front.empty()) {
      const std::array<int, dim>& from = facets[front.back()];
      front.pop_back();
      for (std::size_t corner = 0; corner < dim; ++corner) {
        const Side<dim> side = {side_of<dim>(from, corner), -1};
        const auto [begin, end] = std::equal_range(sides.begin(), sides.end(), side, is_before);
        for (auto other = begin; other != end; ++other) {
          const auto is_in_plane = [&](int v) { return is_coplanar<dim>(x, facets[first], v); };
          if (plane[other->facet] >= 0 || !std::ranges::all_of(facets[other->facet], is_in_plane)) continue;
          plane[other->facet] = num_planes;
          front.push_back(other->facet);
        }
      }
    }
    ++num_planes;
  }
  return plane;
}

template std::vector<int> planes_of_facets<2>(const std::vector<Vec<2>>&, const std::vector<std::array<int, 2>>&);
template std::vector<int> planes_of_facets<3>(const std::vector<Vec<3>>&, const std::vector<std::array<int, 3>>&);

}  // namespace clearance
