#include "clearance/geometry/repeated_elements.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "clearance/geometry/disjoint_sets.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/element_corners.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/weld.h"

namespace clearance {

namespace {

template <std::size_t n>
using Elements = std::vector<std::array<int, n>>;

/// Returns the corners in cyclic order from the smallest one. Facets with the same corners in the same direction then
/// compare equal.
template <std::size_t n>
std::array<int, n> from_smallest(std::array<int, n> facet) {
  if constexpr (n == 3) std::rotate(facet.begin(), std::min_element(facet.begin(), facet.end()), facet.end());
  return facet;
}

/// Returns, for each element, the one with the same key that stays: the first in the order of `is_before`, then by
/// number.
template <class Key, class IsBefore>
std::vector<int> find_originals(const std::vector<Key>& keys, const IsBefore& is_before) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) -> const Key& { return keys[i]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    if (key(a) != key(b)) return key(a) < key(b);
    if (is_before(a, b) != is_before(b, a)) return is_before(a, b);
    return a < b;
  });
  std::vector<int> originals(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_copy = i > 0 && key(order[i]) == key(order[i - 1]);
    originals[order[i]] = is_copy ? originals[order[i - 1]] : order[i];
  }
  return originals;
}

template <class Key>
std::vector<int> find_originals(const std::vector<Key>& keys) {
  return find_originals(keys, [](int, int) { return false; });
}

/// Removes the elements whose original is another element.
template <class List>
void keep_originals(List& elements, const std::vector<int>& originals, ElementCopies& copies) {
  List kept;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (std::cmp_equal(originals[i], i)) {
      kept.push_back(elements[i]);
    } else {
      copies.add(static_cast<int>(i), originals[i]);
    }
  }
  if (kept.size() < elements.size()) elements = std::move(kept);
}

template <std::size_t n, class MakeKey>
void merge(Elements<n>& elements, const MakeKey& make_key, ElementCopies& copies) {
  std::vector<std::array<int, n>> keys;
  for (const auto& element : elements) keys.push_back(make_key(element));
  keep_originals(elements, find_originals(keys), copies);
}

/// Removes solid elements with all their data, and records their numbers.
template <std::size_t n>
void keep_solids(Mesh& mesh, Elements<n>& solids, const std::vector<int>& originals, ElementCopies& copies,
                 MergedElements& merged) {
  const std::size_t count = solids.size();
  std::vector<int> now(count, -1), kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::cmp_not_equal(originals[i], i)) continue;
    now[i] = static_cast<int>(kept.size());
    kept.push_back(static_cast<int>(i));
  }
  if (kept.size() == count) return;
  for (std::size_t i = 0; i < count; ++i) now[i] = now[originals[i]];
  if (mesh.has_curved_cells()) {
    std::vector<int> nodes, first = {0};
    for (const int cell : kept) {
      const std::span<const int> of_cell = mesh.nodes_of_cell(cell);
      nodes.insert(nodes.end(), of_cell.begin(), of_cell.end());
      first.push_back(static_cast<int>(nodes.size()));
    }
    mesh.cell_nodes = std::move(nodes);
    mesh.first_cell_node = mesh.cell_nodes.empty() ? std::vector<int>{} : std::move(first);
  }
  keep_originals(solids, originals, copies);
  // A second pass continues from the result of the first.
  if (merged.solid_of_number.empty()) {
    merged.solid_of_number = std::move(now);
    merged.number_of_solid = std::move(kept);
    return;
  }
  for (int& solid : merged.solid_of_number) solid = now[solid];
  for (int& cell : kept) cell = merged.number_of_solid[cell];
  merged.number_of_solid = std::move(kept);
}

bool is_turned_right(const Mesh& mesh, const std::array<int, 4>& tet) {
  const auto at = [&](std::size_t i) -> const Vec<3>& { return mesh.vertices[tet[i]]; };
  return tet_volume(at(0), at(1), at(2), at(3)) > 0.0;
}
bool is_turned_right(const Mesh& mesh, const std::array<int, 3>& triangle) {
  const auto at = [&](std::size_t i) -> const Vec<3>& { return mesh.vertices[triangle[i]]; };
  return cross_product(at(1) - at(0), at(2) - at(0))[2] > 0.0;
}

template <std::size_t n>
void merge_solids(Mesh& mesh, Elements<n>& solids, MergedElements& merged) {
  std::vector<std::array<int, n>> keys;
  for (const auto& solid : solids) keys.push_back(sorted_corners(solid));
  const auto rank = [&](int cell) {
    const std::size_t c = cell;
    return std::pair(mesh.order_of_cell(c), is_turned_right(mesh, solids[c]));
  };
  const std::vector<int> originals = find_originals(keys, [&](int a, int b) { return rank(a) > rank(b); });
  keep_solids(mesh, solids, originals, merged.listed_again[n - 1], merged);
}

