// Derivatives in reverse mode of the elements that yield.
//
// The stress of a point, P = S Fp^-T with S = dW / dFe*, and its memory at the end of a step, Fp^-1 B with
// B = V diag(exp(-(1 - share) d)) V^T and the accumulated strain a + flow, are isotropic functions of Fe* = F Fp^-1 =
// U diag(s) V^T. In the axes of U and V they change with the principal strains e = ln s and with turns: of S by the
// modes of hencky_plasticity.h, and of B, whose axes turn with those of Fe*^T Fe*, by
//     dB_ij = (b_j - b_i) / (s_j^2 - s_i^2) (s_i m_ij + s_j m_ji),   m = U^T dFe* V.
// The share and the flow follow from the trial stress q*, from mu and from a by q* - 3 mu flow = yield stress(a +
// flow).
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "clearance/bodies/fem/element_kernels.h"
#include "clearance/bodies/fem/plastic_potential.h"
#include "clearance/math/elementary.h"
#include "clearance/math/svd.h"

namespace clearance {

namespace {

struct Point {
  Mat<3> f = Mat<3>::Identity(), inverse_plastic = Mat<3>::Identity();
  double accumulated = 0.0, mu = 0.0, lambda = 0.0;
  const Hardening* hardening = nullptr;
};

/// Derivatives by the numbers of a point.
struct PointSlopes {
  Mat<3> f = Mat<3>::Zero(), inverse_plastic = Mat<3>::Zero();
  double accumulated = 0.0, mu = 0.0, lambda = 0.0;
};

/// A point on its way from the trial state to that after the return.
class Return {
 public:
  explicit Return(const Point& at) : at_(at), svd_(rotation_variant_svd<3>(at.f * at.inverse_plastic)) {
    for (int i = 0; i < 3; ++i) d_[i] = elementary::log(svd_.sigma[i]);
    log_j_ = d_.sum();
    d_.array() -= log_j_ / 3.0;
    trial_ = at.mu * std::sqrt(6.0 * d_.squaredNorm());
    flow_ = at.hardening->flow(trial_, 3.0 * at.mu, at.accumulated);
    if (flows()) share_ = 1.0 - 3.0 * at.mu * flow_.amount / trial_;
    for (int i = 0; i < 3; ++i) {
      t_[i] = (at.lambda + 2.0 / 3.0 * at.mu) * log_j_ + 2.0 * at.mu * share_ * d_[i];
      stretch_[i] = elementary::exp(-(1.0 - share_) * d_[i]);
    }
  }

  bool flows() const { return flow_.amount > 0.0; }
  /// Returns P.
  Mat<3> stress() const {
    const Vec<3> principal = t_.cwiseQuotient(svd_.sigma);
    return svd_.u * principal.asDiagonal() * svd_.v.transpose() * at_.inverse_plastic.transpose();
  }

  /// Adds the derivatives of of_stress : P.
  void pull_back_stress(const Mat<3>& of_stress, PointSlopes& slopes) {
    const Vec<3>& s = svd_.sigma;
    const Mat<3> n = svd_.u.transpose() * of_stress * at_.inverse_plastic * svd_.v;
    const Vec<3> principal = t_.cwiseQuotient(s);
    // By the axes: the symmetric and the antisymmetric part of every plane have their own factors.
    Mat<3> m = Mat<3>::Zero();
    const double shear = 2.0 * at_.mu * share_;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) {
        const double gap = d_[i] - d_[j], product = 1.0 / (s[i] * s[j]);
        const double flip = (shear * half_over_tanh(gap) - 0.5 * (t_[i] + t_[j])) * product;
        const double twist = (t_[i] * s[j] + t_[j] * s[i]) / (s[i] + s[j]) * product;
        const double sum = 0.5 * flip * (n(i, j) + n(j, i)), difference = 0.5 * twist * (n(i, j) - n(j, i));
        m(i, j) = sum + difference;
        m(j, i) = sum - difference;
      }
    }
    // By the strains: of t_i / s_i.
    const Vec<3> of_t = n.diagonal().cwiseQuotient(s);
    const double sum = of_t.sum(), of_share = 2.0 * at_.mu * of_t.dot(d_);
    Vec<3> of_strain = 2.0 * at_.mu * share_ * (of_t - Vec<3>::Constant(sum / 3.0)) - of_t.cwiseProduct(t_);
    of_strain.array() += (at_.lambda + 2.0 / 3.0 * at_.mu) * sum;
    slopes.lambda += log_j_ * sum;
    slopes.mu += 2.0 / 3.0 * log_j_ * sum + 2.0 * share_ * of_t.dot(d_);
    add_flow(of_share, 0.0, of_strain, slopes);
    m.diagonal() += of_strain.cwiseQuotient(s);
    const Mat<3> of_trial = svd_.u * m * svd_.v.transpose();
    add_trial(of_trial, slopes);
    slopes.inverse_plastic += of_stress.transpose() * svd_.u * principal.asDiagonal() * svd_.v.transpose();
  }

