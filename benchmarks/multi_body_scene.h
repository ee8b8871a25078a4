// Generated scenes of many stiff bodies, as the broad phase meets them with affine and rigid bodies.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "clearance/geometry/surface.h"
#include "clearance/math/types.h"

namespace clearance {

/// Bodies without self-contact, and their motion.
struct MultiBodyScene {
  SurfaceTopology surface;
  VecX x_t0, x_t1;  ///< [m] flat
  double dhat = 1e-3;

  using Place = std::function<Vec<3>(const Vec<3>&)>;
  void reserve(int num_bodies, int vertices_each) {
    x_t0.resize(3 * static_cast<Eigen::Index>(num_bodies) * vertices_each);
    surface.vertex_body.reserve(static_cast<std::size_t>(num_bodies) * static_cast<std::size_t>(vertices_each));
  }
  /// Adds a grid of rows times columns vertices, closed along either direction where asked; each vertex is at
  /// place(row, column, 0).
  void add_grid(int rows, int columns, bool is_row_closed, bool is_column_closed, const Place& place);
  void add_cube(const Vec<3>& corner, double side);
  /// Moves every body along a direction of its own. Call it last.
  void set_motion(double length);

 private:
  int begin_body() { return num_bodies_++, surface.num_vertices; }
  void add_vertex(const Vec<3>& x);
  void add_body(const Triangles& triangles);
  int num_bodies_ = 0;
};

inline void MultiBodyScene::add_vertex(const Vec<3>& x) {
  const Eigen::Index begin = 3 * static_cast<Eigen::Index>(surface.num_vertices++);
  if (x_t0.size() < begin + 3) x_t0.conservativeResize(2 * begin + 3);
  x_t0.segment<3>(begin) = x;
  surface.vertex_body.push_back(num_bodies_ - 1);
  surface.vertex_group.push_back(num_bodies_);
}

inline void MultiBodyScene::add_body(const Triangles& triangles) {
  const Edges edges = unique_edges(triangles);
  surface.triangles.insert(surface.triangles.end(), triangles.begin(), triangles.end());
  surface.edges.insert(surface.edges.end(), edges.begin(), edges.end());
}

inline void MultiBodyScene::add_grid(int rows, int columns, bool is_row_closed, bool is_column_closed,
                                     const Place& place) {
  const int first = begin_body();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) add_vertex(place(Vec<3>(i, j, 0.0)));
  }
  Triangles triangles;
  const auto vertex = [&](int i, int j) { return first + (i % rows) * columns + j % columns; };
  for (int i = 0; i < (is_column_closed ? rows : rows - 1); ++i) {
    for (int j = 0; j < (is_row_closed ? columns : columns - 1); ++j) {
      triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)});
      triangles.push_back({vertex(i + 1, j + 1), vertex(i, j + 1), vertex(i + 1, j)});
    }
  }
  add_body(triangles);
}

inline void MultiBodyScene::add_cube(const Vec<3>& corner, double side) {
  const int first = begin_body();
  for (int v = 0; v < 8; ++v) add_vertex(corner + side * Vec<3>(v & 1, v >> 1 & 1, v >> 2));
  Triangles triangles;
  for (const auto& [a, b, c, d] : {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
                                   std::array{2, 6, 7, 3}, std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}}) {
    triangles.push_back({first + a, first + b, first + c});
    triangles.push_back({first + a, first + c, first + d});
  }
  add_body(triangles);
}

inline void MultiBodyScene::set_motion(double length) {
  x_t0.conservativeResize(3 * static_cast<Eigen::Index>(surface.num_vertices));
  x_t1 = x_t0;
  for (int v = 0; v < surface.num_vertices; ++v) {
    const double phase = surface.vertex_body[v];
    x_t1.segment<3>(3 * static_cast<Eigen::Index>(v)) +=
        length * Vec<3>(std::cos(phase), std::sin(phase), std::sin(1.7 * phase));
  }
}

/// Returns four walls of 140 unit cubes on a plane, and a ball before them.
inline MultiBodyScene make_wall_scene() {
  MultiBodyScene scene;
  const double pitch = 1.0 + 0.5 * scene.dhat;
  for (int wall = 0; wall < 4; ++wall) {
    for (int i = 0; i < 14; ++i) {
      for (int j = 0; j < 10; ++j) scene.add_cube(Vec<3>(pitch * (i + 0.5 * (j % 2)), 3.0 * wall, pitch * j), 1.0);
    }
  }
  scene.add_grid(2, 2, false, false,
                 [](const Vec<3>& at) { return Vec<3>(100.0 * at[0] - 50.0, 100.0 * at[1] - 50.0, 0.0); });
  scene.add_grid(16, 32, true, false, [](const Vec<3>& at) -> Vec<3> {
    const double polar = std::numbers::pi * (at[0] + 0.5) / 16.0;
    const double turn = std::numbers::pi * at[1] / 16.0;
    return Vec<3>(7.0, -3.0, 5.0) +
           2.0 * Vec<3>(std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar));
  });
  scene.set_motion(0.3 * scene.dhat);
  return scene;
}

/// Returns the threads of a bolt and its nut, 5000 vertices each, everywhere near each other.
inline MultiBodyScene make_bolt_scene() {
  MultiBodyScene scene;
  for (const double gap : {0.0, 2.0 * scene.dhat}) {
    scene.add_grid(100, 50, true, false, [&](const Vec<3>& at) -> Vec<3> {
      const double turn = 2.0 * std::numbers::pi * at[1] / 50.0;
      const double height = 0.02 * at[0];
      const double radius = 1.0 + gap + 0.1 * std::cos(turn - 2.0 * std::numbers::pi * height / 0.25);
      return {radius * std::cos(turn), radius * std::sin(turn), height};
    });
  }
  scene.set_motion(0.5 * scene.dhat);
  return scene;
}

/// Returns parallel chains of up to 1000 links of 220 vertices; neighbours interlock at right angles.
inline MultiBodyScene make_chain_scene(int num_links) {
  MultiBodyScene scene;
  scene.reserve(num_links, 220);
  for (int link = 0; link < num_links; ++link) {
    scene.add_grid(22, 10, true, true, [&](const Vec<3>& at) -> Vec<3> {
      const double along = 2.0 * std::numbers::pi * at[0] / 22.0;
      const double around = 2.0 * std::numbers::pi * at[1] / 10.0;
      const double radius = 1.0 + 0.3 * std::cos(around);
      const Vec<3> p(1.5 * radius * std::cos(along), radius * std::sin(along), 0.3 * std::sin(around));
      const Vec<3> place(2.05 * (link % 1000), 3.0 * (link / 1000), 0.0);
      return link % 2 == 0 ? Vec<3>(place + p) : Vec<3>(place + Vec<3>(p[0], -p[2], p[1]));
    });
  }
  scene.set_motion(0.5 * scene.dhat);
  return scene;
}

}  // namespace clearance
