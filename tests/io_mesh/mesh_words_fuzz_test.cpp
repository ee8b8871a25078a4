// Changed files of every format: no crash, and either an error or all vertices and elements that the changed text
// declares. What it declares is counted here by other means than those of the readers. CLEARANCE_FUZZ_MESHES: how many
// files of each format; 10^5 take a minute, ten of them under the address sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/mesh_file.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/vtu.h"
#include "io_mesh/text_changes.h"
#include "io_mesh/text_samples.h"

namespace clearance::test {
namespace {

using Words = std::vector<std::string>;
using Lines = std::vector<Words>;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool is_continued(const std::string& line) {
  std::size_t end = line.size();
  while (end > 0 && is_blank(line[end - 1])) --end;
  return end > 0 && line[end - 1] == '\\';
}

std::vector<std::string> physical_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : with_plain_lines(text)) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

Words words_of(const std::string& line) {
  Words words;
  bool is_inside = false;
  for (const char c : line) {
    if (!is_blank(c) && !is_inside) words.emplace_back();
    is_inside = !is_blank(c);
    if (is_inside) words.back() += c;
  }
  return words;
}

std::string without_comment(std::string line) {
  line.resize(std::min(line.find('#'), line.size()));
  return line;
}

/// Returns the lines that are not empty; lines that a backslash joins count as one.
Lines lines_of(const std::string& text, bool has_comments) {
  Lines lines;
  std::string joined;
  for (std::string line : physical_lines(text)) {
    const bool is_comment = has_comments && line.find('#') != std::string::npos;
    if (is_comment) line = without_comment(line);
    const Words first = words_of(line);
    const bool is_told = joined.empty() && !first.empty() && (first[0] == "comment" || first[0] == "obj_info");
    joined += line;
    if (!is_comment && !is_told && is_continued(line)) {
      joined[joined.rfind('\\')] = ' ';
      continue;
    }
    if (Words words = words_of(joined); !words.empty()) lines.push_back(std::move(words));
    joined.clear();
  }
  if (Words words = words_of(joined); !words.empty()) lines.push_back(std::move(words));
  return lines;
}

Words flat(const Lines& lines) {
  Words words;
  for (const Words& line : lines) words.insert(words.end(), line.begin(), line.end());
  return words;
}

std::optional<long> number_of(const std::string& word) {
  double value = 0.0;
  if (!parse_real(word, value) || std::abs(value) > 1e9) return std::nullopt;
  return static_cast<long>(value);
}

// ---- what a text declares

struct Counts {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  std::size_t others = 0;  ///< tets, edges, points

