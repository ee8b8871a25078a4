#include "clearance/contact/radial_contact_model.h"

#include <algorithm>
#include <cmath>

#include "clearance/contact/mollified_terms.h"
#include "clearance/geometry/mollifier.h"
#include "clearance/math/symmetric_modes.h"

namespace clearance {

namespace {

/// Returns (coefficients (x) direction), a functional of the vertices.
template <int dim>
Vec<4 * dim> spread(const std::array<double, 4>& coefficients, const Vec<dim>& direction) {
  Vec<4 * dim> functional;
  for (int i = 0; i < 4; ++i) {
    functional.template segment<dim>(dim * i) = coefficients[i] * direction;
  }
  return functional;
}

double sum_of_squares(const std::array<double, 4>& a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
}

std::array<double, 4> scaled(const std::array<double, 4>& a, double factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor};
}

/// Adds the Hessian along the tangents: its positive part, or all of it.
template <int dim>
void add_tangent_terms(const ContactFrame<dim>& frame, double b_first, double weight, bool is_exact,
                       RankOneSum<dim>& sum) {
  // Each tangent has 2(-b') (2 d u a + d^2 a^2), whose eigenvalues are (T +- sqrt(T^2 + 4 S^2)) / 2 in the orthonormal
  // coordinates u / |w|, a / |g|: one positive, one negative.
  const double d = frame.distance;
  const double weight_norm = std::sqrt(sum_of_squares(frame.weights));
  for (int j = 0; j < frame.num_tangents; ++j) {
    const double tilt_norm = std::sqrt(sum_of_squares(frame.tilts[j]));
    // S and T are the entries of the matrix (0 S; S T) of that form; (S, lambda) is its eigenvector, since lambda^2 =
    // S^2 + T lambda.
    const double off_diagonal = d * weight_norm * tilt_norm;
    const double diagonal = d * d * tilt_norm * tilt_norm;
    const double root = std::sqrt(diagonal * diagonal + 4.0 * off_diagonal * off_diagonal);
    for (const double lambda : {0.5 * (diagonal + root), 0.5 * (diagonal - root)}) {
      const double length_sq = off_diagonal * off_diagonal + lambda * lambda;
      if (!(length_sq > 0.0)) continue;
      const double coefficient = weight * (-2.0 * b_first * lambda / length_sq);
      if (!(coefficient > 0.0 || is_exact)) continue;
      sum.add(coefficient, scaled(frame.weights, off_diagonal / weight_norm), frame.tangents[j],
              scaled(frame.tilts[j], lambda / tilt_norm), frame.normal);
    }
  }
}

/// Adds the part along directions neither normal nor tangent to the second feature, as a point has two and an edge has
/// one: there the gap grows whichever way the first one goes.
template <int dim>
void add_free_terms(const ContactFrame<dim>& frame, double b_first, double weight, RankOneSum<dim>& sum) {
  std::array<Vec<dim>, dim> known;
  int num_known = 0;
  known[num_known++] = frame.normal;
  for (int j = 0; j < frame.num_tangents; ++j) {
    known[num_known++] = frame.tangents[j];
  }
  while (num_known < dim) {
    // Take the axis that is farthest from the known ones, and make it orthogonal to them.
    Vec<dim> best = Vec<dim>::Zero();
    for (int axis = 0; axis < dim; ++axis) {
      Vec<dim> across = Vec<dim>::Unit(axis);
      for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < num_known; ++k) {
          const Vec<dim>& e = known[k];
          across -= e.dot(across) * e;
        }
      }
      if (across.squaredNorm() > best.squaredNorm()) best = across;
    }
    best.normalize();
    sum.add(weight * 2.0 * b_first, frame.weights, best);
    known[num_known++] = best;
  }
}

/// Returns the exact Hessian of the squared distance.
template <int dim>
Mat<4 * dim> distance_sq_hessian(const ContactFrame<dim>& frame) {
  const double d = frame.distance;
  Mat<4 * dim> hessian;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {
      hessian.template block<dim, dim>(dim * i, dim * k) =
          2.0 * frame.weights[i] * frame.weights[k] * Mat<dim>::Identity();
    }
  }
  for (int j = 0; j < frame.num_tangents; ++j) {
    const Vec<4 * dim> z =
        spread<dim>(frame.weights, frame.tangents[j]) + d * spread<dim>(frame.tilts[j], frame.normal);
    // z is the functional u_t + d a along tangent j: the closest point follows the gap, which takes its square away.
    hessian.noalias() -= 2.0 * z * z.transpose();
  }
  return hessian;
}

}  // namespace

