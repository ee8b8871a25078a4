#include "clearance/exchange/frd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include "clearance/exchange/file_set.h"
#include "clearance/exchange/frame_cells.h"
#include "clearance/verify/rest_shape.h"

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;

/// Returns the number of a kind of element in .frd; 0 for points, which it does not have.
int element_type(CellKind kind) {
  switch (kind) {
    case CellKind::point:
      return 0;
    case CellKind::line:
      return 11;
    case CellKind::triangle:
      return 7;
    case CellKind::triangle_6:
      return 8;
    case CellKind::tetrahedron:
      return 3;
    case CellKind::tetrahedron_10:
      return 6;
  }
  return 0;
}

/// The shape of a block of results, which decides how programs draw it.
enum class Shape { scalar, vector, tensor };

/// Values at all nodes under one name, node by node.
struct NodalResult {
  std::string name;  ///< at most 8 characters
  Shape shape;
  std::vector<std::string> components;
  std::vector<double> values;
};

/// Returns a name of .frd: at most 8 capital letters, digits and `_`, none of them in `used`, where it is added.
std::string short_name(const std::string& name, std::vector<std::string>& used) {
  std::string text;
  for (const char c : name) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    text += is_plain ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  std::string candidate = text.substr(0, 8);
  for (int i = 2; std::ranges::find(used, candidate) != used.end(); ++i) {
    const std::string number = std::to_string(i);
    candidate = text.substr(0, 8 - number.size()) + number;
  }
  used.push_back(candidate);
  return candidate;
}

/// The names by which engineers know some of the arrays of frames; others get short names of their own.
constexpr std::array<std::pair<const char*, const char*>, 8> known_names = {{{"von_mises", "MISES"},
                                                                             {"principal_stress", "PSTRESS"},
                                                                             {"plastic_strain", "PE"},
                                                                             {"energy_density", "ENER"},
                                                                             {"contact_pressure", "CPRESS"},
                                                                             {"normal_force", "CNFORCE"},
                                                                             {"friction_force", "CFRICT"},
                                                                             {"stress_von_mises", "SMISES"}}};
std::string given_name(const std::string& name) {
  const auto known = std::ranges::find_if(known_names, [&](const auto& pair) { return name == pair.first; });
  return known == known_names.end() ? name : known->second;
}

/// The components of the field `stress` in the order of .frd.
constexpr std::array<const char*, 6> stress_arrays = {"stress_xx", "stress_yy", "stress_zz",
                                                      "stress_xy", "stress_yz", "stress_xz"};

class FrdWriter {
 public:
  FrdWriter(const fs::path& path, const Frame& reference, std::vector<Vec<3>> rest)
      : path_(path), file_(path, std::ios::binary), rest_(std::move(rest)), cells_(list_cells(reference.mesh)) {
    list_nodes();
    write_mesh(reference);
  }

  std::size_t num_split() const { return cells_.num_split; }
  std::size_t num_points() const { return std::ranges::count(cells_.kinds, CellKind::point); }
  bool has_means() const { return has_means_; }
  bool has_failed() const { return !file_; }
  bool has_cells_of(const Frame& frame) const {
    return frame.mesh.vertices.size() == rest_.size() && list_cells(frame.mesh) == cells_;
  }

  void add_frame(const Frame& frame, double time) {
    ++num_frames_;
    for (const NodalResult& result : results_of(frame)) write_result(result, time);
  }

  Result<Done> finish() {
    file_ << " 9999\n";
    file_.close();
    if (!file_) return write_failure(path_);
    return Done{};
  }

 private:
  /// Lists the nodes of the cells of frames. A split cell has those of all its parts.
  void list_nodes() {
    auto next = cells_.nodes.begin();
    for (std::size_t c = 0; c < cells_.kinds.size(); ++c) {
      for (int k = 0; k < num_nodes(cells_.kinds[c]); ++k) nodes_of_sources_.emplace_back(cells_.sources[c], *next++);
    }
    std::ranges::sort(nodes_of_sources_);
    nodes_of_sources_.erase(std::unique(nodes_of_sources_.begin(), nodes_of_sources_.end()), nodes_of_sources_.end());
  }

