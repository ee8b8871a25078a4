// Orientation predicates against rational arithmetic.
#include "clearance/math/predicates.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

namespace clearance {
namespace {

int rational_orient2d(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c) {
  const mpq_class abx = mpq_class(b[0]) - mpq_class(a[0]), aby = mpq_class(b[1]) - mpq_class(a[1]);
  const mpq_class acx = mpq_class(c[0]) - mpq_class(a[0]), acy = mpq_class(c[1]) - mpq_class(a[1]);
  return sgn(mpq_class(abx * acy - aby * acx));
}

int rational_orient3d(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  mpq_class m[3][3];
  const Vec<3>* rows[3] = {&b, &c, &d};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) m[i][k] = mpq_class((*rows[i])[k]) - mpq_class(a[k]);
  }
  const mpq_class determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                                m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                                m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return sgn(determinant);
}

/// A generator of coordinates for each kind of hard input.
using Coordinate = std::function<double(std::mt19937_64&)>;

std::vector<std::pair<const char*, Coordinate>> coordinate_kinds() {
  return {
      {"uniform", [](std::mt19937_64& g) { return std::uniform_real_distribution(-1.0, 1.0)(g); }},
      {"small integers", [](std::mt19937_64& g) { return double(std::uniform_int_distribution(-2, 2)(g)); }},
      {"grid of ulps around 0.5",
       [](std::mt19937_64& g) { return 0.5 + std::uniform_int_distribution(-8, 8)(g) * 0x1p-53; }},
      {"far from the origin",
       [](std::mt19937_64& g) { return 1e6 + std::uniform_int_distribution(-3, 3)(g) * 0x1p-33; }},
      {"wild exponents",
       [](std::mt19937_64& g) {
         return std::ldexp(std::uniform_real_distribution(-1.0, 1.0)(g), std::uniform_int_distribution(-240, 300)(g));
       }},
  };
}

template <int dim>
Vec<dim> random_point(std::mt19937_64& generator, const Coordinate& coordinate) {
  Vec<dim> p;
  for (int k = 0; k < dim; ++k) p[k] = coordinate(generator);
  return p;
}

TEST(Predicates, Orient2d_PositiveForCounterClockwise) {
  EXPECT_EQ(orient2d({0, 0}, {1, 0}, {0, 1}), 1);
  EXPECT_EQ(orient2d({0, 0}, {0, 1}, {1, 0}), -1);
  EXPECT_EQ(orient2d({0, 0}, {1, 1}, {3, 3}), 0);
}

TEST(Predicates, Orient3d_PositiveForPositiveTet) {
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1);
  EXPECT_EQ(orient3d({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}), -1);
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {7, 5, 0}), 0);
}

TEST(Predicates, Orient2d_AgreesWithRationals) {
  for (const auto& [name, coordinate] : coordinate_kinds()) {
    std::mt19937_64 generator(1);
    for (int i = 0; i < 3000; ++i) {
      const Vec<2> a = random_point<2>(generator, coordinate), b = random_point<2>(generator, coordinate),
                   c = random_point<2>(generator, coordinate);
      ASSERT_EQ(orient2d(a, b, c), rational_orient2d(a, b, c)) << name << ", seed 1, sample " << i;
    }
  }
}

TEST(Predicates, Orient3d_AgreesWithRationals) {
  for (const auto& [name, coordinate] : coordinate_kinds()) {
    std::mt19937_64 generator(2);
    for (int i = 0; i < 3000; ++i) {
      const Vec<3> a = random_point<3>(generator, coordinate), b = random_point<3>(generator, coordinate),
                   c = random_point<3>(generator, coordinate), d = random_point<3>(generator, coordinate);
      ASSERT_EQ(orient3d(a, b, c, d), rational_orient3d(a, b, c, d)) << name << ", seed 2, sample " << i;
      const Vec<3> e = random_point<3>(generator, coordinate);
      const std::array<int, 2> both = {rational_orient3d(a, b, c, d), rational_orient3d(a, b, c, e)};
      ASSERT_EQ(orient3d(a, b, c, d, e), both) << name << ", seed 2, sample " << i;
    }
  }
}

// Points computed to lie on the line or plane of the others do so only up to rounding: the filter cannot decide these.
TEST(Predicates, NearlyDegeneratePoints_AgreeWithRationals) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  int num_positive = 0, num_negative = 0;
  for (int i = 0; i < 5000; ++i) {
    const double offset = (i % 2) * 1e6;
    const auto draw = [&] { return uniform(generator) + offset; };
    const Vec<3> a(draw(), draw(), draw()), b(draw(), draw(), draw()), c(draw(), draw(), draw());
    const double s = uniform(generator), t = uniform(generator);
    const Vec<3> on_plane = a + s * (b - a) + t * (c - a), on_line = a + s * (b - a);
    const int sign = orient3d(a, b, c, on_plane);
    ASSERT_EQ(sign, rational_orient3d(a, b, c, on_plane)) << "seed 3, sample " << i;
    ASSERT_EQ(orient3d(a, b, on_line, c), rational_orient3d(a, b, on_line, c)) << "seed 3, sample " << i;
    const Vec<2> a2 = a.head<2>(), b2 = b.head<2>(), p2 = on_line.head<2>();
    ASSERT_EQ(orient2d(a2, b2, p2), rational_orient2d(a2, b2, p2)) << "seed 3, sample " << i;
    num_positive += sign > 0;
    num_negative += sign < 0;
  }
  EXPECT_GT(num_positive, 1000);
  EXPECT_GT(num_negative, 1000);
}

TEST(Predicates, SwappingTwoPoints_FlipsTheSign) {
  for (const auto& [name, coordinate] : coordinate_kinds()) {
    std::mt19937_64 generator(4);
    for (int i = 0; i < 500; ++i) {
      std::array<Vec<3>, 4> p;
      for (Vec<3>& q : p) q = random_point<3>(generator, coordinate);
      const int sign = orient3d(p[0], p[1], p[2], p[3]);
      for (int j = 0; j < 4; ++j) {
        for (int k = j + 1; k < 4; ++k) {
          std::array<Vec<3>, 4> q = p;
          std::swap(q[j], q[k]);
          ASSERT_EQ(orient3d(q[0], q[1], q[2], q[3]), -sign) << name << ", seed 4, sample " << i;
        }
      }
      const Vec<2> a = p[0].head<2>(), b = p[1].head<2>(), c = p[2].head<2>();
      ASSERT_EQ(orient2d(a, b, c), -orient2d(b, a, c)) << name << ", seed 4, sample " << i;
      ASSERT_EQ(orient2d(a, b, c), orient2d(b, c, a)) << name << ", seed 4, sample " << i;
    }
  }
}

TEST(Predicates, RepeatedPoint_GivesZero) {
  const Vec<3> a(0.1, 0.2, 0.3), b(1e6, -3.0, 7e-9), c(-5.5, 1.0 / 3.0, 2e5);
  EXPECT_EQ(orient3d(a, b, c, a), 0);
  EXPECT_EQ(orient3d(a, a, b, c), 0);
  EXPECT_EQ(orient2d(a.head<2>(), b.head<2>(), b.head<2>()), 0);
}

TEST(Predicates, NotFinite_GivesZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}), 0);
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, infinity}), 0);
  EXPECT_EQ(orient2d({0, 0}, {1, 0}, {nan, 1}), 0);
}

}  // namespace
}  // namespace clearance
