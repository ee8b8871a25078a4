// The formulation that a scene asks for.
#pragma once

#include <memory>

#include "clearance/contact/contact_model.h"
#include "clearance/contact/formulation_options.h"

namespace clearance {

/// Makes the formulation that `formulation` asks for. `model` must outlive the object.
template <int dim>
std::unique_ptr<const ContactModel<dim>> make_contact_model(const Model& model, const BarrierOptions& barrier,
                                                            const FormulationOptions& formulation);

}  // namespace clearance
