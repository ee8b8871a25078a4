// The set of contacts against slow twins over all pairs, and the behaviour of its energy where closest features change.
#include "clearance/contact/contact_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "clearance/base/parallel.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/ipc_contact_model.h"
#include "clearance/geometry/mollifier.h"
#include "contact/contact_models.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::ModelBuilder;
using test::Random;

/// Kind, vertices of the features (sorted within each), half-space.
using Key = std::tuple<ContactKind, std::vector<int>, int>;

Key key_of(ContactKind kind, std::vector<int> a, std::vector<int> b, int plane = -1) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  // Point-point and edge-edge are pairs without order; the others start with the point.
  if (a.size() == b.size() && b < a) a.swap(b);
  a.insert(a.end(), b.begin(), b.end());
  return {kind, a, plane};
}

Key key_of(const Contact& c) {
  const auto& v = c.vertices;
  switch (c.kind) {
    case ContactKind::point_point:
      return key_of(c.kind, {v[0]}, {v[1]});
    case ContactKind::point_edge:
      return key_of(c.kind, {v[0]}, {v[1], v[2]});
    case ContactKind::point_triangle:
      return key_of(c.kind, {v[0]}, {v[1], v[2], v[3]});
    case ContactKind::half_space:
      return key_of(c.kind, {v[0]}, {}, c.plane);
    default:
      return key_of(c.kind, {v[0], v[1]}, {v[2], v[3]});
  }
}

/// Distance of two simplices of any size, by trying all pairs of their sub-features, and the smallest features that
/// attain it.
template <int dim>
struct Closest {
  double distance_sq = infinity;
  std::vector<int> a, b;
};

template <int dim>
Closest<dim> closest_features(const VecX& x, const std::vector<int>& a, const std::vector<int>& b) {
  const auto p = [&](int v) -> Vec<dim> { return block<dim>(x, v); };
  Closest<dim> best;
  const auto offer = [&](double distance_sq, std::vector<int> fa, std::vector<int> fb) {
    // Larger features win only if they are truly closer than their parts.
    if (distance_sq < best.distance_sq * (1.0 - 1e-10)) best = {distance_sq, std::move(fa), std::move(fb)};
  };
  for (int i : a) {
    for (int k : b) offer(point_point_distance_sq<dim>(p(i), p(k)), {i}, {k});
  }
  const auto offer_point_edge = [&](int i, int e0, int e1, bool is_point_first) {
    const double d = point_edge_distance_sq<dim>(p(i), p(e0), p(e1));
    is_point_first ? offer(d, {i}, {e0, e1}) : offer(d, {e0, e1}, {i});
  };
  for (std::size_t k = 0; b.size() >= 2 && k < (b.size() == 2 ? 1 : 3); ++k) {
    for (int i : a) offer_point_edge(i, b[k], b[(k + 1) % b.size()], true);
  }
  if (a.size() == 2) {
    for (int i : b) offer_point_edge(i, a[0], a[1], false);
  }
  if constexpr (dim == 3) {
    if (b.size() == 3) offer(point_triangle_distance_sq(p(a[0]), p(b[0]), p(b[1]), p(b[2])), a, b);
    if (a.size() == 2) offer(edge_edge_distance_sq(p(a[0]), p(a[1]), p(b[0]), p(b[1])), a, b);
  }
  return best;
}

struct TwinSet {
  std::map<Key, int> multiplicity;
  double energy = 0.0;
  double min_distance_sq = infinity;
};

/// Adds one raw pair: its energy, and its closest features as a contact.
template <int dim>
void add_pair(const Model& model, const VecX& x, const std::vector<int>& a, const std::vector<int>& b, double eps_x,
              const BarrierOptions& options, TwinSet& twin) {
  const Closest<dim> closest = closest_features<dim>(x, a, b);
  twin.min_distance_sq = std::min(twin.min_distance_sq, closest.distance_sq);
  if (closest.distance_sq >= options.activation_sq()) return;
  double energy = barrier(closest.distance_sq, options);
  bool is_mollified = false;
  if constexpr (dim == 3) {
    if (a.size() == 2) {
      const auto p = [&](int v) -> Vec<3> { return block<3>(x, v); };
      const double c = edge_edge_cross_sq(p(a[0]), p(a[1]), p(b[0]), p(b[1]));
      is_mollified = c < eps_x;
      energy *= edge_edge_mollifier(c, eps_x);
    }
  }
  twin.energy += energy;
  if (is_mollified) {
    ++twin.multiplicity[key_of(ContactKind::mollified_edge_edge, a, b)];
    return;
  }
  const std::size_t size = closest.a.size() + closest.b.size();
  const ContactKind kind = size == 2              ? ContactKind::point_point
                           : size == 3            ? ContactKind::point_edge
                           : closest.a.size() < 2 ? ContactKind::point_triangle
                                                  : ContactKind::edge_edge;
  ++twin.multiplicity[closest.a.size() <= closest.b.size() ? key_of(kind, closest.a, closest.b)
                                                           : key_of(kind, closest.b, closest.a)];
  (void)model;
}

