// Separation of bodies that meet, or are in one another, at the start of a scene (docs/overlaps.md).
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/start/start_overlap.h"

namespace clearance {

struct Separation {
  using Overlap = StartOverlap;
  struct Move {
    std::string body;
    double distance = 0.0;  ///< [m] shift of the body as a whole
    double bending = 0.0;   ///< [m] largest displacement of a vertex in addition
  };

  SceneDesc scene;  ///< scene with all moves in `start.moved`, joints moved along with their bodies, and no overlaps
  std::vector<Overlap> overlaps;
  std::vector<Move> moves;
};

/// Moves bodies as little as possible. First it moves bodies that nothing holds, as wholes, and bends deformable bodies
/// that still overlap. If that is not enough, obstacles and stiff bodies with motions move too, and in the end
/// deformable bodies together with the nodes that are held. Issues: what cannot be separated, pair by pair, with
/// places. The scene must be valid (`validate`) and its bodies must have names.
Result<Separation> separate_overlaps(const SceneDesc& scene);

/// Describes in one line what has been moved, and how far; empty if nothing overlapped.
std::string to_string(const Separation& separation);

}  // namespace clearance
