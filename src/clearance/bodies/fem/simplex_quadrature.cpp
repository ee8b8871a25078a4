#include "clearance/bodies/fem/simplex_quadrature.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "clearance/base/contract.h"

namespace clearance {
namespace {

/// The points whose barycentrics are the permutations of the generator, each of this weight.
struct Orbit {
  int degree;  ///< degree of the rule; the orbits of a rule follow one another, rules by degree
  double weight;
  Barycentrics generator;  ///< ascending
};

// The kinds and numbers of orbits are those of [Wit15]. Generators and weights solve the moment equations, to 50 digits
// before rounding. If these leave one parameter free, it is fixed by equal weights (tetrahedra, degree 3), or by the
// least error functional in the L2 norm among polynomials of the next degree, with its smallest generator rounded to
// six digits (triangles, degree 7; tetrahedra, degree 8).
constexpr Orbit triangle_orbits[] = {
    {1, 1.0, {0.33333333333333333, 0.33333333333333333, 0.33333333333333333}},
    {2, 0.33333333333333333, {0.16666666666666667, 0.16666666666666667, 0.66666666666666667}},
    {4, 0.10995174365532187, {0.091576213509770743, 0.091576213509770743, 0.81684757298045851}},
    {4, 0.22338158967801147, {0.10810301816807023, 0.44594849091596489, 0.44594849091596489}},
    {5, 0.225, {0.33333333333333333, 0.33333333333333333, 0.33333333333333333}},
    {5, 0.13239415278850618, {0.05971587178976982, 0.47014206410511509, 0.47014206410511509}},
    {5, 0.12593918054482715, {0.10128650732345634, 0.10128650732345634, 0.79742698535308732}},
    {6, 0.050844906370206817, {0.063089014491502228, 0.063089014491502228, 0.87382197101699554}},
    {6, 0.11678627572637937, {0.24928674517091042, 0.24928674517091042, 0.50142650965817916}},
    {6, 0.082851075618373575, {0.053145049844816947, 0.31035245103378441, 0.63650249912139865}},
    {7, 0.017072371080433345, {0.034576, 0.034576, 0.930848}},
    {7, 0.076750547299191294, {0.051381168329482917, 0.47430941583525854, 0.47430941583525854}},
    {7, 0.12785029342202465, {0.24163888372486014, 0.24163888372486014, 0.51672223255027972}},
    {7, 0.05583006076584202, {0.047147697280820345, 0.19976679249332099, 0.75308551022585866}},
    {8, 0.14431560767778717, {0.33333333333333333, 0.33333333333333333, 0.33333333333333333}},
    {8, 0.03245849762319808, {0.050547228317030975, 0.050547228317030975, 0.89890554336593805}},
    {8, 0.095091634267284625, {0.081414823414553688, 0.45929258829272316, 0.45929258829272316}},
    {8, 0.10321737053471825, {0.17056930775176021, 0.17056930775176021, 0.65886138449647959}},
    {8, 0.027230314174434994, {0.0083947774099576053, 0.26311282963463811, 0.72849239295540428}},
};
constexpr Orbit tetrahedron_orbits[] = {
    {1, 1.0, {0.25, 0.25, 0.25, 0.25}},
    {2, 0.25, {0.13819660112501052, 0.13819660112501052, 0.13819660112501052, 0.58541019662496845}},
    {3, 0.125, {0.013415050209391269, 0.32886164993020291, 0.32886164993020291, 0.32886164993020291}},
    {3, 0.125, {0.11295679451251103, 0.11295679451251103, 0.11295679451251103, 0.66112961646246691}},
    {5, 0.11268792571801585, {0.067342242210098171, 0.31088591926330061, 0.31088591926330061, 0.31088591926330061}},
    {5, 0.07349304311636195, {0.092735250310891226, 0.092735250310891226, 0.092735250310891226, 0.72179424906732632}},
    {5, 0.042546020777081466, {0.045503704125649649, 0.045503704125649649, 0.45449629587435035, 0.45449629587435035}},
    {6, 0.055357181543654722, {0.032986329573173469, 0.32233789014227551, 0.32233789014227551, 0.32233789014227551}},
    {6, 0.010077211055320643, {0.040673958534611353, 0.040673958534611353, 0.040673958534611353, 0.87797812439616594}},
    {6, 0.039922750258167492, {0.21460287125915203, 0.21460287125915203, 0.21460287125915203, 0.35619138622254391}},
    {6, 0.048214285714285714, {0.063661001875017525, 0.063661001875017525, 0.26967233145831581, 0.60300566479164914}},
    {7, 0.095485289464130849, {0.25, 0.25, 0.25, 0.25}},
    {7, 0.042329581209967029, {0.052896550665391602, 0.3157011497782028, 0.3157011497782028, 0.3157011497782028}},
    {7, 0.03189692783285758, {0.050489822598396369, 0.050489822598396369, 0.44951017740160363, 0.44951017740160363}},
    {7, 0.0081107708299033416, {0.021265472541483246, 0.021265472541483246, 0.14663881381848495, 0.81083024109854856}},
    {7, 0.037207130728334621, {0.047160700360997881, 0.18883383102600105, 0.18883383102600105, 0.57517163758700002}},
    {8, 0.004146370719457951, {0.032677, 0.032677, 0.032677, 0.901969}},
    {8, 0.037228415696625195, {0.055084126822128082, 0.31497195772595731, 0.31497195772595731, 0.31497195772595731}},
    {8, 0.0219830369280127, {0.091484762443296226, 0.091484762443296226, 0.091484762443296226, 0.72554571267011132}},
    {8, 0.058047652996038433, {0.18364614877859191, 0.18364614877859191, 0.18364614877859191, 0.44906155366422426}},
    {8, 0.034643612758002396, {0.061615988086771991, 0.061615988086771991, 0.43838401191322801, 0.43838401191322801}},
    {8, 0.018229832170108092, {0.015082475650069548, 0.20547147613460784, 0.20547147613460784, 0.57397457208071477}},
    {8, 0.0073132026708459506, {0.022426247534678036, 0.022426247534678036, 0.23080598694016959, 0.72434151799047434}},
};

/// Returns the points of the rule of the lowest sufficient degree in the table.
std::vector<QuadraturePoint> expand_orbits(int dim, int degree) {
  const std::span<const Orbit> orbits = dim == 2 ? std::span<const Orbit>(triangle_orbits) : tetrahedron_orbits;
  const auto first = std::find_if(orbits.begin(), orbits.end(), [&](const Orbit& o) { return o.degree >= degree; });
  std::vector<QuadraturePoint> points;
  for (auto orbit = first; orbit != orbits.end() && orbit->degree == first->degree; ++orbit) {
    // Each distinct permutation of the generator is a point.
    Barycentrics at = orbit->generator;
    do {
      points.push_back({at, orbit->weight});
    } while (std::next_permutation(at.begin(), at.begin() + dim + 1));
  }
  return points;
}

/// The polynomials p_0 ... p_n that are orthonormal on [0, 1] for the weight (k + 1) (1 - x)^k, whose integral is 1:
/// Jacobi polynomials moved from [-1, 1] [Gau04].
class OrthonormalPolynomials {
 public:
  OrthonormalPolynomials(int k, int n) {
    for (int j = 0; j <= n; ++j) {
      const double s = 2.0 * j + k, product = static_cast<double>(j) * (j + k);
      shift_.push_back(k == 0 ? 0.5 : 0.5 - 0.5 * k * k / (s * (s + 2.0)));
      scale_.push_back(j == 0 ? 0.0 : product / (s * std::sqrt(s * s - 1.0)));
    }
  }

