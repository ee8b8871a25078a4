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
#include "clearance/contact/gcp_contact_model.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/body_instance.h"
#include "clearance/simulation/joint_strain.h"
#include "clearance/simulation/mesh_sequence.h"
#include "clearance/simulation/stiff_units.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Where a body is among the unknowns.
struct BodyBlocks {
  int first = 0;  ///< of a stiff body: its centre of mass, followed by the columns of its map
  /// Per vertex of its mesh the block that it is, -1 for those that follow others; empty for stiff bodies.
  std::vector<int> of_nodes;

  int of_node(int v) const { return of_nodes[static_cast<std::size_t>(v)]; }
};

/// A scripted motion with its nodes found.
struct PreparedMotion {
  MotionDesc desc;
  std::string place;  ///< in the scene file
  int body = 0;
  std::vector<int> blocks;         ///< ascending
  std::vector<int> nodes;          ///< per block: its number in the mesh of the body; of a stiff body none
  std::vector<Vec<3>> points;      ///< [m] per block: at the scene's start; of columns of a stiff body: its centre
  Vec<3> center = Vec<3>::Zero();  ///< [m]
  MeshSequence sequence;
  bool is_obstacle = false;
  bool is_stiff = false;  ///< the first block is a centre of mass, the others are directions, which only turn
};

/// A face of elements where a collision surface stands for their boundary.
struct BoundaryFace {
  int order;                     ///< of the displacements
  std::vector<int> nodes;        ///< of its shape, vertices of frame_mesh, as of nodes_of_curved_faces
  std::vector<int> vertices;     ///< of the surface that lie on it
  std::vector<Barycentrics> at;  ///< per vertex
};

struct SceneModel {
  int dim = 3;
  std::vector<BodyInstance> bodies;
  std::vector<StiffUnit> stiff_units;  ///< by ascending body
  std::vector<BodyBlocks> blocks;      ///< per body
  Model model;
  State initial_state;
  SolverOptions options;
  /// Among the model's potentials; none: there are no joints.
  std::optional<std::size_t> joint_potential;
  /// From the potential of the joints as it was in the step taken last; null: no joints.
  std::function<JointStrain(const Potential& joints, const State& state)> joint_strain;
  std::vector<PreparedMotion> motions;
  /// As of the step under way; formulas of the model look at them.
  std::shared_ptr<Controls> controls = std::make_shared<Controls>();
  Mesh frame_mesh;                           ///< all bodies in one mesh
  SurfaceMap vertex_map{3};                  ///< of its vertices
  std::vector<int> vertex_of_surface;        ///< per surface vertex: its number in frame_mesh
  std::vector<BoundaryFace> boundary_faces;  ///< of the bodies with such surfaces
  std::vector<int> cell_body;                ///< per cell of frame_mesh: tets, triangles, edges, points
  std::vector<int> cell_is_obstacle;
  VecX weighing;  ///< [kg] per block: what an acceleration pulls on
  /// [kg m] per body: what weighing times the positions of the blocks lacks to mass times the centre of mass; empty: 0.
  std::vector<Vec<3>> shape_moments;
  int num_elements = 0;
  std::vector<int> cell_of_element;  ///< per element: its number among the cells of frame_mesh
  /// Of all elements at x; empty without elements.
  std::function<std::vector<ElementState>(const VecX& x)> element_states;
  /// Of a joint, by its number in the scene; likewise.
  std::function<JointState(const Potential& joints, int joint, const State& state)> joint_state;
  RestGap rest_gap;      ///< what repels at rest although activation distances follow what is near there
  Issues issues;         ///< files that motions lack, and what motions and loads do not find
  Issues empty_regions;  ///< warnings: of motions and loads that select nothing
};

/// Errors in `issues` mean that the scene cannot be run.
SceneModel build_scene_model(const SceneDesc& scene, std::vector<BodyInstance> bodies);

}  // namespace clearance
