// The polynomials behind the univariate methods.
#include <gtest/gtest.h>

#include "ccd_methods/queries.h"
#include "clearance/ccd/methods/plane_form.h"
#include "clearance/ccd/methods/polynomial_roots.h"

namespace clearance {
namespace {

template <class T, std::size_t count>
T bernstein_value(std::array<T, count> p, const T& t) {
  for (std::size_t level = 1; level < count; ++level) {
    for (std::size_t i = 0; i + level < count; ++i) p[i] = T((T(1) - t) * p[i] + t * p[i + 1]);
  }
  return p[0];
}

/// The vector polynomial at t.
Triple<mpq_class> value(const VectorPolynomial<mpq_class, 2>& v, const mpq_class& t) {
  Triple<mpq_class> result;
  for (int k = 0; k < 3; ++k) result[k] = (1 - t) * v[0][k] + t * v[1][k];
  return result;
}

TEST(CcdMethods, PlaneForm_PolynomialsAreTheGeometryAtEveryTime) {
  std::mt19937_64 generator(41);
  for (const auto& [name, query] : random_queries(generator)) {
    SCOPED_TRACE("seed 41, " + name);
    const auto form = plane_form<mpq_class>(query.kind, query.motion.t0, query.motion.t1);
    const auto cubic = coplanarity(form);
    const auto inside = inside_conditions(form);
    for (const mpq_class& t : {mpq_class(0), mpq_class(1, 3), mpq_class(4, 5), mpq_class(1)}) {
      const auto a = value(form.a, t), b = value(form.b, t), q = value(form.q, t), n = cross(a, b);
      EXPECT_EQ(bernstein_value(cubic, t), mpq_class(6 * dot(n, q)));  // [Fer23, eq. 3.3]
      const mpq_class u = dot(cross(q, b), n), v = dot(cross(a, q), n), nn = dot(n, n);
      const mpq_class third = form.is_triangle ? mpq_class(nn - u - v) : mpq_class(nn - u);
      EXPECT_EQ(bernstein_value(inside.conditions[0], t), mpq_class(24 * u));
      EXPECT_EQ(bernstein_value(inside.conditions[1], t), mpq_class(24 * v));
      EXPECT_EQ(bernstein_value(inside.conditions[2], t), mpq_class(24 * third));
      EXPECT_EQ(bernstein_value(inside.conditions[3], t), mpq_class(24 * (nn - v)));
    }
  }
}

TEST(CcdMethods, PlaneForm_MeetsWhereThePrimitivesMeet) {
  // u and v of a known contact: q = u a + v b.
  const std::array<Vec<3>, 4> triangle{Vec<3>(0.5, 0.25, 0), Vec<3>(0, 0, 0), Vec<3>(2, 0, 0), Vec<3>(0, 2, 0)};
  const std::array<Vec<3>, 4> edges{Vec<3>(0, 0, 0), Vec<3>(4, 0, 0), Vec<3>(1, -1, 0), Vec<3>(1, 3, 0)};
  for (const bool is_triangle : {true, false}) {
    const auto& x = is_triangle ? triangle : edges;
    const auto form = plane_form<double>(is_triangle ? QueryKind::point_triangle : QueryKind::edge_edge, x, x);
    const auto inside = inside_conditions(form);
    const double nn = 24.0 * dot(cross(form.a[0], form.b[0]), cross(form.a[0], form.b[0]));
    EXPECT_EQ(inside.conditions[0][0] / nn, 0.25);
    EXPECT_EQ(inside.conditions[1][0] / nn, is_triangle ? 0.125 : 0.25);
    EXPECT_EQ(coplanarity(form)[0], 0.0);
  }
}

TEST(CcdMethods, PolynomialRoots_FindsSimpleRootsOfEveryDegree) {
  std::mt19937_64 generator(42);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int sample = 0; sample < 200; ++sample) {
    SCOPED_TRACE("seed 42, sample " + std::to_string(sample));
    // Six roots, two of them outside; at least 0.02 apart.
    std::array<double, 6> roots{-0.5, 1.5};
    for (int i = 0; i < 4; ++i) roots[2 + i] = 0.25 * (i + 0.1 + 0.8 * uniform(generator));
    PowerPolynomial<7> p{1.0};
    for (const double root : roots) {
      for (int i = 6; i >= 0; --i) p[i] = (i > 0 ? p[i - 1] : 0.0) - root * p[i];
    }
    const auto found = unit_roots(p);
    ASSERT_EQ(found.size, 4u);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(found.roots[i], roots[2 + i], 1e-10);
  }
}

TEST(CcdMethods, PolynomialRoots_EndsAndExtremaCountOnlyWhereZeroIsComputed) {
  EXPECT_EQ(unit_roots(PowerPolynomial<3>{0.25, -1.0, 1.0}).size, 1u);  // (t - 1/2)^2
  EXPECT_EQ(unit_roots(PowerPolynomial<3>{0.2501, -1.0, 1.0}).size, 0u);
  const auto ends = unit_roots(PowerPolynomial<3>{0.0, -1.0, 1.0});  // t (t - 1)
  ASSERT_EQ(ends.size, 2u);
  EXPECT_EQ(ends.roots[0], 0.0);
  EXPECT_EQ(ends.roots[1], 1.0);
  EXPECT_EQ(unit_roots(PowerPolynomial<4>{}).size, 0u);
}

}  // namespace
}  // namespace clearance
