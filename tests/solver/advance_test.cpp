// Whole steps of small worlds: outcome, feasibility, decrease of the objective, and the change of the state.
#include "clearance/solver/advance.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <optional>

#include "clearance/base/hash.h"
#include "clearance/base/parallel.h"
#include "clearance/contact/ipc_contact_model.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/solver/step_problem.h"
#include "solver/spring_models.h"

namespace clearance {
namespace {

using test::falling_bodies;
using test::is_free;
using test::World;

std::string hash_of(const State& state) {
  Hash hash;
  for (const VecX* v : {&state.x, &state.v, &state.a, &state.x_prev, &state.v_prev}) {
    hash.add(v->data(), sizeof(double) * static_cast<std::size_t>(v->size()));
  }
  hash.add(&state.kappa, sizeof(double));
  hash.add(&state.time, sizeof(double));
  hash.add(&state.step, sizeof(int));
  return hash.text();
}

template <int dim>
StepReport step_once(World& world) {
  StepWorkspace<dim> workspace(world.model, world.options);
  return advance<dim>(world.model, world.options, world.targets, world.state, workspace);
}

/// Runs steps that all converge and end in contact, with one workspace or with a new one for each. Returns the hash of
/// every state.
template <int dim>
std::vector<std::string> run(World world, int num_steps, bool keeps_workspace = true) {
  int most_contacts = 0;
  std::vector<std::string> hashes;
  std::optional<StepWorkspace<dim>> workspace;
  for (int i = 0; i < num_steps; ++i) {
    if (!workspace || !keeps_workspace) workspace.emplace(world.model, world.options);
    const StepReport report = advance<dim>(world.model, world.options, world.targets, world.state, *workspace);
    EXPECT_EQ(report.status, StepStatus::converged) << to_string(report.status) << " in step " << i;
    most_contacts = std::max(most_contacts, report.num_contacts);
    hashes.push_back(hash_of(world.state));
  }
  EXPECT_GT(most_contacts, 1);
  EXPECT_TRUE(is_free(world, world.state.x));
  return hashes;
}

/// Checks steps of two falling bodies: all converge and are feasible; at the end something touches.
template <int dim>
void check_fall(TimeIntegrator method, CcdMethod ccd) {
  SCOPED_TRACE(testing::Message() << dim << "D integrator " << static_cast<int>(method) << " ccd "
                                  << static_cast<int>(ccd));
  World world = falling_bodies<dim>();
  world.options.integrator.method = method;
  world.options.ccd = ccd;
  StepWorkspace<dim> workspace(world.model, world.options);
  int most_contacts = 0;
  for (int i = 0; i < 25; ++i) {
    int num_calls = 0;
    double last_residual = 0.0;
    StepHooks hooks;
    hooks.on_iteration = [&](int iteration, double residual) {
      EXPECT_EQ(iteration, ++num_calls);
      last_residual = residual;
    };
    const StepReport report = advance<dim>(world.model, world.options, world.targets, world.state, workspace, hooks);
    ASSERT_EQ(report.status, StepStatus::converged) << to_string(report.status) << " in step " << i;
    EXPECT_EQ(report.newton_iterations, num_calls);
    EXPECT_EQ(report.residual, last_residual);
    EXPECT_LT(report.residual, world.options.tolerance);
    EXPECT_EQ(world.state.step, i + 1);
    EXPECT_TRUE(is_free(world, world.state.x));
    EXPECT_GT(report.min_distance, 0.0);
    most_contacts = std::max(most_contacts, report.num_contacts);
  }
  EXPECT_GT(most_contacts, 1);
}

/// A potential whose energies are not a number anywhere.
class BrokenPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<BrokenPotential>(*this); }
  std::string name() const override { return "broken"; }
  CompensatedSum energy(const VecX&) const override { return {std::nan(""), 0.0}; }
  void add_gradient(const VecX&, double, VecX& gradient) override { gradient.setConstant(std::nan("")); }
};

}  // namespace

