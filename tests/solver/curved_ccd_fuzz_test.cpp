// Curved CCD against exact arithmetic and refined intervals, on random and on degenerate pairs.
#include <gtest/gtest.h>

#include <time.h>

#include <optional>
#include <random>
#include <string>

#include "clearance/ccd/separating_direction.h"
#include "clearance/geometry/distance.h"
#include "clearance/math/interval.h"
#include "clearance/math/rotation.h"
#include "clearance/solver/curved_ccd.h"
#include "solver/turning_twin.h"
#include "support/environment.h"

namespace clearance {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
/// Processor time of this thread [s], the least of three if it is long, so that tests do not depend on other load of
/// the machine.
template <class Query>
double seconds_of(const Query& query) {
  double least = infinity;
  for (int i = 0; i < 3 && least > 0.002; ++i) {
    const double before = thread_seconds();
    query();
    least = std::min(least, thread_seconds() - before);
  }
  return least;
}

using ExactVector = std::array<mpq_class, 3>;
ExactVector exact(const Vec<3>& x) {
  return {mpq_class(x[0]), mpq_class(x[1]), mpq_class(x[2])};
}
ExactVector operator+(const ExactVector& a, const ExactVector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
ExactVector operator-(const ExactVector& a, const ExactVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
ExactVector operator*(const mpq_class& s, const ExactVector& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
mpq_class dot(const ExactVector& a, const ExactVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// Exact squared distance of a point from an edge.
mpq_class exact_distance_sq(const ExactVector& p, const ExactVector& e0, const ExactVector& e1) {
  const ExactVector e = e1 - e0;
  const mpq_class length_sq = dot(e, e);
  mpq_class part = sgn(length_sq) == 0 ? mpq_class(0) : mpq_class(dot(p - e0, e) / length_sq);
  if (part < 0) part = 0;
  if (part > 1) part = 1;
  const ExactVector apart = p - e0 - part * e;
  return dot(apart, apart);
}

/// Two primitives, each on a screw of its own.
struct Turning {
  int dim = 3;
  SurfacePath path;
  PrimitivePair pair;
  std::array<turning_twin::Turn, 2> turns;  // of the exact twin: about coordinate axes
  double angle = 0.0;                       // [rad] that the twin's bodies turn by

  int num_vertices() const { return dim + 1; }
  const Screw& screw_of(int vertex) const { return path.screws[vertex < pair.num_first ? 0 : 1]; }
  Vec<3> start(int vertex) const {
    Vec<3> x = Vec<3>::Zero();
    x.head(dim) = path.x_t0.segment(dim * vertex, dim);
    return x;
  }

  void set(int dimension, const std::array<Vec<3>, 4>& x, int num_first, const std::array<Screw, 2>& screws) {
    dim = dimension;
    pair = {{0, 1, 2, dim == 2 ? -1 : 3}, num_first};
    path = {};
    path.x_t0.resize(dim * num_vertices());
    path.x_t1.resize(dim * num_vertices());
    path.screws = {screws[0], screws[1]};
    for (int v = 0; v < num_vertices(); ++v) {
      path.screw_of_vertex.push_back(v < num_first ? 0 : 1);
      path.x_t0.segment(dim * v, dim) = x[v].head(dim);
      if (dim == 2) {
        block<2>(path.x_t1, v) = Vec<2>(path.position<2>(v, 1.0));
      } else {
        block<3>(path.x_t1, v) = Vec<3>(path.position<3>(v, 1.0));
      }
      const Vec<3> arm = start(v) - screw_of(v).center;
      path.deviation.push_back(0.125 * (1.0 + 1e-12) * screw_of(v).turn.norm() * screw_of(v).turn.cross(arm).norm());
    }
  }

  Vec<3> position(int v, double s) const {
    if (dim == 3) return path.position<3>(v, s);
    const Vec<2> x = path.position<2>(v, s);
    return {x[0], x[1], 0.0};
  }
  double distance(double s) const {
    std::array<Vec<3>, 4> x;
    for (int v = 0; v < num_vertices(); ++v) x[v] = position(v, s);
    if (dim == 2) return std::sqrt(point_edge_distance_sq<3>(x[0], x[1], x[2]));
    return std::sqrt(pair.num_first == 1 ? point_triangle_distance_sq(x[0], x[1], x[2], x[3])
                                         : edge_edge_distance_sq(x[0], x[1], x[2], x[3]));
  }
  /// Returns the same for two edges, without rounding: the error of the formula is rounding over the sine of their
  /// angle.
  double exact_edge_distance(double s) const {
    std::array<ExactVector, 4> x;
    for (int v = 0; v < 4; ++v) x[v] = exact(position(v, s));
    mpq_class least = std::min({exact_distance_sq(x[0], x[2], x[3]), exact_distance_sq(x[1], x[2], x[3]),
                                exact_distance_sq(x[2], x[0], x[1]), exact_distance_sq(x[3], x[0], x[1])});
    const ExactVector a = x[1] - x[0], b = x[3] - x[2], d = x[2] - x[0];
    const mpq_class aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), determinant = aa * bb - ab * ab;
    if (sgn(determinant) != 0) {
      const mpq_class ad = dot(a, d), bd = dot(b, d);
      const mpq_class of_a = (ad * bb - ab * bd) / determinant, of_b = (ab * ad - aa * bd) / determinant;
      if (of_a >= 0 && of_a <= 1 && of_b >= 0 && of_b <= 1) {
        const ExactVector apart = d + of_b * b - of_a * a;
        least = std::min(least, mpq_class(dot(apart, apart)));
      }
    }
    return std::sqrt(least.get_d());
  }
  double rounding() const { return dim == 2 ? rounding_on_path<2>(path, pair) : rounding_on_path<3>(path, pair); }
  /// Returns a direction that may separate the pair at s: evidence for others to check.
  Vec<3> direction(double s) const {
    std::array<Vec<3>, 4> x;
    for (int v = 0; v < num_vertices(); ++v) x[v] = position(v, s);
    if (dim == 2) {
      const Vec<2> n = find_separating_direction<2, 2>({(x[0] - x[1]).head<2>(), (x[0] - x[2]).head<2>()}).n;
      return {n[0], n[1], 0.0};
    }
    if (pair.num_first == 1) return find_separating_direction<3, 3>({x[0] - x[1], x[0] - x[2], x[0] - x[3]}).n;
    return find_separating_direction<3, 4>({x[0] - x[2], x[1] - x[2], x[1] - x[3], x[0] - x[3]}).n;
  }
  CcdResult solve(const CcdOptions& options) const {
    return dim == 2 ? curved_ccd<2>(path, pair, options) : curved_ccd<3>(path, pair, options);
  }
};

/// Draws pairs of all kinds, half of them degenerate.
class Adversary {
 public:
  explicit Adversary(unsigned seed) : rng_(seed) {}

  /// Draws turns about coordinate axes by the same angle, for the exact twin. Both bodies may also be carried along
  /// together, which changes nothing between them.
  Turning next_for_twin() {
    choose_primitives();
    Turning turning;
    turning.angle = choose_angle();
    std::array<Screw, 2> screws;
    const int same_axis = pick(3);
    for (std::size_t b = 0; b < 2; ++b) {
      turning_twin::Turn& turn = turning.turns[b];
      turn.sign = pick(4) == 0 ? 0 : pick(2) == 0 ? 1 : -1;
      if (b == 1 && turning.turns[0].sign == 0 && turn.sign == 0) turn.sign = 1;
      turn.axis = dim_ == 2 ? 2 : axis_ >= 0 ? axis_ : pick(2) == 0 ? same_axis : pick(3);
      turn.center = choose_center(b);
      screws[b].center = turn.center;
      screws[b].turn[turn.axis] = turn.sign * turning.angle;
    }
    // The bodies turn together, as one or about two axes.
    if (pick(6) == 0) {
      turning.turns[1].sign = turning.turns[0].sign = 1;
      turning.turns[1].axis = turning.turns[0].axis;
      if (pick(2) == 0) turning.turns[1].center = turning.turns[0].center;
      for (std::size_t b = 0; b < 2; ++b) {
        screws[b] = {turning.turns[b].center, Vec<3>::Zero(), Vec<3>::Zero()};
        screws[b].turn[turning.turns[b].axis] = turning.angle;
      }
    }
    if (pick(4) == 0) screws[0].shift = screws[1].shift = scale_ * in_plane(any());
    turning.set(dim_, x_, num_first_, screws);
    return turning;
  }

  /// Draws any screws, with gaps that intervals can resolve.
  Turning next_for_intervals() {
    choose_primitives();
    std::array<Screw, 2> screws;
    for (std::size_t b = 0; b < 2; ++b) {
      screws[b].center = choose_center(b);
      screws[b].shift = uniform() < 0.3 ? Vec<3>(Vec<3>::Zero()) : Vec<3>(scale_ * in_plane(any()));
      screws[b].turn = choose_angle() * any();
      if (dim_ == 2) screws[b].turn.head<2>().setZero();
    }
    Turning turning;
    turning.set(dim_, x_, num_first_, screws);
    return turning;
  }

  int pick(int count) { return static_cast<int>(uniform() * count) % count; }
  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(rng_); }

 private:
  Vec<3> any() { return {2.0 * uniform() - 1.0, 2.0 * uniform() - 1.0, 2.0 * uniform() - 1.0}; }
  Vec<3> in_plane(Vec<3> v) const {
    if (dim_ == 2) v[2] = 0.0;
    return v;
  }

  double choose_angle() {
    constexpr double pi = 3.141592653589793;
    switch (pick(8)) {
      case 0:
        return std::pow(10.0, -8.0 * uniform());
      case 1:
        return 7.0 * uniform() + 0.1;
      case 2:
        return pi * (1 + pick(3));
      case 3:
        return 10.0 * uniform() + 0.1;
      default:
        return uniform() + 1e-3;
    }
  }

  Vec<3> choose_center(std::size_t body) {
    const Vec<3>& own = x_[body == 0 ? 0 : static_cast<std::size_t>(num_first_)];
    switch (pick(8)) {
      case 0:
        return own;
      case 1:
        return x_[pick(dim_ + 1)];
      case 2:
        return contact_;
      case 3:
        return contact_ + 30.0 * scale_ * in_plane(any());
      default:
        return contact_ + scale_ * in_plane(any());
    }
  }

  /// Chooses the vertices of a pair, on its scale and around its place, and their distance.
  void choose_primitives() {
    dim_ = pick(5) == 0 ? 2 : 3;
    num_first_ = dim_ == 2 || pick(2) == 0 ? 1 : 2;
    scale_ = std::pow(10.0, 6.0 * uniform() - 3.0);
    axis_ = -1;
    place_ = pick(6) == 0   ? Vec<3>(in_plane(1e3 * scale_ * any()))
             : pick(2) == 0 ? Vec<3>(Vec<3>::Zero())
                            : Vec<3>(in_plane(scale_ * any()));
    for (Vec<3>& x : x_) x = in_plane(any());
    contact_ = in_plane(any());
    if (pick(2) == 0) {
      choose_touching();
    } else {
      // The primitives are apart, as a rule.
      for (int v = 0; v < num_first_; ++v) x_[v][0] += 2.5 * uniform();
    }
    for (Vec<3>& x : x_) x = rounded(place_ + scale_ * x);
    contact_ = rounded(place_ + scale_ * contact_);
  }

  /// Chooses primitives with a tiny gap, in general position or as faces and edges that lie on each other.
  void choose_touching() {
    const double gap = std::pow(10.0, -14.0 * uniform());
    // Faces lie in a plane across an axis, which is the axis of the turn: bodies that turn on a table.
    const bool is_flat = dim_ == 3 && pick(2) == 0;
    if (dim_ == 2) {
      const Vec<3> e = x_[2] - x_[1];
      contact_ = x_[1] + edge_place() * e;
      x_[0] = contact_ + gap * Vec<3>(-e[1], e[0], 0.0).normalized();
    } else if (num_first_ == 1) {
      if (is_flat) {
        axis_ = pick(3);
        for (int v = 1; v < 4; ++v) x_[v][axis_] = 0.0;
      }
      const Vec<3> e1 = x_[2] - x_[1], e2 = x_[3] - x_[1];
      double u = edge_place(), v = edge_place();
      if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
      contact_ = x_[1] + u * e1 + v * e2;
      x_[0] = contact_ + gap * Vec<3>(e1.cross(e2)).normalized();
    } else {
      Vec<3> a = x_[1] - x_[0], b = x_[3] - x_[2];
      const int kind = pick(4);
      if (kind == 0) b = a + std::pow(10.0, -12.0 * uniform()) * any();  // nearly parallel
      if (kind == 1) b = a;
      if (is_flat) {
        axis_ = pick(3);
        a[axis_] = b[axis_] = 0.0;
      }
      Vec<3> n = a.cross(b);
      if (!(n.norm() > 1e-8)) n = a.cross(any());
      n.normalize();
      contact_ = x_[0] + edge_place() * a;
      x_[1] = x_[0] + a;
      x_[2] = contact_ - edge_place() * b + gap * n;
      x_[3] = x_[2] + b;
    }
    if (pick(3) == 0) axis_ = -1;
  }
  double edge_place() {
    const int kind = pick(6);
    return kind == 0 ? 0.0 : kind == 1 ? 1.0 : uniform();
  }
  /// Returns a multiple of the unit of the twin's integers, so that it is exact there.
  static Vec<3> rounded(const Vec<3>& x) {
    return x.unaryExpr([](double c) { return std::abs(c) < 1e-30 ? 0.0 : c; });
  }

  std::mt19937_64 rng_;
  int dim_ = 3, num_first_ = 1, axis_ = -1;
  double scale_ = 1.0;
  Vec<3> place_ = Vec<3>::Zero(), contact_ = Vec<3>::Zero();
  std::array<Vec<3>, 4> x_;
};

/// Decides by exact arithmetic, one quarter turn after the other, if there is an impact before `toi`.
turning_twin::Verdict judge_exactly(const Turning& turning, double toi) {
  using turning_twin::Verdict;
  constexpr int most_intervals = 1000;
  const long double quarter = 1.57079632679489661923132169163975144L;
  const long double all = static_cast<long double>(turning.angle) * toi;
  for (int k = 0; k * quarter < all; ++k) {
    const bool is_last = (k + 1) * quarter >= all;
    const auto end = is_last ? std::nextafter(static_cast<double>(std::tan(0.5L * (all - k * quarter))), 0.0) : 1.0;
    if (!(end > 0.0)) continue;
    std::array<turning_twin::Point, 4> x;
    for (int v = 0; v < turning.num_vertices(); ++v) {
      const std::size_t body = v < turning.pair.num_first ? 0 : 1;
      x[v] = turning_twin::position(turning.start(v), turning.turns[body], k);
    }
    const auto direction = [&](double part) -> Vec<3> {
      const auto angle = static_cast<double>(k * quarter) + 2.0 * std::atan(part * end);
      return turning.direction(angle / turning.angle);
    };
    const Verdict verdict =
        turning_twin::Piece::judge(x, turning.dim, turning.pair.num_first, end, direction, most_intervals);
    if (verdict != Verdict::apart) return verdict;
  }
  return Verdict::apart;
}

using IntervalPoint = std::array<Interval, 3>;

/// Returns bounds of the position of a vertex during `time`, or of its velocity: on its screw in real arithmetic.
IntervalPoint interval_position(const Turning& turning, int v, const Interval& time, bool is_rate) {
  const Screw& screw = turning.screw_of(v);
  const Vec<3> x = turning.start(v);
  std::array<Interval, 3> arm, w, once, twice;
  Interval angle_sq;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto k = static_cast<Eigen::Index>(c);
    arm[c] = Interval(x[k]) - Interval(screw.center[k]);
    w[c] = Interval(screw.turn[k]);
    angle_sq += square(w[c]);
  }
  const auto product = [](const IntervalPoint& a, const IntervalPoint& b) {
    return IntervalPoint{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  once = product(w, arm);
  twice = product(w, once);
  // exp(time [w]) arm = arm + sin / angle [w] arm + (1 - cos) / angle^2 [w]^2 arm
  const Interval angle = sqrt(angle_sq), turned = angle * time, half = Interval(0.5) * turned;
  IntervalPoint p;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto k = static_cast<Eigen::Index>(c);
    if (is_rate) {
      p[c] = Interval(screw.shift[k]) + cos(turned) * once[c] + time * sinc(turned) * twice[c];
    } else {
      p[c] = Interval(screw.center[k]) + time * Interval(screw.shift[k]) + arm[c] + time * sinc(turned) * once[c] +
             Interval(0.5) * square(time * sinc(half)) * twice[c];
    }
  }
  return p;
}

/// Decides if the distance is above `separation` until `end`. Uses directions at the middle, values there and rates
/// throughout, and halves the interval until that decides. Returns nothing if it takes too many intervals.
std::optional<bool> stays_apart_by_intervals(const Turning& turning, double separation, double end, int most) {
  const int num_first = turning.pair.num_first;
  std::vector<std::array<double, 2>> open = {{0.0, end}};
  for (int count = 0; !open.empty(); ++count) {
    if (count > most) return std::nullopt;
    const auto [begin, stop] = open.back();
    open.pop_back();
    const Interval time(begin, stop);
    const double middle = 0.5 * (begin + stop);
    const Vec<3> n = turning.direction(middle);
    Interval length_sq;
    for (int c = 0; c < 3; ++c) length_sq += square(Interval(n[c]));
    const Interval wanted = Interval(separation) * sqrt(length_sq);
    std::array<Interval, 4> value, rate;
    for (int v = 0; v < turning.num_vertices(); ++v) {
      const IntervalPoint at = interval_position(turning, v, Interval(middle), false),
                          moving = interval_position(turning, v, time, true);
      for (std::size_t c = 0; c < 3; ++c) {
        const Interval along(n[static_cast<Eigen::Index>(c)]);
        value[v] += along * at[c];
        rate[v] += along * moving[c];
      }
    }
    bool is_apart = true;
    for (int i = 0; i < num_first; ++i) {
      for (auto j = static_cast<std::size_t>(num_first); j < static_cast<std::size_t>(turning.num_vertices()); ++j) {
        const Interval along = value[i] - value[j] + (rate[i] - rate[j]) * (time - Interval(middle));
        is_apart = is_apart && along.lo > wanted.hi;
      }
    }
    if (is_apart) continue;
    // In such a short interval, the bounds of positions are as wide as rounding makes them: the distance there decides.
    if (stop - begin < 1e-12 * end) {
      if (turning.distance(middle) > separation + turning.rounding()) return std::nullopt;
      return false;
    }
    open.push_back({middle, stop});
    open.push_back({begin, middle});
  }
  return true;
}

struct Counts {
  long pairs = 0, impacts = 0, exhausted = 0, tiny_gaps = 0, undecided = 0, without_time = 0;
  double longest = 0.0;  // [s]
  std::string failures;

  void fail(unsigned seed, int i, const std::string& what) {
    if (failures.size() < 2000)
      failures += "seed " + std::to_string(seed) + " pair " + std::to_string(i) + ": " + what + "\n";
  }
  void note(const CcdResult& result, double gap, double seconds) {
    ++pairs;
    if (result.status == CcdStatus::impact) ++impacts;
    if (result.status == CcdStatus::budget_exhausted) ++exhausted;
    if (gap < 1e-9) ++tiny_gaps;
    longest = std::max(longest, seconds);
  }
  void print(const char* what) const {
    std::printf(
        "%s: %ld pairs, %ld impacts, %ld with a gap below 1e-9 m, %ld with the budget used up, %ld undecided, %ld "
        "without time, longest "
        "query %.3f ms\n",
        what, pairs, impacts, tiny_gaps, exhausted, undecided, without_time, 1e3 * longest);
  }
};

CcdOptions options_of_solver(Adversary& adversary) {
  CcdOptions options;
  options.gap_fraction = adversary.pick(2) == 0 ? 0.2 : 0.0;
  options.max_iterations = 20000;
  return options;
}

/// CLEARANCE_FUZZ_TURNS sets the number of pairs, CLEARANCE_FUZZ_FIRST the first seed, of 1000 pairs each.
int num_pairs(int otherwise) {
  return static_cast<int>(number_from_environment("CLEARANCE_FUZZ_TURNS", otherwise));
}
unsigned first_seed() {
  return static_cast<unsigned>(number_from_environment("CLEARANCE_FUZZ_FIRST", 1));
}

/// Checks the contract for any pair: the promised part of the gap is left, and a pair that starts apart gets, as a
/// rule, a time that is not zero.
void check_gap(const Turning& turning, const CcdOptions& options, const CcdResult& result, unsigned seed, int i,
               Counts& counts) {
  const double gap = turning.distance(0.0) - options.min_separation, rounding = turning.rounding();
  // A time of zero is safe, but makes no progress: where edges are nearly parallel, no direction may be good enough.
  if (result.toi == 0.0 && gap > 4.0 * rounding) ++counts.without_time;
  const double kept = options.min_separation + std::max(0.0, options.gap_fraction * gap - rounding);
  for (int k = 0; k <= 8; ++k) {
    const double time = result.toi * k / 8.0;
    if (turning.distance(time) >= kept - rounding) continue;
    const bool is_edges = turning.dim == 3 && turning.pair.num_first == 2;
    if (!is_edges || turning.exact_edge_distance(time) < kept - rounding)
      counts.fail(seed, i, "less than the kept gap");
  }
}

}  // namespace

TEST(CurvedCcdFuzz, IsNeverLaterThanTheImpactByExactPolynomials) {
  const int count = num_pairs(20000);
  Counts counts;
  for (int begin = 0; begin < count; begin += 1000) {
    const unsigned seed = static_cast<unsigned>(begin / 1000) + first_seed();
    Adversary adversary(seed);
    for (int i = 0; i < std::min(1000, count - begin); ++i) {
      const Turning turning = adversary.next_for_twin();
      const CcdOptions options = options_of_solver(adversary);
      CcdResult result;
      const double seconds = seconds_of([&] { result = turning.solve(options); });
      counts.note(result, turning.distance(0.0), seconds);
      check_gap(turning, options, result, seed, i, counts);
      const turning_twin::Verdict verdict = judge_exactly(turning, result.toi);
      if (verdict == turning_twin::Verdict::met) counts.fail(seed, i, "late");
      if (verdict == turning_twin::Verdict::unknown) ++counts.undecided;
    }
  }
  counts.print("exact polynomials");
  EXPECT_EQ(counts.failures, "");
  EXPECT_GT(counts.impacts, counts.pairs / 10);
  EXPECT_GT(counts.tiny_gaps, counts.pairs / 10);
  EXPECT_LT(counts.undecided, counts.pairs / 20);
  EXPECT_LT(counts.exhausted, counts.pairs / 50);
  EXPECT_LT(counts.without_time, counts.pairs / 50);
  EXPECT_LT(counts.longest, 0.01);
}

TEST(CurvedCcdFuzz, KeepsTheSeparationOnAnyScrewByRefinedIntervals) {
  const int count = num_pairs(50000) / 10;
  Counts counts;
  for (int begin = 0; begin < count; begin += 1000) {
    const unsigned seed = static_cast<unsigned>(begin / 1000) + first_seed();
    Adversary adversary(seed + 1000000);
    for (int i = 0; i < std::min(1000, count - begin); ++i) {
      const Turning turning = adversary.next_for_intervals();
      CcdOptions options = options_of_solver(adversary);
      const double gap = turning.distance(0.0);
      if (adversary.pick(3) == 0) options.min_separation = 0.5 * gap * adversary.uniform();
      CcdResult result;
      const double seconds = seconds_of([&] { result = turning.solve(options); });
      counts.note(result, gap, seconds);
      check_gap(turning, options, result, seed, i, counts);
      if (result.toi == 0.0) continue;
      const std::optional<bool> verdict = stays_apart_by_intervals(turning, options.min_separation, result.toi, 2000);
      if (!verdict) ++counts.undecided;
      if (verdict && !*verdict) {
        counts.fail(seed, i,
                    "late: gap " + std::to_string(std::log10(gap)) + " log10, rounding " +
                        std::to_string(std::log10(turning.rounding())) + " log10, time " + std::to_string(result.toi));
      }
    }
  }
  counts.print("refined intervals");
  EXPECT_EQ(counts.failures, "");
  EXPECT_LT(counts.undecided, counts.pairs / 2);
  EXPECT_LT(counts.without_time, counts.pairs / 20);
  EXPECT_LT(counts.longest, 0.01);
}

}  // namespace clearance
