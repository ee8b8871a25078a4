// The smoothed Heaviside function of [Hua24, sec. 4.2] and what the orientation-aware formulation makes of it.
#pragma once

namespace clearance {

/// Value and derivatives by the argument.
struct StepValue {
  double value = 0.0;
  double first = 0.0;
  double second = 0.0;

  bool is_constant() const { return first == 0.0 && second == 0.0; }
};

/// Returns H of [Hua24, sec. 4.2]: 0 up to -3, 1 from 0 on, twice differentiable. Its logarithm is concave, and so is
/// that of 1 - H.
inline StepValue smooth_step(double z) {
  if (z < -3.0) return {0.0, 0.0, 0.0};
  if (z < -2.0) {
    const double s = z + 3.0;
    return {s * s * s / 6.0, 0.5 * s * s, s};
  }
  if (z < -1.0) return {(3.0 - 9.0 * z - 9.0 * z * z - 2.0 * z * z * z) / 6.0, -1.5 - 3.0 * z - z * z, -3.0 - 2.0 * z};
  if (z < 0.0) return {1.0 + z * z * z / 6.0, 0.5 * z * z, z};
  return {1.0, 0.0, 0.0};
}

/// Returns the smooth step of a cosine: 0 up to -alpha, 1 from -alpha / 3 on. Nearly flat surroundings have factors of
/// exactly 1 [Hua24, eq. 6, with b = -alpha / 3].
inline StepValue smooth_step_of_cosine(double cosine, double alpha) {
  const double slope = 4.5 / alpha;
  StepValue step = smooth_step(slope * cosine + 1.5);
  step.first *= slope;
  step.second *= slope * slope;
  return step;
}

/// Returns the published step of a cosine: 0 up to -alpha, 1 from 0 on.
inline StepValue published_step(double cosine, double alpha) {
  const double slope = 3.0 / alpha;
  StepValue step = smooth_step(slope * cosine);
  step.first *= slope;
  step.second *= slope * slope;
  return step;
}

/// Returns the published mollifier, for pairs that end. Its argument is minus the sine of the angle between the gap and
/// the gap to the boundary. It is 0 where the sine is 0, and 1 once the boundary is half a percent farther away.
inline StepValue published_mollifier(double minus_sine) {
  const double s2 = minus_sine * minus_sine, c2 = 1.0 - s2;
  const double z = 100.0 * s2 / c2;
  if (z >= 1.0) return {1.0, 0.0, 0.0};
  const double slope = 200.0 * minus_sine / (c2 * c2), curvature = 200.0 * (1.0 + 3.0 * s2) / (c2 * c2 * c2);
  return {z * (2.0 - z), 2.0 * (1.0 - z) * slope, 2.0 * (1.0 - z) * curvature - 2.0 * slope * slope};
}

/// Tests smoothly whether a facet faces a contact, by the cosine between its normal and the direction of the contact: 1
/// up to 18 degrees (a facet of a curved surface faces it), 0 from 37 degrees on (the sides of a corner do not).
inline StepValue facing_step(double cosine) {
  constexpr double low = 0.8, high = 0.95, slope = 3.0 / (high - low);
  StepValue step = smooth_step(slope * (cosine - high));
  step.first *= slope;
  step.second *= slope * slope;
  return step;
}

}  // namespace clearance
