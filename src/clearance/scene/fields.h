// The field table: every value of a scene once, with its name in files, unit, range and meaning. The reader, the
// writer, the range check, the JSON Schema and the reference documentation are visitors of this table; nothing else
// lists fields. A visitor has `field(const char* key, T& value, const Field& field)` for every T that occurs.
#pragma once

#include "clearance/scene/choice.h"
#include "clearance/scene/enums.h"

namespace clearance {

template <>
struct StructInfo<TimeDesc> {
  static constexpr const char* name = "time";
  static constexpr const char* doc = "Time stepping. The number of steps is ceil(duration / step), up to rounding.";
};
template <class Visitor>
void describe(Visitor& v, TimeDesc& t) {
  v.field("step", t.step, positive("s", "time step h"));
  v.field("duration", t.duration, positive("s", "simulated time"));
  v.field("integrator", t.integrator,
          any("",
              "how positions and velocities advance. Without the key it is bdf2_in_flight; with `accuracy` "
              "bdf2_restarted, and with elements that adapt implicit_euler"));
  v.field("newmark_beta", t.newmark_beta, positive("", "implicit_newmark only").below(0.5, false));
  v.field("newmark_gamma", t.newmark_gamma, at_least(0.0, "", "implicit_newmark only").below(1.0, false));
  v.field("mass", t.mass, any("", "mass matrix of the elements"));
  v.field("max_halvings", t.max_halvings,
          at_least(0.0, "",
                   "number of times that a step may be halved: a step that does not converge is taken again in two "
                   "halves, these in quarters and so on; 0: never, as in scenes of other programs")
              .below(20.0, false));
  v.field(
      "accuracy", t.accuracy,
      at_least(0.0, "",
               "largest error that time steps may make at once, as a share of a body's momentum: `step` is taken in "
               "as many parts as that needs, of different lengths, down to step / 2^max_halvings (if that key is "
               "missing: 14, or 6 without deformable bodies); 0.01 is good for most impacts; 0: all steps have the "
               "same length")
          .below(1.0, false));
}

template <>
struct StructInfo<StaticDesc> {
  static constexpr const char* name = "static";
  static constexpr const char* doc = "Settings of scenes whose `time.integrator` is quasi_static.";
};
template <class Visitor>
void describe(Visitor& v, StaticDesc& s) {
  v.field("quadratic_elements", s.quadratic_elements,
          at_least(0.0, "",
                   "largest number of elements of a deformable body that are quadratic where its `order` is 0 and its "
                   "mesh is linear: linear elements are far too stiff in bending; 0: none"));
  v.field("hold_free", s.hold_free,
          any("",
              "hold bodies that no motion or joint holds by soft springs where they start; what the springs carry at "
              "the end is told (`held_softly`)"));
}

template <>
struct StructInfo<RestitutionPairDesc> {
  static constexpr const char* name = "restitution_pair";
  static constexpr const char* doc = "Restitution between two bodies; overrides the restitution of the scene.";
};
template <class Visitor>
void describe(Visitor& v, RestitutionPairDesc& p) {
  v.field("bodies", p.bodies, any("", "names of the two bodies, which may be obstacles; half-spaces have no names"));
  v.field("restitution", p.restitution,
          at_least(0.0, "", "coefficient of restitution, as in `contact.restitution`").below(1.0, false));
}

template <>
struct StructInfo<IgnoredPairDesc> {
  static constexpr const char* name = "ignored_pair";
  static constexpr const char* doc = "Two bodies, or a body and a half-space, that pass through each other.";
};
template <class Visitor>
void describe(Visitor& v, IgnoredPairDesc& p) {
  v.field("bodies", p.bodies,
          any("",
              "names of the two bodies, which may be obstacles, or of a body and a half-space (`half_spaces[0]`); the "
              "name of a body with copies stands for all copies, and the same name twice lets its copies pass through "
              "each other"));
}

template <bool is_convergent, class Visitor>
void describe(Visitor& v, WeightingOptions<is_convergent>& o) {
  constexpr std::string_view no_parts =
      "this key selects parts of the formulations ipc and convergent; gcp has no such parts";
  v.field("area_weights", o.area_weights,
          any("", "each pair is weighted by the area at rest that it represents; null: as in the formulation")
              .refused_elsewhere(no_parts));
  v.field("improved_max", o.improved_max,
          any("",
              "repulsion that neighbouring primitives would count more than once is subtracted; null: as in the "
              "formulation")
              .refused_elsewhere(no_parts));
  v.field("physical_barrier", o.physical_barrier,
          any("", "the barrier is an energy per area, with kappa in Pa; null: as in the formulation")
              .refused_elsewhere(no_parts));
}

template <class Visitor>
void describe(Visitor& v, GcpOptions& o) {
  constexpr std::string_view no_effect = "this key belongs to formulation gcp and has no effect with the chosen one";
  v.field("alpha_t", o.alpha_t,
          at_least(0.01, "",
                   "formulation gcp: tolerance, as a cosine, by which a pair that repels may fail to be a local "
                   "minimum of the distance")
              .below(1.0, false)
              .ignored_elsewhere(no_effect));
  v.field("alpha_n", o.alpha_n,
          at_least(0.01, "",
                   "formulation gcp: tolerance, as a cosine, by which the direction of a gap may point into a solid")
              .below(1.0, false)
              .ignored_elsewhere(no_effect));
  v.field("adaptive_dhat", o.adaptive_dhat,
          any("",
              "formulation gcp: primitives that are nearer than dhat at rest repel each other only below half of that "
              "distance")
              .ignored_elsewhere(no_effect));
  v.field("published", o.published,
          any("",
              "formulation gcp: use the energies of its authors' program, for comparison; these multiply current "
              "areas, and kappa has their meaning")
              .ignored_elsewhere(no_effect));
}

template <class Visitor>
void describe_barrier(Visitor& v, ContactDesc& c) {
  v.field("dhat", c.dhat,
          positive("1 or m",
                   "distance below which the barrier acts; with the scales of bodies it is limited to a third of their "
                   "thickness and to their distance at the start; an absolute distance is used as given"));
  v.field("dhat_is_absolute", c.dhat_is_absolute, any("", "dhat and close_distance are in m, not relative"));
  v.field(
      "kappa", c.kappa,
      at_least(
          0.0, "kg/m^2 or Pa",
          "barrier stiffness in the incremental potential (J/m^4 times the integrator's h^2; quasi_static: J/m^4); 0: "
          "determined by `stiffness`. With a physical barrier it is in Pa, and 0 stands for a tenth of the smaller "
          "Young's modulus of the two bodies that meet, or for a value from their inertia if they are stiff"));
  v.field("kappa_min_multiplier", c.kappa_min_multiplier,
          positive("", "stiffness published: lower bound of the adaptive stiffness, in mean nodal masses"));
  v.field("close_distance", c.close_distance,
          at_least(0.0, "l or m", "stiffness published: distance below which the stiffness is doubled"));
}

template <class Visitor>
void describe_restitution(Visitor& v, ContactDesc& c) {
  v.field("restitution", c.restitution,
          at_least(0.0, "",
                   "coefficient of restitution of affine and rigid bodies in impacts with each other, obstacles and "
                   "half-spaces: normal speed of the points that meet after the impact divided by that before it. It "
                   "applies to approaches faster than twice the speed that gravity adds in a step; deformable bodies "
                   "rebound by their elasticity alone")
              .below(1.0, false));
  v.field("restitution_pairs", c.restitution_pairs, any("", "restitution of certain pairs of bodies"));
}

template <>
struct StructInfo<ContactDesc> {
  static constexpr const char* name = "contact";
  static constexpr const char* doc =
      "The contact barrier. Relative lengths are fractions of a bounding-box diagonal at rest: that of the smaller of "
      "the two bodies that meet or, depending on `scales`, l, that of all bodies except obstacles.";
};
template <class Visitor>
void describe(Visitor& v, ContactDesc& c) {
  v.field("enabled", c.enabled, any("", "without contact, surfaces pass through each other"));
  describe_choice<ContactFormulation>(
      v, "formulation", c.options,
      any("", "rule that decides which primitives repel each other; see docs/contact_formulations.md"));
  v.field("scales", c.scales, any("", "length that relative lengths are fractions of, here and in friction"));
  v.field("stiffness", c.stiffness, any("", "rule that determines the stiffness of the barrier"));
  describe_barrier(v, c);
  v.field("min_separation", c.min_separation, at_least(0.0, "m", "smallest allowed gap, always absolute"));
  v.field("gap_tolerance", c.gap_tolerance,
          at_least(0.0, "",
                   "quasi_static: share of the contact force between two bodies that the gap between them may account "
                   "for; dhat is narrowed at the end of a step until it does not account for more. 0: dhat stays")
              .below(1.0, true));
  v.field("separate_curved", c.separate_curved,
          any("",
              "raise `min_separation` to at least three times the certified distance between curved boundaries and the "
              "flat pieces that represent them in contact, so that the curved surfaces themselves do not meet; the "
              "warning `curved_surfaces` reports boundaries that become too round for that"));
  v.field("obstacles_only", c.obstacles_only,
          any("", "deformable bodies collide with obstacles and half-spaces, but not with each other or themselves"));
  describe_restitution(v, c);
  v.field("ignored_pairs", c.ignored_pairs,
          any("", "pairs of bodies, or of a body and a half-space, that do not collide, such as links in a joint"));
}

template <>
struct StructInfo<FrictionPairDesc> {
  static constexpr const char* name = "friction_pair";
  static constexpr const char* doc =
      "Friction between two bodies, or between a body and a half-space; overrides their own coefficients.";
};
template <class Visitor>
void describe(Visitor& v, FrictionPairDesc& p) {
  v.field("bodies", p.bodies,
          any("",
              "names of the two bodies, which may be obstacles, or of a body and a half-space (`half_spaces[0]`); the "
              "same name twice stands for contact of a body with itself"));
  v.field("coefficient", p.coefficient,
          at_least(0.0, "", "kinetic Coulomb coefficient; if left out, the pair has no friction"));
  v.field("static_coefficient", p.static_coefficient,
          at_least(0.0, "", "static Coulomb coefficient; null: the same as the kinetic one"));
}

template <>
struct StructInfo<FrictionDesc> {
  static constexpr const char* name = "friction";
  static constexpr const char* doc =
      "Coulomb friction. The coefficient of two bodies is the geometric mean of their own coefficients, so that a body "
      "without friction has none with any other; a half-space that has a coefficient uses its own.";
};
template <class Visitor>
void describe(Visitor& v, FrictionDesc& f) {
  v.field("coefficient", f.coefficient, at_least(0.0, "", "kinetic Coulomb coefficient of bodies without their own"));
  v.field("static_coefficient", f.static_coefficient,
          at_least(0.0, "", "static Coulomb coefficient; null: the same as the kinetic one"));
  v.field("eps_v", f.eps_v, positive("1/s or m/s", "speed below which sliding counts as sticking"));
  v.field("eps_v_is_absolute", f.eps_v_is_absolute, any("", "eps_v is in m/s, not relative"));
  v.field("stick", f.stick,
          at_least(0.0, "1",
                   "elastic displacement of a contact that sticks, kept from step to step, so that a load below the "
                   "limit does not creep; 0: friction is smoothed below eps_v instead, and creeps"));
  v.field("iterations", f.iterations,
          at_least(0, "",
                   "lagged solves per step; 0 or more than 100: until friction forces agree with the contact forces, "
                   "using directions that couple both, in at most 100 solves"));
  v.field("pairs", f.pairs, any("", "coefficients of certain pairs of bodies, or of a body and a half-space"));
}

template <>
struct StructInfo<PetscDesc> {
  static constexpr const char* name = "petsc";
  static constexpr const char* doc = "Options of PETSc, used with linear_solver petsc (docs/huge_scenes.md).";
};
template <class Visitor>
void describe(Visitor& v, PetscDesc& p) {
  v.field("method", p.method, any("", "factorisation, or preconditioner of the conjugate gradients"));
  v.field("tolerance", p.tolerance,
          positive("", "gamg, hypre: preconditioned residual, relative to the residual of zero").below(1.0, true));
  v.field("max_iterations", p.max_iterations,
          at_least(1, "", "gamg, hypre: largest number of iterations of the conjugate gradients"));
}

template <class Visitor>
void describe_remesh_thresholds(Visitor& v, RemeshDesc& r) {
  v.field("error", r.error,
          at_least(0.0, "", "share of its energy that the estimated error of a body may have; 0: relative_gain decides")
              .below(1.0, true));
  v.field(
      "gain", r.gain,
      at_least(0.0, "J", "least amount by which a split must lower the incremental potential; 0: see relative_gain"));
  v.field("relative_gain", r.relative_gain,
          positive("", "the same amount as a share of the elastic and contact energy of the body").below(1.0, false));
  v.field("loss", r.loss,
          at_least(0.0, "J", "largest amount by which any other operation may raise it; 0: see relative_loss"));
  v.field("relative_loss", r.relative_loss,
          at_least(0.0, "", "the same amount as a share of that energy").below(1.0, false));
  v.field("split_quantile", r.split_quantile,
          at_least(0.0, "", "edges are tried if they have more energy than this share of all edges").below(1.0, true));
  v.field("collapse_quantile", r.collapse_quantile,
          at_least(0.0, "", "edges are tried if they have less energy than all but this share").below(1.0, false));
}

template <>
struct StructInfo<RemeshDesc> {
  static constexpr const char* name = "remesh";
  static constexpr const char* doc =
      "Elements of deformable bodies that adapt within a step: edges are split where that lowers the incremental "
      "potential, and collapsed where it hardly raises it (docs/remeshing.md). Needs linear elements, "
      "`time.mass: consistent` and, with contact, `contact.formulation: convergent`.";
};
template <class Visitor>
void describe(Visitor& v, RemeshDesc& r) {
  v.field("enabled", r.enabled, any("", "false in a body: its elements do not adapt, although those of the scene do"));
  v.field("criterion", r.criterion, any("", "quantity that decides how elements adapt"));
  v.field("split", r.split, any("", "split edges"));
  v.field("collapse", r.collapse, any("", "collapse edges"));
  v.field("swap", r.swap, any("", "swap edges and faces inside"));
  v.field("smooth", r.smooth, any("", "move inner vertices so that elements have a better shape at rest"));
  describe_remesh_thresholds(v, r);
  v.field("depth", r.depth, at_least(1, "", "number of times an edge may be split within a step"));
  v.field("rounds", r.rounds,
          at_least(
              1, "",
              "largest number of rounds within a step, each of operations and a solve; they end when nothing changes"));
  v.field("smallest_edge", r.smallest_edge,
          positive("m",
                   "smallest length at rest of edges that a split may produce; null: a thousandth of the body's size"));
  v.field("largest_count", r.largest_count, at_least(0, "", "largest number of elements of the body; 0: no limit"));
  v.field("quality", r.quality,
          at_least(0.0, "",
                   "least mean ratio at rest (1: equilateral) of elements that an operation produces; elements that "
                   "are already below it may not become worse")
              .below(1.0, true));
  v.field("size_strain", r.size_strain,
          positive("", "criterion size: largest change of strain between neighbouring elements"));
  v.field("size_contact", r.size_contact,
          positive("", "criterion size: largest edge at a contact, in activation distances"));
}

template <>
struct StructInfo<SolverDesc> {
  static constexpr const char* name = "solver";
  static constexpr const char* doc = "Newton's method inside one time step.";
};
template <class Visitor>
void describe(Visitor& v, SolverDesc& s) {
  v.field("convergence", s.convergence, any("", "criterion by which a step has converged"));
  v.field(
      "force_tolerance", s.force_tolerance,
      positive("",
               "convergence forces: largest unbalanced share of the forces at work on a body (for their sum, a tenth "
               "of it). It also bounds the motion that the remaining forces would still cause, as a share of the "
               "motion that forces have caused in the step, or of a hundredth of the body's size if that is less")
          .below(1.0, true));
  v.field("tolerance", s.tolerance,
          positive("l/s or m/s", "convergence published: Newton stops when |dx|_inf / h is below this"));
  v.field("tolerance_is_absolute", s.tolerance_is_absolute,
          any("", "tolerance is in m/s, not fractions of l per second"));
  v.field("max_iterations", s.max_iterations, at_least(1, "", "Newton iterations before a step ends unconverged"));
  v.field("linear_solver", s.linear_solver, any("", "solver of the linear systems for the Newton directions"));
  v.field("petsc", s.petsc, any("", "options of PETSc, used if linear_solver is petsc"));
  v.field("ccd", s.ccd, any("", "continuous collision detection that bounds each step"));
}

template <>
struct StructInfo<MaterialDesc> {
  static constexpr const char* name = "material";
  static constexpr const char* doc = "The material of a body. A stiff body uses only density and stiffness.";
};
template <class Visitor>
void describe(Visitor& v, MaterialDesc& m) {
  v.field("model", m.model, any("", "elastic energy"));
  v.field("density", m.density, positive("kg/m^3 (2D: kg/m^2)", "mass density at rest"));
  v.field("youngs_modulus", m.youngs_modulus, positive("Pa", "stiffness"));
  v.field("poisson_ratio", m.poisson_ratio, above(-1.0, "", "sideways contraction").below(0.5, true));
  v.field("damping", m.damping,
          at_least(0.0, "s", "stiffness-proportional (Rayleigh) coefficient, lagged by one step"));
  v.field(
      "plane_stress", m.plane_stress,
      any("",
          "2D, deformable bodies: true: plane stress, for thin plates that are free to become thinner; false: plane "
          "strain, for long bodies that keep their length across the plane"));
  v.field(
      "yield_stress", m.yield_stress,
      positive("Pa",
               "deformable bodies: equivalent stress of von Mises from which on the material flows; it then follows "
               "the law `hencky`, whatever `model` says; null: elastic"));
  v.field("hardening_modulus", m.hardening_modulus,
          any("Pa", "slope of the yield stress over the plastic strain, at least 0; 0: perfectly plastic"));
  v.field("hardening", m.hardening,
          at_least(0.0, "",
                   "points [plastic strain, yield stress in Pa] of a curve, the first at the plastic strain 0, instead "
                   "of `yield_stress` and `hardening_modulus`; the last yield stress holds beyond; empty: none"));
  v.field(
      "stiffness", m.stiffness,
      positive("Pa", "resistance of affine bodies to any deformation; null: chosen from mass, size, step and loads"));
}

template <>
struct StructInfo<GeneratorDesc> {
  static constexpr const char* name = "generator";
  static constexpr const char* doc = "A shape made by the program instead of read from a file.";
};
template <class Visitor>
void describe(Visitor& v, GeneratorDesc& g) {
  v.field(
      "kind", g.kind,
      any("",
          "the shape; it decides what size and resolution mean. The middle of the shape is the origin of the mesh. "
          "The middle of a bolt and a nut is that of the thread, and a bowl hangs from y = 0; corners of blocks are "
          "given"));
  v.field("size", g.size, positive("m", "sizes before the transform; the kind decides their meaning"));
  v.field(
      "resolution", g.resolution,
      at_least(
          1, "",
          "numbers of cells; the kind decides their meaning, and the last one given also stands for the missing ones. "
          "Bolts and nuts round it up to a multiple of 12, so that without it they have 12 pieces around"));
  v.field("blocks", g.blocks,
          any("m",
              "kind blocks: min and max corner of each box, before the transform; every face of a box lies between "
              "cells, so that the thinnest box is one cell thick; resolution is not used"));
  v.field("is_surface", g.is_surface, any("", "make only triangles (2D: edges), for obstacles"));
  v.field(
      "exact", g.is_exact,
      any("",
          "kinds sphere and capsule, rigid and affine bodies: the body collides as the round shape and has its mass "
          "and inertia; the facets are for pictures alone. It rolls without sides to tip over, and costs far less. "
          "false: its facets collide; null: true where round shapes can be (3D, `formulation` ipc, the same scale "
          "along all axes, one component, no `collision_surface`)"));
}

template <>
struct StructInfo<GeometryDesc> {
  static constexpr const char* name = "geometry";
  static constexpr const char* doc =
      "A mesh written in the scene file itself. Deformable bodies need tets, in 2D triangles.";
};
template <class Visitor>
void describe(Visitor& v, GeometryDesc& g) {
  v.field("vertices", g.vertices,
          any("m",
              "points; the lists below number them from 0. Without any list each vertex is a lone point; with lists, "
              "vertices that occur in none are left out"));
  v.field("edges", g.edges,
          at_least(0, "",
                   "pairs of vertices: wires, in 2D the outline of the body; edges of triangles need not be listed"));
  v.field("triangles", g.triangles, at_least(0, "", "triples of vertices, counterclockwise seen from outside"));
  v.field("tets", g.tets,
          at_least(0, "", "3D: quadruples of vertices; seen from the fourth, the first three run counterclockwise"));
}

template <>
struct StructInfo<VolumeMeshDesc> {
  static constexpr const char* name = "volume_mesh";
  static constexpr const char* doc =
      "Options for meshing the inside of a bare surface. A closed surface is filled with tetrahedra; a surface with "
      "holes, intersections or loose triangles is wrapped first. In 2D closed outlines are filled with triangles. This "
      "needs the program clearance-mesh. See docs/meshing.md.";
};
template <class Visitor>
void describe(Visitor& v, VolumeMeshDesc& m) {
  v.field(
      "edge_length", m.edge_length,
      positive("m",
               "edge length of most elements, before the transform; null: a twentieth of the bounding-box diagonal, a "
               "fifth for an `order` above 1 or with a `tolerance`"));
  v.field("order", m.order,
          at_least(1, "",
                   "order of the shape of the elements, 3D. Above 1, elements are curved: the nodes of their boundary "
                   "lie on the surface. Displacements have at least this order")
              .below(4, false));
  v.field("tolerance", m.tolerance,
          positive("1",
                   "largest distance between the surface and the boundary of the elements, in both directions, as a "
                   "fraction of the bounding-box diagonal: edges become shorter until it is met; null: any distance"));
}

template <>
struct StructInfo<CapsuleDesc> {
  static constexpr const char* name = "capsule";
  static constexpr const char* doc = "A sphere or a capsule that a stiff body collides with.";
};
template <class Visitor>
void describe(Visitor& v, CapsuleDesc& c) {
  v.field("radius", c.radius, positive("m", "radius, before the transform, which must have the same scale in x, y, z"));
  v.field("ends", c.ends,
          any("m", "centre of the sphere, or both ends of the capsule's axis, in the mesh before the transform"));
}

template <>
struct StructInfo<CollisionSurfaceDesc> {
  static constexpr const char* name = "collision_surface";
  static constexpr const char* doc =
      "The surface with which a deformable body collides: the boundary of its elements, cut into flat pieces, or a "
      "separate surface that follows the displacements of the elements around it. Frames store it as triangles (2D: "
      "edges).";
};
template <class Visitor>
void describe(Visitor& v, CollisionSurfaceDesc& c) {
  v.field("mesh", c.mesh,
          any("path",
              "file of a surface of triangles (2D: an outline of edges) with the place, units and transform of the "
              "body's mesh; empty: the boundary of the elements"));
  v.field("weights", c.weights,
          any("path",
              "HDF5 file of weights by which the vertices of `mesh` follow the nodes of the body's mesh, V + W (x - "
              "X). It has a row for each vertex of the surface file and a column for each node of the mesh file, in "
              "their order. Empty: each vertex follows the element around it. See docs/high_order.md"));
  v.field("segments", c.segments,
          at_least(0, "",
                   "number of pieces of each edge of the boundary; a face is cut into the square of this number. 0: as "
                   "few as the tolerance allows, at least the order of the elements")
              .below(64, false));
  v.field(
      "tolerance", c.tolerance,
      positive("1",
               "bound of the distance between the curved boundary and its flat pieces at rest, as a fraction of the "
               "body's size"));
  v.field("input", c.input,
          any("",
              "the surface in the file of the body's mesh, which `volume_mesh` has filled, follows the elements; "
              "`\"collision_surface\": \"input\"` is short for this"));
}

template <>
struct StructInfo<TransformDesc> {
  static constexpr const char* name = "transform";
  static constexpr const char* doc = "Placement of a mesh: x_world = R (scale * x) + translation.";
};
template <class Visitor>
void describe(Visitor& v, TransformDesc& t) {
  v.field("scale", t.scale,
          any("",
              "scale factors, applied first, about the origin of the mesh; one number scales uniformly, and negative "
              "numbers mirror")
              .short_as(Shorthand::uniform));
  v.field("rotation", t.rotation,
          any("deg", "rotation about the fixed x, then y, then z axis: R = Rz Ry Rx; 2D: one number")
              .short_as(Shorthand::angle_in_plane));
  v.field("translation", t.translation, any("m", "translation, applied last"));
}

template <>
struct StructInfo<ArrayDesc> {
  static constexpr const char* name = "array";
  static constexpr const char* doc = "A regular grid of copies of a body; copy (i,j,k) is moved by (i,j,k) * spacing.";
};
template <class Visitor>
void describe(Visitor& v, ArrayDesc& a) {
  v.field("counts", a.counts, at_least(1, "", "numbers of copies along x, y, z"));
  v.field("spacing", a.spacing, any("m", "distance between copies"));
}

template <>
struct StructInfo<RegionDesc> {
  static constexpr const char* name = "region";
  static constexpr const char* doc = "Some of the nodes of a body.";
};
template <class Visitor>
void describe(Visitor& v, RegionDesc& r) {
  v.field("box", r.box, any("as frame", "min and max corner, borders included; null: the whole body"));
  v.field("more_boxes", r.more_boxes, any("as frame", "further corners: nodes in any of the boxes are in the region"));
  v.field("frame", r.frame, any("", "coordinates in which corners are given"));
  v.field("surface_only", r.surface_only, any("", "select only nodes on the surface"));
  v.field("nodes", r.nodes,
          at_least(0, "", "select only these nodes, by their numbers in the mesh, counted from 0; empty: all"));
  v.field(
      "tags", r.tags,
      any("",
          "select only nodes of elements of these groups of the mesh file (in Gmsh physical groups, in .inp files sets "
          "and surfaces), by name or number. If groups of points, edges, triangles or tets share a name or number, "
          "write for example "
          "`triangles:1`. Loads on faces and parts of elements use only the faces or elements of the groups. "
          "Empty: all")
          .short_as(Shorthand::number));
}

template <>
struct StructInfo<ReleaseDesc> {
  static constexpr const char* name = "release";
  static constexpr const char* doc =
      "Releases the nodes of a motion once the smallest coordinate of all deformable vertices along an axis exceeds a "
      "bound.";
};
template <class Visitor>
void describe(Visitor& v, ReleaseDesc& r) {
  v.field("axis", r.axis, at_least(0, "", "0: x, 1: y, 2: z").below(2, false));
  v.field("above", r.above, any("m", "the bound"));
}

template <>
struct StructInfo<LoadDesc> {
  static constexpr const char* name = "load";
  static constexpr const char* doc =
      "Forces on a body. Only a pressure changes its direction with the body. A load acts in the steps that begin in "
      "[start, end), with its value at the end of the step. Several loads add. A load acts on a stiff body as a whole.";
};
template <class Visitor>
void describe(Visitor& v, LoadDesc& l) {
  v.field("region", l.region,
          any("", "nodes on which the load acts; traction and force: the faces between these nodes"));
  v.field("kind", l.kind, any("", "meaning of the value"));
  v.field("value", l.value,
          any("m/s^2, Pa, N or N m",
              "components along x, y, z, of a torque about x, y, z; in 2D a torque is [0, 0, torque]"));
  v.field("expression", l.expression,
          any("as value", "formulas in t [s] and x, y, z [m] at the scene's start, used instead of value"));
  v.field("pressure", l.pressure,
          any("Pa", "kind pressure: formula in t [s]; a positive value presses on the body; empty: none")
              .short_as(Shorthand::number));
  v.field("start", l.start, at_least(0.0, "s", "time at which the load starts"));
  v.field("end", l.end, at_least(0.0, "s", "time at which the load ends; null: never").with_null_infinity());
}

template <>
struct StructInfo<PoseDesc> {
  static constexpr const char* name = "pose";
  static constexpr const char* doc = "Position and rotation of the nodes of a motion at the end of a step.";
};
template <class Visitor>
void describe(Visitor& v, PoseDesc& p) {
  v.field("position", p.position, any("m", "position of the motion's center"));
  v.field("rotation", p.rotation,
          any("deg", "rotation vector from the placement at the scene's start; 2D: one number")
              .short_as(Shorthand::angle_in_plane));
}

template <class Visitor>
void describe_mesh_sequence(Visitor& v, MotionDesc& m) {
  v.field(
      "mesh_sequence", m.mesh_sequence,
      any("path",
          "folder with one mesh per step, `<number>.obj` (or any other mesh format), which has the positions of all "
          "vertices of the body's mesh at the end of the step; no file may be missing; it replaces any other motion"));
  v.field("mesh_sequence_first", m.mesh_sequence_first,
          at_least(0, "", "number of the file for the first step of the motion"));
  v.field("mesh_files", m.mesh_files,
          any("path", "files of a sequence of meshes in their order, instead of `mesh_sequence`"));
  v.field(
      "mesh_rate", m.mesh_rate,
      at_least(0.0, "1/s",
               "number of files of a sequence per second, the first at the start of the motion; vertices move along "
               "straight lines between two files and rest at the positions of the last one; 0: one file per step"));
  v.field(
      "mesh_is_placed", m.mesh_is_placed,
      any("", "true: files of a sequence hold positions in the scene; false: positions before the body's transform"));
}

template <>
struct StructInfo<MotionDesc> {
  static constexpr const char* name = "motion";
  static constexpr const char* doc =
      "Nodes that follow a prescribed motion in the steps that begin in [start, end). After it, deformable nodes are "
      "free and obstacle nodes rest. Several motions of a node add.";
};
template <class Visitor>
void describe(Visitor& v, MotionDesc& m) {
  v.field("region", m.region, any("", "nodes that move"));
  v.field("linear_velocity", m.linear_velocity,
          any("m/s", "velocity of the nodes; if this and the angular velocity are zero, the nodes are held"));
  v.field("angular_velocity", m.angular_velocity,
          any("deg/s", "rotation vector rate; 2D: one number").short_as(Shorthand::angle_in_plane));
  v.field("center", m.center,
          any("m", "center of the rotation; null: center of the bounding box of the nodes at the scene's start"));
  v.field("start", m.start, at_least(0.0, "s", "time at which the motion starts"));
  v.field("end", m.end, at_least(0.0, "s", "time at which the motion ends; null: never").with_null_infinity());
  v.field("release", m.release, any("", "condition that ends the motion early; null: none"));
  v.field("displacement", m.displacement,
          any("m", "formulas in t [s] and x, y, z [m] at the scene's start; the result is added to the rigid motion"));
  v.field("components", m.components,
          any("",
              "deformable and thin bodies: which of the components x, y, z are prescribed; the others are free, as "
              "on a slide"));
  v.field("clamp", m.clamp,
          any("",
              "shells and rods: edges between nodes of the region keep their normals or directors too, and turn with "
              "the motion, as in a clamp; false: the body is free to turn about them, as on a hinge"));
  v.field("poses", m.poses,
          any("",
              "one pose per step, from the start of the motion on, instead of any other motion; the last pose holds "
              "until the end"));
  describe_mesh_sequence(v, m);
}

template <>
struct StructInfo<StiffPartDesc> {
  static constexpr const char* name = "stiff_part";
  static constexpr const char* doc =
      "Nodes of a deformable body that move as one affine body. Elements whose nodes are all in the part are stiff.";
};
template <class Visitor>
void describe(Visitor& v, StiffPartDesc& p) {
  v.field("region", p.region, any("", "nodes of the part"));
  v.field("density", p.density, positive("kg/m^3 (2D: kg/m^2)", "density of the stiff elements"));
  v.field("stiffness", p.stiffness,
          positive("Pa", "resistance of the part to any deformation; null: chosen as for affine bodies"));
}

template <>
struct StructInfo<MaterialPartDesc> {
  static constexpr const char* name = "material_part";
  static constexpr const char* doc =
      "Elements of a deformable body with another material, given by `elements` or by `region`. If several parts "
      "contain an element, the last one counts.";
};
template <class Visitor>
void describe(Visitor& v, MaterialPartDesc& p) {
  v.field("elements", p.elements,
          at_least(0, "", "numbers of tetrahedra (2D: triangles) in the mesh, counted from 0, before refinements"));
  v.field("region", p.region, any("", "region that contains all nodes of the elements; null: see elements"));
  v.field("material", p.material, any("", "material of the elements"));
}

template <>
struct StructInfo<InertiaDesc> {
  static constexpr const char* name = "inertia";
  static constexpr const char* doc =
      "Inertia tensor of a stiff body about its centre of mass, along the axes of its mesh before the transform, which "
      "turns it.";
};
template <class Visitor>
void describe(Visitor& v, InertiaDesc& i) {
  v.field("moments", i.moments, positive("kg m^2", "Ixx, Iyy, Izz; Ixx is the integral of y^2 + z^2"));
  v.field("products", i.products, any("kg m^2", "Ixy, Ixz, Iyz; Ixy is the integral of -x y"));
}

template <>
struct StructInfo<MaterialFieldDesc> {
  static constexpr const char* name = "material_field";
  static constexpr const char* doc =
      "A number of the material that varies within a body: a formula of the place, a list of values, or an array of "
      "the mesh file. It replaces the number of `material` and of `material_parts`. The number of `material` stands "
      "for the body where one is needed, in hints, and should be a typical value.";
};
template <class Visitor>
void describe(Visitor& v, MaterialFieldDesc& f) {
  v.field("number", f.number, any("", "which number"));
  v.field("expression", f.expression,
          any("",
              "formula of x, y, z [m], the place in the body at rest in the scene; elements have its value at the mean "
              "of their vertices"));
  v.field("values", f.values,
          any("",
              "one value for each element of the mesh (tetrahedron, triangle, edge), or one for each vertex, of which "
              "elements have the mean, in the order of the mesh before refinements"));
  v.field(
      "array", f.array,
      any("", "name of an array of the elements or the vertices in the mesh file (.vtk or .vtu) with these values"));
}

template <>
struct StructInfo<OrthotropyDesc> {
  static constexpr const char* name = "orthotropy";
  static constexpr const char* doc =
      "A woven sheet: other stiffness along the warp than along the weft, which is across it. It replaces Young's "
      "modulus and Poisson's ratio of the membrane, not of bending.";
};
template <class Visitor>
void describe(Visitor& v, OrthotropyDesc& o) {
  v.field("warp", o.warp, any("", "direction of the warp in the mesh before the transform; any length"));
  v.field("youngs_modulus_warp", o.youngs_modulus_warp, positive("Pa", "stiffness along the warp"));
  v.field("youngs_modulus_weft", o.youngs_modulus_weft, positive("Pa", "stiffness along the weft"));
  v.field("poisson_ratio", o.poisson_ratio,
          any("",
              "contraction along the weft of a pull along the warp; its square must be below the ratio of the "
              "moduli, warp over weft"));
  v.field("shear_modulus", o.shear_modulus, positive("Pa", "stiffness against shear of warp and weft"));
}

template <>
struct StructInfo<PatternDesc> {
  static constexpr const char* name = "pattern";
  static constexpr const char* doc =
      "The shape of a shell at rest, as a mesh with the same triangles in the same order: the panels of a garment. Its "
      "vertices may be others, so that panels are apart.";
};
template <class Visitor>
void describe(Visitor& v, PatternDesc& p) {
  v.field("mesh", p.mesh,
          any("", "path of the mesh file, relative to the scene; empty, with `texture`: that of the body"));
  v.field("texture", p.is_texture, any("", "true: the texture coordinates of an .obj file; false: its vertices"));
  v.field("scale", p.scale, positive("m per unit", "length of a unit of the pattern"));
}

template <>
struct StructInfo<ShellDesc> {
  static constexpr const char* name = "shell";
  static constexpr const char* doc =
      "How a body of kind shell bends and stretches, beyond its material. See docs/thin.md.";
};
template <class Visitor>
void describe(Visitor& v, ShellDesc& s) {
  v.field("bending", s.bending, any("", "energy of bending"));
  v.field("bending_stiffness", s.bending_stiffness,
          positive("N m", "moment per width and curvature (D); null: E t^3 / (12 (1 - nu^2))"));
  v.field("flat_at_rest", s.is_flat_at_rest,
          any("", "true: the shell is unbent where it is flat; false: where it is placed"));
  v.field("orthotropy", s.orthotropy, any("", "other stiffness along warp and weft; null: isotropic"));
  v.field(
      "strain_limit", s.strain_limit,
      positive("",
               "stretch beyond 1 that no triangle reaches in any direction: 0.05 lets the sheet grow by less than 5 "
               "%; a barrier begins at half of it; null: none"));
  v.field("yield_curvature", s.yield_curvature,
          positive("1/m", "curvature from rest beyond which the sheet stays bent: creases and folds; null: elastic"));
  v.field("pattern", s.pattern, any("", "shape at rest from a mesh; null: as the body is placed"));
}

template <>
struct StructInfo<RodDesc> {
  static constexpr const char* name = "rod";
  static constexpr const char* doc =
      "How a body of kind rod stretches, bends and twists, beyond its material. It has two axes across: the first is "
      "`up`, as far as that is across the rod, the second is the direction of the rod times the first. See "
      "docs/thin.md.";
};
template <class Visitor>
void describe(Visitor& v, RodDesc& r) {
  v.field("section", r.section,
          positive("m",
                   "height along the first axis and width along the second of a rectangular section; null: a circle "
                   "of the diameter `thickness`"));
  v.field("stretching_stiffness", r.stretching_stiffness, positive("N", "EA; null: that of the section"));
  v.field("bending_stiffness", r.bending_stiffness,
          at_least(0.0, "N m^2", "EI of bending towards the first and towards the second axis; null: of the section"));
  v.field("twisting_stiffness", r.twisting_stiffness, at_least(0.0, "N m^2", "GJ; null: that of the section"));
  v.field("up", r.up, any("", "direction of the first axis in the mesh before the transform; null: any across"));
  v.field("straight_at_rest", r.is_straight_at_rest,
          any("", "true: the rod is unbent where it is straight; false: where it is placed"));
  v.field("natural_curvature", r.natural_curvature,
          any("1/m", "curvature at rest towards the first and the second axis; null: see straight_at_rest"));
  v.field("natural_twist", r.natural_twist, any("deg/m", "twist at rest; null: that of the placed shape"));
  v.field("yield_curvature", r.yield_curvature,
          positive("1/m", "curvature from rest beyond which the rod stays bent; null: elastic"));
}

template <class Visitor>
void describe_body_mesh(Visitor& v, BodyDesc& b) {
  v.field("mesh", b.mesh,
          any("path",
              "mesh file, relative to the scene file; empty: none. If all of its elements are inverted, the order of "
              "their vertices is reversed; if only some are, that is an error"));
  v.field("units", b.units,
          any("",
              "unit of the numbers in the mesh file, and of no other numbers; null: the scene's unit of length, with a "
              "warning if the body is larger than 100 m or smaller than 0.1 mm"));
  v.field("up", b.up, any("", "axis of the mesh file that points up; in the scene y is up"));
  v.field("collision_surface", b.collision_surface,
          any("",
              "surface with which a deformable body collides; \"input\": the surface that `volume_mesh` has filled; "
              "null: the boundary of its elements, in flat pieces with the default tolerance")
              .short_as(Shorthand::flag));
  v.field("capsules", b.capsules,
          any("",
              "spheres and capsules that a rigid or affine body collides with in place of its mesh; they may overlap "
              "each other; empty: the mesh collides"));
  v.field("volume_mesh", b.volume_mesh,
          any("",
              "the mesh is a bare surface (2D: outline), and its inside is meshed when the scene is loaded; null: the "
              "mesh is used as it is"));
  v.field("generator", b.generator, any("", "shape made by the program; null: none"));
  v.field("geometry", b.geometry, any("", "mesh written in the scene file; null: none"));
  v.field("split_components", b.split_components,
          any("", "stiff bodies and obstacles: every connected component of the mesh becomes a separate body"));
}

template <class Visitor>
void describe_body_elements(Visitor& v, BodyDesc& b) {
  v.field("order", b.order,
          at_least(0, "",
                   "polynomial order of the displacements in the elements of a deformable body, 1 to 4; the shape of "
                   "curved elements of a mesh file gets the same order; 0: the order of the mesh")
              .below(4, false));
  v.field("keep_shape", b.keep_shape,
          any("",
              "elements of a mesh file keep their shape of a higher order, which `order` must divide. Published scenes "
              "do so; it is cheap, but rotations strain such elements (docs/high_order.md). false: their shape gets "
              "the order of the displacements"));
  v.field(
      "remesh", b.remesh,
      any("",
          "deformable bodies: options for elements that adapt; override those of the scene; null: as in the scene"));
  v.field("refinements", b.refinements,
          at_least(0, "",
                   "number of times that all elements of the mesh are split, each tetrahedron into 8, triangle into 4 "
                   "and edge into 2")
              .below(8, false));
}

template <class Visitor>
void describe_body_start(Visitor& v, BodyDesc& b) {
  v.field("velocity", b.velocity,
          any("m/s",
              "formulas in x, y, z [m] at the scene's start for the velocities of the nodes of a deformable body; the "
              "velocities below are added"));
  v.field("linear_velocity", b.linear_velocity, any("m/s", "velocity at the start; obstacles have none"));
  v.field("angular_velocity", b.angular_velocity,
          any("deg/s",
              "angular velocity at the start, about the center of the body's bounding box, or about the centre of mass "
              "of a stiff body; 2D: one number")
              .short_as(Shorthand::angle_in_plane));
}

template <class Visitor>
void describe_stiff_body(Visitor& v, BodyDesc& b) {
  v.field("mass", b.mass, positive("kg", "mass of a stiff body; null: from the density"));
  v.field("center_of_mass", b.center_of_mass,
          any("m", "centre of mass of a stiff body, in its mesh before the transform; null: that of the shape"));
  v.field("inertia", b.inertia, any("", "inertia of a stiff body in 3D; null: that of the shape with its mass"));
  v.field(
      "thickness", b.thickness,
      positive("m",
               "thickness of a shell, diameter of a rod or of particles; they touch others half of it away from their "
               "triangles, edges and points; "
               "thickness of a stiff body that consists of open surfaces, or diameter of its wires or points; "
               "null: of a stiff body a hundredth of its size; shells, rods and particles need one"));
  v.field("fixed_translation", b.fixed_translation,
          any("", "stiff bodies: whether the centre of mass keeps its x, y, z; one value stands for all")
              .short_as(Shorthand::uniform));
  v.field("fixed_rotation", b.fixed_rotation,
          any("",
              "stiff bodies: whether rotation about the x, y, z axis of the world is blocked; one value stands for "
              "all, in 2D for z")
              .short_as(Shorthand::angle_in_plane));
}

template <class Visitor>
void describe_body_contact(Visitor& v, BodyDesc& b) {
  v.field("self_contact", b.self_contact, any("", "a deformable body, a shell or a rod collides with itself"));
  v.field("collides", b.collides,
          any("", "stiff bodies and obstacles: false lets them pass through everything, half-spaces included"));
  v.field("collision_group", b.collision_group,
          at_least(-1, "", "group of the body; bodies of the same group do not collide with each other; -1: no group"));
  v.field("friction", b.friction, at_least(0.0, "", "kinetic Coulomb coefficient; null: the coefficient of the scene"));
  v.field("static_friction", b.static_friction,
          at_least(0.0, "", "static Coulomb coefficient; null: the same as friction, or as in the scene"));
}

template <>
struct StructInfo<BodyDesc> {
  static constexpr const char* name = "body";
  static constexpr const char* doc =
      "A deformable solid, a thin body, a stiff body or an obstacle. It has exactly one of mesh, generator and "
      "geometry.";
};
template <class Visitor>
void describe(Visitor& v, BodyDesc& b) {
  v.field("name", b.name, any("", "unique name; empty: derived from the mesh or the position in the list"));
  v.field("kind", b.kind, any("", "kind of the body"));
  describe_body_mesh(v, b);
  describe_body_elements(v, b);
  v.field("transform", b.transform, any("", "placement of the mesh"));
  v.field("array", b.array, any("", "grid of copies; null: one body"));
  v.field("shell", b.shell, any("", "kind shell: how it bends and stretches; null: the defaults"));
  v.field("rod", b.rod, any("", "kind rod: how it stretches, bends and twists; null: the defaults"));
  v.field("material", b.material, any("", "material of the body; obstacles have none"));
  v.field("material_parts", b.material_parts, any("", "deformable bodies: elements of other materials"));
  v.field("material_fields", b.material_fields,
          any("", "solids, shells and rods: numbers of the material that vary within the body"));
  v.field(
      "element_densities", b.element_densities,
      positive(
          "kg/m^3 (2D: kg/m^2)",
          "density of every tetrahedron (2D: triangle) of the mesh, in the order of the mesh, before refinements; they "
          "replace the densities of the materials; `clearance convert --match-mass` writes them; empty: none"));
  describe_body_start(v, b);
  describe_stiff_body(v, b);
  v.field("stiff_parts", b.stiff_parts, any("", "deformable bodies: parts that are stiff"));
  v.field("motions", b.motions, any("", "prescribed motions"));
  v.field("loads", b.loads, any("", "forces on the body; obstacles have none"));
  describe_body_contact(v, b);
}

template <>
struct StructInfo<MimicDesc> {
  static constexpr const char* name = "mimic";
  static constexpr const char* doc =
      "Couples a hinge or a slider with another one, in both directions: its angle or offset is `multiplier` times "
      "that of `joint`, plus `offset`. Both count from the scene's start and include full turns.";
};
template <class Visitor>
void describe(Visitor& v, MimicDesc& m) {
  v.field("joint", m.joint, any("", "name of the hinge or slider that leads; it may follow another one itself"));
  v.field(
      "multiplier", m.multiplier,
      any("1, m/deg or deg/m", "factor; 1 turns two hinges alike; for a slider that follows a hinge, m per degree"));
  v.field("offset", m.offset,
          any("deg or m", "offset; since both joints start at 0, a value other than 0 is a jump at the start"));
}

template <class Visitor>
void describe_joint_forces(Visitor& v, JointDesc& j) {
  v.field(
      "effort", j.effort,
      any("N m or N",
          "formula in t [s] for the torque or force on the first body; its reaction acts on the second; empty: none")
          .short_as(Shorthand::number));
  v.field("stiffness", j.stiffness, at_least(0.0, "N m/rad or N/m", "stiffness of a spring in the joint"));
  v.field("rest", j.rest,
          any("deg or m",
              "formula in t [s] for the angle or offset at which the spring is relaxed, turns included; empty: 0")
              .short_as(Shorthand::number));
  v.field("damping", j.damping,
          at_least(0.0, "N m s/rad or N s/m", "torque or force against the motion of the joint, per speed"));
  v.field("friction", j.friction,
          at_least(0.0, "N m or N",
                   "dry friction: largest torque or force against the motion of the joint, whatever its speed; the "
                   "joint stays where less acts on it"));
  v.field("armature", j.armature,
          at_least(0.0, "kg m^2 or kg",
                   "inertia of what turns or slides with the joint alone, as the rotor of a motor: its inertia times "
                   "the square of the gear ratio"));
}

template <>
struct StructInfo<JointDesc> {
  static constexpr const char* name = "joint";
  static constexpr const char* doc =
      "Connects two stiff bodies, or a stiff body and the world. Point and axis move with both bodies. Angle and "
      "offset are those of the first body seen from the second, and 0 at the scene's start. Angles count turns, so "
      "that limits, drives and springs may be any number of turns away. Bodies in a joint collide like others, unless "
      "they share a `collision_group` or are among the `ignored_pairs` of `contact`.";
};
template <class Visitor>
void describe(Visitor& v, JointDesc& j) {
  v.field("name", j.name, any("", "unique name; may be empty"));
  v.field("kind", j.kind, any("", "motion that the joint allows"));
  v.field("bodies", j.bodies,
          any("",
              "names of two stiff bodies; a copy or component is named with its number, as in `link[3]`; an empty "
              "second name is the world"));
  v.field("point", j.point, any("m", "position of a ball or hinge at the scene's start"));
  v.field("axis", j.axis,
          any("",
              "axis of a hinge or slider at the scene's start, of any length; upwards if left out; in 2D a hinge turns "
              "about z"));
  v.field("lower", j.lower,
          any("deg or m",
              "smallest angle of a hinge or offset of a slider, at which it stops without a rebound; null: no limit")
              .below(0.0, false));
  v.field("upper", j.upper, at_least(0.0, "deg or m", "largest angle or offset; null: no limit"));
  v.field("drive", j.drive,
          any("deg or m",
              "formula in t [s] that prescribes the angle or offset; it excludes `lower`, `upper` and `effort`; empty: "
              "free")
              .short_as(Shorthand::number));
  describe_joint_forces(v, j);
  v.field("mimic", j.mimic, any("", "coupling with another joint; null: none"));
}

template <>
struct StructInfo<AttachmentDesc> {
  static constexpr const char* name = "attachment";
  static constexpr const char* doc =
      "Holds nodes of a deformable or thin body to another body or to the world by stiff links, one for each node. "
      "Where "
      "the other body is stiff, and in the world, the node keeps its place in it. A link to any other body, obstacles "
      "included, ends at the nearest point of its surface, keeps its length and turns freely; so do all links with a "
      "`length`. What is attached collides like everything else, so that a link is no shorter than the thickness "
      "there, "
      "unless the two bodies are among the `ignored_pairs` of `contact`.";
};
template <class Visitor>
void describe(Visitor& v, AttachmentDesc& a) {
  v.field("name", a.name, any("", "unique name; may be empty"));
  v.field("body", a.body,
          any("", "name of a deformable or thin body; a copy or component is named with its number, as in `cloth[3]`"));
  v.field("region", a.region, any("", "nodes of the body that are attached"));
  v.field("to", a.to, any("", "name of the other body, which may be of any kind; empty: the world"));
  v.field("to_region", a.to_region,
          any("", "nodes of the other body between which links may end; null: anywhere on its surface"));
  v.field("point", a.point,
          any("m",
              "the world or a stiff body: all links end at this point of it (at the scene's start), keep their length "
              "and turn freely; null: each node keeps its place"));
  v.field(
      "pairs", a.pairs,
      at_least(0, "",
               "pairs of vertices, numbered as in the meshes of `body` and `to`, instead of `region`: the seams of a "
               "garment, for example; empty: none"));
  v.field("length", a.length,
          any("m",
              "formula in t [s] for the length of the links, such as `max(0.001, 0.2 - 0.1 * t)` to close a seam; "
              "empty: that of the start")
              .short_as(Shorthand::number));
  v.field("displacement", a.displacement,
          any("m",
              "ends in the world: formulas in t [s] and x, y, z [m] at the scene's start for how far they have moved; "
              "null: they stay"));
  v.field("tied", a.tied,
          any("",
              "glue: each node keeps its place beside the face of `to` nearest to it, also across a gap, so that shear "
              "and turning are carried; the two bodies then do not collide with each other. `to` is a solid, a shell, "
              "an obstacle or a stiff body"));
  v.field("distance", a.distance,
          positive("m",
                   "`tied`: nodes that start further from the surface of `to` are not tied; null: a fiftieth of the "
                   "diagonal of the smaller body"));
  v.field("stiffness", a.stiffness,
          positive("N/m", "stiffness of each link; null: a hundred times that of the softer body there"));
  v.field("break_force", a.break_force,
          positive("N", "a link breaks for good at the end of a step in which its force exceeds this; null: never"));
  v.field("start", a.start, at_least(0.0, "s", "links act in the steps that begin in [start, end)"));
  v.field("end", a.end, at_least(0.0, "s", "time at which the links let go; null: never").with_null_infinity());
}

template <>
struct StructInfo<SpringDesc> {
  static constexpr const char* name = "spring";
  static constexpr const char* doc =
      "A spring and damper between two points: of two bodies of any kind, or of a body and the world "
      "(docs/connections.md). Each end is a place in a stiff body, the point of another body's surface nearest to a "
      "given point, or the mean of the nodes of a region. The tension is `stiffness` (distance - `length`) + `tension` "
      "+ `damping` times the speed at which the ends move apart. It acts along the line between the ends; a spring "
      "whose ends start at one point, and that has no `length`, acts in all directions.";
};
template <class Visitor>
void describe_spring_forces(Visitor& v, SpringDesc& s) {
  v.field("stiffness", s.stiffness, at_least(0.0, "N/m", "stiffness of the whole spring, whatever nodes share it"));
  v.field("damping", s.damping,
          at_least(0.0, "N s/m", "force against the motion of the ends along their line, per speed"));
  v.field("length", s.length,
          any("m", "formula in t [s] for the distance at which the spring is relaxed; empty: that of the start")
              .short_as(Shorthand::number));
  v.field("tension", s.tension,
          any("N", "formula in t [s] for the tension at that distance: preload; negative: it pushes; empty: 0")
              .short_as(Shorthand::number));
  v.field("pull_only", s.pull_only, any("", "a cable: it goes slack where it would push"));
  v.field("locked_from", s.locked_from,
          at_least(0.0, "s",
                   "a bolt: until this time the spring carries `tension` whatever its length; then the distance that "
                   "it has becomes its `length`, and it carries the `tension` of this time there; null: no lock"));
  v.field("start", s.start, at_least(0.0, "s", "it acts in the steps that begin in [start, end)"));
  v.field("end", s.end, at_least(0.0, "s", "time at which it lets go; null: never").with_null_infinity());
}
template <class Visitor>
void describe(Visitor& v, SpringDesc& s) {
  v.field("name", s.name, any("", "unique name; may be empty"));
  v.field("body", s.body,
          any("", "name of a body of any kind; a copy or component is named with its number, as in `block[3]`"));
  v.field("region", s.region,
          any("",
              "nodes of the body whose mean, weighted by their shares of the area, is the first end; null: `point`, or "
              "without it the centre of mass of the body"));
  v.field("point", s.point,
          any("m",
              "position of the first end at the scene's start: a place in a stiff body, or the point of the surface of "
              "another body nearest to it; null: `region`"));
  v.field("to", s.to, any("", "name of the other body, or of the same one; empty: the world"));
  v.field("to_region", s.to_region, any("", "as `region`, of the second end"));
  v.field("to_point", s.to_point,
          any("m", "as `point`, of the second end; null: as `point`, but in the world where the first end starts"));
  describe_spring_forces(v, s);
}

template <>
struct StructInfo<HalfSpaceDesc> {
  static constexpr const char* name = "half_space";
  static constexpr const char* doc = "A fixed plane that nothing crosses.";
};
template <class Visitor>
void describe(Visitor& v, HalfSpaceDesc& h) {
  v.field("point", h.point, any("m", "point on the plane"));
  v.field("normal", h.normal, any("", "normal towards the free side, of any length"));
  v.field("friction", h.friction,
          at_least(0.0, "",
                   "kinetic Coulomb coefficient; overrides that of the bodies on the half-space; null: that of the "
                   "body it meets"));
  v.field("static_friction", h.static_friction,
          at_least(0.0, "", "static Coulomb coefficient; null: the same as friction"));
  v.field("restitution", h.restitution,
          at_least(0.0, "", "restitution of impacts on the half-space; null: that of the scene").below(1.0, false));
}

template <>
struct StructInfo<MovedBodyDesc> {
  static constexpr const char* name = "moved_body";
  static constexpr const char* doc =
      "A body that does not start where its transform puts it; `clearance check --separate` writes these. Boxes of "
      "regions in the world select its nodes at the positions that the transform gives.";
};
template <class Visitor>
void describe(Visitor& v, MovedBodyDesc& m) {
  v.field("body", m.body, any("", "name of the body; a copy or component is named with its number, as in `link[3]`"));
  v.field("translation", m.translation,
          any("m", "translation of the whole body, after its transform; the body is at rest and unstressed there"));
  v.field("displacements", m.displacements,
          any("m",
              "deformable bodies: displacement of every vertex that elements use, in the order of the mesh, from its "
              "unstressed position; null: none"));
}

template <>
struct StructInfo<StartDesc> {
  static constexpr const char* name = "start";
  static constexpr const char* doc = "Start positions of bodies that the transforms put into or onto each other.";
};
template <class Visitor>
void describe(Visitor& v, StartDesc& s) {
  v.field("overlaps", s.overlaps, any("", "treatment of bodies that meet or are inside one another"));
  v.field("moved", s.moved, any("", "bodies that do not start where their transforms put them"));
}

template <>
struct StructInfo<ProbeDesc> {
  static constexpr const char* name = "probe";
  static constexpr const char* doc =
      "Numbers of every step, in columns of probes.csv whose names begin with the probe's name. Forces are those at "
      "the end of the step. 2D bodies are slices one unit of length deep.";
};
template <class Visitor>
void describe(Visitor& v, ProbeDesc& p) {
  v.field("name", p.name, any("", "unique name"));
  v.field("kind", p.kind, any("", "quantity that is measured"));
  v.field("body", p.body,
          any("",
              "position, velocity, reaction, stress: name of a body; the name of a body with copies stands for all "
              "copies together, `link[3]` for one of them"));
  v.field("bodies", p.bodies,
          any("",
              "contact, gap: names of two bodies, as above; the second may be a half-space (`half_spaces[0]`); for "
              "contact it may be empty, which stands for everything but the first"));
  v.field("joint", p.joint, any("", "joint: name of the joint"));
  v.field("attachment", p.attachment, any("", "attachment: name of the attachment"));
  v.field("spring", p.spring, any("", "spring: name of the spring"));
  v.field("point", p.point,
          any("m",
              "position, velocity: point that selects the vertex that starts nearest to it; reaction: point about "
              "which the torque is measured, fixed in the world (null: centre of the bounding box of the nodes at the "
              "scene's start)"));
  v.field("region", p.region, any("", "position, velocity, reaction, stress: nodes of the body; null: see kind"));
}

template <>
struct StructInfo<OutputDesc> {
  static constexpr const char* name = "output";
  static constexpr const char* doc = "The data that a run stores.";
};
template <class Visitor>
void describe(Visitor& v, OutputDesc& o) {
  v.field("frame_interval", o.frame_interval, at_least(1, "steps", "number of steps between stored frames"));
  v.field("checkpoint_interval", o.checkpoint_interval,
          at_least(1, "steps", "between checkpoints, of which a run writes two a second at most"));
  v.field("iterations", o.iterations, any("", "store the data of every Newton iteration in stats.jsonl"));
  v.field("contact_forces", o.contact_forces,
          any("",
              "store the normal contact force on every vertex as `contact_force` [N] in the frames; the same as "
              "normal_force of fields"));
  v.field("certificate", o.certificate,
          any("",
              "store every move of every step in certificate.bin, so that `clearance verify --paths` can check the "
              "ways between frames; not with elements that adapt"));
  v.field("fields", o.fields, any("", "additional arrays of the frames; see docs/results.md"));
  v.field("probes", o.probes, any("", "numbers of every step, in probes.csv"));
}

template <>
struct StructInfo<ControlDesc> {
  static constexpr const char* name = "control";
  static constexpr const char* doc =
      "A number that all formulas of the scene may use by its name. Programs set it between steps (docs/python.md); "
      "`clearance run` keeps it, or takes the values of another run (--controls).";
};
template <class Visitor>
void describe(Visitor& v, ControlDesc& c) {
  v.field("name", c.name, any("", "name of letters, digits and _; it may not be a name that formulas already know"));
  v.field("value", c.value, any("", "value at the start, in the unit that the formulas imply"));
}

template <>
struct StructInfo<SceneDesc> {
  static constexpr const char* name = "scene";
  static constexpr const char* doc = "The whole file. Every key except bodies is optional; y is up.";
};
template <class Visitor>
void describe(Visitor& v, SceneDesc& s) {
  v.field("name", s.name, any("", "name of the scene; empty: the name of the file"));
  v.field(
      "units", s.units,
      any("",
          "system of units of all numbers of the scene and of all that the program prints and stores for it "
          "(docs/units.md); null: m-N-Pa, that is SI. Where this reference says m, kg, s, N, Pa or J, read the unit "
          "of the system; defaults are the same physical amounts in all systems"));
  v.field("dimension", s.dimension,
          at_least(2, "", "dimension of the scene, 2 or 3; in 2D bodies are in the plane z = 0").below(3, false));
  v.field("axisymmetric", s.axisymmetric,
          any("",
              "2D: true: the scene is the half section x >= 0 of bodies of revolution about the y axis, and x is the "
              "radius. Forces, masses and energies are those of the whole turn (docs/static_analysis.md)"));
  v.field("gravity", s.gravity, any("m/s^2", "acceleration of all bodies except obstacles"));
  v.field("time", s.time, any("", "time stepping"));
  v.field("static", s.statics, any("", "settings of quasi-static scenes"));
  v.field("contact", s.contact, any("", "contact barrier"));
  v.field("friction", s.friction, any("", "Coulomb friction"));
  v.field("solver", s.solver, any("", "Newton's method"));
  v.field("remesh", s.remesh,
          any("", "options for elements of deformable bodies that adapt within a step; null: elements do not change"));
  v.field("bodies", s.bodies, any("", "deformable solids, stiff bodies and obstacles"));
  v.field("joints", s.joints, any("", "joints between stiff bodies"));
  v.field("attachments", s.attachments, any("", "links that hold nodes of deformable and thin bodies"));
  v.field("springs", s.springs, any("", "springs and dampers between bodies, and between bodies and the world"));
  v.field("half_spaces", s.half_spaces, any("", "fixed planes"));
  v.field("start", s.start, any("", "start positions of bodies, and treatment of overlaps"));
  v.field("controls", s.controls, any("", "numbers that formulas use and that programs can set"));
  v.field("applied_forces", s.applied_forces,
          any("", "whether programs apply forces to bodies and vertices between steps (docs/python.md)"));
  v.field("output", s.output, any("", "data that a run stores"));
}

}  // namespace clearance
