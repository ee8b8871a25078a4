// `clearance verify` on curved elements: against closed forms and against the solver's check, with which it shares
// nothing but the order of the nodes.
#include "clearance/verify/curved_element.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include "clearance/geometry/curved_volume.h"
#include "clearance/geometry/lagrange.h"
#include "clearance/verify/frame.h"

namespace clearance::cli {

using namespace verify;
namespace {

using Coordinates = std::vector<double>;
using Point = std::array<double, 3>;

/// Returns nodes at map(u, v, w), where u, v, w are `order` times the coordinates l_1, l_2, l_3: integers. The element
/// equals a map of that degree exactly if its values there are exact.
template <class Map>
Coordinates make_element(int dim, int order, const Map& map) {
  Coordinates x;
  for (const NodeIndex& index : lagrange_nodes(dim, order)) {
    const Point at = map(index[1], index[2], index[3]);
    x.insert(x.end(), at.begin(), at.begin() + dim);
  }
  return x;
}

bool solver_is_valid(int dim, int order, const Coordinates& x) {
  return dim == 2 ? CurvedVolume<2>(order).is_valid(x) : CurvedVolume<3>(order).is_valid(x);
}

/// Returns the element with the opposite orientation.
Coordinates mirrored(int dim, Coordinates x) {
  for (std::size_t i = 0; i < x.size(); i += static_cast<std::size_t>(dim)) x[i] = -x[i];
  return x;
}

template <class Check>
void for_each_kind(const Check& check) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int order = 1; order <= max_order; ++order) {
      SCOPED_TRACE(::testing::Message() << "dim " << dim << ", order " << order);
      check(dim, order);
    }
  }
}

TEST(VerifyCurvedElement, StraightElementsHaveTheSignOfTheirVolume) {
  for_each_kind([](int dim, int order) {
    std::mt19937_64 rng(81);
    int num_valid = 0;
    for (int trial = 0; trial < 200; ++trial) {
      // Integer matrices: the nodes are exact, and so is the determinant.
      double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      for (int r = 0; r < dim; ++r) {
        for (int c = 0; c < dim; ++c) m[r][c] = static_cast<double>(rng() % 9) - 4;
      }
      const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
      const Coordinates x = make_element(dim, order, [&](double u, double v, double w) {
        Point at;
        for (std::size_t r = 0; r < 3; ++r) at[r] = 1000 + m[r][0] * u + m[r][1] * v + m[r][2] * w;
        return at;
      });
      EXPECT_EQ(is_valid_everywhere(dim, x), det > 0);
      num_valid += det > 0;
    }
    EXPECT_GT(num_valid, 50);
    EXPECT_LT(num_valid, 150);
  });
}

TEST(VerifyCurvedElement, SmallestDifferencesOfLargeProductsAreDecided) {
  for_each_kind([](int dim, int order) {
    std::mt19937_64 rng(84);
    for (int trial = 0; trial < 300; ++trial) {
      // a a - (a + 1) (a - 1) = 1, of numbers with up to 50 bits.
      const double a = static_cast<double>(rng() >> (14 + rng() % 40)), c = static_cast<double>(rng() >> 30);
      const double sign = static_cast<double>(trial % 3) - 1;
      const double m[3][3] = {{a, a + sign, c}, {a - 1, a - 1 + sign, -c}, {0, 0, 1}};
      const std::size_t turn = dim == 3 ? rng() % 3 : 0;
      const Coordinates x = make_element(dim, order, [&](double u, double v, double w) {
        Point at;
        for (std::size_t r = 0; r < 3; ++r) at[(r + turn) % 3] = m[r][0] * u + m[r][1] * v + m[r][2] * w;
        return at;
      });
      EXPECT_EQ(is_valid_everywhere(dim, x), sign > 0) << a;
    }
  });
}

/// Returns x = (z - z0)^2 in the plane (s, t): det = 4 |z - z0|^2 is zero at one point of the triangle. In space it
/// uses t + w instead of t and is zero at the point (s0, 0, 0) of an edge alone. Coordinates are times 3 * 2^16.
Coordinates square_map(int dim, int order, double s0, double t0) {
  return make_element(dim, order, [&](double u, double v, double w) {
    const double scale = 3 * 65536.0, s = scale * u - s0, t = scale * (v + w) - t0;
    return Point{s * s - t * t, 2 * s * t, w};
  });
}

