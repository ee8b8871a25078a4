// Reads .ply: https://paulbourke.net/dataformats/ply/, ASCII and binary. Of the elements, `vertex` (x, y, z), `face`
// (vertex_indices), `edge` (vertex1, vertex2) and `point` (vertex_index, our own addition) are used. Others are
// ignored, unless they have vertices, because they would be geometry that is not read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

enum class PlyType { none, int8, uint8, int16, uint16, int32, uint32, float32, float64 };

PlyType ply_type(std::string_view name) {
  if (name == "char" || name == "int8") return PlyType::int8;
  if (name == "uchar" || name == "uint8") return PlyType::uint8;
  if (name == "short" || name == "int16") return PlyType::int16;
  if (name == "ushort" || name == "uint16") return PlyType::uint16;
  if (name == "int" || name == "int32") return PlyType::int32;
  if (name == "uint" || name == "uint32") return PlyType::uint32;
  if (name == "float" || name == "float32") return PlyType::float32;
  if (name == "double" || name == "float64") return PlyType::float64;
  return PlyType::none;
}

std::size_t num_bytes(PlyType type) {
  switch (type) {
    case PlyType::int8:
    case PlyType::uint8:
      return 1;
    case PlyType::int16:
    case PlyType::uint16:
      return 2;
    case PlyType::float64:
      return 8;
    default:
      return 4;
  }
}

struct Property {
  std::string name;
  PlyType type = PlyType::none;
  PlyType count_type = PlyType::none;  ///< type of a list's count; none for a number
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
  std::size_t offset = 0;  ///< of its line in the header
};

class PlyReader {
 public:
  PlyReader(MeshInput& input, Mesh& mesh)
      : input_(input), mesh_(mesh), text_(input.bytes()), binary_(input.bytes(), false) {}

  void read() {
    if (!read_header() || !check_elements()) return;
    binary_ = ByteCursor(input_.bytes(), swapped_, text_.position());
    for (const Element& element : elements_) {
      if (!read_element(element) || input_.is_full()) return;
    }
    check_end();
  }

 private:
  bool fail_header(std::string_view word, const char* message) {
    input_.add_issue_at_line(text_.word_position(), word, message);
    return false;
  }

  bool read_header() {
    if (text_.next() != "ply") return fail_header("", "expected `ply` on the first line");
    text_.skip_line();
    while (!text_.is_at_end()) {
      const std::string_view keyword = text_.next_in_line();
      if (keyword == "end_header") {
        if (!expect_end_of_line()) return false;
        is_binary_ ? text_.skip_line_before_bytes() : text_.skip_line();
        return has_format_ || fail_header("", "expected a format line in the header");
      }
      if (!read_header_line(keyword)) return false;
      text_.skip_line();
    }
    return fail_header("", "expected end_header");
  }

  bool read_header_line(std::string_view keyword) {
    if (keyword.empty() || keyword == "comment" || keyword == "obj_info") return true;
    if (keyword == "format") return read_format();
    if (keyword == "element") return read_element_line() && expect_end_of_line();
    if (keyword == "property") return read_property_line() && expect_end_of_line();
    return fail_header(keyword, "expected format, comment, element, property or end_header");
  }

  bool expect_end_of_line() {
    const std::string_view word = text_.next_in_line();
    return word.empty() || fail_header(word, "expected the end of the line");
  }

  static bool is_list_of_vertices(const Property& property) {
    return property.count_type != PlyType::none && property.name.starts_with("vertex_ind");
  }

  /// Checks that the elements have the properties that define geometry.
  bool check_elements() {
    for (const Element& element : elements_) {
      if (element.count == 0) continue;
      const auto num_named = [&](std::string_view name) {
        return std::count_if(element.properties.begin(), element.properties.end(), [&](const Property& property) {
          return property.count_type == PlyType::none && property.name == name;
        });
      };
      const auto num_lists = std::count_if(element.properties.begin(), element.properties.end(), is_list_of_vertices);
      const char* expected = nullptr;
      if (element.name == "vertex") {
        if (num_named("x") != 1 || num_named("y") != 1 || num_named("z") > 1)
          expected = "expected the properties x, y and z of a vertex";
      } else if (element.name == "face") {
        if (num_lists != 1) expected = "expected one property `list ... vertex_indices` of a face";
      } else if (element.name == "edge") {
        if (num_named("vertex1") != 1 || num_named("vertex2") != 1)
          expected = "expected the properties vertex1 and vertex2 of an edge";
      } else if (num_lists > 0) {
        expected = "expected vertices, faces, edges and points: the vertices of other elements are not understood";
      }
      if (expected != nullptr) input_.add_issue_at_line(element.offset, element.name, expected);
    }
    return !input_.has_failed();
  }

