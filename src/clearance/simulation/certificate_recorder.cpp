#include "clearance/simulation/certificate_recorder.h"

#include <algorithm>

#include "clearance/simulation/simulation.h"

namespace clearance {

CertificateRecorder::CertificateRecorder(const Simulation& simulation)
    : simulation_(simulation), last_(hash_of_unknowns(simulation.unknowns())) {}

StepReport CertificateRecorder::record(const std::function<StepReport()>& take) {
  moves_.clear();
  first_to_.clear();
  const MoveListener listener([this](const AcceptedMove& move) { add(move); });
  return take();
}

void CertificateRecorder::add(const AcceptedMove& move) {
  const std::uint64_t from = hash_of_unknowns(move.x_t0), to = hash_of_unknowns(move.x_t1);
  if (from == to || move.x_t0.size() != move.x_t1.size()) return;
  std::vector<double> screws;
  for (const Screw& screw : move.screws) {
    for (const Vec<3>* part : {&screw.shift, &screw.turn}) screws.insert(screws.end(), part->data(), part->data() + 3);
  }
  first_to_.try_emplace(to, moves_.size());
  moves_.push_back({from, encode_move(move.x_t0, move.x_t1, screws)});
}

/// Goes back from the end: the first move that has led somewhere began at a place that was known before.
CertificateStep CertificateRecorder::end_step() {
  CertificateStep step;
  step.step = simulation_.num_steps_done();
  Sha256 hash;
  for (const Vec<3>& position : simulation_.positions()) hash.add(position.data(), sizeof(double) * 3);
  step.positions = hash.finish();
  const std::uint64_t end = hash_of_unknowns(simulation_.unknowns());
  std::uint64_t at = end;
  while (at != last_) {
    const auto move = first_to_.find(at);
    // A cycle of equal hashes has as many moves as there are at most.
    if (move == first_to_.end() || step.moves.size() > moves_.size()) {
      step.is_joined = false;
      step.moves.clear();
      break;
    }
    at = moves_[move->second].from;
    step.moves.push_back(moves_[move->second].bytes);
  }
  std::reverse(step.moves.begin(), step.moves.end());
  last_ = end;
  return step;
}

}  // namespace clearance
