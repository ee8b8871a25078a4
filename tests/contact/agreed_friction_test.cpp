// Derivatives of the friction that agrees with the contact forces: every part of them against differences, with rows
// that are forces. The transpose must not pass.
#include "clearance/contact/agreed_friction.h"

#include <gtest/gtest.h>

#include <functional>

#include "clearance/contact/convergent_contact_model.h"
#include "clearance/contact/gcp_contact_model.h"
#include "clearance/contact/ipc_contact_model.h"
#include "clearance/math/rotation.h"
#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::Random;

constexpr double kappa = 3.0, step_of_differences = 1e-7;

/// A step of bodies that rub, whose surface vertices are the unknowns.
template <int dim>
struct RubbingStep {
  Model model;
  VecX x_t0, x, free_motion;
  FrictionScales scales{1.0, 0.01, 0.0};
  std::vector<StickVertex> memory;
  std::function<std::unique_ptr<ContactModel<dim>>(const Model&)> make_contacts = [](const Model& of) {
    return std::make_unique<IpcContactModel<dim>>(of, BarrierOptions{0.4, 0.0});
  };
  /// Contacts that count; null: all.
  std::function<bool(const Contact&)> counts;

  ContactSet contacts_at(const ContactModel<dim>& contacts, const VecX& at) const {
    ContactSet set = contacts.build(at, test::all_pairs(dim, model.surface));
    if (counts) std::erase_if(set.contacts, [&](const Contact& contact) { return !counts(contact); });
    return set;
  }
  /// Gives the contacts something to remember, of which the most can hold.
  void remember(Random& random) {
    scales.stick = 0.012;
    const auto contacts = make_contacts(model);
    for (const Contact& contact : contacts_at(*contacts, x).contacts) {
      for (int i = 0; i < contact.num_vertices(); ++i) {
        // Some vertices remember nothing yet.
        if (random.uniform(0.0, 1.0) < 0.2) continue;
        StickVertex vertex{contact.vertices[i], partner_of(model, contact, i), Vec<3>::Zero()};
        if (find_stick(memory, vertex.vertex, vertex.partner) != nullptr) continue;
        vertex.displacement.head<dim>() = random.vector(dim, -0.004, 0.004);
        memory.push_back(vertex);
        std::sort(memory.begin(), memory.end(), [](const StickVertex& a, const StickVertex& b) {
          return std::pair(a.vertex, a.partner) < std::pair(b.vertex, b.partner);
        });
      }
    }
  }

  struct Values {
    VecX gradient, stick;
  };
  /// Evaluates the friction anew.
  Values at(const VecX& end, const VecX& start, const std::vector<StickVertex>& remembered) const {
    const auto contacts = make_contacts(model);
    FrictionPotential<dim> friction(model, *contacts, scales, start, remembered,
                                    std::make_shared<ContactHessians<dim>>(), free_motion);
    friction.lag(contacts_at(*contacts, end), end, end - start, kappa);
    Values values{VecX::Zero(end.size()), {}};
    friction.add_gradient(end, values.gradient);
    for (const StickVertex& vertex : friction.stick(end)) {
      values.stick.conservativeResize(values.stick.size() + 3);
      values.stick.template tail<3>() = vertex.displacement;
    }
    return values;
  }
  std::vector<StickVertex> memory_with(const VecX& numbers) const {
    std::vector<StickVertex> changed = memory;
    for (std::size_t k = 0; k < changed.size(); ++k) changed[k].displacement = block<3>(numbers, static_cast<int>(k));
    return changed;
  }
};

void expect_same(const EntryList& found, const MatX& expected, double tolerance, const char* what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  const double size = std::max(expected.norm(), 1e-2);  // differences of zero have rounding
  MatX columns(found.rows(), found.cols()), rows(found.rows(), found.cols());
  for (Eigen::Index c = 0; c < columns.cols(); ++c) columns.col(c) = found.multiply(VecX::Unit(columns.cols(), c));
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    rows.row(r) = found.multiply_transposed(VecX::Unit(rows.rows(), r)).transpose();
  }
  EXPECT_LT((columns - expected).norm(), tolerance * size) << what;
  EXPECT_LT((columns - rows).norm(), 1e-12 * size) << what;
}

