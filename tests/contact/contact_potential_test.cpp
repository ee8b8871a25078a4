#include "clearance/contact/contact_potential.h"

#include <gtest/gtest.h>

#include "clearance/base/parallel.h"
#include "clearance/contact/ipc_contact_model.h"
#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::ModelBuilder;
using test::Random;
using test::relative_difference;

/// A crowd whose unknowns are in another order than its surface vertices, with one additional block that is no vertex.
template <int dim>
struct Crowd {
  explicit Crowd(unsigned seed, int num_bodies = 5, double side = 2.0) {
    Random random(seed);
    ModelBuilder builder = test::random_soup(random, dim, num_bodies, side, 0.6);
    builder.add_floor({0.1, 1.0, 0.0}, 0.05);
    model = builder.build();
    x = builder.x();
    num_vertices = model.surface.num_vertices;
    model.surface_map = SurfaceMap(dim);
    for (int i = 0; i < num_vertices; ++i) model.surface_map.add_vertex(block_of(i));
    model.layout.num_blocks = num_vertices + 1;
    options.dhat = 0.4;
    set = build_contact_set<dim>(model, x, all_pairs(dim, model.surface), options);
  }
  int block_of(int vertex) const { return num_vertices - vertex; }
  int num_unknowns() const { return model.layout.num_unknowns(); }

  Model model;
  VecX x;
  int num_vertices = 0;
  BarrierOptions options;
  ContactSet set;
};

/// Sums the local derivatives over a plain dense matrix; fixed blocks are left out of the matrix.
template <int dim>
void add_dense(const Crowd<dim>& crowd, const std::vector<char>& is_fixed, double scale, VecX& gradient, MatX& matrix) {
  const IpcContactModel<dim> contacts(crowd.model, crowd.options);
  for (const Contact& contact : crowd.set.contacts) {
    RankOneSum<dim> sum;
    const ContactDerivatives<dim> local = {contacts.derivatives_of(contact, crowd.x, HessianKind::projected, sum),
                                           sum.dense()};
    for (int i = 0; i < contact.num_vertices(); ++i) {
      const int bi = crowd.block_of(contact.vertices[i]);
      gradient.segment<dim>(dim * bi) += scale * local.gradient.template segment<dim>(dim * i);
      for (int k = 0; k < contact.num_vertices(); ++k) {
        const int bk = crowd.block_of(contact.vertices[k]);
        if (is_fixed[bi] || is_fixed[bk]) continue;
        matrix.block<dim, dim>(dim * bi, dim * bk) += scale * local.hessian.template block<dim, dim>(dim * i, dim * k);
      }
    }
  }
}

MatX to_dense(const BlockSparseMatrix& matrix) {
  MatX dense(matrix.num_rows(), matrix.num_rows());
  for (int j = 0; j < matrix.num_rows(); ++j) dense.col(j) = matrix.multiply(VecX::Unit(matrix.num_rows(), j));
  return dense;
}

template <int dim>
void check_assembly(unsigned seed, bool has_fixed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  const Crowd<dim> crowd(seed);
  ASSERT_GT(crowd.set.contacts.size(), 3u);
  std::vector<char> is_fixed(crowd.model.layout.num_blocks, 0);
  for (std::size_t b = 0; has_fixed && b < is_fixed.size(); b += 3) is_fixed[b] = 1;

  const IpcContactModel<dim> contacts(crowd.model, crowd.options);

  ContactPotential<dim> potential(crowd.model, contacts);
  const std::vector<BlockKey> keys = potential.prepare_hessian(crowd.set, is_fixed);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (BlockKey key : keys) {
    EXPECT_FALSE(is_fixed[block_row(key)]);
    EXPECT_FALSE(is_fixed[block_column(key)]);
  }
  BlockSparseMatrix matrix(dim, crowd.model.layout.num_blocks, keys);
  VecX gradient = VecX::Constant(crowd.num_unknowns(), 0.5);
  potential.add_derivatives(crowd.set, crowd.x, 3.0, HessianKind::projected, gradient, matrix);

  VecX expected_gradient = VecX::Constant(crowd.num_unknowns(), 0.5);
  MatX expected = MatX::Zero(crowd.num_unknowns(), crowd.num_unknowns());
  add_dense<dim>(crowd, is_fixed, 3.0, expected_gradient, expected);
  EXPECT_GT(expected.norm(), 0.0);
  EXPECT_LT(relative_difference(to_dense(matrix), expected, 1e-300), 1e-12);
  EXPECT_LT(relative_difference(gradient, expected_gradient), 1e-12);

  VecX gradient_alone = VecX::Constant(crowd.num_unknowns(), 0.5);
  potential.add_gradient(crowd.set, crowd.x, 3.0, gradient_alone);
  EXPECT_LT(relative_difference(gradient_alone, gradient), 1e-12);
}

