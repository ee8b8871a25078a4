// The nodes, elements and faces of a PolyFEM state in the numbers of that program: bodies one after the other.
#pragma once

#include <optional>
#include <vector>

#include "clearance/base/methods.h"
#include "clearance/io/polyfem/polyfem_reader.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance::optimise {

/// An element, or a face of one.
struct StateCell {
  std::vector<int> nodes;  ///< numbered as by lagrange_nodes: corners first
  int order = 1;           ///< of the displacements
  int id = 0;              ///< number of the volume or the surface, which forms select
};

struct StateMesh {
  int dim = 3;
  VecX x_rest;                  ///< [m] dim numbers per node
  std::vector<int> first_node;  ///< per entry of the geometry
  std::vector<int> scene_body;  ///< per entry of the geometry: index into SceneDesc::bodies
  std::vector<int> entry_of_node, entry_of_cell;
  std::vector<StateCell> cells, faces;
  std::vector<ElasticModel> law;  ///< per cell
  VecX lame;                      ///< [Pa] lambda of all cells, then mu, in the plane those of plane strain

  int num_nodes() const { return static_cast<int>(entry_of_node.size()); }
  int num_cells() const { return static_cast<int>(cells.size()); }
  /// Returns the number of a volume as the maps count bodies: in the order of their first elements.
  std::vector<int> body_of_cell() const;
  /// Returns the same per node, by the elements around it.
  std::vector<int> body_of_node() const;
  /// Vertices of the boundary, ascending, that lie on none of the surfaces with these numbers.
  std::vector<int> boundary_without(const std::vector<int>& ids) const;
  /// Moves nodes that are no corners to their places on straight elements.
  void follow_corners(VecX& x) const;
  /// Adds derivatives by nodes that are no corners, which follow the corners, to those of the corners.
  void collect_at_corners(VecX& slope) const;

 private:
  /// Calls visit(node, corner, weight) for each corner that a node follows which is no corner itself.
  template <class Visit>
  void for_each_follower(const Visit& visit) const;
};

/// Issues, with places in the state's file: parts of the scene that optimisations do not know.
Result<StateMesh> make_state_mesh(const PolyfemState& state);

/// Numbers of a model of the scene for nodes and cells of its mesh.
struct MeshInModel {
  std::vector<int> block_of_node;  ///< -1: nodes of bodies that are held all around
  std::vector<int> cell_of_frame;  ///< per solid cell of SceneModel::frames; -1: cells of such bodies
};

/// Nothing if a node or a cell has no counterpart.
std::optional<MeshInModel> find_in_model(const StateMesh& mesh, const SceneModel& scene);

}  // namespace clearance::optimise
