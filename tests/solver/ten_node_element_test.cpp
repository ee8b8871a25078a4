// The seams of elements: a quadratic tetrahedron of ten nodes, which the library does not know, runs through assembly,
// Newton and contact. Its surface has vertices that are blocks and sums of blocks with offsets.
#include <gtest/gtest.h>

#include "solver/spring_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::relative_difference;

/// Mid-edge node 4 + k lies between these corners.
constexpr std::array<std::array<int, 2>, 6> mid_edges = {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

/// Returns the gradients by x of the ten shape functions of a straight tetrahedron: its barycentrics L_a have the
/// constant gradients g_a, and the functions are L_a (2 L_a - 1) and 4 L_a L_b.
std::array<Vec<3>, 10> shape_gradients(const std::array<Vec<3>, 4>& g, const std::array<double, 4>& at) {
  std::array<Vec<3>, 10> gradients;
  for (std::size_t a = 0; a < 4; ++a) gradients[a] = (4.0 * at[a] - 1.0) * g[a];
  for (std::size_t k = 0; k < 6; ++k) {
    const auto a = static_cast<std::size_t>(mid_edges[k][0]), b = static_cast<std::size_t>(mid_edges[k][1]);
    gradients[4 + k] = 4.0 * (at[a] * g[b] + at[b] * g[a]);
  }
  return gradients;
}

/// Energy: sum over elements of the integral of k/2 |F - I|^2, by the rule of four points, which is exact for it. Local
/// Hessians are streamed, one element at a time.
class QuadraticElements final : public Potential {
 public:
  QuadraticElements(const VecX& x_rest, std::vector<std::array<int, 10>> elements, double stiffness)
      : elements_(std::move(elements)), stiffness_(stiffness) {
    StencilList stencils;
    for (const auto& nodes : elements_) {
      stencils.add(nodes);
      Mat<3> edges;
      for (int a = 0; a < 3; ++a) edges.col(a) = block<3>(x_rest, nodes[a + 1]) - block<3>(x_rest, nodes[0]);
      const Mat<3> inverse = edges.inverse();
      std::array<Vec<3>, 4> g;
      g[0] = -inverse.colwise().sum().transpose();
      for (int a = 0; a < 3; ++a) g[a + 1] = inverse.row(a).transpose();
      std::array<std::array<Vec<3>, 10>, 4> of_points;
      for (std::size_t q = 0; q < 4; ++q) {
        std::array<double, 4> at;
        at.fill(0.1381966011250105);
        at[q] = 0.5854101966249685;
        of_points[q] = shape_gradients(g, at);
      }
      gradients_.push_back(of_points);
      weights_.push_back(edges.determinant() / 24.0);
    }
    assembler_ = BlockAssembler(stencils, num_stencil_blocks(10));
  }
  std::unique_ptr<Potential> clone() const override { return std::make_unique<QuadraticElements>(*this); }
  std::string name() const override { return "quadratic"; }
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }

  CompensatedSum energy(const VecX& x) const override {
    CompensatedSum sum;
    for_each_point(
        [&](std::size_t e, std::size_t q) { sum.add(0.5 * stiffness_ * weights_[e] * strain(e, q, x).squaredNorm()); });
    return sum;
  }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override {
    for_each_point([&](std::size_t e, std::size_t q) {
      const Mat<3> stress = (scale * stiffness_ * weights_[e]) * strain(e, q, x);
      for (std::size_t a = 0; a < 10; ++a) block<3>(gradient, elements_[e][a]) += stress * gradients_[e][q][a];
    });
  }
  void add_hessian(const VecX&, double scale, BlockSparseMatrix& matrix) override {
    ASSERT_TRUE(assembler_.bind(matrix));
    ASSERT_EQ(assembler_.num_batches(), static_cast<int>(elements_.size()));
    std::vector<double> local(num_stencil_blocks(10) * 9);
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      double* next = local.data();
      for (std::size_t a = 0; a < 10; ++a) {
        for (std::size_t b = 0; b <= a; ++b, next += 9) {
          double sum = 0.0;
          for (std::size_t q = 0; q < 4; ++q) sum += gradients_[e][q][a].dot(gradients_[e][q][b]);
          Eigen::Map<Mat<3>> of_pair(next);
          of_pair = stiffness_ * weights_[e] * sum * Mat<3>::Identity();
        }
      }
      assembler_.add_to<3>(matrix, local, scale, static_cast<int>(e));
    }
  }

 private:
  template <class Visit>
  void for_each_point(const Visit& visit) const {
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      for (std::size_t q = 0; q < 4; ++q) visit(e, q);
    }
  }
  Mat<3> strain(std::size_t e, std::size_t q, const VecX& x) const {
    Mat<3> f = -Mat<3>::Identity();
    for (std::size_t a = 0; a < 10; ++a) f += block<3>(x, elements_[e][a]) * gradients_[e][q][a].transpose();
    return f;
  }

  std::vector<std::array<int, 10>> elements_;
  double stiffness_;
  std::vector<std::array<std::array<Vec<3>, 10>, 4>> gradients_;  // per element and point, of the shape functions
  std::vector<double> weights_;                                   // [m^3] of a point
  BlockAssembler assembler_;
};