template <int dim>
TwinSet slow_twin(const Model& model, const VecX& x, const BarrierOptions& options) {
  TwinSet twin;
  const SurfaceTopology& s = model.surface;
  const auto edge = [&](int e) {
    const auto& v = s.edges[e];
    return std::vector<int>{v[0], v[1]};
  };
  const Candidates pairs = all_pairs(dim, s);
  for (const auto& [p, t] : pairs.point_triangle) {
    const auto& v = s.triangles[t];
    add_pair<dim>(model, x, {p}, {v[0], v[1], v[2]}, 0.0, options, twin);
  }
  for (const auto& [i, k] : pairs.edge_edge) {
    const double eps_x = 1e-3 * model.edge_rest_length_sq[i] * model.edge_rest_length_sq[k];
    add_pair<dim>(model, x, edge(i), edge(k), eps_x, options, twin);
  }
  for (const auto& [p, e] : pairs.point_edge) add_pair<dim>(model, x, {p}, edge(e), 0.0, options, twin);
  for (int plane = 0; plane < static_cast<int>(model.half_spaces.size()); ++plane) {
    const HalfSpace& h = model.half_spaces[plane];
    for (int v = 0; v < s.num_vertices; ++v) {
      const double d = h.normal.head<dim>().dot(block<dim>(x, v)) - h.offset;
      twin.min_distance_sq = std::min(twin.min_distance_sq, d * d);
      if (d * d >= options.activation_sq()) continue;
      twin.energy += barrier(d * d, options);
      ++twin.multiplicity[key_of(ContactKind::half_space, {v}, {}, plane)];
    }
  }
  return twin;
}

template <int dim>
double energy_of(const Model& model, const VecX& x, const BarrierOptions& options) {
  const ContactSet set = build_contact_set<dim>(model, x, all_pairs(dim, model.surface), options);
  return ContactPotential<dim>(model, IpcContactModel<dim>(model, options)).energy(set, x).value();
}

/// Returns a crowd of bodies with a floor below them.
template <int dim>
ModelBuilder random_crowd(Random& random) {
  ModelBuilder builder = test::random_soup(random, dim, 4, 2.0, 0.6);
  builder.add_floor({0.1, 1.0, 0.0}, 0.05);
  return builder;
}

BarrierOptions wide_barrier(Random& random) {
  BarrierOptions options;
  options.dhat = random.uniform(0.2, 0.6);
  options.min_separation = 0.0;
  return options;
}

std::vector<std::pair<Key, int>> stencils(const ContactSet& set) {
  std::vector<std::pair<Key, int>> list;
  for (const Contact& c : set.contacts) list.emplace_back(key_of(c), static_cast<int>(c.weight));
  return list;
}

template <int dim>
void check_twin(unsigned seed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  Random random(seed);
  const ModelBuilder builder = random_crowd<dim>(random);
  const Model model = builder.build();
  const VecX x = builder.x();
  const BarrierOptions options = wide_barrier(random);
  const TwinSet twin = slow_twin<dim>(model, x, options);
  const ContactSet set = build_contact_set<dim>(model, x, all_pairs(dim, model.surface), options);
  std::map<Key, int> found;
  for (const Contact& c : set.contacts) {
    EXPECT_TRUE(found.emplace(key_of(c), static_cast<int>(c.weight)).second) << "a stencil occurs twice";
  }
  EXPECT_GT(found.size(), 0u);
  EXPECT_EQ(found, twin.multiplicity);
  EXPECT_NEAR(set.min_distance, std::sqrt(twin.min_distance_sq), 1e-12);
  // [Fer23, app. A.7.1]: merged stencils have the energy of all raw pairs.
  const double energy = ContactPotential<dim>(model, IpcContactModel<dim>(model, options)).energy(set, x).value();
  EXPECT_GT(twin.energy, 0.0);
  EXPECT_NEAR(energy / twin.energy, 1.0, 1e-9);
}

