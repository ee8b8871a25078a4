#include "clearance/bodies/shell/shell_mesh.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "clearance/bodies/shell/dihedral.h"

namespace clearance {

double ShellMaterial::flexural_rigidity() const {
  if (bending_stiffness) return *bending_stiffness;
  return youngs_modulus * thickness * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio));
}

Mat<3> ShellMaterial::plane_stress() const {
  Orthotropy of{};
  if (orthotropy) {
    of = *orthotropy;
  } else {
    of.youngs_modulus_warp = of.youngs_modulus_weft = youngs_modulus;
    of.poisson_ratio = poisson_ratio;
    of.shear_modulus = youngs_modulus / (2.0 * (1.0 + poisson_ratio));
  }
  // The contraction of the warp by a pull of the weft follows from symmetry.
  const double other = of.poisson_ratio * of.youngs_modulus_weft / of.youngs_modulus_warp;
  const double share = 1.0 / (1.0 - of.poisson_ratio * other);
  Mat<3> q = Mat<3>::Zero();
  q(0, 0) = share * of.youngs_modulus_warp;
  q(1, 1) = share * of.youngs_modulus_weft;
  q(0, 1) = q(1, 0) = share * of.poisson_ratio * of.youngs_modulus_weft;
  q(2, 2) = of.shear_modulus;
  return q;
}

namespace {

/// Returns the sides 01 and 02 of a triangle at rest in its material axes, as columns.
Mat<2> sides_in_plane(const Vec<3>& side1, const Vec<3>& side2, const Vec<3>* warp) {
  const Vec<3> normal = side1.cross(side2).normalized();
  Vec<3> axis = side1;
  if (warp != nullptr) {
    const Vec<3> projected = *warp - warp->dot(normal) * normal;
    // A warp across the triangle has no direction in it.
    if (projected.norm() > 1e-6 * warp->norm()) axis = projected;
  }
  axis.normalize();
  const Vec<3> other = normal.cross(axis);
  Mat<2> sides;
  sides << axis.dot(side1), axis.dot(side2), other.dot(side1), other.dot(side2);
  return sides;
}

/// Returns the angle between the triangles of an edge at rest.
double angle_at_rest(const SurfaceEdge& edge, std::span<const Vec<3>> rest) {
  if (edge.triangles[1] < 0) return 0.0;
  return dihedral_angle(
      {rest[edge.vertices[0]], rest[edge.vertices[1]], rest[edge.opposite[0]], rest[edge.opposite[1]]});
}

}  // namespace

void add_shell(const ShellBody& body, ShellMesh& mesh) {
  const SurfaceEdges edges = find_surface_edges(body.triangles);
  const int first_edge = static_cast<int>(mesh.edges.size());
  const int first_triangle = static_cast<int>(mesh.triangles.size());
  const int material = static_cast<int>(mesh.materials.size());
  mesh.materials.push_back(body.material);
  const Vec<3>* warp = body.material.orthotropy ? &body.material.orthotropy->warp : nullptr;
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    ShellTriangle& triangle = mesh.triangles.emplace_back();
    const auto& corners = body.triangles[t];
    for (std::size_t i = 0; i < 3; ++i) {
      triangle.nodes[i] = body.blocks[corners[i]];
      triangle.edges[i] = first_edge + edges.of_triangles[t][i];
    }
    triangle.material = material;
    const Vec<3>& origin = body.rest[corners[0]];
    const Mat<2> sides = sides_in_plane(body.rest[corners[1]] - origin, body.rest[corners[2]] - origin, warp);
    triangle.area = 0.5 * sides.determinant();
    triangle.inverse = sides.inverse();
  }
  const auto block_of = [&](int v) { return v < 0 ? -1 : body.blocks[v]; };
  for (std::size_t e = 0; e < edges.edges.size(); ++e) {
    const SurfaceEdge& from = edges.edges[e];
    ShellEdge& edge = mesh.edges.emplace_back();
    double area = 0.0;
    int count = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      edge.nodes[side] = block_of(from.vertices[side]);
      edge.opposite[side] = block_of(from.opposite[side]);
      if (from.triangles[side] < 0) continue;
      edge.triangles[side] = first_triangle + from.triangles[side];
      area += mesh.triangles[edge.triangles[side]].area;
      ++count;
    }
    edge.sense = from.is_turned ? -1.0 : 1.0;
    edge.length = (body.rest[from.vertices[1]] - body.rest[from.vertices[0]]).norm();
    if (!body.is_flat_at_rest) edge.angle = angle_at_rest(from, body.rest);
    if (body.first_slope_block < 0) continue;
    edge.slope.block = body.first_slope_block + static_cast<int>(e) / 3;
    edge.slope.component = static_cast<int>(e) % 3;
    edge.slope.length = 2.0 * area / (count * edge.length);
  }
}

void add_shell_mass(const ShellMesh& mesh, VecX& of_nodes, VecX& of_slopes) {
  for (const ShellTriangle& triangle : mesh.triangles) {
    const ShellMaterial& material = mesh.materials[triangle.material];
    const double mass = material.density * material.thickness * triangle.area;
    for (std::size_t i = 0; i < 3; ++i) {
      of_nodes[triangle.nodes[i]] += mass / 3.0;
      const AngleUnknown& slope = mesh.edges[triangle.edges[i]].slope;
      if (slope.block < 0) continue;
      // The inertia of a slope in its length h phi, shared by the three components of its block.
      const double share = material.thickness / slope.length;
      of_slopes[slope.block] += mass * share * share / 36.0;
    }
  }
}

}  // namespace clearance