/// Compares everything with differences, and returns how far the derivative by the end is from its transpose.
template <int dim>
double expect_differences(const RubbingStep<dim>& step, double tolerance = 1e-6) {
  const auto contacts = step.make_contacts(step.model);
  const ContactSet set = step.contacts_at(*contacts, step.x);
  const FrictionDerivatives found = differentiate_friction<dim>(
      {step.model, *contacts, step.scales, step.memory, step.x_t0, step.free_motion, set, step.x, kappa});
  const auto values = step.at(step.x, step.x_t0, step.memory);
  EXPECT_LT((found.gradient - values.gradient).norm(), 1e-10 * values.gradient.norm());
  EXPECT_EQ(3 * std::ssize(found.stick), values.stick.size());
  for (std::size_t k = 0; k < found.stick.size(); ++k) {
    EXPECT_LT((found.stick[k].displacement - block<3>(values.stick, static_cast<int>(k))).norm(), 1e-12);
  }
  const auto differences = [&](const auto& at, const VecX& x) {
    return test::finite_difference_jacobian(at, x, step_of_differences);
  };
  VecX memory(3 * std::ssize(step.memory));
  for (std::size_t k = 0; k < step.memory.size(); ++k) {
    block<3>(memory, static_cast<int>(k)) = step.memory[k].displacement;
  }
  const auto by_end = [&](const VecX& x) { return step.at(x, step.x_t0, step.memory); };
  const auto by_start = [&](const VecX& x) { return step.at(step.x, x, step.memory); };
  const auto by_stick = [&](const VecX& numbers) { return step.at(step.x, step.x_t0, step.memory_with(numbers)); };
  const auto forces = [](const auto& at) { return [&at](const VecX& x) { return at(x).gradient; }; };
  const auto sticking = [](const auto& at) { return [&at](const VecX& x) { return at(x).stick; }; };
  const MatX force_by_end = differences(forces(by_end), step.x);
  expect_same(found.force_by_end, force_by_end, tolerance, "force by end");
  expect_same(found.force_by_start, differences(forces(by_start), step.x_t0), tolerance, "force by start");
  if (values.stick.size() > 0) {
    expect_same(found.stick_by_end, differences(sticking(by_end), step.x), tolerance, "stick by end");
    expect_same(found.stick_by_start, differences(sticking(by_start), step.x_t0), tolerance, "stick by start");
  }
  if (memory.size() > 0) {
    // In the plane the third number of a vertex means nothing.
    MatX by_memory = differences(forces(by_stick), memory), of_memory = differences(sticking(by_stick), memory);
    for (Eigen::Index k = 2; dim == 2 && k < memory.size(); k += 3) of_memory.col(k).setZero();
    expect_same(found.force_by_stick, by_memory, tolerance, "force by stick");
    expect_same(found.stick_by_stick, of_memory, tolerance, "stick by stick");
  }
  return (force_by_end - force_by_end.transpose()).norm() / force_by_end.norm();
}

/// Bodies in a heap over a floor, whose step moves them by up to `motion`.
template <int dim>
RubbingStep<dim> heap(unsigned seed, double motion) {
  Random random(seed);
  test::ModelBuilder builder = test::random_soup(random, dim, 6, 1.6, 0.6);
  builder.add_floor({0.1, 1.0, 0.0}, 0.05);
  RubbingStep<dim> step;
  step.model = builder.build();
  for (int b = 0; b < 6; ++b) step.model.friction.class_of_body.push_back(b);
  step.model.friction.of_class.assign(6, {0.9, 0.6});
  step.model.friction.of_class[5] = {0.0, 0.0};
  step.model.friction.of_half_space = {std::nullopt};
  step.x = builder.x();
  step.x_t0 = step.x - random.vector(step.x.size(), -motion, motion);
  return step;
}

/// Motions with which most contacts stick, pass from static to kinetic friction, and slide.
constexpr double motions[] = {0.002, 0.012, 0.05};

TEST(AgreedFriction, FollowsEndAndStartOfTheSmoothedLaw) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const double motion : motions) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", motion " << motion);
      EXPECT_GT(expect_differences<3>(heap<3>(seed, motion)), 1e-2);
      EXPECT_GT(expect_differences<2>(heap<2>(seed, motion)), 1e-2);
    }
  }
}

