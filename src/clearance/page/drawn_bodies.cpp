#include "clearance/page/drawn_bodies.h"

#include <Eigen/QR>
#include <algorithm>
#include <map>

#include "clearance/verify/surface.h"

namespace clearance::page {
namespace {

/// [of a body's size] Largest distance of a vertex from an affine image up to which its body keeps its shape.
constexpr double largest_misfit = 1e-6;

/// Adds the p^2 triangles between the nodes of an element of order p in the plane.
void add_triangles_between_nodes(std::span<const int> nodes, std::vector<std::array<int, 3>>& triangles) {
  int order = 1;
  while ((order + 1) * (order + 2) / 2 < static_cast<int>(nodes.size())) ++order;
  // Nodes lie in rows from the edge between corners 0 and 1 to corner 2, as lagrange_nodes numbers them.
  const std::vector<NodeIndex>& indices = lagrange_nodes(2, order);
  std::map<std::array<int, 2>, int> at;
  for (std::size_t k = 0; k < nodes.size(); ++k) at[{indices[k][1], indices[k][2]}] = nodes[k];
  for (int j = 0; j < order; ++j) {
    for (int i = 0; i + j < order; ++i) {
      triangles.push_back({at[{i, j}], at[{i + 1, j}], at[{i, j + 1}]});
      if (i + j + 1 < order) triangles.push_back({at[{i + 1, j}], at[{i + 1, j + 1}], at[{i, j + 1}]});
    }
  }
}

std::vector<std::array<int, 3>> drawn_triangles(const Mesh& mesh, const verify::VerifySurface& surface) {
  std::vector<std::array<int, 3>> triangles = surface.triangles;
  if (mesh.dim == 2) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const std::span<const int> nodes = mesh.nodes_of_cell(t);
      nodes.empty() ? triangles.push_back(mesh.triangles[t]) : add_triangles_between_nodes(nodes, triangles);
    }
  }
  return triangles;
}

}  // namespace

DrawnBodies::DrawnBodies(const Frame& first, std::vector<Vec<3>> rest) : rest_(std::move(rest)) {
  const verify::VerifySurface surface = verify::build_verify_surface(first);
  const std::vector<std::array<int, 3>> triangles = drawn_triangles(first.mesh, surface);
  // Lines are edges that belong to no triangle; in the plane, outlines are lines too.
  const std::size_t first_line = first.mesh.dim == 2 ? 0 : surface.edges.size() - surface.num_codim_edges;
  const std::vector<std::array<int, 2>> lines(surface.edges.begin() + static_cast<std::ptrdiff_t>(first_line),
                                              surface.edges.end());

  std::map<int, bool> is_obstacle;
  for (std::size_t cell = 0; cell < first.cell_body.size(); ++cell) {
    is_obstacle[first.cell_body[cell]] = cell < first.cell_is_obstacle.size() && first.cell_is_obstacle[cell] != 0;
  }
  const auto body_of = [&](int vertex) { return surface.vertex_body[vertex]; };
  std::map<int, std::vector<std::array<int, 3>>> triangles_of;
  std::map<int, std::vector<std::array<int, 2>>> lines_of;
  for (const auto& triangle : triangles) triangles_of[body_of(triangle[0])].push_back(triangle);
  for (const auto& line : lines) lines_of[body_of(line[0])].push_back(line);
  for (const auto& [body, obstacle] : is_obstacle) {
    if (!triangles_of.contains(body) && !lines_of.contains(body)) continue;
    add_body(body, obstacle, triangles_of[body], lines_of[body]);
  }
}

void DrawnBodies::add_body(int body, bool is_obstacle, const std::vector<std::array<int, 3>>& triangles,
                           const std::vector<std::array<int, 2>>& lines) {
  DrawnBody& drawn = bodies_.emplace_back();
  drawn.body = body;
  drawn.is_obstacle = is_obstacle;
  drawn.first_vertex = vertices_.size();
  drawn.first_triangle = triangles_.size();
  drawn.first_edge = edges_.size();
  std::map<int, std::uint32_t> number;
  const auto number_of = [&](int vertex) {
    const auto [found, is_new] = number.emplace(vertex, static_cast<std::uint32_t>(vertices_.size()));
    if (is_new) vertices_.push_back(vertex);
    return found->second;
  };
  for (const auto& [a, b, c] : triangles) triangles_.push_back({number_of(a), number_of(b), number_of(c)});
  for (const auto& [a, b] : lines) edges_.push_back({number_of(a), number_of(b)});
  drawn.num_vertices = vertices_.size() - drawn.first_vertex;
  drawn.num_triangles = triangles_.size() - drawn.first_triangle;
  drawn.num_edges = edges_.size() - drawn.first_edge;
}

