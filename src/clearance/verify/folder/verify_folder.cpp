#include "clearance/verify/folder/verify_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/verify/rest_shape.h"

namespace clearance::verify {

namespace {

struct FrameOutcome {
  FrameVerdict verdict;
  std::string problem;
  std::vector<RestSize> rest;  // per body, of frames that were judged and say where vertices are at rest
};

/// The first readable frame.
struct FirstFrame {
  Frame frame;
  VerifySurface surface;  // stands for all frames with the same cells, which is nearly always all of them
  bool has_rest = false;  // elements change, and each frame says where its vertices are at rest
};

FrameOutcome unjudged(std::string problem) {
  FrameOutcome outcome;
  outcome.problem = std::move(problem);
  return outcome;
}

FrameOutcome judge_frame(const VerifyFolder& folder, int index, const FirstFrame& first) {
  const std::string path = folder.frames[index].string();
  auto frame = first.has_rest ? read_whole_frame(path) : read_frame(path);
  if (!frame) return unjudged(to_string(frame.issues()[0]));
  Frame& f = *frame;
  f.mesh.dim = folder.dimension;
  if (!has_valid_indices(f, folder.scene)) {
    return unjudged(fmt::format("{}: index out of range, of a cell or of a round shape of bodies.json", path));
  }
  VerifyScene scene = folder.scene;
  const bool has_radius =
      std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const VerifyBody& body) { return body.radius > 0.0; });
  if (has_radius && f.mesh.vertices.size() == first.frame.mesh.vertices.size()) {
    scene.start = first.frame.mesh.vertices;
  }
  add_obstacles(f, scene);
  FrameOutcome outcome;
  const bool is_first = has_same_cells(f, first.frame);
  const VerifySurface other = is_first ? VerifySurface{} : build_verify_surface(f);
  const VerifySurface& surface = is_first ? first.surface : other;
  outcome.verdict = verify_frame(f, surface, scene);
  if (first.has_rest) {
    const std::vector<Vec<3>> rest = rest_positions(f);
    if (rest.empty()) {
      outcome.problem = fmt::format("{}: has no array `rest_position`, as the first frame has", path);
    } else {
      check_rest(f, rest, scene, outcome.verdict);
      outcome.rest = rest_sizes(f, rest, surface);
    }
  }
  const double time = folder.times[index];
  if (std::abs(f.time - time) > 1e-9 * std::max(1.0, std::abs(time))) {
    outcome.problem = fmt::format("{}: time {} but frames.pvd says {}", path, f.time, time);
  }
  return outcome;
}

std::string body_name(const VerifyFolder& folder, int body) {
  const auto& bodies = folder.scene.bodies;
  const bool has_name = body >= 0 && body < static_cast<int>(bodies.size()) && !bodies[body].name.empty();
  return has_name ? fmt::format("'{}'", bodies[body].name) : fmt::format("body {}", body);
}

std::string primitive_text(const std::vector<int>& vertices) {
  static constexpr const char* names[] = {"", "vertex", "edge", "triangle", "tet"};
  const bool is_point = vertices.size() == 2 && vertices[0] == vertices[1];
  std::string text = is_point ? fmt::format("point {}", vertices[0]) : names[std::min<std::size_t>(4, vertices.size())];
  for (std::size_t i = 0; i < vertices.size() && !is_point; ++i)
    text += fmt::format("{}{}", i == 0 ? " " : "-", vertices[i]);
  return text;
}

std::string offense_text(const VerifyFolder& folder, int frame, const Offense& o) {
  std::string what = fmt::format("{} of {}", primitive_text(o.primitive_a), body_name(folder, o.body_a));
  switch (o.kind) {
    case OffenseKind::intersection:
      what += fmt::format(" touches {} of {}", primitive_text(o.primitive_b), body_name(folder, o.body_b));
      break;
    case OffenseKind::inversion:
      what += " is inverted or flat";
      break;
    case OffenseKind::inversion_at_rest:
      what += " is inverted or flat at rest";
      break;
    case OffenseKind::half_space:
      what += fmt::format(" is not inside half-space {}", o.body_b);
      break;
    case OffenseKind::separation:
      what += fmt::format(" is too close to {} of {}", primitive_text(o.primitive_b), body_name(folder, o.body_b));
      break;
    case OffenseKind::half_space_gap:
      what += fmt::format(" is too close to half-space {}", o.body_b);
      break;
    case OffenseKind::not_finite:
      what += " has a position or velocity that is no number";
      break;
  }
  return fmt::format("frame {}: {}, at ({:.6g}, {:.6g}, {:.6g}) m", frame, what, o.position[0], o.position[1],
                     o.position[2]);
}

/// The first frame in which a body at rest is no longer what it was, with all bodies that are not.
void check_rest_sizes(const VerifyFolder& folder, const std::vector<FrameOutcome>& outcomes,
                      std::vector<std::string>& problems) {
  const std::vector<RestSize>* first = nullptr;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].rest.empty()) continue;
    if (first == nullptr) first = &outcomes[i].rest;
    std::vector<std::string> names;
    for (std::size_t body = 0; body < std::max(first->size(), outcomes[i].rest.size()); ++body)
      names.push_back(body_name(folder, static_cast<int>(body)));
    const std::vector<std::string> changes = rest_changes(*first, outcomes[i].rest, folder.dimension, names);
    for (const std::string& change : changes) problems.push_back(fmt::format("frame {}: {}", i, change));
    if (!changes.empty()) return;
  }
}

}  // namespace

std::vector<std::string> offense_texts(const VerifyFolder& folder, const VerifyReport& report) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < report.verdicts.size(); ++i) {
    for (const Offense& o : report.verdicts[i].offenses) texts.push_back(offense_text(folder, static_cast<int>(i), o));
  }
  return texts;
}

bool VerifyReport::is_clean() const {
  return num_intersections + num_inversions + num_half_space_violations + num_not_finite + num_too_close == 0 &&
         problems.empty();
}

VerifyReport verify_folder(const VerifyFolder& folder) {
  // Its surface is built once for all frames with its cells.
  FirstFrame first;
  if (auto frame = read_whole_frame(folder.frames[0]); frame && has_valid_indices(*frame, folder.scene)) {
    first.frame = std::move(*frame);
    first.frame.mesh.dim = folder.dimension;
    first.surface = build_verify_surface(first.frame);
    first.has_rest = !rest_positions(first.frame).empty();
  }
  const int num_frames = static_cast<int>(folder.frames.size());
  std::vector<FrameOutcome> outcomes(folder.frames.size());
  parallel_for(num_frames, 1, [&](int i) { outcomes[i] = judge_frame(folder, i, first); });

  VerifyReport report;
  report.problems = folder.problems;
  for (int i = 0; i < num_frames; ++i) {
    FrameVerdict& verdict = outcomes[i].verdict;
    if (!outcomes[i].problem.empty()) report.problems.push_back(outcomes[i].problem);
    report.num_intersections += verdict.num_intersections;
    report.num_inversions += verdict.num_inversions;
    report.num_half_space_violations += verdict.num_half_space_violations;
    report.num_not_finite += verdict.num_not_finite;
    report.num_too_close += verdict.num_too_close;
    report.smallest_gap = std::min(report.smallest_gap, verdict.smallest_gap);
    if (verdict.min_distance < report.min_distance) {
      report.min_distance = verdict.min_distance;
      report.min_distance_frame = i;
    }
    report.verdicts.push_back(std::move(verdict));
  }
  check_rest_sizes(folder, outcomes, report.problems);
  return report;
}

}  // namespace clearance::verify
