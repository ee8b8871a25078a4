#include "clearance/simulation/run_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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

/// Returns the name of an array about the elements of the k-th body that has adapted.
std::string mesh_array(std::size_t k, const std::string& what) {
  return "mesh" + std::to_string(k) + "." + what;
}

/// Returns the name of the array of what the k-th potential remembers.
std::string history_array(std::size_t k) {
  return "history" + std::to_string(k);
}

template <class Elements>
std::vector<double> flat(const Elements& elements) {
  std::vector<double> numbers;
  for (const auto& element : elements) numbers.insert(numbers.end(), element.begin(), element.end());
  return numbers;
}

std::vector<int> integers(const Checkpoint& checkpoint, const std::string& name) {
  std::vector<int> list;
  for (const double number : vector_of(checkpoint, name)) list.push_back(static_cast<int>(number));
  return list;
}

template <std::size_t size>
std::vector<std::array<int, size>> elements_of(const Checkpoint& checkpoint, const std::string& name) {
  const std::vector<int> list = integers(checkpoint, name);
  std::vector<std::array<int, size>> elements(list.size() / size);
  for (std::size_t i = 0; i < elements.size(); ++i)
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(size * i), size, elements[i].begin());
  return elements;
}

std::vector<Vec<3>> points_of(const Checkpoint& checkpoint, const std::string& name) {
  const VecX list = vector_of(checkpoint, name);
  std::vector<Vec<3>> points(list.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = list.segment<3>(3 * static_cast<Eigen::Index>(i));
  return points;
}

void add_mesh(const BodyMesh& mesh, std::size_t k, Checkpoint& checkpoint) {
  const auto array = [&](const char* what) -> std::vector<double>& { return checkpoint.arrays[mesh_array(k, what)]; };
  array("body") = {static_cast<double>(mesh.body), static_cast<double>(mesh.mesh.dim)};
  array("rest") = flat(mesh.mesh.vertices);
  array("start") = flat(mesh.start);
  array("tets") = flat(mesh.mesh.tets);
  array("triangles") = flat(mesh.mesh.triangles);
  array("vertex_origins") = {mesh.origin_of_vertex.begin(), mesh.origin_of_vertex.end()};
  array("cell_origins") = {mesh.origin_of_cell.begin(), mesh.origin_of_cell.end()};
  for (const BoundaryFacet& facet : mesh.facets) {
    array("facets").insert(array("facets").end(), facet.vertices.begin(), facet.vertices.end());
    array("facet_origins").push_back(facet.origin);
  }
  // The lists of regions follow each other, each after its length.
  for (const std::vector<int>& nodes : mesh.nodes_of_region) {
    array("regions").push_back(static_cast<double>(nodes.size()));
    array("regions").insert(array("regions").end(), nodes.begin(), nodes.end());
  }
}

BodyMesh mesh_of(const Checkpoint& checkpoint, std::size_t k) {
  const auto name = [&](const char* what) { return mesh_array(k, what); };
  BodyMesh mesh;
  const std::vector<int> body = integers(checkpoint, name("body"));
  mesh.body = body.empty() ? -1 : body.front();
  mesh.mesh.dim = body.size() > 1 ? body[1] : 3;
  mesh.mesh.vertices = points_of(checkpoint, name("rest"));
  mesh.start = points_of(checkpoint, name("start"));
  mesh.mesh.tets = elements_of<4>(checkpoint, name("tets"));
  mesh.mesh.triangles = elements_of<3>(checkpoint, name("triangles"));
  mesh.origin_of_vertex = integers(checkpoint, name("vertex_origins"));
  mesh.origin_of_cell = integers(checkpoint, name("cell_origins"));
  const std::vector<int> origins = integers(checkpoint, name("facet_origins"));
  const std::vector<std::array<int, 3>> facets = elements_of<3>(checkpoint, name("facets"));
  for (std::size_t f = 0; f < std::min(facets.size(), origins.size()); ++f)
    mesh.facets.push_back({facets[f], origins[f]});
  const std::vector<int> regions = integers(checkpoint, name("regions"));
  for (std::size_t i = 0; i < regions.size();) {
    const auto first = regions.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const auto count = std::min<std::ptrdiff_t>(std::max(0, regions[i]), regions.end() - first);
    mesh.nodes_of_region.emplace_back(first, first + count);
    i += count + 1;
  }
  return mesh;
}

}  // namespace