TEST(VerifyCurvedElement, ZeroVolumeAtOnePointIsInversion) {
  for_each_kind([](int dim, int order) {
    if (order == 1) return;
    const double size = 3 * 65536.0 * order;
    // A third of an edge is no corner of any part.
    for (const double s0 : {0.0, 0.25 * size, size / 3, size}) {
      const Coordinates touching = square_map(dim, order, s0, 0);
      EXPECT_FALSE(is_valid_everywhere(dim, touching)) << s0;
      if (s0 == size) continue;
      // One unit off the edge, the smallest volume is 1e-11 of the largest. Inside there is a zero again, in space a
      // line.
      EXPECT_TRUE(is_valid_everywhere(dim, square_map(dim, order, s0, -1))) << s0;
      EXPECT_FALSE(is_valid_everywhere(dim, square_map(dim, order, s0, 1))) << s0;
      EXPECT_FALSE(is_valid_everywhere(dim, mirrored(dim, touching))) << s0;
    }
  });
}

/// Returns x_1 = U^3 + U (V^2 + W^2) + shift U about the centre of the element: det = 3 U^2 + V^2 + W^2 + shift.
Coordinates cubic_map(int dim, int order, double shift) {
  return make_element(dim, order, [&](double u, double v, double w) {
    const double scale = 8192.0 / 2, count = dim + 1;
    const double U = scale * (count * u - order), V = scale * (count * v - order);
    const double W = dim == 3 ? scale * (count * w - order) : 0.0;
    return Point{U * (U * U + V * V + W * W + shift), V, W};
  });
}

TEST(VerifyCurvedElement, InversionBetweenAllNodesAndQuadraturePointsIsSeen) {
  for (int dim = 2; dim <= 3; ++dim) {
    for (int order = 3; order <= max_order; ++order) {
      SCOPED_TRACE(::testing::Message() << "dim " << dim << ", order " << order);
      // The determinant is negative within 1e-4 of the element's size around its centre, which is no corner of any
      // part.
      EXPECT_TRUE(is_valid_everywhere(dim, cubic_map(dim, order, 1)));
      EXPECT_FALSE(is_valid_everywhere(dim, cubic_map(dim, order, 0)));
      EXPECT_FALSE(is_valid_everywhere(dim, cubic_map(dim, order, -1)));
      EXPECT_FALSE(is_valid_everywhere(dim, mirrored(dim, cubic_map(dim, order, 1))));
    }
  }
  // Order 2: det = 4 |z - z0|^2 - shift^2 of (z - z0)^2 + shift conj(z), around the point (1/3, 1/3).
  const auto conformal = [](double shift) {
    return make_element(2, 2, [&](double u, double v, double) {
      const double s = 65536.0 * (3 * u - 2), t = 65536.0 * (3 * v - 2);
      return Point{s * s - t * t + shift * s, 2 * s * t - shift * t, 0};
    });
  };
  for (const double shift : {0.0, 1.0, 256.0}) EXPECT_FALSE(is_valid_everywhere(2, conformal(shift))) << shift;
}

TEST(VerifyCurvedElement, WhatNeedsTooManyPartsIsNotValid) {
  // The determinant is 3 U^2 + 1: smallest on a whole plane, 1e-8 of the largest.
  for (int order = 3; order <= max_order; ++order) {
    const auto valley = [&](double shift) {
      return make_element(3, order, [&](double u, double v, double w) {
        const double U = 1024 * (3 * u - order);
        return Point{U * (U * U + shift), v, w};
      });
    };
    EXPECT_FALSE(is_valid_everywhere(3, valley(1)));
    EXPECT_TRUE(is_valid_everywhere(3, valley(1 << 20)));
  }
}

TEST(VerifyCurvedElement, ThinnestElementsOfDoublesAreDecided) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for_each_kind([](int dim, int order) {
    // The element is flat but for the last unit of one coordinate: valid, because heights are exact multiples of it.
    for (const double height : {tiny, -tiny, 0.0}) {
      for (const double width : {1.0, 0x1p900}) {
        const Coordinates x = make_element(dim, order, [&](double u, double v, double w) {
          return dim == 2 ? Point{width * u, height * v, 0} : Point{width * (u + w), width * (v - w), height * w};
        });
        EXPECT_EQ(is_valid_everywhere(dim, x), height > 0) << height << ' ' << width;
        // One node in the middle of the flat side, moved by that unit, reaches its neighbours.
        if (order < 2 || height <= 0) continue;
        Coordinates moved = x;
        const std::size_t size = dim;
        NodeIndex middle{};
        middle[0] = order - 1;
        middle[1] = 1;
        moved[static_cast<std::size_t>(lagrange_node(dim, order, middle)) * size + size - 1] += order * tiny;
        EXPECT_FALSE(is_valid_everywhere(dim, moved)) << width;
      }
    }
  });
}

