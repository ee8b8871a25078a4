#include "clearance/io/robot/shape_mesh.h"

#include <algorithm>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr double pi = 3.14159265358979323846;

constexpr int least_sides = 8;

/// Returns the number n of pieces of an icosahedron's edge. The longest edges of an icosahedron that is cut in n are
/// 1.32 / n radians: 4.75 n of them are around a ball. A ball of n = 32 (192 sides) that rolls for 5 m on the flat
/// loses 0.3 % of the way, of n = 20 1.8 %.
int cells_of_sphere(int sides) {
  return 2 * std::max(2, (sides + 6) / 12);
}

/// A circle of a surface of revolution about z.
struct Ring {
  double radius = 0.0;  // [m]
  double height = 0.0;  // [m]
};

/// Returns a surface of revolution that is closed between two poles on the axis.
Mesh surface_of_revolution(double bottom, const std::vector<Ring>& rings, double top, int num_around) {
  Mesh mesh;
  mesh.vertices.push_back(Vec<3>(0, 0, bottom));
  for (const Ring& ring : rings) {
    for (int i = 0; i < num_around; ++i) {
      const double angle = 2.0 * pi * i / num_around;
      mesh.vertices.push_back(
          Vec<3>(ring.radius * elementary::cos(angle), ring.radius * elementary::sin(angle), ring.height));
    }
  }
  mesh.vertices.push_back(Vec<3>(0, 0, top));
  const int last_pole = static_cast<int>(mesh.vertices.size()) - 1;
  const auto at = [num_around](std::size_t ring, int i) {
    return 1 + static_cast<int>(ring) * num_around + i % num_around;
  };
  for (int i = 0; i < num_around; ++i) {
    mesh.triangles.push_back({0, at(0, i + 1), at(0, i)});
    for (std::size_t r = 0; r + 1 < rings.size(); ++r) {
      mesh.triangles.push_back({at(r, i), at(r, i + 1), at(r + 1, i + 1)});
      mesh.triangles.push_back({at(r, i), at(r + 1, i + 1), at(r + 1, i)});
    }
    mesh.triangles.push_back({at(rings.size() - 1, i), at(rings.size() - 1, i + 1), last_pole});
  }
  return mesh;
}

/// Returns the rings of the half of a sphere below its equator, which is the last ring.
std::vector<Ring> lower_half(double radius, double center, int num_rings) {
  std::vector<Ring> rings;
  for (int k = 1; k <= num_rings; ++k) {
    const double angle = 0.5 * pi * k / num_rings;
    rings.push_back({radius * elementary::sin(angle), center - radius * elementary::cos(angle)});
  }
  return rings;
}

std::vector<Ring> mirrored(std::vector<Ring> rings) {
  for (Ring& ring : rings) ring.height = -ring.height;
  return {rings.rbegin(), rings.rend()};
}

/// Returns an icosahedron whose edges are cut into an even number of pieces, so that vertices lie on all axes.
Mesh unit_sphere(int sides) {
  return surface_of(make_sphere(1.0, cells_of_sphere(sides)));
}

int rings_of_cap(int sides) {
  return std::max(4, sides / 8);
}

Mesh capsule(double radius, double half_length, int sides) {
  std::vector<Ring> rings = lower_half(radius, -half_length, rings_of_cap(sides));
  const std::vector<Ring> upper = mirrored(rings);
  rings.insert(rings.end(), upper.begin(), upper.end());
  return surface_of_revolution(-half_length - radius, rings, half_length + radius, sides);
}

Mesh box(const Vec<3>& half) {
  Mesh mesh;
  for (const double z : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double x : {-1.0, 1.0}) mesh.vertices.push_back(half.cwiseProduct(Vec<3>(x, y, z)));
    }
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

Mesh untransformed(const RobotShape& shape, int sides) {
  switch (shape.kind) {
    case RobotShapeKind::box:
      return box(shape.size);
    case RobotShapeKind::ellipsoid: {
      Mesh mesh = unit_sphere(sides);
      for (Vec<3>& v : mesh.vertices) v = v.cwiseProduct(shape.size);
      return mesh;
    }
    case RobotShapeKind::cylinder: {
      const double r = shape.size[0], h = shape.size[1];
      return surface_of_revolution(-h, {{r, -h}, {r, h}}, h, sides);
    }
    case RobotShapeKind::capsule:
      return capsule(shape.size[0], shape.size[1], sides);
    case RobotShapeKind::mesh:
      return shape.mesh;
  }
  return {};
}

}  // namespace

int sides_at_least(int sides) {
  return std::max(least_sides, 4 * ((sides + 3) / 4));
}

int num_vertices_of_round(const RobotShape& shape, int sides) {
  const int n = sides_at_least(sides), cells = cells_of_sphere(n);
  switch (shape.kind) {
    case RobotShapeKind::ellipsoid:
      return 10 * cells * cells + 2;
    case RobotShapeKind::cylinder:
      return 2 * n + 2;
    case RobotShapeKind::capsule:
      return 2 * n * rings_of_cap(n) + 2;
    default:
      return 0;
  }
}

Mesh mesh_of_shape(const RobotShape& shape, int sides) {
  Mesh mesh = untransformed(shape, sides_at_least(sides));
  for (Vec<3>& v : mesh.vertices) v = shape.pose.apply(v);
  return mesh;
}

Mesh mesh_of_shapes(const std::vector<RobotShape>& shapes, int sides) {
  Mesh all;
  for (const RobotShape& shape : shapes) {
    const Mesh one = mesh_of_shape(shape, sides);
    const int first = static_cast<int>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), one.vertices.begin(), one.vertices.end());
    for (const auto& [a, b, c] : one.triangles) all.triangles.push_back({first + a, first + b, first + c});
  }
  return all;
}

Mesh octahedron(const Vec<3>& center, double radius) {
  Mesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) mesh.vertices.push_back(center + side * radius * Vec<3>::Unit(axis));
  }
  mesh.triangles = {{1, 3, 5}, {3, 0, 5}, {0, 2, 5}, {2, 1, 5}, {3, 1, 4}, {0, 3, 4}, {2, 0, 4}, {1, 2, 4}};
  return mesh;
}

}  // namespace clearance
