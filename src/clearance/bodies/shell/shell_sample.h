// Samples of a shell at points of its triangles: strains and stresses of the membrane, or curvatures and moments.
#pragma once

#include <vector>

#include "clearance/bodies/shell/shell_mesh.h"

namespace clearance {

/// A piece of a triangle with one strain.
struct ShellSample {
  int triangle = 0;
  Vec<3> at = Vec<3>::Constant(1.0 / 3.0);  ///< barycentric coordinates of its middle
  double area = 0.0;                        ///< [m^2] at rest
  PlaneAxes axes = PlaneAxes::Zero();       ///< in which strain and stress are given
  /// Green strains G11, G22, 2 G12; or how much more curved than at rest [1/m], positive if the side of the normal is
  /// stretched.
  Vec<3> strain = Vec<3>::Zero();
  Vec<3> stress = Vec<3>::Zero();  ///< second stress of Piola [Pa]; or moments [N m/m]
  double energy = 0.0;             ///< [J/m^2]
};

/// Returns strains 11, 22 and twice 12 in axes as a tensor in space.
inline Mat<3> strain_tensor(const Vec<3>& strain, const PlaneAxes& axes) {
  Mat<2> plane;
  plane << strain[0], 0.5 * strain[2], 0.5 * strain[2], strain[1];
  return axes * plane * axes.transpose();
}

/// Returns strains 11, 22 and twice 12 of a tensor in axes.
inline Vec<3> strain_in(const Mat<3>& tensor, const PlaneAxes& axes) {
  const Mat<2> plane = axes.transpose() * tensor * axes;
  return {plane(0, 0), plane(1, 1), plane(0, 1) + plane(1, 0)};
}

/// Returns stresses 11, 22 and 12 in axes as a tensor in space.
inline Mat<3> stress_tensor(const Vec<3>& stress, const PlaneAxes& axes) {
  return strain_tensor(Vec<3>(stress[0], stress[1], 2.0 * stress[2]), axes);
}

}  // namespace clearance
