// The promise of a step: along random and huge motions nothing meets and every gap keeps its part.
#include "clearance/solver/feasible_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/ccd/ccd.h"
#include "clearance/contact/ipc_contact_model.h"
#include "clearance/geometry/generators.h"
#include "clearance/math/dimension.h"
#include "clearance/solver/curved_ccd.h"
#include "contact/contact_models.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::distances_sq;
using test::ModelBuilder;
using test::Random;

/// A model free of intersections, and a motion that is not.
struct Motion {
  Model model;
  SurfacePath path;
  int dim = 3;
  VecX at(double alpha) const { return path.x_t0 + alpha * (path.x_t1 - path.x_t0); }
};

bool is_free(const Model& model, int dim, const VecX& x) {
  const auto broad_phase = make_brute_force(dim, model.surface);
  return with_dimension(dim, [&](auto d) { return is_intersection_free<d>(model, x, *broad_phase, nullptr); });
}

Motion random_motion(Random& random, int dim, bool has_floor) {
  Motion motion;
  motion.dim = dim;
  for (;;) {
    ModelBuilder builder = test::random_soup(random, dim, 3, 2.0, random.uniform(0.2, 0.6));
    if (has_floor) builder.add_floor({0.2, 1.0, 0.0}, std::pow(10.0, random.uniform(-6.0, 0.0)));
    motion.model = builder.build();
    motion.path.x_t0 = builder.x();
    if (is_free(motion.model, dim, motion.path.x_t0)) break;
  }
  const double size = std::pow(10.0, random.uniform(-2.0, 3.0));
  motion.path.x_t1 = motion.path.x_t0 + random.vector(motion.path.x_t0.size(), -size, size);
  return motion;
}

SweptCandidates sweep(const Motion& motion, double activation) {
  const auto broad_phase = make_broad_phase(motion.dim, motion.model.surface);
  Candidates pairs = broad_phase->find_candidates(motion.path.x_t0, motion.path.x_t1, 0.5 * activation);
  return with_dimension(motion.dim, [&](auto dim) {
    return measure_candidates<dim>(motion.model.surface, motion.path, std::move(pairs));
  });
}

SolverOptions options_for(CcdMethod method) {
  SolverOptions options;
  options.ccd = method;
  options.barrier.dhat = 1e-3;
  return options;
}

/// Checks that the step is feasible: the exact test is clean, and every gap of every pair of the scene keeps its part,
/// or stays beyond the activation distance if the pair was no candidate.
void check_promise(const Motion& motion, const SolverOptions& options, const FeasibleStep& step) {
  ASSERT_GT(step.alpha, 0.0);
  ASSERT_LE(step.alpha, 1.0);
  const double scale = motion.path.x_t1.cwiseAbs().maxCoeff() + motion.path.x_t0.cwiseAbs().maxCoeff();
  const double min_separation = options.barrier.min_separation;
  const Candidates pairs = all_pairs(motion.dim, motion.model.surface);
  const std::vector<double> before = distances_sq(motion.model.surface, pairs, motion.path.x_t0);
  for (double part : {1.0, 0.7, 0.3}) {
    const VecX x = motion.at(part * step.alpha);
    EXPECT_TRUE(is_free(motion.model, motion.dim, x));
    const std::vector<double> after = distances_sq(motion.model.surface, pairs, x);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const double gap_t0 = std::sqrt(before[k]) - min_separation, gap = std::sqrt(after[k]) - min_separation;
      ASSERT_GE(gap, std::min(options.gap_fraction * gap_t0, options.barrier.dhat) - 1e-13 * scale)
          << "pair " << k << " of " << before.size();
    }
    for (const HalfSpace& plane : motion.model.half_spaces) {
      for (int v = 0; v < motion.model.surface.num_vertices; ++v) {
        const auto gap_at = [&](const VecX& p) {
          const VecX n = plane.normal.head(motion.dim);
          return n.dot(p.segment(motion.dim * v, motion.dim)) - plane.offset - min_separation;
        };
        ASSERT_GE(gap_at(x), options.gap_fraction * gap_at(motion.path.x_t0) - 1e-13 * scale) << "vertex " << v;
      }
    }
  }
}

