// The friction that agrees with the contact forces, and how it follows from where a step ends and starts and from what
// the contacts remember of sticking.
//
// The gradient of friction on vertex i of a contact is w_i mu lambda f_1(|u|) / |u| u (friction_potential.h). With the
// end of the step change the weights w_i of the closest points, the normal, the normal force lambda, the sliding u, and
// with it the coefficient mu. No energy has this force, so that its derivative is not symmetric. It is exact: dual
// numbers carry the derivatives of each contact through the formulas, beginning with those of the closest points and of
// the normal in closed form. With the changes u_c = sum w_i dx_i of the gap and a_j = sum g_ij n . dx_i of the tilt
// along tangent j (contact_frame.h), and with d the distance,
//   dn = -sum_j a_j e_j + (part of u_c along neither n nor any e_j) / d,   dw_i = -sum_j g_ij (e_j . u_c + d a_j).
#pragma once

#include <vector>

#include "clearance/contact/friction_potential.h"
#include "clearance/sparse/entry_list.h"

namespace clearance {

/// The friction of a step. All must outlive the functions that they are given to.
template <int dim>
struct FrictionOfStep {
  const Model& model;
  const ContactModel<dim>& contact_model;
  FrictionScales scales;
  const std::vector<StickVertex>& memory;  ///< State::stick at the start
  const VecX& x_t0;                        ///< [m] surface positions at the start, flat
  const VecX& free_motion;                 ///< as in FrictionPotential
  const ContactSet& contacts;              ///< at the end
  const VecX& x;                           ///< [m] surface positions at the end
  double kappa = 0.0;                      ///< barrier stiffness in the incremental potential
};

/// Rows: the gradient of friction by the surface vertices, dim numbers each, or the memory of sticking at the end,
/// three numbers a vertex of the list. Columns: surface vertices at the end or at the start, or the memory at the
/// start.
struct FrictionDerivatives {
  VecX gradient;
  std::vector<StickVertex> stick;  ///< at the end
  EntryList force_by_end, force_by_start, force_by_stick;
  EntryList stick_by_end, stick_by_start, stick_by_stick;
};

template <int dim>
FrictionDerivatives differentiate_friction(const FrictionOfStep<dim>& step);

extern template FrictionDerivatives differentiate_friction<2>(const FrictionOfStep<2>&);
extern template FrictionDerivatives differentiate_friction<3>(const FrictionOfStep<3>&);

}  // namespace clearance
