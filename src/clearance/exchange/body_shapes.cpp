#include "clearance/exchange/body_shapes.h"

#include <algorithm>
#include <set>

namespace clearance::exchange {
namespace {

std::array<std::uint32_t, 2> sorted(std::uint32_t a, std::uint32_t b) {
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

BodyShapes find_shapes(const ExportedRun& run, const ExportedBody& body) {
  const page::DrawnBody& drawn = body.drawn;
  const auto local = [&](std::uint32_t v) { return static_cast<std::uint32_t>(v - drawn.first_vertex); };
  BodyShapes shapes;
  std::set<std::array<std::uint32_t, 2>> sides;
  // In the plane, the lines include outlines of areas. Sides of triangles are collected so that they can be left out.
  if (drawn.num_edges > 0) {
    for (const auto& t : body.triangles) {
      for (std::size_t k = 0; k < 3; ++k) sides.insert(sorted(t[k], t[(k + 1) % 3]));
    }
  }
  for (std::size_t e = 0; e < drawn.num_edges; ++e) {
    const auto& edge = run.drawn().edges()[drawn.first_edge + e];
    const std::uint32_t a = local(edge[0]), b = local(edge[1]);
    if (a == b) {
      shapes.points.push_back(a);
    } else if (!sides.contains(sorted(a, b))) {
      shapes.lines.push_back({a, b});
    }
  }
  if (!body.triangles.empty()) shapes.surface.emplace(run.places(body, run.first()), body.triangles);
  return shapes;
}

}  // namespace clearance::exchange
