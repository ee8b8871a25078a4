// Bodies made of springs, with gravity: enough physics for the tests of the solver, without finite elements.
#pragma once

#include <gtest/gtest.h>

#include "clearance/math/dimension.h"
#include "clearance/solver/advance.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/sparse/block_assembler.h"
#include "contact/contact_models.h"

namespace clearance::test {

/// Energy: sum of k/2 (|x_a - x_b| - rest length)^2.
template <int dim>
class SpringPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<SpringPotential>(*this); }
  SpringPotential(const Model& model, double stiffness) : stiffness_(stiffness), springs_(model.surface.edges) {
    StencilList stencils;
    for (const auto& s : springs_) {
      rest_.push_back((block<dim>(model.x_rest, s[0]) - block<dim>(model.x_rest, s[1])).norm());
      stencils.add(s);
    }
    assembler_ = BlockAssembler(stencils);
  }
  std::string name() const override { return "springs"; }
  CompensatedSum energy(const VecX& x) const override {
    CompensatedSum sum;
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const double stretch = edge(i, x).norm() - rest_[i];
      sum.add(0.5 * stiffness_ * stretch * stretch);
    }
    return sum;
  }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Vec<dim> d = edge(i, x);
      const Vec<dim> force = (scale * stiffness_ * (1.0 - rest_[i] / d.norm())) * d;
      block<dim>(gradient, springs_[i][0]) += force;
      block<dim>(gradient, springs_[i][1]) -= force;
    }
  }
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override {
    constexpr std::size_t size = dim * dim;
    std::vector<double> locals(springs_.size() * num_stencil_blocks(2) * size);
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Vec<dim> d = edge(i, x), t = d.normalized();
      const double across = std::max(0.0, 1.0 - rest_[i] / d.norm());
      const Mat<dim> k = stiffness_ * (t * t.transpose() + across * (Mat<dim>::Identity() - t * t.transpose()));
      const std::array<double, 3> signs = {1.0, -1.0, 1.0};
      for (std::size_t b = 0; b < 3; ++b) {
        Eigen::Map<Mat<dim>>(locals.data() + (i * num_stencil_blocks(2) + b) * size) = signs[b] * k;
      }
    }
    EXPECT_TRUE(assembler_.bind(matrix));
    assembler_.template add_to<dim>(matrix, locals, scale);
  }

 private:
  Vec<dim> edge(std::size_t i, const VecX& x) const {
    return block<dim>(x, springs_[i][0]) - block<dim>(x, springs_[i][1]);
  }
  double stiffness_;
  Edges springs_;
  std::vector<double> rest_;
  BlockAssembler assembler_;
};

/// -sum of m g . x, g along the second axis.
class WeightPotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<WeightPotential>(*this); }
  WeightPotential(const Model& model, double gravity) : dim_(model.layout.dim), weight_(gravity * model.mass) {}
  std::string name() const override { return "gravity"; }
  CompensatedSum energy(const VecX& x) const override {
    CompensatedSum sum;
    for (int b = 0; b < weight_.size(); ++b) sum.add(-weight_[b] * x[dim_ * b + 1]);
    return sum;
  }
  void add_gradient(const VecX&, double scale, VecX& gradient) override {
    for (int b = 0; b < weight_.size(); ++b) gradient[dim_ * b + 1] -= scale * weight_[b];
  }

 private:
  int dim_;
  VecX weight_;
};

/// The parts of a simulation.
struct World {
  Model model;
  SolverOptions options;
  State state;
  PrescribedTargets targets;

  void start(const VecX& x) {
    state.x = x;
    state.v = VecX::Zero(x.size());
    state.a = VecX::Zero(x.size());
  }
};

/// Makes a body of springs above another above a floor: tetrahedra, or triangles in 2D.
template <int dim>
World falling_bodies(double gap = 0.02) {
  ModelBuilder builder(dim);
  for (int i = 0; i < 2; ++i) {
    const Vec<3> origin(0.1 * i, gap + (0.5 + gap) * i, 0.05 * i);
    if (dim == 3) {
      builder.add_body(
          {origin, origin + Vec<3>(0.5, 0.0, 0.0), origin + Vec<3>(0.0, 0.0, -0.5), origin + Vec<3>(0.1, 0.5, -0.1)},
          {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}});
    } else {
      builder.add_body({origin, origin + Vec<3>(0.5, 0.0, 0.0), origin + Vec<3>(0.2, 0.5, 0.0)}, {},
                       {{0, 1}, {1, 2}, {2, 0}});
    }
  }
  builder.add_half_space(Vec<3>::UnitY(), 0.0);
  World world;
  world.model = builder.build();
  world.model.potentials = {std::make_shared<SpringPotential<dim>>(world.model, 1000.0),
                            std::make_shared<WeightPotential>(world.model, -10.0)};
  world.options.barrier.dhat = 0.01;
  world.options.tolerance = 1e-4;
  world.options.max_iterations = 200;
  world.start(builder.x());
  return world;
}

/// Makes a crowd of bodies of random shapes that falls onto a floor and onto each other.
inline World falling_crowd(unsigned seed, int num_bodies) {
  Random random(seed);
  ModelBuilder builder(3);
  for (int i = 0; i < num_bodies; ++i) {
    builder.add_tet(random, {0.45 * (i % 2) + 0.1 * (i % 3), 1.0 * (i / 4), 0.45 * (i / 2 % 2)}, 0.14);
  }
  builder.add_floor(Vec<3>::UnitY(), 0.02);
  World world;
  world.model = builder.build();
  world.model.potentials = {std::make_shared<SpringPotential<3>>(world.model, 1000.0),
                            std::make_shared<WeightPotential>(world.model, -10.0)};
  world.options.barrier.dhat = 0.01;
  world.options.tolerance = 1e-3;
  world.start(builder.x());
  world.state.v = random.vector(world.state.x.size(), -1.0, 1.0);
  return world;
}

inline bool is_free(const World& world, const VecX& x) {
  const auto broad_phase = make_brute_force(world.model.layout.dim, world.model.surface);
  return with_dimension(world.model.layout.dim, [&](auto dim) {
    return is_intersection_free<dim>(world.model, world.model.surface_map.apply(x), *broad_phase, nullptr);
  });
}

}  // namespace clearance::test
