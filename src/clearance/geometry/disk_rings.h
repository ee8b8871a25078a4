// A disk as rings around its centre. It is the cross-section of disk, cylinder, torus and bowl.
#pragma once

#include <array>
#include <vector>

namespace clearance {

struct DiskRings {
  struct Polar {
    double fraction;  ///< fraction of the radius, in [0, 1]
    double cosine, sine;
  };
  std::vector<Polar> vertices;                ///< the centre first, then ring after ring, counter-clockwise
  std::vector<std::array<int, 3>> triangles;  ///< 6 rings^2, counter-clockwise
};

/// Makes the rings. Ring k has 6 k vertices, so that the triangles are nearly equilateral everywhere.
DiskRings make_disk_rings(int num_rings);

}  // namespace clearance
