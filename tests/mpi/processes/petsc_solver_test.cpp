// Claims about PETSc as a linear solver, run by several processes of mpirun: the first one tests, the others help.
#include <gtest/gtest.h>
#include <petscksp.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <limits>

#include "apps/mpi/helper.h"
#include "apps/mpi/petsc_solver.h"
#include "apps/mpi/processes.h"
#include "sparse/random_systems.h"

namespace clearance::test {
namespace {

class PetscSolverTest : public testing::TestWithParam<PetscMethod> {
 protected:
  static std::unique_ptr<LinearSolver> make() { return mpi::make_petsc_solver({GetParam(), 1e-12, 1000}); }
  std::unique_ptr<LinearSolver> solver_ = make();

  void expect_solves(const BlockSparseMatrix& matrix, std::mt19937& rng, double tolerance = 1e-7) {
    const VecX b = random_vector(matrix.num_rows(), rng);
    VecX x;
    ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
    const MatX dense = to_dense(matrix);
    EXPECT_LE((dense * x - b).norm(), tolerance * (dense.norm() * x.norm() + b.norm()));
  }
  LinearSolveStatus status_of(const BlockSparseMatrix& matrix) {
    std::mt19937 rng(1);
    VecX x;
    const LinearSolveStatus status = solver_->factorize(matrix);
    return status == LinearSolveStatus::solved ? solver_->solve(random_vector(matrix.num_rows(), rng), x) : status;
  }
};

TEST_P(PetscSolverTest, Solution_MatchesDenseFactorization) {
  for (int seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const BlockSparseMatrix matrix = random_positive_matrix(2 + seed % 2, 1 + 4 * seed, 8 * seed, rng, 1.0, 1.0);
    const VecX b = random_vector(matrix.num_rows(), rng);
    const VecX expected = Eigen::LDLT<MatX>(to_dense(matrix)).solve(b);
    VecX x;
    ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
    EXPECT_LT((x - expected).norm(), 1e-6 * (1.0 + expected.norm()));
  }
}

TEST_P(PetscSolverTest, ChangingPatternsAndSizes_StayCorrect) {
  std::mt19937 rng(8);
  for (int step = 0; step < 8; ++step) {
    SCOPED_TRACE(step);
    expect_solves(random_positive_matrix(3, step < 5 ? 150 : 90, 120 + 10 * step, rng, 1.0, 0.1), rng);
    if (step == 3) solver_->forget_history();
  }
}

TEST_P(PetscSolverTest, FixedBlocks_KeepTheirRightHandSide) {
  std::mt19937 rng(5);
  BlockSparseMatrix matrix = grid_matrix(5, 5, 3, rng);
  std::vector<char> is_fixed(75, 0);
  for (int node = 0; node < 75; node += 4) is_fixed[node] = 1;
  matrix.fix_blocks(is_fixed);
  const VecX b = random_vector(225, rng);
  VecX x;
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
  for (int node = 0; node < 75; node += 4) EXPECT_LT((x - b).segment<3>(3 * node).norm(), 1e-6);
}

TEST_P(PetscSolverTest, EmptySystemAndZeroRightHandSide_HaveTheirSolutions) {
  VecX x = VecX::Ones(3);
  ASSERT_EQ(solver_->factorize(BlockSparseMatrix(3, 0, {})), LinearSolveStatus::solved);
  std::mt19937 rng(3);
  const BlockSparseMatrix matrix = random_positive_matrix(3, 20, 40, rng);
  ASSERT_EQ(solver_->factorize(matrix), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(VecX::Zero(60), x), LinearSolveStatus::solved);
  EXPECT_EQ(x, VecX::Zero(60));
}

TEST_P(PetscSolverTest, FewerBlocksThanProcesses_AreSolved) {
  BlockSparseMatrix matrix(3, 1, {});
  add_to_diagonal(matrix, 4.0);
  std::mt19937 rng(1);
  expect_solves(matrix, rng);
}

TEST_P(PetscSolverTest, NotANumber_IsReported) {
  BlockSparseMatrix matrix(3, 50, {});
  add_to_diagonal(matrix, 1.0);
  matrix.values()[matrix.find_slot(3, 3)] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status_of(matrix), LinearSolveStatus::not_positive_definite);
}

TEST_P(PetscSolverTest, Failure_DoesNotSpoilTheNextSystem) {
  std::mt19937 rng(7);
  const BlockSparseMatrix matrix = grid_matrix(6, 5, 4, rng);
  BlockSparseMatrix indefinite = matrix;
  indefinite.values()[indefinite.find_slot(50, 50)] = -1e3;
  // Multigrid may solve an indefinite system without noticing; Newton checks if the direction descends.
  const LinearSolveStatus status = status_of(indefinite);
  if (GetParam() == PetscMethod::mumps) {
    EXPECT_EQ(status, LinearSolveStatus::not_positive_definite);
  }
  expect_solves(matrix, rng);
}

TEST_P(PetscSolverTest, TwoSolvers_DoNotMeet) {
  std::mt19937 rng(9);
  const BlockSparseMatrix first = grid_matrix(6, 5, 4, rng), second = grid_matrix(4, 4, 4, rng);
  auto other = make();
  const VecX b = random_vector(second.num_rows(), rng);
  VecX x;
  ASSERT_EQ(other->factorize(second), LinearSolveStatus::solved);
  expect_solves(first, rng);
  ASSERT_EQ(other->solve(b, x), LinearSolveStatus::solved);
  EXPECT_LT((second.multiply(x) - b).norm(), 1e-6 * b.norm());
  other.reset();
  expect_solves(first, rng);
}

TEST_P(PetscSolverTest, AfterForgetting_ResultsAreThoseOfANewSolver) {
  // With several processes, MUMPS adds their contributions in the order of arrival.
  if (GetParam() == PetscMethod::mumps && mpi::num_processes() > 1) GTEST_SKIP() << "not promised";
  std::mt19937 rng(4);
  const BlockSparseMatrix first = grid_matrix(9, 8, 7, rng), second = grid_matrix(9, 8, 7, rng);
  const VecX b = random_vector(first.num_rows(), rng);
  VecX expected, x;
  solver_->set_common_pattern(first);
  for (const BlockSparseMatrix* matrix : {&second, &first, &first}) {
    ASSERT_EQ(solver_->factorize(*matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
  }
  solver_->forget_history();
  const auto fresh = make();
  fresh->set_common_pattern(first);
  ASSERT_EQ(fresh->factorize(first), LinearSolveStatus::solved);
  ASSERT_EQ(fresh->solve(b, expected), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->factorize(first), LinearSolveStatus::solved);
  ASSERT_EQ(solver_->solve(b, x), LinearSolveStatus::solved);
  EXPECT_EQ(x, expected);
}

std::string name_of(const testing::TestParamInfo<PetscMethod>& tested) {
  constexpr const char* names[] = {"Mumps", "Gamg", "Hypre"};
  return names[static_cast<int>(tested.param)];
}

INSTANTIATE_TEST_SUITE_P(All, PetscSolverTest,
                         testing::Values(PetscMethod::mumps, PetscMethod::gamg, PetscMethod::hypre), name_of);

/// A long bar of springs, and its positions.
TEST(PetscSolver, RigidMotions_SaveIterationsOfMultigrid) {
  std::mt19937 rng(2);
  StencilList stencils;
  std::vector<double> locals;
  VecX positions(3 * 100 * 9);
  const auto node = [](int i, int j, int k) { return 9 * i + 3 * j + k; };
  const auto at = [&](int n) { return positions.segment<3>(3 * n); };
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) at(node(i, j, k)) = Vec<3>(i, j, k);
    }
  }
  for (int a = 0; a < 900; ++a) {
    for (int b = a + 1; b < std::min(900, a + 20); ++b) {
      const Vec<3> edge = at(b) - at(a);
      if (edge.squaredNorm() > 2.1) continue;
      const Vec<3> n = edge.normalized();
      const Mat<3> hessian = n * n.transpose() + 1e-4 * Mat<3>::Identity();
      stencils.add(std::array{a, b});
      for (const double sign : {1.0, -1.0, 1.0}) {
        const Mat<3> block = sign * hessian;
        locals.insert(locals.end(), block.data(), block.data() + 9);
      }
    }
  }
  BlockAssembler assembler(stencils);
  BlockSparseMatrix matrix(3, 900, assembler.keys());
  ASSERT_TRUE(assembler.bind(matrix));
  assembler.add_to<3>(matrix, locals, 1.0);
  add_to_diagonal(matrix, 1e-5);
  MatX motions = MatX::Zero(2700, 6);
  for (int n = 0; n < 900; ++n) {
    motions.block<3, 3>(3 * n, 0).setIdentity();
    for (int axis = 0; axis < 3; ++axis) {
      motions.block<3, 1>(3 * n, 3 + axis) = Vec<3>::Unit(axis).cross(Vec<3>(at(n)));
    }
  }
  const VecX b = random_vector(2700, rng);
  std::vector<long> iterations;
  for (const bool knows : {false, true}) {
    const auto solver = mpi::make_petsc_solver({PetscMethod::gamg, 1e-8, 10000});
    if (knows) solver->set_rigid_motions(motions);
    VecX x;
    ASSERT_EQ(solver->factorize(matrix), LinearSolveStatus::solved);
    ASSERT_EQ(solver->solve(b, x), LinearSolveStatus::solved);
    iterations.push_back(solver->counters().num_iterations);
  }
  EXPECT_LT(iterations[1], iterations[0]);
}

TEST(PetscSolver, IndefiniteMatrix_IsReportedByTheFactorisation) {
  for (int seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    BlockSparseMatrix matrix = grid_matrix(5, 5, 4, rng);
    matrix.values()[matrix.find_slot(7 * seed, 7 * seed)] = -50.0;
    const auto solver = mpi::make_petsc_solver({});
    EXPECT_EQ(solver->factorize(matrix), LinearSolveStatus::not_positive_definite);
    VecX x;
    EXPECT_EQ(solver->solve(random_vector(300, rng), x), LinearSolveStatus::not_positive_definite);
  }
}

}  // namespace
}  // namespace clearance::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(nullptr, nullptr, nullptr, nullptr) != 0) return 1;
  PetscPopSignalHandler();
  int status = 0;
  if (clearance::mpi::process_number() == 0) {
    status = RUN_ALL_TESTS();
    clearance::mpi::give_command({clearance::mpi::Request::finish});
  } else {
    clearance::mpi::help_first_process();
  }
  PetscFinalize();
  return status;
}
