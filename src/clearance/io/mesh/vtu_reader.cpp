#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/mesh/vtu_data.h"
#include "clearance/io/mesh/vtu_xml.h"

namespace clearance {
namespace {

/// The arrays of one Piece element, by section
struct Piece {
  std::size_t tag = 0;
  std::uint64_t num_points = 0;
  std::uint64_t num_cells = 0;
  std::vector<VtuArray> points;
  std::vector<VtuArray> cells;
  std::vector<VtuArray> point_data;
  std::vector<VtuArray> cell_data;
};

class VtuReader {
 public:
  VtuReader(MeshInput& input, const std::string& scalar, int dim, bool reads_all = false)
      : input_(input), scalar_(scalar), dim_(dim), reads_all_(reads_all) {}

  Result<Frame> read() {
    if (read_structure()) {
      finish_offsets();
      read_field_data();
      if (dim_ != 0) frame_.mesh.dim = dim_;
      for (const Piece& piece : pieces_) {
        if (!input_.has_failed()) read_piece(piece);
      }
      if (reads_all_) read_further_arrays();
    }
    if (!input_.has_failed()) check_curved_faces(input_, frame_.mesh, simplices_.curved_faces);
    if (!input_.has_failed()) finish_cell_data();
    if (input_.has_failed()) return input_.issues();
    return std::move(frame_);
  }

 private:
  bool fail(std::size_t offset, std::string_view value, const std::string& message) {
    input_.add_issue_at_line(offset, value, message);
    return false;
  }

  // ---- the elements of the file
  // -----------------------------------------------------------------------------------------

  bool read_structure() {
    XmlScanner scanner(input_.bytes());
    bool has_root = false;
    bool is_closed = false;
    std::string section;
    while (auto tag = scanner.next()) {
      if (tag->is_closing) {
        is_closed = is_closed || tag->name == "VTKFile";
        if (tag->name == section) section.clear();
        continue;
      }
      if (!has_root) {
        if (!read_root(*tag)) return false;
        has_root = true;
      } else if (tag->name == "Piece") {
        if (!start_piece(*tag)) return false;
      } else if (tag->name == "DataArray") {
        if (!add_array(*tag, section)) return false;
      } else if (tag->name == "AppendedData") {
        return start_appended_data(*tag);  // what follows may be binary
      } else if (!tag->is_empty) {
        section = tag->name;
      }
    }
    if (scanner.has_failed()) return fail(scanner.position(), "", "expected a complete XML tag");
    if (!has_root) return fail(0, "", "expected a VTKFile element");
    if (pieces_.empty()) return fail(0, "", "expected a Piece element");
    return is_closed || fail_cut();
  }

  bool fail_cut() {
    return fail(input_.bytes().size(), "", "expected </VTKFile>: the file ends before it and seems to be cut off");
  }

  bool read_root(const XmlTag& tag) {
    if (tag.name != "VTKFile") return fail(tag.begin, tag.name, "expected a VTKFile element");
    const std::string_view type = tag.attribute("type");
    if (type != "UnstructuredGrid") return fail(tag.begin, type, "expected the type UnstructuredGrid");
    const bool is_big = tag.attribute("byte_order") == "BigEndian";
    encoding_.is_swapped = is_swapped(is_big ? std::endian::big : std::endian::little);
    const std::string_view header = tag.attribute("header_type");
    if (!header.empty() && header != "UInt32" && header != "UInt64") {
      return fail(tag.begin, header, "expected the header type UInt32 or UInt64");
    }
    encoding_.header_bytes = header == "UInt64" ? 8 : 4;
    const std::string_view compressor = tag.attribute("compressor");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
      return fail(tag.begin, compressor, "expected no compressor or vtkZLibDataCompressor");
    }
    encoding_.is_compressed = !compressor.empty();
    return true;
  }

  bool start_piece(const XmlTag& tag) {
    Piece piece;
    piece.tag = tag.begin;
    const auto read_count = [&](const char* name, std::uint64_t& count) {
      const std::string_view value = tag.attribute(name);
      return (parse_integer(value, count) && count <= static_cast<std::uint64_t>(std::numeric_limits<int>::max())) ||
             fail(tag.begin, value, fmt::format("expected the attribute {}", name));
    };
    if (!read_count("NumberOfPoints", piece.num_points) || !read_count("NumberOfCells", piece.num_cells)) return false;
    pieces_.push_back(std::move(piece));
    return true;
  }

