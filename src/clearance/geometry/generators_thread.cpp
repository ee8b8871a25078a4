// Generators of bolts and nuts. Their surfaces are rings of vertices, joined ring by ring. Four edges of the thread's
// profile wind around the axis as helices. Along a quarter of a turn the rings follow them. Every ring then goes on
// with the edge below, so that it stays at its height, and all edges of triangles along a helix are chords of it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

using std::numbers::pi;

struct RingPoint {
  double radius;  // [m]
  double y;       // [m]
};

/// A surface of rings with the same number of vertices.
class RingSurface {
 public:
  explicit RingSurface(int num_around) : num_around_(num_around) {}

  void add_ring(const std::function<RingPoint(int column)>& point) {
    for (int i = 0; i < num_around_; ++i) {
      const auto [radius, y] = point(i);
      const double angle = 2.0 * pi * i / num_around_;
      mesh_.vertices.emplace_back(radius * elementary::cos(angle), y, -radius * elementary::sin(angle));
    }
    ++num_rings_;
  }
  void join_rings() {
    for (int ring = 0; ring + 1 < num_rings_; ++ring) join(ring, ring + 1);
  }
  void join_last_to_first() { join(num_rings_ - 1, 0); }
  void close_ends(double y_first, double y_last) {
    const int first = static_cast<int>(mesh_.vertices.size());
    mesh_.vertices.emplace_back(0.0, y_first, 0.0);
    mesh_.vertices.emplace_back(0.0, y_last, 0.0);
    for (int i = 0; i < num_around_; ++i) {
      mesh_.triangles.push_back({first, vertex(0, i + 1), vertex(0, i)});
      mesh_.triangles.push_back({first + 1, vertex(num_rings_ - 1, i), vertex(num_rings_ - 1, i + 1)});
    }
  }
  Mesh take() { return std::move(mesh_); }

 private:
  int vertex(int ring, int column) const { return ring * num_around_ + column % num_around_; }

  /// Joins two rings. The triangles face away from the axis if the second ring is above the first. The diagonals rise
  /// with the helices.
  void join(int lower, int upper) {
    for (int i = 0; i < num_around_; ++i) {
      mesh_.triangles.push_back({vertex(lower, i), vertex(lower, i + 1), vertex(upper, i + 1)});
      mesh_.triangles.push_back({vertex(lower, i), vertex(upper, i + 1), vertex(upper, i)});
    }
  }

  int num_around_;
  int num_rings_ = 0;
  Mesh mesh_;
};

/// The thread between two ends at equal distance from y = 0.
struct Thread {
  double length;   // [m]
  double pitch;    // [m]
  double crest;    // [m] radius of the flat furthest from the bolt's axis
  double root;     // [m] radius of the flat nearest to the axis
  int num_around;  // multiple of 4
};

/// Heights of the edges of the metric profile over one pitch: crest of 1/8, flanks of 5/16, root of 1/4. Edges: end of
/// the crest, the two of the root, start of the next crest.
constexpr std::array<double, 4> edge_heights = {1.0 / 16.0, 6.0 / 16.0, 10.0 / 16.0, 15.0 / 16.0};
const double depth_per_pitch = 5.0 / 16.0 * std::sqrt(3.0);

/// Returns the point of edge `edge`, counted from the one in the middle, at a column.
RingPoint thread_point(const Thread& thread, int edge, int column) {
  const int turn = static_cast<int>(std::floor(edge / 4.0)), kind = edge - 4 * turn;
  const double height =
      turn + edge_heights[static_cast<std::size_t>(kind)] + static_cast<double>(column) / thread.num_around;
  return {kind == 0 || kind == 3 ? thread.crest : thread.root, thread.pitch * height};
}

/// Adds the thread. The ends are plain cylinders up to the first ring of edges that lies between them all around.
void add_thread(const Thread& thread, double end_radius, RingSurface& surface) {
  const double end = 0.5 * thread.length, margin = thread.pitch / 16.0;
  const auto point = [&](int ring, int column) {
    return thread_point(thread, ring - column / (thread.num_around / 4), column);
  };
  const auto is_inside = [&](int ring) {
    for (int i = 0; i < thread.num_around; ++i) {
      if (std::abs(point(ring, i).y) > end - margin) return false;
    }
    return true;
  };
  surface.add_ring([&](int) { return RingPoint{end_radius, -end}; });
  const int furthest = static_cast<int>(std::ceil(4.0 * end / thread.pitch)) + 4;
  for (int ring = -furthest; ring <= furthest; ++ring) {
    if (!is_inside(ring)) continue;
    const bool is_end = !is_inside(ring - 1) || !is_inside(ring + 1);
    surface.add_ring([&](int column) {
      const RingPoint p = point(ring, column);
      return is_end ? RingPoint{end_radius, p.y} : p;
    });
  }
  surface.add_ring([&](int) { return RingPoint{end_radius, end}; });
}

/// Adds a hexagon one and a half times as wide as the thread, as bolts and nuts have.
void add_hexagon(double radius, double y, int num_around, RingSurface& surface) {
  surface.add_ring([&](int column) {
    const double from_flat = std::fmod(2.0 * pi * column / num_around, pi / 3.0) - pi / 6.0;
    return RingPoint{1.5 * radius / elementary::cos(from_flat), y};
  });
}

int columns_for(int cells_around) {
  return 12 * ((std::max(1, cells_around) + 11) / 12);
}

}  // namespace

Mesh make_bolt(double radius, double length, double pitch, int cells_around) {
  const int num_around = columns_for(cells_around);
  const double root = radius - depth_per_pitch * pitch, top = 0.5 * length + 1.3 * radius;
  RingSurface surface(num_around);
  add_thread({length, pitch, radius, root, num_around}, root, surface);
  add_hexagon(radius, 0.5 * length, num_around, surface);
  add_hexagon(radius, top, num_around, surface);
  surface.join_rings();
  surface.close_ends(-0.5 * length, top);
  return surface.take();
}

Mesh make_nut(double radius, double height, double pitch, double clearance, int cells_around) {
  const int num_around = columns_for(cells_around);
  // The hole is widened because its chords are nearer to the axis than its vertices.
  const double widening = 1.0 / elementary::cos(pi / num_around);
  const double crest = widening * (radius + clearance);
  const double root = widening * (radius - depth_per_pitch * pitch + clearance);
  RingSurface surface(num_around);
  add_thread({height, pitch, crest, root, num_around}, crest, surface);
  add_hexagon(radius, 0.5 * height, num_around, surface);
  add_hexagon(radius, -0.5 * height, num_around, surface);
  surface.join_rings();
  surface.join_last_to_first();
  // The rings run up inside and down outside, so they face inwards.
  Mesh mesh = surface.take();
  turn_around(mesh.triangles);
  return mesh;
}

}  // namespace clearance
