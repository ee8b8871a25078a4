// Reads legacy .vtk: https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html, ASCII and binary (big
// endian), unstructured grids and polygonal data, versions up to 5.1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

class VtkReader {
 public:
  VtkReader(MeshInput& input, Mesh& mesh, std::vector<FrameArray>* of_points, std::vector<FrameArray>* of_cells)
      : input_(input), mesh_(mesh), of_points_(of_points), of_cells_(of_cells), text_(input.bytes()) {}

  void read() {
    if (!read_header()) return;
    while (!input_.has_failed()) {
      const std::string_view word = text_.next();
      const std::string keyword = to_lower(word);
      // After the geometry come data on points and cells.
      if (keyword.empty()) break;
      if (keyword == "point_data" || keyword == "cell_data") {
        if (!begin_data(keyword)) return;
        if (of_cells_ != nullptr) read_data();
        break;
      }
      if (!read_section(keyword, word)) return;
    }
    if (!input_.has_failed() && has_all_sections()) add_cells();
    if (!input_.has_failed() && of_cells_ != nullptr) sort_cell_arrays(simplex_cells_, *of_cells_);
  }

 private:
  bool fail(std::string_view value, std::string message) {
    input_.add_issue_at_line(text_.word_position(), value, std::move(message));
    return false;
  }
  bool fail_at_byte(std::size_t offset, std::string_view value, std::string message) {
    input_.add_issue_at_byte(offset, value, std::move(message));
    return false;
  }

  bool read_header() {
    const std::string_view first = text_.take_line();
    if (!to_lower(first).starts_with("# vtk datafile")) return fail(first, "expected `# vtk DataFile Version ...`");
    text_.skip_line();  // the title
    std::string_view word = text_.next();
    const std::string encoding = to_lower(word);
    if (encoding != "ascii" && encoding != "binary") return fail(word, "expected ASCII or BINARY");
    is_binary_ = encoding == "binary";
    word = text_.next();
    if (to_lower(word) != "dataset") return fail(word, "expected DATASET");
    word = text_.next();
    const std::string dataset = to_lower(word);
    if (dataset == "unstructured_grid" || dataset == "polydata") return true;
    return fail(word, "expected UNSTRUCTURED_GRID or POLYDATA");
  }

  static bool holds_cells(const std::string& keyword) {
    return keyword == "cells" || keyword == "vertices" || keyword == "lines" || keyword == "polygons" ||
           keyword == "triangle_strips";
  }
  static bool is_section(const std::string& keyword) {
    return holds_cells(keyword) || keyword == "points" || keyword == "cell_types" || keyword == "point_data" ||
           keyword == "cell_data";
  }

  /// True if no section is missing; otherwise reports that the file is truncated.
  bool has_all_sections() {
    if (cells_.empty()) {
      return fail("",
                  "expected cells (CELLS, POLYGONS, LINES, VERTICES): the file ends before them and seems to be cut "
                  "off");
    }
    std::size_t num_typed = 0;
    for (const Cells& cells : cells_) {
      if (cells.keyword == "cells") num_typed += cells.num_cells();
    }
    if (num_typed == types_.size()) return true;
    return fail(fmt::format("{} types", types_.size()), fmt::format("expected CELL_TYPES of {} cells", num_typed));
  }

  /// Begins the data of points or cells: reads their number again and checks it.
  bool begin_data(const std::string& keyword) {
    std::uint64_t count = 0;
    if (!read_count(count)) return false;
    num_items_ = keyword == "point_data" ? mesh_.vertices.size() : 0;
    to_ = keyword == "point_data" ? of_points_ : of_cells_;
    if (keyword == "cell_data") {
      for (const Cells& cells : cells_) num_items_ += cells.num_cells();
    }
    return count == num_items_ ||
           fail(fmt::format("{}", count), fmt::format("expected the number before it, {}", num_items_));
  }

  bool read_section(const std::string& keyword, std::string_view word) {
    if (is_section(keyword) && !sections_.insert(keyword).second) return fail(word, "expected this section once");
    if (keyword == "points") return read_points();
    if (holds_cells(keyword)) return read_cells(keyword);
    if (keyword == "cell_types") return read_cell_types();
    if (keyword == "field") return read_field();
    if (keyword == "metadata") {
      skip_metadata();
      return true;
    }
    return fail(word, "expected POINTS, CELLS, CELL_TYPES, VERTICES, LINES or POLYGONS");
  }

  /// Skips metadata, which end with an empty line or, without one, at the next section.
  void skip_metadata() {
    text_.skip_line();
    while (!text_.is_at_end()) {
      TextCursor peek = text_;
      const std::string word = to_lower(peek.next_in_line());
      if (word.empty() || is_section(word)) return;
      text_.skip_line();
    }
  }