std::vector<BodyRecord> body_records(const Simulation& simulation) {
  std::vector<BodyRecord> records;
  for (const BodyView& body : simulation.bodies()) {
    BodyRecord& record = records.emplace_back(BodyRecord{body.name, body.entry});
    for (const RoundShape& shape : body.round_shapes) record.round_shapes.push_back({shape.radius, shape.vertices});
  }
  return records;
}

namespace {

/// Adds how the step was solved, and its energies.
void add_solve(const StepReport& report, StepRecord& record) {
  record.status = to_string(report.status);
  record.parts = report.num_parts;
  record.inaccurate = report.num_inaccurate;
  record.time_error = report.time_error;
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
}

void add_iterations(const StepReport& report, StepRecord& record) {
  for (const IterationReport& it : report.iterations) {
    record.iterations.push_back({it.residual, it.imbalance, it.is_exact, it.alpha_limit, it.alpha, it.num_moving,
                                 it.num_contacts, it.num_entered, it.num_left, it.num_met, it.num_foretold,
                                 it.min_distance, it.limited_by, it.event});
  }
}

StepRecord::Gap gap_of(const Simulation& simulation, const GapShare& gap) {
  const auto name_of = [&](int body) {
    return body < 0 ? fmt::format("half_spaces[{}]", -1 - body) : "'" + simulation.bodies()[body].name + "'";
  };
  const auto [first, second] = gap.bodies;
  return {gap.share, gap.gap, gap.force,
          first == second ? "parts of " + name_of(first) : name_of(first) + " and " + name_of(second),
          gap.deflected < 0 ? "" : simulation.bodies()[gap.deflected].name};
}

/// True if probes ask for forces and stresses alone, which gaps under given loads do not change.
bool asks_for_forces_alone(const std::vector<ProbeDesc>& probes) {
  const auto is_force = [](const ProbeDesc& probe) {
    return probe.kind == ProbeKind::reaction || probe.kind == ProbeKind::contact || probe.kind == ProbeKind::stress;
  };
  return !probes.empty() && std::all_of(probes.begin(), probes.end(), is_force);
}

/// True if something in the scene may do work on a body by moving it: a motion that is no hold, the drive of a joint,
/// a link or a driven spring.
bool has_drives(const SceneDesc& scene) {
  const auto moves = [](const MotionDesc& motion) {
    return motion.displacement || motion.is_absolute() || !motion.linear_velocity.isZero(0.0) ||
           !motion.angular_velocity.isZero(0.0);
  };
  const auto is_moved = [&](const BodyDesc& body) {
    return std::any_of(body.motions.begin(), body.motions.end(), moves);
  };
  const auto is_driven = [](const JointDesc& joint) {
    return !joint.drive.empty() || !joint.effort.empty() || !joint.rest.empty();
  };
  const auto is_driven_spring = [](const SpringDesc& spring) {
    return !spring.length.empty() || !spring.tension.empty();
  };
  return !scene.attachments.empty() || std::any_of(scene.springs.begin(), scene.springs.end(), is_driven_spring) ||
         std::any_of(scene.joints.begin(), scene.joints.end(), is_driven) ||
         std::any_of(scene.bodies.begin(), scene.bodies.end(), is_moved);
}

/// Adds what the watches of a simulation have found in the step.
void add_watched(const Simulation& simulation, const StepReport& report, StepRecord& record) {
  const auto name_of = [&](int body) { return body < 0 ? std::string() : simulation.bodies()[body].name; };
  record.gained = {report.gained.share, name_of(report.gained.body)};
  record.lost = {report.lost.share, name_of(report.lost.body), report.lost.hit,
                 report.lost.is_driven && has_drives(simulation.scene())};
  const JointStrain strain = simulation.joint_strain();
  record.strained = {strain.share, strain.joint};
  const CoarseMotion& coarse = simulation.coarse_motion();
  if (coarse.share > 0.0) record.coarse = {coarse.share, {name_of(coarse.body), name_of(coarse.other)}};
  const CoarseTurn& turn = simulation.coarse_turn();
  if (turn.angle > 0.0) record.turned = {turn.angle, name_of(turn.body)};
  const StiffStrain stiff_strain = simulation.stiff_strain();
  if (stiff_strain.body >= 0) record.stiff_strain = {stiff_strain.strain, name_of(stiff_strain.body)};
  const LargeRotation rotation = simulation.large_rotation();
  if (rotation.body >= 0) record.large_rotation = {rotation.angle, name_of(rotation.body)};
  const std::optional<GapShare>& gap =
      asks_for_forces_alone(simulation.scene().output.probes) ? report.force_gap_share : report.gap_share;
  if (gap) record.contact_gap = gap_of(simulation, *gap);
  if (report.instability) {
    record.unstable = {name_of(report.instability->body), report.instability->is_left, report.instability->quotient};
  }
  if (report.free_motion) record.free_motion = {name_of(report.free_motion->body), report.free_motion->distance};
  const CurvedDistance curved = simulation.curved_distance();
  if (curved.body >= 0) record.curved = {curved.distance, curved.share, name_of(curved.body)};
}

void add_remesh(const RemeshReport& remesh, StepRecord::Remesh& record) {
  record.counts = {{"elements", remesh.num_elements}, {"vertices", remesh.num_vertices},
                   {"splits", remesh.num_splits},     {"collapses", remesh.num_collapses},
                   {"swaps", remesh.num_swaps},       {"smoothings", remesh.num_smoothings},
                   {"rejected", remesh.num_rejected}, {"unsafe", remesh.num_unsafe}};
  record.numbers = {{"gain", remesh.gain},
                    {"kinetic_loss", remesh.kinetic_loss},
                    {"elastic_loss", remesh.elastic_loss},
                    {"seconds", remesh.seconds}};
  record.vectors = {{"momentum_loss", remesh.momentum_loss}, {"angular_momentum_loss", remesh.angular_momentum_loss}};
}

/// Adds the seconds of all stages and the counters.
void add_costs(const StepReport& report, StepRecord& record) {
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
}

}  // namespace

