#include "clearance/geometry/shells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clearance/geometry/intersection.h"
#include "clearance/geometry/point_tree.h"
#include "clearance/geometry/winding_number.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr std::size_t most_points = 64;  // largest number of points of a part that are tested

MassProperties integrate(const Vertices& vertices, const Facets<3>& facets) {
  return mass_properties_of_solid(vertices, facets);
}
MassProperties integrate(const Vertices& vertices, const Facets<2>& facets) {
  return mass_properties_of_area(vertices, facets);
}

bool meets(const Vec<3>& p, const Vertices& vertices, const std::array<int, 3>& t) {
  const auto at = [&](std::size_t i) -> const Vec<3>& { return vertices[t[i]]; };
  return edge_intersects_triangle(p, p, at(0), at(1), at(2));
}
bool meets(const Vec<3>& p, const Vertices& vertices, const std::array<int, 2>& e) {
  const auto at = [&](std::size_t i) -> Vec<2> { return vertices[e[i]].head<2>(); };
  return edges_intersect(Vec<2>(p.head<2>()), Vec<2>(p.head<2>()), at(0), at(1));
}

bool contains(const BoundingBox& outer, const BoundingBox& inner) {
  return (outer.min.array() <= inner.min.array()).all() && (inner.max.array() <= outer.max.array()).all();
}

template <std::size_t n>
BoundingBox box_of(const Vertices& vertices, const std::array<int, n>& facet) {
  BoundingBox box;
  for (const int v : facet) box.extend(vertices[v]);
  return box;
}

/// True if a point lies on the facets. Exact.
template <std::size_t n>
bool is_on(const Vec<3>& p, const Vertices& vertices, const Facets<n>& facets) {
  return std::any_of(facets.begin(), facets.end(), [&](const std::array<int, n>& facet) {
    return contains(box_of(vertices, facet), {p, p}) && meets(p, vertices, facet);
  });
}

/// Returns points on a part, evenly chosen among its facets: their first corners, or their centres.
template <std::size_t n>
Vertices points_on(const Vertices& vertices, const Facets<n>& facets, bool in_the_middle) {
  const std::size_t stride = facets.size() / most_points + 1;
  Vertices points;
  for (std::size_t f = 0; f < facets.size(); f += stride) {
    Vec<3> sum = Vec<3>::Zero();
    for (const int v : facets[f]) sum += vertices[v];
    points.push_back(in_the_middle ? Vec<3>(sum / n) : vertices[facets[f][0]]);
  }
  return points;
}

template <std::size_t n>
bool is_inside(const Vertices& vertices, const Facets<n>& inner, const Facets<n>& outer) {
  // If all corners lie on the other surface, the centres of facets decide.
  for (const bool in_the_middle : {false, true}) {
    int num_asked = 0, num_inside = 0;
    for (const Vec<3>& p : points_on(vertices, inner, in_the_middle)) {
      if (is_on(p, vertices, outer)) continue;
      ++num_asked;
      num_inside += winding_number(p, vertices, outer).value_or(0) != 0 ? 1 : 0;
    }
    if (num_asked > 0) return 2 * num_inside > num_asked;
  }
  return false;
}

Vec<3> normal_of(const Vertices& vertices, const std::array<int, 3>& t) {
  const auto at = [&](std::size_t i) -> const Vec<3>& { return vertices[t[i]]; };
  return (at(1) - at(0)).cross(at(2) - at(0)).normalized();
}
Vec<3> normal_of(const Vertices& vertices, const std::array<int, 2>& e) {
  const Vec<3> along = vertices[e[1]] - vertices[e[0]];
  return Vec<3>(along[1], -along[0], 0.0).normalized();
}

/// Returns true if most points just beside the facets are enclosed twice, as by two sets of facets on one surface that
/// divide it differently.
template <std::size_t n>
bool encloses_twice(const Vertices& vertices, const Facets<n>& facets, double size) {
  const std::size_t stride = facets.size() / most_points + 1;
  std::size_t num_asked = 0, num_twice = 0;
  for (std::size_t f = 0; f < facets.size(); f += stride) {
    const Vec<3> middle = points_on(vertices, Facets<n>{facets[f]}, true).front();
    const Vec<3> aside = 1e-6 * size * normal_of(vertices, facets[f]);
    const auto is_twice = [&](const Vec<3>& p) {
      return !is_on(p, vertices, facets) && std::abs(winding_number(p, vertices, facets).value_or(0)) > 1;
    };
    ++num_asked;
    num_twice += is_twice(middle - aside) || is_twice(middle + aside) ? 1 : 0;
  }
  return 2 * num_twice > num_asked;
}

/// Computes the volume (2D: area) of a part, and finds whether it encloses any.
template <std::size_t n>
Shell<n> measure(const Vertices& vertices, SurfacePart<n> part) {
  // Two sides without room between them are a sheet. The volume that rounding leaves has no meaningful centre.
  constexpr double flat = 1e-12;
  Shell<n> shell;
  shell.part = std::move(part);
  for (const auto& facet : shell.part.facets) {
    for (const int v : facet) shell.box.extend(vertices[v]);
  }
  if (!shell.part.openings.empty()) return shell;
  shell.properties = integrate(vertices, shell.part.facets);
  const double least = flat * elementary::pow(shell.box.diagonal(), static_cast<int>(n));
  shell.kind = std::abs(shell.properties.measure) > least ? ShellKind::solid : ShellKind::flat;
  shell.points_outwards = shell.properties.measure > 0.0;
  const std::vector<char>& is_turned = shell.part.is_turned;
  const bool are_most_turned = 2 * std::count(is_turned.begin(), is_turned.end(), 1) > std::ssize(is_turned);
  shell.is_listed_outwards = shell.points_outwards != are_most_turned;
  if (!shell.points_outwards) {
    shell.properties.measure = -shell.properties.measure;
    shell.properties.second_moment = -shell.properties.second_moment;
  }
  shell.is_inside_of_solid = shell.kind == ShellKind::solid && shell.part.has_branches &&
                             encloses_twice(vertices, shell.part.facets, shell.box.diagonal());
  return shell;
}

