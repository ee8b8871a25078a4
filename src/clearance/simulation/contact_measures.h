// What contact with energies per area needs of a scene: areas at rest, and moduli.
#pragma once

#include "clearance/contact/formulation_options.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// What the scene asks for: its formulation, changed by what it says of single parts.
FormulationOptions formulation_of(const ContactDesc& contact);

/// Sets Model::contact_measures where the formulation of the scene's options needs them. Positions at rest, masses and
/// contact scales of the model must be known.
void set_contact_measures(const SceneDesc& desc, SceneModel& scene);

/// Says in the log which modulus each body has, and why; nothing where barriers have none.
void log_contact_moduli(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
