#include "clearance/geometry/generators.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/geometry/disk_rings.h"
#include "clearance/geometry/mesh_checks.h"

namespace clearance {

namespace {

/// The prism between two copies of a triangle, whose vertices start at index `bottom` and `top`. The diagonals of its
/// sides rise from the smaller to the larger triangle vertex, so that neighbours cut the side they share alike.
void add_prism(Mesh& mesh, std::array<int, 3> triangle, int bottom, int top) {
  std::sort(triangle.begin(), triangle.end());
  const auto& [a, b, c] = triangle;
  mesh.tets.push_back({bottom + a, bottom + b, bottom + c, top + c});
  mesh.tets.push_back({bottom + a, bottom + b, top + b, top + c});
  mesh.tets.push_back({bottom + a, top + a, top + b, top + c});
}

}  // namespace

Mesh make_box(const Vec<3>& size, const std::array<int, 3>& cells) {
  const int nx = std::max(1, cells[0]), ny = std::max(1, cells[1]), nz = std::max(1, cells[2]);
  const auto index = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  Mesh mesh;
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= ny; ++j) {
      for (int k = 0; k <= nz; ++k) {
        const Vec<3> fraction(static_cast<double>(i) / nx, static_cast<double>(j) / ny, static_cast<double>(k) / nz);
        mesh.vertices.push_back(size.cwiseProduct(fraction - Vec<3>::Constant(0.5)));
      }
    }
  }
  // Kuhn's split: one tetrahedron per order in which a path along the axes goes from corner 000 to corner 111.
  constexpr int axis_orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int cell = 0; cell < nx * ny * nz; ++cell) {
    const int i = cell / (ny * nz), j = cell / nz % ny, k = cell % nz;
    for (const auto& order : axis_orders) {
      std::array<int, 3> corner = {i, j, k};
      std::array<int, 4> tet = {index(i, j, k), 0, 0, 0};
      for (std::size_t step = 0; step < 3; ++step) {
        ++corner[static_cast<std::size_t>(order[step])];
        tet[step + 1] = index(corner[0], corner[1], corner[2]);
      }
      mesh.tets.push_back(tet);
    }
  }
  orient_positively(mesh);
  return mesh;
}

Mesh make_mat(double size_x, double size_z, double thickness, int cells_x, int cells_z, int cells_thickness) {
  return make_box(Vec<3>(size_x, thickness, size_z), {cells_x, cells_thickness, cells_z});
}

Mesh make_cylinder(double radius, double height, int cells_radius, int cells_height) {
  const DiskRings disk = make_disk_rings(std::max(1, cells_radius));
  const int num_layers = std::max(1, cells_height), layer_size = static_cast<int>(disk.vertices.size());
  Mesh mesh;
  for (int layer = 0; layer <= num_layers; ++layer) {
    const double y = height * (static_cast<double>(layer) / num_layers - 0.5);
    for (const auto& [fraction, cosine, sine] : disk.vertices) {
      mesh.vertices.emplace_back(radius * fraction * cosine, y, radius * fraction * sine);
    }
  }
  for (int layer = 0; layer < num_layers; ++layer) {
    for (const auto& triangle : disk.triangles) {
      add_prism(mesh, triangle, layer * layer_size, (layer + 1) * layer_size);
    }
  }
  orient_positively(mesh);
  return mesh;
}

Mesh make_torus(double ring_radius, double tube_radius, int cells_around, int cells_tube) {
  const DiskRings disk = make_disk_rings(std::max(1, cells_tube));
  const int num_pieces = std::max(3, cells_around), piece_size = static_cast<int>(disk.vertices.size());
  Mesh mesh;
  for (int piece = 0; piece < num_pieces; ++piece) {
    const double angle = 2.0 * std::numbers::pi * piece / num_pieces;
    for (const auto& [fraction, cosine, sine] : disk.vertices) {
      const double distance = ring_radius + tube_radius * fraction * cosine;
      mesh.vertices.emplace_back(distance * std::cos(angle), tube_radius * fraction * sine, distance * std::sin(angle));
    }
  }
  for (int piece = 0; piece < num_pieces; ++piece) {
    for (const auto& triangle : disk.triangles) {
      add_prism(mesh, triangle, piece * piece_size, (piece + 1) % num_pieces * piece_size);
    }
  }
  orient_positively(mesh);
  return mesh;
}

}  // namespace clearance