template <int dim>
void check_order(unsigned seed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  Random random(seed);
  const ModelBuilder builder = random_crowd<dim>(random);
  const Model model = builder.build();
  const VecX x = builder.x();
  const BarrierOptions options = wide_barrier(random);
  Candidates pairs = all_pairs(dim, model.surface);
  const ContactSet set = build_contact_set<dim>(model, x, pairs, options);
  for (std::size_t k = 1; k < set.contacts.size(); ++k) {
    const Contact &a = set.contacts[k - 1], &b = set.contacts[k];
    EXPECT_TRUE(std::tie(a.kind, a.vertices, a.plane) < std::tie(b.kind, b.vertices, b.plane));
  }
  for (auto* list : {&pairs.point_triangle, &pairs.edge_edge, &pairs.point_edge}) {
    std::shuffle(list->begin(), list->end(), random.engine());
  }
  const ContactSet shuffled = build_contact_set<dim>(model, x, pairs, options);
  EXPECT_EQ(stencils(shuffled), stencils(set));
  EXPECT_EQ(shuffled.min_distance, set.min_distance);
}

/// Checks along random straight paths that the energy is continuous and that its slope is the gradient, also where
/// features change. Returns the number of comparisons.
template <int dim>
int check_path(unsigned seed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  Random random(seed);
  const ModelBuilder builder = test::random_soup(random, dim, 3, 2.2, 0.5);
  const Model model = builder.build();
  BarrierOptions options;
  options.dhat = 0.4;
  const VecX x_t0 = builder.x(), dx = random.vector(x_t0.size(), -0.5, 0.5);
  const Candidates pairs = all_pairs(dim, model.surface);
  const IpcContactModel<dim> contacts(model, options);
  ContactPotential<dim> potential(model, contacts);
  std::vector<std::pair<Key, int>> previous;
  int num_changes = 0, num_compared = 0;
  for (double s = 0.0; s < 1.0; s += 0.004) {
    const VecX x = x_t0 + s * dx;
    const ContactSet set = build_contact_set<dim>(model, x, pairs, options);
    num_changes += !previous.empty() && stencils(set) != previous ? 1 : 0;
    previous = stencils(set);
    if (set.min_distance < 0.01) continue;  // the barrier bends too much there for this difference
    ++num_compared;
    VecX gradient = VecX::Zero(x.size());
    potential.add_gradient(set, x, 1.0, gradient);
    const double h = 1e-6;
    const double ahead = energy_of<dim>(model, x + h * dx, options),
                 behind = energy_of<dim>(model, x - h * dx, options);
    const double scale = 1e-4 * gradient.norm() * dx.norm() + 1e-7;
    EXPECT_NEAR((ahead - behind) / (2.0 * h), gradient.dot(dx), scale) << "at " << s;
  }
  EXPECT_GT(num_changes, 2);
  return num_compared;
}

}  // namespace

TEST(ContactSet, EqualsSlowTwinOverAllPairs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    check_twin<2>(seed);
    check_twin<3>(seed);
  }
}

TEST(ContactSet, SortedAndTheSameForAnyOrderOfCandidates) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    check_order<2>(seed);
    check_order<3>(seed);
  }
}

TEST(ContactSet, EnergySlopeIsTheGradientAlongRandomPaths) {
  int num_planar = 0, num_spatial = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    num_planar += check_path<2>(seed);
    num_spatial += check_path<3>(seed);
  }
  EXPECT_GT(num_planar, 500);
  EXPECT_GT(num_spatial, 500);
}

