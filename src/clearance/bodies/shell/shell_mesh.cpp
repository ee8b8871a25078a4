#include "clearance/bodies/shell/shell_mesh.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "clearance/bodies/shell/dihedral.h"
#include "clearance/math/elementary.h"

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

/// Share of the energy of the membrane that is not smoothed.
constexpr double unsmoothed_share = 0.1;
/// Ratio of the stiffnesses of neighbours up to which their strain is smoothed.
constexpr double largest_ratio = 2.0;

/// Returns axes of which the first is the direction of `along` in the plane, or the side 01 if there is none.
PlaneAxes plane_axes(const Vec<3>& side1, const Vec<3>& side2, const Vec<3>& along) {
  const Vec<3> normal = side1.cross(side2).normalized();
  Vec<3> axis = along - along.dot(normal) * normal;
  // A vector across the triangle has no direction in it.
  if (!(axis.norm() > 1e-6 * along.norm())) axis = side1;
  axis.normalize();
  PlaneAxes axes;
  axes << axis, normal.cross(axis);
  return axes;
}

/// Returns the inverse of the sides 01 and 02 of a triangle at rest in the axes.
Mat<2> inverse_sides(const Vec<3>& side1, const Vec<3>& side2, const PlaneAxes& axes) {
  Mat<2> sides;
  sides << axes.transpose() * side1, axes.transpose() * side2;
  return sides.inverse();
}

/// Returns where a vertex of a triangle is at rest.
Vec<3> rest_corner(const ShellBody& body, int triangle, int vertex) {
  if (body.pattern.empty()) return body.rest[vertex];
  const std::array<int, 3>& corners = body.triangles[triangle];
  return body.pattern[triangle][std::find(corners.begin(), corners.end(), vertex) - corners.begin()];
}

/// True if the triangles of an edge are apart in the pattern: the edge is a seam.
bool is_seam(const ShellBody& body, const SurfaceEdge& edge) {
  if (body.pattern.empty() || edge.triangles[1] < 0) return false;
  const auto corner = [&](int side, int i) { return rest_corner(body, edge.triangles[side], edge.vertices[i]); };
  const double length = (corner(0, 1) - corner(0, 0)).norm();
  constexpr double same = 1e-6;
  return (corner(0, 0) - corner(1, 0)).norm() > same * length || (corner(0, 1) - corner(1, 1)).norm() > same * length;
}

/// Returns the angle between the triangles of an edge at rest: flat at the border and at a seam.
double angle_at_rest(const ShellBody& body, const SurfaceEdge& edge) {
  if (edge.triangles[1] < 0 || is_seam(body, edge)) return 0.0;
  const auto corner = [&](int side, int vertex) { return rest_corner(body, edge.triangles[side], vertex); };
  return dihedral_angle({corner(0, edge.vertices[0]), corner(0, edge.vertices[1]), corner(0, edge.opposite[0]),
                         corner(1, edge.opposite[1])});
}

/// Appends the cells of a body whose triangles and edges are in the mesh.
class CellBuilder {
 public:
  CellBuilder(const ShellBody& body, const SurfaceEdges& edges, int first_triangle, ShellMesh& mesh)
      : body_(body), edges_(edges), first_triangle_(first_triangle), mesh_(mesh) {}

  void build() {
    const std::size_t first = mesh_.cells.size();
    for (std::size_t t = 0; t < body_.triangles.size(); ++t) add_triangle(static_cast<int>(t));
    for (std::size_t e = 0; e < edges_.edges.size(); ++e) {
      const SurfaceEdge& edge = edges_.edges[e];
      if (is_smooth(edge)) {
        add_edge(static_cast<int>(e));
        continue;
      }
      for (const int t : edge.triangles) {
        if (t >= 0) mesh_.cells[first + t].area += (1.0 - unsmoothed_share) / 3.0 * triangle_of(t).area;
      }
    }
  }

 private:
  double stiffness(int t) const {
    const ShellMaterial& material = mesh_.materials[triangle_of(t).material];
    return material.youngs_modulus * material.thickness;
  }

  /// False at the border, at seams, and where a stiff material ends: the strain jumps there.
  bool is_smooth(const SurfaceEdge& edge) const {
    if (edge.triangles[1] < 0 || is_seam(body_, edge)) return false;
    const auto [less, more] = std::minmax({stiffness(edge.triangles[0]), stiffness(edge.triangles[1])});
    return more <= largest_ratio * less;
  }

  const ShellTriangle& triangle_of(int t) const { return mesh_.triangles[first_triangle_ + t]; }

  void add_triangle(int t) {
    const ShellTriangle& triangle = triangle_of(t);
    StrainCell& cell = mesh_.cells.emplace_back();
    cell.material = triangle.material;
    cell.area = unsmoothed_share * triangle.area;
    for (std::size_t i = 0; i < 3; ++i) cell.nodes[i] = triangle.nodes[i];
    cell.parts[0].triangle = first_triangle_ + t;
    cell.parts[0].axes = triangle.axes;
    cell.parts[0].gradients.middleRows<2>(1) = triangle.inverse;
    cell.parts[0].gradients.row(0) = -triangle.inverse.colwise().sum();
  }

  /// Adds the strip along an edge: one cell, or one for each triangle with the strain of both if their materials
  /// differ.
  void add_edge(int number) {
    const SurfaceEdge& edge = edges_.edges[number];
    const std::array<int, 2> materials = {triangle_of(edge.triangles[0]).material,
                                          triangle_of(edge.triangles[1]).material};
    StrainCell cell = strip_along(number);
    cell.material = materials[0];
    if (materials[0] == materials[1]) {
      mesh_.cells.push_back(cell);
      return;
    }
    const double area = cell.area;
    for (std::size_t side = 0; side < 2; ++side) {
      cell.material = materials[side];
      cell.area = cell.parts[side].weight * area;
      mesh_.cells.push_back(cell);
    }
  }