  /// Reports data beyond those of the header, because a number in the header must be wrong.
  void check_end() {
    if (input_.has_failed()) return;
    const std::string_view rest = input_.bytes().substr(std::min(position(), input_.bytes().size()));
    const std::size_t place = rest.find_first_not_of(is_binary_ ? std::string_view(" \t\r\n\0", 5) : " \t\r\n\v\f");
    if (place == std::string_view::npos) return;
    const char* message = "expected the end of the file after the elements of the header; are their numbers right?";
    if (is_binary_)
      input_.add_issue_at_byte(position() + place, fmt::format("{} bytes more", rest.size() - place), message);
    else
      fail(text_.next(), message);
  }

  bool read_format() {
    const std::string_view name = text_.next_in_line();
    if (name != "ascii" && name != "binary_little_endian" && name != "binary_big_endian") {
      return fail_header(name, "expected ascii, binary_little_endian or binary_big_endian");
    }
    has_format_ = true;
    is_binary_ = name != "ascii";
    swapped_ = is_swapped(name == "binary_big_endian" ? std::endian::big : std::endian::little);
    return true;
  }

  bool read_element_line() {
    Element element;
    element.offset = text_.position();
    element.name = text_.next_in_line();
    const std::string_view word = text_.next_in_line();
    if (!parse_integer(word, element.count)) return fail_header(word, "expected the number of elements");
    elements_.push_back(std::move(element));
    return true;
  }

  bool read_property_line() {
    if (elements_.empty()) return fail_header("property", "expected an element before its properties");
    Property property;
    std::string_view word = text_.next_in_line();
    if (word == "list") {
      word = text_.next_in_line();
      property.count_type = ply_type(word);
      if (property.count_type == PlyType::none) return fail_header(word, "expected an integer type");
      word = text_.next_in_line();
    }
    property.type = ply_type(word);
    if (property.type == PlyType::none) return fail_header(word, "expected a number type, as in int, uchar or double");
    property.name = text_.next_in_line();
    elements_.back().properties.push_back(std::move(property));
    return true;
  }

  /// Returns the length of the shortest possible record, so that the count can be compared with the size of the file.
  std::size_t min_bytes(const Element& element) const {
    std::size_t sum = 0;
    for (const Property& property : element.properties) {
      const bool is_list = property.count_type != PlyType::none;
      sum += is_binary_ ? num_bytes(is_list ? property.count_type : property.type) : 2;
    }
    return is_binary_ || sum == 0 ? sum : sum - 1;
  }

  std::size_t num_bytes_left() const { return is_binary_ ? binary_.num_bytes_left() : text_.num_bytes_left(); }
  std::size_t position() const { return is_binary_ ? binary_.position() : text_.position(); }

  void fail(std::string_view value, std::string message) {
    if (is_binary_)
      input_.add_issue_at_byte(binary_.position(), value, std::move(message));
    else
      input_.add_issue_at_line(text_.word_position(), value, std::move(message));
  }

  bool read_element(const Element& element) {
    if (element.properties.empty()) return true;
    if (!is_plausible_count(element.count, min_bytes(element), num_bytes_left() + 1)) {
      input_.add_issue_at_line(
          element.offset, fmt::format("{}", element.count),
          fmt::format("expected a number of `{}` elements that fits the file; is it cut off?", element.name));
      return false;
    }
    if (element.name == "vertex") mesh_.vertices.reserve(element.count);
    for (std::uint64_t i = 0; i < element.count && !input_.is_full(); ++i) {
      corners_.clear();
      point_.setZero();
      for (const Property& property : element.properties) {
        if (!read_property(element, property)) return false;
      }
      finish_record(element);
    }
    return true;
  }

