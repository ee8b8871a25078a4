// The elastic energy of bodies of revolution about the y axis, by their meridian section: x is the radius r, y the
// height. The deformation gradient in space is
//   F = [dx/dX  0; 0  r/R],
// the gradient of the meridian and the stretch of the circles, so that the laws in space are the only formulas. The
// energy of the whole turn is the sum of 2 pi R w det D0 psi(F) over the points of a rule: forces are those of the
// whole body.
//
// Rules are those of the plane (ElementSet): one point for linear triangles, three for straight quadratic ones. More
// points of linear triangles would hold the volume at each of them, and make incompressible bodies too stiff.
#pragma once

#include <memory>
#include <vector>

#include "clearance/bodies/fem/elastic_potential.h"
#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/model/exact_hessian.h"
#include "clearance/model/potential.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// Fraction of its rest radius below which a point of a law without a barrier feels one, -(s - 1)^2 ln s with
/// s = (r / R) / fraction, as elements that are pressed flat do (inversion_barrier.h).
inline constexpr double barrier_hoop_fraction = 0.1;

class AxisymmetricPotential final : public Potential, public ExactHessian {
 public:
  /// Elements must be valid at rest, on the side r >= 0, with shapes of the order of their displacements. Laws are
  /// those of space.
  explicit AxisymmetricPotential(const ElementMesh<2>& mesh);

  std::unique_ptr<Potential> clone() const override { return std::make_unique<AxisymmetricPotential>(*this); }
  std::string name() const override { return "elastic"; }
  bool is_elastic() const override { return true; }
  void restrict_to(const std::vector<char>& part) override;
  CompensatedSum energy(const VecX& x) const override;
  void add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const override;
  bool has_body_energies() const override { return true; }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override { return assembler_.keys(); }
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override;
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

  /// Bounds the step so that the meridian is valid (ElasticPotential), and every radius keeps a fifth: that of each
  /// Bernstein coefficient of an element's radius but those on the axis. Positive coefficients are sufficient for
  /// r > 0 all over the element.
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override;
  bool is_feasible(const VecX& x) const override;

  /// Returns stress and strain of the elements at x, as ElasticPotential does; the hoop direction is zz.
  std::vector<ElementState> element_states(const VecX& x) const;
  /// Returns a block of the first element whose radius at rest is not certainly positive off the axis, or -1.
  int find_block_across_axis() const;

 private:
  using Force = Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, num_lagrange_nodes(2, max_order)>;
  /// Shape functions at a point of an element.
  struct Point {
    double weight;       // [m^3] 2 pi R w det D0
    std::size_t shapes;  // into `shapes`: per node the gradient at rest [1/m], two numbers, and the value over R
  };
  struct Constant {
    ElementMesh<2> mesh;
    std::vector<std::size_t> first_point;  // per element, and one past the last
    std::vector<Point> points;
    std::vector<double> shapes;
    MatX to_bernstein;          // radii of nodes to Bernstein coefficients
    std::vector<char> is_axis;  // per element and coefficient
  };
  const ElementMesh<2>& mesh() const { return constant_->mesh; }
  Mat<3> deformation_gradient(std::size_t e, const Point& point, const VecX& x) const;
  double element_energy(std::size_t e, const VecX& x) const;
  Force element_force(std::size_t e, const VecX& x) const;
  void write_hessian(std::size_t e, const VecX& x, bool is_projected, double* blocks) const;
  void assemble(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix);
  void coefficients(std::size_t e, const VecX& x, VecX& c) const;
  double bound_radii(std::size_t e, const VecX& x, const VecX& dx) const;

  std::shared_ptr<const Constant> constant_;
  ElasticPotential<2> meridian_;  // bounds steps alone
  std::vector<int> active_;
  BlockAssembler assembler_;
};

}  // namespace clearance
