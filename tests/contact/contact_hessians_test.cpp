#include "clearance/contact/contact_hessians.h"

#include <gtest/gtest.h>

#include "clearance/base/parallel.h"
#include "contact_models.h"

namespace clearance {
namespace {

using test::Random;

/// Vertices of affine bodies, of nodes and of any weights, with random contacts between them.
template <int dim>
struct Scene {
  explicit Scene(unsigned seed) : random(seed) {
    const auto add_affine = [&](int count) {
      for (int i = 0; i < count; ++i) {
        const VecX weights = random.vector(dim, -1.0, 1.0);
        map.add_affine_vertex(num_blocks, {weights.data(), dim});
      }
      num_blocks += 1 + dim;
    };
    add_affine(6);
    for (int i = 0; i < 4; ++i) map.add_vertex(num_blocks++);
    add_affine(5);
    for (int i = 0; i < 3; ++i) {
      map.add_vertex(std::vector<SurfaceMap::Term>{{0, 0.5}, {num_blocks, -1.5}});
      ++num_blocks;
    }
    for (int k = 0; k < 300; ++k) {
      ContactVertices contact;
      contact.count = random.integer(1, 4);
      std::vector<int> vertices(map.num_vertices());
      for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = static_cast<int>(v);
      std::shuffle(vertices.begin(), vertices.end(), random.engine());
      std::copy_n(vertices.begin(), contact.count, contact.vertices.begin());
      // A third of them with neighbours.
      contact.num_neighbours = random.integer(0, 2) == 0 ? random.integer(1, 5) : 0;
      contact.first_neighbour = static_cast<int>(neighbours.size());
      neighbours.insert(neighbours.end(), vertices.begin() + contact.count,
                        vertices.begin() + contact.count + contact.num_neighbours);
      contacts.push_back(contact);
      RankOneSum<dim> sum;
      const int width = static_cast<int>(contact.num_places());
      sum.clear(contact.num_places());
      const int terms = random.integer(0, 5);
      for (int r = 0; r < terms; ++r) {
        VecX z = random.vector(width * dim, -1.0, 1.0);
        z.segment(dim * contact.count, dim * (4 - contact.count)).setZero();
        sum.add(random.uniform(0.0, 2.0), std::span<const double>(z.data(), z.size()));
      }
      sums.push_back(sum);
    }
  }

  /// Returns the sum of J^T H J, with rows and columns of fixed blocks zero.
  MatX dense(const std::vector<char>& is_fixed) const {
    MatX total = MatX::Zero(dim * num_blocks, dim * num_blocks);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      MatX jacobian = MatX::Zero(dim * static_cast<int>(contacts[k].num_places()), dim * num_blocks);
      const auto add = [&](int place, int vertex) {
        for (const SurfaceMap::Term& term : map.terms(vertex)) {
          if (is_fixed[term.block]) continue;
          jacobian.block<dim, dim>(dim * place, dim * term.block) += term.weight * Mat<dim>::Identity();
        }
      };
      for (int i = 0; i < contacts[k].count; ++i) add(i, contacts[k].vertices[i]);
      for (int i = 0; i < contacts[k].num_neighbours; ++i) {
        add(4 + i, neighbours[contacts[k].first_neighbour + i]);
      }
      total += jacobian.transpose() * sums[k].dense() * jacobian;
    }
    return total;
  }

  MatX assembled(const std::vector<char>& is_fixed) const {
    ContactHessians<dim> hessians;
    hessians.prepare(map, contacts, neighbours, is_fixed);
    BlockSparseMatrix matrix(dim, num_blocks, hessians.keys());
    hessians.add_to(matrix, 1.5, [&](int k, RankOneSum<dim>& sum) { sum = sums[k]; });
    MatX dense(matrix.num_rows(), matrix.num_rows());
    for (int j = 0; j < matrix.num_rows(); ++j) dense.col(j) = matrix.multiply(VecX::Unit(matrix.num_rows(), j));
    return dense / 1.5;
  }

  Random random;
  SurfaceMap map{dim};
  int num_blocks = 0;
  std::vector<ContactVertices> contacts;
  std::vector<int> neighbours;
  std::vector<RankOneSum<dim>> sums;
};

template <int dim>
void check(unsigned seed) {
  const Scene<dim> scene(seed);
  std::vector<char> is_fixed(scene.num_blocks, 0);
  const MatX expected = scene.dense(is_fixed);
  EXPECT_LT((scene.assembled(is_fixed) - expected).norm(), 1e-13 * expected.norm()) << "seed " << seed;
  // Fix a whole affine body, a node, and one column of the other body.
  for (int b = 0; b <= dim; ++b) is_fixed[b] = 1;
  is_fixed[dim + 2] = is_fixed[dim + 7] = 1;
  const MatX expected_with_fixed = scene.dense(is_fixed);
  EXPECT_LT((scene.assembled(is_fixed) - expected_with_fixed).norm(), 1e-13 * expected.norm()) << "seed " << seed;
}

}  // namespace

TEST(ContactHessians, ArePulledBackThroughAnyMap) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    check<2>(seed);
    check<3>(seed);
  }
}

TEST(ContactHessians, AreTheSameBitsForAnyNumberOfThreads) {
  const Scene<3> scene(3);
  const std::vector<char> is_fixed(scene.num_blocks, 0);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return scene.assembled(is_fixed);
  };
  const MatX alone = with_threads(1);
  EXPECT_EQ(with_threads(2), alone);
  EXPECT_EQ(with_threads(4), alone);
}

}  // namespace clearance
