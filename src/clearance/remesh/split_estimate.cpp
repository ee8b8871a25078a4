#include "clearance/remesh/split_estimate.h"

#include <algorithm>

#include "clearance/bodies/fem/elastic_potential.h"
#include "clearance/bodies/fem/mass.h"
#include "clearance/remesh/region.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {
namespace {

/// Returns the scope of vertices that move: the elements and facets at them, which all terms that depend on them belong
/// to.
template <int dim>
Scope scope_of(const SimplexMesh<dim>& mesh, std::span<const int> vertices) {
  Scope scope;
  scope.moving.assign(vertices.begin(), vertices.end());
  for (const int v : vertices) {
    scope.cells.insert(scope.cells.end(), mesh.cells_at(v).begin(), mesh.cells_at(v).end());
    scope.facets.insert(scope.facets.end(), mesh.facets_at(v).begin(), mesh.facets_at(v).end());
  }
  for (std::vector<int>* numbers : {&scope.moving, &scope.cells, &scope.facets}) make_unique(*numbers);
  return scope;
}

}  // namespace

template <int dim>
double split_decrement(const LocalSetting<dim>& setting, const std::vector<Vec<dim>>& x_tilde,
                       std::span<const int> vertices) {
  const AdaptingBody<dim>& body = setting.body;
  const LocalElements<dim> local(body, scope_of(body.mesh, vertices));
  VecX x(dim * local.num_vertices()), beside_target = x;
  for (int i = 0; i < local.num_vertices(); ++i) {
    const std::size_t v = local.vertices[i];
    block<dim>(x, i) = body.fields[v].x1;
    block<dim>(beside_target, i) = body.fields[v].x1 - x_tilde[v];
  }
  // Gradient and Hessian are in units of an energy: elasticity, loads, and inertia divided by the time scale.
  ElasticPotential<dim> elastic(local.elements);
  VecX gradient = VecX::Zero(x.size());
  BlockSparseMatrix hessian(dim, local.num_vertices(), elastic.pattern());
  elastic.add_derivatives(x, 1.0, gradient, hessian);
  if (local.force.size() > 0) gradient -= local.force;
  if (setting.options.integrator.method != TimeIntegrator::quasi_static) {
    ElementMass<dim> mass(local.elements);
    mass.add_product(beside_target, 1.0 / setting.scale, gradient);
    mass.add_to(1.0 / setting.scale, hessian);
  }
  // Compute the Newton decrement of the quadratic model, in which only the new vertices move. Without a minimum it
  // bounds nothing.
  const auto solver = make_leading_solver(local.num_moving);
  VecX step;
  if (solver->factorize(hessian) != LinearSolveStatus::solved) return infinity;
  if (solver->solve(gradient, step) != LinearSolveStatus::solved) return infinity;
  // With H s = g the quadratic model falls by 1/2 g . s, where the step is -s.
  const Eigen::Index size = dim * local.num_moving;
  return 0.5 * gradient.head(size).dot(step.head(size));
}

template double split_decrement<2>(const LocalSetting<2>&, const std::vector<Vec<2>>&, std::span<const int>);
template double split_decrement<3>(const LocalSetting<3>&, const std::vector<Vec<3>>&, std::span<const int>);

}  // namespace clearance