TEST(Advance, FallingBodiesConvergeAndStayFree) {
  for (TimeIntegrator method :
       {TimeIntegrator::implicit_euler, TimeIntegrator::implicit_newmark, TimeIntegrator::bdf2}) {
    check_fall<2>(method, CcdMethod::clearance);
    check_fall<3>(method, CcdMethod::clearance);
  }
  check_fall<2>(TimeIntegrator::implicit_euler, CcdMethod::tight_inclusion);
  check_fall<3>(TimeIntegrator::implicit_euler, CcdMethod::tight_inclusion);
}

TEST(Advance, FreeFallMatchesClosedForm) {
  World world = falling_bodies<3>(10.0);
  const VecX x_t0 = world.state.x;
  StepWorkspace<3> workspace(world.model, world.options);
  for (int i = 0; i < 20; ++i) {
    const StepReport report = advance<3>(world.model, world.options, world.targets, world.state, workspace);
    EXPECT_EQ(report.status, StepStatus::converged);
    EXPECT_EQ(report.num_contacts, 0);
  }
  // The result of implicit Euler is -g h^2 n (n + 1) / 2.
  const double expected = -10.0 * 1e-4 * 20 * 21 / 2.0;
  for (int b = 0; b < 8; ++b) {
    const Vec<3> moved = world.state.x.segment<3>(3 * b) - x_t0.segment<3>(3 * b);
    EXPECT_NEAR(moved[1], expected, 1e-9);
    EXPECT_NEAR(moved[0], 0.0, 1e-9);
    EXPECT_NEAR(moved[2], 0.0, 1e-9);
  }
  EXPECT_NEAR(world.state.time, 0.2, 1e-12);
}

TEST(Advance, EveryNewtonIterationLowersTheObjective) {
  // A hard landing with a fixed stiffness is stopped after every possible number of iterations.
  World start = falling_bodies<3>(0.004);
  start.options.kappa.fixed = 1e5;
  for (int b = 0; b < 8; ++b) start.state.v[3 * b + 1] = b < 4 ? -1.0 : -3.0;
  const InertialTarget target = predict(start.options.integrator, start.state);
  WorkingCopies<3> copies(start.model, make_contact_model<3>(start.model, start.options.barrier));
  StepProblem<3> problem(start.model, copies, start.options, target, start.targets, start.state);
  const auto objective = [&](const VecX& x) {
    const Iterate iterate =
        problem.make_iterate(x, std::make_shared<const Candidates>(test::all_pairs(3, start.model.surface)));
    problem.choose_kappa();
    return problem.energy(iterate).value();
  };
  double last = objective(start.state.x);
  int num_iterations = 0;
  for (int limit = 1; limit <= 100; ++limit) {
    World world = start;
    world.options.max_iterations = limit;
    const StepReport report = step_once<3>(world);
    EXPECT_TRUE(is_free(world, world.state.x));
    const double now = objective(world.state.x);
    EXPECT_LE(now, last + 1e-12 * std::abs(last)) << "iteration " << limit;
    last = now;
    num_iterations = limit;
    if (report.status == StepStatus::converged) break;
    EXPECT_EQ(report.status, StepStatus::iteration_limit);
  }
  EXPECT_GT(num_iterations, 3);
  EXPECT_LT(num_iterations, 100);
}

/// Counts how often surfaces are paired.
class CountingModel final : public ContactModel<3> {
 public:
  CountingModel(const Model& model, const BarrierOptions& options, int& count) : ipc_(model, options), count_(count) {}
  double activation_distance() const override { return ipc_.activation_distance(); }
  Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                             const std::vector<double>& deviation) const override {
    ++count_;
    return ipc_.find_candidates(broad_phase, x_t0, x_t1, deviation);
  }
  ContactSet build(const VecX& x, const Candidates& candidates) const override { return ipc_.build(x, candidates); }
  bool has_stiffness() const override { return ipc_.has_stiffness(); }
  double energy(const ContactSet& set, std::size_t k, const VecX& x) const override { return ipc_.energy(set, k, x); }
  void compute_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                        std::span<double> gradient) const override {
    ipc_.compute_gradient(set, k, x, gradient);
  }
  void compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind kind,
                           std::span<double> gradient, RankOneSum<3>& hessian) const override {
    ipc_.compute_derivatives(set, k, x, kind, gradient, hessian);
  }
  double normal_force(const Contact& contact, const ContactGap<3>& gap,
                      const ContactPositions<3>& positions) const override {
    return ipc_.normal_force(contact, gap, positions);
  }

 private:
  IpcContactModel<3> ipc_;
  int& count_;
};

