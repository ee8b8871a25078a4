// Claims about conjugate gradients with patches and about the automatic choice of solver, on systems like those of
// bodies in contact.
#include <gtest/gtest.h>

#include "clearance/base/parallel.h"
#include "clearance/sparse/linear_solver.h"
#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

struct ElasticSystem {
  BlockSparseMatrix matrix;
  VecX x;  // positions
};

/// Returns springs along the edges and diagonals of a grid of nodes, a little stiffness across them, and contacts:
/// stiff springs between nodes of the lowest and the highest layer.
ElasticSystem make_body(int dim, int nx, int ny, int nz, int num_contacts, double contact_stiffness, int seed) {
  std::mt19937 rng(seed);
  std::vector<VecX> positions;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) positions.push_back((VecX(3) << i, j, k).finished().head(dim));
    }
  }
  Springs springs(positions);
  const int count = static_cast<int>(positions.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < std::min(count, a + nx * ny + nx + 2); ++b) {
      if ((positions[b] - positions[a]).squaredNorm() < 2.1) springs.add(a, b, 1.0);
    }
  }
  const int layer = dim == 3 ? nx * ny : nx;
  for (int c = 0; c < num_contacts; ++c) {
    springs.add(static_cast<int>(rng() % layer), count - 1 - static_cast<int>(rng() % layer), contact_stiffness);
  }
  ElasticSystem system{springs.matrix(1e-4), VecX(dim * count)};
  for (int b = 0; b < count; ++b) system.x.segment(dim * b, dim) = positions[b];
  return system;
}

TEST(PatchPreconditioner, StiffContacts_GiveTheSolutionOfTheFactorization) {
  for (int seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const int dim = 2 + seed % 2;
    const double stiffness = std::pow(10.0, seed - 1);
    const ElasticSystem body = make_body(dim, 12, dim == 3 ? 6 : 9, dim == 3 ? 3 : 1, 15, stiffness, seed);
    std::mt19937 rng(seed);
    const VecX b = random_vector(body.matrix.num_rows(), rng);
    const auto direct = make_cholmod_solver();
    const VecX expected = solve(*direct, body.matrix, b);
    for (const bool has_positions : {false, true}) {
      const auto iterative = make_pcg_solver({.relative_tolerance = 1e-12});
      if (has_positions) iterative->set_positions(body.x);
      EXPECT_LT((solve(*iterative, body.matrix, b) - expected).norm(), 1e-6 * expected.norm());
    }
  }
}

TEST(PatchPreconditioner, RotationsOfPatches_SaveIterationsOnALongBody) {
  const ElasticSystem body = make_body(3, 200, 4, 3, 0, 1.0, 1);
  std::mt19937 rng(1);
  const VecX b = random_vector(body.matrix.num_rows(), rng);
  const auto plain = make_pcg_solver();
  const auto rigid = make_pcg_solver();
  rigid->set_positions(body.x);
  solve(*plain, body.matrix, b);
  solve(*rigid, body.matrix, b);
  EXPECT_LT(rigid->counters().num_iterations, plain->counters().num_iterations);
}

TEST(PatchPreconditioner, NodesInOnePoint_DoNotBreakTheCoarseSystem) {
  const ElasticSystem body = make_body(3, 10, 6, 4, 0, 1.0, 2);
  std::mt19937 rng(2);
  const VecX b = random_vector(body.matrix.num_rows(), rng);
  const auto solver = make_pcg_solver({.relative_tolerance = 1e-12});
  solver->set_positions(VecX::Zero(body.x.size()));
  const VecX x = solve(*solver, body.matrix, b);
  EXPECT_LT((body.matrix.multiply(x) - b).norm(), 1e-7 * b.norm());
}

TEST(PatchPreconditioner, FixedNodes_StayWhileTheirPatchMoves) {
  ElasticSystem body = make_body(3, 20, 6, 4, 10, 1e5, 3);
  std::vector<char> is_fixed(body.matrix.num_blocks(), 0);
  for (int node = 0; node < body.matrix.num_blocks(); node += 5) is_fixed[node] = 1;
  body.matrix.fix_blocks(is_fixed);
  std::mt19937 rng(3);
  VecX b = random_vector(body.matrix.num_rows(), rng);
  for (int node = 0; node < body.matrix.num_blocks(); node += 5) b.segment<3>(3 * node).setZero();
  const auto solver = make_pcg_solver();
  solver->set_positions(body.x);
  const VecX x = solve(*solver, body.matrix, b);
  for (int node = 0; node < body.matrix.num_blocks(); node += 5) {
    EXPECT_EQ((x.segment<3>(3 * node)), Vec<3>::Zero());
  }
}

/// Returns the iterations of a solver that knows the body without its contacts, or nothing.
long count_iterations(const ElasticSystem& body, const BlockSparseMatrix* common) {
  std::mt19937 rng(7);
  const auto solver = make_pcg_solver();
  if (common != nullptr) solver->set_common_pattern(*common);
  solver->set_positions(body.x);
  solve(*solver, body.matrix, random_vector(body.matrix.num_rows(), rng));
  return solver->counters().num_iterations;
}

