#include "clearance/geometry/curved_volume.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>

#include "clearance/bodies/fem/step_bound.h"
#include "clearance/geometry/lagrange.h"

namespace clearance {
namespace {

__extension__ typedef __int128 Wide;

/// All sample points have barycentric coordinates l / grid.
constexpr int grid = 96;

// --- the slow twin: determinants at points, from the product formula of the shape functions, in integers ---

/// A point and the gradients of the shape functions there, times order! grid^(order - 1).
struct Sample {
  NodeIndex l{};
  std::vector<std::int64_t> gradients;  ///< dim per node
};

template <int dim>
Sample make_sample(int order, const NodeIndex& l) {
  Sample sample;
  sample.l = l;
  for (const NodeIndex& index : lagrange_nodes(dim, order)) {
    std::int64_t by_barycentric[dim + 1];
    std::int64_t multiple = 1;  // order! / prod index!
    for (int i = 2; i <= order; ++i) multiple *= i;
    for (const int n : index) {
      for (int i = 2; i <= n; ++i) multiple /= i;
    }
    for (int i = 0; i <= dim; ++i) {
      std::int64_t others = multiple, slope = 0;
      for (int j = 0; j <= dim; ++j) {
        for (int k = 0; k < index[j]; ++k) {
          if (j != i) others *= order * l[j] - k * grid;
        }
      }
      for (int left_out = 0; left_out < index[i]; ++left_out) {
        std::int64_t product = order;
        for (int k = 0; k < index[i]; ++k) {
          if (k != left_out) product *= order * l[i] - k * grid;
        }
        slope += product;
      }
      by_barycentric[i] = others * slope;
    }
    for (int i = 1; i <= dim; ++i) sample.gradients.push_back(by_barycentric[i] - by_barycentric[0]);
  }
  return sample;
}

template <int dim, class T>
T determinant_of(const T (&m)[dim][dim]) {
  if constexpr (dim == 2) {
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
  } else {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) + m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }
}

/// Returns the volume up to the positive factor of the gradients, cubed (dim 3) or squared.
template <int dim, class T, class Number>
T twin_volume(const Sample& sample, const std::vector<Number>& x) {
  T m[dim][dim];
  for (int r = 0; r < dim; ++r) {
    for (int i = 0; i < dim; ++i) {
      T sum = 0;
      for (std::size_t a = 0; a < x.size() / dim; ++a) {
        sum += T(x[a * dim + r]) * T(static_cast<Number>(sample.gradients[a * dim + i]));
      }
      m[r][i] = sum;
    }
  }
  return determinant_of<dim, T>(m);
}

/// Returns the volume for integer coordinates, exactly: entries have up to 41 bits.
template <int dim>
Wide integer_volume(const Sample& sample, const std::vector<std::int64_t>& x) {
  std::int64_t entries[dim][dim];
  Wide m[dim][dim];
  for (int r = 0; r < dim; ++r) {
    for (int i = 0; i < dim; ++i) {
      entries[r][i] = 0;
      for (std::size_t a = 0; a < x.size() / dim; ++a) entries[r][i] += x[a * dim + r] * sample.gradients[a * dim + i];
      EXPECT_LT(std::abs(entries[r][i]), std::int64_t{1} << 41);
      m[r][i] = entries[r][i];
    }
  }
  return determinant_of<dim, Wide>(m);
}

int sign_of(Wide value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// Returns a uniform random point of the simplex.
template <int dim>
NodeIndex random_point(std::mt19937_64& rng) {
  while (true) {
    NodeIndex l{};
    for (int i = 1; i <= dim; ++i) l[i] = static_cast<int>(rng() % (grid + 1));
    l[0] = grid - l[1] - l[2] - l[3];
    if (l[0] >= 0) return l;
  }
}

/// Returns the lattice of an order and random points.
template <int dim>
std::vector<Sample> make_samples(int order, int lattice, int num_random, std::mt19937_64& rng) {
  std::vector<Sample> samples;
  for (int k = 0; k <= (dim == 3 ? lattice : 0); ++k) {
    for (int j = 0; j <= lattice - k; ++j) {
      for (int i = 0; i <= lattice - k - j; ++i) {
        NodeIndex l = {lattice - i - j - k, i, j, k};
        for (int& part : l) part *= grid / lattice;
        samples.push_back(make_sample<dim>(order, l));
      }
    }
  }
  for (int s = 0; s < num_random; ++s) samples.push_back(make_sample<dim>(order, random_point<dim>(rng)));
  return samples;
}

/// Moves from a point along the edges of the grid to one where `value` is smallest among its neighbours.
template <int dim, class Value>
auto descend(int order, NodeIndex at, const Value& value) {
  auto lowest = value(make_sample<dim>(order, at));
  for (int step = 16; step > 0;) {
    const NodeIndex from = at;
    for (int i = 0; i <= dim; ++i) {
      for (int j = 0; j <= dim; ++j) {
        NodeIndex next = from;
        if (i == j || next[i] < step) continue;
        next[i] -= step;
        next[j] += step;
        const auto there = value(make_sample<dim>(order, next));
        if (there < lowest) {
          lowest = there;
          at = next;
        }
      }
    }
    if (at == from) step /= 2;
  }
  return lowest;
}

/// Returns the lowest value that is found from several samples.
template <int dim, class Value>
double find_lowest(int order, const std::vector<Sample>& samples, const Value& value) {
  std::vector<std::pair<double, int>> values;
  for (std::size_t s = 0; s < samples.size(); ++s) values.emplace_back(value(samples[s]), static_cast<int>(s));
  std::sort(values.begin(), values.end());
  double lowest = values[0].first;
  for (int start = 0; start < 12; ++start) {
    lowest = std::min(lowest, descend<dim>(order, samples[values[start].second].l, value));
  }
  return lowest;
}

// --- elements ---

template <int dim>
std::vector<double> as_doubles(const std::vector<std::int64_t>& x) {
  return {x.begin(), x.end()};
}

/// Returns a straight element of random corners with nodes moved randomly by up to `noise` of the distance between
/// nodes. Integers below 1000.
template <int dim>
std::vector<std::int64_t> random_element(int order, double noise, bool one_node_only, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  double corners[dim + 1][dim], volume = 0.0;
  while (!(volume > 0.05)) {
    double edges[dim][dim];
    for (auto& corner : corners) {
      for (double& c : corner) c = uniform(rng);
    }
    for (int r = 0; r < dim; ++r) {
      for (int i = 0; i < dim; ++i) edges[r][i] = corners[i + 1][r] - corners[0][r];
    }
    volume = determinant_of<dim, double>(edges);
  }
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  const std::size_t moved = rng() % nodes.size();
  std::vector<std::int64_t> x;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (int r = 0; r < dim; ++r) {
      double sum = 0.0;
      for (int i = 0; i <= dim; ++i) sum += nodes[a][i] * corners[i][r] / order;
      if (!one_node_only || a == moved) sum += noise / order * uniform(rng);
      x.push_back(std::lround(400.0 * sum));
    }
  }
  return x;
}

TEST(CurvedVolume, AgreesWithTheExactDeterminantOfRandomElements) {
  int num_elements = 0, num_accepted = 0, num_clear = 0, num_clear_accepted = 0, num_rejected = 0, num_witnesses = 0;
  const auto check = [&]<int dim>(std::integral_constant<int, dim>) {
    for (int order = 1; order <= max_order; ++order) {
      std::mt19937_64 rng(61);
      const std::vector<Sample> samples = make_samples<dim>(order, 8, 60, rng);
      const CurvedVolume<dim> volume(order);
      for (int trial = 0; trial < 12500; ++trial) {
        constexpr double noises[] = {0.03, 0.15, 0.4, 0.8};
        const auto x = random_element<dim>(order, noises[trial % 4], trial % 8 >= 4, rng);
        const bool is_valid = volume.is_valid(as_doubles<dim>(x));
        Wide lowest = 0, highest = 0;
        NodeIndex at{};
        for (const Sample& sample : samples) {
          const Wide value = integer_volume<dim>(sample, x);
          if (sample.l == samples[0].l || value < lowest) lowest = value, at = sample.l;
          highest = std::max(highest, value);
          if (!is_valid && lowest <= 0) break;
        }
        // Search between the samples: always if the element was rejected, sometimes if it was accepted.
        if ((!is_valid && lowest > 0) || (is_valid && trial % 4 == 0)) {
          lowest =
              std::min(lowest, descend<dim>(order, at, [&](const Sample& s) { return integer_volume<dim>(s, x); }));
        }
        if (is_valid) {
          ASSERT_EQ(sign_of(lowest), 1) << "seed 61, dim " << dim << ", order " << order << ", trial " << trial;
        }
        const bool is_clear = lowest > highest / 20;
        ++num_elements;
        num_accepted += is_valid;
        num_rejected += !is_valid;
        num_witnesses += !is_valid && lowest <= 0;
        num_clear += is_clear;
        num_clear_accepted += is_clear && is_valid;
      }
    }
  };
  check(std::integral_constant<int, 2>{});
  check(std::integral_constant<int, 3>{});
  RecordProperty("accepted", num_accepted);
  std::printf("%d elements: %d accepted (%d of %d clearly valid ones); %d rejected, inverted points known in %d\n",
              num_elements, num_accepted, num_clear_accepted, num_clear, num_rejected, num_witnesses);
  EXPECT_EQ(num_elements, 100000);
  EXPECT_GT(num_accepted, 20000);
  EXPECT_GT(num_rejected, 20000);
  // An element that looks clearly valid at the samples can be inverted between them, and next to zero volume neither
  // side need know: both cases are rare.
  EXPECT_GE(num_clear_accepted, 0.999 * num_clear);
  EXPECT_GE(num_witnesses, 0.99 * num_rejected);
}

template <int dim>
struct AffineMap {
  double m[dim][dim] = {}, shift[dim] = {};
};

template <int dim>
AffineMap<dim> random_map(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  AffineMap<dim> map;
  while (!(determinant_of<dim, double>(map.m) > 0.1)) {
    for (int r = 0; r < dim; ++r) {
      map.shift[r] = 10.0 * normal(rng);
      for (double& entry : map.m[r]) entry = normal(rng);
    }
  }
  return map;
}

/// Returns nodes of a map of degree 2 with the determinant (xi_1 - c)^2 - delta (xi_2 + 1/2), moved by an affine map.
template <int dim>
std::vector<double> folded_element(int order, double c, double delta, const AffineMap<dim>& map) {
  std::vector<double> x;
  for (const NodeIndex& index : lagrange_nodes(dim, order)) {
    const double xi = static_cast<double>(index[1]) / order, eta = static_cast<double>(index[2]) / order;
    const double at[3] = {0.5 * (xi - c) * (xi - c) + delta * eta, (xi - c) * eta + 0.5 * xi,
                          static_cast<double>(index[3]) / order};
    for (int r = 0; r < dim; ++r) {
      double sum = map.shift[r];
      for (int i = 0; i < dim; ++i) sum += map.m[r][i] * at[i];
      x.push_back(sum);
    }
  }
  return x;
}

template <int dim>
void check_folds() {
  std::mt19937_64 rng(62);
  for (int order = 2; order <= max_order; ++order) {
    const CurvedVolume<dim> volume(order);
    std::vector<Sample> lattice = make_samples<dim>(order, 2 * order, 0, rng);
    for (int trial = 0; trial < 60; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed 62, dim " << dim << ", order " << order << ", trial " << trial);
      // c is in the middle between points of the lattice of twice the order.
      const int k = trial % (2 * order);
      const double c = (k + 0.5) / (2 * order), gap_sq = 1.0 / (16.0 * order * order);
      const double delta = 0.6 * gap_sq * (trial % 3 == 0 ? 1.0 : 0.05);
      const AffineMap<dim> map = random_map<dim>(rng);
      const std::vector<double> inverted = folded_element<dim>(order, c, delta, map);
      for (const Sample& sample : lattice) {
        ASSERT_GT((twin_volume<dim, mpq_class>(sample, inverted)), 0);  // nothing is seen at the points
      }
      NodeIndex at{};
      at[1] = grid / (4 * order) * (2 * k + 1);
      at[0] = grid - at[1];
      ASSERT_LT((twin_volume<dim, mpq_class>(make_sample<dim>(order, at), inverted)), 0);
      EXPECT_FALSE(volume.is_valid(inverted));
      EXPECT_LT(volume.volume_bounds(inverted)[0], 0.0);
      // The same map with a waist instead is valid: down to 6e-5 of the largest volume.
      EXPECT_TRUE(volume.is_valid(folded_element<dim>(order, c, -delta, map)));
      // If the volume should be zero on a plane, only rounding decides.
      const std::vector<double> flat = folded_element<dim>(order, c, 0.0, map);
      if (volume.is_valid(flat)) {
        while (at[0] > 0) {
          ASSERT_GT((twin_volume<dim, mpq_class>(make_sample<dim>(order, at), flat)), 0);
          --at[0];
          ++at[2];
        }
      }
    }
    if (order == 3) continue;
    // Without rounding, the volume is exactly zero.
    AffineMap<dim> identity;
    for (int r = 0; r < dim; ++r) identity.m[r][r] = 1.0;
    for (const double c : {0.375, 0.34375, 0.25, 1.0 / 3.0}) {
      EXPECT_FALSE(volume.is_valid(folded_element<dim>(order, c, 0.0, identity))) << c;
    }
  }
}

TEST(CurvedVolume, FoldsBetweenNodesAndLatticePointsAreFound) {
  check_folds<2>();
  check_folds<3>();
}

TEST(CurvedVolume, ZeroVolumeAtACornerOrEverywhereIsNotValid) {
  // An edge of order 2 whose middle node lies a quarter of the way: its tangent vanishes at the corner.
  const CurvedVolume<2> triangle(2);
  EXPECT_FALSE(triangle.is_valid(std::vector<double>{0, 0, 1, 0, 0, 1, 0.25, 0, 0.5, 0.5, 0, 0.5}));
  EXPECT_TRUE(triangle.is_valid(std::vector<double>{0, 0, 1, 0, 0, 1, std::nextafter(0.25, 1), 0, 0.5, 0.5, 0, 0.5}));
  EXPECT_FALSE(triangle.is_valid(std::vector<double>{0, 0, 1, 0, 0, 1, std::nextafter(0.25, 0), 0, 0.5, 0.5, 0, 0.5}));
  for (int order = 1; order <= max_order; ++order) {
    std::mt19937_64 rng(63);
    std::vector<double> x = as_doubles<3>(random_element<3>(order, 0.0, false, rng));
    for (std::size_t a = 0; a < x.size() / 3; ++a) x[3 * a + 2] = 0.3 * x[3 * a] + 0.1;
    EXPECT_FALSE(CurvedVolume<3>(order).is_valid(x));
    for (std::size_t a = 0; a < x.size() / 3; ++a) x[3 * a + 2] = x[3 * a];
    EXPECT_FALSE(CurvedVolume<3>(order).is_valid(x));
    std::fill(x.begin(), x.end(), 1.0);
    EXPECT_FALSE(CurvedVolume<3>(order).is_valid(x));
  }
}

/// Checks that the verdict does not change with integer shears, which leave the determinant as it is, and with scaling,
/// up to where rounding leaves nothing of it and only exact arithmetic can tell.
template <int dim>
void check_shears() {
  std::mt19937_64 rng(64);
  int num_valid = 0;
  for (int order = 1; order <= max_order; ++order) {
    const CurvedVolume<dim> volume(order);
    for (int trial = 0; trial < 100; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed 64, dim " << dim << ", order " << order << ", trial " << trial);
      std::vector<double> x = as_doubles<dim>(random_element<dim>(order, 0.25, false, rng));
      const bool is_valid = volume.is_valid(x);
      num_valid += is_valid;
      for (int shear = 0; shear < 2 * dim; ++shear) {
        const int r = shear % dim, s = (shear + 1) % dim;
        const double factor = std::ldexp(1.0, 36 / (2 * dim)) + static_cast<double>(rng() % 5);
        for (std::size_t a = 0; a < x.size() / dim; ++a) x[a * dim + r] += factor * x[a * dim + s];
      }
      EXPECT_EQ(volume.is_valid(x), is_valid);
      for (const double scale : {0x1p-900, 0x1p-330, 0x1p330, 0x1p900}) {
        std::vector<double> scaled = x;
        for (double& value : scaled) value *= scale;
        EXPECT_EQ(volume.is_valid(scaled), is_valid);
      }
      for (std::size_t a = 0; a < x.size() / dim; ++a) x[a * dim] = -x[a * dim];
      if (is_valid) {
        EXPECT_FALSE(volume.is_valid(x));
      }
    }
  }
  EXPECT_GT(num_valid, 100);
  EXPECT_LT(num_valid, 390);
}

TEST(CurvedVolume, VerdictIsExactUnderShearsAndScaling) {
  check_shears<2>();
  check_shears<3>();
}

TEST(CurvedVolume, NumbersThatAreNotFiniteAreNotValid) {
  std::mt19937_64 rng(65);
  for (int order = 1; order <= max_order; ++order) {
    const CurvedVolume<3> volume(order);
    const std::vector<double> x = as_doubles<3>(random_element<3>(order, 0.0, false, rng));
    const std::vector<double> zero(x.size(), 0.0);
    ASSERT_TRUE(volume.is_valid(x));
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::vector<double> y = x, dx = zero;
        y[i] = dx[i] = bad;
        EXPECT_FALSE(volume.is_valid(y));
        EXPECT_EQ(volume.volume_bounds(y)[0], -HUGE_VAL);
        EXPECT_EQ(volume.max_feasible_step(x, dx), 0.0);
      }
    }
  }
}