TEST(VerifyCurvedElement, NothingButFiniteNodesOfAnOrderIsValid) {
  for_each_kind([](int dim, int order) {
    const Coordinates x = make_element(dim, order, [](double u, double v, double w) { return Point{u, v, w}; });
    ASSERT_TRUE(is_valid_everywhere(dim, x));
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        Coordinates broken = x;
        broken[i] = bad;
        EXPECT_FALSE(is_valid_everywhere(dim, broken));
      }
    }
    EXPECT_FALSE(is_valid_everywhere(dim, {x.data(), x.size() - 1}));
    EXPECT_FALSE(is_valid_everywhere(dim, {x.data(), x.size() - static_cast<std::size_t>(dim)}));
  });
}

// --- against the solver's check ---

/// Returns a corner simplex, bent.
Coordinates random_element(int dim, int order, double bend, std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Point corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (Point& corner : corners) {
    for (double& value : corner) value += 0.15 * normal(rng);
  }
  Coordinates x = make_element(dim, order, [&](double u, double v, double w) {
    const double l[4] = {1 - (u + v + w) / order, u / order, v / order, w / order};
    Point at{};
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 3; ++k) at[k] += l[i] * corners[i][k];
    }
    return at;
  });
  for (double& value : x) value += bend / (order * order) * normal(rng);
  return x;
}

/// Returns det dx/dxi at a point with these barycentrics, from the product formula of the shape functions; T: double,
/// or exact.
template <class T>
T volume_at(int dim, int order, const Coordinates& x, const Barycentrics& l) {
  const std::size_t num_corners = dim + 1;
  T m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t k = 0; k < num_corners - 1; ++k) m[k][k] = 0;
  std::size_t next = 0;
  for (const NodeIndex& index : lagrange_nodes(dim, order)) {
    T value[4], slope[4], by_corner[4];
    for (std::size_t i = 0; i < num_corners; ++i) {
      value[i] = 1;
      slope[i] = 0;
      for (int k = 0; k < index[i]; ++k) {
        const T factor = (order * T(l[i]) - k) / T(index[i] - k);
        slope[i] = slope[i] * factor + value[i] * order / T(index[i] - k);
        value[i] *= factor;
      }
    }
    for (std::size_t i = 0; i < num_corners; ++i) {
      by_corner[i] = slope[i];
      for (std::size_t j = 0; j < num_corners; ++j) {
        if (j != i) by_corner[i] *= value[j];
      }
    }
    for (std::size_t k = 0; k + 1 < num_corners; ++k, ++next) {
      for (std::size_t i = 1; i < num_corners; ++i) m[k][i - 1] += T(x[next]) * (by_corner[i] - by_corner[0]);
    }
  }
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Returns where the volume is smallest, as found by descent from the best of some points. Dyadic numbers: exact.
Barycentrics find_lowest(int dim, int order, const Coordinates& x) {
  constexpr int grid = 8;
  Barycentrics best{};
  double lowest = HUGE_VAL;
  const auto try_point = [&](const Barycentrics& l) {
    const double value = volume_at<double>(dim, order, x, l);
    if (value >= lowest) return false;
    lowest = value;
    best = l;
    return true;
  };
  for (int i = 0; i <= grid; ++i) {
    for (int j = 0; i + j <= grid; ++j) {
      for (int k = 0; i + j + k <= (dim == 3 ? grid : i + j); ++k) {
        try_point({1.0 - (i + j + k) / double{grid}, i / double{grid}, j / double{grid}, k / double{grid}});
      }
    }
  }
  const std::size_t num_corners = dim + 1;
  for (double step = 0.5 / grid; step > 0x1p-26; step *= 0.5) {
    for (bool is_lower = true; is_lower;) {
      is_lower = false;
      for (std::size_t i = 0; i < num_corners; ++i) {
        for (std::size_t j = 0; j < num_corners; ++j) {
          Barycentrics l = best;
          l[i] -= step;
          l[j] += step;
          if (i != j && l[i] >= 0) is_lower = try_point(l) || is_lower;
        }
      }
    }
  }
  return best;
}

/// Counts of elements that both have judged, and of those that only one calls valid.
struct Agreement {
  int num_elements = 0, num_valid = 0, num_solver_only = 0, num_verify_only = 0, num_inverted = 0;
  double largest_verify_only = 0.0;  ///< part of the motion up to the border that is left there

