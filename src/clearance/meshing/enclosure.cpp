#include "clearance/meshing/enclosure.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

constexpr int num_lines = 200;

struct Line {
  Vec<3> point;
  Vec<3> direction;
  std::size_t triangle;  ///< triangle that contains the point
};

const Vec<3>& corner(const Mesh& surface, std::size_t triangle, std::size_t k) {
  return surface.vertices[surface.triangles[triangle][k]];
}

Vec<3> area_of(const Mesh& surface, std::size_t t) {
  return 0.5 *
         cross_product(corner(surface, t, 1) - corner(surface, t, 0), corner(surface, t, 2) - corner(surface, t, 0));
}

/// Returns the fractional part of i times an irrational number. These numbers are evenly spread and the same on every
/// machine.
double spread(int i, double step) {
  return i * step - std::floor(i * step);
}

/// Returns lines that are spread evenly over the area. Each crosses the surface obliquely, because lines along normals
/// would run along edges of boxes.
std::vector<Line> lines_through(const Mesh& surface) {
  std::vector<double> until;  // [m^2] cumulative areas
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    until.push_back((until.empty() ? 0.0 : until.back()) + area_of(surface, t).norm());
  }
  std::vector<Line> lines;
  for (int i = 0; i < num_lines && until.back() > 0.0; ++i) {
    const double at = (i + 0.5) / num_lines * until.back();
    const std::size_t t = std::upper_bound(until.begin(), until.end(), at) - until.begin();
    double u = spread(i, 0.7548776662466927), v = spread(i, 0.5698402909980532);
    if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
    const Vec<3>&a = corner(surface, t, 0), &b = corner(surface, t, 1), &c = corner(surface, t, 2);
    const Vec<3> aside(spread(i, 0.8191725133961645) - 0.5, spread(i, 0.6710436067037893) - 0.5,
                       spread(i, 0.5497004779019703) - 0.5);
    lines.push_back({a + u * (b - a) + v * (c - a), area_of(surface, t).normalized() + aside, t});
  }
  return lines;
}

/// True if a line crosses a triangle at another place than the line's own point.
bool crosses(const Line& line, const Mesh& surface, std::size_t triangle) {
  const Vec<3>& a = corner(surface, triangle, 0);
  const Vec<3> ab = corner(surface, triangle, 1) - a, ac = corner(surface, triangle, 2) - a;
  const Vec<3> normal = cross_product(line.direction, ac);
  const double determinant = ab.dot(normal);
  if (determinant == 0.0) return false;
  const Vec<3> from = line.point - a;
  const double u = from.dot(normal) / determinant;
  if (!(u >= 0.0 && u <= 1.0)) return false;
  const Vec<3> other = cross_product(from, ab);
  const double v = line.direction.dot(other) / determinant;
  if (!(v >= 0.0 && u + v <= 1.0)) return false;
  // A crossing at the line's own point is the other side of a sheet.
  constexpr double same_place = 1e-9;
  return std::abs(ac.dot(other) / determinant) > same_place * (ab.norm() + ac.norm());
}

}  // namespace

double enclosing_share(const Mesh& surface) {
  if (surface.triangles.empty()) return 0.0;
  int num_even = 0;
  const std::vector<Line> lines = lines_through(surface);
  for (const Line& line : lines) {
    bool is_even = false;  // false, because the line crosses at its own point
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      if (t != line.triangle && crosses(line, surface, t)) is_even = !is_even;
    }
    num_even += is_even ? 1 : 0;
  }
  return lines.empty() ? 0.0 : static_cast<double>(num_even) / static_cast<double>(lines.size());
}

}  // namespace clearance
