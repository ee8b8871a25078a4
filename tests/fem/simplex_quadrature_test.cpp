#include "clearance/bodies/fem/simplex_quadrature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

namespace clearance::test {
namespace {

using Rule = std::vector<QuadraturePoint>;

/// Returns all products of powers of barycentrics of one degree.
std::vector<NodeIndex> exponents_of_degree(int dim, int degree) {
  std::vector<NodeIndex> all;
  for (int a = 0; a <= degree; ++a) {
    for (int b = 0; b <= degree - a; ++b) {
      for (int c = 0; c <= degree - a - b; ++c) {
        const int d = degree - a - b - c;
        if (dim == 3 || d == 0) all.push_back({a, b, c, d});
      }
    }
  }
  return all;
}

/// Returns dim! a! b! c! d! / (a + b + c + d + dim)!, as a product of fractions.
double mean_of_monomial(int dim, const NodeIndex& exponents) {
  double mean = 1.0;
  int denominator = dim;
  for (const int exponent : exponents) {
    for (int k = 1; k <= exponent; ++k) mean *= static_cast<double>(k) / ++denominator;
  }
  return mean;
}

double monomial(const Barycentrics& at, const NodeIndex& exponents) {
  double value = 1.0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (int k = 0; k < exponents[i]; ++k) value *= at[i];
  }
  return value;
}

template <class Function>
double integrate(const Rule& rule, const Function& function) {
  double sum = 0.0;
  for (const QuadraturePoint& point : rule) sum += point.weight * function(point.at);
  return sum;
}

/// Returns the largest error of the monomials of one degree, relative to their integrals.
double largest_error(const Rule& rule, int dim, int degree) {
  double largest = 0.0;
  for (const NodeIndex& exponents : exponents_of_degree(dim, degree)) {
    const double expected = mean_of_monomial(dim, exponents);
    const double found = integrate(rule, [&](const Barycentrics& at) { return monomial(at, exponents); });
    largest = std::max(largest, std::abs(found - expected) / expected);
  }
  return largest;
}

double largest_error_up_to(const Rule& rule, int dim, int degree) {
  double largest = 0.0;
  for (int d = 0; d <= degree; ++d) largest = std::max(largest, largest_error(rule, dim, d));
  return largest;
}

void expect_positive_and_inside(const Rule& rule, int dim) {
  for (const QuadraturePoint& point : rule) {
    EXPECT_GT(point.weight, 0.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i <= static_cast<std::size_t>(dim)) {
        EXPECT_GT(point.at[i], 0.0);
      } else {
        EXPECT_EQ(point.at[i], 0.0);
      }
      sum += point.at[i];
    }
    EXPECT_NEAR(sum, 1.0, 4e-16);
  }
}

// All terms are positive; the highest degree has 20 products and as many errors of a point each: 60 times 1.1e-16.
constexpr double rounding = 1e-14;

TEST(SimplexQuadrature, Symmetric_ExactUpToItsDegree) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int degree = 0; degree <= max_symmetric_degree; ++degree) {
      EXPECT_LT(largest_error_up_to(symmetric_quadrature(dim, degree), dim, degree), rounding)
          << "dim " << dim << ", degree " << degree;
    }
  }
}

TEST(SimplexQuadrature, Symmetric_PositiveAndInside) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int degree = 0; degree <= max_symmetric_degree; ++degree) {
      expect_positive_and_inside(symmetric_quadrature(dim, degree), dim);
    }
  }
}

TEST(SimplexQuadrature, Symmetric_HasAsManyPointsAsDocumented) {
  const std::size_t triangles[] = {1, 1, 3, 6, 6, 7, 12, 15, 16}, tetrahedra[] = {1, 1, 4, 8, 14, 14, 24, 35, 46};
  for (int degree = 0; degree <= max_symmetric_degree; ++degree) {
    EXPECT_EQ(symmetric_quadrature(2, degree).size(), triangles[degree]) << "degree " << degree;
    EXPECT_EQ(symmetric_quadrature(3, degree).size(), tetrahedra[degree]) << "degree " << degree;
  }
}

// No smaller rule would do: if the next degree has another rule, this one is not exact for it.
TEST(SimplexQuadrature, Symmetric_NotExactBeyondItsDegree) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int degree = 1; degree <= max_symmetric_degree; ++degree) {
      const Rule& rule = symmetric_quadrature(dim, degree);
      if (degree < max_symmetric_degree && symmetric_quadrature(dim, degree + 1).size() == rule.size()) continue;
      EXPECT_GT(largest_error(rule, dim, degree + 1), 1e-3) << "dim " << dim << ", degree " << degree;
    }
  }
}

