// Bodies of a scene placed in the world, straight from TransformDesc, as a second opinion on the importer.
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/scene/scene.h"

namespace clearance {

inline Mat<3> rotation_of(const Vec<3>& degrees) {
  const Vec<3> a = degrees * (3.14159265358979323846 / 180.0);
  Mat<3> x, y, z;
  x << 1, 0, 0, 0, std::cos(a[0]), -std::sin(a[0]), 0, std::sin(a[0]), std::cos(a[0]);
  y << std::cos(a[1]), 0, std::sin(a[1]), 0, 1, 0, -std::sin(a[1]), 0, std::cos(a[1]);
  z << std::cos(a[2]), -std::sin(a[2]), 0, std::sin(a[2]), std::cos(a[2]), 0, 0, 0, 1;
  return z * y * x;
}

/// Returns all vertices of a body, copies included.
inline std::vector<Vec<3>> world_vertices(const SceneDesc& scene, std::size_t body_index) {
  const BodyDesc& body = scene.bodies.at(body_index);
  const Result<Mesh> mesh = read_mesh(std::filesystem::path(scene.base_directory) / body.mesh);
  std::vector<Vec<3>> points;
  if (!mesh) return points;
  const ArrayDesc array = body.array.value_or(ArrayDesc{});
  const Mat<3> rotation = rotation_of(body.transform.rotation);
  for (int i = 0; i < array.counts[0]; ++i) {
    for (int j = 0; j < array.counts[1]; ++j) {
      for (int k = 0; k < array.counts[2]; ++k) {
        const Vec<3> offset = body.transform.translation + array.spacing.cwiseProduct(Vec<3>(i, j, k));
        for (const Vec<3>& v : mesh->vertices) {
          points.push_back(rotation * body.transform.scale.cwiseProduct(v) + offset);
        }
      }
    }
  }
  return points;
}

struct WorldBox {
  Vec<3> min = Vec<3>::Constant(infinity);
  Vec<3> max = Vec<3>::Constant(-infinity);
};

inline WorldBox world_box_of(const SceneDesc& scene, std::size_t body) {
  WorldBox box;
  for (const Vec<3>& v : world_vertices(scene, body)) {
    box.min = box.min.cwiseMin(v);
    box.max = box.max.cwiseMax(v);
  }
  return box;
}

inline WorldBox world_box(const SceneDesc& scene, std::optional<BodyKind> kind) {
  WorldBox box;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (kind && scene.bodies[i].kind != *kind) continue;
    const WorldBox own = world_box_of(scene, i);
    box.min = box.min.cwiseMin(own.min);
    box.max = box.max.cwiseMax(own.max);
  }
  return box;
}

inline std::size_t count_nodes(const SceneDesc& scene, std::size_t body, const std::function<bool(const Vec<3>&)>& is) {
  std::size_t count = 0;
  for (const Vec<3>& v : world_vertices(scene, body)) count += is(v) ? 1 : 0;
  return count;
}

inline std::size_t nodes_in(const SceneDesc& scene, std::size_t body, const std::array<Vec<3>, 2>& box) {
  return count_nodes(scene, body, [&](const Vec<3>& x) {
    return (x.array() >= box[0].array()).all() && (x.array() <= box[1].array()).all();
  });
}

}  // namespace clearance
