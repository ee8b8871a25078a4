// A scene as its author describes it: plain values with units and defaults, nothing loaded or computed yet. The
// defaults written here are the only ones; the field table (fields.h) turns them into the reader, the writer, the JSON
// Schema and the reference documentation.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/contact_options.h"
#include "clearance/base/methods.h"
#include "clearance/base/unit_system.h"
#include "clearance/math/types.h"

namespace clearance {

enum class MassKind { lumped, consistent };

struct TimeDesc {
  double step = 0.01;     ///< [s] h
  double duration = 1.0;  ///< [s]; number of steps = ceil(duration / step), up to rounding
  TimeIntegrator integrator = TimeIntegrator::implicit_euler;
  double newmark_beta = 0.25;
  double newmark_gamma = 0.5;
  MassKind mass = MassKind::consistent;
  int max_halvings = 6;   ///< a step that does not converge is taken in parts of h / 2 to h / 2^max_halvings
  double accuracy = 0.0;  ///< largest error of a part of a step, as a share of a body's momentum; 0: whole steps
};

/// Length that relative lengths are fractions of.
enum class ContactScaleKind {
  bodies,  ///< the diagonal of the smaller of two bodies that meet
  scene    ///< l, the bounding-box diagonal of all bodies that are no obstacles, at rest
};
/// Origin of the barrier's stiffness.
enum class ContactStiffnessKind {
  bodies,    ///< for every contact: the resistance of the bodies there
  published  ///< for the scene, within the bounds of [Fer23, app. A.6], without its kappa_g
};

/// Restitution of one pair of bodies; overrides the scene's value.
struct RestitutionPairDesc {
  std::array<std::string, 2> bodies;  ///< names
  double restitution = 0.0;
};

/// Two bodies that pass through each other.
struct IgnoredPairDesc {
  std::array<std::string, 2> bodies;  ///< names
};

struct ContactDesc {
  bool enabled = true;
  ContactOptions options;  ///< the formulation with its own options
  ContactScaleKind scales = ContactScaleKind::bodies;
  ContactStiffnessKind stiffness = ContactStiffnessKind::bodies;
  double dhat = 1e-3;  ///< barrier activation distance: relative, or [m] if dhat_is_absolute
  bool dhat_is_absolute = false;
  double kappa = 0.0;  ///< barrier stiffness in the incremental potential; 0: as `stiffness` says; of a physical
                       ///< barrier [Pa], 0: a tenth of Young's modulus of the softer body
  double kappa_min_multiplier =
      1e11;                      ///< [Fer23, app. A.6]: lower bound of the adaptive stiffness in mean nodal masses
  double close_distance = 1e-9;  ///< [Fer23, app. A.6]: d_eps below which kappa is doubled; same unit as dhat
  double min_separation = 0.0;   ///< [m] smallest allowed gap, always absolute
  double gap_tolerance = 1e-2;   ///< share of contact forces that the gap may make in statics; 0: any
  /// keeps at least the distance that separates curved boundaries, not only their flat pieces
  bool separate_curved = false;
  bool obstacles_only = false;  ///< deformable bodies touch neither each other nor themselves
  double restitution = 0.0;     ///< of impacts of stiff bodies: speed after over speed before
  std::vector<RestitutionPairDesc> restitution_pairs;
  std::vector<IgnoredPairDesc> ignored_pairs;

