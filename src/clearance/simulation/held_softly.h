// Messages of a run about bodies that soft springs hold (`static.hold_free`).
#pragma once

#include <vector>

#include "clearance/io/result/result_folder.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Returns a warning named `held_softly` for each body whose loads do not balance, so that springs hold it: what they
/// carry, and how far it moved.
std::vector<RunWarning> held_softly_warnings(const Simulation& simulation);

}  // namespace clearance
