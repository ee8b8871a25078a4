// The energy of springs. With the elongation e = L - l it is k/2 e^2 + T e. The force on the first point is -t n, where
// t = k e + T and n = r / L, and the Hessian by r is
//
//     k n n^T + t / L (1 - n n^T),
//
// which is positive semidefinite unless the spring pushes. A spring with l = 0 and T = 0 acts in all directions. One
// that only pulls has the constant energy of its slack length where t would be negative. Until a spring is locked its
// energy is T L; from then on l is the length at the end of the last step before.
#pragma once

#include "clearance/bodies/links/spring.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

template <int dim>
class SpringPotential final : public Potential, public ExactHessian, public SmoothMemory {
 public:
  explicit SpringPotential(std::vector<Spring> springs);

  std::unique_ptr<Potential> clone() const override { return std::make_unique<SpringPotential>(*this); }
  std::string name() const override { return "spring"; }
  bool is_driven() const override;
  /// The history has one number for each spring that locks: its length over that at the start.
  std::size_t history_size() const override { return locking_.size(); }
  HistoryLayout history_layout() const override;
  void set_history(std::span<const double> history) override;
  void end_step(const VecX& x_t1, std::span<double> history) const override;
  void pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                         MemoryCotangent result) const override;
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  /// The energy of a spring counts for the first of its bodies; connected bodies have one account
  /// (Model::mechanism_of_body).
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  /// Returns the difference of the ends [m] of a spring at x, and its tension [N] in the step begun last.
  Vec<dim> difference(int spring, const VecX& x) const;
  double tension(int spring, const VecX& x) const;

 private:
  /// A spring as it acts in the step begun last.
  struct ActiveSpring {
    bool acts = false;
    bool is_loose = false;  // not yet locked: its stiffness does not act
    double stiffness = 0.0, length = 0.0, tension = 0.0;
  };
  double tension_at(int spring, double distance) const;
  double energy_of(int spring, const VecX& x) const;
  void add_hessian(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);

  std::shared_ptr<const std::vector<Spring>> springs_;
  std::vector<int> locking_;  // springs that lock
  std::vector<ActiveSpring> active_;
  std::vector<double> history_;  // empty: no step has ended
  BlockAssembler assembler_;     // a stencil is the blocks of a spring
  std::vector<double> locals_;   // scratch: local Hessians
};

extern template class SpringPotential<2>;
extern template class SpringPotential<3>;

}  // namespace clearance
