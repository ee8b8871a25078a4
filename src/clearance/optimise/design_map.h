// The way from the numbers that an optimiser changes to numbers of a scene: maps one after the other, as PolyFEM
// composes them. Derivatives go back through the transposed maps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance::optimise {

/// One map y = m(x).
class MapStep {
 public:
  virtual ~MapStep() = default;
  /// Returns the size of y for an x of `size` numbers; nothing if no such x can be mapped.
  virtual std::optional<Eigen::Index> size_of_result(Eigen::Index size) const = 0;
  /// Says which x can be mapped: `a multiple of 3 numbers`.
  virtual std::string expected() const = 0;
  virtual VecX apply(const VecX& x) const = 0;
  /// Returns (dm/dx)^T dy at x.
  virtual VecX pull_back(const VecX& x, const VecX& dy) const = 0;
  /// Returns an x with m(x) = y, or the nearest to that; nothing if y does not tell all of x.
  virtual std::optional<VecX> invert(const VecX& y) const = 0;
};

/// exp of x[from, to); the other numbers stay.
std::unique_ptr<MapStep> exp_map(Eigen::Index from, Eigen::Index to);
/// `factor` times x.
std::unique_ptr<MapStep> scale_map(double factor);
/// x to a power, number by number.
std::unique_ptr<MapStep> power_map(double power);
/// x[from, to) alone.
std::unique_ptr<MapStep> slice_map(Eigen::Index from, Eigen::Index to);
/// Inserts constants before the number `start`; -1: behind the last one.
std::unique_ptr<MapStep> append_map(std::vector<double> values, Eigen::Index start);
/// One block of `width` numbers per owner to one per member; blocks repeat in groups of all owners. `owner`: per
/// member.
std::unique_ptr<MapStep> spread_map(std::vector<int> owner, int num_owners, Eigen::Index width);
/// [E..., nu...] to [lambda..., mu...]; in the plane lambda is that of plane stress.
std::unique_ptr<MapStep> lame_map(bool is_volume);

/// Lame's parameters of a material in space.
struct Lame {
  double lambda = 0.0, mu = 0.0;  ///< [Pa]

  double poisson_ratio() const { return lambda / (2.0 * (lambda + mu)); }
  double youngs_modulus() const { return mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu); }  ///< [Pa]
  static Lame of(double youngs_modulus, double poisson_ratio);
};

class DesignMap {
 public:
  void add(std::unique_ptr<MapStep> step) { steps_.push_back(std::move(step)); }

  /// Returns the size of y for an x of `size` numbers. Issues, with places relative to the list of the maps (`[2]`): a
  /// map that cannot take what the one before it makes.
  Result<Eigen::Index> check(Eigen::Index size) const;
  VecX apply(const VecX& x) const;
  VecX pull_back(const VecX& x, const VecX& dy) const;
  std::optional<VecX> invert(const VecX& y) const;
  bool is_identity() const { return steps_.empty(); }

 private:
  std::vector<std::unique_ptr<MapStep>> steps_;
};

}  // namespace clearance::optimise
