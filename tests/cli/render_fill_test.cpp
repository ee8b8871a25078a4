// The inside of outlines, by its area.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/geometry/lagrange.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/render/draw.h"
#include "clearance/render/fill.h"

namespace clearance::render {
namespace {

using Eigen::Vector3f;

OutlineEdge edge(const Vector3f& a, const Vector3f& b) {
  return {{a, b}, {Color(a[0], a[1], 0), Color(b[0], b[1], 0)}};
}

void add_polygon(std::vector<OutlineEdge>& outline, int sides, float radius, float phase) {
  const auto corner = [&](int k) {
    const float angle = phase + 2.0f * 3.14159265f * static_cast<float>(k) / static_cast<float>(sides);
    return Vector3f(radius * std::cos(angle), radius * std::sin(angle), 0);
  };
  for (int k = 0; k < sides; ++k) outline.push_back(edge(corner(k), corner((k + 1) % sides)));
}

float area(const DrawTriangles& triangles) {
  float sum = 0;
  for (const auto& t : triangles.indices) {
    const Vector3f& a = triangles.vertices[t[0]];
    sum += 0.5f * (triangles.vertices[t[1]] - a).cross(triangles.vertices[t[2]] - a).norm();
  }
  return sum;
}

float polygon_area(int sides, float radius) {
  return 0.5f * static_cast<float>(sides) * radius * radius * std::sin(2.0f * 3.14159265f / static_cast<float>(sides));
}

TEST(Fill, ClosedOutlinesAreFilledAndHolesAreNot) {
  for (const float phase : {0.0f, 0.1f, 0.7853982f}) {
    std::vector<OutlineEdge> outline;
    add_polygon(outline, 7, 2.0f, phase);
    DrawTriangles disk, ring;
    add_inside(outline, disk);
    EXPECT_NEAR(area(disk), polygon_area(7, 2.0f), 1e-4f);
    add_polygon(outline, 4, 1.0f, 2.0f * phase);
    add_inside(outline, ring);
    EXPECT_NEAR(area(ring), polygon_area(7, 2.0f) - polygon_area(4, 1.0f), 1e-4f);
  }
}

TEST(Fill, ColoursRunAlongTheEdges) {
  std::vector<OutlineEdge> outline;
  add_polygon(outline, 5, 1.0f, 0.3f);
  DrawTriangles triangles;
  add_inside(outline, triangles);
  for (std::size_t v = 0; v < triangles.vertices.size(); ++v) {
    EXPECT_NEAR(triangles.vertex_colors[v][0], triangles.vertices[v][0], 1e-5f);
    EXPECT_NEAR(triangles.vertex_colors[v][1], triangles.vertices[v][1], 1e-5f);
  }
}

float drawn_area(const std::vector<std::array<int, 2>>& edges) {
  Frame frame;
  frame.mesh.dim = 2;
  frame.mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}, {1, 3, 0}};
  frame.mesh.edges = edges;
  frame.cell_body.assign(edges.size(), 0);
  frame.cell_is_obstacle.assign(edges.size(), 0);
  Drawing drawing;
  drawing.is_plane = true;
  draw_frame(frame, {}, drawing);
  return area(drawing.bodies);
}

// An open wire crosses some heights twice; one that hangs on a closed outline crosses them once more.
TEST(Fill, LooseEndsHaveNoInside) {
  EXPECT_FLOAT_EQ(drawn_area({{0, 1}, {1, 2}, {2, 3}, {3, 0}}), 2.0f);
  EXPECT_FLOAT_EQ(drawn_area({{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 4}}), 2.0f);
  EXPECT_FLOAT_EQ(drawn_area({{0, 1}, {1, 2}, {3, 0}}), 0.0f);
  EXPECT_FLOAT_EQ(drawn_area({{3, 0}, {3, 4}, {4, 1}}), 0.0f);
}

/// Returns a triangle of an order whose edge from corner 1 to 2 is bent outwards by `bulge`.
Frame curved_triangle(int order, double bulge) {
  Frame frame;
  frame.mesh.dim = 2;
  for (const NodeIndex& node : lagrange_nodes(2, order)) {
    const double u = static_cast<double>(node[1]) / order, v = static_cast<double>(node[2]) / order;
    frame.mesh.vertices.emplace_back(u + 4.0 * bulge * u * v, v + 4.0 * bulge * u * v, 0.0);
    frame.mesh.cell_nodes.push_back(static_cast<int>(frame.mesh.cell_nodes.size()));
  }
  frame.mesh.triangles = {{0, 1, 2}};
  frame.mesh.first_cell_node = {0, static_cast<int>(frame.mesh.cell_nodes.size())};
  frame.cell_body = {0};
  frame.cell_is_obstacle = {0};
  return frame;
}

// The space between the nodes is filled, whether elements are straight or bend outwards or inwards.
TEST(Fill, ElementsOfHighOrderAreFilled) {
  for (const double bulge : {0.0, 0.1, -0.1}) {
    for (int order = 2; order <= 4; ++order) {
      Drawing drawing;
      drawing.is_plane = true;
      draw_frame(curved_triangle(order, bulge), {}, drawing);
      // The area is that of the polygon through the nodes of the bent edge: a chord of 1 / order leaves out 1 /
      // order^2.
      const double exact = 0.5 + 4.0 * bulge * (1.0 - 1.0 / (order * order)) / 3.0;
      EXPECT_NEAR(area(drawing.bodies), exact, 0.25 * std::abs(bulge) + 1e-6) << order << " " << bulge;
      EXPECT_EQ(drawing.bodies.indices.size(), order * order);
    }
  }
}

}  // namespace
}  // namespace clearance::render
