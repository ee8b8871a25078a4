// The seams of materials with memory: a bar of two nodes that yields and hardens, which the library does not know. Its
// plastic strain is history: steps write it, checkpoints keep it, and new elements take it over.
#include <gtest/gtest.h>

#include "clearance/simulation/adapt/move_history.h"
#include "clearance/simulation/run_records.h"
#include "solver/spring_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::relative_difference;

struct BarMaterial {
  double modulus = 1000.0;     ///< [Pa] E
  double yield_stress = 10.0;  ///< [Pa] at first yield
  double hardening = 100.0;    ///< [Pa] H, isotropic and linear
};

/// A bar remembers the plastic strain and the sum of its changes.
struct BarHistory {
  double plastic = 0.0, accumulated = 0.0;
};

/// Bars of unit length and area that are in one plane. The energy of a step is the minimum over the plastic strain of
/// stored plus dissipated energy, E/2 (e - p)^2 + H/2 (a^2 - a_0^2) + s_y |p - p_0| with a = a_0 + |p - p_0|. Its
/// derivative by e is the stress after the return to the yield surface.
class YieldingBars final : public Potential {
 public:
  YieldingBars(const VecX& x_rest, std::vector<std::array<int, 2>> bars, BarMaterial material)
      : x_rest_(x_rest), bars_(std::move(bars)), material_(material), history_(bars_.size()) {
    StencilList stencils;
    for (const auto& bar : bars_) stencils.add(bar);
    assembler_ = BlockAssembler(stencils);
  }
  std::unique_ptr<Potential> clone() const override { return std::make_unique<YieldingBars>(*this); }
  std::string name() const override { return "bars"; }
  bool is_elastic() const override { return true; }

  std::size_t history_size() const override { return 2 * bars_.size(); }
  HistoryLayout history_layout() const override {
    HistoryLayout layout{2, {}};
    for (const auto& [a, b] : bars_) {
      Vec<3> middle = Vec<3>::Zero();
      middle.head<2>() = 0.5 * (block<2>(x_rest_, a) + block<2>(x_rest_, b));
      layout.points.push_back({middle, a});
    }
    return layout;
  }
  void set_history(std::span<const double> history) override {
    history_.assign(bars_.size(), {});
    for (std::size_t i = 0; 2 * i < history.size(); ++i) history_[i] = {history[2 * i], history[2 * i + 1]};
  }
  void end_step(const VecX& x_t1, std::span<double> history) const override {
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      const double flow = flow_of(i, strain(i, x_t1));
      history[2 * i] = history_[i].plastic + flow;
      history[2 * i + 1] = history_[i].accumulated + std::abs(flow);
    }
  }

  CompensatedSum energy(const VecX& x) const override {
    CompensatedSum sum;
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      const double flow = flow_of(i, strain(i, x)), elastic = strain(i, x) - history_[i].plastic - flow;
      const double before = history_[i].accumulated, after = before + std::abs(flow);
      sum.add(rest_length(i) * (0.5 * material_.modulus * elastic * elastic + material_.yield_stress * std::abs(flow) +
                                0.5 * material_.hardening * (after * after - before * before)));
    }
    return sum;
  }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override {
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      const Vec<2> force = scale * stress(i, strain(i, x)) * direction(i, x);
      block<2>(gradient, bars_[i][0]) -= force;
      block<2>(gradient, bars_[i][1]) += force;
    }
  }
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override {
    std::vector<double> locals(bars_.size() * num_stencil_blocks(2) * 4);
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      const double e = strain(i, x), e_m = material_.modulus, h = material_.hardening;
      const double tangent = flow_of(i, e) == 0.0 ? e_m : e_m * h / (e_m + h);
      const double length = (1.0 + e) * rest_length(i);
      const Vec<2> t = direction(i, x);
      const Mat<2> along = t * t.transpose();
      const Mat<2> k =
          tangent / rest_length(i) * along + std::max(0.0, stress(i, e)) / length * (Mat<2>::Identity() - along);
      const std::array<double, 3> signs = {1.0, -1.0, 1.0};
      for (std::size_t b = 0; b < 3; ++b) {
        Eigen::Map<Mat<2>>(locals.data() + (i * num_stencil_blocks(2) + b) * 4) = signs[b] * k;
      }
    }
    ASSERT_TRUE(assembler_.bind(matrix));
    assembler_.add_to<2>(matrix, locals, scale);
  }
  double stress(std::size_t i, double e) const { return material_.modulus * (e - history_[i].plastic - flow_of(i, e)); }
  double strain(std::size_t i, const VecX& x) const {
    return (block<2>(x, bars_[i][1]) - block<2>(x, bars_[i][0])).norm() / rest_length(i) - 1.0;
  }

 private:
  double rest_length(std::size_t i) const {
    return (block<2>(x_rest_, bars_[i][1]) - block<2>(x_rest_, bars_[i][0])).norm();
  }
  Vec<2> direction(std::size_t i, const VecX& x) const {
    return (block<2>(x, bars_[i][1]) - block<2>(x, bars_[i][0])).normalized();
  }
  /// Returns the change of the plastic strain in the step: what lies beyond the yield surface, shared by E and H.
  double flow_of(std::size_t i, double e) const {
    const double trial = material_.modulus * (e - history_[i].plastic);
    const double excess = std::abs(trial) - material_.yield_stress - material_.hardening * history_[i].accumulated;
    if (excess <= 0.0) return 0.0;
    return std::copysign(excess / (material_.modulus + material_.hardening), trial);
  }

  VecX x_rest_;
  std::vector<std::array<int, 2>> bars_;
  BarMaterial material_;
  std::vector<BarHistory> history_;
  BlockAssembler assembler_;
};

