#include "clearance/derivatives/load_slopes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

#include "clearance/scene/expression.h"
#include "clearance/simulation/build/loads.h"
#include "clearance/simulation/load/region.h"

namespace clearance::derivatives {

namespace {

/// Returns the derivatives of a face's area [m^2] (2D: length [m]) by its corners.
std::array<Vec<3>, 3> area_gradients(const std::vector<Vec<3>>& x, const std::array<int, 3>& face) {
  const Vec<3>&a = x[static_cast<std::size_t>(face[0])], &b = x[static_cast<std::size_t>(face[1])];
  if (face[2] < 0) {
    const Vec<3> along = (b - a).normalized();
    return {-along, along, Vec<3>::Zero()};
  }
  const Vec<3>& c = x[static_cast<std::size_t>(face[2])];
  const Vec<3> normal = (b - a).cross(c - a).normalized();
  return {0.5 * (b - c).cross(normal), 0.5 * (c - a).cross(normal), 0.5 * (a - b).cross(normal)};
}

}  // namespace

LoadSlopes::LoadSlopes(const SceneDesc& desc, const SceneModel& scene) : scene_(scene) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& of_body = desc.bodies[static_cast<std::size_t>(body.desc)];
    for (std::size_t i = 0; i < of_body.loads.size(); ++i) {
      const LoadDesc& load = of_body.loads[i];
      // The centre of mass of a stiff body is no node, and pressures and torques do not know the shape at rest.
      if (is_stiff(body.kind) || load.kind == LoadKind::pressure || load.kind == LoadKind::torque) continue;
      const bool has_faces = load.kind != LoadKind::acceleration;
      if (body.kind != BodyKind::deformable ||
          (has_faces && (body.mesh.has_curved_cells() || !body.followed.empty()))) {
        knows_all_ = false;
        continue;
      }
      Load made{&load, fmt::format("bodies[{}].loads[{}]", body.desc, i), static_cast<int>(b), {}, {}, {}, 1.0};
      if (has_faces) {
        made.faces = select_faces(body, of_body.transform, load.region, scene.dim);
        for (const std::array<int, 3>& face : made.faces) {
          for (const int v : face) {
            if (v >= 0) made.nodes.push_back(v);
          }
        }
        std::sort(made.nodes.begin(), made.nodes.end());
        made.nodes.erase(std::unique(made.nodes.begin(), made.nodes.end()), made.nodes.end());
      } else {
        made.nodes = select_nodes(body, of_body.transform, load.region, scene.dim);
      }
      // A force on listed nodes without a face is shared evenly, whatever the shape (simulation/build/loads.cpp).
      const bool is_even = load.kind == LoadKind::force && made.faces.empty() && !load.region.nodes.empty();
      if (is_even) made.nodes = select_nodes(body, of_body.transform, load.region, scene.dim);
      const double even_share = 1.0 / std::max(1.0, static_cast<double>(made.nodes.size()));
      // Vertices of stiff parts follow these.
      std::erase_if(made.nodes, [&](int v) { return block_of(made, v) < 0; });
      const std::vector<double> shares =
          has_faces ? share_face_areas(body, of_body.transform, load.region, {scene.dim}) : std::vector<double>();
      if (load.kind == LoadKind::force) made.shared = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (const int v : made.nodes) {
        made.weights.push_back(is_even     ? even_share
                               : has_faces ? shares[static_cast<std::size_t>(v)] / made.shared
                                           : scene.weighing[block_of(made, v)]);
      }
      loads_.push_back(std::move(made));
    }
  }
}

/// Returns the values on the nodes of a load, with the shape at rest shifted.
std::vector<Vec<3>> LoadSlopes::values(const Load& load, double time_t1, const Vec<3>& shift) const {
  std::vector<Vec<3>> values(load.nodes.size(), load.desc->value);
  if (!load.desc->expression) return values;
  const BodyInstance& body = scene_.bodies[static_cast<std::size_t>(load.body)];
  std::vector<Vec<3>> points;
  for (const int v : load.nodes) points.push_back(body.mesh.vertices[static_cast<std::size_t>(v)] - body.shift + shift);
  auto evaluated = evaluate(*load.desc->expression, load.place, time_t1, points, *scene_.controls);
  return evaluated ? std::move(*evaluated) : std::move(values);
}