template <int dim>
void check_bounds() {
  std::mt19937_64 rng(66);
  for (int order = 1; order <= max_order; ++order) {
    const CurvedVolume<dim> volume(order);
    const std::vector<Sample> samples = make_samples<dim>(order, 8, 60, rng);
    double unit = 1.0;  // of twin_volume, in det / dim!
    for (int i = 1; i <= dim; ++i) unit /= i;
    for (int i = 0; i < dim; ++i) unit /= std::tgamma(order + 1.0) * std::pow(grid, order - 1);
    for (int trial = 0; trial < 150; ++trial) {
      SCOPED_TRACE(::testing::Message() << "seed 66, dim " << dim << ", order " << order << ", trial " << trial);
      const auto x = random_element<dim>(order, trial % 2 ? 0.1 : 0.6, false, rng);
      const auto twin = [&](const Sample& s) { return unit * static_cast<double>(integer_volume<dim>(s, x)); };
      const double lowest = find_lowest<dim>(order, samples, twin);
      const double highest = -find_lowest<dim>(order, samples, [&](const Sample& s) { return -twin(s); });
      const auto [low, high] = volume.volume_bounds(as_doubles<dim>(x), 1e-4);
      const double largest = std::max(std::abs(lowest), std::abs(highest));
      EXPECT_LE(low, lowest + 1e-12 * largest);
      EXPECT_GE(high, highest - 1e-12 * largest);
      // The grid is fine enough to see the extremes to this accuracy; Bernstein coefficients can be several times the
      // values.
      EXPECT_GE(low, lowest - 1e-2 * largest);
      EXPECT_LE(high, highest + 1e-2 * largest);
      const auto [coarse_low, coarse_high] = volume.volume_bounds(as_doubles<dim>(x));
      EXPECT_LE(coarse_low, lowest + 1e-12 * largest);
      EXPECT_GE(coarse_high, highest - 1e-12 * largest);
      if (order == 1) {
        EXPECT_NEAR(low, high, 1e-10 * largest);
      }
    }
  }
}

