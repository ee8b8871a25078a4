// Dampers between two points. In a step of length h a damper has the potential c/(2 h) (L - L_t0)^2 of its length, or
// c/(2 h) |r - r_t0|^2 if it has no direction, so that strong ones need no small steps. Its work is lost.
#pragma once

#include "clearance/bodies/links/spring.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

template <int dim>
class DashpotPotential final : public Potential, public ExactHessian, public SmoothMemory {
 public:
  explicit DashpotPotential(std::vector<Dashpot> dashpots);

  std::unique_ptr<Potential> clone() const override { return std::make_unique<DashpotPotential>(*this); }
  std::string name() const override { return "dashpot"; }
  bool is_dissipative() const override { return true; }
  /// Without a time step there is no speed and no force.
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  /// A damper keeps nothing beyond the step.
  void pull_back_history(const VecX& /*x_t0*/, const VecX& /*x_t1*/, std::span<const double> /*kept*/,
                         MemoryCotangent /*result*/) const override {}
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;

 private:
  /// A damper in the step begun last.
  struct ActiveDashpot {
    double factor = 0.0;               // [N/m] c / h; 0: it does not act
    Vec<dim> r_t0 = Vec<dim>::Zero();  // [m]
  };
  Vec<dim> difference(std::size_t i, const VecX& x) const;
  Vec<dim> force(std::size_t i, const VecX& x) const;
  void add_hessian(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);

  std::shared_ptr<const std::vector<Dashpot>> dashpots_;
  std::vector<ActiveDashpot> active_;
  BlockAssembler assembler_;    // a stencil is the blocks of a damper
  std::vector<double> locals_;  // scratch: local Hessians
};

extern template class DashpotPotential<2>;
extern template class DashpotPotential<3>;

}  // namespace clearance