/// Smallest distance over all pairs and half-spaces at the start [m].
double smallest_distance(const Motion& motion) {
  const std::vector<double> all =
      distances_sq(motion.model.surface, all_pairs(motion.dim, motion.model.surface), motion.path.x_t0);
  double smallest = std::sqrt(*std::min_element(all.begin(), all.end()));
  for (const HalfSpace& plane : motion.model.half_spaces) {
    const VecX n = plane.normal.head(motion.dim);
    for (int v = 0; v < motion.model.surface.num_vertices; ++v) {
      smallest = std::min(smallest, n.dot(motion.path.x_t0.segment(motion.dim * v, motion.dim)) - plane.offset);
    }
  }
  return smallest;
}

/// Returns a lower bound of every good answer: no pair moves more than it may.
double displacement_bound(const SweptCandidates& swept, const SolverOptions& options) {
  double bound = 1.0;
  for (std::size_t k = 0; k < swept.distance.size(); ++k) {
    const double room = (1.0 - options.gap_fraction) * (swept.distance[k] - options.barrier.min_separation);
    bound = std::min(bound, room / swept.motion[k]);
  }
  return bound;
}

int check_random_motions(int dim, CcdMethod method, int count, unsigned first_seed) {
  int num_limited = 0;
  for (unsigned seed = first_seed; seed < first_seed + static_cast<unsigned>(count); ++seed) {
    SCOPED_TRACE(testing::Message() << dim << "D method " << static_cast<int>(method) << " seed " << seed);
    Random random(seed);
    const Motion motion = random_motion(random, dim, seed % 2 == 1);
    SolverOptions options = options_for(method);
    if (seed % 3 == 2) options.barrier.min_separation = random.uniform(0.0, 0.9) * smallest_distance(motion);
    const SweptCandidates swept = sweep(motion, options.barrier.dhat + options.barrier.min_separation);
    const FeasibleStep step =
        with_dimension(dim, [&](auto d) { return find_feasible_step<d>(motion.model, motion.path, swept, options); });
    check_promise(motion, options, step);
    if (testing::Test::HasFatalFailure()) return num_limited;
    num_limited += step.alpha < 1.0 ? 1 : 0;
    EXPECT_EQ(step.alpha < 1.0, !step.limited_by.empty());
    if (motion.model.half_spaces.empty()) {
      EXPECT_GE(step.alpha, 0.9 * displacement_bound(swept, options));
    }
  }
  return num_limited;
}

}  // namespace

TEST(FeasibleStep, KeepsItsPartOfEveryGapWithAdditiveCcd) {
  EXPECT_GT(check_random_motions(3, CcdMethod::clearance, 1200, 0), 800);
  EXPECT_GT(check_random_motions(2, CcdMethod::clearance, 1200, 10000), 800);
}

TEST(FeasibleStep, KeepsItsPartOfEveryGapWithTightInclusion) {
  EXPECT_GT(check_random_motions(3, CcdMethod::tight_inclusion, 60, 20000), 30);
  EXPECT_GT(check_random_motions(2, CcdMethod::tight_inclusion, 300, 30000), 200);
}