  bool read_count(std::uint64_t& count) {
    const std::string_view word = text_.next();
    return parse_integer(word, count) || fail(word, "expected a number of items");
  }

  /// Reads `count` numbers of the named type as doubles or integers, starting after the line of the cursor.
  template <class T>
  bool read_numbers(std::string_view type, std::uint64_t count, std::vector<T>& values) {
    const std::string name = to_lower(type);
    const std::size_t width = num_bytes(name);
    if (width == 0) return fail(type, "expected a type, as in float, double, int or vtktypeint64");
    const std::size_t min_bytes = is_binary_ ? width : 2;
    if (is_binary_) text_.skip_line_before_bytes();
    if (!is_plausible_count(count, min_bytes, text_.num_bytes_left())) {
      return fail(fmt::format("{}", count), "expected a number of items that fits the file; is it cut off?");
    }
    values.resize(count);
    return is_binary_ ? read_binary(name, values) : read_ascii(values);
  }

  template <class T>
  bool read_ascii(std::vector<T>& values) {
    for (T& value : values) {
      const std::string_view word = text_.next();
      bool is_good = false;
      if constexpr (std::is_same_v<T, double>)
        is_good = parse_real(word, value) && std::isfinite(value);
      else
        is_good = parse_integer(word, value);
      if (!is_good) return fail(word, std::is_same_v<T, double> ? "expected a finite number" : "expected an integer");
    }
    return true;
  }

  template <class T>
  bool read_binary(const std::string& type, std::vector<T>& values) {
    ByteCursor cursor(input_.bytes(), is_swapped(std::endian::big), text_.position());
    for (T& value : values) {
      const std::size_t offset = cursor.position();
      if (!read_as(cursor, type, value))
        return fail_at_byte(offset, "", "expected a number, found the end of the file");
      if constexpr (std::is_same_v<T, double>) {
        if (!std::isfinite(value)) return fail_at_byte(offset, fmt::format("{}", value), "expected a finite number");
      }
    }
    text_ = TextCursor(input_.bytes(), '\0', cursor.position());
    return true;
  }

  static std::size_t num_bytes(const std::string& type) {
    if (type == "char" || type == "unsigned_char" || type == "signed_char") return 1;
    if (type == "short" || type == "unsigned_short") return 2;
    if (type == "int" || type == "unsigned_int" || type == "float") return 4;
    if (type == "long" || type == "unsigned_long" || type == "double") return 8;
    if (type == "vtktypeint64" || type == "vtkidtype" || type == "vtktypeuint64") return 8;
    return 0;
  }

  template <class Stored, class T>
  static bool read_one(ByteCursor& cursor, T& value) {
    Stored number{};
    if (!cursor.read(number)) return false;
    value = static_cast<T>(number);
    return true;
  }

  template <class T>
  static bool read_as(ByteCursor& cursor, const std::string& type, T& value) {
    if constexpr (std::is_same_v<T, double>) {
      if (type == "float") return read_one<float>(cursor, value);
      if (type == "double") return read_one<double>(cursor, value);
    } else if (type == "float" || type == "double") {
      return false;
    }
    const bool is_unsigned = type.starts_with("unsigned");
    switch (num_bytes(type)) {
      case 1:
        return is_unsigned ? read_one<std::uint8_t>(cursor, value) : read_one<std::int8_t>(cursor, value);
      case 2:
        return is_unsigned ? read_one<std::uint16_t>(cursor, value) : read_one<std::int16_t>(cursor, value);
      case 4:
        return is_unsigned ? read_one<std::uint32_t>(cursor, value) : read_one<std::int32_t>(cursor, value);
      default:
        return read_one<std::int64_t>(cursor, value);
    }
  }

  bool read_points() {
    std::uint64_t count = 0;
    if (!read_count(count)) return false;
    const std::string_view type = text_.next();
    std::vector<double> values;
    if (!is_plausible_count(count, 3, input_.bytes().size()) || !read_numbers(type, 3 * count, values)) {
      return input_.has_failed()
                 ? false
                 : fail(fmt::format("{}", count), "expected a number of points that fits the file; is it cut off?");
    }
    for (std::size_t v = 0; v < count; ++v)
      mesh_.vertices.emplace_back(values[3 * v], values[3 * v + 1], values[3 * v + 2]);
    return true;
  }

  struct Cells {
    std::string keyword;
    std::size_t line = 0;
    std::vector<std::int64_t> offsets;  ///< one more entry than cells
    std::vector<std::int64_t> vertices;

    std::size_t num_cells() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  };

