#include "clearance/geometry/disk_rings.h"

#include <cmath>
#include <numbers>

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Returns the index of vertex i of ring k, where i is cyclic. Ring 0 is the centre.
int ring_vertex(int k, int i) {
  return k == 0 ? 0 : 1 + 3 * k * (k - 1) + i % (6 * k);
}

}  // namespace

DiskRings make_disk_rings(int num_rings) {
  DiskRings disk;
  disk.vertices.push_back({0.0, 1.0, 0.0});
  for (int k = 1; k <= num_rings; ++k) {
    for (int i = 0; i < 6 * k; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / (6.0 * k);
      disk.vertices.push_back({static_cast<double>(k) / num_rings, elementary::cos(angle), elementary::sin(angle)});
    }
  }
  // In each of the six sectors, ring k has k segments and the ring inside it has k - 1.
  for (int k = 1; k <= num_rings; ++k) {
    for (int sector = 0; sector < 6; ++sector) {
      const int outer = sector * k, inner = sector * (k - 1);
      for (int i = 0; i < k; ++i) {
        const int a = ring_vertex(k, outer + i), b = ring_vertex(k, outer + i + 1), c = ring_vertex(k - 1, inner + i);
        disk.triangles.push_back({a, b, c});
        if (i + 1 < k) disk.triangles.push_back({c, b, ring_vertex(k - 1, inner + i + 1)});
      }
    }
  }
  return disk;
}

}  // namespace clearance
