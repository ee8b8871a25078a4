// The drawing of a frame: triangles with smooth normals and colours, capsules for lines, spheres for points.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "clearance/io/mesh/vtu.h"
#include "clearance/render/camera.h"

namespace clearance::render {

using Color = Eigen::Vector3f;  ///< linear RGB, 1 is white

/// Triangles with positions relative to `Drawing::origin`, in single precision as the ray tracer requires.
struct DrawTriangles {
  std::vector<Eigen::Vector3f> vertices;
  std::vector<std::array<unsigned, 3>> indices;
  std::vector<Eigen::Vector3f> corner_normals;  ///< three per triangle
  std::vector<Color> vertex_colors;
  std::size_t num_edged = 0;  ///< number of leading triangles whose edges are drawn
};

/// Segments with round ends, or spheres if both ends coincide.
struct DrawRods {
  std::vector<std::array<Eigen::Vector3f, 2>> ends;
  std::vector<Color> colors;
  float radius = 0;
};

struct DrawPlane {
  Vec<3> point = Vec<3>::Zero();
  Vec<3> normal = Vec<3>::UnitY();  ///< unit, toward the free side
};

struct Drawing {
  Vec<3> origin = Vec<3>::Zero();
  double size = 1;  ///< [m] diagonal of the region that the camera frames
  Vec<3> up = Vec<3>::UnitY();
  bool is_plane = false;
  DrawTriangles bodies, obstacles;
  DrawRods body_rods, obstacle_rods;
  std::vector<DrawPlane> planes;
};

struct DrawStyle {
  /// value per vertex of the frame that colours show; empty: bodies have their own colours
  std::vector<double> values;
  double low = 0, high = 1;  ///< ends of the colour map
  bool has_edges = false;    ///< true: draw the edges of triangles of bodies that are no obstacles
};

/// Returns the colour of a body by its order among the deformable ones, which is the same in every frame.
Color body_color(int order);
/// Returns the Viridis colour of a value in [0, 1]: dark blue, green, yellow.
Color map_color(double value);
Color from_srgb(int hex);

/// Fills the drawing from a frame. The caller has set its origin, size, up and planes.
void draw_frame(const Frame& frame, const DrawStyle& style, Drawing& drawing);

}  // namespace clearance::render
