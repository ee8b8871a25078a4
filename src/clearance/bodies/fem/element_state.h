// What engineers ask about an element: stress, strain and energy from its deformation gradient.
#pragma once

#include "clearance/bodies/fem/materials.h"

namespace clearance {

struct ElementState {
  /// [Pa] eigenvalues of the Cauchy stress, the largest first; tension is positive.
  Vec<3> principal_stress = Vec<3>::Zero();
  /// [Pa] equivalent stress of von Mises: that of uniaxial tension with the same energy of distortion.
  double von_mises = 0.0;
  /// Logarithms of the principal stretches (Hencky), the largest first. Unlike the Green strain they are as large in
  /// compression as in tension, add up from one deformation to the next along the same axes, and their sum is that of
  /// the volume, ln J.
  Vec<3> principal_strain = Vec<3>::Zero();
  double energy_density = 0.0;  ///< [J/m^3] over the volume at rest
};

/// At the deformation gradient F, det F > 0. Cauchy's stress is P F^T / J; the material of linear elasticity does not
/// tell one stress from another and has P itself. 2D is plane strain: F has a third row and column of the identity, and
/// the stress across the plane counts.
ElementState element_state(const MaterialParameters& material, const Mat<3>& f);

}  // namespace clearance
