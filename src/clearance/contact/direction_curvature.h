// Second derivatives of the scalars that a direction factor depends on: cosines between the gap of a contact and
// vectors of its surroundings, angles to boundaries, measures. Their sum is the part of the Hessian of the logarithm of
// the factor that comes from the curvature of these scalars.
#pragma once

#include <span>

#include "clearance/contact/contact_frame.h"
#include "clearance/contact/direction_vector.h"

namespace clearance {

template <int dim>
class DirectionCurvature {
 public:
  /// `places` is the number of places of the stencil, `positions` those of the vertices of the contact's features.
  DirectionCurvature(const Contact& contact, const ContactFrame<dim>& frame, const ContactPositions<dim>& positions,
                     std::size_t num_places);

  /// Each adds `coefficient` times the Hessian of a scalar.
  /// The cosine between `vector` and the gap, from the second feature to the first.
  void add_cosine(double coefficient, const DirectionVector<dim>& vector);
  /// Minus the sine of the angle between the gap of the contact and that of a boundary, whose frame is `frame` and
  /// whose vertices are at `places`.
  void add_boundary(double coefficient, double minus_sine, const ContactFrame<dim>& frame,
                    const std::array<std::size_t, 3>& places);
  /// Half the length of the vector.
  void add_half_length(double coefficient, const DirectionVector<dim>& vector);
  /// The squared length of a difference of positions.
  void add_squared_length(double coefficient, const PlaceDifference<dim>& difference);
  /// The distance of the contact.
  void add_distance(double coefficient);
  /// The product of two scalars with these gradients, as far as it does not come from their own Hessians.
  void add_product(double coefficient, std::span<const double> a, std::span<const double> b);

  const MatX& sum() const { return sum_; }
  /// Gradient of the distance of the contact.
  std::span<const double> distance_gradient() const { return distance_gradient_; }

 private:
  void add_block(const PlaceDifference<dim>& row, const PlaceDifference<dim>& column, const Mat<dim>& block);
  void add_blocks(const DirectionVector<dim>& vector, const Mat<dim>& of_value, const Vec<dim>& slope);
  void add_distance_sq(double coefficient, const ContactFrame<dim>& frame, std::span<const std::size_t> places);

  ContactFrame<dim> frame_;
  DirectionVector<dim> gap_;
  MatX sum_;
  std::vector<double> distance_gradient_;
};

extern template class DirectionCurvature<2>;
extern template class DirectionCurvature<3>;

}  // namespace clearance
