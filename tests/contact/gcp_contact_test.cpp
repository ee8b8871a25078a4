// Orientation-aware contact: nothing repels at rest, everything that approaches an intersection does, and derivatives
// are those of the energy.
#include "clearance/contact/gcp_contact_model.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <map>

#include "clearance/contact/contact_potential.h"
#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::ModelBuilder;
using test::Random;
using test::shared;
using test::two_tets;

/// Returns random numbers at rest of closed surfaces that are all solids, or none.
GcpRest random_rest(Random& random, const Model& model, bool are_solids = true) {
  GcpRest rest;
  rest.areas = test::random_areas(random, model);
  const std::size_t num_facets = model.layout.dim == 3 ? model.surface.triangles.size() : model.surface.edges.size();
  rest.outside.assign(num_facets, are_solids ? 1 : 0);
  for (std::size_t i = 0; i < num_facets; ++i) rest.facet_share.push_back(random.uniform(0.2, 0.7));
  for (std::size_t i = 0; i < rest.areas.vertex.size(); ++i) rest.vertex_sharpness.push_back(random.uniform(0.5, 2));
  for (std::size_t i = 0; i < rest.areas.edge.size(); ++i) rest.edge_sharpness.push_back(random.uniform(0.5, 2));
  return rest;
}

/// Makes the unit sphere: an octahedron whose triangles are cut in four `levels` times.
void make_sphere(int levels, std::vector<Vec<3>>& vertices, Triangles& triangles) {
  vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<int>(vertices.size()));
      if (is_new) {
        const Vec<3> sum = vertices[a] + vertices[b];
        vertices.push_back(sum.normalized());
      }
      return found->second;
    };
    Triangles finer;
    for (const auto& [a, b, c] : triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    triangles = finer;
  }
}

TEST(GcpContact, FineCurvedSurfaceFeelsNothingOfItself) {
  std::vector<Vec<3>> vertices;
  Triangles triangles;
  make_sphere(3, vertices, triangles);
  Random random(1);
  // An ellipsoid with a dent, its vertices shaken a little.
  for (Vec<3>& v : vertices) {
    v[1] *= 0.8 - 0.3 * v[0] * v[0];
    v += 0.004 * Vec<3>(random.vector(3, -1.0, 1.0));
  }
  ModelBuilder builder(3);
  builder.add_body(vertices, triangles);
  Model model = builder.build();
  GcpRest rest = random_rest(random, model);
  const VecX x = builder.x();
  double shortest = infinity;
  for (const double length_sq : model.edge_rest_length_sq) shortest = std::min(shortest, std::sqrt(length_sq));
  const Candidates pairs = all_pairs(3, model.surface);
  for (const double alpha : {0.1, 0.2, 0.3, 0.4, 0.5}) {
    const GcpContactModel<3> contacts(model, {10.0 * shortest, 0.0}, {alpha, 0.1, false}, shared(rest));
    EXPECT_EQ(contacts.build(x, pairs).contacts.size(), 0u) << alpha;
  }
}

TEST(GcpContact, WallsThinnerThanDhatFeelNothing) {
  // In a box of 1 x 1 x 0.01, each side is within reach of the other.
  ModelBuilder builder(3);
  std::vector<Vec<3>> vertices;
  Triangles triangles;
  make_sphere(2, vertices, triangles);
  for (Vec<3>& v : vertices) v[2] *= 0.01;
  builder.add_body(vertices, triangles);
  Random random(2);
  Model model = builder.build();
  GcpRest rest = random_rest(random, model);
  const GcpContactModel<3> contacts(model, {0.3, 0.0}, {0.3, 0.1, false}, shared(rest));
  const ContactSet set = contacts.build(builder.x(), all_pairs(3, model.surface));
  EXPECT_EQ(set.contacts.size(), 0u);
  EXPECT_LT(set.min_distance, 0.05);
}

TEST(GcpContact, NothingRepelsAtRest) {
  int num_near = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const ModelBuilder builder = two_tets(random);
    Model model = builder.build();
    GcpRest rest = random_rest(random, model);
    const BarrierOptions barrier{3.0, 0.0};
    const VecX x = builder.x();
    const Candidates pairs = all_pairs(3, model.surface);
    num_near += GcpContactModel<3>(model, barrier, {}, shared(rest)).build(x, pairs).contacts.empty() ? 0 : 1;
    GcpContactModel<3>::set_rest_distances(model, barrier, {}, x, rest);
    EXPECT_EQ(rest.gap.distance, infinity);
    EXPECT_TRUE(GcpContactModel<3>(model, barrier, {}, shared(rest)).build(x, pairs).contacts.empty()) << seed;
  }
  EXPECT_GT(num_near, 50);
}

