#include "clearance/broad_phase/device_trees.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/device_kernels.h"
#include "clearance/broad_phase/pack.h"

namespace clearance {

namespace {

/// Updates between two sorts. Boxes of a tree grow as its primitives leave their order, and a sort costs about as much
/// as a few updates.
constexpr int updates_per_sort = 16;
/// Bits of the keys of the Morton curve, and of one pass of the sort.
constexpr int num_key_bits = 30, bits_per_pass = 4;
constexpr std::uint32_t num_digits = 1U << bits_per_pass;
/// Primitives of a worker of the sort, at least, and the number of workers, at most.
constexpr std::uint32_t least_slice = 64, most_workers = 4096;
constexpr std::size_t items_of_sum = 256;
constexpr std::uint32_t first_capacity = 1U << 16U;
/// More pairs than this are not counted on a device, whose counter has 32 bits.
constexpr std::size_t most_on_device = 0x7FFFFFFF;

/// Returns an integer that is ordered like the float; both zeros are one.
std::int32_t float_order(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value + 0.0F);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

}  // namespace

bool DeviceBoxes::write(Device& device, const std::vector<Box>& boxes) {
  numbers_.resize(6 * boxes.size());
  std::atomic<bool> are_numbers = true;
  parallel_for(static_cast<int>(boxes.size()), 4096, [&](int i) {
    const Box& box = boxes[i];
    std::int32_t* numbers = numbers_.data() + 6 * static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < 3; ++k) {
      numbers[k] = float_order(box.lo[k]);
      numbers[3 + k] = float_order(box.hi[k]);
      if (std::isnan(box.lo[k]) || std::isnan(box.hi[k])) are_numbers = false;
    }
  });
  if (!are_numbers) return false;
  device.write(buffer_, numbers_);
  return true;
}

DeviceTrees::DeviceTrees(Device& device, int arity, std::vector<int> corners, const std::vector<int>& tree_of_vertex,
                         int num_trees)
    : arity_(arity),
      num_numbers_(
          static_cast<int>(arity == 1 ? tree_of_vertex.size() : corners.size() / static_cast<std::size_t>(arity))),
      num_leaves_(static_cast<std::uint32_t>(corners.size() / static_cast<std::size_t>(arity))) {
  std::vector<int> tree_of(num_leaves_);
  first_leaf_.assign(num_trees + 1, 0);
  for (std::size_t i = 0; i < num_leaves_; ++i) {
    tree_of[i] = tree_of_vertex[corners[static_cast<std::size_t>(arity) * i]];
    ++first_leaf_[tree_of[i] + 1];
  }
  for (int tree = 0; tree < num_trees; ++tree) first_leaf_[tree + 1] += first_leaf_[tree];
  num_tree_bits_ = std::bit_width(static_cast<unsigned>(std::max(0, num_trees - 1)));
  place_nodes(num_trees);
  device.write(corners_, corners);
  device.write(tree_of_, tree_of);
  device.write(children_on_device_, children_);
  device.write(last_leaf_on_device_, last_leaf_);
  for (DeviceBuffer* buffer : {&keys_, &order_, &moved_, &numbers_}) {
    device.reserve(*buffer, sizeof(std::uint32_t) * num_leaves_);
  }
  device.reserve(counts_, sizeof(std::uint32_t) * num_digits * most_workers);
  device.reserve(sums_, sizeof(std::uint32_t) * items_of_sum);
  device.reserve(ordered_corners_, sizeof(std::int32_t) * corners.size());
  device.reserve(boxes_, 6 * sizeof(std::int32_t) * (num_leaves_ + children_.size()));
}

/// Places the nodes of all trees level by level. A node is numbered behind the leaves and all nodes of lower levels.
void DeviceTrees::place_nodes(int num_trees) {
  struct Row {
    int begin, end;
  };
  std::vector<Row> rows;  // the highest nodes of each tree so far
  for (int tree = 0; tree < num_trees; ++tree) rows.push_back({first_leaf_[tree], first_leaf_[tree + 1]});
  const auto last_of = [&](int node) {
    const int place = node - static_cast<int>(num_leaves_);
    return place < 0 ? node : last_leaf_[place];
  };
  level_begin_ = {0};
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (Row& row : rows) {
      if (row.end - row.begin <= 1) continue;
      is_done = false;
      const int begin = static_cast<int>(num_leaves_ + children_.size());
      for (int child = row.begin; child < row.end; child += pack_width) {
        const int end = std::min(child + pack_width, row.end);
        last_leaf_.push_back(last_of(end - 1));
        children_.push_back({child, end});
      }
      row = {begin, static_cast<int>(num_leaves_ + children_.size())};
    }
    if (!is_done) level_begin_.push_back(static_cast<std::uint32_t>(children_.size()));
  }
  for (const Row& row : rows) root_.push_back(row.begin < row.end ? row.begin : -1);
}

void DeviceTrees::update(Device& device, const DeviceBoxes& vertex_boxes, const DeviceBoxes& tree_boxes) {
  if (num_updates_++ % updates_per_sort == 0) sort(device, vertex_boxes, tree_boxes);
  device.run(tree_kernels, "fit_leaves", num_leaves_, vertex_boxes.buffer(), ordered_corners_, arity_, boxes_);
  for (std::size_t level = 0; level + 1 < level_begin_.size(); ++level) {
    const std::uint32_t first = level_begin_[level];
    device.run(tree_kernels, "fit_nodes", level_begin_[level + 1] - first, children_on_device_, num_leaves_, first,
               boxes_);
  }
}