TEST(ContactSet, SameBitsForAnyNumberOfThreads) {
  Random random(11);
  const ModelBuilder builder = test::random_soup(random, 3, 40, 3.0, 0.6);
  const Model model = builder.build();
  const VecX x = builder.x();
  BarrierOptions options;
  options.dhat = 0.3;
  const Candidates pairs = make_brute_force(3, model.surface)->find_candidates(x, x, 0.16);
  std::vector<ContactSet> sets;
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    sets.push_back(build_contact_set<3>(model, x, pairs, options));
  }
  EXPECT_GT(sets[0].contacts.size(), 600u);
  for (const ContactSet& set : sets) {
    ASSERT_EQ(stencils(set), stencils(sets[0]));
    EXPECT_EQ(set.min_distance, sets[0].min_distance);
    for (std::size_t k = 0; k < set.contacts.size(); ++k) {
      ASSERT_EQ(set.contacts[k].distance_sq, sets[0].contacts[k].distance_sq);
    }
  }
}

TEST(ContactSet, PointOverTheApexOfAFanCountsItsTriangles) {
  for (int sides : {3, 6, 11}) {
    ModelBuilder builder(3);
    std::vector<Vec<3>> fan = {Vec<3>::Zero()};
    Triangles triangles;
    for (int i = 0; i < sides; ++i) {
      const double angle = 6.283185307179586 * i / sides;
      fan.push_back({std::cos(angle), -1.0, std::sin(angle)});
      triangles.push_back({0, 1 + i, 1 + (i + 1) % sides});
    }
    builder.add_body(fan, triangles);
    const int point = builder.add_body({{0.0, 0.01, 0.0}}, {});
    const Model model = builder.build();
    BarrierOptions options;
    options.dhat = 0.05;
    const ContactSet set = build_contact_set<3>(model, builder.x(), all_pairs(3, model.surface), options);
    ASSERT_EQ(set.contacts.size(), 1u);
    EXPECT_EQ(set.contacts[0].kind, ContactKind::point_point);
    EXPECT_EQ(set.contacts[0].weight, sides);
    EXPECT_EQ(set.contacts[0].vertices, (std::array<int, 4>{0, point, -1, -1}));
    EXPECT_NEAR(set.min_distance, 0.01, 1e-15);
  }
}

// A 16-bit count overflowed here, and the barrier attracted.
TEST(ContactSet, TipsOfTwoConesOfManySidesRepelEachOther) {
  constexpr int sides = 182;
  ModelBuilder builder(3);
  Triangles triangles;
  std::vector<Vec<3>> down = {Vec<3>::Zero()}, up = {Vec<3>(0.0, 0.01, 0.0)};
  for (int i = 0; i < sides; ++i) {
    const double angle = 6.283185307179586 * i / sides;
    down.emplace_back(std::cos(angle), -1.0, std::sin(angle));
    up.emplace_back(std::cos(angle), 1.01, std::sin(angle));
    triangles.push_back({0, 1 + i, 1 + (i + 1) % sides});
  }
  builder.add_body(down, triangles);
  const int tip = builder.add_body(up, triangles);
  const Model model = builder.build();
  BarrierOptions options;
  options.dhat = 0.02;
  const ContactSet set = build_contact_set<3>(model, builder.x(), all_pairs(3, model.surface), options);
  const auto of_tips = std::find_if(set.contacts.begin(), set.contacts.end(), [&](const Contact& contact) {
    return contact.kind == ContactKind::point_point && contact.vertices == std::array<int, 4>{0, tip, -1, -1};
  });
  ASSERT_NE(of_tips, set.contacts.end());
  EXPECT_GT(of_tips->weight, 32767.0);
  // The gradient at the upper tip points down: the barrier pushes it up.
  EXPECT_LT(IpcContactModel<3>(model, options).gradient_of(*of_tips, builder.x())[4], 0.0);
}