  bool read_property(const Element& element, const Property& property) {
    double value = 0.0;
    if (property.count_type == PlyType::none) {
      if (!read_number(property.type, value)) return false;
      use_number(element, property, value);
      return true;
    }
    if (!read_number(property.count_type, value)) return false;
    const bool is_face = element.name == "face" && is_list_of_vertices(property);
    const std::size_t bytes_each = is_binary_ ? num_bytes(property.type) : 1;
    if (!(value >= 0.0 && value <= 2e9) || value != std::floor(value) ||
        !is_plausible_count(static_cast<std::uint64_t>(value), bytes_each, num_bytes_left())) {
      fail(fmt::format("{}", value), "expected the length of a list that fits the file; is it cut off?");
      return false;
    }
    const auto length = static_cast<std::uint64_t>(value);
    for (std::uint64_t k = 0; k < length; ++k) {
      if (!read_number(property.type, value)) return false;
      if (is_face) add_corner(value);
    }
    return true;
  }

  void use_number(const Element& element, const Property& property, double value) {
    if (element.name == "vertex") {
      for (int k = 0; k < 3; ++k) {
        if (property.name.size() != 1 || property.name[0] != "xyz"[k]) continue;
        point_[k] = value;
        if (!std::isfinite(value)) fail(fmt::format("{}", value), "expected a finite coordinate");
      }
    } else if (element.name == "edge" && (property.name == "vertex1" || property.name == "vertex2")) {
      add_corner(value);
    } else if (element.name == "point" && property.name == "vertex_index") {
      add_corner(value);
    }
  }

  void add_corner(double value) {
    const auto num_vertices = static_cast<double>(mesh_.vertices.size());
    if (value >= 0.0 && value < num_vertices && value == std::floor(value)) {
      corners_.push_back(static_cast<int>(value));
    } else {
      fail(fmt::format("{}", value), fmt::format("expected a vertex index from 0, below {}", num_vertices));
    }
  }

  void finish_record(const Element& element) {
    if (element.name == "vertex")
      mesh_.vertices.push_back(point_);
    else if (!corners_.empty() && !input_.has_failed())
      add_polygon(corners_, mesh_);
  }

  bool read_number(PlyType type, double& value) {
    if (is_binary_) {
      if (read_binary_number(type, value)) return true;
      fail("", "the file ends before its last element");
      return false;
    }
    const std::string_view word = text_.next();
    if (!word.empty() && parse_real(word, value)) return true;
    fail(word, word.empty() ? "the file ends before its last element" : "expected a number");
    return false;
  }

  template <class T>
  bool read_binary_as(double& value) {
    T number{};
    const bool has_read = binary_.read(number);
    value = static_cast<double>(number);
    return has_read;
  }

  bool read_binary_number(PlyType type, double& value) {
    switch (type) {
      case PlyType::int8:
        return read_binary_as<std::int8_t>(value);
      case PlyType::uint8:
        return read_binary_as<std::uint8_t>(value);
      case PlyType::int16:
        return read_binary_as<std::int16_t>(value);
      case PlyType::uint16:
        return read_binary_as<std::uint16_t>(value);
      case PlyType::int32:
        return read_binary_as<std::int32_t>(value);
      case PlyType::uint32:
        return read_binary_as<std::uint32_t>(value);
      case PlyType::float32:
        return read_binary_as<float>(value);
      case PlyType::float64:
        return read_binary_as<double>(value);
      case PlyType::none:
        break;
    }
    return false;
  }

  MeshInput& input_;
  Mesh& mesh_;
  TextCursor text_;
  ByteCursor binary_;
  std::vector<Element> elements_;
  bool has_format_ = false;
  bool is_binary_ = false;
  bool swapped_ = false;
  std::vector<int> corners_;
  Vec<3> point_ = Vec<3>::Zero();
};

}  // namespace

void read_ply(MeshInput& input, Mesh& mesh) {
  PlyReader(input, mesh).read();
}

}  // namespace clearance
