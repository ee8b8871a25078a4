// The broad phase on a device (device/use_device.h), with the CPU's forest beside it.
#pragma once

#include <optional>

#include "clearance/broad_phase/device_culling.h"
#include "clearance/broad_phase/device_trees.h"
#include "clearance/broad_phase/forest.h"
#include "clearance/device/use_device.h"

namespace clearance {

/// Finds the pairs of Forest, in the same order, on a device or on the CPU. The CPU finds the pairs of bodies and the
/// boxes of vertices, and goes on alone if the device fails.
class DeviceForest final : public BroadPhase {
 public:
  DeviceForest(int dim, const SurfaceTopology& surface, std::shared_ptr<DeviceUse> use);

  Candidates find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                             const std::vector<double>& deviation = {}) override;
  std::vector<std::array<int, 2>> find_intersection_candidates(const VecX& x) override;

  /// Nothing in 2D.
  DeviceCulling* culling() { return dim_ == 3 ? &culling_ : nullptr; }

 private:
  using Pairs = std::vector<std::array<int, 2>>;
  /// Trees on the device; made at the first query that it answers.
  struct Trees {
    std::optional<DeviceTrees> vertices, edges, triangles, lone_vertices, lone_edges;
    DeviceBoxes vertex_boxes, body_boxes;
    DeviceJoin join;
    PairCollector collector;
  };
  void make_trees();
  bool write_boxes();
  template <class... Kinds>
  void update(Kinds&... kinds);
  std::optional<Pairs> find_overlaps(const DeviceTrees& first, const DeviceTrees& second, std::size_t most_pairs);
  void join_into(Candidates& candidates, Pairs& pairs, const DeviceTrees& first, const DeviceTrees& second);
  std::optional<Candidates> find_on_device();
  std::optional<Pairs> find_intersections_on_device();

  int dim_;
  const SurfaceTopology& surface_;
  Forest cpu_;
  LonePrimitives lone_;
  std::shared_ptr<DeviceUse> use_;
  DeviceCulling culling_;
  std::optional<Trees> trees_;
};

}  // namespace clearance