TEST(Advance, WhatRestsFromTheLastStepOnIsNotPairedAgain) {
  World world = falling_bodies<3>(0.004);
  int count = 0, twin_count = 0;
  StepWorkspace<3> kept(world.model, world.options,
                        std::make_unique<CountingModel>(world.model, world.options.barrier, count));
  for (int i = 0; i < 12; ++i) advance<3>(world.model, world.options, world.targets, world.state, kept);
  World twin = world;
  StepWorkspace<3> fresh(twin.model, twin.options,
                         std::make_unique<CountingModel>(twin.model, twin.options.barrier, twin_count));
  count = 0;
  const StepReport report = advance<3>(world.model, world.options, world.targets, world.state, kept);
  const StepReport twin_report = advance<3>(twin.model, twin.options, twin.targets, twin.state, fresh);
  ASSERT_GT(report.num_contacts, 0);
  EXPECT_EQ(hash_of(world.state), hash_of(twin.state));
  EXPECT_EQ(report.min_distance, twin_report.min_distance);
  EXPECT_EQ(count + 1, twin_count);
}

/// A potential without energy, for which next to nothing of any direction is feasible.
class LockPotential final : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<LockPotential>(*this); }
  std::string name() const override { return "lock"; }
  CompensatedSum energy(const VecX&) const override { return {}; }
  void add_gradient(const VecX&, double, VecX&) override {}
  StepLimit max_feasible_step(const VecX&, const VecX&) override { return {1e-4, 0}; }
};

TEST(Advance, AStepThatIsLockedEndsLongBeforeTheIterationLimit) {
  World world = falling_bodies<3>();
  world.options.max_iterations = 1000;
  world.model.potentials.push_back(std::make_shared<LockPotential>());
  for (const Convergence convergence : {Convergence::published, Convergence::forces}) {
    World locked = world;
    locked.options.convergence = convergence;
    const StepReport report = step_once<3>(locked);
    EXPECT_EQ(report.status, StepStatus::locked) << to_string(report.status);
    EXPECT_EQ(report.newton_iterations, 100);
    EXPECT_EQ(report.limited_by, "lock element 0");
    EXPECT_TRUE(report.is_advanced());
    EXPECT_TRUE(is_free(locked, locked.state.x));
  }
}

TEST(Advance, OneIterationIsTooFewButLeavesAFeasibleState) {
  World world = falling_bodies<3>(0.004);
  world.options.max_iterations = 1;
  for (int b = 0; b < 8; ++b) world.state.v[3 * b + 1] = -5.0;
  const std::string before = hash_of(world.state);
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::iteration_limit);
  EXPECT_TRUE(report.is_advanced());
  EXPECT_EQ(report.newton_iterations, 1);
  EXPECT_NE(hash_of(world.state), before);
  EXPECT_TRUE(is_free(world, world.state.x));
}

TEST(Advance, PrescribedBlocksArriveExactlyWhereNothingIsInTheWay) {
  World world = falling_bodies<3>(0.5);
  world.targets.blocks = {4, 5, 6, 7};
  world.targets.positions = world.state.x.tail(12).array() + 0.03;
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_EQ(world.state.x.tail(12), world.targets.positions);
}

TEST(Advance, PrescribedBlocksPushOthersAside) {
  World world = falling_bodies<3>(0.02);
  world.targets.blocks = {4, 5, 6, 7};
  world.targets.positions = world.state.x.tail(12);
  // The target leads through the tip of the body below, which can give way to the side.
  world.model.half_spaces.clear();
  for (int b = 0; b < 4; ++b) world.targets.positions[3 * b + 1] -= 0.2;
  world.options.max_iterations = 1000;
  const VecX x_t0 = world.state.x;
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::converged) << to_string(report.status);
  EXPECT_TRUE(is_free(world, world.state.x));
  const double miss = (world.state.x.tail(12) - world.targets.positions).norm();
  EXPECT_LE(miss, 1.0001e-3 * (x_t0.tail(12) - world.targets.positions).norm());
  EXPECT_GT((world.state.x.head(12) - x_t0.head(12)).norm(), 0.05);
}

