#include "clearance/geometry/generators.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "clearance/geometry/brick.h"
#include "clearance/geometry/disk_rings.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/prism.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Returns the tube whose cross-sections, copies of `disk`, are the vertices, piece after piece. The last piece joins
/// the first.
Mesh closed_tube(std::vector<Vec<3>> vertices, const DiskRings& disk) {
  Mesh mesh;
  mesh.vertices = std::move(vertices);
  const int piece_size = static_cast<int>(disk.vertices.size());
  const int num_pieces = static_cast<int>(mesh.vertices.size()) / piece_size;
  for (int piece = 0; piece < num_pieces; ++piece) {
    for (const auto& triangle : disk.triangles) {
      add_prism(mesh, triangle, piece * piece_size, (piece + 1) % num_pieces * piece_size);
    }
  }
  orient_positively(mesh);
  return mesh;
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
  for (int cell = 0; cell < nx * ny * nz; ++cell) {
    const int i = cell / (ny * nz), j = cell / nz % ny, k = cell % nz;
    std::array<int, 8> corners{};
    for (int c = 0; c < 8; ++c) corners[c] = index(i + c / 4, j + c / 2 % 2, k + c % 2);
    add_brick(mesh, corners);
  }
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
  const int num_pieces = std::max(3, cells_around);
  std::vector<Vec<3>> vertices;
  for (int piece = 0; piece < num_pieces; ++piece) {
    const double angle = 2.0 * std::numbers::pi * piece / num_pieces;
    for (const auto& [fraction, cosine, sine] : disk.vertices) {
      const double distance = ring_radius + tube_radius * fraction * cosine;
      vertices.emplace_back(distance * elementary::cos(angle), tube_radius * fraction * sine,
                            distance * elementary::sin(angle));
    }
  }
  return closed_tube(std::move(vertices), disk);
}

Mesh make_link(double length, double width, double wire_radius, int cells_half, int cells_wire) {
  const DiskRings disk = make_disk_rings(std::max(1, cells_wire));
  const int num_bend = std::max(2, cells_half);
  const double bend_radius = 0.5 * width - wire_radius, straight = std::max(0.0, length - width);
  // Pieces of the straight sides are about as long as those of the bends.
  const double piece_length = std::numbers::pi * bend_radius / num_bend;
  const int num_straight = straight > 0.0 ? std::max(1, static_cast<int>(std::round(straight / piece_length))) : 0;
  std::vector<Vec<3>> vertices;
  const auto add_section = [&](double center, double angle) {
    for (const auto& [fraction, cosine, sine] : disk.vertices) {
      const double distance = bend_radius + wire_radius * fraction * cosine;
      vertices.emplace_back(center + distance * elementary::cos(angle), wire_radius * fraction * sine,
                            distance * elementary::sin(angle));
    }
  };
  // Half a turn about the end at +x, then the side that leads away from it, then the same from the other end.
  for (const double end : {1.0, -1.0}) {
    const double start = end > 0.0 ? -0.5 * std::numbers::pi : 0.5 * std::numbers::pi;
    for (int i = 0; i < num_bend; ++i) add_section(end * 0.5 * straight, start + std::numbers::pi * i / num_bend);
    for (int i = 0; i < num_straight; ++i) {
      add_section(end * straight * (0.5 - static_cast<double>(i) / num_straight), start + std::numbers::pi);
    }
  }
  return closed_tube(std::move(vertices), disk);
}

}  // namespace clearance
