// The interface between physics and solver: data that is constant during a run, and data that a restart needs.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clearance/geometry/surface.h"
#include "clearance/model/angle_unknown.h"
#include "clearance/model/body_mesh.h"
#include "clearance/model/friction_table.h"
#include "clearance/model/history.h"
#include "clearance/model/mass_operator.h"
#include "clearance/model/potential.h"
#include "clearance/model/restitution_table.h"
#include "clearance/model/surface_map.h"

namespace clearance {

class ContactAtRest;  // contact/contact_at_rest.h

/// The unknowns: num_blocks blocks of dim numbers. A P1 node is one block; an affine body 1 + dim.
struct DofLayout {
  int dim = 3;
  int num_blocks = 0;
  int num_unknowns() const { return dim * num_blocks; }
};

/// The elastic displacement of a surface vertex against a contact partner, from which static friction follows. Lists
/// are sorted by vertex and partner.
struct StickVertex {
  int vertex = 0;
  int partner = 0;                       ///< a body, or -1 - half-space
  Vec<3> displacement = Vec<3>::Zero();  ///< [m]; 2D: z = 0
};

/// Changes [J] that the time integrator has made to the energy of one body since the start of the run.
struct EnergyLedger {
  double rise = 0.0;          ///< above the lowest sum so far
  double largest_rise = 0.0;  ///< largest `rise` so far
  double lost = 0.0;          ///< net loss, without impacts
  double at_work = 0.0;       ///< largest kinetic or elastic energy, or work of one term
  double hit = 0.0;           ///< net loss in impacts of bodies that would rebound by their own elasticity
  double is_driven = 0.0;     ///< 1: a drive or a prescribed motion has acted on it
  double passed = 0.0;        ///< what friction or prescribed motion has handed to it and taken from it, without signs
  /// Work of each external term on the body, with its sign: potentials, barriers, friction, prescribed motion, and the
  /// friction loss at the body.
  std::vector<double> work;
};

/// All data of a run that must survive a restart. `Step::commit` (solver) writes the members that name no other writer.
struct State {
  int step = 0;       ///< steps completed
  double time = 0.0;  ///< [s]
  VecX x;             ///< [m] unknowns
  VecX v;             ///< [m/s]
  VecX a;             ///< [m/s^2] at the end of the last step; used by implicit Newmark and by errors of time steps
  VecX x_prev;        ///< [m] one step earlier; used by BDF2 (empty before the first step)
  VecX v_prev;        ///< [m/s] one step earlier; used by BDF2
  /// Per block: 1 if the next step may extrapolate from the last one, 0 after an impact; used by restarted BDF2.
  std::vector<char> has_history;
  VecX stored;  ///< [J] per potential and of the barriers at the end of the last step; empty before the first
  std::vector<EnergyLedger> ledgers;  ///< per body
  double kappa = 0.0;  ///< [J/m^4] barrier stiffness of the last step, as a factor of the energy; 0 before the first
  std::vector<StickVertex> stick;  ///< of contacts with friction at x
  VecX x_anchor;                   ///< [m] start of scripted motions; written by find_targets when a motion begins
  VecX controls;                   ///< values that programs set by Simulation or a schedule (scene/controls.h)
  std::vector<char> released;      ///< per prescribed motion: 1 once it has been released; written by find_targets
  /// Meshes of the bodies whose elements have changed since the start, by ascending body; written by adapt and refine.
  std::vector<std::shared_ptr<const BodyMesh>> meshes;
  std::vector<RejectedOperation> rejected;  ///< rejected operations on these meshes, by ascending body; as `meshes`
  /// Per joint of the scene: whole turns of a hinge, in addition to its angle between -pi and pi at x. Empty: none so
  /// far.
  std::vector<int> turns;
  History history;  ///< per potential of the model; adapt moves it to new elements
  /// Factor of the activation distances of contact, written by GapPath (simulation/stepping).
  double narrowing = 1.0;
  // Steps that are taken in parts of an accuracy (simulation/stepping/step_parts.h).
  double h_prev = 0.0;            ///< [s] length of the part from x_prev to x; 0: that of the next one
  int level = 0;                  ///< the next part has a length of h / 2^level
  std::vector<double> top_speed;  ///< [m/s] per body: largest mean of the speeds of its masses so far
};

/// A half-space n . x >= offset that every surface vertex stays in (n is a unit vector).
struct HalfSpace {
  Vec<3> normal = Vec<3>::UnitY();
  double offset = 0.0;  ///< [m]
};

/// The unknowns of an affine or rigid body: 1 + dim blocks, its centre of mass t and `radius` times the columns of its
/// affine map A. A point at `rest` from the centre along the body's axes is at t + sum_i rest_i / radius * b_i.
struct StiffBody {
  int first_block = 0;
  double radius = 1.0;    ///< [m]
  bool is_rigid = false;  ///< True if A is always a rotation.
  /// Column about which its inertia is symmetric, if it collides as spheres and capsules; -1: none. Its free motion is
  /// followed exactly (solver/free_turn.h).
  int symmetry_axis = -1;
};

/// A block that is a weighted sum of the blocks of an affine body: a node of a deformable body in a stiff part of it.
struct Tie {
  int block = 0;
  int first_block = 0;              ///< first block of the affine body
  std::array<double, 4> weights{};  ///< weights of t and the columns
};

/// The block of a node of a curved element that is no corner. On a straight element it is the weighted mean of corners.
struct HigherNode {
  int block = 0;
  std::array<int, 4> corners{-1, -1, -1, -1};  ///< blocks of the corners; -1: no corner
  std::array<double, 4> weights{};
};

/// Scales of contact that depend on the bodies in contact, per surface vertex. A pair of primitives has the smallest of
/// its lengths and the sum of its compliances. Empty: the scales of the scene apply (SolverOptions), with a stiffness
/// that the solver chooses in every step [Fer23, app. A.6].
struct ContactScales {
  std::vector<double> dhat;        ///< [m] activation distance
  std::vector<double> compliance;  ///< [m/N] motion of the vertex in a step per force; empty: as without scales
  std::vector<double> eps_v;       ///< [m/s] sliding slower than this counts as sticking
  std::vector<double> stick;       ///< [m] elastic sliding before a contact slips; 0: the smoothed law

