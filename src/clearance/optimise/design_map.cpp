#include "clearance/optimise/design_map.h"

#include <fmt/format.h>

#include <cmath>

#include "clearance/math/elementary.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;

/// A map of each number alone.
class NumberwiseMap : public MapStep {
 public:
  std::optional<Index> size_of_result(Index size) const override { return size; }
  std::string expected() const override { return "any number of numbers"; }
};

class ExpMap final : public NumberwiseMap {
 public:
  ExpMap(Index from, Index to) : from_(from), to_(to) {}
  std::optional<Index> size_of_result(Index size) const override {
    return from_ <= to_of(size) && to_of(size) <= size ? std::optional(size) : std::nullopt;
  }
  std::string expected() const override { return fmt::format("at least {} numbers", std::max(from_, to_)); }
  VecX apply(const VecX& x) const override {
    VecX y = x;
    for (Index i = from_; i < to_of(x.size()); ++i) y[i] = elementary::exp(x[i]);
    return y;
  }
  VecX pull_back(const VecX& x, const VecX& dy) const override {
    VecX dx = dy;
    for (Index i = from_; i < to_of(x.size()); ++i) dx[i] *= elementary::exp(x[i]);
    return dx;
  }
  std::optional<VecX> invert(const VecX& y) const override {
    VecX x = y;
    for (Index i = from_; i < to_of(y.size()); ++i) {
      if (!(y[i] > 0.0)) return std::nullopt;
      x[i] = elementary::log(y[i]);
    }
    return x;
  }

 private:
  Index to_of(Index size) const { return to_ < 0 ? size : to_; }
  Index from_, to_;  // to_ < 0: all
};

class ScaleMap final : public NumberwiseMap {
 public:
  explicit ScaleMap(double factor) : factor_(factor) {}
  VecX apply(const VecX& x) const override { return factor_ * x; }
  VecX pull_back(const VecX& /*x*/, const VecX& dy) const override { return factor_ * dy; }
  std::optional<VecX> invert(const VecX& y) const override { return y / factor_; }

 private:
  double factor_;
};

class PowerMap final : public NumberwiseMap {
 public:
  explicit PowerMap(double power) : power_(power) {}
  VecX apply(const VecX& x) const override { return power_of_each(x, power_); }
  VecX pull_back(const VecX& x, const VecX& dy) const override {
    return power_ * power_of_each(x, power_ - 1.0).cwiseProduct(dy);
  }
  std::optional<VecX> invert(const VecX& y) const override { return power_of_each(y, 1.0 / power_); }

 private:
  static VecX power_of_each(const VecX& x, double power) {
    return x.unaryExpr([power](double number) { return elementary::pow(number, power); });
  }
  double power_;
};

class SliceMap final : public MapStep {
 public:
  SliceMap(Index from, Index to) : from_(from), to_(to) {}
  std::optional<Index> size_of_result(Index size) const override {
    return to_ <= size ? std::optional(to_ - from_) : std::nullopt;
  }
  std::string expected() const override { return fmt::format("at least {} numbers", to_); }
  VecX apply(const VecX& x) const override { return x.segment(from_, to_ - from_); }
  VecX pull_back(const VecX& x, const VecX& dy) const override {
    VecX dx = VecX::Zero(x.size());
    dx.segment(from_, to_ - from_) = dy;
    return dx;
  }
  std::optional<VecX> invert(const VecX& /*y*/) const override { return std::nullopt; }

 private:
  Index from_, to_;
};

class AppendMap final : public MapStep {
 public:
  AppendMap(std::vector<double> values, Index start) : values_(std::move(values)), start_(start) {}
  std::optional<Index> size_of_result(Index size) const override {
    return start_ <= size ? std::optional(size + added()) : std::nullopt;
  }
  std::string expected() const override { return fmt::format("at least {} numbers", start_); }
  VecX apply(const VecX& x) const override {
    const Index at = start_of(x.size());
    VecX y(x.size() + added());
    y << x.head(at), Eigen::Map<const VecX>(values_.data(), added()), x.tail(x.size() - at);
    return y;
  }
  VecX pull_back(const VecX& x, const VecX& dy) const override { return without(x.size(), dy); }
  std::optional<VecX> invert(const VecX& y) const override {
    if (y.size() < added() + std::max<Index>(start_, 0)) return std::nullopt;
    return without(y.size() - added(), y);
  }

 private:
  Index added() const { return static_cast<Index>(values_.size()); }
  Index start_of(Index size) const { return start_ < 0 ? size : start_; }
  /// Returns what is left of y without the constants, which is `size` numbers.
  VecX without(Index size, const VecX& y) const {
    const Index at = start_of(size);
    VecX x(size);
    x << y.head(at), y.tail(size - at);
    return x;
  }
  std::vector<double> values_;
  Index start_;  // < 0: at the end
};

class SpreadMap final : public MapStep {
 public:
  SpreadMap(std::vector<int> owner, int num_owners, Index width)
      : owner_(std::move(owner)), num_owners_(num_owners), width_(width) {}
  std::optional<Index> size_of_result(Index size) const override {
    return size % per_group() == 0 ? std::optional(size / per_group() * members_per_group()) : std::nullopt;
  }
  std::string expected() const override {
    return fmt::format("a multiple of {} numbers, {} for each of {} bodies", per_group(), width_, num_owners_);
  }
  VecX apply(const VecX& x) const override {
    VecX y(x.size() / per_group() * members_per_group());
    for_each(x.size(), [&](Index to, Index from) { y.segment(to, width_) = x.segment(from, width_); });
    return y;
  }
  VecX pull_back(const VecX& x, const VecX& dy) const override {
    VecX dx = VecX::Zero(x.size());
    for_each(x.size(), [&](Index to, Index from) { dx.segment(from, width_) += dy.segment(to, width_); });
    return dx;
  }
  /// Each owner has the mean of its members.
  std::optional<VecX> invert(const VecX& y) const override {
    if (y.size() % members_per_group() != 0) return std::nullopt;
    const Index size = y.size() / members_per_group() * per_group();
    VecX x = VecX::Zero(size), count = VecX::Zero(size);
    for_each(size, [&](Index to, Index from) {
      x.segment(from, width_) += y.segment(to, width_);
      count.segment(from, width_).array() += 1.0;
    });
    if ((count.array() == 0.0).any()) return std::nullopt;
    return x.cwiseQuotient(count);
  }

