// The names that enumerators have in a scene file, and what each means.
#pragma once

#include <array>

#include "clearance/scene/field.h"
#include "clearance/scene/scene.h"

namespace clearance {

template <>
struct EnumInfo<TimeIntegrator> {
  using V = EnumValue<TimeIntegrator>;
  static constexpr std::array values = {
      V{TimeIntegrator::implicit_euler, "implicit_euler", "first order, damps"},
      V{TimeIntegrator::implicit_newmark, "implicit_newmark", "second order for beta 0.25, gamma 0.5"},
      V{TimeIntegrator::bdf2, "bdf2", "backward differences of second order; the first step is implicit Euler"},
      V{TimeIntegrator::bdf2_restarted, "bdf2_restarted",
        "bdf2 that restarts, body by body, where a body is hit: second order, adds no energy in impacts"},
      V{TimeIntegrator::bdf2_in_flight, "bdf2_in_flight",
        "bdf2_restarted, with implicit Euler for deformable bodies as long as they touch something: forces of impacts "
        "do not overshoot"},
      V{TimeIntegrator::quasi_static, "quasi_static", "equilibrium at every step, no inertia"}};
};

template <>
struct EnumInfo<ContactScaleKind> {
  using V = EnumValue<ContactScaleKind>;
  static constexpr std::array values = {
      V{ContactScaleKind::bodies, "bodies", "the bounding-box diagonal of the smaller of the bodies that meet"},
      V{ContactScaleKind::scene, "scene", "l, the diagonal of all bodies except obstacles"}};
};

template <>
struct EnumInfo<ContactFormulation> {
  using V = EnumValue<ContactFormulation>;
  static constexpr std::array values = {
      V{ContactFormulation::ipc, "ipc",
        "all primitives that are near repel each other, each pair with its own stiffness"},
      V{ContactFormulation::convergent, "convergent",
        "energies per area at rest, with each point of a surface counted once: pressures and forces do not depend on "
        "the mesh"},
      V{ContactFormulation::gcp, "gcp",
        "only surfaces that face each other from outside repel, and none do at rest: activation distances may be "
        "larger than edges and walls"}};
};

template <>
struct EnumInfo<ContactStiffnessKind> {
  using V = EnumValue<ContactStiffnessKind>;
  static constexpr std::array values = {
      V{ContactStiffnessKind::bodies, "bodies",
        "for each contact, from the inertia and elasticity of the bodies that meet"},
      V{ContactStiffnessKind::published, "published",
        "one for the scene: ten times the lower bound of [Fer23, app. A.6] (for stiff bodies a value from their "
        "inertia) at the start of every step, then doubled as described there; kappa_g of A.6, which would balance the "
        "other forces at the gaps of the start, is not computed"}};
};

template <>
struct EnumInfo<RemeshCriterion> {
  using V = EnumValue<RemeshCriterion>;
  static constexpr std::array values = {
      V{RemeshCriterion::energy, "energy", "decrease of the incremental potential by an operation, from a local solve"},
      V{RemeshCriterion::size, "size",
        "length of edges compared with a sizing field of strains and contacts; for comparison"}};
};

template <>
struct EnumInfo<Convergence> {
  using V = EnumValue<Convergence>;
  static constexpr std::array values = {V{Convergence::forces, "forces",
                                          "when the forces on every body balance up to force_tolerance, and the "
                                          "remaining forces would move no body by more than that share of its motion"},
                                        V{Convergence::published, "published", "when |dx|_inf / h is below tolerance"}};
};

template <>
struct EnumInfo<LinearSolverChoice> {
  using V = EnumValue<LinearSolverChoice>;
  static constexpr std::array values = {
      V{LinearSolverChoice::automatic, "automatic", "cholmod, or pcg where that is predicted to be faster"},
      V{LinearSolverChoice::cholmod, "cholmod", "sparse Cholesky factorisation"},
      V{LinearSolverChoice::pcg, "pcg", "preconditioned conjugate gradients; memory grows linearly"},
      V{LinearSolverChoice::petsc, "petsc",
        "PETSc on all processes of mpirun -n N clearance-mpi run SCENE, and only there"}};
};

template <>
struct EnumInfo<PetscMethod> {
  using V = EnumValue<PetscMethod>;
  static constexpr std::array values = {
      V{PetscMethod::mumps, "mumps", "sparse Cholesky factorisation"},
      V{PetscMethod::gamg, "gamg",
        "conjugate gradients with PETSc's algebraic multigrid, which knows the rigid motions"},
      V{PetscMethod::hypre, "hypre", "conjugate gradients with hypre's algebraic multigrid (BoomerAMG)"}};
};

template <>
struct EnumInfo<CcdMethod> {
  using V = EnumValue<CcdMethod>;
  static constexpr std::array values = {
      V{CcdMethod::clearance, "clearance", "certified separating directions: misses no impact, and is fast"},
      V{CcdMethod::tight_inclusion, "tight_inclusion",
        "interval bisection with an error bound, with up to 250 boxes per pair; pairs that need more (half of them in "
        "hard impacts) are certified by the method `clearance`, and the later of both bounds counts"}};
};

template <>
struct EnumInfo<ElasticModel> {
  using V = EnumValue<ElasticModel>;
  static constexpr std::array values = {
      V{ElasticModel::neo_hookean, "neo_hookean", "infinite energy at inversion: elements never invert"},
      V{ElasticModel::fixed_corotational, "fixed_corotational", "fixed corotated elasticity (Stomakhin et al. 2012)"},
      V{ElasticModel::st_venant_kirchhoff, "st_venant_kirchhoff", "quadratic in the Green strain"},
      V{ElasticModel::linear_elasticity, "linear_elasticity", "small strain; not invariant to rotation"}};
};

template <>
struct EnumInfo<MassKind> {
  using V = EnumValue<MassKind>;
  static constexpr std::array values = {
      V{MassKind::lumped, "lumped",
        "each element gives equal parts to its nodes, which lie further out: a cube of n cells has 1 + 2 / n^2 times "
        "its moment of inertia"},
      V{MassKind::consistent, "consistent", "the integral of density times shape functions; costs no extra solve"}};
};

template <>
struct EnumInfo<GeneratorKind> {
  using V = EnumValue<GeneratorKind>;
  static constexpr std::array values = {
      V{GeneratorKind::box, "box", "size: 3 extents; resolution: cells along x, y, z"},
      V{GeneratorKind::sphere, "sphere", "size: radius; resolution: layers from the centre to the surface"},
      V{GeneratorKind::torus, "torus",
        "around the y axis; size: ring radius, tube radius; resolution: pieces around the ring, n rings of the tube's "
        "section, which has 6 n sides"},
      V{GeneratorKind::cylinder, "cylinder",
        "size: radius, height along y; resolution: n rings of the section, which has 6 n sides, and cells along the "
        "height"},
      V{GeneratorKind::mat, "mat",
        "size: 3 extents of a thin box, the second is its thickness; resolution: cells along x, y, z"},
      V{GeneratorKind::blocks, "blocks",
        "one solid made of boxes that overlap or meet in faces, see blocks; size: 3 largest extents of a cell; "
        "resolution: none"},
      V{GeneratorKind::link, "link",
        "link of a chain, long along x, its hole along y; size: length and width over all, wire radius; "
        "resolution: pieces of a bend, n rings of the wire's section, which has 6 n sides"},
      V{GeneratorKind::gear, "gear",
        "spur gear around the y axis, a tooth at +x, meshes at the distance of the pitch radii; size: pitch radius, "
        "width, bore radius; resolution: teeth, segments of a flank"},
      V{GeneratorKind::bolt, "bolt",
        "right-handed bolt, its head above, for stiff bodies and obstacles; size: radius and length of the thread, "
        "pitch; resolution: pieces around, a multiple of 12"},
      V{GeneratorKind::nut, "nut",
        "for the bolt of the same radius and pitch, for stiff bodies and obstacles; size: radius, height, pitch, "
        "clearance of the thread; resolution: pieces around, a multiple of 12"},
      V{GeneratorKind::sheet, "sheet",
        "horizontal rectangle, for shells and obstacles; size: 2 extents; resolution: cells along x, z"},
      V{GeneratorKind::bowl, "bowl",
        "lower cap of a sphere, for shells and obstacles, the rim in y = 0; size: rim radius, depth; "
        "resolution: n rings from the middle to the rim, which has 6 n sides"},
      V{GeneratorKind::funnel, "funnel",
        "truncated cone around the y axis, for shells and obstacles; size: top radius, bottom radius, height; "
        "resolution: pieces around, cells along the height"},
      V{GeneratorKind::rectangle, "rectangle", "2D; size: 2 extents; resolution: cells along x, y"},
      V{GeneratorKind::disk, "disk", "2D; size: radius; resolution: n rings, the outermost has 6 n sides"},
      V{GeneratorKind::capsule, "capsule",
        "round bar with half a ball at each end, for stiff bodies and obstacles; size: radius, distance along y "
        "between the centres of the half balls; resolution: n rings of a half ball, which has 6 n sides"},
      V{GeneratorKind::line, "line",
        "straight line of edges, for rods, obstacles and stiff bodies; size: length along x; resolution: edges"}};
};

template <>
struct EnumInfo<LoadKind> {
  using V = EnumValue<LoadKind>;
  static constexpr std::array values = {
      V{LoadKind::acceleration, "acceleration", "m/s^2; the force on a node is its mass times the value"},
      V{LoadKind::traction, "traction", "Pa on the boundary faces inside the region, per area at rest"},
      V{LoadKind::force, "force",
        "N in total, spread evenly over the boundary faces inside the region, or over its `nodes` if it lists some and "
        "there is no face between them; on a stiff body at its centre of mass"},
      V{LoadKind::torque, "torque", "N m in total; stiff bodies only"},
      V{LoadKind::pressure, "pressure",
        "Pa, see `pressure`; acts against the outside of the boundary faces inside the region, at their current "
        "position and size; deformable bodies and shells only (of a shell the outside is the side from which the "
        "vertices of a triangle run counterclockwise)"}};
};

template <>
struct EnumInfo<RegionFrame> {
  using V = EnumValue<RegionFrame>;
  static constexpr std::array values = {
      V{RegionFrame::world, "world", "corners in metres, in the scene as the transforms place the bodies"},
      V{RegionFrame::body, "body", "corners as fractions of the body's bounding box before its transform"},
      V{RegionFrame::mesh, "mesh", "corners in metres, in the mesh before its transform"}};
};

template <>
struct EnumInfo<OverlapHandling> {
  using V = EnumValue<OverlapHandling>;
  static constexpr std::array values = {
      V{OverlapHandling::refuse, "refuse", "the scene is refused, and every pair is reported"},
      V{OverlapHandling::separate, "separate",
        "the bodies are moved apart as little as possible; see docs/overlaps.md"}};
};

template <>
struct EnumInfo<UnitSystemName> {
  using V = EnumValue<UnitSystemName>;
  static constexpr std::array values = {
      V{UnitSystemName::m_n_pa, "m-N-Pa", "SI: m, kg, s; N, Pa, J"},
      V{UnitSystemName::mm_n_mpa, "mm-N-MPa", "mm, t, s; N, MPa, mJ; steel has 7.85e-9 t/mm^3"},
      V{UnitSystemName::cm_g_s, "cm-g-s", "cm, g, s; dyn, Ba = dyn/cm^2, erg"},
      V{UnitSystemName::m_kn_kpa, "m-kN-kPa", "m, t, s; kN, kPa, kJ"},
      V{UnitSystemName::mm_kn_gpa, "mm-kN-GPa", "mm, kg, ms; kN, GPa, J"},
      V{UnitSystemName::in_lbf_psi, "in-lbf-psi", "inch, slinch = lbf s^2/in, s; lbf, psi, in lbf"},
      V{UnitSystemName::ft_lbf_psf, "ft-lbf-psf", "foot, slug = lbf s^2/ft, s; lbf, psf, ft lbf"}};
};

template <>
struct EnumInfo<LengthUnit> {
  using V = EnumValue<LengthUnit>;
  static constexpr std::array values = {
      V{LengthUnit::metre, "m", "metres"},        V{LengthUnit::decimetre, "dm", "0.1 m"},
      V{LengthUnit::centimetre, "cm", "0.01 m"},  V{LengthUnit::millimetre, "mm", "0.001 m"},
      V{LengthUnit::micrometre, "um", "1e-6 m"},  V{LengthUnit::inch, "in", "inches: 0.0254 m"},
      V{LengthUnit::foot, "ft", "feet: 0.3048 m"}};
};

template <>
struct EnumInfo<UpAxis> {
  using V = EnumValue<UpAxis>;
  static constexpr std::array values = {
      V{UpAxis::y, "y", "as in the scene; the mesh is used as it is"},
      V{UpAxis::z, "z", "the mesh is rotated: its z axis becomes the scene's y axis, its y axis the scene's -z axis"}};
};

template <>
struct EnumInfo<BodyKind> {
  using V = EnumValue<BodyKind>;
  static constexpr std::array values = {
      V{BodyKind::deformable, "deformable", "elastic solid"},
      V{BodyKind::shell, "shell", "thin elastic sheet: the triangles of its mesh, with a `thickness` (docs/thin.md)"},
      V{BodyKind::rod, "rod",
        "thin elastic wire, cable or hair that stretches, bends and twists: the edges of its mesh, with a `thickness` "
        "(docs/thin.md)"},
      V{BodyKind::particles, "particles",
        "balls of the diameter `thickness` at the vertices of the mesh; they slide and never roll (docs/thin.md)"},
      V{BodyKind::affine, "affine", "stiff: rigid up to a strain of a thousandth, and faster than rigid"},
      V{BodyKind::rigid, "rigid", "stiff: exactly rigid"},
      V{BodyKind::obstacle, "obstacle",
        "never deforms; moves only as prescribed, also through other obstacles and half-spaces"}};
};

template <>
struct EnumInfo<BendingModel> {
  using V = EnumValue<BendingModel>;
  static constexpr std::array values = {
      V{BendingModel::slopes, "slopes",
        "curvature from edges that have slopes of their own (Morley's element for flat plates): right on every mesh"},
      V{BendingModel::hinges, "hinges",
        "angles between triangles, as in cloth programs: faster, but the stiffness depends on the mesh (0.5 to 1.8 "
        "times that of a plate)"},
      V{BendingModel::none, "none", "no resistance to bending: a membrane"}};
};

template <>
struct EnumInfo<MaterialNumber> {
  using V = EnumValue<MaterialNumber>;
  static constexpr std::array values = {
      V{MaterialNumber::density, "density", "mass density at rest [kg/m^3], 2D: [kg/m^2]"},
      V{MaterialNumber::youngs_modulus, "youngs_modulus", "stiffness [Pa]"},
      V{MaterialNumber::poisson_ratio, "poisson_ratio", "sideways contraction"},
      V{MaterialNumber::damping, "damping", "coefficient of damping [s]; solids only"},
      V{MaterialNumber::yield_stress, "yield_stress",
        "stress from which on the material flows [Pa]; solids with a `yield_stress` only"}};
};

template <>
struct EnumInfo<JointKind> {
  using V = EnumValue<JointKind>;
  static constexpr std::array values = {V{JointKind::fixed, "fixed", "no relative motion"},
                                        V{JointKind::ball, "ball", "rotation about the point"},
                                        V{JointKind::hinge, "hinge", "rotation about the axis through the point"},
                                        V{JointKind::slider, "slider", "translation along the axis"}};
};

template <>
struct EnumInfo<OutputField> {
  using V = EnumValue<OutputField>;
  static constexpr std::array values = {
      V{OutputField::displacement, "displacement",
        "point data [m]: displacement from the start position of the vertex"},
      V{OutputField::von_mises, "von_mises", "cell data [Pa]: equivalent stress of the Cauchy stress"},
      V{OutputField::principal_stress, "principal_stress",
        "cell data, 3 numbers [Pa]: principal Cauchy stresses, the largest first, tension positive"},
      V{OutputField::strain, "strain", "cell data, 3 numbers: principal logarithmic strains, the largest first"},
      V{OutputField::plastic_strain, "plastic_strain",
        "cell data: equivalent plastic strain that has accumulated, the largest within the element; 0 in elastic "
        "bodies"},
      V{OutputField::energy_density, "energy_density", "cell data [J/m^3]: elastic energy over the volume at rest"},
      V{OutputField::stress, "stress",
        "point data [Pa]: Cauchy stress recovered at the vertices, as `stress_von_mises`, its equivalent stress, and "
        "its components `stress_xx`, `stress_yy`, `stress_zz`, `stress_xy`, `stress_yz` and `stress_xz`; more accurate "
        "than the stresses of cells, most of all on the surface"},
      V{OutputField::resultants, "resultants",
        "cell data, 3 numbers: of shells the largest principal force of the membrane [N/m], the principal moment of "
        "bending with the largest size [N m/m], and 0; of rods tension [N], moment of bending [N m] and torque [N m]"},
      V{OutputField::contact_pressure, "contact_pressure",
        "point data [Pa]: normal contact forces divided by the areas that bear them"},
      V{OutputField::normal_force, "normal_force", "point data, a vector [N]: normal force of contacts on the vertex"},
      V{OutputField::friction_force, "friction_force",
        "point data, a vector [N]: friction force of contacts on the vertex"}};
};

template <>
struct EnumInfo<ProbeKind> {
  using V = EnumValue<ProbeKind>;
  static constexpr std::array values = {
      V{ProbeKind::position, "position",
        "position [m] of the centre of mass of `body` (obstacles: the mean of their vertices), of its vertex that "
        "starts nearest to `point`, or the mean of the vertices in `region`"},
      V{ProbeKind::velocity, "velocity", "velocity [m/s] of the same points"},
      V{ProbeKind::reaction, "reaction",
        "force [N], and torque [N m] about `point`, that hold or move the prescribed nodes of `body` (or those in "
        "`region`) against everything else that acts on them, including their own weight and inertia"},
      V{ProbeKind::contact, "contact", "normal force and friction [N] that the second of `bodies` exerts on the first"},
      V{ProbeKind::joint, "joint",
        "angle [deg] of a hinge with its turns, or offset [m] of a slider; `effort`, the torque [N m] about or force "
        "[N] along its axis that moves or holds it there; and the total force [N], and torque [N m] about the joint's "
        "point, that the joint exerts on its first body"},
      V{ProbeKind::attachment, "attachment",
        "total force [N] that the links of an attachment exert on its body, the largest force [N] of one link, and the "
        "number of links that hold"},
      V{ProbeKind::spring, "spring",
        "distance [m] of the ends of a spring, its tension [N] with that of its damper (positive: it pulls), and the "
        "force [N] that it exerts on its first body"},
      V{ProbeKind::gap, "gap", "smallest distance [m] between `bodies`"},
      V{ProbeKind::stress, "stress",
        "largest equivalent stress of von Mises, largest and smallest principal stress [Pa] of the Cauchy stress "
        "recovered at the vertices of `body` (or those in `region`), and the position [m] of the vertex with the "
        "largest equivalent stress"}};
};

}  // namespace clearance
