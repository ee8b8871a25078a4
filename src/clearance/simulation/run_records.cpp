#include "clearance/simulation/run_records.h"

#include <string>

namespace clearance {
namespace {

std::vector<double> numbers(const VecX& v) {
  return {v.data(), v.data() + v.size()};
}
VecX vector_of(const Checkpoint& checkpoint, const std::string& name) {
  const auto found = checkpoint.arrays.find(name);
  if (found == checkpoint.arrays.end()) return {};
  return Eigen::Map<const VecX>(found->second.data(), static_cast<Eigen::Index>(found->second.size()));
}

}  // namespace

std::vector<BodyRecord> body_records(const Simulation& simulation) {
  std::vector<BodyRecord> records;
  for (const BodyView& body : simulation.bodies()) records.push_back({body.name, body.entry});
  return records;
}

StepRecord record_of(const Simulation& simulation, const StepReport& report) {
  StepRecord record;
  record.step = simulation.num_steps_done();
  record.time = simulation.time();
  record.status = to_string(report.status);
  record.newton_iterations = report.newton_iterations;
  record.partial_iterations = report.partial_iterations;
  record.contacts = report.num_contacts;
  record.min_distance = report.min_distance;
  record.residual = report.residual;
  record.kappa = report.kappa;
  record.energy = report.energy;
  record.friction_work = report.friction_work;
  record.imbalance = report.imbalance;
  record.account = report.account.entries();
  const auto name_of = [&](int body) {
    return body < 0 ? std::string() : simulation.bodies()[static_cast<std::size_t>(body)].name;
  };
  record.gained = {report.gained.share, name_of(report.gained.body)};
  record.lost = {report.lost.share, name_of(report.lost.body)};
  const JointStrain strain = simulation.joint_strain();
  record.strained = {strain.share, strain.joint};
  const CoarseMotion& coarse = simulation.coarse_motion();
  if (coarse.share > 0.0) record.coarse = {coarse.share, {name_of(coarse.body), name_of(coarse.other)}};
  const CoarseTurn& turn = simulation.coarse_turn();
  if (turn.angle > 0.0) record.turned = {turn.angle, name_of(turn.body)};
  const CurvedDistance curved = simulation.curved_distance();
  if (curved.body >= 0) record.curved = {curved.distance, curved.share, name_of(curved.body)};
  record.momentum = {{"total", report.momentum.total},
                     {"change", report.momentum.change},
                     {"impulse", report.momentum.impulse},
                     {"integrator", report.momentum.integrator}};
  record.seconds.emplace_back("total", report.total_seconds);
  for (int s = 0; s < num_stages; ++s) {
    const auto stage = static_cast<Stage>(s);
    record.seconds.emplace_back(std::string(stage_name(stage)), report.profile[stage]);
  }
  record.seconds.emplace_back("linear_analyze", report.linear_seconds.analyze);
  record.seconds.emplace_back("linear_factorize", report.linear_seconds.factorize);
  record.seconds.emplace_back("linear_substitute", report.linear_seconds.substitute);
  record.counters = {{"candidates", report.counters.candidates},
                     {"ccd_calls", report.counters.ccd_calls},
                     {"energy_evaluations", report.counters.energy_evaluations},
                     {"orderings", report.counters.orderings},
                     {"analyses", report.counters.analyses},
                     {"factorizations", report.counters.factorizations},
                     {"linear_iterations", report.counters.linear_iterations},
                     {"friction_iterations", report.friction_iterations}};
  if (simulation.scene().output.iterations) {
    for (const IterationReport& it : report.iterations) {
      record.iterations.push_back({it.residual, it.imbalance, it.is_exact, it.alpha_limit, it.alpha, it.num_moving,
                                   it.num_contacts, it.num_entered, it.num_left, it.num_met, it.num_foretold,
                                   it.min_distance, it.limited_by, it.event});
    }
  }
  record.controls = simulation.controls();
  record.limited_by = report.limited_by;
  record.smallest_alpha = report.smallest_alpha;
  record.state_hash = simulation.state_hash();
  return record;
}

Checkpoint checkpoint_of(const State& state) {
  Checkpoint checkpoint;
  checkpoint.step = state.step;
  checkpoint.time = state.time;
  checkpoint.arrays = {{"x", numbers(state.x)},
                       {"v", numbers(state.v)},
                       {"a", numbers(state.a)},
                       {"x_prev", numbers(state.x_prev)},
                       {"v_prev", numbers(state.v_prev)},
                       {"has_history", {state.has_history.begin(), state.has_history.end()}},
                       {"x_anchor", numbers(state.x_anchor)},
                       {"controls", numbers(state.controls)},
                       {"stored", numbers(state.stored)},
                       {"kappa", {state.kappa}},
                       {"released", {state.released.begin(), state.released.end()}}};
  std::vector<double>&ledgers = checkpoint.arrays["ledgers"], &works = checkpoint.arrays["ledger_works"];
  for (const EnergyLedger& ledger : state.ledgers) {
    ledgers.insert(ledgers.end(), {ledger.rise, ledger.largest_rise, ledger.lost, ledger.at_work});
    works.insert(works.end(), ledger.work.begin(), ledger.work.end());
  }
  // Five numbers per vertex.
  std::vector<double>& stick = checkpoint.arrays["stick"];
  for (const StickVertex& vertex : state.stick) {
    stick.insert(stick.end(), {static_cast<double>(vertex.vertex), static_cast<double>(vertex.partner)});
    stick.insert(stick.end(), vertex.displacement.begin(), vertex.displacement.end());
  }
  return checkpoint;
}

State state_of(const Checkpoint& checkpoint) {
  State state;
  state.step = checkpoint.step;
  state.time = checkpoint.time;
  state.x = vector_of(checkpoint, "x");
  state.v = vector_of(checkpoint, "v");
  state.a = vector_of(checkpoint, "a");
  state.x_prev = vector_of(checkpoint, "x_prev");
  state.v_prev = vector_of(checkpoint, "v_prev");
  for (double flag : vector_of(checkpoint, "has_history")) state.has_history.push_back(flag != 0.0 ? 1 : 0);
  state.x_anchor = vector_of(checkpoint, "x_anchor");
  state.controls = vector_of(checkpoint, "controls");
  const VecX kappa = vector_of(checkpoint, "kappa");
  state.kappa = kappa.size() == 1 ? kappa[0] : 0.0;
  for (double flag : vector_of(checkpoint, "released")) state.released.push_back(flag != 0.0 ? 1 : 0);
  state.stored = vector_of(checkpoint, "stored");
  const VecX ledgers = vector_of(checkpoint, "ledgers");
  for (Eigen::Index i = 0; i + 4 <= ledgers.size(); i += 4) {
    state.ledgers.push_back({ledgers[i], ledgers[i + 1], ledgers[i + 2], ledgers[i + 3], {}});
  }
  // As many of each body; none in checkpoints of before.
  const VecX works = vector_of(checkpoint, "ledger_works");
  const Eigen::Index num_terms = state.ledgers.empty() ? 0 : works.size() / std::ssize(state.ledgers);
  for (std::size_t k = 0; k < state.ledgers.size(); ++k) {
    const double* first = works.data() + static_cast<Eigen::Index>(k) * num_terms;
    state.ledgers[k].work.assign(first, first + num_terms);
  }
  const VecX stick = vector_of(checkpoint, "stick");
  for (Eigen::Index i = 0; i + 5 <= stick.size(); i += 5) {
    state.stick.push_back({static_cast<int>(stick[i]), static_cast<int>(stick[i + 1]), stick.segment<3>(i + 2)});
  }
  return state;
}

}  // namespace clearance
