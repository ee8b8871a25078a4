// .msh: https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats, versions 2.x, 4.0 and 4.1, ASCII and binary. One
// scanner reads the numbers of both encodings. Two liberties of the IPC authors' files are taken: a `$Surface` section
// (the boundary of the tets, passed over) and files without `$MeshFormat`, which are 4.0 with an empty entity line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "clearance/io/mesh/gmsh_elements.h"
#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// Map from the tags of nodes, which may have gaps, to indices.
class NodeTags {
 public:
  void add(std::uint64_t tag, int index) {
    if (!entries_.empty() && tag <= entries_.back().tag) is_sorted_ = false;
    entries_.push_back({tag, index});
  }
  /// Sorts the tags. Returns false, and the tag, if a tag occurs twice.
  bool finish(std::uint64_t& twice) {
    if (!is_sorted_) {
      std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.tag < b.tag; });
    }
    is_sorted_ = true;
    const auto same = std::adjacent_find(entries_.begin(), entries_.end(),
                                         [](const Entry& a, const Entry& b) { return a.tag == b.tag; });
    if (same != entries_.end()) twice = same->tag;
    return same == entries_.end();
  }
  /// Returns the index of a node; -1 if there is no such node.
  int find(std::uint64_t tag) const {
    if (entries_.empty() || tag < entries_.front().tag) return -1;
    // If the tags have no gaps, as in most files, the tag gives the index.
    const std::uint64_t guess = tag - entries_.front().tag;
    if (guess < entries_.size() && entries_[guess].tag == tag) return entries_[guess].index;
    const auto entry = std::lower_bound(entries_.begin(), entries_.end(), tag,
                                        [](const Entry& e, std::uint64_t t) { return e.tag < t; });
    return entry != entries_.end() && entry->tag == tag ? entry->index : -1;
  }

 private:
  struct Entry {
    std::uint64_t tag;
    int index;
  };
  std::vector<Entry> entries_;
  bool is_sorted_ = true;
};

/// Physical groups: those of the elements themselves (format 2), or of the entities that the elements belong to (format
/// 4).
class PhysicalGroups {
 public:
  void name(std::int64_t dim, std::int64_t number, std::string name) { names_[{dim, number}] = std::move(name); }
  void add_entity(std::int64_t dim, std::int64_t entity, std::int64_t number) {
    if (is_group(number)) of_entities_[{dim, entity}].push_back(std::abs(number));
  }
  void forget_entities() { of_entities_.clear(); }

  void start_entity(std::int64_t dim, std::int64_t entity) {
    const auto found = of_entities_.find({dim, entity});
    present_ = found == of_entities_.end() ? std::vector<std::int64_t>() : found->second;
  }
  void start_element(std::int64_t number) {
    present_.clear();
    if (is_group(number)) present_.push_back(std::abs(number));
  }
  void add_element(int dim, const std::array<int, 4>& nodes) {
    for (const std::int64_t number : present_) elements_[{dim, number}].push_back(nodes);
  }

  void store(Mesh& mesh) {
    for (auto& [key, elements] : elements_) {
      const auto& [dim, number] = key;
      mesh.groups.push_back({names_[key], static_cast<int>(number), static_cast<int>(dim), std::move(elements)});
    }
  }

 private:
  /// True if the number denotes a group: 0 means none, and the sign is an orientation.
  static bool is_group(std::int64_t number) {
    constexpr std::int64_t largest = std::numeric_limits<int>::max();
    return number != 0 && number >= -largest && number <= largest;
  }

  using Key = std::pair<std::int64_t, std::int64_t>;  // dimension and number
  std::map<Key, std::string> names_;
  std::map<Key, std::vector<std::int64_t>> of_entities_;
  std::vector<std::int64_t> present_;  // of the next element
  std::map<Key, std::vector<std::array<int, 4>>> elements_;
};

class GmshReader {
 public:
  GmshReader(MeshInput& input, Mesh& mesh)
      : input_(input), mesh_(mesh), text_(input.bytes()), binary_(input.bytes(), false) {}