/// The facets at each ridge, the feature that neighbours share: an edge or, in 2D, a vertex.
template <std::size_t n>
class Ridges {
 public:
  explicit Ridges(const Elements<n>& facets) {
    for (std::size_t f = 0; f < facets.size(); ++f) {
      for (std::size_t opposite = 0; opposite < n; ++opposite) {
        Ridge ridge{{}, static_cast<int>(f)};
        for (std::size_t i = 0, k = 0; i < n; ++i) {
          if (i != opposite) ridge.vertices[k++] = facets[f][i];
        }
        ridge.vertices = sorted_corners(ridge.vertices);
        ridges_.push_back(ridge);
      }
    }
    std::sort(ridges_.begin(), ridges_.end(), [](const Ridge& a, const Ridge& b) {
      return std::pair(a.vertices, a.facet) < std::pair(b.vertices, b.facet);
    });
  }
  /// Calls visit(facets) with the facets at every ridge.
  template <class Visit>
  void for_each(const Visit& visit) const {
    std::vector<int> facets;
    for (std::size_t begin = 0; begin < ridges_.size(); begin += facets.size()) {
      facets.clear();
      for (std::size_t i = begin; i < ridges_.size() && ridges_[i].vertices == ridges_[begin].vertices; ++i) {
        facets.push_back(ridges_[i].facet);
      }
      visit(facets);
    }
  }

 private:
  struct Ridge {
    std::array<int, n - 1> vertices;
    int facet;
  };
  std::vector<Ridge> ridges_;
};

/// Facets that occur in both directions. One of each pair is removed if both together keep the surface open, or if the
/// connected part consists of such pairs alone.
template <std::size_t n>
class DoubleSides {
 public:
  /// `originals` holds, for each facet, the first one with its corners.
  DoubleSides(const Elements<n>& facets, std::vector<int> originals)
      : ridges_(facets), parts_(facets.size()), patches_(facets.size()), originals_(std::move(originals)) {
    is_double_.assign(facets.size(), 0);
    for (int f = 0; f < count(); ++f) {
      if (at(originals_, f) != f) at(is_double_, at(originals_, f)) = at(is_double_, f) = 1;
    }
  }

  /// Returns, for each facet, the one that stays in its place.
  std::vector<int> decide() {
    join();
    count_openings();
    std::vector<char> has_single(originals_.size(), 0);  // per part: 1 if it has a facet that is not double
    for (int f = 0; f < count(); ++f) {
      if (at(is_double_, f) == 0) at(has_single, parts_.root(f)) = 1;
    }
    std::vector<int> stays = originals_;
    for (int f = 0; f < count(); ++f) {
      const bool closes = at(open_after_, patches_.root(f)) < at(open_before_, patches_.root(f));
      if (at(has_single, parts_.root(f)) != 0 && !closes) at(stays, f) = f;
    }
    return stays;
  }

 private:
  template <class T>
  static T& at(std::vector<T>& list, int i) {
    return list[i];
  }
  int count() const { return static_cast<int>(originals_.size()); }

  void join() {
    ridges_.for_each([&](const std::vector<int>& facets) {
      int first_double = -1;
      for (const int f : facets) {
        parts_.join(facets.front(), f);
        if (at(is_double_, f) == 0) continue;
        if (first_double < 0) first_double = f;
        patches_.join(first_double, f);
      }
    });
  }
  /// Counts the ridges with an odd number of facets for each patch of doubles, once with both sides of the patch and
  /// once with one.
  void count_openings() {
    open_before_.assign(originals_.size(), 0);
    open_after_ = open_before_;
    ridges_.for_each([&](const std::vector<int>& facets) {
      std::size_t num_copies = 0;
      int patch = -1;
      for (const int f : facets) {
        if (at(is_double_, f) != 0) patch = patches_.root(f);
        num_copies += at(originals_, f) != f ? 1 : 0;
      }
      if (patch < 0) return;
      at(open_before_, patch) += static_cast<int>(facets.size() % 2);
      at(open_after_, patch) += static_cast<int>((facets.size() - num_copies) % 2);
    });
  }

  Ridges<n> ridges_;
  DisjointSets parts_, patches_;  // connected facets, and connected doubles
  std::vector<int> originals_;
  std::vector<char> is_double_;
  std::vector<int> open_before_, open_after_;
};

template <std::size_t n>
void merge_sides(Elements<n>& facets, ElementCopies& copies) {
  std::vector<std::array<int, n>> keys;
  for (const auto& facet : facets) keys.push_back(sorted_corners(facet));
  std::vector<int> originals = find_originals(keys);
  bool has_double = false;
  for (std::size_t f = 0; f < facets.size(); ++f) has_double = has_double || std::cmp_not_equal(originals[f], f);
  if (has_double) keep_originals(facets, DoubleSides<n>(facets, std::move(originals)).decide(), copies);
}

/// Search for parts of a mesh that lie on others, element by element.
class CoincidingParts {
 public:
  explicit CoincidingParts(const Mesh& mesh) : place_(weld(mesh.vertices)), part_(connected_components(mesh)) {}

  /// Returns, for each vertex, the first vertex at its position.
  const std::vector<int>& places() const { return place_; }
  bool has_shared_places() const {
    for (std::size_t v = 0; v < place_.size(); ++v) {
      if (std::cmp_not_equal(place_[v], v)) return true;
    }
    return false;
  }

