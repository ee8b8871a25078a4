#include "clearance/model/surface_map.h"

#include "clearance/base/parallel.h"

namespace clearance {

void SurfaceMap::add_vertex(int block) {
  terms_.push_back({block, 1.0});
  offsets_.push_back(static_cast<int>(terms_.size()));
}

void SurfaceMap::add_vertex(std::span<const Term> terms) {
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  offsets_.push_back(static_cast<int>(terms_.size()));
  is_selection_ = is_selection_ && terms.size() == 1 && terms[0].weight == 1.0;
}

VecX SurfaceMap::apply(const VecX& x) const {
  VecX positions(dim_ * num_vertices());
  parallel_for(num_vertices(), 2048, [&](int i) {
    auto position = positions.segment(dim_ * i, dim_);
    position.setZero();
    for (const Term& term : terms(i)) position += term.weight * x.segment(dim_ * term.block, dim_);
  });
  return positions;
}

void SurfaceMap::add_transposed(const VecX& surface_gradient, VecX& gradient) const {
  // Serial: several vertices may share a block, and the order of the sum is fixed.
  for (int i = 0; i < num_vertices(); ++i) {
    for (const Term& term : terms(i)) {
      gradient.segment(dim_ * term.block, dim_) += term.weight * surface_gradient.segment(dim_ * i, dim_);
    }
  }
}

}  // namespace clearance
