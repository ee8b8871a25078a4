// Exact CCD as linear feasibility: the twin of the exact oracle for every minimum separation.
//
// At a fixed time, the pair is within d in the L-infinity norm exactly if the linear inequalities |F_k(t, u, v)| <= d
// and those of the domain of (u, v) have a solution [Fer23, sec. 3.6.1]. By Farkas' lemma and Caratheodory's
// theorem they have none exactly if at most three of them contradict one another; the multipliers are minors of their
// coefficients. Where that stops to be so, the combined right-hand side of the three is zero: the roots of these
// determinants are all the times at which a contact can begin. All are tested, none is jumped over.
#pragma once

#include <optional>

#include "clearance/ccd/exact_query.h"
#include "clearance/ccd/exact_time.h"

namespace clearance {

std::optional<ExactTime> find_first_feasible_time(const ExactQuery& query, double t_begin = 0.0);

}  // namespace clearance
