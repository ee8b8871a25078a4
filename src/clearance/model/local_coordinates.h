// Newton's unknowns: coordinates y of small motions about a configuration x.
//
// If all blocks of x move freely, y is the displacement itself. The affine map A of a rigid body stays a rotation, so
// that two blocks move its 1 + dim blocks: a translation and a rotation vector theta about the present placement, which
// turns every column by exp([theta]) ([Fer21, eq. 9 to 11]; because the rotation vector starts from zero in every
// Newton iteration, its derivatives are those at zero, and no vector ever grows large: [Fer21, app. A.1, D.5]). In the
// plane the first number of the rotation block is the angle, and the second moves nothing. A tied block follows the
// affine body that it is tied to.
//
// Gradient and Hessian in y follow from those in x with dx = P dy: P^T g, and P^T H P plus the curvature of the rigid
// motions under the forces g.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clearance/model/model.h"
#include "clearance/model/surface_path.h"
#include "clearance/sparse/interpolation.h"

namespace clearance {

template <int dim>
class LocalCoordinates {
 public:
  explicit LocalCoordinates(const Model& model);

  /// True if y is the displacement of x.
  bool are_displacements() const { return model_.ties.empty() && num_rigid_ == 0; }
  int num_blocks() const { return num_blocks_; }
  /// A block of x that a local block moves. `radius` [m] is that of the body for a rotation vector.
  struct Origin {
    int block = 0;
    bool is_turn = false;
    double radius = 1.0;
  };
  /// Returns the origin of each local block.
  std::vector<Origin> origins() const;

  /// Returns the configuration that `fraction` of dy leads to.
  VecX move(const VecX& x, const VecX& dy, double fraction) const;
  /// Returns P dy [m], the initial motion of the blocks of x.
  VecX expand(const VecX& x, const VecX& dy) const;
  /// Returns the dy that leads from x to `target`; both must have unstretched rigid bodies.
  VecX from_to(const VecX& x, const VecX& target) const;
  /// Returns x with the affine map of every stiff body replaced by the nearest rotation.
  VecX unstretched(VecX x) const;
  /// Returns a position for each local block; that of a rotation vector is its body's centre.
  VecX positions(const VecX& x) const;
  /// Returns how the local blocks follow those that are no higher nodes (Model::higher_nodes); empty if all are.
  Interpolation interpolation() const;
  /// Returns the dy of rigid motions of everything, one per column: translations by one metre along the axes, then
  /// rotations by one radian in the planes of two axes about the origin.
  MatX rigid_motions(const VecX& x) const;
  /// Returns P^T gradient.
  VecX reduce(const VecX& x, const VecX& gradient) const;
  /// Returns for each local block the mark of a fixed block of x that moves with it, or 0.
  std::vector<char> reduce(const std::vector<char>& is_fixed) const;

  /// Returns the path of the surface vertices, which are at `x_surface` for x, along `fraction` of dy.
  SurfacePath surface_path(const VecX& x, const VecX& x_surface, const VecX& dy, double fraction) const;

  /// Returns the direction bent. A direction turns affine bodies along tangents, which stretches them; the bent
  /// direction turns them by a rotation, without that stretch. Bodies with fixed blocks keep their direction.
  VecX bent(const VecX& x, const VecX& dy, const std::vector<char>& is_fixed) const;

  /// Sets `reduced` to P^T H P + curvature, where H is `full` and `gradient` is that in x. `inertia` is the factor of
  /// Model::mass in H. With `is_exact` the curvature may make the result indefinite. Rebuilds the pattern of `reduced`
  /// if that of `full` has changed.
  void reduce(const VecX& x, const VecX& gradient, double inertia, const BlockSparseMatrix& full,
              BlockSparseMatrix& reduced, bool is_exact = false);

 private:
  /// A local block that a block of x moves with.
  struct Term {
    int block;
    double weight;
    bool is_turn;  // True if the local block is a rotation vector; the block of x then moves by theta x itself.
  };
  /// The contribution of a block of H to a block of P^T H P.
  struct Share {
    int row, column;  // blocks of x
    Term row_term, column_term;
    bool is_transposed;     // True if it is transposed before it is added.
    bool is_symmetrised;    // True if its transpose is added, too.
    std::int64_t from = 0;  // slot in `full`
    int from_stride = 0;
    std::int64_t to = 0;  // slot in `reduced`
    int to_stride = 0;
  };

  std::span<const Term> terms(int block) const {
    return {terms_.data() + first_term_[block], terms_.data() + first_term_[block + 1]};
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
  std::vector<int> screw_of_vertex_;  // per surface vertex: its rigid body, numbered among these, or -1
  // Data of the pattern bound last.
  std::uint64_t full_pattern_ = 0;
  std::vector<Share> shares_;
};

}  // namespace clearance
