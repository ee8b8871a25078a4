// The two modes of a StateRunner.
#pragma once

#include "clearance/optimise/state_runner.h"

namespace clearance::optimise {

/// Forward mode, for designs that decide numbers of whole bodies.
std::unique_ptr<StateRunner> make_forward_runner(const PolyfemPlan& plan,
                                                 const std::shared_ptr<const derivatives::HeldContact>& held,
                                                 const std::function<bool()>& is_stop_wanted);
/// Reverse mode, for any design. It holds no contact of another run.
std::unique_ptr<StateRunner> make_reverse_runner(const PolyfemPlan& plan, const std::function<bool()>& is_stop_wanted);

}  // namespace clearance::optimise
