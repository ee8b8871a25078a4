// The seam of formulations with numbers at rest: a formulation that the library does not know computes them from the
// surface at rest, and its model carries them through the solver without a line of src/.
#include <gtest/gtest.h>

#include "clearance/contact/areas_at_rest.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/contact/radial_contact_model.h"
#include "solver/spring_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

/// An energy k/2 A (dhat - d)^2 of vertices against facets and half-spaces, with A the area of the vertex at rest.
template <int dim>
class AreaPenalty final : public RadialContactModel<dim> {
 public:
  AreaPenalty(const Model& model, const BarrierOptions& barrier, double stiffness,
              std::shared_ptr<const AreasAtRest> rest)
      : RadialContactModel<dim>(model), barrier_(barrier), stiffness_(stiffness), rest_(std::move(rest)) {}

  double activation_distance() const override { return barrier_.dhat; }
  Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                             const std::vector<double>& deviation) const override {
    return find_contact_candidates(broad_phase, this->model(), barrier_, x_t0, x_t1, deviation);
  }
  bool has_stiffness() const override { return true; }

  ContactSet build(const VecX& x, const Candidates& candidates) const override {
    // The library's own contacts of vertices, weighted anew.
    ContactSet set = build_contact_set<dim>(this->model(), x, candidates, barrier_);
    std::erase_if(set.contacts, [](const Contact& contact) {
      return contact.kind == ContactKind::edge_edge || contact.kind == ContactKind::mollified_edge_edge;
    });
    for (Contact& contact : set.contacts) {
      contact.weight *= stiffness_ * rest_->vertex[contact.vertices[0]];
    }
    return set;
  }

 protected:
  BarrierValue law(const Contact&, double distance_sq) const override {
    const double d = std::sqrt(distance_sq), depth = std::max(0.0, barrier_.dhat - d);
    return {0.5 * depth * depth, -0.5 * depth / d, depth > 0.0 ? barrier_.dhat / (4.0 * d * distance_sq) : 0.0};
  }

 private:
  BarrierOptions barrier_;
  double stiffness_;
  std::shared_ptr<const AreasAtRest> rest_;
};

class AreaPenaltyAtRest final : public ContactAtRest {
 public:
  AreaPenaltyAtRest(double stiffness, AreasAtRest areas)
      : stiffness_(stiffness), areas_(std::make_shared<const AreasAtRest>(std::move(areas))) {}

  std::unique_ptr<const ContactModel<2>> make_in_plane(const Model& model,
                                                       const BarrierOptions& barrier) const override {
    return std::make_unique<const AreaPenalty<2>>(model, barrier, stiffness_, areas_);
  }
  std::unique_ptr<const ContactModel<3>> make_in_space(const Model& model,
                                                       const BarrierOptions& barrier) const override {
    return std::make_unique<const AreaPenalty<3>>(model, barrier, stiffness_, areas_);
  }
  std::shared_ptr<const ContactAtRest> restricted_to(const ContactPart& part) const override {
    return std::make_shared<const AreaPenaltyAtRest>(stiffness_, areas_->restricted_to(part));
  }

 private:
  double stiffness_;
  std::shared_ptr<const AreasAtRest> areas_;
};

/// The world of the solver's tests, whose model has the new formulation.
template <int dim>
test::World world_of_area_penalty() {
  test::World world = test::falling_bodies<dim>(0.02);
  world.options.barrier.dhat = 0.03;
  world.options.convergence = Convergence::forces;
  world.options.force_tolerance = 1e-4;
  const SurfaceAtRest rest{.model = world.model,
                           .barrier = world.options.barrier,
                           .bodies = std::vector<BodyAtRest>(2),
                           .kappa = 0.0,
                           .step = 0.0,
                           .gravity = 0.0,
                           .find_insides = {}};
  world.model.body_of_block = world.model.surface.vertex_body;
  world.model.contact_at_rest = std::make_shared<const AreaPenaltyAtRest>(1e5, find_areas(rest));
  return world;
}

}  // namespace

TEST(ForeignFormulation, GradientIsThatOfTheEnergyPerArea) {
  const test::World world = world_of_area_penalty<3>();
  const auto contacts = make_contact_model<3>(world.model, world.options.barrier);
  const ContactPotential<3> potential(world.model, *contacts);
  const Candidates pairs = test::all_pairs(3, world.model.surface);
  const VecX x = world.state.x;
  const ContactSet set = contacts->build(x, pairs);
  ASSERT_FALSE(set.contacts.empty());
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(set, x, 1.0, gradient);
  const auto energy = [&](const VecX& at) { return potential.energy(contacts->build(at, pairs), at).value(); };
  EXPECT_GT(gradient.norm(), 1.0);
  EXPECT_LT(test::relative_difference(gradient, test::finite_difference_gradient(energy, x, 1e-7)), 1e-5);
}

template <int dim>
void check_steps() {
  test::World world = world_of_area_penalty<dim>();
  StepWorkspace<dim> workspace(world.model, world.options);
  int num_contacts = 0;
  for (int step = 0; step < 15; ++step) {
    const StepReport report = advance<dim>(world.model, world.options, world.targets, world.state, workspace);
    ASSERT_EQ(to_string(report.status), "converged") << "step " << step + 1;
    ASSERT_TRUE(test::is_free(world, world.state.x)) << "step " << step + 1;
    num_contacts += report.num_contacts;
  }
  EXPECT_GT(num_contacts, 0);
}

TEST(ForeignFormulation, TheSolverTakesItFromTheModel) {
  check_steps<2>();
  check_steps<3>();
}

TEST(ForeignFormulation, APartHasItsShareOfTheAreas) {
  test::World world = world_of_area_penalty<3>();
  const auto energy_over_floor = [](const Model& model, const VecX& x) {
    const auto contacts = make_contact_model<3>(model, {0.03, 0.0});
    return ContactPotential<3>(model, *contacts).energy(contacts->build(x, {}), x).value();
  };
  // A single vertex of the lower body, once with its own area and once with a given one.
  test::ModelBuilder builder(3);
  builder.add_body({world.state.x.head(3)}, {});
  builder.add_half_space(Vec<3>::UnitY(), 0.0);
  Model point = builder.build();
  point.contact_at_rest = world.model.contact_at_rest->restricted_to({{{0, std::nullopt}}, {}, {}});
  const double own = energy_over_floor(point, builder.x());
  point.contact_at_rest = world.model.contact_at_rest->restricted_to({{{0, 2.0}}, {}, {}});
  const double given = energy_over_floor(point, builder.x());
  EXPECT_GT(own, 0.0);
  EXPECT_NEAR(given, 0.5 * 1e5 * 2.0 * 0.01 * 0.01, 1e-9 * given);
  EXPECT_LT(own, given);
}

}  // namespace clearance