  bool read_cells(const std::string& keyword) {
    Cells cells;
    cells.keyword = keyword;
    cells.line = text_.word_position();
    std::uint64_t count = 0;
    std::uint64_t size = 0;
    if (!read_count(count) || !read_count(size)) return false;
    // Version 5 has arrays of offsets and vertices. In older versions each cell starts with its number of vertices.
    TextCursor peek = text_;
    if (to_lower(peek.next()) == "offsets") {
      text_ = peek;
      if (!read_numbers(text_.next(), count, cells.offsets)) return false;
      if (to_lower(text_.next()) != "connectivity") return fail("", "expected CONNECTIVITY");
      if (!read_numbers(text_.next(), size, cells.vertices)) return false;
      const std::int64_t last = cells.offsets.empty() ? 0 : cells.offsets.back();
      if (last != static_cast<std::int64_t>(cells.vertices.size())) {
        return fail(fmt::format("{}", last), fmt::format("expected the last offset {}", cells.vertices.size()));
      }
    } else {
      std::vector<std::int64_t> values;
      if (!read_numbers("int", size, values) || !split(values, count, cells)) return false;
    }
    cells_.push_back(std::move(cells));
    return true;
  }

  bool split(const std::vector<std::int64_t>& values, std::uint64_t count, Cells& cells) {
    cells.offsets.push_back(0);
    for (std::size_t i = 0; i < values.size();) {
      const std::int64_t length = values[i++];
      if (length < 1 || static_cast<std::uint64_t>(length) > values.size() - i) {
        input_.add_issue_at_line(cells.line, fmt::format("{}", length),
                                 fmt::format("expected the number of vertices of cell {}", cells.offsets.size() - 1));
        return false;
      }
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
      cells.vertices.insert(cells.vertices.end(), first, first + length);
      cells.offsets.push_back(static_cast<std::int64_t>(cells.vertices.size()));
      i += length;
    }
    if (cells.offsets.size() == count + 1) return true;
    input_.add_issue_at_line(cells.line, fmt::format("{}", cells.offsets.size() - 1),
                             fmt::format("expected {} cells", count));
    return false;
  }

  bool read_cell_types() {
    std::uint64_t count = 0;
    return read_count(count) && read_numbers("int", count, types_);
  }

  /// Reads FIELD name count, then arrays `name components tuples type` with their values. Those of the points or the
  /// cells whose data have begun are kept.
  bool read_field() {
    text_.next();
    std::uint64_t num_arrays = 0;
    if (!read_count(num_arrays)) return false;
    for (std::uint64_t a = 0; a < num_arrays; ++a) {
      std::uint64_t num_components = 0;
      std::uint64_t num_tuples = 0;
      const std::string name(text_.next());
      if (name.empty()) return fail("", "expected a field array");
      if (!read_count(num_components) || !read_count(num_tuples)) return false;
      if (!is_plausible_count(num_components, 1, 1000) || !is_plausible_count(num_tuples, 1, text_.num_bytes_left())) {
        return fail(fmt::format("{}", num_tuples), "expected a field array that fits the file; is it cut off?");
      }
      std::vector<double> values;
      if (!read_numbers(text_.next(), num_components * num_tuples, values)) return false;
      if (to_ == nullptr || num_tuples != num_items_) continue;
      to_->push_back({name, static_cast<int>(num_components), std::move(values)});
    }
    return true;
  }

  /// Reads the attributes of points and cells up to the end of the file, after the heading of the first ones.
  void read_data() {
    std::string keyword = to_lower(text_.next());
    while (!keyword.empty()) {
      const bool is_heading = keyword == "point_data" || keyword == "cell_data";
      if (!(is_heading ? begin_data(keyword) : read_attribute(keyword))) return;
      keyword = to_lower(text_.next());
    }
  }

  bool read_attribute(const std::string& keyword) {
    if (keyword == "metadata") {
      skip_metadata();
      return true;
    }
    if (keyword == "field") return read_field();
    const std::string_view name = text_.next_in_line();
    if (keyword == "scalars") return read_scalars(std::string(name));
    if (keyword == "vectors" || keyword == "normals") return skip_numbers(text_.next(), 3 * num_items_);
    if (keyword == "tensors") return skip_numbers(text_.next(), 9 * num_items_);
    const bool is_table = keyword == "lookup_table", has_type = keyword == "texture_coordinates";
    if (is_table || has_type || keyword == "color_scalars") {
      std::uint64_t size = 0;
      if (!read_count(size) || !is_possible(size)) return false;
      // Colours are bytes in binary files. A table of them has four numbers for each entry.
      return skip_numbers(has_type ? text_.next() : "unsigned_char", size * (is_table ? 4 : num_items_));
    }
    return fail(keyword, "expected SCALARS, VECTORS, NORMALS, TENSORS, TEXTURE_COORDINATES or FIELD");
  }