TEST(CurvedVolume, BoundsHoldTheExtremesAndAreClose) {
  check_bounds<2>();
  check_bounds<3>();
}

// --- steps ---

/// Returns det at x + a dx minus kept_volume_fraction det at x: in doubles, and exactly where rounding could matter.
template <int dim>
double rest_of_volume(const Sample& sample, const std::vector<double>& x, const std::vector<double>& dx, double a) {
  std::vector<double> moved = x, sizes(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) moved[i] += a * dx[i];
  const double rest =
      twin_volume<dim, double>(sample, moved) - kept_volume_fraction * twin_volume<dim, double>(sample, x);
  double size = 1.0;
  for (int r = 0; r < dim; ++r) {
    double sum = 0.0;
    for (std::size_t n = 0; n < x.size() / dim; ++n) {
      const double reach = std::abs(x[n * dim + r]) + a * std::abs(dx[n * dim + r]);
      for (int i = 0; i < dim; ++i) sum += reach * std::abs(static_cast<double>(sample.gradients[n * dim + i]));
    }
    size *= sum;
  }
  if (std::abs(rest) > 1e-12 * size) return rest;
  std::vector<mpq_class> start(x.begin(), x.end()), end = start;
  for (std::size_t i = 0; i < x.size(); ++i) end[i] += mpq_class(a) * mpq_class(dx[i]);
  Sample exact = sample;
  const auto volume = [&](const std::vector<mpq_class>& at) {
    mpq_class m[dim][dim];
    for (int r = 0; r < dim; ++r) {
      for (int i = 0; i < dim; ++i) {
        for (std::size_t n = 0; n < x.size() / dim; ++n) {
          m[r][i] += at[n * dim + r] * mpq_class(static_cast<double>(sample.gradients[n * dim + i]));
        }
      }
    }
    return determinant_of<dim, mpq_class>(m);
  };
  const mpq_class difference = volume(end) - mpq_class(kept_volume_fraction) * volume(start);
  return sgn(difference) * std::max(std::abs(difference.get_d()), 1e-300);
}

