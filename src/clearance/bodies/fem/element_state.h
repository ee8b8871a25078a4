// Computes stress, strain and energy of an element from its deformation gradient.
#pragma once

#include "clearance/bodies/fem/materials.h"

namespace clearance {

struct ElementState {
  /// [Pa] eigenvalues of the Cauchy stress, the largest first; tension is positive
  Vec<3> principal_stress = Vec<3>::Zero();
  /// [Pa] equivalent stress of von Mises: that of uniaxial tension with the same energy of distortion.
  double von_mises = 0.0;
  /// Logarithms of the principal stretches (Hencky strain), the largest first. Unlike the Green strain they are as
  /// large in compression as in tension and add up over successive deformations along the same axes. Their sum is the
  /// logarithm of the volume ratio, ln J.
  Vec<3> principal_strain = Vec<3>::Zero();
  double energy_density = 0.0;  ///< [J/m^3] over the volume at rest
  double plastic_strain = 0.0;  ///< accumulated; 0 of elastic materials
};

/// Returns the Cauchy stress [Pa] P F^T / J at F; for linear elasticity P itself.
Mat<3> cauchy_stress(const MaterialParameters& material, const Mat<3>& f);

/// Returns the state at the deformation gradient F, det F > 0. The Cauchy stress is P F^T / J; linear elasticity does
/// not distinguish stress measures, so there it is P itself. In 2D F is that of gradient_in_space, and the stress
/// across the plane counts.
ElementState element_state(const MaterialParameters& material, const Mat<3>& f);

/// Returns the state of an element with this Cauchy stress [Pa] at the deformation gradient F.
ElementState element_state(const Mat<3>& cauchy, const Mat<3>& f, double energy_density);

}  // namespace clearance
