// Collects the moves of each step for the certificate of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "clearance/io/result/certificate_file.h"
#include "clearance/solver/accepted_move.h"
#include "clearance/solver/report.h"

namespace clearance {

class Simulation;

class CertificateRecorder {
 public:
  /// The simulation outlives the object.
  explicit CertificateRecorder(const Simulation& simulation);

  /// Records the moves of the step that `take` takes. Those of an attempt before are forgotten.
  StepReport record(const std::function<StepReport()>& take);
  /// Returns the moves that have led from where the last step has ended to where the simulation is. Attempts that were
  /// given up are none of them.
  CertificateStep end_step();

 private:
  struct Move {
    std::uint64_t from = 0;
    std::string bytes;
  };
  void add(const AcceptedMove& move);

  const Simulation& simulation_;
  std::vector<Move> moves_;
  std::unordered_map<std::uint64_t, std::size_t> first_to_;  // the first move that has led to unknowns of a hash
  std::uint64_t last_;                                       // hash of the unknowns at the end of the last step
};

}  // namespace clearance
