#include "clearance/exchange/obj_sequence.h"

#include <fmt/format.h>

#include <fstream>

#include "clearance/exchange/file_set.h"
#include "clearance/exchange/obj_text.h"

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;

std::string material_name(const ExportedBody& body) {
  return fmt::format("{}_{}", body.drawn.body, obj_name(body.name));
}

std::string materials(const ExportedRun& run) {
  std::string text = "# Clearance " CLEARANCE_VERSION ": colours of bodies, linear RGB\n";
  for (const ExportedBody& body : run.bodies()) {
    const auto& [red, green, blue] = body.color;
    text += fmt::format("newmtl {}\nKd {:.6f} {:.6f} {:.6f}\n", material_name(body), red, green, blue);
  }
  return text;
}

Result<Done> write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return write_failure(path);
  return Done{};
}

/// Holds everything in a file except the vertices: per body, the text before and after its vertices.
struct ObjBodies {
  std::vector<std::string> heads, elements;
};
ObjBodies obj_bodies(const ExportedRun& run) {
  ObjBodies bodies;
  std::size_t num_before = 0;
  for (const ExportedBody& body : run.bodies()) {
    bodies.heads.push_back(fmt::format("o {}\nusemtl {}\n", obj_name(body.name), material_name(body)));
    bodies.elements.push_back(obj_elements(run, body, num_before));
    num_before += body.drawn.num_vertices;
  }
  return bodies;
}

std::string text_of(const ExportedRun& run, const ObjBodies& bodies, const Frame& frame) {
  std::string text;
  for (std::size_t b = 0; b < run.bodies().size(); ++b) {
    text += bodies.heads[b];
    add_obj_vertices(run.places(run.bodies()[b], frame), text);
    text += bodies.elements[b];
  }
  return text;
}

/// Counts files that an earlier export of more frames left behind. They stay, and programs that look for numbered files
/// would read them too.
std::size_t count_others(const fs::path& folder, const std::string& stem, const std::vector<std::string>& names) {
  std::size_t count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() != stem.size() + 11 || !name.starts_with(stem + "_") || !name.ends_with(".obj")) continue;
    if (name.find_first_not_of("0123456789", stem.size() + 1) != stem.size() + 7) continue;
    if (!std::binary_search(names.begin(), names.end(), name)) ++count;
  }
  return count;
}

/// Writes the materials, and all frames. `first` is the run measured, or its first frame if elements change.
Result<Done> write_files(const ExportedRun& run, const ExportedRun& first, const std::vector<std::string>& names,
                         FileSet& files) {
  const ObjBodies bodies = obj_bodies(first);
  if (const auto written = write_text(files.temporary(names.front()), materials(first)); !written) {
    return files.by_their_places(written.issues());
  }
  for (std::size_t i = 0; i < run.num_frames(); ++i) {
    std::string text = fmt::format("# Clearance " CLEARANCE_VERSION ": frame {}, {} s\nmtllib {}\n", run.number(i),
                                   run.time(i), names.front());
    if (run.adapts()) {
      const Result<ExportedRun> other = run.of_frame(i);
      if (!other) return other.issues();
      text += text_of(*other, obj_bodies(*other), other->first());
    } else {
      const Result<Frame> frame = first.frame(i);
      if (!frame) return frame.issues();
      text += text_of(first, bodies, *frame);
    }
    if (const auto written = write_text(files.temporary(names[i + 1]), text); !written) {
      return files.by_their_places(written.issues());
    }
  }
  return Done{};
}

}  // namespace

Result<ExportReport> write_obj_sequence(const ExportJob& job) {
  const fs::path folder = job.output.parent_path();
  const std::string stem = job.output.stem().string();
  const Result<RunFrames> frames = list_frames(job.folder, job.frames);
  if (!frames) return frames.issues();
  std::vector<std::string> names = {stem + ".mtl"};
  for (const std::size_t number : frames->kept) names.push_back(fmt::format("{}_{:06}.obj", stem, number));
  FileSet files(folder, names);
  const Result<RunAndFirst> opened =
      open_with_own_elements(job, files.find_obstructions(job.is_overwriting, job.folder));
  if (!opened) return opened.issues();
  if (const auto made = files.open(); !made) return made.issues();

  if (const auto written = write_files(opened->run, opened->first, names, files); !written) return written.issues();
  Result<ExportReport> report = finish_export(files, report_of(*opened));
  if (!report) return report;
  std::sort(names.begin(), names.end());
  if (const std::size_t others = count_others(folder, stem, names); others > 0) {
    report->notes.push_back(
        fmt::format("{} files {}_<number>.obj of an earlier export remain beside these", others, stem));
  }
  return report;
}

}  // namespace clearance::exchange