template <int dim>
double RadialContactModel<dim>::energy_of(const Contact& contact, const VecX& x) const {
  const double b = contact.weight * law_value(contact, contact.distance_sq);
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) {
      const ContactPositions<3> p = positions_of<3>(contact, x);
      return b * edge_edge_mollifier(p[0], p[1], p[2], p[3], contact.mollifier_scale);
    }
  }
  return b;
}

template <int dim>
double RadialContactModel<dim>::normal_force(const Contact& contact, const ContactGap<dim>& gap,
                                             const ContactPositions<dim>& positions) const {
  const BarrierValue b = law(contact, gap.distance * gap.distance);
  // The chain rule from d^2 to d gives the factor 2 d of lambda [Fer23, eq. A.18]; kappa comes in at the caller.
  double force = -2.0 * gap.distance * b.first * contact.weight;
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) {
      force *= edge_edge_mollifier(positions[0], positions[1], positions[2], positions[3], contact.mollifier_scale);
    }
  }
  return force;
}

template <int dim>
bool RadialContactModel<dim>::compute_force_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                                                     std::span<double> gradient) const {
  const Contact& contact = set.contacts[k];
  const ContactPositions<dim> p = positions_of<dim>(contact, x);
  const ContactGap<dim> gap = compute_contact_gap<dim>(model_, contact, p);
  const BarrierValue b = law(contact, gap.distance * gap.distance);
  // The force is -db/dd, and the distance follows the vertices by their weights along the normal.
  Vec<4 * dim> slopes = (-contact.weight * normal_curvature(gap.distance, b)) * spread<dim>(gap.weights, gap.normal);
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) {
      const double force = -2.0 * gap.distance * b.first * contact.weight;
      slopes = edge_edge_mollifier(p[0], p[1], p[2], p[3], contact.mollifier_scale) * slopes +
               force * edge_edge_mollifier_gradient(p[0], p[1], p[2], p[3], contact.mollifier_scale);
    }
  }
  std::fill(gradient.begin(), gradient.end(), 0.0);
  std::copy(slopes.begin(), slopes.end(), gradient.begin());
  return true;
}

template <int dim>
Vec<4 * dim> RadialContactModel<dim>::gradient_of(const Contact& contact, const VecX& x) const {
  const ContactPositions<dim> p = positions_of<dim>(contact, x);
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) {
      const ContactGap<3> gap = compute_contact_gap<3>(model_, contact, p);
      const BarrierValue b = law(contact, gap.distance * gap.distance);
      const double m = edge_edge_mollifier(p[0], p[1], p[2], p[3], contact.mollifier_scale);
      const Vec<12> dm = edge_edge_mollifier_gradient(p[0], p[1], p[2], p[3], contact.mollifier_scale);
      const Vec<12> db = (2.0 * gap.distance * b.first) * spread<3>(gap.weights, gap.normal);
      return contact.weight * (m * db + b.value * dm);
    }
  }
  const ContactGap<dim> gap = compute_contact_gap<dim>(model_, contact, p);
  const BarrierValue b = law(contact, gap.distance * gap.distance);
  return (contact.weight * 2.0 * gap.distance * b.first) * spread<dim>(gap.weights, gap.normal);
}

