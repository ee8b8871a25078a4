// A pressure on a part of a surface that follows its position and area.
//
// Its force -p n dA is the derivative of an energy only if the surface is closed or its edge is held. In general there
// is an energy that agrees with it at a reference: p times the volume that the faces sweep on straight ways from there.
// The solver moves the reference along with its iterate.
#pragma once

#include <functional>
#include <vector>

#include "clearance/bodies/fem/curved_faces.h"
#include "clearance/model/potential.h"

namespace clearance {

/// Pressure [Pa], positive against the outside, in the step of length h that ends at time_t1. No value if it is
/// undefined.
using PressureFunction = std::function<Result<double>(double h, double time_t1)>;

template <int dim>
struct PressureLoad {
  PressureLoad(std::vector<std::array<int, dim>> on_faces, PressureFunction at_time,
               std::vector<std::vector<int>> on_curved_faces = {})
      : faces(std::move(on_faces)), pressure(std::move(at_time)), curved_faces(std::move(on_curved_faces)) {}

  std::vector<std::array<int, dim>> faces;  ///< blocks of their corners; boundary_triangles defines the outside
  PressureFunction pressure;
  std::vector<std::vector<int>> curved_faces;  ///< blocks of their nodes, as of nodes_of_curved_faces
};

template <int dim>
class PressurePotential : public Potential {
 public:
  std::unique_ptr<Potential> clone() const override { return std::make_unique<PressurePotential>(*this); }
  /// 2D: turned faces are those of bodies of revolution (CurvedSweep); all of them are in `curved_faces`.
  explicit PressurePotential(const std::vector<PressureLoad<dim>>& loads, bool is_turned = false);

  std::string name() const override { return "pressure"; }
  Result<Done> begin_step(const VecX& x_t0, double h, double time_t1) override;
  bool refer_to(const VecX& x) override;
  /// Returns minus the work [J] since the start of the step; exact along the ways between references.
  CompensatedSum energy(const VecX& x) const override;
  double load_energy(const VecX& x) const override { return energy(x).value(); }
  void add_gradient(const VecX& x, double scale, VecX& gradient) override;
  std::vector<BlockKey> pattern() const override;
  void add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) override { add(x, scale, true, matrix); }
  void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) override;

 private:
  struct Face {
    std::array<int, dim> blocks;
    int load = 0;
  };
  struct CurvedFace {
    std::vector<int> blocks;
    int load = 0;
    std::size_t sweep = 0;  // index into sweeps_
  };
  using CurvedNodes = typename CurvedSweep<dim>::Nodes;
  void add_curved_face(const std::vector<int>& blocks, int load);
  double pressure_on(const auto& face) const { return pressures_[face.load]; }
  /// Returns the volume, gradient or Hessian (from, to) of a face on its way from the reference to x, times the
  /// pressure.
  template <class Derivative>
  auto swept(const CurvedFace& face, const VecX& x, const Derivative& derivative) const;
  void add(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) const;
  void add_curved(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) const;

  std::vector<PressureFunction> pressure_functions_;  // per load
  std::vector<Face> faces_;
  std::vector<CurvedFace> curved_faces_;
  std::vector<CurvedSweep<dim>> sweeps_;  // one per order
  bool is_turned_;
  std::vector<double> pressures_;  // [Pa] per load, of this step
  bool is_active_ = false;         // True if any pressure is not zero.
  VecX reference_;                 // [m]
  CompensatedSum so_far_;          // [J] from the start of the step to the reference
};

extern template class PressurePotential<2>;
extern template class PressurePotential<3>;

}  // namespace clearance
