#include "clearance/simulation/build/solver_options.h"

#include <algorithm>

namespace clearance {

SolverOptions solver_options(const SceneDesc& scene, double l) {
  SolverOptions options;
  options.integrator = {scene.time.integrator, scene.time.step, scene.time.newmark_beta, scene.time.newmark_gamma};
  const double contact_unit = scene.contact.dhat_is_absolute ? 1.0 : l;
  options.has_contact = scene.contact.enabled;
  options.barrier = {scene.contact.dhat * contact_unit, scene.contact.min_separation};
  options.kappa = {has_physical_barrier(scene.contact.options) ? 0.0 : scene.contact.kappa,
                   scene.contact.kappa_min_multiplier, scene.contact.close_distance * contact_unit};
  options.convergence = scene.solver.convergence;
  options.force_tolerance = scene.solver.force_tolerance;
  options.friction = {scene.friction.eps_v * (scene.friction.eps_v_is_absolute ? 1.0 : l), scene.friction.stick * l,
                      scene.friction.iterations};
  // A number of lags above the limit means as many as it takes.
  if (options.friction.iterations > options.friction.max_iterations) options.friction.iterations = 0;
  options.least_impact = std::max(2.0 * scene.gravity.norm() * scene.time.step, options.friction.eps_v);
  options.tolerance = scene.solver.tolerance * (scene.solver.tolerance_is_absolute ? 1.0 : l);
  options.max_iterations = scene.solver.max_iterations;
  options.linear_solver = scene.solver.linear_solver;
  options.petsc = {scene.solver.petsc.method, scene.solver.petsc.tolerance, scene.solver.petsc.max_iterations};
  options.ccd = scene.solver.ccd;
  return options;
}

}  // namespace clearance
