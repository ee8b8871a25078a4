// Elastic derivatives of a bar of 9126 tetrahedra: the closed-form pass over packs of four elements, and the plain twin
// that decomposes the 9x9 (2D: 4x4) Hessian of every element into eigenvectors.
#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <algorithm>
#include <random>

#include "clearance/bodies/fem/fem_body.h"
#include "clearance/math/psd.h"

namespace clearance {
namespace {

/// 13 x 13 x 9 cubes of six tetrahedra, with nodes moved randomly by up to a tenth of a cell from rest.
struct Bar {
  ElementMesh<3> mesh;
  VecX x, dx;

  explicit Bar(ElasticModel model) {
    const std::array<int, 3> stride = {1, 14, 196};
    mesh.x_rest.resize(3 * 14 * 14 * 10);
    for (int i = 0; i < 14 * 14 * 10; ++i) mesh.x_rest.segment<3>(3 * i) = Vec<3>(i % 14, i / 14 % 14, i / 196) * 0.1;
    for (int c = 0; c < 13 * 13 * 9; ++c) {
      const int corner = c % 13 + 14 * (c / 13 % 13) + 196 * (c / 169);
      std::array<int, 3> axes = {0, 1, 2};
      do {
        std::array<int, 4> nodes = {corner, 0, 0, 0};
        for (int r = 0; r < 3; ++r) nodes[r + 1] = nodes[r] + stride[axes[r]];
        if (edge_matrix<3>(mesh.x_rest, nodes).determinant() < 0) std::swap(nodes[0], nodes[1]);
        mesh.add(nodes, 0);
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
    mesh.materials = {make_material(model, 1e5, 0.4, 1000.0)};
    std::mt19937_64 rng(1);
    std::uniform_real_distribution<double> noise(-0.01, 0.01);
    x = mesh.x_rest.unaryExpr([&](double at) { return at + noise(rng); });
    dx = mesh.x_rest.unaryExpr([&](double) { return noise(rng); });
  }
};

Bar bar_of(const benchmark::State& state) {
  return Bar(static_cast<ElasticModel>(state.range(0)));
}

void elastic_local_derivatives(benchmark::State& state) {
  const Bar bar = bar_of(state);
  ElasticPotential<3> potential(bar.mesh);
  const ThreadLimit limit(1);
  for (auto _ : state) potential.compute_local_derivatives(bar.x, true);
  state.counters["elements"] = static_cast<double>(bar.mesh.num_elements());
}
BENCHMARK(elastic_local_derivatives)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void elastic_local_derivatives_by_eigenvectors(benchmark::State& state) {
  const Bar bar = bar_of(state);
  const MaterialParameters& material = bar.mesh.materials[0];
  std::vector<Mat<3>> inverse;
  for (std::size_t e = 0; e < bar.mesh.num_elements(); ++e) {
    inverse.push_back(edge_matrix<3>(bar.mesh.x_rest, bar.mesh.nodes_of(e)).inverse());
  }
  for (auto _ : state) {
    for (std::size_t e = 0; e < inverse.size(); ++e) {
      const Mat<3> f = edge_matrix<3>(bar.x, bar.mesh.nodes_of(e)) * inverse[e];
      benchmark::DoNotOptimize(first_piola_stress<3>(material, f));
      benchmark::DoNotOptimize(project_to_psd<9>(stress_derivative<3>(material, f, false)));
    }
  }
}
BENCHMARK(elastic_local_derivatives_by_eigenvectors)->Arg(0)->Unit(benchmark::kMillisecond);

void elastic_derivatives_assembled(benchmark::State& state) {
  const Bar bar = bar_of(state);
  ElasticPotential<3> potential(bar.mesh);
  BlockSparseMatrix matrix(3, static_cast<int>(bar.x.size()) / 3, potential.pattern());
  VecX gradient = VecX::Zero(bar.x.size());
  const ThreadLimit limit(1);
  for (auto _ : state) potential.add_derivatives(bar.x, 1.0, gradient, matrix);
}
BENCHMARK(elastic_derivatives_assembled)->Arg(0)->Unit(benchmark::kMillisecond);

void elastic_gradient(benchmark::State& state) {
  const Bar bar = bar_of(state);
  ElasticPotential<3> potential(bar.mesh);
  VecX gradient = VecX::Zero(bar.x.size());
  const ThreadLimit limit(1);
  for (auto _ : state) potential.add_gradient(bar.x, 1.0, gradient);
}
BENCHMARK(elastic_gradient)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void elastic_energy(benchmark::State& state) {
  const Bar bar = bar_of(state);
  ElasticPotential<3> potential(bar.mesh);
  const ThreadLimit limit(1);
  for (auto _ : state) benchmark::DoNotOptimize(potential.energy(bar.x).value());
}
BENCHMARK(elastic_energy)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void elastic_step_bound(benchmark::State& state) {
  const Bar bar = bar_of(state);
  ElasticPotential<3> potential(bar.mesh);
  const ThreadLimit limit(1);
  for (auto _ : state) benchmark::DoNotOptimize(potential.max_feasible_step(bar.x, bar.dx).alpha);
}
BENCHMARK(elastic_step_bound)->Arg(0)->Unit(benchmark::kMillisecond);

void elastic_exact_verdict(benchmark::State& state) {
  const Bar bar = bar_of(state);
  ElasticPotential<3> potential(bar.mesh);
  const ThreadLimit limit(1);
  for (auto _ : state) benchmark::DoNotOptimize(potential.is_feasible(bar.x));
}
BENCHMARK(elastic_exact_verdict)->Arg(0)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace clearance
