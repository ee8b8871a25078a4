#include "clearance/simulation/watches/rotation_watch.h"

#include <Eigen/LU>
#include <algorithm>

#include "clearance/math/dimension.h"
#include "clearance/math/elementary.h"
#include "clearance/math/svd.h"
#include "clearance/model/blocks.h"

namespace clearance {

namespace {

/// Returns 1 for each element with linear elasticity, by the material of the body or of the element's part.
std::vector<char> are_linear(const BodyDesc& desc, const BodyInstance& body, std::size_t num_elements) {
  const auto is_linear = [](const MaterialDesc& material) { return material.model == ElasticModel::linear_elasticity; };
  std::vector<char> linear(num_elements, is_linear(desc.material) ? 1 : 0);
  for (std::size_t e = 0; e < body.material_part.size(); ++e) {
    const int part = body.material_part[e];
    if (part >= 0) linear[e] = is_linear(desc.material_parts[part].material) ? 1 : 0;
  }
  return linear;
}

/// Computes the cosine [1] of the angle of the rotation nearest to F.
template <int dim>
double cosine_of(const Mat<3>& f) {
  const Mat<dim> rotation = nearest_rotation<dim>(Mat<dim>(f.topLeftCorner<dim, dim>()));
  return 0.5 * (rotation.trace() - (dim - 2));
}

}  // namespace

RotationWatch::RotationWatch(const SceneDesc& desc, const SceneModel& scene)
    : dim_(scene.dim), vertex_map_(scene.frames.vertex_map) {
  int first_vertex = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const Mesh& mesh = body.mesh;
    const std::size_t num_elements = dim_ == 3 ? mesh.tets.size() : mesh.triangles.size();
    const int first = std::exchange(first_vertex, first_vertex + static_cast<int>(mesh.vertices.size()));
    if (body.kind != BodyKind::deformable || body.is_obstacle) continue;
    const std::vector<char> linear = are_linear(desc.bodies[body.desc], body, num_elements);
    for (std::size_t e = 0; e < num_elements; ++e) {
      if (!linear[e]) continue;
      Element element{static_cast<int>(b), {}, Mat<3>::Identity()};
      Mat<3> edges = Mat<3>::Identity();
      for (int i = 0; i <= dim_; ++i) {
        const std::size_t k = i;
        const int v = dim_ == 3 ? mesh.tets[e][k] : mesh.triangles[e][std::min<std::size_t>(k, 2)];
        element.corners[k] = first + v;
        const int v0 = dim_ == 3 ? mesh.tets[e][0] : mesh.triangles[e][0];
        if (i > 0) {
          edges.col(i - 1).head(dim_) = (mesh.vertices[v] - mesh.vertices[v0]).head(dim_);
        }
      }
      element.inverse_rest = edges.inverse();
      elements_.push_back(element);
    }
  }
}

LargeRotation RotationWatch::measure(const VecX& x) const {
  LargeRotation most;
  if (elements_.empty()) return most;
  const VecX places = vertex_map_.apply(x);
  double least_cosine = elementary::cos(large_rotation_limit);
  for (const Element& element : elements_) {
    Mat<3> edges = Mat<3>::Identity();
    for (int i = 1; i <= dim_; ++i) {
      edges.col(i - 1).head(dim_) =
          places.segment(dim_ * element.corners[i], dim_) - places.segment(dim_ * element.corners[0], dim_);
    }
    const Mat<3> f = edges * element.inverse_rest;
    const double cosine = dim_ == 2 ? cosine_of<2>(f) : cosine_of<3>(f);
    if (!(cosine < least_cosine)) continue;
    least_cosine = cosine;
    most = {elementary::acos(std::clamp(cosine, -1.0, 1.0)), element.body};
  }
  return most;
}

}  // namespace clearance