  void read() {
    while (!input_.is_full()) {
      const std::string_view section = text_.next();
      if (section.empty()) break;
      const std::size_t place = text_.word_position();
      if (!section.starts_with('$')) {
        return input_.add_issue_at_line(place, section, "expected a section, as in $Nodes");
      }
      if (!read_section(section, place)) return;
    }
    if (!has_nodes_ && !input_.has_failed()) input_.add_issue("", "", "expected a $Nodes section");
    if (!has_elements_ && !input_.has_failed()) {
      input_.add_issue("", "", "expected a $Elements section: the file ends before it and seems to be cut off");
    }
    check_curved_faces(input_, mesh_, curved_faces_);
    groups_.store(mesh_);
  }

 private:
  bool read_section(std::string_view section, std::size_t place) {
    if (section == "$MeshFormat") return read_format() && skip_to_end(section, place);
    if (section == "$Nodes") {
      if (has_nodes_) return fail_at(place, section, "expected one $Nodes section");
      has_nodes_ = true;
      start_data();
      return read_nodes() && finish_tags(place) && end_data(section);
    }
    if (section == "$PhysicalNames") return read_physical_names() && skip_to_end(section, place);
    if (section == "$Entities") {
      start_data();
      if (!read_entities()) groups_.forget_entities();
      return skip_to_end(section, place);
    }
    if (section == "$Elements") {
      if (!has_nodes_) return fail_at(place, section, "expected $Nodes before $Elements");
      has_elements_ = true;
      start_data();
      return read_elements() && end_data(section);
    }
    if (section == "$NOD" || section == "$ELM")
      return fail_at(place, section, "expected Gmsh format 2 or 4; this file has format 1");
    return skip_to_end(section, place);
  }

  bool read_format() {
    std::string_view word = text_.next();
    double version = 0.0;
    if (!parse_real(word, version) || !((version >= 2.0 && version < 3.0) || version == 4.0 || version == 4.1)) {
      return fail_at(text_.word_position(), word, "expected Gmsh format 2.x, 4.0 or 4.1");
    }
    is_v2_ = version < 3.0;
    is_v41_ = version == 4.1;
    word = text_.next();
    if (word != "0" && word != "1")
      return fail_at(text_.word_position(), word, "expected the file type 0 (ASCII) or 1 (binary)");
    is_binary_ = word == "1";
    word = text_.next();
    const bool is_size_known = word == "8" || (word == "4" && is_v41_);
    if (!is_size_known) return fail_at(text_.word_position(), word, "expected the data size 8");
    size_bytes_ = word == "4" ? 4 : 8;
    if (!is_binary_) return true;

    // The number 1 follows, in the byte order of the machine that wrote the file.
    text_.skip_line_before_bytes();
    std::int32_t one = 0;
    ByteCursor cursor(input_.bytes(), false, text_.position());
    cursor.read(one);
    if (one != 1 && one != 0x01000000) {
      input_.add_issue_at_byte(text_.position(), fmt::format("{}", one), "expected the number 1 in either byte order");
      return false;
    }
    is_swapped_ = one != 1;
    return true;
  }

  /// Skips everything up to `$End...` of this section.
  bool skip_to_end(std::string_view section, std::size_t place) {
    const std::string end = "$End" + std::string(section.substr(1));
    const std::size_t found = input_.bytes().find(end, place);
    if (found == std::string_view::npos) return fail_at(place, section, "expected " + end);
    if (!is_binary_) {
      for (const char* mesh : {"$Nodes", "$Elements"}) {
        const std::size_t inner = input_.bytes().substr(0, found).find(mesh, place + 1);
        if (inner != std::string_view::npos) return fail_at(inner, mesh, "expected " + end + " before this section");
      }
    }
    text_ = TextCursor(input_.bytes(), '\0', found + end.size());
    return true;
  }

  /// Goes to the data of a section. Text data may follow on the same line.
  void start_data() {
    if (!is_binary_) return;
    text_.skip_line_before_bytes();
    binary_ = ByteCursor(input_.bytes(), is_swapped_, text_.position());
  }

  bool end_data(std::string_view section) {
    const std::string end = "$End" + std::string(section.substr(1));
    if (is_binary_) text_ = TextCursor(input_.bytes(), '\0', binary_.position());
    const std::string_view word = text_.next();
    return word == end || fail_at(text_.word_position(), word, "expected " + end);
  }

