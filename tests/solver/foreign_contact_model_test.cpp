// The seam of contact formulations: a formulation that the library does not know, with its own law, stencils and
// weights, runs through friction, Newton and the guarantee without a line of the solver.
#include <gtest/gtest.h>

#include "clearance/contact/contact_potential.h"
#include "solver/spring_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::relative_difference;

/// A quadratic penalty k/2 A (dhat - d)^2 of points against triangles and half-spaces, where A = |p - q|^2 is an area
/// that follows the distance of the point to a neighbour q: five vertices. With f = |p - q| (dhat - d) the energy is
/// k/2 f^2, whose Gauss-Newton Hessian is positive semi-definite. Half of what half-spaces do is subtracted again, by a
/// weight below zero.
class PenaltyModel final : public ContactModel<3> {
 public:
  PenaltyModel(const Model& model, double dhat, double stiffness)
      : model_(model), dhat_(dhat), stiffness_(stiffness), neighbour_(model.surface.num_vertices) {
    for (const auto& [a, b] : model.surface.edges) {
      neighbour_[a] = b;
      neighbour_[b] = a;
    }
  }

  double activation_distance() const override { return dhat_; }
  Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                             const std::vector<double>& deviation) const override {
    return broad_phase.find_candidates(x_t0, x_t1, 0.5 * dhat_, deviation);
  }
  bool has_stiffness() const override { return true; }

  ContactSet build(const VecX& x, const Candidates& candidates) const override {
    ContactSet set;
    set.first_neighbour = {0};
    const auto add = [&](const Contact& contact, double distance) {
      set.min_distance = std::min(set.min_distance, distance);
      if (distance >= dhat_) return;
      set.contacts.push_back(contact);
      set.contacts.back().dhat = dhat_;
      set.contacts.back().distance_sq = distance * distance;
      set.neighbours.push_back(neighbour_[contact.vertices[0]]);
      set.first_neighbour.push_back(static_cast<int>(set.neighbours.size()));
    };
    for (const auto& [p, triangle] : candidates.point_triangle) {
      const auto& t = model_.surface.triangles[triangle];
      const Vec<3> at = block<3>(x, p), a = block<3>(x, t[0]), b = block<3>(x, t[1]), c = block<3>(x, t[2]);
      if (point_triangle_type(at, a, b, c) != PointTriangleType::p_t) continue;
      Contact contact;
      contact.kind = ContactKind::point_triangle;
      contact.vertices = {p, t[0], t[1], t[2]};
      contact.weight = stiffness_;
      add(contact, std::sqrt(point_plane_distance_sq(at, a, b, c)));
    }
    for (int v = 0; v < model_.surface.num_vertices; ++v) {
      Contact contact;
      contact.kind = ContactKind::half_space;
      contact.vertices = {v, -1, -1, -1};
      contact.plane = 0;
      const double distance = model_.half_spaces[0].normal.dot(block<3>(x, v)) - model_.half_spaces[0].offset;
      for (const double weight : {1.5, -0.5}) {
        contact.weight = weight * stiffness_;
        add(contact, distance);
      }
    }
    return set;
  }

  double energy(const ContactSet& set, std::size_t k, const VecX& x) const override {
    const Form form = form_of(set, k, x);
    return 0.5 * set.contacts[k].weight * form.value * form.value;
  }
  void compute_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                        std::span<double> gradient) const override {
    const Form form = form_of(set, k, x);
    Eigen::Map<Vec<15>>(gradient.data()) = set.contacts[k].weight * form.value * form.gradient;
  }
  void compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind, std::span<double> gradient,
                           RankOneSum<3>& hessian) const override {
    const Form form = form_of(set, k, x);
    compute_gradient(set, k, x, gradient);
    if (set.contacts[k].weight > 0.0) {
      hessian.add(set.contacts[k].weight, std::span<const double>(form.gradient.data(), 15));
    }
  }
  double normal_force(const Contact& contact, const ContactGap<3>& gap, const ContactPositions<3>&) const override {
    return contact.weight * std::max(0.0, dhat_ - gap.distance);
  }

 private:
  /// f and its gradient: four places of features and one of the neighbour.
  struct Form {
    double value = 0.0;
    Vec<15> gradient = Vec<15>::Zero();
  };
  Form form_of(const ContactSet& set, std::size_t k, const VecX& x) const {
    const Contact& contact = set.contacts[k];
    const ContactGap<3> gap = compute_contact_gap<3>(model_, contact, positions_of<3>(contact, x));
    const Vec<3> side = block<3>(x, contact.vertices[0]) - block<3>(x, set.neighbours_of(k)[0]);
    const double length = side.norm(), depth = dhat_ - gap.distance;
    Form form;
    form.value = length * depth;
    for (int i = 0; i < contact.num_vertices(); ++i) {
      form.gradient.segment<3>(3 * i) = -length * gap.weights[i] * gap.normal;
    }
    form.gradient.segment<3>(0) += depth / length * side;
    form.gradient.segment<3>(12) -= depth / length * side;
    return form;
  }

  const Model& model_;
  double dhat_, stiffness_;
  std::vector<int> neighbour_;  // per surface vertex
};

