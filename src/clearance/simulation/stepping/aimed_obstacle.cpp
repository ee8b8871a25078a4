#include "clearance/simulation/stepping/aimed_obstacle.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {

Result<Done> aim_obstacle(const SceneModel& scene, const BodyView& view, const std::vector<Vec<3>>& positions,
                          State& state) {
  const auto problem = [&](std::string value, std::string message) {
    return Issue{"", fmt::format("positions of '{}'", view.name), std::move(value), std::move(message)};
  };
  if (!view.is_obstacle) {
    return problem("", "only obstacles are moved by arrays; other bodies have forces and motions");
  }
  for (const PreparedMotion& motion : scene.motions) {
    const auto is_own = [&](int b) { return b >= view.blocks.first && b < view.blocks.end(); };
    if (std::any_of(motion.blocks.begin(), motion.blocks.end(), is_own)) {
      return problem("", "its `motions` move it; remove these to move it by arrays");
    }
  }
  if (std::ssize(positions) != view.vertices.count) {
    return problem(fmt::format("{} rows", positions.size()),
                   fmt::format("expected {}, one for each vertex", view.vertices.count));
  }
  // The vertices of an obstacle are blocks of their own.
  VecX anchor = state.x_anchor;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (!positions[v].allFinite()) return problem(fmt::format("row {}", v), "expected finite numbers");
    const auto terms = scene.frames.vertex_map.terms(view.vertices.first + static_cast<int>(v));
    anchor.segment(scene.dim * terms[0].block, scene.dim) = positions[v].head(scene.dim);
  }
  state.x_anchor = std::move(anchor);
  return Done{};
}

}  // namespace clearance
