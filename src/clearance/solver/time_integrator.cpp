#include "clearance/solver/time_integrator.h"

#include <algorithm>

namespace clearance {

namespace {

/// True if the state has the two past states that BDF2 needs; its first step is one of implicit Euler.
bool has_history(const State& state) {
  return state.x_prev.size() == state.x.size();
}

/// Returns the target of restarted BDF2, with implicit Euler for some blocks, which need not have a history.
InertialTarget mixed_target(double h, const State& state, const std::vector<char>& is_first_order) {
  InertialTarget target{state.x + h * state.v, h * h, true, {}, {}};
  if (std::all_of(is_first_order.begin(), is_first_order.end(), [](char flag) { return flag != 0; })) return target;
  // One objective has one scale. A mass factor of 4/9 gives a block of implicit Euler its scale h^2.
  target.scale = 4.0 * h * h / 9.0;
  const auto num_blocks = static_cast<Eigen::Index>(is_first_order.size()), dim = state.x.size() / num_blocks;
  for (Eigen::Index b = 0; b < num_blocks; ++b) {
    const bool is_euler = is_first_order[b] != 0;
    target.mass_factors.push_back(is_euler ? 4.0 / 9.0 : 1.0);
    if (is_euler) continue;
    const auto of = [&](const VecX& all) { return all.segment(dim * b, dim); };
    target.x_tilde.segment(dim * b, dim) =
        (4.0 * of(state.x) - of(state.x_prev)) / 3.0 + (2.0 * h / 9.0) * (4.0 * of(state.v) - of(state.v_prev));
  }
  return target;
}

}  // namespace

InertialTarget predict(const IntegratorOptions& options, const State& state) {
  const double h = options.h;
  switch (options.method) {
    case TimeIntegrator::implicit_newmark: {
      const double beta = options.newmark_beta;
      // Newmark's formula is x_t1 = x + h v + h^2 ((1/2 - beta) a + beta a_t1). With M a_t1 = -grad V it says that M
      // (x_t1 - x_tilde) + beta h^2 grad V is zero, the gradient of the objective.
      return {state.x + h * state.v + (0.5 - beta) * h * h * state.a, beta * h * h, true, {}, {}};
    }
    case TimeIntegrator::bdf2:
      if (has_history(state)) {
        // BDF2 has x_t1 = x_bar + 2 h / 3 v_t1 and v_t1 = v_bar + 2 h / 3 a_t1. The second one put into the first
        // gives x_tilde and the scale (2 h / 3)^2.
        const VecX x_bar = (4.0 * state.x - state.x_prev) / 3.0;
        const VecX v_bar = (4.0 * state.v - state.v_prev) / 3.0;
        return {x_bar + (2.0 * h / 3.0) * v_bar, 4.0 * h * h / 9.0, true, {}, {}};
      }
      break;
    case TimeIntegrator::bdf2_restarted: {
      InertialTarget target;
      restart(options, state, std::vector<char>(state.has_history.size(), 0), target);
      return target;
    }
    case TimeIntegrator::quasi_static:
      return {state.x, 1.0, false, {}, {}};
    case TimeIntegrator::implicit_euler:
      break;
  }
  return {state.x + h * state.v, h * h, true, {}, {}};
}

void restart(const IntegratorOptions& options, const State& state, std::vector<char> is_hit, InertialTarget& target) {
  std::vector<char> is_first_order = is_hit;
  for (std::size_t b = 0; b < is_hit.size(); ++b) {
    if (state.has_history.empty() || state.has_history[b] == 0) is_first_order[b] = 1;
  }
  target = mixed_target(options.h, state, is_first_order);
  target.is_hit = std::move(is_hit);
}

namespace {

/// Sets the velocity and the acceleration of Newmark's method.
void set_newmark_velocity(const IntegratorOptions& options, const InertialTarget& target, const VecX& x_t1,
                          State& state, VecX& v_t1) {
  // The acceleration follows from Newmark's formula for the position, the velocity from that for the velocity.
  const VecX a_t1 = (x_t1 - target.x_tilde) / target.scale;
  v_t1 = state.v + options.h * ((1.0 - options.newmark_gamma) * state.a + options.newmark_gamma * a_t1);
  state.a = a_t1;
}

/// Sets the velocity of the blocks that follow BDF2, (x_t1 - (4 x - x_prev) / 3) 3 / (2 h).
void set_bdf2_velocity(double h, const InertialTarget& target, const VecX& x_t1, const State& state, VecX& v_t1) {
  const auto num_blocks = static_cast<Eigen::Index>(target.is_hit.size());
  // Bodies that were hit keep the velocity of implicit Euler.
  for (Eigen::Index b = 0; b < num_blocks && target.scale < h * h; ++b) {
    if (target.mass_factor(static_cast<int>(b)) < 1.0) continue;
    const Eigen::Index dim = x_t1.size() / num_blocks, at = dim * b;
    v_t1.segment(at, dim) =
        (x_t1.segment(at, dim) - (4.0 * state.x.segment(at, dim) - state.x_prev.segment(at, dim)) / 3.0) * (1.5 / h);
  }
}

}  // namespace

void commit(const IntegratorOptions& options, const InertialTarget& target, const VecX& x_t1, State& state) {
  const double h = options.h;
  VecX v_t1 = (x_t1 - state.x) / h;
  switch (options.method) {
    case TimeIntegrator::implicit_newmark:
      set_newmark_velocity(options, target, x_t1, state, v_t1);
      break;
    case TimeIntegrator::bdf2:
      // The first step is one of implicit Euler.
      if (has_history(state)) v_t1 = (x_t1 - (4.0 * state.x - state.x_prev) / 3.0) * (1.5 / h);
      state.x_prev = state.x;
      state.v_prev = state.v;
      break;
    case TimeIntegrator::bdf2_restarted:
      set_bdf2_velocity(h, target, x_t1, state, v_t1);
      state.x_prev = state.x;
      state.v_prev = state.v;
      state.has_history = target.is_hit;
      for (char& flag : state.has_history) flag = flag != 0 ? 0 : 1;
      break;
    case TimeIntegrator::quasi_static:
    case TimeIntegrator::implicit_euler:
      break;
  }
  state.x = x_t1;
  state.v = v_t1;
  state.step += 1;
  // The time is a product and no running sum, so that a run that is resumed has the same bits.
  state.time = state.step * h;
}

void start_anew(const IntegratorOptions& options, const VecX& x_t0, State& state) {
  state.v = (state.x - x_t0) / options.h;
  state.x_prev.resize(0);
  state.v_prev.resize(0);
}

}  // namespace clearance
