#include "clearance/exchange/shading.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace clearance::exchange {
namespace {

constexpr double cosine_of_sharp = 0.8191520442889918;  ///< cosine of 35 degrees

/// Returns the normal with the length of twice the area.
Vec<3> area_normal(std::span<const Vec<3>> places, const std::array<std::uint32_t, 3>& t) {
  return (places[t[1]] - places[t[0]]).cross(places[t[2]] - places[t[0]]);
}

struct Side {
  std::array<std::uint32_t, 2> vertices;  ///< the smaller index first
  std::array<std::uint32_t, 2> corners;   ///< corners in the order of `vertices`
  bool operator<(const Side& other) const { return vertices < other.vertices; }
};

/// Returns the sides of all triangles, those of one edge next to each other.
std::vector<Side> sorted_sides(std::span<const std::array<std::uint32_t, 3>> triangles) {
  std::vector<Side> sides;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = 3 * t + k, b = 3 * t + (k + 1) % 3;
      const std::uint32_t va = triangles[t][k], vb = triangles[t][(k + 1) % 3];
      sides.push_back(va < vb ? Side{{va, vb}, {a, b}} : Side{{vb, va}, {b, a}});
    }
  }
  std::stable_sort(sides.begin(), sides.end());
  return sides;
}

/// Root of the corners that a corner is joined with.
std::uint32_t root_of(std::uint32_t corner, std::vector<std::uint32_t>& joined) {
  while (joined[corner] != corner) corner = joined[corner] = joined[joined[corner]];
  return corner;
}

}  // namespace

Shading::Shading(std::span<const Vec<3>> places, std::span<const std::array<std::uint32_t, 3>> triangles)
    : triangles_(triangles.begin(), triangles.end()) {
  std::vector<Vec<3>> normal_of;
  for (const auto& triangle : triangles) normal_of.push_back(area_normal(places, triangle).normalized());

  // Joins corners of triangles (corner k of triangle t is 3 t + k) across every edge that is not sharp. Corners that
  // stay apart get separate drawn vertices.
  std::vector<std::uint32_t> joined(3 * triangles.size());
  for (std::uint32_t corner = 0; corner < joined.size(); ++corner) joined[corner] = corner;
  const std::vector<Side> sides = sorted_sides(triangles);
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].vertices == sides[begin].vertices) ++end;
    // Surfaces that branch at an edge stay apart there, because it is unknown which of them continue into each other.
    if (end - begin != 2) continue;
    const Side &s = sides[begin], &t = sides[begin + 1];
    if (normal_of[s.corners[0] / 3].dot(normal_of[t.corners[0] / 3]) < cosine_of_sharp) continue;
    for (const std::size_t k : {0, 1}) joined[root_of(s.corners[k], joined)] = root_of(t.corners[k], joined);
  }

  std::vector<std::uint32_t> roots;
  for (std::uint32_t corner = 0; corner < joined.size(); ++corner) roots.push_back(root_of(corner, joined));
  number_vertices(roots);
}

/// Numbers the drawn vertices, one for each root of corners that are joined.
void Shading::number_vertices(const std::vector<std::uint32_t>& roots) {
  std::vector<std::uint32_t> drawn_of(roots.size(), static_cast<std::uint32_t>(-1));
  for (std::uint32_t corner = 0; corner < roots.size(); ++corner) {
    std::uint32_t& drawn = drawn_of[roots[corner]];
    std::uint32_t& own = triangles_[corner / 3][corner % 3];
    if (drawn == static_cast<std::uint32_t>(-1)) {
      drawn = static_cast<std::uint32_t>(sources_.size());
      sources_.push_back(own);
    }
    own = drawn;
  }
}

std::vector<Vec<3>> Shading::normals(std::span<const Vec<3>> places) const {
  std::vector<Vec<3>> normals(sources_.size(), Vec<3>::Zero());
  for (const auto& triangle : triangles_) {
    const Vec<3> normal = area_normal(places, {sources_[triangle[0]], sources_[triangle[1]], sources_[triangle[2]]});
    for (const std::uint32_t v : triangle) normals[v] += normal;
  }
  for (Vec<3>& normal : normals) {
    const double length = normal.norm();
    // Any unit vector serves if the triangles have no area.
    normal = length > 0.0 ? Vec<3>(normal / length) : Vec<3>::UnitZ();
  }
  return normals;
}

}  // namespace clearance::exchange