/// Spheres and capsules of random radii among tetrahedra, in the model of a motion; some start a hair apart.
Motion random_round_motion(Random& random) {
  Motion motion;
  for (;;) {
    ModelBuilder builder(3);
    for (int i = 0; i < 2; ++i) builder.add_tet(random, random.vector(3, -1.0, 1.0), 0.4);
    const int first = builder.add_body({random.vector(3, -1.0, 1.0)}, {});
    builder.add_body({random.vector(3, -1.0, 1.0)}, {});
    for (int i = 0; i < 2; ++i) {
      const Vec<3> place = random.vector(3, -1.0, 1.0);
      builder.add_body({place, place + Vec<3>(random.vector(3, -0.5, 0.5))}, {}, {{0, 1}});
    }
    builder.add_floor({0.2, 1.0, 0.0}, 0.3);
    motion.model = builder.build();
    motion.path.x_t0 = builder.x();
    std::vector<double>& radius = motion.model.surface.radius;
    radius.assign(motion.model.surface.num_vertices, 0.0);
    radius[first] = random.uniform(0.01, 0.4);
    // The second sphere touches the first but for a gap down to the size of rounding.
    const double distance =
        (motion.path.x_t0.segment<3>(3 * first) - motion.path.x_t0.segment<3>(3 * first + 3)).norm();
    radius[first + 1] = (distance - radius[first]) * (1.0 - std::pow(10.0, random.uniform(-12.0, -0.3)));
    if (!(radius[first + 1] > 0.0)) continue;
    for (int v = first + 2; v < motion.model.surface.num_vertices; v += 2) {
      radius[v] = radius[v + 1] = random.uniform(0.01, 0.2);
    }
    if (is_free(motion.model, 3, motion.path.x_t0)) break;
  }
  const double size = std::pow(10.0, random.uniform(-2.0, 2.0));
  motion.path.x_t1 = motion.path.x_t0 + random.vector(motion.path.x_t0.size(), -size, size);
  return motion;
}

TEST(FeasibleStep, KeepsItsPartOfEveryGapOfSpheresAndCapsules) {
  int num_limited = 0;
  for (unsigned seed = 50000; seed < 50600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Motion motion = random_round_motion(random);
    const SurfaceTopology& surface = motion.model.surface;
    const SolverOptions options = options_for(CcdMethod::clearance);
    const auto broad_phase = make_broad_phase(3, surface);
    const SweptCandidates swept = measure_candidates<3>(
        surface, motion.path,
        find_contact_candidates(*broad_phase, motion.model, options.barrier, motion.path.x_t0, motion.path.x_t1));
    const FeasibleStep step = find_feasible_step<3>(motion.model, motion.path, swept, options);
    ASSERT_GT(step.alpha, 0.0);
    num_limited += step.alpha < 1.0 ? 1 : 0;
    const double scale = motion.path.x_t1.cwiseAbs().maxCoeff() + motion.path.x_t0.cwiseAbs().maxCoeff();
    // All pairs, from boxes that reach over the whole scene, on the way there.
    const Candidates pairs = broad_phase->find_candidates(motion.path.x_t0, motion.path.x_t0, 100.0);
    ASSERT_GT(pairs.point_point.size(), 0U);
    ASSERT_GT(pairs.point_edge.size(), 0U);
    for (const double part : {1.0, 0.8, 0.5, 0.2}) {
      const VecX x = motion.at(part * step.alpha);
      EXPECT_TRUE(is_free(motion.model, 3, x));
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const PrimitivePair pair = pair_of(surface, pairs, k);
        const auto gap_at = [&](const VecX& at) {
          ContactPositions<3> positions;
          for (int i = 0; i < pair.num_vertices(); ++i) positions[i] = block<3>(at, pair.vertices[i]);
          return distance<3>(pair, positions) - pair.thickness(surface);
        };
        ASSERT_GE(gap_at(x),
                  std::min(options.gap_fraction * gap_at(motion.path.x_t0), options.barrier.dhat) - 1e-13 * scale)
            << "pair " << k;
      }
      for (int v = 0; v < surface.num_vertices; ++v) {
        const HalfSpace& floor = motion.model.half_spaces[0];
        const auto gap_at = [&](const VecX& at) {
          return floor.normal.dot(block<3>(at, v)) - floor.offset - surface.radius[v];
        };
        ASSERT_GE(gap_at(x), options.gap_fraction * gap_at(motion.path.x_t0) - 1e-13 * scale) << "vertex " << v;
      }
    }
    // The bounds of the pairs hold all along the way.
    for (std::size_t k = 0; k < swept.pairs.size(); ++k) {
      const PrimitivePair pair = pair_of(surface, swept.pairs, k);
      for (const double t : {0.1, 0.5, 1.0}) {
        ContactPositions<3> positions;
        const VecX x = motion.at(t);
        for (int i = 0; i < pair.num_vertices(); ++i) positions[i] = block<3>(x, pair.vertices[i]);
        ASSERT_GE(distance<3>(pair, positions) - pair.thickness(surface),
                  swept.distance[k] - t * swept.motion[k] - 1e-12 * scale);
      }
    }
  }
  EXPECT_GT(num_limited, 400);
}