/// The containment of shells in each other.
template <std::size_t n>
class Nesting {
 public:
  Nesting(const Vertices& vertices, std::vector<Shell<n>>& shells) : vertices_(vertices), shells_(shells) {
    find_containers();
  }

  /// Classifies the shells from the largest to the smallest, so that those around a shell are known.
  void decide() {
    std::vector<int> order(shells_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return measure_of(a) > measure_of(b); });
    for (const int s : order) decide(s);
  }

 private:
  Shell<n>& at(int s) { return shells_[s]; }
  double measure_of(int s) { return at(s).properties.measure; }

  /// Returns true if a shell lies on another one but for rounding, whatever the facets of both.
  bool is_copy(const Shell<n>& a, const Shell<n>& b) const {
    constexpr double rounding = 1e-9;
    const double length = rounding * a.box.diagonal();
    return std::abs(a.properties.measure - b.properties.measure) <= rounding * a.properties.measure &&
           (a.properties.center - b.properties.center).norm() <= length && (a.box.min - b.box.min).norm() <= length &&
           (a.box.max - b.box.max).norm() <= length;
  }

  /// Finds the shells around each shell, and copies. Shells whose box lies in another's box are found by their first
  /// vertex.
  void find_containers() {
    containers_.resize(shells_.size());
    Vertices firsts;
    std::vector<int> shell_of_point;
    for (int s = 0; s < static_cast<int>(shells_.size()); ++s) {
      if (at(s).kind != ShellKind::solid) continue;
      firsts.push_back(vertices_[at(s).part.facets.front()[0]]);
      shell_of_point.push_back(s);
    }
    if (firsts.size() < 2) return;
    const PointTree tree(std::move(firsts));
    for (const int outer : shell_of_point) {
      const Vec<3> margin = Vec<3>::Constant(1e-9 * at(outer).box.diagonal());
      tree.visit_box(at(outer).box.min - margin, at(outer).box.max + margin, [&](int point) {
        const int inner = shell_of_point[point];
        if (outer < inner && is_copy(at(outer), at(inner))) {
          at(inner).is_inside_of_solid = true;
          return;
        }
        const bool may_hold = measure_of(outer) > measure_of(inner) && contains(at(outer).box, at(inner).box);
        if (may_hold && is_inside(vertices_, at(inner).part.facets, at(outer).part.facets)) {
          containers_[inner].push_back(outer);
        }
      });
    }
  }

  void decide(int s) {
    int winding = 0;  // number of times that solids enclose the shell
    int outermost = -1;
    for (const int outer : containers_[s]) {
      winding += at(outer).kind == ShellKind::cavity ? -1 : 1;
      if (outermost < 0 || measure_of(outer) > measure_of(outermost)) outermost = outer;
    }
    if (winding <= 0) return;
    Shell<n>& shell = at(s);
    if (shell.is_listed_outwards == at(outermost).is_listed_outwards) {
      shell.is_inside_of_solid = true;
      return;
    }
    shell.kind = ShellKind::cavity;
    shell.properties.measure = -shell.properties.measure;
    shell.properties.second_moment = -shell.properties.second_moment;
  }

  const Vertices& vertices_;
  std::vector<Shell<n>>& shells_;
  std::vector<std::vector<int>> containers_;
};

}  // namespace

template <std::size_t n>
std::vector<Shell<n>> find_shells(const Vertices& vertices, const Facets<n>& facets) {
  std::vector<Shell<n>> shells;
  for (SurfacePart<n>& part : split_into_parts(vertices, facets)) shells.push_back(measure(vertices, std::move(part)));
  Nesting<n>(vertices, shells).decide();
  return shells;
}

template <std::size_t n>
std::vector<signed char> outward_signs(const Vertices& vertices, const Facets<n>& facets) {
  std::vector<signed char> signs(facets.size(), 0);
  for (const Shell<n>& shell : find_shells(vertices, facets)) {
    if (shell.encloses_nothing()) continue;
    // Out of the material means into the cavity.
    const bool is_outwards = shell.points_outwards == (shell.kind == ShellKind::solid);
    for (std::size_t f = 0; f < shell.part.numbers.size(); ++f) {
      signs[shell.part.numbers[f]] = is_outwards != (shell.part.is_turned[f] != 0) ? 1 : -1;
    }
  }
  return signs;
}

template std::vector<Shell<2>> find_shells(const Vertices&, const Facets<2>&);
template std::vector<Shell<3>> find_shells(const Vertices&, const Facets<3>&);
template std::vector<signed char> outward_signs(const Vertices&, const Facets<2>&);
template std::vector<signed char> outward_signs(const Vertices&, const Facets<3>&);

}  // namespace clearance
