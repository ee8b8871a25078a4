// Reads nodes, elements and sets of input files of Abaqus and CalculiX (.inp). CalculiX' manual, chapter "Input deck
// format", describes both the keywords and the order of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/abaqus_lines.h"
#include "clearance/io/mesh/abaqus_mesh.h"
#include "clearance/io/mesh/gmsh_elements.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// Kinds of elements by the beginnings of their names. `order` 0: a quadrilateral, a hexahedron or a wedge, which is
/// divided.
struct ElementKind {
  const char* beginning;
  int dim, order, num_nodes;
};
constexpr std::array elements = {
    ElementKind{"C3D8", 3, 0, 8}, ElementKind{"C3D6", 3, 0, 6},   ElementKind{"CPS4", 2, 0, 4},
    ElementKind{"CPE4", 2, 0, 4}, ElementKind{"C3D4", 3, 1, 4},   ElementKind{"C3D10", 3, 2, 10},
    ElementKind{"S3", 2, 1, 3},   ElementKind{"STRI3", 2, 1, 3},  ElementKind{"STRI65", 2, 2, 6},
    ElementKind{"S6", 2, 2, 6},   ElementKind{"S4", 2, 0, 4},     ElementKind{"M3D3", 2, 1, 3},
    ElementKind{"M3D6", 2, 2, 6}, ElementKind{"M3D4", 2, 0, 4},   ElementKind{"R3D3", 2, 1, 3},
    ElementKind{"R3D4", 2, 0, 4}, ElementKind{"SFM3D3", 2, 1, 3}, ElementKind{"CPS3", 2, 1, 3},
    ElementKind{"CPS6", 2, 2, 6}, ElementKind{"CPE3", 2, 1, 3},   ElementKind{"CPE6", 2, 2, 6},
    ElementKind{"B31", 1, 1, 2},  ElementKind{"B21", 1, 1, 2},    ElementKind{"T3D2", 1, 1, 2},
    ElementKind{"T2D2", 1, 1, 2},
};
constexpr const char* known_elements =
    "expected tetrahedra (C3D4, C3D10), hexahedra and wedges of order 1 (C3D8, C3D6), triangles (S3, S6, M3D3, CPS3, "
    "CPE3, CPS6, CPE6), quadrilaterals (S4, CPS4, CPE4) or lines (B31, T3D2); divide other elements into these";

/// Returns the kind of a type such as `C3D10M` or `S4R`: letters may follow the beginning, digits may not.
const ElementKind* find_element(const std::string& type) {
  const auto found = std::find_if(elements.begin(), elements.end(), [&](const ElementKind& element) {
    const std::string_view beginning = element.beginning;
    const bool has_letters = type.find_first_of("0123456789", beginning.size()) == std::string::npos;
    return type.starts_with(beginning) && has_letters;
  });
  return found == elements.end() ? nullptr : &*found;
}

/// Local numbers of the nodes of each side, S1 and so on, of a solid with this many corners; -1: a triangle.
std::span<const std::array<int, 4>> sides_of(std::size_t num_corners) {
  static constexpr std::array<std::array<int, 4>, 4> of_tet = {
      {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}}};
  static constexpr std::array<std::array<int, 4>, 5> of_wedge = {
      {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
  static constexpr std::array<std::array<int, 4>, 6> of_hexahedron = {
      {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}}};
  if (num_corners == 8) return of_hexahedron;
  if (num_corners == 6) return of_wedge;
  return of_tet;
}

/// Returns the triangles of a side with these corners. Quadrilaterals are divided at their smallest vertex, as their
/// neighbours do it.
std::vector<std::array<int, 4>> triangles_of(std::array<int, 4> side) {
  if (side[3] < 0) return {side};
  std::rotate(side.begin(), std::min_element(side.begin(), side.end()), side.end());
  return {{side[0], side[1], side[2], -1}, {side[0], side[2], side[3], -1}};
}

