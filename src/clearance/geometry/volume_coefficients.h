// The volume function det dx/dxi of a Lagrange element by its Bernstein coefficients on parts of the element, with
// their derivatives: where all are positive the element is valid everywhere [Joh13].
#pragma once

#include <span>
#include <vector>

#include "clearance/math/lanes.h"

namespace clearance {

/// Of the elements of one order (1 to max_order): nodes as in geometry/lagrange.h, `dim` numbers each. Parts of depth d
/// are the 2^d simplices that halving the longest edge d times makes of a regular one. Constant; may be used from
/// several threads.
template <int dim>
class VolumeCoefficients {
 public:
  explicit VolumeCoefficients(int order);
  int order() const { return order_; }
  /// Of one part.
  int num_per_part() const;

  /// num_per_part() numbers for each of 2^depth parts, one part after the other.
  void values(std::span<const double> x, int depth, std::vector<double>& coefficients) const {
    values(x, depth, {}, coefficients);
  }
  /// `enough` has a number for the whole, for its halves, for theirs, ... (2^(depth + 1) - 1 in all): where no
  /// coefficient is below it those of the parts are left out, as infinite; of the whole as an empty result.
  void values(std::span<const double> x, int depth, std::span<const double> enough,
              std::vector<double>& coefficients) const;
  /// Of x + a dx: the cubic in a that each coefficient is, by its Bernstein coefficients on [0, 1].
  void values_on_way(std::span<const double> x, std::span<const double> dx, int depth, std::span<const double> enough,
                     std::vector<Lanes>& coefficients) const;
  /// gradient += the derivatives of the sum of weights times coefficients by the numbers in x.
  void add_gradient(std::span<const double> x, int depth, std::span<const double> weights,
                    std::span<double> gradient) const;
  /// The derivatives of single coefficients, given by their numbers among all: as many numbers as x has for each.
  void gradients(std::span<const double> x, int depth, std::span<const int> which,
                 std::vector<double>& gradients) const;
  /// The second derivatives of the sum, column-major and symmetric.
  void hessian(std::span<const double> x, int depth, std::span<const double> weights,
               std::vector<double>& hessian) const;

 private:
  int order_;
};

extern template class VolumeCoefficients<2>;
extern template class VolumeCoefficients<3>;

}  // namespace clearance
