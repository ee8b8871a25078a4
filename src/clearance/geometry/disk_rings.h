// A disk as rings around its centre: the cross-section that disk, cylinder, torus and bowl share.
#pragma once

#include <array>
#include <vector>

namespace clearance {

struct DiskRings {
  struct Polar {
    double fraction;  ///< of the radius, in [0, 1]
    double cosine, sine;
  };
  std::vector<Polar> vertices;                ///< centre first, then ring after ring, counter-clockwise
  std::vector<std::array<int, 3>> triangles;  ///< 6 rings^2, counter-clockwise
};

/// Ring k has 6 k vertices, so that the triangles are near equilateral everywhere.
DiskRings make_disk_rings(int num_rings);

}  // namespace clearance
