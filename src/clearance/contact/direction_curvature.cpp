#include "clearance/contact/direction_curvature.h"

#include <cmath>

namespace clearance {

namespace {

constexpr std::array<std::size_t, 4> feature_places = {0, 1, 2, 3};

/// Returns a vector along the gap, from the second feature to the first.
template <int dim>
DirectionVector<dim> gap_vector(const Contact& contact, const ContactFrame<dim>& frame,
                                const ContactPositions<dim>& x) {
  const auto between = [&](std::size_t to, std::size_t from) {
    return PlaceDifference<dim>{to, from, x[to] - x[from]};
  };
  const auto outwards = [&](DirectionVector<dim> vector) {
    if (vector.value().dot(frame.normal) < 0.0) vector.reverse();
    return vector;
  };
  switch (contact.kind) {
    case ContactKind::point_point:
      return DirectionVector<dim>::along(between(0, 1));
    case ContactKind::point_edge:
      return DirectionVector<dim>::across(between(0, 1), between(2, 1));
    case ContactKind::point_triangle:
      if constexpr (dim == 3) return outwards(DirectionVector<3>::product(between(2, 1), between(3, 1)));
      break;
    case ContactKind::edge_edge:
      if constexpr (dim == 3) return outwards(DirectionVector<3>::product(between(1, 0), between(3, 2)));
      break;
    case ContactKind::half_space:
    case ContactKind::mollified_edge_edge:
      break;
  }
  return DirectionVector<dim>::fixed(frame.normal);
}

}  // namespace

template <int dim>
DirectionCurvature<dim>::DirectionCurvature(const Contact& contact, const ContactFrame<dim>& frame,
                                            const ContactPositions<dim>& positions, std::size_t num_places)
    : frame_(frame),
      gap_(gap_vector<dim>(contact, frame, positions)),
      sum_(MatX::Zero(dim * static_cast<Eigen::Index>(num_places), dim * static_cast<Eigen::Index>(num_places))),
      distance_gradient_(dim * num_places, 0.0) {
  for (int i = 0; i < frame.num_vertices; ++i) {
    for (int c = 0; c < dim; ++c) distance_gradient_[dim * i + c] = frame.weights[i] * frame.normal[c];
  }
}

template <int dim>
void DirectionCurvature<dim>::add_block(const PlaceDifference<dim>& row, const PlaceDifference<dim>& column,
                                        const Mat<dim>& block) {
  const auto at = [&](std::size_t a, std::size_t b) { return sum_.template block<dim, dim>(dim * a, dim * b); };
  at(row.to, column.to) += block;
  at(row.from, column.from) += block;
  at(row.to, column.from) -= block;
  at(row.from, column.to) -= block;
}

/// Adds the Hessian of a function of the value of a vector, which has there the gradient `slope` and the Hessian
/// `of_value`.
template <int dim>
void DirectionCurvature<dim>::add_blocks(const DirectionVector<dim>& vector, const Mat<dim>& of_value,
                                         const Vec<dim>& slope) {
  for (int i = 0; i < vector.num_differences(); ++i) {
    for (int j = 0; j < vector.num_differences(); ++j) {
      const Mat<dim> block = vector.slope(i).transpose() * of_value * vector.slope(j) + vector.curvature(i, j, slope);
      add_block(vector.difference(i), vector.difference(j), block);
    }
  }
}

/// With f = a . g of two unit vectors along A and G, the gradient by A is (g - f a) / |A|, and the same rule again
/// gives the second derivatives.
template <int dim>
void DirectionCurvature<dim>::add_cosine(double coefficient, const DirectionVector<dim>& vector) {
  const double length_a = vector.value().norm(), length_g = gap_.value().norm();
  const Vec<dim> a = vector.value() / length_a, g = gap_.value() / length_g;
  const double f = a.dot(g);
  const Vec<dim> across_a = g - f * a, across_g = a - f * g;
  const Mat<dim> aa = a * a.transpose(), gg = g * g.transpose(), one = Mat<dim>::Identity();
  const auto own = [&](const Vec<dim>& unit, const Vec<dim>& across, const Mat<dim>& square, double length) {
    const Mat<dim> mixed = unit * across.transpose();
    return Mat<dim>(-coefficient / (length * length) * (mixed + mixed.transpose() + f * (one - square)));
  };
  add_blocks(vector, own(a, across_a, aa, length_a), coefficient / length_a * across_a);
  add_blocks(gap_, own(g, across_g, gg, length_g), coefficient / length_g * across_g);
  const Mat<dim> both = coefficient / (length_a * length_g) * (one - aa - gg + f * a * g.transpose());
  for (int i = 0; i < vector.num_differences(); ++i) {
    for (int j = 0; j < gap_.num_differences(); ++j) {
      const Mat<dim> block = vector.slope(i).transpose() * both * gap_.slope(j);
      add_block(vector.difference(i), gap_.difference(j), block);
      add_block(gap_.difference(j), vector.difference(i), block.transpose());
    }
  }
}

/// The Hessian of half the squared distance is u u^T - sum_j z_j z_j^T (contact_frame.h).
template <int dim>
void DirectionCurvature<dim>::add_distance_sq(double coefficient, const ContactFrame<dim>& frame,
                                              std::span<const std::size_t> places) {
  for (int i = 0; i < frame.num_vertices; ++i) {
    for (int k = 0; k < frame.num_vertices; ++k) {
      Mat<dim> block = frame.weights[i] * frame.weights[k] * Mat<dim>::Identity();
      for (int j = 0; j < frame.num_tangents; ++j) {
        const auto part = [&](int at) {
          return Vec<dim>(frame.weights[at] * frame.tangents[j] + frame.distance * frame.tilts[j][at] * frame.normal);
        };
        block -= part(i) * part(k).transpose();
      }
      sum_.template block<dim, dim>(dim * places[i], dim * places[k]) += 2.0 * coefficient * block;
    }
  }
}

template <int dim>
void DirectionCurvature<dim>::add_distance(double coefficient) {
  // The Hessian of d is that of d^2 over 2 d, less the square of its gradient over d.
  add_distance_sq(0.5 * coefficient / frame_.distance, frame_, feature_places);
  add_product(-0.5 * coefficient / frame_.distance, distance_gradient_, distance_gradient_);
}

template <int dim>
void DirectionCurvature<dim>::add_product(double coefficient, std::span<const double> a, std::span<const double> b) {
  const Eigen::Map<const VecX> of_a(a.data(), std::ssize(a)), of_b(b.data(), std::ssize(b));
  sum_.noalias() += coefficient * of_a * of_b.transpose();
  sum_.noalias() += coefficient * of_b * of_a.transpose();
}

template <int dim>
void DirectionCurvature<dim>::add_squared_length(double coefficient, const PlaceDifference<dim>& difference) {
  add_block(difference, difference, 2.0 * coefficient * Mat<dim>::Identity());
}

template <int dim>
void DirectionCurvature<dim>::add_half_length(double coefficient, const DirectionVector<dim>& vector) {
  const double length = vector.value().norm();
  const Vec<dim> unit = vector.value() / length;
  add_blocks(vector, 0.5 * coefficient / length * (Mat<dim>::Identity() - unit * unit.transpose()),
             0.5 * coefficient * unit);
}

/// With q the squared ratio of the distances, the scalar is s = -sqrt(1 - q), and ds/dq = -1 / (2 s).
template <int dim>
void DirectionCurvature<dim>::add_boundary(double coefficient, double s, const ContactFrame<dim>& frame,
                                           const std::array<std::size_t, 3>& places) {
  const double own = frame_.distance * frame_.distance, other = frame.distance * frame.distance, q = own / other;
  const double first = -0.5 * coefficient / s, second = -0.25 * coefficient / (s * s * s);
  std::vector<double> of_own = distance_gradient_, of_other(of_own.size(), 0.0), of_q(of_own.size());
  for (double& slope : of_own) slope *= 2.0 * frame_.distance;
  for (int i = 0; i < frame.num_vertices; ++i) {
    Eigen::Map<Vec<dim>>(of_other.data() + dim * places[i]) = 2.0 * frame.distance * frame.weights[i] * frame.normal;
  }
  for (std::size_t i = 0; i < of_q.size(); ++i) of_q[i] = (of_own[i] - q * of_other[i]) / other;
  // q = X / Y has the Hessian X'' / Y - (X' q'^T + ... ) as the quotient rule says, twice.
  add_distance_sq(first / other, frame_, feature_places);
  add_distance_sq(-first * q / other, frame, places);
  add_product(-first / other, of_q, of_other);
  add_product(0.5 * second, of_q, of_q);
}

template class DirectionCurvature<2>;
template class DirectionCurvature<3>;

}  // namespace clearance
