// Runs with a certificate, as a library, and what verification says of them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "clearance/io/result/certificate_file.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/run.h"
#include "clearance/verify/folder/verify_folder.h"
#include "clearance/verify/folder/verify_paths.h"
#include "clearance/verify/paths/certificate.h"

namespace clearance::verify {

namespace fs = std::filesystem;

class CertificateRun : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / fmt::format("clearance_paths_{}_{}", test->name(), getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(folder_);
  }

  static SceneDesc scene_of(const std::string& json) {
    const Result<LoadedScene> loaded = load_scene_text(json, "scene", "");
    if (!loaded) throw std::runtime_error(to_string(loaded.issues().front()));
    SceneDesc scene = loaded->scene;
    scene.output.certificate = true;
    return scene;
  }

  /// Runs a scene into `folder_ / name`.
  RunOutcome run_into(const std::string& name, const SceneDesc& scene, FolderUse use = FolderUse::start,
                      const RunLimits& limits = {}, const RunObserver& observer = {}) const {
    Result<Simulation> simulation = Simulation::create(scene);
    if (!simulation) throw std::runtime_error(to_string(simulation.issues().front()));
    const Result<FolderClaim> claim = FolderClaim::make(folder_ / name, use);
    if (!claim) throw std::runtime_error(to_string(claim.issues().front()));
    const Result<RunOutcome> outcome = run(*simulation, *claim, limits, observer);
    if (!outcome) throw std::runtime_error(to_string(outcome.issues().front()));
    return *outcome;
  }

  PathReport report_of(const std::string& name) const {
    const auto read = read_verify_folder(folder_ / name);
    if (!read) throw std::runtime_error(to_string(read.issues().front()));
    const auto report = verify_paths(folder_ / name, *read);
    if (!report) throw std::runtime_error(to_string(report.issues().front()));
    return *report;
  }
  static std::string text_of(const PathReport& report) {
    std::string text = fmt::format("{} moves, {} pairs, {} violated, {} undecided", report.num_moves,
                                   report.counts.num_pairs, report.counts.num_violated, report.counts.num_undecided);
    for (const auto* lines : {&report.offenses, &report.problems, &report.notes}) {
      for (const std::string& line : *lines) text += "\n  " + line;
    }
    return text;
  }
  static bool says(const PathReport& report, const std::string& phrase) {
    return text_of(report).find(phrase) != std::string::npos;
  }

  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }
  fs::path certificate(const std::string& name) const { return folder_ / name / "certificate.bin"; }

  /// The records of a certificate.
  struct Certificate {
    PathLayout layout;
    PathRecord start;
    std::vector<PathRecord> steps;
  };
  Certificate read_certificate(const std::string& name) const {
    CertificateReader reader(certificate(name));
    Certificate all;
    const std::optional<PathRecord> start = reader.next();
    if (!start) throw std::runtime_error(reader.problem());
    all.start = *start;
    while (auto step = reader.next()) all.steps.push_back(std::move(*step));
    if (!reader.problem().empty()) throw std::runtime_error(reader.problem());
    all.layout = reader.layout();
    return all;
  }
  /// Writes records with hashes that are right, whatever they hold.
  void write_certificate(const std::string& name, const Certificate& all) const {
    const auto vector_of = [](const std::vector<double>& x) {
      return VecX(Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    CertificateLayout layout;
    layout.dim = all.layout.dim;
    layout.x = vector_of(all.start.x);
    layout.first_term = all.layout.first_term;
    for (const auto& [block, weight] : all.layout.terms) layout.terms.push_back({block, weight});
    layout.offsets = all.layout.offsets;
    for (const PathLayout::Stiff& stiff : all.layout.stiff) layout.stiff.push_back({stiff.first_block, stiff.is_rigid});
    for (int block = 0; block < all.layout.num_blocks; ++block) {
      const int stiff = all.layout.stiff_of_block[block];
      if (stiff < 0) continue;
      const int first = all.layout.stiff[stiff].first_block;
      if (block < first || block > first + all.layout.dim) layout.ties.push_back({block, stiff});
    }
    CertificateFile file(folder_ / name);
    if (!file.start(layout)) throw std::runtime_error("the certificate cannot be written");
    for (const PathRecord& step : all.steps) {
      CertificateStep record{step.step, step.is_joined, step.positions, {}};
      for (const PathMove& move : step.moves) {
        std::vector<double> screws;
        for (const PathScrew& screw : move.screws) {
          screws.insert(screws.end(), screw.shift.data(), screw.shift.data() + 3);
          screws.insert(screws.end(), screw.turn.data(), screw.turn.data() + 3);
        }
        record.moves.push_back(encode_move(vector_of(move.x_t0), vector_of(move.x_t1), screws));
      }
      if (!file.append(record)) throw std::runtime_error("the certificate cannot be written");
    }
  }

  fs::path folder_;
};

/// Two soft boxes fall onto a plate that rises.
inline const std::string soft_boxes = R"({
  "time": {"step": 0.01, "duration": 0.08}, "friction": {"coefficient": 0.3},
  "bodies": [
    {"name": "low", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [2, 2, 2]},
     "transform": {"translation": [0, 0.11, 0]}, "linear_velocity": [0, -2, 0],
     "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.4}},
    {"name": "high", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
     "transform": {"translation": [0.05, 0.33, 0.03]}, "linear_velocity": [0, -4, 0],
     "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.4}},
    {"name": "plate", "kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1]},
     "motions": [{"displacement": ["0", "0.5 * t", "0"]}]}]})";

}  // namespace clearance::verify
