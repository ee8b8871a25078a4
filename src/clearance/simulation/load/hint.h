// Common parts of the warnings about probable mistakes in a scene. None of these warnings stops a run.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the place in the scene that defines the shape of a body: `bodies[2].mesh`, `bodies[2].generator`,
/// `bodies[2].geometry`.
std::string shape_place(const SceneDesc& scene, int desc);

/// Formats a position [m]: `(0.1, 0, -2)`.
std::string place_text(const Vec<3>& x);

/// Formats a count with its noun: `1 lone point`, `3 lone points`.
std::string counted(std::size_t count, const std::string& what);

/// Formats a number of further bodies: ` (and 3 more bodies)`; empty for none.
std::string and_more(std::size_t num_bodies);

void add_hint(Issues& hints, const std::string& place, const std::string& message);

/// A hint about a mistake that falsifies numbers of the run. It is repeated at the end of the run, under its name
/// (`warnings` of summary.json).
struct NamedHint {
  std::string name;
  Issue issue;
};
using NamedHints = std::vector<NamedHint>;

void add_named_hint(NamedHints& hints, const std::string& name, const std::string& place, const std::string& message);

}  // namespace clearance
