// A time in [0, 1] that is known exactly: a rational number, or a root of a polynomial with integer coefficients.
//
// Comparisons and signs are exact and always terminate. They narrow what is stored, hence they are not const.
#pragma once

#include <gmpxx.h>

#include <optional>

#include "clearance/ccd/exact_polynomial.h"

namespace clearance {

class ExactTime {
 public:
  explicit ExactTime(mpq_class value) : value_(std::move(value)) {}
  explicit ExactTime(double value) : value_(value) {}
  /// The only root of p in the cell: p has one sign change there.
  ExactTime(ExactPolynomial p, DyadicCell cell);

  /// True if the time is strictly before t.
  bool is_before(double t);
  bool is_after(double t);

  struct Bracket {
    mpq_class low, high;  ///< low <= time <= high
  };
  /// Returns a bracket no wider than `width` > 0, or one of no width if the time is found to be rational.
  Bracket bracket(const mpq_class& width);
  /// The largest double that is not above the time.
  double round_down();

  /// Returns the sign of p at this time.
  int sign_of(const ExactPolynomial& p);
  /// Returns the sign of a - b.
  friend int compare(ExactTime& a, ExactTime& b);
  /// The first root of p in (time, 1]. p is not zero.
  friend std::optional<ExactTime> first_root_after(const ExactPolynomial& p, ExactTime& time);

 private:
  bool is_rational() const { return polynomial_.is_zero(); }
  void set_value(mpq_class value);
  void refine();
  void bisect();
  bool try_secant();
  int compare_to(const mpq_class& t);
  bool is_certainly_at_or_after(const DyadicCell& cell) const;

  mpq_class value_;             ///< if polynomial_ is zero
  ExactPolynomial polynomial_;  ///< otherwise: has one root in cell_, which is simple
  DyadicCell cell_;
  int sign_below_ = 0;          ///< of the polynomial in the cell below the root
  unsigned long num_bits_ = 2;  ///< that the next step of refine() tries to gain
};

}  // namespace clearance
