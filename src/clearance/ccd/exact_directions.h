// The directions that can separate a pair, and their margins as polynomials in time (ccd/exact_ccd.h).
#pragma once

#include <array>
#include <vector>

#include "clearance/ccd/exact_polynomial.h"
#include "clearance/ccd/exact_query.h"

namespace clearance {

class SeparatingDirections {
 public:
  explicit SeparatingDirections(const ExactQuery& query);

  bool has_min_separation() const { return min_separation_ != 0; }
  int count() const { return 4 + 3 * num_edges_; }

  /// Direction 0 is the normal, then come the axes, then the cross products.
  struct Direction {
    std::array<ExactPolynomial, 3> n;      ///< only with a minimum separation, except of the normal
    std::vector<ExactPolynomial> heights;  ///< n . r_k, of corners that differ in them
  };
  Direction direction(int i) const;

  /// Positive at the same time exactly where the direction has all corners on the given side (1 or -1) of the cube:
  /// side n . r_k - d |n|_1, the norm as the largest of its signed sums. Without minimum separation: the heights.
  std::vector<ExactPolynomial> margins(Direction direction, int side) const;

 private:
  using Vector = std::array<ExactPolynomial, 3>;
  Direction normal() const;
  Direction axis(int i) const;
  Direction cross_product(int edge, int i) const;

  std::vector<Vector> corners_;  ///< three of a triangle, four of a parallelogram, in the order of the outline
  std::vector<Vector> edges_;    ///< from each corner to the next
  int num_edges_;                ///< that are not parallel by construction: three or two
  mpz_class min_separation_;
};

}  // namespace clearance
