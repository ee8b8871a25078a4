#include "apps/mesh/local_size.h"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <queue>

#include "clearance/geometry/distance.h"
#include "clearance/math/elementary.h"

namespace clearance::mesh {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Facets = std::vector<Kernel::Triangle_3>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Facets::iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

// Two faces are a wall if they face each other up to this cosine (30 degrees). At a larger angle they form a wedge,
// which is thin at its tip for any edge length.
constexpr double facing = 0.87;
// [1] Lengths grow by this share of the distance: neighbours differ by less than half.
constexpr double growth = 0.4;
// Shortest edges, as a share of the wanted ones; shorter ones would be another request.
constexpr double least_share = 1.0 / 64.0;
// Vertices that thin walls may cost: 20 s of meshing. Three per square of the edge length are usual (1.6 to 6).
constexpr double max_vertices = 60'000.0;
constexpr double vertices_per_square = 3.0;
constexpr std::size_t max_grid = 100;  // points along the longest side

Kernel::Point_3 point_of(const Vec<3>& x) {
  return {x[0], x[1], x[2]};
}

const Vec<3>& corner(const Mesh& surface, const std::array<int, 3>& triangle, std::size_t k) {
  return surface.vertices[triangle[k % 3]];
}

/// Returns a normal of twice the triangle's area.
Vec<3> normal_of(const Mesh& surface, const std::array<int, 3>& t) {
  return cross_product(corner(surface, t, 1) - corner(surface, t, 0), corner(surface, t, 2) - corner(surface, t, 0));
}

/// Distances from a triangle to the faces that face it, on either side.
class Walls {
 public:
  explicit Walls(const Mesh& surface) {
    for (const auto& t : surface.triangles) {
      facets_.emplace_back(point_of(corner(surface, t, 0)), point_of(corner(surface, t, 1)),
                           point_of(corner(surface, t, 2)));
      normals_.push_back(normal_of(surface, t).normalized());
      places_.push_back(corner(surface, t, 0));
    }
    tree_.insert(facets_.begin(), facets_.end());
    tree_.build();
  }

  /// Distance to the nearest such face [m]; infinity if there is none.
  double nearest(std::size_t triangle, const Vec<3>& x) const {
    const Vec<3>& normal = normals_[triangle];
    return std::min(distance(triangle, x, normal), distance(triangle, x, -normal));
  }

 private:
  double distance(std::size_t triangle, const Vec<3>& x, const Vec<3>& direction) const {
    const Kernel::Ray_3 ray(point_of(x), Kernel::Vector_3(direction[0], direction[1], direction[2]));
    const auto is_own = [&](const Primitive::Id& id) { return number_of(id) == triangle; };
    const auto hit = tree_.first_intersected_primitive(ray, is_own);
    if (!hit) return infinity;
    const std::size_t other = number_of(*hit);
    if (normals_[triangle].dot(normals_[other]) > -facing) return infinity;
    const double along = normals_[other].dot(places_[other] - x) / normals_[other].dot(direction);
    return along > 0.0 ? along : infinity;
  }
  std::size_t number_of(const Primitive::Id& id) const { return id - facets_.cbegin(); }

  Facets facets_;
  Vertices normals_, places_;
  Tree tree_;
};

/// Returns the ends of the sharp edges at each vertex that has any.
std::map<int, std::vector<int>> find_sharp_edges(const Mesh& surface, double angle) {
  std::map<std::array<int, 2>, std::vector<std::size_t>> users;
  for (std::size_t f = 0; f < surface.triangles.size(); ++f) {
    const auto& t = surface.triangles[f];
    for (std::size_t k = 0; k < 3; ++k) {
      users[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}].push_back(f);
    }
  }
  const double cosine = elementary::cos(angle * std::numbers::pi / 180.0);
  std::map<int, std::vector<int>> ends;
  for (const auto& [edge, faces] : users) {
    if (faces.size() != 2) continue;
    const Vec<3> a = normal_of(surface, surface.triangles[faces[0]]);
    const Vec<3> b = normal_of(surface, surface.triangles[faces[1]]);
    if (a.dot(b) > cosine * a.norm() * b.norm()) continue;
    ends[edge[0]].push_back(edge[1]);
    ends[edge[1]].push_back(edge[0]);
  }
  return ends;
}

/// Radius of the circle through three points [m]; infinity if they lie on a line, or if they form a corner.
double radius_of_bend(const Vec<3>& before, const Vec<3>& at, const Vec<3>& after) {
  constexpr double largest_turn = 1.2;  // a hexagon counts as a circle, a square as corners
  const Vec<3> a = at - before, b = after - at;
  const double turn = elementary::atan2(cross_product(a, b).norm(), a.dot(b));
  if (turn < 1e-3 || turn > largest_turn) return infinity;
  return 0.5 * (a.norm() + b.norm()) / turn;
}

}  // namespace

LocalSize::LocalSize(const Mesh& surface, const SizeOptions& options)
    : longest_(options.edge_length), smallest_(options.edge_length) {
  std::vector<Sample> samples;
  if (options.thin_share > 0.0) measure_walls(surface, options.thin_share, samples);
  double area = 0.0;
  for (const auto& t : surface.triangles) area += 0.5 * normal_of(surface, t).norm();
  limit_number(area, samples);
  if (options.feature_angle > 0.0) measure_bends(surface, options, samples);
  std::erase_if(samples, [&](const Sample& sample) { return sample.length >= longest_; });
  if (samples.empty()) return;
  make_grid(bounding_box(surface.vertices), samples);
}

