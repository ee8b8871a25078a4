#include "clearance/simulation/overlaps/separation.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/simulation/load/hint.h"

namespace clearance {

std::string to_string(const Separation& separation) {
  if (separation.overlaps.empty() || separation.moves.empty()) return "";
  const auto distance = [](const Separation::Move& move) { return std::max(move.distance, move.bending); };
  const auto farthest = std::max_element(separation.moves.begin(), separation.moves.end(),
                                         [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  double depth = 0.0;
  for (const Separation::Overlap& overlap : separation.overlaps) depth = std::max(depth, overlap.depth);
  const std::string deep = depth > 0.0 ? fmt::format(", up to {:.3g} m deep,", depth) : "";
  return fmt::format("{}{} {} separated before the start: {} bod{} moved, '{}' farthest, by {:.3g} m",
                     counted(separation.overlaps.size(), "overlap"), deep,
                     separation.overlaps.size() == 1 ? "was" : "were", separation.moves.size(),
                     separation.moves.size() == 1 ? "y was" : "ies were", farthest->body, distance(*farthest));
}

}  // namespace clearance
