// Generator of balls: 20 tetrahedra from the centre to the faces of an icosahedron, each cut into cells^3 and bent onto
// spheres. A mapped cube would have flat tetrahedra along the images of its edges; here all are close to regular.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Returns the corners of a regular icosahedron on the unit sphere: cyclic permutations of (0, +-1, +-golden ratio).
std::array<Vec<3>, 12> icosahedron_corners() {
  std::array<Vec<3>, 12> corners;
  std::size_t count = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double u : {-1.0, 1.0}) {
      for (const double v : {-std::numbers::phi, std::numbers::phi}) {
        Vec<3> corner = Vec<3>::Zero();
        corner[(axis + 1) % 3] = u;
        corner[(axis + 2) % 3] = v;
        corners[count++] = corner.normalized();
      }
    }
  }
  return corners;
}

/// Returns all triples of neighbours. The cosine between neighbours is 1 / sqrt(5), and negative between others.
std::vector<std::array<int, 3>> icosahedron_faces(const std::array<Vec<3>, 12>& corners) {
  const auto are_neighbours = [&](int i, int j) { return corners[i].dot(corners[j]) > 0.2; };
  std::vector<std::array<int, 3>> faces;
  for (int i = 0; i < 12; ++i) {
    for (int j = i + 1; j < 12; ++j) {
      for (int k = j + 1; k < 12; ++k) {
        if (are_neighbours(i, j) && are_neighbours(j, k) && are_neighbours(i, k)) faces.push_back({i, j, k});
      }
    }
  }
  return faces;
}

/// The vertices of the ball, identified by their integer weights at the corners, so that those on shared faces are made
/// once.
class BallLattice {
 public:
  BallLattice(double radius, int num_layers) : radius_(radius), num_layers_(num_layers) {}

  /// Returns the vertex at the lattice point x >= y >= z in the tetrahedron from the centre to `face`. It is on layer
  /// x, with weights x - y, y - z and z at the corners of the face.
  int vertex(const std::array<int, 3>& face, int x, int y, int z) {
    std::array<int, 12> weights{};
    weights[face[0]] = x - y;
    weights[face[1]] = y - z;
    weights[face[2]] = z;
    const auto [found, is_new] = index_.try_emplace(weights, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(position(weights, x));
    return found->second;
  }
  const std::array<Vec<3>, 12>& corners() const { return corners_; }
  Mesh& mesh() { return mesh_; }

 private:
  Vec<3> position(const std::array<int, 12>& weights, int layer) const {
    if (layer == 0) return Vec<3>::Zero();
    Vec<3> flat = Vec<3>::Zero();
    for (std::size_t i = 0; i < 12; ++i) flat += weights[i] * corners_[i];
    return (radius_ * layer / num_layers_) * flat.normalized();
  }

  double radius_;
  int num_layers_;
  std::array<Vec<3>, 12> corners_ = icosahedron_corners();
  std::map<std::array<int, 12>, int> index_;
  Mesh mesh_;
};

/// Adds the part n >= x >= y >= z >= 0 of a grid of cubes in Kuhn's split: n^3 tetrahedra.
void add_sector(BallLattice& lattice, const std::array<int, 3>& face, int n) {
  constexpr int axis_orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int cell = 0; cell < n * n * n; ++cell) {
    for (const auto& order : axis_orders) {
      std::array<int, 3> corner = {cell / (n * n), cell / n % n, cell % n};
      std::array<std::array<int, 3>, 4> path = {corner};
      for (std::size_t step = 0; step < 3; ++step) {
        ++corner[order[step]];
        path[step + 1] = corner;
      }
      const auto is_inside = [](const std::array<int, 3>& c) { return c[0] >= c[1] && c[1] >= c[2]; };
      if (!std::all_of(path.begin(), path.end(), is_inside)) continue;
      std::array<int, 4> tet;
      for (std::size_t i = 0; i < 4; ++i) tet[i] = lattice.vertex(face, path[i][0], path[i][1], path[i][2]);
      lattice.mesh().tets.push_back(tet);
    }
  }
}

}  // namespace

Mesh make_sphere(double radius, int cells) {
  const int num_layers = std::max(1, cells);
  BallLattice lattice(radius, num_layers);
  for (const auto& face : icosahedron_faces(lattice.corners())) add_sector(lattice, face, num_layers);

  Mesh mesh = std::move(lattice.mesh());
  orient_positively(mesh);
  return mesh;
}

Mesh make_capsule(double radius, double length, int rings) {
  rings = std::max(1, rings);
  const int around = 6 * rings;
  Mesh mesh;
  mesh.vertices.push_back(Vec<3>(0.0, -0.5 * length - radius, 0.0));
  for (int k = 1; k <= 2 * rings; ++k) {
    // The lower half ball ends with its equator, and the upper one begins with its own.
    const bool is_lower = k <= rings;
    const double angle = 0.5 * std::numbers::pi * (is_lower ? k - rings : k - rings - 1) / rings;
    const double y = (is_lower ? -0.5 : 0.5) * length + radius * elementary::sin(angle);
    for (int i = 0; i < around; ++i) {
      const double turn = 2.0 * std::numbers::pi * i / around, r = radius * elementary::cos(angle);
      mesh.vertices.push_back(Vec<3>(r * elementary::cos(turn), y, r * elementary::sin(turn)));
    }
  }
  mesh.vertices.push_back(Vec<3>(0.0, 0.5 * length + radius, 0.0));
  const int top = static_cast<int>(mesh.vertices.size()) - 1;
  const auto at = [&](int ring, int i) { return 1 + ring * around + i % around; };
  for (int i = 0; i < around; ++i) {
    mesh.triangles.push_back({0, at(0, i), at(0, i + 1)});
    for (int ring = 0; ring + 1 < 2 * rings; ++ring) {
      mesh.triangles.push_back({at(ring, i), at(ring + 1, i), at(ring, i + 1)});
      mesh.triangles.push_back({at(ring, i + 1), at(ring + 1, i), at(ring + 1, i + 1)});
    }
    mesh.triangles.push_back({at(2 * rings - 1, i), top, at(2 * rings - 1, i + 1)});
  }
  return mesh;
}

}  // namespace clearance