TEST(Advance, ImpossibleTargetIsReportedAndTheStateStaysFeasible) {
  World world = falling_bodies<3>(0.02);
  world.targets.blocks = {0, 1, 2};
  world.targets.positions = world.state.x.head(9);
  for (int b = 0; b < 3; ++b) world.targets.positions[3 * b + 1] = -1.0;  // below the floor
  world.options.max_iterations = 30;
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::prescribed_motion_blocked) << to_string(report.status);
  EXPECT_TRUE(report.is_advanced());
  EXPECT_TRUE(is_free(world, world.state.x));
  EXPECT_GT(world.state.x[1], 0.0);
}

TEST(Advance, StateIsUntouchedWhenTheSystemCannotBeSolved) {
  World world = falling_bodies<3>();
  world.model.potentials.push_back(std::make_shared<BrokenPotential>());
  const std::string before = hash_of(world.state);
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::linear_solve_failed) << to_string(report.status);
  EXPECT_FALSE(report.is_advanced());
  EXPECT_EQ(hash_of(world.state), before);
}

TEST(Advance, StateIsUntouchedWhenItStartsWithIntersections) {
  World world = falling_bodies<3>();
  world.state.x.tail(12).array() -= 0.25;  // into the body below
  for (int b = 4; b < 8; ++b) world.state.x[3 * b] += 0.2;
  ASSERT_FALSE(is_free(world, world.state.x));
  world.options.max_iterations = 3;
  const std::string before = hash_of(world.state);
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::invalid_state) << to_string(report.status);
  EXPECT_FALSE(report.limited_by.empty());
  EXPECT_EQ(hash_of(world.state), before);
}

TEST(Advance, SameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<std::string>> hashes;
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    hashes.push_back(run<3>(test::falling_crowd(2, 12), 25));
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST(Advance, ThrowingTheWorkspaceAwayChangesNoBit) {
  EXPECT_EQ(run<2>(falling_bodies<2>(), 40, false), run<2>(falling_bodies<2>(), 40, true));
  EXPECT_EQ(run<3>(falling_bodies<3>(), 40, false), run<3>(falling_bodies<3>(), 40, true));
  // The contacts of a crowd come and go, so that the kept matrix has blocks that a new one lacks.
  const World crowd = test::falling_crowd(1, 12);
  ASSERT_TRUE(is_free(crowd, crowd.state.x));
  EXPECT_EQ(run<3>(crowd, 40, false), run<3>(crowd, 40, true));
}

TEST(Advance, WithoutContactBodiesPassThroughEachOther) {
  World world = falling_bodies<3>(0.004);
  world.options.has_contact = false;
  for (int b = 0; b < 8; ++b) world.state.v[3 * b + 1] = b < 4 ? 0.0 : -20.0;
  const StepReport report = step_once<3>(world);
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_EQ(report.num_contacts, 0);
  EXPECT_FALSE(is_free(world, world.state.x));
}

TEST(Advance, ReportNamesTheEnergies) {
  World world = falling_bodies<3>();
  world.state.v.setConstant(1.0);
  const StepReport report = step_once<3>(world);
  std::vector<std::string> names;
  for (const auto& [name, value] : report.energy) {
    names.push_back(name);
    EXPECT_TRUE(std::isfinite(value)) << name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"kinetic", "springs", "gravity", "barrier"}));
  EXPECT_NEAR(report.energy[0].second, 0.25 * world.state.v.squaredNorm(), 1e-12);  // masses of 0.5 kg
}

TEST(StepStatus, EveryOutcomeHasItsName) {
  EXPECT_EQ(to_string(StepStatus::converged), "converged");
  EXPECT_EQ(to_string(StepStatus::invalid_state), "invalid_state");
  EXPECT_EQ(to_string(StepStatus::locked), "locked");
  EXPECT_EQ(to_string(StepStatus::prescribed_motion_blocked), "prescribed_motion_blocked");
}

