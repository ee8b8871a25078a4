// Bending of thin shells, a quadratic energy of angles.
//
// With slopes (BendingModel::slopes), the normal of the shell at edge e of a triangle is tilted outwards from the
// triangle's own normal by the angle a_e: half of the angle between both triangles, plus or minus the slope phi_e. With
// m_e the outward normal of the edge in the plane at rest, |e| its length and A the triangle's area, the curvature is
//
//     H = sum_e (a_e - a_e at rest) |e| / A  m_e m_e^T,    E = A D/2 (nu (tr H)^2 + (1 - nu) H : H).
//
// For a flat plate this is Morley's element [Mor68], which converges on every mesh. On the border phi_e alone is a_e:
// left free, it is simply supported. A clamped edge has a normal that is given, and a_e follows from the triangle's.
//
// Morley's moments are constant in each triangle, and those of a plate change. Under forces at nodes they bend too far
// by the energy of this change, because they balance these forces exactly. A triangle adds the least energy with which
// its moment can change so that the angles on its sides are those that its neighbours see: with b_e the angle on side e
// as the neighbour has it, and p_e the angle that a curvature makes there,
//
//     d_e = b_e - p_e : H,    E = A/2 d^T M^-1 d,    M = G W^-1 G^T + P C^-1 P^T / 4.
//
// G maps the third derivatives of a cubic deflection to d, and W is the energy per area that its moment has above that
// constant moment which has the same mean normal moment on every side [Com89]. The second term, C being the stiffness
// of the plate, keeps what is no cubic from being resisted more than four times as much as bending: on needles the
// first term alone was a million times as stiff. Curvatures that are equal in all triangles have d = 0.
//
// With hinges, E = D/2 |e|^2 / (A1 + A2) (theta - theta at rest)^2 for every edge between two triangles: a plate on
// regular grids alone. The curvature of a hinge is theta |e| / (A1 + A2).
//
// A material that yields keeps what exceeds the yield curvature at the end of a step: the principal curvatures of H are
// cut off there, and the rest angles of the triangle follow by the excess, which three angles can express. A hinge does
// the same with its one curvature.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "clearance/bodies/shell/dihedral.h"
#include "clearance/bodies/shell/shell_mesh.h"
#include "clearance/bodies/shell/shell_sample.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

class BendingPotential : public Potential, public ExactHessian, public SmoothMemory {
 public:
  explicit BendingPotential(std::shared_ptr<const ShellMesh> mesh);
  std::unique_ptr<Potential> clone() const override { return std::make_unique<BendingPotential>(*this); }
  bool has_elements() const { return !elements_->all.empty(); }
  bool has_clamps() const { return !mesh_->clamps.empty(); }
  /// False with clamped edges: second derivatives of their angles are left out.
  bool has_exact_hessian() const override { return !has_clamps(); }

