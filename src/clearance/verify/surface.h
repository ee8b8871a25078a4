// The primitives of a frame that can touch, for `clearance verify`: derived from the stored cells, not from the
// solver's surface.
#pragma once

#include <array>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::verify {

/// A sphere or a capsule that a body collides with.
struct VerifyRound {
  double radius = 0.0;        ///< [m]
  std::array<int, 2> ends{};  ///< vertices of the frame; the same twice: a sphere
};

/// Properties of a body of a frame according to scene.json and bodies.json.
struct VerifyBody {
  std::string name;
  bool is_obstacle = false;
  bool has_self_contact = true;
  int collision_group = -1;     ///< bodies of one group >= 0 may cross each other and themselves
  bool meets_obstacles = true;  ///< false: an obstacle is in its group, and then it may cross all of them
  bool collides = true;         ///< false: it may cross everything
  int entry = -1;               ///< of the bodies in scene.json
  double radius = 0.0;          ///< [m] half the thickness of a shell or particle, by which it ends beside its cells
  bool is_loose = false;        ///< particles: its points are bodies of their own, which keep their radii
  std::vector<VerifyRound> rounds = {};  ///< what it collides with in place of its cells; empty: its cells
};

struct VerifySurface {
  /// A body with elements and triangles (2D: edges) beside them has these as its surface, others:
  /// 3D: faces of exactly one tet, those of curved ones in triangles between their nodes, and triangles. Empty in 2D.
  std::vector<std::array<int, 3>> triangles;
  /// Edges of the triangles (2D: of exactly one triangle), codimensional edges, and lone points as edges (p, p).
  std::vector<std::array<int, 2>> edges;
  int num_codim_edges = 0;    ///< the last ones of `edges`: no edges of triangles
  std::vector<char> has_own;  ///< per body: 1 if it has elements and a surface of its own beside them
  std::vector<int> triangle_body;
  std::vector<int> edge_body;
  std::vector<int> vertices;     ///< used by the above
  std::vector<int> vertex_body;  ///< per vertex of the mesh; -1: used by no cell
};

VerifySurface build_verify_surface(const Frame& frame);

/// True if the frames have the same cells, and therefore the same surface.
bool has_same_cells(const Frame& a, const Frame& b);

}  // namespace clearance::verify