void LocalSize::measure_walls(const Mesh& surface, double thin_share, std::vector<Sample>& samples) const {
  const Walls walls(surface);
  for (std::size_t f = 0; f < surface.triangles.size(); ++f) {
    const auto& t = surface.triangles[f];
    const Vec<3>&a = corner(surface, t, 0), &b = corner(surface, t, 1), &c = corner(surface, t, 2);
    const double area = 0.5 * normal_of(surface, t).norm();
    if (!(area > 0.0)) continue;
    // Sample the middles of the triangle's pieces, which are cut to half an edge length.
    const double longest = std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
    const int n = std::clamp(static_cast<int>(std::ceil(2.0 * longest / longest_)), 1, 200);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n - i; ++j) {
        const double u = (i + 1.0 / 3.0) / n, v = (j + 1.0 / 3.0) / n;
        const Vec<3> x = a + u * (b - a) + v * (c - a);
        const double length = thin_share * walls.nearest(f, x);
        if (length < longest_) samples.push_back({x, length, 2.0 * area / (n * (n + 1))});
      }
    }
  }
}

void LocalSize::measure_bends(const Mesh& surface, const SizeOptions& options, std::vector<Sample>& samples) const {
  const double chord = options.chord_share * longest_;
  for (const auto& [v, ends] : find_sharp_edges(surface, options.feature_angle)) {
    if (ends.size() != 2) continue;
    const auto place = [&](int i) -> const Vec<3>& { return surface.vertices[i]; };
    const double radius = radius_of_bend(place(ends[0]), place(v), place(ends[1]));
    // A smaller circle is lost anyway.
    if (radius > chord && radius < infinity) samples.push_back({place(v), std::sqrt(8.0 * radius * chord), 0.0});
  }
}

void LocalSize::limit_number(double area, std::vector<Sample>& samples) {
  double thin_area = 0.0;
  for (const Sample& sample : samples) thin_area += sample.area;
  const double elsewhere = std::max(0.0, area - thin_area) / (longest_ * longest_);
  const double limit = std::max(max_vertices, 2.0 * vertices_per_square * area / (longest_ * longest_));
  // Find the shortest length that does not need too many vertices.
  double least = least_share * longest_;
  const auto num_vertices = [&] {
    double squares = elsewhere;
    for (const Sample& sample : samples) {
      const double length = std::max(least, sample.length);
      squares += sample.area / (length * length);
    }
    return vertices_per_square * squares;
  };
  while (least < longest_ && num_vertices() > limit) least *= 1.1;
  for (Sample& sample : samples) sample.length = std::max(least, sample.length);
  num_in_walls_ = samples.empty() ? 0 : num_vertices();
}

void LocalSize::make_grid(const BoundingBox& box, const std::vector<Sample>& samples) {
  spacing_ = std::max(0.25 * longest_, box.size().maxCoeff() / static_cast<double>(max_grid));
  origin_ = box.min;
  for (std::size_t k = 0; k < 3; ++k) {
    counts_[k] = static_cast<std::size_t>(box.size()[static_cast<Eigen::Index>(k)] / spacing_) + 2;
  }
  lengths_.assign(counts_[0] * counts_[1] * counts_[2], longest_);
  for (const Sample& sample : samples) {
    double& length = lengths_[index_of(cell_of(sample.place))];
    length = std::min(length, sample.length);
    smallest_ = std::min(smallest_, sample.length);
  }
  spread();
}

/// Returns the cell by the nearest point of the grid.
std::array<std::size_t, 3> LocalSize::cell_of(const Vec<3>& x) const {
  std::array<std::size_t, 3> cell;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const double place = (x[axis] - origin_[axis]) / spacing_ + 0.5;
    cell[k] = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(counts_[k] - 1)));
  }
  return cell;
}

std::size_t LocalSize::index_of(const std::array<std::size_t, 3>& cell) const {
  return (cell[2] * counts_[1] + cell[1]) * counts_[0] + cell[0];
}

/// Visits the points of the grid from the shortest length on; each bounds its neighbours.
void LocalSize::spread() {
  using Entry = std::pair<double, std::array<std::size_t, 3>>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
  for (std::size_t k = 0; k < counts_[2]; ++k) {
    for (std::size_t j = 0; j < counts_[1]; ++j) {
      for (std::size_t i = 0; i < counts_[0]; ++i) {
        if (const double length = lengths_[index_of({i, j, k})]; length < longest_) front.push({length, {i, j, k}});
      }
    }
  }
  while (!front.empty()) {
    const auto [length, cell] = front.top();
    front.pop();
    if (length > lengths_[index_of(cell)]) continue;
    for (int step = 0; step < 27; ++step) {
      const std::array<int, 3> move = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
      std::array<std::size_t, 3> other = cell;
      bool is_there = true;
      for (std::size_t k = 0; k < 3; ++k) {
        other[k] += move[k];  // (-1 wraps around to far outside)
        is_there = is_there && other[k] < counts_[k];
      }
      if (!is_there) continue;
      const double way = std::sqrt(static_cast<double>(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]));
      const double bound = length + growth * way * spacing_;
      if (bound >= lengths_[index_of(other)]) continue;
      lengths_[index_of(other)] = bound;
      front.push({bound, other});
    }
  }
}

double LocalSize::at(const Vec<3>& x) const {
  return lengths_.empty() ? longest_ : lengths_[index_of(cell_of(x))];
}

}  // namespace clearance::mesh