TEST(FeasibleStep, IsNotShorterThanCcdOfEveryPair) {
  // The slow twin dismisses no pair and limits no time by other pairs.
  for (unsigned seed = 40000; seed < 40300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Motion motion = random_motion(random, 3, false);
    const SolverOptions options = options_for(CcdMethod::clearance);
    const SweptCandidates swept = sweep(motion, options.barrier.dhat);
    CcdOptions ccd;
    ccd.gap_fraction = options.gap_fraction;
    double shortest = 1.0;
    for (std::size_t k = 0; k < swept.pairs.size(); ++k) {
      const auto m = motion_of<3, 4>(motion.path, vertices_of(motion.model.surface, swept.pairs, k));
      const bool is_point_triangle = k < swept.pairs.point_triangle.size();
      shortest = std::min(shortest, (is_point_triangle ? point_triangle_ccd(m, ccd) : edge_edge_ccd(m, ccd)).toi);
    }
    const FeasibleStep step = find_feasible_step<3>(motion.model, motion.path, swept, options);
    EXPECT_GE(step.alpha, shortest);
    EXPECT_LE(step.num_ccd_calls, static_cast<long>(swept.pairs.size()));
    // A dismissed pair may end later than CCD, which stops a thousandth of the way early, would have allowed.
    EXPECT_LE(step.alpha, shortest * 1.01 + 1e-9);
  }
}

TEST(FeasibleStep, SeparatedMeshesMayCrashIntoEachOther) {
  const Mesh ball = surface_of(make_sphere(0.5, 2));
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ModelBuilder builder(3);
    const double gap = std::pow(10.0, random.uniform(-5.0, -0.5));
    for (int side : {0, 1}) {
      std::vector<Vec<3>> vertices = ball.vertices;
      for (Vec<3>& v : vertices) v += Vec<3>(side * (1.0 + gap), 0.01 * side, 0.0);
      builder.add_body(vertices, ball.triangles);
    }
    Motion motion;
    motion.model = builder.build();
    motion.path.x_t0 = motion.path.x_t1 = builder.x();
    // The bodies move towards each other, rotated at random by noise, up to passing right through.
    const double speed = std::pow(10.0, random.uniform(-4.0, 2.0));
    for (int v = 0; v < motion.model.surface.num_vertices; ++v) {
      const bool is_left = motion.model.surface.vertex_body[v] == 0;
      motion.path.x_t1.segment<3>(3 * v) +=
          speed * Vec<3>(is_left ? 1.0 : -1.0, 0.0, 0.0) + 1e-3 * Vec<3>(random.vector(3, -1.0, 1.0));
    }
    const SolverOptions options = options_for(CcdMethod::clearance);
    const FeasibleStep step = find_feasible_step<3>(motion.model, motion.path, sweep(motion, 1e-3), options);
    check_promise(motion, options, step);
    // The bodies move head on, at closing speed 2 * speed: the gap itself is the smallest distance, so that the step
    // cannot be tiny.
    EXPECT_GT(step.alpha, std::min(0.9, 0.3 * gap / (2.0 * speed + 4e-3)));
  }
}

