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

#include <optional>
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
  VecX powers = {};  ///< per block, v . a for the accelerations a by loads, times s; empty: none
};

/// Derivatives by the numbers of each element, in the order of the meshes.
struct ElementSlopes {
  std::vector<double> lambda, mu, density;
  VecX rest;  ///< by the nodes at rest, dim numbers a block
};

/// The elements of a mesh, with what does not change from step to step.
template <int dim>
class ElementSensitivities {
 public:
  /// `is_lumped`: each node of a linear element has an equal share of its mass. The mesh must outlive the object.
  ElementSensitivities(const ElementMesh<dim>& mesh, bool is_lumped);

  /// Adds the derivatives of the elements, whose numbers follow from `first` on. Shapes of a higher order than the
  /// displacements have none by the nodes at rest. Elements that yield add those of their mass alone
  /// (PlasticPotential::add_slopes has the others).
  void add_slopes(const ElementMotion<dim>& motion, std::size_t first, ElementSlopes& slopes) const;

 private:
  /// A rule on the reference simplex with what the shape functions are there.
  struct Rule {
    std::vector<QuadraturePoint> points;
    ShapeGradients<dim> gradients;
    RestMap<dim> rest;
    std::vector<std::vector<double>> values;  // per point and node

    Rule(const ElementMesh<dim>& mesh, std::vector<QuadraturePoint> of);
  };
  struct AtRest {
    Mat<dim> inverse;          // of dX/dxi
    double determinant = 0.0;  // [m^dim]
  };
  AtRest at_rest(const Rule& rule, int q, std::size_t e) const;
  void add_elasticity(const Rule& rule, std::size_t e, const ElementMotion<dim>& motion, std::size_t at,
                      ElementSlopes& slopes) const;
  void add_mass(const Rule& rule, std::size_t e, const ElementMotion<dim>& motion, std::size_t at,
                ElementSlopes& slopes) const;

  const ElementMesh<dim>& mesh_;
  Rule straight_, straight_mass_;
  std::optional<Rule> curved_, curved_mass_;  // if an element is
  std::vector<char> is_curved_;               // per element
  std::vector<AtRest> at_rest_;               // per element; unset for curved ones
};

extern template class ElementSensitivities<2>;
extern template class ElementSensitivities<3>;

}  // namespace clearance
