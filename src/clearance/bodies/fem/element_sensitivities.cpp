#include "clearance/bodies/fem/element_sensitivities.h"

#include <Eigen/LU>

#include "clearance/geometry/lagrange.h"

namespace clearance {

namespace {

/// Returns the rule of ElementMass.
template <int dim>
std::vector<QuadraturePoint> mass_rule(const ElementMesh<dim>& mesh, int degree, bool is_lumped) {
  if (!mesh.is_linear() || !is_lumped) {
    return degree <= max_symmetric_degree ? symmetric_quadrature(dim, degree) : conical_quadrature(dim, degree);
  }
  std::vector<QuadraturePoint> nodes(dim + 1);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    nodes[a].weight = 1.0 / (dim + 1);
    nodes[a].at[a] = 1.0;
  }
  return nodes;
}

}  // namespace

template <int dim>
ElementSensitivities<dim>::Rule::Rule(const ElementMesh<dim>& mesh, std::vector<QuadraturePoint> of)
    : points(std::move(of)), gradients(mesh.order, points), rest(mesh, points) {
  for (const QuadraturePoint& point : points) {
    values.emplace_back(mesh.num_nodes());
    lagrange_values(dim, mesh.order, point.at, values.back());
  }
}

// The rules are those of ElementSet, which integrates the energy, and of ElementMass.
template <int dim>
ElementSensitivities<dim>::ElementSensitivities(const ElementMesh<dim>& mesh, bool is_lumped)
    : mesh_(mesh),
      straight_(mesh, symmetric_quadrature(dim, 2 * (mesh.order - 1))),
      straight_mass_(mesh, mass_rule(mesh, 2 * mesh.order, is_lumped)),
      is_curved_(mesh.num_elements(), 0),
      at_rest_(mesh.num_elements()) {
  const ElementShapes<dim> shapes = mesh.shapes();
  std::vector<double> places;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    if (!mesh.is_linear()) {
      shapes.places(static_cast<int>(e), mesh.x_rest, places);
      is_curved_[e] = !is_straight<dim>(mesh.shape_order(), places);
    }
    if (is_curved_[e] == 0) {
      const Mat<dim> derivative = straight_.rest.derivative(0, e);
      at_rest_[e] = {derivative.inverse(), derivative.determinant()};
    } else if (!curved_) {
      curved_.emplace(mesh, symmetric_quadrature(dim, 2 * mesh.shape_order()));
      curved_mass_.emplace(mesh, mass_rule(mesh, 2 * mesh.order + dim * (mesh.shape_order() - 1), is_lumped));
    }
  }
}

template <int dim>
auto ElementSensitivities<dim>::at_rest(const Rule& rule, int q, std::size_t e) const -> AtRest {
  if (is_curved_[e] == 0) return at_rest_[e];
  const Mat<dim> derivative = rule.rest.derivative(q, e);
  return {derivative.inverse(), derivative.determinant()};
}

template <int dim>
void ElementSensitivities<dim>::add_elasticity(const Rule& rule, std::size_t e, const ElementMotion<dim>& motion,
                                               std::size_t at, ElementSlopes& slopes) const {
  const std::span<const int> nodes = mesh_.nodes_of(e);
  const MaterialParameters& material = mesh_.material_of(e);
  for (int q = 0; q < rule.gradients.num_points(); ++q) {
    const auto [inverse, determinant] = at_rest(rule, q, e);
    Mat<dim> derivative = rule.gradients.map_derivative(q, nodes, motion.x);
    if (mesh_.higher_shape_order > 0) derivative += rule.rest.offset(q, e);
    const Mat<dim> f = derivative * inverse;
    const Mat<dim> of_motion = rule.gradients.map_derivative(q, nodes, motion.motion) * inverse;
    const double weight =
        motion.scale * rule.points[static_cast<std::size_t>(q)].weight * simplex_volume<dim> * determinant;
    const Mat<dim> stress_of_lambda = stress_by_modulus<dim>(material, f, &MaterialParameters::lambda);
    const Mat<dim> stress_of_mu = stress_by_modulus<dim>(material, f, &MaterialParameters::mu);
    const double by_lambda = stress_of_lambda.cwiseProduct(of_motion).sum();
    const double by_mu = stress_of_mu.cwiseProduct(of_motion).sum();
    slopes.lambda[at] += weight * by_lambda;
    slopes.mu[at] += weight * by_mu;
    if (mesh_.higher_shape_order > 0) continue;
    const Mat<dim> stress = material.lambda * stress_of_lambda + material.mu * stress_of_mu;
    Mat<dim> by_gradient =
        -(f.transpose() * stress_change<dim>(material, f, of_motion) + of_motion.transpose() * stress);
    by_gradient.diagonal().array() += material.lambda * by_lambda + material.mu * by_mu;
    // S : G for the gradient G of the motion of the nodes at rest.
    const Mat<dim> of_reference = weight * by_gradient * inverse.transpose();
    const double* gradients = rule.gradients.of_point(q);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      block<dim>(slopes.rest, nodes[a]) += of_reference * Eigen::Map<const Vec<dim>>(gradients + dim * a);
    }
  }
}

template <int dim>
void ElementSensitivities<dim>::add_mass(const Rule& rule, std::size_t e, const ElementMotion<dim>& motion,
                                         std::size_t at, ElementSlopes& slopes) const {
  const std::span<const int> nodes = mesh_.nodes_of(e);
  const double density = mesh_.material_of(e).density;
  const bool has_inertia = motion.inertia.size() > 0, has_powers = motion.powers.size() > 0;
  for (int q = 0; q < rule.gradients.num_points(); ++q) {
    const auto [inverse, determinant] = at_rest(rule, q, e);
    const QuadraturePoint& point = rule.points[static_cast<std::size_t>(q)];
    const std::vector<double>& values = rule.values[static_cast<std::size_t>(q)];
    Vec<dim> v = Vec<dim>::Zero(), d = -motion.scale * motion.gravity;
    double of_loads = 0.0;
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      if (values[a] == 0.0) continue;
      v += values[a] * block<dim>(motion.motion, nodes[a]);
      if (has_inertia) d += values[a] * block<dim>(motion.inertia, nodes[a]);
      if (has_powers) of_loads += values[a] * motion.powers[nodes[a]];
    }
    const double by_density = point.weight * simplex_volume<dim> * determinant * (v.dot(d) - of_loads);
    slopes.density[at] += by_density;
    if (mesh_.higher_shape_order > 0) continue;
    const Mat<dim> of_reference = density * by_density * inverse.transpose();
    const double* gradients = rule.gradients.of_point(q);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      block<dim>(slopes.rest, nodes[a]) += of_reference * Eigen::Map<const Vec<dim>>(gradients + dim * a);
    }
  }
}

template <int dim>
void ElementSensitivities<dim>::add_slopes(const ElementMotion<dim>& motion, std::size_t first,
                                           ElementSlopes& slopes) const {
  for (std::size_t e = 0; e < mesh_.num_elements(); ++e) {
    const bool is_curved = is_curved_[e] != 0;
    if (!mesh_.material_of(e).hardening) add_elasticity(is_curved ? *curved_ : straight_, e, motion, first + e, slopes);
    add_mass(is_curved ? *curved_mass_ : straight_mass_, e, motion, first + e, slopes);
  }
}

template class ElementSensitivities<2>;
template class ElementSensitivities<3>;

}  // namespace clearance
