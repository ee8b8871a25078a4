// The volume function det dx/dxi of a Lagrange element by its Bernstein coefficients on parts of the element, with
// their derivatives. If all coefficients are positive, the element is valid everywhere [Joh13].
#pragma once

#include <span>
#include <vector>

#include "clearance/math/lanes.h"

namespace clearance {

/// Volume coefficients of the elements of one order (1 to max_order). Nodes are numbered as in geometry/lagrange.h,
/// with `dim` numbers each. The parts of depth d are the 2^d simplices that result from halving the longest edge of a
/// regular simplex d times. The object is constant and may be used from several threads.
template <int dim>
class VolumeCoefficients {
 public:
  explicit VolumeCoefficients(int order);
  int order() const { return order_; }
  /// Returns the number of coefficients of one part.
  int num_per_part() const;

  /// Computes num_per_part() numbers for each of 2^depth parts, one part after the other.
  void values(std::span<const double> x, int depth, std::vector<double>& coefficients) const {
    values(x, depth, {}, coefficients);
  }
  /// Computes the coefficients, omitting those that need no closer look. `enough` holds a limit for the whole, for its
  /// halves, for theirs, ... (2^(depth + 1) - 1 in all). If no coefficient of one of these is below its limit, the
  /// coefficients of its parts are set to infinity; for the whole, the result is empty.
  void values(std::span<const double> x, int depth, std::span<const double> enough,
              std::vector<double>& coefficients) const;
  /// Computes the coefficients of x + a dx. Each one is a cubic in a, given by its Bernstein coefficients on [0, 1].
  void values_on_way(std::span<const double> x, std::span<const double> dx, int depth, std::span<const double> enough,
                     std::vector<Lanes>& coefficients) const;
  /// Adds to `gradient` the derivatives of the sum of weights times coefficients with respect to the numbers in x.
  void add_gradient(std::span<const double> x, int depth, std::span<const double> weights,
                    std::span<double> gradient) const;
  /// Computes the derivatives of single coefficients, given by their numbers among all: as many numbers as x has for
  /// each.
  void gradients(std::span<const double> x, int depth, std::span<const int> which,
                 std::vector<double>& gradients) const;
  /// Computes the second derivatives of the sum of weights times coefficients, column-major and symmetric.
  void hessian(std::span<const double> x, int depth, std::span<const double> weights,
               std::vector<double>& hessian) const;

 private:
  int order_;
};

extern template class VolumeCoefficients<2>;
extern template class VolumeCoefficients<3>;

}  // namespace clearance