TEST(AgreedFriction, FollowsTheMemoryOfSticking) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const double motion : motions) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", motion " << motion);
      Random random(seed + 100);
      RubbingStep<3> step = heap<3>(seed, motion);
      step.remember(random);
      ASSERT_FALSE(step.memory.empty());
      expect_differences<3>(step);
      RubbingStep<2> in_plane = heap<2>(seed, motion);
      in_plane.remember(random);
      expect_differences<2>(in_plane);
    }
  }
}

TEST(AgreedFriction, FollowsEveryKindOfContact) {
  for (const ContactKind kind : {ContactKind::point_point, ContactKind::point_edge, ContactKind::point_triangle,
                                 ContactKind::edge_edge, ContactKind::mollified_edge_edge, ContactKind::half_space}) {
    int num_contacts = 0;
    for (unsigned seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", seed " << seed);
      RubbingStep<3> step = heap<3>(seed, 0.012);
      if (kind == ContactKind::mollified_edge_edge) {
        // More edges count as nearly parallel.
        for (double& length_sq : step.model.edge_rest_length_sq) length_sq *= 12.0;
      }
      step.counts = [kind](const Contact& contact) { return contact.kind == kind; };
      const auto contacts = step.make_contacts(step.model);
      const auto count = static_cast<int>(step.contacts_at(*contacts, step.x).contacts.size());
      if (count == 0 || num_contacts > 30) continue;
      num_contacts += count;
      Random random(seed);
      step.remember(random);
      expect_differences<3>(step);
    }
    EXPECT_GT(num_contacts, 0) << static_cast<int>(kind);
  }
}

/// Areas and directions of other formulations follow the surface as well, and those of gcp the neighbours, too.
TEST(AgreedFriction, FollowsTheForcesOfOtherFormulations) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RubbingStep<3> step = heap<3>(seed, 0.012);
    Random random(seed);
    auto rest = std::make_shared<GcpRest>();
    rest->areas = test::random_areas(random, step.model);
    const std::size_t num_facets = step.model.surface.triangles.size();
    rest->outside.assign(num_facets, 0);
    for (std::size_t i = 0; i < num_facets; ++i) rest->facet_share.push_back(random.uniform(0.2, 0.7));
    for (std::size_t i = 0; i < rest->areas.vertex.size(); ++i)
      rest->vertex_sharpness.push_back(random.uniform(0.5, 2));
    for (std::size_t i = 0; i < rest->areas.edge.size(); ++i) rest->edge_sharpness.push_back(random.uniform(0.5, 2));
    step.make_contacts = [&](const Model& model) {
      return std::make_unique<GcpContactModel<3>>(model, BarrierOptions{0.4, 0.0}, GcpOptions{0.5, 0.3, false}, rest);
    };
    expect_differences<3>(step);
    step.make_contacts = [&](const Model& model) {
      return std::make_unique<ConvergentContactModel<3>>(model, BarrierOptions{0.4, 0.0}, ConvergentOptions{},
                                                         std::make_shared<AreasAtRest>(rest->areas));
    };
    expect_differences<3>(step);
  }
}

/// Gives vertex 0 of the surface, a ball of this radius, columns that turn by `turn` [rad] in the step.
template <int dim>
void make_ball(RubbingStep<dim>& step, double radius, const Vec<3>& turn) {
  Model& model = step.model;
  model.surface.radius.assign(static_cast<std::size_t>(model.surface.num_vertices), 0.0);
  model.surface.radius[0] = radius;
  model.first_turn_vertex.assign(static_cast<std::size_t>(model.surface.num_vertices), -1);
  model.first_turn_vertex[0] = model.surface_map.num_vertices();
  const Mat<3> start = rotation_from_vector({0.0, 0.0, 0.4}),
               end = dim == 2 ? Mat<3>(rotation_from_vector({0.0, 0.0, turn[2]}) * start)
                              : Mat<3>(rotation_from_vector(turn) * start);
  for (int c = 0; c < dim; ++c) {
    model.surface_map.add_vertex(model.layout.num_blocks++);
    for (const auto& [x, rotation] : {std::pair(&step.x_t0, &start), std::pair(&step.x, &end)}) {
      const Vec<dim> at = block<dim>(*x, 0) + radius * rotation->col(c).template head<dim>();
      x->conservativeResize(x->size() + dim);
      x->template tail<dim>() = at;
    }
  }
}

