#include "clearance/io/result/pvd.h"

#include <fmt/format.h>

#include <cmath>

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/mesh_file.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/vtu_xml.h"

namespace clearance {

std::string pvd_line(const PvdEntry& entry) {
  return fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", entry.time,
                     escape_xml(entry.file));
}

Result<Done> write_pvd(const std::filesystem::path& path, std::string_view lines) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  text += lines;
  text += "</Collection>\n</VTKFile>\n";
  return write_file_atomically(path, text);
}

Result<Done> write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries) {
  std::string lines;
  for (const PvdEntry& entry : entries) lines += pvd_line(entry);
  return write_pvd(path, lines);
}

Result<std::vector<PvdEntry>> read_pvd(const std::filesystem::path& path) {
  MeshInput input(path);
  if (input.has_failed()) return input.issues();
  std::vector<PvdEntry> entries;
  XmlScanner scanner(input.bytes());
  bool has_collection = false;
  bool is_closed = false;
  while (const auto tag = scanner.next()) {
    if (tag->name == "Collection") has_collection = true;
    if (tag->name == "VTKFile") is_closed = tag->is_closing;
    if (tag->name != "DataSet" || tag->is_closing) continue;
    PvdEntry entry;
    const std::string_view time = tag->attribute("timestep");
    if (!parse_real(time, entry.time) || !std::isfinite(entry.time)) {
      input.add_issue_at_line(tag->begin, time, "expected a finite number in the attribute timestep");
    }
    entry.file = unescape_xml(tag->attribute("file"));
    if (entry.file.empty()) input.add_issue_at_line(tag->begin, "", "expected the attribute file");
    entries.push_back(std::move(entry));
  }
  if (scanner.has_failed())
    input.add_issue_at_line(scanner.position(), "", "expected a complete XML tag");
  else if (!has_collection)
    input.add_issue("", "", "expected a Collection element");
  else if (!is_closed && !input.has_failed())
    input.add_issue("", "", "expected </VTKFile>: the file ends before it and seems to be cut off");
  if (input.has_failed()) return input.issues();
  return entries;
}

}  // namespace clearance
