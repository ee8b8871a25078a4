#include "clearance/bodies/fem/materials.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "clearance/bodies/fem/elastic_laws.h"

namespace clearance {
namespace {

using namespace material_kernels;

template <int dim>
SmallMatrix<double, dim> to_small(const Mat<dim>& f) {
  SmallMatrix<double, dim> result;
  Eigen::Map<Mat<dim>>(result.m) = f;
  return result;
}

template <int dim>
Mat<dim> to_eigen(const SmallMatrix<double, dim>& f) {
  return Eigen::Map<const Mat<dim>>(f.m);
}

/// Returns dP for dF = x, both in the frame of the singular values.
template <int dim>
Mat<dim> apply(const PrincipalHessian<double, dim>& h, const Mat<dim>& x) {
  // With F = U diag(sigma) V^T and U^T dF V = x, the stress changes by U y V^T. Isotropy couples the diagonal of x to
  // itself, and each pair of off-diagonal entries to itself alone [Smi19].
  Mat<dim> y;
  // Scaling modes act on the diagonal; flip and twist act on the symmetric and antisymmetric parts of each pair.
  y.diagonal() = to_eigen(h.scaling) * x.diagonal();
  for (int p = 0; p < num_pairs<dim>; ++p) {
    const int i = pair_first(p), j = pair_second(p);
    const double symmetric = h.flip[p] * (x(i, j) + x(j, i)) / 2;
    const double antisymmetric = h.twist[p] * (x(i, j) - x(j, i)) / 2;
    y(i, j) = symmetric + antisymmetric;
    y(j, i) = symmetric - antisymmetric;
  }
  return y;
}

/// Returns the change of the stress mu F + (lambda ln J - mu) F^-T, which needs no singular values.
template <int dim>
Mat<dim> neo_hookean_change(const MaterialParameters& material, const Mat<dim>& f, const Mat<dim>& df) {
  const Mat<dim> inverse = f.inverse(), relative = inverse * df;
  Mat<dim> factor = (material.mu - material.lambda * logarithm(f.determinant())) * relative;
  factor.diagonal().array() += material.lambda * relative.trace();
  return material.mu * df + (factor * inverse).transpose();
}

/// Returns the stretch across the plane.
double thickness_stretch(const MaterialParameters& material, const Mat<2>& f) {
  const double mu = material.mu, lambda = material.lambda;
  // Laws that are quadratic in a strain have the strain -lambda / (lambda + 2 mu) tr across the plane.
  const double share = lambda / (lambda + 2.0 * mu);
  switch (material.model) {
    case ElasticModel::neo_hookean_plane_stress:
      return stretch_across(NeoHookean{}, f.determinant(), mu, lambda);
    case ElasticModel::fixed_corotational_plane_stress:
      return stretch_across(FixedCorotational{}, f.determinant(), mu, lambda);
    case ElasticModel::st_venant_kirchhoff_plane_stress: {
      // The square of a stretch is 1 + 2 E. The law lets it vanish where the plane is stretched by much.
      constexpr double least = 1e-12;
      return std::sqrt(std::max(1.0 - share * (f.squaredNorm() - 2.0), least));
    }
    case ElasticModel::linear_elasticity_plane_stress:
      return 1.0 - share * (f.trace() - 2.0);
    default:
      return 1.0;
  }
}

}  // namespace

MaterialParameters make_material(ElasticModel model, double youngs_modulus, double poisson_ratio, double density,
                                 double damping) {
  MaterialParameters material;
  material.model = model;
  material.mu = youngs_modulus / (2 * (1 + poisson_ratio));
  material.lambda = youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
  material.density = density;
  material.damping = damping;
  return material;
}

ElasticModel plane_stress_of(ElasticModel model) {
  switch (model) {
    case ElasticModel::neo_hookean:
      return ElasticModel::neo_hookean_plane_stress;
    case ElasticModel::fixed_corotational:
      return ElasticModel::fixed_corotational_plane_stress;
    case ElasticModel::st_venant_kirchhoff:
      return ElasticModel::st_venant_kirchhoff_plane_stress;
    case ElasticModel::linear_elasticity:
      return ElasticModel::linear_elasticity_plane_stress;
    default:
      return model;
  }
}

bool is_linear_model(ElasticModel model) {
  return model == ElasticModel::linear_elasticity || model == ElasticModel::linear_elasticity_plane_stress;
}

bool is_barrier_model(ElasticModel model) {
  return with_law(model, [](auto law) { return law.is_barrier; });
}

template <int dim>
double energy_density(const MaterialParameters& material, const Mat<dim>& f) {
  return energy(material.model, to_small<dim>(f), material.mu, material.lambda);
}

template <int dim>
Mat<3> gradient_in_space(const MaterialParameters& material, const Mat<dim>& f) {
  if constexpr (dim == 3) {
    return f;
  } else {
    Mat<3> whole = Mat<3>::Identity();
    whole.topLeftCorner<2, 2>() = f;
    whole(2, 2) = thickness_stretch(material, f);
    return whole;
  }
}

template <int dim>
Mat<dim> first_piola_stress(const MaterialParameters& material, const Mat<dim>& f) {
  return to_eigen<dim>(stress(material.model, to_small<dim>(f), material.mu, material.lambda));
}

template <int dim>
Mat<dim> stress_by_modulus(const MaterialParameters& material, const Mat<dim>& f, double MaterialParameters::*modulus) {
  // In space the stress is linear in both moduli.
  MaterialParameters of_one = material;
  of_one.mu = of_one.lambda = 0.0;
  of_one.*modulus = 1.0;
  if (dim == 3 || plane_stress_of(material.model) != material.model) return first_piola_stress<dim>(of_one, f);
  // In plane stress the stretch across follows the modulus so that the stress across stays zero.
  const Mat<3> whole = gradient_in_space<dim>(material, f);
  const Mat<3> by_modulus = first_piola_stress<3>(of_one, whole);
  const Mat<3> by_stretch = stress_change<3>(material, whole, Vec<3>::UnitZ() * Vec<3>::UnitZ().transpose());
  return (by_modulus - by_modulus(2, 2) / by_stretch(2, 2) * by_stretch).template topLeftCorner<dim, dim>();
}

template <int dim>
Mat<dim * dim> stress_derivative(const MaterialParameters& material, const Mat<dim>& f, bool is_projected) {
  // In the frame of the singular values the derivative splits into modes, which are projected one by one.
  const SvdFrame<double, dim> frame = principal_frame(material.model, to_small<dim>(f));
  PrincipalHessian<double, dim> h = principal_hessian(material.model, frame.sigma, material.mu, material.lambda);
  if (is_projected) project_modes(h);

  // Entry (i, j) of F has the number i + dim * j: a change of it by 1 is e_i e_j^T, in the frame (row i of U)^T (row j
  // of V).
  // Compute one column per entry of F: transform it to the frame, apply the modes, and transform back.
  const Mat<dim> u = to_eigen<dim>(frame.u), v = to_eigen<dim>(frame.v);
  Mat<dim * dim> derivative;
  for (int k = 0; k < dim * dim; ++k) {
    const Mat<dim> x = u.row(k % dim).transpose() * v.row(k / dim);
    Eigen::Map<Mat<dim>>(derivative.col(k).data()) = u * apply<dim>(h, x) * v.transpose();
  }
  return derivative;
}

template <int dim>
Mat<dim> stress_change(const MaterialParameters& material, const Mat<dim>& f, const Mat<dim>& df) {
  if (material.model == ElasticModel::neo_hookean) return neo_hookean_change<dim>(material, f, df);
  const SvdFrame<double, dim> frame = principal_frame(material.model, to_small<dim>(f));
  const PrincipalHessian<double, dim> h = principal_hessian(material.model, frame.sigma, material.mu, material.lambda);
  const Mat<dim> u = to_eigen<dim>(frame.u), v = to_eigen<dim>(frame.v);
  return u * apply<dim>(h, u.transpose() * df * v) * v.transpose();
}

template double energy_density<2>(const MaterialParameters&, const Mat<2>&);
template double energy_density<3>(const MaterialParameters&, const Mat<3>&);
template Mat<3> gradient_in_space<2>(const MaterialParameters&, const Mat<2>&);
template Mat<3> gradient_in_space<3>(const MaterialParameters&, const Mat<3>&);
template Mat<2> first_piola_stress<2>(const MaterialParameters&, const Mat<2>&);
template Mat<3> first_piola_stress<3>(const MaterialParameters&, const Mat<3>&);
template Mat<2> stress_by_modulus<2>(const MaterialParameters&, const Mat<2>&, double MaterialParameters::*);
template Mat<3> stress_by_modulus<3>(const MaterialParameters&, const Mat<3>&, double MaterialParameters::*);
template Mat<2> stress_change<2>(const MaterialParameters&, const Mat<2>&, const Mat<2>&);
template Mat<3> stress_change<3>(const MaterialParameters&, const Mat<3>&, const Mat<3>&);
template Mat<4> stress_derivative<2>(const MaterialParameters&, const Mat<2>&, bool);
template Mat<9> stress_derivative<3>(const MaterialParameters&, const Mat<3>&, bool);

}  // namespace clearance