template <int dim>
ContactDerivatives<dim> RadialContactModel<dim>::exact_derivatives_of(const Contact& contact, const VecX& x) const {
  ContactDerivatives<dim> result;
  const ContactPositions<dim> p = positions_of<dim>(contact, x);
  const double weight = contact.weight;
  const ContactFrame<dim> frame = compute_contact_frame<dim>(model_, contact, p);
  const BarrierValue b = law(contact, frame.distance * frame.distance);
  // The chain rule takes b(d^2) back to the derivatives of the squared distance [Fer23, eq. 2.7].
  const Vec<4 * dim> ds = 2.0 * frame.distance * spread<dim>(frame.weights, frame.normal);
  result.gradient = weight * b.first * ds;
  result.hessian = weight * (b.second * ds * ds.transpose() + b.first * distance_sq_hessian<dim>(frame));
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) {
      // The product rule adds the terms of m: m Hb + db dm^T + dm db^T + b Hm, with Hb and Hm the Hessians of b and m.
      const double m = edge_edge_mollifier(p[0], p[1], p[2], p[3], contact.mollifier_scale);
      Vec<12> dm;
      Mat<12> ddm;
      edge_edge_mollifier_derivatives(p[0], p[1], p[2], p[3], contact.mollifier_scale, dm, ddm);
      const Mat<12> mixed = result.gradient * dm.transpose();
      result.hessian = m * result.hessian + mixed + mixed.transpose() + (weight * b.value) * ddm;
      result.gradient = m * result.gradient + (weight * b.value) * dm;
    }
  }
  return result;
}

template <int dim>
Vec<4 * dim> RadialContactModel<dim>::derivatives_of(const Contact& contact, const VecX& x, HessianKind kind,
                                                     RankOneSum<dim>& sum) const {
  const bool is_exact = kind == HessianKind::exact;
  const double weight = contact.weight;
  const auto is_wanted = [&](double coefficient) { return coefficient > 0.0 || is_exact; };
  // The mollifier has no closed form of its modes: they are computed from the exact Hessian.
  if (contact.kind == ContactKind::mollified_edge_edge && (is_exact || weight < 0.0)) {
    const ContactDerivatives<dim> exact = exact_derivatives_of(contact, x);
    const SymmetricModes modes = symmetric_modes(exact.hessian);
    for (int i = 0; i < 4 * dim; ++i) {
      if (is_wanted(modes.values[i])) sum.add(modes.values[i], Vec<4 * dim>(modes.vectors.col(i)));
    }
    return exact.gradient;
  }
  const ContactPositions<dim> positions = positions_of<dim>(contact, x);
  const ContactFrame<dim> frame = compute_contact_frame<dim>(model_, contact, positions);
  const BarrierValue b = law(contact, frame.distance * frame.distance);
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::mollified_edge_edge) {
      const double m =
          edge_edge_mollifier(positions[0], positions[1], positions[2], positions[3], contact.mollifier_scale);
      // The tangents contribute to m b'; mollified_terms.h has the rest in closed form.
      add_tangent_terms<3>(frame, m * b.first, weight, false, sum);
      return add_mollified_terms(contact, positions, frame, b, sum);
    }
  }
  // A tilt acts along the normal as well, and its g_j need not be orthogonal to w. The positive parts are therefore
  // taken one by one: their sum is at least the Hessian, but not always the nearest positive one.
  // The terms along the normal come first, then those across it; each is a sum of squares with its sign.
  const double curvature = weight * normal_curvature(frame.distance, b);
  if (is_wanted(curvature)) sum.add(curvature, frame.weights, frame.normal);
  add_turning_terms(contact, frame, b, kind, sum);
  return (weight * 2.0 * frame.distance * b.first) * spread<dim>(frame.weights, frame.normal);
}

template <int dim>
void RadialContactModel<dim>::add_turning_terms(const Contact& contact, const ContactFrame<dim>& frame,
                                                const BarrierValue& b, HessianKind kind, RankOneSum<dim>& sum) {
  const bool is_exact = kind == HessianKind::exact;
  add_tangent_terms<dim>(frame, b.first, contact.weight, is_exact, sum);
  if ((contact.weight * b.first > 0.0 || is_exact) && contact.kind != ContactKind::half_space) {
    add_free_terms<dim>(frame, b.first, contact.weight, sum);
  }
}

template <int dim>
void RadialContactModel<dim>::compute_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                                               std::span<double> gradient) const {
  const Vec<4 * dim> of_features = gradient_of(set.contacts[k], x);
  std::copy(of_features.begin(), of_features.end(), gradient.begin());
}

template <int dim>
void RadialContactModel<dim>::compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind kind,
                                                  std::span<double> gradient, RankOneSum<dim>& hessian) const {
  const Vec<4 * dim> of_features = derivatives_of(set.contacts[k], x, kind, hessian);
  std::copy(of_features.begin(), of_features.end(), gradient.begin());
}

template class RadialContactModel<2>;
template class RadialContactModel<3>;

}  // namespace clearance
