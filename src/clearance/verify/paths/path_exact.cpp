#include "clearance/verify/paths/path_exact.h"

#include <algorithm>
#include <array>
#include <vector>

namespace clearance::verify {
namespace {

/// Halvings of the part, at most: gaps of 1e-30 of the size of a pair are seen.
constexpr int max_depth = 100;

/// A polynomial of time t in [0, 1] with the coefficients c[k] of t^k (1 - t)^(degree - k): it is positive if all of
/// them are, and their sum has the sign of its value in the middle.
using Polynomial = std::vector<mpz_class>;
using Curve = std::array<Polynomial, 3>;
using Corners4 = std::array<Curve, 4>;

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) product[i + k] += a[i] * b[k];
  }
  return product;
}

Polynomial operator+(Polynomial a, const Polynomial& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
  return a;
}

Polynomial operator-(Polynomial a, const Polynomial& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
  return a;
}

bool is_positive(const Polynomial& a) {
  return std::all_of(a.begin(), a.end(), [](const mpz_class& coefficient) { return coefficient > 0; });
}

mpz_class middle_of(const Polynomial& a) {
  mpz_class sum;
  for (const mpz_class& coefficient : a) sum += coefficient;
  return sum;
}

Curve operator-(const Curve& a, const Curve& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Polynomial dot(const Curve& a, const Curve& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Curve cross(const Curve& a, const Curve& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Curve middle_of(const Curve& a) {
  return {Polynomial{middle_of(a[0])}, Polynomial{middle_of(a[1])}, Polynomial{middle_of(a[2])}};
}

Corners4 middle_of(const Corners4& x) {
  return {middle_of(x[0]), middle_of(x[1]), middle_of(x[2]), middle_of(x[3])};
}

class ExactPair {
 public:
  ExactPair(const PathPoints& points, Corners corners, std::size_t num_first, double gap, double bend)
      : ways_{ExactWay(points, corners[0]), ExactWay(points, corners[1]), ExactWay(points, corners[2]),
              ExactWay(points, corners[3])},
        num_first_(num_first),
        gap_(gap),
        bend_(bend) {
    if (bend > 0.0) rounding_ = mpq_class(1e-60);
  }

  PairVerdict run(double from, double to, int& num_left) const {
    struct Part {
      mpq_class begin, end;
      Places at_begin, at_end;
      int depth;
    };
    std::vector<Part> left = {{mpq_class(from), mpq_class(to), at(mpq_class(from)), at(mpq_class(to)), 0}};
    if (is_violated(left[0].at_begin)) return {PathVerdict::violated, from, true};
    if (is_violated(left[0].at_end)) return {PathVerdict::violated, to, true};
    while (!left.empty()) {
      const Part part = std::move(left.back());
      left.pop_back();
      const mpq_class length = part.end - part.begin, middle = (part.begin + part.end) / 2;
      if (is_apart(part.at_begin, part.at_end, gap_ + bend_ * length * length + rounding_)) continue;
      Places at_middle = at(middle);
      if (is_violated(at_middle)) return {PathVerdict::violated, middle.get_d(), true};
      if (--num_left <= 0 || part.depth == max_depth) {
        const bool passes = gap_ == 0 && orientation(part.at_begin) * orientation(part.at_end) < 0;
        return {passes ? PathVerdict::violated : PathVerdict::undecided, middle.get_d(), true};
      }
      left.push_back({middle, part.end, at_middle, part.at_end, part.depth + 1});
      left.push_back({part.begin, middle, part.at_begin, std::move(at_middle), part.depth + 1});
    }
    return {PathVerdict::proved, 0.0, true};
  }

 private:
  using Places = std::array<Rational, 4>;

  Places at(const mpq_class& s) const { return {ways_[0].at(s), ways_[1].at(s), ways_[2].at(s), ways_[3].at(s)}; }

  /// The corners on straight lines between two times, and the gap, in a unit of length that makes all of them integers.
  struct Scaled {
    Corners4 x;
    mpz_class needed;
  };
  /// `count` is the number of times: one or both.
  static Scaled scaled(const Places& at_begin, const Places& at_end, std::size_t count, const mpq_class& needed) {
    mpz_class unit = needed.get_den();
    const auto include = [&](const mpq_class& number) {
      if (number.get_den() > unit) unit = number.get_den();
    };
    const std::array<const Places*, 2> times = {&at_begin, &at_end};
    for (std::size_t k = 0; k < count; ++k) {
      for (const Rational& place : *times[k]) std::for_each(place.begin(), place.end(), include);
    }
    const auto to_integer = [&](const mpq_class& number) {
      return mpz_class(number.get_num() * (unit / number.get_den()));
    };
    Scaled result;
    result.needed = to_integer(needed);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t k = 0; k < count; ++k) result.x[i][c].push_back(to_integer((*times[k])[i][c]));
      }
    }
    return result;
  }

  /// True if the pair is farther apart than `needed` [m] between two times, seen along a direction that separates it in
  /// the middle, or one that is the pair's own at all times.
  bool is_apart(const Places& at_begin, const Places& at_end, const mpq_class& needed) const {
    const Scaled pair = scaled(at_begin, at_end, 2, needed);
    return is_separated(middle_of(pair.x), pair) || is_separated(pair.x, pair);
  }

  /// The direction between the nearest points of two primitives separates them if they are apart, so that none does if
  /// they are not.
  bool is_violated(const Places& places) const {
    const Scaled pair = scaled(places, places, 1, gap_);
    return !is_separated(pair.x, pair);
  }

  /// True if the pair is farther apart than needed, seen along the direction, which leads from the first primitive to
  /// the second.
  bool separates(const Curve& direction, const Scaled& pair) const {
    std::array<Polynomial, 4> along;
    for (std::size_t i = 0; i < 4; ++i) along[i] = dot(direction, pair.x[i]);
    // `along` shows the distance times |direction|. Squares of both have the same degree.
    Polynomial least;
    if (pair.needed > 0) {
      least = dot(direction, direction) * Polynomial{pair.needed * pair.needed};
      while (least.size() < 2 * along[0].size() - 1) least = least * Polynomial{1, 1};
    }
    for (std::size_t i = 0; i < num_first_; ++i) {
      for (std::size_t k = num_first_; k < 4; ++k) {
        const Polynomial seen = along[k] - along[i];
        if (!is_positive(seen) || (pair.needed > 0 && !is_positive(seen * seen - least))) return false;
      }
    }
    return true;
  }

  /// True if a direction between corners, sides and planes of the primitives at `x` separates the pair.
  bool is_separated(const Corners4& x, const Scaled& pair) const {
    const auto& [a, b, c, d] = x;
    const auto tries_normal = [&](const Curve& u, const Curve& v, const Curve& between) {
      Curve normal = cross(u, v);
      if (middle_of(dot(normal, between)) < 0) normal = cross(v, u);
      return separates(normal, pair);
    };
    // Part of `between` that is normal to a side, times the square of its length.
    const auto tries_side = [&](const Curve& side, const Curve& between) {
      return separates(cross(side, cross(between, side)), pair);
    };
    if (num_first_ == 1) {
      const Curve to_b = b - a, to_c = c - a, to_d = d - a;
      return tries_normal(c - b, d - b, to_b) || tries_side(c - b, to_b) || tries_side(d - c, to_c) ||
             tries_side(b - d, to_d) || separates(to_b, pair) || separates(to_c, pair) || separates(to_d, pair);
    }
    const Curve u = b - a, v = d - c, a_to_c = c - a, a_to_d = d - a, b_to_c = c - b;
    return tries_normal(u, v, a_to_c) || tries_side(v, a_to_c) || tries_side(v, b_to_c) || tries_side(u, a_to_c) ||
           tries_side(u, a_to_d) || separates(a_to_c, pair) || separates(a_to_d, pair) || separates(b_to_c, pair) ||
           separates(d - b, pair);
  }

  /// Sign of the volume of the four corners: it changes where the pair goes through itself.
  static int orientation(const Places& places) {
    const auto [a, b, c, d] = scaled(places, places, 1, 0).x;
    return sgn(middle_of(dot(b - a, cross(c - a, d - a))));
  }

  std::array<ExactWay, 4> ways_;
  std::size_t num_first_;
  mpq_class gap_, bend_;
  mpq_class rounding_ = 0;  // [m] more than that of positions on screws
};

}  // namespace

PairVerdict decide_pair_exactly(const PathPoints& points, Corners corners, std::size_t num_first, double gap,
                                double bend, double from, double to, int& num_left) {
  return ExactPair(points, corners, num_first, gap, bend).run(from, to, num_left);
}

}  // namespace clearance::verify
