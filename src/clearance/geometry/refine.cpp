#include "clearance/geometry/refine.h"

#include <algorithm>
#include <map>

#include "clearance/base/contract.h"

namespace clearance {

namespace {

class Refinement {
 public:
  explicit Refinement(const Mesh& mesh) : coarse_(mesh) {
    fine_.dim = mesh.dim;
    fine_.vertices = mesh.vertices;
    fine_.points = mesh.points;
  }

  Mesh run() {
    for (const auto& tet : coarse_.tets) append(parts_of(tet), fine_.tets);
    for (const auto& triangle : coarse_.triangles) append(parts_of(triangle), fine_.triangles);
    for (const auto& [a, b] : coarse_.edges) {
      const int m = middle(a, b);
      fine_.edges.insert(fine_.edges.end(), {{a, m}, {m, b}});
    }
    for (const MeshGroup& group : coarse_.groups) refine(group);
    return std::move(fine_);
  }

 private:
  void refine(const MeshGroup& group) {
    MeshGroup& fine = fine_.groups.emplace_back(group);
    fine.elements.clear();
    for (const auto& [a, b, c, d] : group.elements) {
      if (group.dim == 0) fine.elements.push_back({a, -1, -1, -1});
      if (group.dim == 1) {
        const int m = middle(a, b);
        fine.elements.insert(fine.elements.end(), {{a, m, -1, -1}, {m, b, -1, -1}});
      }
      if (group.dim == 2) {
        for (const auto& [p, q, r] : parts_of(std::array<int, 3>{a, b, c})) fine.elements.push_back({p, q, r, -1});
      }
      if (group.dim == 3) {
        const auto parts = parts_of(std::array<int, 4>{a, b, c, d});
        fine.elements.insert(fine.elements.end(), parts.begin(), parts.end());
      }
    }
  }

  int middle(int a, int b) {
    const auto [known, is_new] =
        middles_.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(fine_.vertices.size()));
    if (is_new) fine_.vertices.push_back(0.5 * (at(a) + at(b)));
    return known->second;
  }
  Vec<3> at(int v) const { return fine_.vertices[v]; }

  template <class Parts, class Elements>
  static void append(const Parts& parts, Elements& elements) {
    elements.insert(elements.end(), parts.begin(), parts.end());
  }

  std::array<std::array<int, 3>, 4> parts_of(const std::array<int, 3>& triangle) {
    const auto& [a, b, c] = triangle;
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    return {{{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}};
  }

  // Returns the four tetrahedra at the corners, and four around a diagonal of the octahedron between them.
  std::array<std::array<int, 4>, 8> parts_of(const std::array<int, 4>& tet) {
    const auto& [a, b, c, d] = tet;
    const int ab = middle(a, b), ac = middle(a, c), ad = middle(a, d);
    const int bc = middle(b, c), bd = middle(b, d), cd = middle(c, d);
    // Each choice lists the ends of a diagonal, then the other four vertices in the order that makes positive volumes
    // around it.
    const std::array<std::array<int, 6>, 3> choices = {
        {{cd, ab, ac, bc, bd, ad}, {bd, ac, ad, cd, bc, ab}, {bc, ad, ab, bd, cd, ac}}};
    const auto length = [&](const std::array<int, 6>& choice) { return (at(choice[0]) - at(choice[1])).norm(); };
    const auto& [from, to, p, q, r, s] =
        *std::min_element(choices.begin(), choices.end(),
                          [&](const auto& one, const auto& other) { return length(one) < length(other); });
    return {{{a, ab, ac, ad},
             {ab, b, bc, bd},
             {ac, bc, c, cd},
             {ad, bd, cd, d},
             {from, to, p, q},
             {from, to, q, r},
             {from, to, r, s},
             {from, to, s, p}}};
  }

  const Mesh& coarse_;
  Mesh fine_;
  std::map<std::array<int, 2>, int> middles_;
};

}  // namespace

Mesh refine_uniformly(const Mesh& mesh) {
  CLEARANCE_ASSERT(!mesh.has_curved_cells());
  return Refinement(mesh).run();
}

}  // namespace clearance