  bool is_possible(std::uint64_t count) {
    return is_plausible_count(count, 1, text_.num_bytes_left()) || fail(fmt::format("{}", count), "expected less");
  }

  bool skip_numbers(std::string_view type, std::uint64_t count) {
    std::vector<double> ignored;
    // Colours of text files are numbers from 0 to 1.
    return read_numbers(is_binary_ ? type : "double", count, ignored);
  }

  /// SCALARS name type [components], then LOOKUP_TABLE name, then the numbers.
  bool read_scalars(const std::string& name) {
    const std::string type(text_.next_in_line());
    std::uint64_t num_components = 1;
    const std::string_view word = text_.next_in_line();
    if (!word.empty() && !parse_integer(word, num_components)) return fail(word, "expected a number of components");
    if (!is_plausible_count(num_components, 1, 1000)) return fail(word, "expected 1 to 4 components");
    TextCursor peek = text_;
    if (to_lower(peek.next()) == "lookup_table") {
      text_ = peek;
      text_.next_in_line();
    }
    std::vector<double> values;
    if (!read_numbers(type, num_components * num_items_, values)) return false;
    to_->push_back({name, static_cast<int>(num_components), std::move(values)});
    return true;
  }

  /// Finds the type of a cell, from CELL_TYPES or from its section.
  bool find_type(const Cells& cells, std::size_t cell, int& type) const {
    if (cells.keyword == "vertices")
      type = 2;
    else if (cells.keyword == "lines")
      type = 4;
    else if (cells.keyword == "triangle_strips")
      type = 6;
    else if (cells.keyword == "polygons")
      type = 7;
    else if (cell < types_.size())
      type = static_cast<int>(std::clamp<std::int64_t>(types_[cell], -1, 1000));
    else
      return false;
    return true;
  }

  void add_cells() {
    for (const Cells& cells : cells_) {
      for (std::size_t c = 0; c < cells.num_cells() && !input_.is_full(); ++c) add_cell(cells, c);
      num_cells_before_ += cells.num_cells();
    }
    check_curved_faces(input_, mesh_, simplex_cells_.curved_faces);
  }

  void add_cell(const Cells& cells, std::size_t c) {
    const auto problem = [&](std::string_view value, const std::string& message) {
      input_.add_issue_at_line(cells.line, value, fmt::format("cell {}: {}", c, message));
    };
    const std::int64_t begin = cells.offsets[c];
    const std::int64_t end = cells.offsets[c + 1];
    const auto size = static_cast<std::int64_t>(cells.vertices.size());
    if (begin < 0 || end < begin || end > size) return problem(fmt::format("{}", end), "expected growing offsets");
    corners_.clear();
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t vertex = cells.vertices[i];
      if (vertex < 0 || vertex >= static_cast<std::int64_t>(mesh_.vertices.size())) {
        return problem(fmt::format("{}", vertex),
                       fmt::format("expected a point index from 0, below {}", mesh_.vertices.size()));
      }
      corners_.push_back(static_cast<int>(vertex));
    }
    int type = 0;
    if (!find_type(cells, c, type)) return problem("", "expected a type in CELL_TYPES");
    const std::string message =
        add_vtk_cell(type, corners_, static_cast<int>(num_cells_before_ + c), mesh_, simplex_cells_);
    if (!message.empty()) problem("", message);
  }

  MeshInput& input_;
  Mesh& mesh_;
  std::vector<FrameArray>* of_points_;  // null: arrays are not read
  std::vector<FrameArray>* of_cells_;
  std::vector<FrameArray>* to_ = nullptr;  // of these two, in the section that is read
  std::uint64_t num_items_ = 0;            // in that section
  TextCursor text_;
  bool is_binary_ = false;
  std::set<std::string> sections_;
  std::vector<Cells> cells_;
  std::vector<std::int64_t> types_;
  std::size_t num_cells_before_ = 0;  // in the sections before the one that is added
  std::vector<int> corners_;
  SimplexCells simplex_cells_;
};

}  // namespace

void read_legacy_vtk(MeshInput& input, Mesh& mesh) {
  VtkReader(input, mesh, nullptr, nullptr).read();
}

void read_legacy_vtk_arrays(MeshInput& input, Mesh& mesh, std::vector<FrameArray>& of_points,
                            std::vector<FrameArray>& of_cells) {
  VtkReader(input, mesh, &of_points, &of_cells).read();
}

}  // namespace clearance
