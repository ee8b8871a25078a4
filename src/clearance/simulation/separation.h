// Bodies that meet, or are in one another, at the start of a scene are moved apart (docs/overlaps.md).
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct Separation {
  struct Overlap {
    std::string first, second;  ///< bodies, the second also `half_spaces[0]`; the same twice: it meets itself
    double depth = 0.0;         ///< [m] the shortest way found that takes the two apart by themselves; 0: they touch
  };
  struct Move {
    std::string body;
    double distance = 0.0;  ///< [m] as a whole
    double bending = 0.0;   ///< [m] largest displacement of a vertex beside that
  };

  SceneDesc scene;  ///< with all moves in `start.moved` (and joints that bodies carry along), and without overlaps
  std::vector<Overlap> overlaps;
  std::vector<Move> moves;
};

/// Moves bodies as little as possible. First as wholes, those that nothing holds; what still overlaps is bent, if it is
/// deformable. Where that is not enough, obstacles and stiff bodies with motions move too, and in the end deformable
/// bodies with the nodes that are held. Issues: what cannot be
/// separated, pair by pair, with places. The scene is valid (`validate`) and its bodies have names.
Result<Separation> separate_overlaps(const SceneDesc& scene);

/// What has been moved how far, in a line; empty if nothing overlapped.
std::string to_string(const Separation& separation);

}  // namespace clearance
