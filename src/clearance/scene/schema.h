// The field table as documents: JSON Schema for editors and validators, Markdown for readers.
#pragma once

#include <string>

namespace clearance {

/// Returns the JSON Schema (draft 2020-12) of native scenes.
std::string scene_schema();
/// Returns the reference documentation of native scenes in Markdown.
std::string scene_reference();

}  // namespace clearance