/// Divides a hexahedron or a wedge into tetrahedra between its smallest vertex and the triangles of the sides that do
/// not have it. Sides that have it are divided there, too, so that neighbours fit.
std::vector<std::array<int, 4>> tets_of(const std::vector<int>& corners) {
  const int apex = *std::min_element(corners.begin(), corners.end());
  std::vector<std::array<int, 4>> tets;
  for (const std::array<int, 4>& side : sides_of(corners.size())) {
    std::array<int, 4> vertices = {-1, -1, -1, -1};
    for (std::size_t k = 0; k < 4; ++k) {
      if (side[k] >= 0) vertices[k] = corners[side[k]];
    }
    if (std::find(vertices.begin(), vertices.end(), apex) != vertices.end()) continue;
    // Sides run counterclockwise seen from within.
    for (const auto& [a, b, c, none] : triangles_of(vertices)) tets.push_back({a, b, c, apex});
  }
  return tets;
}

class AbaqusReader {
 public:
  AbaqusReader(MeshInput& input, AbaqusMesh& read) : input_(input), read_(read), lines_(input.bytes()) {}

  void read() {
    AbaqusLine line;
    while (!input_.is_full() && lines_.next(line)) {
      if (line.words[0].starts_with('*')) {
        start_keyword(line);
      } else if (read_data_ != nullptr) {
        (this->*read_data_)(line);
      }
    }
    end_element();
    check_curved_faces(input_, read_.mesh, curved_faces_);
    if (!has_nodes_ && !input_.has_failed()) input_.add_issue("", "", "expected the keyword *NODE");
    store_sets();
  }

 private:
  void fail(const AbaqusLine& line, std::size_t word, std::string message) {
    const std::size_t at = std::min(word, line.words.size() - 1);
    input_.add_issue_at_line(line.places[at], word < line.words.size() ? line.words[at] : "", std::move(message));
  }