  /// Adds the derivatives of of_inverse : Fp^-1 + of_accumulated * a at the end of the step.
  void pull_back_memory(const Mat<3>& of_inverse, double of_accumulated, PointSlopes& slopes) {
    slopes.accumulated += of_accumulated;
    if (!flows()) {
      slopes.inverse_plastic += of_inverse;
      return;
    }
    const Vec<3>& s = svd_.sigma;
    const Mat<3> after = svd_.v * stretch_.asDiagonal() * svd_.v.transpose();
    slopes.inverse_plastic += of_inverse * after;
    const Mat<3> of_after = svd_.v.transpose() * at_.inverse_plastic.transpose() * of_inverse * svd_.v;
    const double lost = 1.0 - share_;
    Mat<3> m = Mat<3>::Zero();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) {
        const double ratio = -std::sqrt(stretch_[i] * stretch_[j]) / (s[i] * s[j]) * sinh_ratio(lost, d_[i] - d_[j]);
        const double both = ratio * (of_after(i, j) + of_after(j, i));
        m(i, j) = s[i] * both;
        m(j, i) = s[j] * both;
      }
    }
    const Vec<3> of_exponent = -stretch_.cwiseProduct(of_after.diagonal());  // of (1 - share) d
    Vec<3> of_strain = lost * (of_exponent - Vec<3>::Constant(of_exponent.mean()));
    add_flow(-of_exponent.dot(d_), of_accumulated, of_strain, slopes);
    m.diagonal() += of_strain.cwiseQuotient(s);
    add_trial(svd_.u * m * svd_.v.transpose(), slopes);
  }

 private:
  /// Returns (x / 2) / tanh(x / 2).
  static double half_over_tanh(double x) {
    return std::abs(x) < 1e-3 ? 1.0 + x * x / 12.0 : 0.5 * x / elementary::tanh(0.5 * x);
  }
  /// Returns sinh(lost x / 2) / sinh x.
  static double sinh_ratio(double lost, double x) {
    if (std::abs(x) < 1e-3) return 0.5 * lost * (1.0 + (0.25 * lost * lost - 1.0) * x * x / 6.0);
    return elementary::sinh(0.5 * lost * x) / elementary::sinh(x);
  }
  /// Adds what the share and the flow follow from.
  void add_flow(double of_share, double of_flow, Vec<3>& of_strain, PointSlopes& slopes) const {
    if (!flows()) return;
    const double mu3 = 3.0 * at_.mu, hardness = mu3 + flow_.slope, flow = flow_.amount;
    const double flow_by_trial = 1.0 / hardness, flow_by_mu = -3.0 * flow / hardness;
    const double flow_by_accumulated = -flow_.slope / hardness;
    // share = 1 - 3 mu flow / q*
    const double all = of_flow - of_share * mu3 / trial_;
    const double of_trial = all * flow_by_trial + of_share * mu3 * flow / (trial_ * trial_);
    slopes.accumulated += all * flow_by_accumulated;
    slopes.mu += all * flow_by_mu - of_share * 3.0 * flow / trial_ + of_trial * trial_ / at_.mu;
    of_strain += of_trial * 6.0 * at_.mu * at_.mu / trial_ * d_;
  }
  void add_trial(const Mat<3>& of_trial, PointSlopes& slopes) const {
    slopes.f += of_trial * at_.inverse_plastic.transpose();
    slopes.inverse_plastic += at_.f.transpose() * of_trial;
  }

  const Point& at_;
  RotationVariantSvd<3> svd_;
  Vec<3> d_, t_, stretch_;  // deviator, principal Kirchhoff stresses, exp(-(1 - share) d)
  double log_j_ = 0.0, trial_ = 0.0, share_ = 1.0;
  PlasticFlow flow_;
};

