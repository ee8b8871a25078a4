// Contact forces that converge under refinement [Li23]: energies per area at rest. Where several primitives of a
// surface have the same closest point, the surface has it once (improved max): with b of the distance from x,
//   Psi(x) = sum over triangles b - sum over edges (n - 1) b + sum over vertices (1 - n_t + sum over its edges (n - 1))
//   b
// with n, n_t the numbers of triangles around an edge, a vertex; of a vertex inside of a surface the last factor is 1.
// In the plane: sum over edges b - sum over vertices (n - 1) b. A pair of edges counts like an edge and the edges of a
// net. Everything is summed per owner x, in whole numbers, so that what cancels does so exactly.
#pragma once

#include "clearance/base/contact_options.h"
#include "clearance/contact/areas_at_rest.h"
#include "clearance/contact/barrier.h"
#include "clearance/contact/radial_contact_model.h"

namespace clearance {

template <int dim>
class ConvergentContactModel final : public RadialContactModel<dim> {
 public:
  /// `model` outlives the object. Its activation distances are those of whole bodies; with a physical barrier it has
  /// moduli, with areas these.
  ConvergentContactModel(const Model& model, const BarrierOptions& barrier, const ConvergentOptions& options,
                         std::shared_ptr<const AreasAtRest> rest);

  double activation_distance() const override { return barrier_.dhat + barrier_.min_separation; }
  Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                             const std::vector<double>& deviation = {}) const override {
    return find_contact_candidates(broad_phase, this->model(), barrier_, x_t0, x_t1, deviation);
  }
  ContactSet build(const VecX& x, const Candidates& candidates) const override;
  std::optional<Contact> contact_of(const PrimitivePair& pair, const ContactPositions<dim>& x) const override;
  bool has_exact_hessian() const override { return true; }
  bool has_stiffness() const override { return has_physical_barrier_; }

 protected:
  BarrierValue law(const Contact& contact, double distance_sq) const override;
  double law_value(const Contact& contact, double distance_sq) const override;

 private:
  class Builder;
  /// The next two functions return the activation distance and the modulus of all features of two bodies, each given by
  /// one of its vertices.
  double dhat_of(int a, int b) const;
  double modulus_of(int a, int b) const;
  double vertex_measure(int v) const { return has_areas_ ? rest_->vertex[v] : mean_measure_; }
  double edge_measure(int e) const { return has_areas_ ? rest_->edge[e] : mean_measure_; }
  /// Returns 1 / dhat^3 [1/m^3] with a physical barrier, else 1.
  double law_scale(const Contact& contact) const;

  BarrierOptions barrier_;
  bool has_areas_, has_improved_max_, has_physical_barrier_;
  std::shared_ptr<const AreasAtRest> rest_;
  double mean_measure_ = 1.0;
};

extern template class ConvergentContactModel<2>;
extern template class ConvergentContactModel<3>;

}  // namespace clearance