  void start_keyword(const AbaqusLine& line) {
    end_element();
    read_data_ = nullptr;
    set_ = nullptr;
    const std::string keyword = to_lower(line.words[0]);
    if (keyword == "*node") {
      has_nodes_ = true;
      if (!line.parameter("system").empty() && to_lower(line.parameter("system")) != "r")
        return fail(line, 0, "expected nodes in rectangular coordinates");
      if (const std::string name = line.parameter("nset"); !name.empty()) set_ = &set_of(read_.node_sets, name);
      read_data_ = &AbaqusReader::read_node;
    } else if (keyword == "*element") {
      start_elements(line);
    } else if (keyword == "*nset" || keyword == "*elset") {
      const std::string name = line.parameter(keyword.substr(1));
      if (name.empty()) return fail(line, 0, fmt::format("expected the name of a set: {}=NAME", keyword.substr(1)));
      is_range_ = !line.parameter("generate").empty();
      set_ = &set_of(keyword == "*nset" ? read_.node_sets : read_.element_sets, name);
      read_data_ = keyword == "*nset" ? &AbaqusReader::read_node_set : &AbaqusReader::read_element_set;
    } else if (keyword == "*surface") {
      const std::string type = to_lower(line.parameter("type")), name = line.parameter("name");
      if (name.empty() || (!type.empty() && type != "element" && type != "node")) return;
      set_ = &set_of(read_.surfaces, name);
      is_range_ = false;
      read_data_ = type == "node" ? &AbaqusReader::read_node_set : &AbaqusReader::read_surface;
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

  void start_elements(const AbaqusLine& line) {
    std::string type = line.parameter("type");
    std::transform(type.begin(), type.end(), type.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
    element_ = find_element(type);
    if (element_ == nullptr) return fail(line, 0, fmt::format("{}; this is type {}", known_elements, type));
    if (!has_nodes_) return fail(line, 0, "expected *NODE before *ELEMENT");
    if (const std::string name = line.parameter("elset"); !name.empty()) set_ = &set_of(read_.element_sets, name);
    type_ = std::move(type);
    read_data_ = &AbaqusReader::read_element;
  }

  void read_node(const AbaqusLine& line) {
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
    const int index = static_cast<int>(read_.mesh.vertices.size());
    if (!read_.vertex_of_node.emplace(number, index).second)
      return fail(line, 0, "expected a number that no other node has");
    read_.mesh.vertices.push_back(x);
    if (set_ != nullptr) set_->nodes.push_back(index);
  }

  /// Reads a line of an element. Its nodes may go on in further lines.
  void read_element(const AbaqusLine& line) {
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

  int num_corners() const { return element_->order == 0 ? element_->num_nodes : element_->dim + 1; }

  /// Reports an element that the next keyword, or the end of the file, cuts off.
  void end_element() {
    if (nodes_.empty()) return;
    input_.add_issue_at_line(
        place_, fmt::format("{}", number_),
        fmt::format("expected {} nodes of this element, found {}", element_->num_nodes, nodes_.size()));
    nodes_.clear();
  }

  bool find_node(const AbaqusLine& line, std::size_t word, int& index) {
    std::int64_t number = 0;
    const auto found =
        parse_integer(line.words[word], number) ? read_.vertex_of_node.find(number) : read_.vertex_of_node.end();
    if (found == read_.vertex_of_node.end()) {
      fail(line, word, "expected the number of a node above");
      return false;
    }
    index = found->second;
    return true;
  }

  void add_element() {
    const Mesh& mesh = read_.mesh;
    const std::size_t first = element_->dim == 3   ? mesh.tets.size()
                              : element_->dim == 2 ? mesh.triangles.size()
                                                   : mesh.edges.size();
    AbaqusElement part{type_, element_->dim, static_cast<int>(first), {}, {}};
    std::string message;
    if (element_->dim == 3) part.corners.assign(nodes_.begin(), nodes_.begin() + num_corners());
    if (element_->order == 0 && element_->dim == 3) {
      part.simplices = tets_of(nodes_);
      for (const std::array<int, 4>& tet : part.simplices) {
        if (message.empty()) message = add_element_of_nodes(3, tet, read_.mesh, curved_faces_);
      }
    } else if (element_->order == 0) {
      add_polygon(nodes_, read_.mesh);
      part.simplices = {{nodes_[0], nodes_[1], nodes_[2], -1}, {nodes_[0], nodes_[2], nodes_[3], -1}};
    } else {
      // The last two nodes of a tetrahedron of order 2 are exchanged in Gmsh's order.
      if (element_->dim == 3 && element_->order == 2) std::swap(nodes_[8], nodes_[9]);
      std::vector<int> ours(nodes_.size());
      for (std::size_t k = 0; k < nodes_.size(); ++k)
        ours[element_->dim < 2 ? k : gmsh_nodes(element_->dim, element_->order)[k]] = nodes_[k];
      message = add_element_of_nodes(element_->dim, ours, read_.mesh, curved_faces_);
      std::array<int, 4> corners{-1, -1, -1, -1};
      for (int k = 0; k <= element_->dim; ++k) corners[k] = nodes_[k];
      part.simplices = {corners};
    }
    if (!message.empty()) input_.add_issue_at_line(place_, fmt::format("{}", number_), message);
    if (!read_.elements.emplace(number_, std::move(part)).second)
      input_.add_issue_at_line(place_, fmt::format("{}", number_), "expected a number that no other element has");
    if (set_ != nullptr) set_->elements.push_back(number_);
    nodes_.clear();
  }

  /// Adds to the `members` of the present set those that a line names by their numbers, or by the set of `sets` that
  /// they are in. find(number) returns a member, or nothing if the file has none of this number.
  template <class Member, class Find>
  void read_set(const AbaqusLine& line, std::vector<AbaqusSet>& sets, std::vector<Member> AbaqusSet::*members,
                const Find& find) {
    AbaqusSet& set = *set_;
    const auto add = [&](std::int64_t number) {
      const std::optional<Member> member = find(number);
      if (member) (set.*members).push_back(*member);
      return member.has_value();
    };
    const auto merge = [&](const std::string& name) {
      const AbaqusSet* other = find_set(sets, name);
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

  void read_node_set(const AbaqusLine& line) {
    read_set(line, read_.node_sets, &AbaqusSet::nodes, [&](std::int64_t number) -> std::optional<int> {
      const auto found = read_.vertex_of_node.find(number);
      if (found == read_.vertex_of_node.end()) return std::nullopt;
      return found->second;
    });
  }

  void read_element_set(const AbaqusLine& line) {
    read_set(line, read_.element_sets, &AbaqusSet::elements, [&](std::int64_t number) -> std::optional<std::int64_t> {
      if (!read_.elements.contains(number)) return std::nullopt;
      return number;
    });
  }

  /// Reads a line of a surface: an element or a set of these, and a side: S1 to S4 of tetrahedra, SPOS or SNEG of
  /// triangles.
  void read_surface(const AbaqusLine& line) {
    std::vector<std::int64_t> numbers;
    std::int64_t number = 0;
    if (parse_integer(line.words[0], number)) {
      numbers.push_back(number);
    } else if (const AbaqusSet* set = find_set(read_.element_sets, std::string(line.words[0]))) {
      numbers = set->elements;
    } else {
      return fail(line, 0, "expected an element, or a set of elements above");
    }
    const std::string side = line.words.size() > 1 ? to_lower(line.words[1]) : "";
    const int number_of_side = side.size() == 2 && side[0] == 's' ? side[1] - '0' : 0;
    for (const std::int64_t element : numbers) {
      const auto part = read_.elements.find(element);
      if (part == read_.elements.end()) return fail(line, 0, "expected an element above");
      const std::vector<std::array<int, 4>> faces =
          part->second.dim == 2 ? part->second.simplices : side_of(part->second, number_of_side);
      if (faces.empty()) return fail(line, 1, "expected a side of the element, S1 and so on");
      set_->faces.insert(set_->faces.end(), faces.begin(), faces.end());
    }
  }

  /// Reads where an instance of the part is: nowhere else than the part.
  void read_place(const AbaqusLine& line) {
    for (std::size_t k = 0; k < line.words.size(); ++k) {
      double value = 0.0;
      if (!parse_real(line.words[k], value) || value != 0.0)
        return fail(line, k, "expected a part that stays where it is; place the body by its `transform` instead");
    }
  }

  static AbaqusSet& set_of(std::vector<AbaqusSet>& sets, const std::string& name) {
    const AbaqusSet* known = find_set(sets, name);
    return known != nullptr ? sets[static_cast<std::size_t>(known - sets.data())]
                            : sets.emplace_back(AbaqusSet{name, {}, {}, {}});
  }

  /// Stores sets as groups of the mesh, numbered from 1. A set of several kinds of elements has a group of each.
  void store_sets() {
    int number = 0;
    const auto store = [&](const std::string& name, int dim, std::vector<std::array<int, 4>> of_group) {
      if (!of_group.empty()) read_.mesh.groups.push_back({name, ++number, dim, std::move(of_group)});
    };
    for (const AbaqusSet& set : read_.element_sets) {
      std::map<int, std::vector<std::array<int, 4>>> by_dim;
      for (const std::int64_t element : set.elements) {
        const AbaqusElement& part = read_.elements.at(element);
        std::vector<std::array<int, 4>>& of_dim = by_dim[part.dim];
        of_dim.insert(of_dim.end(), part.simplices.begin(), part.simplices.end());
      }
      for (auto& [dim, of_dim] : by_dim) store(set.name, dim, std::move(of_dim));
    }
    for (const AbaqusSet& set : read_.surfaces) store(set.name, 2, set.faces);
    for (const AbaqusSet& set : read_.node_sets) {
      std::vector<std::array<int, 4>> of_nodes;
      for (const int v : set.nodes) of_nodes.push_back({v, -1, -1, -1});
      store(set.name, 0, std::move(of_nodes));
    }
  }

  MeshInput& input_;
  AbaqusMesh& read_;
  AbaqusLines lines_;
  void (AbaqusReader::*read_data_)(const AbaqusLine&) = nullptr;  // for the lines below the present keyword
  AbaqusSet* set_ = nullptr;                                      // that these lines add to
  bool is_range_ = false;
  bool has_nodes_ = false;
  int num_parts_ = 0;
  const ElementKind* element_ = nullptr;
  std::string type_;
  std::int64_t number_ = 0;  // of the element under way,
  std::size_t place_ = 0;    // where it begins,
  std::vector<int> nodes_;   // and its nodes so far
  std::vector<int> curved_faces_;
};

/// Keeps the list of one kind that are marked.
template <class List>
void keep(const std::vector<char>& is_kept, List& list) {
  List kept;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (is_kept[i] != 0) kept.push_back(list[i]);
  }
  list = std::move(kept);
}

}  // namespace

const AbaqusSet* find_set(const std::vector<AbaqusSet>& sets, const std::string& name) {
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const AbaqusSet& set) { return to_lower(set.name) == to_lower(name); });
  return found == sets.end() ? nullptr : &*found;
}

std::vector<std::array<int, 4>> side_of(const AbaqusElement& element, int side) {
  const std::span<const std::array<int, 4>> sides = sides_of(element.corners.size());
  if (element.dim != 3 || side < 1 || side > std::ssize(sides)) return {};
  std::array<int, 4> vertices = {-1, -1, -1, -1};
  for (std::size_t k = 0; k < 4; ++k) {
    const int corner = sides[static_cast<std::size_t>(side - 1)][k];
    if (corner >= 0) vertices[k] = element.corners[static_cast<std::size_t>(corner)];
  }
  return triangles_of(vertices);
}

std::vector<char> vertices_of_elements(const Mesh& mesh) {
  std::vector<char> is_used(mesh.vertices.size(), 0);
  const auto use = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (const int v : element) is_used[v] = 1;
    }
  };
  use(mesh.edges);
  use(mesh.triangles);
  use(mesh.tets);
  for (const int v : mesh.cell_nodes) is_used[v] = 1;
  return is_used;
}

