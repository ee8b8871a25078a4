#include "clearance/bodies/fem/element_state.h"

#include <cmath>

#include "clearance/math/elementary.h"
#include "clearance/math/symmetric_modes.h"

namespace clearance {

namespace {

/// Returns the eigenvalues of a symmetric matrix, the largest first.
Vec<3> principal_values(const Mat<3>& a) {
  const Mat<3> symmetric = 0.5 * (a + a.transpose());
  return symmetric_modes(symmetric).values.reverse();
}

}  // namespace

Mat<3> cauchy_stress(const MaterialParameters& material, const Mat<3>& f) {
  const Mat<3> piola = first_piola_stress<3>(material, f);
  const bool is_linear = is_linear_model(material.model);
  return is_linear ? piola : Mat<3>(piola * f.transpose() / f.determinant());
}

ElementState element_state(const MaterialParameters& material, const Mat<3>& f) {
  return element_state(cauchy_stress(material, f), f, clearance::energy_density<3>(material, f));
}

ElementState element_state(const Mat<3>& cauchy, const Mat<3>& f, double energy_density) {
  ElementState state;
  state.principal_stress = principal_values(cauchy);
  // The stress of von Mises is the root of half the sum of the squared differences of principal stresses.
  const Vec<3>& s = state.principal_stress;
  state.von_mises =
      std::sqrt(0.5 * ((s[0] - s[1]) * (s[0] - s[1]) + (s[1] - s[2]) * (s[1] - s[2]) + (s[2] - s[0]) * (s[2] - s[0])));
  // The strains are 1/2 ln of the eigenvalues of C, from those of C - I, which keeps the digits of small strains.
  const Vec<3> change = principal_values(f.transpose() * f - Mat<3>::Identity());
  for (int i = 0; i < 3; ++i) state.principal_strain[i] = 0.5 * elementary::log1p(change[i]);
  state.energy_density = energy_density;
  return state;
}

}  // namespace clearance
