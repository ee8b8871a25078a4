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

/// Formats the first five numbers of a list: `0, 4, 7`.
std::string list_some(const std::vector<int>& numbers);

/// Formats a number of further bodies: ` (and 3 more bodies)`; empty for none.
std::string and_more(std::size_t num_bodies);

void add_hint(Issues& hints, const std::string& place, const std::string& message);

/// A warning and the name of its kind in snake_case, which stays the same when the text changes.
struct NamedHint {
  std::string name;
  Issue issue;
  bool falsifies =
      false;  ///< it falsifies numbers of the run, which repeats it at its end (`warnings` of summary.json)
};
using NamedHints = std::vector<NamedHint>;

void add_hint(NamedHints& hints, const std::string& name, const std::string& place, const std::string& message);
/// Adds a hint about a mistake that falsifies numbers of the run.
void add_named_hint(NamedHints& hints, const std::string& name, const std::string& place, const std::string& message);

/// Names warnings of readers and checks, which have no names, after what their places are about: `mesh`, `drive`,
/// `region` and so on. All others get the name `otherwise`.
NamedHints named_by_place(const Issues& warnings, const std::string& otherwise);

/// Returns the warnings of a scene file and those of the simulation of its scene, each of them once, because the checks
/// of both overlap. Warnings that only the file has are called `ignored_entry` unless their place has a name.
NamedHints merge_warnings(const Issues& of_file, const NamedHints& of_simulation);

Issues issues_of(const NamedHints& hints);

}  // namespace clearance
