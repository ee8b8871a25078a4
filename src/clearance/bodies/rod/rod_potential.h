// Stretch, bending and twist of thin elastic rods [Ber08, Ber10]:
//
//     EA/2 (|e| / L - 1)^2 L for every segment, and
//     (EI1 (k1 - k1 at rest)^2 + EI2 (k2 - k2 at rest)^2 + GJ (m - m at rest)^2) / 2l for every joint (rod_joint.h).
//
// Beyond its yield curvature a joint has a constant moment, so that the step is one of perfect plasticity; what the
// curvature exceeds the yield curvature by is history at its end.
//
// The director of a segment is history: at the end of a step it is transported from the tangent at its start to that at
// its end. Within a step every trial is transported from the start of the step, so that the energy does not depend on
// the way there. Once a segment has turned by more than a right angle, trials are transported from the iterate at which
// it has: transport is not defined for half a turn, and turns the axes wildly next to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clearance/bodies/rod/rod_joint.h"
#include "clearance/bodies/rod/rod_mesh.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/hessian_kind.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

class RodPotential : public Potential, public ExactHessian, public SmoothMemory {
 public:
  explicit RodPotential(std::shared_ptr<const RodMesh> mesh);
  std::unique_ptr<Potential> clone() const override { return std::make_unique<RodPotential>(*this); }
  bool has_clamps() const { return !mesh_->clamps.empty(); }