TEST(FeasibleStep, IsWholeWhereNothingIsNear) {
  ModelBuilder builder(3);
  Random random(1);
  builder.add_tet(random, Vec<3>::Zero(), 0.5);
  builder.add_tet(random, {10.0, 0.0, 0.0}, 0.5);
  Motion motion;
  motion.model = builder.build();
  motion.path.x_t0 = builder.x();
  motion.path.x_t1 = motion.path.x_t0.array() + 3.0;  // both move alike
  const SweptCandidates swept = sweep(motion, 1e-3);
  const FeasibleStep step = find_feasible_step<3>(motion.model, motion.path, swept, options_for(CcdMethod::clearance));
  EXPECT_EQ(step.alpha, 1.0);
  EXPECT_TRUE(step.limited_by.empty());
  EXPECT_EQ(step.num_ccd_calls, 0);
}

TEST(FeasibleStep, RestingPairAtRoundingDistanceDoesNotHideOthers) {
  // Two bodies that touch but for one rounding do not move, and a third flies through a fourth: the first pair has
  // neither room nor motion.
  ModelBuilder builder(3);
  const Triangles triangle = {{0, 1, 2}};
  const auto at = [](double y) { return std::vector<Vec<3>>{{0.0, y, 0.0}, {1.0, y, 0.0}, {0.0, y, 1.0}}; };
  builder.add_body(at(0.0), triangle);
  builder.add_body({{0.2, 5e-16, 0.2}}, {});
  builder.add_body(at(3.0), triangle);
  const int bullet = builder.add_body({{0.2, 3.5, 0.2}}, {});
  Motion motion;
  motion.model = builder.build();
  motion.path.x_t0 = motion.path.x_t1 = builder.x();
  motion.path.x_t1[3 * bullet + 1] = 2.0;
  for (CcdMethod method : {CcdMethod::clearance, CcdMethod::tight_inclusion}) {
    const FeasibleStep step =
        find_feasible_step<3>(motion.model, motion.path, sweep(motion, 1e-3), options_for(method));
    EXPECT_LT(step.alpha, 0.5 / 1.5) << static_cast<int>(method);
  }
}

TEST(FeasibleStep, SameForAnyNumberOfThreads) {
  // Two sheets slide over each other and sink slowly: many pairs need CCD, few limit the step.
  const Mesh sheet = make_sheet(1.0, 1.0, 8, 8);
  for (unsigned seed = 0; seed < 5; ++seed) {
    Random random(seed);
    ModelBuilder builder(3);
    for (int side : {0, 1}) {
      std::vector<Vec<3>> vertices = sheet.vertices;
      for (Vec<3>& v : vertices) v += Vec<3>(0.0, 0.1 * side, 0.0) + 0.005 * Vec<3>(random.vector(3, -1.0, 1.0));
      builder.add_body(vertices, sheet.triangles);
    }
    Motion motion;
    motion.model = builder.build();
    motion.path.x_t0 = motion.path.x_t1 = builder.x();
    for (int v = 0; v < motion.model.surface.num_vertices / 2; ++v) {
      motion.path.x_t1.segment<3>(3 * v) += Vec<3>(0.5, random.uniform(0.08, 0.1), 0.3);
    }
    std::vector<FeasibleStep> steps;
    std::vector<SweptCandidates> sweeps;
    for (int threads : {1, 2, 4}) {
      const ThreadLimit limit(threads);
      sweeps.push_back(sweep(motion, 0.01));
      steps.push_back(
          find_feasible_step<3>(motion.model, motion.path, sweeps.back(), options_for(CcdMethod::clearance)));
    }
    EXPECT_GT(steps[0].num_ccd_calls, 512) << "several blocks of pairs";
    EXPECT_LT(steps[0].alpha, 1.0);
    EXPECT_GT(steps[0].alpha, 0.3);
    for (std::size_t i = 1; i < 3; ++i) {
      EXPECT_EQ(steps[i].alpha, steps[0].alpha);
      EXPECT_EQ(steps[i].limited_by, steps[0].limited_by);
      EXPECT_EQ(sweeps[i].distance, sweeps[0].distance);
      EXPECT_EQ(sweeps[i].motion, sweeps[0].motion);
    }
  }
}