/// Two tetrahedra that share a face, with fourteen nodes. The surface is a proxy: the corners, and on every edge a
/// vertex that is a sum of three nodes, V + W (x - X) with V a little off the edge.
struct Body {
  Body() {
    const std::vector<Vec<3>> corners = {{0, 0, 0}, {1, 0, 0}, {0.2, 0.1, -1}, {0.3, 1, -0.3}, {0.9, 0.8, -0.9}};
    nodes = corners;
    for (const std::array<int, 4>& t : {std::array{0, 1, 2, 3}, std::array{1, 4, 2, 3}}) {
      std::array<int, 10> element{};
      std::copy(t.begin(), t.end(), element.begin());
      for (std::size_t k = 0; k < 6; ++k) {
        element[4 + k] = mid_node(t[mid_edges[k][0]], t[mid_edges[k][1]]);
      }
      elements.push_back(element);
    }
  }
  int mid_node(int a, int b) {
    const auto [found, is_new] = mid.emplace(std::minmax(a, b), static_cast<int>(nodes.size()));
    if (is_new) nodes.emplace_back(0.5 * (nodes[a] + nodes[b]));
    return found->second;
  }

  std::vector<Vec<3>> nodes;
  std::vector<std::array<int, 10>> elements;
  std::map<std::pair<int, int>, int> mid;
};

test::World falling_body(double height) {
  const Body body;
  test::World world;
  Model& model = world.model;
  const int count = static_cast<int>(body.nodes.size());
  model.layout = {3, count};
  model.x_rest.resize(3 * count);
  for (int n = 0; n < count; ++n) block<3>(model.x_rest, n) = body.nodes[n] + height * Vec<3>::UnitY();
  model.mass = VecX::Constant(count, 0.5);
  // Corners 0 to 4, then a vertex per edge.
  SurfaceTopology& surface = model.surface;
  for (int v = 0; v < 5; ++v) model.surface_map.add_vertex(v);
  for (const auto& [ends, node] : body.mid) {
    // At a quarter of the edge: shape functions 3/8, -1/8 and 3/4.
    const std::array<SurfaceMap::Term, 3> terms = {{{ends.first, 0.375}, {ends.second, -0.125}, {node, 0.75}}};
    model.surface_map.add_vertex(terms, Vec<3>(1e-3, 2e-3, 0.0));
  }
  surface.num_vertices = 5 + static_cast<int>(body.mid.size());
  surface.vertex_body.assign(surface.num_vertices, 0);
  surface.vertex_group.assign(surface.num_vertices, 0);
  surface.body_names = {"body"};
  for (int v = 5; v < surface.num_vertices; ++v) surface.edges.push_back({v % 5, v});
  model.edge_rest_length_sq.assign(surface.edges.size(), 1.0);
  model.is_obstacle_vertex.assign(surface.num_vertices, 0);
  model.is_always_prescribed.assign(count, 0);
  model.half_spaces = {{Vec<3>::UnitY(), 0.0}};
  model.potentials = {std::make_shared<QuadraticElements>(model.x_rest, body.elements, 2e4),
                      std::make_shared<test::WeightPotential>(model, -10.0)};
  world.options.barrier.dhat = 0.01;
  world.options.tolerance = 1e-5;
  world.options.max_iterations = 200;
  world.start(model.x_rest);
  return world;
}

}  // namespace

TEST(TenNodeElement, DerivativesAreThoseOfItsEnergy) {
  const test::World world = falling_body(1.0);
  const std::unique_ptr<Potential> potential = world.model.potentials[0]->clone();
  test::Random random(1);
  const VecX x = world.state.x + random.vector(world.state.x.size(), -0.1, 0.1);
  const auto energy = [&](const VecX& at) { return potential->energy(at).value(); };
  const auto gradient_at = [&](const VecX& at) {
    VecX gradient = VecX::Zero(at.size());
    potential->add_gradient(at, 1.0, gradient);
    return gradient;
  };
  EXPECT_LT(relative_difference(gradient_at(x), test::finite_difference_gradient(energy, x)), 1e-6);
  BlockSparseMatrix matrix(3, world.model.layout.num_blocks, potential->pattern());
  potential->add_hessian(x, 1.0, matrix);
  MatX hessian(x.size(), x.size());
  for (int j = 0; j < x.size(); ++j) hessian.col(j) = matrix.multiply(VecX::Unit(x.size(), j));
  EXPECT_LT(relative_difference(hessian, test::finite_difference_jacobian(gradient_at, x)), 1e-6);
  // A linear map of the nodes causes only the force of F - I: a rigid translation causes none.
  EXPECT_LT(gradient_at(world.state.x + VecX::Constant(x.size(), 0.25)).norm(), 1e-9);
}

TEST(TenNodeElement, LandsOnItsProxyAndBearsItsWeight) {
  test::World world = falling_body(0.02);
  // At this step, implicit Euler brings a damping of twice the body's own frequency.
  StepWorkspace<3> workspace(world.model, world.options);
  StepReport report;
  for (int step = 0; step < 300; ++step) {
    report = advance<3>(world.model, world.options, world.targets, world.state, workspace);
    ASSERT_EQ(report.status, StepStatus::converged) << "step " << step + 1;
    ASSERT_TRUE(test::is_free(world, world.state.x));
  }
  // Balance of the vertical forces of all nodes: elasticity has no resultant, so contacts carry 14 x 0.5 kg.
  EXPECT_LT(world.state.v.cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_GT(report.num_contacts, 0);
  StepHooks hooks;
  hooks.keeps_forces = true;
  report = advance<3>(world.model, world.options, world.targets, world.state, workspace, hooks);
  double carried = 0.0;
  for (const auto& [bodies, force] : report.forces->between) carried += force.normal[1];
  EXPECT_NEAR(carried, 14 * 0.5 * 10.0, 0.5);
}

}  // namespace clearance
