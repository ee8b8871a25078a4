#include "apps/cli/verify.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/cli/console.h"
#include "clearance/io/result/result_units.h"
#include "clearance/verify/folder/verify_folder.h"
#include "clearance/verify/folder/verify_paths.h"

namespace clearance::cli {

using namespace verify;
namespace {

constexpr int max_printed_offenses = 10;

nlohmann::ordered_json json_of(const PathReport& paths) {
  nlohmann::ordered_json out;
  out["ok"] = paths.is_clean();
  out["steps"] = paths.num_steps;
  out["moves"] = paths.num_moves;
  out["frames"] = paths.num_frames;
  out["pairs"] = paths.counts.num_pairs;
  out["volumes"] = paths.counts.num_volumes;
  out["half_space_vertices"] = paths.counts.num_half_spaces;
  out["in_rational_numbers"] = paths.counts.num_rational;
  out["violated"] = paths.counts.num_violated;
  out["undecided"] = paths.counts.num_undecided;
  out["not_covered"] = paths.not_covered;
  out["problems"] = paths.problems;
  out["notes"] = paths.notes;
  out["offenses"] = paths.offenses;
  return out;
}

bool is_clean(const VerifyReport& report, const PathReport* paths) {
  return report.is_clean() && (paths == nullptr || paths->is_clean());
}

void print_json(const VerifyFolder& folder, const VerifyReport& report, const PathReport* paths) {
  nlohmann::ordered_json out;
  out["ok"] = is_clean(report, paths);
  out["frames"] = report.verdicts.size();
  out["intersections"] = report.num_intersections;
  out["inversions"] = report.num_inversions;
  out["half_space_violations"] = report.num_half_space_violations;
  out["not_finite"] = report.num_not_finite;
  const bool has_distance = report.min_distance_frame >= 0;
  out["min_distance"] = has_distance ? nlohmann::ordered_json(report.min_distance) : nlohmann::ordered_json();
  out["min_distance_frame"] =
      has_distance ? nlohmann::ordered_json(report.min_distance_frame) : nlohmann::ordered_json();
  if (folder.scene.min_separation > 0.0) {
    out["min_separation"] = folder.scene.min_separation;
    out["too_close"] = report.num_too_close;
    if (report.num_too_close > 0) out["smallest_gap"] = report.smallest_gap;
  }
  out["contact_enabled"] = folder.scene.has_contact;
  out["problems"] = report.problems;
  out["notes"] = folder.notes;
  out["offenses"] = offense_texts(folder, report);
  if (paths != nullptr) out["paths"] = json_of(*paths);
  // Offenses and file names may hold bytes that are no UTF-8; they are replaced, so that the dump does not throw.
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_paths(const PathReport& paths) {
  const PathCounts& counts = paths.counts;
  fmt::print(
      "paths: {} moves of {} steps, {} frames where they lead; proved {} pairs apart, {} volumes positive, {} "
      "vertices inside half-spaces; {} of them in rational numbers\n",
      paths.num_moves, paths.num_steps, paths.num_frames, counts.num_pairs, counts.num_volumes, counts.num_half_spaces,
      counts.num_rational);
  if (counts.num_violated + counts.num_undecided > 0) {
    fmt::print("paths: {} violated, {} undecided\n", counts.num_violated, counts.num_undecided);
  }
  for (const std::string& offense : paths.offenses) fmt::print("  {}\n", offense);
  for (const std::string& problem : paths.problems) fmt::print("  {}\n", problem);
  for (const std::string& part : paths.not_covered) fmt::print("  not covered: {}\n", part);
  for (const std::string& note : paths.notes) fmt::print("  note: {}\n", note);
}

void print_text(const VerifyFolder& folder, const UnitSystem& units, const VerifyReport& report,
                const PathReport* paths) {
  std::string line = fmt::format("frames {}: ", report.verdicts.size());
  line += folder.scene.has_contact ? fmt::format("{} intersections", report.num_intersections)
                                   : "intersections not checked (contact is off in this scene)";
  line += fmt::format(", {} inversions", report.num_inversions);
  if (!folder.scene.half_spaces.empty())
    line += fmt::format(", {} half-space violations", report.num_half_space_violations);
  if (report.num_not_finite > 0) line += fmt::format(", {} vertices that are not numbers", report.num_not_finite);
  if (report.min_distance_frame >= 0) {
    line += fmt::format(", smallest distance {:.6g} m (frame {})", report.min_distance, report.min_distance_frame);
  }
  fmt::print("{}\n", units.message(line));
  if (const double gap = folder.scene.min_separation; gap > 0.0) {
    if (report.num_too_close == 0) {
      fmt::print("separation: every gap above {} {}, exactly\n", gap, units.length_name);
    } else {
      fmt::print("separation: {} gaps not above {} {}, the smallest {:.6g} {}\n", report.num_too_close, gap,
                 units.length_name, report.smallest_gap, units.length_name);
    }
  }
  const std::vector<std::string> texts = offense_texts(folder, report);
  for (std::size_t i = 0; i < texts.size() && i < max_printed_offenses; ++i) fmt::print("  {}\n", texts[i]);
  if (texts.size() > max_printed_offenses) fmt::print("  ...\n");
  for (const std::string& problem : report.problems) fmt::print("  {}\n", problem);
  for (const std::string& note : folder.notes) fmt::print("  note: {}\n", note);
  if (paths != nullptr) print_paths(*paths);
  fmt::print("{}\n", is_clean(report, paths) ? "verified" : "NOT verified");
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  const auto folder = read_verify_folder(options.folder);
  if (!folder) return refuse(folder.issues());
  const VerifyReport report = verify_folder(*folder);
  std::optional<PathReport> paths;
  if (options.paths) {
    Result<PathReport> verified = verify_paths(options.folder, *folder);
    if (!verified) return refuse(verified.issues());
    paths = std::move(*verified);
  }
  const PathReport* of_paths = paths ? &*paths : nullptr;
  if (options.json) {
    print_json(*folder, report, of_paths);
  } else {
    print_text(*folder, read_units(options.folder), report, of_paths);
  }
  return is_clean(report, of_paths) ? 0 : 4;
}

}  // namespace clearance::cli
