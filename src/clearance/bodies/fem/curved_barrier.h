// A barrier that keeps Newton's method away from the inversion of curved elements, at every point of them. It applies
// the barrier of inversion_barrier.h to the Bernstein coefficients of the volume function on parts of an element, in
// units of the smallest coefficient in that part at rest. Positive coefficients are sufficient for validity [Joh13], so
// that no element can be inverted between the points of a rule. Elements that keep a tenth of their volume everywhere
// hardly feel it.
#pragma once

#include "clearance/bodies/fem/curved_elements.h"
#include "clearance/geometry/volume_coefficients.h"
#include "clearance/model/potential.h"

namespace clearance {

template <int dim>
class CurvedInversionBarrier final : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<CurvedInversionBarrier>(*this); }
  /// Elements must be valid at rest and material indices valid. All elements take part, also neo-Hookean ones: their
  /// energy is infinite only at inverted points of the rule, and nowhere between these.
  explicit CurvedInversionBarrier(const CurvedElementMesh<dim>& mesh);

  std::string name() const override { return "inversion_barrier"; }
  void restrict_to(const std::vector<char>& part) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  /// Adds b'' grad c grad c^T. The other part of the Hessian, b' d2c, is small in comparison where the barrier is
  /// steep.
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;
  /// Bounds the step so that every coefficient keeps a fifth of its value at x, all along the way.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  /// True if the energy is finite.
  bool is_feasible(const VecX& x) const override;

 private:
  /// The parts of an element and the units of their coefficients.
  struct Element {
    int depth = 0;           ///< number of times that the element is halved into its parts
    std::size_t first_unit;  ///< index into `units`, one per part; infinite if the volume at rest is not certain
    /// index into `enough`: values above which the coefficients of the whole, its halves, ... feel no barrier
    std::size_t first_enough;
    double stiffness = 0.0;  ///< [J] of each coefficient
  };
  struct Constant {
    ElementShapes<dim> shapes;
    std::vector<Element> elements;
    std::vector<double> units, enough;
    std::vector<int> all;
    VolumeCoefficients<dim> volume;

    std::span<const int> nodes_of(int e) const { return shapes.nodes_of(static_cast<std::size_t>(e)); }
    std::span<const double> enough_of(const Element& element) const {
      return std::span(enough).subspan(element.first_enough, (std::size_t{2} << element.depth) - 1);
    }
  };
  /// Computes the coefficients of an element in units of its barrier; none if all are beyond it.
  void coefficients(int e, const VecX& x, std::vector<double>& places, std::vector<double>& y) const;
  double feasible_part(int e, const VecX& x, const VecX& dx) const;
  /// Returns the active elements that feel the barrier.
  std::vector<int> elements_at_work(const VecX& x) const;
  /// Computes the derivative of the energy by each coefficient.
  void weights_of(int e, const std::vector<double>& y, std::vector<double>& weights) const;
  void write_hessian(int e, const VecX& x, bool is_exact, double* blocks) const;
  void assemble(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix);

  std::shared_ptr<const Constant> constant_;
  std::vector<int> active_;
  BlockAssembler assembler_;
};

extern template class CurvedInversionBarrier<2>;
extern template class CurvedInversionBarrier<3>;

}  // namespace clearance