/// Moves two bodies on a path that ends in intersection, whatever meets there, and checks the energies at smaller and
/// smaller distances.
template <int dim>
void check_paths(const std::function<ModelBuilder(Random&)>& make, bool are_solids, int num_seeds = 200) {
  int num_paths = 0;
  for (int seed = 0; seed < num_seeds; ++seed) {
    Random random(seed);
    const ModelBuilder builder = make(random);
    Model model = builder.build();
    GcpRest rest = random_rest(random, model, are_solids);
    const double alpha = random.uniform(0.05, 0.6);
    const GcpContactModel<dim> contacts(model, {0.3, 0.0}, {alpha, 0.1, false}, shared(rest));
    const test::PathToIntersection<dim> path(model, contacts, builder.x(), 1e-11);
    if (!path.has_met()) continue;
    ++num_paths;
    double last = 0.0;
    for (const double d : {1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
      const double energy = path.energy_at(d);
      // The energy is at least a tenth of that of one pair of unit area.
      EXPECT_GT(energy, 0.1 * 0.25 * 0.5 * 0.3 * std::pow(0.3 / d, dim - 1)) << seed << ' ' << d;
      EXPECT_GT(energy, last) << seed << ' ' << d;
      last = energy;
    }
  }
  EXPECT_GT(num_paths, num_seeds / 3);
}

TEST(GcpContact, GrowsWithoutBoundTowardsEveryIntersection) {
  check_paths<3>(two_tets, true);
}

TEST(GcpContact, GrowsWithoutBoundTowardsOpenSurfacesAndWires) {
  check_paths<3>(
      [](Random& random) {
        ModelBuilder builder(3);
        std::vector<Vec<3>> strip;
        for (int i = 0; i < 6; ++i)
          strip.push_back(Vec<3>(0.4 * i - 1, 0.1, i % 2) + 0.2 * Vec<3>(random.vector(3, -1.0, 1.0)));
        builder.add_body(strip, {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}});
        std::vector<Vec<3>> wire;
        const Vec<3> centre = 3.0 * Vec<3>(random.vector(3, -1.0, 1.0)).normalized();
        for (int i = 0; i < 4; ++i) wire.push_back(centre + Vec<3>(random.vector(3, -0.5, 0.5)));
        builder.add_body(wire, {}, {{0, 1}, {1, 2}, {2, 3}});
        return builder;
      },
      false);
}

TEST(GcpContact, GrowsWithoutBoundTowardsEveryIntersectionInThePlane) {
  check_paths<2>(
      [](Random& random) {
        ModelBuilder builder(2);
        builder.add_polygon(random, Vec<3>::Zero(), 0.5, 6);
        const double angle = random.uniform(0.0, 6.3);
        builder.add_polygon(random, 2.0 * Vec<3>(std::cos(angle), std::sin(angle), 0.0), 0.5, 5);
        return builder;
      },
      true);
}

/// A sharp vertex slides over a flat surface that is cut into random triangles: its energy at one height varies with
/// how features share it.
TEST(GcpContact, SlidingVertexHardlyFeelsTheTessellation) {
  Random random(5);
  std::vector<Vec<3>> vertices;
  Triangles triangles;
  constexpr int n = 8;
  for (int i = 0; i <= n; ++i) {
    for (int k = 0; k <= n; ++k) {
      vertices.push_back(Vec<3>(i, 0, k) + 0.25 * Vec<3>(random.uniform(-1.0, 1.0), 0, random.uniform(-1.0, 1.0)));
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const int a = i * (n + 1) + k, b = a + 1, c = a + n + 1, d = c + 1;
      triangles.insert(triangles.end(), {{a, b, d}, {a, d, c}});
    }
  }
  for (const double alpha : {0.1, 0.3}) {
    ModelBuilder builder(3);
    builder.add_body(vertices, triangles);
    const int tip = builder.add_body({{0, 0, 0}, {-0.1, 0.5, -0.1}, {0.1, 0.5, -0.1}, {0, 0.5, 0.1}},
                                     {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}});
    Model model = builder.build();
    GcpRest rest = random_rest(random, model);
    // Only the tip has a measure of its own.
    std::fill(rest.areas.vertex.begin(), rest.areas.vertex.end(), 0.0);
    std::fill(rest.areas.edge.begin(), rest.areas.edge.end(), 0.0);
    rest.areas.vertex[tip] = 1.0;
    for (auto* of : {&rest.facet_share, &rest.vertex_sharpness, &rest.edge_sharpness}) of->clear();
    for (int v = 0; v < tip; ++v) model.surface.vertex_group[v] = 0;
    const GcpContactModel<3> contacts(model, {1.0, 0.0}, {alpha, 0.1, false}, shared(rest));
    const ContactPotential<3> potential(model, contacts);
    const Candidates pairs = all_pairs(3, model.surface);
    for (const double height : {0.02, 0.1, 0.3}) {
      double least = infinity, largest = 0.0;
      for (int i = 0; i <= 400; ++i) {
        VecX x = builder.x();
        const Vec<3> at(2.5 + 3.0 * i / 400, height, 2.7 + 2.0 * i / 400);
        for (int v = tip; v < tip + 4; ++v) block<3>(x, v) += at;
        const ContactSet set = contacts.build(x, pairs);
        const double energy = potential.energy(set, x).value();
        least = std::min(least, energy);
        largest = std::max(largest, energy);
      }
      // The bounds hold within alpha times the height from an edge, and from a vertex.
      EXPECT_LT(largest, 2.1 * least) << alpha << ' ' << height;
    }
  }
}

