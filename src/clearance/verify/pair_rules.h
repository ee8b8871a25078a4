// Rules of `clearance verify`: bodies of frames that may meet, and how near they may come.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/verify/frame.h"

namespace clearance::verify {

class PairRules {
 public:
  /// `scene` must outlive the object.
  explicit PairRules(const VerifyScene& scene) : scene_(scene) {}

  bool is_obstacle(int body) const { return scene_.bodies[body].is_obstacle; }
  bool may_touch(int a, int b) const {
    const VerifyBody &first = scene_.bodies[a], &second = scene_.bodies[b];
    if (!first.collides || !second.collides) return false;
    if (a != b && scene_.ignored_pairs.count(std::minmax(first.entry, second.entry)) > 0) return false;
    if (first.is_obstacle && second.is_obstacle) return false;
    if (first.is_obstacle || second.is_obstacle) return first.meets_obstacles && second.meets_obstacles;
    if (scene_.obstacles_only) return false;
    if (first.collision_group >= 0 && first.collision_group == second.collision_group) return false;
    return a != b || first.has_self_contact;
  }

  double radius_of(int body) const { return scene_.bodies[body].radius; }

  /// Returns the distance [m] that a primitive of `body` keeps from one of another body, or of its own, where their
  /// distance at the start counts: they keep 0.6 of it if that is less than their thickness.
  template <class DistanceSqAtStart>
  double thickness_between(int body, int other, const DistanceSqAtStart& at_start) const {
    const double sum = radius_of(body) + radius_of(other);
    if (body != other || sum == 0.0 || scene_.bodies[body].is_loose || scene_.start.empty()) return sum;
    constexpr double own_share = 0.6 * (1.0 - 1e-9);
    return std::min(sum, own_share * std::sqrt(at_start()));
  }

 protected:
  const VerifyScene& scene_;
};

}  // namespace clearance::verify