  void add_polygon(std::size_t num_corners) {
    if (num_corners < 3)
      others += num_corners > 0 ? 1 : 0;
    else
      triangles += num_corners - 2;
  }
};

Counts counts_of(const Mesh& mesh) {
  return {mesh.vertices.size(), mesh.triangles.size(), mesh.tets.size() + mesh.edges.size() + mesh.points.size()};
}

/// Nothing if the text declares nothing that can be read.
using Declared = std::optional<Counts>;

bool is_name(const std::string& keyword) {
  const std::string lower = to_lower(keyword);
  return lower == "g" || lower == "o" || lower == "mtllib" || lower == "usemtl";
}

Declared declared_by_obj(const std::string& text) {
  // Lines of names end where they end, unless a backslash joins a line that starts with no keyword of the samples.
  std::string plain;
  bool is_in_names = false, is_joined = false;
  for (const std::string& line : physical_lines(text)) {
    const Words words = words_of(without_comment(line));
    const std::string first = words.empty() ? "" : to_lower(words[0].substr(0, words[0].find('\\')));
    const bool is_keyword = first == "v" || first == "f" || first == "l" || first == "p" || first == "vn" ||
                            first == "vt" || first == "s" || is_name(first);
    is_in_names = !is_joined && ((is_in_names && !is_keyword) || is_name(first));
    if (!is_in_names) plain += line + "\n";
    is_joined = !is_in_names && line.find('#') == std::string::npos && is_continued(line);
    is_in_names = is_in_names && is_continued(line);
  }
  Counts counts;
  for (const Words& line : lines_of(plain, true)) {
    const std::string keyword = to_lower(line[0]);
    if (keyword == "v") ++counts.vertices;
    if (keyword == "f" || keyword == "fo") counts.triangles += line.size() - 3;
    if (keyword == "l") counts.others += line.size() - 2;
  }
  return counts;
}

Declared declared_by_seg(const std::string& text) {
  Counts counts;
  for (const Words& line : lines_of(text, true)) {
    const std::string keyword = to_lower(line[0]);
    if (keyword == "v") ++counts.vertices;
    if (keyword == "s" || keyword == "l") ++counts.others;
  }
  return counts;
}

/// Returns the faces of OFF from the words or from the lines behind the counts, whichever are as many as declared.
Declared declared_by_off(const std::string& text) {
  Lines lines = lines_of(text, true);
  std::size_t num_header_words = 0, begin_of_words = 0;
  std::vector<long> counts;
  std::size_t row = 0;
  for (; row < lines.size() && counts.size() < 2; ++row) {
    for (std::string& word : lines[row]) {
      const std::size_t digit = word.find_first_of("0123456789");
      if (num_header_words++ == 0 && digit != 0) word = digit == std::string::npos ? "" : word.substr(digit);
      if (counts.size() == 2) continue;
      ++begin_of_words;
      if (!word.empty()) counts.push_back(number_of(word).value_or(-1));
    }
  }
  if (counts.size() < 2 || counts[0] < 0 || counts[1] < 0) return std::nullopt;
  const std::size_t num_vertices = counts[0];
  const std::size_t num_faces = counts[1];
  Counts declared;
  declared.vertices = num_vertices;
  if (lines.size() - row == num_vertices + num_faces) {
    for (std::size_t f = 0; f < num_faces; ++f) {
      declared.add_polygon(number_of(lines[row + num_vertices + f][0]).value_or(0));
    }
    return declared;
  }
  // Read as words, with any number of columns, the faces must end with the text.
  const Words words = flat(lines);
  for (const std::size_t begin : {begin_of_words + 1, begin_of_words}) {
    for (std::size_t num_columns = 3; num_columns < 13; ++num_columns) {
      Counts of_words;
      of_words.vertices = num_vertices;
      std::size_t at = begin + num_vertices * num_columns;
      std::size_t f = 0;
      for (; f < num_faces && at < words.size(); ++f) {
        const long num_corners = number_of(words[at]).value_or(-1);
        if (num_corners < 0) break;
        of_words.add_polygon(num_corners);
        at += 1 + static_cast<std::size_t>(num_corners);
      }
      if (f == num_faces && at == words.size()) return of_words;
    }
  }
  return std::nullopt;
}

Declared declared_by_ply(const std::string& text) {
  Counts counts;
  std::map<std::string, std::size_t> elements;
  std::size_t num_columns = 0;
  std::string element;
  const Lines lines = lines_of(text, false);
  std::size_t row = 0;
  for (; row < lines.size() && lines[row][0] != "end_header"; ++row) {
    const Words& line = lines[row];
    if (line[0] == "element" && line.size() > 2) {
      element = line[1];
      elements[element] = static_cast<std::size_t>(number_of(line[2]).value_or(0));
    }
    if (line[0] == "property" && element == "vertex") ++num_columns;
  }
  const Words words = flat({lines.begin() + static_cast<std::ptrdiff_t>(std::min(row + 1, lines.size())), lines.end()});
  counts.vertices = elements["vertex"];
  std::size_t at = counts.vertices * num_columns;
  for (std::size_t f = 0; f < elements["face"]; ++f) {
    if (at >= words.size()) return std::nullopt;
    const std::size_t num_corners = number_of(words[at]).value_or(0);
    counts.add_polygon(num_corners);
    at += 1 + num_corners;
  }
  return at == words.size() ? Declared(counts) : std::nullopt;
}

Declared declared_by_binary_stl(const std::string& text) {
  std::uint32_t count = 0;
  if (text.size() < 84) return std::nullopt;
  std::memcpy(&count, text.data() + 80, 4);
  return Counts{0, count, 0};
}

Declared declared_by_stl(const std::string& text) {
  if (text.find('\0') < 84) return declared_by_binary_stl(text);
  std::size_t num_vertices = 0, num_loops = 0;
  Words words = flat(lines_of(text, false));
  for (std::string& word : words) word = to_lower(word);
  words.emplace_back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    double ignored = 0.0;
    if (words[i] == "vertex" && parse_real(words[i + 1], ignored)) ++num_vertices;
    if (words[i] == "endloop" || (words[i] == "end" && words[i + 1] == "loop")) ++num_loops;
  }
  if (num_vertices < 2 * num_loops) return std::nullopt;
  return Counts{0, num_vertices - 2 * num_loops, 0};
}

