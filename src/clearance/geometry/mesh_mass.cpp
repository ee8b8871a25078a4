#include "clearance/geometry/mesh_mass.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "clearance/geometry/weld.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Triangles of a surface or, in 2D, edges of an outline.
template <std::size_t n>
using Facets = std::vector<std::array<int, n>>;

/// Facets that hang together, with one orientation.
template <std::size_t n>
struct Part {
  Facets<n> facets;
  std::vector<int> openings;  ///< a vertex of each ridge that is not closed
};

/// Sets of facets that remember whether a facet must be turned to agree with the first of its set.
class OrientedSets {
 public:
  explicit OrientedSets(int count) : parent_(static_cast<std::size_t>(count)), is_turned_(parent_.size(), 0) {
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
    // Everything on the way hangs on the root from now on.
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
    return list[static_cast<std::size_t>(i)];
  }
  std::vector<int> parent_;
  std::vector<char> is_turned_;
};

/// What neighbouring facets share: an edge or, in 2D, a vertex.
struct Ridge {
  std::array<int, 2> vertices;
  int facet;
  int sign;  ///< direction in which the facet runs along it
};

template <std::size_t n>
std::vector<Ridge> sorted_ridges(const Facets<n>& facets, const std::vector<int>& first) {
  std::vector<Ridge> ridges;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    std::array<int, n> v;
    for (std::size_t i = 0; i < n; ++i) v[i] = first[static_cast<std::size_t>(facets[f][i])];
    // A collapsed facet closes nothing.
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

template <std::size_t n>
std::vector<Part<n>> split_into_parts(const Vertices& vertices, const Facets<n>& facets) {
  const std::vector<Ridge> ridges = sorted_ridges(facets, weld(vertices));

  // Two facets at a ridge run along it in opposite directions; where more meet, the order given decides.
  OrientedSets sets(static_cast<int>(facets.size()));
  for_each_ridge(ridges, [&](const Ridge* begin, const Ridge* end) {
    const bool is_pair = end - begin == 2;
    for (const Ridge* r = begin + 1; r < end; ++r) {
      sets.unite(begin->facet, r->facet, is_pair && begin->sign == r->sign);
    }
  });

  std::vector<Part<n>> parts;
  std::vector<int> part_of_facet(facets.size(), -1);
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const auto place = sets.find(static_cast<int>(f));
    int& part = part_of_facet[static_cast<std::size_t>(place.root)];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    part_of_facet[f] = part;
    std::array<int, n> facet = facets[f];
    if (place.is_turned) std::swap(facet[0], facet[1]);
    parts[static_cast<std::size_t>(part)].facets.push_back(facet);
  }
  for_each_ridge(ridges, [&](const Ridge* begin, const Ridge* end) {
    int balance = 0;
    for (const Ridge* r = begin; r < end; ++r) balance += sets.find(r->facet).is_turned ? -r->sign : r->sign;
    if (balance == 0) return;
    const int part = part_of_facet[static_cast<std::size_t>(begin->facet)];
    parts[static_cast<std::size_t>(part)].openings.push_back(begin->vertices[0]);
  });
  return parts;
}

/// A closed part with volume (2D: area), signed.
struct Solid {
  MassProperties properties;
  BoundingBox box;

  void turn() {
    properties.measure = -properties.measure;
    properties.second_moment = -properties.second_moment;
  }
  bool contains(const Solid& other) const {
    return (box.min.array() <= other.box.min.array()).all() && (other.box.max.array() <= box.max.array()).all();
  }
};

/// All solids point outwards afterwards, apart from cavities.
MassProperties sum_of_solids(std::vector<Solid> solids) {
  double total = 0.0;
  for (const Solid& solid : solids) total += solid.properties.measure;
  if (total < 0.0) {
    for (Solid& solid : solids) solid.turn();
  }
  for (Solid& solid : solids) {
    if (solid.properties.measure > 0.0) continue;
    const bool is_cavity = std::any_of(solids.begin(), solids.end(), [&](const Solid& other) {
      return other.properties.measure > -solid.properties.measure && other.contains(solid);
    });
    if (!is_cavity) solid.turn();
  }
  // Cavities last: they need something to be taken from.
  std::stable_partition(solids.begin(), solids.end(), [](const Solid& s) { return s.properties.measure > 0.0; });
  MassProperties sum;
  for (const Solid& solid : solids) sum = combine(sum, solid.properties);
  return sum;
}

/// Solids of the closed parts; the facets of all others go to `thin`.
template <std::size_t n, class Integrate>
MassProperties integrate_closed_parts(const Mesh& mesh, const Facets<n>& facets, const Integrate& integrate,
                                      Facets<n>& thin, MeshMass& mass) {
  // Two sides without room between them are a sheet: what rounding leaves of their volume has no centre.
  constexpr double flat = 1e-12;
  std::vector<Solid> solids;
  for (const Part<n>& part : split_into_parts(mesh.vertices, facets)) {
    Solid solid;
    for (const auto& facet : part.facets) {
      for (const int v : facet) solid.box.extend(mesh.vertices[static_cast<std::size_t>(v)]);
    }
    if (part.openings.empty()) {
      solid.properties = integrate(mesh.vertices, part.facets);
    } else {
      if (mass.num_openings == 0) mass.opening = mesh.vertices[static_cast<std::size_t>(part.openings.front())];
      mass.num_openings += static_cast<int>(part.openings.size());
    }
    if (std::abs(solid.properties.measure) > flat * elementary::pow(solid.box.diagonal(), mesh.dim)) {
      solids.push_back(solid);
    } else {
      thin.insert(thin.end(), part.facets.begin(), part.facets.end());
    }
  }
  return sum_of_solids(std::move(solids));
}

}  // namespace

MeshMass mass_of_mesh(const Mesh& mesh, double thickness) {
  MeshMass mass;
  if (mesh.dim == 2) {
    Edges strips;
    mass.properties = combine(mass_properties_of_triangles(mesh.vertices, mesh.triangles),
                              integrate_closed_parts(mesh, mesh.edges, mass_properties_of_area, strips, mass));
    mass.properties = combine(mass.properties, mass_properties_of_strips(mesh.vertices, strips, thickness));
    mass.properties = combine(mass.properties, mass_properties_of_disks(mesh.vertices, mesh.points, thickness));
    mass.has_thin_parts = !strips.empty() || !mesh.points.empty();
    return mass;
  }
  Triangles sheets;
  mass.properties = combine(mass_properties_of_tets(mesh.vertices, mesh.tets),
                            integrate_closed_parts(mesh, mesh.triangles, mass_properties_of_solid, sheets, mass));
  mass.properties = combine(mass.properties, mass_properties_of_sheet(mesh.vertices, sheets, thickness));
  mass.properties = combine(mass.properties, mass_properties_of_rods(mesh.vertices, mesh.edges, thickness));
  mass.properties = combine(mass.properties, mass_properties_of_balls(mesh.vertices, mesh.points, thickness));
  mass.has_thin_parts = !sheets.empty() || !mesh.edges.empty() || !mesh.points.empty();
  return mass;
}

}  // namespace clearance
