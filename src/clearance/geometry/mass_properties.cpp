#include "clearance/geometry/mass_properties.h"

#include <numbers>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/mesh_checks.h"

namespace clearance {

namespace {

/// Sums of the integrals of 1, x and x x^T. Positions are relative to an origin near the shape, so that a shape far
/// from the world's origin loses no digits.
struct Moments {
  Vec<3> origin;
  double measure = 0.0;
  Vec<3> first = Vec<3>::Zero();
  Mat<3> second = Mat<3>::Zero();

  /// Adds a simplex of n vertices. The mean of x is sum(v) / n; the mean of x x^T is (sum(v v^T) + s s^T) / (n (n + 1))
  /// with s = sum(v).
  template <std::size_t n>
  void add(double simplex_measure, const std::array<Vec<3>, n>& v) {
    Vec<3> sum = Vec<3>::Zero();
    Mat<3> outer = Mat<3>::Zero();
    for (const Vec<3>& vertex : v) {
      sum += vertex;
      outer += vertex * vertex.transpose();
    }
    constexpr double count = static_cast<double>(n);
    measure += simplex_measure;
    first += (simplex_measure / count) * sum;
    second += (simplex_measure / (count * (count + 1.0))) * (outer + sum * sum.transpose());
  }

  /// Returns the properties about the centre (parallel axes).
  MassProperties about_center() const {
    MassProperties result;
    result.measure = measure;
    const Vec<3> mean = measure != 0.0 ? Vec<3>(first / measure) : Vec<3>(Vec<3>::Zero());
    result.center = origin + mean;
    result.second_moment = second - measure * mean * mean.transpose();
    return result;
  }
};

/// Calls add(moments, corners) for each element. Corners are relative to the centre of the box of the vertices in use.
template <std::size_t n, class Add>
MassProperties integrate(const Vertices& vertices, const std::vector<std::array<int, n>>& elements, const Add& add) {
  BoundingBox box;
  for (const auto& element : elements) {
    for (const int v : element) box.extend(vertices[v]);
  }
  Moments moments;
  moments.origin = box.is_empty() ? Vec<3>(Vec<3>::Zero()) : Vec<3>(0.5 * (box.min + box.max));
  for (const auto& element : elements) {
    std::array<Vec<3>, n> corners;
    for (std::size_t i = 0; i < n; ++i) {
      corners[i] = vertices[element[i]] - moments.origin;
    }
    add(moments, corners);
  }
  return moments.about_center();
}

constexpr double pi = 3.14159265358979323846;

std::vector<std::array<int, 1>> as_elements(const std::vector<int>& points) {
  std::vector<std::array<int, 1>> elements;
  for (const int point : points) elements.push_back({point});
  return elements;
}

}  // namespace

MassProperties mass_properties_of_solid(const Vertices& vertices, const Triangles& surface) {
  // Sums the signed tetrahedra from the origin to each triangle (divergence theorem).
  return integrate(vertices, surface, [](Moments& moments, const std::array<Vec<3>, 3>& v) {
    const Vec<3> apex = Vec<3>::Zero();
    moments.add<4>(tet_volume(apex, v[0], v[1], v[2]), {apex, v[0], v[1], v[2]});
  });
}

MassProperties mass_properties_of_area(const Vertices& vertices, const Edges& boundary) {
  return integrate(vertices, boundary, [](Moments& moments, const std::array<Vec<3>, 2>& v) {
    const Vec<3> apex = Vec<3>::Zero();
    moments.add<3>(0.5 * cross_product(v[0], v[1])[2], {apex, v[0], v[1]});
  });
}

MassProperties mass_properties_of_tets(const Vertices& vertices, const std::vector<std::array<int, 4>>& tets) {
  return integrate(vertices, tets, [](Moments& moments, const std::array<Vec<3>, 4>& v) {
    moments.add<4>(tet_volume(v[0], v[1], v[2], v[3]), v);
  });
}

MassProperties mass_properties_of_triangles(const Vertices& vertices, const Triangles& triangles) {
  return integrate(vertices, triangles, [](Moments& moments, const std::array<Vec<3>, 3>& v) {
    moments.add<3>(0.5 * cross_product(v[1] - v[0], v[2] - v[0]).norm(), v);
  });
}

MassProperties mass_properties_of_edges(const Vertices& vertices, const Edges& edges) {
  return integrate(vertices, edges,
                   [](Moments& moments, const std::array<Vec<3>, 2>& v) { moments.add<2>((v[1] - v[0]).norm(), v); });
}

MassProperties mass_properties_of_sheet(const Vertices& vertices, const Triangles& triangles, double thickness) {
  return integrate(vertices, triangles, [&](Moments& moments, const std::array<Vec<3>, 3>& v) {
    const Vec<3> area = 0.5 * cross_product(v[1] - v[0], v[2] - v[0]);
    const double volume = area.norm() * thickness;
    if (!(volume > 0.0)) return;
    moments.add<3>(volume, v);
    const Vec<3> normal = area.normalized();
    moments.second += (volume * thickness * thickness / 12.0) * normal * normal.transpose();
  });
}

MassProperties mass_properties_of_rods(const Vertices& vertices, const Edges& edges, double diameter) {
  return integrate(vertices, edges, [&](Moments& moments, const std::array<Vec<3>, 2>& v) {
    const Vec<3> along = v[1] - v[0];
    const double volume = along.norm() * 0.25 * pi * diameter * diameter;
    if (!(volume > 0.0)) return;
    moments.add<2>(volume, v);
    const Vec<3> axis = along.normalized();
    moments.second += (volume * diameter * diameter / 16.0) * (Mat<3>::Identity() - axis * axis.transpose());
  });
}

MassProperties mass_properties_of_strips(const Vertices& vertices, const Edges& edges, double width) {
  return integrate(vertices, edges, [&](Moments& moments, const std::array<Vec<3>, 2>& v) {
    const Vec<3> along = v[1] - v[0];
    const double area = along.norm() * width;
    if (!(area > 0.0)) return;
    moments.add<2>(area, v);
    const Vec<3> normal = Vec<3>(-along[1], along[0], 0.0).normalized();
    moments.second += (area * width * width / 12.0) * normal * normal.transpose();
  });
}

MassProperties mass_properties_of_balls(const Vertices& vertices, const std::vector<int>& points, double diameter) {
  const double volume = pi * diameter * diameter * diameter / 6.0;
  return integrate(vertices, as_elements(points), [&](Moments& moments, const std::array<Vec<3>, 1>& v) {
    moments.add<1>(volume, v);
    moments.second += (volume * diameter * diameter / 20.0) * Mat<3>::Identity();
  });
}

MassProperties mass_properties_of_disks(const Vertices& vertices, const std::vector<int>& points, double diameter) {
  const double area = 0.25 * pi * diameter * diameter;
  return integrate(vertices, as_elements(points), [&](Moments& moments, const std::array<Vec<3>, 1>& v) {
    moments.add<1>(area, v);
    moments.second += (area * diameter * diameter / 16.0) * Mat<3>(Vec<3>(1.0, 1.0, 0.0).asDiagonal());
  });
}

MassProperties mass_properties_of_capsule(const Vec<3>& a, const Vec<3>& b, double radius) {
  const double r_sq = radius * radius, length = (b - a).norm();
  const double rod = std::numbers::pi * r_sq * length, ball = 4.0 / 3.0 * std::numbers::pi * radius * r_sq;
  MassProperties result;
  result.measure = rod + ball;
  result.center = 0.5 * (a + b);
  // Across the axis the rod has r^2 / 4 and the ball r^2 / 5 per volume. Along it the rod has length^2 / 12; half a
  // ball has r^2 / 5 about its flat face and its centre 3 r / 8 away, and that face is at length / 2.
  const double across = rod * r_sq / 4.0 + ball * r_sq / 5.0;
  result.second_moment = across * Mat<3>::Identity();
  if (!(length > 0.0)) return result;
  const double along =
      rod * length * length / 12.0 + ball * (r_sq / 5.0 + 0.375 * radius * length + 0.25 * length * length);
  const Vec<3> axis = (b - a) / length;
  result.second_moment += (along - across) * axis * axis.transpose();
  return result;
}

MassProperties combine(const MassProperties& a, const MassProperties& b) {
  MassProperties sum;
  sum.measure = a.measure + b.measure;
  sum.second_moment = a.second_moment + b.second_moment;
  if (sum.measure == 0.0) return sum;
  const Vec<3> apart = b.center - a.center;
  sum.center = a.center + (b.measure / sum.measure) * apart;
  sum.second_moment += (a.measure * b.measure / sum.measure) * apart * apart.transpose();
  return sum;
}

BoundingBox bounding_box(const Vertices& vertices) {
  BoundingBox box;
  for (const Vec<3>& vertex : vertices) box.extend(vertex);
  return box;
}

}  // namespace clearance
