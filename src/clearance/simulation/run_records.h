// The state and the reports of a simulation as a result folder stores them.
#pragma once

#include <vector>

#include "clearance/io/result/result_folder.h"
#include "clearance/model/model.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

std::vector<BodyRecord> body_records(const Simulation& simulation);
StepRecord record_of(const Simulation& simulation, const StepReport& report);
Checkpoint checkpoint_of(const State& state);
State state_of(const Checkpoint& checkpoint);

}  // namespace clearance
