// The bodies of a scene with their meshes loaded, placed and checked one by one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/weights_reader.h"
#include "clearance/model/body_mesh.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/mesh_groups.h"

namespace clearance {

struct BodyInstance;

/// Numbers of solid elements where some of a mesh have been merged (geometry/repeated_elements.h).
struct ElementNumbers {
  std::vector<int> of_number;  ///< per element of the file: the one of the body, before refinement
  std::vector<int> in_file;    ///< per element of the body, before refinement: its first number in the file
};

/// Elements that have changed since the start of the run.
struct AdaptedElements {
  std::shared_ptr<const BodyInstance> start;  ///< the body as it was there: regions are selected in it
  std::shared_ptr<const BodyMesh> mesh;
  std::vector<RegionDesc> regions;  ///< those of BodyMesh::nodes_of_region
};

/// One body: a copy of one with an array, a component of one that is split.
struct BodyInstance {
  std::string name;
  int desc = 0;  ///< index into SceneDesc::bodies
  BodyKind kind = BodyKind::deformable;
  bool is_obstacle = false;
  Mesh mesh;                          ///< in the scene, unstressed; vertices that no element uses are gone
  std::shared_ptr<const Mesh> proxy;  ///< collision surface from a file, as `mesh` without shifts; null: none
  /// Of the vertices of `proxy`, in those of `mesh`; null: each follows the element around it.
  std::shared_ptr<const NodeWeights> proxy_weights;
  int displacement_order = 0;      ///< of the elements of `mesh`, if it is lower than that of their shape; else 0
  NodeWeights followed;            ///< then, as of followed_nodes; else empty
  BoundingBox untransformed_box;   ///< of the mesh before its transform
  std::vector<int> source_vertex;  ///< per vertex of `mesh`: its number in the file or as generated
  std::size_t num_source_vertices = 0;
  std::shared_ptr<const ElementNumbers> element_numbers;  ///< null: elements have the numbers of the file
  std::shared_ptr<const std::vector<BodyGroup>>
      groups;  ///< those of the mesh that regions mean, in numbers of the file
  /// Per tetrahedron (2D: triangle) of `mesh` of a deformable body: into BodyDesc::material_parts; -1: `material`.
  std::vector<int> material_part;
  Vec<3> array_offset = Vec<3>::Zero();            ///< [m] of this copy
  Vec<3> shift = Vec<3>::Zero();                   ///< [m] by StartDesc::moved, already in `mesh`
  std::vector<Vec<3>> displacements;               ///< [m] per vertex of `mesh` at the start; empty: none
  std::shared_ptr<const AdaptedElements> adapted;  ///< null: the elements are those of the start

  /// Of the start, or that a cell of `mesh` comes from.
  std::size_t cell_at_start(std::size_t cell) const {
    return adapted ? static_cast<std::size_t>(adapted->mesh->origin_of_cell[cell]) : cell;
  }

  /// Where the vertices are at the start.
  Mesh mesh_at_start() const;
};

struct LoadedBodies {
  std::vector<BodyInstance> instances;
  Issues warnings;
};

/// Loads or generates all meshes and applies the transforms. Issues name the body, its mesh and the elements at fault:
/// unreadable mesh, no elements, inverted, flat or overlapping elements, a surface with holes.
Result<LoadedBodies> load_bodies(const SceneDesc& scene);

}  // namespace clearance
