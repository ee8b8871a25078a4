#include "clearance/contact/convergent_at_rest.h"

#include <algorithm>

#include "clearance/contact/convergent_contact_model.h"

namespace clearance {

ConvergentAtRest::ConvergentAtRest(const ConvergentOptions& options, const SurfaceAtRest& rest)
    : ConvergentAtRest(options, AreasAtRest{}) {
  if (!options.has_areas() && !options.has_physical_barrier()) return;
  AreasAtRest areas = find_areas(rest);
  if (options.has_physical_barrier()) set_moduli(rest, areas);
  areas_ = std::make_shared<const AreasAtRest>(std::move(areas));
}

std::unique_ptr<const ContactModel<2>> ConvergentAtRest::make_in_plane(const Model& model,
                                                                       const BarrierOptions& barrier) const {
  return std::make_unique<const ConvergentContactModel<2>>(model, barrier, options_, areas_);
}

std::unique_ptr<const ContactModel<3>> ConvergentAtRest::make_in_space(const Model& model,
                                                                       const BarrierOptions& barrier) const {
  return std::make_unique<const ConvergentContactModel<3>>(model, barrier, options_, areas_);
}

std::shared_ptr<const ContactAtRest> ConvergentAtRest::restricted_to(const ContactPart& part) const {
  AreasAtRest areas = areas_->restricted_to(part);
  if (!options_.has_areas()) {
    // Without areas all vertices have the same one, the mean of the whole surface.
    double sum = 0.0;
    for (const double area : areas_->vertex) sum += area;
    const std::size_t count = std::max<std::size_t>(areas_->vertex.size(), 1);
    std::fill(areas.vertex.begin(), areas.vertex.end(), sum / static_cast<double>(count));
  }
  return std::make_shared<const ConvergentAtRest>(options_, std::move(areas));
}

}  // namespace clearance
