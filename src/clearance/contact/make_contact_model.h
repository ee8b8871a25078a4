// The factory of contact formulations.
#pragma once

#include <memory>

#include "clearance/base/contact_options.h"
#include "clearance/contact/contact_at_rest.h"
#include "clearance/contact/surface_at_rest.h"

namespace clearance {

/// Computes what the formulation of `options` needs of a surface at rest.
std::shared_ptr<const ContactAtRest> make_contact_at_rest(const SurfaceAtRest& rest, const ContactOptions& options);

/// Makes the contact model of the formulation of `model`, which must outlive it.
template <int dim>
std::unique_ptr<const ContactModel<dim>> make_contact_model(const Model& model, const BarrierOptions& barrier);

}  // namespace clearance
