// The seam between physics and solver: what is constant during a run, and what a restart needs.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "clearance/geometry/surface.h"
#include "clearance/model/body_mesh.h"
#include "clearance/model/friction_table.h"
#include "clearance/model/mass_operator.h"
#include "clearance/model/potential.h"
#include "clearance/model/restitution_table.h"
#include "clearance/model/surface_map.h"

namespace clearance {

/// The unknowns: num_blocks blocks of dim numbers. A P1 node is one block; an affine body 1 + dim.
struct DofLayout {
  int dim = 3;
  int num_blocks = 0;
  int num_unknowns() const { return dim * num_blocks; }
};

/// How far a surface vertex has been dragged elastically against what it rubs on: what friction holds it with.
/// Lists are sorted by vertex and partner.
struct StickVertex {
  int vertex = 0;
  int partner = 0;                       ///< a body, or -1 - half-space
  Vec<3> displacement = Vec<3>::Zero();  ///< [m]; 2D: z = 0
};

/// [J] What the time integrator has done to the energy of one body since the start of the run.
struct EnergyLedger {
  double rise = 0.0;          ///< above the lowest sum so far
  double largest_rise = 0.0;  ///< of all times
  double lost = 0.0;          ///< net, impacts aside
  double at_work = 0.0;       ///< largest kinetic or elastic energy, or work of one term
  double hit = 0.0;           ///< net, in impacts of what would rebound by its own elasticity
  double is_driven = 0.0;     ///< 1: a drive or a prescribed motion has acted on it
  /// What each term from outside has done on the body, with its sign: potentials, barriers, friction, prescribed
  /// motion, and what is rubbed out at it.
  std::vector<double> work;
};

/// Everything of a run that must survive a restart, written by `advance` alone.
struct State {
  int step = 0;       ///< steps completed
  double time = 0.0;  ///< [s]
  VecX x;             ///< [m] unknowns
  VecX v;             ///< [m/s]
  VecX a;             ///< [m/s^2] at the end of the last step; used by implicit Newmark
  VecX x_prev;        ///< [m] one step earlier; used by BDF2 (empty before the first step)
  VecX v_prev;        ///< [m/s] one step earlier; used by BDF2
  /// Per block: 1 if the last step tells how the next one goes on, 0 after an impact; used by restarted BDF2.
  std::vector<char> has_history;
  VecX stored;  ///< [J] per potential and of the barriers at the end of the last step; empty before the first
  std::vector<EnergyLedger> ledgers;  ///< per body
  double kappa = 0.0;  ///< [J/m^4] barrier stiffness of the last step, as a factor of the energy; 0 before the first
  std::vector<StickVertex> stick;  ///< of contacts that rub at x
  VecX x_anchor;  ///< [m] where scripted motions start from; written by the simulation when a motion begins
  VecX controls;  ///< what programs have set (scene/controls.h)
  std::vector<char> released;  ///< per prescribed motion with a release condition: 1 once it has been released
  /// Of bodies whose elements have changed since the start, by ascending body: what the model is built from.
  std::vector<std::shared_ptr<const BodyMesh>> meshes;
  std::vector<RejectedOperation> rejected;  ///< on the elements of these meshes, by ascending body
  /// Per joint of the scene: whole turns of a hinge, beside its angle between -pi and pi at x. Empty: none so far.
  std::vector<int> turns;
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
  bool is_rigid = false;  ///< A is a rotation, always
};

/// A block that is a weighted sum of the blocks of an affine body: a node of a deformable body in a stiff part of it.
struct Tie {
  int block = 0;
  int first_block = 0;              ///< of the affine body
  std::array<double, 4> weights{};  ///< of t and the columns
};

/// Scales of contact that follow from the bodies that meet, per surface vertex; a pair of primitives has the smallest
/// lengths and the summed compliances of both. Empty: those of the scene (SolverOptions), and a stiffness that the
/// solver chooses in every step [Fer23, app. A.6].
struct ContactScales {
  std::vector<double> dhat;        ///< [m] activation distance
  std::vector<double> compliance;  ///< [m/N] how far a force moves the vertex in a step; empty: as without scales
  std::vector<double> eps_v;       ///< [m/s] sliding slower than this counts as sticking
  std::vector<double> stick;       ///< [m] elastic sliding before a contact slips; 0: the smoothed law