  enum class Answer { both, solver_only, verify_only, none };
  Answer compare(int dim, int order, const Coordinates& x) {
    const bool is_valid = is_valid_everywhere(dim, x), is_valid_for_solver = solver_is_valid(dim, order, x);
    ++num_elements;
    num_valid += is_valid;
    num_solver_only += is_valid_for_solver && !is_valid;
    num_verify_only += is_valid && !is_valid_for_solver;
    if (is_valid) return is_valid_for_solver ? Answer::both : Answer::verify_only;
    return is_valid_for_solver ? Answer::solver_only : Answer::none;
  }
};
using Answer = Agreement::Answer;

/// Moves along a random motion out of a valid element and halves the interval in which it becomes invalid.
void compare_along_motion(int dim, int order, std::mt19937_64& rng, Agreement& agreement) {
  std::normal_distribution<double> normal;
  const Coordinates x = random_element(dim, order, 0.1 * static_cast<double>(rng() % 4), rng);
  if (agreement.compare(dim, order, x) != Answer::both) return;
  Coordinates dx(x.size());
  const std::size_t size = static_cast<std::size_t>(dim), node = rng() % (x.size() / size);
  const bool is_one_node = rng() % 2 == 0;
  for (std::size_t i = 0; i < x.size(); ++i) dx[i] = is_one_node && i / size != node ? 0.0 : 0.2 * normal(rng);
  const auto moved = [&](double a) {
    Coordinates y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * dx[i];
    return y;
  };
  double valid = 0.0, invalid = 1.0, first_verify_only = HUGE_VAL;
  const auto is_valid_at = [&](double a) {
    const Answer answer = agreement.compare(dim, order, moved(a));
    if (answer == Answer::verify_only) first_verify_only = std::min(first_verify_only, a);
    return answer == Answer::both || answer == Answer::verify_only;
  };
  while (is_valid_at(invalid)) {
    valid = invalid;
    invalid *= 2.0;
    if (invalid > 1e3) return;
  }
  while (invalid - valid > 1e-12 * invalid) {
    const double middle = 0.5 * (valid + invalid);
    (is_valid_at(middle) ? valid : invalid) = middle;
  }
  agreement.largest_verify_only = std::max(agreement.largest_verify_only, 1.0 - first_verify_only / invalid);

  // The last element called valid is positive at the lowest point found; the first invalid one is often negative there.
  const auto is_positive = [&](const Coordinates& y, const Barycentrics& at) {
    return sgn(volume_at<mpq_class>(dim, order, y, at)) > 0;
  };
  const Coordinates inside = moved(valid), outside = moved(invalid);
  EXPECT_TRUE(is_positive(inside, find_lowest(dim, order, inside)));
  agreement.num_inverted += !is_positive(outside, find_lowest(dim, order, outside));
}

void check_agreement(int dim) {
  for (int order = 1; order <= max_order; ++order) {
    SCOPED_TRACE(::testing::Message() << "seed 82, dim " << dim << ", order " << order);
    // CLEARANCE_VERIFY_ELEMENTS sets the number of elements of all kinds.
    const char* wanted = std::getenv("CLEARANCE_VERIFY_ELEMENTS");
    const int num_elements = wanted != nullptr ? std::atoi(wanted) : dim == 3 && order > 2 ? 3000 : 10000;
    std::mt19937_64 rng(82);
    Agreement agreement;
    for (int trial = 0; trial < num_elements / 5; ++trial) {
      const double bend = std::pow(10.0, -2.0 + 20.0 * trial / num_elements);
      const Answer answer = agreement.compare(dim, order, random_element(dim, order, bend, rng));
      EXPECT_TRUE(answer == Answer::both || answer == Answer::none);
    }
    int num_motions = 0;
    for (; agreement.num_elements < num_elements; ++num_motions) compare_along_motion(dim, order, rng, agreement);
    std::printf(
        "dim %d, order %d: %d elements, %d valid, %d for verify alone (within %.1e of the border); %d motions, "
        "%d of them end where a negative volume is found\n",
        dim, order, agreement.num_elements, agreement.num_valid, agreement.num_verify_only,
        agreement.largest_verify_only, num_motions, agreement.num_inverted);
    // Verify never condemns what the solver lets pass.
    EXPECT_EQ(agreement.num_solver_only, 0);
    // If the volume is smallest on a whole surface, the solver tells 2^-10 from 0: its 8192 parts reach 2^-5 of the
    // size there.
    EXPECT_LT(agreement.largest_verify_only, 1e-2);
    EXPECT_GT(agreement.num_valid, 0.3 * num_elements);
    EXPECT_LT(agreement.num_valid, 0.7 * num_elements);
  }
}

