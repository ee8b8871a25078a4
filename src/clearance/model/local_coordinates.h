// Newton's unknowns: coordinates y of small motions about a configuration x.
//
// Where all blocks of x are free to go anywhere, y is the displacement itself. A rigid body keeps A a rotation, so that
// its 1 + dim blocks move by two: a translation and a rotation vector theta about the present placement, which turns
// every column by exp([theta]) ([Fer21, eq. 9 to 11]; because the rotation vector starts from zero in every
// Newton iteration, its derivatives are those at zero, and no vector ever grows large: [Fer21, app. A.1, D.5]). In the
// plane the first number of its block is the angle, and the second moves nothing. A tied block follows the affine body
// it is tied to.
//
// Gradient and Hessian in y follow from those in x with dx = P dy: P^T g, and P^T H P plus the curvature of the rigid
// motions under the forces g.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clearance/model/model.h"
#include "clearance/model/surface_path.h"

namespace clearance {

template <int dim>
class LocalCoordinates {
 public:
  explicit LocalCoordinates(const Model& model);

  /// y is the displacement of x.
  bool are_displacements() const { return model_.ties.empty() && num_rigid_ == 0; }
  int num_blocks() const { return num_blocks_; }
  /// A block of x that a local block moves. A rotation vector has the radius [m] of its body.
  struct Origin {
    int block = 0;
    bool is_turn = false;
    double radius = 1.0;
  };
  /// Per local block.
  std::vector<Origin> origins() const;

  /// The configuration that `fraction` of dy leads to.
  VecX move(const VecX& x, const VecX& dy, double fraction) const;
  /// P dy [m]: how the blocks of x start to move.
  VecX expand(const VecX& x, const VecX& dy) const;
  /// The dy that leads from x to `target`, where rigid bodies are unstretched.
  VecX from_to(const VecX& x, const VecX& target) const;
  /// x with the affine map of every stiff body replaced by the nearest rotation.
  VecX unstretched(VecX x) const;
  /// The unknowns as one block for each local block: a rotation vector has its body's centre.
  VecX positions(const VecX& x) const;
  /// dy, column by column, while everything moves as one rigid body: translations by one metre along the axes, then
  /// rotations by one radian in the planes of two axes about the origin.
  MatX rigid_motions(const VecX& x) const;
  /// P^T gradient
  VecX reduce(const VecX& x, const VecX& gradient) const;
  /// Of local blocks: 1 where a block of x that moves with it is fixed.
  std::vector<char> reduce(const std::vector<char>& is_fixed) const;

  /// Surface vertices from x, where they are at `x_surface`, along `fraction` of dy.
  SurfacePath surface_path(const VecX& x, const VecX& x_surface, const VecX& dy, double fraction) const;

  /// A direction of affine bodies turns them along tangents, which stretches them. The same direction bent: it ends
  /// turned and not stretched. Bodies with fixed blocks keep theirs.
  VecX bent(const VecX& x, const VecX& dy, const std::vector<char>& is_fixed) const;

  /// Makes `reduced` P^T H P + curvature; H is `full`, `gradient` that in x. `inertia` is the factor of Model::mass in
  /// H. With `is_exact` the curvature may make it indefinite. Fixes the pattern of `reduced` when that of `full` has
  /// changed.
  void reduce(const VecX& x, const VecX& gradient, double inertia, const BlockSparseMatrix& full,
              BlockSparseMatrix& reduced, bool is_exact = false);

 private:
  /// A local block that a block of x moves with.
  struct Term {
    int block;
    double weight;
    bool is_turn;  // the local block is a rotation vector; the block of x moves by theta x itself
  };
  /// One block of P^T H P from one block of H.
  struct Share {
    int row, column;  // blocks of x
    Term row_term, column_term;
    bool is_transposed;     // goes to its slot transposed
    bool is_symmetrised;    // the block and its transpose
    std::int64_t from = 0;  // slot in `full`
    int from_stride = 0;
    std::int64_t to = 0;  // slot in `reduced`
    int to_stride = 0;
  };

  std::span<const Term> terms(int block) const {
    return {terms_.data() + first_term_[static_cast<std::size_t>(block)],
            terms_.data() + first_term_[static_cast<std::size_t>(block) + 1]};
  }
  void bind(const BlockSparseMatrix& full, BlockSparseMatrix& reduced);
  void add_curvature(const VecX& x, const VecX& gradient, double inertia, BlockSparseMatrix& reduced,
                     bool is_exact) const;
  void place_ties(VecX& x) const;

  const Model& model_;
  int num_blocks_ = 0;
  int num_rigid_ = 0;
  std::vector<int> first_term_;  // per block of x, and one past the last
  std::vector<Term> terms_;
  std::vector<int> turn_block_;       // per stiff body: its rotation vector, or -1
  std::vector<int> screw_of_vertex_;  // per surface vertex: its rigid body as a number among these, or -1
  // Of the pattern bound last.
  std::uint64_t full_pattern_ = 0;
  std::vector<Share> shares_;
};

}  // namespace clearance
