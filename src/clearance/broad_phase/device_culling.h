// Culling on a device: pairs that certainly stay apart on straight paths in space are left out before anybody measures
// them.
#pragma once

#include <optional>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/device/use_device.h"

namespace clearance {

/// Distances [m] that matter to a step.
struct CullingBounds {
  double activation = 0.0;      ///< pairs that are farther apart have no force
  double min_separation = 0.0;  ///< smallest distance that is allowed
  double gap_fraction = 0.0;    ///< the part of the gap at the start that the step keeps of every pair
};

/// Leaves out pairs of vertices and triangles, and of edges, that on the whole path stay farther apart than
/// `activation` and than what the step keeps of their gap, with a margin.
///
/// Nothing in a step depends on such a pair. It has no force. And collision detection by certificates (ccd/ccd.h) finds
/// that it does not limit the step: where the distance is d(t) >= (1 + 1/8) s + l/512, with s the distance to keep and
/// l the largest displacement of a corner, a direction that separates the pair by (1 - 2^-10) d certifies a time of at
/// least 1/520, so that 520 of at most 2000 certificates cover the path. Directions are as good as that where rounding
/// in double is small beside d^2, and d >= 2^-18 of the size of the pair is a part of the margin
/// (tests/solver/device_culling_test.cpp asks a million pairs).
class DeviceCulling {
 public:
  DeviceCulling(const SurfaceTopology& surface, std::shared_ptr<DeviceUse> use);

  DeviceUse& use() { return *use_; }
  /// Returns the rest of the pairs, in their order; nothing if the device cannot tell: where surfaces have radii, or
  /// coordinates are not finite. Pairs with a vertex that strays from its straight path stay (`deviation` as in
  /// BroadPhase::find_candidates). The device's mutex must be held. Throws DeviceFailure.
  std::optional<Candidates> without_distant(const Candidates& candidates, const VecX& x_t0, const VecX& x_t1,
                                            const std::vector<double>& deviation, const CullingBounds& bounds);

 private:
  bool write_positions(const VecX& x_t0, const VecX& x_t1, const std::vector<double>& deviation);
  void write_surface();
  void keep_near(const std::vector<std::array<int, 2>>& pairs, bool is_edge_edge, const CullingBounds& bounds,
                 std::vector<std::array<int, 2>>& kept);

  const SurfaceTopology& surface_;
  std::shared_ptr<DeviceUse> use_;
  bool has_surface_ = false;
  float rounding_ = 0.0F;  // [m] of a coordinate on the device
  std::vector<float> positions_;
  std::vector<unsigned char> is_distant_;
  DeviceBuffer edges_, triangles_, x_t0_, x_t1_, pairs_, is_distant_on_device_;
};

/// Returns what leaves out pairs beside a broad phase on a device; nothing for another one, or in 2D.
DeviceCulling* culling_of(BroadPhase& broad_phase);

}  // namespace clearance