/// Stops at the given evaluation of the gradient, like a loop that reacts to a stop.
class StoppingPotential : public Potential {
 public:
  explicit StoppingPotential(std::shared_ptr<int> countdown) : countdown_(std::move(countdown)) {}
  std::unique_ptr<Potential> clone() const override { return std::make_unique<StoppingPotential>(*this); }
  std::string name() const override { return "stopping"; }
  CompensatedSum energy(const VecX&) const override { return {}; }
  void add_gradient(const VecX&, double, VecX&) override {
    if (--*countdown_ == 0) throw Stopped();
  }

 private:
  std::shared_ptr<int> countdown_;
};

TEST(Advance, StepThatIsStoppedAnywhereLeavesTheStateAndCanBeTakenAgainToTheSameBits) {
  for (const int at : {1, 2, 3, 5}) {
    World world = falling_bodies<3>();
    const auto countdown = std::make_shared<int>(0);
    world.model.potentials.push_back(std::make_shared<StoppingPotential>(countdown));
    World undisturbed = world;
    StepWorkspace<3> workspace(world.model, world.options), other(undisturbed.model, undisturbed.options);
    for (int step = 0; step < 12; ++step) {
      if (step % 4 == 1) {
        const std::string before = hash_of(world.state);
        *countdown = at;
        const StepReport stopped = advance<3>(world.model, world.options, world.targets, world.state, workspace);
        EXPECT_EQ(stopped.status == StepStatus::stopped, *countdown <= 0);
        if (stopped.status != StepStatus::stopped) return;
        EXPECT_EQ(hash_of(world.state), before);
      }
      *countdown = 0;
      EXPECT_TRUE(advance<3>(world.model, world.options, world.targets, world.state, workspace).is_advanced());
      advance<3>(undisturbed.model, undisturbed.options, undisturbed.targets, undisturbed.state, other);
      ASSERT_EQ(hash_of(world.state), hash_of(undisturbed.state)) << "step " << step;
    }
  }
}

TEST(Advance, HessianAtTheSolutionTellsHowTheSolutionFollowsALoad) {
  World world = falling_bodies<3>();
  world.options.tolerance = 1e-9;
  StepWorkspace<3> workspace(world.model, world.options);
  for (int i = 0; i < 15; ++i) advance<3>(world.model, world.options, world.targets, world.state, workspace);
  // Central difference of the solutions of the next step with a little more and a little less weight.
  constexpr double change = 1e-3;
  const auto solution = [&](double gravity) {
    Model model = world.model;
    model.potentials[1] = std::make_shared<test::WeightPotential>(model, gravity);
    StepWorkspace<3> own(model, world.options);
    return VecX(solve<3>(model, world.options, world.targets, world.state, own).x());
  };
  const VecX difference = (solution(-10.0 + change) - solution(-10.0 - change)) / (2.0 * change);

  World undisturbed = world;
  SolvedStep<3> solved = solve<3>(world.model, world.options, world.targets, world.state, workspace);
  ASSERT_GT(solved.report().num_contacts, 0);
  const LinearSystem system = solved.system();
  const Eigen::Index size = system.gradient.size();
  MatX hessian(size, size);
  for (Eigen::Index i = 0; i < size; ++i) hessian.col(i) = system.hessian.multiply(VecX::Unit(size, i));
  VecX load = VecX::Zero(size);
  const double h = world.options.integrator.h;
  test::WeightPotential(world.model, 1.0).add_gradient(solved.x(), h * h, load);
  const VecX derivative = -Eigen::LDLT<MatX>(hessian).solve(load);
  EXPECT_GT(difference.norm(), 0.0);
  EXPECT_LT((derivative - difference).norm(), 1e-3 * difference.norm());

  // The step that was asked is the same as one that was not.
  commit(std::move(solved), world.state);
  StepWorkspace<3> other(undisturbed.model, undisturbed.options);
  advance<3>(undisturbed.model, undisturbed.options, undisturbed.targets, undisturbed.state, other);
  EXPECT_EQ(hash_of(world.state), hash_of(undisturbed.state));
}

}  // namespace clearance
