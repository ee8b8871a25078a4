// Soft springs that hold free bodies where they start, so that statics have one equilibrium.
//
// The springs of a body are in proportion to its mass and act on its motion as a whole: on the mean displacement d and
// the small turn theta that fit the displacements u of its nodes best,
//
//     f_b = -k_b (d + theta x r_b),   d = sum k_b u_b / sum k_b,   J theta = sum k_b r_b x u_b,
//
// where r_b is the place at the start from the centre. A force that nothing else balances is carried like the inertia
// of a body that accelerates evenly, without stress concentrations; loads in balance leave the springs alone, however
// far the body bends or stretches.
//
// The force couples all nodes of a body. It is therefore constant between two references (Potential::refer_to), beside
// springs to the reference, which vanish there: E = sum over blocks of -f_b . (x_b - x_ref) + k_b / 2 |x_b - x_ref|^2.
#pragma once

#include <vector>

#include "clearance/model/potential.h"

namespace clearance {

/// The springs of one body.
struct HeldBlocks {
  std::vector<int> nodes;   ///< blocks that are positions of nodes; they resist the motion as a whole
  std::vector<int> others;  ///< blocks of affine maps, which have no deformation to speak of; they resist any motion
};

/// Motion of a body as a whole, and the springs that resist it.
template <int dim>
struct WholeMotion {
  Vec<dim> shift = Vec<dim>::Zero();  ///< [m] of the centre
  Vec<3> turn = Vec<3>::Zero();       ///< [rad]
  double stiffness = 0.0;             ///< [N/m] of all springs
  Vec<3> torque = Vec<3>::Zero();     ///< [N m] that turns the body so about its centre
};

template <int dim>
class SoftHoldPotential : public Potential {
 public:
  /// `stiffness` [N/m] per block; `anchors` [m], flat. Bodies of revolution move as a whole along y alone.
  SoftHoldPotential(std::vector<HeldBlocks> bodies, VecX stiffness, VecX anchors, bool is_axisymmetric = false);

  std::unique_ptr<Potential> clone() const override { return std::make_unique<SoftHoldPotential>(*this); }
  std::string name() const override { return "hold"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  bool refer_to(const VecX& x) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override;
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;

  /// Returns the motion of the nodes of a body as a whole at x.
  WholeMotion<dim> motion(const VecX& x, std::size_t body) const;

 private:
  Vec<dim> displacement(const VecX& x, int b) const;
  Vec<dim> arm(std::size_t body, int b) const;

  std::vector<HeldBlocks> bodies_;
  bool is_axisymmetric_;
  VecX stiffness_, anchors_;
  std::vector<int> blocks_;                // all that are held, ascending
  std::vector<Vec<dim>> centers_;          // [m] per body
  std::vector<Mat<3>> inverse_of_moment_;  // [1 / (N m)] per body
  VecX reference_, force_;                 // [m], [N] there
};

extern template class SoftHoldPotential<2>;
extern template class SoftHoldPotential<3>;

}  // namespace clearance
