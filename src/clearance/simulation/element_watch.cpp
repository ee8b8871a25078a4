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
/// Mean strain of such a body from which its shape matters where it rests: a beam on two supports sags visibly.
constexpr double visible_strain = 1e-3;

bool is_held(const Simulation& simulation, int body) {
  const BodyDesc& desc = simulation.scene().bodies[simulation.bodies()[body].entry];
  return !desc.motions.empty() || !desc.stiff_parts.empty();
}

}  // namespace

void ElementWatch::add_step(const Simulation& simulation, const StepReport& report) {
  if (simulation.scene().time.integrator == TimeIntegrator::quasi_static) return;
  double elastic = 0.0;
  for (const auto& [name, energy] : report.energy) {
    if (name == "elastic" || name == "membrane" || name == "bending") elastic += energy;
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

const std::vector<DiscretisationError>& ElementWatch::errors_now(const Simulation& simulation) const {
  const VecX& x = simulation.state().x;
  if (last_.x.size() != x.size() || last_.x != x) last_ = {x, simulation.discretisation_errors()};
  return last_.errors;
}

std::vector<RunWarning> ElementWatch::warnings(const Simulation& simulation) const {
  if (simulation.scene().time.integrator == TimeIntegrator::quasi_static) {
    if (simulation.num_steps_done() == 0) return {};
    return coarse_element_warnings(simulation, errors_now(simulation));
  }
  const std::vector<EnergyLedger>& ledgers = simulation.state().ledgers;
  const auto at_work = [&](int body) {
    return static_cast<std::size_t>(body) < ledgers.size() ? ledgers[body].at_work : 0.0;
  };
  std::map<int, DiscretisationError> deciding;
  for (const auto& [body, error] : most_) {
    const bool is_deciding = growth * error.energy > deciding_share * at_work(body);
    if (is_deciding && (is_held(simulation, body) || error.displacement > error_of_free_bodies)) {
      deciding[body] = error;
    }
  }
  // A body rests if its elasticity bears a load at the end and it hardly moved before.
  if (!most_.empty()) {
    for (const DiscretisationError& error : errors_now(simulation)) {
      const bool is_resting = error.energy > deciding_share * at_work(error.body);
      if (is_resting && error.strain > visible_strain) deciding.try_emplace(error.body, error);
    }
  }
  std::vector<DiscretisationError> errors;
  for (const auto& [body, error] : deciding) errors.push_back(error);
  return coarse_element_warnings(simulation, errors);
}

}  // namespace clearance
