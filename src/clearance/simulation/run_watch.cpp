#include "clearance/simulation/run_watch.h"

#include <fmt/format.h>

#include "clearance/simulation/held_softly.h"

namespace clearance {

RunWarning failure_warning(int step, const StepReport& report) {
  return {to_string(report.status), fmt::format("step {}: {}", step, report.limited_by)};
}

RunWatch::RunWatch(const Simulation& simulation)
    : sums_(simulation.scene().time.integrator), rolling_(simulation), lead_(simulation) {
  if (simulation.scene().time.integrator == TimeIntegrator::quasi_static) return;
  impacts_.emplace(simulation.probe_columns(), simulation.wave_times());
  impacts_->add(simulation.time(), simulation.probe_values());
}

void RunWatch::add_step(const Simulation& simulation, const StepReport& report, const StepRecord& record) {
  if (!report.is_advanced()) {
    failure_ = failure_warning(simulation.num_steps_done() + 1, report);
    return;
  }
  rolling_.add_step(simulation);
  lead_.add_step(simulation);
  elements_.add_step(simulation, report);
  sums_.add(record);
  if (!impacts_) return;
  for (const ProbeRow& row : simulation.probe_rows()) impacts_->add(row.time, row.values);
}

std::vector<RunWarning> RunWatch::warnings(const Simulation& simulation) const {
  std::vector<RunWarning> warnings = sums_.warnings();
  const std::vector<RunWarning> of_impacts = impacts_ ? impacts_->warnings() : std::vector<RunWarning>{};
  const std::vector<RunWarning> of_rolling = rolling_.warnings();
  warnings.insert(warnings.end(), of_impacts.begin(), of_impacts.end());
  warnings.insert(warnings.end(), of_rolling.begin(), of_rolling.end());
  for (RunWarning& warning : lead_.warnings()) warnings.push_back(std::move(warning));
  for (RunWarning& warning : elements_.warnings(simulation)) warnings.push_back(std::move(warning));
  for (RunWarning& warning : held_softly_warnings(simulation)) warnings.push_back(std::move(warning));
  if (failure_) warnings.push_back(*failure_);
  const UnitSystem& units = unit_system_of(simulation.scene());
  if (!units.is_si()) {
    for (RunWarning& warning : warnings) warning.message = units.message(warning.message);
  }
  return warnings;
}

}  // namespace clearance
