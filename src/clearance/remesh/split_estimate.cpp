#include "clearance/remesh/split_estimate.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

#include "clearance/geometry/distance.h"

namespace clearance {

template <int dim>
double split_decrement(const LocalSetting<dim>& setting, const std::vector<Vec<dim>>& x_tilde, int vertex) {
  const AdaptingBody<dim>& body = setting.body;
  const SimplexMesh<dim>& mesh = body.mesh;
  const bool has_inertia = setting.options.integrator.method != TimeIntegrator::quasi_static;
  const auto x1 = [&](int v) -> const Vec<dim>& { return body.fields[static_cast<std::size_t>(v)].x1; };
  // In the units of an energy: inertia over the time scale.
  Vec<dim> gradient = Vec<dim>::Zero();
  Mat<dim> hessian = Mat<dim>::Zero();
  for (const int c : mesh.cells_at(vertex)) {
    const auto& nodes = mesh.cell(c);
    const auto label = static_cast<std::size_t>(mesh.cell_label(c));
    const MaterialParameters& material = body.materials[label];
    Mat<dim> rest, now;
    for (int k = 0; k < dim; ++k) {
      const int v = nodes[static_cast<std::size_t>(k) + 1];
      rest.col(k) = mesh.rest(v) - mesh.rest(nodes[0]);
      now.col(k) = x1(v) - x1(nodes[0]);
    }
    const Mat<dim> inverse = rest.inverse();
    const Mat<dim> f = now * inverse;
    const double volume = mesh.rest_volume(c);
    // Gradient at rest of the shape function of the vertex.
    const auto place = std::find(nodes.begin(), nodes.end(), vertex) - nodes.begin();
    const Vec<dim> shape = place == 0 ? Vec<dim>(-inverse.colwise().sum().transpose())
                                      : Vec<dim>(inverse.row(static_cast<int>(place) - 1).transpose());
    gradient += volume * first_piola_stress<dim>(material, f) * shape;
    const Mat<dim* dim> derivative = stress_derivative<dim>(material, f, true);
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        for (int r = 0; r < dim; ++r) {
          for (int s = 0; s < dim; ++s) {
            hessian(i, j) += volume * shape[r] * shape[s] * derivative(i + dim * r, j + dim * s);
          }
        }
      }
    }
    const double mass = volume * material.density;
    gradient -= mass / (dim + 1) * body.accelerations[label];
    if (!has_inertia) continue;
    const double of_pair = mass / ((dim + 1) * (dim + 2)) / setting.scale;
    for (const int v : nodes) {
      gradient += (v == vertex ? 2.0 : 1.0) * of_pair * (x1(v) - x_tilde[static_cast<std::size_t>(v)]);
    }
    hessian += 2.0 * of_pair * Mat<dim>::Identity();
  }
  for (const int f : mesh.facets_at(vertex)) {
    const Vec<dim>& traction = body.tractions[static_cast<std::size_t>(mesh.facet_label(f))];
    if (traction.isZero(0.0)) continue;
    const auto& facet = mesh.facet(f);
    const Vec<dim> a = mesh.rest(facet[0]), along = mesh.rest(facet[1]) - a;
    double area = along.norm();
    if constexpr (dim == 3) area = 0.5 * cross_product(along, Vec<3>(mesh.rest(facet[2]) - a)).norm();
    gradient -= area / dim * traction;
  }
  return 0.5 * gradient.dot(hessian.ldlt().solve(gradient));
}

template double split_decrement<2>(const LocalSetting<2>&, const std::vector<Vec<2>>&, int);
template double split_decrement<3>(const LocalSetting<3>&, const std::vector<Vec<3>>&, int);

}  // namespace clearance
