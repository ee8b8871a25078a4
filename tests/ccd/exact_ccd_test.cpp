// The exact oracle against two other formulations, closed forms and symmetries. Small integers as coordinates make
// degenerate cases common: coplanar motions, parallel and zero-length edges, triangles without area, touching.
#include "clearance/ccd/exact_ccd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "ccd/feasibility_ccd.h"
#include "ccd/motions.h"
#include "clearance/ccd/exact_filter.h"

namespace clearance {
namespace {

constexpr QueryKind all_kinds[] = {QueryKind::point_triangle, QueryKind::edge_edge};

Pair pair_of(QueryKind kind) {
  return kind == QueryKind::point_triangle ? Pair::point_triangle : Pair::edge_edge;
}

std::string to_text(const CcdQuery& query, double d) {
  std::ostringstream text;
  text << (query.kind == QueryKind::point_triangle ? "point-triangle" : "edge-edge") << ", d " << d;
  for (int k = 0; k < 4; ++k) {
    text << "\n  " << query.motion.t0[k].transpose() << "  ->  " << query.motion.t1[k].transpose();
  }
  return text.str();
}

/// Returns a query with integer coordinates in [-size, size]; at random in a plane, on a line, without motion, or
/// moving as a whole.
CcdQuery random_query(std::mt19937_64& generator, QueryKind kind, int size) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  CcdQuery query{kind, {}};
  const int dimensions = draw(0, 3) > 0 ? 3 : draw(1, 2), plane = draw(0, 2);
  const int still = draw(0, 3) > 0 ? 0 : draw(1, 15);  // a bit for each vertex
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) {
      const int axis = (i + plane) % 3;
      query.motion.t0[k][axis] = i < dimensions ? draw(-size, size) : 0;
      query.motion.t1[k][axis] = i < dimensions ? draw(-size, size) : 0;
    }
    if ((still >> k & 1) != 0) query.motion.t1[k] = query.motion.t0[k];
  }
  if (draw(0, 7) == 0) query.motion.t0[3] = query.motion.t0[2];
  if (draw(0, 7) == 0) query.motion.t1[3] = query.motion.t1[2];
  if (draw(0, 7) == 0) query.motion.t1[1] = query.motion.t0[1] + (query.motion.t1[0] - query.motion.t0[0]);
  return query;
}

TEST(ExactCcd, ExactCcd_AgreesWithSturmSequences) {
  std::mt19937_64 generator(51);
  const mpq_class width(1, mpz_class(1) << 200);
  int num_hits = 0, num_late = 0;
  for (int sample = 0; sample < 1500; ++sample) {
    const CcdQuery query = random_query(generator, all_kinds[sample % 2], sample % 3 == 0 ? 50 : 2);
    SCOPED_TRACE("seed 51, sample " + std::to_string(sample) + ", " + to_text(query, 0.0));
    auto time = find_first_contact(query);
    auto twin = rational::find_first_contact(exact_motion(pair_of(query.kind), query.motion));
    ASSERT_EQ(time.has_value(), twin.has_value());
    if (!time) continue;
    ++num_hits;
    num_late += time->is_after(0.0);
    const ExactTime::Bracket bracket = time->bracket(width);
    ASSERT_FALSE(twin->is_before(bracket.low));
    ASSERT_FALSE(!twin->is_before(bracket.high) && twin->low > bracket.high);
  }
  EXPECT_GT(num_late, 200);
  EXPECT_LT(num_hits, 1000);
}

TEST(ExactCcd, ExactCcd_AgreesWithFeasibilityOfParameters) {
  std::mt19937_64 generator(52);
  constexpr double separations[] = {0.0, 1.0, 0.5, 0.25, 2.0, 0.0, 1.0 / 3.0};
  constexpr double begins[] = {0.0, 0.0, 0.5, 0.3};
  std::array<int, 2> num_late{}, num_misses{};
  for (int sample = 0; sample < 420; ++sample) {
    const CcdQuery query = random_query(generator, all_kinds[sample % 2], sample % 3 == 0 ? 20 : 3);
    const double d = separations[sample % 7], t_begin = begins[sample % 4];
    SCOPED_TRACE("seed 52, sample " + std::to_string(sample) + ", " + to_text(query, d));
    const ExactQuery exact = to_exact(query, d);
    auto time = find_first_contact(exact, t_begin), twin = find_first_feasible_time(exact, t_begin);
    ASSERT_EQ(time.has_value(), twin.has_value());
    num_misses[d > 0.0] += !time;
    if (!time) continue;
    num_late[d > 0.0] += time->is_after(t_begin);
    ASSERT_EQ(compare(*time, *twin), 0);
  }
  for (const int count : {num_late[0], num_late[1], num_misses[0], num_misses[1]}) EXPECT_GT(count, 20);
}

