// Elementary functions that give the same bits on every processor. Those of the C library do not: glibc has variants
// with and without fused multiply-add and chooses between them when the program starts.
//
// The functions are evaluated by series in extended precision (math/extended.h) and rounded once. The error is below
// 0.51 units in the last place, that of `pow` below 1.2. If the result is infinite or not a number they agree with the
// C library. A call takes some 100 ns on x86-64; math/logarithm.h serves kernels.
#pragma once

namespace clearance::elementary {

double exp(double x);
double log(double x);
double log10(double x);
double log1p(double x);  ///< log(1 + x), accurate for small x
double pow(double x, double y);

double sin(double x);  ///< [rad] of any size: the angle is reduced exactly
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);

double hypot(double x, double y);  ///< sqrt(x^2 + y^2), without overflow on the way

double sinh(double x);
double cosh(double x);
double tanh(double x);

}  // namespace clearance::elementary
