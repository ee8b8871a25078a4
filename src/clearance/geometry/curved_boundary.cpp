#include "clearance/geometry/curved_boundary.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/simplex_boundary.h"

namespace clearance {

namespace {

/// Evaluates the Bernstein polynomials of an order on the reference triangle at its nodes, one row per node. The matrix
/// maps coefficients to values at the nodes.
MatX bernstein_at_nodes(int order) {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(2, order);
  MatX values(std::ssize(nodes), std::ssize(nodes));
  std::vector<double> row(nodes.size());
  for (Eigen::Index r = 0; r < values.rows(); ++r) {
    Barycentrics at{};
    for (std::size_t i = 0; i < 3; ++i) at[i] = static_cast<double>(nodes[r][i]) / order;
    bernstein_values(2, order, at, row);
    values.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), std::ssize(row));
  }
  return values;
}

/// Computes an upper bound of the second derivatives of a face along its edges, by barycentrics.
double curvature_bound(const Mesh& mesh, const ElementFace& face) {
  const int order = mesh.order_of_cell(face.cell);
  if (order == 1) return 0.0;
  const std::vector<NodeIndex>& indices = lagrange_nodes(2, order);
  MatX points(std::ssize(indices), 3);
  for (std::size_t a = 0; a < indices.size(); ++a) {
    Barycentrics at{};
    for (std::size_t i = 0; i < 3; ++i) at[face.corners[i]] += static_cast<double>(indices[a][i]) / order;
    points.row(static_cast<Eigen::Index>(a)) = position_in_solid(mesh, face.cell, at).transpose();
  }
  const MatX control = bernstein_at_nodes(order).partialPivLu().solve(points);
  const auto at = [&](NodeIndex index, std::size_t i, std::size_t j) -> Vec<3> {
    ++index[i];
    ++index[j];
    return control.row(lagrange_node(2, order, index)).transpose();
  };
  double largest = 0.0;
  for (int i = 0; i <= order - 2; ++i) {
    for (int j = 0; i + j <= order - 2; ++j) {
      const NodeIndex base = {i, j, order - 2 - i - j, 0};
      for (std::size_t from = 0; from < 3; ++from) {
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) {
            const Vec<3> second = at(base, a, b) - at(base, a, from) - at(base, from, b) + at(base, from, from);
            largest = std::max(largest, second.norm());
          }
        }
      }
    }
  }
  return order * (order - 1) * largest;
}

}  // namespace

std::vector<int> nodes_of_solid(const Mesh& mesh, std::size_t cell) {
  const std::span<const int> curved = mesh.nodes_of_cell(cell);
  if (!curved.empty()) return {curved.begin(), curved.end()};
  return mesh.dim == 3 ? std::vector<int>(mesh.tets[cell].begin(), mesh.tets[cell].end())
                       : std::vector<int>(mesh.triangles[cell].begin(), mesh.triangles[cell].end());
}

std::vector<ElementFace> find_boundary_faces(const Mesh& mesh) {
  std::vector<ElementFace> faces;
  // The boundary lists its faces in the order of all faces of all elements.
  if (mesh.dim == 3) {
    const Triangles boundary = boundary_triangles(mesh.tets);
    auto next = boundary.begin();
    for (std::size_t cell = 0; cell < mesh.tets.size(); ++cell) {
      for (const auto& face : outward_faces) {
        const auto& tet = mesh.tets[cell];
        if (next == boundary.end() || *next != std::array{tet[face[0]], tet[face[1]], tet[face[2]]}) continue;
        faces.push_back({cell, face});
        ++next;
      }
    }
    return faces;
  }
  const Edges boundary = boundary_edges(mesh.triangles);
  auto next = boundary.begin();
  for (std::size_t cell = 0; cell < mesh.triangles.size(); ++cell) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      if (next == boundary.end() || *next != std::array{mesh.triangles[cell][i], mesh.triangles[cell][j]}) continue;
      faces.push_back({cell, {i, j, i}});
      ++next;
    }
  }
  return faces;
}

Vec<3> position_in_solid(const Mesh& mesh, std::size_t cell, const Barycentrics& at) {
  const std::vector<int> nodes = nodes_of_solid(mesh, cell);
  std::vector<double> values(nodes.size());
  lagrange_values(mesh.dim, mesh.order_of_cell(cell), at, values);
  // Weights that vanish but for rounding do not count. A single weight is that of a node, and is 1.
  const auto counts = [](double value) { return std::abs(value) > 1e-14; };
  const bool is_node = std::count_if(values.begin(), values.end(), counts) == 1;
  Vec<3> x = Vec<3>::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    if (counts(values[a])) x += (is_node ? 1.0 : values[a]) * mesh.vertices[nodes[a]];
  }
  return x;
}

std::vector<Vec<3>> BoundaryPieces::places(const Mesh& mesh) const {
  std::vector<Vec<3>> x;
  x.reserve(points.size());
  for (const auto& [cell, at] : points) x.push_back(position_in_solid(mesh, cell, at));
  return x;
}

BoundaryPieces cut_boundary_faces(const Mesh& mesh, const std::function<int(std::size_t cell)>& segments_of) {
  BoundaryPieces pieces;
  for (const ElementFace& face : find_boundary_faces(mesh)) {
    const int first = static_cast<int>(pieces.points.size()), segments = segments_of(face.cell);
    // Points are in rows of i, which become shorter by one; an edge has the first of each.
    const int columns = mesh.dim == 3 ? segments : 0;
    const auto number = [&](int i, int j) {
      return mesh.dim == 3 ? first + i * (segments + 1) - i * (i - 1) / 2 + j : first + i;
    };
    for (int i = 0; i <= segments; ++i) {
      for (int j = 0; i + j <= segments && j <= columns; ++j) {
        Barycentrics at{};
        at[face.corners[0]] = static_cast<double>(segments - i - j) / segments;
        at[face.corners[1]] = static_cast<double>(i) / segments;
        if (mesh.dim == 3) at[face.corners[2]] = static_cast<double>(j) / segments;
        pieces.points.push_back({face.cell, at});
        if (i + j == segments) continue;
        if (mesh.dim == 2) {
          pieces.triangles.push_back({number(i, 0), number(i + 1, 0), number(i + 1, 0)});
          continue;
        }
        pieces.triangles.push_back({number(i, j), number(i + 1, j), number(i, j + 1)});
        if (i + j + 1 < segments) {
          pieces.triangles.push_back({number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)});
        }
      }
    }
  }
  return pieces;
}

double flatness_bound(const Mesh& mesh, int segments) {
  double largest = 0.0;
  for (const ElementFace& face : find_boundary_faces(mesh)) largest = std::max(largest, curvature_bound(mesh, face));
  // A point with barycentrics l_i in a piece is off by at most 1/2 sum l_i (1 - l_i)^2 times the second derivative by
  // the piece's barycentrics. The factor is 2/9 on a triangle and 1/8 on an edge.
  return (mesh.dim == 2 ? 1.0 / 8.0 : 2.0 / 9.0) * largest / (static_cast<double>(segments) * segments);
}

}  // namespace clearance
