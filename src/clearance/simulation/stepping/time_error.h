// The error of the length of a step, estimated from how the accelerations change in it.
#pragma once

#include "clearance/model/model.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/step_forces.h"

namespace clearance {

/// Estimates the error of the step from `before` to `after`: the largest share of a body's momentum by which methods of
/// the first and the second order differ, h / 2 |a_t1 - a_t0|, summed with the masses. The momentum is the largest that
/// the body has had, or that of `least_speed` [m/s]. Prescribed blocks do not count.
///
/// Contacts of stiff bodies end motion along their normals at once, whatever the length of the step is. There counts
/// the error of the place instead, as a share of the body's radius, and the momentum along the surfaces, which friction
/// changes. `forces` are those of the step.
///
/// Sets the accelerations and the largest speeds of `after`, which the next estimate needs.
template <int dim>
double estimate_time_error(const Model& model, const IntegratorOptions& options, const PrescribedTargets& targets,
                           double least_speed, const StepForces& forces, const State& before, State& after);

extern template double estimate_time_error<2>(const Model&, const IntegratorOptions&, const PrescribedTargets&, double,
                                              const StepForces&, const State&, State&);
extern template double estimate_time_error<3>(const Model&, const IntegratorOptions&, const PrescribedTargets&, double,
                                              const StepForces&, const State&, State&);

}  // namespace clearance