  bool add_array(const XmlTag& tag, const std::string& section) {
    VtuArray array;
    array.name = unescape_xml(tag.attribute("Name"));
    array.type = tag.attribute("type");
    array.format = tag.attribute("format").empty() ? "ascii" : tag.attribute("format");
    array.tag = tag.begin;
    array.begin = tag.end;
    array.end = tag.is_empty ? tag.end : std::min(input_.bytes().find('<', tag.end), input_.bytes().size());
    const std::string_view components = tag.attribute("NumberOfComponents");
    if (!components.empty() && (!parse_integer(components, array.num_components) || array.num_components < 0)) {
      return fail(tag.begin, components, "expected the attribute NumberOfComponents");
    }
    if (array.format == "appended" && !parse_integer(tag.attribute("offset"), array.offset)) {
      return fail(tag.begin, tag.attribute("offset"), "expected the attribute offset of appended data");
    }
    if (section == "FieldData")
      field_data_.push_back(array);
    else if (!pieces_.empty()) {
      Piece& piece = pieces_.back();
      if (section == "Points") piece.points.push_back(array);
      if (section == "Cells") piece.cells.push_back(array);
      if (section == "PointData") piece.point_data.push_back(array);
      if (section == "CellData") piece.cell_data.push_back(array);
    }
    return true;
  }

  bool start_appended_data(const XmlTag& tag) {
    const std::string_view encoding = tag.attribute("encoding");
    if (!encoding.empty() && encoding != "raw" && encoding != "base64") {
      return fail(tag.begin, encoding, "expected the encoding raw or base64");
    }
    encoding_.is_appended_base64 = encoding != "raw";
    const std::size_t underscore = input_.bytes().find_first_not_of(" \t\r\n", tag.end);
    if (underscore == std::string_view::npos || input_.bytes()[underscore] != '_') {
      return fail(tag.begin, "", "expected an underscore before the appended data");
    }
    encoding_.appended_begin = underscore + 1;
    if (input_.bytes().rfind("</VTKFile") < underscore || input_.bytes().rfind("</VTKFile") == std::string_view::npos) {
      return fail_cut();
    }
    return !pieces_.empty() || fail(tag.begin, "", "expected a Piece element before the appended data");
  }

  /// Sets the ends of appended arrays. Base64 text does not mark its end: it ends where the next array starts.
  void finish_offsets() {
    std::vector<VtuArray*> arrays;
    const auto collect = [&](std::vector<VtuArray>& some) {
      for (VtuArray& array : some) arrays.push_back(&array);
    };
    collect(field_data_);
    for (Piece& piece : pieces_) {
      for (auto* some : {&piece.points, &piece.cells, &piece.point_data, &piece.cell_data}) collect(*some);
    }
    std::vector<std::uint64_t> starts;
    for (const VtuArray* array : arrays) starts.push_back(array->offset);
    std::sort(starts.begin(), starts.end());
    const std::uint64_t size = input_.bytes().size() - encoding_.appended_begin;
    for (VtuArray* array : arrays) {
      const auto next = std::upper_bound(starts.begin(), starts.end(), array->offset);
      array->offset_end = next == starts.end() ? size : std::min(*next, size);
    }
  }

  // ---- the numbers
  // ------------------------------------------------------------------------------------------------------