/// Returns saddles and notches: a body with concave corners and edges near a copy of itself, turned.
ModelBuilder notched(Random& random) {
  ModelBuilder builder(3);
  for (int body = 0; body < 2; ++body) {
    std::vector<Vec<3>> vertices;
    Triangles triangles;
    make_sphere(1, vertices, triangles);
    const Vec<3> centre = body == 0 ? Vec<3>::Zero() : Vec<3>(2.2 * Vec<3>(random.vector(3, -1.0, 1.0)).normalized());
    for (Vec<3>& v : vertices) v = centre + random.uniform(0.35, 1.0) * v;
    builder.add_body(vertices, triangles);
  }
  return builder;
}

TEST(GcpContact, GrowsWithoutBoundTowardsNotchesAndSaddles) {
  check_paths<3>(notched, true, 15);
}

/// Returns tetrahedra near each other that do not intersect.
ModelBuilder apart(Random& random) {
  ModelBuilder builder(3);
  for (int i = 0; i < 3; ++i) {
    builder.add_tet(random, Vec<3>(1.3 * i, random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)), 0.4);
  }
  return builder;
}

/// Checks that energies and forces have no jumps along random lines.
template <int dim>
void check_continuity(const std::function<ModelBuilder(Random&)>& make) {
  double largest_jump = 0.0;
  int num_switches = 0;
  for (int seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const ModelBuilder builder = make(random);
    Model model = builder.build();
    GcpRest rest = random_rest(random, model);
    const GcpContactModel<dim> contacts(model, {1.5, 0.0}, {0.4, 0.2, false}, shared(rest));
    const ContactPotential<dim> potential(model, contacts);
    const Candidates pairs = all_pairs(dim, model.surface);
    const VecX x = builder.x();
    const VecX direction = VecX(random.vector(static_cast<int>(x.size()), -1.0, 1.0)).normalized();
    const auto at = [&](double t) { return VecX(x + t * direction); };
    const auto energy_of = [&](double t) {
      const VecX moved = at(t);
      return potential.energy(contacts.build(moved, pairs), moved).value();
    };
    const auto slope_of = [&](double t) {
      const VecX moved = at(t);
      VecX gradient = VecX::Zero(x.size());
      potential.add_gradient(contacts.build(moved, pairs), moved, 1.0, gradient);
      return gradient.dot(direction);
    };
    constexpr int num_steps = 300;
    constexpr double step = 1e-3;
    std::size_t last = 0;
    for (int i = 0; i < num_steps; ++i) {
      const std::size_t count = contacts.build(at(i * step), pairs).contacts.size();
      num_switches += i > 0 && count != last ? 1 : 0;
      last = count;
      // Simpson's rule over the slopes is the change of the energy, unless there is a jump between.
      double change = 0.0, size = 1e-12;
      constexpr int parts = 4;
      for (int k = 0; k < parts; ++k) {
        const double h = step / parts, t = i * step + k * h;
        const double a = slope_of(t), b = slope_of(t + 0.5 * h), c = slope_of(t + h);
        change += h / 6.0 * (a + 4.0 * b + c);
        size += h / 6.0 * (std::abs(a) + 4.0 * std::abs(b) + std::abs(c));
      }
      const double jump = std::abs(energy_of((i + 1) * step) - energy_of(i * step) - change);
      const double energy = energy_of(i * step);
      largest_jump = std::max(largest_jump, jump / (size + 1e-6 * energy));
    }
  }
  EXPECT_GT(num_switches, 8);
  EXPECT_LT(largest_jump, 1e-3);
}

