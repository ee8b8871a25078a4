// The free coordinates of some hinges and sliders, and the forces and stiffnesses of terms that depend on these alone.
// (For joint_spring_potential.cpp and its neighbours.)
#pragma once

#include <cstdint>

#include "clearance/bodies/affine/joint_link.h"
#include "clearance/model/history.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

template <int dim>
class JointCoordinates {
 public:
  using Blocks = typename JointLink<dim>::Blocks;

  /// Appends the coordinate of a hinge or slider that has the number `joint` in the scene.
  void add(const StiffJoint& of, std::size_t joint);
  int size() const { return static_cast<int>(links_.size()); }
  const JointLink<dim>& link(int i) const { return links_[i]; }

  /// Returns the layout of a history that has `columns` numbers for each coordinate, at the point of its joint.
  HistoryLayout history_layout(std::size_t columns) const;
  /// Do what the functions of the same names of Potential do.
  void set_turns(const VecX& x, const std::vector<int>& turns);
  void refer_to(const VecX& x);

  /// Returns coordinate i [rad] or [m] at x.
  double value(int i, const VecX& x) const { return links_[i].coordinate(links_[i].gather(x)); }
  /// Returns the rate of coordinate i at x, where the unknowns have the rates v.
  double rate(int i, const VecX& x, const VecX& v) const { return links_[i].coordinate_rate(x, v); }

  /// Adds scale times the gradient of a function of coordinate i that has the given slope.
  void add_slope(int i, const VecX& x, double slope, double scale, VecX& gradient) const;
  std::vector<BlockKey> pattern() const;
  /// Adds scale * factor(i) times the square of each coordinate's gradient. The matrix has all blocks of pattern().
  template <class Factor>
  void add_squares(const VecX& x, double scale, const Factor& factor, BlockSparseMatrix& matrix);

 private:
  void bind(const BlockSparseMatrix& matrix);
  void add_square(int i, const VecX& x, double factor, const std::int64_t*& slot, BlockSparseMatrix& matrix) const;

  std::vector<JointLink<dim>> links_;
  std::vector<std::size_t> joints_;  // numbers in the scene
  std::uint64_t bound_pattern_ = 0;
  std::vector<std::int64_t> slots_;  // per coordinate, its pairs of blocks that are unknowns
};

template <int dim>
template <class Factor>
void JointCoordinates<dim>::add_squares(const VecX& x, double scale, const Factor& factor, BlockSparseMatrix& matrix) {
  bind(matrix);
  const std::int64_t* slot = slots_.data();
  for (int i = 0; i < size(); ++i) add_square(i, x, scale * factor(i), slot, matrix);
}

extern template class JointCoordinates<2>;
extern template class JointCoordinates<3>;

}  // namespace clearance