/// Sorts the primitives by their tree, and in it along the curve.
void DeviceTrees::sort(Device& device, const DeviceBoxes& vertex_boxes, const DeviceBoxes& tree_boxes) {
  device.run(tree_kernels, "find_keys", num_leaves_, vertex_boxes.buffer(), corners_, arity_, tree_of_,
             tree_boxes.buffer(), keys_, order_);
  sort_by(device, keys_, num_key_bits);
  sort_by(device, tree_of_, num_tree_bits_);
  device.run(tree_kernels, "arrange", num_leaves_, order_, corners_, arity_, ordered_corners_, numbers_);
}

/// Sorts the order by the lowest bits of the keys; what is alike keeps its order.
void DeviceTrees::sort_by(Device& device, const DeviceBuffer& keys, int num_bits) {
  const std::uint32_t workers = std::clamp(num_leaves_ / least_slice, 1U, most_workers);
  for (int shift = 0; shift < num_bits; shift += bits_per_pass) {
    device.run(tree_kernels, "count_digits", workers, keys, shift, order_, num_leaves_, counts_);
    device.run_group(tree_kernels, "sum_before", items_of_sum, counts_, num_digits * workers, sums_);
    device.run(tree_kernels, "move_by_digits", workers, keys, shift, order_, num_leaves_, counts_, moved_);
    std::swap(order_, moved_);
  }
}

void DeviceJoin::add_pair(Side& side, const DeviceTrees& leaves, int tree, const DeviceTrees& others, int other_tree) {
  const int count = leaves.num_leaves(tree), root = others.root_[other_tree];
  if (count == 0 || root < 0) return;
  // The kernel counts items by 31 bits.
  if (side.num_items + count > std::numeric_limits<std::int32_t>::max())
    throw DeviceFailure("too many pairs of bodies");
  side.tree_pairs.push_back(
      {static_cast<std::int32_t>(side.num_items), leaves.first_leaf_[tree], root, tree == other_tree ? 1 : 0});
  side.num_items += count;
}

void DeviceJoin::launch(Device& device, Side& side, const DeviceTrees& leaves, const DeviceTrees& others, int flags,
                        std::uint32_t most) {
  device.run(tree_kernels, "join", static_cast<std::uint32_t>(side.num_items), leaves.boxes_, leaves.ordered_corners_,
             leaves.numbers_, leaves.arity_, others.boxes_, others.ordered_corners_, others.numbers_, others.arity_,
             others.children_on_device_, others.last_leaf_on_device_, static_cast<std::int32_t>(others.num_leaves_),
             side.tree_pairs_on_device, static_cast<std::uint32_t>(side.tree_pairs.size()), flags, found_, capacity_,
             num_found_, most);
}

std::optional<std::vector<std::array<int, 2>>> DeviceJoin::find_overlaps(
    Device& device, const DeviceTrees& first, const DeviceTrees& second,
    const std::vector<std::array<int, 2>>& tree_pairs, std::size_t most_pairs, PairCollector& collector) {
  constexpr int same_kind = 1, from_second = 2;
  const bool is_one_kind = &first == &second;
  for (Side* side : {&from_first_, &from_second_}) {
    side->tree_pairs.clear();
    side->num_items = 0;
  }
  // The smaller tree asks.
  for (const auto& [a, b] : tree_pairs) {
    const bool is_first_smaller = first.num_leaves(a) <= second.num_leaves(b);
    if (is_first_smaller) {
      add_pair(from_first_, first, a, second, b);
    } else if (is_one_kind) {
      add_pair(from_first_, first, b, second, a);
    } else {
      add_pair(from_second_, second, b, first, a);
    }
  }
  for (Side* side : {&from_first_, &from_second_}) device.write(side->tree_pairs_on_device, side->tree_pairs);

  const auto most = static_cast<std::uint32_t>(std::min(most_pairs, most_on_device));
  capacity_ = std::max(capacity_, first_capacity);
  std::uint32_t count = 0;
  // Pairs that have no room are counted: the second time there is room for all.
  for (bool is_complete = false; !is_complete;) {
    device.reserve(found_, sizeof(PackedPair) * capacity_);
    device.write(num_found_, std::vector<std::uint32_t>{0});
    launch(device, from_first_, first, second, is_one_kind ? same_kind : 0, most);
    launch(device, from_second_, second, first, from_second, most);
    device.read(num_found_, 0, std::span(&count, 1));
    if (count > most_pairs) return std::nullopt;
    if (count > most) throw DeviceFailure("the device found more pairs than it can count");
    is_complete = count <= capacity_;
    if (!is_complete) capacity_ = count + count / 4;
  }

  constexpr std::uint32_t slice = 1U << 16U;
  const auto num_tasks = static_cast<int>((count + slice - 1) / slice);
  collector.begin(num_tasks);
  for (int task = 0; task < num_tasks; ++task) {
    const std::uint32_t begin = static_cast<std::uint32_t>(task) * slice;
    std::vector<PackedPair>& pairs = collector.buffer(task);
    pairs.resize(std::min(slice, count - begin));
    device.read(found_, begin, std::span(pairs));
  }
  return collector.sorted_pairs(first.num_numbers());
}

}  // namespace clearance
