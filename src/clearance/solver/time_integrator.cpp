#include "clearance/solver/time_integrator.h"

namespace clearance {

namespace {

/// BDF2 needs two past states; its first step is one of implicit Euler.
bool has_history(const State& state) {
  return state.x_prev.size() == state.x.size();
}

}  // namespace

InertialTarget predict(const IntegratorOptions& options, const State& state) {
  const double h = options.h;
  switch (options.method) {
    case TimeIntegrator::implicit_newmark: {
      const double beta = options.newmark_beta;
      return {state.x + h * state.v + (0.5 - beta) * h * h * state.a, beta * h * h, true};
    }
    case TimeIntegrator::bdf2:
      if (has_history(state)) {
        const VecX x_bar = (4.0 * state.x - state.x_prev) / 3.0;
        const VecX v_bar = (4.0 * state.v - state.v_prev) / 3.0;
        return {x_bar + (2.0 * h / 3.0) * v_bar, 4.0 * h * h / 9.0, true};
      }
      return {state.x + h * state.v, h * h, true};
    case TimeIntegrator::quasi_static:
      return {state.x, 1.0, false};
    case TimeIntegrator::implicit_euler:
      break;
  }
  return {state.x + h * state.v, h * h, true};
}

void commit(const IntegratorOptions& options, const InertialTarget& target, const VecX& x_t1, State& state) {
  const double h = options.h;
  VecX v_t1;
  switch (options.method) {
    case TimeIntegrator::implicit_newmark: {
      const VecX a_t1 = (x_t1 - target.x_tilde) / target.scale;
      v_t1 = state.v + h * ((1.0 - options.newmark_gamma) * state.a + options.newmark_gamma * a_t1);
      state.a = a_t1;
      break;
    }
    case TimeIntegrator::bdf2:
      v_t1 = has_history(state) ? VecX((x_t1 - (4.0 * state.x - state.x_prev) / 3.0) * (1.5 / h))
                                : VecX((x_t1 - state.x) / h);
      state.x_prev = state.x;
      state.v_prev = state.v;
      break;
    case TimeIntegrator::quasi_static:
    case TimeIntegrator::implicit_euler:
      v_t1 = (x_t1 - state.x) / h;
      break;
  }
  state.x = x_t1;
  state.v = v_t1;
  state.step += 1;
  state.time = state.step * h;
}

}  // namespace clearance