  template <class... Values>
  static void add(fmt::memory_buffer& text, fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<Values>(values)...);
  }
  /// Adds a number of 12 columns. The format has two digits of an exponent.
  static void add_number(fmt::memory_buffer& text, double value) {
    constexpr double largest = 9.99999e99, smallest = 1e-99;
    const double size = std::abs(value);
    fmt::format_to(std::back_inserter(text), "{:12.5E}", size < smallest ? 0.0 : std::clamp(value, -largest, largest));
  }
  void write(const fmt::memory_buffer& text) { file_.write(text.data(), static_cast<std::streamsize>(text.size())); }

  void write_mesh(const Frame& reference) {
    const auto num_elements = cells_.kinds.size() - num_points();
    fmt::memory_buffer text;
    add(text, "    1C\n    1UPGM               Clearance\n    1UVERSION           {}\n", CLEARANCE_VERSION);
    add(text, "    2C{:18}{:12}{:38}\n", "", rest_.size(), 1);
    for (std::size_t v = 0; v < rest_.size(); ++v) {
      add(text, " -1{:10}", v + 1);
      for (int k = 0; k < 3; ++k) add_number(text, rest_[v][k]);
      add(text, "\n");
    }
    add(text, " -3\n    3C{:18}{:12}{:38}\n", "", num_elements, 1);
    std::size_t element = 0;
    auto next = cells_.nodes.begin();
    for (std::size_t c = 0; c < cells_.kinds.size(); ++c) {
      const int count = num_nodes(cells_.kinds[c]), type = element_type(cells_.kinds[c]);
      const std::size_t source = cells_.sources[c];
      const int body = source < reference.cell_body.size() ? reference.cell_body[source] : 0;
      if (type != 0) {
        add(text, " -1{:10}{:5}{:5}{:5}\n -2", ++element, type, 0, body + 1);
        for (int k = 0; k < count; ++k) add(text, "{:10}", next[k] + 1);
        add(text, "\n");
      }
      next += count;
    }
    add(text, " -3\n");
    write(text);
  }

  std::vector<NodalResult> results_of(const Frame& frame) {
    std::vector<std::string> used = {"DISP", "VELO", "CFORCE", "STRESS"};
    std::vector<NodalResult> results;
    const auto add_vectors = [&](const char* name, char letter, const auto& value) {
      NodalResult result = {name, Shape::vector, {}, {}};
      for (int k = 1; k <= 3; ++k) result.components.push_back(fmt::format("{}{}", letter, k));
      for (std::size_t v = 0; v < rest_.size(); ++v) {
        const Vec<3> vector = value(v);
        result.values.insert(result.values.end(), {vector[0], vector[1], vector[2]});
      }
      results.push_back(std::move(result));
    };
    add_vectors("DISP", 'D', [&](std::size_t v) { return Vec<3>(frame.mesh.vertices[v] - rest_[v]); });
    if (!frame.velocity.empty()) add_vectors("VELO", 'V', [&](std::size_t v) { return frame.velocity[v]; });
    if (!frame.contact_force.empty()) add_vectors("CFORCE", 'F', [&](std::size_t v) { return frame.contact_force[v]; });

    const bool has_stress =
        std::ranges::all_of(stress_arrays, [&](const char* n) { return find(frame, n) != nullptr; });
    if (has_stress) {
      NodalResult stress = {"STRESS", Shape::tensor, {"SXX", "SYY", "SZZ", "SXY", "SYZ", "SZX"}, {}};
      stress.values.resize(6 * rest_.size());
      for (std::size_t k = 0; k < 6; ++k) {
        const std::vector<double>& values = find(frame, stress_arrays[k])->values;
        for (std::size_t v = 0; v < rest_.size(); ++v) stress.values[6 * v + k] = values[v];
      }
      results.push_back(std::move(stress));
    }
    for (const FrameArray& array : frame.point_arrays) {
      const bool is_told = array.name == "displacement" || array.name == "rest_position";
      const bool is_stress =
          has_stress && std::ranges::any_of(stress_arrays, [&](const char* name) { return array.name == name; });
      if (!is_told && !is_stress) results.push_back(of_array(array, array.values, used));
    }
    for (const FrameArray& array : frame.cell_arrays) {
      results.push_back(of_array(array, means_at_nodes(array), used));
      has_means_ = true;
    }
    return results;
  }

  static const FrameArray* find(const Frame& frame, const char* name) {
    const auto found = std::ranges::find_if(frame.point_arrays, [&](const FrameArray& a) { return a.name == name; });
    return found == frame.point_arrays.end() ? nullptr : &*found;
  }

  static NodalResult of_array(const FrameArray& array, std::vector<double> values, std::vector<std::string>& used) {
    NodalResult result = {short_name(given_name(array.name), used),
                          array.num_components == 3 ? Shape::vector : Shape::scalar,
                          {},
                          std::move(values)};
    if (array.num_components == 1) result.components = {result.name};
    for (int k = 1; array.num_components == 3 && k <= 3; ++k) {
      result.components.push_back(fmt::format("{}{}", result.name.substr(0, 7), k));
    }
    return result;
  }

  /// Returns means of the numbers of the cells around each node; 0 at nodes of no cell.
  std::vector<double> means_at_nodes(const FrameArray& array) const {
    const std::size_t columns = array.num_components;
    std::vector<double> sums(columns * rest_.size(), 0.0), counts(rest_.size(), 0.0);
    for (const auto& [cell, node] : nodes_of_sources_) {
      const std::size_t v = node;
      for (std::size_t k = 0; k < columns; ++k) sums[columns * v + k] += array.values[columns * cell + k];
      counts[v] += 1.0;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= std::max(1.0, counts[i / columns]);
    return sums;
  }

  void write_result(const NodalResult& result, double time) {
    fmt::memory_buffer text;
    const bool is_vector = result.shape == Shape::vector;
    ++num_results_;
    add(text, "    1PSTEP{:26}{:12}{:12}\n  100CL{:5}", num_results_, num_frames_, 1, 100 + num_frames_);
    add_number(text, time);
    // The columns after the number of nodes: 20 of text, the kind of analysis (1: over time), the frame, the format.
    add(text, "{:12}{:20}{:2}{:5}{:10}{:2}\n", rest_.size(), "", 1, num_frames_, "", 1);
    add(text, " -4  {:8}{:5}{:5}\n", result.name, result.components.size() + (is_vector ? 1 : 0), 1);
    constexpr std::array<std::pair<int, int>, 6> tensor_axes = {{{1, 1}, {2, 2}, {3, 3}, {1, 2}, {2, 3}, {3, 1}}};
    for (std::size_t k = 0; k < result.components.size(); ++k) {
      int type = 1, row = 1, column = 0;
      if (is_vector) type = 2, row = static_cast<int>(k) + 1;
      if (result.shape == Shape::tensor) type = 4, row = tensor_axes[k].first, column = tensor_axes[k].second;
      add(text, " -5  {:8}{:5}{:5}{:5}{:5}\n", result.components[k], 1, type, row, column);
    }
    if (is_vector) add(text, " -5  ALL         1    2    0    0    1ALL\n");
    const std::size_t columns = result.components.size();
    for (std::size_t v = 0; v < rest_.size(); ++v) {
      add(text, " -1{:10}", v + 1);
      for (std::size_t k = 0; k < columns; ++k) add_number(text, result.values[columns * v + k]);
      add(text, "\n");
    }
    add(text, " -3\n");
    write(text);
  }

  fs::path path_;
  std::ofstream file_;
  std::vector<Vec<3>> rest_;
  FrameCells cells_;
  std::vector<std::pair<std::size_t, std::int32_t>> nodes_of_sources_;  ///< a cell of the frame and one of its nodes
  std::size_t num_frames_ = 0, num_results_ = 0;
  bool has_means_ = false;
};

