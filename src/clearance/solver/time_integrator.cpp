#include "clearance/solver/time_integrator.h"

#include <algorithm>

namespace clearance {

namespace {

/// True if the state has the two past states that BDF2 needs; its first step is one of implicit Euler.
bool has_history(const State& state) {
  return state.x_prev.size() == state.x.size();
}

/// BDF2 after a step of another length [Hai93, III.5]: x_t1 = x_bar + c v_t1 and v_t1 =
/// v_bar + c a_t1, where x_bar = ((1 + w)^2 x - w^2 x_prev) / (1 + 2 w), c = h (1 + w) / (1 + 2 w), and w is the length
/// of the step over that of the last one.
struct Bdf2 {
  double h, of_now, of_before, sum;  // [s], (1 + w)^2, w^2, 1 + 2 w

  Bdf2(double length, const State& state) : h(length) {
    const double w = state.h_prev > 0.0 ? h / state.h_prev : 1.0;
    of_now = (1.0 + w) * (1.0 + w);
    of_before = w * w;
    sum = 1.0 + 2.0 * w;
  }
  double root() const { return 0.5 * (1.0 + sum); }  // 1 + w
  double c() const { return root() * h / sum; }
  double scale() const { return of_now * h * h / (sum * sum); }  // c^2
  /// Share of h^2.
  double factor() const { return of_now / (sum * sum); }
  template <class Now, class Before>
  auto bar(const Now& now, const Before& before) const {
    return (of_now * now - of_before * before) / sum;
  }
};

/// True in the first step of a scene, in which BDF2 has no past.
bool is_start(const IntegratorOptions& options, const State& state) {
  return options.method == TimeIntegrator::bdf2_in_flight && state.step == 0 && state.x_prev.size() == 0;
}

/// Share of h^2 in the scale of a formula. The one without a past is x_t1 = x + h v + h^2 a_t1 / 2 and v_t1 =
/// 2 (x_t1 - x) / h - v: what falls is then where it should be. A step of implicit Euler would be h^2 a / 2 ahead, a
/// tenth of a flight of ten steps.
double share_of(StepFormula formula, const Bdf2& bdf2) {
  switch (formula) {
    case StepFormula::implicit_euler:
      return 1.0;
    case StepFormula::without_past:
      return 0.5;
    case StepFormula::bdf2:
      break;
  }
  return bdf2.factor();
}

/// Returns the target of restarted BDF2; blocks of `bdf2` alone need a past.
InertialTarget mixed_target(double h, const State& state, const std::vector<StepFormula>& formulas) {
  InertialTarget target{state.x + h * state.v, h * h};
  if (formulas.empty()) return target;
  // One objective has one scale, that of the highest formula. A factor of its mass gives a block of another formula its
  // own: 4/9 (steps of one length) gives implicit Euler h^2 beside BDF2.
  const auto [lowest, highest] = std::minmax_element(formulas.begin(), formulas.end());
  const Bdf2 bdf2(h, state);
  const double share = share_of(*highest, bdf2);
  target.scale = share * h * h;
  const auto num_blocks = static_cast<Eigen::Index>(formulas.size()), dim = state.x.size() / num_blocks;
  if (*lowest != *highest) target.mass_factors.reserve(formulas.size());
  for (Eigen::Index b = 0; b < num_blocks; ++b) {
    if (*lowest != *highest) target.mass_factors.push_back(share / share_of(formulas[b], bdf2));
    if (formulas[b] != StepFormula::bdf2) continue;
    const auto of = [&](const VecX& all) { return all.segment(dim * b, dim); };
    target.x_tilde.segment(dim * b, dim) =
        (bdf2.of_now * of(state.x) - bdf2.of_before * of(state.x_prev)) / bdf2.sum +
        (bdf2.root() * h / (bdf2.sum * bdf2.sum)) * (bdf2.of_now * of(state.v) - bdf2.of_before * of(state.v_prev));
  }
  return target;
}

/// Returns the formula of each block, which is the lowest that a block of its body needs; bodies that are led as a
/// whole have implicit Euler.
std::vector<StepFormula> find_formulas(const State& state, bool is_first, const std::vector<int>& body_of_block,
                                       const RestartMarks& marks) {
  const auto num_blocks = static_cast<int>(marks.is_hit.size());
  const auto has = [](const std::vector<char>& flags, int block) { return !flags.empty() && flags[block] != 0; };
  const auto body_of = [&](int block) { return body_of_block.empty() ? block : body_of_block[block]; };
  int num_bodies = num_blocks;
  for (const int body : body_of_block) num_bodies = std::max(num_bodies, body + 1);
  std::vector<StepFormula> of_bodies(num_bodies, StepFormula::bdf2);
  std::vector<char> is_free(num_bodies, 0);
  for (int b = 0; b < num_blocks; ++b) {
    if (has(marks.is_led, b)) continue;
    const int body = body_of(b);
    is_free[body] = 1;
    StepFormula formula = StepFormula::implicit_euler;
    if (is_first) {
      const bool is_jerked = !state.has_history.empty() && state.has_history[b] == 0;
      if (marks.is_hit[b] == 0 && !is_jerked) formula = StepFormula::without_past;
    } else if (marks.is_hit[b] == 0) {
      if (has(marks.is_flying, b)) formula = StepFormula::without_past;
      if (has(state.has_history, b)) formula = StepFormula::bdf2;
    }
    of_bodies[body] = std::min(of_bodies[body], formula);
  }
  std::vector<StepFormula> formulas;
  formulas.reserve(num_blocks);
  for (int b = 0; b < num_blocks; ++b) {
    formulas.push_back(is_free[body_of(b)] != 0 ? of_bodies[body_of(b)] : StepFormula::implicit_euler);
  }
  return formulas;
}

}  // namespace

InertialTarget predict(const IntegratorOptions& options, const State& state) {
  const double h = options.h;
  switch (options.method) {
    case TimeIntegrator::implicit_newmark: {
      const double beta = options.newmark_beta;
      // Newmark's formula is x_t1 = x + h v + h^2 ((1/2 - beta) a + beta a_t1). With M a_t1 = -grad V it says that M
      // (x_t1 - x_tilde) + beta h^2 grad V is zero, the gradient of the objective.
      return {state.x + h * state.v + (0.5 - beta) * h * h * state.a, beta * h * h};
    }
    case TimeIntegrator::bdf2:
      if (has_history(state)) {
        // v_t1 = v_bar + c a_t1 put into x_t1 = x_bar + c v_t1 gives x_tilde and the scale c^2.
        const Bdf2 bdf2(h, state);
        const VecX x_bar = bdf2.bar(state.x, state.x_prev), v_bar = bdf2.bar(state.v, state.v_prev);
        return {x_bar + bdf2.c() * v_bar, bdf2.scale()};
      }
      break;
    case TimeIntegrator::bdf2_restarted:
    case TimeIntegrator::bdf2_in_flight: {
      InertialTarget target;
      restart(options, state, {}, {std::vector<char>(state.has_history.size(), 0)}, target);
      return target;
    }
    case TimeIntegrator::quasi_static:
      return {state.x, 1.0, false};
    case TimeIntegrator::implicit_euler:
      break;
  }
  return {state.x + h * state.v, h * h};
}

void restart(const IntegratorOptions& options, const State& state, const std::vector<int>& body_of_block,
             RestartMarks marks, InertialTarget& target) {
  const double h = options.h;
  std::vector<StepFormula> formulas = find_formulas(state, is_start(options, state), body_of_block, marks);
  target = mixed_target(h, state, formulas);
  const auto num_blocks = static_cast<Eigen::Index>(marks.is_led.size());
  for (Eigen::Index b = 0; b < num_blocks; ++b) {
    if (marks.is_led[b] == 0) continue;
    marks.is_hit[b] = 1;
    if (formulas[b] == StepFormula::implicit_euler) continue;
    formulas[b] = StepFormula::implicit_euler;
    // A target that is the scale times the acceleration behind the end gives its neighbours, and the reaction, the
    // acceleration of implicit Euler, (x_t1 - x - h v) / h^2, with the mass factor of the body.
    const Eigen::Index dim = state.x.size() / num_blocks, at = dim * b;
    const auto of = [&](const VecX& all) { return all.segment(at, dim); };
    target.x_tilde.segment(at, dim) =
        of(marks.x_led) - target.scale / (h * h) * (of(marks.x_led) - of(state.x) - h * of(state.v));
  }
  target.is_hit = std::move(marks.is_hit);
  target.formulas = std::move(formulas);
}

LinearFormula formula_of(const IntegratorOptions& options, const State& state, const InertialTarget& target,
                         int block) {
  const double h = options.h;
  StepFormula formula = StepFormula::implicit_euler;
  if (!target.formulas.empty()) formula = target.formulas[block];
  if (options.method == TimeIntegrator::bdf2 && has_history(state)) formula = StepFormula::bdf2;
  switch (formula) {
    case StepFormula::implicit_euler:
      break;
    case StepFormula::without_past:
      return {.of_v = h, .rate = 2.0 / h, .rate_v = -1.0};
    case StepFormula::bdf2: {
      const Bdf2 bdf2(h, state);
      const double of_velocities = bdf2.root() * h / (bdf2.sum * bdf2.sum), rate = bdf2.sum / bdf2.root() / h;
      return {.of_prev = -bdf2.of_before / bdf2.sum,
              .of_v = bdf2.of_now * of_velocities,
              .of_v_prev = -bdf2.of_before * of_velocities,
              .rate = rate,
              .rate_prev = rate * bdf2.of_before / bdf2.sum};
    }
  }
  return {.of_v = h, .rate = 1.0 / h};
}

InertialFormula inertial_formula(const IntegratorOptions& options, const State& state, const InertialTarget& target,
                                 int block) {
  if (!target.has_inertia) return {};
  InertialFormula formula{.weight = target.mass_factor(block) / target.scale};
  if (options.method == TimeIntegrator::implicit_newmark) {
    // The acceleration at the end is weight (q_t1 - q_tilde), and v_t1 = v + h ((1 - gamma) a + gamma a_t1).
    const double share = options.newmark_gamma / options.newmark_beta;
    formula.of_v = options.h;
    formula.of_a = (0.5 - options.newmark_beta) * options.h * options.h;
    formula.rate = share / options.h;
    formula.rate_v = 1.0 - share;
    formula.rate_a = options.h * (1.0 - 0.5 * share);
    return formula;
  }
  const LinearFormula linear = formula_of(options, state, target, block);
  formula.of_prev = linear.of_prev;
  formula.of_v = linear.of_v;
  formula.of_v_prev = linear.of_v_prev;
  formula.rate = linear.rate;
  formula.rate_prev = linear.rate_prev;
  formula.rate_v = linear.rate_v;
  return formula;
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

/// Sets the velocities of the blocks whose formula is not implicit Euler.
void set_second_order_velocities(double h, const InertialTarget& target, const VecX& x_t1, const State& state,
                                 VecX& v_t1) {
  const Bdf2 bdf2(h, state);
  const auto num_blocks = static_cast<Eigen::Index>(target.formulas.size());
  for (Eigen::Index b = 0; b < num_blocks; ++b) {
    const Eigen::Index dim = v_t1.size() / num_blocks, at = dim * b;
    const auto of = [&](const VecX& all) { return all.segment(at, dim); };
    if (target.formulas[b] == StepFormula::without_past) {
      v_t1.segment(at, dim) = (2.0 / h) * (of(x_t1) - of(state.x)) - of(state.v);
    } else if (target.formulas[b] == StepFormula::bdf2) {
      // v_t1 = (x_t1 - x_bar) / c
      v_t1.segment(at, dim) = (of(x_t1) - bdf2.bar(of(state.x), of(state.x_prev))) * (bdf2.sum / bdf2.root() / h);
    }
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
      if (has_history(state)) {
        const Bdf2 bdf2(h, state);
        v_t1 = (x_t1 - bdf2.bar(state.x, state.x_prev)) * (bdf2.sum / bdf2.root() / h);
      }
      state.x_prev = state.x;
      state.v_prev = state.v;
      break;
    case TimeIntegrator::bdf2_restarted:
    case TimeIntegrator::bdf2_in_flight:
      set_second_order_velocities(h, target, x_t1, state, v_t1);
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

void set_accelerations(const IntegratorOptions& options, const State& before, State& after) {
  const double h = options.h;
  if (options.method == TimeIntegrator::implicit_newmark) return;
  after.a = (after.v - before.v) / h;
  if (options.method == TimeIntegrator::implicit_euler || !has_history(before)) return;
  const Bdf2 bdf2(h, before);
  const VecX of_bdf2 = (after.v - bdf2.bar(before.v, before.v_prev)) / bdf2.c();
  if (options.method == TimeIntegrator::bdf2) {
    after.a = of_bdf2;
    return;
  }
  const auto num_blocks = static_cast<Eigen::Index>(after.has_history.size());
  if (num_blocks == 0) return;
  const Eigen::Index dim = after.v.size() / num_blocks;
  for (Eigen::Index b = 0; b < num_blocks; ++b) {
    const bool is_first_order = after.has_history[b] == 0 || before.has_history.empty() || before.has_history[b] == 0;
    if (!is_first_order) after.a.segment(dim * b, dim) = of_bdf2.segment(dim * b, dim);
  }
}

void start_anew(const IntegratorOptions& options, const VecX& x_t0, State& state) {
  state.v = (state.x - x_t0) / options.h;
  state.x_prev.resize(0);
  state.v_prev.resize(0);
}

}  // namespace clearance