/// A chain of two bars, of which the second never yields. Its ends are scripted; the node between them is free and
/// almost without mass.
class Chain {
 public:
  Chain() {
    world.model = model_of(3);
    Model& model = world.model;
    BarMaterial elastic;
    elastic.yield_stress = 1e9;
    model.potentials = {std::make_shared<YieldingBars>(model.x_rest, one_bar(0), BarMaterial{}),
                        std::make_shared<YieldingBars>(model.x_rest, one_bar(1), elastic)};
    world.options.has_contact = false;
    world.options.integrator.h = 1.0;
    world.options.tolerance = 1e-12;
    world.targets.blocks = {0, 2};
    world.start(model.x_rest);
  }
  static Model model_of(int num_nodes) {
    Model model;
    model.layout = {2, num_nodes};
    model.x_rest = VecX::Zero(2 * num_nodes);
    for (int n = 0; n < num_nodes; ++n) model.x_rest[2 * n] = n;
    model.mass = VecX::Constant(num_nodes, 1e-9);
    model.body_of_block.assign(num_nodes, 0);
    model.is_always_prescribed.assign(num_nodes, 0);
    model.surface_map = SurfaceMap(2);
    return model;
  }
  static std::vector<std::array<int, 2>> one_bar(int first) { return {{first, first + 1}}; }

  /// Moves the end of the chain to this elongation [m]. Returns the stress.
  double pull_to(double elongation) {
    world.targets.positions.resize(4);
    world.targets.positions << 0.0, 0.0, 2.0 + elongation, 0.0;
    StepWorkspace<2> workspace(world.model, world.options);
    const StepReport report = advance<2>(world.model, world.options, world.targets, world.state, workspace);
    EXPECT_EQ(report.status, StepStatus::converged);
    // The second bar is elastic: its strain measures the stress of both.
    return 1000.0 * (world.state.x[4] - world.state.x[2] - 1.0);
  }
  double plastic_strain() const { return world.state.history.empty() ? 0.0 : world.state.history[0][0]; }

  test::World world;
};

}  // namespace

TEST(ElementWithHistory, DerivativesAreThoseOfItsEnergy) {
  const Chain chain;
  const std::unique_ptr<Potential> potential = chain.world.model.potentials[0]->clone();
  const auto energy = [&](const VecX& at) { return potential->energy(at).value(); };
  const auto gradient_at = [&](const VecX& at) {
    VecX gradient = VecX::Zero(at.size());
    potential->add_gradient(at, 1.0, gradient);
    return gradient;
  };
  const std::vector<double> history = {0.02, 0.05};
  potential->set_history(history);
  // Elastic, and yielding in tension after the history; both above the plastic strain, where the bar is stretched.
  for (const double elongation : {0.025, 0.2}) {
    VecX x = chain.world.state.x;
    x[2] += elongation;
    x[3] += 0.1;
    EXPECT_LT(relative_difference(gradient_at(x), test::finite_difference_gradient(energy, x)), 1e-6);
    BlockSparseMatrix matrix(2, 3, potential->pattern());
    potential->add_hessian(x, 1.0, matrix);
    MatX hessian(x.size(), x.size());
    for (int j = 0; j < x.size(); ++j) hessian.col(j) = matrix.multiply(VecX::Unit(x.size(), j));
    EXPECT_LT(relative_difference(hessian, test::finite_difference_jacobian(gradient_at, x)), 1e-6);
  }
}