ExportReport report_of(const RunFrames& run, const FrdWriter& writer) {
  ExportReport report;
  report.num_frames = run.kept.size();
  report.num_frames_of_run = run.files.frames.size();
  report.values = {{"split_cells", writer.num_split()}};
  if (writer.num_split() > 0) {
    report.notes.push_back(
        fmt::format("{} elements of order 3 or 4 are split into linear parts between their nodes, because .frd does "
                    "not have these orders",
                    writer.num_split()));
  }
  if (writer.num_points() > 0) {
    report.notes.push_back(fmt::format("{} lone points are nodes without elements", writer.num_points()));
  }
  if (writer.has_means()) {
    report.notes.emplace_back(
        "numbers of cells are written as means at the nodes, because .frd has no numbers of cells; for stresses ask "
        "for the field `stress` in output.fields, which is recovered at nodes");
  }
  return report;
}

}  // namespace

Result<ExportReport> write_frd(const ExportJob& job) {
  FileSet files(job.output.parent_path(), {job.output.filename().string()});
  Issues issues = files.find_obstructions(job.is_overwriting, job.folder);
  const Result<RunFrames> run = list_frames(job.folder, job.frames);
  issues.insert(issues.end(), run.issues().begin(), run.issues().end());
  if (!issues.empty()) return issues;

  // Displacements count from the run's start, or from rest where elements adapt and the start has other nodes.
  const Result<Frame> first = read_whole_frame(run->files.frames[run->kept.front()]);
  if (!first) return first.issues();
  std::vector<Vec<3>> rest = verify::rest_positions(*first);
  if (rest.empty()) {
    const Result<Frame> start = read_whole_frame(run->files.frames.front());
    if (!start) return start.issues();
    rest = start->mesh.vertices;
  }
  if (const auto opened = files.open(); !opened) return opened.issues();
  FrdWriter writer(files.temporary(files.names().front()), *first, std::move(rest));
  for (const std::size_t i : run->kept) {
    const Result<Frame> frame = read_whole_frame(run->files.frames[i]);
    if (!frame) return frame.issues();
    if (!writer.has_cells_of(*frame)) {
      return Issue{run->files.frames[i].string(), "", "",
                   "the elements differ from those of the first frame, and .frd has one mesh; choose frames of the "
                   "same elements with --frames, or export to .xdmf"};
    }
    writer.add_frame(*frame, run->files.times[i]);
    if (writer.has_failed()) break;
  }
  if (const auto finished = writer.finish(); !finished) return files.by_their_places(finished.issues());
  return finish_export(files, report_of(*run, writer));
}

}  // namespace clearance::exchange