  ContactFormulation formulation() const { return formulation_of(options); }
};

/// Coefficients of one pair of bodies; override the value of each body.
struct FrictionPairDesc {
  std::array<std::string, 2> bodies;              ///< names
  double coefficient = 0.0;                       ///< kinetic
  std::optional<double> static_coefficient = {};  ///< absent: the same
};

/// Coulomb friction, smoothed below eps_v [Fer23, eq. 2.13]. Two bodies rub with the geometric mean of their
/// coefficients, a half-space with its own.
struct FrictionDesc {
  double coefficient = 0.0;                  ///< kinetic, of bodies and half-spaces that have none of their own
  std::optional<double> static_coefficient;  ///< absent: the same
  double eps_v = 1e-3;             ///< sliding slower than this counts as sticking: relative, per second, or [m/s]
  bool eps_v_is_absolute = false;  ///< eps_v is in m/s
  double stick = 1e-5;  ///< elastic sliding of a contact that sticks, relative; 0: the smoothed law [Fer23, eq. 2.13]
  int iterations = 0;   ///< lagged solves per step; 0: until the forces agree with their lags [Fer23, eq. 2.17]
  std::vector<FrictionPairDesc> pairs;
};

/// Settings of `linear_solver: petsc`.
struct PetscDesc {
  PetscMethod method = PetscMethod::mumps;
  double tolerance = 1e-8;    ///< of the preconditioned residual, relative to that of zero; iterative methods
  int max_iterations = 1000;  ///< iterative methods
};

struct SolverDesc {
  Convergence convergence = Convergence::forces;
  double force_tolerance = 1e-3;  ///< share of the forces at work on a body that may be left; of its sum a tenth of it
  double tolerance = 1e-2;  ///< of the published convergence: |dx|_inf / h as a fraction of l per second, or [m/s]
  bool tolerance_is_absolute = false;
  int max_iterations = 1000;  ///< Newton iterations per step before it ends as `iteration_limit`
  LinearSolverChoice linear_solver = LinearSolverChoice::automatic;
  PetscDesc petsc;
  CcdMethod ccd = CcdMethod::clearance;
};

/// Elements of deformable bodies that adapt within a step [Fer23, ch. 6]. Energies are those of the incremental
/// potential over its factor of the potentials (h^2 for implicit Euler), so that they do not depend on the step; in 2D
/// they are those of a slice one unit of length deep.
struct RemeshDesc {
  bool enabled = true;  ///< false in a body: its elements do not adapt, even if those of the scene do
  RemeshCriterion criterion = RemeshCriterion::energy;
  bool split = true, collapse = true, swap = false, smooth = false;  ///< which operations there are
  double error = 0.0;  ///< share of its energy that the estimated error of a body may have; 0: relative_gain decides
  double gain = 0.0;   ///< [J] delta_s: what a split has to bring; 0: from relative_gain
  double relative_gain = 1e-4;  ///< as a share of the elastic and contact energy of the body, if gain is 0
  double loss = 0.0;            ///< [J] -delta_c: what a collapse, swap or smoothing may cost; 0: from relative_loss
  double relative_loss = 1e-7;  ///< as a share of the same energy, if loss is 0
  double split_quantile = 0.0;  ///< eps_S: edges of less energy are not tried
  double collapse_quantile = 0.01;      ///< eps_C: edges of more energy are not tried
  int depth = 3;                        ///< how often an edge may be split within one step
  int rounds = 1;                       ///< of operations and solves within one step
  std::optional<double> smallest_edge;  ///< [m] at rest; absent: a thousandth of the body's size
  int largest_count = 0;                ///< of elements of the body; 0: no limit
  double quality = 0.05;  ///< mean ratio of elements at rest that an operation may not fall below, or not worsen
  // Parameters of the sizing field.
  double size_strain = 0.1;   ///< largest change of strain from an element to its neighbours
  double size_contact = 1.0;  ///< largest edge at a contact, in activation distances
};

struct MaterialDesc {
  ElasticModel model = ElasticModel::neo_hookean;
  double density = 1000.0;      ///< [kg/m^3]; 2D: [kg/m^2]
  double youngs_modulus = 1e5;  ///< [Pa]
  double poisson_ratio = 0.4;   ///< in (-1, 0.5)
  double damping = 0.0;         ///< [s] stiffness-proportional (Rayleigh) coefficient, lagged: force -damping K(x_t0) v
  bool plane_stress = false;    ///< 2D: no stress across the plane instead of no strain
  std::optional<double> yield_stress = {};  ///< [Pa] of deformable bodies in uniaxial tension; absent: elastic
  double hardening_modulus = 0.0;           ///< [Pa] slope of the yield stress over the plastic strain
  /// Plastic strain and yield stress [Pa] of points of a curve that begins at the plastic strain 0, instead of
  /// yield_stress and hardening_modulus; constant after its last point. Empty: none.
  std::vector<std::array<double, 2>> hardening = {};
  /// [Pa] of affine bodies against deformation: kappa of [Lan22, eq. 6]; absent: from mass, size, step and loads
  /// (simulation/affine_stiffness.h)
  std::optional<double> stiffness = {};
};

/// Shapes made by the program instead of read from a file; sizes before the transform.
/// All but blocks are centred at the origin, y up. sheet, bowl and funnel are open surfaces; bolt and nut are closed
/// ones.
enum class GeneratorKind {
  box,
  sphere,
  torus,
  cylinder,
  mat,
  blocks,
  link,
  gear,
  bolt,
  nut,
  sheet,
  bowl,
  funnel,
  rectangle,
  disk,
  capsule,
  line
};

/// Min and max corner of a box whose sides are along the axes.
using Corners = std::array<Vec<3>, 2>;

struct GeneratorDesc {
  GeneratorKind kind = GeneratorKind::box;
  std::vector<double> size = {1, 1, 1};  ///< [m] box, mat, rectangle: extents; blocks: largest cell; sphere, disk:
                                         ///< radius; torus: ring, tube radius; cylinder: radius, height (along y);
                                         ///< link: length, width, wire radius; gear: pitch radius, width, bore radius;
                                         ///< bolt: radius and length of the thread, pitch; nut: radius, height, pitch,
                                         ///< clearance; sheet: 2 extents; bowl: rim radius, depth; funnel: top radius,
                                         ///< bottom radius, height; capsule: radius, distance between the centres of
                                         ///< its ends (along y); line: length (along x)
  std::vector<int> resolution = {4, 4, 4};  ///< numbers of cells, see enums.h; the last one given stands for
                                            ///< further ones
  std::vector<Corners> blocks = {};         ///< [m] blocks: their union, where it stands
  bool is_surface = false;                  ///< triangles (2D: edges) only: for obstacles
  /// sphere, capsule: a stiff body collides with the shape, not its facets; see collides_as_shape
  std::optional<bool> is_exact = std::nullopt;
};

/// A mesh written in the scene file itself; see Mesh. Without elements its vertices are lone points.
struct GeometryDesc {
  std::vector<Vec<3>> vertices;  ///< [m]; 2D: z = 0
  std::vector<std::array<int, 2>> edges;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 4>> tets = {};
};

/// Unit of the numbers in a mesh file.
enum class LengthUnit { metre, decimetre, centimetre, millimetre, micrometre, inch, foot };
/// The axis of a mesh file that points up.
enum class UpAxis { y, z };

/// How the inside of a bare surface is meshed.
struct VolumeMeshDesc {
  /// [m] before the transform; absent: a twentieth of the box's diagonal, of curved elements a fifth
  std::optional<double> edge_length;
  int order = 1;  ///< of the shape of the elements; above 1, nodes of the boundary lie on the surface (3D)
  /// Largest distance between the surface and the boundary of the elements, as a fraction of the body's size; absent:
  /// any. Edges become shorter until it is met.
  std::optional<double> tolerance = {};
};

/// A sphere or a capsule: all points within `radius` of a point or of a line between two points.
struct CapsuleDesc {
  double radius = 0.0;       ///< [m]
  std::vector<Vec<3>> ends;  ///< [m] one point or two different ones, in the mesh before the transform
};

/// Surface of a deformable body that touches others, in place of the faces of its elements between their nodes.
struct CollisionSurfaceDesc {
  std::string mesh;  ///< path of a surface (2D: outline) that follows the elements; empty: their own boundary
  /// Path of weights (io/mesh/weights_reader.h) by which its vertices follow the nodes of the body's mesh file; empty:
  /// each follows the element around it.
  std::string weights = {};
  int segments = 0;         ///< of each edge of the boundary; 0: as many as the tolerance asks for
  double tolerance = 1e-3;  ///< largest distance from the curved boundary at rest, as a fraction of the body's size
  bool input = false;       ///< the surface that `volume_mesh` has filled follows the elements
};

struct TransformDesc {
  Vec<3> scale = Vec<3>::Ones();        ///< applied first, about the origin of the mesh
  Vec<3> rotation = Vec<3>::Zero();     ///< [deg] about the fixed x, then y, then z axis: R = Rz Ry Rx
  Vec<3> translation = Vec<3>::Zero();  ///< [m] applied last
};

/// Regular grid of copies of a body.
struct ArrayDesc {
  std::array<int, 3> counts = {1, 1, 1};
  Vec<3> spacing = Vec<3>::Ones();  ///< [m]
};

enum class RegionFrame {
  world,  ///< box corners in [m] in the scene as the transforms place the bodies
  body,   ///< box corners as fractions of the body's bounding box before its transform
  mesh    ///< box corners in [m] in the mesh before its transform, or as generated
};

struct RegionDesc {
  std::optional<Corners> box;            ///< absent: the whole body
  std::vector<Corners> more_boxes = {};  ///< their nodes belong to the region too
  RegionFrame frame = RegionFrame::world;
  bool surface_only = false;
  std::vector<int> nodes = {};  ///< numbers of vertices in the mesh; empty: all. Those of them that are in the boxes
  /// Names or numbers of groups of the mesh file, of whatever dimension; empty: all. Nodes of any of them.
  std::vector<std::string> tags = {};
};

/// Release of the nodes of a motion, once the smallest coordinate along `axis` of all deformable vertices exceeds
/// `above`.
struct ReleaseDesc {
  int axis = 0;
  double above = 0.0;  ///< [m]
};

/// Formulas for x, y, z in the variables t [s], x, y, z [m]; see expression.h.
using Expressions = std::array<std::string, 3>;

enum class LoadKind {
  acceleration,  ///< [m/s^2] force on a node: its mass times the value
  traction,      ///< [Pa] on the boundary faces whose vertices are all in the region, per area at rest
  force,         ///< [N] in total, spread evenly over these faces; on a stiff body at its centre of mass
  torque,        ///< [N m] in total, about the world's axes; stiff bodies only
  pressure       ///< [Pa] against the outside of these faces, wherever they are
};

/// A number that formulas may use by its name, and that programs set between steps.
struct ControlDesc {
  std::string name;
  double value = 0.0;  ///< at the start
};

/// A dead load, whose direction does not follow the body, or a pressure, which does. It acts in the steps that begin in
/// [start, end), with its value at their end.
struct LoadDesc {
  RegionDesc region;
  LoadKind kind = LoadKind::acceleration;
  Vec<3> value = Vec<3>::Zero();
  std::optional<Expressions> expression;  ///< instead of the value; x, y, z: position at the scene's start
  std::string pressure;                   ///< [Pa] of a pressure, instead of the value: formula in t [s]
  double start = 0.0;                     ///< [s]
  double end = std::numeric_limits<double>::infinity();  ///< [s]
};

/// Pose of a body at the end of a step.
struct PoseDesc {
  Vec<3> position = Vec<3>::Zero();  ///< [m] of the motion's center
  Vec<3> rotation = Vec<3>::Zero();  ///< [deg] rotation vector from the placement at the scene's start
};

/// Nodes that follow a prescribed motion between `start` and `end`; outside of it deformable nodes are free and
/// obstacle nodes rest. Position at time t from the position at `start`:
/// center + R(angular_velocity (t - start)) (x_start - center) + linear_velocity (t - start).
struct MotionDesc {
  RegionDesc region;
  Vec<3> linear_velocity = Vec<3>::Zero();   ///< [m/s]
  Vec<3> angular_velocity = Vec<3>::Zero();  ///< [deg/s] rotation vector rate
  std::optional<Vec<3>> center;  ///< [m]; absent: center of the bounding box of the nodes at the scene's start
  double start = 0.0;            ///< [s]
  double end = std::numeric_limits<double>::infinity();  ///< [s]
  std::optional<ReleaseDesc> release;
  /// [m] added to the rigid motion; t counts from the scene's start, x, y, z: position at the scene's start
  std::optional<Expressions> displacement;
  std::array<bool, 3> components = {true, true, true};  ///< deformable nodes: which of x, y, z are prescribed
  bool clamp = false;  ///< shells and rods: edges between its nodes keep their normals or directors
  /// Poses, one per step from `start` on, absolute, instead of any other motion; the last one holds until `end`.
  std::vector<PoseDesc> poses;
  /// Folder with one mesh file per step, `<number>.obj` (or .msh, .seg, .pt, ...), whose vertices are the positions in
  /// the scene of all vertices of the body's mesh at the end of that step; instead of any other motion.
  std::string mesh_sequence;
  int mesh_sequence_first = 1;  ///< number of the file of the first step of the motion
  /// Files of a sequence in their order, instead of a folder of numbered ones.
  std::vector<std::string> mesh_files;
  /// [1/s] files per second, from `start` on; positions between two files are interpolated linearly, and the last file
  /// holds from its time on. 0: one file per step.
  double mesh_rate = 0.0;
  /// True if the positions in the files are those in the scene; false if they are those before the body's transform.
  bool mesh_is_placed = true;