TEST(GcpContact, EnergyIsContinuousWhereFeaturesSwitch) {
  check_continuity<3>([](Random& random) { return apart(random); });
}

TEST(GcpContact, EnergyIsContinuousWhereFeaturesSwitchInThePlane) {
  check_continuity<2>([](Random& random) {
    ModelBuilder builder(2);
    for (int i = 0; i < 3; ++i) builder.add_polygon(random, Vec<3>(1.5 * i, random.uniform(-0.5, 0.5), 0), 0.5, 7);
    return builder;
  });
}

/// Surfaces with random numbers at rest, and their contacts.
template <int dim>
struct RandomContacts {
  RandomContacts(const ModelBuilder& builder, int seed, bool is_published)
      : model(builder.build()),
        rest(rest_of(seed, model)),
        contacts(model, {1.2, 0.0}, {0.5, 0.3, false, is_published}, shared(rest)),
        potential(model, contacts),
        pairs(all_pairs(dim, model.surface)),
        x(builder.x()) {}

  static GcpRest rest_of(int seed, Model& model) {
    Random random(seed + 1000);
    return random_rest(random, model);
  }

  Model model;
  GcpRest rest;
  GcpContactModel<dim> contacts;
  ContactPotential<dim> potential;
  Candidates pairs;
  VecX x;
};

/// Calls check.operator()<dim>(builder, seed, is_published) for random surfaces in space and in the plane.
template <class Check>
void check_random_surfaces(int num_seeds, const Check& check) {
  for (int seed = 0; seed < num_seeds; ++seed) {
    Random random(seed);
    ModelBuilder builder = apart(random);
    builder.add_half_space(Vec<3>(0.1, 1, 0.2), -1.8);
    ModelBuilder in_plane(2);
    for (int i = 0; i < 3; ++i) in_plane.add_polygon(random, Vec<3>(1.5 * i, random.uniform(-0.5, 0.5), 0), 0.5, 7);
    in_plane.add_half_space(Vec<3>(0.1, 1, 0), -1.5);
    for (const bool is_published : {false, true}) {
      check.template operator()<3>(builder, seed, is_published);
      check.template operator()<2>(in_plane, seed, is_published);
    }
  }
}

template <int dim>
void check_derivatives(const ModelBuilder& builder, int seed, bool is_published = false) {
  RandomContacts<dim> at_random(builder, seed, is_published);
  const auto& [model, rest, contacts, potential, pairs, x] = at_random;
  const auto energy = [&](const VecX& at) { return potential.energy(contacts.build(at, pairs), at).value(); };
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(contacts.build(x, pairs), x, 1.0, gradient);
  if (gradient.norm() == 0.0) return;
  EXPECT_LT(test::relative_difference(test::finite_difference_gradient(energy, x, 1e-6), gradient), 1e-6) << seed;
}

TEST(GcpContact, ForcesAreMinusTheGradientOfItsEnergy) {
  check_random_surfaces(40, []<int dim>(const ModelBuilder& builder, int seed, bool is_published) {
    check_derivatives<dim>(builder, seed, is_published);
  });
}

/// A corner above the middle of an edge, both of known lengths.
TEST(GcpContact, PublishedEnergyIsThatOfTheAuthorsProgram) {
  ModelBuilder builder(2);
  builder.add_body({{-2, 0, 0}, {2, 0, 0}, {0, -3, 0}}, {}, {{0, 1}, {1, 2}, {2, 0}});
  builder.add_body({{0, 0.6, 0}, {3, 4.6, 0}, {-3, 4.6, 0}}, {}, {{0, 1}, {1, 2}, {2, 0}});
  Random random(3);
  Model model = builder.build();
  GcpRest rest = random_rest(random, model);
  for (double& modulus : rest.areas.modulus) modulus = 7.0;
  // The outline of the first body goes round the other way.
  std::fill(rest.outside.begin(), rest.outside.begin() + 3, -1);
  const GcpContactModel<2> contacts(model, {1.0, 0.0}, {0.3, 0.1, false, true}, shared(rest));
  const VecX x = builder.x();
  const ContactSet set = contacts.build(x, all_pairs(2, model.surface));
  ASSERT_EQ(set.contacts.size(), 1u);
  // kappa times the edge, times half of the corner's edges, times B3(2 z) / z with z = 0.6 and B3(1.2) = 0.8^3 / 6.
  EXPECT_NEAR(ContactPotential<2>(model, contacts).energy(set, x).value(), 7.0 * 4.0 * 5.0 * 0.512 / 6.0 / 0.6, 1e-12);
}