TEST(VerifyCurvedElement, AgreesWithTheSolverInThePlaneAndNextToTheBorder) {
  check_agreement(2);
}

TEST(VerifyCurvedElement, AgreesWithTheSolverInSpaceAndNextToTheBorder) {
  check_agreement(3);
}

TEST(VerifyCurvedElement, AgreesWithTheSolverOnNumbersOfAllSizes) {
  for_each_kind([](int dim, int order) {
    std::mt19937_64 rng(83);
    Agreement agreement;
    const std::size_t size = static_cast<std::size_t>(dim);
    int num_valid = 0;
    for (int trial = 0; trial < 50; ++trial) {
      // Exact shears and powers of two per coordinate leave the verdict as it is.
      Coordinates x = random_element(dim, order, 0.2, rng), scaled = x;
      for (double& value : x) value = std::ldexp(std::round(std::ldexp(value, 20)), -20);
      const Answer answer = agreement.compare(dim, order, x);
      num_valid += answer == Answer::both;
      const std::size_t sheared = static_cast<std::size_t>(trial % dim), other = (sheared + 1) % size;
      for (std::size_t a = 0; a < x.size(); a += size) x[a + sheared] += 0x1p28 * x[a + other];
      EXPECT_EQ(agreement.compare(dim, order, x), answer);
      int exponents[3];
      for (int& exponent : exponents) exponent = static_cast<int>(rng() % 1900) - 950;
      for (std::size_t i = 0; i < x.size(); ++i) scaled[i] = std::ldexp(x[i], exponents[i % size]);
      EXPECT_EQ(agreement.compare(dim, order, scaled), answer);
      // A straight element has its nodes moved by numbers of all sizes; another has such numbers as nodes.
      Coordinates nearly_straight = random_element(dim, order, 0.0, rng), wild = x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        nearly_straight[i] += std::ldexp(x[i], -60 - static_cast<int>(rng() % 900));
        wild[i] = std::ldexp(static_cast<double>(rng() >> 11) - 0x1p52, static_cast<int>(rng() % 2000) - 1070);
      }
      agreement.compare(dim, order, nearly_straight);
      agreement.compare(dim, order, wild);
    }
    EXPECT_EQ(agreement.num_solver_only, 0);
    EXPECT_EQ(agreement.num_verify_only, 0);
    EXPECT_GT(num_valid, 10);
    EXPECT_GT(agreement.num_elements - agreement.num_valid, 15);
  });
}

// --- of frames ---

TEST(VerifyCurvedElement, FramesCountCurvedInversions) {
  // Three triangles of order 2: one sound, one turned over, and one whose corners are sound but not its inside.
  Frame frame;
  frame.mesh.dim = 2;
  frame.mesh.first_cell_node = {0};
  const auto add = [&](const Coordinates& x) {
    Mesh& mesh = frame.mesh;
    const int first = static_cast<int>(mesh.vertices.size());
    for (std::size_t a = 0; a < x.size(); a += 2) {
      mesh.cell_nodes.push_back(static_cast<int>(mesh.vertices.size()));
      mesh.vertices.emplace_back(x[a], x[a + 1], 0.0);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
    mesh.first_cell_node.push_back(static_cast<int>(mesh.cell_nodes.size()));
    frame.cell_body.push_back(0);
    frame.cell_is_obstacle.push_back(0);
  };
  const Coordinates sound = square_map(2, 2, -1, -1);
  add(sound);
  add(mirrored(2, sound));
  add(square_map(2, 2, 65536, 65536));
  VerifySurface surface;
  surface.vertex_body.assign(frame.mesh.vertices.size(), 0);
  surface.has_own.assign(1, 0);
  VerifyScene scene;
  scene.bodies.resize(1);
  scene.has_contact = false;
  const FrameVerdict verdict = verify_frame(frame, surface, scene);
  EXPECT_EQ(verdict.num_inversions, 2);
  ASSERT_EQ(verdict.offenses.size(), 2U);
  EXPECT_EQ(verdict.offenses[0].primitive_a, (std::vector<int>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(verdict.offenses[1].primitive_a, (std::vector<int>{12, 13, 14, 15, 16, 17}));
}

}  // namespace
}  // namespace clearance::cli