  std::string name() const override { return "bending"; }
  bool is_elastic() const override { return true; }
  /// The history has the angles by which each element has yielded; it is empty if no material yields.
  std::size_t history_size() const override { return has_yield_ ? elements_->num_angles : 0; }
  HistoryLayout history_layout() const override;
  void set_history(std::span<const double> history) override { yielded_.assign(history.begin(), history.end()); }
  void end_step(const VecX& x_t1, std::span<double> history) const override;
  void pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                         MemoryCotangent result) const override;
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;

  /// Turns the normals of clamped edges.
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  void restrict_to(const std::vector<char>& part) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  /// Adds the Hessian without second derivatives of the angles, which is PSD.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override { add(x, scale, false, matrix); }
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  bool has_yield() const { return has_yield_; }
  /// Returns the energy [J] that edges which yield at x lose.
  double yield_work(const VecX& x) const;

  /// Adds the torque [N m] with which the clamps of the step begun last hold the sheet at x, half of it to each node of
  /// a clamped edge. `torques` has three numbers per block.
  void add_clamp_torques(const VecX& x, VecX& torques) const;

  /// Returns the curvatures and moments of the triangles that resist bending, with the clamps of the step begun last.
  std::vector<ShellSample> samples(const VecX& x) const;

  /// Adds to each block [N/m] what resists its motion across the sheet at x, a third of the trace of its part of the
  /// Hessian.
  void add_stiffness(const VecX& x, VecX& stiffness) const;

 private:
  /// One angle of an element: a share of the angle between the triangles of an edge and of its slope.
  struct Angle {
    int edge = 0;
    int side = 0;                           // of the edge: the triangle that the angle is seen from
    double share = 1.0;                     // of the angle between the triangles
    double of_slope = 0.0;                  // [1/m] of the slope's length
    std::array<int, 4> at{-1, -1, -1, -1};  // the edge's nodes 0, 1 and opposite nodes among the element's blocks
    int slope_at = -1;                      // its slope's block among these
  };
  /// A triangle with three angles, or a hinge with one. A triangle also knows the angle on each side that its neighbour
  /// has there, as angles 3 to 5.
  struct Element {
    int num_angles = 0;           // of its own
    std::size_t first_angle = 0;  // among those of all elements
    std::array<Angle, 3> angles;
    std::array<std::optional<std::size_t>, 3> across;  // the neighbour's angle among those of all elements
    Mat<6> stiffness = Mat<6>::Zero();                 // [N m]
    std::vector<int> blocks;
  };
  struct Elements {
    std::vector<Element> all;
    std::size_t num_angles = 0;
    /// Components of blocks of slopes that no energy depends on, with the stiffness [N/m] that holds them at 0.
    struct Idle {
      int block, component;
      double stiffness;
    };
    std::vector<Idle> always_idle;
  };
  /// Deviation of the angles from rest, and their derivatives by the element's blocks.
  struct Bend {
    Vec<6> angles = Vec<6>::Zero();
    Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 27> by_x;
  };
  /// The normal that a clamped edge is to have.
  struct HeldNormal {
    Vec<3> normal = Vec<3>::Zero();
    Vec<3> by_turn = Vec<3>::Zero();  // derivative by the angle by which the edge turns about its free axis
    Vec<3> turn_by_x =
        Vec<3>::Zero();  // [1/m] derivative of that angle by the edge's second node; opposite for the first
  };
  class Builder;

  DihedralNodes nodes_of(const ShellEdge& edge, const VecX& x) const;
  /// Returns by what an angle has yielded [rad], by its number among those of all elements.
  double yielded(std::size_t angle) const { return yielded_.empty() ? 0.0 : yielded_[angle]; }
  /// Returns angle k [rad] of an element at rest.
  double rest_angle(const Element& element, int k) const {
    const Angle& angle = element.angles[k];
    return angle.share * mesh_->edges[angle.edge].angle + yielded(element.first_angle + static_cast<std::size_t>(k));
  }
  /// Returns the angle [rad] that the neighbour across side k has at rest.
  double rest_angle_across(const Element& element, int k) const {
    const ShellEdge& edge = mesh_->edges[element.angles[k].edge];
    return element.angles[k].share * edge.angle + edge.sense * yielded(*element.across[k]);
  }
  Vec<3> excess_angles(const Element& element, const VecX& x) const;
  Vec<3> pull_back_excess(const Element& element, const Vec<3>& angles, const Vec<3>& kept) const;
  std::optional<double> limit_of_hinge(const Element& element) const;
  int triangle_of(const Element& element) const {
    return mesh_->edges[element.angles[0].edge].triangles[element.angles[0].side];
  }
  bool is_clamped(const ShellEdge& edge) const { return edge.clamp >= 0 && rotations_[edge.clamp].has_value(); }
  HeldNormal held_normal(const Angle& angle, const VecX& x) const;
  Vec<6> angles_of(const Element& element, const VecX& x) const;
  void bend(const Element& element, const VecX& x, Bend& result) const;
  double energy_of(const Element& element, const VecX& x) const;
  void add(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix);
  template <class Visit>
  void for_each_idle(const Visit& visit) const;

  std::shared_ptr<const ShellMesh> mesh_;
  std::shared_ptr<const Elements> elements_;
  bool has_yield_ = false;
  std::vector<double> yielded_;                   // [rad] per angle of the elements; empty: none has yielded
  std::vector<Vec<3>> normals_;                   // per edge that is clamped: its normal at the start
  std::vector<std::optional<Mat<3>>> rotations_;  // per clamp, in this step
  BlockAssembler assembler_;
  std::shared_ptr<const StencilList> stencils_;  // elements, then what is always idle, then clamped slopes
  std::vector<int> active_;                      // elements that the part changes, in order
  std::vector<double> locals_;
  std::vector<double> forces_;
};

}  // namespace clearance