/// Returns the matrix of a lane with `last` as its third diagonal entry in 2D.
template <int dim>
Mat<3> lane_of(const SmallMatrix<Lanes, dim>& of_lanes, int lane, double last) {
  Mat<3> result = Mat<3>::Zero();
  if (dim == 2) result(2, 2) = last;
  for (int c = 0; c < dim; ++c) {
    for (int r = 0; r < dim; ++r) result(r, c) = of_lanes(r, c)[lane];
  }
  return result;
}

}  // namespace

/// Calls visit(pack, lane, point, F, weight times the gradient of the motion, memory's place, return) for every point.
template <int dim>
template <class Visit>
void PlasticPotential<dim>::visit_returns(const VecX& x, const VecX& motion, const Visit& visit) const {
  std::vector<Lanes> moved;
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    const ElementPack<dim>& pack = elements_.packs()[p];
    const ShapeGradients<dim>& gradients = elements_.gradients(pack);
    const Lanes* gathered = element_kernels::gather_nodes(pack, motion);
    moved.assign(gathered, gathered + dim * pack.nodes.size());
    const Lanes* positions = element_kernels::gather_nodes(pack, x);
    for (std::size_t q = 0; q < pack.weights.size(); ++q) {
      const SmallMatrix<Lanes, dim> f = element_kernels::deformation_gradient(pack, gradients, q, positions);
      const SmallMatrix<Lanes, dim> slope =
          multiply(element_kernels::map_derivative<dim>(gradients.of_point(static_cast<int>(q)), moved.data(),
                                                        pack.nodes.size()),
                   pack.inverse_rest_at(q));
      for (int lane = 0; lane < pack.count; ++lane) {
        const double* values = numbers(pack.elements[lane], q);
        const Point at{
            lane_of<dim>(f, lane, 1.0), Eigen::Map<const Mat<3>>(values), values[9], pack.mu[lane], pack.lambda[lane],
            hardening_[p][lane]};
        Return returned(at);
        const Mat<3> of_stress = pack.weights[q][lane] * lane_of<dim>(slope, lane, 0.0);
        visit(p, lane, q, at, of_stress, static_cast<std::size_t>(values - history_.data()), returned);
      }
    }
  }
}

template <int dim>
void PlasticPotential<dim>::pull_back_history(const VecX& /*x_t0*/, const VecX& x_t1, std::span<const double> kept,
                                              MemoryCotangent result) const {
  visit_returns(
      x_t1, VecX::Zero(x_t1.size()),
      [&](std::size_t p, int lane, std::size_t q, const Point&, const Mat<3>&, std::size_t place, Return& returned) {
        PointSlopes slopes;
        returned.pull_back_memory(Eigen::Map<const Mat<3>>(kept.data() + place), kept[place + 9], slopes);
        Eigen::Map<Mat<3>>{result.history.data() + place} += slopes.inverse_plastic;
        result.history[place + 9] += slopes.accumulated;
        const ElementPack<dim>& pack = elements_.packs()[p];
        const SmallMatrix<Lanes, dim>& inverse = pack.inverse_rest_at(q);
        Mat<dim> inverse_rest;
        for (int k = 0; k < dim * dim; ++k) inverse_rest.data()[k] = inverse.m[k][lane];
        const Mat<dim> by_slope = slopes.f.template topLeftCorner<dim, dim>() * inverse_rest.transpose();
        const double* gradients = elements_.gradients(pack).of_point(static_cast<int>(q));
        for (std::size_t a = 0; a < pack.nodes.size(); ++a) {
          block<dim>(result.x_t1, pack.nodes[a][lane]) += by_slope * Eigen::Map<const Vec<dim>>(gradients + dim * a);
        }
      });
}

