// The energy of a joint as a function of the blocks of its two bodies. (For joint_potential.cpp.)
//
// Y has one column per block: t and the b_i of the first body, then those of the second. Points and directions that a
// body carries are Y w with constant weights w, so that most joints are linear: they require Y w = 0 [Lan22, sec. 5.4].
// The other joints are sums of products (Y p) . (Y q).
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

  /// Returns the unknown block of Y's column k, or -1 for a constant column of the world.
  int block_of(int k) const {
    const int first = first_blocks_[k / (dim + 1)];
    return first < 0 ? -1 : first + k % (dim + 1);
  }
  Blocks gather(const VecX& x) const;
  /// Gathers a difference of unknowns; the world does not move.
  Blocks gather_motion(const VecX& dx) const;

  /// Sets the number of whole turns of a hinge at y, in addition to its angle from -pi to pi.
  void set_turns(const Blocks& y, int turns);
  /// Returns the number of whole turns at y, which must be within half a turn of the last set_turns or refer_to.
  int num_turns(const Blocks& y) const;
  /// From now on takes angles to be within half a turn of the one at y.
  void refer_to(const Blocks& y);

  /// Evaluates drive and effort for the step; appends an issue for each that is undefined.
  void begin_step(const Blocks& y_t0, double h, double time_t1, Issues& issues);
  void add_energy(const Blocks& y, CompensatedSum& energy) const;
  /// Returns the error of the joint as a fraction of the smaller body's radius.
  double strain(const Blocks& y) const;
  /// Returns the part [J] of the energy that belongs to an effort.
  double effort_energy(const Blocks& y) const;
  Blocks gradient(const Blocks& y) const;
  /// Returns the part of the gradient that belongs to an effort.
  Blocks effort_gradient(const Blocks& y) const;
  /// Adds the part of the gradient at `y_to` that belongs to the gaps there beyond those that a linear motion dy from
  /// `y_from` makes.
  void add_excess(const Blocks& y_from, const Blocks& dy, const Blocks& y_to, Blocks& gradient) const;
  bool has_effort() const { return static_cast<bool>(effort_); }

  /// Returns the state of a joint in the step begun last; `coupled` is the gradient of its couplings to other joints.
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
  /// Returns the projected Hessian: exact for linear terms, Gauss-Newton (the square of the gradient, which is PSD) for
  /// products.
  Hessian hessian(const Blocks& y) const;

  /// The coordinate, an angle [rad] with turns for a hinge or an offset [m] for a slider, and its gradient.
  double coordinate(const Blocks& y) const { return limited_value(y); }
  Blocks coordinate_gradient(const Blocks& y) const { return limited_gradient(y); }
  /// The rate of the coordinate at x, where the unknowns have the rates v.
  double coordinate_rate(const VecX& x, const VecX& v) const {
    return coordinate_gradient(gather(x)).cwiseProduct(gather_motion(v)).sum();
  }
  /// [m] the point of the joint at the start.
  const Vec<3>& start_point() const { return point_; }
  bool is_hinge() const { return type_ == JointKind::hinge; }
  /// The stiffness [N m/rad] or [N/m] with which the joint would resist its own motion if it forbade that as it does
  /// the others, and the arm [m] that converts its coordinate to a length.
  double coordinate_stiffness() const { return stiffness_ * coordinate_arm() * coordinate_arm(); }
  double coordinate_arm() const { return is_hinge() ? lever_ : 1.0; }
  double radius() const { return 2.0 * lever_; }

  bool has_limit() const { return limit_.width > 0.0; }
  bool has_drive() const { return static_cast<bool>(drive_); }
  /// True if a limit pushes back.
  bool is_at_limit(const Blocks& y) const { return limit_gap(y) < limit_.width; }
  /// True if the joint is strictly between its limits.
  bool is_inside(const Blocks& y) const { return limit_gap(y) > 0.0; }
  /// Returns the largest alpha <= 1 up to which y + alpha dy keeps a fifth of its distance to the limits, or of their
  /// width if that is less.
  double max_feasible_step(const Blocks& y, const Blocks& dy) const;

 private:
  /// A sum of products (Y p) . (Y q).
  struct Products {
    std::vector<std::array<Weights, 2>> pairs;
    double value(const Blocks& y) const;
    Blocks gradient(const Blocks& y) const;
    /// Returns c with value(y + a dy) = c[0] + c[1] a + c[2] a^2.
    std::array<double, 3> along(const Blocks& y, const Blocks& dy) const;
  };
  /// A form that should be equal to `target`: zero, or the value of a drive.
  struct Scalar {
    Products form;
    double target = 0.0;
  };
  /// The vectors Y w that the coordinate is made of, at one Y: for a hinge, where the first body has two directions
  /// across the axis, and where the second body has them; for a slider, the offset and the axis.
  using Carried = std::array<Vec<dim>, 4>;
  /// A product of two carried vectors, the first one negative for `sign` -1.
  struct CarriedProduct {
    std::size_t p, q;
    double sign = 1.0;
  };
  /// Bounds on an angle or offset.
  struct Limit {
    bool is_angle = false;
    std::vector<Weights> weights;        // of the carried vectors
    std::vector<CarriedProduct> offset;  // for an angle: twice its sine
    std::vector<CarriedProduct> cosine;  // for an angle: twice its cosine
    double lower = 0.0;
    double upper = 0.0;
    double width = 0.0;     // distance from which on it pushes back; 0: there is no limit
    double resolved = 0.0;  // largest approach per step that is stopped within the width
    double inertia = 0.0;   // [kg m^2] or [kg]
    double energy = 0.0;    // [J] factor of the barrier
  };

  /// Returns the columns b_i of a body.
  static Mat<dim> columns(const Blocks& y, int side) { return y.template middleCols<dim>(side * (dim + 1) + 1); }
  Weights point(int side, const Vec<3>& x) const;
  Weights direction(int side, const Vec<3>& d) const;
  /// The weights of the difference between where the first and the second body carry a point of the world; turned_apart
  /// does so for a direction.
  Weights apart(const Vec<3>& x) const { return point(0, x) - point(1, x); }
  Weights turned_apart(const Vec<3>& d) const { return direction(0, d) - direction(1, d); }
  void set_bodies(const JointedBody& first, const JointedBody& second, double stiffness);
  void hold_orientation();
  void make_hinge(const StiffJoint& joint);
  void make_slider(const StiffJoint& joint);
  void make_limit(const StiffJoint& joint);
  void set_drive(double value);
  void set_effort(const Blocks& y_t0, double value);

  Carried carried(const Blocks& y) const;
  static double value_of(const std::vector<CarriedProduct>& products, const Carried& at);
  Blocks gradient_of(const std::vector<CarriedProduct>& products, const Carried& at) const;
  /// Returns what Products::along does.
  static std::array<double, 3> along(const std::vector<CarriedProduct>& products, const Carried& at,
                                     const Carried& moved);
  double principal_value(const Carried& at) const;
  double limited_value(const Carried& at) const;
  double limited_value(const Blocks& y) const { return limited_value(carried(y)); }
  Blocks limited_gradient(const Blocks& y) const;
  double gap_of(double value) const { return std::min(value - limit_.lower, limit_.upper - value); }
  double limit_gap(const Blocks& y) const { return has_limit() ? gap_of(limited_value(y)) : infinity; }
  /// Returns a bound on how far the coordinate is from `value`, the one at y, anywhere on y + a dy, a in [0, 1];
  /// infinity if the way turns the joint too far for a bound. `at` are the vectors carried at y.
  double largest_change(const Carried& at, const Blocks& dy, double value) const;

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
  double near_ = 0.0;  // [rad] angles are taken to be within half a turn of it
  JointFunction drive_;
  JointFunction effort_;
  Blocks effort_force_ = Blocks::Zero();           // [N] of this step, of a slider
  std::array<StepTorque<dim>, 2> effort_torques_;  // of this step, of a hinge: on both bodies
};

extern template class JointLink<2>;
extern template class JointLink<3>;

}  // namespace clearance
