// Derivatives of the balance of forces by the numbers of every element and by its shape at rest, for derivatives of a
// run in reverse mode.
//
// With x held, the gradient of the objective along a motion v of the nodes is the sum over quadrature points of
//   w det D0 (s P(F) : grad v + rho v . (d - s g)),
// where s is the scale of potentials, d is x minus the target of inertia, and g is gravity and what loads add to it. It
// is linear in lambda, mu and rho. If the nodes at rest move by u with the gradient G, then dF = -F G, d(grad v) =
// -grad v G and d(det D0) = det D0 tr G, so that it changes by w det D0 S : G with
//   S = (s P : grad v + rho v . (d - s g)) I - s (F^T dP[grad v] + (grad v)^T P).
#pragma once

#include <vector>

#include "clearance/bodies/fem/element_mesh.h"

namespace clearance {

/// A motion of the nodes at the end of a step.
template <int dim>
struct ElementMotion {
  const VecX& x;       ///< [m]
  const VecX& motion;  ///< v, dim numbers a block
  double scale = 1.0;  ///< s
  VecX inertia;        ///< d, times the mass factor of each block; empty: no inertia
  Vec<dim> gravity = Vec<dim>::Zero();
  VecX powers = {};        ///< per block, v . a for the accelerations a by loads, times s; empty: none
  bool is_lumped = false;  ///< of linear elements: each node has an equal share of the mass
};

/// Derivatives by the numbers of each element, in the order of the meshes.
struct ElementSlopes {
  std::vector<double> lambda, mu, density;
  VecX rest;  ///< by the nodes at rest, dim numbers a block
};

/// Adds the derivatives of the elements of one mesh, whose numbers follow from `first` on. Shapes of a higher order
/// than the displacements have none by the nodes at rest. Of elements that yield it adds those of their mass alone
/// (PlasticPotential::add_slopes has the others).
template <int dim>
void add_slopes(const ElementMesh<dim>& mesh, const ElementMotion<dim>& motion, std::size_t first,
                ElementSlopes& slopes);

extern template void add_slopes<2>(const ElementMesh<2>&, const ElementMotion<2>&, std::size_t, ElementSlopes&);
extern template void add_slopes<3>(const ElementMesh<3>&, const ElementMotion<3>&, std::size_t, ElementSlopes&);

}  // namespace clearance
