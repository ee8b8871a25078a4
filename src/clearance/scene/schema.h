// The field table as documents: JSON Schema for editors and validators, Markdown for readers.
#pragma once

#include <string>

namespace clearance {

/// JSON Schema (draft 2020-12) of native scenes.
std::string scene_schema();
/// Reference documentation of native scenes in Markdown.
std::string scene_reference();

}  // namespace clearance