Declared declared_by_msh(const std::string& text) {
  const Words words = flat(lines_of(text, false));
  const auto number_behind = [&](const char* section, std::size_t distance) -> std::size_t {
    std::size_t sum = 0;
    for (std::size_t i = 0; i + distance < words.size(); ++i) {
      if (words[i] == section) sum += static_cast<std::size_t>(number_of(words[i + distance]).value_or(0));
    }
    return sum;
  };
  const auto format = std::find(words.begin(), words.end(), "$MeshFormat");
  double version = 4.0;
  if (format != words.end() && format + 1 != words.end()) parse_real(*(format + 1), version);
  const std::size_t distance = version < 3.0 ? 1 : 2;
  return Counts{number_behind("$Nodes", distance), 0, number_behind("$Elements", distance)};
}

/// Adds the elements of a VTK cell as the readers make them.
void add_vtk_cell_to(Counts& counts, long type, std::size_t num_nodes) {
  if (type == 2) {
    counts.others += num_nodes;
  } else if (type == 4) {
    counts.others += num_nodes - 1;
  } else if (type == 6 || type == 8) {
    counts.triangles += num_nodes < 3 ? 0 : num_nodes - 2;
  } else if (type == 7 || type == 9) {
    counts.add_polygon(num_nodes);
  } else {
    (type == 5 || type == 22 || type == 69 ? counts.triangles : counts.others) += 1;
  }
}

Declared declared_by_vtk(const std::string& text) {
  Counts counts;
  std::vector<std::size_t> lengths;
  const Words words = flat(lines_of(text, false));
  const std::map<std::string, long> types{{"polygons", 7}, {"vertices", 2}, {"lines", 4}, {"triangle_strips", 6}};
  const auto number_at = [&](std::size_t i) { return i < words.size() ? number_of(words[i]).value_or(0) : 0; };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string keyword = to_lower(words[i]);
    if (keyword == "point_data" || keyword == "cell_data") break;
    if (keyword == "points") counts.vertices += static_cast<std::size_t>(number_at(i + 1));
    if (keyword == "cells" || types.contains(keyword)) {
      std::size_t at = i + 3;
      for (long c = 0; c < number_at(i + 1); ++c) {
        const std::size_t length = std::max(number_at(at), 0L);
        if (keyword == "cells")
          lengths.push_back(length);
        else
          add_vtk_cell_to(counts, types.at(keyword), length);
        at += 1 + length;
        if (at > words.size()) return std::nullopt;
      }
    }
    if (keyword == "cell_types") {
      if (number_at(i + 1) != static_cast<long>(lengths.size())) return std::nullopt;
      for (std::size_t c = 0; c < lengths.size(); ++c) add_vtk_cell_to(counts, number_at(i + 2 + c), lengths[c]);
    }
  }
  return counts;
}

Declared declared_by_vtu(const std::string& text) {
  const auto sum_of = [&](const std::string& attribute) {
    std::size_t sum = 0;
    for (std::size_t tag = text.find("<Piece"); tag != std::string::npos; tag = text.find("<Piece", tag + 1)) {
      const std::size_t at = text.find(attribute, tag);
      if (at == std::string::npos || at > text.find('>', tag)) continue;
      const std::size_t begin = text.find_first_of("\"'", at) + 1;
      const std::size_t end = begin == 0 ? begin : text.find_first_of("\"'", begin);
      sum += static_cast<std::size_t>(std::max(number_of(text.substr(begin, end - begin)).value_or(0), 0L));
    }
    return sum;
  };
  return Counts{sum_of("NumberOfPoints"), 0, sum_of("NumberOfCells")};
}

