// Reads nodes, elements and sets of input files of Abaqus and CalculiX (.inp). CalculiX' manual, chapter "Input deck
// format", describes both the keywords and the order of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/abaqus_elements.h"
#include "clearance/io/mesh/abaqus_includes.h"
#include "clearance/io/mesh/abaqus_lines.h"
#include "clearance/io/mesh/abaqus_mesh.h"
#include "clearance/io/mesh/gmsh_elements.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

constexpr std::int64_t numbers_of_instance = 1'000'000'000'000;

/// Rigid motion that places an instance of a part: a translation, and then a rotation about an axis.
struct Placement {
  Vec<3> translation = Vec<3>::Zero(), point = Vec<3>::Zero();
  Mat<3> rotation = Mat<3>::Identity();

  Vec<3> operator()(const Vec<3>& x) const { return point + rotation * (x + translation - point); }
};

class AbaqusReader {
 public:
  AbaqusReader(MeshInput& input, AbaqusMesh& read) : input_(input), read_(read), lines_(input.bytes()) {}

  void read() {
    find_kinds();
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

  /// Finds out whether triangles and quadrilaterals of order 2 are shells, and not sides of solids.
  void find_kinds() {
    bool has_solids = false, has_sections = false;
    AbaqusLines lines(input_.bytes());
    AbaqusLine line;
    while (lines.next(line)) {
      if (!line.is_keyword()) continue;
      const std::string keyword = line.keyword();
      has_solids = has_solids || (keyword == "*element" && to_lower(line.parameter("type")).starts_with("c3d"));
      has_sections = has_sections || keyword == "*shellsection" || keyword == "*membranesection";
    }
    has_shells_ = has_sections || !has_solids;
  }

  void start_keyword(const AbaqusLine& line) {
    end_element();
    read_data_ = nullptr;
    set_ = nullptr;
    members_of_ = lines_.instance();
    const std::string keyword = line.keyword();
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
      // A set of the assembly may have members in an instance.
      if (const std::string instance = line.parameter("instance"); !instance.empty()) members_of_ = instance;
      if (const std::string elements = line.parameter("elset"); keyword == "*nset" && !elements.empty())
        return add_nodes_of(line, elements);
      read_data_ = keyword == "*nset" ? &AbaqusReader::read_node_set : &AbaqusReader::read_element_set;
    } else if (keyword == "*surface") {
      const std::string type = to_lower(line.parameter("type")), name = line.parameter("name");
      if (name.empty() || (!type.empty() && type != "element" && type != "node")) return;
      set_ = &set_of(read_.surfaces, name);
      is_range_ = false;
      read_data_ = type == "node" ? &AbaqusReader::read_node_surface : &AbaqusReader::read_surface;
    } else if (keyword == "*part") {
      if (++num_parts_ > 1) fail(line, 0, "expected one part, or parts with instances (*INSTANCE)");
    } else if (keyword == "*instance") {
      start_instance(line);
    } else if (keyword == "*endinstance") {
      placement_ = {};
    } else if (keyword == "*ngen" || keyword == "*nfill" || keyword == "*ncopy" || keyword == "*elgen" ||
               keyword == "*elcopy" || keyword == "*nmap" || keyword == "*system") {
      fail(line, 0, "expected nodes and elements in full; this keyword makes or moves some");
    }
  }

  void start_instance(const AbaqusLine& line) {
    const std::string name = line.parameter("name"), part = line.parameter("part");
    placement_ = {};
    num_place_lines_ = 0;
    if (name.empty()) return fail(line, 0, "expected the name of the instance: NAME=");
    if (!part.empty() && !lines_.has_part(part))
      return fail(line, 0, fmt::format("expected the name of a *PART: {}", part));
    read_.instances.push_back(name);
    read_data_ = &AbaqusReader::read_place;
  }

