// A barrier that keeps elements from being pressed flat if their material has no barrier of its own (all but
// neo-Hookean). The energy of such a material stays finite as J = det F -> 0. A fast or strong enough load then has its
// minimum among inverted elements, where no step may go: Newton's method would creep towards the border and never
// converge. With
//
//   E = sum V w b(J),  b(J) = -(J/J0 - 1)^2 ln(J/J0) for J < J0, else 0,  w = J0 (lambda + 2 mu)
//
// (the clamped logarithm of [Fer23, eq. 2.6], twice continuously differentiable) the minimum is inside. Elements that
// keep a tenth of their volume do not feel the barrier.
//
// J is not constant in elements of a higher order. There the barrier acts on the Bernstein coefficients of the volume
// function on parts of an element, in units of the smallest coefficient in that part at rest. Positive coefficients are
// sufficient for validity [Joh13], so that no element can be inverted between the points of a rule.
#pragma once

#include <optional>

#include "clearance/bodies/fem/element_set.h"
#include "clearance/geometry/volume_coefficients.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"

namespace clearance {

/// J0 is the fraction of its rest volume below which an element feels the barrier.
inline constexpr double barrier_volume_fraction = 0.1;

enum class GuardedElements {
  of_finite_energy,  ///< elements of a higher order, and linear ones whose material is not a barrier model
  all                ///< all elements, for problems without elasticity: the barrier also bounds steps
};

template <int dim>
class InversionBarrier final : public Potential, public ExactHessian {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<InversionBarrier>(*this); }
  /// Elements must be valid at rest and material indices valid. All elements of a higher order take part, also
  /// neo-Hookean ones: their energy is infinite only at inverted points of the rule, and nowhere between these.
  explicit InversionBarrier(const ElementMesh<dim>& mesh, GuardedElements guarded = GuardedElements::of_finite_energy);
  /// True if any element takes part; if not, the potential may be left out of the model.
  bool has_elements() const { return !constant_->elements.empty(); }

  std::string name() const override { return "inversion_barrier"; }
  void restrict_to(const std::vector<char>& part) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  /// Adds b'' grad c grad c^T of each coefficient; the other part of the Hessian, b' d2c, is small in comparison where
  /// the barrier is steep. For linear elements adds both parts, projected to PSD.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  /// Adds the exact Hessian of elements of a higher order.
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  bool has_exact_hessian() const override { return !constant_->is_linear; }
  /// Bounds the step so that every coefficient keeps a fifth of its value at x, all along the way. Linear elements are
  /// bounded by their elastic energy, unless all are guarded.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

 private:
  /// A guarded element. Linear ones have one coefficient, J, in units of 1.
  struct Element {
    double volume = 0.0;                       ///< [m^dim] at rest
    double stiffness = 0.0;                    ///< linear: w [Pa]; higher order: of each coefficient [J]
    Mat<dim> inverse_rest = Mat<dim>::Zero();  ///< [1/m] linear: F = D_s B
    int depth = 0;                             ///< number of times that the element is halved into its parts
    std::size_t first_unit = 0;  ///< index into `units`, one per part; infinite if the volume at rest is not certain
    /// index into `enough`: values above which the coefficients of the whole, its halves, ... feel no barrier
    std::size_t first_enough = 0;
  };
  struct Constant {
    bool is_linear;
    ElementShapes<dim> shapes;
    VolumeCoefficients<dim> volume;
    std::vector<Element> elements = {};
    std::vector<double> units = {}, enough = {};

    std::span<const int> nodes_of(int e) const { return shapes.nodes_of(e); }
    std::span<const double> enough_of(const Element& element) const {
      return std::span(enough).subspan(element.first_enough, (std::size_t{2} << element.depth) - 1);
    }
  };
  static Element linear_element(const ElementMesh<dim>& mesh, std::size_t member);
  static Element curved_element(const std::vector<double>& places, const MaterialParameters& material,
                                Constant& constant);
  static void find_enough(Element& element, Constant& constant);

  const Element& element(int e) const { return constant_->elements[e]; }
  Mat<dim> deformation_gradient(int e, const VecX& x) const {
    return edge_matrix<dim>(x, constant_->nodes_of(e)) * element(e).inverse_rest;
  }
  /// Computes the coefficients of an element of a higher order in units of its barrier; none if all are beyond it.
  void coefficients(int e, const VecX& x, std::vector<double>& places, std::vector<double>& y) const;
  double element_energy(int e, const VecX& x) const;
  double feasible_part(int e, const VecX& x, const VecX& dx) const;
  bool is_at_work(int e, const VecX& x) const;
  /// Returns the active elements that feel the barrier.
  std::vector<int> elements_at_work(const VecX& x) const;
  void add_linear_forces(int e, const VecX& x, double scale, VecX& gradient) const;
  void store_forces(int e, const VecX& x, std::span<double> forces) const;
  /// Computes the derivative of the energy by each coefficient.
  void weights_of(int e, const std::vector<double>& y, std::vector<double>& weights) const;
  void write_linear_hessian(int e, const VecX& x, double* blocks) const;
  void write_hessian(int e, const VecX& x, bool is_exact, double* blocks) const;
  void assemble(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix);
  int grain() const { return constant_->is_linear ? 256 : 16; }

  std::shared_ptr<const Constant> constant_;
  std::vector<int> active_;
  BlockAssembler assembler_;
  std::optional<ElementSet<dim>> bounded_;  // linear elements whose steps it bounds
  VecX x_trial_;                            // buffer
};

extern template class InversionBarrier<2>;
extern template class InversionBarrier<3>;

}  // namespace clearance