/// Returns the number of records at the start of the file; nothing if there are more lines or words than they have.
Declared declared_by_tetgen(const std::string& text, std::size_t num_columns, bool is_node_file) {
  const Lines lines = lines_of(text, true);
  if (lines.empty()) return std::nullopt;
  const std::size_t count = std::max(number_of(lines[0][0]).value_or(0), 0L);
  const std::size_t num_words = flat(lines).size();
  bool is_whole = lines.size() == count + 1;
  for (std::size_t num_header_words = 2; num_header_words < 5; ++num_header_words) {
    for (std::size_t further = 0; further < 10; ++further) {
      is_whole = is_whole || num_words == num_header_words + count * (num_columns + further);
    }
  }
  if (!is_whole) return std::nullopt;
  return is_node_file ? Counts{count, 0, 0} : Counts{0, 0, count};
}

// ---- formats

struct Format {
  std::string name;
  std::vector<std::string> samples;
  std::function<Result<Mesh>(const std::string& text)> read;
  std::function<Declared(const std::string& text)> declared;
  /// VTU and Gmsh are compared by the number of all elements, STL without vertices.
  bool has_kinds = true;
  bool has_vertices = true;
};

std::function<Result<Mesh>(const std::string&)> in_memory(void (*reader)(MeshInput&, Mesh&)) {
  return [reader](const std::string& text) -> Result<Mesh> {
    MeshInput input("a", text);
    Mesh mesh;
    reader(input, mesh);
    if (input.has_failed()) return input.issues();
    return mesh;
  };
}

/// Points are not compared: every unused vertex counts as one.
Result<Mesh> read_obj_without_points(const std::string& text) {
  Result<Mesh> mesh = in_memory(read_obj)(text);
  if (mesh.has_value()) mesh->points.clear();
  return mesh;
}

std::string binary_stl(std::uint16_t attribute, const std::string& payload, const std::string& behind) {
  std::string bytes = "solid cube";
  bytes.resize(80, ' ');
  const std::uint32_t count = 12;
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  const auto add = [&](float value) { bytes.append(reinterpret_cast<const char*>(&value), 4); };
  for (const auto& triangle : cube_triangles) {
    for (int k = 0; k < 3; ++k) add(0.0F);
    for (const int v : triangle) {
      for (const int c : cube_vertices[v]) add(static_cast<float>(c));
    }
    bytes.append(reinterpret_cast<const char*>(&attribute), 2);
    bytes += payload;
  }
  return bytes + behind;
}

std::vector<Format> make_formats() {
  std::map<std::string, std::vector<std::string>> samples;
  for (const TextSample& sample : text_samples()) samples[sample.file].push_back(sample.text);
  const auto folder = std::make_shared<TemporaryFolder>();
  const std::string nodes = samples["a.node"][0];
  std::vector<Format> formats;
  formats.push_back({"obj", samples["a.obj"], read_obj_without_points, declared_by_obj});
  const std::string off = samples["a.off"][0];
  formats.push_back({"off",
                     {off, replace_all(off, "OFF\n# cube\n", "OFF"), replace_all(off, "\n", " ").replace(4, 7, ""),
                      replace_all(replace_all(off, " 18", ""), "3 0 3 1", "3 0 3 1 255 0 0")},
                     in_memory(read_off),
                     declared_by_off});
  formats.push_back({"ply", {samples["a.ply"][0]}, in_memory(read_ply), declared_by_ply});
  formats.push_back({"text stl",
                     {samples["a.stl"][0], replace_all(samples["a.stl"][0], "\n", " "),
                      replace_all(samples["a.stl"][0], "endsolid a cube\n", "")},
                     in_memory(read_stl),
                     declared_by_stl,
                     true,
                     false});
  formats.push_back({"binary stl",
                     {binary_stl(0, "", ""), binary_stl(0, "", std::string(100, '\0')), binary_stl(4, "abcd", "")},
                     in_memory(read_stl),
                     declared_by_stl,
                     true,
                     false});
  formats.push_back({"msh", samples["a.msh"], in_memory(read_gmsh), declared_by_msh, false});
  formats.push_back({"vtk", samples["a.vtk"], in_memory(read_legacy_vtk), declared_by_vtk});
  formats.push_back({"vtu", samples["a.vtu"],
                     [folder](const std::string& text) -> Result<Mesh> {
                       write_text(*folder / "a.vtu", text);
                       Result<Frame> frame = read_frame(*folder / "a.vtu");
                       if (!frame) return frame.issues();
                       return std::move(frame->mesh);
                     },
                     declared_by_vtu, false});
  formats.push_back({"seg", samples["a.seg"], in_memory(read_seg), declared_by_seg});
  formats.push_back({"node", samples["a.node"],
                     [](const std::string& text) -> Result<Mesh> {
                       MeshInput input("a", text);
                       Mesh mesh;
                       read_tetgen(input, nullptr, mesh);
                       if (input.has_failed()) return input.issues();
                       return mesh;
                     },
                     [](const std::string& text) { return declared_by_tetgen(text, 3, true); }});
  formats.push_back({"ele",
                     {"2 4 0\n1 1 2 3 5\n2 8 3 2 5\n# two\n", "2 4 1\n1 1 2 3 5 7\n2 8 3 2 5 7\n"},
                     [nodes](const std::string& text) -> Result<Mesh> {
                       MeshInput input("a", text), node_input("b", nodes);
                       Mesh mesh;
                       read_tetgen(node_input, &input, mesh);
                       if (input.has_failed()) return input.issues();
                       mesh.vertices.clear();
                       return mesh;
                     },
                     [](const std::string& text) { return declared_by_tetgen(text, 5, false); },
                     true,
                     false});
  return formats;
}

