// From bodies to unknowns: the model, the initial state and the scripted motions of a scene.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/affine/joint.h"
#include "clearance/bodies/fem/element_state.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/joint_strain.h"
#include "clearance/simulation/build/stiff_units.h"
#include "clearance/simulation/load/body_instance.h"
#include "clearance/simulation/load/mesh_sequence.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// The blocks of unknowns of a body.
struct BodyBlocks {
  int first = 0;  ///< first block; for a stiff body its centre of mass, followed by the columns of its map
  /// Block of each vertex of its mesh; -1 for vertices that follow others. Empty for stiff bodies.
  std::vector<int> of_nodes;

  int of_node(int v) const { return of_nodes[static_cast<std::size_t>(v)]; }
};

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

/// A face of elements whose boundary is represented by a collision surface.
struct BoundaryFace {
  int order;                     ///< order of the displacements
  std::vector<int> nodes;        ///< nodes of its shape as vertices of frame_mesh, ordered as by nodes_of_curved_faces
  std::vector<int> vertices;     ///< surface vertices that lie on it
  std::vector<Barycentrics> at;  ///< barycentrics per vertex
};

struct SceneModel {
  int dim = 3;
  std::vector<BodyInstance> bodies;
  std::vector<StiffUnit> stiff_units;  ///< by ascending body
  std::vector<BodyBlocks> blocks;      ///< per body
  Model model;
  State initial_state;
  SolverOptions options;
  /// Index of the joints among the model's potentials; no value if there are no joints.
  std::optional<std::size_t> joint_potential;
  /// Returns the joint strain from the potential of the joints as it was in the last step; null if there are no joints.
  std::function<JointStrain(const Potential& joints, const State& state)> joint_strain;
  std::vector<PreparedMotion> motions;
  /// Controls of the step under way, which formulas of the model read.
  std::shared_ptr<Controls> controls = std::make_shared<Controls>();
  Mesh frame_mesh;                           ///< meshes of all bodies in one
  SurfaceMap vertex_map{3};                  ///< map from the unknowns to the vertices of frame_mesh
  std::vector<int> vertex_of_surface;        ///< number in frame_mesh per surface vertex
  std::vector<BoundaryFace> boundary_faces;  ///< faces of the bodies with collision surfaces that lie on their elements
  std::vector<int> cell_body;                ///< body per cell of frame_mesh: tets, triangles, edges, points
  std::vector<int> cell_is_obstacle;
  VecX weighing;  ///< [kg] per block: mass that an acceleration acts on
  /// Difference [kg m], per body, between its mass times the centre of mass and the sum of weighing times the positions
  /// of its blocks; empty if all are 0.
  std::vector<Vec<3>> shape_moments;
  int num_elements = 0;
  std::vector<int> cell_of_element;  ///< cell of frame_mesh per element
  /// Returns the state of each element at x; null if the scene has no elements.
  std::function<std::vector<ElementState>(const VecX& x)> element_states;
  /// Returns the state of a joint, by its number in the scene, from the potential of the joints as it was in the last
  /// step; null if there are no joints.
  std::function<JointState(const Potential& joints, int joint, const State& state)> joint_state;
  Issues issues;         ///< errors and warnings about the parts of the scene, such as files that motions lack
  Issues empty_regions;  ///< warnings about motions and loads that select nothing
};

}  // namespace clearance