/// Hessians of single contacts: the projected one is positive; with constant factors, it is at least the exact one.
TEST(GcpContact, HessiansAreProjected) {
  int num_varying = 0, num_constant = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const ModelBuilder builder = apart(random);
    Model model = builder.build();
    GcpRest rest = random_rest(random, model);
    const GcpContactModel<3> contacts(model, {1.2, 0.0}, {0.5, 0.3, false}, shared(rest));
    const VecX x = builder.x();
    const ContactSet set = contacts.build(x, all_pairs(3, model.surface));
    for (std::size_t k = 0; k < set.contacts.size(); ++k) {
      const std::size_t size = 3 * set.num_places(k);
      std::vector<double> gradient(size), other(size);
      RankOneSum<3> projected, exact;
      projected.clear(set.num_places(k));
      exact.clear(set.num_places(k));
      contacts.compute_derivatives(set, k, x, HessianKind::projected, gradient, projected);
      contacts.compute_derivatives(set, k, x, HessianKind::exact, other, exact);
      contacts.compute_gradient(set, k, x, other);
      const double scale = Eigen::Map<const VecX>(other.data(), std::ssize(other)).norm();
      for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(gradient[i], other[i], 1e-12 * scale);
      const MatX upper = projected.dense(), middle = exact.dense();
      const auto smallest = [](const MatX& m) { return Eigen::SelfAdjointEigenSolver<MatX>(m).eigenvalues()[0]; };
      EXPECT_GT(smallest(upper), -1e-9 * upper.norm());
      const bool is_varying = set.notes[k] != 0;
      if (!is_varying) {
        EXPECT_GT(smallest(upper - middle), -1e-9 * upper.norm());
      }
      (is_varying ? num_varying : num_constant) += 1;
    }
  }
  EXPECT_GT(num_varying, 50);
  EXPECT_GT(num_constant, 20);
}

/// Returns the sum of the exact Hessians of all contacts, by the positions of all vertices.
template <int dim>
MatX exact_hessian(const GcpContactModel<dim>& contacts, const ContactSet& set, const VecX& x) {
  MatX hessian = MatX::Zero(x.size(), x.size());
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    std::vector<double> gradient(dim * set.num_places(k));
    RankOneSum<dim> sum;
    sum.clear(set.num_places(k));
    contacts.compute_derivatives(set, k, x, HessianKind::exact, gradient, sum);
    const MatX local = sum.dense();
    set.for_each_vertex(k, [&](std::size_t a, int row) {
      set.for_each_vertex(k, [&](std::size_t b, int column) {
        hessian.block<dim, dim>(dim * row, dim * column) += local.block<dim, dim>(dim * a, dim * b);
      });
    });
  }
  return hessian;
}

template <int dim>
void check_exact_hessian(const ModelBuilder& builder, int seed, bool is_published) {
  RandomContacts<dim> at_random(builder, seed, is_published);
  const auto& [model, rest, contacts, potential, pairs, x] = at_random;
  const auto gradient_at = [&](const VecX& at) {
    VecX gradient = VecX::Zero(x.size());
    potential.add_gradient(contacts.build(at, pairs), at, 1.0, gradient);
    return gradient;
  };
  const ContactSet set = contacts.build(x, pairs);
  if (set.contacts.empty()) return;
  // The gradient is that of the contacts that there are at each place.
  constexpr double step = 1e-6;
  MatX expected(x.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VecX move = step * VecX::Unit(x.size(), i);
    expected.col(i) = (gradient_at(x + move) - gradient_at(x - move)) / (2.0 * step);
  }
  EXPECT_LT((exact_hessian(contacts, set, x) - expected).norm(), 1e-6 * expected.norm()) << seed << ' ' << is_published;
}

TEST(GcpContact, ExactHessianIsTheDerivativeOfTheGradient) {
  check_random_surfaces(10, []<int dim>(const ModelBuilder& builder, int seed, bool is_published) {
    check_exact_hessian<dim>(builder, seed, is_published);
  });
}

}  // namespace
}  // namespace clearance
