// What a joint adds to the energy, as a function of the blocks of its two bodies. (For joint_potential.cpp.)
//
// Y has one column a block: first t and the b_i of one body, then those of the other. Points and directions that a body
// carries are Y w with constant weights w, so that most joints are linear: they ask Y w = 0 [Lan22, sec. 5.4].
// The rest are sums of products (Y p) . (Y q).
#pragma once

#include <limits>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/bodies/affine/joint.h"
#include "clearance/bodies/affine/step_torque.h"

namespace clearance {

template <int dim>
class JointLink {
 public:
  static constexpr int num_blocks = 2 * (dim + 1);
  using Weights = Vec<num_blocks>;
  using Blocks = Mat<dim, num_blocks>;

  explicit JointLink(const StiffJoint& joint);
  explicit JointLink(const HeldBody& held);

  /// Number of the block of Y's column k among the unknowns; -1: the world's, which is constant.
  int block_of(int k) const {
    const int first = first_blocks_[static_cast<std::size_t>(k / (dim + 1))];
    return first < 0 ? -1 : first + k % (dim + 1);
  }
  Blocks gather(const VecX& x) const;
  /// Of a difference of unknowns; the world does not move.
  Blocks gather_motion(const VecX& dx) const;

  /// At y a hinge has made so many whole turns beside its angle from -pi to pi.
  void set_turns(const Blocks& y, int turns);
  /// Whole turns at y, which is within half a turn of where set_turns or refer_to was last.
  int num_turns(const Blocks& y) const;
  /// Angles count from here on as those within half a turn of the one at y.
  void refer_to(const Blocks& y);

  /// Appends what is not defined.
  void begin_step(const Blocks& y_t0, double h, double time_t1, Issues& issues);
  void add_energy(const Blocks& y, CompensatedSum& energy) const;
  /// By how much it is not where it should be, as a share of the smaller body's radius.
  double strain(const Blocks& y) const;
  /// [J] The part of an effort.
  double effort_energy(const Blocks& y) const;
  Blocks gradient(const Blocks& y) const;
  /// The part of an effort.
  Blocks effort_gradient(const Blocks& y) const;
  bool has_effort() const { return static_cast<bool>(effort_); }

  /// Of a joint, in the step begun last; `coupled` is the gradient of what couples it with others.
  JointState state(const Blocks& y, const Blocks& coupled) const;

  /// The projected Hessian: block (k, l) is isotropic(k, l) I + sum over ranks of factor * g_k g_l^T.
  struct Rank {
    double factor;
    Blocks g;
  };
  struct Hessian {
    Mat<num_blocks> isotropic;
    std::array<Rank, 4> ranks;
    int num_ranks = 0;
    Mat<dim> block(int k, int l) const;
  };
  /// Exact for what is linear; of products their squares (Gauss-Newton), which is PSD.
  Hessian hessian(const Blocks& y) const;

  /// Of a hinge, [rad] with its turns, or a slider, [m]; and its gradient.
  double coordinate(const Blocks& y) const { return limited_value(y); }
  Blocks coordinate_gradient(const Blocks& y) const { return limited_gradient(y); }
  bool is_hinge() const { return type_ == JointKind::hinge; }
  /// [N m/rad] or [N/m] by which the joint would resist its own motion if it forbade that as it does the others; and
  /// the arm [m] by which its coordinate becomes a way.
  double coordinate_stiffness() const { return stiffness_ * coordinate_arm() * coordinate_arm(); }
  double coordinate_arm() const { return is_hinge() ? lever_ : 1.0; }
  double radius() const { return 2.0 * lever_; }

  bool has_limit() const { return limit_.width > 0.0; }
  bool has_drive() const { return static_cast<bool>(drive_); }
  /// Does a limit push back?
  bool is_at_limit(const Blocks& y) const { return limit_gap(y) < limit_.width; }
  /// Is the joint strictly between its limits?
  bool is_inside(const Blocks& y) const { return limit_gap(y) > 0.0; }
  /// Largest alpha <= 1 up to which y + alpha dy keeps a fifth of its distance to the limits.
  double max_feasible_step(const Blocks& y, const Blocks& dy) const;

 private:
  /// sum of (Y p) . (Y q)
  struct Products {
    std::vector<std::array<Weights, 2>> pairs;
    double value(const Blocks& y) const;
    Blocks gradient(const Blocks& y) const;
  };
  /// A form that should be zero, or what a drive asks.
  struct Scalar {
    Products form;
    double target = 0.0;
  };
  /// Angle or offset between bounds.
  struct Limit {
    bool is_angle = false;
    Products offset;  // of an angle twice its sine
    Products cosine;  // of an angle twice its cosine
    double lower = 0.0;
    double upper = 0.0;
    double width = 0.0;     // from where on it pushes back; 0: there is no limit
    double resolved = 0.0;  // what comes with so much a step is stopped within the width
    double inertia = 0.0;   // [kg m^2] or [kg]
    double energy = 0.0;    // [J] factor of the barrier
  };

  /// The columns b_i of a body.
  static Mat<dim> columns(const Blocks& y, int side) { return y.template middleCols<dim>(side * (dim + 1) + 1); }
  Weights point(int side, const Vec<3>& x) const;
  Weights direction(int side, const Vec<3>& d) const;
  /// A point of the world as the first body carries it, seen from where the second does; a direction likewise.
  Weights apart(const Vec<3>& x) const { return point(0, x) - point(1, x); }
  Weights turned_apart(const Vec<3>& d) const { return direction(0, d) - direction(1, d); }
  void set_bodies(const JointedBody& first, const JointedBody& second, double stiffness);
  void hold_orientation();
  void make_hinge(const StiffJoint& joint);
  void make_slider(const StiffJoint& joint);
  void make_limit(const StiffJoint& joint);
  void set_drive(double value);
  void set_effort(const Blocks& y_t0, double value);

  double principal_value(const Blocks& y) const;
  double limited_value(const Blocks& y) const;
  Blocks limited_gradient(const Blocks& y) const;
  double limit_gap(const Blocks& y) const;

  std::array<int, 2> first_blocks_ = {-1, -1};
  std::array<AffineFrame, 2> frames_;
  Blocks world_ = Blocks::Zero();  // columns that are constant
  double stiffness_ = 0.0;         // [N/m]
  double lever_ = 0.0;             // [m]
  JointKind type_ = JointKind::fixed;
  Vec<3> point_ = Vec<3>::Zero();     // [m] at the start
  Mat<3> axes_ = Mat<3>::Identity();  // columns, right-handed: two directions across the axis, and the axis
  std::vector<Weights> vectors_;
  std::vector<Scalar> scalars_;
  Limit limit_;
  double near_ = 0.0;  // [rad] angles are within half a turn of it
  JointFunction drive_;
  JointFunction effort_;
  Blocks effort_force_ = Blocks::Zero();           // [N] of this step, of a slider
  std::array<StepTorque<dim>, 2> effort_torques_;  // of this step, of a hinge: on both bodies
};

extern template class JointLink<2>;
extern template class JointLink<3>;

}  // namespace clearance
