// Differences of fourth order.
#pragma once

#include <type_traits>

namespace clearance {

/// Returns the derivative at zero of a function of one number, from its values at one and two lengths on both sides.
template <class Function>
auto fourth_order_slope(double length, const Function& function) {
  using Value = std::decay_t<decltype(function(length))>;
  Value slope = 8.0 * (function(length) - function(-length)) - (function(2.0 * length) - function(-2.0 * length));
  slope /= 12.0 * length;
  return slope;
}

}  // namespace clearance