TEST(CurvedVolume, StepsKeepTheirPartOfTheVolume) {
  int num_limited = 0, num_tight = 0;
  const auto check = [&]<int dim>(std::integral_constant<int, dim>) {
    for (int order = 1; order <= max_order; ++order) {
      std::mt19937_64 rng(67);
      std::normal_distribution<double> normal;
      const std::vector<Sample> samples = make_samples<dim>(order, 6, 30, rng);
      const CurvedVolume<dim> volume(order);
      for (int trial = 0; trial < 240; ++trial) {
        SCOPED_TRACE(::testing::Message() << "seed 67, dim " << dim << ", order " << order << ", trial " << trial);
        const double size = 400.0 * std::pow(10.0, trial % 8 * 0.5 - 2.0);
        std::vector<double> x = as_doubles<dim>(random_element<dim>(order, 0.1, false, rng)), dx(x.size(), 0.0);
        if (!volume.is_valid(x)) continue;
        const int kind = trial / 8 % 3;
        const std::size_t moved = rng() % (x.size() / dim);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (kind != 1 || i / dim == moved) dx[i] = size * normal(rng);            // all nodes, or one
          if (kind == 2) dx[i] = size / 400.0 * (x[dim * moved + i % dim] - x[i]);  // to a point
        }
        const double alpha = volume.max_feasible_step(x, dx);
        ASSERT_GT(alpha, 0.0);
        ASSERT_LE(alpha, 1.0);
        for (int k = 1; k <= 5; ++k) {
          for (const Sample& sample : samples) {
            ASSERT_GT((rest_of_volume<dim>(sample, x, dx, k == 5 ? alpha : alpha * k / 5)), 0.0) << alpha;
          }
        }
        std::vector<double> end = x;
        for (std::size_t i = 0; i < x.size(); ++i) end[i] += alpha * dx[i];
        ASSERT_TRUE(volume.is_valid(end));

        // Some 2 % further, too much of the volume is lost somewhere, unless nodes go further than 16 times the size.
        if (alpha == 1.0) continue;
        double motion = 0.0, extent = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          motion = std::max(motion, std::abs(dx[i] - dx[i % dim]));
          extent = std::max(extent, std::abs(x[i] - x[i % dim]));
        }
        if (alpha * motion > 15.9 * extent) continue;
        ++num_limited;
        double lowest = HUGE_VAL;
        for (const double beyond : {1.005, 1.02}) {
          lowest = std::min(lowest, find_lowest<dim>(order, samples, [&](const Sample& sample) {
                              return rest_of_volume<dim>(sample, x, dx, beyond * alpha);
                            }));
        }
        num_tight += lowest <= 0.0;
      }
    }
  };
  check(std::integral_constant<int, 2>{});
  check(std::integral_constant<int, 3>{});
  std::printf("%d limited steps, %d of them lose too much within 2 %% beyond the limit\n", num_limited, num_tight);
  EXPECT_GT(num_limited, 500);
  EXPECT_GE(num_tight, 0.98 * num_limited);
}

