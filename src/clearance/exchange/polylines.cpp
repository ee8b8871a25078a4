#include "clearance/exchange/polylines.h"

#include <map>

namespace clearance::exchange {

std::vector<std::vector<std::uint32_t>> join_lines(std::span<const std::array<std::uint32_t, 2>> edges) {
  std::map<std::uint32_t, std::vector<std::size_t>> edges_at;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (const std::uint32_t v : edges[e]) edges_at[v].push_back(e);
  }
  std::vector<char> is_used(edges.size(), 0);
  std::vector<std::vector<std::uint32_t>> lines;
  const auto follow = [&](std::size_t edge, std::uint32_t from) {
    std::vector<std::uint32_t>& line = lines.emplace_back(1, from);
    for (bool goes_on = true; goes_on;) {
      is_used[edge] = 1;
      from = edges[edge][0] == from ? edges[edge][1] : edges[edge][0];
      line.push_back(from);
      const std::vector<std::size_t>& here = edges_at[from];
      goes_on = false;
      if (here.size() != 2) continue;
      for (const std::size_t next : here) {
        if (is_used[next] != 0) continue;
        edge = next;
        goes_on = true;
      }
    }
  };
  // Lines with ends come first; what is left is closed.
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (const std::uint32_t v : edges[e]) {
      if (is_used[e] == 0 && edges_at[v].size() != 2) follow(e, v);
    }
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (is_used[e] == 0) follow(e, edges[e][0]);
  }
  return lines;
}

}  // namespace clearance::exchange
