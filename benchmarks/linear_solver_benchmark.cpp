// Times of assembly and linear solves on grids of tetrahedra: thin mats, thick blocks, with and without stiff contacts.
// Items per second are factorisations (or products, assemblies).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "clearance/base/parallel.h"
#include "clearance/sparse/block_assembler.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {
namespace {

struct Springs {
  StencilList stencils;
  std::vector<double> locals;

  /// Adds a spring with the stiffness along the edge, and a fifth of it across.
  void add(int a, int b, const Vec<3>& direction, double stiffness) {
    const Vec<3> n = direction.normalized();
    const Mat<3> hessian = stiffness * (n * n.transpose() + 0.2 * Mat<3>::Identity());
    stencils.add(std::array{a, b});
    const std::size_t start = locals.size();
    locals.resize(start + num_stencil_blocks(2) * 9);
    Eigen::Map<Mat<3>>(locals.data() + start) = hessian;
    Eigen::Map<Mat<3>>(locals.data() + start + 9) = -hessian;
    Eigen::Map<Mat<3>>(locals.data() + start + 18) = hessian;
  }
};

/// Returns the edges of a tetrahedral grid with random node numbers, and `num_contacts` stiff springs between near
/// nodes.
Springs make_springs(int nx, int ny, int nz, int num_contacts) {
  std::mt19937 rng(1);
  std::vector<int> number(static_cast<std::size_t>(nx) * ny * nz);
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<int>(i);
  std::shuffle(number.begin(), number.end(), rng);
  const auto node = [&](int i, int j, int k) { return number[(static_cast<std::size_t>(k) * ny + j) * nx + i]; };
  const int steps[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  Springs springs;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        for (const auto& [di, dj, dk] : steps) {
          if (i + di >= nx || j + dj >= ny || k + dk >= nz) continue;
          springs.add(node(i, j, k), node(i + di, j + dj, k + dk), Vec<3>(di, dj, dk), 1.0);
        }
      }
    }
  }
  for (int c = 0; c < num_contacts; ++c) {
    const int i = static_cast<int>(rng() % nx);
    const int j = static_cast<int>(rng() % ny);
    const int a = node(i, j, 0);
    const int b = node(std::min(nx - 1, i + static_cast<int>(rng() % 5)), std::min(ny - 1, j + 2), nz - 1);
    if (a != b) springs.add(a, b, Vec<3>(0.1, 0.2, 1.0), 1e4);
  }
  return springs;
}

BlockSparseMatrix make_matrix(const benchmark::State& state) {
  const int nx = static_cast<int>(state.range(0));
  const int ny = static_cast<int>(state.range(1));
  const int nz = static_cast<int>(state.range(2));
  const Springs springs = make_springs(nx, ny, nz, static_cast<int>(state.range(3)));
  BlockAssembler assembler(springs.stencils);
  BlockSparseMatrix matrix(3, nx * ny * nz, assembler.keys());
  if (!assembler.bind(matrix)) throw std::logic_error("the matrix lacks blocks of its own keys");
  assembler.add_to<3>(matrix, springs.locals, 1.0);
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    matrix.add_to_slot<3>(matrix.find_slot(b, b), matrix.slot_stride(b), 1e-2 * Mat<3>::Identity());
  }
  return matrix;
}

void systems(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"nx", "ny", "nz", "contacts"})->Unit(benchmark::kMillisecond);
  benchmark->Args({80, 40, 1, 0})->Args({80, 40, 1, 500})->Args({80, 40, 2, 0});
  benchmark->Args({13, 13, 13, 0})->Args({13, 13, 13, 100})->Args({20, 20, 20, 0});
}

void Assembler_Build(benchmark::State& state) {
  const Springs springs = make_springs(80, 40, 2, 0);
  for (auto _ : state) {
    const BlockAssembler assembler(springs.stencils);
    benchmark::DoNotOptimize(assembler.keys().data());
  }
}
BENCHMARK(Assembler_Build)->Unit(benchmark::kMillisecond)->UseRealTime();

void Assembler_Add(benchmark::State& state) {
  const Springs springs = make_springs(80, 40, 2, 0);
  BlockAssembler assembler(springs.stencils);
  BlockSparseMatrix matrix(3, 6400, assembler.keys());
  if (!assembler.bind(matrix)) return state.SkipWithError("the matrix lacks blocks");
  for (auto _ : state) assembler.add_to<3>(matrix, springs.locals, 1.0);
}
BENCHMARK(Assembler_Add)->Unit(benchmark::kMillisecond)->UseRealTime();

void Matrix_BuildPattern(benchmark::State& state) {
  const Springs springs = make_springs(80, 40, 2, 0);
  const BlockAssembler assembler(springs.stencils);
  for (auto _ : state) {
    const BlockSparseMatrix matrix(3, 6400, assembler.keys());
    benchmark::DoNotOptimize(matrix.values().data());
  }
}
BENCHMARK(Matrix_BuildPattern)->Unit(benchmark::kMillisecond)->UseRealTime();

void Matrix_Multiply(benchmark::State& state) {
  const BlockSparseMatrix matrix = make_matrix(state);
  const VecX x = VecX::Ones(matrix.num_rows());
  for (auto _ : state) benchmark::DoNotOptimize(matrix.multiply(x).data());
}
BENCHMARK(Matrix_Multiply)->Apply(systems)->UseRealTime();

void Cholmod_Analyze(benchmark::State& state) {
  const BlockSparseMatrix matrix = make_matrix(state);
  double seconds = 0;
  for (auto _ : state) {
    const auto solver = make_cholmod_solver();
    solver->factorize(matrix);
    state.SetIterationTime(solver->counters().analyze_seconds);
    seconds += solver->counters().factor_seconds;
  }
  state.counters["first_factor_ms"] = 1e3 * seconds / static_cast<double>(state.iterations());
}
BENCHMARK(Cholmod_Analyze)->Apply(systems)->UseManualTime();

void Cholmod_Factorize(benchmark::State& state) {
  const BlockSparseMatrix matrix = make_matrix(state);
  const auto solver = make_cholmod_solver();
  solver->factorize(matrix);
  for (auto _ : state) solver->factorize(matrix);
}
BENCHMARK(Cholmod_Factorize)->Apply(systems)->UseRealTime();

void Cholmod_Solve(benchmark::State& state) {
  const BlockSparseMatrix matrix = make_matrix(state);
  const auto solver = make_cholmod_solver();
  solver->factorize(matrix);
  const VecX b = VecX::LinSpaced(matrix.num_rows(), -1.0, 1.0);
  VecX x;
  for (auto _ : state) solver->solve(b, x);
}
BENCHMARK(Cholmod_Solve)->Apply(systems)->UseRealTime();

void Pcg_FactorizeAndSolve(benchmark::State& state) {
  const BlockSparseMatrix matrix = make_matrix(state);
  const auto solver = make_pcg_solver();
  const VecX b = VecX::LinSpaced(matrix.num_rows(), -1.0, 1.0);
  VecX x;
  for (auto _ : state) {
    solver->factorize(matrix);
    solver->solve(b, x);
  }
  state.counters["iterations"] =
      static_cast<double>(solver->counters().num_iterations) / static_cast<double>(state.iterations());
}
BENCHMARK(Pcg_FactorizeAndSolve)->Apply(systems)->UseRealTime();

}  // namespace
}  // namespace clearance
