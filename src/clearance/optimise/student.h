// Quantiles of the normal distribution and of Student's t, for intervals of confidence.
#pragma once

namespace clearance::optimise {

/// Half the width of the interval that holds 95 % of a normal distribution of deviation one.
constexpr double normal_95 = 1.959963984540054;

/// The same for Student's distribution, with 1 or more degrees of freedom: the deviation is an estimate from so many
/// residuals beyond the number of parameters. Accurate to 1e-6.
double student_95(int degrees_of_freedom);

}  // namespace clearance::optimise