  std::size_t num_bytes_left() const { return is_binary_ ? binary_.num_bytes_left() : text_.num_bytes_left(); }
  /// Returns the offset of the last number read (text) or of the next one (binary).
  std::size_t place() const { return is_binary_ ? binary_.position() : text_.word_position(); }

  bool fail_at(std::size_t offset, std::string_view value, std::string message) {
    if (is_binary_)
      input_.add_issue_at_byte(offset, value, std::move(message));
    else
      input_.add_issue_at_line(offset, value, std::move(message));
    return false;
  }
  bool fail(std::string_view value, std::string message) { return fail_at(place(), value, std::move(message)); }

  bool read_word(std::int64_t& value, const char* expected) {
    const std::string_view word = text_.next();
    return parse_integer(word, value) || fail(word, fmt::format("expected {}", expected));
  }
  /// Reads an integer, which has 4 bytes in binary files.
  bool read_int(std::int64_t& value, const char* expected) {
    if (!is_binary_) return read_word(value, expected);
    std::int32_t number = 0;
    if (!binary_.read(number)) return fail("", fmt::format("expected {}, found the end of the file", expected));
    value = number;
    return true;
  }
  /// Reads a size, which is a size_t in binary files.
  bool read_size(std::uint64_t& value, const char* expected) {
    std::int64_t number = 0;
    if (is_binary_ && size_bytes_ == 8) {
      if (!binary_.read(number)) return fail("", fmt::format("expected {}, found the end of the file", expected));
    } else if (!read_int(number, expected)) {
      return false;
    }
    if (number < 0) return fail(fmt::format("{}", number), fmt::format("expected {}", expected));
    value = static_cast<std::uint64_t>(number);
    return true;
  }
  bool read_point(Vec<3>& point) {
    if (!is_binary_) return read_coordinates(text_, input_, 3, point) || !text_.is_at_end();
    for (double& value : point) {
      const std::size_t offset = place();
      if (!binary_.read(value)) return fail("", "expected a coordinate, found the end of the file");
      if (!std::isfinite(value)) fail_at(offset, fmt::format("{}", value), "expected a finite coordinate");
    }
    return true;
  }
  /// Checks that a number of records, each of at least so many bytes in the two encodings, fits into the rest of the
  /// file.
  bool check_count(std::uint64_t count, std::size_t min_text, std::size_t min_binary, const char* what) {
    if (is_plausible_count(count, is_binary_ ? min_binary : min_text, num_bytes_left())) return true;
    return fail(fmt::format("{}", count),
                fmt::format("expected a number of {} that fits the file; is it cut off?", what));
  }

