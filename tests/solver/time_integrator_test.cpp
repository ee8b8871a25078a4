// The integrators alone: predict, the closed-form minimiser of a linear problem, commit.
#include "clearance/solver/time_integrator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace clearance {
namespace {

constexpr std::array all_methods = {TimeIntegrator::implicit_euler, TimeIntegrator::implicit_newmark,
                                    TimeIntegrator::bdf2, TimeIntegrator::bdf2_restarted};

State start_at(const VecX& x, const VecX& v, const VecX& a) {
  State state;
  state.x = x;
  state.v = v;
  state.a = a;
  return state;
}

/// Returns the target at the start of a step in which nothing is hit.
InertialTarget target_of(const IntegratorOptions& options, const State& state) {
  InertialTarget target = predict(options, state);
  const std::vector<char> no_hits(state.x.size(), 0);
  if (options.method == TimeIntegrator::bdf2_restarted) restart(options, state, {}, {no_hits}, target);
  return target;
}

/// Integrates the harmonic oscillator x'' = -omega^2 x from (1, 0) until time 1; returns the error of the position at
/// the end.
double oscillator_error(TimeIntegrator method, int num_steps) {
  IntegratorOptions options;
  options.method = method;
  options.h = 1.0 / num_steps;
  const double omega = 3.0;
  State state = start_at(VecX::Constant(2, 1.0), VecX::Zero(2), VecX::Constant(2, -omega * omega));
  for (int i = 0; i < num_steps; ++i) {
    const InertialTarget target = target_of(options, state);
    // Commit the minimiser of 1/2 |x - x_tilde|^2 + scale omega^2 / 2 |x|^2.
    commit(options, target, target.x_tilde / (1.0 + target.scale * omega * omega), state);
  }
  EXPECT_EQ(state.step, num_steps);
  EXPECT_NEAR(state.time, 1.0, 1e-12);
  return std::abs(state.x[0] - std::cos(omega));
}

/// Returns what oscillator_error does, in steps whose lengths are 1, 1, 2, 2, 4, 2, ... times the shortest. Adds the
/// largest difference of the accelerations to those of the forces.
double error_of_changing_steps(TimeIntegrator method, int num_rounds, double& error_of_acceleration) {
  constexpr std::array lengths = {1.0, 1.0, 2.0, 2.0, 4.0, 2.0};
  IntegratorOptions options;
  options.method = method;
  const double omega = 3.0, unit = 1.0 / (12.0 * num_rounds);
  State state = start_at(VecX::Constant(2, 1.0), VecX::Zero(2), VecX::Constant(2, -omega * omega));
  for (int i = 0; i < 6 * num_rounds; ++i) {
    options.h = unit * lengths[i % 6];
    const State before = state;
    const InertialTarget target = target_of(options, state);
    commit(options, target, target.x_tilde / (1.0 + target.scale * omega * omega), state);
    set_accelerations(options, before, state);
    state.h_prev = options.h;
    error_of_acceleration = std::max(error_of_acceleration, (state.a + omega * omega * state.x).cwiseAbs().maxCoeff());
  }
  return std::abs(state.x[0] - std::cos(omega));
}

/// Returns the position of a free fall with gravity -10 after time 1.
double fall(TimeIntegrator method, int num_steps) {
  IntegratorOptions options;
  options.method = method;
  options.h = 1.0 / num_steps;
  State state = start_at(VecX::Zero(1), VecX::Zero(1), VecX::Constant(1, -10.0));
  for (int i = 0; i < num_steps; ++i) {
    const InertialTarget target = target_of(options, state);
    commit(options, target, target.x_tilde + target.scale * VecX::Constant(1, -10.0), state);
  }
  return state.x[0];
}

}  // namespace

TEST(TimeIntegrator, ConstantVelocityIsExact) {
  const VecX x = VecX::LinSpaced(6, -1.0, 2.0), v = VecX::LinSpaced(6, 3.0, -4.0);
  for (TimeIntegrator method : all_methods) {
    IntegratorOptions options;
    options.method = method;
    State state = start_at(x, v, VecX::Zero(6));
    for (int i = 0; i < 50; ++i) {
      const InertialTarget target = target_of(options, state);
      EXPECT_TRUE(target.has_inertia);
      commit(options, target, target.x_tilde, state);
    }
    EXPECT_LT((state.x - (x + 0.5 * v)).cwiseAbs().maxCoeff(), 1e-12) << static_cast<int>(method);
    EXPECT_LT((state.v - v).cwiseAbs().maxCoeff(), 1e-11) << static_cast<int>(method);
  }
}

TEST(TimeIntegrator, OrderOfConvergenceIsOneForEulerAndTwoForTheOthers) {
  for (TimeIntegrator method : all_methods) {
    const double coarse = oscillator_error(method, 400), fine = oscillator_error(method, 800);
    const double order = std::log2(coarse / fine), expected = method == TimeIntegrator::implicit_euler ? 1.0 : 2.0;
    EXPECT_NEAR(order, expected, 0.1) << static_cast<int>(method);
    EXPECT_GT(fine, 1e-9) << static_cast<int>(method);
  }
}