TEST(ElementWithHistory, YieldsHardensAndKeepsItsStrainWhenUnloaded) {
  Chain chain;
  // Elastic: both bars share the elongation.
  EXPECT_NEAR(chain.pull_to(0.016), 1000.0 * 0.008, 1e-6);
  EXPECT_EQ(chain.plastic_strain(), 0.0);
  // Yielding: u = s/E + (s/E + (s - s_y)/H), so s = (u + s_y/H) / (2/E + 1/H).
  const double stress = (0.08 + 10.0 / 100.0) / (2.0 / 1000.0 + 1.0 / 100.0);
  EXPECT_NEAR(chain.pull_to(0.08), stress, 1e-6);
  const double plastic = (stress - 10.0) / 100.0;
  EXPECT_NEAR(chain.plastic_strain(), plastic, 1e-9);
  // Unloaded elastically: the plastic strain stays, and bends the chain's stress to -E p / 2.
  EXPECT_NEAR(chain.pull_to(0.06), 1000.0 * (0.06 - plastic) / 2.0, 1e-6);
  EXPECT_NEAR(chain.plastic_strain(), plastic, 1e-12);
  // Loaded again, it yields at the stress that it has hardened to, as if it had not been unloaded.
  const double again = (0.1 + 10.0 / 100.0) / (2.0 / 1000.0 + 1.0 / 100.0);
  EXPECT_NEAR(chain.pull_to(0.1), again, 1e-6);
}

TEST(ElementWithHistory, CheckpointsContinueWithTheSameBits) {
  Chain whole, restarted;
  for (Chain* chain : {&whole, &restarted}) chain->pull_to(0.08);
  restarted.world.state = state_of(checkpoint_of(restarted.world.state));
  EXPECT_EQ(restarted.world.state.history, whole.world.state.history);
  for (const double elongation : {0.03, 0.09, 0.0}) {
    EXPECT_EQ(whole.pull_to(elongation), restarted.pull_to(elongation));
    EXPECT_EQ(whole.world.state.history, restarted.world.state.history);
  }
}

TEST(ElementWithHistory, StatesOfBeforeHaveNone) {
  const Chain chain;
  const Checkpoint checkpoint = checkpoint_of(chain.world.state);
  for (const auto& [name, numbers] : checkpoint.arrays) EXPECT_FALSE(name.starts_with("history")) << name;
}

TEST(ElementWithHistory, NewElementsRememberWhatTheNearestOldOnesDid) {
  // Ten bars become thirty, and another body that lies at the same place gives them nothing.
  const auto bars = [](int first, int count) {
    std::vector<std::array<int, 2>> list;
    for (int i = 0; i < count; ++i) list.push_back({first + i, first + i + 1});
    return list;
  };
  const auto model_of = [&](int num_bars) {
    Model model = Chain::model_of(2 * (num_bars + 1));
    for (int n = 0; n < 2 * (num_bars + 1); ++n) {
      model.x_rest[2 * n] = 10.0 / num_bars * (n % (num_bars + 1));
      model.body_of_block[n] = n <= num_bars ? 0 : 1;
    }
    std::vector<std::array<int, 2>> all = bars(0, num_bars);
    for (const auto& bar : bars(num_bars + 1, num_bars)) all.push_back(bar);
    model.potentials = {std::make_shared<test::WeightPotential>(model, 0.0),
                        std::make_shared<YieldingBars>(model.x_rest, all, BarMaterial{})};
    return model;
  };
  const Model coarse = model_of(10), fine = model_of(30);
  History before(2);
  for (int i = 0; i < 20; ++i) before[1].insert(before[1].end(), {1.0 * i, 100.0 + i});
  const History after = move_history(coarse, before, fine);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_TRUE(after[0].empty());
  ASSERT_EQ(after[1].size(), 120u);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(after[1][2 * i], i / 3) << i;
    EXPECT_EQ(after[1][2 * i + 1], 100 + i / 3) << i;
  }
  // Coarser elements again: every bar finds the middle one of its three.
  EXPECT_EQ(move_history(fine, after, coarse), before);
  EXPECT_TRUE(move_history(coarse, {}, fine).empty());
}

}  // namespace clearance
