#include "clearance/derivatives/vertex_slopes.h"

#include <algorithm>

namespace clearance::derivatives {

VecX by_unknowns(const SceneModel& scene, const std::vector<Vec<3>>& by_vertex) {
  const SurfaceMap& map = scene.frames.vertex_map;
  VecX sums = VecX::Zero(scene.model.layout.num_unknowns());
  const int count = std::min(map.num_vertices(), static_cast<int>(by_vertex.size()));
  for (int v = 0; v < count; ++v) {
    for (const SurfaceMap::Term& term : map.terms(v)) {
      sums.segment(scene.dim * static_cast<Eigen::Index>(term.block), scene.dim) +=
          term.weight * by_vertex[static_cast<std::size_t>(v)].head(scene.dim);
    }
  }
  return sums;
}

std::vector<Vec<3>> by_vertices(const SceneModel& scene, const VecX& by_unknowns) {
  std::vector<Vec<3>> slopes;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const std::vector<int>& blocks = scene.blocks[b].block_of_node;
    for (std::size_t v = 0; v < scene.bodies[b].mesh.vertices.size(); ++v) {
      Vec<3> slope = Vec<3>::Zero();
      if (v < blocks.size() && blocks[v] >= 0) {
        slope.head(scene.dim) = by_unknowns.segment(scene.dim * static_cast<Eigen::Index>(blocks[v]), scene.dim);
      }
      slopes.push_back(slope);
    }
  }
  return slopes;
}

namespace {

Vec<3> block_in_space(const SceneModel& scene, const VecX& numbers, int block) {
  Vec<3> of_block = Vec<3>::Zero();
  of_block.head(scene.dim) = numbers.segment(scene.dim * static_cast<Eigen::Index>(block), scene.dim);
  return of_block;
}

}  // namespace

std::vector<BodySlopes> by_stiff_bodies(const SceneModel& scene, const VecX& x, const VecX& by_unknowns) {
  const int dim = scene.dim;
  const auto at = [&](const VecX& numbers, int block) { return block_in_space(scene, numbers, block); };
  std::vector<BodySlopes> slopes;
  for (const StiffBody& body : scene.model.stiff_bodies) {
    BodySlopes of_body{scene.model.body_of_block[static_cast<std::size_t>(body.first_block)],
                       at(by_unknowns, body.first_block)};
    // A turn by omega moves each column b by omega x b.
    for (int i = 1; i <= dim; ++i) {
      of_body.about += at(x, body.first_block + i).cross(at(by_unknowns, body.first_block + i));
    }
    slopes.push_back(of_body);
  }
  return slopes;
}

std::vector<BodySlopes> by_places(const SceneModel& scene, const VecX& x, const VecX& v, const VecX& by_x,
                                  const VecX& by_v) {
  std::vector<BodySlopes> slopes = by_stiff_bodies(scene, x, by_x);
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const int first = scene.model.stiff_bodies[k].first_block;
    // The columns b have one length and stand across each other: the sum of b x (spin x b) is 2 |b|^2 spin.
    Vec<3> sum = Vec<3>::Zero();
    for (int i = 1; i <= scene.dim; ++i) {
      sum += block_in_space(scene, x, first + i).cross(block_in_space(scene, v, first + i));
    }
    const Vec<3> spin = 0.5 * sum / block_in_space(scene, x, first + 1).squaredNorm();
    // A turn by omega changes the velocity spin x b of a column by spin x (omega x b).
    for (int i = 1; i <= scene.dim; ++i) {
      slopes[k].about += block_in_space(scene, x, first + i).cross(block_in_space(scene, by_v, first + i).cross(spin));
    }
  }
  return slopes;
}

}  // namespace clearance::derivatives
