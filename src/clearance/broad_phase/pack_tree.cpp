#include "clearance/broad_phase/pack_tree.h"

#include <cmath>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

// Sum of the square roots of the leaves' extents may grow by this factor before a new sort: about 1.3 in length.
constexpr double allowed_spread_growth = 1.15;
constexpr int leaves_per_task = 256;

void set_slot(Pack& pack, int slot, const Box& box) {
  for (int k = 0; k < 3; ++k) pack.lo[k][slot] = box.lo[static_cast<std::size_t>(k)];
  for (int k = 0; k < 3; ++k) pack.hi[k][slot] = box.hi[static_cast<std::size_t>(k)];
}

// The first slot of a pack is always used, so that it starts from a number.
Box union_of_slots(const Pack& pack) {
  Box box = empty_box();
  for (int k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    box.lo[axis] = *std::min_element(pack.lo[k], pack.lo[k] + pack_width);
    box.hi[axis] = *std::max_element(pack.hi[k], pack.hi[k] + pack_width);
  }
  return box;
}

// The group that all used slots share, else -1. Unused slots have no say.
int common_group(const Pack& pack) {
  int group = pack.group[0];
  for (int s = 1; s < pack_width; ++s) {
    const bool is_used = pack.lo[0][s] <= pack.hi[0][s];
    if (is_used && pack.group[s] != group) group = -1;
  }
  return group;
}

// How far apart the middles of the boxes are: unlike the size of the union it does not depend on inflation and sweep.
float spread_of_middles(const Pack& pack) {
  float spread = 0.0F;
  for (int k = 0; k < 3; ++k) {
    float lo = std::numeric_limits<float>::infinity();
    float hi = -lo;
    for (int s = 0; s < pack_width; ++s) {
      const float middle = 0.5F * pack.lo[k][s] + 0.5F * pack.hi[k][s];  // unused slots: not a number, ignored
      lo = middle < lo ? middle : lo;
      hi = middle > hi ? middle : hi;
    }
    spread += std::max(hi - lo, 0.0F);
  }
  return spread;
}

// Not-a-number overlaps nothing, not even a box that reaches infinity, and takes no part in unions of slots.
Pack empty_pack() {
  Box unused = empty_box();
  unused.lo.fill(std::numeric_limits<float>::quiet_NaN());
  Pack pack;
  for (int s = 0; s < pack_width; ++s) {
    set_slot(pack, s, unused);
    pack.group[s] = -1;
  }
  return pack;
}

std::size_t num_packs_for(std::size_t count) {
  return (count + pack_width - 1) / pack_width;
}

}  // namespace

PackTree::PackTree(int arity, std::vector<std::array<int, 3>> primitives, const std::vector<int>& vertex_group)
    : arity_(arity), primitives_(std::move(primitives)) {
  group_.reserve(primitives_.size());
  for (const auto& p : primitives_) group_.push_back(vertex_group[static_cast<std::size_t>(p[0])]);
  if (primitives_.empty()) return;
  std::size_t count = primitives_.size();
  do {
    count = num_packs_for(count);
    levels_.emplace_back(count, empty_pack());
  } while (count > 1 || levels_.size() < 2);
}

Box PackTree::box_of(const std::array<int, 3>& vertices, const std::vector<Box>& vertex_boxes) const {
  Box box = vertex_boxes[static_cast<std::size_t>(vertices[0])];
  for (int k = 1; k < arity_; ++k) {
    box.extend(vertex_boxes[static_cast<std::size_t>(vertices[static_cast<std::size_t>(k)])]);
  }
  return box;
}

void PackTree::update(const std::vector<Box>& vertex_boxes) {
  if (primitives_.empty()) return;
  // The result of a query does not depend on the order, so that the history in spread_at_sort_ does no harm.
  if (num_sorts_ > 0 && refit(vertex_boxes) <= allowed_spread_growth * spread_at_sort_) return;
  sort(vertex_boxes);
  spread_at_sort_ = refit(vertex_boxes);
  ++num_sorts_;
}

void PackTree::sort(const std::vector<Box>& vertex_boxes) {
  const int count = static_cast<int>(primitives_.size());
  boxes_.resize(primitives_.size());
  parallel_for(count, 4096, [&](int i) {
    boxes_[static_cast<std::size_t>(i)] = box_of(primitives_[static_cast<std::size_t>(i)], vertex_boxes);
  });
  order_.sort(boxes_);

  items_.resize(num_packs_for(primitives_.size()));
  for (int position = 0; position < pack_width * num_leaves(); ++position) {
    LeafItems& items = items_[static_cast<std::size_t>(position / pack_width)];
    const int slot = position % pack_width;
    const int index = position < count ? order_.keys[static_cast<std::size_t>(position)].index : -1;
    items.index[slot] = index;
    for (std::size_t k = 0; k < 3; ++k) {
      items.vertices[k][slot] = index < 0 ? -1 : primitives_[static_cast<std::size_t>(index)][k];
    }
    if (index >= 0) {
      levels_[0][static_cast<std::size_t>(position / pack_width)].group[slot] = group_[static_cast<std::size_t>(index)];
    }
  }
}

double PackTree::refit(const std::vector<Box>& vertex_boxes) {
  // Boxes of the primitives; leaves are independent.
  const auto fit_leaf = [&](int leaf) {
    const LeafItems& items = items_[static_cast<std::size_t>(leaf)];
    Pack& pack = levels_[0][static_cast<std::size_t>(leaf)];
    for (int s = 0; s < pack_width && items.index[s] >= 0; ++s) {
      set_slot(pack, s, box_of({items.vertices[0][s], items.vertices[1][s], items.vertices[2][s]}, vertex_boxes));
    }
    return CompensatedSum{std::sqrt(static_cast<double>(spread_of_middles(pack))), 0.0};
  };
  const auto add = [](CompensatedSum a, const CompensatedSum& b) {
    a.add(b);
    return a;
  };
  const double spread = ordered_reduce(num_leaves(), CompensatedSum{}, fit_leaf, add, leaves_per_task).value();

  // Each level from the one below.
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    const std::vector<Pack>& below = levels_[level - 1];
    parallel_for(static_cast<int>(below.size()), leaves_per_task * pack_width, [&](int n) {
      const Pack& child = below[static_cast<std::size_t>(n)];
      Pack& pack = levels_[level][static_cast<std::size_t>(n / pack_width)];
      set_slot(pack, n % pack_width, union_of_slots(child));
      pack.group[n % pack_width] = common_group(child);
    });
  }
  return spread;
}

}  // namespace clearance
