// Methods that a user can choose, named once for the scene that asks for them and for the code that implements them.
#pragma once

namespace clearance {

enum class ElasticModel {
  neo_hookean,
  fixed_corotational,
  st_venant_kirchhoff,
  linear_elasticity,
  // The same laws for plane stress. Scenes have no names for them; they ask by `material.plane_stress`.
  neo_hookean_plane_stress,
  fixed_corotational_plane_stress,
  st_venant_kirchhoff_plane_stress,
  linear_elasticity_plane_stress,
};

/// The energy by which a thin shell resists bending.
enum class BendingModel {
  slopes,  ///< curvature from edges with slopes of their own: a plate on every mesh
  hinges,  ///< angles between triangles: faster, and a plate on regular grids alone
  none     ///< a membrane
};

enum class TimeIntegrator { implicit_euler, implicit_newmark, bdf2, bdf2_restarted, bdf2_in_flight, quasi_static };

enum class LinearSolverChoice { automatic, cholmod, pcg, petsc };

/// The method by which PETSc solves a linear system.
enum class PetscMethod { mumps, gamg, hypre };

enum class CcdMethod { clearance, tight_inclusion };

/// The criterion by which the elements of a body adapt.
enum class RemeshCriterion {
  energy,  ///< decrease of the incremental potential by an operation [Fer23, eq. 6.5]
  size     ///< edge lengths against a sizing field: change of strain along them, and distance of contacts
};

/// The criterion by which a step has converged.
enum class Convergence {
  forces,    ///< the residual of every body's momentum balance is small beside the forces at work on it
  published  ///< |dx|_inf / h of a direction is below a tolerance [Fer23, alg. 2.1]
};

enum class JointKind {
  fixed,  ///< no relative motion
  ball,   ///< rotation about the point
  hinge,  ///< rotation about the axis through the point
  slider  ///< translation along the axis
};

}  // namespace clearance
