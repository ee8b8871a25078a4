// Areas at rest and moduli: the data that contact with energies per area needs from a scene.
#pragma once

#include "clearance/contact/formulation_options.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Returns the options of the scene's contact formulation, with the single options that the scene overrides.
FormulationOptions formulation_of(const ContactDesc& contact);

/// Sets Model::contact_measures if the formulation in the scene's options needs them. Positions at rest, masses and
/// contact scales of the model must be known.
void set_contact_measures(const SceneDesc& desc, SceneModel& scene);

/// Logs which modulus each body has, and why. Logs nothing if barriers have no modulus.
void log_contact_moduli(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
