// A scene whose bodies have been moved apart, with what met and what has been moved (docs/overlaps.md).
#pragma once

#include <string>
#include <vector>

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

/// Describes in one line what has been moved, and how far; empty if nothing overlapped.
std::string to_string(const Separation& separation);

}  // namespace clearance