  StrainCell strip_along(int number) const {
    const SurfaceEdge& edge = edges_.edges[number];
    StrainCell cell;
    const std::array<int, 4> vertices = {edge.vertices[0], edge.vertices[1], edge.opposite[0], edge.opposite[1]};
    for (std::size_t i = 0; i < 4; ++i) cell.nodes[i] = body_.blocks[vertices[i]];
    cell.num_nodes = 4;
    cell.num_parts = 2;
    const double area = triangle_of(edge.triangles[0]).area + triangle_of(edge.triangles[1]).area;
    cell.area = (1.0 - unsmoothed_share) / 3.0 * area;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto at_rest = [&](int vertex) { return rest_corner(body_, edge.triangles[side], vertex); };
      const Vec<3> side1 = at_rest(vertices[1]) - at_rest(vertices[0]);
      const Vec<3> side2 = at_rest(vertices[2 + side]) - at_rest(vertices[0]);
      // The triangles are unfolded into one plane about the edge, or have the warp in common. The normals of the first
      // side and of the second, which lies across the edge, point to opposite sides.
      PlaneAxes axes = plane_axes(side1, side2, warp_ ? warp_->warp : side1);
      if (side == 1) axes.col(1) = -axes.col(1);
      const Mat<2> inverse = inverse_sides(side1, side2, axes);
      StrainCell::Part& part = cell.parts[side];
      part.triangle = first_triangle_ + edge.triangles[side];
      const auto& of_triangle = edges_.of_triangles[edge.triangles[side]];
      part.edge = static_cast<int>(std::find(of_triangle.begin(), of_triangle.end(), number) - of_triangle.begin());
      part.axes = axes;
      part.weight = triangle_of(edge.triangles[side]).area / area;
      part.gradients.row(0) = -inverse.colwise().sum();
      part.gradients.row(1) = inverse.row(0);
      part.gradients.row(2 + static_cast<Eigen::Index>(side)) = inverse.row(1);
    }
    return cell;
  }

  const ShellBody& body_;
  const SurfaceEdges& edges_;
  const std::optional<Orthotropy>& warp_ = body_.materials.front().orthotropy;
  int first_triangle_;
  ShellMesh& mesh_;
};

}  // namespace

void add_shell(const ShellBody& body, ShellMesh& mesh) {
  const SurfaceEdges edges = find_surface_edges(body.triangles);
  const int first_edge = static_cast<int>(mesh.edges.size());
  const int first_triangle = static_cast<int>(mesh.triangles.size());
  const int first_material = static_cast<int>(mesh.materials.size());
  mesh.materials.insert(mesh.materials.end(), body.materials.begin(), body.materials.end());
  const ShellMaterial& common = body.materials.front();
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    ShellTriangle& triangle = mesh.triangles.emplace_back();
    const auto& corners = body.triangles[t];
    for (std::size_t i = 0; i < 3; ++i) {
      triangle.nodes[i] = body.blocks[corners[i]];
      triangle.edges[i] = first_edge + edges.of_triangles[t][i];
    }
    triangle.material = first_material + (body.materials.size() > 1 ? static_cast<int>(t) : 0);
    const auto at_rest = [&](std::size_t i) { return rest_corner(body, static_cast<int>(t), corners[i]); };
    const Vec<3> side1 = at_rest(1) - at_rest(0), side2 = at_rest(2) - at_rest(0);
    const Vec<3>& along = common.orthotropy ? common.orthotropy->warp : side1;
    triangle.area = 0.5 * side1.cross(side2).norm();
    triangle.axes = plane_axes(side1, side2, along);
    triangle.inverse = inverse_sides(side1, side2, triangle.axes);
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
    edge.is_seam = is_seam(body, from);
    const int first = from.triangles[0];
    edge.length = (rest_corner(body, first, from.vertices[1]) - rest_corner(body, first, from.vertices[0])).norm();
    if (!body.is_flat_at_rest) edge.angle = angle_at_rest(body, from);
    if (body.first_slope_block < 0) continue;
    edge.slope.block = body.first_slope_block + static_cast<int>(e) / 3;
    edge.slope.component = static_cast<int>(e) % 3;
    edge.slope.length = 2.0 * area / (count * edge.length);
  }
  CellBuilder(body, edges, first_triangle, mesh).build();
}

Mat<3, 2> map_of(const ShellTriangle& triangle, const VecX& x) {
  const Vec<3> origin = block<3>(x, triangle.nodes[0]);
  Mat<3, 2> sides;
  sides << block<3>(x, triangle.nodes[1]) - origin, block<3>(x, triangle.nodes[2]) - origin;
  return sides * triangle.inverse;
}

double largest_stretch(const ShellTriangle& triangle, const VecX& x) {
  const Mat<3, 2> f = map_of(triangle, x);
  const Mat<2> c = f.transpose() * f;
  return std::sqrt(0.5 * c.trace() + elementary::hypot(0.5 * (c(0, 0) - c(1, 1)), c(0, 1)));
}

std::array<Vec<2>, 3> sides_at_rest(const ShellTriangle& triangle) {
  // The sides 01 and 02 are the columns of the inverse of `inverse`.
  const Mat<2>& inverse = triangle.inverse;
  const double det = inverse(0, 0) * inverse(1, 1) - inverse(0, 1) * inverse(1, 0);
  const Vec<2> side1(inverse(1, 1) / det, -inverse(1, 0) / det), side2(-inverse(0, 1) / det, inverse(0, 0) / det);
  return {side2 - side1, -side2, side1};
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