/// If rounding is as large as the volume, less or nothing is certified, but nothing wrong.
template <int dim>
void check_flat_steps() {
  std::mt19937_64 rng(72);
  std::normal_distribution<double> normal;
  for (int order = 1; order <= max_order; ++order) {
    const CurvedVolume<dim> volume(order);
    const std::vector<Sample> samples = make_samples<dim>(order, 1, 3, rng);
    for (int digits = 0; digits <= 17; ++digits) {
      for (int trial = 0; trial < 3; ++trial) {
        SCOPED_TRACE(::testing::Message() << "seed 72, dim " << dim << ", order " << order << ", digits " << digits);
        std::vector<double> x = as_doubles<dim>(random_element<dim>(order, 0.05, false, rng)), dx(x.size());
        // The element is flat in a direction that is no axis.
        for (std::size_t a = 0; a < x.size() / dim; ++a) {
          double& last = x[a * dim + dim - 1];
          last = 0.7 * x[a * dim] + (dim == 3 ? 0.4 * x[a * dim + 1] : 0.0) + std::pow(10.0, -digits) * last;
        }
        if (!volume.is_valid(x)) continue;
        const double size = std::pow(10.0, 2 - trial - digits);
        for (double& value : dx) value = size * normal(rng);
        const double alpha = volume.max_feasible_step(x, dx);
        if (digits <= 8) {
          EXPECT_GT(alpha, 0.0);
        }
        if (alpha == 0.0) continue;
        for (const Sample& sample : samples) {
          ASSERT_GT((rest_of_volume<dim>(sample, x, dx, alpha)), 0.0) << alpha;
          ASSERT_GT((rest_of_volume<dim>(sample, x, dx, 0.5 * alpha)), 0.0) << alpha;
        }
      }
    }
  }
}