/// Friction turns balls, by less and by more than half a turn a step.
TEST(AgreedFriction, FollowsTheTurnsOfBalls) {
  for (const double size : {0.0, 0.01, 0.3, 2.5}) {
    SCOPED_TRACE(testing::Message() << "turn " << size);
    Random random(5);
    test::ModelBuilder builder(3);
    builder.add_body({{0.1, 0.33, 0.05}}, {});
    builder.add_body({{-1, 0, -1}, {1, 0.1, -1}, {0.2, -0.1, 1.3}}, {{0, 1, 2}});
    builder.add_half_space({0.0, 1.0, 0.2}, -0.05);
    RubbingStep<3> step;
    step.model = builder.build();
    step.model.friction.class_of_body = {0, 0};
    step.model.friction.of_class = {{0.9, 0.6}};
    step.model.friction.of_half_space = {std::nullopt};
    step.x = builder.x();
    step.x_t0 = step.x - random.vector(step.x.size(), -0.01, 0.01);
    make_ball<3>(step, 0.2, size * Vec<3>(0.6, 0.2, 0.7));
    expect_differences<3>(step);
    step.remember(random);
    ASSERT_FALSE(step.memory.empty());
    expect_differences<3>(step);
  }
}

TEST(AgreedFriction, FollowsTheTurnsOfBallsInThePlane) {
  Random random(6);
  test::ModelBuilder builder(2);
  builder.add_body({{0.1, 0.33, 0.0}}, {});
  builder.add_body({{-1, 0, 0}, {1, 0.1, 0}}, {}, {{0, 1}});
  RubbingStep<2> step;
  step.model = builder.build();
  step.model.friction.class_of_body = {0, 0};
  step.model.friction.of_class = {{0.9, 0.6}};
  step.x = builder.x();
  step.x_t0 = step.x - random.vector(step.x.size(), -0.01, 0.01);
  make_ball<2>(step, 0.2, Vec<3>(0.0, 0.0, 0.3));
  expect_differences<2>(step);
  step.remember(random);
  expect_differences<2>(step);
}

/// Friction turns the segments of rods about themselves.
TEST(AgreedFriction, FollowsTheAnglesOfRods) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    RubbingStep<3> step = heap<3>(seed, 0.012);
    Model& model = step.model;
    const auto contacts = step.make_contacts(model);
    const double radius = 0.25 * contacts->build(step.x, test::all_pairs(3, model.surface)).min_distance;
    model.surface.radius.assign(static_cast<std::size_t>(model.surface.num_vertices), radius);
    model.segment_turns.resize(static_cast<std::size_t>(model.surface.num_vertices));
    for (std::size_t e = 0; e < model.surface.edges.size(); ++e) {
      const auto& [a, b] = model.surface.edges[e];
      auto &of_a = model.segment_turns[static_cast<std::size_t>(a)],
           &of_b = model.segment_turns[static_cast<std::size_t>(b)];
      const std::size_t i = of_a[0].vertex < 0 ? 0 : 1, j = of_b[0].vertex < 0 ? 0 : 1;
      if (of_a[i].vertex >= 0 || of_b[j].vertex >= 0) continue;
      const int vertex = model.surface_map.num_vertices(), component = static_cast<int>(e) % 3;
      model.surface_map.add_vertex(model.layout.num_blocks++);
      of_a[i] = {vertex, component, radius, b};
      of_b[j] = {vertex, component, -radius, a};
      Random random(seed + 10);
      for (VecX* x : {&step.x_t0, &step.x}) {
        x->conservativeResize(x->size() + 3);
        x->tail<3>() = random.vector(3, -0.01, 0.01);
      }
    }
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_differences<3>(step);
    Random random(seed);
    step.remember(random);
    expect_differences<3>(step);
  }
}

}  // namespace
}  // namespace clearance
