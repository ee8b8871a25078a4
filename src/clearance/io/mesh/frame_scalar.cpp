#include "clearance/io/mesh/frame_scalar.h"

#include <array>
#include <cmath>
#include <limits>

namespace clearance {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<double> scalar_of_vertices(const Frame& frame) {
  if (frame.cell_scalar.empty()) return frame.point_scalar;
  std::vector<double> sums(frame.mesh.vertices.size(), 0.0), counts(sums.size(), 0.0);
  std::size_t cell = 0;
  const auto add = [&](const auto& vertices) {
    const double value = frame.cell_scalar[cell++];
    for (const int v : vertices) {
      if (!std::isfinite(value)) continue;
      sums[v] += value;
      counts[v] += 1.0;
    }
  };
  const Mesh& mesh = frame.mesh;
  const auto add_solid = [&](const auto& corners, std::size_t solid) {
    const std::span<const int> nodes = mesh.nodes_of_cell(solid);
    nodes.empty() ? add(std::span<const int>(corners)) : add(nodes);
  };
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) add_solid(mesh.tets[t], t);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    mesh.dim == 2 ? add_solid(mesh.triangles[t], t) : add(std::span<const int>(mesh.triangles[t]));
  }
  for (const auto& e : frame.mesh.edges) add(e);
  for (const int p : frame.mesh.points) add(std::array{p});
  for (std::size_t v = 0; v < sums.size(); ++v) sums[v] = counts[v] > 0.0 ? sums[v] / counts[v] : nothing;
  return sums;
}

}  // namespace clearance