 private:
  Index per_group() const { return width_ * num_owners_; }
  Index members_per_group() const { return width_ * static_cast<Index>(owner_.size()); }
  template <class Visit>
  void for_each(Index size, const Visit& visit) const {
    for (Index group = 0; group < size / per_group(); ++group) {
      for (std::size_t m = 0; m < owner_.size(); ++m) {
        visit(group * members_per_group() + width_ * static_cast<Index>(m), group * per_group() + width_ * owner_[m]);
      }
    }
  }
  std::vector<int> owner_;
  int num_owners_;
  Index width_;
};

class LameMap final : public MapStep {
 public:
  explicit LameMap(bool is_volume) : is_volume_(is_volume) {}
  std::optional<Index> size_of_result(Index size) const override {
    return size % 2 == 0 ? std::optional(size) : std::nullopt;
  }
  std::string expected() const override { return "an even number of numbers"; }
  VecX apply(const VecX& x) const override {
    const Index n = x.size() / 2;
    VecX y(x.size());
    for (Index i = 0; i < n; ++i) {
      const double e = x[i], nu = x[n + i];
      y[i] = e * nu / denominator(nu);
      y[n + i] = e / (2.0 * (1.0 + nu));
    }
    return y;
  }
  VecX pull_back(const VecX& x, const VecX& dy) const override {
    const Index n = x.size() / 2;
    VecX dx(x.size());
    for (Index i = 0; i < n; ++i) {
      const double e = x[i], nu = x[n + i], d = denominator(nu);
      const double slope = is_volume_ ? -1.0 - 4.0 * nu : -2.0 * nu;  // of the denominator
      dx[i] = dy[i] * nu / d + dy[n + i] / (2.0 * (1.0 + nu));
      dx[n + i] = dy[i] * e * (d - nu * slope) / (d * d) - dy[n + i] * e / (2.0 * (1.0 + nu) * (1.0 + nu));
    }
    return dx;
  }
  std::optional<VecX> invert(const VecX& y) const override {
    const Index n = y.size() / 2;
    VecX x(y.size());
    for (Index i = 0; i < n; ++i) {
      const double lambda = y[i], mu = y[n + i];
      const double nu = lambda / (is_volume_ ? 2.0 * (lambda + mu) : lambda + 2.0 * mu);
      x[i] = 2.0 * mu * (1.0 + nu);
      x[n + i] = nu;
    }
    return x;
  }

 private:
  double denominator(double nu) const { return is_volume_ ? (1.0 + nu) * (1.0 - 2.0 * nu) : 1.0 - nu * nu; }
  bool is_volume_;
};

}  // namespace

std::unique_ptr<MapStep> exp_map(Index from, Index to) {
  return std::make_unique<ExpMap>(from, to);
}
std::unique_ptr<MapStep> scale_map(double factor) {
  return std::make_unique<ScaleMap>(factor);
}
std::unique_ptr<MapStep> power_map(double power) {
  return std::make_unique<PowerMap>(power);
}
std::unique_ptr<MapStep> slice_map(Index from, Index to) {
  return std::make_unique<SliceMap>(from, to);
}
std::unique_ptr<MapStep> append_map(std::vector<double> values, Index start) {
  return std::make_unique<AppendMap>(std::move(values), start);
}
std::unique_ptr<MapStep> spread_map(std::vector<int> owner, int num_owners, Index width) {
  return std::make_unique<SpreadMap>(std::move(owner), num_owners, width);
}
std::unique_ptr<MapStep> lame_map(bool is_volume) {
  return std::make_unique<LameMap>(is_volume);
}

Lame Lame::of(double youngs_modulus, double poisson_ratio) {
  return {youngs_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio)),
          youngs_modulus / (2.0 * (1.0 + poisson_ratio))};
}

Result<Index> DesignMap::check(Index size) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::optional<Index> next = steps_[i]->size_of_result(size);
    if (!next) {
      return Issue{"", fmt::format("[{}]", i), "",
                   fmt::format("this map expects {}, and gets {}", steps_[i]->expected(), size)};
    }
    size = *next;
  }
  return size;
}

VecX DesignMap::apply(const VecX& x) const {
  VecX y = x;
  for (const auto& step : steps_) y = step->apply(y);
  return y;
}

VecX DesignMap::pull_back(const VecX& x, const VecX& dy) const {
  std::vector<VecX> inputs = {x};
  for (const auto& step : steps_) inputs.push_back(step->apply(inputs.back()));
  VecX slope = dy;
  for (std::size_t i = steps_.size(); i-- > 0;) slope = steps_[i]->pull_back(inputs[i], slope);
  return slope;
}

std::optional<VecX> DesignMap::invert(const VecX& y) const {
  std::optional<VecX> x = y;
  for (std::size_t i = steps_.size(); x && i-- > 0;) x = steps_[i]->invert(*x);
  return x;
}

}  // namespace clearance::optimise