  bool has_mesh_sequence() const { return !mesh_sequence.empty() || !mesh_files.empty(); }
  /// True if the motion gives the positions of the nodes in the world, independent of their start.
  bool is_absolute() const { return !poses.empty() || has_mesh_sequence(); }
};

enum class BodyKind {
  deformable,
  shell,      ///< a thin elastic sheet of triangles
  rod,        ///< a thin elastic wire of edges
  particles,  ///< balls at the vertices of the mesh, which do not turn
  affine,     ///< stiff: moves by affine maps that a stiff energy keeps very close to rotations
  rigid,      ///< stiff: moves by rotations and translations, exactly
  obstacle    ///< never deforms; moves only as prescribed
};

inline bool is_stiff(BodyKind kind) {
  return kind == BodyKind::affine || kind == BodyKind::rigid;
}

/// True if the body consists of triangles, edges or points with a thickness.
inline bool is_thin(BodyKind kind) {
  return kind == BodyKind::shell || kind == BodyKind::rod || kind == BodyKind::particles;
}

/// True if the body moves by nodes of its own.
inline bool has_nodes(BodyKind kind) {
  return kind == BodyKind::deformable || is_thin(kind);
}

/// A sheet that resists pulls along its warp and its weft differently.
struct OrthotropyDesc {
  Vec<3> warp = Vec<3>::UnitX();     ///< direction of the warp in the mesh before the transform
  double youngs_modulus_warp = 1e6;  ///< [Pa]
  double youngs_modulus_weft = 1e6;  ///< [Pa]
  double poisson_ratio = 0.0;        ///< contraction of the weft by a pull of the warp
  double shear_modulus = 1e5;        ///< [Pa]
};

/// The shape of a shell at rest, by a mesh with the same triangles: the panels of a garment.
struct PatternDesc {
  std::string mesh;         ///< path; empty: the mesh file of the body
  bool is_texture = false;  ///< the texture coordinates of an .obj file, not its vertices
  double scale = 1.0;       ///< [m] per unit of it
};

/// How a shell bends and stretches, beyond its material.
struct ShellDesc {
  BendingModel bending = BendingModel::slopes;
  std::optional<double> bending_stiffness;   ///< [N m] D; absent: E t^3 / 12 (1 - nu^2)
  bool is_flat_at_rest = false;              ///< unbent where its triangles are in one plane, not where it is placed
  std::optional<OrthotropyDesc> orthotropy;  ///< absent: isotropic
  std::optional<double> strain_limit;        ///< of the membrane, which no triangle reaches; absent: none
  std::optional<double> yield_curvature;     ///< [1/m] from rest, beyond which the shell stays bent; absent: elastic
  std::optional<PatternDesc> pattern;        ///< absent: as placed
};

/// How a rod stretches, bends and twists, beyond its material. A rod has two material axes across each edge: the first
/// is `up` as far as it is across, the second is the edge's direction times the first.
struct RodDesc {
  std::optional<std::array<double, 2>> section = {};  ///< [m] height along the first axis and width along the second of
                                                      ///< a rectangle; absent: a circle of the diameter `thickness`
  std::optional<double> stretching_stiffness = {};    ///< [N] EA; absent: of the section
  /// [N m^2] EI of bending towards the first and the second axis; absent: of the section
  std::optional<std::array<double, 2>> bending_stiffness = {};
  std::optional<double> twisting_stiffness = {};  ///< [N m^2] GJ; absent: of the section
  std::optional<Vec<3>> up = {};                  ///< in the mesh before the transform; absent: any direction
  bool is_straight_at_rest = false;               ///< unbent where it is straight, not where it is placed
  /// [1/m] towards both axes, instead of the placed or straight shape
  std::optional<std::array<double, 2>> natural_curvature = {};
  std::optional<double> natural_twist = {};    ///< [deg/m] instead of that of the placed shape
  std::optional<double> yield_curvature = {};  ///< [1/m] from rest, beyond which the rod stays bent; absent: elastic
};

/// Nodes of a deformable body that move as one affine body: the elements with no other nodes are stiff.
struct StiffPartDesc {
  RegionDesc region;
  double density = 1000.0;               ///< [kg/m^3] of these elements
  std::optional<double> stiffness = {};  ///< [Pa] as MaterialDesc::stiffness
};

/// Elements of a deformable body that have another material.
struct MaterialPartDesc {
  std::vector<int> elements;         ///< numbers of tetrahedra (2D: triangles) in the mesh
  std::optional<RegionDesc> region;  ///< elements with all their nodes in it; exactly one of elements and region
  MaterialDesc material;
};

/// A number of a material that varies within a body.
enum class MaterialNumber { density, youngs_modulus, poisson_ratio, damping, yield_stress };

/// The values of a number of the material of a deformable solid, a shell or a rod by place.
struct MaterialFieldDesc {
  MaterialNumber number = MaterialNumber::youngs_modulus;
  std::string expression;      ///< formula of x, y, z [m] of the body at rest, placed in the scene
  std::vector<double> values;  ///< per element or per vertex of the mesh
  std::string array;           ///< name of such numbers in the mesh file; exactly one of these three is given
};

/// [kg m^2] of a stiff body about its centre of mass, along the axes of its mesh: Ixx is the integral of y^2 + z^2, Ixy
/// that of -x y.
struct InertiaDesc {
  Vec<3> moments = Vec<3>::Ones();   ///< Ixx, Iyy, Izz
  Vec<3> products = Vec<3>::Zero();  ///< Ixy, Ixz, Iyz
};

struct BodyDesc {
  std::string name;
  BodyKind kind = BodyKind::deformable;
  std::string mesh;                 ///< path; relative to the scene file
  std::optional<LengthUnit> units;  ///< of the mesh file; absent: that of the scene, with a warning at odd sizes
  UpAxis up = UpAxis::y;            ///< of the mesh file
  std::optional<CollisionSurfaceDesc> collision_surface;  ///< absent: that of a default CollisionSurfaceDesc
  std::vector<CapsuleDesc> capsules;  ///< of a stiff body: it collides with these in place of its mesh; empty: none
  std::optional<VolumeMeshDesc> volume_mesh;  ///< the mesh is a bare surface, whose inside is to be meshed
  std::optional<GeneratorDesc> generator;
  std::optional<GeometryDesc> geometry;  ///< exactly one of mesh, generator and geometry
  bool split_components = false;         ///< every connected component of the mesh is a body of its own
  int order = 0;                         ///< of the elements of deformable bodies, 1 to 4; 0: as the mesh has it
  bool keep_shape = false;               ///< of the mesh, also where it has a higher order than `order`
  std::optional<RemeshDesc> remesh;      ///< deformable bodies; absent: as the scene has it
  int refinements = 0;                   ///< how often all elements of the mesh are split, each into 8 (2D: 4)
  TransformDesc transform;
  std::optional<ArrayDesc> array;
  std::optional<ShellDesc> shell;                  ///< shells; absent: that of a default ShellDesc
  std::optional<RodDesc> rod;                      ///< rods; absent: that of a default RodDesc
  MaterialDesc material;                           ///< all but obstacles; of stiff bodies density and stiffness count
  std::vector<MaterialPartDesc> material_parts;    ///< deformable bodies only; the last one that has an element counts
  std::vector<MaterialFieldDesc> material_fields;  ///< of solids, shells and rods, instead of numbers of the materials
  /// [kg/m^3] per tetrahedron (2D: triangle) of the mesh of a deformable body, instead of those of the materials;
  /// empty: none
  std::vector<double> element_densities;
  std::optional<Expressions> velocity;       ///< [m/s] of deformable bodies at the start, added to the velocities below
  Vec<3> linear_velocity = Vec<3>::Zero();   ///< [m/s] at the start; all but obstacles
  Vec<3> angular_velocity = Vec<3>::Zero();  ///< [deg/s] at the start, about the center of the body's bounding box; of
                                             ///< stiff bodies about their centre of mass
  std::optional<double> mass;                ///< [kg] of a stiff body; absent: from density
  std::optional<Vec<3>> center_of_mass;      ///< [m] of a stiff body, in its mesh before the transform; absent: shape's
  std::optional<InertiaDesc> inertia;        ///< of a stiff body; absent: that of the shape with its mass
  /// [m] of a shell; diameter of a rod and of particles; of a stiff body of open surfaces (their thickness), of edges
  /// or of points (their diameter), absent: a hundredth of the body's size
  std::optional<double> thickness;
  std::array<bool, 3> fixed_translation = {false, false, false};  ///< stiff: the centre of mass keeps this coordinate
  std::array<bool, 3> fixed_rotation = {false, false, false};     ///< stiff: no rotation about this axis of the world
  std::vector<StiffPartDesc> stiff_parts;                         ///< deformable bodies only
  std::vector<MotionDesc> motions;
  std::vector<LoadDesc> loads;            ///< all but obstacles
  bool self_contact = true;               ///< deformable bodies; stiff ones never touch themselves
  bool collides = true;                   ///< false: it touches nothing, half-spaces included; not for deformable ones
  int collision_group = -1;               ///< bodies of one group >= 0 do not collide with each other
  std::optional<double> friction;         ///< kinetic coefficient; absent: that of the scene
  std::optional<double> static_friction;  ///< absent: the kinetic one, if that is given, else that of the scene
};

/// Coupling of the angle or offset of a joint to that of another: q = multiplier q_of_joint + offset.
struct MimicDesc {
  std::string joint;        ///< name of the leading joint: a hinge or a slider
  double multiplier = 1.0;  ///< [deg or m of this joint per deg or m of the other]
  double offset = 0.0;      ///< [deg] or [m]
};

/// A joint that holds two stiff bodies together, or a stiff body and the world. Point and axis are those at the scene's
/// start; both bodies carry them along. Angle and offset of a hinge and a slider are those of the first body seen from
/// the second.
struct JointDesc {
  std::string name;
  JointKind kind = JointKind::hinge;
  /// Names of bodies, copies as `link[3]`; an empty second name is the world.
  std::array<std::string, 2> bodies;
  Vec<3> point = Vec<3>::Zero();  ///< [m]
  Vec<3> axis = Vec<3>::UnitY();  ///< any length; 2D: hinges turn about z
  std::optional<double> lower;    ///< limit of the angle [deg] or the offset [m], at most 0
  std::optional<double> upper;    ///< at least 0
  std::string drive;              ///< formula in t [s]: prescribed angle [deg] or offset [m]; empty: free
  std::string effort;  ///< formula in t [s]: torque [N m] or force [N] on the first body, its reaction on the second
  double stiffness = 0.0;  ///< [N m/rad] or [N/m] of a spring
  std::string rest;        ///< formula in t [s]: angle [deg] or offset [m] where it is relaxed; empty: 0
  double damping = 0.0;    ///< [N m s/rad] or [N s/m]
  double friction = 0.0;   ///< [N m] or [N] dry friction
  double armature = 0.0;   ///< [kg m^2] or [kg] inertia of a rotor that turns with the joint
  std::optional<MimicDesc> mimic = {};
};

/// Stiff links that hold nodes of a body to another body or to the world, one for each node.
struct AttachmentDesc {
  std::string name;
  std::string body;                       ///< name of a deformable or thin body, of a copy as `cloth[3]`
  RegionDesc region;                      ///< its nodes that are attached
  std::string to;                         ///< name of another body or the same one; empty: the world
  std::optional<RegionDesc> to_region;    ///< nodes of the other body between which links may end; absent: all
  std::optional<Vec<3>> point;            ///< [m] at the scene's start: end of all links, in the world or a stiff body
  std::vector<std::array<int, 2>> pairs;  ///< vertices of both meshes, instead of both regions
  std::string length;  ///< [m] formula in t [s]: distance that the links keep; empty: that of the start
  std::optional<Expressions> displacement;  ///< [m] of ends in the world; formulas as those of motions
  std::optional<double> stiffness;          ///< [N/m] of each link; absent: a hundred times that of the softer body
  std::optional<double> break_force;        ///< [N] a link breaks at the end of a step in which it carries more
  double start = 0.0;                       ///< [s] links act in steps that begin in [start, end)
  double end = std::numeric_limits<double>::infinity();  ///< [s]
  bool tied = false;  ///< each node keeps its place beside the face nearest to it, and the bodies do not collide
  std::optional<double> distance;  ///< [m] tied: nodes further from the other body are not tied; absent: a fiftieth of
                                   ///< the diagonal of the smaller of both
};

/// A spring and damper between two points: of bodies, or of a body and the world. An end is a place in a body or the
/// mean of the nodes of a region. Tension is stiffness (distance - length) + tension + damping times the speed at which
/// the ends move apart.
struct SpringDesc {
  std::string name;
  std::string body;                  ///< name of a body of any kind, of a copy as `link[3]`
  std::optional<RegionDesc> region;  ///< nodes whose mean is the first end; absent: the point, or the whole body
  std::optional<Vec<3>> point;       ///< [m] at the scene's start: place in a stiff body, or on the surface of another
  std::string to;                    ///< name of the other body; empty: the world
  std::optional<RegionDesc> to_region;  ///< nodes whose mean is the second end
  std::optional<Vec<3>> to_point;       ///< [m] at the scene's start; absent in the world: where the first end starts
  double stiffness = 0.0;               ///< [N/m] of the whole spring
  double damping = 0.0;                 ///< [N s/m]
  std::string length;      ///< [m] formula in t [s] of the distance without force; empty: that of the start
  std::string tension;     ///< [N] formula in t [s] of the tension at that distance; empty: none
  bool pull_only = false;  ///< it goes slack instead of pushing
  /// [s] the tension alone acts in steps that end until then, and the distance at that time is the length from then on
  std::optional<double> locked_from;
  double start = 0.0;                                    ///< [s] it acts in steps that begin in [start, end)
  double end = std::numeric_limits<double>::infinity();  ///< [s]
};

/// Treatment of bodies that touch or overlap at the start.
enum class OverlapHandling { refuse, separate };

/// Start of a body that differs from its transform: a shift of the whole body, and a deformation.
struct MovedBodyDesc {
  std::string body;                                       ///< name; a copy is `link[3]`
  Vec<3> translation = Vec<3>::Zero();                    ///< [m] of all of it; it is unstressed there
  std::optional<std::vector<Vec<3>>> displacements = {};  ///< [m] per vertex of its frames, of deformable bodies
};

struct StartDesc {
  OverlapHandling overlaps = OverlapHandling::refuse;
  std::vector<MovedBodyDesc> moved;
};

struct HalfSpaceDesc {
  Vec<3> point = Vec<3>::Zero();               ///< [m] on the plane
  Vec<3> normal = Vec<3>::UnitY();             ///< into the free side; any length
  std::optional<double> friction = {};         ///< kinetic coefficient; absent: that of the body it meets
  std::optional<double> static_friction = {};  ///< absent: the kinetic one
  std::optional<double> restitution = {};      ///< absent: that of the scene
};

/// An array of the frames. 2D bodies are slices one unit of length deep: forces are those of this depth, and those of
/// the whole turn if the scene is axisymmetric.
enum class OutputField {
  displacement,      ///< [m] of vertices from where they start
  von_mises,         ///< [Pa] of elements: equivalent Cauchy stress
  principal_stress,  ///< [Pa] of elements: principal Cauchy stresses, largest first
  strain,            ///< of elements: principal logarithmic strains, largest first
  plastic_strain,    ///< of elements: accumulated plastic strain, the largest within the element
  energy_density,    ///< [J/m^3] of elements: elastic energy over the volume at rest
  stress,            ///< [Pa] of vertices: recovered Cauchy stress and its equivalent stress
  resultants,        ///< of triangles and segments of thin bodies: membrane force or tension, moments
  contact_pressure,  ///< [Pa] of surface vertices: normal forces over the areas that bear them
  normal_force,      ///< [N] of contacts on surface vertices
  friction_force     ///< [N] of contacts on surface vertices
};

enum class ProbeKind {
  position,    ///< [m]
  velocity,    ///< [m/s]
  reaction,    ///< [N], [N m] what holds or moves prescribed nodes
  contact,     ///< [N] on the first body by the second
  joint,       ///< [deg] or [m], [N], [N m]
  attachment,  ///< [N] on the attached body, and how many links hold
  gap,         ///< [m] smallest distance of two bodies
  stress,      ///< [Pa], [m] largest recovered stresses of a body, and where
  spring       ///< [m] distance of its ends, [N] its tension and its force on the first body
};

/// Numbers that are stored in every step. The kind determines which members are used.
struct ProbeDesc {
  std::string name;
  ProbeKind kind = ProbeKind::position;
  std::string body;                   ///< of position, velocity, reaction, stress; without a number all copies
  std::array<std::string, 2> bodies;  ///< of contact, gap; the second may be `half_spaces[0]`, of contact also empty
  std::string joint;                  ///< name of a joint
  std::string attachment;             ///< name of an attachment
  std::optional<Vec<3>> point;        ///< [m] at the scene's start; of reaction: what the torque is about, fixed
  std::optional<RegionDesc> region;   ///< nodes of the body
  std::string spring;                 ///< name of a spring
};

struct OutputDesc {
  int frame_interval = 1;           ///< steps between stored frames
  int checkpoint_interval = 1;      ///< steps between checkpoints
  bool iterations = false;          ///< store what every Newton iteration did in stats.jsonl
  bool contact_forces = false;      ///< store the normal contact force [N] on every vertex in the frames
  bool certificate = false;         ///< store every move of every step, for `verify --paths`
  std::vector<OutputField> fields;  ///< further arrays of the frames
  std::vector<ProbeDesc> probes;    ///< columns of probes.csv
};

/// Settings that make the numbers of quasi-static scenes right.
struct StaticDesc {
  /// Bodies with linear meshes of at most this many elements, whose `order` is 0, have quadratic elements.
  int quadratic_elements = 8000;
  bool hold_free = false;  ///< bodies that no motion or joint holds are held by soft springs
};

struct SceneDesc {
  std::string name;
  std::optional<UnitSystemName> units;  ///< of all numbers; absent: SI. Defaults here are in SI (default_units.h)
  int dimension = 3;
  bool axisymmetric = false;                ///< 2D: bodies of revolution about the y axis; x is the radius
  Vec<3> gravity = Vec<3>(0, -9.80665, 0);  ///< [m/s^2]
  TimeDesc time;
  StaticDesc statics;
  ContactDesc contact;
  FrictionDesc friction;
  SolverDesc solver;
  std::optional<RemeshDesc> remesh;  ///< settings of all deformable bodies without their own; absent: none
  std::vector<BodyDesc> bodies;
  std::vector<JointDesc> joints;
  std::vector<AttachmentDesc> attachments;
  std::vector<HalfSpaceDesc> half_spaces;
  StartDesc start;
  std::vector<ControlDesc> controls;
  bool applied_forces = false;  ///< programs apply forces to bodies and vertices between steps
  OutputDesc output;
  /// Directory that mesh paths are relative to; the reader sets it, and it is never written.
  std::string base_directory;
  /// Units that no name stands for, in place of `units`; tests set them, and they are never written.
  std::optional<UnitSystem> custom_units = {};
  std::vector<SpringDesc> springs;
};

/// Returns the units of all numbers of a scene.
const UnitSystem& unit_system_of(const SceneDesc& scene);

bool has_deformable(const SceneDesc& scene);

/// Sets the defaults of scenes of `clearance/2`: implicit Euler, linear elements and gaps of contact as they are.
void set_second_defaults(SceneDesc& scene);
/// Sets the defaults of scenes of `clearance/1` and of other programs: also scales of the scene, convergence, stiffness
/// and friction as published.
void set_published_defaults(SceneDesc& scene);

}  // namespace clearance
