// Small frames made by hand for the tests of the program.
#pragma once

#include "clearance/io/mesh/vtu.h"

namespace clearance::cli {

/// Appends to `frame` tets and keeps the order of cells that frames require; call it once per kind of cell and body.
class FrameBuilder {
 public:
  /// Adds a box of 5 tets with the given lowest corner and size [m]. Returns the index of its first vertex.
  int add_box(int body, const Vec<3>& low, const Vec<3>& size, bool is_obstacle = false) {
    const int first = static_cast<int>(frame_.mesh.vertices.size());
    for (int i = 0; i < 8; ++i) add_vertex(low + size.cwiseProduct(Vec<3>(i & 1, (i >> 1) & 1, (i >> 2) & 1)));
    // The box has four corner tets and the one between them.
    static constexpr int tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};
    for (const auto& t : tets) add_tet(body, {first + t[0], first + t[1], first + t[2], first + t[3]}, is_obstacle);
    return first;
  }
  void add_tet(int body, std::array<int, 4> t, bool is_obstacle = false) {
    // Every tet gets positive orientation, in whatever order its vertices are given.
    const auto& x = frame_.mesh.vertices;
    const Vec<3> u = x[t[1]] - x[t[0]], v = x[t[2]] - x[t[0]], w = x[t[3]] - x[t[0]];
    Mat<3> m;
    m << u, v, w;
    if (m(0, 0) * (m(1, 1) * m(2, 2) - m(2, 1) * m(1, 2)) - m(0, 1) * (m(1, 0) * m(2, 2) - m(2, 0) * m(1, 2)) +
            m(0, 2) * (m(1, 0) * m(2, 1) - m(2, 0) * m(1, 1)) <
        0) {
      std::swap(t[2], t[3]);
    }
    frame_.mesh.tets.push_back(t);
    tet_body_.push_back({body, is_obstacle});
  }
  void add_triangle(int body, const std::array<int, 3>& t, bool is_obstacle = false) {
    frame_.mesh.triangles.push_back(t);
    triangle_body_.push_back({body, is_obstacle});
  }
  void add_edge(int body, const std::array<int, 2>& e) {
    frame_.mesh.edges.push_back(e);
    edge_body_.push_back({body, false});
  }
  void add_point(int body, int v) {
    frame_.mesh.points.push_back(v);
    point_body_.push_back({body, false});
  }
  int add_vertex(const Vec<3>& x) {
    frame_.mesh.vertices.push_back(x);
    frame_.velocity.push_back(Vec<3>::Zero());
    return static_cast<int>(frame_.mesh.vertices.size()) - 1;
  }

  Frame build(double time = 0.0, int dim = 3) const {
    Frame frame = frame_;
    frame.mesh.dim = dim;
    frame.time = time;
    for (const auto* cells : {&tet_body_, &triangle_body_, &edge_body_, &point_body_}) {
      for (const auto& [body, is_obstacle] : *cells) {
        frame.cell_body.push_back(body);
        frame.cell_is_obstacle.push_back(is_obstacle ? 1 : 0);
      }
    }
    return frame;
  }

 private:
  using Cells = std::vector<std::pair<int, bool>>;
  Frame frame_;
  Cells tet_body_, triangle_body_, edge_body_, point_body_;
};

}  // namespace clearance::cli
