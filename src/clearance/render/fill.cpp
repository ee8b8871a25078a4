#include "clearance/render/fill.h"

#include <algorithm>

namespace clearance::render {

namespace {

/// The point and colour at which an edge crosses a height.
struct Crossing {
  Eigen::Vector3f position;
  Color color;
};

/// Returns the edge with its lower end first.
OutlineEdge upward(OutlineEdge edge) {
  if (edge.ends[0][1] > edge.ends[1][1]) {
    std::swap(edge.ends[0], edge.ends[1]);
    std::swap(edge.colors[0], edge.colors[1]);
  }
  return edge;
}

Crossing crossing_at(const OutlineEdge& edge, float height) {
  const float rise = edge.ends[1][1] - edge.ends[0][1];
  const float t = std::clamp((height - edge.ends[0][1]) / rise, 0.0f, 1.0f);
  return {edge.ends[0] + t * (edge.ends[1] - edge.ends[0]), edge.colors[0] + t * (edge.colors[1] - edge.colors[0])};
}

void add_triangle(const Crossing& a, const Crossing& b, const Crossing& c, DrawTriangles& triangles) {
  const auto first = static_cast<unsigned>(triangles.vertices.size());
  for (const Crossing* corner : {&a, &b, &c}) {
    triangles.vertices.push_back(corner->position);
    triangles.vertex_colors.push_back(corner->color);
  }
  triangles.indices.push_back({first, first + 1, first + 2});
}

}  // namespace

void add_inside(const std::vector<OutlineEdge>& outline, DrawTriangles& triangles) {
  std::vector<OutlineEdge> edges;
  std::vector<float> heights;
  for (const OutlineEdge& edge : outline) {
    for (const Eigen::Vector3f& end : edge.ends) heights.push_back(end[1]);
    if (edge.ends[0][1] != edge.ends[1][1]) edges.push_back(upward(edge));
  }
  std::sort(heights.begin(), heights.end());
  heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
  std::sort(edges.begin(), edges.end(),
            [](const OutlineEdge& a, const OutlineEdge& b) { return a.ends[0][1] < b.ends[0][1]; });

  // No edge ends between two consecutive heights, so each active edge crosses the whole strip. Trapezoids lie between
  // the first and the second edge, the third and the fourth, and so on.
  std::vector<const OutlineEdge*> active;
  std::size_t next = 0;
  for (std::size_t k = 0; k + 1 < heights.size(); ++k) {
    const float low = heights[k], high = heights[k + 1], middle = 0.5f * (low + high);
    std::erase_if(active, [&](const OutlineEdge* edge) { return edge->ends[1][1] <= low; });
    for (; next < edges.size() && edges[next].ends[0][1] <= low; ++next) active.push_back(&edges[next]);
    std::sort(active.begin(), active.end(), [&](const OutlineEdge* a, const OutlineEdge* b) {
      return crossing_at(*a, middle).position[0] < crossing_at(*b, middle).position[0];
    });
    if (active.size() % 2 != 0) continue;
    for (std::size_t i = 0; i < active.size(); i += 2) {
      const Crossing a = crossing_at(*active[i], low), b = crossing_at(*active[i + 1], low);
      const Crossing c = crossing_at(*active[i + 1], high), d = crossing_at(*active[i], high);
      add_triangle(a, b, c, triangles);
      add_triangle(a, c, d, triangles);
    }
  }
}

}  // namespace clearance::render
