#include "clearance/verify/folder/verify_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "clearance/base/parallel.h"
#include "clearance/io/result/certificate_file.h"
#include "clearance/io/result/result_files.h"
#include "clearance/verify/folder/verify_stats.h"
#include "clearance/verify/paths/certificate.h"

namespace clearance::verify {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_lines = 10;

std::string names_of(const VerifyFolder& folder, int body) {
  const auto& bodies = folder.scene.bodies;
  const bool has_name = body >= 0 && body < static_cast<int>(bodies.size()) && !bodies[body].name.empty();
  return has_name ? fmt::format("'{}'", bodies[body].name) : fmt::format("body {}", body);
}

std::string list_of(const std::vector<int>& vertices) {
  return fmt::format("{}", fmt::join(vertices, "-"));
}

std::string text_of(const VerifyFolder& folder, const PathOffense& offense, int step, std::size_t move) {
  const bool is_violated = offense.verdict == PathVerdict::violated;
  std::string what;
  switch (offense.kind) {
    case PathOffense::Kind::meeting:
      what = fmt::format("{} of {} {} {} of {}", list_of(offense.primitive_a), names_of(folder, offense.body_a),
                         is_violated ? "meets" : "is not proved apart from", list_of(offense.primitive_b),
                         names_of(folder, offense.body_b));
      break;
    case PathOffense::Kind::volume:
      what =
          offense.primitive_a.empty()
              ? fmt::format("a stiff body {}", is_violated ? "is turned inside out" : "is not proved to keep its shape")
              : fmt::format("element {} of {} {}", list_of(offense.primitive_a), names_of(folder, offense.body_a),
                            is_violated ? "is inverted or flat" : "is not proved to keep a volume");
      break;
    case PathOffense::Kind::half_space:
      what = fmt::format("vertex {} of {} is not proved inside half-space {}", list_of(offense.primitive_a),
                         names_of(folder, offense.body_a), offense.body_b);
      break;
  }
  return fmt::format("step {}, move {}: {}, at {:.6g} of the move", step, move, what, offense.time);
}

class PathVerification {
 public:
  PathVerification(const fs::path& path, const VerifyFolder& folder)
      : path_(path), folder_(folder), reader_(path / certificate_file) {}

  Result<PathReport> run() {
    const fs::path file = path_ / certificate_file;
    std::error_code error;
    if (!fs::exists(file, error)) {
      return Issue{
          file.string(), "", "",
          "the folder has no certificate; expected one, which a run stores with `\"output\": {\"certificate\": "
          "true}`"};
    }
    if (!find_frames()) return Issue{folder_.frames[0].string(), "", "", "the first frame cannot be read"};
    if (const std::optional<PathRecord> start = reader_.next()) {
      begin(*start);
    } else {
      report_.problems.push_back(reader_.problem().empty() ? "certificate.bin is empty" : reader_.problem());
    }
    for (std::optional<PathRecord> step; check_ && (step = reader_.next());) check_step(*step);
    finish();
    return std::move(report_);
  }

 private:
  /// Reads the first frame, which has the cells of all of them, and finds the steps of the others.
  bool find_frames() {
    auto frame = read_frame(folder_.frames[0].string());
    if (!frame) return false;
    first_ = std::move(*frame);
    first_.mesh.dim = folder_.dimension;
    if (!has_valid_indices(first_, folder_.scene)) return false;
    surface_ = build_verify_surface(first_);
    scene_ = folder_.scene;
    scene_.start = first_.mesh.vertices;
    add_obstacles(first_, scene_);
    for (const fs::path& file : folder_.frames) {
      const auto step = step_of_frame_file("frames/" + file.filename().string());
      if (step) frame_of_step_[*step] = file;
    }
    return true;
  }

  void begin(const PathRecord& start) {
    const PathLayout& layout = reader_.layout();
    if (layout.dim != folder_.dimension || layout.num_vertices() != static_cast<int>(first_.mesh.vertices.size())) {
      report_.problems.push_back("certificate.bin: it has another number of vertices than the first frame");
      return;
    }
    check_.emplace(first_, surface_, scene_, layout);
    if (check_->num_curved() > 0) {
      report_.not_covered.push_back(fmt::format(
          "volumes of {} curved elements between frames (their surfaces are proved)", check_->num_curved()));
    }
    if (check_->num_unknown() > 0) {
      report_.problems.push_back(fmt::format(
          "{} vertices follow a rigid part and other nodes at once; their ways are not proved", check_->num_unknown()));
    }
    if (!scene_.has_contact) report_.not_covered.push_back("contacts (contact is off in this scene)");
    if (frame_of_step_.count(0) == 0) {
      report_.problems.push_back("the frame of the start is missing, so that nothing says where the chain begins");
    }
    compare(0, start.x, nullptr);
  }

