// Scripted motions with the nodes that they move.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"
#include "clearance/simulation/load/mesh_sequence.h"

namespace clearance {

/// A scripted motion with its nodes found.
struct PreparedMotion {
  MotionDesc desc;
  std::string place;  ///< in the scene file
  int body = 0;
  std::vector<int> blocks;  ///< ascending
  std::vector<int> nodes;   ///< per block: its number in the mesh of the body; empty for a stiff body
  /// Position [m] of each block at the scene's start; for the blocks of a stiff body the middle of its box.
  std::vector<Vec<3>> points;
  Vec<3> center = Vec<3>::Zero();  ///< [m]
  MeshSequence sequence;
  bool is_obstacle = false;
  /// True if the first block is a centre of mass and the others are directions, which only turn.
  bool is_stiff = false;
};

/// Finds the nodes of all motions and checks their files. Appends problems to `issues`, and to `idle` a warning for
/// each motion that finds no node.
std::vector<PreparedMotion> prepare_motions(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                            const Unknowns& unknowns, Issues& issues, Issues& idle);

/// Returns 1 for each block of an obstacle, and 0 for all others.
std::vector<char> always_prescribed_blocks(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns);

/// Returns problems of the files of sequences that do not depend on the bodies: missing folders and numbers.
Issues find_missing_sequences(const SceneDesc& desc);

}  // namespace clearance