Vec<3> LoadSlopes::motion_of(const Load& load, int vertex, const VecX& motion) const {
  Vec<3> moved = Vec<3>::Zero();
  moved.head(scene_.dim) = motion.segment(scene_.dim * static_cast<Eigen::Index>(block_of(load, vertex)), scene_.dim);
  return moved;
}

VecX LoadSlopes::powers(double h, double time_t1, const VecX& motion) const {
  VecX powers;
  for (const Load& load : loads_) {
    if (load.desc->kind != LoadKind::acceleration || !is_acting(*load.desc, h, time_t1)) continue;
    if (powers.size() == 0) powers = VecX::Zero(scene_.model.layout.num_blocks);
    const std::vector<Vec<3>> at = values(load, time_t1, Vec<3>::Zero());
    for (std::size_t k = 0; k < load.nodes.size(); ++k) {
      powers[block_of(load, load.nodes[k])] += motion_of(load, load.nodes[k], motion).dot(at[k]);
    }
  }
  return powers;
}

void LoadSlopes::add_by_shape(double h, double time_t1, const VecX& motion, VecX& rest) const {
  const auto add = [&](const Load& load, int vertex, const Vec<3>& slope) {
    const int block = block_of(load, vertex);
    if (block >= 0) rest.segment(scene_.dim * static_cast<Eigen::Index>(block), scene_.dim) += slope.head(scene_.dim);
  };
  for (const Load& load : loads_) {
    if (!is_acting(*load.desc, h, time_t1)) continue;
    if (load.desc->expression) {
      // By what formulas make of the places.
      const double length = 1e-4 * scene_.model.bbox_diagonal;
      for (int c = 0; c < scene_.dim; ++c) {
        const auto at = [&](double by) { return values(load, time_t1, by * length * Vec<3>::Unit(c)); };
        const std::vector<Vec<3>> far_below = at(-2.0), below = at(-1.0), above = at(1.0), far_above = at(2.0);
        for (std::size_t k = 0; k < load.nodes.size(); ++k) {
          const Vec<3> slope = (8.0 * (above[k] - below[k]) - (far_above[k] - far_below[k])) / (12.0 * length);
          add(load, load.nodes[k],
              load.weights[k] * slope.dot(motion_of(load, load.nodes[k], motion)) * Vec<3>::Unit(c));
        }
      }
    }
    if (load.faces.empty()) continue;
    // By the areas: of a force, more area elsewhere leaves less here.
    const std::vector<Vec<3>> at = values(load, time_t1, Vec<3>::Zero());
    const BodyInstance& body = scene_.bodies[static_cast<std::size_t>(load.body)];
    std::vector<double> powers(body.mesh.vertices.size(), 0.0);
    double mean = 0.0;
    for (std::size_t k = 0; k < load.nodes.size(); ++k) {
      const double power = motion_of(load, load.nodes[k], motion).dot(at[k]);
      powers[static_cast<std::size_t>(load.nodes[k])] = power;
      mean += load.weights[k] * power;
    }
    if (load.desc->kind != LoadKind::force) mean = 0.0;
    for (const std::array<int, 3>& face : load.faces) {
      double of_face = 0.0;
      for (const int v : face) {
        if (v >= 0) of_face += powers[static_cast<std::size_t>(v)] / scene_.dim;
      }
      const std::array<Vec<3>, 3> gradients = area_gradients(body.mesh.vertices, face);
      for (std::size_t i = 0; i < 3; ++i) {
        if (face[i] >= 0) add(load, face[i], (of_face - mean) / load.shared * gradients[i]);
      }
    }
  }
}

}  // namespace clearance::derivatives
