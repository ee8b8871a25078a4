// The energy of links, the sum of k/2 (|r| - l)^2. Its force on the first point is -k (|r| - l) n, n = r / |r|, and its
// Hessian by r is
//
//     k ((1 - l / |r|) (1 - n n^T) + n n^T),
//
// which is positive semidefinite unless the link is pressed together (|r| < l). A link of no length is the spring
// k/2 |r|^2; if it ties a point above a face, r is not linear, and k r . d2r/dx2 is left out unless all is asked for. A
// link whose force exceeds its `break_force` at the end of a step does not act from then on.
#pragma once

#include "clearance/bodies/links/link.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

template <int dim>
class LinkPotential final : public Potential, public ExactHessian, public SmoothMemory {
 public:
  explicit LinkPotential(std::vector<LinkGroup> groups);

  std::unique_ptr<Potential> clone() const override { return std::make_unique<LinkPotential>(*this); }
  std::string name() const override { return "attachment"; }
  bool is_driven() const override;
  /// The history has one number for every link: 1 once it is broken.
  std::size_t history_size() const override { return links_.size(); }
  HistoryLayout history_layout() const override;
  void set_history(std::span<const double> history) override;
  void end_step(const VecX& x_t1, std::span<double> history) const override;
  /// Links break, or they do not.
  bool has_flags_alone() const override { return true; }
  void pull_back_history(const VecX& /*x_t0*/, const VecX& /*x_t1*/, std::span<const double> /*kept*/,
                         MemoryCotangent /*result*/) const override {}
  void pull_back_gradient(const VecX& /*x_t0*/, const VecX& /*x_t1*/, const VecX& /*motion*/,
                          MemoryCotangent /*result*/) const override {}
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  /// The energy of a link counts for the first of its bodies; linked bodies have one account
  /// (Model::mechanism_of_body). What drives move stores nothing of its own.
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return !is_driven(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  /// Returns the forces of the links of a group at x in the step begun last.
  LinkForce force_of(int group, const VecX& x) const;

 private:
  /// A link as it acts in the step begun last.
  struct ActiveLink {
    bool acts = false;
    double length = 0.0;
    Vec<dim> offset = Vec<dim>::Zero();
  };
  Vec<dim> difference(std::size_t link, const VecX& x) const;
  void add_tied_gradient(std::size_t link, const VecX& x, double scale, VecX& gradient) const;
  void append_tied_hessian(std::size_t link, const VecX& x, bool is_projected);
  double energy_of(std::size_t link, const VecX& x) const;
  /// Returns the force [N] that the link carries: positive if it pulls.
  double tension(std::size_t link, const VecX& x) const;
  void add_hessian(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);

  std::shared_ptr<const std::vector<LinkGroup>> groups_;
  std::vector<const Link*> links_;       // of all groups
  std::vector<std::size_t> first_link_;  // per group, and their number
  std::vector<ActiveLink> active_;
  std::vector<double> history_;  // empty: no link is broken
  BlockAssembler assembler_;     // a stencil is the blocks of a link
  std::vector<double> locals_;   // scratch: local Hessians
};

extern template class LinkPotential<2>;
extern template class LinkPotential<3>;

}  // namespace clearance
