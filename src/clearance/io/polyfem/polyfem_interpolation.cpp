#include "clearance/io/polyfem/polyfem_interpolation.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {
namespace {

enum class Extend { constant, extrapolate, repeat, repeat_offset };

// Coefficients of c_0 + s (c_1 + s (c_2 + s c_3)), where s is the time since the start of the piece.
using Cubic = std::array<double, 4>;

double slope_at_end(const Cubic& piece, double length) {
  return piece[1] + length * (2.0 * piece[2] + length * 3.0 * piece[3]);
}

/// Values at points, with the function between and beyond them.
class Pieces {
 public:
  Pieces(std::vector<double> points, std::vector<double> values, Extend extend)
      : points_(std::move(points)), values_(std::move(values)), extend_(extend) {}

  void set_constant() {
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) pieces_.push_back({values_[i], 0.0, 0.0, 0.0});
  }

  void set_linear() {
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) pieces_.push_back({values_[i], slope(i), 0.0, 0.0});
  }

  /// Sets the spline with continuous curvature. Its slope at both ends is zero where it stays constant, or equal at
  /// both where it repeats; its curvature there is zero where it is extrapolated.
  void set_cubic() {
    const auto n = static_cast<Eigen::Index>(points_.size()) - 1;
    MatX a = MatX::Zero(n + 1, n + 1);
    VecX b = VecX::Zero(n + 1);
    // Adds the curvature of a piece at its start or end to an equation, in terms of the slopes m at its ends.
    // Neighbouring pieces have equal curvatures where they meet.
    const auto add_start = [&](Eigen::Index row, Eigen::Index i, double sign) {
      const double h = length(i);
      a(row, i) -= sign * 4.0 / h;
      a(row, i + 1) -= sign * 2.0 / h;
      b[row] -= sign * 6.0 * slope(i) / h;
    };
    const auto add_end = [&](Eigen::Index row, Eigen::Index i, double sign) {
      const double h = length(i);
      a(row, i) += sign * 2.0 / h;
      a(row, i + 1) += sign * 4.0 / h;
      b[row] += sign * 6.0 * slope(i) / h;
    };
    for (Eigen::Index i = 1; i < n; ++i) {
      add_end(i, i - 1, 1.0);
      add_start(i, i, -1.0);
    }
    if (extend_ == Extend::constant) {
      a(0, 0) = a(n, n) = 1.0;
    } else if (extend_ == Extend::extrapolate) {
      add_start(0, 0, 1.0);
      add_end(n, n - 1, 1.0);
    } else {
      a(0, 0) = 1.0;
      a(0, n) = -1.0;
      add_end(n, n - 1, 1.0);
      add_start(n, 0, -1.0);
    }
    const VecX m = a.partialPivLu().solve(b);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double h = length(i), d = slope(i);
      pieces_.push_back(
          {values_[i], m[i], (3.0 * d - 2.0 * m[i] - m[i + 1]) / h, (m[i] + m[i + 1] - 2.0 * d) / (h * h)});
    }
  }

  std::string formula(const std::string& time) const {
    const double first = points_.front(), last = points_.back(), y_first = values_.front(), y_last = values_.back();
    const bool is_one = std::all_of(values_.begin(), values_.end(), [](double value) { return value == 1.0; });
    if (is_one && (extend_ != Extend::extrapolate || is_constant())) return "1";
    if (pieces_.empty()) return fmt::format("{}", y_first);  // a single point
    if (extend_ == Extend::constant || extend_ == Extend::extrapolate) {
      const bool is_straight = extend_ == Extend::extrapolate;
      const double at_start = is_straight ? pieces_.front()[1] : 0.0;
      const double at_end = is_straight ? slope_at_end(pieces_.back(), last - points_[points_.size() - 2]) : 0.0;
      return fmt::format("({} < {} ? {} : ({} < {} ? {} : {}))", time, first, line(time, first, y_first, at_start),
                         time, last, inside(time), line(time, last, y_last, at_end));
    }
    const std::string turns = fmt::format("floor(({} - {}) / {})", time, first, last - first);
    const std::string repeated = inside(fmt::format("({} - {} * {})", time, last - first, turns));
    if (extend_ == Extend::repeat || y_last == y_first) return repeated;
    return fmt::format("({} + {} * {})", repeated, y_last - y_first, turns);
  }

 private:
  double length(Eigen::Index i) const { return points_[i + 1] - points_[i]; }
  double slope(std::size_t i) const { return (values_[i + 1] - values_[i]) / (points_[i + 1] - points_[i]); }
  bool is_constant() const {
    return std::all_of(pieces_.begin(), pieces_.end(),
                       [](const Cubic& piece) { return piece[1] == 0.0 && piece[2] == 0.0 && piece[3] == 0.0; });
  }

  static std::string line(const std::string& time, double from, double value, double slope) {
    if (slope == 0.0) return fmt::format("{}", value);
    return fmt::format("({} + ({} - {}) * {})", value, time, from, slope);
  }

  std::string inside(const std::string& time) const {
    std::string text = piece(pieces_.size() - 1, time);
    for (std::size_t i = pieces_.size() - 1; i-- > 0;) {
      text = fmt::format("({} < {} ? {} : {})", time, points_[i + 1], piece(i, time), text);
    }
    return text;
  }
  std::string piece(std::size_t i, const std::string& time) const {
    const Cubic& c = pieces_[i];
    if (c[2] == 0.0 && c[3] == 0.0) return line(time, points_[i], c[0], c[1]);
    const std::string s = fmt::format("({} - {})", time, points_[i]);
    return fmt::format("({0} + {4} * ({1} + {4} * ({2} + {4} * {3})))", c[0], c[1], c[2], c[3], s);
  }

  std::vector<double> points_, values_;
  Extend extend_;
  std::vector<Cubic> pieces_;
};