TEST(CurvedVolume, StepsOfNearlyFlatElementsAreCertifiedOrRefused) {
  check_flat_steps<2>();
  check_flat_steps<3>();
}

TEST(CurvedVolume, StepsThatAreShortOrRigidAreNotLimited) {
  std::mt19937_64 rng(68);
  std::normal_distribution<double> normal;
  for (int order = 1; order <= max_order; ++order) {
    const CurvedVolume<3> volume(order);
    for (int trial = 0; trial < 100; ++trial) {
      const std::vector<double> x = as_doubles<3>(random_element<3>(order, 0.05, false, rng));
      if (!volume.is_valid(x)) continue;
      std::vector<double> tiny(x.size()), shift(x.size()), growth(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        tiny[i] = 1e-4 * normal(rng);
        shift[i] = i % 3 == 0 ? 1e3 : -3e2;
        growth[i] = 3.0 * x[i];
      }
      EXPECT_EQ(volume.max_feasible_step(x, tiny), 1.0);
      EXPECT_EQ(volume.max_feasible_step(x, shift), 1.0);
      EXPECT_EQ(volume.max_feasible_step(x, growth), 1.0);
      EXPECT_EQ(volume.max_feasible_step(x, std::vector<double>(x.size(), 0.0)), 1.0);
    }
  }
}

