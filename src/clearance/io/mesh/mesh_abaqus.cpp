// Reads nodes, elements and sets of input files of Abaqus and CalculiX (.inp): lines of words between commas, below
// keywords that begin with `*`; `**` begins a comment. CalculiX' manual, chapter "Input deck format", describes both
// the keywords and the order of nodes. Everything that is no mesh is passed over.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/gmsh_elements.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// Kinds of elements by the beginnings of their names. `order` 0: a quadrilateral.
struct AbaqusElement {
  const char* beginning;
  int dim, order, num_nodes;
};
constexpr std::array elements = {
    AbaqusElement{"C3D4", 3, 1, 4},   AbaqusElement{"C3D10", 3, 2, 10}, AbaqusElement{"S3", 2, 1, 3},
    AbaqusElement{"STRI3", 2, 1, 3},  AbaqusElement{"STRI65", 2, 2, 6}, AbaqusElement{"S6", 2, 2, 6},
    AbaqusElement{"S4", 2, 0, 4},     AbaqusElement{"M3D3", 2, 1, 3},   AbaqusElement{"M3D6", 2, 2, 6},
    AbaqusElement{"M3D4", 2, 0, 4},   AbaqusElement{"R3D3", 2, 1, 3},   AbaqusElement{"R3D4", 2, 0, 4},
    AbaqusElement{"SFM3D3", 2, 1, 3}, AbaqusElement{"CPS3", 2, 1, 3},   AbaqusElement{"CPS6", 2, 2, 6},
    AbaqusElement{"CPE3", 2, 1, 3},   AbaqusElement{"CPE6", 2, 2, 6},   AbaqusElement{"B31", 1, 1, 2},
    AbaqusElement{"B21", 1, 1, 2},    AbaqusElement{"T3D2", 1, 1, 2},   AbaqusElement{"T2D2", 1, 1, 2},
};
constexpr const char* known_elements =
    "expected tetrahedra (C3D4, C3D10), triangles (S3, S6, M3D3, CPS3, CPE3, CPS6, CPE6), quadrilaterals of shells "
    "(S4) or lines (B31, T3D2); divide other elements into these";

/// Returns the kind of a type such as `C3D10M` or `S4R`: letters may follow the beginning, digits may not.
const AbaqusElement* find_element(const std::string& type) {
  const auto found = std::find_if(elements.begin(), elements.end(), [&](const AbaqusElement& element) {
    const std::string_view beginning = element.beginning;
    const bool has_letters = type.find_first_of("0123456789", beginning.size()) == std::string::npos;
    return type.starts_with(beginning) && has_letters;
  });
  return found == elements.end() ? nullptr : &*found;
}

/// Local numbers of the nodes of each side of a tetrahedron, S1 to S4.
constexpr std::array<std::array<int, 3>, 4> sides_of_tet = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};

/// A line below or with a keyword: its words, and where each begins in the file.
struct Line {
  std::vector<std::string_view> words;
  std::vector<std::size_t> places;
};

class AbaqusReader {
 public:
  AbaqusReader(MeshInput& input, Mesh& mesh) : input_(input), mesh_(mesh), cursor_(input.bytes()) {}

  void read() {
    Line line;
    while (!input_.is_full() && next_line(line)) {
      if (line.words[0].starts_with('*')) {
        start_keyword(line);
      } else if (read_data_ != nullptr) {
        (this->*read_data_)(line);
      }
    }
    end_element();
    check_curved_faces(input_, mesh_, curved_faces_);
    if (!has_nodes_ && !input_.has_failed()) input_.add_issue("", "", "expected the keyword *NODE");
    store_sets();
  }

 private:
  /// Elements by number: the simplices that one has become.
  struct Part {
    int dim = 3;
    std::vector<std::array<int, 4>> simplices;
  };
  struct NamedSet {
    std::string name;
    std::vector<int> nodes;
    std::vector<std::int64_t> elements;
    std::vector<std::array<int, 4>> faces;
  };