template <int dim>
void check_forces(unsigned seed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  const Crowd<dim> crowd(seed);
  const IpcContactModel<dim> contacts(crowd.model, crowd.options);
  const ContactPotential<dim> potential(crowd.model, contacts);
  VecX gradient = VecX::Zero(crowd.num_unknowns());
  potential.add_gradient(crowd.set, crowd.x, 2.0, gradient);
  const VecX forces = potential.vertex_forces(crowd.set, crowd.x, 2.0);
  EXPECT_GT(forces.norm(), 0.0);
  for (int i = 0; i < crowd.num_vertices; ++i) {
    EXPECT_EQ(forces.segment<dim>(dim * i), -gradient.segment<dim>(dim * crowd.block_of(i))) << i;
  }
  EXPECT_EQ(gradient.head<dim>().norm(), 0.0);  // block 0 is no vertex

  // Compare with the gradient of the whole energy, with contacts found anew at every difference.
  const auto energy = [&](const VecX& x) {
    const ContactSet set = build_contact_set<dim>(crowd.model, x, all_pairs(dim, crowd.model.surface), crowd.options);
    return potential.energy(set, x).value();
  };
  if (crowd.set.min_distance < 0.01) return;  // too steep for differences of this step
  EXPECT_LT(relative_difference(VecX(-0.5 * forces), test::finite_difference_gradient(energy, crowd.x, 1e-7)), 1e-4);
}

}  // namespace

TEST(ContactPotential, AssembledDerivativesEqualTheDenseSum) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    check_assembly<2>(seed, false);
    check_assembly<3>(seed, false);
  }
}

TEST(ContactPotential, FixedBlocksAreLeftOutOfTheHessian) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    check_assembly<2>(seed, true);
    check_assembly<3>(seed, true);
  }
}

TEST(ContactPotential, VertexForcesAreTheNegativeGradient) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    check_forces<2>(seed);
    check_forces<3>(seed);
  }
}

TEST(ContactPotential, WorksForASupersetPattern) {
  const Crowd<3> crowd(3);
  std::vector<BlockKey> all;
  for (int column = 0; column < crowd.model.layout.num_blocks; ++column) {
    for (int row = column; row < crowd.model.layout.num_blocks; ++row) all.push_back(make_block_key(row, column));
  }
  BlockSparseMatrix full(3, crowd.model.layout.num_blocks, all);
  const IpcContactModel<3> contacts(crowd.model, crowd.options);
  ContactPotential<3> potential(crowd.model, contacts);
  const std::vector<char> is_fixed(crowd.model.layout.num_blocks, 0);
  potential.prepare_hessian(crowd.set, is_fixed);
  VecX gradient = VecX::Zero(crowd.num_unknowns());
  potential.add_derivatives(crowd.set, crowd.x, 1.0, HessianKind::projected, gradient, full);
  MatX expected = MatX::Zero(crowd.num_unknowns(), crowd.num_unknowns());
  VecX expected_gradient = VecX::Zero(crowd.num_unknowns());
  add_dense<3>(crowd, is_fixed, 1.0, expected_gradient, expected);
  EXPECT_LT(relative_difference(to_dense(full), expected, 1e-300), 1e-12);
}

TEST(ContactPotential, SameBitsForAnyNumberOfThreads) {
  const Crowd<3> crowd(4, 40, 3.5);
  EXPECT_GT(crowd.set.contacts.size(), 500u);
  const std::vector<char> is_fixed(crowd.model.layout.num_blocks, 0);
  std::vector<VecX> gradients;
  std::vector<std::vector<double>> values;
  std::vector<double> energies;
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    const IpcContactModel<3> contacts(crowd.model, crowd.options);
    ContactPotential<3> potential(crowd.model, contacts);
    BlockSparseMatrix matrix(3, crowd.model.layout.num_blocks, potential.prepare_hessian(crowd.set, is_fixed));
    gradients.push_back(VecX::Zero(crowd.num_unknowns()));
    potential.add_derivatives(crowd.set, crowd.x, 1.0, HessianKind::projected, gradients.back(), matrix);
    values.push_back(matrix.values());
    energies.push_back(potential.energy(crowd.set, crowd.x).value());
  }
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(gradients[i], gradients[0]);
    EXPECT_EQ(values[i], values[0]);
    EXPECT_EQ(energies[i], energies[0]);
  }
}

TEST(ContactPotential, WithoutContactsNothingIsAdded) {
  const Crowd<2> crowd(1);
  const IpcContactModel<2> contacts(crowd.model, crowd.options);
  ContactPotential<2> potential(crowd.model, contacts);
  const std::vector<char> is_fixed(crowd.model.layout.num_blocks, 0);
  EXPECT_TRUE(potential.prepare_hessian({}, is_fixed).empty());
  BlockSparseMatrix matrix(2, crowd.model.layout.num_blocks, {});
  VecX gradient = VecX::Zero(crowd.num_unknowns());
  potential.add_derivatives({}, crowd.x, 1.0, HessianKind::projected, gradient, matrix);
  EXPECT_EQ(gradient.norm(), 0.0);
  EXPECT_EQ(potential.energy({}, crowd.x).value(), 0.0);
}

}  // namespace clearance