// Powers of two scale without rounding, from denormal numbers to the largest.
TEST(ExactCcd, ExactCcd_ScaleShiftAndOrderOfVerticesDoNotMatter) {
  std::mt19937_64 generator(53);
  int num_hits = 0;
  for (int sample = 0; sample < 800; ++sample) {
    const CcdQuery query = random_query(generator, all_kinds[sample % 2], 4);
    const double d = sample % 3 == 0 ? 1.0 : 0.0;
    SCOPED_TRACE("seed 53, sample " + std::to_string(sample) + ", " + to_text(query, d));
    auto time = find_first_contact(query, d);
    num_hits += time.has_value();
    const auto expect_same = [&](const CcdQuery& other, double other_d) {
      auto other_time = find_first_contact(other, other_d);
      ASSERT_EQ(other_time.has_value(), time.has_value()) << to_text(other, other_d);
      if (time) {
        ASSERT_EQ(compare(*time, *other_time), 0) << to_text(other, other_d);
      }
    };
    for (const double scale : {0x1p-1074, 0x1p-500, 0x1p1019}) {
      CcdQuery scaled = query;
      for (int k = 0; k < 4; ++k) {
        scaled.motion.t0[k] *= scale;
        scaled.motion.t1[k] *= scale;
      }
      expect_same(scaled, d * scale);
    }
    CcdQuery shifted = query;
    for (int k = 0; k < 4; ++k) {
      shifted.motion.t0[k] += Vec<3>(1e15, -7e14, 3.0);
      shifted.motion.t1[k] += Vec<3>(-3e15, 2e14, 0.0);
    }
    expect_same(shifted, d);
    const std::array<int, 4> order =
        query.kind == QueryKind::edge_edge ? std::array{3, 2, 0, 1} : std::array{0, 2, 3, 1};
    CcdQuery permuted = query;
    for (int k = 0; k < 4; ++k) {
      permuted.motion.t0[k] = query.motion.t0[order[k]];
      permuted.motion.t1[k] = query.motion.t1[order[k]];
    }
    expect_same(permuted, d);
    CcdQuery reversed = query;
    std::swap(reversed.motion.t0, reversed.motion.t1);
    ASSERT_EQ(find_first_contact(reversed, d).has_value(), time.has_value());
  }
  EXPECT_GT(num_hits, 100);
}

TEST(ExactCcd, Filter_ProvesOnlyContactsAndNearlyAllInGeneralPosition) {
  std::mt19937_64 generator(54);
  int num_hits = 0, num_certain = 0;  // only queries in general position
  const auto check = [&](const CcdQuery& query, double t_begin, bool is_general = false) {
    const bool is_certain = is_certainly_touching(query, t_begin);
    const bool has_contact = find_first_contact(query, 0.0, t_begin).has_value();
    ASSERT_FALSE(is_certain && !has_contact) << to_text(query, 0.0) << ", t_begin " << t_begin;
    ASSERT_EQ(is_hit(query, 0.0, t_begin), has_contact);
    num_hits += is_general && has_contact;
    num_certain += is_general && is_certain;
  };
  for (int sample = 0; sample < 150; ++sample) {
    SCOPED_TRACE("seed 54, sample " + std::to_string(sample));
    const double t_begin = sample % 4 == 0 ? 0.4 : 0.0;
    for (const QueryKind kind : all_kinds) {
      for (const NamedMotion& named : random_motions(generator, pair_of(kind))) {
        CcdQuery query{kind, named.motion};
        check(query, t_begin, named.kind == "random" || named.kind == "close");
        // Scale the same query so far down or up that products underflow or overflow.
        for (int k = 0; k < 4; ++k) {
          query.motion.t0[k] *= sample % 2 == 0 ? 0x1p-400 : 0x1p400;
          query.motion.t1[k] *= sample % 2 == 0 ? 0x1p-400 : 0x1p400;
        }
        check(query, t_begin);
      }
      for (int i = 0; i < 20; ++i) check(random_query(generator, kind, 2 + i), t_begin);
    }
  }
  EXPECT_GT(num_hits, 200);
  EXPECT_GT(num_certain, 0.95 * num_hits);
}

