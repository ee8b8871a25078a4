#include "clearance/derivatives/probe_seeds.h"

#include <cmath>
#include <utility>

#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance::derivatives {

namespace {

/// Changes as shares of the scene's size, of which the one with the least difference between two orders counts.
/// Stresses are linear over changes far below the displacements that cause them.
constexpr double longest = 1e-3, shortest = 5e-12, shrink = 0.1;
/// Share of the largest derivative up to which that difference is none.
constexpr double smooth = 1e-5;
/// Short change as a share of the scene's size that every influence is seen at.
constexpr double seen = 1e-9;

class ColumnSlopes {
 public:
  ColumnSlopes(const SteppedScene& scene, const State& state, const Potential* joints, std::size_t column)
      : scene_(scene), state_(state), joints_(joints), column_(column), value_(value()) {}

  bool has_value() const { return std::isfinite(value_); }
  /// Returns the derivatives by the numbers State::x or State::v. False in `is_smooth` if one of them does not exist.
  VecX by(VecX State::*numbers, double unit, bool& is_smooth) {
    VecX slopes = VecX::Zero((state_.*numbers).size());
    double most = 0.0;
    largest_error_ = 0.0;
    if (slopes.size() > 0) {
      split(numbers, unit, 0, slopes.size(), slopes);
      most = slopes.cwiseAbs().maxCoeff();
    }
    is_smooth = is_smooth && largest_error_ <= smooth * most;
    return slopes;
  }

 private:
  double value() const { return scene_.probes.values_at_start(state_, joints_)[column_]; }

  /// Most numbers have no influence: halves of them are changed at once, until nothing follows or one is left.
  void split(VecX State::*numbers, double unit, Eigen::Index first, Eigen::Index last, VecX& slopes) {
    if (last - first == 1) {
      slopes[first] = slope(numbers, unit, first);
      return;
    }
    const VecX kept = state_.*numbers;
    bool matters = false;
    for (const double share : {longest, seen}) {
      for (Eigen::Index i = first; i < last; ++i) {
        // Lengths that no symmetry hides.
        (state_.*numbers)[i] += share * unit * (0.3 + 0.7 * static_cast<double>(i * i % 7) / 6.0);
      }
      matters = matters || value() != value_;
      state_.*numbers = kept;
    }
    if (!matters) return;
    const Eigen::Index middle = (first + last) / 2;
    split(numbers, unit, first, middle, slopes);
    split(numbers, unit, middle, last, slopes);
  }

  double slope(VecX State::*numbers, double unit, Eigen::Index i) {
    double& number = (state_.*numbers)[i];
    const double kept = number;
    double best = 0.0, least = infinity;
    for (double share = longest; share > shortest; share *= shrink) {
      const double length = share * unit;
      const auto difference = [&](double by) {
        number = kept + by;
        const double above = value();
        number = kept - by;
        return (above - value()) / (2.0 * by);
      };
      const double coarse = difference(length), fine = (4.0 * coarse - difference(2.0 * length)) / 3.0;
      if (std::abs(fine - coarse) < least) {
        least = std::abs(fine - coarse);
        best = fine;
      }
      if (least <= 1e-10 * std::abs(best)) break;
    }
    number = kept;
    // The error of a slope that is next to nothing may be larger than it, but not beside the largest one.
    largest_error_ = std::max(largest_error_, least);
    return best;
  }

  const SteppedScene& scene_;
  State state_;
  const Potential* joints_;
  std::size_t column_;
  double value_ = 0.0, largest_error_ = 0.0;
};

}  // namespace

Seed seed_of_sum(const SumOfBlocks& sum, int dim, Eigen::Index size) {
  Seed seed{VecX::Zero(size), VecX::Zero(size)};
  VecX& numbers = sum.is_of_positions ? seed.x : seed.v;
  for (const SumOfBlocks::Term& term : sum.terms) {
    numbers[static_cast<Eigen::Index>(dim) * term.block + sum.axis] += term.weight;
  }
  return seed;
}

Result<Seed> seed_of_column(const SteppedScene& scene, const State& state, const Potential* joints,
                            std::size_t column) {
  const std::string& name = scene.probes.columns()[column];
  ColumnSlopes slopes(scene, state, joints, column);
  if (!slopes.has_value()) {
    return Issue{"", name, "", "no derivative by the state: forward mode (`clearance gradient`) has those of forces"};
  }
  const double size = scene.scene->model.bbox_diagonal;
  bool is_smooth = true;
  Seed seed;
  seed.x = slopes.by(&State::x, size, is_smooth);
  seed.v = slopes.by(&State::v, size / scene.scene->options.integrator.h, is_smooth);
  if (!is_smooth) return Issue{"", name, "", "it has no derivative: it is at a kink"};
  return seed;
}

}  // namespace clearance::derivatives