TEST(PatchPreconditioner, StiffContactsAcrossCommonPatches_AreKeptInsideOnes) {
  const ElasticSystem alone = make_body(3, 30, 8, 4, 0, 1.0, 1);
  for (const double stiffness : {1e2, 1e4, 1e6}) {
    SCOPED_TRACE(stiffness);
    const ElasticSystem body = make_body(3, 30, 8, 4, 60, stiffness, 1);
    const long with_common = count_iterations(body, &alone.matrix);
    const long without = count_iterations(body, nullptr);
    EXPECT_LE(with_common, without + without / 4 + 5);
  }
}

TEST(PatchPreconditioner, WeakContacts_LeaveTheCommonPatchesAsTheyAre) {
  // Equal patches make an order of eliminations worth keeping.
  const ElasticSystem alone = make_body(3, 30, 8, 4, 0, 1.0, 1);
  const ElasticSystem body = make_body(3, 30, 8, 4, 60, 1e-2, 1);
  EXPECT_LE(count_iterations(body, &alone.matrix), count_iterations(alone, &alone.matrix) + 10);
}

TEST(PatchPreconditioner, CommonPattern_OfAnotherSizeIsNotUsed) {
  const ElasticSystem other = make_body(3, 10, 8, 4, 0, 1.0, 1);
  const ElasticSystem body = make_body(3, 30, 8, 4, 20, 1e4, 1);
  EXPECT_EQ(count_iterations(body, &other.matrix), count_iterations(body, nullptr));
}

class ForgettingTest : public testing::TestWithParam<bool> {
 protected:
  static std::unique_ptr<LinearSolver> make() { return GetParam() ? make_automatic_solver() : make_pcg_solver(); }
};

TEST_P(ForgettingTest, AfterForgetting_ResultsAreThoseOfANewSolver) {
  const ElasticSystem first = make_body(3, 20, 6, 4, 40, 1e4, 4);
  const ElasticSystem second = make_body(3, 20, 6, 4, 40, 1e6, 5);
  std::mt19937 rng(4);
  const VecX b = random_vector(first.matrix.num_rows(), rng);
  const auto used = make();
  const auto fresh = make();
  for (const auto& solver : {used.get(), fresh.get()}) solver->set_common_pattern(first.matrix);
  used->set_positions(first.x);
  used->forget_history();
  for (const BlockSparseMatrix* matrix : {&first.matrix, &second.matrix, &first.matrix}) solve(*used, *matrix, b);
  for (const auto& solver : {used.get(), fresh.get()}) {
    solver->set_positions(1.5 * second.x);
    solver->forget_history();
  }
  // Solve with the last pattern, and with others after it.
  for (const BlockSparseMatrix* matrix : {&first.matrix, &second.matrix}) {
    EXPECT_EQ(solve(*used, *matrix, b), solve(*fresh, *matrix, b));
  }
}

TEST_P(ForgettingTest, WhereContactsComeAndGo_ResultsAreThoseOfANewSolver) {
  const ElasticSystem alone = make_body(3, 20, 6, 4, 0, 1.0, 4);
  std::vector<ElasticSystem> steps = {alone, make_body(3, 20, 6, 4, 5, 1e6, 5), make_body(3, 20, 6, 4, 40, 1e3, 6),
                                      alone};
  // Repeat the same pattern, once with couplings that need patches of their own.
  steps.push_back(steps[2]);
  for (double& value : steps.back().matrix.values()) value *= 3.0;
  std::mt19937 rng(4);
  const VecX b = random_vector(alone.matrix.num_rows(), rng);
  const auto used = make();
  used->set_common_pattern(alone.matrix);
  for (const ElasticSystem& step : steps) {
    const auto fresh = make();
    fresh->set_common_pattern(alone.matrix);
    for (const auto& solver : {used.get(), fresh.get()}) {
      solver->set_positions(step.x);
      solver->forget_history();
    }
    EXPECT_EQ(solve(*used, step.matrix, b), solve(*fresh, step.matrix, b));
    EXPECT_EQ(solve(*used, step.matrix, b), solve(*fresh, step.matrix, b));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ForgettingTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& tested) { return tested.param ? "Automatic" : "Pcg"; });

TEST(AutomaticSolver, SmallSystem_IsFactoredAndADenselyCoupledOneIterated) {
  const ElasticSystem thin = make_body(3, 20, 20, 1, 20, 1e3, 6);
  std::mt19937 rng(6);
  const auto for_thin = make_automatic_solver();
  solve(*for_thin, thin.matrix, random_vector(thin.matrix.num_rows(), rng));
  EXPECT_EQ(for_thin->counters().num_iterations, 0);

  // Random couplings between 3000 nodes fill the factor to a large dense core.
  const BlockSparseMatrix tangled = random_positive_matrix(3, 3000, 8000, rng, 1.0, 1.0);
  const VecX b = random_vector(tangled.num_rows(), rng);
  VecX first;
  for (const int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    const auto for_tangled = make_automatic_solver();
    for_tangled->set_common_pattern(tangled);
    const VecX x = solve(*for_tangled, tangled, b);
    EXPECT_GT(for_tangled->counters().num_iterations, 0);
    EXPECT_LT((tangled.multiply(x) - b).norm(), 1e-6 * b.norm());
    if (threads == 1) first = x;
    EXPECT_EQ(x, first);
  }
}

}  // namespace
}  // namespace clearance::test
