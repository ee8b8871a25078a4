// Generators of triangle meshes: areas in 2D and open surfaces in 3D.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "clearance/geometry/disk_rings.h"
#include "clearance/geometry/generators.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Adds two triangles per cell of a grid whose vertex (i, j) has index i (num_j + 1) + j. The triangles are
/// counter-clockwise if i points to the right and j up. Alternating diagonals avoid a preferred direction.
void add_grid_triangles(Mesh& mesh, int num_i, int num_j) {
  for (int i = 0; i < num_i; ++i) {
    for (int j = 0; j < num_j; ++j) {
      const int a = i * (num_j + 1) + j, b = a + num_j + 1, c = b + 1, d = a + 1;
      if ((i + j) % 2 == 0) {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      } else {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
      }
    }
  }
}

}  // namespace

Mesh make_rectangle(double size_x, double size_y, int cells_x, int cells_y) {
  const int nx = std::max(1, cells_x), ny = std::max(1, cells_y);
  Mesh mesh;
  mesh.dim = 2;
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= ny; ++j) {
      mesh.vertices.emplace_back(size_x * (static_cast<double>(i) / nx - 0.5),
                                 size_y * (static_cast<double>(j) / ny - 0.5), 0.0);
    }
  }
  add_grid_triangles(mesh, nx, ny);
  return mesh;
}

Mesh make_sheet(double size_x, double size_z, int cells_x, int cells_z) {
  Mesh mesh = make_rectangle(size_x, size_z, cells_x, cells_z);
  mesh.dim = 3;
  // Mapping (x, y) to (x, -z) turns the side that faced the viewer up.
  for (Vec<3>& vertex : mesh.vertices) vertex = Vec<3>(vertex[0], 0.0, -vertex[1]);
  return mesh;
}

Mesh make_line(double length, int cells) {
  Mesh mesh;
  mesh.dim = 3;
  for (int i = 0; i <= cells; ++i) {
    mesh.vertices.emplace_back(length * (static_cast<double>(i) / cells - 0.5), 0.0, 0.0);
    if (i > 0) mesh.edges.push_back({i - 1, i});
  }
  return mesh;
}

Mesh make_disk(double radius, int cells) {
  DiskRings disk = make_disk_rings(std::max(1, cells));
  Mesh mesh;
  mesh.dim = 2;
  for (const auto& [fraction, cosine, sine] : disk.vertices) {
    mesh.vertices.emplace_back(radius * fraction * cosine, radius * fraction * sine, 0.0);
  }
  mesh.triangles = std::move(disk.triangles);
  return mesh;
}

Mesh make_bowl(double rim_radius, double depth, int cells) {
  DiskRings disk = make_disk_rings(std::max(1, cells));
  // This is the sphere through the rim and the lowest point, and the angle from the lowest point to the rim.
  const double sphere_radius = (rim_radius * rim_radius + depth * depth) / (2.0 * depth);
  const double rim_angle = 2.0 * elementary::atan2(depth, rim_radius);
  Mesh mesh;
  for (const auto& [fraction, cosine, sine] : disk.vertices) {
    const double angle = rim_angle * fraction;
    const double distance = sphere_radius * elementary::sin(angle);
    mesh.vertices.emplace_back(distance * cosine, sphere_radius * (1.0 - elementary::cos(angle)) - depth,
                               -distance * sine);
  }
  mesh.triangles = std::move(disk.triangles);
  return mesh;
}

Mesh make_funnel(double top_radius, double bottom_radius, double height, int cells_around, int cells_height) {
  const int num_around = std::max(3, cells_around), num_layers = std::max(1, cells_height);
  Mesh mesh;
  for (int i = 0; i < num_around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / num_around;
    for (int j = 0; j <= num_layers; ++j) {
      const double fraction = static_cast<double>(j) / num_layers;
      const double radius = bottom_radius + (top_radius - bottom_radius) * fraction;
      mesh.vertices.emplace_back(radius * elementary::cos(angle), height * (fraction - 0.5),
                                 radius * elementary::sin(angle));
    }
  }
  add_grid_triangles(mesh, num_around, num_layers);
  // The last column of cells ends at the first column of vertices.
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  for (auto& triangle : mesh.triangles) {
    for (int& v : triangle) v %= num_vertices;
  }
  return mesh;
}

}  // namespace clearance
