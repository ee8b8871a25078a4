#include "clearance/remesh/split_estimate.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

#include "clearance/geometry/distance.h"

namespace clearance {

template <int dim>
double split_decrement(const LocalSetting<dim>& setting, const std::vector<Vec<dim>>& x_tilde,
                       std::span<const int> vertices) {
  const AdaptingBody<dim>& body = setting.body;
  const SimplexMesh<dim>& mesh = body.mesh;
  const bool has_inertia = setting.options.integrator.method != TimeIntegrator::quasi_static;
  const auto x1 = [&](int v) -> const Vec<dim>& { return body.fields[static_cast<std::size_t>(v)].x1; };
  const auto place_of = [](int v, std::span<const int> list) {
    return static_cast<Eigen::Index>(std::find(list.begin(), list.end(), v) - list.begin());
  };
  // Collect the elements and facets at the new vertices: all terms that depend on them.
  std::vector<int> cells, facets;
  for (const int v : vertices) {
    cells.insert(cells.end(), mesh.cells_at(v).begin(), mesh.cells_at(v).end());
    facets.insert(facets.end(), mesh.facets_at(v).begin(), mesh.facets_at(v).end());
  }
  make_unique(cells);
  make_unique(facets);
  // Gradient and Hessian in units of an energy: the inertial terms are divided by the time scale.
  const auto count = static_cast<Eigen::Index>(vertices.size());
  VecX gradient = VecX::Zero(dim * count);
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(dim * count, dim * count);
  for (const int c : cells) {
    const auto& nodes = mesh.cell(c);
    const auto label = static_cast<std::size_t>(mesh.cell_label(c));
    const MaterialParameters& material = body.materials[label];
    // Deformation gradient of the element, with its stress and stress derivative.
    Mat<dim> rest, now;
    for (int k = 0; k < dim; ++k) {
      const int v = nodes[static_cast<std::size_t>(k) + 1];
      rest.col(k) = mesh.rest(v) - mesh.rest(nodes[0]);
      now.col(k) = x1(v) - x1(nodes[0]);
    }
    const Mat<dim> inverse = rest.inverse();
    const Mat<dim> f = now * inverse;
    const double volume = mesh.rest_volume(c);
    const Mat<dim> stress = first_piola_stress<dim>(material, f);
    const Mat<dim* dim> derivative = stress_derivative<dim>(material, f, true);
    // The consistent mass couples all pairs of corners.
    const double mass = volume * material.density;
    const double of_pair = has_inertia ? mass / ((dim + 1) * (dim + 2)) / setting.scale : 0.0;
    // The gradient at rest of a corner's shape function.
    const auto shape_of = [&](Eigen::Index corner) {
      return corner == 0 ? Vec<dim>(-inverse.colwise().sum().transpose())
                         : Vec<dim>(inverse.row(static_cast<int>(corner) - 1).transpose());
    };
    for (Eigen::Index i = 0; i <= dim; ++i) {
      const Eigen::Index p = place_of(nodes[static_cast<std::size_t>(i)], vertices);
      if (p == count) continue;
      // Gradient by a new vertex: internal force minus load,
      const Vec<dim> shape = shape_of(i);
      auto force = gradient.template segment<dim>(dim * p);
      force += volume * stress * shape - mass / (dim + 1) * body.accelerations[label];
      for (Eigen::Index j = 0; j <= dim; ++j) {
        const int w = nodes[static_cast<std::size_t>(j)];
        // plus inertia, which all corners contribute to.
        const double share = (i == j ? 2.0 : 1.0) * of_pair;
        force += share * (x1(w) - x_tilde[static_cast<std::size_t>(w)]);
        const Eigen::Index q = place_of(w, vertices);
        if (q == count) continue;
        // Hessian by pairs of new vertices: mass and elasticity.
        const Vec<dim> other = shape_of(j);
        auto of_both = hessian.template block<dim, dim>(dim * p, dim * q);
        of_both += share * Mat<dim>::Identity();
        for (int r = 0; r < dim; ++r) {
          for (int s = 0; s < dim; ++s) {
            of_both += volume * shape[r] * other[s] * derivative.template block<dim, dim>(dim * r, dim * s);
          }
        }
      }
    }
  }
  for (const int f : facets) {
    // Subtract the tractions on facets, in equal shares.
    const Vec<dim>& traction = body.tractions[static_cast<std::size_t>(mesh.facet_label(f))];
    if (traction.isZero(0.0)) continue;
    const auto& facet = mesh.facet(f);
    const Vec<dim> a = mesh.rest(facet[0]), along = mesh.rest(facet[1]) - a;
    double area = along.norm();
    if constexpr (dim == 3) area = 0.5 * cross_product(along, Vec<3>(mesh.rest(facet[2]) - a)).norm();
    for (const int v : facet) {
      const Eigen::Index p = place_of(v, vertices);
      if (p < count) gradient.template segment<dim>(dim * p) -= area / dim * traction;
    }
  }
  // Newton decrement of the quadratic model.
  return 0.5 * gradient.dot(hessian.ldlt().solve(gradient));
}

template double split_decrement<2>(const LocalSetting<2>&, const std::vector<Vec<2>>&, std::span<const int>);
template double split_decrement<3>(const LocalSetting<3>&, const std::vector<Vec<3>>&, std::span<const int>);

}  // namespace clearance
