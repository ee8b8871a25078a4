// Algebraic times against polynomials whose roots are known.
#include "clearance/ccd/exact_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace clearance {
namespace {

ExactPolynomial polynomial(const std::vector<mpz_class>& coefficients) {
  ExactPolynomial p;
  for (std::size_t i = 0; i < coefficients.size(); ++i) p.c[i] = coefficients[i];
  return p;
}
/// Returns the polynomial den t - num.
ExactPolynomial with_root(const mpq_class& root) {
  return polynomial({-root.get_num(), root.get_den()});
}
mpq_class ratio(long num, long den) {
  mpq_class q(num, den);
  q.canonicalize();
  return q;
}
std::vector<ExactTime> roots_after(const ExactPolynomial& p, double t) {
  std::vector<ExactTime> roots;
  ExactTime time(t);
  while (auto root = first_root_after(p, time)) {
    roots.push_back(*root);
    time = *root;
  }
  return roots;
}

TEST(ExactTime, Roots_AreFoundOnceInOrder) {
  std::mt19937_64 generator(61);
  std::uniform_int_distribution<long> numerator(-3, 12), denominator(1, 9);
  for (int sample = 0; sample < 3000; ++sample) {
    SCOPED_TRACE("seed 61, sample " + std::to_string(sample));
    ExactPolynomial p = polynomial({sample % 2 == 0 ? 3 : -5});
    std::set<mpq_class> expected;
    for (int k = 0; k < 1 + sample % 3; ++k) {
      const mpq_class root = ratio(numerator(generator), denominator(generator));
      p = p * with_root(root);
      if (root > 0 && root <= 1) expected.insert(root);
    }
    std::vector<ExactTime> roots = roots_after(p, 0.0);
    ASSERT_EQ(roots.size(), expected.size());
    std::size_t i = 0;
    for (const mpq_class& value : expected) {
      ExactTime exact(value);
      ASSERT_EQ(compare(roots[i], exact), 0);
      ASSERT_EQ(roots[i].sign_of(with_root(value)), 0);
      ASSERT_EQ(roots[i].sign_of(with_root(value - ratio(1, 1000000))), 1);
      ++i;
    }
  }
}

TEST(ExactTime, Roots_CloserThanAnyDoubleAreToldApart) {
  const mpq_class a = ratio(1, 3);
  mpq_class gap = 1;
  gap >>= 300;
  const ExactPolynomial p = with_root(a) * with_root(a + gap) * with_root(a - gap);
  std::vector<ExactTime> roots = roots_after(p, 0.0);
  ASSERT_EQ(roots.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(roots[k].sign_of(with_root(a)), k - 1);
    EXPECT_EQ(roots[k].round_down(), 1.0 / 3.0);
    for (int j = 0; j < 3; ++j) EXPECT_EQ(compare(roots[j], roots[k]), (j > k) - (j < k));
  }
}

TEST(ExactTime, IrrationalRoots_OfDifferentPolynomialsAreEqualIfTheyAre) {
  const ExactPolynomial half = polynomial({-1, 0, 2});  // 2 t^2 - 1
  ExactTime a = roots_after(half, 0.0).at(0);
  ExactTime b = roots_after(half * with_root(ratio(1, 7)), 0.5).at(0);
  ExactTime c = roots_after(half * with_root(ratio(9, 4)), 0.0).at(0);
  EXPECT_EQ(compare(a, b), 0);
  EXPECT_EQ(compare(b, c), 0);
  EXPECT_EQ(b.sign_of(half), 0);
  EXPECT_EQ(c.sign_of(half * with_root(ratio(1, 2))), 0);
  // Next to it: 2 t^2 - 1 + 10^-90
  mpz_class large;
  mpz_ui_pow_ui(large.get_mpz_t(), 10, 90);
  const ExactPolynomial nearly = polynomial({1 - large, 0, 2 * large});
  ExactTime d = roots_after(nearly, 0.0).at(0);
  EXPECT_EQ(compare(a, d), 1);
  EXPECT_EQ(a.sign_of(nearly), 1);
  EXPECT_EQ(d.sign_of(half), -1);
}

TEST(ExactTime, TouchingRoots_AreFound) {
  const ExactPolynomial p = with_root(ratio(1, 3)) * with_root(ratio(1, 3)) * with_root(2);
  std::vector<ExactTime> roots = roots_after(p, 0.0);
  ExactTime third(ratio(1, 3));
  ASSERT_EQ(roots.size(), 1u);
  EXPECT_EQ(compare(roots[0], third), 0);
  const ExactPolynomial triple = with_root(ratio(5, 7)) * with_root(ratio(5, 7)) * with_root(ratio(5, 7));
  ASSERT_EQ(roots_after(triple, 0.0).size(), 1u);
  EXPECT_TRUE(roots_after(triple, 5.0 / 7.0 + 1e-15).empty());
}

TEST(ExactTime, RoundDown_IsTheLargestDoubleBelow) {
  // Tiny times need as many bits as large ones: t = 10^-200, and sqrt(10^-200 / 2).
  mpz_class large;
  mpz_ui_pow_ui(large.get_mpz_t(), 10, 200);
  for (const ExactPolynomial& p : {polynomial({-1, large}), polynomial({-1, 0, 2 * large})}) {
    ExactTime time = roots_after(p, 0.0).at(0);
    const double down = time.round_down();
    EXPECT_GT(down, 0.0);
    EXPECT_FALSE(time.is_before(down));
    EXPECT_TRUE(time.is_before(std::nextafter(down, 1.0)));
  }
}

}  // namespace
}  // namespace clearance