  std::string name() const override { return "rod"; }
  bool is_elastic() const override { return true; }
  /// The history has four numbers per segment: its director, and the twist of the joint at its end. If a section
  /// yields, it has two more: by how much the curvatures of that joint have yielded.
  std::size_t history_size() const override { return num_per_segment() * mesh_->segments.size(); }
  HistoryLayout history_layout() const override;
  void set_history(std::span<const double> history) override;
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  bool refer_to(const VecX& x) override;
  void end_step(const VecX& x_t1, std::span<double> history) const override;
  void pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                         MemoryCotangent result) const override;
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;

  void restrict_to(const std::vector<char>& part) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  /// Adds the Hessian of stretch without compression, and of joints without second derivatives of bend and twist; it is
  /// PSD. Bends are vectors in space there, as far as the rod is equally stiff towards both axes.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override {
    assemble(x, scale, HessianKind::projected, nullptr, matrix);
  }
  void add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override {
    assemble(x, scale, HessianKind::projected, &gradient, matrix);
  }
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override {
    assemble(x, scale, HessianKind::exact, &gradient, matrix);
  }

  /// Returns the largest alpha <= 1 for which every segment keeps more than a fifth of its length all along the way.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;

  const std::shared_ptr<const RodMesh>& mesh() const { return mesh_; }
  /// Returns for each segment at x its tension [N], and the size of the bending moment and the torque [N m], means of
  /// those at its ends; the torque is positive if the end is turned about the segment's direction.
  std::vector<Vec<3>> resultants(const VecX& x) const;

  bool has_yield() const { return has_yield_; }
  /// Returns the energy [J] that joints which yield at x lose.
  double yield_work(const VecX& x) const;

  /// Adds the torque [N m] with which the clamps of the step begun last hold the rod at x, half of it to each node of a
  /// clamped segment. `torques` has three numbers per block.
  void add_clamp_torques(const VecX& x, VecX& torques) const;

  /// Adds to each block [N/m] what resists its motion across the rod at the start.
  void add_stiffness(VecX& stiffness) const;

 private:
  /// A spring on an angle that no other energy depends on: a clamped segment's, or a place behind the last angle of a
  /// body in its block.
  struct Hold {
    std::size_t segment;  // whose block it is in
    int component;
    double stiffness, value;  // [N/m], [m] where the step begins
  };

  double angle_at(const RodSegment& segment, const VecX& x) const {
    return x[segment.angle.place()] / segment.angle.length;
  }
  Vec<3> edge_of(const RodSegment& segment, const VecX& x) const {
    return block<3>(x, segment.nodes[1]) - block<3>(x, segment.nodes[0]);
  }
  SegmentAxes axes_at(std::size_t segment, const VecX& x) const;
  RodJointState joint_at(std::size_t joint, const VecX& x) const;
  template <class Visit>
  void visit_joints(const VecX& x, const Visit& visit) const;
  double near_twist(std::size_t joint, const VecX& x) const;
  double energy_of_segment(const RodSegment& segment, const VecX& x) const;
  /// Returns the energies [J] of all joints; 0 outside of the part that moves.
  std::vector<double> joint_energies(const VecX& x) const;
  Vec<3> stiffness_of(const RodJoint& joint) const;
  std::size_t num_per_segment() const { return has_yield_ ? 6 : 4; }
  /// Returns curvatures and twist of a joint at rest.
  Vec<3> rest_of(std::size_t joint) const {
    const RodJoint& of = mesh_->joints[joint];
    const Vec<3> rest(of.curvature[0], of.curvature[1], of.twist);
    if (!has_yield_ || history_.empty()) return rest;
    const double* const yielded = history_.data() + 6 * static_cast<std::size_t>(of.segments[0]) + 4;
    return rest + Vec<3>(yielded[0], yielded[1], 0.0);
  }
  double yield_bend(const RodJoint& joint) const;
  Vec<2> yielding(std::size_t joint, const Vec<3>& bend) const;
  /// The resistance of a joint whose curvatures and twist are off those at rest.
  struct Response {
    double energy = 0.0;  // [J]
    Vec<3> moment = Vec<3>::Zero();
    Mat<3> tangent = Mat<3>::Zero();
    bool is_elastic = true;
  };
  Response respond(std::size_t joint, const Vec<3>& bend) const;
  /// Derivatives of a number by how the axes of a segment start a step: by a turn of the axes about it where it ends,
  /// and by the tangent T at the start, if the axes follow it as they do between T and where the segment ends.
  struct FrameCotangent {
    double turn = 0.0;
    Vec<3> tangent = Vec<3>::Zero();
  };
  void add_frames(const VecX& x_t0, const VecX& x_t1, const std::vector<FrameCotangent>& frames,
                  MemoryCotangent result) const;
  JointVector joint_part(std::size_t joint, const VecX& motion) const;
  void add_joint_part(std::size_t joint, const JointVector& part, VecX& sums) const;
  void differentiate_joints(const VecX& x, std::optional<HessianKind> kind);
  void add_forces(const VecX& x, double scale, VecX& gradient) const;
  void write_joint(std::size_t joint, const JointMatrix& hessian);
  void write_segment(std::size_t segment, const VecX& x, HessianKind kind);
  void assemble(const VecX& x, double scale, HessianKind kind, VecX* gradient, BlockSparseMatrix& matrix);
  /// Returns the three blocks of a segment's stretch, and the block of its angle.
  double* locals_of_segment(std::size_t segment) {
    return locals_.data() + 9 * stencils_->first_local_block[mesh_->joints.size() + segment];
  }
  double* local_of_angle(std::size_t segment) {
    return locals_.data() + 9 * stencils_->first_local_block[mesh_->joints.size() + mesh_->segments.size() + segment];
  }
  std::array<int, 3> nodes_of(const RodJoint& joint) const;
  void find_holds(const VecX& x_t0);
  Eigen::Index place(const Hold& hold) const {
    return 3 * static_cast<Eigen::Index>(mesh_->segments[hold.segment].angle.block) + hold.component;
  }

  std::shared_ptr<const RodMesh> mesh_;
  bool has_yield_ = false;
  std::vector<double> history_;  // empty: nothing has happened yet
  // At the start of the step, or at a later iterate that refer_to has moved the frames to.
  std::vector<SegmentFrame> frames_;             // per segment
  std::vector<double> angle_from_, twist_from_;  // per segment, per joint
  std::vector<Hold> holds_;                      // of this step
  BlockAssembler assembler_;
  std::shared_ptr<const StencilList> stencils_;       // joints, then one per segment, then one per angle
  std::vector<int> active_joints_, active_segments_;  // those that the part changes, in order
  std::vector<double> locals_;                        // scratch: blocks of all stencils
  std::vector<JointVector> forces_;                   // scratch: per joint, by its edges and angles [N], [N m]
};

}  // namespace clearance