TEST(ExactCcd, ExactCcd_NotFiniteIsAContactAtTheStart) {
  CcdQuery query{QueryKind::edge_edge, {}};
  for (int k = 0; k < 4; ++k) query.motion.t0[k] = query.motion.t1[k] = Vec<3>(k, k * k, k * k * k);
  EXPECT_FALSE(is_hit(query));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    query.motion.t1[2][1] = bad;
    EXPECT_TRUE(is_hit(query));
    EXPECT_EQ(find_first_contact(query, 0.0, 0.25)->round_down(), 0.25);
  }
}

/// Returns a vertex over a large triangle in the plane z = height(t).
CcdQuery falling_vertex(double z0, double z1) {
  CcdQuery query{QueryKind::point_triangle, {}};
  query.motion.t0 = {Vec<3>(0, 0, z0), Vec<3>(-8, -8, 0), Vec<3>(8, -8, 0), Vec<3>(0, 8, 0)};
  query.motion.t1 = query.motion.t0;
  query.motion.t1[0] = Vec<3>(0, 0, z1);
  return query;
}

TEST(ExactCcd, ExactCcd_TimeOfAFallingVertexIsItsClosedForm) {
  auto third = find_first_contact(falling_vertex(1, -2));
  ASSERT_TRUE(third);
  EXPECT_EQ(third->bracket(1).low, mpq_class(1, 3));
  EXPECT_EQ(third->bracket(1).high, mpq_class(1, 3));
  EXPECT_EQ(third->round_down(), 1.0 / 3.0);  // 1/3 is rounded down
  EXPECT_FALSE(third->is_before(1.0 / 3.0));
  EXPECT_TRUE(third->is_after(1.0 / 3.0));
  EXPECT_TRUE(third->is_before(std::nextafter(1.0 / 3.0, 1.0)));

  // The distance is 1/2 or less after a sixth of the time; then at the end only, or never.
  auto sixth = find_first_contact(falling_vertex(1, -2), 0.5);
  ASSERT_TRUE(sixth);
  EXPECT_EQ(sixth->bracket(1).low, mpq_class(1, 6));
  auto end = find_first_contact(falling_vertex(1, 0));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->bracket(1).low, 1);
  EXPECT_FALSE(end->is_before(1.0));
  EXPECT_FALSE(find_first_contact(falling_vertex(1, 0x1p-1074)));
  EXPECT_TRUE(find_first_contact(falling_vertex(1, 0x1p-1074), 0x1p-1074));
  EXPECT_TRUE(find_first_contact(falling_vertex(0, 1)));
  EXPECT_FALSE(find_first_contact(falling_vertex(0, 1), 0.0, 0x1p-1074));
}

// The edge from (-1, -4, -t) to (1, -4, t) of a turning triangle meets the vertex (t, -4, 1/2) where t^2 = 1/2.
TEST(ExactCcd, ExactCcd_IrrationalTimeIsBracketedAsTightlyAsAsked) {
  CcdQuery query{QueryKind::point_triangle, {}};
  query.motion.t0 = {Vec<3>(0, -4, 0.5), Vec<3>(-1, -4, 0), Vec<3>(1, -4, 0), Vec<3>(0, 4, 0)};
  query.motion.t1 = {Vec<3>(1, -4, 0.5), Vec<3>(-1, -4, -1), Vec<3>(1, -4, 1), Vec<3>(0, 4, 0)};
  auto time = find_first_contact(query);
  ASSERT_TRUE(time);
  const mpq_class width(1, mpz_class(1) << 300);
  const ExactTime::Bracket bracket = time->bracket(width);
  EXPECT_LE(bracket.high - bracket.low, width);
  EXPECT_LT(bracket.low * bracket.low, mpq_class(1, 2));
  EXPECT_GT(bracket.high * bracket.high, mpq_class(1, 2));
  const double down = time->round_down();
  EXPECT_TRUE(time->is_after(down));
  EXPECT_TRUE(time->is_before(std::nextafter(down, 1.0)));
  EXPECT_NEAR(down, std::sqrt(0.5), 1e-15);
}

}  // namespace
}  // namespace clearance
