// Contact with energies per area at rest, in which no point of a surface counts twice: compared with a slow twin of its
// definition, and tested for the purpose of the definition.
#include "clearance/contact/convergent_contact_model.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "clearance/contact/contact_potential.h"
#include "clearance/geometry/mollifier.h"
#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::ModelBuilder;
using test::Random;
using test::shared;

constexpr ConvergentOptions all_changes{true, true, true};

/// Adds a grid of n x n squares of unit length in the plane y = 0, each cut in two along a random diagonal.
int add_plane(ModelBuilder& builder, int n, Random& random) {
  std::vector<Vec<3>> vertices;
  Triangles triangles;
  for (int i = 0; i <= n; ++i) {
    for (int k = 0; k <= n; ++k) vertices.push_back(Vec<3>(i, 0, k));
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const int a = i * (n + 1) + k, b = a + 1, c = a + n + 1, d = c + 1;
      if (random.uniform(0.0, 1.0) < 0.5) {
        triangles.insert(triangles.end(), {{a, b, d}, {a, d, c}});
      } else {
        triangles.insert(triangles.end(), {{a, b, c}, {b, d, c}});
      }
    }
  }
  return builder.add_body(vertices, triangles);
}

TEST(ConvergentContact, VertexOverATessellatedPlaneFeelsThePlane) {
  Random random(1);
  for (int n = 0; n < 200; ++n) {
    ModelBuilder builder(3);
    add_plane(builder, 4, random);
    const double height = random.uniform(0.01, 0.9);
    // The point is also over edges and vertices, and near them.
    Vec<3> p(random.uniform(1.0, 3.0), height, random.uniform(1.0, 3.0));
    if (n % 4 == 1) p[0] = 2.0;
    if (n % 4 == 2) p[0] = p[2] = 2.0;
    const int point = builder.add_body({p}, {});
    Model model = builder.build();
    const AreasAtRest areas = test::random_areas(random, model);
    // Contacts of the plane with itself do not matter here.
    for (int v = 0; v < point; ++v) model.surface.vertex_group[v] = 0;
    const BarrierOptions options{1.0, 0.0};
    const ConvergentContactModel<3> contacts(model, options, all_changes, shared(areas));
    const VecX x = builder.x();
    const ContactSet set = contacts.build(x, all_pairs(3, model.surface));
    const ContactPotential<3> potential(model, contacts);
    const double scale = 0.25 * areas.vertex[point] * std::min(areas.modulus[0], areas.modulus[point]);
    EXPECT_NEAR(potential.energy(set, x).value(), scale * barrier(height * height, options), 1e-14 * scale);
    const VecX forces = potential.vertex_forces(set, x, 1.0);
    const Vec<3> force = block<3>(forces, point);
    const double normal = -2.0 * height * scale * barrier_derivatives(height * height, options).first;
    EXPECT_NEAR(force[1], normal, 1e-12 * normal);
    EXPECT_LT(std::hypot(force[0], force[2]), 1e-10 * normal);
  }
}

/// Sums over the primitives around x directly by the definition.
class Twin {
 public:
  Twin(const Model& model, const AreasAtRest& areas, const BarrierOptions& options, const VecX& x)
      : model_(model), areas_(areas), options_(options), x_(x) {}

  double energy_in_space() const {
    double sum = 0.0;
    for (int p = 0; p < model_.surface.num_vertices; ++p) {
      for (int body = 0; body < model_.surface.num_bodies(); ++body) {
        sum += 0.25 * measure(p) * modulus(p, body) * over_triangles(p, body);
      }
    }
    for (int a = 0; a < std::ssize(model_.surface.edges); ++a) {
      for (int body = 0; body < model_.surface.num_bodies(); ++body) {
        const double weight = areas_.edge[a];
        sum += 0.25 * weight * modulus(edge(a)[0], body) * over_edges(a, body);
      }
    }
    return sum;
  }
  double energy_in_plane() const {
    double sum = 0.0;
    for (int p = 0; p < model_.surface.num_vertices; ++p) {
      for (int body = 0; body < model_.surface.num_bodies(); ++body) {
        std::map<int, int> num_edges;
        double psi = 0.0;
        for (const auto& e : model_.surface.edges) {
          if (body_of(e[0]) != body || e[0] == p || e[1] == p) continue;
          psi += b(point_edge_distance_sq<2>(at2(p), at2(e[0]), at2(e[1])));
          ++num_edges[e[0]];
          ++num_edges[e[1]];
        }
        for (const auto& [u, count] : num_edges) psi -= (count - 1) * b((at2(p) - at2(u)).squaredNorm());
        sum += 0.5 * measure(p) * modulus(p, body) * psi;
      }
    }
    return sum;
  }