template <int dim>
void PlasticPotential<dim>::pull_back_gradient(const VecX& /*x_t0*/, const VecX& x_t1, const VecX& motion,
                                               MemoryCotangent result) const {
  visit_returns(
      x_t1, motion,
      [&](std::size_t, int, std::size_t, const Point&, const Mat<3>& of_stress, std::size_t place, Return& returned) {
        PointSlopes slopes;
        returned.pull_back_stress(of_stress, slopes);
        Eigen::Map<Mat<3>>{result.history.data() + place} += slopes.inverse_plastic;
        result.history[place + 9] += slopes.accumulated;
      });
}

template <int dim>
void PlasticPotential<dim>::add_slopes(const VecX& x_t1, const VecX& motion, std::span<const double> kept,
                                       std::span<const std::size_t> places, ElementSlopes& slopes) const {
  visit_returns(
      x_t1, motion,
      [&](std::size_t p, int lane, std::size_t q, const Point& at, const Mat<3>& of_stress, std::size_t place,
          Return& returned) {
        PointSlopes of_point;
        returned.pull_back_stress(of_stress, of_point);
        if (!kept.empty()) {
          returned.pull_back_memory(Eigen::Map<const Mat<3>>(kept.data() + place), kept[place + 9], of_point);
        }
        const ElementPack<dim>& pack = elements_.packs()[p];
        const std::size_t element = places[static_cast<std::size_t>(elements_.mesh_element(pack.elements[lane]))];
        slopes.lambda[element] += of_point.lambda;
        slopes.mu[element] += of_point.mu;
        if (!pack.offsets.empty()) return;
        // A motion of the nodes at rest with the gradient G makes dF = -F G, and the weights grow by tr G.
        const Mat<3> stress = returned.stress();
        Mat<3> by_gradient = -at.f.transpose() * of_point.f - of_stress.transpose() * stress;
        by_gradient.diagonal().array() += of_stress.cwiseProduct(stress).sum();
        const SmallMatrix<Lanes, dim>& inverse = pack.inverse_rest_at(q);
        Mat<dim> inverse_rest;
        for (int k = 0; k < dim * dim; ++k) inverse_rest.data()[k] = inverse.m[k][lane];
        const Mat<dim> by_slope = by_gradient.template topLeftCorner<dim, dim>() * inverse_rest.transpose();
        const double* gradients = elements_.gradients(pack).of_point(static_cast<int>(q));
        for (std::size_t a = 0; a < pack.nodes.size(); ++a) {
          block<dim>(slopes.rest, pack.nodes[a][lane]) += by_slope * Eigen::Map<const Vec<dim>>(gradients + dim * a);
        }
      });
}

template void PlasticPotential<2>::pull_back_history(const VecX&, const VecX&, std::span<const double>,
                                                     MemoryCotangent) const;
template void PlasticPotential<3>::pull_back_history(const VecX&, const VecX&, std::span<const double>,
                                                     MemoryCotangent) const;
template void PlasticPotential<2>::pull_back_gradient(const VecX&, const VecX&, const VecX&, MemoryCotangent) const;
template void PlasticPotential<3>::pull_back_gradient(const VecX&, const VecX&, const VecX&, MemoryCotangent) const;
template void PlasticPotential<2>::add_slopes(const VecX&, const VecX&, std::span<const double>,
                                              std::span<const std::size_t>, ElementSlopes&) const;
template void PlasticPotential<3>::add_slopes(const VecX&, const VecX&, std::span<const double>,
                                              std::span<const std::size_t>, ElementSlopes&) const;

}  // namespace clearance