TEST(TimeIntegrator, StepsThatChangeTheirLengthKeepTheOrder) {
  for (TimeIntegrator method : all_methods) {
    double of_acceleration = 0.0;
    const double coarse = error_of_changing_steps(method, 40, of_acceleration);
    const double fine = error_of_changing_steps(method, 80, of_acceleration);
    const double expected = method == TimeIntegrator::implicit_euler ? 1.0 : 2.0;
    EXPECT_NEAR(std::log2(coarse / fine), expected, 0.15) << static_cast<int>(method);
    // The integrators have M a = f at the end of a step.
    EXPECT_LT(of_acceleration, 1e-9) << static_cast<int>(method);
  }
}

TEST(TimeIntegrator, ALengthThatIsThatOfTheLastStepChangesNoBit) {
  for (TimeIntegrator method : {TimeIntegrator::bdf2, TimeIntegrator::bdf2_restarted}) {
    IntegratorOptions options;
    options.method = method;
    options.h = 0.0137;
    State known = start_at(VecX::LinSpaced(4, 0.1, 3.7), VecX::LinSpaced(4, -1.3, 2.9), VecX::Zero(4));
    State unknown = known;
    for (int i = 0; i < 20; ++i) {
      for (State* state : {&known, &unknown}) {
        const InertialTarget target = target_of(options, *state);
        commit(options, target, target.x_tilde / (1.0 + 7.3 * target.scale), *state);
      }
      known.h_prev = options.h;
      EXPECT_EQ(known.x, unknown.x);
      EXPECT_EQ(known.v, unknown.v);
    }
  }
}

TEST(TimeIntegrator, FreeFallMatchesClosedForms) {
  // Euler: x_n = g h^2 n (n + 1) / 2; Newmark with beta 1/4 is exact; BDF2 loses only its first step's h^2.
  EXPECT_NEAR(fall(TimeIntegrator::implicit_euler, 100), -5.0 * 1.01, 1e-11);
  EXPECT_NEAR(fall(TimeIntegrator::implicit_newmark, 100), -5.0, 1e-11);
  const double coarse = fall(TimeIntegrator::bdf2, 100) + 5.0, fine = fall(TimeIntegrator::bdf2, 200) + 5.0;
  EXPECT_LT(std::abs(fine), 1e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
}

TEST(TimeIntegrator, ScaleIsTheOneOfTheMethod) {
  IntegratorOptions options;
  options.h = 0.1;
  State state = start_at(VecX::Ones(2), VecX::Zero(2), VecX::Zero(2));
  EXPECT_DOUBLE_EQ(predict(options, state).scale, 0.01);
  options.method = TimeIntegrator::implicit_newmark;
  options.newmark_beta = 0.3;
  EXPECT_DOUBLE_EQ(predict(options, state).scale, 0.003);
  options.method = TimeIntegrator::bdf2;
  EXPECT_DOUBLE_EQ(predict(options, state).scale, 0.01);  // first step
  state.x_prev = state.v_prev = VecX::Zero(2);
  EXPECT_DOUBLE_EQ(predict(options, state).scale, 0.04 / 9.0);
}

TEST(TimeIntegrator, WhatIsStoppedAtOnceReboundsUnlessBdf2IsRestarted) {
  // Two blocks at unit speed; the first one meets a wall and stays where it is.
  for (TimeIntegrator method : {TimeIntegrator::bdf2, TimeIntegrator::bdf2_restarted}) {
    IntegratorOptions options;
    options.method = method;
    State state = start_at(VecX::Zero(2), VecX::Ones(2), VecX::Zero(2));
    for (int i = 0; i < 10; ++i) {
      const InertialTarget target = target_of(options, state);
      commit(options, target, target.x_tilde, state);
    }
    for (int i = 0; i < 3; ++i) {
      InertialTarget target = predict(options, state);
      if (method == TimeIntegrator::bdf2_restarted) {
        restart(options, state, {}, {{static_cast<char>(i == 0), 0}}, target);
        EXPECT_EQ(target.mass_factor(0), i < 2 ? 4.0 / 9.0 : 1.0);
        EXPECT_EQ(target.mass_factor(1), 1.0);
      }
      commit(options, target, Vec<2>(state.x[0], target.x_tilde[1]), state);
      const double rebound = method == TimeIntegrator::bdf2 && i == 0 ? -0.5 : 0.0;
      EXPECT_NEAR(state.v[0], rebound, 1e-12);
      EXPECT_NEAR(state.v[1], 1.0, 1e-12);
    }
  }
}

TEST(TimeIntegrator, QuasiStaticHasNoInertia) {
  IntegratorOptions options;
  options.method = TimeIntegrator::quasi_static;
  const State state = start_at(VecX::Ones(2), VecX::Ones(2), VecX::Ones(2));
  const InertialTarget target = target_of(options, state);
  EXPECT_FALSE(target.has_inertia);
  EXPECT_EQ(target.scale, 1.0);
}

TEST(TimeIntegrator, NewmarkWithBetaQuarterKeepsTheEnergyOfAnOscillator) {
  IntegratorOptions options;
  options.method = TimeIntegrator::implicit_newmark;
  options.h = 0.05;
  State state = start_at(VecX::Ones(1), VecX::Zero(1), VecX::Constant(1, -4.0));
  for (int i = 0; i < 1000; ++i) {
    const InertialTarget target = target_of(options, state);
    commit(options, target, target.x_tilde / (1.0 + 4.0 * target.scale), state);
    EXPECT_NEAR(0.5 * state.v[0] * state.v[0] + 2.0 * state.x[0] * state.x[0], 2.0, 1e-9);
  }
}

}  // namespace clearance
