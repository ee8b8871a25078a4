#include "clearance/geometry/weld.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace clearance {

std::vector<int> weld(const Vertices& vertices) {
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto position = [&](int v) {
    const Vec<3>& x = vertices[v];
    return std::array<double, 3>{x[0], x[1], x[2]};
  };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::pair(position(a), a) < std::pair(position(b), b); });
  std::vector<int> first(vertices.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_same = i > 0 && position(order[i]) == position(order[i - 1]);
    first[order[i]] = is_same ? first[order[i - 1]] : order[i];
  }
  return first;
}

}  // namespace clearance
