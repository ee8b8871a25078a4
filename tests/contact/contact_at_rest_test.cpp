// Formulations at rest: the factory needs a surface and its bodies alone, and a part of a surface has its share.
#include "clearance/contact/contact_at_rest.h"

#include <gtest/gtest.h>

#include "clearance/contact/contact_potential.h"
#include "clearance/contact/gcp_at_rest.h"
#include "clearance/contact/make_contact_model.h"
#include "contact/contact_models.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::ModelBuilder;
using test::Random;

/// Two bodies near each other and a floor; all of the second body's numbers come after those of the first.
ModelBuilder two_bodies(int dim, Random& random, bool has_first = true) {
  ModelBuilder builder(dim), elsewhere(dim);
  for (int i = 0; i < 2; ++i) {
    const Vec<3> centre(1.2 * i, 0.05 * i, 0.0);
    ModelBuilder& to = i == 0 && !has_first ? elsewhere : builder;
    if (dim == 3) {
      to.add_tet(random, centre, 0.5);
    } else {
      to.add_polygon(random, centre, 0.5, 7);
    }
  }
  builder.add_half_space(Vec<3>::UnitY(), -0.9);
  return builder;
}

SurfaceAtRest surface_of(const Model& model, int num_bodies) {
  return {.model = model,
          .barrier = {0.5, 0.0},
          .bodies = std::vector<BodyAtRest>(num_bodies, {false, false, 1e6, 0.0}),
          .kappa = 0.0,
          .step = 0.01,
          .gravity = 10.0,
          .find_insides = [&model, num_bodies] {
            return Insides{std::vector<Inside>(num_bodies, Inside::enclosed),
                           std::vector<int>(model.surface.edges.size(), 1)};
          }};
}

template <int dim>
double energy(const Model& model, const VecX& x) {
  const auto contacts = make_contact_model<dim>(model, {0.5, 0.0});
  const ContactSet set = contacts->build(x, all_pairs(dim, model.surface));
  EXPECT_FALSE(set.contacts.empty());
  return ContactPotential<dim>(model, *contacts).energy(set, x).value();
}

/// Features `first`, `first + 1`, ...: each is like one of the whole.
std::vector<ContactPart::Feature> features_from(std::size_t first, std::size_t end) {
  std::vector<ContactPart::Feature> features;
  for (std::size_t i = first; i < end; ++i) features.push_back({static_cast<int>(i), std::nullopt});
  return features;
}

const std::vector<ContactOptions> formulations = {ConvergentOptions{}, IpcOptions{true},
                                                  IpcOptions{std::nullopt, true, true}, GcpOptions{},
                                                  GcpOptions{.adaptive_dhat = false}};

template <int dim>
void check_part_of_one_body(int seed) {
  for (const ContactOptions& options : formulations) {
    Random random(seed), again(seed);
    const ModelBuilder both = two_bodies(dim, random), one = two_bodies(dim, again, false);
    Model whole = both.build(), second = one.build();
    // The first body does not touch itself.
    std::vector<int>& groups = whole.surface.vertex_group;
    groups.resize(whole.surface.vertex_body.size(), -1);
    for (std::size_t v = 0; v < groups.size(); ++v) {
      if (whole.surface.vertex_body[v] == 0) groups[v] = 2;
    }
    whole.contact_at_rest = make_contact_at_rest(surface_of(whole, 2), options);
    ASSERT_NE(whole.contact_at_rest, nullptr);
    // The second body alone, where the first has been removed,
    const SurfaceTopology &all = whole.surface, &own = second.surface;
    second.surface.vertex_body.assign(own.vertex_body.size(), 1);
    const auto first = [](std::size_t of_all, std::size_t of_own) { return of_all - of_own; };
    const std::size_t num_vertices = all.num_vertices;
    second.contact_at_rest = whole.contact_at_rest->restricted_to(
        {features_from(first(num_vertices, own.num_vertices), num_vertices),
         features_from(first(all.edges.size(), own.edges.size()), all.edges.size()),
         features_from(first(all.triangles.size(), own.triangles.size()), all.triangles.size())});
    // has the energy with the floor that it has beside the first, which is far away.
    VecX x = both.x();
    const Eigen::Index num_far = x.size() - one.x().size();
    for (Eigen::Index i = 0; i < num_far; i += dim) x[i] -= 100.0, x[i + 1] += 100.0;
    for (Eigen::Index i = num_far; i < x.size(); i += dim) x[i + 1] -= 0.35;
    const double of_whole = energy<dim>(whole, x);
    EXPECT_NEAR(energy<dim>(second, VecX(x.tail(one.x().size()))), of_whole, 1e-12 * of_whole);
  }
}

TEST(ContactAtRest, ThePartOfABodyHasItsEnergies) {
  for (int seed = 1; seed < 10; ++seed) {
    check_part_of_one_body<2>(seed);
    check_part_of_one_body<3>(seed);
  }
}

TEST(ContactAtRest, NewFeaturesOfAPartHaveTheAreaThatIsGiven) {
  Random random(1);
  const Model model = two_bodies(3, random).build();
  const auto whole = make_contact_at_rest(surface_of(model, 2), GcpOptions{});
  const auto part = whole->restricted_to({{{5, 0.25}}, {{-1, 0.5}}, {{-1, 0.75}}});
  const GcpRest& all = dynamic_cast<const GcpAtRest&>(*whole).rest();
  const GcpRest& rest = dynamic_cast<const GcpAtRest&>(*part).rest();
  EXPECT_EQ(rest.areas.vertex, std::vector<double>{0.25});
  EXPECT_EQ(rest.areas.modulus, std::vector<double>{all.areas.modulus[5]});
  EXPECT_EQ(rest.areas.edge, std::vector<double>{0.5});
  EXPECT_EQ(rest.vertex_sharpness, std::vector<double>{all.vertex_sharpness[5]});
  EXPECT_EQ(rest.edge_sharpness, std::vector<double>{0.05});
  EXPECT_EQ(rest.facet_share, std::vector<double>{0.25});
  EXPECT_EQ(rest.outside, std::vector<signed char>{0});
  EXPECT_EQ(rest.edge_dhat, std::vector<double>{infinity});
  EXPECT_EQ(rest.body_pair_dhat.size(), all.body_pair_dhat.size());
}

TEST(ContactAtRest, NothingIsToBeKnownOfIpc) {
  Random random(1);
  const Model model = two_bodies(3, random).build();
  EXPECT_EQ(make_contact_at_rest(surface_of(model, 2), IpcOptions{}), nullptr);
  EXPECT_EQ(make_contact_at_rest(surface_of(model, 2), ConvergentOptions{false, false, false}), nullptr);
}

}  // namespace
}  // namespace clearance
