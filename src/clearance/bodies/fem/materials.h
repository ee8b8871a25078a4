// Isotropic hyperelastic materials as functions of the deformation gradient F (dim x dim): energy density psi, first
// Piola-Kirchhoff stress P = d psi / dF, and d2 psi / dF2. In 2D plane strain: the same formulas with d = 2; or plane
// stress (plane_stress.h).
//
//   neo-Hookean               mu/2 (tr F^T F - d) - mu ln J + lambda/2 (ln J)^2,  J = det F > 0
//   fixed corotational        mu |F - R|^2 + lambda/2 (J - 1)^2,  R the rotation nearest to F [Sto12]
//   St. Venant-Kirchhoff      mu |E|^2 + lambda/2 (tr E)^2,  E = (F^T F - I)/2
//   linear elasticity         mu |e|^2 + lambda/2 (tr e)^2,  e = (F + F^T)/2 - I
#pragma once

#include <memory>

#include "clearance/base/methods.h"
#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance {

class Hardening;

/// Constants of one material in a simulation.
struct MaterialParameters {
  ElasticModel model = ElasticModel::neo_hookean;
  double mu = 0.0;       ///< [Pa] shear modulus, Lame's second parameter
  double lambda = 0.0;   ///< [Pa] Lame's first parameter
  double density = 0.0;  ///< [kg/m^3]; 2D: [kg/m^2]
  double damping = 0.0;  ///< [s] stiffness-proportional coefficient of the lagged damping
  /// Yield stress of a material that flows; it follows the law of Hencky, whatever `model` says (hencky_plasticity.h).
  /// Null: elastic.
  std::shared_ptr<const Hardening> hardening = {};
};

/// Computes mu = E / (2 (1 + nu)) and lambda = E nu / ((1 + nu)(1 - 2 nu)), the same for three dimensions and plane
/// strain. The caller must check Young's modulus [Pa] > 0 and Poisson's ratio in (-1, 0.5).
MaterialParameters make_material(ElasticModel model, double youngs_modulus, double poisson_ratio, double density = 0.0,
                                 double damping = 0.0);

/// Returns the law of a model for plane stress.
ElasticModel plane_stress_of(ElasticModel model);
/// True for linear elasticity, whose strains are small.
bool is_linear_model(ElasticModel model);

/// True if psi tends to infinity as det F -> 0; for det F <= 0 its energy() is infinity.
bool is_barrier_model(ElasticModel model);

/// Returns psi(F) [Pa].
template <int dim>
double energy_density(const MaterialParameters& material, const Mat<dim>& f);

/// Returns F in space: in 2D with the stretch across the plane, 1 in plane strain.
template <int dim>
Mat<3> gradient_in_space(const MaterialParameters& material, const Mat<dim>& f);

/// Returns P(F) [Pa]; entry (i, j) is d psi / d F(i, j).
template <int dim>
Mat<dim> first_piola_stress(const MaterialParameters& material, const Mat<dim>& f);

/// Returns the derivative of P by one of the moduli, of which P is a sum: P = mu dP/dmu + lambda dP/dlambda.
template <int dim>
Mat<dim> stress_by_modulus(const MaterialParameters& material, const Mat<dim>& f, double MaterialParameters::*modulus);

/// Returns d vec(P) / d vec(F) [Pa], vec column-major. With `is_projected` returns the nearest positive semi-definite
/// matrix, by the closed form eigensystems [Smi19].
template <int dim>
Mat<dim * dim> stress_derivative(const MaterialParameters& material, const Mat<dim>& f, bool is_projected);
/// Returns how P [Pa] changes with a change `df` of F.
template <int dim>
Mat<dim> stress_change(const MaterialParameters& material, const Mat<dim>& f, const Mat<dim>& df);

}  // namespace clearance