TEST(ContactSet, EnergyIsSmoothThroughParallelEdges) {
  // Edge b turns over edge a through the parallel position; the closest features jump there, energy and slope do not.
  ModelBuilder builder(3);
  builder.add_body({{-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}}, {}, {{0, 1}});
  builder.add_body({{-0.6, 0.1, 0.0}, {0.3, 0.1, 0.0}}, {}, {{0, 1}});
  const Model model = builder.build();
  BarrierOptions options;
  options.dhat = 0.3;
  const auto at = [&](double angle) {
    VecX x = builder.x();
    for (int v : {2, 3}) {
      const double r = x[3 * v];
      x[3 * v] = r * std::cos(angle);
      x[3 * v + 2] = r * std::sin(angle);
      x[3 * v + 1] += 0.02 * std::sin(3.0 * angle) * r;  // and tilts
    }
    return x;
  };
  double before = energy_of<3>(model, at(-0.1), options), largest = 0.0;
  const double h = 1e-4;
  double slope_before = (before - energy_of<3>(model, at(-0.1 - h), options)) / h;
  for (double angle = -0.1 + h; angle < 0.1; angle += h) {
    const double energy = energy_of<3>(model, at(angle), options);
    const double slope = (energy - before) / h;
    // Energy of order 1e-2 over angles of order 3e-2 (the mollifier's range): slopes of order 1, curvatures of
    // order 30.
    EXPECT_LT(std::abs(energy - before), 1e-3) << angle;
    EXPECT_LT(std::abs(slope - slope_before), 0.05) << angle;
    largest = std::max(largest, energy);
    before = energy;
    slope_before = slope;
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_EQ(energy_of<3>(model, at(0.0), options), 0.0);
}

TEST(ContactSet, ObstaclesMayReachBehindHalfSpaces) {
  ModelBuilder builder(3);
  builder.add_body({{0.0, -0.01, 0.0}}, {});
  builder.add_body({{5.0, 0.01, 0.0}}, {});
  builder.add_half_space(Vec<3>::UnitY(), 0.0);
  Model model = builder.build();
  model.is_obstacle_vertex[0] = 1;
  BarrierOptions options;
  options.dhat = 0.1;
  const ContactSet set = build_contact_set<3>(model, builder.x(), {}, options);
  ASSERT_EQ(set.contacts.size(), 1u);
  EXPECT_EQ(set.contacts[0].vertices[0], 1);
  EXPECT_EQ(set.contacts[0].plane, 0);
  EXPECT_DOUBLE_EQ(set.min_distance, 0.01);
}

TEST(ContactOfPair, IsThatOfTheSetWhereItIsNear) {
  int num_near = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    ModelBuilder builder = test::random_soup(random, 3, 3, 1.0, 0.5);
    builder.add_floor({0.2, 1.0, 0.0}, 0.01);
    const Model model = builder.build();
    const VecX x = builder.x();
    const BarrierOptions options{0.3, seed % 2 == 0 ? 0.0 : 0.05};
    const auto check = [&](const PrimitivePair& pair, const Candidates& alone) {
      std::array<Vec<3>, 4> at;
      for (std::size_t i = 0; i < 4 && pair.vertices[i] >= 0; ++i) at[i] = block<3>(x, pair.vertices[i]);
      const Contact contact = contact_of_pair<3>(model, pair, at, options);
      EXPECT_EQ(contact.dhat, options.dhat);
      EXPECT_EQ(contact.weight, 1.0);
      for (const Contact& other : build_contact_set<3>(model, x, alone, options).contacts) {
        // The set also has the vertices at the floor; it treats nearly parallel edges apart.
        if ((other.kind == ContactKind::half_space) != (pair.plane >= 0)) continue;
        if (other.kind == ContactKind::mollified_edge_edge || (pair.plane >= 0 && other.vertices != contact.vertices)) {
          continue;
        }
        ++num_near;
        EXPECT_TRUE(coincide(contact, other));
        EXPECT_EQ(contact.distance_sq, other.distance_sq);
      }
    };
    const Candidates all = all_pairs(3, model.surface);
    for (const auto& [p, t] : all.point_triangle) {
      const auto& v = model.surface.triangles[t];
      Candidates alone;
      alone.point_triangle = {{p, t}};
      check({{p, v[0], v[1], v[2]}, 1, -1}, alone);
    }
    for (const auto& [e, f] : all.edge_edge) {
      const auto& a = model.surface.edges[e];
      const auto& b = model.surface.edges[f];
      Candidates alone;
      alone.edge_edge = {{e, f}};
      check({{a[0], a[1], b[0], b[1]}, 2, -1}, alone);
    }
    for (int v = 0; v < model.surface.num_vertices; ++v) check({{v, -1, -1, -1}, 1, 0}, {});
  }
  EXPECT_GT(num_near, 1000);
}

TEST(ContactSet, OfNothingIsEmptyAndInfinitelyFar) {
  ModelBuilder builder(2);
  builder.add_body({{0.0, 0.0, 0.0}}, {});
  const ContactSet set = build_contact_set<2>(builder.build(), builder.x(), {}, {});
  EXPECT_TRUE(set.contacts.empty());
  EXPECT_EQ(set.min_distance, infinity);
}

}  // namespace clearance