  void start_elements(const AbaqusLine& line) {
    std::string type = line.parameter("type");
    std::transform(type.begin(), type.end(), type.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
    element_ = find_abaqus_element(type);
    if (element_ == nullptr) return fail(line, 0, fmt::format("{}; this is type {}", known_abaqus_elements, type));
    if (!has_nodes_) return fail(line, 0, "expected *NODE before *ELEMENT");
    if (const std::string name = line.parameter("elset"); !name.empty()) set_ = &set_of(read_.element_sets, name);
    type_ = std::move(type);
    read_data_ = &AbaqusReader::read_element;
  }

  void read_node(const AbaqusLine& line) {
    const std::optional<std::int64_t> number = number_of(read_, line.words[0], lines_.instance());
    if (!number) return fail(line, 0, "expected the number of a node, 1 or more");
    Vec<3> x = Vec<3>::Zero();
    for (std::size_t c = 1; c < std::min<std::size_t>(4, line.words.size()); ++c) {
      double& value = x[static_cast<Eigen::Index>(c - 1)];
      if (line.words[c].empty()) continue;  // a coordinate of 0
      if (!parse_abaqus_number(line.words[c], value) || !std::isfinite(value))
        return fail(line, c, "expected a finite coordinate");
    }
    const int index = static_cast<int>(read_.mesh.vertices.size());
    if (!read_.vertex_of_node.emplace(*number, index).second)
      return fail(line, 0, "expected a number that no other node has");
    read_.mesh.vertices.push_back(placement_(x));
    if (set_ != nullptr) set_->nodes.push_back(index);
  }

  /// Reads a line of an element. Its nodes may go on in further lines.
  void read_element(const AbaqusLine& line) {
    std::size_t first = 0;
    if (nodes_.empty()) {
      const std::optional<std::int64_t> number = number_of(read_, line.words[0], lines_.instance());
      if (!number) return fail(line, 0, "expected the number of an element, 1 or more");
      number_ = *number;
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

  bool find_node(const AbaqusLine& line, std::size_t word, int& index) {
    const std::optional<std::int64_t> number = number_of(read_, line.words[word], lines_.instance());
    const auto found = number ? read_.vertex_of_node.find(*number) : read_.vertex_of_node.end();
    if (found == read_.vertex_of_node.end()) {
      fail(line, word, "expected the number of a node above");
      return false;
    }
    index = found->second;
    return true;
  }

  void add_element() {
    const Mesh& mesh = read_.mesh;
    const int dim = element_->dim();
    const std::size_t first = dim == 3 ? mesh.tets.size() : dim == 2 ? mesh.triangles.size() : mesh.edges.size();
    AbaqusElement part{type_, dim, static_cast<int>(first), {}, nodes_, element_->num_corners()};
    std::string message;
    // Lines, and shells in 3D, have no curved elements: all their nodes become corners.
    const bool is_solid = dim == mesh.dim, is_side = dim == 2 && mesh.dim == 3 && !has_shells_;
    const bool has_more_corners = element_->order == 2 && !is_solid && !is_side;
    const std::vector<std::vector<int>> simplices =
        has_more_corners
            ? linear_simplices_of(*element_, nodes_)
            : simplices_of(*element_, nodes_, [&](std::vector<int> nodes) { return find_middle(std::move(nodes)); });
    for (const std::vector<int>& simplex : simplices) {
      if (message.empty()) message = add_simplex(dim, simplex);
      std::array<int, 4> corners{-1, -1, -1, -1};
      std::copy_n(simplex.begin(), dim + 1, corners.begin());
      part.simplices.push_back(corners);
    }
    if (!message.empty()) input_.add_issue_at_line(place_, name_of_number(read_, number_), message);
    if (!read_.elements.emplace(number_, std::move(part)).second)
      input_.add_issue_at_line(place_, name_of_number(read_, number_), "expected a number that no other element has");
    if (set_ != nullptr) set_->elements.push_back(number_);
    nodes_.clear();
  }

  /// Adds a simplex of order 1 or 2 with the nodes in the order of CalculiX. Says what was expected if that fails.
  std::string add_simplex(int dim, std::vector<int> nodes) {
    const bool is_curved = std::ssize(nodes) > dim + 1;
    if (!is_curved || dim == 1) return add_element_of_nodes(dim, nodes, read_.mesh, curved_faces_);
    // The last two nodes of a tetrahedron of order 2 are exchanged in Gmsh's order.
    if (dim == 3) std::swap(nodes[8], nodes[9]);
    std::vector<int> ours(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) ours[gmsh_nodes(dim, 2)[k]] = nodes[k];
    return add_element_of_nodes(dim, ours, read_.mesh, curved_faces_);
  }

  /// Returns the vertex in the middle of the nodes of a side or an element, and makes it if it is new.
  int find_middle(std::vector<int> nodes) {
    std::vector<int> key = nodes;
    std::sort(key.begin(), key.end());
    const auto [at, is_new] = middles_.emplace(std::move(key), static_cast<int>(read_.mesh.vertices.size()));
    if (!is_new) return at->second;
    std::vector<Vec<3>> places;
    for (const int v : nodes) places.push_back(read_.mesh.vertices[v]);
    read_.mesh.vertices.push_back(middle_of(places));
    read_.middles.push_back({at->second, std::move(nodes)});
    return at->second;
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
      const AbaqusSet* other = find_set(sets, name, members_of_);
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
      // Abaqus and CalculiX pass over numbers of a range that the file does not have.
      bool has_any = false;
      const std::int64_t before = *number_of(read_, "1", members_of_) - 1;
      for (std::int64_t number = range[0]; number <= range[1]; number += range[2])
        has_any = add(before + number) || has_any;
      if (!has_any) fail(line, 0, "expected a range of numbers that are in the file");
      return;
    }
    for (std::size_t k = 0; k < line.words.size(); ++k) {
      const std::optional<std::int64_t> number = number_of(read_, line.words[k], members_of_);
      const bool is_good = number ? add(*number) : merge(std::string(line.words[k]));
      if (!is_good) return fail(line, k, "expected a number that is in the file above, or the name of a set above");
    }
  }

  /// Adds the nodes of a set of elements to the present set of nodes.
  void add_nodes_of(const AbaqusLine& line, const std::string& elements) {
    const AbaqusSet* from = find_set(read_.element_sets, elements, members_of_);
    if (from == nullptr) return fail(line, 0, "expected a set of elements above: ELSET=");
    for (const std::int64_t number : from->elements) {
      const std::vector<int>& nodes = read_.elements.at(number).nodes;
      set_->nodes.insert(set_->nodes.end(), nodes.begin(), nodes.end());
    }
  }

  void read_node_set(const AbaqusLine& line) {
    read_set(line, read_.node_sets, &AbaqusSet::nodes, [&](std::int64_t number) -> std::optional<int> {
      const auto found = read_.vertex_of_node.find(number);
      if (found == read_.vertex_of_node.end()) return std::nullopt;
      return found->second;
    });
  }

  /// Reads a line of a surface of nodes: a node or a set of these, and the area of each, which ties do not need.
  void read_node_surface(const AbaqusLine& line) {
    AbaqusLine nodes = line;
    nodes.words.resize(1);
    read_node_set(nodes);
  }

  void read_element_set(const AbaqusLine& line) {
    read_set(line, read_.element_sets, &AbaqusSet::elements, [&](std::int64_t number) -> std::optional<std::int64_t> {
      if (!read_.elements.contains(number)) return std::nullopt;
      return number;
    });
  }

  /// Reads a line of a surface: an element or a set of these, and a side: S1 and so on of solids and of elements in the
  /// plane, SPOS or SNEG of shells.
  void read_surface(const AbaqusLine& line) {
    std::vector<std::int64_t> numbers;
    if (const std::optional<std::int64_t> number = number_of(read_, line.words[0], lines_.instance())) {
      numbers.push_back(*number);
    } else if (const AbaqusSet* set = find_set(read_.element_sets, std::string(line.words[0]), lines_.instance())) {
      numbers = set->elements;
    } else {
      return fail(line, 0, "expected an element, or a set of elements above");
    }
    const std::string side = line.words.size() > 1 ? to_lower(line.words[1]) : "";
    const int number_of_side = side.size() == 2 && side[0] == 's' ? side[1] - '0' : 0;
    for (const std::int64_t element : numbers) {
      const auto part = read_.elements.find(element);
      if (part == read_.elements.end()) return fail(line, 0, "expected an element above");
      if (part->second.is_shell() && !read_side(line, side)) return;
      const std::vector<std::array<int, 4>> faces =
          part->second.is_shell() ? part->second.simplices : side_of(part->second, number_of_side);
      if (faces.empty()) return fail(line, 1, "expected a side of the element, S1 and so on");
      set_->faces.insert(set_->faces.end(), faces.begin(), faces.end());
    }
  }

  /// Reads the side of a shell: SPOS or SNEG, or S2 or S1 as CalculiX has them. Others are edges.
  bool read_side(const AbaqusLine& line, const std::string& side) {
    const bool is_negative = side == "sneg" || side == "s1" || side == "neg",
               is_positive = side == "spos" || side == "s2" || side == "pos";
    if (!side.empty() && !is_negative && !is_positive) {
      fail(line, 1, "expected a side of a shell, SPOS or SNEG; edges of shells are not supported");
      return false;
    }
    set_->has_both_sides = set_->has_both_sides || (!set_->faces.empty() && set_->is_negative != is_negative);
    set_->is_negative = is_negative;
    set_->has_no_side = set_->has_no_side || side.empty();
    return true;
  }

  /// Reads where an instance is: first its translation, then two points of an axis and the degrees by which it turns
  /// about that.
  void read_place(const AbaqusLine& line) {
    std::array<double, 7> values = {};
    const std::size_t num_values = num_place_lines_++ == 0 ? 3 : 7;
    for (std::size_t k = 0; k < std::min(line.words.size(), num_values); ++k) {
      if (!parse_abaqus_number(line.words[k], values[k]) || !std::isfinite(values[k]))
        return fail(line, k, "expected a finite number: a translation, or an axis and an angle");
    }
    const auto point = [&](std::size_t k) { return Vec<3>(values[k], values[k + 1], values[k + 2]); };
    if (num_values == 3) {
      placement_.translation = point(0);
      return;
    }
    const Vec<3> axis = point(3) - point(0);
    if (!(axis.norm() > 0.0)) return fail(line, 0, "expected two different points of an axis");
    placement_.point = point(0);
    placement_.rotation = rotation_from_vector(values[6] * radians_per_degree * axis.normalized());
  }

  AbaqusSet& set_of(std::vector<AbaqusSet>& sets, const std::string& name) {
    for (AbaqusSet& set : sets) {
      if (set.instance == lines_.instance() && to_lower(set.name) == to_lower(name)) return set;
    }
    return sets.emplace_back(AbaqusSet{name, lines_.instance()});
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
      for (auto& [dim, of_dim] : by_dim) store(group_name(read_.element_sets, set), dim, std::move(of_dim));
    }
    for (const AbaqusSet& set : read_.surfaces) {
      const bool has_edges = !set.faces.empty() && set.faces[0][2] < 0;
      store(group_name(read_.surfaces, set), has_edges ? 1 : 2, set.faces);
    }
    for (const AbaqusSet& set : read_.node_sets) {
      std::vector<std::array<int, 4>> of_nodes;
      for (const int v : set.nodes) of_nodes.push_back({v, -1, -1, -1});
      store(group_name(read_.node_sets, set), 0, std::move(of_nodes));
    }
  }

  MeshInput& input_;
  AbaqusMesh& read_;
  AbaqusLines lines_;
  void (AbaqusReader::*read_data_)(const AbaqusLine&) = nullptr;  // for the lines below the present keyword
  AbaqusSet* set_ = nullptr;                                      // that these lines add to
  bool is_range_ = false;
  bool has_nodes_ = false;
  bool has_shells_ = false;
  int num_parts_ = 0;
  std::string members_of_;  // instance of the members of the present set
  Placement placement_;     // of the present instance
  int num_place_lines_ = 0;
  const AbaqusElementKind* element_ = nullptr;
  std::string type_;
  std::int64_t number_ = 0;  // of the element under way,
  std::size_t place_ = 0;    // where it begins,
  std::vector<int> nodes_;   // and its nodes so far
  std::vector<int> curved_faces_;
  std::map<std::vector<int>, int> middles_;  // vertices by the nodes that they are in the middle of
};

std::string without_quotes(std::string_view text) {
  std::string result(text);
  std::erase(result, '"');
  return result;
}

/// Splits the name of an instance from what follows it: `BOLT-1.27` into `BOLT-1` and `27`.
std::array<std::string, 2> split_name(std::string_view word) {
  const std::string text = without_quotes(word);
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0) return {"", text};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

/// Keeps the list of one kind that are marked.
template <class List>
void keep(const std::vector<char>& is_kept, List& list) {
  List kept;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (is_kept[i] != 0) kept.push_back(list[i]);
  }
  list = std::move(kept);
}

