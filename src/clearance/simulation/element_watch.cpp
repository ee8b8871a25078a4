#include "clearance/simulation/element_watch.h"

#include "clearance/model/model.h"
#include "clearance/simulation/coarse_elements.h"

namespace clearance {

namespace {

/// Growth of the elastic energy from one estimate to the next.
constexpr double growth = 4.0;
/// Steps from one estimate to the next at least: an estimate may cost a tenth of a step.
constexpr int least_steps = 10;
/// Share of elastic energy in a body's energy at work from which elasticity decides its motion.
constexpr double deciding_share = 0.1;
/// Error of a body that nothing holds from which it counts. It is strained in impacts, near the place where it is hit,
/// and flies on as its momentum says.
constexpr double error_of_free_bodies = 0.3;

bool is_held(const Simulation& simulation, int body) {
  const BodyDesc& desc = simulation.scene().bodies[simulation.bodies()[body].entry];
  return !desc.motions.empty() || !desc.stiff_parts.empty();
}

}  // namespace

void ElementWatch::add_step(const Simulation& simulation, const StepReport& report) {
  if (simulation.scene().time.integrator == TimeIntegrator::quasi_static) return;
  double elastic = 0.0;
  for (const auto& [name, energy] : report.energy) {
    if (name == "elastic") elastic += energy;
  }
  ++num_steps_;
  if (!(elastic > growth * seen_) || num_steps_ < least_steps) return;
  seen_ = elastic;
  num_steps_ = 0;
  for (const DiscretisationError& error : simulation.discretisation_errors()) {
    DiscretisationError& most = most_[error.body];
    if (error.energy > most.energy) most = error;
  }
}

std::vector<RunWarning> ElementWatch::warnings(const Simulation& simulation) const {
  std::vector<DiscretisationError> deciding;
  const std::vector<EnergyLedger>& ledgers = simulation.state().ledgers;
  for (const auto& [body, error] : most_) {
    const double at_work = static_cast<std::size_t>(body) < ledgers.size() ? ledgers[body].at_work : 0.0;
    const bool is_deciding = growth * error.energy > deciding_share * at_work;
    if (is_deciding && (is_held(simulation, body) || error.displacement > error_of_free_bodies)) {
      deciding.push_back(error);
    }
  }
  return coarse_element_warnings(simulation, deciding);
}

}  // namespace clearance