  bool is_empty() const { return dhat.empty(); }
};

/// The model, constant while a step is solved. `build_scene_model` writes it, by the stages of simulation/build that
/// the groups of members name.
struct Model {
  // unknowns.cpp
  DofLayout layout;
  std::vector<Tie> ties;                 ///< by ascending block
  VecX x_rest;                           ///< [m]
  std::vector<int> body_of_block;        ///< per block: the body that it moves, numbered as in the surface
  std::vector<HigherNode> higher_nodes;  ///< by ascending block
  std::vector<int> inner_blocks;         ///< ascending: slopes of shells and angles of rods, which are no points

  // body_terms.cpp; loads.cpp and joints.cpp add their potentials
  std::vector<StiffBody> stiff_bodies;
  VecX mass;  ///< [kg] lumped, per block (zero for obstacle blocks)
  /// Mass matrix to use instead of the lumped mass; may be null.
  std::shared_ptr<const MassOperator> consistent_mass;
  /// Elasticity, gravity, ...; without inertia and contact.
  std::vector<std::shared_ptr<const Potential>> potentials;
  VecX elastic_stiffness;  ///< [N/m] per block: resistance of the elements at rest to a displacement; may be empty

  // joints.cpp
  /// Per body: the first body of its mechanism, the bodies that joints connect directly or through others. Empty: no
  /// bodies are connected.
  std::vector<int> mechanism_of_body;

  // motions.cpp
  std::vector<char> is_always_prescribed;  ///< per block: 1 for obstacle blocks

  // scene_surface.cpp
  SurfaceMap surface_map{3};
  SurfaceTopology surface;
  /// [m^2] per surface edge: squared rest length, for the edge-edge mollifier's eps_x [Fer23, eq. 2.24]
  std::vector<double> edge_rest_length_sq;
  std::vector<char> is_obstacle_vertex;  ///< per surface vertex
  /// Per surface vertex with a radius: the first of dim vertices of the map behind those of the surface, which are at
  /// that radius from it along the axes of its stiff body; -1: none. They tell how the body turns. Empty: no radii.
  std::vector<int> first_turn_vertex;
  /// Per surface vertex: the angles of the rod's segments there, which friction turns. Empty: no rods, or no friction.
  std::vector<std::array<SegmentTurn, 2>> segment_turns;

  // contact_properties.cpp, contact_scales.cpp, rest_surface.cpp
  FrictionTable friction;
  RestitutionTable restitution;
  ContactScales contact_scales;
  /// The formulation of contact, with what it knows of this surface at rest; null: that of [Fer23, ch. 2], which needs
  /// to know nothing.
  std::shared_ptr<const ContactAtRest> contact_at_rest;

  // build_scene_model.cpp
  std::vector<HalfSpace> half_spaces;
  double bbox_diagonal = 1.0;  ///< [m] l of app. A: of the deformable bodies at rest

  int turn_vertex_of(int surface_vertex) const {
    return first_turn_vertex.empty() ? -1 : first_turn_vertex[surface_vertex];
  }

  /// False for obstacles, which may reach behind half-spaces.
  bool meets_half_spaces(int surface_vertex) const { return !is_obstacle_vertex[surface_vertex]; }
};

}  // namespace clearance
