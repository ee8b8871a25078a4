// The promise about scenes of every format, for fuzz targets.
#pragma once

#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/scene/validate.h"
#include "fuzz/targets/target.h"

namespace clearance::fuzz {

/// Expects a valid scene that can be written and read again, or reasons.
inline void require_clear_answer(const Result<LoadedScene>& loaded) {
  if (!loaded) return require_reasons(loaded.issues());
  require(!has_errors(validate(loaded->scene)), "a scene that loads is valid");
  require(!has_errors(loaded->warnings), "warnings of a scene that loads are no errors");
  require(num_steps(loaded->scene.time) >= 1, "a scene that loads has steps");
  require(!scene_to_json(loaded->scene).empty(), "a scene that loads can be written");
}

}  // namespace clearance::fuzz