StepRecord record_of(const Simulation& simulation, const StepReport& report) {
  StepRecord record;
  record.step = simulation.num_steps_done();
  record.time = simulation.time();
  add_solve(report, record);
  add_watched(simulation, report, record);
  if (report.remesh) add_remesh(*report.remesh, record.remesh);
  record.momentum = {{"total", report.momentum.total},
                     {"change", report.momentum.change},
                     {"impulse", report.momentum.impulse},
                     {"integrator", report.momentum.integrator}};
  add_costs(report, record);
  if (simulation.scene().output.iterations) add_iterations(report, record);
  record.controls = simulation.controls();
  record.limited_by = report.limited_by;
  record.smallest_alpha = report.smallest_alpha;
  record.state_hash = simulation.state_hash();
  return record;
}

namespace {

void add_ledgers(const State& state, Checkpoint& checkpoint) {
  std::vector<double>&ledgers = checkpoint.arrays["ledgers"], &works = checkpoint.arrays["ledger_works"],
  &hits = checkpoint.arrays["ledger_hits"], &passed = checkpoint.arrays["ledger_passed"];
  for (const EnergyLedger& ledger : state.ledgers) {
    ledgers.insert(ledgers.end(), {ledger.rise, ledger.largest_rise, ledger.lost, ledger.at_work});
    works.insert(works.end(), ledger.work.begin(), ledger.work.end());
    hits.insert(hits.end(), {ledger.hit, ledger.is_driven});
    passed.push_back(ledger.passed);
  }
}

void add_stick(const State& state, Checkpoint& checkpoint) {
  // Each vertex has five numbers.
  std::vector<double>& stick = checkpoint.arrays["stick"];
  for (const StickVertex& vertex : state.stick) {
    stick.insert(stick.end(), {static_cast<double>(vertex.vertex), static_cast<double>(vertex.partner)});
    stick.insert(stick.end(), vertex.displacement.begin(), vertex.displacement.end());
  }
}

void add_rejected(const State& state, Checkpoint& checkpoint) {
  // Each operation has six numbers. States without operations have no such array.
  for (const RejectedOperation& operation : state.rejected) {
    std::vector<double>& rejected = checkpoint.arrays["rejected"];
    for (const int number : {operation.body, operation.edge[0], operation.edge[1]}) rejected.push_back(number);
    rejected.insert(rejected.end(),
                    {operation.is_collapse ? 1.0 : 0.0, operation.share, static_cast<double>(operation.step)});
  }
}

}  // namespace

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
  // States without turns have no such array, nor have those whose contacts act as far as the scene says, and those of
  // steps of one length.
  if (state.narrowing != 1.0) checkpoint.arrays["narrowing"] = {state.narrowing};
  if (state.h_prev > 0.0 || state.level > 0) {
    std::vector<double>& pace = checkpoint.arrays["pace"];
    pace = {state.h_prev, static_cast<double>(state.level)};
    pace.insert(pace.end(), state.top_speed.begin(), state.top_speed.end());
  }
  if (!state.turns.empty()) checkpoint.arrays["turns"] = {state.turns.begin(), state.turns.end()};
  for (std::size_t k = 0; k < state.history.size(); ++k) checkpoint.arrays[history_array(k)] = state.history[k];
  add_ledgers(state, checkpoint);
  add_stick(state, checkpoint);
  for (std::size_t k = 0; k < state.meshes.size(); ++k) add_mesh(*state.meshes[k], k, checkpoint);
  add_rejected(state, checkpoint);
  return checkpoint;
}