TEST(CurvedVolume, StepsWhoseRoundedEndIsNotValidAreHalved) {
  // Far away, the nodes of an element fall together, though nothing changes in exact numbers.
  std::mt19937_64 rng(73);
  for (int order = 1; order <= max_order; ++order) {
    const CurvedVolume<3> volume(order);
    const std::vector<double> x = as_doubles<3>(random_element<3>(order, 0.05, false, rng));
    ASSERT_TRUE(volume.is_valid(x));
    std::vector<double> end = x;
    const double alpha = volume.max_feasible_step(x, std::vector<double>(x.size(), 1e21));
    EXPECT_GT(alpha, 0.0);
    EXPECT_LT(alpha, 1e-2);
    for (double& value : end) value += alpha * 1e21;
    EXPECT_TRUE(volume.is_valid(end));
  }
}

/// A turn by half (x -> -x) in the plane: every volume becomes (1 - 2 a)^2 of what it was, and is whole again at the
/// end.
TEST(CurvedVolume, InversionThatHealsBeforeTheEndOfTheStepIsSeen) {
  std::mt19937_64 rng(69);
  for (int order = 1; order <= max_order; ++order) {
    const std::vector<double> x = as_doubles<2>(random_element<2>(order, 0.02, false, rng));
    std::vector<double> dx = x;
    for (double& value : dx) value *= -2.0;
    ASSERT_TRUE(CurvedVolume<2>(order).is_valid(x));
    const double alpha = CurvedVolume<2>(order).max_feasible_step(x, dx);
    const double expected = 0.5 * (1.0 - std::sqrt(kept_volume_fraction));
    EXPECT_LE(alpha, expected);
    EXPECT_GE(alpha, (1 - 4e-3) * expected);
  }
}

