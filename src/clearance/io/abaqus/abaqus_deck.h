// The contents of an input file of Abaqus or CalculiX beside its mesh: materials, sections, steps, boundary conditions,
// and contact. Names of sets are resolved; nothing is a scene yet.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clearance/io/abaqus/abaqus_history.h"
#include "clearance/io/mesh/abaqus_mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct AbaqusMaterial {
  std::string name;
  std::string place;  ///< in the file
  MaterialDesc desc;
  bool is_elastic = false, has_density = false;
};

/// Elements of one kind with a material.
struct AbaqusSection {
  std::string place;
  std::string set;       ///< of elements
  std::string instance;  ///< of a part that the set belongs to; empty for none
  std::string material;
  BodyKind kind = BodyKind::deformable;
  bool is_membrane = false;
  double thickness = 1.0;                          ///< of a shell or a plane; diameter of a round beam
  std::optional<std::array<double, 2>> rectangle;  ///< of a beam: along its first and its second axis
  std::optional<Vec<3>> first_axis;                ///< of a beam
};

/// A vertex of the mesh, and a component of its displacement: 0 to 2 are x, y, z; 3 to 5 rotations about these.
using AbaqusFreedom = std::array<int, 2>;

struct AbaqusSupport {
  std::string place;
  AbaqusHistory displacement;
  double start = 0.0;  ///< of the time for which it holds; its displacements count from there
  double end = infinity;
};

/// A pressure on faces.
struct AbaqusPressure {
  std::string place;
  std::vector<std::array<int, 4>> faces;
  AbaqusHistory value;    ///< against the outside of a solid, against the normals of a shell
  bool is_named = false;  ///< a surface of the file, and not elements with a side
};

/// An acceleration of all elements of a set.
struct AbaqusGravity {
  std::string place;
  std::array<AbaqusHistory, 3> value;
};

/// The acceleration of a body that turns about an axis, outwards: `value` times the distance from the axis.
struct AbaqusSpin {
  std::string place;
  std::string set;  ///< of elements
  Vec<3> point = Vec<3>::Zero(), axis = Vec<3>::UnitZ();
  AbaqusHistory value;  ///< square of the angular velocity
};

/// A reference node and the nodes that it moves (kinematic), or that its force is spread over.
struct AbaqusCoupling {
  std::string place;
  int reference = 0;
  std::optional<int> rotation = {};  ///< node whose displacements are the rotations; absent: those of `reference`
  std::vector<int> nodes = {};
  std::string surface = {};
  bool is_distributing = false;
};

struct AbaqusContactPair {
  std::string place;
  std::array<std::string, 2> surfaces;
  std::string interaction;
};

struct AbaqusTie {
  std::string place;
  std::array<std::string, 2> surfaces;  ///< slave and master
  std::optional<double> tolerance;
};

struct AbaqusVelocity {
  std::vector<int> nodes;
  int component = 0;
  double value = 0.0;
};

/// Nodes whose displacements or forces a step prints.
struct AbaqusPrint {
  std::string set;
  bool has_displacement = false, has_force = false;
  std::string place = {};
};

struct AbaqusDeck {
  std::vector<AbaqusMaterial> materials;
  std::vector<AbaqusSection> sections;
  bool is_dynamic = false;
  double duration = 0.0;                          ///< of all steps together
  std::vector<std::array<double, 2>> increments;  ///< of each step: period, and increment that it asks for
  std::map<AbaqusFreedom, AbaqusSupport> supports;
  std::map<AbaqusFreedom, AbaqusHistory> forces;
  std::map<AbaqusFreedom, std::string> places_of_forces;
  std::map<std::string, AbaqusPressure> pressures;  ///< by what the file names: a surface, or elements and a side
  std::map<std::string, AbaqusSpin> spins;          ///< by the set
  std::vector<AbaqusCoupling> couplings;
  std::map<std::string, AbaqusGravity> gravity;  ///< by the name of the set in lower case
  bool is_gravity_constant = true;               ///< from the first step on
  std::vector<AbaqusContactPair> contact_pairs;
  std::map<std::string, double> friction;   ///< by the name of an interaction, in lower case
  std::set<std::string> tied_interactions;  ///< names as these
  bool has_general_contact = false;         ///< *CONTACT
  std::string general_interaction;          ///< of all bodies; empty: none
  std::string general_place;                ///< where it is named
  std::vector<AbaqusTie> ties;
  std::vector<AbaqusVelocity> velocities;
  std::vector<AbaqusPrint> prints;
};

/// Reads the keywords of a file whose mesh has been read. What would change the result and is not supported is an
/// error; other deviations are `warnings`.
AbaqusDeck read_abaqus_deck(MeshInput& input, const AbaqusMesh& mesh, Issues& warnings);

}  // namespace clearance
