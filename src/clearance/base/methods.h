// What a user may choose between, named once: for the scene that asks for it and for the code that does it.
#pragma once

namespace clearance {

enum class ElasticModel { neo_hookean, fixed_corotational, st_venant_kirchhoff, linear_elasticity };

enum class TimeIntegrator { implicit_euler, implicit_newmark, bdf2, bdf2_restarted, quasi_static };

enum class LinearSolverChoice { automatic, cholmod, pcg, petsc };

/// How PETSc solves a linear system.
enum class PetscMethod { mumps, gamg, hypre };

enum class CcdMethod { clearance, tight_inclusion };

/// Which pairs of primitives repel each other, and how strongly.
enum class ContactFormulation {
  ipc,         ///< all that are near, by a stiffness of their own [Fer23, ch. 2]
  convergent,  ///< by areas at rest, so that pressures do not depend on the mesh [Li23]
  gcp          ///< what faces each other from outside, and nothing at rest [Hua24]
};

/// By what the elements of a body adapt.
enum class RemeshCriterion {
  energy,  ///< the fall of the incremental potential that an operation brings [Fer23, eq. 6.5]
  size     ///< edges against a sizing field: how much strain changes along them, and how near contacts are
};

/// When a step has converged.
enum class Convergence {
  forces,    ///< what is left of every body's momentum balance is small beside the forces at work on it
  published  ///< |dx|_inf / h of a direction is below a tolerance [Fer23, alg. 2.1]
};

enum class JointKind {
  fixed,  ///< no relative motion
  ball,   ///< rotation about the point
  hinge,  ///< rotation about the axis through the point
  slider  ///< translation along the axis
};

}  // namespace clearance