  static const VtuArray* find(const std::vector<VtuArray>& arrays, std::string_view name) {
    const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const VtuArray& a) { return a.name == name; });
    return array == arrays.end() ? nullptr : &*array;
  }

  void read_field_data() {
    std::vector<double> values;
    if (const VtuArray* time = find(field_data_, "TimeValue")) {
      if (!decode_array(input_, encoding_, *time, values)) return;
      if (values.size() != 1 || !std::isfinite(values[0])) {
        fail(time->tag, fmt::format("{} values", values.size()), "expected one finite TimeValue");
        return;
      }
      frame_.time = values[0];
    }
    std::vector<std::int64_t> dims;
    if (const VtuArray* dim = find(field_data_, "Dimension")) {
      if (!decode_array(input_, encoding_, *dim, dims)) return;
      if (dims.size() != 1 || (dims[0] != 2 && dims[0] != 3)) {
        fail(dim->tag, dims.empty() ? "" : fmt::format("{}", dims[0]), "expected the Dimension 2 or 3");
        return;
      }
      frame_.mesh.dim = static_cast<int>(dims[0]);
    }
  }

  /// Appends the vectors of the points of a piece to `vectors`.
  bool read_vectors(const Piece& piece, const VtuArray& array, std::vector<Vec<3>>& vectors) {
    std::vector<double> values;
    if (!decode_array(input_, encoding_, array, values)) return false;
    if (array.num_components != 3 || values.size() != 3 * piece.num_points) {
      return fail(array.tag, fmt::format("{} numbers", values.size()),
                  fmt::format("array `{}`: expected 3 components for each of {} points", array.name, piece.num_points));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      return fail(array.tag, fmt::format("{}", values[i]),
                  fmt::format("array `{}`: expected a finite number at point {}", array.name, i / 3));
    }
    for (std::size_t v = 0; v < piece.num_points; ++v) {
      vectors.emplace_back(values[3 * v], values[3 * v + 1], values[3 * v + 2]);
    }
    return true;
  }

  void read_piece(const Piece& piece) {
    first_vertex_ = frame_.mesh.vertices.size();
    if (piece.points.empty() && piece.num_points > 0) {
      fail(piece.tag, "", "expected a DataArray in Points");
      return;
    }
    if (!piece.points.empty() && !read_vectors(piece, piece.points[0], frame_.mesh.vertices)) return;
    if (std::ssize(frame_.mesh.vertices) > std::numeric_limits<int>::max()) {
      fail(piece.tag, "", "expected fewer than 2^31 points");
      return;
    }
    if (!read_point_data(piece, "velocity", frame_.velocity)) return;
    if (!read_point_data(piece, "contact_force", frame_.contact_force)) return;
    if ((piece.num_cells > 0 || !piece.cells.empty()) && !read_cells(piece)) return;
    if (!read_cell_data(piece, "body", body_)) return;
    if (!read_cell_data(piece, "is_obstacle", is_obstacle_)) return;
    if (!scalar_.empty() && !read_scalars(piece)) return;
    num_cells_ += piece.num_cells;
  }

  bool read_point_data(const Piece& piece, const char* name, std::vector<Vec<3>>& vectors) {
    const VtuArray* array = find(piece.point_data, name);
    if (array == nullptr) {
      return vectors.empty() || fail(piece.tag, "", fmt::format("expected the array `{}` in all pieces or none", name));
    }
    if (vectors.size() != first_vertex_)
      return fail(array->tag, "", fmt::format("expected the array `{}` in all pieces", name));
    return read_vectors(piece, *array, vectors);
  }

  bool read_scalars(const Piece& piece) {
    const VtuArray* of_points = find(piece.point_data, scalar_);
    const VtuArray* array = of_points != nullptr ? of_points : find(piece.cell_data, scalar_);
    std::vector<double>& to = of_points != nullptr ? frame_.point_scalar : cell_scalar_;
    // The points of this piece have been counted already, its cells not yet.
    const bool is_in_all = array == nullptr ? frame_.point_scalar.empty() && cell_scalar_.empty()
                                            : to.size() == (of_points != nullptr ? first_vertex_ : num_cells_);
    if (!is_in_all) return fail(piece.tag, "", fmt::format("expected the array `{}` in all pieces or none", scalar_));
    if (array == nullptr) return true;
    std::vector<double> values;
    if (!decode_array(input_, encoding_, *array, values)) return false;
    const std::uint64_t count = of_points != nullptr ? piece.num_points : piece.num_cells;
    const std::size_t size = std::max(array->num_components, 1);
    if ((size != 1 && size != 3) || values.size() != size * count) {
      return fail(array->tag, fmt::format("{} numbers", values.size()),
                  fmt::format("array `{}`: expected a number or a vector for each of {}", scalar_, count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      to.push_back(size == 1 ? values[i] : Vec<3>(values[3 * i], values[3 * i + 1], values[3 * i + 2]).norm());
    }
    return true;
  }

  /// Reads all arrays that are not part of Frame by their names; `data` is that of points or of cells.
  void read_further_arrays() {
    for (const auto& [data, arrays] :
         {std::pair(&Piece::point_data, &frame_.point_arrays), std::pair(&Piece::cell_data, &frame_.cell_arrays)}) {
      const bool is_of_points = data == &Piece::point_data;
      for (const VtuArray& first : pieces_.front().*data) {
        const bool is_known = is_of_points ? first.name == "velocity" || first.name == "contact_force"
                                           : first.name == "body" || first.name == "is_obstacle";
        const std::size_t size = std::max(first.num_components, 1);
        if (is_known || (size != 1 && size != 3)) continue;
        FrameArray whole{first.name, static_cast<int>(size), {}};
        std::size_t num_pieces = 0;
        for (const Piece& piece : pieces_) {
          const VtuArray* array = find(piece.*data, first.name);
          if (array == nullptr || array->num_components != first.num_components) break;
          std::vector<double> values;
          if (input_.has_failed() || !decode_array(input_, encoding_, *array, values)) return;
          const std::uint64_t count = is_of_points ? piece.num_points : piece.num_cells;
          if (values.size() != size * count) {
            fail(array->tag, fmt::format("{} numbers", values.size()),
                 fmt::format("array `{}`: expected {} for each of {}", first.name, size, count));
            return;
          }
          whole.values.insert(whole.values.end(), values.begin(), values.end());
          ++num_pieces;
        }
        if (num_pieces == pieces_.size()) arrays->push_back(std::move(whole));
      }
    }
  }

  bool read_integers(const Piece& piece, std::string_view name, std::vector<std::int64_t>& values) {
    const VtuArray* array = find(piece.cells, name);
    if (array == nullptr) return fail(piece.tag, "", fmt::format("expected the array `{}` in Cells", name));
    return decode_array(input_, encoding_, *array, values);
  }

  bool read_cells(const Piece& piece) {
    std::vector<std::int64_t> vertices;
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> types;
    if (!read_integers(piece, "connectivity", vertices) || !read_integers(piece, "offsets", offsets) ||
        !read_integers(piece, "types", types)) {
      return false;
    }
    if (offsets.size() != piece.num_cells || types.size() != piece.num_cells) {
      return fail(piece.tag, fmt::format("{} offsets, {} types", offsets.size(), types.size()),
                  fmt::format("expected offsets and types of {} cells", piece.num_cells));
    }
    std::int64_t begin = 0;
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      const std::int64_t end = offsets[c];
      if (end < begin || end > static_cast<std::int64_t>(vertices.size())) {
        return fail(piece.tag, fmt::format("{}", end),
                    fmt::format("cell {}: expected an offset between {} and {}", c, begin, vertices.size()));
      }
      const std::span<const std::int64_t> corners(vertices.data() + begin, end - begin);
      if (!add_cell(piece, c, types[c], corners)) return false;
      begin = end;
    }
    if (begin == static_cast<std::int64_t>(vertices.size())) return true;
    return fail(piece.tag, fmt::format("{}", begin), fmt::format("expected the last offset {}", vertices.size()));
  }

  bool add_cell(const Piece& piece, std::size_t cell, std::int64_t type, std::span<const std::int64_t> vertices) {
    corners_.clear();
    for (const std::int64_t v : vertices) {
      if (v < 0 || v >= static_cast<std::int64_t>(piece.num_points)) {
        return fail(piece.tag, fmt::format("{}", v),
                    fmt::format("cell {}: expected a point index from 0, below {}", cell, piece.num_points));
      }
      corners_.push_back(static_cast<int>(first_vertex_) + static_cast<int>(v));
    }
    const int small_type = type >= 0 && type < 256 ? static_cast<int>(type) : -1;
    const int global_cell = static_cast<int>(num_cells_ + cell);
    const std::string message = add_vtk_cell(small_type, corners_, global_cell, frame_.mesh, simplices_);
    return message.empty() || fail(piece.tag, "", fmt::format("cell {}: {}", cell, message));
  }

  bool read_cell_data(const Piece& piece, const char* name, std::vector<int>& data) {
    const VtuArray* array = find(piece.cell_data, name);
    if (array == nullptr) {
      return data.empty() || fail(piece.tag, "", fmt::format("expected the array `{}` in all pieces or none", name));
    }
    std::vector<std::int64_t> values;
    if (!decode_array(input_, encoding_, *array, values)) return false;
    if (data.size() != num_cells_ || values.size() != piece.num_cells) {
      return fail(array->tag, fmt::format("{} numbers", values.size()),
                  fmt::format("array `{}`: expected a number for each of {} cells", name, piece.num_cells));
    }
    for (const std::int64_t value : values) {
      if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
        return fail(array->tag, fmt::format("{}", value), fmt::format("array `{}`: expected 32-bit integers", name));
      }
      data.push_back(static_cast<int>(value));
    }
    return true;
  }

  /// Moves cell data from the order of the file's cells to that of Frame.
  void finish_cell_data() {
    const auto gather = [&](const auto& from, auto& to) {
      if (from.empty()) return;
      for (const auto* cells : {&simplices_.tets, &simplices_.triangles, &simplices_.edges, &simplices_.points}) {
        for (const int c : *cells) to.push_back(from[c]);
      }
    };
    gather(body_, frame_.cell_body);
    gather(is_obstacle_, frame_.cell_is_obstacle);
    gather(cell_scalar_, frame_.cell_scalar);
    sort_cell_arrays(simplices_, frame_.cell_arrays);
  }

  MeshInput& input_;
  const std::string& scalar_;
  int dim_;  ///< 0: as the file says
  bool reads_all_;
  VtuEncoding encoding_;
  std::vector<Piece> pieces_;
  std::vector<VtuArray> field_data_;
  Frame frame_;
  SimplexCells simplices_;
  std::size_t first_vertex_ = 0;  ///< of the piece being read
  std::size_t num_cells_ = 0;     ///< of the pieces before it
  std::vector<int> body_;         ///< per cell of the file
  std::vector<int> is_obstacle_;
  std::vector<double> cell_scalar_;
  std::vector<int> corners_;
};

}  // namespace

Result<Frame> read_frame(const std::filesystem::path& path, const std::string& scalar, int dim) {
  MeshInput input(path);
  if (input.has_failed()) return input.issues();
  return VtuReader(input, scalar, dim).read();
}

Result<Frame> read_whole_frame(const std::filesystem::path& path) {
  MeshInput input(path);
  if (input.has_failed()) return input.issues();
  return VtuReader(input, "", 0, true).read();
}

}  // namespace clearance
