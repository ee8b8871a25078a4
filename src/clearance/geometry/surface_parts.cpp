#include "clearance/geometry/surface_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "clearance/geometry/disjoint_sets.h"
#include "clearance/geometry/weld.h"

namespace clearance {

namespace {

/// Disjoint sets of facets that record whether a facet must be reversed to agree with the first of its set.
class OrientedSets {
 public:
  explicit OrientedSets(int count) : parent_(count), is_turned_(parent_.size(), 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  struct Place {
    int root;
    bool is_turned;
  };
  Place find(int i) {
    bool is_turned = false;
    int root = i;
    for (; at(parent_, root) != root; root = at(parent_, root)) is_turned ^= at(is_turned_, root) != 0;
    // All entries on the way now refer directly to the root.
    bool rest = is_turned;
    while (at(parent_, i) != i) {
      const int next = at(parent_, i);
      const bool own = at(is_turned_, i) != 0;
      at(parent_, i) = root;
      at(is_turned_, i) = rest;
      rest ^= own;
      i = next;
    }
    return {root, is_turned};
  }
  void unite(int a, int b, bool is_opposite) {
    Place to = find(a), from = find(b);
    if (to.root == from.root) return;
    if (to.root > from.root) std::swap(to, from);
    at(parent_, from.root) = to.root;
    at(is_turned_, from.root) = to.is_turned ^ from.is_turned ^ is_opposite;
  }

 private:
  template <class T>
  static T& at(std::vector<T>& list, int i) {
    return list[i];
  }
  std::vector<int> parent_;
  std::vector<char> is_turned_;
};

/// A ridge, the feature that neighbouring facets share: an edge or, in 2D, a vertex.
struct Ridge {
  std::array<int, 2> vertices;
  int facet;
  int sign;  ///< direction in which the facet runs along the ridge
};

template <std::size_t n>
std::vector<Ridge> sorted_ridges(const Facets<n>& facets, const std::vector<int>& first) {
  std::vector<Ridge> ridges;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    std::array<int, n> v;
    for (std::size_t i = 0; i < n; ++i) v[i] = first[facets[f][i]];
    // A collapsed facet closes nothing, so its ridges do not count.
    bool is_collapsed = false;
    for (std::size_t i = 0; i < n; ++i) is_collapsed = is_collapsed || v[i] == v[(i + 1) % n];
    if (is_collapsed) continue;
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (n == 2) {
        ridges.push_back({{v[i], v[i]}, static_cast<int>(f), i == 0 ? -1 : 1});
      } else {
        const int a = v[i], b = v[(i + 1) % n];
        ridges.push_back({{std::min(a, b), std::max(a, b)}, static_cast<int>(f), a < b ? 1 : -1});
      }
    }
  }
  std::sort(ridges.begin(), ridges.end(), [](const Ridge& a, const Ridge& b) {
    return std::pair(a.vertices, a.facet) < std::pair(b.vertices, b.facet);
  });
  return ridges;
}

/// Calls visit(begin, end) for the facets at every ridge.
template <class Visit>
void for_each_ridge(const std::vector<Ridge>& ridges, const Visit& visit) {
  for (std::size_t begin = 0, end = 0; begin < ridges.size(); begin = end) {
    while (end < ridges.size() && ridges[end].vertices == ridges[begin].vertices) ++end;
    visit(ridges.data() + begin, ridges.data() + end);
  }
}

/// Returns, for each vertex, the vertex that it is one with: itself if its facets close a surface by vertices of their
/// own, and otherwise the first such vertex at its position. Parts that touch along whole facets are not mixed up then.
template <std::size_t n>
std::vector<int> joined_vertices(const Vertices& vertices, const Facets<n>& facets) {
  std::vector<int> own(vertices.size());
  std::iota(own.begin(), own.end(), 0);
  const std::vector<int> place = weld(vertices);
  if (place == own) return own;

  DisjointSets components(vertices.size());
  for (const auto& facet : facets) {
    for (const int v : facet) components.join(facet[0], v);
  }
  std::vector<char> is_closed(vertices.size(), 1);  // per root of a component
  for_each_ridge(sorted_ridges(facets, own), [&](const Ridge* begin, const Ridge* end) {
    if (end - begin != 2) is_closed[components.root(begin->vertices[0])] = 0;
  });
  std::vector<int> joined = own, first_open(vertices.size(), -1);
  for (const int v : own) {
    if (is_closed[components.root(v)] != 0) continue;
    int& first = first_open[place[v]];
    if (first < 0) first = v;
    joined[v] = first;
  }
  return joined;
}

}  // namespace

template <std::size_t n>
std::vector<SurfacePart<n>> split_into_parts(const Vertices& vertices, const Facets<n>& facets) {
  const std::vector<Ridge> ridges = sorted_ridges(facets, joined_vertices(vertices, facets));

  // Two facets at a ridge must run along it in opposite directions. If more facets meet, the listed orientation stays.
  OrientedSets sets(static_cast<int>(facets.size()));
  for_each_ridge(ridges, [&](const Ridge* begin, const Ridge* end) {
    const bool is_pair = end - begin == 2;
    for (const Ridge* r = begin + 1; r < end; ++r) {
      sets.unite(begin->facet, r->facet, is_pair && begin->sign == r->sign);
    }
  });

  std::vector<SurfacePart<n>> parts;
  std::vector<int> part_of_facet(facets.size(), -1);
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const auto place = sets.find(static_cast<int>(f));
    int& part = part_of_facet[place.root];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    part_of_facet[f] = part;
    std::array<int, n> facet = facets[f];
    if (place.is_turned) std::swap(facet[0], facet[1]);
    SurfacePart<n>& to = parts[part];
    to.facets.push_back(facet);
    to.numbers.push_back(static_cast<int>(f));
    to.is_turned.push_back(place.is_turned ? 1 : 0);
  }
  for_each_ridge(ridges, [&](const Ridge* begin, const Ridge* end) {
    int balance = 0;
    for (const Ridge* r = begin; r < end; ++r) balance += sets.find(r->facet).is_turned ? -r->sign : r->sign;
    SurfacePart<n>& part = parts[part_of_facet[begin->facet]];
    if (end - begin > 2) part.has_branches = true;
    if (balance != 0) part.openings.push_back(begin->vertices[0]);
  });
  return parts;
}

template std::vector<SurfacePart<2>> split_into_parts(const Vertices&, const Facets<2>&);
template std::vector<SurfacePart<3>> split_into_parts(const Vertices&, const Facets<3>&);

}  // namespace clearance