namespace {

std::vector<EnergyLedger> ledgers_of(const Checkpoint& checkpoint) {
  std::vector<EnergyLedger> list;
  const VecX ledgers = vector_of(checkpoint, "ledgers");
  for (Eigen::Index i = 0; i + 4 <= ledgers.size(); i += 4) {
    list.push_back({ledgers[i], ledgers[i + 1], ledgers[i + 2], ledgers[i + 3], 0.0, 0.0, 0.0, {}});
  }
  const VecX hits = vector_of(checkpoint, "ledger_hits");
  for (std::size_t k = 0; std::cmp_less(2 * k + 1, hits.size()) && k < list.size(); ++k) {
    list[k].hit = hits[static_cast<Eigen::Index>(2 * k)];
    list[k].is_driven = hits[static_cast<Eigen::Index>(2 * k + 1)];
  }
  const VecX passed = vector_of(checkpoint, "ledger_passed");
  for (std::size_t k = 0; std::cmp_less(k, passed.size()) && k < list.size(); ++k) {
    list[k].passed = passed[static_cast<Eigen::Index>(k)];
  }
  // Each body has the same number of terms; checkpoints of old versions have none.
  const VecX works = vector_of(checkpoint, "ledger_works");
  const Eigen::Index num_terms = list.empty() ? 0 : works.size() / std::ssize(list);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double* first = works.data() + static_cast<Eigen::Index>(k) * num_terms;
    list[k].work.assign(first, first + num_terms);
  }
  return list;
}

std::vector<StickVertex> stick_of(const Checkpoint& checkpoint) {
  std::vector<StickVertex> list;
  const VecX stick = vector_of(checkpoint, "stick");
  for (Eigen::Index i = 0; i + 5 <= stick.size(); i += 5) {
    list.push_back({static_cast<int>(stick[i]), static_cast<int>(stick[i + 1]), stick.segment<3>(i + 2)});
  }
  return list;
}

std::vector<std::shared_ptr<const BodyMesh>> meshes_of(const Checkpoint& checkpoint) {
  std::vector<std::shared_ptr<const BodyMesh>> meshes;
  for (std::size_t k = 0; checkpoint.arrays.contains(mesh_array(k, "body")); ++k) {
    meshes.push_back(std::make_shared<const BodyMesh>(mesh_of(checkpoint, k)));
  }
  return meshes;
}

std::vector<RejectedOperation> rejected_of(const Checkpoint& checkpoint) {
  std::vector<RejectedOperation> list;
  const VecX rejected = vector_of(checkpoint, "rejected");
  for (Eigen::Index i = 0; i + 6 <= rejected.size(); i += 6) {
    const auto number = [&](Eigen::Index k) { return static_cast<int>(rejected[i + k]); };
    list.push_back({number(0), {number(1), number(2)}, rejected[i + 3] != 0.0, rejected[i + 4], number(5)});
  }
  return list;
}

}  // namespace

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
  const VecX narrowing = vector_of(checkpoint, "narrowing");
  state.narrowing = narrowing.size() == 1 ? narrowing[0] : 1.0;
  if (const VecX pace = vector_of(checkpoint, "pace"); pace.size() >= 2) {
    state.h_prev = pace[0];
    state.level = static_cast<int>(pace[1]);
    state.top_speed.assign(pace.begin() + 2, pace.end());
  }
  // Checkpoints of old versions have no turns; in these, every hinge is less than half a turn from where it started.
  state.turns = integers(checkpoint, "turns");
  for (std::size_t k = 0; checkpoint.arrays.contains(history_array(k)); ++k) {
    state.history.push_back(checkpoint.arrays.at(history_array(k)));
  }
  for (double flag : vector_of(checkpoint, "released")) state.released.push_back(flag != 0.0 ? 1 : 0);
  state.stored = vector_of(checkpoint, "stored");
  state.ledgers = ledgers_of(checkpoint);
  state.stick = stick_of(checkpoint);
  state.meshes = meshes_of(checkpoint);
  state.rejected = rejected_of(checkpoint);
  return state;
}

}  // namespace clearance