 private:
  double over_triangles(int p, int body) const {
    std::map<std::set<int>, int> of_edge;
    std::map<int, int> of_vertex;
    double psi = 0.0;
    for (const auto& t : model_.surface.triangles) {
      if (body_of(t[0]) != body || t[0] == p || t[1] == p || t[2] == p) continue;
      psi += b(point_triangle_distance_sq(at(p), at(t[0]), at(t[1]), at(t[2])));
      for (std::size_t i = 0; i < 3; ++i) {
        ++of_edge[{t[i], t[(i + 1) % 3]}];
        ++of_vertex[t[i]];
      }
    }
    std::map<int, int> excess;
    for (const auto& [ends, count] : of_edge) {
      const int e0 = *ends.begin(), e1 = *ends.rbegin();
      psi -= (count - 1) * b(point_edge_distance_sq<3>(at(p), at(e0), at(e1)));
      excess[e0] += count - 1;
      excess[e1] += count - 1;
    }
    for (const auto& [u, count] : of_vertex) psi += (1 - count + excess[u]) * b((at(p) - at(u)).squaredNorm());
    return psi;
  }

  double over_edges(int a, int body) const {
    const auto [a0, a1] = edge(a);
    std::map<int, int> num_plain;
    std::map<int, double> mollified;
    double psi = 0.0;
    for (int e = 0; e < std::ssize(model_.surface.edges); ++e) {
      const auto [b0, b1] = edge(e);
      if (body_of(b0) != body || a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1) continue;
      const double eps_x = edge_edge_mollifier_threshold(length_sq(a), length_sq(e));
      const double m = edge_edge_mollifier(at(a0), at(a1), at(b0), at(b1), eps_x);
      const bool is_plain = (at(a1) - at(a0)).cross(at(b1) - at(b0)).squaredNorm() >= eps_x;
      psi += (is_plain ? 1.0 : m) * b(edge_edge_distance_sq(at(a0), at(a1), at(b0), at(b1)));
      for (const int u : {b0, b1}) {
        num_plain[u] += is_plain ? 1 : 0;
        mollified[u] += is_plain ? 0.0 : m;
      }
    }
    for (const auto& [u, count] : num_plain) {
      psi -= (count - 1 + mollified[u]) * b(point_edge_distance_sq<3>(at(u), at(a0), at(a1)));
    }
    return psi;
  }

  double b(double distance_sq) const {
    const double dhat = options_.dhat;
    return distance_sq < options_.activation_sq() ? barrier(distance_sq, options_) / (dhat * dhat * dhat) : 0.0;
  }
  Vec<3> at(int v) const { return block<3>(x_, v); }
  Vec<2> at2(int v) const { return block<2>(x_, v); }
  std::array<int, 2> edge(int e) const { return model_.surface.edges[e]; }
  double length_sq(int e) const { return model_.edge_rest_length_sq[e]; }
  int body_of(int v) const { return model_.surface.vertex_body[v]; }
  double measure(int v) const { return areas_.vertex[v]; }
  double modulus(int v, int body) const {
    const std::vector<double>& of_vertex = areas_.modulus;
    const auto other = std::find(model_.surface.vertex_body.begin(), model_.surface.vertex_body.end(), body);
    return std::min(of_vertex[v], of_vertex[other - model_.surface.vertex_body.begin()]);
  }

  const Model& model_;
  const AreasAtRest& areas_;
  BarrierOptions options_;
  const VecX& x_;
};

/// Some tetrahedra and a strip of triangles close to each other.
ModelBuilder tangle(Random& random) {
  ModelBuilder builder(3);
  for (int i = 0; i < 3; ++i) builder.add_tet(random, Vec<3>(random.vector(3, -0.5, 0.5)), 0.5);
  std::vector<Vec<3>> strip;
  for (int i = 0; i < 6; ++i)
    strip.push_back(Vec<3>(0.4 * i - 1, 0.1, i % 2) + 0.1 * Vec<3>(random.vector(3, -1.0, 1.0)));
  builder.add_body(strip, {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}});
  return builder;
}

