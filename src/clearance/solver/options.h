// Options of the solver in absolute units. The simulation derives them from the scene.
#pragma once

#include "clearance/base/methods.h"
#include "clearance/contact/barrier.h"
#include "clearance/sparse/external_solver.h"

namespace clearance {

struct IntegratorOptions {
  TimeIntegrator method = TimeIntegrator::implicit_euler;
  double h = 0.01;  ///< [s]
  double newmark_beta = 0.25;
  double newmark_gamma = 0.5;
};

struct KappaOptions {
  double fixed = 0.0;            ///< barrier stiffness; 0: adaptive [Fer23, app. A.6]
  double min_multiplier = 1e11;  ///< lower bound, in mean nodal masses
  double close_distance = 1e-9;  ///< [m] d_eps: contacts that stay closer and still approach double kappa
};

struct FrictionOptions {
  double eps_v = 1e-3;       ///< [m/s] sliding slower than this counts as sticking
  double stick = 0.0;        ///< [m] elastic sliding of a contact that sticks; 0: the smoothed law, which creeps
  int iterations = 1;        ///< lagged solves per step; 0: until [Fer23, eq. 2.17] holds
  int max_iterations = 100;  ///< then a step ends as `friction_lag_limit`
};

struct SolverOptions {
  IntegratorOptions integrator;
  BarrierOptions barrier;
  KappaOptions kappa;
  FrictionOptions friction;
  bool has_contact = true;
  double least_impact = 0.0;  ///< [m/s] bodies that approach slower do not rebound
  Convergence convergence = Convergence::published;
  double force_tolerance = 1e-3;  ///< of the forces at work: what may be left of them (`forces`)
  double tolerance = 1e-2;        ///< [m/s] Newton has converged when |dx|_inf / h is below (`published`)
  int max_iterations = 1000;
  LinearSolverChoice linear_solver = LinearSolverChoice::automatic;
  PetscOptions petsc;  ///< if it is petsc
  CcdMethod ccd = CcdMethod::clearance;
  double gap_fraction = 0.2;  ///< a step keeps this part of every gap: 1 - c of [Fer23, app. A.4]
};

}  // namespace clearance
