#include "clearance/bodies/affine/joint_coordinates.h"

#include <algorithm>

#include "clearance/bodies/affine/joint_pairs.h"

namespace clearance {

template <int dim>
void JointCoordinates<dim>::add(const StiffJoint& of, std::size_t joint) {
  // Keep only the part of the joint that defines the coordinate.
  StiffJoint bare = of;
  bare.lower.reset();
  bare.upper.reset();
  bare.drive = {};
  bare.effort = {};
  links_.emplace_back(bare);
  joints_.push_back(joint);
}

template <int dim>
void JointCoordinates<dim>::set_turns(const VecX& x, const std::vector<int>& turns) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    // Joints beyond the list have made no turns.
    const int count = joints_[i] < turns.size() ? turns[joints_[i]] : 0;
    links_[i].set_turns(links_[i].gather(x), count);
  }
}

template <int dim>
void JointCoordinates<dim>::refer_to(const VecX& x) {
  for (JointLink<dim>& link : links_) link.refer_to(link.gather(x));
}

// Forces are summed serially, as in JointPotential.

template <int dim>
HistoryLayout JointCoordinates<dim>::history_layout(std::size_t columns) const {
  HistoryLayout layout{columns, {}};
  for (const JointLink<dim>& link : links_) layout.points.push_back({link.start_point(), link.block_of(0)});
  return layout;
}

template <int dim>
void JointCoordinates<dim>::add_slope(int i, const VecX& x, double slope, double scale, VecX& gradient) const {
  const JointLink<dim>& link = links_[i];
  const Blocks g = slope * link.coordinate_gradient(link.gather(x));
  for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
    if (const int b = link.block_of(k); b >= 0) block<dim>(gradient, b) += scale * g.col(k);
  }
}

template <int dim>
std::vector<BlockKey> JointCoordinates<dim>::pattern() const {
  // Collect the blocks of all joints, each once.
  std::vector<BlockKey> keys;
  add_keys(links_, keys);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

template <int dim>
void JointCoordinates<dim>::bind(const BlockSparseMatrix& matrix) {
  // Look up the slots once per pattern.
  if (matrix.pattern_id() == bound_pattern_) return;
  slots_.clear();
  add_slots(links_, matrix, slots_);
  bound_pattern_ = matrix.pattern_id();
}

template <int dim>
void JointCoordinates<dim>::add_square(int i, const VecX& x, double factor, const std::int64_t*& slot,
                                       BlockSparseMatrix& matrix) const {
  const JointLink<dim>& link = links_[i];
  const Blocks g = link.coordinate_gradient(link.gather(x));
  for_each_pair(link, [&](int k, int l, int, int column) {
    matrix.add_to_slot<dim>(*slot++, matrix.slot_stride(column), Mat<dim>(factor * g.col(k) * g.col(l).transpose()));
  });
}

template class JointCoordinates<2>;
template class JointCoordinates<3>;

}  // namespace clearance
