#include "clearance/exchange/xdmf.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "clearance/exchange/file_set.h"
#include "clearance/exchange/hdf5_file.h"
#include "clearance/exchange/obj_text.h"
#include "clearance/exchange/xdmf_topology.h"
#include "clearance/io/mesh/vtu_xml.h"

namespace clearance::exchange {
namespace {

namespace fs = std::filesystem;

class XdmfWriter {
 public:
  XdmfWriter(const fs::path& head, const fs::path& numbers, std::string numbers_name)
      : head_path_(head), head_(head, std::ios::binary), numbers_(numbers), numbers_name_(std::move(numbers_name)) {}

  void start(const std::string& name) {
    head_ << "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n";
    head_ << fmt::format("<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", escape_xml(name));
  }

  void add_frame(const Frame& frame, std::size_t number, double time) {
    group_ = fmt::format("/frames/{:06}", number);
    FrameCells cells = list_cells(frame.mesh);
    if (num_topologies_ == 0 || cells != cells_) {
      cells_ = std::move(cells);
      topology_ = build_topology(cells_);
      numbers_.add(topology_name(num_topologies_++), std::span<const std::int32_t>(topology_.numbers), num_columns());
    }
    num_split_ = std::max(num_split_, cells_.num_split);
    head_ << fmt::format("<Grid Name=\"frame {}\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n", number, time);
    head_ << fmt::format(
        "<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"{}>", topology_.type, cells_.kinds.size(),
        topology_.type.starts_with("Poly") ? fmt::format(" NodesPerElement=\"{}\"", topology_.num_nodes) : "");
    head_ << item(topology_name(num_topologies_ - 1), topology_.numbers.size(), num_columns(), "Int", 4)
          << "</Topology>\n<Geometry GeometryType=\"XYZ\">" << add_vectors("positions", frame.mesh.vertices)
          << "</Geometry>\n";
    if (!frame.velocity.empty()) add_attribute("velocity", true, 3, add_vectors("velocity", frame.velocity));
    if (!frame.contact_force.empty()) {
      add_attribute("contact_force", true, 3, add_vectors("contact_force", frame.contact_force));
    }
    for (const FrameArray& array : frame.point_arrays) add_array(array, true);
    if (!frame.cell_body.empty()) add_cell_integers("body", frame.cell_body);
    if (!frame.cell_is_obstacle.empty()) add_cell_integers("is_obstacle", frame.cell_is_obstacle);
    for (const FrameArray& array : frame.cell_arrays) add_array(array, false);
    head_ << "</Grid>\n";
  }

  Result<Done> finish() {
    head_ << "</Grid>\n</Domain>\n</Xdmf>\n";
    head_.close();
    if (!head_) return write_failure(head_path_);
    return numbers_.close();
  }

  bool has_failed() const { return !head_ || numbers_.has_failed(); }
  std::size_t num_topologies() const { return num_topologies_; }
  std::size_t num_split() const { return num_split_; }

 private:
  static std::string topology_name(std::size_t number) { return fmt::format("/topology/{:06}", number); }
  std::size_t num_columns() const { return std::max<std::size_t>(1, topology_.num_nodes); }

  std::string item(const std::string& name, std::size_t size, std::size_t columns, const char* type, int bytes) const {
    const std::string shape = columns == 1 ? fmt::format("{}", size) : fmt::format("{} {}", size / columns, columns);
    return fmt::format("<DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"{}\" Format=\"HDF\">{}:{}</DataItem>",
                       shape, type, bytes, escape_xml(numbers_name_), name);
  }

  std::string add_numbers(const std::string& name, std::span<const double> values, std::size_t columns) {
    const std::string whole = fmt::format("{}/{}", group_, name);
    numbers_.add(whole, values, columns);
    return item(whole, values.size(), columns, "Float", 8);
  }
  std::string add_vectors(const std::string& name, const std::vector<Vec<3>>& vectors) {
    static_assert(sizeof(Vec<3>) == 3 * sizeof(double));
    return add_numbers(name, {vectors.empty() ? nullptr : vectors.front().data(), 3 * vectors.size()}, 3);
  }

  void add_attribute(const std::string& name, bool is_of_points, int columns, const std::string& text) {
    head_ << fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">{}</Attribute>\n", escape_xml(name),
                         columns == 3 ? "Vector" : "Scalar", is_of_points ? "Node" : "Cell", text);
  }

  /// Returns the values of all parts; each part has the values of its cell.
  template <class Number>
  std::vector<Number> of_parts(const std::vector<Number>& of_cells, std::size_t columns) const {
    std::vector<Number> values;
    values.reserve(columns * cells_.kinds.size());
    for (const std::size_t cell : cells_.sources) {
      for (std::size_t k = 0; k < columns; ++k) values.push_back(of_cells[columns * cell + k]);
    }
    return values;
  }

  void add_array(const FrameArray& array, bool is_of_points) {
    const std::size_t columns = array.num_components;
    // Array names in the file are paths, so the attribute carries the original name.
    const std::string name = fmt::format("{}/{}", is_of_points ? "points" : "cells", file_name_part(array.name));
    const std::string text = is_of_points ? add_numbers(name, array.values, columns)
                                          : add_numbers(name, of_parts(array.values, columns), columns);
    add_attribute(array.name, is_of_points, array.num_components, text);
  }
  void add_cell_integers(const std::string& name, const std::vector<int>& values) {
    const std::string whole = fmt::format("{}/{}", group_, name);
    numbers_.add(whole, std::span<const std::int32_t>(of_parts(values, 1)), 1);
    add_attribute(name, false, 1, item(whole, cells_.kinds.size(), 1, "Int", 4));
  }

  fs::path head_path_;
  std::ofstream head_;
  Hdf5File numbers_;
  std::string numbers_name_, group_;
  FrameCells cells_;
  XdmfTopology topology_;
  std::size_t num_topologies_ = 0, num_split_ = 0;
};

}  // namespace

Result<ExportReport> write_xdmf(const ExportJob& job) {
  const std::string stem = job.output.stem().string();
  FileSet files(job.output.parent_path(), {stem + ".xdmf", stem + ".h5"});
  Issues issues = files.find_obstructions(job.is_overwriting, job.folder);
  if (stem.find(':') != std::string::npos) {
    issues.push_back({job.output.string(), "", stem, "expected a name without `:`, which ends names of files in XDMF"});
  }
  const Result<RunFrames> run = list_frames(job.folder, job.frames);
  issues.insert(issues.end(), run.issues().begin(), run.issues().end());
  if (!issues.empty()) return issues;
  if (const auto opened = files.open(); !opened) return opened.issues();

  XdmfWriter writer(files.temporary(files.names()[0]), files.temporary(files.names()[1]), files.names()[1]);
  writer.start(stem);
  for (const std::size_t i : run->kept) {
    const Result<Frame> frame = read_whole_frame(run->files.frames[i]);
    if (!frame) return frame.issues();
    writer.add_frame(*frame, i, run->files.times[i]);
    if (writer.has_failed()) break;
  }
  if (const auto finished = writer.finish(); !finished) return files.by_their_places(finished.issues());
  ExportReport report;
  report.num_frames = run->kept.size();
  report.num_frames_of_run = run->files.frames.size();
  report.values = {{"topologies", writer.num_topologies()}, {"split_cells", writer.num_split()}};
  if (writer.num_split() > 0) {
    report.notes.push_back(
        fmt::format("{} elements of order 3 or 4 are split into linear parts between their nodes, because XDMF does "
                    "not have these orders",
                    writer.num_split()));
  }
  return finish_export(files, std::move(report));
}

}  // namespace clearance::exchange