template <int dim>
void check_reachable(unsigned seed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  Random random(seed);
  Motion motion = random_motion(random, dim, true);
  motion.path.x_t1 = motion.path.x_t0 + random.vector(motion.path.x_t0.size(), -1.0, 1.0);
  SolverOptions options = options_for(CcdMethod::clearance);
  options.barrier.dhat = random.uniform(0.05, 0.3);
  const SweptCandidates swept = sweep(motion, options.barrier.dhat * (1.0 + 1e-9));
  const FeasibleStep step = find_feasible_step<dim>(motion.model, motion.path, swept, options);
  const Candidates reachable = reachable_candidates(swept, step.alpha, options.barrier.dhat);
  EXPECT_LE(reachable.size(), swept.pairs.size());
  const Candidates all = all_pairs(dim, motion.model.surface);
  for (int i = 0; i <= 20; ++i) {
    const VecX x = motion.at(step.alpha * i / 20.0);
    const ContactSet few = build_contact_set<dim>(motion.model, x, reachable, options.barrier);
    const ContactSet full = build_contact_set<dim>(motion.model, x, all, options.barrier);
    ASSERT_EQ(few.contacts.size(), full.contacts.size());
    for (std::size_t k = 0; k < few.contacts.size(); ++k) {
      ASSERT_EQ(few.contacts[k].kind, full.contacts[k].kind);
      ASSERT_EQ(few.contacts[k].vertices, full.contacts[k].vertices);
      ASSERT_EQ(few.contacts[k].weight, full.contacts[k].weight);
    }
  }
}

TEST(ReachableCandidates, HoldEveryContactOfThePath) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    check_reachable<2>(seed);
    check_reachable<3>(seed);
  }
}

TEST(FindEncounters, BeginWithWhatCutsTheStep) {
  int num_cut = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Motion motion = random_motion(random, seed % 2 == 0 ? 3 : 2, seed % 3 == 0);
    const SolverOptions options = options_for(CcdMethod::clearance);
    const SweptCandidates swept = sweep(motion, options.barrier.dhat);
    with_dimension(motion.dim, [&](auto dim) {
      const FeasibleStep step = find_feasible_step<dim>(motion.model, motion.path, swept, options);
      const auto encounters = find_encounters<dim>(motion.model, motion.path, swept, options);
      ASSERT_EQ(encounters.empty(), step.alpha == 1.0);
      if (encounters.empty()) return;
      ++num_cut;
      double earliest = 1.0;
      for (const Encounter& encounter : encounters) {
        earliest = std::min(earliest, encounter.time);
        // On its own every pair has lost the allowed part of its gap by then.
        EXPECT_GE(encounter.time, step.alpha * (1.0 - 1e-3));
        EXPECT_LT(encounter.time, 1.0);
      }
      EXPECT_NEAR(earliest, step.alpha, 0.01 * step.alpha);
    });
  }
  EXPECT_GT(num_cut, 250);
}

