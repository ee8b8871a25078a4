// The bodies of a scene with their meshes loaded, placed and checked one by one.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/mesh_arrays.h"
#include "clearance/io/mesh/weights_reader.h"
#include "clearance/model/body_mesh.h"
#include "clearance/scene/body_shapes.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/load/mesh_groups.h"

namespace clearance {

struct BodyInstance;

/// Numbers of the solid elements of a mesh of which some have been merged (geometry/repeated_elements.h).
struct ElementNumbers {
  std::vector<int> of_number;  ///< element of the body per element of the file, before refinement
  std::vector<int> in_file;    ///< first number in the file per element of the body, before refinement
};

/// Elements that have changed since the start of the run.
struct AdaptedElements {
  std::shared_ptr<const BodyInstance> start;  ///< the body as it was then; regions are selected in it
  std::shared_ptr<const BodyMesh> mesh;
  std::vector<RegionDesc> regions;  ///< the regions of BodyMesh::nodes_of_region
};

/// [m] The corners of each triangle of a shell at rest.
using Pattern = std::vector<std::array<Vec<3>, 3>>;

/// One body of a scene: one copy of an entry with an array, or one component of an entry that is split.
struct BodyInstance {
  std::string name;
  int desc = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  bool is_obstacle = false;
  Mesh mesh;                               ///< placed in the scene, unstressed, without vertices that no element uses
  std::shared_ptr<const Pattern> pattern;  ///< shape of a shell at rest; null: that of `mesh`
  /// Arrays of the mesh file that `material_fields` may name; null: it names none.
  std::shared_ptr<const std::vector<MeshArray>> arrays;
  std::vector<RoundShape> round_shapes;  ///< what a stiff body collides with in place of its triangles; empty: none
  /// Collision surface from a file, placed as `mesh` but without shifts; null if there is none.
  std::shared_ptr<const Mesh> proxy;
  /// Weights by which each vertex of `proxy` follows vertices of `mesh`; null if each vertex follows the element around
  /// it.
  std::shared_ptr<const NodeWeights> proxy_weights;
  /// Order of the displacements if it is lower than that of the elements' shape; else 0.
  int displacement_order = 0;
  NodeWeights followed;            ///< result of followed_nodes for displacement_order; empty if that is 0
  BoundingBox untransformed_box;   ///< box of the mesh before its transform
  std::vector<int> source_vertex;  ///< number in the file, or as generated, per vertex of `mesh`
  std::size_t num_source_vertices = 0;
  /// True if the program has chosen the order: a list of nodes of the file then selects the nodes between them, too.
  bool lists_reach_between = false;
  std::shared_ptr<const ElementNumbers> element_numbers;  ///< null if elements have the numbers of the file
  std::shared_ptr<const std::vector<BodyGroup>>
      groups;  ///< groups of the mesh that regions refer to, in numbers of the file
  /// Index into BodyDesc::material_parts per tetrahedron (2D: triangle) of the `mesh` of a deformable body; -1 for
  /// `material`.
  std::vector<int> material_part;
  Vec<3> array_offset = Vec<3>::Zero();  ///< [m] offset of this copy
  Vec<3> shift = Vec<3>::Zero();         ///< [m] shift by StartDesc::moved, already applied to `mesh`
  /// Displacement [m] of each vertex of `mesh` at the start; empty if the body is not bent.
  std::vector<Vec<3>> displacements;
  std::shared_ptr<const AdaptedElements> adapted;  ///< null if the elements are those of the start

  /// Returns the cell of the start that a cell of `mesh` comes from.
  std::size_t cell_at_start(std::size_t cell) const { return adapted ? adapted->mesh->origin_of_cell[cell] : cell; }

  /// Returns the mesh with its vertices where they are at the start.
  Mesh mesh_at_start() const;
};

}  // namespace clearance