template <int dim>
void check_linear_steps() {
  std::mt19937_64 rng(70);
  std::normal_distribution<double> normal;
  int num_limited = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    SCOPED_TRACE(::testing::Message() << "seed 70, dim " << dim << ", trial " << trial);
    const std::vector<double> x = as_doubles<dim>(random_element<dim>(1, 0.0, false, rng));
    std::vector<double> dx(x.size());
    const double size = 400.0 * std::pow(10.0, trial % 7 - 3);
    for (double& value : dx) value = size * normal(rng);
    ElementMesh<dim> mesh;
    mesh.x_rest = Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
    for (int a = 0; a <= dim; ++a) mesh.nodes.push_back(a);
    mesh.material_of_element = {0};
    mesh.materials = {make_material(ElasticModel::neo_hookean, 1e4, 0.4, 1000.0)};
    const int member = 0;
    VecX x_trial;
    const VecX step = Eigen::Map<const VecX>(dx.data(), static_cast<Eigen::Index>(dx.size()));
    const double expected = bound_step(ElementSet<dim>(mesh, {&member, 1}), mesh.x_rest, step, x_trial).alpha;
    const double alpha = CurvedVolume<dim>(1).max_feasible_step(x, dx);
    EXPECT_NEAR(alpha, expected, 2e-3 * expected);  // both are accurate to a relative 1e-3
    num_limited += expected < 1.0;
  }
  EXPECT_GT(num_limited, 300);
  EXPECT_LT(num_limited, 900);
}

TEST(CurvedVolume, StepsOfOrderOneAreThoseOfLinearElements) {
  check_linear_steps<2>();
  check_linear_steps<3>();
}

TEST(CurvedVolume, SameAnswersFromSeveralThreads) {
  std::mt19937_64 rng(71);
  std::normal_distribution<double> normal;
  const CurvedVolume<3> volume(3);
  std::vector<std::vector<double>> elements, steps;
  for (int e = 0; e < 200; ++e) {
    elements.push_back(as_doubles<3>(random_element<3>(3, 0.3, false, rng)));
    steps.emplace_back(elements.back().size());
    for (double& value : steps.back()) value = 50.0 * normal(rng);
  }
  const auto evaluate = [&] {
    std::vector<double> answers;
    for (std::size_t e = 0; e < elements.size(); ++e) {
      answers.push_back(volume.is_valid(elements[e]));
      answers.push_back(answers.back() != 0.0 ? volume.max_feasible_step(elements[e], steps[e]) : 0.0);
    }
    return answers;
  };
  const std::vector<double> alone = evaluate();
  std::vector<std::vector<double>> answers(4);
  std::vector<std::thread> threads;
  for (auto& answer : answers) threads.emplace_back([&] { answer = evaluate(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, alone);
}

}  // namespace
}  // namespace clearance