/// Marks of the elements of each dimension.
using MarkedElements = std::array<std::vector<char>, 4>;

MarkedElements no_elements(const Mesh& mesh) {
  return {std::vector<char>(), std::vector<char>(mesh.edges.size(), 0), std::vector<char>(mesh.triangles.size(), 0),
          std::vector<char>(mesh.tets.size(), 0)};
}

/// Returns the mesh of the marked elements with their groups. Vertices keep their numbers.
Mesh mesh_of_elements(const Mesh& from, const MarkedElements& is_kept) {
  Mesh mesh = from;
  if (mesh.has_curved_cells()) {
    mesh.cell_nodes.clear();
    mesh.first_cell_node = {0};
    for (std::size_t cell = 0; cell < is_kept[mesh.dim].size(); ++cell) {
      if (is_kept[mesh.dim][cell] == 0) continue;
      const std::span<const int> nodes = from.nodes_of_cell(cell);
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

}  // namespace

std::optional<std::int64_t> number_of(const AbaqusMesh& mesh, std::string_view word, const std::string& instance) {
  const auto first_of = [&](std::string_view name) -> std::optional<std::int64_t> {
    if (name.empty()) return 0;
    const auto found = std::find_if(mesh.instances.begin(), mesh.instances.end(),
                                    [&](const std::string& other) { return to_lower(other) == to_lower(name); });
    if (found == mesh.instances.end()) return std::nullopt;
    return (1 + (found - mesh.instances.begin())) * numbers_of_instance;
  };
  const auto [of, rest] = split_name(word);
  std::int64_t number = 0;
  if (!parse_integer(rest, number) || number < 1 || number >= numbers_of_instance) return std::nullopt;
  const std::optional<std::int64_t> first = first_of(of.empty() ? instance : of);
  if (!first) return std::nullopt;
  return *first + number;
}

std::string name_of_number(const AbaqusMesh& mesh, std::int64_t number) {
  const auto instance = static_cast<std::size_t>(number / numbers_of_instance);
  const std::int64_t in_instance = number % numbers_of_instance;
  return instance == 0 ? fmt::format("{}", in_instance)
                       : fmt::format("{}.{}", mesh.instances[instance - 1], in_instance);
}

const AbaqusSet* find_set(const std::vector<AbaqusSet>& sets, const std::string& name, const std::string& instance) {
  const std::string wanted = to_lower(without_quotes(name));
  const auto [of, rest] = split_name(wanted);
  const AbaqusSet* only = nullptr;
  int num_of_name = 0;
  for (const AbaqusSet& set : sets) {
    const std::string its_name = to_lower(set.name), its_instance = to_lower(set.instance);
    if (its_name == wanted && its_instance == to_lower(instance)) return &set;
    if (!of.empty() && its_instance == of && its_name == rest) return &set;
    if (its_name != wanted) continue;
    only = &set;
    ++num_of_name;
  }
  return num_of_name == 1 ? only : nullptr;
}

std::string group_name(const std::vector<AbaqusSet>& sets, const AbaqusSet& set) {
  const bool is_only = std::none_of(sets.begin(), sets.end(), [&](const AbaqusSet& other) {
    return &other != &set && to_lower(other.name) == to_lower(set.name);
  });
  return is_only || set.instance.empty() ? set.name : set.instance + "." + set.name;
}

std::vector<std::array<int, 4>> side_of(const AbaqusElement& element, int side) {
  if (element.is_shell()) return {};
  if (element.dim == 2 && side >= 1 && side <= element.num_corners) {
    return {{element.nodes[side - 1], element.nodes[side % element.num_corners], -1, -1}};
  }
  if (element.dim != 3) return {};
  return triangles_of_side(std::span(element.nodes).first(static_cast<std::size_t>(element.num_corners)), side);
}

std::vector<int> nodes_of_faces(const Mesh& mesh, const std::vector<std::array<int, 4>>& faces) {
  std::set<int> nodes;
  std::set<std::array<int, 3>> corners;  // of edges -1 and two vertices
  for (const std::array<int, 4>& face : faces) {
    std::array<int, 3> of_face = {face[0], face[1], face[2]};
    nodes.insert(of_face.begin(), of_face.end());
    std::sort(of_face.begin(), of_face.end());
    corners.insert(of_face);
  }
  nodes.erase(-1);
  const std::size_t num_cells = mesh.has_curved_cells() ? mesh.num_solid_cells() : 0;
  const auto num_corners = static_cast<std::size_t>(mesh.dim) + 1;
  const auto& places = lagrange_nodes(mesh.dim, 2);
  for (std::size_t cell = 0; cell < num_cells; ++cell) {
    const std::span<const int> of_cell = mesh.nodes_of_cell(cell);
    for (std::size_t left_out = 0; of_cell.size() == places.size() && left_out < num_corners; ++left_out) {
      std::array<int, 3> of_face = {-1, -1, -1};
      for (std::size_t k = 0; k + 1 < num_corners; ++k) of_face[k] = of_cell[(left_out + 1 + k) % num_corners];
      std::sort(of_face.begin(), of_face.end());
      if (!corners.contains(of_face)) continue;
      for (std::size_t a = 0; a < places.size(); ++a) {
        if (places[a][left_out] == 0) nodes.insert(of_cell[a]);
      }
    }
  }
  return {nodes.begin(), nodes.end()};
}

void add_middles(const AbaqusMesh& mesh, std::vector<int>& vertices) {
  if (mesh.middles.empty()) return;
  const std::set<int> known(vertices.begin(), vertices.end());
  for (const AbaqusMiddle& middle : mesh.middles) {
    const bool has_all =
        std::all_of(middle.nodes.begin(), middle.nodes.end(), [&](int v) { return known.contains(v); });
    if (has_all && !known.contains(middle.vertex)) vertices.push_back(middle.vertex);
  }
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
  MarkedElements is_kept = no_elements(read.mesh);
  for (const std::string& name : element_sets) {
    for (const std::int64_t number : find_set(read.element_sets, name)->elements) {
      const AbaqusElement& element = read.elements.at(number);
      std::fill_n(is_kept[element.dim].begin() + element.first, element.simplices.size(), 1);
    }
  }
  return mesh_of_elements(read.mesh, is_kept);
}

std::vector<int> parts_of_vertices(const Mesh& mesh) {
  // Vertices that elements join get the same root, which is the smallest of them.
  std::vector<int> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  const auto join = [&](std::span<const int> nodes) {
    for (const int v : nodes) {
      const int a = root(v), b = root(nodes[0]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  };
  for (const auto& edge : mesh.edges) join(edge);
  for (const auto& triangle : mesh.triangles) join(triangle);
  for (const auto& tet : mesh.tets) join(tet);
  for (std::size_t cell = 0; mesh.has_curved_cells() && cell < mesh.num_solid_cells(); ++cell)
    join(mesh.nodes_of_cell(cell));
  const std::vector<char> is_used = vertices_of_elements(mesh);
  std::vector<int> part(mesh.vertices.size(), 0);
  int num_parts = 0;
  for (int v = 0; v < std::ssize(part); ++v) {
    if (is_used[v] != 0) part[v] = root(v) == v ? ++num_parts : part[root(v)];
  }
  return part;
}

Mesh mesh_of_part(const Mesh& mesh, const std::vector<int>& part_of_vertex, int part) {
  MarkedElements is_kept = no_elements(mesh);
  const auto mark = [&](const auto& elements, std::vector<char>& is_marked) {
    for (std::size_t i = 0; i < elements.size(); ++i) is_marked[i] = part_of_vertex[elements[i][0]] == part ? 1 : 0;
  };
  mark(mesh.edges, is_kept[1]);
  mark(mesh.triangles, is_kept[2]);
  mark(mesh.tets, is_kept[3]);
  return mesh_of_elements(mesh, is_kept);
}

void read_abaqus(MeshInput& input, const std::string& element_sets, Mesh& mesh) {
  follow_abaqus_includes(input);
  if (input.has_failed()) return;
  AbaqusMesh read = read_abaqus_mesh(input, mesh.dim);
  mesh = std::move(read.mesh);
  if (element_sets.empty() || input.has_failed()) return;
  read.mesh = std::move(mesh);
  // A number after the last # is that of a part that shares no nodes with others.
  std::string sets = element_sets;
  int part = 0;
  if (const std::size_t hash = sets.rfind('#'); hash != std::string::npos && parse_integer(sets.substr(hash + 1), part))
    sets.resize(hash);
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= sets.size();) {
    const std::size_t comma = std::min(sets.find(',', at), sets.size());
    names.emplace_back(trimmed(std::string_view(sets).substr(at, comma - at)));
    if (find_set(read.element_sets, names.back()) == nullptr)
      input.add_issue("", names.back(), "expected the name of a set of elements of this file (*ELSET)");
    at = comma + 1;
  }
  mesh = input.has_failed() ? Mesh{} : mesh_of_sets(read, names);
  if (part != 0) mesh = mesh_of_part(mesh, parts_of_vertices(mesh), part);
}

AbaqusMesh read_abaqus_mesh(MeshInput& input, int dim) {
  AbaqusMesh read;
  read.mesh.dim = dim;
  AbaqusReader(input, read).read();
  return read;
}

}  // namespace clearance
