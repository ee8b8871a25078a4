// The energy of elements whose material yields: the sum of w W(F) over the points of a quadrature rule, with the
// incremental energy W of hencky_plasticity.h. It remembers the plastic part of F and the accumulated plastic strain of
// each point.
#pragma once

#include "clearance/bodies/fem/elastic_potential.h"
#include "clearance/bodies/fem/element_sensitivities.h"
#include "clearance/bodies/fem/element_stress.h"
#include "clearance/bodies/fem/hencky_plasticity.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/held_branches.h"
#include "clearance/model/plastic_work.h"
#include "clearance/model/smooth_memory.h"

namespace clearance {

template <int dim>
class PlasticPotential final : public Potential,
                               public ExactHessian,
                               public HeldBranches,
                               public PlasticWork,
                               public SmoothMemory {
 public:
  /// Elements must be valid at rest; all materials have a hardening.
  explicit PlasticPotential(const ElementMesh<dim>& mesh);
  // Copies are made in the .cpp file. Packs are aligned to 16 bytes where the compiler may not use AVX and to 32 where
  // it may; what is compiled once for both programs would copy them with the wrong one.
  PlasticPotential(const PlasticPotential& other);
  ~PlasticPotential() override;
  std::unique_ptr<Potential> clone() const override;

  std::string name() const override { return "elastic"; }
  bool is_elastic() const override { return true; }
  void restrict_to(const std::vector<char>& part) override { elements_.restrict_to(part); }

  /// A point has the 9 entries of Fp^-1, column by column, and the accumulated plastic strain. Points are in the order
  /// of the elements of the set.
  std::size_t history_size() const override { return num_per_point * num_points(); }
  HistoryLayout history_layout() const override;
  void set_history(std::span<const double> history) override;
  void end_step(const VecX& x_t1, std::span<double> history) const override;
  void pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                         MemoryCotangent result) const override;
  void pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                          MemoryCotangent result) const override;
  /// Adds the derivatives of motion . dE/dx, and of the sum of kept[k] times number k of the history at the end, which
  /// may be empty, by the elastic numbers of the elements and by the nodes at rest. Element e of the mesh has the place
  /// places[e].
  void add_slopes(const VecX& x_t1, const VecX& motion, std::span<const double> kept,
                  std::span<const std::size_t> places, ElementSlopes& slopes) const;

  /// Branches of Hardening, point by point in the order of the history.
  std::vector<int> branches(const VecX& x) const override;
  void hold_branches(const std::vector<int>& branches) override;

  CompensatedSum energy(const VecX& x) const override;
  double plastic_work(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return elements_.keys(); }
  /// Adds the Hessian, projected at every point.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override { return shape_.max_feasible_step(x, dx); }
  bool is_feasible(const VecX& x) const override { return shape_.is_feasible(x); }

  /// Returns the states of the elements at x, in the order of the mesh: stress and strain of the point of the rule with
  /// the largest equivalent stress, the largest plastic strain, and the mean of the elastic energy.
  std::vector<ElementState> element_states(const VecX& x) const;
  /// Returns the stresses at the points of stress_points, element by element in the order of the mesh. Each point has
  /// the plastic part of F of the nearest point of the rule: of straight elements these are the same points.
  std::vector<StressVector> stresses(const VecX& x, int extra_degree) const;

 private:
  static constexpr std::size_t num_per_point = 10;
  struct Constant {
    ElementMesh<dim> mesh;
    std::vector<std::size_t> first_point;  // per element of the set, and one past the last
    std::vector<int> pack_of_element;      // per element of the set
  };
  /// Memory of a point of a pack.
  struct Memory {
    Lanes accumulated, across;
    std::array<int, num_lanes> branches{};  // if they are held
  };
  /// The state of one point of one element after the return.
  struct PointState {
    Mat<3> cauchy;  // [Pa]
    double energy_density = 0.0, accumulated = 0.0;
  };

  std::size_t num_points() const { return constant_->first_point.back(); }
  /// Returns the numbers of point q of an element of the set.
  const double* numbers(int element, std::size_t q) const {
    return history_.data() + num_per_point * (constant_->first_point[element] + q);
  }
  material_kernels::PlasticPoint point(int p, std::size_t q) const;
  void refresh_pack(int p);
  /// Calls visit(q, svd of Fe*, returned state, constants) for every point of pack p.
  template <class Visit>
  void visit_points(int p, const VecX& x, const Visit& visit) const;
  template <class Visit>
  void visit_returns(const VecX& x, const VecX& motion, const Visit& visit) const;
  Lanes pack_energy(int p, const VecX& x) const;
  void write_derivatives(int p, const VecX& x, bool is_projected, Lanes* forces, const LaneTargets& targets);
  void assemble(const VecX& x, double scale, bool is_projected, bool has_forces, BlockSparseMatrix& matrix);
  PointState point_state(int element, std::size_t q, const Mat<3>& f) const;

  ElasticPotential<dim> shape_;  // the elements as elastic ones, for bounds and verdicts
  ElementSet<dim> elements_;
  std::shared_ptr<const Constant> constant_;
  std::vector<double> history_;          // of all points
  std::vector<ElementPack<dim>> packs_;  // those of the set with D0^-1 Fp^-1 instead of D0^-1
  std::vector<std::array<const Hardening*, num_lanes>> hardening_;  // per pack
  std::vector<std::vector<Memory>> memory_;                         // per pack and point
  bool are_branches_held_ = false;
};

extern template class PlasticPotential<2>;
extern template class PlasticPotential<3>;

}  // namespace clearance
