#include "clearance/bodies/fem/element_sensitivities.h"

#include <Eigen/LU>

#include "clearance/geometry/lagrange.h"

namespace clearance {

namespace {

/// A rule on the reference simplex with what the shape functions are there.
template <int dim>
struct Rule {
  std::vector<QuadraturePoint> points;
  ShapeGradients<dim> gradients;
  RestMap<dim> rest;
  std::vector<std::vector<double>> values;  // per point and node

  Rule(const ElementMesh<dim>& mesh, std::vector<QuadraturePoint> of)
      : points(std::move(of)), gradients(mesh.order, points), rest(mesh, points) {
    for (const QuadraturePoint& point : points) {
      values.emplace_back(mesh.num_nodes());
      lagrange_values(dim, mesh.order, point.at, values.back());
    }
  }
};

/// One element of a mesh, and what its points add.
template <int dim>
class ElementSum {
 public:
  ElementSum(const ElementMesh<dim>& mesh, const ElementMotion<dim>& motion, std::size_t e, std::size_t at,
             ElementSlopes& slopes)
      : mesh_(mesh), motion_(motion), e_(e), at_(at), slopes_(slopes), nodes_(mesh.nodes_of(e)) {}

  void add_elasticity(const Rule<dim>& rule) {
    const MaterialParameters& material = mesh_.material_of(e_);
    MaterialParameters of_lambda = material, of_mu = material;
    of_lambda.lambda = 1.0;
    of_lambda.mu = 0.0;
    of_mu.lambda = 0.0;
    of_mu.mu = 1.0;
    for (std::size_t i = 0; i < rule.points.size(); ++i) {
      const int q = static_cast<int>(i);
      const Mat<dim> at_rest = rule.rest.derivative(q, e_), inverse = at_rest.inverse();
      Mat<dim> derivative = rule.gradients.map_derivative(q, nodes_, motion_.x);
      if (mesh_.higher_shape_order > 0) derivative += rule.rest.offset(q, e_);
      const Mat<dim> f = derivative * inverse;
      const Mat<dim> of_motion = rule.gradients.map_derivative(q, nodes_, motion_.motion) * inverse;
      const double weight = motion_.scale * rule.points[i].weight * simplex_volume<dim> * at_rest.determinant();
      const double by_lambda = first_piola_stress<dim>(of_lambda, f).cwiseProduct(of_motion).sum();
      const double by_mu = first_piola_stress<dim>(of_mu, f).cwiseProduct(of_motion).sum();
      slopes_.lambda[at_] += weight * by_lambda;
      slopes_.mu[at_] += weight * by_mu;
      if (mesh_.higher_shape_order > 0) continue;
      const Mat<dim> stress = first_piola_stress<dim>(material, f);
      Mat<dim> by_gradient =
          -(f.transpose() * stress_change<dim>(material, f, of_motion) + of_motion.transpose() * stress);
      by_gradient.diagonal().array() += material.lambda * by_lambda + material.mu * by_mu;
      add_rest(rule, q, inverse, weight * by_gradient);
    }
  }

  void add_mass(const Rule<dim>& rule) {
    const double density = mesh_.material_of(e_).density;
    for (std::size_t i = 0; i < rule.points.size(); ++i) {
      const int q = static_cast<int>(i);
      const Mat<dim> at_rest = rule.rest.derivative(q, e_);
      Vec<dim> v = Vec<dim>::Zero(), d = -motion_.scale * motion_.gravity;
      double of_loads = 0.0;
      for (std::size_t a = 0; a < nodes_.size(); ++a) {
        v += rule.values[i][a] * block<dim>(motion_.motion, nodes_[a]);
        if (motion_.inertia.size() > 0) d += rule.values[i][a] * block<dim>(motion_.inertia, nodes_[a]);
        if (motion_.powers.size() > 0) of_loads += rule.values[i][a] * motion_.powers[nodes_[a]];
      }
      const double weight = rule.points[i].weight * simplex_volume<dim> * at_rest.determinant();
      const double by_density = weight * (v.dot(d) - of_loads);
      slopes_.density[at_] += by_density;
      if (mesh_.higher_shape_order == 0) {
        add_rest(rule, q, at_rest.inverse(), density * by_density * Mat<dim>::Identity());
      }
    }
  }

 private:
  /// Adds S : G for G = sum over nodes of u (grad phi)^T.
  void add_rest(const Rule<dim>& rule, int q, const Mat<dim>& inverse, const Mat<dim>& by_gradient) {
    const double* gradients = rule.gradients.of_point(q);
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      const Eigen::Map<const Vec<dim>> of_node(gradients + dim * a);
      block<dim>(slopes_.rest, nodes_[a]) += by_gradient * (inverse.transpose() * of_node);
    }
  }

  const ElementMesh<dim>& mesh_;
  const ElementMotion<dim>& motion_;
  std::size_t e_, at_;
  ElementSlopes& slopes_;
  std::span<const int> nodes_;
};

}  // namespace

template <int dim>
void add_slopes(const ElementMesh<dim>& mesh, const ElementMotion<dim>& motion, std::size_t first,
                ElementSlopes& slopes) {
  // The rules are those of ElementSet, which integrates the energy, and of ElementMass.
  const Rule<dim> straight(mesh, symmetric_quadrature(dim, 2 * (mesh.order - 1)));
  const Rule<dim> curved(mesh, symmetric_quadrature(dim, 2 * mesh.shape_order()));
  const auto rule_for = [](int degree) {
    return degree <= max_symmetric_degree ? symmetric_quadrature(dim, degree) : conical_quadrature(dim, degree);
  };
  std::vector<QuadraturePoint> of_mass = rule_for(2 * mesh.order);
  if (mesh.is_linear() && motion.is_lumped) {
    of_mass.assign(dim + 1, {});
    for (std::size_t a = 0; a < of_mass.size(); ++a) {
      of_mass[a].weight = 1.0 / (dim + 1);
      of_mass[a].at[a] = 1.0;
    }
  }
  const Rule<dim> mass(mesh, std::move(of_mass));
  const Rule<dim> curved_mass(mesh, rule_for(2 * mesh.order + dim * (mesh.shape_order() - 1)));
  const ElementShapes<dim> shapes = mesh.shapes();
  std::vector<double> places;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    ElementSum<dim> sum(mesh, motion, e, first + e, slopes);
    bool is_curved = false;
    if (!mesh.is_linear()) {
      shapes.places(static_cast<int>(e), mesh.x_rest, places);
      is_curved = !is_straight<dim>(mesh.shape_order(), places);
    }
    if (!mesh.material_of(e).hardening) sum.add_elasticity(is_curved ? curved : straight);
    sum.add_mass(is_curved ? curved_mass : mass);
  }
}

template void add_slopes<2>(const ElementMesh<2>&, const ElementMotion<2>&, std::size_t, ElementSlopes&);
template void add_slopes<3>(const ElementMesh<3>&, const ElementMotion<3>&, std::size_t, ElementSlopes&);

}  // namespace clearance