TEST(SimplexQuadrature, Symmetric_SamePointsUnderEachPermutationOfCorners) {
  const auto sorted = [](Rule rule) {
    std::sort(rule.begin(), rule.end(), [](const QuadraturePoint& a, const QuadraturePoint& b) {
      return std::tie(a.at, a.weight) < std::tie(b.at, b.weight);
    });
    return rule;
  };
  for (int dim = 2; dim <= 3; ++dim) {
    for (int degree = 0; degree <= max_symmetric_degree; ++degree) {
      const Rule rule = sorted(symmetric_quadrature(dim, degree));
      for (std::size_t k = 1; k < rule.size(); ++k) EXPECT_NE(rule[k].at, rule[k - 1].at);
      NodeIndex permutation = {0, 1, 2, 3};
      do {
        Rule permuted = rule;
        for (std::size_t k = 0; k < rule.size(); ++k) {
          for (std::size_t i = 0; i < 4; ++i) permuted[k].at[i] = rule[k].at[permutation[i]];
        }
        permuted = sorted(permuted);
        for (std::size_t k = 0; k < rule.size(); ++k) {
          EXPECT_EQ(permuted[k].at, rule[k].at) << "dim " << dim << ", degree " << degree;
          EXPECT_EQ(permuted[k].weight, rule[k].weight) << "dim " << dim << ", degree " << degree;
        }
      } while (std::next_permutation(permutation.begin(), permutation.begin() + dim + 1));
    }
  }
}

TEST(SimplexQuadrature, Symmetric_MatchesClosedForms) {
  const double ulps = 3e-16;
  const double root = std::sqrt(15.0);
  for (const QuadraturePoint& point : symmetric_quadrature(2, 5)) {
    std::array<double, 3> at = {point.at[0], point.at[1], point.at[2]};
    std::sort(at.begin(), at.end());
    if (at[0] == at[2]) {
      EXPECT_NEAR(point.weight, 9.0 / 40.0, ulps);
    } else if (at[0] == at[1]) {
      EXPECT_NEAR(at[0], (6.0 - root) / 21.0, ulps);
      EXPECT_NEAR(point.weight, (155.0 - root) / 1200.0, ulps);
    } else {
      EXPECT_NEAR(at[2], (6.0 + root) / 21.0, ulps);
      EXPECT_NEAR(point.weight, (155.0 + root) / 1200.0, ulps);
    }
  }
  for (const QuadraturePoint& point : symmetric_quadrature(3, 2)) {
    EXPECT_EQ(point.weight, 0.25);
    EXPECT_NEAR(*std::max_element(point.at.begin(), point.at.end()), (5.0 + 3.0 * std::sqrt(5.0)) / 20.0, ulps);
  }
}

TEST(SimplexQuadrature, Conical_ExactUpToItsDegree) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int degree = 0; degree <= 20; ++degree) {
      const Rule rule = conical_quadrature(dim, degree);
      EXPECT_LT(largest_error_up_to(rule, dim, degree), rounding) << "dim " << dim << ", degree " << degree;
      expect_positive_and_inside(rule, dim);
    }
  }
}

TEST(SimplexQuadrature, Conical_NotExactBeyondItsDegree) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int degree = 1; degree <= 9; degree += 2) {
      EXPECT_GT(largest_error(conical_quadrature(dim, degree), dim, degree + 1), 1e-7)
          << "dim " << dim << ", degree " << degree;
    }
  }
}

// The mean of 1 / (1 + l_i) is 4 log 2 - 2 in triangles and 12 log 2 - 15 / 2 in tetrahedra.
TEST(SimplexQuadrature, Conical_OfHighDegreeMatchesClosedFormOfNoPolynomial) {
  for (int dim = 2; dim <= 3; ++dim) {
    const Rule rule = conical_quadrature(dim, 60);
    const double expected = dim == 2 ? 4.0 * std::log(2.0) - 2.0 : 12.0 * std::log(2.0) - 7.5;
    for (int i = 0; i <= dim; ++i) {
      const auto function = [i](const Barycentrics& at) { return 1.0 / (1.0 + at[i]); };
      EXPECT_NEAR(integrate(rule, function), expected, rounding) << "dim " << dim << ", corner " << i;
    }
  }
}

}  // namespace
}  // namespace clearance::test