  /// Reads the next line that is no comment. Keywords go on in the next line after a comma.
  bool next_line(Line& line) {
    line = {};
    while (line.words.empty() || (line.words[0].starts_with('*') && line.words.back().empty())) {
      if (cursor_.is_at_end()) return !line.words.empty();
      const std::size_t begin = cursor_.position();
      const std::string_view text = cursor_.take_line();
      if (trimmed(text).empty() || trimmed(text).starts_with("**")) continue;
      if (!line.words.empty()) {
        line.words.pop_back();
        line.places.pop_back();
      }
      for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view word = trimmed(text.substr(at, comma - at));
        line.words.push_back(word);
        line.places.push_back(word.empty() ? begin + at : begin + static_cast<std::size_t>(word.data() - text.data()));
        at = comma + 1;
      }
    }
    // A comma at the end of data has no word after it.
    if (!line.words[0].starts_with('*') && line.words.back().empty()) {
      line.words.pop_back();
      line.places.pop_back();
    }
    return !line.words.empty() || next_line(line);
  }

  void fail(const Line& line, std::size_t word, std::string message) {
    const std::size_t at = std::min(word, line.words.size() - 1);
    input_.add_issue_at_line(line.places[at], word < line.words.size() ? line.words[at] : "", std::move(message));
  }

  /// Returns the value of a parameter of a keyword; empty if it has none.
  static std::string parameter(const Line& line, std::string_view name) {
    for (std::size_t k = 1; k < line.words.size(); ++k) {
      const std::size_t equals = line.words[k].find('=');
      if (to_lower(trimmed(line.words[k].substr(0, equals))) != name) continue;
      if (equals == std::string_view::npos) return "yes";
      std::string_view value = trimmed(line.words[k].substr(equals + 1));
      if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      return std::string(value);
    }
    return {};
  }

  void start_keyword(const Line& line) {
    end_element();
    read_data_ = nullptr;
    set_ = nullptr;
    const std::string keyword = to_lower(line.words[0]);
    if (keyword == "*node") {
      has_nodes_ = true;
      if (!parameter(line, "system").empty() && to_lower(parameter(line, "system")) != "r")
        return fail(line, 0, "expected nodes in rectangular coordinates");
      if (const std::string name = parameter(line, "nset"); !name.empty()) set_ = &find_set(node_sets_, name);
      read_data_ = &AbaqusReader::read_node;
    } else if (keyword == "*element") {
      start_elements(line);
    } else if (keyword == "*nset" || keyword == "*elset") {
      const std::string name = parameter(line, keyword.substr(1));
      if (name.empty()) return fail(line, 0, fmt::format("expected the name of a set: {}=NAME", keyword.substr(1)));
      is_range_ = !parameter(line, "generate").empty();
      set_ = &find_set(keyword == "*nset" ? node_sets_ : element_sets_, name);
      read_data_ = keyword == "*nset" ? &AbaqusReader::read_node_set : &AbaqusReader::read_element_set;
    } else if (keyword == "*surface") {
      const std::string type = to_lower(parameter(line, "type")), name = parameter(line, "name");
      if (name.empty() || (!type.empty() && type != "element")) return;
      set_ = &find_set(surfaces_, name);
      read_data_ = &AbaqusReader::read_surface;
    } else if (keyword == "*part") {
      if (++num_parts_ > 1) fail(line, 0, "expected one part; write each part to a file of its own");
    } else if (keyword == "*instance") {
      read_data_ = &AbaqusReader::read_place;
    } else if (keyword == "*include") {
      fail(line, 0, "expected the mesh itself; name the included file as the mesh instead");
    } else if (keyword == "*ngen" || keyword == "*nfill" || keyword == "*ncopy" || keyword == "*elgen" ||
               keyword == "*elcopy" || keyword == "*nmap" || keyword == "*system") {
      fail(line, 0, "expected nodes and elements in full; this keyword makes or moves some");
    }
  }

  void start_elements(const Line& line) {
    std::string type = parameter(line, "type");
    std::transform(type.begin(), type.end(), type.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
    element_ = find_element(type);
    if (element_ == nullptr) return fail(line, 0, fmt::format("{}; this is type {}", known_elements, type));
    if (!has_nodes_) return fail(line, 0, "expected *NODE before *ELEMENT");
    if (const std::string name = parameter(line, "elset"); !name.empty()) set_ = &find_set(element_sets_, name);
    read_data_ = &AbaqusReader::read_element;
  }

  void read_node(const Line& line) {
    std::int64_t number = 0;
    if (!parse_integer(line.words[0], number) || number < 1)
      return fail(line, 0, "expected the number of a node, 1 or more");
    Vec<3> x = Vec<3>::Zero();
    if (line.words.size() < 3) return fail(line, line.words.size(), "expected coordinates after the number of a node");
    for (std::size_t c = 1; c < std::min<std::size_t>(4, line.words.size()); ++c) {
      double& value = x[static_cast<Eigen::Index>(c - 1)];
      if (!parse_real(line.words[c], value) || !std::isfinite(value))
        return fail(line, c, "expected a finite coordinate");
    }
    const int index = static_cast<int>(mesh_.vertices.size());
    if (!index_of_.emplace(number, index).second) return fail(line, 0, "expected a number that no other node has");
    mesh_.vertices.push_back(x);
    if (set_ != nullptr) set_->nodes.push_back(index);
  }

  /// Reads a line of an element. Its nodes may go on in further lines.
  void read_element(const Line& line) {
    std::size_t first = 0;
    if (nodes_.empty()) {
      if (!parse_integer(line.words[0], number_) || number_ < 1)
        return fail(line, 0, "expected the number of an element, 1 or more");
      first = 1;
      place_ = line.places[0];
    }
    for (std::size_t k = first; k < line.words.size(); ++k) {
      if (nodes_.size() == static_cast<std::size_t>(element_->num_nodes))
        return fail(line, k, fmt::format("expected {} nodes of an element", element_->num_nodes));
      int index = 0;
      if (!find_node(line, k, index)) return;
      nodes_.push_back(index);
    }
    if (nodes_.size() == static_cast<std::size_t>(element_->num_nodes)) add_element();
  }

  /// Reports an element that the next keyword, or the end of the file, cuts off.
  void end_element() {
    if (nodes_.empty()) return;
    input_.add_issue_at_line(
        place_, fmt::format("{}", number_),
        fmt::format("expected {} nodes of this element, found {}", element_->num_nodes, nodes_.size()));
    nodes_.clear();
  }

  bool find_node(const Line& line, std::size_t word, int& index) {
    std::int64_t number = 0;
    const auto found = parse_integer(line.words[word], number) ? index_of_.find(number) : index_of_.end();
    if (found == index_of_.end()) {
      fail(line, word, "expected the number of a node above");
      return false;
    }
    index = found->second;
    return true;
  }

  void add_element() {
    Part part;
    part.dim = element_->dim;
    std::string message;
    if (element_->order == 0) {
      add_polygon(nodes_, mesh_);
      part.simplices = {{nodes_[0], nodes_[1], nodes_[2], -1}, {nodes_[0], nodes_[2], nodes_[3], -1}};
    } else {
      // The last two nodes of a tetrahedron of order 2 are exchanged in Gmsh's order.
      if (element_->dim == 3 && element_->order == 2) std::swap(nodes_[8], nodes_[9]);
      std::vector<int> ours(nodes_.size());
      for (std::size_t k = 0; k < nodes_.size(); ++k)
        ours[element_->dim < 2 ? k : gmsh_nodes(element_->dim, element_->order)[k]] = nodes_[k];
      message = add_element_of_nodes(element_->dim, ours, mesh_, curved_faces_);
      std::array<int, 4> corners{-1, -1, -1, -1};
      for (int k = 0; k <= element_->dim; ++k) corners[k] = nodes_[k];
      part.simplices = {corners};
    }
    if (!message.empty()) input_.add_issue_at_line(place_, fmt::format("{}", number_), message);
    if (!parts_.emplace(number_, std::move(part)).second)
      input_.add_issue_at_line(place_, fmt::format("{}", number_), "expected a number that no other element has");
    if (set_ != nullptr) set_->elements.push_back(number_);
    nodes_.clear();
  }

  /// Adds to the `members` of the present set those that a line names by their numbers, or by the set of `sets` that
  /// they are in. find(number) returns a member, or nothing if the file has none of this number.
  template <class Member, class Find>
  void read_set(const Line& line, std::vector<NamedSet>& sets, std::vector<Member> NamedSet::*members,
                const Find& find) {
    NamedSet& set = *set_;
    const auto add = [&](std::int64_t number) {
      const std::optional<Member> member = find(number);
      if (member) (set.*members).push_back(*member);
      return member.has_value();
    };
    const auto merge = [&](const std::string& name) {
      const NamedSet* other = known_set(sets, name);
      if (other != nullptr && other != &set)
        (set.*members).insert((set.*members).end(), (other->*members).begin(), (other->*members).end());
      return other != nullptr;
    };
    if (is_range_) {
      std::array<std::int64_t, 3> range = {0, 0, 1};
      for (std::size_t k = 0; k < std::min<std::size_t>(3, line.words.size()); ++k) {
        if (!parse_integer(line.words[k], range[k]) || range[k] < 1)
          return fail(line, k, "expected first, last, step of a range");
      }
      if (line.words.size() < 2 || range[1] < range[0]) return fail(line, 1, "expected first, last, step of a range");
      for (std::int64_t number = range[0]; number <= range[1]; number += range[2]) {
        if (!add(number)) return fail(line, 0, "expected a range of numbers that are in the file");
      }
      return;
    }
    for (std::size_t k = 0; k < line.words.size(); ++k) {
      std::int64_t number = 0;
      const bool is_good = parse_integer(line.words[k], number) ? add(number) : merge(std::string(line.words[k]));
      if (!is_good) return fail(line, k, "expected a number that is in the file above, or the name of a set above");
    }
  }

  void read_node_set(const Line& line) {
    read_set(line, node_sets_, &NamedSet::nodes, [&](std::int64_t number) -> std::optional<int> {
      const auto found = index_of_.find(number);
      if (found == index_of_.end()) return std::nullopt;
      return found->second;
    });
  }

  void read_element_set(const Line& line) {
    read_set(line, element_sets_, &NamedSet::elements, [&](std::int64_t number) -> std::optional<std::int64_t> {
      if (!parts_.contains(number)) return std::nullopt;
      return number;
    });
  }

  /// Reads a line of a surface: an element or a set of these, and a side: S1 to S4 of tetrahedra, SPOS or SNEG of
  /// triangles.
  void read_surface(const Line& line) {
    std::vector<std::int64_t> numbers;
    std::int64_t number = 0;
    if (parse_integer(line.words[0], number)) {
      numbers.push_back(number);
    } else if (const NamedSet* set = known_set(element_sets_, std::string(line.words[0]))) {
      numbers = set->elements;
    } else {
      return fail(line, 0, "expected an element, or a set of elements above");
    }
    const std::string side = line.words.size() > 1 ? to_lower(line.words[1]) : "";
    const std::size_t of_tet = std::string_view("1234").find(side.size() == 2 && side[0] == 's' ? side[1] : '0');
    for (const std::int64_t element : numbers) {
      const auto part = parts_.find(element);
      if (part == parts_.end()) return fail(line, 0, "expected an element above");
      for (const std::array<int, 4>& corners : part->second.simplices) {
        if (part->second.dim == 2) {
          set_->faces.push_back(corners);
        } else if (part->second.dim == 3 && of_tet != std::string_view::npos) {
          const auto& [a, b, c] = sides_of_tet[of_tet];
          set_->faces.push_back({corners[a], corners[b], corners[c], -1});
        } else {
          return fail(line, 1, "expected a side of a tetrahedron, S1 to S4");
        }
      }
    }
  }

  /// Reads where an instance of the part is: nowhere else than the part.
  void read_place(const Line& line) {
    for (std::size_t k = 0; k < line.words.size(); ++k) {
      double value = 0.0;
      if (!parse_real(line.words[k], value) || value != 0.0)
        return fail(line, k, "expected a part that stays where it is; place the body by its `transform` instead");
    }
  }

  NamedSet* known_set(std::vector<NamedSet>& sets, const std::string& name) const {
    const auto found = std::find_if(sets.begin(), sets.end(),
                                    [&](const NamedSet& set) { return to_lower(set.name) == to_lower(name); });
    return found == sets.end() ? nullptr : &*found;
  }
  NamedSet& find_set(std::vector<NamedSet>& sets, const std::string& name) {
    if (NamedSet* known = known_set(sets, name)) return *known;
    return sets.emplace_back(NamedSet{name, {}, {}, {}});
  }

  /// Stores sets as groups of the mesh, numbered from 1. A set of several kinds of elements has a group of each.
  void store_sets() {
    int number = 0;
    const auto store = [&](const std::string& name, int dim, std::vector<std::array<int, 4>> of_group) {
      if (!of_group.empty()) mesh_.groups.push_back({name, ++number, dim, std::move(of_group)});
    };
    for (const NamedSet& set : element_sets_) {
      std::map<int, std::vector<std::array<int, 4>>> by_dim;
      for (const std::int64_t element : set.elements) {
        const Part& part = parts_.at(element);
        std::vector<std::array<int, 4>>& of_dim = by_dim[part.dim];
        of_dim.insert(of_dim.end(), part.simplices.begin(), part.simplices.end());
      }
      for (auto& [dim, of_dim] : by_dim) store(set.name, dim, std::move(of_dim));
    }
    for (const NamedSet& set : surfaces_) store(set.name, 2, set.faces);
    for (const NamedSet& set : node_sets_) {
      std::vector<std::array<int, 4>> of_nodes;
      for (const int v : set.nodes) of_nodes.push_back({v, -1, -1, -1});
      store(set.name, 0, std::move(of_nodes));
    }
  }

  MeshInput& input_;
  Mesh& mesh_;
  TextCursor cursor_;
  void (AbaqusReader::*read_data_)(const Line&) = nullptr;  // for the lines below the present keyword
  NamedSet* set_ = nullptr;                                 // that these lines add to
  bool is_range_ = false;
  bool has_nodes_ = false;
  int num_parts_ = 0;
  const AbaqusElement* element_ = nullptr;
  std::int64_t number_ = 0;  // of the element under way,
  std::size_t place_ = 0;    // where it begins,
  std::vector<int> nodes_;   // and its nodes so far
  std::unordered_map<std::int64_t, int> index_of_;
  std::map<std::int64_t, Part> parts_;
  std::vector<int> curved_faces_;
  std::vector<NamedSet> node_sets_, element_sets_, surfaces_;
};

}  // namespace

void read_abaqus(MeshInput& input, Mesh& mesh) {
  AbaqusReader(input, mesh).read();
}

}  // namespace clearance
