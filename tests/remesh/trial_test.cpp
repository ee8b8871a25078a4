#include "clearance/remesh/trial.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bodies.h"
#include "clearance/remesh/split_estimate.h"
#include "clearance/solver/newton_state.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {
namespace {

using test::make_whole;
using test::Obstacle;
using test::SceneSettings;

/// The gain from splits of single edges [J], found in three ways.
struct Gains {
  double local = 0.0;     // by a solve around the split
  double global = 0.0;    // by a solve of everything
  double estimate = 0.0;  // the decrement of its vertex
  int num_wrong = 0;      // verdicts that differ from that of the local solve
};

template <int dim>
void solve(LocalProblem<dim>& problem) {
  for (int i = 0; i < 100 && problem.next_fall() > 0.0; ++i) ASSERT_TRUE(problem.take_step());
  EXPECT_TRUE(problem.settle());
}

template <int dim>
std::vector<Gains> gains_of_splits(std::vector<AdaptingBody<dim>> bodies, const Obstacle<dim>& obstacle,
                                   const SceneSettings& settings, std::size_t stride) {
  EXPECT_TRUE(test::solve_step(bodies, obstacle, settings).is_advanced());
  auto whole = make_whole(bodies, obstacle, settings);
  const double scale = predict(whole.options.integrator, whole.state).scale;
  const double before = whole.objective().value();
  const RemeshInputs<dim> in = whole.inputs();
  const SceneSurfaces<dim> surfaces(in);
  EditedBody<dim> edited(in, bodies[0], local_integrator<dim>(in, 0));
  const LocalSetting<dim> setting(in, edited.body(), surfaces, edited.surface());
  ScopeFinder<dim> scopes(edited.body(), 0.01 * test::volume_of(bodies[0]));
  const ContactRegion<dim> everywhere{Extent<dim>::everything(), 1.0};
  const ContactRegion<dim>* region = settings.has_contact ? &everywhere : nullptr;
  std::vector<Gains> gains;
  const auto edges = bodies[0].mesh.edges();
  for (std::size_t e = 0; e < edges.size(); e += stride) {
    Trial<dim> trial;
    trial.operations = {{MeshEdit::Kind::split, {edges[e][0], edges[e][1], -1}, false, Vec<dim>::Zero()}};
    Change<dim> change;
    trial.scope = scopes.find(edges[e], true);
    if (edited.apply(trial.operations[0], change) != EditRefusal::none) continue;
    Gains of_edge;
    of_edge.estimate = split_decrement(setting, edited.x_tilde(), std::array{change.edit.vertex});
    add_replaced(change.edit, {}, trial.scope);
    const Scope after = scope_after(edited.body(), trial.scope, change.edit);
    const bool is_held = !is_free(edited.body(), change.edit.vertex);
    const auto solved_after = std::make_unique<LocalProblem<dim>>(setting, after, region);
    auto split = make_whole(bodies, obstacle, settings);
    edited.undo(change);
    LocalProblem<dim> solved_before(setting, trial.scope, region);
    solve(solved_before);
    solve(*solved_after);
    of_edge.local = change_of(solved_after->objective(), solved_before.objective()) / setting.scale;
    for (const double share : {0.2, 0.5, 0.8, 1.25, 2.0, 5.0}) {
      Trial<dim> judged;
      judged.operations = trial.operations;
      judged.scope = trial.scope;
      if (region != nullptr) judged.region = *region;
      EXPECT_EQ(edited.apply(trial.operations[0], change), EditRefusal::none);
      judged.after = std::make_unique<LocalProblem<dim>>(setting, after, region);
      edited.undo(change);
      const double limit = share * std::abs(of_edge.local) + 1e-12;
      judge(setting, {limit, true}, judged);
      EXPECT_NE(judged.verdict, TrialVerdict::unsafe);
      of_edge.num_wrong += (judged.verdict == TrialVerdict::accepted) == (of_edge.local > limit) ? 0 : 1;
      // For a rejected split only a bound is known.
      if (judged.verdict == TrialVerdict::no_gain) {
        EXPECT_GE(judged.most, of_edge.local * 0.99 - 1e-12);
      }
    }
    EXPECT_TRUE(split.solve().is_advanced());
    of_edge.global = (before - split.objective().value()) / scale;
    if (!is_held) gains.push_back(of_edge);
  }
  return gains;
}

/// Returns the share of splits for which the solve around them decides as a solve of everything does, over all limits
/// that divide them.
double agreement(const std::vector<Gains>& gains) {
  int same = 0, all = 0;
  for (const Gains& limit : gains) {
    if (!(limit.global > 0.0)) continue;
    for (const Gains& of_edge : gains) {
      same += (of_edge.local > limit.global * 0.999) == (of_edge.global > limit.global * 0.999) ? 1 : 0;
      ++all;
    }
  }
  return static_cast<double>(same) / all;
}

template <int dim>
void local_solves_decide_like_global_ones() {
  const std::vector<Gains> bent =
      gains_of_splits<dim>({test::cantilever<dim>(dim == 2 ? 4 : 2)}, {}, test::without_contact(), 7);
  ASSERT_GT(bent.size(), 10U);
  EXPECT_GE(agreement(bent), 0.95);
  // A solve with parts held cannot gain more than one of everything.
  for (const Gains& gain : bent) EXPECT_LE(gain.local, gain.global * (1.0 + 1e-6) + 1e-9);
  // One vertex alone gains most of it: early rejection builds on these bounds.
  for (const Gains& gain : bent) {
    EXPECT_LE(gain.local, 2.0 * gain.estimate + 1e-9);
    EXPECT_GE(gain.local, 0.9 * gain.estimate - 1e-9);
  }
  const std::vector<Gains> falling =
      gains_of_splits<dim>({test::falling_block<dim>(dim == 2 ? 6 : 3)}, test::tip<dim>(), test::with_contact(), 7);
  EXPECT_GE(agreement(falling), 0.95);
  // Early certain verdicts are those of solves to the end.
  for (const std::vector<Gains>* gains : {&bent, &falling}) {
    int num_wrong = 0;
    for (const Gains& gain : *gains) num_wrong += gain.num_wrong;
    EXPECT_LE(num_wrong, static_cast<int>(gains->size()) * 6 / 100) << "of " << 6 * gains->size();
  }
}

TEST(Trial, LocalSolvesDecideLikeGlobalOnes) {
  local_solves_decide_like_global_ones<2>();
  local_solves_decide_like_global_ones<3>();
}

}  // namespace
}  // namespace clearance
