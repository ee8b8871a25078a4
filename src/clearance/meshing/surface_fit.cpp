#include "clearance/meshing/surface_fit.h"

#include <algorithm>
#include <memory>

#include "clearance/geometry/curved_boundary.h"
#include "clearance/geometry/distance.h"
#include "clearance/meshing/triangle_tree.h"

namespace clearance {

namespace {

// A node may go to a triangle whose normal is within 73 degrees of that of the faces at the node.
constexpr double least_product = 0.3;
constexpr double farthest = 0.5;      // as a share of the longest edge of its faces
constexpr double least_share = 0.02;  // share of a patch's area that makes another patch part of it

Vec<3> area_vector(const Vertices& vertices, const std::array<int, 3>& t) {
  return 0.5 * cross_product(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]);
}

/// Finds the patches of the surface that each patch of coarse faces stands for, and puts the triangles of each into a
/// tree.
class PatchTrees {
 public:
  PatchTrees(const Mesh& surface, const std::vector<int>& patches, const Vertices& vertices, const Triangles& faces,
             const std::vector<int>& coarse_patches) {
    const TriangleTree all(surface.vertices, surface.triangles);
    std::map<int, std::map<int, double>> areas;
    std::map<int, double> totals;
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const Vec<3> area = area_vector(vertices, faces[f]);
      const Vec<3> middle = (vertices[faces[f][0]] + vertices[faces[f][1]] + vertices[faces[f][2]]) / 3.0;
      const TriangleTree::Nearest found = all.nearest_facing(middle, area.normalized(), least_product);
      if (found.triangle < 0) continue;
      areas[coarse_patches[f]][patches[found.triangle]] += area.norm();
      totals[coarse_patches[f]] += area.norm();
    }
    for (const auto& [coarse, shares] : areas) {
      Triangles triangles;
      for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        const auto share = shares.find(patches[t]);
        if (share != shares.end() && share->second >= least_share * totals[coarse]) {
          triangles.push_back(surface.triangles[t]);
        }
      }
      trees_[coarse] = std::make_unique<TriangleTree>(surface.vertices, std::move(triangles));
    }
  }

  /// Returns the tree of a patch; null if the patch is near no triangle.
  const TriangleTree* tree(int coarse_patch) const {
    const auto found = trees_.find(coarse_patch);
    return found == trees_.end() ? nullptr : found->second.get();
  }

 private:
  std::map<int, std::unique_ptr<TriangleTree>> trees_;
};

/// A node of the boundary that is on no sharp edge, by the faces around it.
struct FreeNode {
  Vec<3> direction = Vec<3>::Zero();  // sum of unit normals
  double longest = 0.0;               // [m] longest edge
  int patch = -1;
};

double longest_edge(const Vertices& vertices, const std::array<int, 3>& t) {
  double longest = 0.0;
  for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, (vertices[t[k]] - vertices[t[(k + 1) % 3]]).norm());
  return longest;
}

Triangles corners_of_faces(const Mesh& mesh, const std::vector<ElementFace>& faces) {
  Triangles corners;
  for (const ElementFace& face : faces) {
    const auto& tet = mesh.tets[face.cell];
    corners.push_back({tet[face.corners[0]], tet[face.corners[1]], tet[face.corners[2]]});
  }
  return corners;
}

/// The nodes of the boundary between its corners: those with a place on a sharp curve, and the others.
class BoundaryNodes {
 public:
  BoundaryNodes(const Mesh& mesh, const SharpCurves& sharp, const CurvePieces& pieces)
      : mesh_(mesh), sharp_(sharp), pieces_(pieces) {}

  void add_face(const ElementFace& face, const std::array<int, 3>& corners, int patch) {
    const std::span<const int> nodes = mesh_.nodes_of_cell(face.cell);
    const std::vector<NodeIndex>& indices = lagrange_nodes(3, mesh_.order_of_cell(face.cell));
    const std::size_t opposite = 6 - face.corners[0] - face.corners[1] - face.corners[2];
    const Vec<3> normal = area_vector(mesh_.vertices, corners).normalized();
    for (std::size_t a = 4; a < nodes.size(); ++a) {
      if (indices[a][opposite] > 0 || place_on_curve(face.cell, nodes[a], indices[a])) continue;
      FreeNode& node = free[nodes[a]];
      node.direction += normal;
      node.longest = std::max(node.longest, longest_edge(mesh_.vertices, corners));
      node.patch = patch;
    }
  }

  std::map<int, Vec<3>> on_curves;
  std::map<int, FreeNode> free;

 private:
  /// Places a node of an edge that stands for a piece of a curve. Returns false for other nodes.
  bool place_on_curve(std::size_t cell, int node, const NodeIndex& index) {
    std::vector<std::pair<int, int>> ends;  // vertices and weights
    for (std::size_t i = 0; i < 4; ++i) {
      if (index[i] > 0) ends.emplace_back(mesh_.tets[cell][i], index[i]);
    }
    if (ends.size() != 2) return false;
    std::sort(ends.begin(), ends.end());
    const auto piece = pieces_.find({ends[0].first, ends[1].first});
    if (piece == pieces_.end()) return false;
    const auto& [curve, from, to] = piece->second;
    const double share = static_cast<double>(ends[1].second) / (ends[0].second + ends[1].second);
    on_curves[node] = sharp_.curves[curve].at(from + share * (to - from));
    return true;
  }

  const Mesh& mesh_;
  const SharpCurves& sharp_;
  const CurvePieces& pieces_;
};

}  // namespace

std::vector<NodePlace> fit_boundary_nodes(const Mesh& mesh, const Mesh& surface, const SharpCurves& sharp,
                                          const CurvePieces& pieces) {
  const std::vector<ElementFace> faces = find_boundary_faces(mesh);
  const Triangles corners = corners_of_faces(mesh, faces);
  const std::vector<int> patches =
      find_patches(corners, [&](const std::array<int, 2>& edge) { return pieces.contains(edge); });
  BoundaryNodes nodes(mesh, sharp, pieces);
  for (std::size_t f = 0; f < faces.size(); ++f) nodes.add_face(faces[f], corners[f], patches[f]);

  const PatchTrees trees(surface, sharp.patches, mesh.vertices, corners, patches);
  std::vector<NodePlace> places;
  for (const auto& [node, place] : nodes.on_curves) places.push_back({node, place});
  for (const auto& [number, node] : nodes.free) {
    const Vec<3>& x = mesh.vertices[number];
    places.push_back({number, x});
    const TriangleTree* tree = trees.tree(node.patch);
    if (tree == nullptr) continue;
    const TriangleTree::Nearest found = tree->nearest_facing(x, node.direction.normalized(), least_product);
    if (found.triangle < 0 || found.distance_sq > farthest * farthest * node.longest * node.longest) continue;
    places.back().place = tree->nearest_point(x, found.triangle);
  }
  return places;
}

}  // namespace clearance