/// The world of the solver's tests with the new formulation; the upper body is moved by `shift`.
struct Fixture {
  explicit Fixture(const Vec<3>& shift) : world(test::falling_bodies<3>(0.02)) {
    VecX x = world.state.x;
    for (int v = 4; v < 8; ++v) block<3>(x, v) += shift;
    world.start(x);
    world.options.convergence = Convergence::forces;
    world.options.force_tolerance = 1e-4;
    world.options.friction.iterations = 0;
    world.model.friction.class_of_body = {0, 1};
    world.model.friction.of_class = {{0.4, 0.4}, {0.4, 0.4}};
    world.model.friction.of_half_space = {std::nullopt};
    world.model.body_of_block = world.model.surface.vertex_body;
  }
  std::unique_ptr<PenaltyModel> formulation() const { return std::make_unique<PenaltyModel>(world.model, 0.03, 1e5); }
  test::World world;
};

/// This shift puts the apex of the lower body near the inside of a triangle of the upper one.
const Vec<3> above_the_apex(-0.15, 0.005, 0.05);

}  // namespace

TEST(ForeignContactModel, GradientOfFiveVerticesIsThatOfTheEnergy) {
  const Fixture f(above_the_apex);
  const Model& model = f.world.model;
  const auto formulation = f.formulation();
  const ContactPotential<3> potential(model, *formulation);
  const VecX x = f.world.state.x;
  const Candidates pairs = test::all_pairs(3, model.surface);
  const auto energy = [&](const VecX& at) { return potential.energy(formulation->build(at, pairs), at).value(); };
  VecX gradient = VecX::Zero(x.size());
  const ContactSet set = formulation->build(x, pairs);
  ASSERT_GT(set.contacts.size(), 6u);
  potential.add_gradient(set, x, 1.0, gradient);
  EXPECT_GT(gradient.norm(), 1.0);
  EXPECT_LT(relative_difference(gradient, test::finite_difference_gradient(energy, x, 1e-7)), 1e-5);
  // The parts that the energy subtracts count with their size.
  EXPECT_GT(potential.magnitude(set, x), 1.2 * potential.energy(set, x).value());
}

TEST(ForeignContactModel, PointsAndTrianglesKeepApart) {
  Fixture f(above_the_apex);
  test::World& world = f.world;
  StepWorkspace<3> workspace(world.model, world.options, f.formulation());
  for (int step = 0; step < 15; ++step) {
    const StepReport report = advance<3>(world.model, world.options, world.targets, world.state, workspace);
    ASSERT_EQ(to_string(report.status), "converged") << "step " << step + 1;
    ASSERT_TRUE(test::is_free(world, world.state.x)) << "step " << step + 1;
    ASSERT_GT(report.num_contacts, 0);
  }
}

TEST(ForeignContactModel, BodiesComeToRestOnItAndNeverMeet) {
  // The bodies are side by side.
  Fixture f(Vec<3>(1.0, -0.52, 0.0));
  test::World& world = f.world;
  StepWorkspace<3> workspace(world.model, world.options, f.formulation());
  StepHooks hooks;
  hooks.keeps_forces = true;
  StepReport report;
  for (int step = 0; step < 400; ++step) {
    report = advance<3>(world.model, world.options, world.targets, world.state, workspace, hooks);
    ASSERT_EQ(to_string(report.status), "converged") << "step " << step + 1;
    ASSERT_TRUE(test::is_free(world, world.state.x)) << "step " << step + 1;
  }
  // At rest the floor carries the weight of eight vertices of 0.5 kg, and friction no more than its share.
  ASSERT_TRUE(report.forces.has_value());
  Vec<3> normal = Vec<3>::Zero(), friction = Vec<3>::Zero();
  for (const auto& [bodies, force] : report.forces->between) {
    if (bodies.second >= 0) continue;
    normal += force.normal;
    friction += force.friction;
  }
  EXPECT_LT(world.state.v.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR((normal + friction)[1], 8 * 0.5 * 10.0, 0.04);
  EXPECT_LT(friction.norm(), 0.4 * normal.norm() * (1.0 + 1e-6));
}

TEST(ForeignContactModel, IsTheSameBitsForAnyNumberOfThreads) {
  std::vector<VecX> ends;
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    Fixture f(above_the_apex);
    StepWorkspace<3> workspace(f.world.model, f.world.options, f.formulation());
    for (int step = 0; step < 30; ++step) {
      advance<3>(f.world.model, f.world.options, f.world.targets, f.world.state, workspace);
    }
    ends.push_back(f.world.state.x);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

}  // namespace clearance