TEST(FindEncounters, AreNotThoseBehindASurfaceThatIsPassed) {
  ModelBuilder builder(3);
  const auto plate = [](double y) { return std::vector<Vec<3>>{{-2.0, y, -2.0}, {3.0, y, -2.0}, {-2.0, y, 3.0}}; };
  for (const double y : {0.0, -1.0, -2.0}) builder.add_body(plate(y), {{0, 1, 2}});
  const int bullet = builder.add_body({{0.0, 1.0, 0.0}}, {});
  Motion motion;
  motion.model = builder.build();
  motion.path.x_t0 = motion.path.x_t1 = builder.x();
  motion.path.x_t1[3 * bullet + 1] = -4.0;
  // The lower plates have no other visitors: no earlier time limits them.
  const auto encounters =
      find_encounters<3>(motion.model, motion.path, sweep(motion, 1e-3), options_for(CcdMethod::clearance));
  ASSERT_FALSE(encounters.empty());
  const auto first = std::min_element(encounters.begin(), encounters.end(),
                                      [](const Encounter& a, const Encounter& b) { return a.time < b.time; });
  EXPECT_EQ(first->pair.vertices, (std::array<int, 4>{bullet, 0, 1, 2}));
  EXPECT_NEAR(first->time, 0.8 / 5.0, 1e-3);

  // A second bullet right above the lowest plate hides it from the first one.
  builder.add_body({{0.1, -1.99, 0.1}}, {});
  motion.model = builder.build();
  motion.path.x_t0 = motion.path.x_t1 = builder.x();
  motion.path.x_t1[3 * bullet + 1] = -4.0;
  motion.path.x_t1[3 * (bullet + 1) + 1] = -2.5;
  for (const Encounter& encounter :
       find_encounters<3>(motion.model, motion.path, sweep(motion, 1e-3), options_for(CcdMethod::clearance))) {
    EXPECT_FALSE(encounter.pair.vertices[0] == bullet && encounter.pair.vertices[1] == 6);
  }
}

TEST(IsIntersectionFree, SeesCrossingTouchingAndSeparateBodies) {
  const auto verdict = [](double height, std::string* hit) {
    ModelBuilder builder(3);
    builder.add_body({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}, {{0, 1, 2}});
    builder.add_body({{0.2, height, 0.2}, {0.2, height + 1.0, 0.2}}, {}, {{0, 1}});
    const Model model = builder.build();
    const auto broad_phase = make_broad_phase(3, model.surface);
    return is_intersection_free<3>(model, builder.x(), *broad_phase, hit);
  };
  std::string hit;
  EXPECT_TRUE(verdict(1e-300, &hit));
  EXPECT_TRUE(hit.empty());
  EXPECT_FALSE(verdict(0.0, &hit));
  EXPECT_EQ(hit, "edge 3 meets triangle 0");
  EXPECT_FALSE(verdict(-0.5, nullptr));
  EXPECT_TRUE(verdict(-1.5, nullptr));
}

TEST(IsIntersectionFree, SeesCrossingEdgesInThePlane) {
  const auto verdict = [](double y, std::string* hit) {
    ModelBuilder builder(2);
    builder.add_body({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}, {}, {{0, 1}});
    builder.add_body({{0.5, y, 0.0}, {0.5, y + 1.0, 0.0}}, {}, {{0, 1}});
    const Model model = builder.build();
    const auto broad_phase = make_broad_phase(2, model.surface);
    return is_intersection_free<2>(model, builder.x(), *broad_phase, hit);
  };
  std::string hit;
  EXPECT_TRUE(verdict(1e-300, &hit));
  EXPECT_FALSE(verdict(0.0, &hit));
  EXPECT_EQ(hit, "edge 0 meets edge 1");
  EXPECT_FALSE(verdict(-0.5, nullptr));
}

TEST(IsIntersectionFree, SeesVerticesOutsideOfHalfSpaces) {
  ModelBuilder builder(2);
  builder.add_body({{0.0, 0.0, 0.0}}, {});
  builder.add_half_space(Vec<3>::UnitY(), 0.0);
  Model model = builder.build();
  const auto broad_phase = make_broad_phase(2, model.surface);
  std::string hit;
  VecX x = builder.x();
  EXPECT_FALSE(is_intersection_free<2>(model, x, *broad_phase, &hit));
  EXPECT_EQ(hit, "vertex 0 is outside of a half-space");
  x[1] = 1e-300;
  EXPECT_TRUE(is_intersection_free<2>(model, x, *broad_phase, &hit));
  x[1] = -1.0;
  model.is_obstacle_vertex[0] = 1;
  EXPECT_TRUE(is_intersection_free<2>(model, x, *broad_phase, &hit));
}

}  // namespace clearance
