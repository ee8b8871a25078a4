#include "clearance/optimise/form.h"

#include "clearance/math/elementary.h"

namespace clearance::optimise {
namespace {

/// Returns the weight of each step in an integral over time.
std::vector<double> weights_of_steps(const StateHistory& history, TimeWeights kind, const std::vector<int>& listed) {
  const std::size_t count = history.x.size(), last = count - 1;
  std::vector<double> weights(count, 0.0);
  const auto h = [&](std::size_t step) { return history.times[step] - history.times[step - 1]; };
  switch (kind) {
    case TimeWeights::uniform:
      for (std::size_t i = 1; i < count; ++i) weights[i] = h(i);
      break;
    case TimeWeights::final_step:
      weights[last] = 1.0;
      break;
    case TimeWeights::steps:
      for (const int step : listed) {
        if (step >= 0 && static_cast<std::size_t>(step) < count)
          weights[step] += 1.0 / static_cast<double>(listed.size());
      }
      break;
    case TimeWeights::trapezoidal:
      for (std::size_t i = 1; i < count; ++i) {
        weights[i - 1] += 0.5 * h(i);
        weights[i] += 0.5 * h(i);
      }
      break;
    case TimeWeights::simpson:
      // An odd number of intervals ends with a trapezium.
      for (std::size_t i = 2; i < count; i += 2) {
        weights[i - 2] += h(i) / 3.0;
        weights[i - 1] += 4.0 * h(i) / 3.0;
        weights[i] += h(i) / 3.0;
      }
      if (last % 2 == 1) {
        weights[last - 1] += 0.5 * h(last);
        weights[last] += 0.5 * h(last);
      }
      break;
  }
  return weights;
}

class TransientIntegral final : public Form {
 public:
  TransientIntegral(FormPtr form, std::size_t state, TimeWeights weights, std::vector<int> listed)
      : form_(std::move(form)), state_(state), weights_(weights), listed_(std::move(listed)) {}

 protected:
  double raw_value(const Histories& histories, std::size_t /*step*/) const override {
    const std::vector<double> weights = weights_of_steps(histories[state_], weights_, listed_);
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0.0) sum += weights[i] * form_->value(histories, i);
    }
    return sum;
  }
  void add_raw_gradient(const Histories& histories, std::size_t /*step*/, std::size_t of, double factor,
                        Seeds& seeds) const override {
    const std::vector<double> weights = weights_of_steps(histories[state_], weights_, listed_);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      form_->add_gradient(histories, i, of, factor * weights[i], seeds);
    }
  }

 private:
  FormPtr form_;
  std::size_t state_;
  TimeWeights weights_;
  std::vector<int> listed_;
};

class Quotient final : public Form {
 public:
  Quotient(FormPtr above, FormPtr below) : above_(std::move(above)), below_(std::move(below)) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    return above_->value(histories, step) / below_->value(histories, step);
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    const double a = above_->value(histories, step), b = below_->value(histories, step);
    above_->add_gradient(histories, step, of, factor / b, seeds);
    below_->add_gradient(histories, step, of, -factor * a / (b * b), seeds);
  }

 private:
  FormPtr above_, below_;
};

/// A function of the value of one form.
template <class Function>
class FunctionOf final : public Form {
 public:
  FunctionOf(FormPtr form, Function function) : form_(std::move(form)), function_(std::move(function)) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    return function_(form_->value(histories, step)).first;
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    form_->add_gradient(histories, step, of, factor * function_(form_->value(histories, step)).second, seeds);
  }

 private:
  FormPtr form_;
  Function function_;  // value and slope
};

template <class Function>
FormPtr function_of(FormPtr form, Function function) {
  return std::make_unique<FunctionOf<Function>>(std::move(form), std::move(function));
}

}  // namespace

Seeds Seeds::like(const StateHistory& history) {
  Seeds seeds;
  for (const VecX& x : history.x) seeds.by_x.push_back(VecX::Zero(x.size()));
  seeds.by_rest = VecX::Zero(history.x_rest.size());
  seeds.by_lame = VecX::Zero(history.lame.size());
  return seeds;
}

FormPtr transient_integral(FormPtr form, std::size_t state, TimeWeights weights, std::vector<int> listed) {
  return std::make_unique<TransientIntegral>(std::move(form), state, weights, std::move(listed));
}

FormPtr quotient(FormPtr above, FormPtr below) {
  return std::make_unique<Quotient>(std::move(above), std::move(below));
}

FormPtr plus_constant(FormPtr form, double constant) {
  return function_of(std::move(form), [constant](double a) { return std::pair(a + constant, 1.0); });
}

FormPtr power_of(FormPtr form, double power) {
  return function_of(std::move(form), [power](double a) {
    return std::pair(elementary::pow(a, power), power * elementary::pow(a, power - 1.0));
  });
}

FormPtr soft_constraint(FormPtr form, double lower, double upper, double power) {
  return function_of(std::move(form), [=](double a) {
    if (a < lower)
      return std::pair(elementary::pow(lower - a, power), -power * elementary::pow(lower - a, power - 1.0));
    if (a > upper) return std::pair(elementary::pow(a - upper, power), power * elementary::pow(a - upper, power - 1.0));
    return std::pair(0.0, 0.0);
  });
}

}  // namespace clearance::optimise
