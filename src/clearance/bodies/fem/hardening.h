// The yield stress of a material as a function of its accumulated plastic strain: linear between points, with one slope
// after the last. Isotropic hardening: the yield surface grows and stays where it is.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace clearance {

/// Plastic flow of a step at a point.
struct PlasticFlow {
  double amount = 0.0;  ///< increase of the accumulated plastic strain
  double slope = 0.0;   ///< [Pa] of the yield stress where the flow ends
};

class Hardening {
 public:
  /// Each point has a plastic strain and a yield stress [Pa] > 0, by ascending strains from 0 on; `slope` [Pa] >= 0
  /// holds after the last. Yield stresses must not fall.
  Hardening(std::vector<std::array<double, 2>> points, double slope);

  /// Returns the yield stress [Pa] at a plastic strain.
  double yield_stress(double strain) const;
  /// Returns the integral [J/m^3] of the yield stress from one plastic strain to a larger one: the work of the flow.
  double work(double from, double to) const;
  /// Returns the flow that brings a trial stress [Pa] back to the yield surface: its amount d solves
  /// trial - stiffness d = yield_stress(strain + d). `stiffness` [Pa] is that of the stress against flow, 3 mu.
  PlasticFlow flow(double trial, double stiffness, double strain) const;
  /// Returns the branch of that flow: the number of the segment in which it ends, or `elastic`.
  int branch(double trial, double stiffness, double strain) const;
  /// Returns the flow on a branch, which is negative or too large beyond its limits.
  PlasticFlow flow_on(int branch, double trial, double stiffness, double strain) const;
  static constexpr int elastic = -1;

 private:
  /// Returns the number of the last point at or before the strain.
  std::size_t segment(double strain) const;
  /// Returns the yield stress of a segment, or of its extension.
  double on_segment(std::size_t k, double strain) const {
    return points_[k][1] + slopes_[k] * (strain - points_[k][0]);
  }

  std::vector<std::array<double, 2>> points_;
  std::vector<double> slopes_;  // [Pa] after each point
};

}  // namespace clearance
