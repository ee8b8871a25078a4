#include "clearance/geometry/mass_properties.h"

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

  /// A simplex of n vertices: the mean of x is sum(v) / n, the mean of x x^T is (sum(v v^T) + s s^T) / (n (n + 1)) with
  /// s = sum(v).
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

  /// Moves the second moment to the centre (parallel axes).
  MassProperties about_center() const {
    MassProperties result;
    result.measure = measure;
    const Vec<3> mean = measure != 0.0 ? Vec<3>(first / measure) : Vec<3>(Vec<3>::Zero());
    result.center = origin + mean;
    result.second_moment = second - measure * mean * mean.transpose();
    return result;
  }
};

/// Calls add(moments, corners relative to the middle of the box of the vertices in use) for each element.
template <std::size_t n, class Add>
MassProperties integrate(const Vertices& vertices, const std::vector<std::array<int, n>>& elements, const Add& add) {
  BoundingBox box;
  for (const auto& element : elements) {
    for (const int v : element) box.extend(vertices[static_cast<std::size_t>(v)]);
  }
  Moments moments;
  moments.origin = box.is_empty() ? Vec<3>(Vec<3>::Zero()) : Vec<3>(0.5 * (box.min + box.max));
  for (const auto& element : elements) {
    std::array<Vec<3>, n> corners;
    for (std::size_t i = 0; i < n; ++i) {
      corners[i] = vertices[static_cast<std::size_t>(element[i])] - moments.origin;
    }
    add(moments, corners);
  }
  return moments.about_center();
}

}  // namespace

MassProperties mass_properties_of_solid(const Vertices& vertices, const Triangles& surface) {
  // The signed tetrahedra from the origin to each triangle (divergence theorem).
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

BoundingBox bounding_box(const Vertices& vertices) {
  BoundingBox box;
  for (const Vec<3>& vertex : vertices) box.extend(vertex);
  return box;
}

}  // namespace clearance
