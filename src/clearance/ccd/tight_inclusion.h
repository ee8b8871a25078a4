// Tight inclusion CCD: bisection of (t, u, v) space with the tightest boxes around the images of boxes
// [Fer23, alg. 3.2, 3.3; minimum separation sec. 3.6].
//
// Differences to the text:
// - F is evaluated on differences of vertices, and the rounding bound is derived for that: it is linear in the size of
//   these differences, where [Fer23, eq. 3.5, 3.8] are cubic in the largest coordinate, and useless far from the
//   origin.
// - A box narrower than the tolerance is not refined; the boxes that start later are dropped, the others go on. The
//   result is the smallest start of such a box, as in [Fer23, alg. 3.2], and often found earlier.
// - The search starts from an interval that one separating direction proves free of impacts, so that a gap smaller than
//   the tolerance does not give a time of zero.
#pragma once

#include "clearance/ccd/ccd_result.h"
#include "clearance/ccd/relative_motion.h"

namespace clearance {

/// F(t, u, v) = p(t) + u a(t) + v b(t), each linear in t: zero where the primitives meet [Fer23, eq. 3.1 and 3.2].
template <int dim>
struct InclusionFunction {
  struct Ends {
    Vec<dim> t0 = Vec<dim>::Zero();
    Vec<dim> t1 = Vec<dim>::Zero();
  };
  Ends p, a, b;
  int num_parameters = 0;    ///< 0: point-point; 1: point-edge, u only; 2
  bool is_triangle = false;  ///< the domain is u + v <= 1
};

struct InclusionSearch {
  double separation = 0.0;  ///< [m] L-infinity norm of F that counts as contact
  double tolerance = 1e-6;  ///< [m] width of a box that counts as a root
  double min_time = 0.0;    ///< known to be free of contact until here
  double max_time = 1.0;
  int max_iterations = 1000000;
};

/// First time in [min_time, max_time] at which the L-infinity norm of F falls to `separation`.
template <int dim>
CcdResult tight_inclusion_ccd(const InclusionFunction<dim>& function, const InclusionSearch& search);

}  // namespace clearance
