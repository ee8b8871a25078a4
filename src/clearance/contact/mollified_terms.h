// Positive semi-definite Hessian of a barrier times the mollifier of nearly parallel edges [Fer23, eq. 2.24], as
// rank-one terms in closed form.
//
// With the edge vectors a and b, n = a x b, c = |n|^2, the mollifier e(c), the barrier B(d^2), the change nu of the
// distance and mu of |n|, the Hessian of e B without what the tangents contribute to e B' is
//   e (4 d^2 B'' + 2 B') nu^2 + 8 d B' e' |n| mu nu + B ((2 e' + 4 e'' c) mu^2 + 2 e' |dn_across|^2
//   + 4 e' |n| det(da, db)),
// where dn_across is the change of n across its direction, and det(da, db) that of the components in the plane of a and
// b. The first three terms are a 2 x 2 problem, the fourth is positive. The last has two positive directions, kept, and
// two negative ones; it is small, since |n| is where the mollifier is not 1. Each positive part is exact, so that their
// sum is at least the Hessian.
#pragma once

#include "clearance/contact/barrier.h"
#include "clearance/contact/contact_frame.h"
#include "clearance/contact/rank_one_sum.h"

namespace clearance {

/// Appends the terms of the contact at `positions`, times its weight; returns its gradient. `frame` and `barrier`
/// are those of the closest features.
Vec<12> add_mollified_terms(const Contact& contact, const ContactPositions<3>& positions, const ContactFrame<3>& frame,
                            const BarrierValue& barrier, RankOneSum<3>& sum);

}  // namespace clearance