Mesh mesh_of_sets(const AbaqusMesh& read, const std::vector<std::string>& element_sets) {
  Mesh mesh = read.mesh;
  std::array<std::vector<char>, 4> is_kept;
  is_kept[1].assign(mesh.edges.size(), 0);
  is_kept[2].assign(mesh.triangles.size(), 0);
  is_kept[3].assign(mesh.tets.size(), 0);
  for (const std::string& name : element_sets) {
    for (const std::int64_t number : find_set(read.element_sets, name)->elements) {
      const AbaqusElement& element = read.elements.at(number);
      std::fill_n(is_kept[element.dim].begin() + element.first, element.simplices.size(), 1);
    }
  }
  if (mesh.has_curved_cells()) {
    const std::vector<char>& is_cell_kept = is_kept[mesh.dim];
    mesh.cell_nodes.clear();
    mesh.first_cell_node = {0};
    for (std::size_t cell = 0; cell < is_cell_kept.size(); ++cell) {
      if (is_cell_kept[cell] == 0) continue;
      const std::span<const int> nodes = read.mesh.nodes_of_cell(cell);
      mesh.cell_nodes.insert(mesh.cell_nodes.end(), nodes.begin(), nodes.end());
      mesh.first_cell_node.push_back(static_cast<int>(mesh.cell_nodes.size()));
    }
  }
  keep(is_kept[1], mesh.edges);
  keep(is_kept[2], mesh.triangles);
  keep(is_kept[3], mesh.tets);
  const std::vector<char> is_used = vertices_of_elements(mesh);
  for (MeshGroup& group : mesh.groups) {
    std::erase_if(group.elements, [&](const std::array<int, 4>& element) {
      return std::any_of(element.begin(), element.end(), [&](int v) { return v >= 0 && is_used[v] == 0; });
    });
  }
  std::erase_if(mesh.groups, [](const MeshGroup& group) { return group.elements.empty(); });
  return mesh;
}

void read_abaqus(MeshInput& input, const std::string& element_sets, Mesh& mesh) {
  AbaqusMesh read = read_abaqus_mesh(input, mesh.dim);
  mesh = std::move(read.mesh);
  if (element_sets.empty() || input.has_failed()) return;
  read.mesh = std::move(mesh);
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= element_sets.size();) {
    const std::size_t comma = std::min(element_sets.find(',', at), element_sets.size());
    names.emplace_back(trimmed(std::string_view(element_sets).substr(at, comma - at)));
    if (find_set(read.element_sets, names.back()) == nullptr)
      input.add_issue("", names.back(), "expected the name of a set of elements of this file (*ELSET)");
    at = comma + 1;
  }
  mesh = input.has_failed() ? Mesh{} : mesh_of_sets(read, names);
}

AbaqusMesh read_abaqus_mesh(MeshInput& input, int dim) {
  AbaqusMesh read;
  read.mesh.dim = dim;
  AbaqusReader(input, read).read();
  return read;
}

}  // namespace clearance