  bool read_nodes() {
    if (is_v2_) return read_nodes_v2();
    std::uint64_t num_blocks = 0;
    std::uint64_t num_nodes = 0;
    if (!read_counts(num_blocks, num_nodes, "node") || !check_count(num_nodes, 6, 24, "nodes")) return false;
    mesh_.vertices.reserve(num_nodes);
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
      bool is_parametric = false;
      std::int64_t dim = 0;
      std::uint64_t count = num_nodes;
      if (!is_entity_line_empty(num_blocks) && !read_node_block(dim, is_parametric, count)) return false;
      if (!check_count(count, 6, 24, "nodes")) return false;
      const int num_parameters = is_parametric ? static_cast<int>(std::clamp<std::int64_t>(dim, 0, 3)) : 0;
      if (!(is_v41_ ? read_block_v41(count, num_parameters) : read_block_v40(count, num_parameters))) return false;
    }
    return check_total(mesh_.vertices.size(), num_nodes, "nodes");
  }

  bool read_counts(std::uint64_t& num_blocks, std::uint64_t& num_things, const char* what) {
    if (!read_size(num_blocks, "the number of entity blocks") ||
        !read_size(num_things, fmt::format("the number of {}s", what).c_str())) {
      return false;
    }
    std::uint64_t ignored = 0;
    if (is_v41_ && (!read_size(ignored, "the smallest tag") || !read_size(ignored, "the largest tag"))) return false;
    return check_count(num_blocks, 7, 16, "entity blocks");
  }

  /// True if the line of the only entity is empty, as in the IPC authors' 4.0 files. Passes over it in that case.
  bool is_entity_line_empty(std::uint64_t num_blocks) {
    if (is_binary_ || is_v41_ || num_blocks != 1) return false;
    TextCursor peek = text_;
    for (int line = 0; line < 2; ++line) {  // the rest of the line of counts, then that of the entity
      if (peek.is_at_end() || !peek.next_in_line().empty()) return false;
      peek.skip_line();
    }
    text_ = peek;
    return true;
  }

  bool read_node_block(std::int64_t& dim, bool& is_parametric, std::uint64_t& count) {
    std::int64_t tag = 0;
    std::int64_t parametric = 0;
    if (!is_v41_ && !read_int(tag, "the tag of an entity")) return false;
    if (!read_int(dim, "the dimension of an entity")) return false;
    if (is_v41_ && !read_int(tag, "the tag of an entity")) return false;
    if (!read_int(parametric, "0 or 1 (parametric nodes)")) return false;
    is_parametric = parametric != 0;
    return read_size(count, "the number of nodes of an entity");
  }

  bool read_parameters(int num_parameters) {
    for (int k = 0; k < num_parameters; ++k) {
      double ignored = 0.0;
      if (is_binary_ ? !binary_.read(ignored) : !parse_real(text_.next(), ignored)) {
        return fail("", "expected the parameter of a node");
      }
    }
    return true;
  }

  /// Reads a block of all tags, then all coordinates.
  bool read_block_v41(std::uint64_t count, int num_parameters) {
    const std::size_t first = mesh_.vertices.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t tag = 0;
      if (!read_size(tag, "a node tag")) return false;
      tags_.add(tag, static_cast<int>(first + i));
    }
    for (std::uint64_t i = 0; i < count && !input_.is_full(); ++i) {
      Vec<3> point;
      if (!read_point(point) || !read_parameters(num_parameters)) return false;
      mesh_.vertices.push_back(point);
    }
    return !input_.has_failed();
  }

  /// Reads a block of tags, each followed by its coordinates; version 2 has the same layout.
  bool read_block_v40(std::uint64_t count, int num_parameters) {
    for (std::uint64_t i = 0; i < count && !input_.is_full(); ++i) {
      std::int64_t tag = 0;
      Vec<3> point;
      if (!read_int(tag, "a node tag") || !read_point(point) || !read_parameters(num_parameters)) return false;
      tags_.add(static_cast<std::uint64_t>(tag), static_cast<int>(mesh_.vertices.size()));
      mesh_.vertices.push_back(point);
    }
    return !input_.has_failed();
  }

  bool read_nodes_v2() {
    std::uint64_t count = 0;
    if (!read_text_count(count) || !check_count(count, 7, 28, "nodes")) return false;
    mesh_.vertices.reserve(count);
    return read_block_v40(count, 0);
  }

  /// Reads a count, which version 2 writes as text even in binary files.
  bool read_text_count(std::uint64_t& count) {
    const std::string_view word = text_.next();
    if (!parse_integer(word, count)) {
      return fail_at(text_.word_position(), word, "expected the number of records that follow");
    }
    start_data();
    return true;
  }

  bool check_total(std::uint64_t found, std::uint64_t promised, const char* what) {
    if (found == promised) return true;
    return fail(fmt::format("{}", found), fmt::format("expected {} {} in all blocks together", promised, what));
  }

  bool finish_tags(std::size_t section) {
    std::uint64_t twice = 0;
    return tags_.finish(twice) || fail_at(section, fmt::format("{}", twice), "expected every node tag once");
  }

  bool read_elements() {
    if (is_v2_) return is_binary_ ? read_elements_v2_binary() : read_elements_v2_ascii();
    std::uint64_t num_blocks = 0;
    std::uint64_t num_elements = 0;
    if (!read_counts(num_blocks, num_elements, "element") || !check_count(num_elements, 3, 8, "elements")) return false;
    std::uint64_t found = 0;
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
      std::int64_t type = 4;
      std::uint64_t count = num_elements;
      groups_.start_entity(-1, 0);
      if (!is_entity_line_empty(num_blocks)) {
        std::int64_t first = 0, second = 0;
        if (!read_int(first, "the dimension or tag of an entity") ||
            !read_int(second, "the tag or dimension of an entity"))
          return false;
        if (is_v41_) {
          groups_.start_entity(first, second);
        } else {
          groups_.start_entity(second, first);
        }
        if (!read_int(type, "an element type") || !read_size(count, "the number of elements of an entity"))
          return false;
      }
      if (!check_type(type) || !check_count(count, 3, 8, "elements")) return false;
      for (std::uint64_t i = 0; i < count && !input_.is_full(); ++i) {
        std::uint64_t tag = 0;
        if (!(is_v41_ ? read_size(tag, "an element tag") : read_int_as_size(tag, "an element tag"))) return false;
        if (!read_element(is_v41_)) return false;
      }
      found += count;
    }
    return check_total(found, num_elements, "elements");
  }

  bool read_elements_v2_ascii() {
    std::uint64_t count = 0;
    if (!read_text_count(count) || !check_count(count, 6, 16, "elements")) return false;
    for (std::uint64_t i = 0; i < count && !input_.is_full(); ++i) {
      std::int64_t tag = 0;
      std::int64_t type = 0;
      std::int64_t num_tags = 0;
      if (!read_int(tag, "an element number") || !read_int(type, "an element type") || !check_type(type)) return false;
      if (!read_int(num_tags, "a number of tags") || !read_tags(num_tags) || !read_element(false)) return false;
    }
    return true;
  }

  /// Reads groups of elements of one type, each group with a header.
  bool read_elements_v2_binary() {
    std::uint64_t count = 0;
    if (!read_text_count(count) || !check_count(count, 6, 8, "elements")) return false;
    for (std::uint64_t found = 0; found < count;) {
      std::int64_t type = 0;
      std::int64_t num_in_group = 0;
      std::int64_t num_tags = 0;
      if (!read_int(type, "an element type") || !check_type(type)) return false;
      if (!read_int(num_in_group, "the size of a group") || !read_int(num_tags, "a number of tags")) return false;
      if (num_in_group < 1 || static_cast<std::uint64_t>(num_in_group) > count - found) {
        return fail(fmt::format("{}", num_in_group),
                    fmt::format("expected a group of 1 to {} elements", count - found));
      }
      for (std::int64_t i = 0; i < num_in_group && !input_.is_full(); ++i) {
        std::int64_t tag = 0;
        if (!read_int(tag, "an element number") || !read_tags(num_tags) || !read_element(false)) return false;
      }
      found += static_cast<std::uint64_t>(num_in_group);
    }
    return true;
  }

  /// Reads the tags of an element. The first is its physical group, 0 for none.
  bool read_tags(std::int64_t num_tags) {
    if (num_tags < 0) return fail(fmt::format("{}", num_tags), "expected a number of tags");
    std::int64_t tag = 0, physical = 0;
    for (std::int64_t k = 0; k < num_tags; ++k) {
      if (!read_int(tag, "a tag of an element")) return false;
      if (k == 0) physical = tag;
    }
    groups_.start_element(physical);
    return true;
  }

  /// Malformed names are not an error: groups only matter to scenes that refer to them.
  bool read_physical_names() {
    std::int64_t count = 0;
    if (!parse_integer(text_.next(), count)) return true;
    for (std::int64_t k = 0; k < count; ++k) {
      std::int64_t dim = 0, number = 0;
      if (!parse_integer(text_.next(), dim) || !parse_integer(text_.next(), number)) return true;
      const std::string_view rest = text_.take_line();
      const std::size_t open = rest.find('"'), close = rest.rfind('"');
      if (open != std::string_view::npos && close > open) {
        groups_.name(dim, number, std::string(rest.substr(open + 1, close - open - 1)));
      }
    }
    return true;
  }

  /// Reads the physical groups of the entities of a model; returns false if the section is not understood.
  bool read_entities() {
    std::array<std::uint64_t, 4> counts{};
    for (std::uint64_t& count : counts) {
      if (!try_size(count)) return false;
    }
    for (std::size_t dim = 0; dim < 4; ++dim) {
      for (std::uint64_t i = 0; i < counts[dim]; ++i) {
        std::int64_t entity = 0;
        std::uint64_t num_groups = 0, num_bounding = 0;
        const int num_coordinates = dim == 0 && is_v41_ ? 3 : 6;
        if (!try_int(entity) || !try_reals(num_coordinates) || !try_size(num_groups)) return false;
        for (std::uint64_t k = 0; k < num_groups; ++k) {
          std::int64_t number = 0;
          if (!try_int(number)) return false;
          groups_.add_entity(static_cast<std::int64_t>(dim), entity, number);
        }
        if (dim == 0) continue;
        if (!try_size(num_bounding)) return false;
        for (std::uint64_t k = 0; k < num_bounding; ++k) {
          if (!try_int(entity)) return false;
        }
      }
    }
    return true;
  }
  // Reads an integer without reporting a missing one.
  bool try_int(std::int64_t& value) {
    std::int32_t number = 0;
    if (!is_binary_) return parse_integer(text_.next(), value);
    if (!binary_.read(number)) return false;
    value = number;
    return true;
  }
  bool try_size(std::uint64_t& value) {
    std::int64_t number = 0;
    const bool is_read = is_binary_ && size_bytes_ == 8 ? binary_.read(number) : try_int(number);
    value = static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
    return is_read && number >= 0;
  }
  bool try_reals(int count) {
    double ignored = 0.0;
    for (int k = 0; k < count; ++k) {
      if (is_binary_ ? !binary_.read(ignored) : !parse_real(text_.next(), ignored)) return false;
    }
    return true;
  }

  bool check_type(std::int64_t type) {
    element_ = gmsh_element(type);
    if (element_.order > 0) return true;
    return fail(fmt::format("type {}: {}", type, element_.name),
                "not supported (docs/limits.md); expected points, lines, triangles or tetrahedra, of order 1 to 4 with "
                "all nodes");
  }

  bool read_int_as_size(std::uint64_t& value, const char* expected) {
    std::int64_t number = 0;
    if (!read_int(number, expected)) return false;
    value = static_cast<std::uint64_t>(number);  // a negative tag is no node's tag
    return true;
  }

  /// Reads the nodes of one element of the type checked last. Reports a tag without a node and leaves the element out.
  bool read_element(bool has_wide_tags) {
    std::array<int, max_nodes> nodes;
    bool is_good = true;
    for (int k = 0; k < element_.num_nodes; ++k) {
      const std::size_t offset = place();
      std::uint64_t tag = 0;
      if (!(has_wide_tags ? read_size(tag, "a node tag") : read_int_as_size(tag, "a node tag"))) return false;
      nodes[k] = tags_.find(tag);
      if (nodes[k] >= 0) continue;
      is_good = false;
      fail_at(is_binary_ ? offset : place(), fmt::format("{}", tag), "expected the tag of a node");
    }
    if (is_good) add_element(std::span(nodes).first(element_.num_nodes));
    return true;
  }

  /// Adds an element whose `nodes` are in Gmsh's order, where corners come first too.
  void add_element(std::span<const int> nodes) {
    const auto& [type, dim, order, num_nodes, name] = element_;
    std::array<int, max_nodes> ours;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      ours[dim < 2 ? k : gmsh_nodes(dim, order)[k]] = nodes[k];
    }
    const std::string message = add_element_of_nodes(dim, {ours.data(), nodes.size()}, mesh_, curved_faces_);
    if (!message.empty()) return static_cast<void>(fail(name, message));
    std::array<int, 4> corners = {-1, -1, -1, -1};
    std::copy_n(nodes.begin(), dim + 1, corners.begin());
    groups_.add_element(dim, corners);
  }

  static constexpr std::size_t max_nodes = num_lagrange_nodes(3, max_order);
  MeshInput& input_;
  Mesh& mesh_;
  TextCursor text_;
  ByteCursor binary_;
  NodeTags tags_;
  PhysicalGroups groups_;
  GmshElement element_{};          ///< type of the elements that are being read
  std::vector<int> curved_faces_;  ///< in 3D: among the triangles of the mesh
  bool has_nodes_ = false;
  bool has_elements_ = false;
  bool is_v2_ = false;
  bool is_v41_ = false;
  bool is_binary_ = false;
  bool is_swapped_ = false;
  int size_bytes_ = 8;
};

}  // namespace

void read_gmsh(MeshInput& input, Mesh& mesh) {
  GmshReader(input, mesh).read();
}

}  // namespace clearance
