#include "clearance/meshing/mesh_quality.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/geometry/distance.h"
#include "clearance/math/elementary.h"
#include "clearance/math/predicates.h"

namespace clearance {

namespace {

const Vec<3>& position(const Mesh& mesh, int v) {
  return mesh.vertices[v];
}

double degrees(double sine, double cosine) {
  return elementary::atan2(sine, cosine) * 180.0 / std::numbers::pi;
}

/// [deg] Returns the angle between two directions.
double angle_between(const Vec<3>& a, const Vec<3>& b) {
  return degrees(cross_product(a, b).norm(), a.dot(b));
}

/// [deg] Returns the angle between the faces that share the edge ab: as seen along the edge, the angle between the
/// directions to the other two vertices.
double dihedral_angle(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  const Vec<3> edge = (b - a).normalized();
  const auto across = [&](const Vec<3>& x) -> Vec<3> { return (x - a) - edge.dot(x - a) * edge; };
  return angle_between(across(c), across(d));
}

}  // namespace

double smallest_angle(const Mesh& mesh) {
  double smallest = 180.0;
  const auto at = [&](int v) -> const Vec<3>& { return position(mesh, v); };
  for (const auto& [a, b, c, d] : mesh.tets) {
    for (const auto& [i, j, k, l] : {std::array{a, b, c, d}, std::array{a, c, b, d}, std::array{a, d, b, c},
                                     std::array{b, c, a, d}, std::array{b, d, a, c}, std::array{c, d, a, b}}) {
      smallest = std::min(smallest, dihedral_angle(at(i), at(j), at(k), at(l)));
    }
  }
  if (!mesh.tets.empty()) return smallest;
  for (const auto& [a, b, c] : mesh.triangles) {
    for (const auto& [i, j, k] : {std::array{a, b, c}, std::array{b, c, a}, std::array{c, a, b}}) {
      smallest = std::min(smallest, angle_between(at(j) - at(i), at(k) - at(i)));
    }
  }
  return smallest;
}

int num_inverted(const Mesh& mesh) {
  const auto at = [&](int v) -> const Vec<3>& { return position(mesh, v); };
  if (mesh.dim == 3) {
    return static_cast<int>(std::count_if(mesh.tets.begin(), mesh.tets.end(), [&](const auto& t) {
      return orient3d(at(t[0]), at(t[1]), at(t[2]), at(t[3])) <= 0;
    }));
  }
  return static_cast<int>(std::count_if(mesh.triangles.begin(), mesh.triangles.end(), [&](const auto& t) {
    return orient2d(at(t[0]).template head<2>(), at(t[1]).template head<2>(), at(t[2]).template head<2>()) <= 0;
  }));
}

}  // namespace clearance