  double value(std::size_t degree, double x) const { return evaluate(degree, x).first; }

  /// Returns sum_(j < degree) p_j^2, the inverse of a Gauss point's weight.
  double sum_sq(std::size_t degree, double x) const { return evaluate(degree, x).second; }

 private:
  std::vector<double> shift_, scale_;  ///< x p_j = scale_j+1 p_j+1 + shift_j p_j + scale_j p_j-1

  std::pair<double, double> evaluate(std::size_t degree, double x) const {
    // The polynomial follows from its three-term recurrence.
    double before = 0.0, p = 1.0, sum_sq = 0.0;
    for (std::size_t j = 0; j < degree; ++j) {
      sum_sq += p * p;
      before = std::exchange(p, ((x - shift_[j]) * p - scale_[j] * before) / scale_[j + 1]);
    }
    return {p, sum_sq};
  }
};

/// Returns the root between two numbers between which the sign changes once.
double bisect(const OrthonormalPolynomials& polynomials, std::size_t degree, double low, double high) {
  const bool is_positive_above = polynomials.value(degree, high) > 0.0;
  while (true) {
    const double mid = 0.5 * (low + high);
    if (mid <= low || mid >= high) return mid;
    ((polynomials.value(degree, mid) > 0.0) == is_positive_above ? high : low) = mid;
  }
}

struct GaussPoint {
  double x, weight;
};

/// Returns the Gauss rule on [0, 1] for the weight (k + 1) (1 - x)^k, exact up to degree 2n - 1.
std::vector<GaussPoint> gauss_jacobi(int k, int n) {
  const OrthonormalPolynomials polynomials(k, n);
  // The roots of each polynomial separate those of the next, so bisection finds each one.
  std::vector<double> roots;
  for (int degree = 1; degree <= n; ++degree) {
    std::vector<double> bounds = {0.0};
    bounds.insert(bounds.end(), roots.begin(), roots.end());
    bounds.push_back(1.0);
    roots.clear();
    for (int i = 0; i < degree; ++i) roots.push_back(bisect(polynomials, degree, bounds[i], bounds[i + 1]));
  }
  std::vector<GaussPoint> points;
  for (const double x : roots) points.push_back({x, 1.0 / polynomials.sum_sq(n, x)});
  return points;
}

}  // namespace

const std::vector<QuadraturePoint>& symmetric_quadrature(int dim, int degree) {
  CLEARANCE_ASSERT((dim == 2 || dim == 3) && degree >= 0 && degree <= max_symmetric_degree);
  static const auto all = [] {
    std::array<std::array<std::vector<QuadraturePoint>, max_symmetric_degree + 1>, 2> rules;
    for (int d = 2; d <= 3; ++d) {
      for (int p = 0; p <= max_symmetric_degree; ++p) {
        rules[d - 2][p] = expand_orbits(d, p);
      }
    }
    return rules;
  }();
  return all[dim - 2][degree];
}

std::vector<QuadraturePoint> conical_quadrature(int dim, int degree) {
  CLEARANCE_ASSERT(dim >= 1 && dim <= 3 && degree >= 0);
  // Each of l_1, l_2, ... takes the fraction x of the rest that those before it left, which is kept in l_0. The share
  // of the volume at x falls with a power of 1 - x, the dimension of the section cut there.
  std::vector<QuadraturePoint> points = {{{1.0, 0.0, 0.0, 0.0}, 1.0}};
  for (int i = 1; i <= dim; ++i) {
    const std::vector<GaussPoint> line = gauss_jacobi(dim - i, degree / 2 + 1);
    std::vector<QuadraturePoint> next;
    for (const QuadraturePoint& point : points) {
      for (const GaussPoint& cut : line) {
        Barycentrics at = point.at;
        at[i] = at[0] * cut.x;
        at[0] *= 1.0 - cut.x;
        next.push_back({at, point.weight * cut.weight});
      }
    }
    points = std::move(next);
  }
  return points;
}

}  // namespace clearance