TEST(ConvergentContact, IsItsDefinitionInSpace) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const ModelBuilder builder = tangle(random);
    Model model = builder.build();
    const AreasAtRest areas = test::random_areas(random, model);
    const BarrierOptions options{random.uniform(0.2, 1.5), 0.0};
    const ConvergentContactModel<3> contacts(model, options, all_changes, shared(areas));
    const VecX x = builder.x();
    const ContactSet set = contacts.build(x, all_pairs(3, model.surface));
    const ContactPotential<3> potential(model, contacts);
    const double magnitude = potential.magnitude(set, x);
    EXPECT_GT(magnitude, 0.0);
    EXPECT_NEAR(potential.energy(set, x).value(), Twin(model, areas, options, x).energy_in_space(), 1e-11 * magnitude)
        << seed;
  }
}

TEST(ConvergentContact, IsItsDefinitionInThePlane) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    ModelBuilder builder(2);
    for (int i = 0; i < 3; ++i) builder.add_polygon(random, Vec<3>(1.2 * i, random.uniform(-0.5, 0.5), 0), 0.5, 7);
    Model model = builder.build();
    const AreasAtRest areas = test::random_areas(random, model);
    const BarrierOptions options{random.uniform(0.2, 1.0), 0.0};
    const ConvergentContactModel<2> contacts(model, options, all_changes, shared(areas));
    const VecX x = builder.x();
    const ContactSet set = contacts.build(x, all_pairs(2, model.surface));
    const ContactPotential<2> potential(model, contacts);
    const double magnitude = potential.magnitude(set, x);
    EXPECT_NEAR(potential.energy(set, x).value(), Twin(model, areas, options, x).energy_in_plane(), 1e-12 * magnitude)
        << seed;
  }
}

TEST(ConvergentContact, ForcesAreMinusTheGradientOfItsEnergy) {
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const ModelBuilder builder = tangle(random);
    Model model = builder.build();
    const AreasAtRest areas = test::random_areas(random, model);
    const ConvergentContactModel<3> contacts(model, {0.8, 0.0}, all_changes, shared(areas));
    const ContactPotential<3> potential(model, contacts);
    const Candidates pairs = all_pairs(3, model.surface);
    const VecX x = builder.x();
    const auto energy = [&](const VecX& at) { return potential.energy(contacts.build(at, pairs), at).value(); };
    VecX gradient = VecX::Zero(x.size());
    potential.add_gradient(contacts.build(x, pairs), x, 1.0, gradient);
    // Sets are built anew at every point: energy and force are continuous where closest features change.
    EXPECT_LT(test::relative_difference(test::finite_difference_gradient(energy, x, 1e-7), gradient), 2e-5) << seed;
  }
}

/// Moves two tetrahedra on a path that ends in intersection: whatever is subtracted, the energy grows without bound.
TEST(ConvergentContact, GrowsWithoutBoundTowardsEveryIntersection) {
  int num_paths = 0;
  for (int seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const ModelBuilder builder = test::two_tets(random);
    Model model = builder.build();
    const AreasAtRest areas = test::random_areas(random, model);
    const ConvergentContactModel<3> contacts(model, {0.3, 0.0}, all_changes, shared(areas));
    const test::PathToIntersection<3> path(model, contacts, builder.x(), 1e-9);
    if (!path.has_met()) continue;
    ++num_paths;
    const double near = path.energy_at(1e-2), nearer = path.energy_at(1e-5), nearest = path.energy_at(1e-8);
    EXPECT_GT(nearer, near) << seed;
    EXPECT_GT(nearest, nearer) << seed;
  }
  EXPECT_GT(num_paths, 100);
}

TEST(ConvergentContact, EachChangeAlone) {
  Random random(3);
  ModelBuilder builder(3);
  add_plane(builder, 3, random);
  const int point = builder.add_body({Vec<3>(1.5, 0.2, 1.5)}, {});
  Model model = builder.build();
  const AreasAtRest areas = test::random_areas(random, model);
  const BarrierOptions options{0.5, 0.0};
  const VecX x = builder.x();
  const auto energy = [&](const ConvergentOptions& parts) {
    const ConvergentContactModel<3> contacts(model, options, parts, shared(areas));
    return ContactPotential<3>(model, contacts).energy(contacts.build(x, all_pairs(3, model.surface)), x).value();
  };
  const double b = barrier(0.04, options), w = areas.vertex[point];
  EXPECT_NEAR(energy({false, true, false}), 0.25 * b, 1e-15);
  EXPECT_NEAR(energy({true, true, false}), 0.25 * w * b, 1e-15);
  EXPECT_GT(energy({true, false, false}), 0.25 * w * b);  // neighbouring triangles are within reach, too
}

}  // namespace
}  // namespace clearance