  bool is_empty() const { return dhat.empty(); }
};

struct BodyPairDhat {
  std::array<int, 2> bodies;  ///< ascending
  double dhat;                ///< [m]
};

/// What formulations with energies per area need, at rest; empty for others.
struct ContactMeasures {
  std::vector<double> vertex;  ///< [m^2] (2D: [m]) per surface vertex: its share of the surface
  std::vector<double> edge;    ///< [m^2] 3D: per surface edge, likewise
  // Orientation-aware contact, of features of solids: the share of each facet around, and what is left where none of
  // them faces the contact (sharp corners and edges). Empty: not used.
  std::vector<double> facet_share;                       ///< [m^2] (2D: [m]) per triangle (2D: edge)
  std::vector<double> vertex_sharpness, edge_sharpness;  ///< [m^2] (2D: [m])
  std::vector<double> modulus;  ///< [Pa] per surface vertex: kappa of its body; a pair has the smaller one
  /// Per triangle (2D: edge): 1 if its normal points out of a solid, -1 into it, 0: there is none. Of an edge (a, b)
  /// b - a turned to the right.
  std::vector<signed char> outside;
  // [m] Activation distances of features that their own body faces at rest; a pair has the smaller one. Empty: none
  // are.
  std::vector<double> vertex_dhat, edge_dhat, triangle_dhat;
  /// Those of two bodies, or a body and -1 - half-space, that face each other at rest: the same for all their features,
  /// so that sliding bodies meet no step. Sorted.
  std::vector<BodyPairDhat> body_pair_dhat;
};

/// Constant while a step is solved; what changes in there belongs to a workspace.
struct Model {
  DofLayout layout;
  std::vector<StiffBody> stiff_bodies;
  std::vector<Tie> ties;  ///< by ascending block
  VecX mass;              ///< [kg] lumped, per block (zero for obstacle blocks)
  /// Inertia by this instead of the lumped mass; may be null.
  std::shared_ptr<const MassOperator> consistent_mass;
  VecX x_rest;  ///< [m]
  /// Elasticity, gravity, ...; not inertia, not contact.
  std::vector<std::shared_ptr<const Potential>> potentials;
  SurfaceMap surface_map{3};
  SurfaceTopology surface;
  /// [m^2] per surface edge: squared rest length, for the edge-edge mollifier's eps_x [Fer23, eq. 2.24]
  std::vector<double> edge_rest_length_sq;
  std::vector<HalfSpace> half_spaces;
  FrictionTable friction;
  RestitutionTable restitution;
  ContactScales contact_scales;
  ContactMeasures contact_measures;
  std::vector<char> is_always_prescribed;  ///< per block: 1 for obstacle blocks
  std::vector<char> is_obstacle_vertex;    ///< per surface vertex
  std::vector<int> body_of_block;          ///< per block: the body that it moves, numbered as in the surface
  /// Per body: the first of those that joints connect it with, directly or through others; empty: every body is alone.
  std::vector<int> mechanism_of_body;
  VecX elastic_stiffness;      ///< [N/m] per block: how elements at rest resist a displacement; may be empty
  double bbox_diagonal = 1.0;  ///< [m] l of app. A: of the deformable bodies at rest

  /// Obstacles may reach behind half-spaces.
  bool meets_half_spaces(int surface_vertex) const {
    return !is_obstacle_vertex[static_cast<std::size_t>(surface_vertex)];
  }
};

}  // namespace clearance