  void check_step(const PathRecord& step) {
    if (!step.is_joined) {
      report_.problems.push_back(
          fmt::format("step {}: the certificate has no moves that lead from the step before to this one", step.step));
      check_.reset();
      return;
    }
    std::vector<PathCounts> counts(step.moves.size());
    parallel_for(static_cast<int>(step.moves.size()), 1, [&](int k) { counts[k] = check_->check(step.moves[k]); });
    for (std::size_t k = 0; k < counts.size(); ++k) {
      for (const PathOffense& offense : counts[k].offenses) {
        if (report_.offenses.size() < max_lines) report_.offenses.push_back(text_of(folder_, offense, step.step, k));
      }
      if (counts[k].largest_miss > largest_miss_by_rounding) {
        report_.problems.push_back(
            fmt::format("step {}, move {}: a rigid body does not end where its screw leads, or a position overflows",
                        step.step, k));
      }
      report_.counts.add(counts[k]);
    }
    if (!step.moves.empty()) x_ = step.moves.back().x_t1;
    report_.num_moves += static_cast<long>(step.moves.size());
    report_.num_steps = step.step;
    compare(step.step, x_, &step.positions);
  }

  /// Compares a stored frame with where the chain has led.
  void compare(int step, const std::vector<double>& x, const Sha256::Digest* positions) {
    x_ = x;
    const auto file = frame_of_step_.find(step);
    if (file == frame_of_step_.end()) return;
    const auto frame = read_frame(file->second.string());
    if (!frame) return;  // verification of the frames says so
    const auto& vertices = frame->mesh.vertices;
    const PathLayout& layout = reader_.layout();
    bool is_same = static_cast<int>(vertices.size()) == layout.num_vertices() && has_same_cells(*frame, first_);
    for (int v = 0; is_same && v < layout.num_vertices(); ++v) {
      const BoundedPosition at = vertex_at(layout, x, v);
      is_same = (vertices[v] - at.position).norm() <= 2.0 * at.error;
      if (is_same) continue;
      report_.problems.push_back(fmt::format("{}: vertex {} is not where the certificate leads, but {:.3g} m away",
                                             file->second.filename().string(), v, (vertices[v] - at.position).norm()));
      return;
    }
    Sha256 hash;
    for (const Vec<3>& vertex : vertices) hash.add(vertex.data(), 3 * sizeof(double));
    if (!is_same || (positions != nullptr && hash.finish() != *positions)) {
      report_.problems.push_back(
          fmt::format("{}: it is not the frame of the certificate", file->second.filename().string()));
      return;
    }
    ++report_.num_frames;
  }

  /// The chain must reach every step that the statistics or the frames know.
  void finish() {
    const VerifyStats stats = read_verify_stats(path_, 0);
    int last = stats.last_step.value_or(0);
    for (const auto& [step, file] : frame_of_step_) last = std::max(last, step);
    if (report_.num_steps < last) {
      report_.problems.push_back(
          fmt::format("certificate.bin: the chain of moves is proved up to step {}, and the run "
                      "has taken {}",
                      report_.num_steps, last));
    }
    if (!reader_.problem().empty() && report_.problems.empty() && reader_.is_cut_off()) {
      report_.notes.push_back(reader_.problem());
    } else if (!reader_.problem().empty() && std::find(report_.problems.begin(), report_.problems.end(),
                                                       reader_.problem()) == report_.problems.end()) {
      report_.problems.push_back(reader_.problem());
    }
    if (report_.num_steps > last) {
      report_.notes.push_back(fmt::format("the certificate has moves up to step {}, after the last stored step {}",
                                          report_.num_steps, last));
    }
  }

  const fs::path& path_;
  const VerifyFolder& folder_;
  CertificateReader reader_;
  Frame first_;
  VerifySurface surface_;
  VerifyScene scene_;
  std::map<int, fs::path> frame_of_step_;
  std::optional<MoveCheck> check_;  // none once the chain is broken
  std::vector<double> x_;           // where the chain has led
  PathReport report_;
};

}  // namespace

Result<PathReport> verify_paths(const fs::path& path, const VerifyFolder& folder) {
  return PathVerification(path, folder).run();
}

}  // namespace clearance::verify