std::optional<Extend> read_extend(const ForeignObject& from) {
  const std::string name = from.word("extend", "constant");
  if (name == "constant") return Extend::constant;
  if (name == "extrapolate") return Extend::extrapolate;
  if (name == "repeat") return Extend::repeat;
  if (name == "repeat_offset") return Extend::repeat_offset;
  from.error("extend", "expected constant, extrapolate, repeat or repeat_offset");
  return std::nullopt;
}

bool is_rising(const std::vector<double>& points) {
  const auto falls = [](double a, double b) { return !(a < b); };
  return std::adjacent_find(points.begin(), points.end(), falls) == points.end();
}

/// Reads a list of any number of numbers; empty if the value is not such a list.
std::vector<double> read_list(const ForeignObject& from, const char* key) {
  const Json* value = from.find(key);
  const bool is_list =
      value != nullptr && value->is_array() && std::all_of(value->begin(), value->end(), [](const Json& entry) {
        return entry.is_number() && std::isfinite(entry.get<double>());
      });
  return is_list ? value->get<std::vector<double>>() : std::vector<double>();
}

std::optional<std::string> read_pieces(const ForeignObject& from, const std::string& type, const std::string& time) {
  std::vector<double> points = read_list(from, "points"), values = read_list(from, "values");
  const std::optional<Extend> extend = read_extend(from);
  if (!extend) return std::nullopt;
  if (points.empty() || !is_rising(points)) {
    from.error("points", "expected times, each later than the one before");
    return std::nullopt;
  }
  if (values.size() != points.size()) {
    from.error("values", fmt::format("expected as many values as `points` ({})", points.size()));
    return std::nullopt;
  }
  Pieces pieces(std::move(points), std::move(values), *extend);
  if (type == "piecewise_constant") pieces.set_constant();
  if (type == "piecewise_linear") pieces.set_linear();
  if (type == "piecewise_cubic") pieces.set_cubic();
  return pieces.formula(time);
}

}  // namespace

std::optional<std::vector<double>> read_times(const ForeignObject& from, const char* key) {
  const Json* value = from.find(key);
  if (value == nullptr || value->empty()) return std::vector<double>();
  std::vector<double> times = read_list(from, key);
  if (!times.empty() && is_rising(times)) return times;
  from.error(key, "expected times, each later than the one before");
  return std::nullopt;
}

std::string piecewise_linear(std::vector<double> points, std::vector<double> values, const std::string& time) {
  Pieces pieces(std::move(points), std::move(values), Extend::constant);
  pieces.set_linear();
  return pieces.formula(time);
}

std::optional<std::string> read_interpolation(const ForeignObject& interpolation, const std::string& time) {
  const std::string type = interpolation.word("type", "none");
  if (type == "none") return "1";
  if (type == "linear") return time;
  if (type == "linear_ramp") {
    // The formula is that of PolyFEM, which jumps at `to` if `from` is not 0.
    const double from = interpolation.number("from", 0.0), to = interpolation.number("to", 1.0);
    return fmt::format("({0} < {2} ? max(0, {0} - {1}) : {2})", time, from, to);
  }
  if (type == "piecewise_constant" || type == "piecewise_linear" || type == "piecewise_cubic") {
    return read_pieces(interpolation, type, time);
  }
  interpolation.error("type", fmt::format("the interpolation {} is not supported yet", type));
  return std::nullopt;
}

}  // namespace clearance