bool DrawnBodies::is_drawn_as(const DrawnBodies& other, std::size_t b) const {
  const DrawnBody &mine = bodies_[b], &theirs = other.bodies_[b];
  if (mine.num_vertices != theirs.num_vertices) return false;
  const auto are_same = [&](const auto& list, const auto& other_list, std::size_t first, std::size_t other_first,
                            std::size_t count, std::size_t other_count) {
    if (count != other_count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < list[first + i].size(); ++k) {
        if (list[first + i][k] - mine.first_vertex != other_list[other_first + i][k] - theirs.first_vertex)
          return false;
      }
    }
    return true;
  };
  return are_same(triangles_, other.triangles_, mine.first_triangle, theirs.first_triangle, mine.num_triangles,
                  theirs.num_triangles) &&
         are_same(edges_, other.edges_, mine.first_edge, theirs.first_edge, mine.num_edges, theirs.num_edges);
}

Pose DrawnBodies::pose(const DrawnBody& body, const Frame& frame) const {
  // The pose is a least squares fit about the centres. For a flat body, the pseudoinverse sets the map across its plane
  // to zero, the smallest choice.
  Vec<3> center = Vec<3>::Zero(), moved = Vec<3>::Zero();
  const std::span<const int> vertices = std::span(vertices_).subspan(body.first_vertex, body.num_vertices);
  for (const int v : vertices) {
    center += rest_[v];
    moved += frame.mesh.vertices[v];
  }
  center /= static_cast<double>(vertices.size());
  moved /= static_cast<double>(vertices.size());
  Mat<3> spread = Mat<3>::Zero(), product = Mat<3>::Zero();
  for (const int v : vertices) {
    const Vec<3> x = rest_[v] - center;
    spread += x * x.transpose();
    product += (frame.mesh.vertices[v] - moved) * x.transpose();
  }
  const Mat<3> linear = product * spread.completeOrthogonalDecomposition().pseudoInverse();
  const Vec<3> translation = moved - linear * center;
  Pose pose;
  Eigen::Map<Mat<3>>(pose.data()) = linear;
  Eigen::Map<Vec<3>>(pose.data() + 9) = translation;
  return pose;
}

double DrawnBodies::misfit(const DrawnBody& body, const Pose& pose, const Frame& frame) const {
  const Eigen::Map<const Mat<3>> linear(pose.data());
  const Eigen::Map<const Vec<3>> translation(pose.data() + 9);
  double worst = 0.0;
  Vec<3> low = Vec<3>::Constant(infinity), high = -low;
  for (const int vertex : std::span(vertices_).subspan(body.first_vertex, body.num_vertices)) {
    const std::size_t v = vertex;
    low = low.cwiseMin(rest_[v]);
    high = high.cwiseMax(rest_[v]);
    const double off = (linear * rest_[v] + translation - frame.mesh.vertices[v]).norm();
    worst = off <= worst ? worst : off;  // also true if `off` is not a number
  }
  const double size = (high - low).norm();
  return size > 0.0 ? worst / size : worst;
}

void DrawnBodies::note_shape(const Frame& frame, std::vector<char>& changes) const {
  changes.resize(bodies_.size(), 0);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (changes[b] == 0 && !(misfit(bodies_[b], pose(bodies_[b], frame), frame) <= largest_misfit)) changes[b] = 1;
  }
}

void DrawnBodies::arrange(const std::vector<char>& changes) {
  std::vector<std::size_t> order;
  for (const char wanted : {1, 0}) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (changes[b] == wanted) order.push_back(b);
    }
  }
  std::vector<DrawnBody> bodies;
  std::vector<int> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::array<std::uint32_t, 2>> edges;
  num_moving_ = 0;
  for (const std::size_t b : order) {
    const DrawnBody& old = bodies_[b];
    DrawnBody& body = bodies.emplace_back(old);
    body.keeps_shape = changes[b] == 0;
    body.first_vertex = vertices.size();
    body.first_triangle = triangles.size();
    body.first_edge = edges.size();
    const auto moved = [&](std::uint32_t v) {
      return static_cast<std::uint32_t>(v - old.first_vertex + body.first_vertex);
    };
    for (std::size_t i = 0; i < old.num_vertices; ++i) vertices.push_back(vertices_[old.first_vertex + i]);
    for (std::size_t i = 0; i < old.num_triangles; ++i) {
      const auto& [a, b1, c] = triangles_[old.first_triangle + i];
      triangles.push_back({moved(a), moved(b1), moved(c)});
    }
    for (std::size_t i = 0; i < old.num_edges; ++i) {
      edges.push_back({moved(edges_[old.first_edge + i][0]), moved(edges_[old.first_edge + i][1])});
    }
    if (!body.keeps_shape) num_moving_ = vertices.size();
  }
  bodies_ = std::move(bodies);
  vertices_ = std::move(vertices);
  triangles_ = std::move(triangles);
  edges_ = std::move(edges);
}

}  // namespace clearance::page