  /// Returns, for each element, the first element at its position, by the order of the parts; this may be the element
  /// itself.
  template <std::size_t n>
  std::vector<int> find(const Elements<n>& elements) {
    std::vector<std::array<int, n>> keys;
    for (std::array<int, n> element : elements) {
      for (int& v : element) v = place_[v];
      keys.push_back(sorted_corners(element));
    }
    return find_originals(keys, [&](int a, int b) { return part_of(elements[a]) < part_of(elements[b]); });
  }
  template <std::size_t n>
  void add(const Elements<n>& elements, const std::vector<int>& originals) {
    has_own_.resize(part_.size(), 0);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const int part = part_of(elements[e]);
      if (part_of(elements[originals[e]]) == part) has_own_[part] = 1;
    }
  }
  template <std::size_t n>
  void keep_partly_own(const Elements<n>& elements, std::vector<int>& originals) const {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      if (has_own_[part_of(elements[e])] != 0) originals[e] = static_cast<int>(e);
    }
  }

 private:
  template <std::size_t n>
  int part_of(const std::array<int, n>& element) const {
    return part_[element[0]];
  }

  std::vector<int> place_, part_;  // per vertex
  std::vector<char> has_own_;      // per part: 1 if it has an element that lies on no earlier part
};

/// Updates groups that name removed elements by their vertices: they refer to the elements that remain at these
/// positions.
class GroupMover {
 public:
  GroupMover(const std::vector<int>& place, std::vector<MeshGroup>& groups)
      : place_(place), groups_(groups), new_vertex_(place.size()) {
    std::iota(new_vertex_.begin(), new_vertex_.end(), 0);
  }

  template <std::size_t n>
  void add(const Elements<n>& elements, const std::vector<int>& originals) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      if (std::cmp_equal(originals[e], e)) continue;
      for (const int from : elements[e]) {
        for (const int to : elements[originals[e]]) {
          if (place_[from] == place_[to]) at(from) = to;
        }
      }
    }
  }
  void run() {
    for (MeshGroup& group : groups_) {
      for (std::array<int, 4>& corners : group.elements) {
        for (int& v : corners) {
          if (v >= 0) v = at(v);
        }
      }
    }
  }

 private:
  int& at(int v) { return new_vertex_[v]; }

  const std::vector<int>& place_;
  std::vector<MeshGroup>& groups_;
  std::vector<int> new_vertex_;
};

void merge_coinciding_parts(Mesh& mesh, MergedElements& merged) {
  CoincidingParts parts(mesh);
  if (!parts.has_shared_places()) return;
  std::vector<int> tets = parts.find(mesh.tets), triangles = parts.find(mesh.triangles), edges = parts.find(mesh.edges);
  parts.add(mesh.tets, tets);
  parts.add(mesh.triangles, triangles);
  parts.add(mesh.edges, edges);
  parts.keep_partly_own(mesh.tets, tets);
  parts.keep_partly_own(mesh.triangles, triangles);
  parts.keep_partly_own(mesh.edges, edges);
  GroupMover groups(parts.places(), mesh.groups);
  groups.add(mesh.tets, tets);
  groups.add(mesh.triangles, triangles);
  groups.add(mesh.edges, edges);
  groups.run();
  ElementCopies of_tets, of_triangles, of_edges;
  if (mesh.dim == 3) keep_solids(mesh, mesh.tets, tets, of_tets, merged);
  if (mesh.dim == 3) keep_originals(mesh.triangles, triangles, of_triangles);
  if (mesh.dim == 2) keep_solids(mesh, mesh.triangles, triangles, of_triangles, merged);
  keep_originals(mesh.edges, edges, of_edges);
  for (const auto& [dim, copies] : {std::pair(3, of_tets), std::pair(2, of_triangles), std::pair(1, of_edges)}) {
    if (copies.count == 0) continue;
    merged.coinciding = copies;
    merged.dim_of_coinciding = dim;
    return;
  }
}

}  // namespace

void ElementCopies::add(int copy, int of) {
  if (count++ > 0) return;
  first = copy;
  original = of;
}

bool MergedElements::is_empty() const {
  return opposite.count == 0 && coinciding.count == 0 &&
         std::all_of(listed_again.begin(), listed_again.end(), [](const ElementCopies& c) { return c.count == 0; });
}

MergedElements merge_repeated_elements(Mesh& mesh) {
  MergedElements merged;
  if (mesh.dim == 3) {
    merge_solids(mesh, mesh.tets, merged);
    merge(mesh.triangles, from_smallest<3>, merged.listed_again[2]);
    merge_sides(mesh.triangles, merged.opposite);
    merge(mesh.edges, sorted_corners<2>, merged.listed_again[1]);
  } else {
    merge_solids(mesh, mesh.triangles, merged);
    merge(mesh.edges, from_smallest<2>, merged.listed_again[1]);
    merge_sides(mesh.edges, merged.opposite);
  }
  keep_originals(mesh.points, find_originals(mesh.points), merged.listed_again[0]);
  merge_coinciding_parts(mesh, merged);
  return merged;
}

}  // namespace clearance
