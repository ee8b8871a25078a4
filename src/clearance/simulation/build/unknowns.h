// The unknowns of a scene: which blocks each body has, and how the vertices of its mesh follow from them.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/simulation/build/stiff_units.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// The blocks of unknowns of a body.
struct BodyBlocks {
  int first = 0;  ///< first block; for a stiff body its centre of mass, followed by the columns of its map
  /// Each vertex of the mesh has its block here, -1 if it follows others. Stiff bodies have none.
  std::vector<int> block_of_node;
  /// First block of the slopes of a shell (bodies/shell/shell_mesh.h) or the angles of a rod (bodies/rod/rod_mesh.h);
  /// -1: it has none.
  int first_inner = -1;

  int of_node(int v) const { return block_of_node[v]; }
};

struct Unknowns {
  DofLayout layout;
  std::vector<StiffUnit> stiff_units;  ///< with their blocks, by ascending body
  std::vector<BodyBlocks> blocks;      ///< per body
  std::vector<int> body_of_block;
  std::vector<int> inner_blocks;  ///< ascending; Model::inner_blocks
  VecX x_rest;                    ///< [m]
  std::vector<Tie> ties;          ///< by ascending block
  SurfaceMap vertex_map{3};       ///< map from the unknowns to the vertices of the meshes of all bodies, body by body
};

/// Gives every body its blocks: one block per vertex, or 1 + dim blocks for a stiff body or part. Three slopes of
/// a shell or angles of a rod share a block.
Unknowns lay_out_unknowns(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                          std::vector<StiffUnit> stiff_units);

}  // namespace clearance