unsigned num_files() {
  const char* text = std::getenv("CLEARANCE_FUZZ_MESHES");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 3000;
}

/// Returns an empty text if the mesh has all that was declared.
std::string find_loss(const Format& format, const Mesh& mesh, const Declared& declared) {
  if (!declared) return "read, though its counts do not hold";
  const Counts found = counts_of(mesh);
  const auto differs = [](const char* what, std::size_t a, std::size_t b) {
    return std::to_string(a) + " " + what + " in place of " + std::to_string(b);
  };
  // Words and attributes tell Gmsh sections and VTU tags; where damage glues them together, more may be read.
  const bool has_fewer = found.vertices < declared->vertices;
  if (format.has_vertices && (has_fewer || (format.has_kinds && found.vertices != declared->vertices))) {
    return differs("vertices", found.vertices, declared->vertices);
  }
  const std::size_t all_found = found.triangles + found.others;
  const std::size_t all_declared = declared->triangles + declared->others;
  if (!format.has_kinds) return all_found < all_declared ? differs("elements", all_found, all_declared) : "";
  if (found.triangles != declared->triangles) return differs("triangles", found.triangles, declared->triangles);
  return found.others != declared->others ? differs("elements", found.others, declared->others) : "";
}

TEST(MeshWordsFuzz, SamplesHaveWhatTheyDeclare) {
  for (const Format& format : make_formats()) {
    for (const std::string& sample : format.samples) {
      const Result<Mesh> mesh = format.read(sample);
      ASSERT_TRUE(mesh.has_value()) << format.name << ": " << all_issues(mesh.issues()) << sample.substr(0, 300);
      EXPECT_EQ(find_loss(format, *mesh, format.declared(sample)), "") << format.name;
    }
  }
}

TEST(MeshWordsFuzz, ChangedFilesAreRefusedOrHaveAllThatTheyDeclare) {
  for (const Format& format : make_formats()) {
    std::size_t num_read = 0, num_lost = 0;
    for (unsigned i = 0; i < num_files(); ++i) {
      const std::string text = Changes(7919 * i + 1).change(format.samples[i % format.samples.size()]);
      const Result<Mesh> mesh = format.read(text);
      if (!mesh.has_value()) {
        EXPECT_FALSE(mesh.issues().empty());
        continue;
      }
      ++num_read;
      if (!mesh->vertices.empty()) {
        ASSERT_EQ(find_fault(*mesh), "") << format.name << " " << i;
      }
      const std::string loss = find_loss(format, *mesh, format.declared(text));
      // Long runs go on; only the first losses that count are printed.
      if (loss.empty() || ++num_lost > 10) continue;
      EXPECT_EQ(loss, "") << format.name << " file " << i << ":\n" << text;
    }
    std::printf("%-10s %u files, %zu read, %zu refused, %zu not as declared\n", format.name.c_str(), num_files(),
                num_read, num_files() - num_read, num_lost);
    // Files that are read and files that are refused must both be common, or the changes test nothing.
    EXPECT_GT(num_read, num_files() / 50) << format.name;
    EXPECT_LT(num_read, num_files() - num_files() / 50) << format.name;
  }
}

}  // namespace
}  // namespace clearance::test
